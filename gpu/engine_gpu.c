/* The GPU engine: level-synchronous breadth-first search on a GPU (doc/gpu.md). The kernel goes from level to level by
   itself; between its launches the host grows the table, moves states that the device has no room for, and checks the
   clock. */
#include "base/numbers.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/cycles/device_attempts.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/gpu_tree.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/search_kernels.h"
#include "gpu/engine/sequence_stacks.h"
#include "gpu/engine/state_download.h"
#include "gpu/engine/tree_growth.h"
#include "gpu/engine/visited_growth.h"
#include "gpu/explore/explore.h"
#include "gpu/explore/host_backed_set.h"
#include "gpu/explore/launch.h"
#include "gpu/explore/level_end.h"
#include "gpu/jit/gpu_api.h"
#include "gpu/multi/gpu_member.h"
#include "gpu/multi/mailbox.h"
#include "gpu/multi/member.h"
#include "gpu/multi/outbox.h"
#include "gpu/snapshot/gpu_snapshot.h"
#include "gpu/snapshot/key_transfer.h"
#include "gpu/trace/device_paths.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- start ----------------------------------------------------------------------------------- */

/* Leaves the search as after a launch that ended with a part: unexpanded states are on the host. In a group, and with
   the host-backed set, the first phase or step begins with the next part. */
static floe_status restore(struct gpu_search *self) {
  gpu_restore(self);
  if (!self->search.ended) {
    gpu_search_set_stops(self);
    gpu_restore_pending(self);
  }
  if (gpu_search_in_group(self))
    return self->search.status;
  snapshot_decide(&self->search);
  if (!self->search.ended && !self->host_backed)
    gpu_search_end_part(self);
  return self->search.status;
}

static floe_status put_initial(struct gpu_search *self) {
  const gpu_address to = self->host_backed  ? self->buffers.pending
                         : self->tree.words ? self->tree.pending
                                            : self->buffers.source;
  const uint64_t bytes = self->search.task->layout->key_words * sizeof(uint64_t);
  FLOE_TRY(gpu_upload(self->gpu, to, self->search.task->initial, bytes));
  if (self->tree.words)
    FLOE_TRY(tree_insert(self, 1));
  return self->host_backed ? host_backed_put(self, 1) : grow_insert(self, 1);
}

/* The initial state becomes level 0. */
static floe_status begin(struct gpu_search *self) {
  struct gpu_control *control = &self->control;
  control->level.current = control->level.current_end = control->level.next = control->next_end = FIRST_POSITION;
  control->results.firing_failed_depth = UINT32_MAX;
  for (size_t i = 0; i < GPU_PROPERTIES; i++)
    control->results.witness[i] = UINT64_MAX;
  if (snapshot_states(self->search.task) > 0)
    return restore(self);
  const uint64_t expected = collective_owns(&self->group.collective, self->search.task->initial);
  if (expected)
    FLOE_TRY(put_initial(self));
  if (gpu_search_states(self) != expected || control->pending_count) {
    diag_error(self->search.log, NULL, NOWHERE, "please report this with the model",
               "internal error: the GPU put %" PRIu64 " states instead of the initial one, and "
               "refused %" PRIu64,
               gpu_search_states(self), control->pending_count);
    return FLOE_ERROR_INTERNAL;
  }
  download_take(self);
  if (gpu_search_in_group(self))
    download_flush(self);
  queue_next_level(self);
  if (!search_first_level(&self->search))
    return FLOE_ERROR_MEMORY;
  if (gpu_search_in_group(self))
    download_begin_level(self);
  return self->search.status;
}

static void explore_some(struct gpu_search *self) {
  if (self->host_backed)
    host_backed_step(self);
  else if (gpu_search_in_group(self))
    member_expand_level(self);
  else
    gpu_search_explore_some(self);
  device_attempts_make(self);
  if (!self->search.ended && !gpu_search_in_group(self) && snapshot_is_due(&self->search, clock_seconds()))
    gpu_save(self);
}

static void explore_levels(struct gpu_search *self) {
  device_attempts_begin(self);
  floe_status status = begin(self);
  if (status != FLOE_OK)
    search_fail(&self->search, status);
  member_begin(self);
  if (self->search.task->group.restored_states)
    snapshot_decide(&self->search);
  while (!self->search.ended)
    explore_some(self);
  if (self->host_backed && self->search.status == FLOE_OK)
    host_backed_drain(self);
  if (snapshot_may_be_last(&self->search))
    gpu_save(self);
  if (self->search.status == FLOE_OK && self->control.level.triggered &&
      !gpu_search_in_group(self)) /* in an unfinished level */
    gpu_search_gather(self, search_depth(&self->search));
  download_deliver(self);
}

/* ---- creation -------------------------------------------------------------------------------- */

/* Tickets for more states, if the set may profit from them and there is room for what is found after the last one. */
static void choose_tickets(struct gpu_search *self, uint64_t most_words) {
  const uint64_t slack =
      gpu_slack((uint64_t)self->grid.blocks * GPU_WARPS, (uint64_t)GPU_TICKET_BATCHES * self->grid.max_successors);
  self->grid.ticket_batches = 1;
  if (grow_may_have_every_key(self) && slack <= most_words && self->test_settings.turns != 1) {
    self->grid.ticket_batches = GPU_TICKET_BATCHES;
    self->grid.slack = slack;
  }
}

/* All resident blocks, unless their warps could find more states at once than queue and lists have room for. */
static floe_status choose_blocks(struct gpu_search *self) {
  const uint64_t words = member_words(self); /* of a pending state */
  uint64_t most_words = self->budget.limit / 64 / sizeof(uint64_t) / words;
  if (gpu_search_in_group(self))
    most_words = least(most_words, outbox_most_slack(self));
  self->grid.max_successors = self->search.task->stepper->max_successors + member_extra_keys(self);
  self->grid.blocks = kernels_resident_blocks(self); /* the host-backed set has another kernel and adjusts this later */
  if (!self->kernels.module)
    self->grid.blocks = GPU_MOST_RESIDENT * gpu_information(self->gpu)->multiprocessors;
  if (self->test_settings.blocks)
    self->grid.blocks = (unsigned)least(self->grid.blocks, self->test_settings.blocks);
  if (self->tree.words) /* its tables have room for so many lanes that insert at once */
    self->grid.blocks = (unsigned)least(self->grid.blocks, self->tree.users / GPU_BLOCK);
  sequence_stacks_plan(self, most_words);
  while (self->grid.blocks > 1 &&
         gpu_slack((uint64_t)self->grid.blocks * GPU_WARPS, self->grid.max_successors) > most_words)
    self->grid.blocks /= 2;
  self->grid.slack = gpu_slack((uint64_t)self->grid.blocks * GPU_WARPS, self->grid.max_successors);
  choose_tickets(self, most_words);
  return self->grid.slack <= 2 * most_words ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status take_cleared(struct gpu_search *self, uint64_t bytes, gpu_address *out) {
  FLOE_TRY(gpu_search_take(self, bytes, out));
  return gpu_fill(self->gpu, *out, 0, bytes);
}

static floe_status make_space(struct gpu_search *self) {
  const uint64_t word = sizeof(uint64_t), transitions = self->search.task->model->transition_count;
  self->buffers.level_capacity = self->test_settings.levels;
  FLOE_TRY(take_cleared(self, sizeof self->control, &self->buffers.control));
  FLOE_TRY(take_cleared(self, (transitions + 1) * word, &self->buffers.fired));
  FLOE_TRY(gpu_search_take(self, self->buffers.level_capacity * word, &self->buffers.level_states));
  self->buffers.put_room = gpu_search_in_group(self) ? member_inbox(self) : self->grid.slack;
  FLOE_TRY(gpu_search_take(self, self->buffers.put_room * word, &self->buffers.pending));
  FLOE_TRY(gpu_search_take(self, self->buffers.put_room * word, &self->buffers.source));
  if (self->download.log) {
    self->buffers.log_capacity = 4 * self->grid.slack;
    FLOE_TRY(gpu_search_take(self, self->buffers.log_capacity * word, &self->buffers.log));
  }
  FLOE_TRY(sequence_stacks_open(self));
  FLOE_TRY(gpu_tree_open(self));
  FLOE_TRY(member_open(self));
  FLOE_TRY(queue_first(self, grow_expected_states(self), transfer_bytes(self)));
  return download_open(self);
}

static floe_status open_search(struct gpu_search *self) {
  const double start = clock_seconds();
  FLOE_TRY(member_join(self));
  FLOE_TRY(test_settings_read(getenv("FLOE_GPU_TEST"), self->search.log, &self->test_settings));
  self->budget.limit = gpu_memory_budget(self->gpu, self->search.task->options->gpu_memory, 0);
  download_plan(self);
  gpu_tree_plan(self);
  mailbox_plan(self);
  FLOE_TRY(grow_first_set(self));
  const struct table_kind kind = kernels_kind(&self->visited.table);
  if (!self->visited.host_backed_first)
    FLOE_TRY(kernels_make(self, &kind, &self->kernels));
  FLOE_TRY(choose_blocks(self));
  FLOE_TRY(make_space(self));
  if (self->visited.host_backed_first)
    FLOE_TRY(host_backed_open(self));
  FLOE_TRY(transfer_open(self));
  FLOE_TRY(gpu_wait(self->gpu));
  self->statistics.memory_seconds = clock_seconds() - start - self->build.seconds;
  return FLOE_OK;
}

static void close_search(struct gpu_search *self) {
  gpu_address *const parts[] = {&self->buffers.control, &self->buffers.fired,   &self->buffers.level_states,
                                &self->buffers.pending, &self->buffers.source,  &self->buffers.log,
                                &self->arcs.memory,     &self->sequences.memory};
  if (gpu_is_usable(self->gpu))
    gpu_wait(self->gpu);
  host_backed_free(self);
  member_close(self);
  download_close(self);
  transfer_close(self);
  mem_free(self->restored_pending.states);
  mem_free(self->queue_overflow.states);
  queue_free(self);
  grow_drop_set(self);
  gpu_tree_close(self);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gpu_free(self->gpu, *parts[i]);
  device_attempts_end(self);
  kernels_free(&self->kernels);
  kernels_free(&self->visited.rehash);
  arena_free(&self->build.arena);
}

/* ---- the outcome ----------------------------------------------------------------------------- */

/* Layout of the device's table, or of the device cache if there is no table; bytes and slots of device and host. */
static struct table_shape set_shape(const struct gpu_search *self) {
  const struct host_backed_figures host_backed = host_backed_figures(self);
  struct table_shape shape = self->visited.table.shape;
  if (!shape.slots) {
    shape.key_bits = self->visited.table.config.key_bits;
    shape.slot_bits = host_backed.device_cache_geometry.slot_bits;
    shape.bucket_slots = host_backed.device_cache_geometry.bucket_slots;
  }
  shape.slots += host_backed.host_slots;
  shape.bytes += host_backed.host_bytes + host_backed.device_cache_bytes;
  return shape;
}

static void set_figures(const struct gpu_search *self, struct engine_outcome *out) {
  out->statistics.growths = self->visited.growths;
  out->table.scheme = self->visited.table.config.scheme;
  out->table.shape = set_shape(self);
  out->gpu.host_backed = self->host_backed != NULL;
  out->gpu.host_states = host_backed_figures(self).host_keys;
  out->gpu.host_bytes = host_backed_figures(self).host_bytes;
  out->statistics.frontier_bytes = self->queue.peak_bytes;
  out->statistics.tree_bytes = self->tree.bytes;
  for (uint32_t id = 0; id < self->tree.count; id++)
    out->statistics.tree_contents += self->tree.numbers[id];
  out->table.simd = "16-byte loads";
  out->threads = self->grid.blocks * GPU_BLOCK;
  out->gpu.blocks = self->grid.blocks;
  out->gpu.launches = self->statistics.launches;
  out->statistics.spilled_states = self->queue.spilled;
  out->statistics.disk_bytes = segments_written(&self->queue.spill);
  out->gpu.built_from_cache = self->build.from_cache;
  out->gpu.build_seconds = self->build.seconds;
  out->gpu.memory_seconds = self->statistics.memory_seconds;
  out->statistics.explore_seconds =
      clock_seconds() - self->search.begun - (self->build.seconds - self->build.seconds_before);
}

static void log_host_backed(const struct gpu_search *self) {
  const struct host_backed_figures host_backed = host_backed_figures(self);
  diag_note(self->search.log, NULL, NOWHERE, NULL,
            "host-backed set: base_keys=%" PRIu64 " host_keys=%" PRIu64 " host_bytes=%" PRIu64
            " device_cache_bytes=%" PRIu64 " candidates=%" PRIu64 " unresolved=%" PRIu64 " batches=%" PRIu64
            " host_growths=%" PRIu64 " open=%.6f explore=%.6f select=%.6f lookup=%.6f wait=%.6f apply=%.6f",
            gpu_search_states(self) - host_backed.host_keys, host_backed.host_keys, host_backed.host_bytes,
            host_backed.device_cache_bytes, host_backed.candidates, host_backed.unresolved, host_backed.batches,
            host_backed.host_growths, host_backed.open_seconds, host_backed.explore_seconds, host_backed.select_seconds,
            host_backed.lookup_seconds, host_backed.wait_seconds, host_backed.apply_seconds);
}

static void log_statistics(const struct gpu_search *self, const struct engine_outcome *out) {
  static const struct gpu_member none;
  const struct gpu_member *member = self->member ? self->member : &none;
  diag_note(self->search.log, NULL, NOWHERE, NULL,
            "GPU: explore=%.6f kernels=%.6f grow=%.6f build=%.6f memory=%.6f launches=%" PRIu64
            " blocks=%u growths=%" PRIu64 " refused=%" PRIu64 " spilled=%" PRIu64 " table_bytes=%" PRIu64
            " queue_words=%" PRIu64 " replaced=%u bitmap=%d tree_growths=%" PRIu64 " members=%u phases=%u sent=%" PRIu64
            " left_out=%" PRIu64 " far=%d closed=%" PRIu64 " caught_up=%u",
            out->statistics.explore_seconds, self->statistics.kernel_seconds, self->visited.grow_seconds,
            self->build.seconds, self->statistics.memory_seconds, self->statistics.launches, self->grid.blocks,
            self->visited.growths, self->visited.refused, self->queue.spilled, self->visited.table.shape.bytes,
            self->queue.ring_words, self->queue.ring_replacements,
            table_traits(self->visited.table.config.scheme)->every_key, self->tree.growths, self->group.collective.size,
            member->phase.number, self->group.collective.sent, member->mailboxes.left_out, member->out.pool.device != 0,
            member->phase.closed, member->phase.caught_up);
  if (self->host_backed)
    log_host_backed(self);
}

static floe_status report(struct gpu_search *self, struct engine_outcome *out) {
  const struct gpu_control *control = &self->control;
  struct search *search = &self->search;
  const size_t transitions = search->task->model->transition_count;
  FLOE_TRY(gpu_download(self->gpu, search->fired, self->buffers.fired, transitions * sizeof *search->fired));
  FLOE_TRY(gpu_tree_count(self));
  search_note_failures(search, control->results.failed, control->results.firing_failed_depth != UINT32_MAX,
                       control->results.firing_failed_depth);
  *out = (struct engine_outcome){.states = gpu_search_states(self),
                                 .transitions = control->results.transitions,
                                 .deadlocks = control->results.deadlocks,
                                 .max_out_degree = (uint32_t)control->results.max_out_degree,
                                 .checksum = control->results.checksum};
  set_figures(self, out);
  FLOE_TRY(collective_report(&self->group.collective, out));
  search_conclude(search, out);
  device_paths_find(self, out);
  if (search->task->cycles && (out->end == FLOE_END_COMPLETE || out->end == FLOE_END_DECIDED))
    device_attempts_find(self, &out->cycles);
  if (self->test_settings.tell)
    log_statistics(self, out);
  return FLOE_OK;
}

/* ---- the engine ------------------------------------------------------------------------------ */

static struct gpu_search *of(struct search *search) { return (struct gpu_search *)search; }

static void drop(struct search *search) {
  if (!search)
    return;
  close_search(of(search));
  search_close(search);
  mem_free(of(search));
}

static floe_status prepare(const struct engine_task *task, floe_log *log, struct search **out) {
  assert(task->devices.count == 1);
  struct gpu_search *self = mem_alloc(sizeof *self);
  if (!self)
    return FLOE_ERROR_MEMORY;
  self->gpu = task->devices.gpus[0];
  self->build.from_cache = true;
  arena_init(&self->build.arena);
  floe_status status = search_open(task, log, &self->search);
  if (status == FLOE_OK)
    status = open_search(self);
  if (status == FLOE_OK)
    *out = &self->search;
  else
    drop(&self->search);
  return status;
}

static floe_status explore(struct search *search, struct engine_outcome *out) {
  struct gpu_search *self = of(search);
  search_begin(search);
  self->build.seconds_before = self->build.seconds;
  explore_levels(self);
  member_end(self);
  return search->status == FLOE_OK ? report(self, out) : search->status;
}

const struct engine engine_gpu = {
    .name = "gpu", .most_devices = 1, .prepare = prepare, .explore = explore, .drop = drop};
