#include "core/edit_distance.h"

#include "core/numbers.h"

#include <assert.h>

size_t edit_distance(const char *a, size_t m, const char *b, size_t n) {
  size_t rows[3][EDIT_LONGEST + 1];
  assert(m <= EDIT_LONGEST && n <= EDIT_LONGEST);
  for (size_t j = 0; j <= n; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = least(row[j], above2[j - 2] + 1);
    }
  }
  return rows[m % 3][n];
}
