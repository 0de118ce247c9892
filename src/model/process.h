/* Processes of transitions. A transition of a model need not belong to a process (edge->process NO_PROCESS): the places
   of the code that ask for its process, instance or location ask here. */
#ifndef FLOE_MODEL_PROCESS_H
#define FLOE_MODEL_PROCESS_H

#include "model/model.h"

/* The process of this number. NO_PROCESS: one without a name, with one instance, which is always at location 0, which
   has no name either; it has no location variable. */
const struct process *process_of(const struct model *model, uint32_t number);
/* Some process has several instances. */
bool processes_several(const struct model *model);
/* Location of an instance in a state. */
uint32_t instance_location(const struct model *model, uint32_t process, uint32_t instance, const int64_t *values);
/* Name of the location, "" without a process. */
const char *location_name(const struct model *model, uint32_t process, uint32_t location, struct arena *arena);
/* "P[0]", "P" if it is the only instance; NO_PROCESS: "". */
const char *instance_name(const struct model *model, uint32_t process, uint32_t instance, struct arena *arena);
/* What acts in a step of this transition: "P[0]", or without a process the name of the transition. */
const char *actor_name(const struct model *model, const struct edge *edge, uint32_t instance, struct arena *arena);

/* A transition without a process, with this name. The caller adds its guards, selects and `instances`. */
struct edge edge_without_process(const char *name, source_at at);

#endif
