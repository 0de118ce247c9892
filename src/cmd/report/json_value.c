/* Texts, values, and what the library writes as JSON. */
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

json_t *with_file(json_t *object, const char *file) {
  if (*file)
    json_object_set_new(object, "file", text_json(file));
  return object;
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

/* ---- JSON of the library --------------------------------------------------------------------- */

struct written {
  char *text;
  size_t length;
  FILE *stream;
};

static FILE *begin_writing(struct written *written) {
  *written = (struct written){0};
  written->stream = open_memstream(&written->text, &written->length);
  return written->stream;
}

static json_t *read_written(struct written *written, floe_status status) {
  const bool complete = fclose(written->stream) == 0 && status == FLOE_OK;
  json_t *value = complete ? json_loadb(written->text, written->length, 0, NULL) : NULL;
  free(written->text);
  return value;
}

json_t *state_record(const floe_change *values, size_t count) {
  struct written written;
  FILE *stream = begin_writing(&written);
  return stream ? read_written(&written, floe_values_write_json(values, count, stream)) : NULL;
}

json_t *step_record(const floe_step *step) {
  struct written written;
  FILE *stream = begin_writing(&written);
  return stream ? read_written(&written, floe_step_write_json(step, stream)) : NULL;
}

void add_printed(json_t *record, const char *printed) {
  if (*printed)
    json_object_set_new(record, "prints", text_json(printed));
}

json_t *blocked_json(const floe_trace *trace) {
  struct written written;
  FILE *stream = begin_writing(&written);
  return stream ? read_written(&written, floe_blocked_write_json(trace, stream)) : NULL;
}

json_t *expansion_record(floe_expansion *expansion) {
  struct written written;
  FILE *stream = begin_writing(&written);
  return stream ? read_written(&written, floe_expansion_write_json(expansion, stream)) : NULL;
}
