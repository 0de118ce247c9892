#include "cmd/suggest.h"

#include <string.h>

#define LONGEST 63

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Edits (insert, delete, replace, swap of neighbours) from a to b, row by row of the usual table. */
static size_t distance(const char *a, size_t n, const char *b, size_t m) {
  size_t before[LONGEST + 1], last[LONGEST + 1], row[LONGEST + 1];
  for (size_t j = 0; j <= m; j++)
    last[j] = before[j] = j;
  for (size_t i = 1; i <= n; i++) {
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = least(row[j], before[j - 2] + 1);
    }
    memcpy(before, last, (m + 1) * sizeof *before);
    memcpy(last, row, (m + 1) * sizeof *last);
  }
  return last[m];
}

const char *nearest(const char *word, size_t length, const char *const *candidates, size_t count) {
  if (length > LONGEST)
    return NULL;
  size_t allowed = length / 3 > 0 ? length / 3 : 1;
  const char *best = NULL;
  for (size_t i = 0; i < count; i++) {
    size_t m = strlen(candidates[i]);
    size_t edits = m > LONGEST ? allowed + 1 : distance(word, length, candidates[i], m);
    if (edits <= allowed && edits < m) {
      best = candidates[i];
      allowed = edits > 0 ? edits - 1 : 0;
    }
  }
  return best;
}
