/* Ascending words as their differences, in Golomb-Rice codes whose parameter is chosen anew for each group of
   neighbours, so that a few words that lie elsewhere spoil nothing. doc/checkpoint.md has the bits. */
#ifndef FLOE_CHECKPOINT_DIFFERENCES_H
#define FLOE_CHECKPOINT_DIFFERENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that n words take at most, and that are written beyond what is returned. */
size_t delta_most(size_t n);
size_t delta_encode(const uint64_t *words, size_t n, uint8_t *bytes);

/* Bytes that must be readable after the coded ones. */
#define DELTA_SLACK 16
/* False: the bytes are not what n words become. */
bool delta_decode(const uint8_t *bytes, size_t length, uint64_t *words, size_t n);

#endif
