#include "api/explore/first_part.h"

#include "api/explore/engine_select.h"
#include "core/diag.h"
#include "core/mem.h"
#include "gpu/driver/driver.h"

#include <string.h>

uint64_t first_part_states = UINT64_C(1) << 16;

/* ---- the bound ------------------------------------------------------------------------------------ */

/* Files, explanations and bounds speak of the states of the whole model. */
static bool needs_whole(const struct exploration *e) {
  const floe_options *options = &e->options;
  return options->keep_going || options->explain_unfired || options->max_states != UINT64_MAX ||
         e->visited_order.file || e->checkpoint.policy.path || e->checkpoint.from;
}

/* The model's search decides where products are explored: it may change to a GPU when much is left. */
static bool has_other_engine(const struct exploration *e) {
  return e->options.engine == FLOE_ENGINE_AUTO && gpu_driver_may_exist();
}

void first_part_begin(struct exploration *e) {
  struct exploration_first_part *first = &e->first_part;
  if (e->part != PART_MODEL || e->selected_mask != e->temporal_mask || needs_whole(e) || has_other_engine(e))
    return;
  first->bounded = true;
  first->expected_states = e->options.expected_states;
  e->options.max_states = first_part_states;
  e->options.expected_states = 0;
}

/* ---- verdicts ------------------------------------------------------------------------------------- */

/* They are listed again with the final outcome. */
static void keep_verdicts(struct exploration *e) {
  e->first_part.verdicts = e->result->verdicts;
  e->first_part.verdict_count = e->result->verdict_count;
  e->result->verdict_count = 0;
}

static bool any_violated(const struct exploration_first_part *first) {
  for (size_t i = 0; i < first->verdict_count; i++)
    if (first->verdicts[i].value == FLOE_VIOLATED)
      return true;
  return false;
}

/* The verdicts so far end the search: one that is violated, or with decide_all all. */
static bool is_enough(const struct exploration *e) {
  const struct exploration_first_part *first = &e->first_part;
  if (!e->options.decide_all)
    return any_violated(first);
  for (size_t i = 0; i < first->verdict_count; i++)
    if (first->verdicts[i].value == FLOE_UNDECIDED)
      return false;
  return true;
}

const floe_verdict *first_part_verdict(const struct exploration *e, uint32_t property) {
  for (size_t i = 0; i < e->first_part.verdict_count; i++)
    if (strcmp(e->first_part.verdicts[i].property.id, e->model->properties[property].id) == 0)
      return &e->first_part.verdicts[i];
  return NULL;
}

/* ---- the search ----------------------------------------------------------------------------------- */

static floe_status search_whole(struct exploration *e) {
  engine_select_end(e);
  engine_outcome_free(&e->outcome);
  e->code = (struct exploration_code){.stepper = NULL};
  e->device = (struct exploration_device){.log = NULL};
  e->start_seconds = 0;
  floe_log_clear(e->first_part.log); /* the same messages will come again */
  return engine_select_run(e);
}

floe_status first_part_search(struct exploration *e) {
  floe_log *const log = e->log;
  FLOE_TRY(floe_log_create(&e->first_part.log));
  e->log = e->first_part.log;
  const floe_status status = engine_select_run(e);
  e->log = log;
  return status;
}

floe_status first_part_end(struct exploration *e, floe_status (*decide)(struct exploration *e)) {
  const bool large = e->first_part.bounded && e->outcome.end == FLOE_END_STATES;
  if (large) {
    FLOE_TRY(decide(e));
    keep_verdicts(e);
  }
  if (e->first_part.bounded) {
    e->first_part.bounded = false;
    e->options.max_states = UINT64_MAX;
    e->options.expected_states = e->first_part.expected_states;
  }
  if (large && !is_enough(e))
    return search_whole(e);
  if (large)
    e->outcome.end = FLOE_END_DECIDED;
  return FLOE_OK;
}

void first_part_close(struct exploration *e) {
  if (e->first_part.log)
    diag_pass_on(e->first_part.log, e->log);
  floe_log_free(e->first_part.log);
}
