/* Shards: a bijection of the keys of `key_bits` bits to (shard, rest). The key is mixed; the first bits of the
   result are the shard, the others are the rest. A shard stores the rest only: a key of M bits in one of 2^b tables
   is a key of M - b bits. Text of the host and of devices, which sort keys by shard. */
#ifndef FLOE_TABLES_KERNEL_SHARD_H
#define FLOE_TABLES_KERNEL_SHARD_H

#include "tables/kernel/shim.h"

enum { SHARD_MOST_BITS = 10 };

/* key_bits 1..64, bits 0..SHARD_MOST_BITS and below key_bits. bits 0: one shard, the rest is the mixed key. */
struct shard_rule {
  uint32_t key_bits, bits;
};

KERNEL_FN uint32_t shard_rest_bits(struct shard_rule rule) { return rule.key_bits - rule.bits; }

KERNEL_FN uint64_t shard_mask(uint32_t bits) { return UINT64_MAX >> (64 - bits); }

/* Odd factors and their inverses modulo 2^64, which are inverses modulo every smaller power of two as well. The
   shift is at least half of the width, so that x ^ (x >> shift) is its own inverse. */
#define SHARD_FACTOR_1 UINT64_C(0xd6e8feb86659fd93)
#define SHARD_FACTOR_2 UINT64_C(0xa0761d6478bd642f)
#define SHARD_INVERSE_1 UINT64_C(0xcfee444d8b59a89b)
#define SHARD_INVERSE_2 UINT64_C(0x939c72e4af1e62cf)

KERNEL_FN uint64_t shard_mix(uint32_t key_bits, uint64_t key) {
  const uint64_t mask = shard_mask(key_bits);
  const uint32_t shift = (key_bits + 1) / 2;
  uint64_t x = key;
  x ^= x >> shift;
  x = (x * SHARD_FACTOR_1) & mask;
  x ^= x >> shift;
  x = (x * SHARD_FACTOR_2) & mask;
  return x ^ (x >> shift);
}

KERNEL_FN uint64_t shard_unmix(uint32_t key_bits, uint64_t mixed) {
  const uint64_t mask = shard_mask(key_bits);
  const uint32_t shift = (key_bits + 1) / 2;
  uint64_t x = mixed;
  x ^= x >> shift;
  x = (x * SHARD_INVERSE_2) & mask;
  x ^= x >> shift;
  x = (x * SHARD_INVERSE_1) & mask;
  return x ^ (x >> shift);
}

/* key < 2^key_bits */
KERNEL_FN uint32_t shard_of(struct shard_rule rule, uint64_t key, uint64_t *rest) {
  const uint64_t mixed = shard_mix(rule.key_bits, key);
  const uint32_t rest_bits = shard_rest_bits(rule);
  *rest = mixed & shard_mask(rest_bits);
  return rule.bits ? (uint32_t)(mixed >> rest_bits) : 0; /* a shift by 64 is undefined */
}

/* The inverse: shard < 2^bits, rest < 2^(key_bits - bits). */
KERNEL_FN uint64_t shard_key(struct shard_rule rule, uint32_t shard, uint64_t rest) {
  const uint64_t high = rule.bits ? (uint64_t)shard << shard_rest_bits(rule) : 0;
  return shard_unmix(rule.key_bits, high | rest);
}

#endif
