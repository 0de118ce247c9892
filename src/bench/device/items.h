/* The keys of one measurement. A bijection of the key's width maps numbers to keys, so that different numbers are
   different keys, spread evenly and without order. */
#ifndef FLOE_BENCH_ITEMS_H
#define FLOE_BENCH_ITEMS_H

#include "core/status.h"
#include "tables/permutation.h"

/* n keys in an order that follows from `seed` and mixes all of them. n - others of them have the numbers [first,
   first + count), each as often as any other (within one); the other `others` have numbers of [other_first,
   other_first + other_count), likewise. zipf > 0: the numbers of the first kind are drawn with a density of x^-zipf
   on [1, count + 1), rounded down, first + 0 most often. given != NULL: these n keys, in their order; the other
   members are ignored. */
struct bench_items {
  uint64_t n;
  unsigned key_bits;
  uint64_t first, count; /* count > 0 if n > others */
  uint64_t others, other_first, other_count;
  double zipf;
  uint64_t seed;
  const uint64_t *given;
};

/* Part `part` of `parts` that together have the same numbers, each of about n / parts keys. */
struct bench_items items_part(const struct bench_items *items, unsigned part, unsigned parts);

/* Generates keys of items, in any number of threads at once. */
struct item_maker {
  struct bench_items items;
  struct permutation key, order; /* number to key; index to index, of the next power of two */
};
/* FLOE_ERROR_USAGE: key_bits is not 1..64. */
floe_status item_maker_init(const struct bench_items *items, struct item_maker *out);
uint64_t item_number(const struct item_maker *maker, uint64_t i); /* of key i; not of given ones */
uint64_t item_key(const struct item_maker *maker, uint64_t i);

/* The value of a key in a map, of `bits` bits: neither 0 nor 2^64 - 1. */
uint64_t item_value(unsigned bits, uint64_t key);

#endif
