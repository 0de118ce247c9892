/* Ground models with fewer states and the same verdicts. Two passes:

   - merge: a step of a process that only its own process can notice, and that nothing can delay, is executed together
     with the step before it. Its location is in no state then. Keeps what does not depend on the number of steps or on
     fairness.
   - dead: a step resets locals of processes that no step, and no property, reads before they are assigned again. The
     model has the same steps, between states that differ in these locals alone. Keeps fairness, too.

   Proofs: doc/design/reductions.md. */
#ifndef FLOE_MODEL_REDUCE_SIMPLIFY_H
#define FLOE_MODEL_REDUCE_SIMPLIFY_H

#include "model/model.h"

/* Transitions that are executed behind a transition of the simplified model, in the model as checked. */
struct followers {
  const uint32_t *transitions;
  size_t count;
};

struct simplified {
  const struct model *model, *original; /* transition i of one is made of transition i of the other */
  const struct followers *followers;    /* [transition_count]; NULL: there are none */
  uint32_t merged;                      /* transitions that are executed together with one before them */
  uint32_t resets, reset_transitions;   /* locals of instances that are reset, and transitions that do so */
  const char *not_merged, *not_reset;   /* why a pass that is asked for does not apply; NULL: it does */
};

struct simplify_request {
  const struct model *model;
  bool merge, dead;
  const char *const *properties; /* [property_count] ids of those that matter, beside `errors`; others are left out of
                                    the simplified model. NULL: all */
  size_t property_count;
};

/* All memory from `arena`, whose guard is active. */
void model_simplify(const struct simplify_request *request, struct arena *arena, struct simplified *out);

/* The passes. The model of dead_variables is that after merge_transitions: out->model. */
void merge_transitions(struct arena *arena, struct simplified *out);
void reset_dead_locals(struct arena *arena, struct simplified *out);

#endif
