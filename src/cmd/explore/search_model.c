#include "cmd/explore/search_model.h"

#include "cmd/report/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text ---------------------------------------------------------------------------------------- */

struct text {
  char *bytes;
  size_t length;
};

/* The end tag of the model is the last one in an XML text; a comment after it could look like one, and then the copy
   has no such property. */
static const char *end_tag(const char *text) {
  const char *last = NULL;
  for (const char *at = text; (at = strstr(at, "</model")); at++)
    last = at;
  return last;
}

/* The text with the property before its end: lines before it keep their numbers. */
static floe_status add_property(const char *text, size_t length, const char *condition, struct text *out) {
  const char *end = end_tag(text);
  if (!end)
    return FLOE_ERROR_UNSUPPORTED;
  FILE *stream = open_memstream(&out->bytes, &out->length);
  if (!stream)
    return FLOE_ERROR_MEMORY;
  fwrite(text, 1, (size_t)(end - text), stream);
  fputs("<property id=\"" SEARCH_PROPERTY "\" kind=\"never\">", stream);
  html_text(stream, condition);
  fputs("</property>", stream);
  fwrite(end, 1, length - (size_t)(end - text), stream);
  return fclose(stream) == 0 ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* ---- the copy ---------------------------------------------------------------------------------------- */

/* Files that the model includes are read again. */
static floe_status parse_again(const floe_model *model, const char *text, size_t length, floe_log *log,
                               floe_model **out) {
  const char *file = floe_model_file(model), *slash = strrchr(file, '/');
  char *folder = slash ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
  floe_load_options options;
  floe_load_options_init(&options);
  options.include_folder = floe_model_includes(model) ? folder : NULL;
  const floe_status status = folder ? floe_model_parse_with(file, text, length, &options, log, out) : FLOE_ERROR_MEMORY;
  free(folder);
  return status;
}

static bool same_includes(const floe_model *a, const floe_model *b) {
  size_t i = 0, length_a, length_b;
  for (; i < floe_model_includes(a) && i < floe_model_includes(b); i++) {
    const char *text_a = floe_model_included_text(a, i, &length_a), *text_b = floe_model_included_text(b, i, &length_b);
    if (length_a != length_b || memcmp(text_a, text_b, length_a) != 0)
      return false;
  }
  return i == floe_model_includes(a) && i == floe_model_includes(b);
}

static floe_status define_constants(const floe_model *model, floe_model *copy, floe_log *log) {
  floe_status status = FLOE_OK;
  for (size_t i = 0; status == FLOE_OK && i < floe_model_constants(model); i++) {
    const floe_constant constant = floe_model_constant(model, i);
    char value[32];
    snprintf(value, sizeof value, "%lld", (long long)constant.value);
    if (constant.given) /* searches guess for themselves */
      status = floe_model_define(copy, constant.name, value, log);
  }
  return status;
}

bool model_has_property(const floe_model *model, const char *id) {
  size_t i = 0;
  while (i < floe_model_properties(model) && strcmp(floe_model_property(model, i).id, id) != 0)
    i++;
  return i < floe_model_properties(model);
}

static floe_status complete_copy(const floe_model *model, const char *condition, floe_log *log, floe_model *copy) {
  if (!same_includes(model, copy))
    return FLOE_ERROR_USAGE;
  floe_status status = define_constants(model, copy, log);
  if (status == FLOE_OK)
    status = floe_model_check(copy, log);
  return status == FLOE_OK && condition && !model_has_property(copy, SEARCH_PROPERTY) ? FLOE_ERROR_UNSUPPORTED : status;
}

floe_status search_model_create(const floe_model *model, const char *condition, floe_log *log, floe_model **out) {
  struct text changed = {0};
  floe_model *copy = NULL;
  size_t length;
  const char *text = floe_model_text(model, &length);
  floe_status status = condition ? add_property(text, length, condition, &changed) : FLOE_OK;
  if (status == FLOE_OK)
    status = parse_again(model, condition ? changed.bytes : text, condition ? changed.length : length, log, &copy);
  if (status == FLOE_OK)
    status = complete_copy(model, condition, log, copy);
  free(changed.bytes);
  if (status == FLOE_OK)
    *out = copy;
  else
    floe_model_free(copy);
  return status;
}
