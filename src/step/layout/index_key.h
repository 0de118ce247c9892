/* Index keys: mixed-radix numbers over the values that elements can take, instead of whole bits for each element.
   Generated code computes on states in bit fields (step/layout/layout.h); keys, frontier and visited set hold the
   index.

   A key is the sum of weight * number over index groups. An index group is a selector (an element) with its cases, or
   all remaining elements as one case. The number of a group is offset + the sum of weight * (value - lo) over the
   digits of one case, which the value of the selector chooses. Elements in no group are constant or dependent
   (step/analysis/invariants.h). So the key is a bijection between the states that the invariants allow and
   0..keys-1. */
#ifndef FLOE_STEP_LAYOUT_INDEX_KEY_H
#define FLOE_STEP_LAYOUT_INDEX_KEY_H

#include "step/analysis/invariants.h"

struct layout;

#define NO_SELECTOR UINT32_MAX

struct index_digit {
  uint32_t element;
  int64_t lo;
  uint64_t radix;  /* values lo..lo+radix-1; 1: the case fixes it */
  uint64_t weight; /* within the case */
};

/* Numbers offset..offset+size-1 of the group. */
struct index_case {
  uint64_t offset, size;            /* size 0: the selector never has that value */
  const struct index_digit *digits; /* the last one has weight 1 */
  uint32_t digit_count;
};

struct index_group {
  uint32_t selector;   /* an element; NO_SELECTOR: there is one case, of any digits */
  int64_t selector_lo; /* of the first case */
  const struct index_case *cases;
  uint32_t case_count;
  uint64_t size, weight;
};

/* Position of a non-constant element in a state of bit fields. */
struct index_place {
  uint32_t element, word, shift;
  int64_t lo; /* stored is value - lo, or the code of a shared field */
  uint64_t mask;
  uint64_t factor; /* 1, or the code */
};

struct encoding {
  const struct index_group *groups; /* the last one has weight 1 */
  uint32_t group_count;
  const struct invariants *invariants; /* the basis of the encoding; they list the dependent elements */
  uint64_t keys;                       /* 1..2^63 */
  unsigned bits;                       /* of the greatest key, at least 1 */
  /* For the host: values of the constant elements, arbitrary values of the others; the state in fields with the
     constant elements set; the places of the others. */
  uint32_t value_count;
  const int64_t *values; /* [value_count] */
  const uint64_t *state; /* [layout->words] */
  const struct index_place *places;
  uint32_t place_count;
};

/* One group for each selector that is not itself dependent, first; then one group of all other elements that are
   neither constant nor dependent. All memory from `arena`; keeps a reference to `invariants`. FLOE_ERROR_UNSUPPORTED:
   more than 2^63 keys. FLOE_ERROR_MEMORY. */
floe_status encoding_make(const struct model *model, const struct layout *layout, const struct invariants *invariants,
                          struct arena *arena, const struct encoding **out);

/* values[encoding->value_count] -> key. False: the invariants do not allow them: an element is outside its range,
   or a dependent element has another value. */
bool encoding_encode(const struct encoding *encoding, const int64_t *values, uint64_t *key);
/* The inverse. Keys at or above encoding->keys give meaningless values. */
void encoding_decode(const struct encoding *encoding, uint64_t key, int64_t *values);

#endif
