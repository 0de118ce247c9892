/* Interface between the host and the compiled code of a model. Part of the text that is compiled for a model, so it
   includes nothing and uses only names that kernel/shim.h and the C headers both have. */
#ifndef FLOE_ABI_H
#define FLOE_ABI_H

/* An error of the model during the expansion of a state. */
struct step_error {
  uint32_t transition; /* ground transition, or NO_TRANSITION when a property's evaluation failed */
  uint32_t site;
};

/* One successor, or one failing firing, in full (expand_one). */
struct step_edge {
  uint32_t transition;
  uint32_t choice; /* number of the choice of select values: mixed radix, last select fastest */
  uint32_t site;   /* NO_SITE: a successor; BROKEN_SITE: one that has no key (step_block.broken); else the firing
                      failed there */
};

/* Changed contents of one word of the states: for successors whose word differs from their parent's, the smallest
   description of states of many words. In the order of the successors; entries beyond `count` are undefined. */
struct step_changes {
  uint64_t *contents;   /* [capacity of the block] */
  uint32_t *successors; /* [capacity of the block] which of the block's, ascending */
  size_t count;
};

/* Work of one expand_block call; zeroed by the caller, cumulative until the caller resets it. States and successors
   are keys: words of fields, or index keys (step/layout/index_key.h). Bit i of a mask of properties: property i
   triggers: INVARIANT false, NEVER or REACHABLE true, DEADLOCK: no firing (failing ones count) enabled, or with
   model.stuttering none that changes the state, and not excused, ERRORS: some error occurred. */
struct step_block {
  const uint64_t *states; /* count * words, in */
  size_t count;
  size_t next;                   /* first state not yet expanded, in/out */
  uint64_t *successors;          /* out, words each, appended at `produced` */
  size_t capacity;               /* in states; a state is expanded only when max_successors fit */
  size_t produced;               /* in/out */
  struct step_changes *changes;  /* [words] of fields, at least two: successors are described by these alone,
                                    appended, and `successors` is unused. NULL: not requested */
  uint32_t *ends;                /* [count] `produced` after each state, out. NULL: not requested */
  uint64_t *fired;               /* [transition_count], counts firings without an error, in/out */
  uint64_t deadlocks;            /* deadlocks, excused or not, in/out */
  uint32_t max_out_degree;       /* of successors, in/out */
  uint64_t requested_properties; /* mask of the properties to evaluate */
  uint64_t errors_only;          /* mask of further properties to evaluate: they do not trigger, but ERRORS
                                    does when their evaluation fails */
  uint64_t triggered;            /* mask of the evaluated properties that triggered so far, in/out */
  uint64_t failed;               /* mask of the properties whose evaluation failed in some state, in/out */
  bool firing_failed;            /* the firing of some transition failed, in/out */
  bool broken;                   /* some successor had no key: an assumption of the index keys about all reachable
                                    states is wrong, in/out. The successor is not in `successors` */
  bool properties_only;          /* evaluate INVARIANT/NEVER/REACHABLE, generate nothing (states at
                                    max_depth) */
  /* Called for every state that triggers an evaluated property, with the state's index in `states`. The error is the
     first one: of the properties in order, then of the firings in canonical order, then of `unless`. */
  void (*on_trigger)(void *user, size_t index, uint64_t properties, struct step_error error);
  void *user;
};

#endif
