/* Exploration: from a model and options to a result. */
#include "api/explore/explore.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "api/explore/checkpoint_save.h"
#include "api/explore/engine_select.h"
#include "api/explore/first_part.h"
#include "api/explore/key_encoding.h"
#include "api/explore/record_order.h"
#include "api/explore/reduction_check.h"
#include "api/explore/second_pass.h"
#include "api/explore/symmetry_check.h"
#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "core/usage.h"
#include "model/guess.h"
#include "model/transitions/successor_bound.h"
#include "tables/table.h"

static void set_table(struct exploration *e) {
  e->host_backed = strcmp(e->options.table, SETTINGS_HOST_BACKED) == 0;
  if (e->host_backed)
    e->options.table = table_scheme_name(NULL);
  e->any_table = settings_leave_table(e->given_options);
}

static void select_properties(struct exploration *e) {
  e->temporal_mask = e->selected_mask & settings_temporal(e->model);
  if (e->part == PART_MODEL)
    e->passes_mask = e->selected_mask & settings_passes(e->model);
  if (e->part == PART_PRODUCT)
    e->property_mask = settings_reachable(e->model);
  else if (e->part == PART_PREFIX)
    e->property_mask = e->selected_mask;
  if (e->options.decide_all && e->temporal_mask && e->temporal_mask != e->selected_mask)
    e->options.keep_going = true; /* temporal properties are decided after all states are found */
}

static void resolve(void *data) {
  struct exploration *e = data;
  struct arena *arena = &e->result->arena;
  uint32_t bound;
  e->status = successor_bound(e->model, e->log, &bound);
  if (e->status == FLOE_OK)
    e->status = settings_resolve(e->given_options, arena, e->log, &e->options);
  if (e->status == FLOE_OK)
    set_table(e);
  if (e->options.max_depth != UINT32_MAX)
    e->options.max_depth += model_first_level(e->model);
  if (e->options.measures)
    e->without_gpus = true;
  if (e->status == FLOE_OK && !e->options.expected_states)
    e->options.expected_states = settings_expected_states(e->model);
  if (e->status == FLOE_OK)
    e->status = encoding_choose(e);
  if (e->status == FLOE_OK)
    e->status = settings_properties(&e->options, e->model, e->log, &e->selected_mask, &e->property_mask);
  if (e->status == FLOE_OK)
    select_properties(e);
  if (e->status == FLOE_OK && e->temporal_mask)
    e->status = liveness_check(e);
  if (e->status == FLOE_OK && e->passes_mask)
    e->status = engine_select_for_passes(e);
  e->initial = arena_array(arena, e->layout->key_words, sizeof *e->initial);
  if (e->status == FLOE_OK)
    e->status = key_of_initial(e->model, e->layout, e->initial);
  if (e->status == FLOE_ERROR_INTERNAL)
    second_pass_wrong(e->log, "the initial state cannot be reached");
  if (e->status == FLOE_OK)
    e->status = record_order_begin(e);
  if (e->status == FLOE_OK)
    e->status = checkpoint_save_init(e);
  if (e->status == FLOE_OK)
    first_part_begin(e);
}

static void make_report(void *data) {
  struct exploration *e = data;
  summary_make(e);
  verdicts_make(e);
}

static void make_verdicts(void *data) { verdicts_make(data); }

static uint64_t peak_bytes(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static floe_status run_guarded(struct exploration *e, void (*body)(void *)) {
  if (arena_guard(&e->result->arena, body, e) != 0)
    return no_memory(e->log);
  return e->status;
}

floe_status explore_search(struct exploration *e) {
  floe_status status = run_guarded(e, resolve);
  if (status == FLOE_OK)
    status = e->first_part.bounded ? first_part_search(e) : engine_select_run(e);
  record_order_end(e, status);
  return status;
}

floe_status explore_paths(struct exploration *e) {
  FLOE_TRY(explore_search(e));
  FLOE_TRY(run_guarded(e, make_verdicts));
  const floe_status status = traces_make(e);
  exploration_end_traces(e);
  return status;
}

static floe_status decide_temporal(struct exploration *e) {
  FLOE_TRY(run_guarded(e, make_verdicts));
  return liveness_decide(e);
}

/* The guess that is wrong, or may be. NULL: none. */
static const struct guess *failed_guess(const struct exploration *e) {
  for (size_t i = 0; e->model->guess && i < e->outcome.property_count; i++)
    if (e->model->properties[i].kind == FLOE_ERRORS && e->outcome.violations[i].violation)
      return guess_of_error(e->model, e->outcome.violations[i].error.site);
  return NULL;
}

static floe_status search_and_report(struct exploration *e) {
  FLOE_TRY(explore_search(e));
  if (!failed_guess(e))
    FLOE_TRY(first_part_end(e, decide_temporal));
  e->guess = failed_guess(e);
  if (e->guess)
    return FLOE_OK;
  FLOE_TRY(run_guarded(e, make_report));
  FLOE_TRY(traces_make(e));
  FLOE_TRY(liveness_decide(e));
  FLOE_TRY(unfired_report_make(e));
  floe_summary *summary = &e->result->summary;
  summary->compile_seconds = engine_select_compile_seconds(e);
  summary->peak_bytes = peak_bytes();
  summary->visited_order_failed = e->visited_order.lost;
  summary->checkpoint_failed = e->outcome.checkpoint_failed;
  summary->total_seconds = e->api_model->parse_seconds + clock_seconds() - e->started;
  return FLOE_OK;
}

floe_status explore_open(struct exploration *e) {
  if (e->started == 0)
    e->started = clock_seconds();
  FLOE_TRY(reduction_check(e));
  FLOE_TRY(symmetry_check(e));
  e->model = e->api_model->model;
  e->layout = e->api_model->layout;
  e->result = mem_alloc(sizeof *e->result);
  return e->result ? FLOE_OK : no_memory(e->log);
}

void explore_close(struct exploration *e) {
  engine_select_end(e);
  first_part_close(e);
  whole_model_free(e->whole);
  engine_outcome_free(&e->outcome);
  floe_result_free(e->result);
}

static void note_restart(const struct exploration *e) {
  if (e->checkpoint.from)
    diag_note(e->log, NULL, NOWHERE, NULL,
              "a value exceeds %s of the checkpoint: the search starts again from the initial state, with %s=%s",
              e->guess->constant, e->guess->constant, e->guess->next);
}

/* The model is checked again with the next guess; the time of the searches before counts. */
static floe_status guess_again(struct exploration *e) {
  const struct guess guess = *e->guess;
  const struct exploration again = {.api_model = e->api_model,
                                    .given_options = e->given_options,
                                    .log = e->log,
                                    .part = e->part,
                                    .started = e->started};
  note_restart(e);
  explore_close(e);
  *e = again;
  FLOE_TRY(model_set_guess(e->api_model, guess.constant, guess.next, e->log));
  return explore_open(e);
}

floe_status explore_run(struct exploration *e, floe_result **out) {
  FLOE_TRY(explore_open(e));
  interruptible_begin();
  floe_status status = search_and_report(e);
  while (status == FLOE_OK && e->guess) {
    status = guess_again(e);
    if (status == FLOE_OK)
      status = search_and_report(e);
  }
  exploration_end_traces(e);
  interruptible_end();
  if (status == FLOE_OK) {
    *out = e->result;
    e->result = NULL;
  }
  explore_close(e);
  return status;
}

floe_status floe_explore(floe_model *model, const floe_options *options, floe_log *log, floe_result **out) {
  struct exploration e = {.api_model = model, .given_options = options, .log = log};
  REQUIRE(log, model);
  REQUIRE(log, out);
  return explore_run(&e, out);
}
