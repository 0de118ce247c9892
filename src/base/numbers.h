/* Minimum and maximum. */
#ifndef FLOE_BASE_NUMBERS_H
#define FLOE_BASE_NUMBERS_H

#include <stdint.h>

static inline uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t greatest(uint64_t a, uint64_t b) { return a > b ? a : b; }
/* The largest key of 1 to 64 bits. */
static inline uint64_t largest_key(unsigned bits) { return UINT64_MAX >> (64 - bits); }

#endif
