/* Reference semantics of transient states (struct transient in model.h): sequences of firings as one step. */
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

/* The sequences of the steps of one state. */
struct sequences {
  const struct model *model;
  void *memory;    /* sequence_bytes(model) bytes; its contents do not matter */
  uint64_t *fired; /* [transition_count], counts firings without an error, each once; NULL: not needed */
  /* Called for each sequence in canonical order: by firings, in the order in which one state has them. False: no more
     sequences are needed. */
  bool (*visit)(void *user, const struct sequence_end *end);
  void *user;
  /* Zero at first: */
  uint32_t ended, work; /* sequences; firings within them */
  bool exceeded, stopped;
};

size_t sequence_bytes(const struct model *model);
/* All sequences that begin with this firing of a state of the model. `after` is its successor, a transient state. The
   firings of a state are passed in canonical order. A firing that exceeds a limit (model/transitions/successor_bound.h)
   fails at transient->exceeded, and the remaining sequences of the state are left out. */
void sequences_from(struct sequences *self, struct sequence_firing first, const int64_t *after);

#endif
