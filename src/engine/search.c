#include "engine/search.h"

#include "core/diag.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/path.h"
#include "engine/sizing.h"
#include "model/property_kind.h"

#include <assert.h>
#include <string.h>

/* ---- creation -------------------------------------------------------------------------------- */

floe_status search_open(const struct engine_task *task, floe_log *log, struct search *out) {
  *out = (struct search){.task = task, .log = log, .stop = engine_stop(task)};
  out->fired = mem_array(task->model->transition_count, sizeof *out->fired);
  out->violations = violations_make(task);
  return out->fired && out->violations ? FLOE_OK : FLOE_ERROR_MEMORY;
}

void search_close(struct search *search) {
  violations_free(search->violations, search->task->model->property_count);
  mem_free(search->fired);
  mem_free(search->levels.states);
  search->violations = NULL;
  search->fired = search->levels.states = NULL;
}

void search_begin(struct search *search) {
  search->stop = engine_stop(search->task);
  search->begun = search->reports.last = clock_seconds();
  search->reports.next = search->begun + search->task->options->progress_seconds;
  search->checkpoints.last = search->begun;
}

/* ---- the end --------------------------------------------------------------------------------- */

void search_finish(struct search *search, floe_end end) {
  search->ended = true;
  search->end = end;
}

void search_fail(struct search *search, floe_status status) {
  assert(status != FLOE_OK);
  search->ended = true;
  if (search->status == FLOE_OK)
    search->status = status;
}

void search_fail_disk(struct search *search) {
  search->checkpoints.inexact = true;
  search_finish(search, FLOE_END_DISK);
}

void search_report_unreachable(struct search *search) {
  diag_error(search->log, NULL, NOWHERE, "please report this with the model; --encoding=fields avoids it",
             "internal error: the search reached a state that has no key");
  search_fail(search, FLOE_ERROR_INTERNAL);
}

bool search_check_stop(struct search *search) {
  const struct stop *stop = &search->stop;
  if (!stop_requested(stop))
    return false;
  search->cancelled = stop_is_set(stop->cancelled);
  search_finish(search, stop_deadline_passed(stop) ? FLOE_END_TIMEOUT : FLOE_END_INTERRUPT);
  return true;
}

/* ---- levels ---------------------------------------------------------------------------------- */

bool search_at_bound(const struct search *search) { return search_depth(search) >= search->task->options->max_depth; }

bool search_make_room(struct search *search, size_t more) {
  size_t needed = search->levels.count + more, cap = search->levels.cap * 2;
  if (needed <= search->levels.cap)
    return true;
  if (cap <= needed)
    cap = needed + 64;
  uint64_t *levels = mem_resize(search->levels.states, cap * sizeof *levels);
  if (!levels)
    return false;
  search->levels.states = levels;
  search->levels.cap = cap;
  return true;
}

static bool keep_level(struct search *search, uint64_t states) {
  assert(states > 0 && search->levels.complete == search->levels.count);
  if (!search_make_room(search, 1))
    return false;
  search->levels.states[search->levels.count++] = states;
  return true;
}

bool search_first_level(struct search *search) { return keep_level(search, 1); }

static void complete_up_to(struct search *search, uint32_t complete) {
  assert(search->levels.complete <= complete && complete <= search->levels.count);
  while (search->levels.complete < complete)
    search->levels.expanded += search->levels.states[search->levels.complete++];
}

void search_level_done(struct search *search) { complete_up_to(search, search->levels.count); }

void search_next_level(struct search *search, uint64_t next, uint64_t states) {
  if (next && !keep_level(search, next))
    search_finish(search, FLOE_END_MEMORY);
  else
    search_decide(search, next == 0, states);
}

void search_add_levels(struct search *search, uint32_t count, bool empty) {
  assert(search->levels.count + count <= search->levels.cap);
  search->levels.count += count;
  complete_up_to(search, search->levels.count - (empty ? 0 : 1));
}

static uint64_t errors_of(const struct model *model) {
  uint64_t mask = 0;
  for (size_t i = 0; i < model->property_count; i++)
    if (model->properties[i].kind == FLOE_ERRORS)
      mask |= UINT64_C(1) << i;
  return mask;
}

static bool is_decided(const struct search *search) {
  const struct engine_task *task = search->task;
  const uint64_t violations = search->violated & task->property_mask;
  if (task->options->keep_going || !task->property_mask)
    return false;
  if (task->options->decide_all) {
    const uint64_t asked = task->property_mask & ~errors_of(task->model);
    return asked && (violations & asked) == asked;
  }
  for (size_t i = 0; i < task->model->property_count; i++)
    if ((violations >> i & 1) && property_kinds[task->model->properties[i].kind].found == FLOE_VIOLATED)
      return true;
  return violations == task->property_mask;
}

/* After a level that was expanded in full. */
void search_decide(struct search *search, bool empty, uint64_t states) {
  assert(search->levels.complete == search->levels.count - (empty ? 0 : 1));
  assert(states == search->levels.expanded + (empty ? 0 : search->levels.states[search_depth(search)]));
  if (empty)
    search_finish(search, FLOE_END_COMPLETE);
  else if (is_decided(search))
    search_finish(search, FLOE_END_DECIDED);
  else if (states > search->task->options->max_states)
    search_finish(search, FLOE_END_STATES);
}

/* Restarting costs at most what has been found. If a restart happens at once, the search is nearly done when the
   states found are this many times the level being expanded; if it is expensive, when the predicted total is less
   than this many times the states found. */
#define OUTGROWN_REST 8
#define OUTGROWN_PART 3

static bool is_nearly_done(const struct search *search, uint64_t level, uint64_t states) {
  if (!search->task->devices.escalate_from)
    return level < states / OUTGROWN_REST;
  const struct sizing_levels levels = {search->levels.states, search->levels.count, states - level};
  const double all = sizing_predicted_states(&levels); /* 0: levels still grow */
  return all > 0 && all < OUTGROWN_PART * (double)states;
}

bool search_check_escalation(struct search *search, uint64_t large, uint64_t states) {
  const uint64_t level = search->levels.states[search_depth(search)];
  if (!search->task->devices.may_escalate || search->ended || level < large ||
      states < search->task->devices.escalate_from || is_nearly_done(search, level, states))
    return false;
  search->must_escalate = true;
  search_finish(search, FLOE_END_INTERRUPT);
  return true;
}

void search_decide_at_bound(struct search *search) {
  search_finish(search, is_decided(search) ? FLOE_END_DECIDED : FLOE_END_DEPTH);
}

/* ---- properties ------------------------------------------------------------------------------ */

uint64_t search_pending_properties(const struct search *search) {
  return search->task->property_mask & ~search->violated;
}

static uint64_t may_fail(const struct model *model) {
  uint64_t mask = 0;
  for (size_t i = 0; i < model->property_count; i++)
    if (model->properties[i].expr && model->properties[i].expr->can_fail)
      mask |= UINT64_C(1) << i;
  return mask;
}

uint64_t search_errors_only(const struct search *search) {
  const struct engine_task *task = search->task;
  const bool count = search_pending_properties(search) & errors_of(task->model);
  return count ? task->property_mask & search->violated & may_fail(task->model) : 0;
}

void search_add_violation(struct search *search, size_t property, const uint64_t *state, uint32_t depth,
                          struct step_error error) {
  assert((search_pending_properties(search) >> property & 1) && depth < search->levels.count);
  violation_keep_least(&search->violations[property], state, search->task->layout->key_words, depth, error);
}

static void report_decided(const struct search *search, size_t number) {
  const floe_options *options = search->task->options;
  const struct property *property = &search->task->model->properties[number];
  assert(search->violations[number].violation);
  if (options->decided)
    options->decided(property->id, property_kinds[property->kind].found, options->user);
}

void search_note_violations(struct search *search, uint64_t triggered) {
  assert((triggered & ~search_pending_properties(search)) == 0);
  for (uint64_t rest = triggered; rest; rest &= rest - 1)
    report_decided(search, (size_t)__builtin_ctzll(rest));
  search->violated |= triggered;
}

void search_note_failures(struct search *search, uint64_t failed, bool firing_failed, uint32_t depth) {
  search->failed |= failed;
  if (firing_failed && !search->firing_failed)
    search->firing_failed_depth = depth;
  search->firing_failed = search->firing_failed || firing_failed;
}

struct engine_violation *violations_make(const struct engine_task *task) {
  const size_t n = task->model->property_count;
  struct engine_violation *violations = mem_array(n, sizeof *violations);
  for (size_t i = 0; violations && i < n; i++) {
    violations[i].state = mem_array(task->layout->key_words, sizeof(uint64_t));
    if (violations[i].state)
      continue;
    violations_free(violations, i);
    return NULL;
  }
  return violations;
}

void violations_free(struct engine_violation *violations, size_t count) {
  for (size_t i = 0; violations && i < count; i++)
    mem_free(violations[i].state);
  mem_free(violations);
}

void violation_keep_least(struct engine_violation *violation, const uint64_t *state, uint32_t words, uint32_t depth,
                          struct step_error error) {
  if (violation->violation && !words_less(state, violation->state, words))
    return;
  memcpy(violation->state, state, words * sizeof *state);
  violation->violation = true;
  violation->depth = depth;
  violation->error = error;
}

/* ---- reports -------------------------------------------------------------------------------- */

bool search_report_due(const struct search *search, double now) {
  return search->task->options->progress && now >= search->reports.next;
}

void search_report(struct search *search, floe_progress figures, double now) {
  const floe_options *options = search->task->options;
  const double since = now - search->reports.last;
  const uint64_t found = figures.transitions + 1;
  figures.duplicates = found > figures.states ? found - figures.states : 0;
  figures.seconds = now - search->begun;
  figures.rate = since > 0 ? (double)(figures.states - search->reports.last_states) / since : 0;
  search->reports.last = now;
  search->reports.last_states = figures.states;
  search->reports.next = now + options->progress_seconds;
  options->progress(&figures, options->user);
}

/* The states counted are the sum of the levels, unless a level was left unfinished. In a group rank 0 has the sums
   of all members, the others a part. */
static bool adds_up(const struct search *search, const struct engine_outcome *out) {
  const bool within = search->end == FLOE_END_MEMORY || search->end == FLOE_END_TIMEOUT ||
                      search->end == FLOE_END_INTERRUPT || search->end == FLOE_END_DISK;
  uint64_t states = 0;
  for (uint32_t i = 0; i < search->levels.count; i++)
    states += search->levels.states[i];
  if (search->is_part)
    return within || out->states <= states;
  return within ? states <= out->states : states == out->states && out->transitions + 1 >= states;
}

bool search_wants_paths(const struct search *search) {
  const struct task_paths *paths = &search->task->paths;
  return paths->begin && (paths->targets || search->violated) && !search->cancelled && !search->must_escalate;
}

void search_conclude(struct search *search, struct engine_outcome *out) {
  assert(search->ended && search->status == FLOE_OK && adds_up(search, out));
  assert((search->end == FLOE_END_COMPLETE) <= (search->levels.complete == search->levels.count));
  out->end = search->end;
  out->cancelled = search->cancelled;
  out->attempts.must_escalate = search->must_escalate;
  out->levels = search->levels.count;
  out->any_complete = search->levels.complete > 0;
  out->complete_depth = search->levels.complete > 0 ? search->levels.complete - 1 : 0;
  out->level_states = search->levels.states;
  out->fired = search->fired;
  out->failed = search->failed;
  out->firing_failed = search->firing_failed;
  out->firing_failed_depth = search->firing_failed_depth;
  out->violations = search->violations;
  out->property_count = search->task->model->property_count;
  out->statistics.table_bytes = out->table.shape.bytes;
  out->statistics.resumed_states = search->origin.states[CHECKPOINT_KEYS];
  out->statistics.resumed_transitions = search->origin.transitions;
  out->statistics.resume_seconds = search->origin.seconds;
  out->statistics.checkpoints = search->checkpoints.count;
  out->statistics.checkpoint_seconds = search->checkpoints.seconds;
  out->statistics.checkpoint_bytes = search->checkpoints.bytes;
  out->checkpoint_failed = search->checkpoints.lost;
  out->statistics.table_fill = (double)out->states / (double)out->table.shape.slots;
  search->levels.states = search->fired = NULL;
  search->violations = NULL;
}

void engine_outcome_free(struct engine_outcome *outcome) {
  for (unsigned i = 0; outcome->paths && i < outcome->path_count; i++)
    path_free(&outcome->paths[i]);
  mem_free(outcome->paths);
  if (outcome->cycles.cycle)
    path_free(outcome->cycles.cycle);
  mem_free(outcome->cycles.cycle);
  violations_free(outcome->violations, outcome->property_count);
  mem_free(outcome->measured);
  mem_free(outcome->group.members);
  mem_free(outcome->level_states);
  mem_free(outcome->fired);
  *outcome = (struct engine_outcome){0};
}
