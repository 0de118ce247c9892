#include "model/language.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool definition_number(const struct definition *definition, int64_t *value) {
  const char *text = definition->value, *digits = text[0] == '-' ? text + 1 : text;
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
    *value = text[0] == 't';
    return true;
  }
  if (!*digits || strspn(digits, "0123456789") != strlen(digits))
    return false;
  errno = 0;
  *value = strtoll(text, NULL, 10);
  return errno == 0;
}

const struct definition *definition_find(const struct definition *definitions, size_t count, const char *name) {
  const struct definition *found = NULL;
  for (size_t i = 0; i < count; i++)
    if (strcmp(definitions[i].name, name) == 0)
      found = &definitions[i];
  return found;
}

static bool ends_with(const char *text, const char *ending) {
  size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && strcmp(text + length - tail, ending) == 0;
}

bool language_has_ending(const struct language *language, const char *file) {
  for (const char *const *ending = language->endings; *ending; ending++)
    if (ends_with(file, *ending))
      return true;
  return false;
}

const struct language *language_choose(const struct language *const *languages, const char *file, const char *text,
                                       size_t length) {
  for (const struct language *const *l = languages; *l; l++)
    if (language_has_ending(*l, file))
      return *l;
  for (const struct language *const *l = languages; *l; l++)
    if ((*l)->recognise(text, length))
      return *l;
  return languages[0];
}
