/* Delta coding of ascending words: their differences in Golomb-Rice codes. Each group of neighbours has its own
   parameter, so that a few outliers do not spoil the compression. doc/checkpoint.md specifies the bits. */
#ifndef FLOE_CHECKPOINT_DELTA_CODING_H
#define FLOE_CHECKPOINT_DELTA_CODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Largest size of n coded words, including bytes written beyond the returned size. */
size_t delta_most(size_t n);
size_t delta_encode(const uint64_t *words, size_t n, uint8_t *bytes);

/* Bytes that must be readable after the coded ones. */
#define DELTA_SLACK 16
/* False: the bytes are not n coded words. */
bool delta_decode(const uint8_t *bytes, size_t length, uint64_t *words, size_t n);

#endif
