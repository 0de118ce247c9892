/* Byte-plane transposition of states before compression: each state is replaced by its exclusive or with the
   previous one; then all lowest bytes of these differences are stored together, then all second ones, and so on.
   Neighbours of a level differ in few places, so most planes are zeros: zstd compresses them to sizes 1.2 to 30
   times smaller than the plain states, in half the time. */
#ifndef FLOE_ENGINE_DISK_BYTE_PLANES_H
#define FLOE_ENGINE_DISK_BYTE_PLANES_H

#include <stddef.h>
#include <stdint.h>

/* A row of `count` states of `words` words as 8 * words planes of `count` bytes. */
struct byte_planes {
  uint8_t *planes; /* [8 * words * count] */
  size_t count;
  uint32_t words;
  uint64_t *before; /* [words] the previous state, initially zeros; afterwards the last one converted */
};

/* Converts states [at, at + n) of the row to planes. */
void byte_planes_split(const struct byte_planes *row, const uint64_t *states, size_t n, size_t at);
/* The inverse: converts planes to states [at, at + n). Call it for the parts of a row in their order. */
void byte_planes_join(const struct byte_planes *row, size_t at, size_t n, uint64_t *states);

#endif
