#include "cmd/console/suggest.h"

#include "base/edit_distance.h"

#include <string.h>

const char *nearest_word(const char *word, size_t length, const char *const *candidates, size_t count) {
  if (length > EDIT_LONGEST)
    return NULL;
  size_t allowed = length / 3 > 0 ? length / 3 : 1;
  const char *best = NULL;
  for (size_t i = 0; i < count; i++) {
    size_t m = strlen(candidates[i]);
    size_t edits = m > EDIT_LONGEST ? allowed + 1 : edit_distance(word, length, candidates[i], m);
    if (edits <= allowed && edits < m) {
      best = candidates[i];
      allowed = edits > 0 ? edits - 1 : 0;
    }
  }
  return best;
}
