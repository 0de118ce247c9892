/* The rank of a key: its place in the order in which a table holds its keys, bucket by bucket. */
#ifndef FLOE_CHECKPOINT_RANKING_H
#define FLOE_CHECKPOINT_RANKING_H

#include "checkpoint/checkpoint.h"
#include "tables/kernel/quotient.h"
#include "tables/permutation.h"

/* A permuted key p of `bits` bits has the rank (p mod N) * D + p div N, with D the number of remainders. */
struct ranking {
  bool used; /* false: keys have no ranks */
  struct permutation permutation;
  struct quotient buckets, remainders; /* N, D */
};

/* Ranks fit in 64 bits, as N * D < 2^bits + N <= 2 * 2^63. */
static inline struct ranking ranking_make(const struct checkpoint_head *head) {
  const struct checkpoint_order *order = &head->order;
  struct ranking ranking = {.used = false};
  uint64_t buckets = order->buckets ? order->buckets : 1;
  if (head->words != 1 || head->bits >= 64 || !order->permutation || buckets > UINT64_C(1) << head->bits ||
      permutation_make(order->permutation, head->bits, order->seed, 0, NULL, &ranking.permutation) != FLOE_OK)
    return ranking;
  ranking.used = true;
  ranking.buckets = quotient_make(buckets);
  ranking.remainders = quotient_make(ranking.permutation.mask / buckets + 1);
  return ranking;
}

static inline uint64_t rank_of_permuted(const struct ranking *ranking, uint64_t p) {
  struct place place = quotient_split(ranking->buckets, p);
  return place.address * ranking->remainders.divisor + place.remainder;
}

/* Of a rank that no key has it is any number. */
static inline uint64_t permuted_of_rank(const struct ranking *ranking, uint64_t rank) {
  struct place place = quotient_split(ranking->remainders, rank);
  return quotient_join(ranking->buckets, place.remainder, place.address);
}

#endif
