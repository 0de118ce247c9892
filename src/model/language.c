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

/* The ending of the file's name, "": none of them. */
static const char *ending_of(const char *const *endings, const char *file) {
  const size_t length = strlen(file);
  for (; *endings; endings++)
    if (length >= strlen(*endings) && strcmp(file + length - strlen(*endings), *endings) == 0)
      return *endings;
  return "";
}

bool language_has_ending(const struct language *language, const char *file) {
  return *ending_of(language->endings, file) != 0;
}

const char *language_model_name(const char *const *endings, const char *file, struct arena *arena) {
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  const size_t length = strlen(name), ending = strlen(ending_of(endings, name));
  return arena_copy(arena, name, length > ending ? length - ending : length);
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
