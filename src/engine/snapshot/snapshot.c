#include "engine/snapshot/snapshot.h"

#include "core/diag.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/snapshot/snapshot_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- saving -------------------------------------------------------------------------------------- */

static struct engine_violation violation_of(const struct checkpoint_violation *violation) {
  return (struct engine_violation){.violation = violation->violation,
                                   .depth = violation->depth,
                                   .state = (uint64_t *)violation->state,
                                   .error = {violation->transition, violation->site}};
}

static const struct checkpoint_policy *policy_of(const struct search *search) { return search->task->snapshot.policy; }

bool snapshot_is_due(const struct search *search, double now) {
  const struct checkpoint_policy *checkpoint_policy = policy_of(search);
  return checkpoint_policy && checkpoint_policy->every > 0 &&
         now >= search->checkpoints.last + checkpoint_policy->every;
}

/* Another engine or device set restarts this search. */
static bool is_restarted_elsewhere(const struct search *search) {
  return search->cancelled || search->must_escalate ||
         (search->task->devices.may_escalate && search->end == FLOE_END_MEMORY);
}

bool snapshot_is_last(const struct search *search) {
  return policy_of(search) && search->ended && search->status == FLOE_OK && !is_restarted_elsewhere(search) &&
         !search->checkpoints.inexact &&
         (search->end == FLOE_END_MEMORY || search->end == FLOE_END_TIMEOUT || search->end == FLOE_END_INTERRUPT ||
          search->end == FLOE_END_STATES || (search->end == FLOE_END_COMPLETE && policy_of(search)->of_complete));
}

bool snapshot_may_be_last(const struct search *search) {
  const struct engine_task *task = search->task;
  return task->group.comm ? task->group.saves && search->status == FLOE_OK : snapshot_is_last(search);
}

/* All states of the current level are expanded. */
static bool level_is_complete(const struct search *search) { return search->levels.complete == search->levels.count; }

static struct checkpoint_search sums_of(const struct search *search, const struct snapshot *snapshot) {
  const struct model *model = search->task->model;
  return (struct checkpoint_search){.level_states = search->levels.states,
                                    .levels = search->levels.count,
                                    .complete = search->levels.complete,
                                    .expanded = search->levels.expanded,
                                    .violations = snapshot->violations,
                                    .property_count = (uint32_t)model->property_count,
                                    .failed = search->failed,
                                    .firing_failed = search->firing_failed,
                                    .firing_failed_depth = search->firing_failed_depth,
                                    .fired = snapshot->fired,
                                    .transition_count = (uint32_t)model->transition_count};
}

/* Includes violations of the current level that were gathered when the run ended. */
static void add_search_violations(const struct search *search, struct snapshot *snapshot) {
  for (size_t i = 0; i < search->task->model->property_count; i++)
    if (search->violations[i].violation)
      snapshot_add_violation(snapshot, i, &search->violations[i], search->task->layout->key_words);
}

/* Logs a failure; the search continues without a checkpoint. */
static void log_result(struct search *search, const struct snapshot *snapshot, floe_status status) {
  search->checkpoints.lost = status != FLOE_OK;
  if (snapshot->log)
    diag_pass_on_as_warnings(snapshot->log, search->log);
  if (status == FLOE_ERROR_MEMORY)
    diag_warning(search->log, NULL, NOWHERE, NULL, "no checkpoint: out of memory");
}

static void free_snapshot(struct search *search, struct snapshot *snapshot) {
  floe_log_free(snapshot->log);
  mem_free(snapshot->fired);
  mem_free(snapshot->violations);
  mem_free(snapshot->writers);
  search->checkpoints.last = clock_seconds();
  search->checkpoints.seconds += search->checkpoints.last - snapshot->begun;
}

static floe_status init_snapshot(struct search *search, unsigned contexts, struct snapshot *snapshot) {
  const struct model *model = search->task->model;
  snapshot->fired = mem_array(model->transition_count, sizeof *snapshot->fired);
  snapshot->violations = mem_array(model->property_count, sizeof *snapshot->violations);
  snapshot->writers = mem_array(contexts, sizeof *snapshot->writers);
  if (!snapshot->fired || !snapshot->violations || !snapshot->writers)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(floe_log_create(&snapshot->log));
  memcpy(snapshot->fired, search->fired, model->transition_count * sizeof *snapshot->fired);
  add_search_violations(search, snapshot);
  snapshot->sums = sums_of(search, snapshot);
  return FLOE_OK;
}

struct checkpoint_order snapshot_order(const struct table_config *config, const struct table_shape *shape) {
  if (table_traits(config->scheme)->every_key) /* keys ascend */
    return (struct checkpoint_order){.permutation = NULL};
  return (struct checkpoint_order){.permutation = config->permutation ? config->permutation : permutation_names()[0],
                                   .seed = config->seed,
                                   .buckets = shape->bucket_slots > 1 ? shape->buckets : 1};
}

static floe_status create_file(const struct search *search, unsigned contexts, const struct checkpoint_order *order,
                               struct snapshot *snapshot) {
  struct checkpoint_head head = *policy_of(search)->head;
  head.order = *order;
  head.seconds += snapshot->begun - search->begun;
  return checkpoint_create(policy_of(search)->path, &head, contexts, snapshot->log, &snapshot->writer);
}

bool snapshot_begin(struct search *search, unsigned contexts, const struct checkpoint_order *order,
                    struct snapshot *out) {
  *out = (struct snapshot){.begun = clock_seconds()};
  floe_status status = init_snapshot(search, contexts, out);
  if (status == FLOE_OK && order)
    status = create_file(search, contexts, order, out);
  if (status == FLOE_OK)
    return true;
  if (order)
    log_result(search, out, status);
  free_snapshot(search, out);
  return false;
}

void snapshot_add_part(struct snapshot *snapshot, const struct checkpoint_search *part, uint32_t words) {
  struct checkpoint_search *sums = &snapshot->sums;
  assert(part->transition_count == sums->transition_count && part->property_count == sums->property_count);
  sums->transitions += part->transitions;
  sums->deadlocks += part->deadlocks;
  sums->checksum += part->checksum;
  sums->failed |= part->failed;
  if (part->max_out_degree > sums->max_out_degree)
    sums->max_out_degree = part->max_out_degree;
  if (part->firing_failed && !sums->firing_failed)
    sums->firing_failed_depth = part->firing_failed_depth;
  sums->firing_failed = sums->firing_failed || part->firing_failed;
  for (uint32_t t = 0; t < part->transition_count; t++)
    snapshot->fired[t] += part->fired[t];
  for (uint32_t i = 0; i < part->property_count; i++) {
    const struct engine_violation violation = violation_of(&part->violations[i]);
    if (violation.violation)
      snapshot_add_violation(snapshot, i, &violation, words);
  }
}

void snapshot_add_violation(struct snapshot *snapshot, size_t property, const struct engine_violation *violation,
                            uint32_t words) {
  struct checkpoint_violation *at = &snapshot->violations[property];
  if (at->violation && !words_less(violation->state, at->state, words))
    return;
  *at = (struct checkpoint_violation){.violation = true,
                                      .depth = violation->depth,
                                      .state = violation->state,
                                      .transition = violation->error.transition,
                                      .site = violation->error.site};
}

static floe_status commit(struct search *search, struct snapshot *snapshot) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < snapshot->sums.property_count; i++)
    snapshot->violations[i].provisional = snapshot->violations[i].violation && !level_is_complete(search) && //
                                          snapshot->violations[i].depth == search_depth(search);
  const floe_status status = checkpoint_commit(snapshot->writer, &snapshot->sums, &bytes);
  search->checkpoints.count += status == FLOE_OK;
  if (status == FLOE_OK)
    search->checkpoints.bytes = bytes;
  return status;
}

void snapshot_end(struct search *search, struct snapshot *snapshot, floe_status status) {
  if (status == FLOE_OK && snapshot->writer)
    status = commit(search, snapshot);
  else
    checkpoint_abandon(snapshot->writer);
  if (snapshot->writer)
    log_result(search, snapshot, status);
  free_snapshot(search, snapshot);
}

/* ---- restoring ----------------------------------------------------------------------------------- */

uint64_t snapshot_states(const struct engine_task *task) {
  return task->snapshot.from ? checkpoint_sizes_of(task->snapshot.from, CHECKPOINT_KEYS).states
                             : task->group.restored_states;
}

static void find_origin(struct search *search) {
  const struct checkpoint_reader *from = search->task->snapshot.from;
  if (!from)
    return;
  search->origin.search = checkpoint_search_of(from);
  for (enum checkpoint_section i = 0; i < CHECKPOINT_SECTIONS; i++)
    search->origin.states[i] = checkpoint_sizes_of(from, i).states;
}

static floe_status report_contradiction(const struct search *search, const char *what) {
  diag_error(search->log, NULL, NOWHERE, NULL, "the checkpoint contradicts itself: %s", what);
  return FLOE_ERROR_IO;
}

/* The digest of the model guarantees matching properties and transitions; only these checks ensure that the levels
   add up. */
static floe_status check_levels(const struct search *search, const struct checkpoint_search *from) {
  const uint64_t next = search->origin.states[CHECKPOINT_NEXT], rest = search->origin.states[CHECKPOINT_REST];
  uint64_t states = 0;
  if (from->levels == 0 || from->complete > from->levels || from->complete + 1 < from->levels)
    return report_contradiction(search, "its number of levels is impossible");
  if (from->transition_count != search->task->model->transition_count ||
      from->property_count != search->task->model->property_count)
    return report_contradiction(search, "it belongs to another model");
  for (uint32_t i = 0; i < from->levels; i++)
    states += from->level_states[i];
  if (rest > from->level_states[from->levels - 1] || states + next != search->origin.states[CHECKPOINT_KEYS])
    return report_contradiction(search, "its states do not match its levels");
  return FLOE_OK;
}

static void restore_violations(struct search *search, const struct checkpoint_search *from) {
  const uint32_t words = search->task->layout->key_words;
  for (uint32_t i = 0; i < from->property_count; i++) {
    if (!from->violations[i].violation || from->violations[i].provisional)
      continue;
    const struct engine_violation violation = violation_of(&from->violations[i]);
    violation_keep_least(&search->violations[i], violation.state, words, violation.depth, violation.error);
    search->violated |= UINT64_C(1) << i;
  }
}

floe_status snapshot_restore_search(struct search *search) {
  find_origin(search);
  const struct checkpoint_search *from = search->origin.search;
  FLOE_TRY(check_levels(search, from));
  if (!search_make_room(search, from->levels))
    return FLOE_ERROR_MEMORY;
  memcpy(search->levels.states, from->level_states, from->levels * sizeof *from->level_states);
  search->levels.count = from->levels;
  search->levels.complete = from->levels - 1;
  search->levels.expanded = 0;
  for (uint32_t i = 0; i < search->levels.complete; i++)
    search->levels.expanded += from->level_states[i];
  memcpy(search->fired, from->fired, from->transition_count * sizeof *from->fired);
  restore_violations(search, from);
  search_note_failures(search, from->failed, from->firing_failed, from->firing_failed_depth);
  return FLOE_OK;
}

void snapshot_each_violation(const struct search *search,
                             void (*take)(void *user, size_t property, const struct engine_violation *), void *user) {
  const struct checkpoint_search *from = search->origin.search;
  for (uint32_t i = 0; i < from->property_count; i++) {
    const struct engine_violation violation = violation_of(&from->violations[i]);
    if (violation.violation && from->violations[i].provisional)
      take(user, i, &violation);
  }
}

floe_status snapshot_check(const struct search *search, uint64_t fresh, uint64_t checksum) {
  if (fresh != search->origin.states[CHECKPOINT_KEYS])
    return report_contradiction(search, "it contains a state twice");
  if (checksum != search->origin.search->checksum)
    return report_contradiction(search, "its states do not match its checksum");
  return FLOE_OK;
}

/* A level in progress must end first. */
void snapshot_decide(struct search *search) {
  const uint64_t *states = search->origin.states;
  if (search->ended || states[CHECKPOINT_NEXT] || states[CHECKPOINT_PENDING] ||
      states[CHECKPOINT_REST] != search->levels.states[search_depth(search)])
    return;
  search_decide(search, false, states[CHECKPOINT_KEYS]);
}
