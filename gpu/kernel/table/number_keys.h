/* Generates keys and values for tests and benchmarks from numbers: kernel C, for the host and devices. */
#ifndef FLOE_GPU_SCATTER_H
#define FLOE_GPU_SCATTER_H

#include "tables/kernel/shim.h"

/* Odd factors, other than those of the tables' permutations. */
#define SCATTER_FIRST UINT64_C(0x9e3779b97f4a7c15)
#define SCATTER_SECOND UINT64_C(0xd6e8feb86659fd93)
#define SCATTER_OFFSET UINT64_C(0x8cb92ba72f3d8dd7)

KERNEL_FN uint64_t scatter_mask(unsigned bits) { return UINT64_MAX >> (64 - bits); }

/* A bijection of the numbers of 1 to 64 bits. x ^ x >> shift is its own inverse, because 2 * shift >= bits. */
KERNEL_FN uint64_t scatter(unsigned bits, uint64_t x) {
  const uint64_t mask = scatter_mask(bits);
  const unsigned shift = (bits + 1) / 2;
  x = (x * SCATTER_FIRST + SCATTER_OFFSET) & mask;
  x ^= x >> shift;
  x = (x * SCATTER_SECOND) & mask;
  x ^= x >> shift;
  x = (x * SCATTER_FIRST) & mask;
  return x ^ x >> shift;
}

/* Inverse of an odd number modulo 2^64 by Newton's iteration: correct in 3 bits initially (the square of an odd
   number is 1 modulo 8), and in twice as many after each step. */
KERNEL_FN uint64_t inverse_factor(uint64_t factor) {
  uint64_t inverse = factor;
  for (int bits = 3; bits < 64; bits *= 2)
    inverse *= 2 - factor * inverse;
  return inverse;
}

KERNEL_FN uint64_t gather(unsigned bits, uint64_t x) {
  const uint64_t mask = scatter_mask(bits);
  const unsigned shift = (bits + 1) / 2;
  x ^= x >> shift;
  x = (x * inverse_factor(SCATTER_FIRST)) & mask;
  x ^= x >> shift;
  x = (x * inverse_factor(SCATTER_SECOND)) & mask;
  x ^= x >> shift;
  return ((x - SCATTER_OFFSET) * inverse_factor(SCATTER_FIRST)) & mask;
}

KERNEL_FN uint64_t scatter_hash(uint64_t x) {
  x ^= x >> 33;
  x *= UINT64_C(0xff51afd7ed558ccd);
  x ^= x >> 33;
  x *= UINT64_C(0xc4ceb9fe1a85ec53);
  return x ^ x >> 33;
}

/* 1 .. 2^(bits - 1): neither 0 nor the largest value, which a table may reserve. */
KERNEL_FN uint64_t scatter_value(unsigned bits, uint64_t key) {
  return (scatter_hash(key + SCATTER_OFFSET) >> (65 - bits)) + 1;
}

#endif
