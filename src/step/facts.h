/* What is certain of all reachable states of a model: proved by induction over its ground transitions, so that a key
   may leave it out. Elements are numbered as in `values` of layout_pack: variable->first + i. */
#ifndef FLOE_FACTS_H
#define FLOE_FACTS_H

#include "core/arena.h"
#include "core/stop.h"
#include "model/model.h"

struct facts_range {
  int64_t lo, hi; /* lo > hi: no value */
};

/* Ranges of elements by the value of another one: of local variables by the location of their process, of the places of
   a channel by its length. */
struct facts_by {
  uint32_t selector;        /* an element that is in no other facts_by */
  const uint32_t *elements; /* [element_count] each in this facts_by alone; not the selector */
  uint32_t element_count;
  /* [(value of selector - facts.ranges[selector].lo) * element_count + i]; none has a value: the selector never has
     that value */
  const struct facts_range *ranges;
};

/* coefficient * value of the element; or, with a table, table[value - facts.ranges[element].lo] */
struct facts_term {
  uint32_t element;
  int64_t coefficient;
  const int64_t *table; /* NULL: none */
};

/* An element that others determine: constant + the sum of the terms. These are not determined themselves. */
struct facts_determined {
  uint32_t element;
  int64_t constant;
  const struct facts_term *terms; /* [term_count] */
  uint32_t term_count;
};

struct facts {
  const struct facts_range *ranges;          /* [model->value_count] of each element */
  const struct facts_by *by;                 /* [by_count] */
  const struct facts_determined *determined; /* [determined_count], each element once */
  uint32_t by_count, determined_count;
};

/* All of it from `arena`. Where `stop` says so (NULL: nothing does) it ends early with fewer facts. FLOE_ERROR_MEMORY.
 */
floe_status facts_make(const struct model *model, const struct stop *stop, struct arena *arena,
                       const struct facts **out);

#endif
