/* Exploration: from a model and options to a result. */
#include "api/explore.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "api/choice.h"
#include "api/encoding.h"
#include "api/keep.h"
#include "api/record.h"
#include "api/rerun.h"
#include "core/mem.h"
#include "core/running.h"
#include "core/usage.h"
#include "step/bound.h"
#include "table/table.h"

/* ---- states too wide ------------------------------------------------------------------------- */

struct cost {
  const char *name;
  uint32_t bits;
};

static int dearer(const void *a, const void *b) {
  uint32_t x = ((const struct cost *)a)->bits, y = ((const struct cost *)b)->bits;
  return x < y ? 1 : x > y ? -1 : 0;
}

static void list_costs(const floe_model *model, struct arena *arena, char *text, size_t size) {
  size_t n = model->model->variable_count, used = 0, shown = 0;
  struct cost *costs = arena_array(arena, n, sizeof *costs);
  for (size_t i = 0; i < n; i++)
    costs[i] =
        (struct cost){model->variable_names[i], model->model->variables[i].count * model->layout->fields[i].width};
  qsort(costs, n, sizeof *costs, dearer);
  for (; shown < n && costs[shown].bits && used + 80 < size; shown++)
    used += (size_t)snprintf(text + used, size - used, "\n  %-24.40s %" PRIu32 " bits", costs[shown].name,
                             costs[shown].bits);
}

static floe_status refuse_wide(const struct exploration *e, struct arena *arena) {
  const floe_model *model = e->owner;
  char text[2000] = "";
  if (e->layout->key_words == 1)
    return FLOE_OK;
  const bool fields = e->options.encoding == FLOE_ENCODING_FIELDS;
  const char *hint = fields ? "--encoding=auto may find shorter keys"
                            : "smaller ranges, fewer instances or smaller capacities take fewer bits";
  list_costs(model, arena, text, sizeof text);
  diag_error(e->log, NULL, NOWHERE, hint,
             "a state takes %" PRIu32 " bits; states of up to 64 bits%s can be explored:%s", model->layout->bits,
             fields ? "" : ", or with 2^63 ranks,", text);
  return FLOE_ERROR_MODEL;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void choose_levels(struct exploration *e) {
  e->two_levels = strcmp(e->options.table, SETTINGS_TWO_LEVELS) == 0;
  if (e->two_levels)
    e->options.table = table_scheme_name(NULL);
  e->any_table = settings_leave_table(e->given);
}

static void prepare(void *data) {
  struct exploration *e = data;
  struct arena *arena = &e->result->arena;
  uint32_t bound;
  e->status = successor_bound(e->model, e->log, &bound);
  if (e->status == FLOE_OK)
    e->status = settings_resolve(e->given, arena, e->log, &e->options);
  if (e->status == FLOE_OK)
    choose_levels(e);
  if (e->status == FLOE_OK && !e->options.expected_states)
    e->options.expected_states = settings_expected_states(e->model);
  if (e->status == FLOE_OK)
    e->status = encoding_choose(e);
  if (e->status == FLOE_OK)
    e->status = refuse_wide(e, arena);
  if (e->status == FLOE_OK)
    e->status = settings_properties(&e->options, e->model, e->log, &e->selected, &e->wanted);
  e->initial = arena_array(arena, e->layout->key_words, sizeof *e->initial);
  if (e->status == FLOE_OK)
    e->status = key_of_initial(e->model, e->layout, e->initial);
  if (e->status == FLOE_ERROR_INTERNAL)
    rerun_wrong(e->log, "the initial state cannot be reached");
  if (e->status == FLOE_OK)
    e->status = record_begin(e);
  if (e->status == FLOE_OK)
    keep_begin(e);
}

static void report(void *data) {
  struct exploration *e = data;
  summary_make(e);
  verdicts_make(e);
}

static uint64_t peak_bytes(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static floe_status guarded(struct exploration *e, void (*body)(void *)) {
  if (arena_guard(&e->result->arena, body, e) != 0)
    return no_memory(e->log);
  return e->status;
}

static floe_status explore(struct exploration *e) {
  floe_status status = guarded(e, prepare);
  if (status == FLOE_OK)
    status = choice_run(e);
  record_end(e, status);
  FLOE_TRY(status);
  FLOE_TRY(guarded(e, report));
  FLOE_TRY(traces_make(e));
  FLOE_TRY(nevers_make(e));
  floe_summary *summary = &e->result->summary;
  summary->compile_seconds = choice_compile_seconds(e);
  summary->peak_bytes = peak_bytes();
  summary->order_lost = e->order_lost;
  summary->checkpoint_lost = e->outcome.checkpoint_lost;
  summary->total_seconds = e->owner->parse_seconds + clock_seconds() - e->started;
  return FLOE_OK;
}

floe_status explore_run(struct exploration *e, floe_result **out) {
  e->started = clock_seconds();
  FLOE_TRY(floe_model_check(e->owner, e->log));
  e->model = e->owner->model;
  e->layout = e->owner->layout;
  e->result = mem_alloc(sizeof *e->result);
  if (!e->result)
    return no_memory(e->log);
  running_begin();
  floe_status status = explore(e);
  running_end();
  choice_end(e);
  engine_outcome_free(&e->outcome);
  if (status == FLOE_OK)
    *out = e->result;
  else
    floe_result_free(e->result);
  return status;
}

floe_status floe_explore(floe_model *model, const floe_options *options, floe_log *log, floe_result **out) {
  struct exploration e = {.owner = model, .given = options, .log = log};
  WANT(log, model);
  WANT(log, out);
  return explore_run(&e, out);
}
