/* The steps of a state: single firings, and sequences of firings through transient states (struct transient in
   model.h), of which this is the reference semantics. */
#ifndef FLOE_MODEL_INTERPRETER_SEQUENCE_H
#define FLOE_MODEL_INTERPRETER_SEQUENCE_H

#include "model/interpreter/interpreter.h"

/* A sequence that has ended. */
struct sequence_end {
  const struct sequence_firing *firings;
  size_t count;         /* at least 1 */
  uint32_t site;        /* where the last firing failed; NO_SITE: it did not */
  const int64_t *after; /* the state at the end, not transient; undefined if it failed */
};

/* The firing that the edge of the step has: the first one, or the one that failed. */
static inline struct sequence_firing sequence_shown(const struct sequence_end *end) {
  return end->firings[end->site == NO_SITE ? 0 : end->count - 1];
}

/* The sequences of one state; a single firing is one, too. */
struct sequences {
  const struct model *model;
  void *memory;       /* sequence_bytes(model) bytes; its contents do not matter */
  int64_t *after;     /* memory for the values of a state */
  int64_t *permitted; /* [permitted_count] memory if the model has an automaton, else not used */
  uint64_t *fired;    /* [transition_count], counts firings without an error, each once; NULL: not needed */
  /* Called for each sequence in canonical order: by firings, in the order in which one state has them. False: no more
     sequences are needed. */
  bool (*visit)(void *user, const struct sequence_end *end);
  void *user;
  /* Zero at first: */
  uint32_t ended, work; /* sequences; firings within them */
  bool exceeded, stopped;
};

/* Zero: the model has no transient states. */
size_t sequence_bytes(const struct model *model);
/* All sequences of a state that is not transient. A firing that exceeds a limit (model/transitions/successor_bound.h)
   fails at transient->exceeded, and the remaining sequences of the state are left out. `self` serves one call. */
void sequences_of_state(struct sequences *self, const int64_t *before);

#endif
