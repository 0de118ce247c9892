/* Composition: combines the transitions of processes into ground transitions. It implements handshakes, buffered
   channels, broadcasts, committed locations with their priority, and `else`, for all input languages. doc/semantics.md
   defines the order of tests and effects.

   A language declares processes, channels and transitions as written (declarations.h).
   Composition instantiates them. It calls the language to lower a transition of one instance to a part: guard, values
   and effects as ground expressions. One transition can have several parts, because expressions depend on the numbers
   or values of the selects and on the received message.

   Order of calls: compose_else_find (else.h) for each `else`; compose_priority when all initial values are known;
   compose_edges for each process; then, if there are no errors, compose_transitions. */
#ifndef FLOE_MODEL_COMPOSE_COMPOSE_H
#define FLOE_MODEL_COMPOSE_COMPOSE_H

#include "model/compose/declarations.h"

/* Declares the priority of committed locations: sets model->committed. */
void compose_priority(struct compose *c);
/* Lowers the edges of all instances once, and stops after the first instance with errors. */
void compose_edges(struct compose *c, struct compose_process *process);
/* Adds all ground transitions to the model. */
void compose_transitions(struct compose *c);

#endif
