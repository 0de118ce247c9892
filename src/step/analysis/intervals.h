/* Abstract interpretation of ground transitions over intervals.

   A slot holds the interval of an element (numbered as in a state's value array), or of a temporary or select of the
   transition being evaluated. Changes of slots are recorded and can be undone up to a mark. */
#ifndef FLOE_STEP_ANALYSIS_INTERVALS_H
#define FLOE_STEP_ANALYSIS_INTERVALS_H

#include "core/arena.h"
#include "model/model.h"
#include "step/analysis/range.h"

struct intervals_change {
  uint32_t slot;
  struct value_interval range; /* before the change; in other_branch: after it */
};

struct intervals {
  const struct model *model;
  struct arena *arena;
  struct value_interval *slots; /* elements, MAX_TEMPS temporaries, MAX_SELECTS selects */
  struct intervals_change *changes, *aside;
  size_t change_count, change_cap, aside_count, aside_cap;
  uint32_t *stamps, stamp; /* [slot] last operation that changed the slot */
  const bool *untracked;   /* [variable] slots keep their ranges */
  const bool *frozen;      /* [slot] the variable is untracked */
  uint64_t work, limit;    /* expressions and statements evaluated; at the limit every expression can have any value */
  /* Called if an assumption narrows the slot of an element to one value; returns false if that value is impossible.
     NULL: not called. */
  bool (*on_point)(struct intervals *self, uint32_t slot);
  const void *user;
};

/* All memory from `arena`; the slots are empty ranges, the limit is infinite. */
void intervals_init(struct intervals *self, const struct model *model, struct arena *arena);

uint32_t intervals_temp(const struct intervals *self, uint32_t id);
uint32_t intervals_select(const struct intervals *self, uint32_t id);

static inline size_t intervals_mark(const struct intervals *self) { return self->change_count; }
void intervals_undo(struct intervals *self, size_t mark);
void intervals_set(struct intervals *self, uint32_t slot, struct value_interval range);
/* False: the range is empty. */
bool intervals_narrow(struct intervals *self, uint32_t slot, struct value_interval range);

/* Interval of the expression's possible values; empty: it always fails. */
struct value_interval intervals_eval(struct intervals *self, const struct expr *e);
/* Narrows slots to values for which the expression can have this truth; false: it never has. */
bool intervals_assume(struct intervals *self, const struct expr *e, bool truth);
/* Executes statements; false: they always fail. */
bool intervals_run(struct intervals *self, const struct statement *statements, size_t count);

/* Elements that reading or writing `index` (NULL: 0) of the variable can access in any state. */
struct value_interval intervals_reach(const struct variable *variable, const struct expr *index);

/* A variable with more elements, of which some are written by a computed index, is untracked. */
#define INTERVALS_MAX_SPAN 256

#endif
