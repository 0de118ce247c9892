/* Texts and values of variables as JSON. */
#include "cmd/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* File names and compilers may not be UTF-8, which JSON requires: replaces such bytes by '?'. */
json_t *text_json(const char *text) {
  json_t *string = json_string(text);
  char *copy = string ? NULL : strdup(text);
  if (!copy)
    return string;
  for (char *at = copy; *at; at++)
    if ((unsigned char)*at >= 0x80)
      *at = '?';
  string = json_string(copy);
  free(copy);
  return string;
}

/* Values of variables are text: numbers and truth values become JSON numbers and booleans. */
json_t *value_json(const char *text) {
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
    return json_boolean(text[0] == 't');
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  return *text && *end == 0 && errno == 0 ? json_integer(number) : json_string(text);
}
