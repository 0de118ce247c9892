/* Keys by rank: mixed radix over the values that elements can have, instead of whole bits for each. The state in
   registers stays in bit fields (step/layout/layout.h); keys, frontier and visited set have the rank.

   A key is the sum of weight * number over the groups. A group's number is that of a case, which its selector chooses,
   and of the digits in it: offset + the sum of weight * (value - lo). Elements in no group are constant or determined
   by others (step/analysis/invariants.h). So the rank is a bijection between the states that the facts allow and 0..keys-1. */
#ifndef FLOE_ENCODING_H
#define FLOE_ENCODING_H

#include "step/analysis/invariants.h"

struct layout;

#define NO_SELECTOR UINT32_MAX

struct encoding_digit {
  uint32_t element;
  int64_t lo;
  uint64_t radix;  /* values lo..lo+radix-1; 1: the case fixes it */
  uint64_t weight; /* within the case */
};

/* Numbers offset..offset+size-1 of the group. */
struct encoding_case {
  uint64_t offset, size;               /* size 0: the selector never has that value */
  const struct encoding_digit *digits; /* the last one has weight 1 */
  uint32_t digit_count;
};

struct encoding_group {
  uint32_t selector;   /* an element; NO_SELECTOR: there is one case, of any digits */
  int64_t selector_lo; /* of the first case */
  const struct encoding_case *cases;
  uint32_t case_count;
  uint64_t size, weight;
};

/* Where a state of bit fields has an element that is not constant. */
struct encoding_place {
  uint32_t element, word, shift;
  int64_t lo; /* stored is value - lo */
  uint64_t mask;
};

struct encoding {
  const struct encoding_group *groups; /* the last one has weight 1 */
  uint32_t group_count;
  const struct invariants *invariants; /* that it stands on: the determined elements are there */
  uint64_t keys;             /* 1..2^63 */
  unsigned bits;             /* of the greatest key, at least 1 */
  /* For the host: values of the constant elements, any of the others; the state in fields with the constant elements
     in it; what is to be added to it. */
  uint32_t value_count;
  const int64_t *values; /* [value_count] */
  const uint64_t *state; /* [layout->words] */
  const struct encoding_place *places;
  uint32_t place_count;
};

/* Groups by each facts_by whose selector is not itself determined, first; then one of all other elements that are
   neither constant nor determined. All of it from `arena`; keeps a reference to `facts`. FLOE_ERROR_UNSUPPORTED: there
   would be more than 2^63 keys. FLOE_ERROR_MEMORY. */
floe_status encoding_make(const struct model *model, const struct layout *layout, const struct invariants *invariants,
                          struct arena *arena, const struct encoding **out);

/* values[encoding->value_count] -> key. False: the facts do not allow them: an element lies outside its range, or one
   that others determine has another value. */
bool encoding_encode(const struct encoding *encoding, const int64_t *values, uint64_t *key);
/* The inverse. A key that is not below encoding->keys makes values without a meaning. */
void encoding_decode(const struct encoding *encoding, uint64_t key, int64_t *values);

#endif
