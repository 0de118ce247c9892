/* Sorting of the words of a block. */
#ifndef FLOE_CHECKPOINT_WORD_SORT_H
#define FLOE_CHECKPOINT_WORD_SORT_H

#include <stddef.h>
#include <stdint.h>

#define SORT_COUNTERS 65536

struct sorter {
  uint32_t counters[SORT_COUNTERS];
};

/* Sorts n words (n < 2^32), with room for as many at `other`; returns the array that has the result. */
uint64_t *sort_words(struct sorter *sorter, uint64_t *words, uint64_t *other, size_t n);

#endif
