/* Reference semantics of the ground model on arrays of values: expressions and firings. Functions for callers that try
   many transitions in one state split a firing into its location tests and the rest. */
#ifndef FLOE_MODEL_INTERPRETER_INTERPRETER_H
#define FLOE_MODEL_INTERPRETER_INTERPRETER_H

#include "model/model.h"

/* The part of the model that raised an error: iterations of a loop and uses of a define share a site. */
struct interpreter_failure {
  const struct statement *statement; /* NULL: in a guard, or no firing */
  const struct expr *expr;           /* the index, the division or the shift; NULL: the check of the statement itself */
  int64_t value;                     /* the index, the shift distance, the value to be stored */
};

/* A transition with values for its selects; numbered in mixed radix, the last select varies fastest. */
struct interpreter_choice {
  const struct transition *transition;
  uint32_t number;
  int64_t *permitted; /* memory for the values of EXPR_AUTOMATON, which many choices evaluate in one state:
                         NOT_EVALUATED or the value; NULL: none */
};
#define NOT_EVALUATED (-1) /* values are masks of at most PERMITTED_BITS bits */

/* Evaluates one expression over unpacked values (selects, temps may be NULL if the expression has none). Returns the
   site of the first error, or NO_SITE and *value. */
uint32_t interpreter_eval(const struct model *model, const struct expr *expr, const int64_t *values,
                          const int64_t *selects, const int64_t *temps, int64_t *value);
struct sequence_firing {
  uint32_t transition, choice;
};

/* Executes one firing. False: it is not enabled in `values`. Otherwise *site is the site of an error or NO_SITE, and
   `values` holds the successor: of a model with transient states one of these, if something fires there. temps (may be
   NULL) receives the temporaries, which record the receivers of a broadcast. After an error, values and temps are those
   that the failing guard or statement read. */
bool interpreter_fire(const struct model *model, uint32_t transition, uint32_t choice, int64_t *values, int64_t *temps,
                      uint32_t *site);

/* As interpreter_eval without selects and temps, and as interpreter_fire; *failure is set if there is an error. */
uint32_t interpreter_explain(const struct model *model, const struct expr *expr, const int64_t *values,
                             struct interpreter_failure *failure);
bool interpreter_explain_firing(const struct model *model, struct interpreter_choice choice, int64_t *values,
                                int64_t *temps, uint32_t *site, struct interpreter_failure *failure);

/* The transition fires for some choice, with or without an error. The caller knows the answer for one that fires
   otherwise. */
bool interpreter_fires(const struct model *model, const struct transition *transition, const int64_t *values);
/* The same for some of the first `choices` choices. */
bool interpreter_fires_before(const struct model *model, const struct transition *transition, uint64_t choices,
                              const int64_t *values);

/* Transient states (struct transient). The transitions that the holder permits; none: an empty range. */
struct initiator_transitions interpreter_permitted(const struct model *model, const struct holder *holder);
/* The holder permits the firing, which is enabled, in this state. */
bool interpreter_permits(const struct model *model, struct sequence_firing firing, const int64_t *values);
/* After a firing: if nothing fires in the transient state, the holder becomes 0. Returns the site of the error if that
   is one, else NO_SITE. */
uint32_t interpreter_settle(const struct model *model, int64_t *values);

/* Whether an atom of a temporal property holds in a state whose next step is one of `next` (NULL: the run stays, or the
   atom is not about steps). False: its evaluation fails. */
bool interpreter_atom(const struct model *model, const struct temporal *temporal, size_t atom, const int64_t *values,
                      const struct transition *next, bool *holds);

/* True if every location test of the transition holds. */
bool interpreter_tests_hold(const struct model *model, const struct transition *transition, const int64_t *values);

/* One choice of a transition whose tests hold; the caller knows that no other fires, if it is one that fires otherwise.
   As interpreter_fire, but the successor goes to `after`, which may be `before` itself; after a failure it is
   undefined. */
bool interpreter_fire_choice(const struct model *model, struct interpreter_choice choice, const int64_t *before,
                             int64_t *after, int64_t *temps, uint32_t *site);

/* Whether this firing changes the state, or fails: with model.stuttering, the state then is no deadlock. `after`:
   scratch for model->value_count values. */
bool interpreter_moves(const struct model *model, struct interpreter_choice choice, const int64_t *before,
                       int64_t *after);

#endif
