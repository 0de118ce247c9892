/* Abstract interpretation of ground transitions: expressions and statements over intervals instead of values.

   A slot has the interval of an element (numbered as in a state's value array), or of a temporary or a select of the
   transition at hand. What is done to slots is written down, and taken back to a mark. */
#ifndef FLOE_INTERVALS_H
#define FLOE_INTERVALS_H

#include "core/arena.h"
#include "model/model.h"
#include "step/analysis/range.h"

struct intervals_change {
  uint32_t slot;
  struct invariants_range range; /* before; of one that is set aside: after */
};

struct intervals {
  const struct model *model;
  struct arena *arena;
  struct invariants_range *slots; /* elements, MAX_TEMPS temporaries, MAX_SELECTS selects */
  struct intervals_change *changes, *aside;
  size_t change_count, change_cap, aside_count, aside_cap;
  uint32_t *stamps, stamp; /* of slots: met in the operation at hand */
  const bool *unfollowed;  /* of variables: their slots keep the ranges that they have */
  const bool *frozen;      /* of slots: that is so */
  uint64_t work, limit;    /* expressions and statements looked at; at the limit every expression can have any value */
  /* Called where an assumption leaves a slot of an element only one value; false: that cannot be. NULL: nobody asks. */
  bool (*settled)(struct intervals *self, uint32_t slot);
  const void *user;
};

/* All from `arena`; the slots are empty ranges, the limit is infinite. */
void intervals_init(struct intervals *self, const struct model *model, struct arena *arena);

uint32_t intervals_temp(const struct intervals *self, uint32_t id);
uint32_t intervals_select(const struct intervals *self, uint32_t id);

static inline size_t intervals_mark(const struct intervals *self) { return self->change_count; }
void intervals_undo(struct intervals *self, size_t mark);
void intervals_set(struct intervals *self, uint32_t slot, struct invariants_range range);
/* False: no value is left. */
bool intervals_narrow(struct intervals *self, uint32_t slot, struct invariants_range range);

/* Every value that the expression can have; empty: it always fails. */
struct invariants_range intervals_eval(struct intervals *self, const struct expr *e);
/* Narrows slots to what is possible where the expression is true, or false; false: it never is. */
bool intervals_assume(struct intervals *self, const struct expr *e, bool truth);
/* False: an error always ends them. */
bool intervals_run(struct intervals *self, const struct statement *statements, size_t count);

/* The elements that reading or writing `index` (NULL: 0) of the variable can mean, whatever the state. */
struct invariants_range intervals_reach(const struct variable *variable, const struct expr *index);

/* A variable of more elements than that, to some of which a computed index writes, is not followed. */
#define INTERVALS_MAX_SPAN 256

#endif
