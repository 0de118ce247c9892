/* The packed state in kernel C: for every stored variable get_NAME(state[, element]) and
   set_NAME(state[, element], value); constants become numbers or constant arrays. */
#include "step/codegen.h"

#include <inttypes.h>
#include <string.h>

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Names of the model are made unique by the variable's number: local variables of two processes may
 * share one. */
void codegen_make_accessors(struct codegen *gen) {
  const struct model *model = gen->model;
  const char **accessors = arena_array(gen->text.arena, model->variable_count + 1, sizeof *accessors);
  for (size_t v = 0; v < model->variable_count; v++) {
    char *accessor = arena_printf(gen->text.arena, "%.40s_%zu", model->variables[v].name, v);
    for (char *c = accessor; *c; c++)
      if (!is_letter(*c))
        *c = '_';
    accessors[v] = accessor;
  }
  gen->accessors = accessors;
}

static bool stored(const struct codegen *gen, uint32_t variable) { return gen->layout->fields[variable].width != 0; }

/* ---- use ------------------------------------------------------------------------------------- */

static void read_stored(struct codegen *gen, uint32_t variable) {
  codegen_add(gen, "get_%s(%s", gen->accessors[variable], gen->written && gen->written[variable] ? "t" : "s");
}

/* A variable that takes no bits has its initial value for ever. */
static void read_constant(struct codegen *gen, uint32_t variable, const struct expr *index) {
  const struct variable *declared = &gen->model->variables[variable];
  if (declared->lo == declared->hi)
    codegen_number(gen, declared->lo);
  else if (declared->count == 1 || !index || index->op == EXPR_CONST)
    codegen_number(gen, declared->init[index && declared->count > 1 ? index->value : 0]);
  else {
    codegen_add(gen, "constant_%s[", gen->accessors[variable]);
    codegen_expr(gen, index, PREC_COND);
    codegen_add(gen, "]");
  }
}

static void element_argument(struct codegen *gen, uint32_t variable, const struct expr *index) {
  if (gen->model->variables[variable].count == 1)
    return;
  codegen_add(gen, ", ");
  if (index)
    codegen_expr(gen, index, PREC_COND);
  else
    codegen_add(gen, "0");
}

void codegen_read(struct codegen *gen, uint32_t variable, const struct expr *index) {
  if (!stored(gen, variable)) {
    read_constant(gen, variable, index);
    return;
  }
  read_stored(gen, variable);
  element_argument(gen, variable, index);
  codegen_add(gen, ")");
}

void codegen_read_element(struct codegen *gen, uint32_t variable, uint32_t element) {
  struct expr index = {.op = EXPR_CONST, .lo = element, .hi = element, .value = element};
  codegen_read(gen, variable, &index);
}

void codegen_write(struct codegen *gen, uint32_t variable, const struct expr *index) {
  codegen_line(gen, "set_%s(t", gen->accessors[variable]);
  element_argument(gen, variable, index);
  codegen_add(gen, ", ");
}

/* ---- definitions ----------------------------------------------------------------------------- */

static void describe(struct codegen *gen, uint32_t v) {
  const struct variable *variable = &gen->model->variables[v];
  const struct field *field = &gen->layout->fields[v];
  static const char *const kinds[] = {"variable", "local variable", "location", "length of channel",
                                      "field of channel"};
  codegen_line(gen, "/* %s %s", kinds[variable->kind], variable->name);
  if (variable->kind == VARIABLE_LOCAL)
    codegen_add(gen, " of process %s", gen->model->processes[variable->owner].name);
  if (variable->kind == VARIABLE_FIELD)
    codegen_add(gen, ", number %" PRIu32, variable->field);
  codegen_add(gen, ": %" PRId64 "..%" PRId64 ", ", variable->lo, variable->hi);
  if (variable->count > 1)
    codegen_add(gen, "%" PRIu32 " elements of ", variable->count);
  codegen_add(gen, "%" PRIu32 " bit%s from word %" PRIu32 " bit %" PRIu32 " */", field->width,
              field->width == 1 ? "" : "s", field->word, field->shift);
}

/* Word and shift of an element as the arguments "word, shift" of FLOE_GET and FLOE_PUT. */
static void place(struct codegen *gen, uint32_t v) {
  const struct variable *variable = &gen->model->variables[v];
  const struct field *field = &gen->layout->fields[v];
  if (variable->count == 1)
    codegen_add(gen, "%" PRIu32 ", %" PRIu32, field->word, field->shift);
  else if (field->per_word >= variable->count)
    codegen_add(gen, "%" PRIu32 ", %" PRIu32 " + (i) * %" PRIu32, field->word, field->shift, field->width);
  else
    codegen_add(gen, "%" PRIu32 " + (uint32_t)(i) / %" PRIu32 ", (uint32_t)(i) %% %" PRIu32 " * %" PRIu32, field->word,
                field->per_word, field->per_word, field->width);
}

static void accessors(struct codegen *gen, uint32_t v) {
  const struct variable *variable = &gen->model->variables[v];
  uint32_t width = gen->layout->fields[v].width;
  const char *element = variable->count > 1 ? ", i" : "";
  describe(gen, v);
  codegen_line(gen, "#define get_%s(s%s) ((int32_t)(", gen->accessors[v], element);
  codegen_add(gen, "(uint32_t)FLOE_GET(s, ");
  place(gen, v);
  codegen_add(gen, ", %" PRIu32 ")", width);
  if (variable->lo)
    codegen_add(gen, " + %" PRIu32 "u", (uint32_t)variable->lo);
  codegen_add(gen, "))");
  codegen_line(gen, "#define set_%s(t%s, v) FLOE_PUT(t, ", gen->accessors[v], element);
  place(gen, v);
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

void codegen_state(struct codegen *gen) {
  codegen_line(gen, "typedef struct {");
  codegen_line(gen, "  uint64_t w[FLOE_WORDS];");
  codegen_line(gen, "} floe_state;\n");
  for (uint32_t v = 0; v < gen->model->variable_count; v++) {
    const struct variable *variable = &gen->model->variables[v];
    if (stored(gen, v))
      accessors(gen, v);
    else if (variable->count > 1 && variable->lo != variable->hi)
      constant_array(gen, v);
  }
}
