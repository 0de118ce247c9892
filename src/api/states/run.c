/* Temporal properties of infinite runs. */
#include "api/states/state.h"

#include "core/usage.h"
#include "logic/evaluate.h"
#include "step/interpreter/interpreter.h"

struct run_query {
  const floe_model *model;
  const struct temporal *temporal;
  const floe_state *const *states;
  struct periodic_word word;
  struct arena arena;
  bool holds;
};

static uint64_t valuation_of(struct run_query *query, const floe_state *state, int64_t *values) {
  const struct model *model = query->model->model;
  uint64_t valuation = 0;
  layout_unpack(model, query->model->layout, state->packed, values);
  for (size_t atom = 0; atom < query->temporal->atom_count; atom++) {
    int64_t value = 0;
    interpreter_eval(model, query->temporal->atoms[atom], values, NULL, NULL, &value); /* cannot fail */
    valuation |= (uint64_t)(value != 0) << atom;
  }
  return valuation;
}

static void evaluate(void *data) {
  struct run_query *query = data;
  int64_t *values = arena_array(&query->arena, query->model->model->value_count, sizeof *values);
  uint64_t *valuations = arena_array(&query->arena, query->word.count, sizeof *valuations);
  for (size_t i = 0; i < query->word.count; i++)
    valuations[i] = valuation_of(query, query->states[i], values);
  query->word.valuations = valuations;
  query->holds = formula_holds(query->temporal->formula, &query->word, &query->arena);
}

static floe_status require_run(const floe_model *model, const floe_state *const *states, size_t count, size_t loop,
                               floe_log *log) {
  REQUIRE(log, states);
  if (loop >= count) {
    diag_error(log, NULL, NOWHERE, NULL, "the run has no state %zu", loop);
    return FLOE_ERROR_USAGE;
  }
  for (size_t i = 0; i < count; i++) {
    REQUIRE(log, states[i]);
    if (states[i]->check_number != model->check_number) {
      diag_error(log, NULL, NOWHERE, NULL, "state %zu of the run is of another model, or of an earlier check", i);
      return FLOE_ERROR_USAGE;
    }
  }
  return FLOE_OK;
}

floe_status floe_run_satisfies(const floe_model *model, size_t i, const floe_state *const *states, size_t count,
                               size_t loop, floe_log *log, bool *out) {
  REQUIRE(log, out);
  FLOE_TRY(state_require_model(model, log));
  FLOE_TRY(require_run(model, states, count, loop, log));
  struct run_query query = {.model = model, .states = states, .word = {.count = count, .loop = loop}};
  query.temporal = i < model->model->property_count ? model->model->properties[i].temporal : NULL;
  if (!query.temporal) {
    diag_error(log, NULL, NOWHERE, NULL, "property %zu is not temporal", i);
    return FLOE_ERROR_USAGE;
  }
  arena_init(&query.arena);
  const int guard = arena_guard(&query.arena, evaluate, &query);
  arena_free(&query.arena);
  if (guard != 0)
    return no_memory(log);
  *out = query.holds;
  return FLOE_OK;
}
