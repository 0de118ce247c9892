/* Temporal properties and fairness of infinite runs. */
#include "api/states/state.h"
#include "api/trace/fair_run.h"

#include "core/mem.h"
#include "core/usage.h"
#include "model/interpreter/interpreter.h"
#include "model/temporal/violating_runs.h"
#include "model/transitions/successor_bound.h"

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
  struct periodic_word word = {.valuations = valuations};
  for (size_t i = 0; i < query->word.count && !query->wrong; i++) {
    query->at = i;
    word.loop = i == query->word.loop ? word.count : word.loop;
    const uint64_t valuation = valuation_of(query, i);
    const struct holder *holder = model_holder(query->model->model, query->values);
    if (!holder || !holder->first_only) /* else it belongs to the step before */
      valuations[word.count++] = valuation;
  }
  if (!query->wrong && word.loop == word.count)
    query->wrong = "the run is within one step from state %zu on";
  if (query->wrong)
    return;
  query->word = word;
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

static floe_status require_query(struct run_query *query, const floe_model *model, size_t i,
                                 const floe_state *const *states, floe_log *log) {
  FLOE_TRY(state_require_model(model, log));
  FLOE_TRY(require_run(model, states, query->word.count, query->word.loop, log));
  query->model = model;
  query->states = states;
  query->temporal = i < model->model->property_count ? model->model->properties[i].temporal : NULL;
  if (query->temporal)
    return FLOE_OK;
  diag_error(log, NULL, NOWHERE, NULL, "property %zu is not temporal", i);
  return FLOE_ERROR_USAGE;
}

/* The caller frees the arena. */
static floe_status run_guarded(struct run_query *query, void (*body)(void *data), floe_log *log) {
  arena_init(&query->arena);
  if (arena_guard(&query->arena, body, query) != 0)
    return no_memory(log);
  if (!query->wrong)
    return FLOE_OK;
  diag_error(log, NULL, NOWHERE, NULL, query->wrong, query->at);
  return FLOE_ERROR_USAGE;
}

floe_status floe_run_satisfies(const floe_model *model, size_t i, const floe_state *const *states, size_t count,
                               size_t loop, const size_t *firings, floe_log *log, bool *out) {
  struct run_query query = {.firings = firings, .word = {.count = count, .loop = loop}};
  REQUIRE(log, out);
  FLOE_TRY(require_query(&query, model, i, states, log));
  const floe_status status = run_guarded(&query, evaluate, log);
  arena_free(&query.arena);
  if (status == FLOE_OK)
    *out = query.holds;
  return status;
}

/* ---- fairness ------------------------------------------------------------------------------------- */

struct floe_fairness {
  struct arena arena; /* everything below */
  const floe_fair *list;
  size_t count;
};

struct fairness_query {
  struct run_query run; /* first: run_guarded passes it on */
  size_t property;
  const char *text; /* of the list; NULL: the property's */
  floe_log *log;
  const floe_fair *list; /* NULL: the text is wrong, logged */
  size_t count;
};

static void judge(void *data) {
  struct fairness_query *query = data;
  struct run_query *run = &query->run;
  const struct model *model = run->model->model;
  const size_t count = run->word.count, stride = model->value_count;
  struct fairness fairness;
  if (!fairness_of_list(model, query->property, query->text, &run->arena, query->log, &fairness))
    return;
  int64_t *values = arena_array(&run->arena, count * stride, sizeof *values);
  const struct transition **transitions = arena_array(&run->arena, count, sizeof *transitions);
  run->after = arena_array(&run->arena, stride, sizeof *run->after);
  for (size_t i = 0; i < count && !run->wrong; i++) {
    run->at = i;
    run->values = values + i * stride;
    layout_unpack(model, run->model->layout, run->states[i]->packed, run->values);
    transitions[i] = step_after(run, i);
  }
  const struct fair_run fair = {model, values, stride, transitions, count, run->word.loop};
  if (!run->wrong)
    query->list = judge_fairness(&fair, &fairness, &run->arena, &run->arena, &query->count);
}

floe_status floe_run_fairness(const floe_model *model, size_t i, const char *list, const floe_state *const *states,
                              size_t count, size_t loop, const size_t *firings, floe_log *log, floe_fairness **out) {
  struct fairness_query query = {
      .run = {.firings = firings, .word = {.count = count, .loop = loop}}, .property = i, .text = list, .log = log};
  REQUIRE(log, firings);
  REQUIRE(log, out);
  FLOE_TRY(require_query(&query.run, model, i, states, log));
  floe_status status = run_guarded(&query.run, judge, log);
  floe_fairness *fairness = status == FLOE_OK && query.list ? mem_alloc(sizeof *fairness) : NULL;
  if (fairness) {
    *fairness = (floe_fairness){query.run.arena, query.list, query.count};
    *out = fairness;
    return FLOE_OK;
  }
  arena_free(&query.run.arena);
  return status != FLOE_OK ? status : query.list ? no_memory(log) : FLOE_ERROR_USAGE;
}

size_t floe_fairness_constraints(const floe_fairness *fairness) { return fairness ? fairness->count : 0; }

floe_fair floe_fairness_constraint(const floe_fairness *fairness, size_t i) {
  return i < floe_fairness_constraints(fairness) ? fairness->list[i] : (floe_fair){.name = NULL};
}

void floe_fairness_free(floe_fairness *fairness) {
  if (!fairness)
    return;
  arena_free(&fairness->arena);
  mem_free(fairness);
}
