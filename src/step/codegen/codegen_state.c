/* Writes get_NAME(state[, element]) and set_NAME(state[, element], value) for each stored variable. Constants become
   numbers or constant arrays. Locations are at_NAME_LOCATION. */
#include "step/codegen/codegen_state.h"

#include "step/codegen/codegen_expr.h"
#include "step/codegen/codegen_index_key.h"

#include <inttypes.h>
#include <string.h>

static bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Names include the variable's number: local variables of two processes may have the same name. */
void codegen_make_accessors(struct codegen *gen) {
  const struct model *model = gen->model;
  const char **accessors = arena_array(gen->text.arena, model->variable_count + 1, sizeof *accessors);
  for (size_t v = 0; v < model->variable_count; v++) {
    char *accessor = arena_printf(gen->text.arena, "%.40s_%zu", model->variables[v].name, v);
    for (char *c = accessor; *c; c++)
      if (!is_name_character(*c))
        *c = '_';
    accessors[v] = accessor;
  }
  gen->accessors = accessors;
}

static void write_comment(struct codegen *gen, uint32_t v) {
  const struct variable *variable = &gen->model->variables[v];
  const struct field *field = &gen->layout->fields[v];
  static const char *const kinds[] = {"variable",          "local variable",   "location",
                                      "length of channel", "field of channel", "values of"};
  codegen_line(gen, "/* %s %s", kinds[variable->kind], codegen_comment_text(gen, variable->name));
  if (variable->kind == VARIABLE_LOCAL)
    codegen_add(gen, " of process %s", gen->model->processes[variable->owner].name);
  if (variable->kind == VARIABLE_FIELD)
    codegen_add(gen, ", number %" PRIu32, variable->field);
  codegen_add(gen, ": %" PRId64 "..%" PRId64 ", ", variable->lo, variable->hi);
  if (variable->count > 1)
    codegen_add(gen, "%" PRIu32 " elements of ", variable->count);
  codegen_add(gen, "%" PRIu32 " bit%s from word %" PRIu32 " bit %" PRIu32, field->width, field->width == 1 ? "" : "s",
              field->word, field->shift);
  if (field->shared)
    codegen_add(gen, ", code %" PRIu32, field->code);
  codegen_add(gen, " */");
}

/* Writes word and shift of an element as the arguments "word, shift" of FLOE_GET and FLOE_PUT. */
static void write_place(struct codegen *gen, uint32_t v) {
  const struct variable *variable = &gen->model->variables[v];
  const struct field *field = &gen->layout->fields[v];
  if (variable->count == 1)
    codegen_add(gen, "%" PRIu32 ", %" PRIu32, field->word, field->shift);
  else if (field->per_word >= variable->count)
    codegen_add(gen, "%" PRIu32 ", %" PRIu32 " + (i) * %" PRIu32, field->word, field->shift, field->stride);
  else
    codegen_add(gen, "%" PRIu32 " + (uint32_t)(i) / %" PRIu32 ", %" PRIu32 " + (uint32_t)(i) %% %" PRIu32 " * %" PRIu32,
                field->word, field->per_word, field->shift, field->per_word, field->stride);
}

/* Statements write the field themselves (codegen_transition.c). */
static void shared_accessors(struct codegen *gen, uint32_t v) {
  const struct field *field = &gen->layout->fields[v];
  const char *name = gen->accessors[v];
  write_comment(gen, v);
  codegen_line(gen, "#define raw_%s(s) ((uint32_t)(FLOE_GET(s, ", name);
  write_place(gen, v);
  codegen_add(gen, ", %" PRIu32 ") == %" PRIu32 "u))", field->width, field->code);
  codegen_line(gen, "#define get_%s(s) ((int32_t)raw_%s(s))", name, name);
}

static void accessors(struct codegen *gen, uint32_t v) {
  const struct variable *variable = &gen->model->variables[v];
  uint32_t width = gen->layout->fields[v].width;
  const char *element = variable->count > 1 ? ", i" : "";
  write_comment(gen, v);
  codegen_line(gen, "#define get_%s(s%s) ((int32_t)(", gen->accessors[v], element);
  codegen_add(gen, "(uint32_t)FLOE_GET(s, ");
  write_place(gen, v);
  codegen_add(gen, ", %" PRIu32 ")", width);
  if (variable->lo)
    codegen_add(gen, " + %" PRIu32 "u", (uint32_t)variable->lo);
  codegen_add(gen, "))");
  if (gen->key) {
    codegen_line(gen, "#define raw_%s(s%s) ((uint32_t)FLOE_GET(s, ", gen->accessors[v], element);
    write_place(gen, v);
    codegen_add(gen, ", %" PRIu32 "))", width);
  }
  codegen_line(gen, "#define set_%s(t%s, v) FLOE_PUT(t, ", gen->accessors[v], element);
  write_place(gen, v);
  codegen_add(gen, ", %" PRIu32 ", (uint32_t)(v)", width);
  if (variable->lo)
    codegen_add(gen, " - %" PRIu32 "u", (uint32_t)variable->lo);
  codegen_add(gen, ")");
}

static void constant_array(struct codegen *gen, uint32_t v) {
  const struct variable *variable = &gen->model->variables[v];
  codegen_line(gen, "FLOE_CONSTANT int32_t constant_%s[%" PRIu32 "] = {", gen->accessors[v], variable->count);
  for (uint32_t i = 0; i < variable->count; i++) {
    codegen_add(gen, i % 16 ? ", " : i ? ",\n  " : "");
    codegen_number(gen, variable->init[i]);
  }
  codegen_add(gen, "};");
}

/* Writes the enumeration of the locations, by their numbers. */
static void locations(struct codegen *gen, uint32_t v) {
  const struct process *process = &gen->model->processes[gen->model->variables[v].owner];
  codegen_line(gen, "enum { ");
  for (uint32_t l = 0; l < process->location_count; l++) {
    codegen_add(gen, l ? ", " : "");
    codegen_location(gen, v, l);
  }
  codegen_add(gen, " };");
}

void codegen_state_type(struct codegen *gen) {
  codegen_line(gen, "typedef struct {");
  codegen_line(gen, "  uint64_t w[FLOE_WORDS];");
  if (gen->key)
    codegen_index_key_members(gen);
  codegen_line(gen, "} floe_state;\n");
}

void codegen_state(struct codegen *gen) {
  codegen_state_type(gen);
  for (uint32_t v = 0; v < gen->model->variable_count; v++) {
    const struct variable *variable = &gen->model->variables[v];
    if (variable->kind == VARIABLE_LOCATION && variable->lo != variable->hi)
      locations(gen, v);
    if (gen->layout->fields[v].shared)
      shared_accessors(gen, v);
    else if (codegen_is_stored(gen, v))
      accessors(gen, v);
    else if (variable->count > 1 && variable->lo != variable->hi)
      constant_array(gen, v);
  }
}
