/* Bucket order: the position of a key in the order in which a table stores its keys, bucket by bucket. */
#ifndef FLOE_CHECKPOINT_BUCKET_ORDER_H
#define FLOE_CHECKPOINT_BUCKET_ORDER_H

#include "checkpoint/checkpoint.h"
#include "tables/kernel/quotient.h"
#include "tables/permutation.h"

/* A permuted key p of `bits` bits has the position (p mod N) * D + p div N, with D the number of remainders. */
struct bucket_order {
  bool used; /* false: keys have no positions */
  struct permutation permutation;
  struct quotient buckets, remainders; /* N, D */
};

/* Positions fit in 64 bits, as N * D < 2^bits + N <= 2 * 2^63. */
static inline struct bucket_order bucket_order_make(const struct checkpoint_head *head) {
  const struct checkpoint_order *order = &head->order;
  struct bucket_order bucket_order = {.used = false};
  uint64_t buckets = order->buckets ? order->buckets : 1;
  if (head->words != 1 || head->bits >= 64 || !order->permutation || buckets > UINT64_C(1) << head->bits ||
      permutation_make(order->permutation, head->bits, order->seed, 0, NULL, &bucket_order.permutation) != FLOE_OK)
    return bucket_order;
  bucket_order.used = true;
  bucket_order.buckets = quotient_make(buckets);
  bucket_order.remainders = quotient_make(bucket_order.permutation.mask / buckets + 1);
  return bucket_order;
}

static inline uint64_t bucket_order_position(const struct bucket_order *bucket_order, uint64_t p) {
  struct place place = quotient_split(bucket_order->buckets, p);
  return place.address * bucket_order->remainders.divisor + place.remainder;
}

/* Permuted key at a position; an arbitrary number for a position that no key has. */
static inline uint64_t bucket_order_permuted(const struct bucket_order *bucket_order, uint64_t position) {
  struct place place = quotient_split(bucket_order->remainders, position);
  return quotient_join(bucket_order->buckets, place.remainder, place.address);
}

#endif
