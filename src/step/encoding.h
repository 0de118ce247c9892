/* Keys by rank: mixed radix over the values that elements can have, instead of whole bits for each. The state in
   registers stays in bit fields (step/layout.h); keys, frontier and visited set have the rank.

   A key is the sum of weight * number over the groups. A group's number is that of a case, which its selector chooses,
   and of the digits in it: offset + the sum of weight * (value - lo). Elements in no group are constant or determined
   by others (step/facts.h). So the rank is a bijection between the states that the facts allow and 0..keys-1. */
#ifndef FLOE_ENCODING_H
#define FLOE_ENCODING_H

#include "step/facts.h"

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

struct encoding {
  const struct encoding_group *groups; /* the last one has weight 1 */
  uint32_t group_count;
  const struct facts *facts; /* that it stands on: the determined elements are there */
  uint64_t keys;             /* 1..2^63 */
  unsigned bits;             /* of the greatest key, at least 1 */
};

#endif
