#include "checkpoint/word_sort.h"

#include "base/numbers.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { DIGIT = 11, DIGIT_COUNTERS = 1 << DIGIT };
/* Most words in one bucket for insertion sort. */
enum { MOST_IN_BUCKET = 24 };

static unsigned bits_of(uint64_t x) { return x ? 64 - (unsigned)__builtin_clzll(x) : 0; }

static bool ascending(const uint64_t *words, size_t n) {
  bool in_order = true;
  for (size_t i = 1; i < n; i++)
    in_order &= words[i - 1] <= words[i];
  return in_order;
}

static void insertion_sort(uint64_t *words, size_t n) {
  for (size_t i = 1; i < n; i++) {
    uint64_t word = words[i];
    size_t j = i;
    for (; j > 0 && words[j - 1] > word; j--)
      words[j] = words[j - 1];
    words[j] = word;
  }
}

/* Exclusive prefix sum of the counters; returns the largest counter. */
static uint32_t prefix_sum(uint32_t *counters, size_t n) {
  uint32_t sum = 0, most = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t count = counters[i];
    counters[i] = sum;
    sum += count;
    most = count > most ? count : most;
  }
  return most;
}

/* Bucket sort by the upper bits for evenly distributed words, such as permuted keys: they are then nearly sorted.
   False: they are too uneven. */
static bool bucket_sort(struct sorter *sorter, const uint64_t *words, uint64_t *other, size_t n, uint64_t low,
                        uint64_t high) {
  unsigned index_bits = bits_of(n - 1), width = bits_of(high - low);
  unsigned shift = width > index_bits ? width - index_bits : 0;
  size_t used = (size_t)((high - low) >> shift) + 1;
  if (used > SORT_COUNTERS)
    return false;
  memset(sorter->counters, 0, used * sizeof *sorter->counters);
  for (size_t i = 0; i < n; i++)
    sorter->counters[(words[i] - low) >> shift]++;
  if (prefix_sum(sorter->counters, used) > MOST_IN_BUCKET)
    return false;
  for (size_t i = 0; i < n; i++)
    other[sorter->counters[(words[i] - low) >> shift]++] = words[i];
  insertion_sort(other, n);
  return true;
}

static void radix_pass(struct sorter *sorter, const uint64_t *words, uint64_t *other, size_t n, uint64_t low,
                       unsigned shift) {
  memset(sorter->counters, 0, DIGIT_COUNTERS * sizeof *sorter->counters);
  for (size_t i = 0; i < n; i++)
    sorter->counters[(words[i] - low) >> shift & (DIGIT_COUNTERS - 1)]++;
  prefix_sum(sorter->counters, DIGIT_COUNTERS);
  for (size_t i = 0; i < n; i++)
    other[sorter->counters[(words[i] - low) >> shift & (DIGIT_COUNTERS - 1)]++] = words[i];
}

uint64_t *sort_words(struct sorter *sorter, uint64_t *words, uint64_t *other, size_t n) {
  if (ascending(words, n))
    return words;
  uint64_t low = UINT64_MAX, high = 0;
  for (size_t i = 0; i < n; i++) {
    low = least(low, words[i]);
    high = greatest(high, words[i]);
  }
  if (bucket_sort(sorter, words, other, n, low, high))
    return other;
  for (unsigned shift = 0; shift < bits_of(high - low); shift += DIGIT) {
    radix_pass(sorter, words, other, n, low, shift);
    uint64_t *sorted = other;
    other = words;
    words = sorted;
  }
  return words;
}
