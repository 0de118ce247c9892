#include "frontend/promela/promela_notation.h"

#include <inttypes.h>
#include <string.h>

static const struct operator_text operators[EXPR_OPS] = {
    [EXPR_CONST] = {STRENGTH_ATOM, ""},     [EXPR_READ] = {STRENGTH_ATOM, ""},
    [EXPR_SELECT] = {STRENGTH_ATOM, ""},    [EXPR_TEMP] = {STRENGTH_ATOM, ""},
    [EXPR_COMMITTED] = {STRENGTH_ATOM, ""}, [EXPR_INDEX] = {STRENGTH_ATOM, ""},
    [EXPR_NEG] = {STRENGTH_UNARY, "-"},     [EXPR_NOT] = {STRENGTH_UNARY, "!"},
    [EXPR_ADD] = {STRENGTH_SUM, "+"},       [EXPR_SUB] = {STRENGTH_SUM, "-"},
    [EXPR_MUL] = {STRENGTH_PRODUCT, "*"},   [EXPR_DIV] = {STRENGTH_PRODUCT, "/"},
    [EXPR_MOD] = {STRENGTH_PRODUCT, "%"},   [EXPR_MIN] = {STRENGTH_ATOM, "min"},
    [EXPR_MAX] = {STRENGTH_ATOM, "max"},    [EXPR_LT] = {STRENGTH_ORDER, "<"},
    [EXPR_LE] = {STRENGTH_ORDER, "<="},     [EXPR_EQ] = {STRENGTH_EQUALITY, "=="},
    [EXPR_NE] = {STRENGTH_EQUALITY, "!="},  [EXPR_AND] = {STRENGTH_AND, "&&"},
    [EXPR_OR] = {STRENGTH_OR, "||"},        [EXPR_COND] = {STRENGTH_COND, "?"},
    [EXPR_BITNOT] = {STRENGTH_UNARY, "~"},  [EXPR_BITAND] = {STRENGTH_BITAND, "&"},
    [EXPR_BITXOR] = {STRENGTH_BITXOR, "^"}, [EXPR_BITOR] = {STRENGTH_BITOR, "|"},
    [EXPR_SHL] = {STRENGTH_SHIFT, "<<"},    [EXPR_SHR] = {STRENGTH_SHIFT, ">>"},
    [EXPR_AUTOMATON] = {STRENGTH_ATOM, ""}, [EXPR_ENABLED] = {STRENGTH_ATOM, ""},
};

/* A channel that is local to the instances of a process has the name "P.c": "P[1].c", "P[1].c[0]". */
static const char *local_channel_name(const struct model *model, const struct channel *channel, uint32_t element,
                                      struct arena *arena) {
  const struct process *process = &model->processes[channel->instances_of - 1];
  const uint32_t own = channel->size / process->instances;
  const char *name = channel->name + strlen(process->name) + 1;
  const char *index = own > 1 ? arena_printf(arena, "[%" PRIu32 "]", element % own) : "";
  if (process->single)
    return arena_printf(arena, "%s.%s%s", process->name, name, index);
  return arena_printf(arena, "%s[%" PRIu32 "].%s%s", process->name, element / own, name, index);
}

static const char *element_text(const struct model *model, uint32_t variable, uint32_t element, struct arena *arena) {
  const struct variable *v = &model->variables[variable];
  const bool of_channel = v->kind == VARIABLE_LENGTH || v->kind == VARIABLE_FIELD;
  if (of_channel && model->channels[v->owner].instances_of)
    return local_channel_name(model, &model->channels[v->owner], element / v->length, arena);
  return default_element_name(model, variable, element, arena);
}

const struct notation promela_notation = {
    .operators = operators,
    .truths = {"0", "1"},
    .member = ".",
    .expr = default_expr_text,
    .element = element_text,
    .value = default_value_text,
    .value_of = default_value_of,
};
