/* Parts of edges of instances, and what all kinds of synchronisation ask of an edge. */
#ifndef FLOE_MODEL_COMPOSE_PART_H
#define FLOE_MODEL_COMPOSE_PART_H

#include "model/compose/declarations.h"

/* The part of the edge with its selects numbered from `base`, for any message. NULL only if a limit is exceeded, once
   compose_edges has accepted the edge; the same holds for the next two functions. */
const struct part *part_get(struct compose *c, struct instance_edge *edge, uint32_t base);
/* The part with its selects bound to `chosen`: it has no selects. */
const struct part *part_chosen(struct compose *c, const struct instance_edge *edge, const int64_t *chosen);
/* The part for a message. `chosen` NULL: selects are numbered from `base`. */
const struct part *part_receiving(struct compose *c, struct instance_edge *edge, const struct part_request *request);
/* True if a select has no values. */
bool part_is_empty(const struct part *part);
/* Iterate over the values of the selects, the last one varying fastest. Only if each has values. */
int64_t *choice_first(struct compose *c, const struct part *part);
bool choice_next(const struct part *part, int64_t *chosen); /* false after the last */

const struct channel *channel_of(const struct compose *c, const struct compose_edge *edge);
bool leaves(const struct compose_edge *edge, uint32_t from);
bool is_same_instance(const struct instance_edge *a, const struct instance_edge *b);
bool is_committed(const struct instance_edge *edge, uint32_t from);
const struct expr *is_at(struct compose *c, source_at at, const struct process *process, uint32_t instance,
                         uint32_t location);

#endif
