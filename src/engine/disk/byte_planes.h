/* States in a form that compresses well: each but for what it has in common with the one before (exclusive or), and of
   these differences first all lowest bytes, then all second ones, ... Neighbours of a level differ in few places, so
   most planes are zeros: zstd makes 1.2 to 30 times less of them than of the states as they are, in half the time. */
#ifndef FLOE_PLANES_H
#define FLOE_PLANES_H

#include <stddef.h>
#include <stdint.h>

/* States [at, at + n) of a row of `count` that becomes 8 * words planes of `count` bytes. `before`: [words], the state
   before these, zeros at first; the last of these then. */
void byte_planes_split(const uint64_t *states, size_t n, uint32_t words, uint64_t *before, uint8_t *planes,
                       size_t count, size_t at);
/* And back, with the same `before`: parts in their order. */
void byte_planes_join(const uint8_t *planes, size_t count, size_t at, size_t n, uint32_t words, uint64_t *before,
                      uint64_t *states);

#endif
