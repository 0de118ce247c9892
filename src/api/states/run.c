/* Temporal properties of infinite runs. */
#include "api/states/state.h"

#include "core/usage.h"
#include "model/successor_bound.h"
#include "model/temporal/violating_runs.h"
#include "step/interpreter/interpreter.h"

#include <string.h>

struct run_query {
  const floe_model *model;
  const struct temporal *temporal;
  const floe_state *const *states;
  const size_t *firings; /* NULL: not given */
  struct periodic_word word;
  struct arena arena;
  int64_t *values, *after; /* of a state, of its successor */
  const char *wrong;       /* with state `at`; NULL: nothing */
  size_t at;
  bool holds;
};

/* The transition of the firing with this number in the state of query->values; NULL: it has fewer. */
static const struct transition *transition_of(const struct run_query *query, size_t firing) {
  const struct model *model = query->model->model;
  for (uint32_t t = 0; t < model->transition_count; t++) {
    const uint64_t choices = transition_choices(&model->transitions[t]);
    for (uint64_t choice = 0; choice < choices; choice++) {
      uint32_t site;
      memcpy(query->after, query->values, model->value_count * sizeof *query->after);
      if (interpreter_fire(model, t, (uint32_t)choice, query->after, NULL, &site) && firing-- == 0)
        return &model->transitions[t];
    }
  }
  return NULL;
}

/* NULL: the run stays. Sets query->wrong. */
static const struct transition *step_after(struct run_query *query, size_t i) {
  if (!query->firings)
    query->wrong = "the property has taken(...): the firings are needed to evaluate it in state %zu";
  if (!query->firings || query->firings[i] == FLOE_NO_FIRING)
    return NULL;
  const struct transition *transition = transition_of(query, query->firings[i]);
  if (!transition)
    query->wrong = "state %zu of the run has no firing of this number";
  return transition;
}

static bool evaluate_atom(struct run_query *query, size_t i, size_t atom) {
  const struct transition *next = query->temporal->taken[atom] ? step_after(query, i) : NULL;
  bool holds;
  if (!interpreter_atom(query->model->model, query->temporal, atom, query->values, next, &holds))
    query->wrong = "a condition of the property cannot be evaluated in state %zu of the run";
  return holds;
}

static uint64_t valuation_of(struct run_query *query, size_t i) {
  uint64_t valuation = 0;
  layout_unpack(query->model->model, query->model->layout, query->states[i]->packed, query->values);
  for (size_t atom = 0; atom < query->temporal->atom_count && !query->wrong; atom++)
    valuation |= (uint64_t)evaluate_atom(query, i, atom) << atom;
  return valuation;
}

static void evaluate(void *data) {
  struct run_query *query = data;
  const size_t values = query->model->model->value_count;
  uint64_t *valuations = arena_array(&query->arena, query->word.count, sizeof *valuations);
  query->values = arena_array(&query->arena, values, sizeof *query->values);
  query->after = arena_array(&query->arena, values, sizeof *query->after);
  for (size_t i = 0; i < query->word.count && !query->wrong; i++) {
    query->at = i;
    valuations[i] = valuation_of(query, i);
  }
  if (query->wrong)
    return;
  query->word.valuations = valuations;
  query->holds = !run_violates(query->temporal, &query->word, &query->arena);
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
                               size_t loop, const size_t *firings, floe_log *log, bool *out) {
  REQUIRE(log, out);
  FLOE_TRY(state_require_model(model, log));
  FLOE_TRY(require_run(model, states, count, loop, log));
  struct run_query query = {
      .model = model, .states = states, .firings = firings, .word = {.count = count, .loop = loop}};
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
  if (query.wrong) {
    diag_error(log, NULL, NOWHERE, NULL, query.wrong, query.at);
    return FLOE_ERROR_USAGE;
  }
  *out = query.holds;
  return FLOE_OK;
}
