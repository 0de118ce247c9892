#include "api/trace/unfired.h"

#include "api/explore/explore.h"
#include "api/explore/second_pass.h"
#include "api/processes.h"
#include "api/trace/render.h"
#include "engine/trace/level_archive.h"
#include "model/process.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

struct unfired_call {
  struct exploration *e;
  const struct archive *archive;
  struct arena scratch;
  struct conditions *goals;
  struct unfired_tally *tallies;
  size_t count;
  uint64_t looked; /* states evaluated */
};

/* ---- report ---------------------------------------------------------------------------------- */

static const char *actor_text(const struct exploration *e, uint32_t edge, uint32_t instance) {
  const char *name = actor_name(e->model, &e->model->edges[edge], instance, &e->result->arena);
  return arena_copy(&e->result->arena, name, strlen(name));
}

/* "P[1]", "S[0] with R[1] {i=2}": the sender first; "t {i=2}" without a process. */
static const char *participants_text(const struct exploration *e, const struct attempt *attempt,
                                     const struct partner *partner) {
  struct arena *arena = &e->result->arena;
  const struct edge *edge = &e->model->edges[attempt->edge];
  const char *text = actor_text(e, attempt->edge, attempt->instance), *between = " {";
  const char *other = partner->any ? actor_text(e, partner->edge, partner->instance) : NULL;
  if (other)
    text = arena_printf(arena, "%s with %s", edge->sends ? text : other, edge->sends ? other : text);
  for (size_t i = 0; i < edge->select_count; i++) {
    const struct select *select = &edge->instances[attempt->instance].selects[i];
    text = arena_printf(arena, "%s%s%s=%s", text, between, select->name,
                        named_value(select->type, attempt->selects[i], arena));
    between = ", ";
  }
  return edge->select_count ? arena_printf(arena, "%s}", text) : text;
}

/* Evaluates the nearest state again: to find the partner, and because a report is only of what was confirmed. */
static void set_nearest(const struct exploration *e, const struct conditions *goal, const struct unfired_tally *tally,
                        struct unfired *out) {
  struct arena *arena = &e->result->arena;
  int64_t *values = arena_array(arena, e->model->value_count, sizeof *values);
  int64_t *selects = arena_array(arena, e->model->edges[goal->edge].select_count, sizeof *selects);
  int64_t *scratch = arena_array(arena, conditions_scratch(e->model), sizeof *scratch);
  struct attempt attempt = {.model = e->model, .values = values, .scratch = scratch};
  struct renderer renderer;
  renderer_init(&renderer, e->model, arena);
  key_values(e->model, e->layout, tally->state, values);
  unfired_attempt(goal, tally, selects, &attempt);
  const struct condition_truth truth = conditions_evaluate(goal, &attempt);
  assert(truth.met == tally->mask);
  out->values = render_state(&renderer, values, arena);
  out->summary.values = renderer.item_count;
  out->summary.met = tally->met;
  out->summary.depth = tally->depth;
  out->summary.participants = participants_text(e, &attempt, &truth.partner);
}

static bool has_choices(const struct model *model, uint32_t edge) {
  const uint32_t instances = process_of(model, model->edges[edge].process)->instances;
  for (uint32_t i = 0; i < instances; i++)
    if (edge_choices(model, edge, i) > 0)
      return true;
  return false;
}

static void report_goal(const struct unfired_call *call, size_t i) {
  struct arena *arena = &call->e->result->arena;
  const struct conditions *goal = &call->goals[i];
  const struct unfired_tally *tally = &call->tallies[i];
  struct unfired *out = &call->e->result->unfired[i];
  const uint8_t count = has_choices(call->e->model, goal->edge) ? goal->count : 0;
  out->conditions = arena_array(arena, count, sizeof *out->conditions);
  for (uint8_t c = 0; c < count; c++)
    out->conditions[c] = (floe_unfired_condition){arena_copy(arena, goal->texts[c], strlen(goal->texts[c])),
                                                  tally->states[c], tally->any && tally->mask >> c & 1};
  out->summary =
      (floe_unfired){.transition = goal->edge, .states = call->looked, .conditions = count, .participants = ""};
  if (tally->any)
    set_nearest(call->e, goal, tally, out);
}

static void report_goals(void *data) {
  struct unfired_call *call = data;
  floe_result *result = call->e->result;
  result->unfired = arena_array(&result->arena, call->count, sizeof *result->unfired);
  for (size_t i = 0; i < call->count; i++)
    report_goal(call, i);
  result->unfired_count = call->count;
}

/* ---- the second pass ------------------------------------------------------------------------- */

static void make_goals(void *data) {
  struct unfired_call *call = data;
  uint32_t words = call->e->layout->key_words;
  call->goals = unfired_goals(call->e->model, call->e->result->fired, &call->scratch, &call->count);
  call->tallies = unfired_tallies(call->count, words, &call->scratch);
}

static uint64_t states_up_to(const struct exploration *e, uint32_t levels) {
  uint64_t states = 0;
  for (uint32_t i = 0; i < levels; i++)
    states += e->outcome.level_states[i];
  return states;
}

static floe_status count_conditions(struct unfired_call *call, uint32_t levels) {
  struct exploration *e = call->e;
  const struct stop stop = exploration_trace_stop(e);
  const struct unfired_search search = {.model = e->model,
                                        .layout = e->layout,
                                        .archive = call->archive,
                                        .threads = e->options.threads,
                                        .stop = stop,
                                        .comm = processes_comm()};
  FLOE_TRY(unfired_count_distributed(&search, call->goals, call->count, call->tallies, &call->looked));
  const bool interrupted = stop_is_set(stop.interrupt);
  const uint64_t all = states_up_to(e, levels);
  if (call->looked < all)
    diag_warning(e->log, NULL, NOWHERE, interrupted ? NULL : "raise --trace-timeout",
                 "transitions that never fired: %s after %" PRIu64 " of %" PRIu64 " states",
                 interrupted ? "interrupted" : "time limit reached", call->looked, all);
  return arena_guard(&e->result->arena, report_goals, call) == 0 ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* Number of levels of which every state was expanded. */
static uint32_t expanded_levels(const struct exploration *e) {
  const struct engine_outcome *o = &e->outcome;
  return o->end == FLOE_END_COMPLETE ? o->levels : o->any_complete ? o->complete_depth + 1 : 0;
}

static floe_status run_second_pass(struct unfired_call *call) {
  struct exploration *e = call->e;
  uint32_t levels = expanded_levels(e);
  struct archive *archive;
  bool kept = false;
  const struct second_pass_purpose purpose = {"no explanation of transitions that never fired", "finding it"};
  if (levels == 0)
    return FLOE_OK;
  exploration_begin_traces(e, "explaining transitions that never fired");
  FLOE_TRY(archive_create(e->layout->key_words, second_pass_archive_memory(e), e->log, &archive));
  floe_status status = second_pass_keep_levels(e, levels, archive, &purpose, &kept);
  call->archive = archive;
  if (status == FLOE_OK && kept)
    status = count_conditions(call, levels);
  archive_free(archive);
  return status;
}

floe_status unfired_report_make(struct exploration *e) {
  struct unfired_call call = {.e = e};
  if (!e->options.explain_unfired)
    return FLOE_OK;
  arena_init(&call.scratch);
  floe_status status = FLOE_ERROR_MEMORY;
  if (arena_guard(&call.scratch, make_goals, &call) == 0)
    status = call.count ? run_second_pass(&call) : FLOE_OK;
  arena_free(&call.scratch);
  return status == FLOE_ERROR_MEMORY ? no_memory(e->log) : status;
}

/* ---- public functions ------------------------------------------------------------------------ */

size_t floe_result_unfired_transitions(const floe_result *result) { return result ? result->unfired_count : 0; }

floe_unfired floe_result_unfired(const floe_result *result, size_t i) {
  return i < floe_result_unfired_transitions(result) ? result->unfired[i].summary : (floe_unfired){0};
}

floe_unfired_condition floe_result_unfired_condition(const floe_result *result, size_t i, size_t condition) {
  if (condition >= floe_result_unfired(result, i).conditions)
    return (floe_unfired_condition){0};
  return result->unfired[i].conditions[condition];
}

floe_change floe_result_unfired_value(const floe_result *result, size_t i, size_t value) {
  if (value >= floe_result_unfired(result, i).values)
    return (floe_change){0};
  return result->unfired[i].values[value];
}
