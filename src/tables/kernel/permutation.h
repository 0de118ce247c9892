/* Permutations of the keys of M bits, M = 1..64 (section 4.3 of the paper). All are seeded and have an exact
   inverse.

       feistel1  one-round Feistel with a multiply-shift round function, as in the paper
       feistel   four rounds, both halves in turn
       mix       xor-shift and multiplication in turn (the default)

   and on the host a permutation of the library's user. The host derives the constants from the seed
   (tables/permutation.c). */
#ifndef FLOE_TABLES_KERNEL_PERMUTATION_H
#define FLOE_TABLES_KERNEL_PERMUTATION_H

#include "tables/kernel/shim.h"

enum permutation_kind { PERMUTATION_FEISTEL1, PERMUTATION_FEISTEL, PERMUTATION_MIX, PERMUTATION_USER };
enum { PERMUTATION_ROUNDS = 4 };

struct permutation_user;

struct permutation {
  unsigned kind, bits;
  unsigned number;                     /* which of the table's permutations, for PERMUTATION_USER */
  unsigned shift;                      /* feistel: width of the low half, M / 2; mix: (M + 1) / 2 */
  uint64_t mask;                       /* 2^M - 1 */
  uint64_t low_mask;                   /* of the low half */
  uint64_t factor[PERMUTATION_ROUNDS]; /* mix: odd */
  uint64_t offset[PERMUTATION_ROUNDS];
  uint64_t inverse[2]; /* mix: inverses of factor[0], factor[1] modulo 2^64 */
  const struct permutation_user *user;
};

/* Halves have at most 32 bits, so the upper half of a product covers either. */
KERNEL_FN uint64_t feistel_round(const struct permutation *p, unsigned round, uint64_t half) {
  return (half * p->factor[round] + p->offset[round]) >> 32;
}

KERNEL_FN uint64_t feistel_low(const struct permutation *p, unsigned round, uint64_t x) {
  return x ^ (feistel_round(p, round, x >> p->shift) & p->low_mask);
}

KERNEL_FN uint64_t feistel_high(const struct permutation *p, unsigned round, uint64_t x) {
  return x ^ ((feistel_round(p, round, x & p->low_mask) << p->shift) & p->mask);
}

/* The low half is last: it has the most weight in the address p mod N. */
KERNEL_FN uint64_t feistel_apply(const struct permutation *p, uint64_t x) {
  x = feistel_low(p, 1, feistel_high(p, 0, x));
  return feistel_low(p, 3, feistel_high(p, 2, x));
}

/* Every round is its own inverse: it changes one half by a function of the other. */
KERNEL_FN uint64_t feistel_invert(const struct permutation *p, uint64_t x) {
  x = feistel_high(p, 2, feistel_low(p, 3, x));
  return feistel_high(p, 0, feistel_low(p, 1, x));
}

/* x ^ (x >> shift) is its own inverse because 2 * shift >= M. */
KERNEL_FN uint64_t mix_apply(const struct permutation *p, uint64_t x) {
  x ^= p->offset[0];
  x ^= x >> p->shift;
  x = (x * p->factor[0]) & p->mask;
  x ^= x >> p->shift;
  x = (x * p->factor[1]) & p->mask;
  return x ^ (x >> p->shift);
}

KERNEL_FN uint64_t mix_invert(const struct permutation *p, uint64_t x) {
  x ^= x >> p->shift;
  x = (x * p->inverse[1]) & p->mask;
  x ^= x >> p->shift;
  x = (x * p->inverse[0]) & p->mask;
  x ^= x >> p->shift;
  return x ^ p->offset[0];
}

/* Calls the user's permutation through pointers, on the host only. Another machine defines these itself. */
#ifndef PERMUTATION_USER_APPLY
uint64_t permutation_user_apply(const struct permutation *p, uint64_t x);
uint64_t permutation_user_invert(const struct permutation *p, uint64_t x);
#define PERMUTATION_USER_APPLY permutation_user_apply
#define PERMUTATION_USER_INVERT permutation_user_invert
#endif

KERNEL_FN uint64_t permutation_apply(const struct permutation *p, uint64_t x) {
  switch (p->kind) {
  case PERMUTATION_FEISTEL1:
    return feistel_low(p, 0, x);
  case PERMUTATION_FEISTEL:
    return feistel_apply(p, x);
  case PERMUTATION_MIX:
    return mix_apply(p, x);
  default:
    return PERMUTATION_USER_APPLY(p, x);
  }
}

KERNEL_FN uint64_t permutation_invert(const struct permutation *p, uint64_t x) {
  switch (p->kind) {
  case PERMUTATION_FEISTEL1:
    return feistel_low(p, 0, x);
  case PERMUTATION_FEISTEL:
    return feistel_invert(p, x);
  case PERMUTATION_MIX:
    return mix_invert(p, x);
  default:
    return PERMUTATION_USER_INVERT(p, x);
  }
}

#endif
