/* Least significant digit first. */
#include "tables/radix_sort.h"

#include <assert.h>
#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

static unsigned digit_of(uint64_t key, unsigned shift) { return (unsigned)(key >> shift) & (DIGITS - 1); }

/* at[d]: index for the first item with digit d. False: all have the same digit. */
static int places(const struct numbered *items, size_t n, unsigned shift, size_t at[DIGITS]) {
  memset(at, 0, DIGITS * sizeof *at);
  for (size_t i = 0; i < n; i++)
    at[digit_of(items[i].key, shift)]++;
  size_t before = 0, most = 0;
  for (unsigned d = 0; d < DIGITS; d++) {
    size_t count = at[d];
    most = count > most ? count : most;
    at[d] = before;
    before += count;
  }
  return most < n;
}

struct numbered *radix_sort(struct numbered *items, struct numbered *other, size_t n, unsigned bits) {
  size_t at[DIGITS];
  assert((items != other || n == 0) && bits <= 64);
  for (unsigned shift = 0; shift < bits; shift += DIGIT_BITS) {
    if (!places(items, n, shift, at))
      continue;
    for (size_t i = 0; i < n; i++)
      other[at[digit_of(items[i].key, shift)]++] = items[i];
    struct numbered *sorted = other;
    other = items;
    items = sorted;
  }
  return items;
}
