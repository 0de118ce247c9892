#include "model/language.h"

#include <string.h>

static bool ends_with(const char *text, const char *ending) {
  size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static bool has_ending(const struct language *language, const char *file) {
  for (const char *const *ending = language->endings; *ending; ending++)
    if (ends_with(file, *ending))
      return true;
  return false;
}

const struct language *language_choose(const struct language *const *languages, const char *file, const char *text,
                                       size_t length) {
  for (const struct language *const *l = languages; *l; l++)
    if (has_ending(*l, file))
      return *l;
  for (const struct language *const *l = languages; *l; l++)
    if ((*l)->recognise(text, length))
      return *l;
  return languages[0];
}
