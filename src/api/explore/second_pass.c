#include "api/explore/second_pass.h"

#include "api/explore/engine_select.h"
#include "api/processes.h"
#include "base/numbers.h"
#include "gpu/jit/gpu_api.h"

#include <string.h>

floe_status second_pass_wrong(floe_log *log, const char *what) {
  diag_error(log, NULL, NOWHERE, "please report this with the model", "internal error: %s", what);
  return FLOE_ERROR_INTERNAL;
}

/* The states fitted in a bitmap, and may not fit in a hash table. */
static bool is_bitmap(const struct engine_outcome *outcome) {
  return outcome->table.scheme && table_traits(outcome->table.scheme)->every_key;
}

uint64_t second_pass_states(const struct exploration *e, uint32_t depth) {
  uint64_t states = 0;
  for (uint32_t i = 0; i < depth; i++)
    states += e->outcome.level_states[i];
  return states;
}

static bool is_on_cpu(const struct engine_outcome *outcome) {
  return outcome->gpu.blocks == 0 && !outcome->group.members;
}

/* A pass finds no more states than the search. With the same table and as much memory as the search used, it cannot
   lack memory; so the archive gets what the search left. */
uint64_t second_pass_archive_memory(const struct exploration *e) {
  const struct engine_outcome *outcome = &e->outcome;
  const uint64_t memory = e->options.memory, share = memory / ARCHIVE_SHARE;
  const uint64_t used =
      outcome->table.shape.bytes + outcome->statistics.tree_bytes + outcome->statistics.frontier_bytes;
  if (outcome->end == FLOE_END_MEMORY)
    return 0;
  return is_on_cpu(outcome) ? least(share, memory - least(used, memory)) : share;
}

/* The archive lacks memory, so the pass needs the table of the search. Fewer slots may be wider, and take more bytes.
 */
static bool is_tight(const struct exploration *e) {
  return is_on_cpu(&e->outcome) && second_pass_archive_memory(e) < e->options.memory / ARCHIVE_SHARE;
}

/* Options of a pass that finds the levels 0..depth - 1 again, with `archive` bytes for their archive. */
static floe_options repeat_options(const struct exploration *e, uint32_t depth, uint64_t archive) {
  const uint64_t states = second_pass_states(e, depth);
  floe_options options = e->options;
  options.memory -= archive;
  options.max_depth = depth - 1;
  options.max_states = UINT64_MAX;
  options.keep_going = true;
  options.progress = NULL;
  options.initial_slots = is_tight(e) ? e->outcome.table.shape.slots : states + states / 4 + 1024;
  const unsigned members = e->outcome.group.count ? e->outcome.group.count : 1; /* each has a bitmap of all keys */
  if (is_bitmap(&e->outcome) &&
      (is_on_cpu(&e->outcome) || e->outcome.table.shape.bytes / members <= options.memory / 2))
    options.table = e->outcome.table.scheme;
  return options;
}

/* Archives levels 0..depth - 1. */
static floe_status run_with_archive(struct exploration *e, uint32_t depth, struct archive *archive,
                                    struct engine_outcome *outcome) {
  floe_options options = repeat_options(e, depth, second_pass_archive_memory(e));
  struct engine_task task = exploration_trace_task(e, &options);
  task.property_mask = 0;
  task.same_table = is_tight(e);
  task.archive = archive;
  return engine_select_run_again(e, &task, outcome);
}

/* In a group this process archives a part of each level: then the level sizes of the run are compared. */
static bool same_levels(const struct exploration *e, const struct archive *archive, const struct engine_outcome *again,
                        uint32_t depth) {
  if (archive_levels(archive) != depth)
    return false;
  if (again->group.members)
    return again->levels == depth &&
           memcmp(again->level_states, e->outcome.level_states, depth * sizeof *again->level_states) == 0;
  for (uint32_t i = 0; i < depth; i++)
    if (archive_states(archive, i) != e->outcome.level_states[i])
      return false;
  return true;
}

static const struct early_end {
  const char *reason, *remedy;
} early_ends[] = {
    [FLOE_END_MEMORY] = {"memory limit reached", "raise --memory"},
    [FLOE_END_TIMEOUT] = {"time limit reached", "raise --trace-timeout"},
    [FLOE_END_INTERRUPT] = {"interrupted", NULL},
    [FLOE_END_DISK] = {"a temporary file failed", NULL},
};

void second_pass_give_up(const struct exploration *e, const struct second_pass_purpose *purpose, floe_end why) {
  diag_warning(e->log, NULL, NOWHERE, early_ends[why].remedy, "%s: %s while %s", purpose->missing,
               early_ends[why].reason, purpose->activity);
}

floe_end second_pass_end(const struct exploration *e, floe_status status) {
  const struct stop stop = exploration_trace_stop(e);
  if (status == FLOE_ERROR_MEMORY || status == FLOE_ERROR_IO)
    return status == FLOE_ERROR_MEMORY ? FLOE_END_MEMORY : FLOE_END_DISK;
  return stop_is_set(stop.interrupt) ? FLOE_END_INTERRUPT : FLOE_END_TIMEOUT;
}

floe_status second_pass_keep_levels(struct exploration *e, uint32_t levels, struct archive *archive,
                                    const struct second_pass_purpose *purpose, bool *kept) {
  struct engine_outcome outcome;
  floe_status status = run_with_archive(e, levels, archive, &outcome);
  *kept = false;
  if (status == FLOE_ERROR_MEMORY || status == FLOE_ERROR_IO) {
    second_pass_give_up(e, purpose, second_pass_end(e, status));
    return FLOE_OK;
  }
  FLOE_TRY(status);
  floe_end end = outcome.end;
  *kept = !engine_ended_early(end) && same_levels(e, archive, &outcome, levels);
  engine_outcome_free(&outcome);
  if (engine_ended_early(end)) {
    second_pass_give_up(e, purpose, end);
    return FLOE_OK;
  }
  return *kept ? FLOE_OK : second_pass_wrong(e->log, "the two passes have different levels");
}

/* ---- paths on the device --------------------------------------------------------------------- */

/* The levels take at most this share of the device's memory beside the visited set. */
#define LEVELS_SHARE 4

/* A single GPU explored, and has room for all states of the levels. */
static bool device_holds_levels(const struct exploration *e, uint64_t states) {
  const struct engine_outcome *outcome = &e->outcome;
  if (outcome->gpu.blocks == 0 || outcome->gpu.host_backed || outcome->group.members || processes_comm() ||
      e->device.gpus.count == 0)
    return false;
  const uint64_t memory = gpu_memory_budget(e->device.gpus.gpu[0], e->options.gpu_memory, 0);
  return states <= memory / LEVELS_SHARE / sizeof(uint64_t);
}

void second_pass_find_paths(struct exploration *e, const struct task_paths *paths, uint32_t depth) {
  if (!device_holds_levels(e, paths->states))
    return;
  struct engine_outcome outcome;
  floe_options options = repeat_options(e, depth, 0);
  if (engine_select_repeats_on_cpu(&options))
    return;
  struct engine_task task = exploration_trace_task(e, &options);
  task.property_mask = 0;
  task.paths = *paths;
  task.devices.count = 1;
  if (engine_select_run_again(e, &task, &outcome) != FLOE_OK)
    return;
  e->outcome.paths = outcome.paths;
  e->outcome.path_count = outcome.path_count;
  outcome.paths = NULL;
  engine_outcome_free(&outcome);
}
