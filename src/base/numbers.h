/* Minimum and maximum of two numbers. */
#ifndef FLOE_BASE_NUMBERS_H
#define FLOE_BASE_NUMBERS_H

#include <stdint.h>

static inline uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t greatest(uint64_t a, uint64_t b) { return a > b ? a : b; }

#endif
