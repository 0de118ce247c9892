/* Radix sort of keys with their numbers. */
#ifndef FLOE_TABLES_RADIX_SORT_H
#define FLOE_TABLES_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

struct numbered {
  uint64_t key, number;
};

/* Sorts n items by the lowest `bits` bits of the key; stable. `other`: room for as many items. Returns the one of
   the two arrays that holds the result. */
struct numbered *radix_sort(struct numbered *items, struct numbered *other, size_t n, unsigned bits);

#endif
