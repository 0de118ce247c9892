/* SplitMix64 (Steele, Lea, Flood 2014): kernel C, for the host and for kernels. */
#ifndef FLOE_BASE_SPLITMIX64_H
#define FLOE_BASE_SPLITMIX64_H

#ifdef KERNEL_MACHINE
#define SPLITMIX64_FN KERNEL_FN
#else
#include <stdint.h>
#define SPLITMIX64_FN static inline __attribute__((always_inline, unused))
#endif

/* The finaliser: a bijection that keeps 0; every bit of x affects all bits. */
SPLITMIX64_FN uint64_t splitmix64_mix(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* The generator: any seed is valid. */
SPLITMIX64_FN uint64_t splitmix64_next(uint64_t *state) {
  return splitmix64_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

#endif
