/* Names of elements, texts of values and values of texts. */
#include "model/notation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- by the model's notation ----------------------------------------------------------------- */

const char *expr_text(const struct model *model, const struct expr *expr, struct arena *arena) {
  return model->notation->expr(model, NULL, expr, arena);
}

const char *expr_text_of(const struct model *model, const struct edge *edge, const struct expr *expr,
                         struct arena *arena) {
  return model->notation->expr(model, edge, expr, arena);
}

const char *element_name(const struct model *model, uint32_t variable, uint32_t element, struct arena *arena) {
  return model->notation->element(model, variable, element, arena);
}

const char *value_text(const struct model *model, uint32_t variable, int64_t value, struct arena *arena) {
  return model->notation->value(model, variable, value, arena);
}

bool value_of_text(const struct model *model, uint32_t variable, const char *text, int64_t *value) {
  return model->notation->value_of(model, variable, text, value);
}

/* ---- names of elements ----------------------------------------------------------------------- */

static const char *process_text(const struct process *process, uint32_t instance, struct arena *arena) {
  return process->single ? process->name : arena_printf(arena, "%s[%" PRIu32 "]", process->name, instance);
}

const char *indexed_name(const struct variable *v, const char *const *indices, struct arena *arena) {
  const char *text = "";
  uint32_t done = 0;
  if (!v->dimensions)
    return v->is_array ? arena_printf(arena, "%s[%s]", v->name, indices[0]) : v->name;
  for (uint32_t i = 0; i < v->dimension_count; i++) {
    const uint32_t place = v->dimensions[i].place;
    text = arena_printf(arena, "%s%.*s[%s]", text, (int)(place - done), v->name + done, indices[i]);
    done = place;
  }
  return arena_printf(arena, "%s%s", text, v->name + done);
}

static const char *number(uint32_t n, struct arena *arena) { return arena_printf(arena, "%" PRIu32, n); }

static const char *index_text(const struct dimension *dimension, uint32_t index, struct arena *arena) {
  return named_value(dimension->names, dimension->first + index, arena);
}

const char *own_element_name(const struct variable *v, uint32_t element, struct arena *arena) {
  if (!v->dimensions)
    return indexed_name(v, (const char *const[]){number(element, arena)}, arena);
  const char **indices = arena_array(arena, v->dimension_count, sizeof *indices);
  for (uint32_t i = v->dimension_count; i-- > 0; element /= v->dimensions[i].size)
    indices[i] = index_text(&v->dimensions[i], element % v->dimensions[i].size, arena);
  return indexed_name(v, indices, arena);
}

const char *default_element_name(const struct model *model, uint32_t variable, uint32_t element, struct arena *arena) {
  const struct variable *v = &model->variables[variable];
  const uint32_t own = element % v->length, owner = element / v->length;
  switch (v->kind) {
  case VARIABLE_GLOBAL:
    return own_element_name(v, own, arena);
  case VARIABLE_LOCATION:
    return process_text(&model->processes[v->owner], owner, arena);
  case VARIABLE_LOCAL:
    return arena_printf(arena, "%s%s%s", process_text(&model->processes[v->owner], owner, arena),
                        model->notation->member, own_element_name(v, own, arena));
  default: /* a channel's length or field */
    return indexed_name(v, (const char *const[]){number(owner, arena)}, arena);
  }
}

/* ---- texts of values ------------------------------------------------------------------------- */

const char *named_value(const struct enumeration *type, int64_t value, struct arena *arena) {
  if (type && 0 <= value && (uint64_t)value < type->count)
    return type->values[value];
  return arena_printf(arena, "%" PRId64, value);
}

const char *default_value_text(const struct model *model, uint32_t variable, int64_t value, struct arena *arena) {
  const struct variable *v = &model->variables[variable];
  if (v->kind == VARIABLE_LOCATION) {
    const struct process *process = &model->processes[v->owner];
    if (0 <= value && (size_t)value < process->location_count)
      return process->locations[value].name;
  }
  if (v->values && 0 <= value && value < v->values->count)
    value = v->values->values[value];
  if (v->is_bool && (value == 0 || value == 1))
    return model->notation->truths[value];
  return named_value(v->type, value, arena);
}

/* ---- values of texts ------------------------------------------------------------------------- */

static bool number_of(const char *text, int64_t *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  return (*text == '-' || ('0' <= *text && *text <= '9')) && *end == 0 && errno == 0;
}

static bool name_among(const char *const *names, size_t count, const char *text, int64_t *value) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], text) == 0) {
      *value = (int64_t)i;
      return true;
    }
  return false;
}

static bool location_of(const struct process *process, const char *text, int64_t *value) {
  for (size_t i = 0; i < process->location_count; i++)
    if (strcmp(process->locations[i].name, text) == 0) {
      *value = (int64_t)i;
      return true;
    }
  return false;
}

/* A set stores the position of its value. */
static bool position_in(const struct value_set *set, int64_t *value) {
  for (uint32_t i = 0; i < set->count; i++)
    if (set->values[i] == *value) {
      *value = i;
      return true;
    }
  return false;
}

bool default_value_of(const struct model *model, uint32_t variable, const char *text, int64_t *value) {
  const struct variable *v = &model->variables[variable];
  if (v->kind == VARIABLE_LOCATION)
    return location_of(&model->processes[v->owner], text, value);
  if (v->is_bool)
    return name_among(model->notation->truths, 2, text, value);
  if (!(v->type && name_among(v->type->values, v->type->count, text, value)) && !number_of(text, value))
    return false;
  return !v->values || position_in(v->values, value);
}

/* ---- the default ----------------------------------------------------------------------------- */

const struct notation default_notation = {
    .operators = default_operators,
    .truths = {"false", "true"},
    .member = ".",
    .expr = default_expr_text,
    .element = default_element_name,
    .value = default_value_text,
    .value_of = default_value_of,
};
