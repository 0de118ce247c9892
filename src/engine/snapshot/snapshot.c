#include "engine/snapshot/snapshot.h"

#include "core/clock.h"
#include "core/diag.h"
#include "core/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- keeping ------------------------------------------------------------------------------------- */

static struct engine_violation hit_of(const struct checkpoint_violation *violation) {
  return (struct engine_violation){.violation = violation->violation,
                                   .depth = violation->depth,
                                   .state = (uint64_t *)violation->state,
                                   .error = {violation->transition, violation->site}};
}

static const struct checkpoint_policy *keeping_of(const struct search *search) {
  return search->task->snapshot.policy;
}

bool snapshot_is_due(const struct search *search, double now) {
  const struct checkpoint_policy *checkpoint_policy = keeping_of(search);
  return checkpoint_policy && checkpoint_policy->every > 0 && now >= search->kept.last + checkpoint_policy->every;
}

/* Others begin anew in its place. */
static bool is_left_to_others(const struct search *search) {
  return search->needless || search->outgrown || (search->task->devices.may_escalate && search->end == FLOE_END_MEMORY);
}

bool snapshot_is_last(const struct search *search) {
  return keeping_of(search) && search->ended && search->status == FLOE_OK && !is_left_to_others(search) &&
         !search->kept.inexact &&
         (search->end == FLOE_END_MEMORY || search->end == FLOE_END_TIMEOUT || search->end == FLOE_END_INTERRUPT ||
          search->end == FLOE_END_STATES);
}

/* All states of the level in work are expanded. */
static bool is_closed(const struct search *search) { return search->complete == search->levels; }

static struct checkpoint_search sums_of(const struct search *search, const struct snapshot *snapshot) {
  const struct model *model = search->task->model;
  return (struct checkpoint_search){.level_states = search->level_states,
                                    .levels = search->levels,
                                    .complete = search->complete,
                                    .expanded = search->expanded,
                                    .violations = snapshot->violations,
                                    .property_count = (uint32_t)model->property_count,
                                    .failed = search->failed,
                                    .cut = search->cut,
                                    .cut_depth = search->cut_depth,
                                    .fired = snapshot->fired,
                                    .transition_count = (uint32_t)model->transition_count};
}

/* Also of the level in work, where its hits were gathered as the run ended. */
static void add_hits(const struct search *search, struct snapshot *snapshot) {
  for (size_t i = 0; i < search->task->model->property_count; i++)
    if (search->violations[i].violation)
      snapshot_add_violation(snapshot, i, &search->violations[i], search->task->layout->key_words);
}

/* Without one the search goes on. */
static void tell(struct search *search, const struct snapshot *snapshot, floe_status status) {
  search->kept.lost = status != FLOE_OK;
  if (snapshot->log)
    diag_pass_on_as_warnings(snapshot->log, search->log);
  if (status == FLOE_ERROR_MEMORY)
    diag_warning(search->log, NULL, NOWHERE, NULL, "no checkpoint: out of memory");
}

static void drop(struct search *search, struct snapshot *snapshot) {
  floe_log_free(snapshot->log);
  mem_free(snapshot->fired);
  mem_free(snapshot->violations);
  search->kept.last = clock_seconds();
  search->kept.seconds += search->kept.last - snapshot->begun;
}

static floe_status make(struct search *search, struct snapshot *snapshot) {
  const struct model *model = search->task->model;
  snapshot->fired = mem_array(model->transition_count, sizeof *snapshot->fired);
  snapshot->violations = mem_array(model->property_count, sizeof *snapshot->violations);
  if (!snapshot->fired || !snapshot->violations)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(floe_log_create(&snapshot->log));
  memcpy(snapshot->fired, search->fired, model->transition_count * sizeof *snapshot->fired);
  add_hits(search, snapshot);
  snapshot->sums = sums_of(search, snapshot);
  return FLOE_OK;
}

struct checkpoint_order snapshot_order(const struct table_config *config, const struct table_shape *shape) {
  if (table_traits(config->scheme)->every_key) /* in that of the keys themselves */
    return (struct checkpoint_order){.permutation = NULL};
  return (struct checkpoint_order){.permutation = config->permutation ? config->permutation : permutation_names()[0],
                                   .seed = config->seed,
                                   .buckets = shape->bucket_slots > 1 ? shape->buckets : 1};
}

bool snapshot_begin(struct search *search, unsigned lanes, const struct checkpoint_order *order, struct snapshot *out) {
  const struct checkpoint_policy *checkpoint_policy = keeping_of(search);
  struct checkpoint_head head = *checkpoint_policy->head;
  struct snapshot snapshot = {.begun = clock_seconds()};
  head.order = *order;
  head.seconds += snapshot.begun - search->begun;
  floe_status status = make(search, &snapshot);
  if (status == FLOE_OK)
    status = checkpoint_create(checkpoint_policy->path, &head, lanes, snapshot.log, &snapshot.writer);
  if (status == FLOE_OK) {
    *out = snapshot;
    return true;
  }
  tell(search, &snapshot, status);
  drop(search, &snapshot);
  return false;
}

bool snapshot_begin_part(struct search *search, struct snapshot *out) {
  *out = (struct snapshot){.begun = clock_seconds()};
  if (make(search, out) == FLOE_OK)
    return true;
  drop(search, out);
  return false;
}

void snapshot_leave(struct search *search, struct snapshot *snapshot) { drop(search, snapshot); }

void snapshot_add_part(struct snapshot *snapshot, const struct checkpoint_search *part, uint32_t words) {
  struct checkpoint_search *sums = &snapshot->sums;
  assert(part->transition_count == sums->transition_count && part->property_count == sums->property_count);
  sums->transitions += part->transitions;
  sums->deadlocks += part->deadlocks;
  sums->checksum += part->checksum;
  sums->failed |= part->failed;
  if (part->max_out_degree > sums->max_out_degree)
    sums->max_out_degree = part->max_out_degree;
  if (part->cut && !sums->cut)
    sums->cut_depth = part->cut_depth;
  sums->cut = sums->cut || part->cut;
  for (uint32_t t = 0; t < part->transition_count; t++)
    snapshot->fired[t] += part->fired[t];
  for (uint32_t i = 0; i < part->property_count; i++) {
    const struct engine_violation violation = hit_of(&part->violations[i]);
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

void snapshot_end(struct search *search, struct snapshot *snapshot) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < snapshot->sums.property_count; i++)
    snapshot->violations[i].provisional = snapshot->violations[i].violation && !is_closed(search) && //
                                          snapshot->violations[i].depth == search_depth(search);
  floe_status status = checkpoint_commit(snapshot->writer, &snapshot->sums, &bytes);
  search->kept.count += status == FLOE_OK;
  if (status == FLOE_OK)
    search->kept.bytes = bytes;
  tell(search, snapshot, status);
  drop(search, snapshot);
}

void snapshot_give_up(struct search *search, struct snapshot *snapshot, floe_status status) {
  checkpoint_abandon(snapshot->writer);
  tell(search, snapshot, status);
  drop(search, snapshot);
}

/* ---- going on ------------------------------------------------------------------------------------ */

uint64_t snapshot_states(const struct engine_task *task) {
  return task->snapshot.from ? checkpoint_sizes_of(task->snapshot.from, CHECKPOINT_KEYS).states : task->group.restored_states;
}

static void find_origin(struct search *search) {
  const struct checkpoint_reader *from = search->task->snapshot.from;
  if (!from)
    return;
  search->origin.search = checkpoint_search_of(from);
  for (enum checkpoint_section i = 0; i < CHECKPOINT_SECTIONS; i++)
    search->origin.states[i] = checkpoint_sizes_of(from, i).states;
}

static floe_status contradicts(const struct search *search, const char *what) {
  diag_error(search->log, NULL, NOWHERE, NULL, "the checkpoint contradicts itself: %s", what);
  return FLOE_ERROR_IO;
}

/* Whose hits and firings there are is told by the digest of the model; that the levels add up only by the file. */
static floe_status check_levels(const struct search *search, const struct checkpoint_search *from) {
  const uint64_t next = search->origin.states[CHECKPOINT_NEXT], rest = search->origin.states[CHECKPOINT_REST];
  uint64_t states = 0;
  if (from->levels == 0 || from->complete > from->levels || from->complete + 1 < from->levels)
    return contradicts(search, "it is at no level");
  if (from->transition_count != search->task->model->transition_count ||
      from->property_count != search->task->model->property_count)
    return contradicts(search, "it is of another model");
  for (uint32_t i = 0; i < from->levels; i++)
    states += from->level_states[i];
  if (rest > from->level_states[from->levels - 1] || states + next != search->origin.states[CHECKPOINT_KEYS])
    return contradicts(search, "its levels do not have its states");
  return FLOE_OK;
}

static void restore_hits(struct search *search, const struct checkpoint_search *from) {
  const uint32_t words = search->task->layout->key_words;
  for (uint32_t i = 0; i < from->property_count; i++) {
    if (!from->violations[i].violation || from->violations[i].provisional)
      continue;
    const struct engine_violation violation = hit_of(&from->violations[i]);
    hit_keep_least(&search->violations[i], violation.state, words, violation.depth, violation.error);
    search->violations_so_far |= UINT64_C(1) << i;
  }
}

floe_status snapshot_restore(struct search *search) {
  find_origin(search);
  const struct checkpoint_search *from = search->origin.search;
  FLOE_TRY(check_levels(search, from));
  if (!search_make_room(search, from->levels))
    return FLOE_ERROR_MEMORY;
  memcpy(search->level_states, from->level_states, from->levels * sizeof *from->level_states);
  search->levels = from->levels;
  search->complete = from->levels - 1;
  search->expanded = 0;
  for (uint32_t i = 0; i < search->complete; i++)
    search->expanded += from->level_states[i];
  memcpy(search->fired, from->fired, from->transition_count * sizeof *from->fired);
  restore_hits(search, from);
  search_note_failures(search, from->failed, from->cut, from->cut_depth);
  return FLOE_OK;
}

void snapshot_each_violation(const struct search *search,
                             void (*take)(void *user, size_t property, const struct engine_violation *), void *user) {
  const struct checkpoint_search *from = search->origin.search;
  for (uint32_t i = 0; i < from->property_count; i++) {
    const struct engine_violation violation = hit_of(&from->violations[i]);
    if (violation.violation && from->violations[i].provisional)
      take(user, i, &violation);
  }
}

floe_status snapshot_check(const struct search *search, uint64_t fresh, uint64_t checksum) {
  if (fresh != search->origin.states[CHECKPOINT_KEYS])
    return contradicts(search, "a state is in it twice");
  if (checksum != search->origin.search->checksum)
    return contradicts(search, "its states are not those of its checksum");
  return FLOE_OK;
}

/* A level that is begun ends first. */
void snapshot_decide(struct search *search) {
  const uint64_t *states = search->origin.states;
  if (search->ended || states[CHECKPOINT_NEXT] || states[CHECKPOINT_PENDING] ||
      states[CHECKPOINT_REST] != search->level_states[search_depth(search)])
    return;
  search_decide(search, false, states[CHECKPOINT_KEYS]);
}
