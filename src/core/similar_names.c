#include "core/similar_names.h"

#include "base/edit_distance.h"

#include <stdio.h>
#include <string.h>

static size_t distance_of(const char *a, const char *b) {
  size_t m = strlen(a), n = strlen(b);
  return m > EDIT_LONGEST || n > EDIT_LONGEST ? 2 * EDIT_LONGEST : edit_distance(a, m, b, n);
}

/* Insertion sort: lists are short. */
void sort_by_similarity(const char *name, const char **names, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const char *moved = names[i];
    size_t distance = distance_of(name, moved), k = i;
    for (; k > 0 && distance_of(name, names[k - 1]) > distance; k--)
      names[k] = names[k - 1];
    names[k] = moved;
  }
}

void similar_names_list(char *out, size_t room, const char *const *names, size_t count, size_t most) {
  size_t shown = count > most ? most : count, length = 0;
  *out = '\0';
  for (size_t i = 0; i < shown && length < room; i++) {
    const char *between = i == 0 ? "" : i + 1 == count ? " and " : ", ";
    length += (size_t)snprintf(out + length, room - length, "%s'%s'", between, names[i]);
  }
  if (shown < count && length < room)
    snprintf(out + length, room - length, " and %zu more", count - shown);
}
