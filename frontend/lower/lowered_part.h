/* Lowered parts: a transition of one instance translated into guards, effects and synchronisation, before it is
   combined into ground transitions. */
#ifndef FLOE_FRONTEND_LOWER_LOWERED_PART_H
#define FLOE_FRONTEND_LOWER_LOWERED_PART_H

#include "frontend/expr/check.h"
#include "frontend/expr/check_fields.h"
#include "frontend/expr/check_place.h"
#include "frontend/lower/check_effect.h"

/* A transition of an instance. */
struct process_edge {
  const struct template *process;
  uint32_t instance;
  struct edge_info *info;
  struct lowered_part *parts; /* parts lowered so far */
};

/* An edge lowered with its selects numbered from `base`. */
struct lowered_part {
  struct lowered_part *next;
  uint32_t base;
  bool never;              /* guard is false, or a select has no values */
  bool empty;              /* a select has no values */
  size_t constants_before; /* constants.read before it was lowered; unchanged: its guard uses no constant */
  struct select *selects;
  size_t select_count;
  const struct expr *guard;         /* 1 if it reads a bound field; then see message_guard */
  const struct expr *message_guard; /* a guard that reads a bound field, tested after the other conditions on the
                                       message; NULL: none */
  const struct expr *element;       /* element of the channel; NULL: no synchronisation */
  const struct expr **values;       /* [field] value sent, or value to match (NULL: any) */
  struct place *targets;            /* [field] target of a received value; variable NONE: dropped */
  struct statement *effects;
  size_t effect_count;
};

void edges_resolve(struct check *c, struct template *process);
void instance_edges_lower(struct check *c, struct template *process);
/* Lowers the edge, or returns the part of an earlier call. NULL only if a limit is exceeded, once instance_edges_lower
   has accepted the edge. */
const struct lowered_part *lowered_part_get(struct check *c, struct process_edge *edge, uint32_t base);
/* The edge with its selects bound to `chosen`: the part has no selects. */
const struct lowered_part *lowered_part_chosen(struct check *c, const struct process_edge *edge, const int64_t *chosen);
/* The part for a message. `chosen` NULL: selects are numbered from `base`. */
const struct lowered_part *lowered_part_receiving(struct check *c, struct process_edge *edge, uint32_t base,
                                                  const int64_t *chosen, const struct message *message);
/* Iterate over the values of the selects, the last one varying fastest. Only if each has values. */
int64_t *choice_first(struct check *c, const struct lowered_part *part);
bool choice_next(const struct lowered_part *part, int64_t *chosen); /* false after the last */

#endif
