/* Expressions over the state, read from texts and evaluated in expanded states. */
#include "api/states/expansion.h"
#include "api/trace/error_text.h"
#include "api/trace/trace.h"
#include "core/mem.h"
#include "core/usage.h"
#include "model/interpreter/interpreter.h"

#include <assert.h>

struct floe_expression {
  uint64_t check_number; /* of the floe_model */
  struct arena arena;
  struct checked_expression checked;
};

/* ---- creation -------------------------------------------------------------------------------- */

struct reading {
  const floe_model *model;
  const char *text;
  floe_log *log;
  floe_expression *expression;
  floe_status status;
};

static void read_text(void *data) {
  struct reading *reading = data;
  const floe_model *model = reading->model;
  const struct expression_request request = {.outline = model->outline,
                                             .definitions = model->definitions,
                                             .definition_count = model->definition_count,
                                             .text = reading->text,
                                             .arena = &reading->expression->arena,
                                             .log = reading->log};
  reading->status = model->language->expression(&request, &reading->expression->checked);
}

static floe_status read_into(const floe_model *model, const char *text, floe_log *log, floe_expression *expression) {
  struct reading reading = {model, text, log, expression, FLOE_OK};
  if (arena_guard(&expression->arena, read_text, &reading) != 0 || reading.status == FLOE_ERROR_MEMORY)
    return no_memory(log);
  assert(reading.status != FLOE_OK || expression->checked.model->value_count == model->model->value_count);
  return reading.status;
}

floe_status floe_expression_create(const floe_model *model, const char *text, floe_log *log, floe_expression **out) {
  REQUIRE(log, text);
  REQUIRE(log, out);
  FLOE_TRY(state_require_model(model, log));
  if (!model->language->expression) {
    diag_error(log, NULL, NOWHERE, NULL, "the language %s has no expressions to evaluate", model->language->name);
    return FLOE_ERROR_UNSUPPORTED;
  }
  floe_expression *expression = mem_alloc(sizeof *expression);
  if (!expression)
    return no_memory(log);
  expression->check_number = model->check_number;
  arena_init(&expression->arena);
  const floe_status status = read_into(model, text, log, expression);
  if (status == FLOE_OK)
    *out = expression;
  else
    floe_expression_free(expression);
  return status;
}

void floe_expression_free(floe_expression *expression) {
  if (!expression)
    return;
  arena_free(&expression->arena);
  mem_free(expression);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

struct evaluation {
  floe_expansion *expansion;
  const struct checked_expression *checked;
  floe_evaluation result;
};

static void evaluate(void *data) {
  struct evaluation *evaluation = data;
  const struct checked_expression *checked = evaluation->checked;
  const int64_t *values = evaluation->expansion->values;
  struct arena *arena = &evaluation->expansion->arena;
  int64_t value;
  if (interpreter_eval(checked->model, checked->expr, values, NULL, NULL, &value) != NO_SITE)
    evaluation->result = (floe_evaluation){0, "", expression_cause_text(checked->model, checked->expr, values, arena)};
  else if (checked->is_bool)
    evaluation->result = (floe_evaluation){value != 0, value ? "true" : "false", ""};
  else
    evaluation->result =
        (floe_evaluation){value, expression_value_text(checked->model, checked->expr, value, arena), ""};
}

floe_status floe_expansion_evaluate(floe_expansion *expansion, const floe_expression *expression,
                                    floe_evaluation *out) {
  REQUIRE(NULL, expansion);
  REQUIRE(NULL, expression);
  REQUIRE(NULL, out);
  if (expansion->check_number != expression->check_number)
    return FLOE_ERROR_USAGE;
  struct evaluation evaluation = {.expansion = expansion, .checked = &expression->checked};
  if (arena_guard(&expansion->arena, evaluate, &evaluation) != 0)
    return FLOE_ERROR_MEMORY;
  *out = evaluation.result;
  return FLOE_OK;
}
