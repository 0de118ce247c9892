/* Level-synchronous breadth-first search on a GPU (doc/gpu.md). The kernel goes from level to level
   by itself; between its launches the host grows the table, moves states that the device has no
   room for, and looks at the clock. */
#include "base/numbers.h"
#include "core/clock.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/jit/gpu_api.h"
#include "gpu/engine/host_backed_set.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A warp reads the level that is handed on, and where the queue ends, as one line. */
_Static_assert(GPU_LEVEL_WORDS < 16, "the level does not fit a line");
_Static_assert(offsetof(struct gpu_control, handoff.levels) % 128 == 0, "the line is not aligned");

#define LEVEL_DONE (GPU_EXIT_TRIGGERED | GPU_EXIT_DEPTH | GPU_EXIT_STATES | GPU_EXIT_LEVELS | GPU_EXIT_EMPTY)
/* Blocks of floe_explore on a multiprocessor. */
/* Slices are short while states are handed on, so that the device seldom waits. */
#define DOWNLOAD_SLICE_US 5000
/* And where others wait for what is found. With mailboxes they do so seldom, and what ends all warps' turns at once
   costs 0.13 ms, on two H100s and H200s. */
#define MEMBER_SLICE_US 5000
#define MAILING_SLICE_US 20000

/* ---- the device's memory --------------------------------------------------------------------- */

floe_status gpu_search_take(struct gpu_search *self, uint64_t bytes, gpu_address *out) {
  return gpu_budget_take(self->gpu, &self->budget, bytes, out);
}

void gpu_search_give(struct gpu_search *self, uint64_t bytes, gpu_address *address) {
  gpu_budget_give(self->gpu, &self->budget, bytes, address);
}

floe_status gpu_search_upload(struct gpu_search *self) {
  return gpu_upload(self->gpu, self->control_at, &self->control, sizeof self->control);
}

floe_status gpu_search_download(struct gpu_search *self) {
  return gpu_download(self->gpu, &self->control, self->control_at, sizeof self->control);
}

#define ON_DEVICE(type, address) ((type *)(uintptr_t)(address))

struct gpu_space gpu_search_space(const struct gpu_search *self) {
  struct gpu_space space = {.control = ON_DEVICE(struct gpu_control, self->control_at),
                            .ring = ON_DEVICE(uint64_t, self->ring),
                            .ring_mask = self->ring_words - 1,
                            .pending = ON_DEVICE(uint64_t, self->pending),
                            .fired = ON_DEVICE(uint64_t, self->fired),
                            .level_states = ON_DEVICE(uint64_t, self->level_states),
                            .level_capacity = self->level_capacity,
                            .log = ON_DEVICE(uint64_t, self->logged),
                            .log_capacity = self->log_capacity,
                            .ticket_batches = self->ticket_batches};
  gpu_tree_describe(self, &space);
  if (member_is_one(self))
    member_describe(self, &space);
  return space;
}

/* ---- the clock ------------------------------------------------------------------------------- */

/* For states, in both levels. */
static uint64_t places(const struct gpu_search *self) {
  return self->visited.shape.slots + host_backed_figures(self).host_slots;
}

static floe_progress figures(const struct gpu_search *self) {
  const uint64_t states = gpu_search_states(self);
  const struct collective *collective = &self->member.collective;
  return (floe_progress){.states = states + collective->others,
                         .transitions = self->control.results.transitions + collective->others_fired,
                         .frontier = queue_level_rest(self),
                         .depth = self->control.level.depth,
                         .table_fill = (double)states / (double)places(self),
                         .bytes = self->budget.used + self->segment_bytes_all + host_backed_figures(self).host_bytes};
}

void gpu_search_poll(struct gpu_search *self) {
  const double now = clock_seconds();
  if (search_report_due(self->search, now))
    search_report(self->search, figures(self), now);
  search_check_stop(self->search);
}

/* Nanoseconds until the host wants to look at something. */
static uint64_t next_slice(const struct gpu_search *self) {
  const floe_options *options = self->search->task->options;
  double seconds = 1e-6 * (double)self->test_settings.slice_us;
  if (self->download.states || self->download.log)
    seconds = seconds < 1e-6 * DOWNLOAD_SLICE_US ? seconds : 1e-6 * DOWNLOAD_SLICE_US;
  if (member_is_one(self)) {
    const double most = 1e-6 * (mailbox_is_used(self) ? MAILING_SLICE_US : MEMBER_SLICE_US);
    seconds = seconds < most ? seconds : most;
  }
  if (options->timeout > 0) {
    double left = options->timeout - (clock_seconds() - self->search->task->limits.started);
    seconds = left < seconds ? left : seconds;
  }
  return seconds > 1e-5 ? (uint64_t)(1e9 * seconds) : 10000;
}

/* ---- one launch ------------------------------------------------------------------------------ */

/* States of a level from which on several devices pay. */
#define LARGE_LEVEL 200000

static uint64_t large_level(const struct gpu_search *self) {
  return self->test_settings.alone ? self->test_settings.alone : LARGE_LEVEL;
}

/* A launch ends where the search may be outgrown: with a level as large as that, of as many states in all. */
static uint64_t outgrown_at(const struct gpu_search *self) {
  const uint64_t from = self->search->task->devices.escalate_from, next = gpu_search_states(self) + large_level(self);
  return next > from ? next : from;
}

/* Levels that a launch closes are taken out of the queue after it, so they must all still lie
   there: at most `most` states up to the last of them, and that much room is kept beside what the
   level in work needs. */
void gpu_search_set_stops(struct gpu_search *self) {
  const floe_options *options = self->search->task->options;
  struct gpu_control *control = &self->control;
  const uint64_t most = self->download.most;
  control->level.wanted = search_pending_properties(self->search);
  control->level.errors_only = search_errors_only(self->search);
  control->level.properties_only = search_at_bound(self->search);
  control->level.one_part = control->level.properties_only || queue_in_parts(self) || member_is_one(self);
  control->level.depth_limit = options->max_depth;
  control->level.max_states = options->max_states;
  if (most)
    control->level.max_states = least(control->level.max_states, gpu_search_states(self) + most);
  if (self->search->task->devices.may_escalate)
    control->level.max_states = least(control->level.max_states, outgrown_at(self));
  control->level.slack = self->slack + most;
  control->level.time_slice = next_slice(self);
  if (member_is_one(self))
    member_set_stops(self);
}

floe_status gpu_search_launch(struct gpu_search *self, const struct search_kernels *code, const void *view,
                        const struct gpu_space *space) {
  struct gpu_launch grid = {.blocks = self->blocks, .threads = GPU_BLOCK, .cooperative = true};
  void *arguments[] = {(void *)view, (void *)space};
  FLOE_TRY(gpu_search_upload(self));
  const double start = clock_seconds();
  FLOE_TRY(gpu_start(self->gpu, code->explore.function, &grid, arguments));
  self->launches++;
  download_hand_on(self);
  floe_status status = member_is_one(self) ? outbox_work(self) : FLOE_OK;
  if (status == FLOE_OK)
    status = gpu_search_download(self);
  self->kernel_seconds += clock_seconds() - start;
  if (status != FLOE_OK || !self->control.results.broken)
    return status;
  search_report_unreachable(self->search);
  return FLOE_ERROR_INTERNAL;
}

static floe_status launch(struct gpu_search *self) {
  const struct gpu_space space = gpu_search_space(self);
  gpu_search_set_stops(self);
  return gpu_search_launch(self, &self->code, &self->visited.view, &space);
}

/* Sizes of the levels that the kernel closed. */
static floe_status fetch_levels(struct gpu_search *self) {
  struct search *search = self->search;
  const uint32_t count = self->control.level.level_count;
  if (!search_make_room(search, count))
    return FLOE_ERROR_MEMORY;
  if (count > 0)
    FLOE_TRY(gpu_download(self->gpu, search->levels.states + search->levels.count, self->level_states,
                          count * sizeof *search->levels.states));
  search_add_levels(search, count, self->control.level.exit_reasons & GPU_EXIT_EMPTY);
  if (member_is_one(self) && count > 0)
    member_closed(self, count);
  self->control.level.level_count = 0;
  return FLOE_OK;
}

/* ---- between launches ------------------------------------------------------------------------ */

static void gather(struct gpu_search *self, uint32_t depth) {
  floe_status status = violations_gather(self, depth);
  if (status != FLOE_OK)
    search_fail(self->search, status);
}

/* Where others are to be opened first their kernels may take as long to make as its own did: not before it has explored
   for so long. */
static void look_at_size(struct gpu_search *self) {
  const bool later = self->search->task->devices.escalate_from > 0 && !self->test_settings.alone;
  if (!later || clock_seconds() - self->search->begun >= self->build_seconds)
    search_check_escalation(self->search, large_level(self), gpu_search_states(self));
}

/* The kernel closed levels, the last of them just now; what triggered did so in that one. */
static void end_levels(struct gpu_search *self) {
  struct search *search = self->search;
  const bool empty = self->control.level.exit_reasons & GPU_EXIT_EMPTY;
  gather(self, search_depth(search) - (empty ? 0 : 1));
  if (!search->ended)
    search_decide(search, empty, gpu_search_states(self));
  look_at_size(self);
}

/* The host closes a level of which parts were here. */
static void close_level(struct gpu_search *self) {
  struct search *search = self->search;
  const uint64_t next = queue_next_states(self);
  gather(self, search_depth(search));
  if (search->ended)
    return;
  if (next > 0) {
    queue_turn(self);
    self->control.level.depth++;
  }
  search_level_done(search);
  search_next_level(search, next, gpu_search_states(self));
  look_at_size(self);
}

void gpu_search_end_level(struct gpu_search *self) {
  struct search *search = self->search;
  if (!self->control.level.properties_only) {
    close_level(self);
    return;
  }
  gather(self, search_depth(search));
  if (!search->ended)
    search_decide_at_bound(search);
}

static void end_part(struct gpu_search *self) {
  if (!queue_next_part(self) && !self->search->ended)
    gpu_search_end_level(self);
}

/* Why the kernel left: what it needs before it can go on. */
static void handle(struct gpu_search *self) {
  const uint32_t left = self->control.level.exit_reasons;
  if (left & LEVEL_DONE && !member_is_one(self))
    end_levels(self);
  if (!self->search->ended)
    gpu_search_poll(self);
  if (!self->search->ended && self->control.pending_count > 0)
    grow_place_pending(self);
  else if (!self->search->ended && (left & GPU_EXIT_GROW))
    grow_set(self);
  if (!self->search->ended && self->control.tree_pending_count > 0) {
    gpu_tree_place(self);
    grow_place_pending(self);
  }
  if (!self->search->ended && (left & GPU_EXIT_QUEUE))
    queue_was_full(self);
  if (!self->search->ended && (left & GPU_EXIT_PART) && !member_is_one(self))
    end_part(self);
}

/* The part in work, what follows it, and what was found, in the ring. What a member of a group found may have been
   fired elsewhere. */
static bool in_order(const struct gpu_search *self) {
  const struct gpu_control *c = &self->control;
  return c->level.current <= c->level.current_end && c->level.current_end <= c->level.next && c->level.next <= c->next_end &&
         c->next_end - c->level.current <= self->ring_words &&
         (member_is_one(self) || c->results.transitions + 1 >= gpu_search_states(self));
}

void gpu_search_explore_some(struct gpu_search *self) {
  assert(self->control.level.depth == search_depth(self->search));
  floe_status status = launch(self);
  if (status == FLOE_OK)
    status = fetch_levels(self);
  if (status != FLOE_OK) {
    search_fail(self->search, status);
    return;
  }
  assert(in_order(self));
  download_take(self);
  if (!self->search->ended)
    handle(self);
}

/* As after a launch that ended with a part: what waits is on the host. */
static floe_status go_on(struct gpu_search *self) {
  FLOE_TRY(gpu_restore(self));
  gpu_search_set_stops(self);
  if (!self->search->ended)
    resume_place(self);
  if (!self->search->ended)
    snapshot_decide(self->search);
  if (self->search->ended || self->host_backed) /* whose turns begin with the next part */
    return self->search->status;
  end_part(self);
  return self->search->status;
}

/* The same with others, whose first phase is the next part. */
static floe_status go_on_together(struct gpu_search *self) {
  gpu_restore_distributed(self);
  if (!self->search->ended) {
    gpu_search_set_stops(self);
    resume_place(self);
  }
  return self->search->status;
}

static floe_status put_initial(struct gpu_search *self) {
  const gpu_address to = self->host_backed ? self->pending : self->tree.words ? self->tree.unnamed : self->source;
  const uint64_t bytes = self->search->task->layout->key_words * sizeof(uint64_t);
  FLOE_TRY(gpu_upload(self->gpu, to, self->search->task->initial, bytes));
  if (self->tree.words)
    FLOE_TRY(gpu_tree_name(self, 1));
  return self->host_backed ? host_backed_put(self, 1) : grow_insert(self, 1);
}

/* It has the initial state: the only one, or the one of several whose that is. */
static bool has_initial(const struct gpu_search *self) {
  const struct engine_task *task = self->search->task;
  const struct collective *collective = &self->member.collective;
  return !task->group.comm || collective_owner(collective, task->initial) == collective->rank;
}

/* The initial state becomes level 0. */
static floe_status begin(struct gpu_search *self) {
  struct gpu_control *control = &self->control;
  control->level.current = control->level.current_end = control->level.next = control->next_end = FIRST_POSITION;
  control->results.firing_failed_depth = UINT32_MAX;
  for (size_t i = 0; i < GPU_PROPERTIES; i++)
    control->results.witness[i] = UINT64_MAX;
  if (snapshot_states(self->search->task) > 0)
    return member_is_one(self) ? go_on_together(self) : go_on(self);
  const uint64_t expected = has_initial(self);
  if (expected)
    FLOE_TRY(put_initial(self));
  if (gpu_search_states(self) != expected || control->pending_count) {
    diag_error(self->search->log, NULL, NOWHERE, "please report this with the model",
               "internal error: the GPU put %" PRIu64 " states instead of the initial one, and "
               "refused %" PRIu64,
               gpu_search_states(self), control->pending_count);
    return FLOE_ERROR_INTERNAL;
  }
  download_take(self);
  if (member_is_one(self))
    download_settle(self);
  queue_turn(self);
  if (!search_first_level(self->search))
    return FLOE_ERROR_MEMORY;
  if (member_is_one(self))
    download_begin_level(self);
  return self->search->status;
}

static void go_on_for_a_bit(struct gpu_search *self) {
  if (self->host_backed)
    host_backed_turn(self);
  else if (member_is_one(self))
    member_expand_level(self);
  else
    gpu_search_explore_some(self);
  if (!self->search->ended && !member_is_one(self) && snapshot_is_due(self->search, clock_seconds()))
    gpu_save(self);
}

/* Of a group rank 0 knows whether there is to be one. */
static bool may_keep_last(const struct gpu_search *self) {
  const struct search *search = self->search;
  return member_is_one(self) ? search->task->group.saves && search->status == FLOE_OK : snapshot_is_last(search);
}

static void explore_levels(struct gpu_search *self) {
  floe_status status = begin(self);
  if (status != FLOE_OK)
    search_fail(self->search, status);
  if (member_is_one(self))
    member_begin(self);
  if (member_is_one(self) && self->search->task->group.restored_states)
    snapshot_decide(self->search);
  while (!self->search->ended)
    go_on_for_a_bit(self);
  if (self->host_backed && self->search->status == FLOE_OK)
    host_backed_settle(self);
  if (may_keep_last(self))
    gpu_save(self);
  if (self->search->status == FLOE_OK && self->control.level.triggered &&
      !member_is_one(self)) /* in a level that was not finished */
    gather(self, search_depth(self->search));
  download_hand_on(self);
}

/* ---- creation -------------------------------------------------------------------------------- */

/* Tickets for more states, where the set can be one that has use for them, and there is room for what is found after
   the last one. */
static void choose_tickets(struct gpu_search *self, uint64_t most_words) {
  const uint64_t slack =
      gpu_slack((uint64_t)self->blocks * GPU_WARPS, (uint64_t)GPU_TICKET_BATCHES * self->max_successors);
  self->ticket_batches = 1;
  if (grow_may_have_every_key(self) && slack <= most_words && self->test_settings.turns != 1) {
    self->ticket_batches = GPU_TICKET_BATCHES;
    self->slack = slack;
  }
}

/* As many blocks as the device holds, unless so many warps could find more at once than queue and
   lists have room for. */
static floe_status choose_blocks(struct gpu_search *self) {
  const uint64_t words = member_words(self); /* of what warps may have to put aside */
  uint64_t most_words = self->budget.limit / 64 / sizeof(uint64_t) / words;
  if (member_is_one(self))
    most_words = least(most_words, outbox_most_slack(self));
  self->max_successors = self->search->task->stepper->max_successors + member_most_beside(self);
  self->blocks = member_most_blocks(self); /* a set of two levels has another kernel, and says so later */
  if (!self->code.module)
    self->blocks = GPU_MOST_RESIDENT * gpu_information(self->gpu)->multiprocessors;
  if (self->test_settings.blocks)
    self->blocks = (unsigned)least(self->blocks, self->test_settings.blocks);
  if (self->tree.words) /* its tables have room for so many lanes that put at once */
    self->blocks = (unsigned)least(self->blocks, self->tree.users / GPU_BLOCK);
  while (self->blocks > 1 && gpu_slack((uint64_t)self->blocks * GPU_WARPS, self->max_successors) > most_words)
    self->blocks /= 2;
  self->slack = gpu_slack((uint64_t)self->blocks * GPU_WARPS, self->max_successors);
  choose_tickets(self, most_words);
  return self->slack <= 2 * most_words ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status take_cleared(struct gpu_search *self, uint64_t bytes, gpu_address *out) {
  FLOE_TRY(gpu_search_take(self, bytes, out));
  return gpu_fill(self->gpu, *out, 0, bytes);
}

static floe_status make_space(struct gpu_search *self) {
  const uint64_t word = sizeof(uint64_t), transitions = self->search->task->model->transition_count;
  self->level_capacity = self->test_settings.levels;
  FLOE_TRY(take_cleared(self, sizeof self->control, &self->control_at));
  FLOE_TRY(take_cleared(self, (transitions + 1) * word, &self->fired));
  FLOE_TRY(gpu_search_take(self, self->level_capacity * word, &self->level_states));
  self->put_room = member_is_one(self) ? member_inbox(self) : self->slack;
  FLOE_TRY(gpu_search_take(self, self->put_room * word, &self->pending));
  FLOE_TRY(gpu_search_take(self, self->put_room * word, &self->source));
  if (self->download.log) {
    self->log_capacity = 4 * self->slack;
    FLOE_TRY(gpu_search_take(self, self->log_capacity * word, &self->logged));
  }
  FLOE_TRY(gpu_tree_open(self));
  FLOE_TRY(member_open(self));
  FLOE_TRY(queue_first(self));
  return download_open(self);
}

static floe_status open_search(struct gpu_search *self) {
  const double start = clock_seconds();
  member_join(self);
  FLOE_TRY(test_settings_read(getenv("FLOE_GPU_TEST"), self->search->log, &self->test_settings));
  self->budget.limit = gpu_memory_allowed(self->gpu, self->search->task->options->gpu_memory, 0);
  download_plan(self);
  gpu_tree_plan(self);
  FLOE_TRY(grow_first_set(self));
  const struct table_kind kind = kernels_kind(&self->visited);
  if (!self->begins_in_two_levels)
    FLOE_TRY(kernels_make(self, &kind, &self->code));
  FLOE_TRY(choose_blocks(self));
  FLOE_TRY(make_space(self));
  if (self->begins_in_two_levels)
    FLOE_TRY(host_backed_open(self));
  FLOE_TRY(content_open(self));
  FLOE_TRY(gpu_wait(self->gpu));
  self->memory_seconds = clock_seconds() - start - self->build_seconds;
  return FLOE_OK;
}

static void close_search(struct gpu_search *self) {
  gpu_address *const parts[] = {&self->control_at, &self->fired,  &self->level_states,
                                &self->pending,    &self->source, &self->logged};
  if (gpu_sound(self->gpu))
    gpu_wait(self->gpu);
  host_backed_free(self);
  member_close(self);
  download_close(self);
  content_close(self);
  mem_free(self->unplaced.states);
  mem_free(self->unqueued.states);
  queue_free(self);
  grow_drop_set(self);
  gpu_tree_close(self);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gpu_free(self->gpu, *parts[i]);
  kernels_free(&self->code);
  kernels_free(&self->mover);
  arena_free(&self->arena);
}

/* ---- the outcome ----------------------------------------------------------------------------- */

/* Of the device's table (the newest keys' where there is no other), with the bytes and places of both levels. */
static struct table_shape set_shape(const struct gpu_search *self) {
  const struct host_backed_figures host_backed = host_backed_figures(self);
  struct table_shape shape = self->visited.shape;
  if (!shape.slots) {
    shape.key_bits = self->visited.config.key_bits;
    shape.slot_bits = host_backed.device_cache_geometry.slot_bits;
    shape.bucket_slots = host_backed.device_cache_geometry.bucket_slots;
  }
  shape.slots += host_backed.host_slots;
  shape.bytes += host_backed.host_bytes + host_backed.device_cache_bytes;
  return shape;
}

static void report_figures(const struct gpu_search *self, struct engine_outcome *out) {
  out->statistics.growths = self->growths;
  out->table.scheme = self->visited.config.scheme;
  out->table.shape = set_shape(self);
  out->gpu.host_backed = self->host_backed != NULL;
  out->gpu.host_states = host_backed_figures(self).host_keys;
  out->gpu.host_bytes = host_backed_figures(self).host_bytes;
  out->statistics.frontier_bytes = self->frontier_peak;
  out->statistics.tree_bytes = self->tree.bytes;
  for (uint32_t id = 0; id < self->tree.count; id++)
    out->statistics.tree_contents += self->tree.numbers[id];
  out->table.simd = "16-byte loads";
  out->threads = self->blocks * GPU_BLOCK;
  out->gpu.blocks = self->blocks;
  out->gpu.launches = self->launches;
  out->statistics.spilled_states = self->spilled;
  out->statistics.disk_bytes = segments_written(self);
  out->gpu.built_from_cache = self->from_cache;
  out->gpu.build_seconds = self->build_seconds;
  out->gpu.memory_seconds = self->memory_seconds;
  out->statistics.explore_seconds = clock_seconds() - self->search->begun - (self->build_seconds - self->prepared);
}

static void tell_two_levels(const struct gpu_search *self) {
  const struct host_backed_figures host_backed = host_backed_figures(self);
  diag_note(self->search->log, NULL, NOWHERE, NULL,
            "two levels: oldest=%" PRIu64 " host=%" PRIu64 " host_bytes=%" PRIu64 " newest_bytes=%" PRIu64
            " candidates=%" PRIu64 " asked=%" PRIu64 " batches=%" PRIu64 " growths=%" PRIu64
            " open=%.6f explore=%.6f ask=%.6f answer=%.6f wait=%.6f sift=%.6f",
            gpu_search_states(self) - host_backed.host_keys, host_backed.host_keys, host_backed.host_bytes, host_backed.device_cache_bytes, host_backed.candidates,
            host_backed.asked, host_backed.batches, host_backed.host_growths, host_backed.open_seconds, host_backed.explore_seconds, host_backed.ask_seconds,
            host_backed.answer_seconds, host_backed.wait_seconds, host_backed.sift_seconds);
}

static void tell(const struct gpu_search *self, const struct engine_outcome *out) {
  diag_note(self->search->log, NULL, NOWHERE, NULL,
            "GPU: explore=%.6f kernels=%.6f grow=%.6f build=%.6f memory=%.6f launches=%" PRIu64
            " blocks=%u growths=%" PRIu64 " refused=%" PRIu64 " spilled=%" PRIu64 " table_bytes=%" PRIu64
            " queue_words=%" PRIu64 " replaced=%u bitmap=%d tree_growths=%" PRIu64
            " members=%u phases=%u mailed=%" PRIu64 " left_out=%" PRIu64 " far=%d closed=%" PRIu64 " caught_up=%u",
            out->statistics.explore_seconds, self->kernel_seconds, self->grow_seconds, self->build_seconds,
            self->memory_seconds, self->launches, self->blocks, self->growths, self->refused, self->spilled,
            self->visited.shape.bytes, self->ring_words, self->replaced,
            table_traits(self->visited.config.scheme)->every_key, self->tree.growths, self->member.collective.size,
            self->member.phase, self->member.collective.sent, self->member.left_out, self->member.far != 0,
            self->member.closed, self->member.caught_up);
  if (self->host_backed)
    tell_two_levels(self);
}

static floe_status report(struct gpu_search *self, struct engine_outcome *out) {
  const struct gpu_control *control = &self->control;
  struct search *search = self->search;
  const size_t transitions = search->task->model->transition_count;
  FLOE_TRY(gpu_download(self->gpu, search->fired, self->fired, transitions * sizeof *search->fired));
  FLOE_TRY(gpu_tree_count(self));
  search_note_failures(search, control->results.failed, control->results.firing_failed_depth != UINT32_MAX, control->results.firing_failed_depth);
  *out = (struct engine_outcome){.states = gpu_search_states(self),
                                 .transitions = control->results.transitions,
                                 .deadlocks = control->results.deadlocks,
                                 .max_out_degree = (uint32_t)control->results.max_out_degree,
                                 .checksum = control->results.checksum};
  report_figures(self, out);
  if (member_is_one(self))
    FLOE_TRY(collective_report(&self->member.collective, out));
  search_conclude(search, out);
  if (self->test_settings.tell)
    tell(self, out);
  return FLOE_OK;
}

/* ---- the engine ------------------------------------------------------------------------------ */

struct gpu_engine_search {
  struct search search;
  struct gpu_search rank;
};

static struct gpu_engine_search *of(struct search *search) { return (struct gpu_engine_search *)search; }

static void drop(struct search *search) {
  if (!search)
    return;
  close_search(&of(search)->rank);
  search_close(search);
  mem_free(of(search));
}

static floe_status prepare(const struct engine_task *task, floe_log *log, struct search **out) {
  assert(task->devices.count == 1);
  struct gpu_engine_search *gpu = mem_alloc(sizeof *gpu);
  if (!gpu)
    return FLOE_ERROR_MEMORY;
  gpu->rank.search = &gpu->search;
  gpu->rank.gpu = task->devices.gpus[0];
  gpu->rank.from_cache = true;
  arena_init(&gpu->rank.arena);
  floe_status status = search_open(task, log, &gpu->search);
  if (status == FLOE_OK)
    status = open_search(&gpu->rank);
  if (status == FLOE_OK)
    *out = &gpu->search;
  else
    drop(&gpu->search);
  return status;
}

static floe_status explore(struct search *search, struct engine_outcome *out) {
  struct gpu_search *self = &of(search)->rank;
  search_begin(search);
  self->prepared = self->build_seconds;
  explore_levels(self);
  if (member_is_one(self))
    mailbox_unlink(self);
  return search->status == FLOE_OK ? report(self, out) : search->status;
}

const struct engine engine_gpu = {
    .name = "gpu", .most_devices = 1, .prepare = prepare, .explore = explore, .drop = drop};
