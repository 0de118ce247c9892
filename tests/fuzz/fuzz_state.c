/* libFuzzer harness: the first byte selects the text of a state (0), an expression (1), or values by name, one
   NAME=VALUE a line (2). */
#include "core/mem.h"
#include "floe.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_VALUES 20

static const char text[] =
    "<model name='m'><enumeration name='color' values='red, green'/><define name='half' parameters='a'>a / x</define>"
    "<variable name='x' range='0..9'/><variable name='b' type='bool' size='2'/><variable name='e' type='color'/>"
    "<variable name='s' values='2, 5, 70..71' init='2'/><variable name='a' size='2' range='0..3, 5..6' init='0, 5'/>"
    "<channel name='c' size='2' capacity='2' message='0..3, bool'/><channel name='none' capacity='3'/>"
    "<process name='P' instances='2'><variable name='y' range='-3..3'/><location name='l' initial='true'/>"
    "<location name='m'/><transition from='l' to='m' guard='x lt 9' effect='x++; b[1] = true; e = green; s = 5; a[0] = "
    "1; "
    "a[1] = 6; y = x / 4'/><transition from='m' to='l' send='c[1](2, b[1])'/><transition from='l' send='none'/>"
    "<transition from='m' to='l' receive='c[self](== y, _)'/></process></model>";

static const floe_model *load(void) {
  floe_model *model;
  if (floe_model_parse("m.xml", text, strlen(text), NULL, &model) != FLOE_OK ||
      floe_model_check(model, NULL) != FLOE_OK)
    abort();
  return model;
}

static floe_status evaluate(const floe_model *model, const char *input, floe_log *log, floe_expansion *expansion) {
  floe_expression *expression;
  floe_evaluation evaluation;
  const floe_status status = floe_expression_create(model, input, log, &expression);
  if (status != FLOE_OK)
    return status;
  if (floe_expansion_evaluate(expansion, expression, &evaluation) != FLOE_OK ||
      !evaluation.text[0] == !evaluation.cause[0])
    abort();
  floe_expression_free(expression);
  return FLOE_OK;
}

static floe_status from_values(const floe_model *model, char *input, floe_log *log, floe_state **state) {
  floe_change values[MOST_VALUES];
  size_t count = 0;
  for (char *line = input, *next; line && count < MOST_VALUES; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    char *equals = strchr(line, '=');
    if (equals)
      *equals = 0;
    values[count++] = (floe_change){line, "", equals ? equals + 1 : ""};
  }
  return floe_state_from_values(model, values, count, log, state);
}

/* Values and text of a state give the same state; so do those of its successors. */
static void check_state(const floe_model *model, const floe_state *state) {
  const floe_change *values;
  floe_expansion *expansion;
  floe_state *again, *parsed;
  char digits[1000];
  size_t count;
  if (floe_expand(model, state, NULL, &expansion) != FLOE_OK ||
      floe_expansion_values(expansion, &values, &count) != FLOE_OK ||
      floe_state_from_values(model, values, count, NULL, &again) != FLOE_OK || !floe_state_equal(state, again))
    abort();
  floe_state_text(state, digits, sizeof digits);
  if (floe_state_parse(model, digits, NULL, &parsed) != FLOE_OK || !floe_state_equal(state, parsed))
    abort();
  for (size_t i = 0; i < floe_expansion_steps(expansion); i++) {
    floe_step step;
    if (floe_expansion_step(expansion, i, &step) != FLOE_OK ||
        !step.cause[0] == floe_expansion_step_fails(expansion, i))
      abort();
  }
  floe_state_free(again);
  floe_state_free(parsed);
  floe_expansion_free(expansion);
}

static floe_status run(const floe_model *model, unsigned kind, char *input, floe_log *log) {
  floe_state *state;
  floe_expansion *expansion;
  if (kind == 1) {
    if (floe_state_initial(model, NULL, &state) != FLOE_OK || floe_expand(model, state, NULL, &expansion) != FLOE_OK)
      abort();
    const floe_status status = evaluate(model, input, log, expansion);
    floe_expansion_free(expansion);
    floe_state_free(state);
    return status;
  }
  const floe_status status =
      kind == 0 ? floe_state_parse(model, input, log, &state) : from_values(model, input, log, &state);
  if (status != FLOE_OK)
    return status;
  check_state(model, state);
  floe_state_free(state);
  return FLOE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const floe_model *model;
  floe_log *log;
  if (size == 0)
    return 0;
  if (!model)
    model = load();
  char *input = calloc(1, size);
  if (!input || floe_log_create(&log) != FLOE_OK)
    abort();
  memcpy(input, data + 1, size - 1);
  if ((run(model, data[0] % 3, input, log) == FLOE_OK) != (floe_log_errors(log) == 0))
    abort();
  floe_log_free(log);
  free(input);
  return 0;
}
