/* What is certain of all reachable states of a model: proved by induction over its ground transitions, so that a key
   may leave it out. Elements are numbered as in `values` of layout_pack: variable->first + i. */
#ifndef FLOE_FACTS_H
#define FLOE_FACTS_H

#include "core/arena.h"
#include "core/stop.h"
#include "model/model.h"
#include "step/analysis/linear_terms.h"

/* Ranges of elements by the value of another one: of local variables, and global ones that one process writes, by the
   location of that process; of the places of a channel by its length. */
struct facts_by {
  uint32_t selector;        /* an element that is in no other facts_by */
  const uint32_t *elements; /* [element_count] each in this facts_by alone; not the selector */
  uint32_t element_count;
  /* [(value of selector - facts.ranges[selector].lo) * element_count + i]; none has a value: the selector never has
     that value */
  const struct invariants_range *ranges;
};

struct invariants {
  const struct invariants_range *ranges;        /* [model->value_count] of each element */
  const struct facts_by *by;                    /* [by_count] */
  const struct invariants_dependent *dependent; /* [dependent_count], each element once */
  uint32_t by_count, dependent_count;
  bool disproved; /* a state of a walk was not as proved, which is an error of floe: the ranges are the declared ones */
};

/* All of it from `arena`; fewer facts where `stop` ends the search for them early (NULL: nothing does).
   FLOE_ERROR_MEMORY. */
floe_status invariants_make(const struct model *model, const struct stop *stop, struct arena *arena,
                            const struct invariants **out);

/* The declared ranges, and of variables that are never assigned the initial values: what is certain without a proof.
   All of it from `arena`. FLOE_ERROR_MEMORY. */
floe_status invariants_declared(const struct model *model, struct arena *arena, const struct invariants **out);

/* What an element is that the values of others determine, each within its range. */
int64_t invariants_value(const struct invariants *invariants, const struct invariants_dependent *dependent,
                         const int64_t *values);

/* What the facts say is true of a state: values[model->value_count]. */
bool invariants_hold(const struct invariants *invariants, const struct model *model, const int64_t *values);

#endif
