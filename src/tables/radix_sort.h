/* Sorting of numbered keys, without comparisons. */
#ifndef FLOE_TABLE_RADIX_H
#define FLOE_TABLE_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct numbered {
  uint64_t key, number;
};

/* Sorts n items by key, of which the lowest `bits` bits matter; equal keys stay in their order. `other`: room for as
   many. Returns the one of the two arrays that has them. */
struct numbered *radix_sort(struct numbered *items, struct numbered *other, size_t n, unsigned bits);

#endif
