#include "gpu/snapshot/gpu_save.h"

#include "base/numbers.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot_group.h"
#include "engine/snapshot/snapshot_writer.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/gpu_tree.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/violations.h"
#include "gpu/explore/host_backed_set.h"
#include "gpu/snapshot/key_transfer.h"
#include "gpu/snapshot/tree_snapshot.h"

#include <inttypes.h>
#include <string.h>

struct save {
  struct gpu_search *self;
  struct snapshot_writer *files;   /* [threads of the pool] */
  enum checkpoint_section section; /* of `states`, which the threads share */
  const uint64_t *states;
  uint64_t n;
  struct tree_expander *expanders; /* multiword states; NULL: states of one word */
  uint64_t *witnesses[64];         /* by property; the snapshot points to them until its end */
};

/* ---- states ------------------------------------------------------------------------------------- */

/* `keys`: keys of the visited set, not states of the queue. */
static void write_states_to(const struct save *save, unsigned thread, enum checkpoint_section section, bool keys,
                            const uint64_t *from, uint64_t n) {
  struct snapshot_writer *file = &save->files[thread];
  snapshot_writer_section(file, section);
  if (save->expanders)
    tree_expand(save->expanders, thread, &(struct tree_span){from, n, keys}, snapshot_writer_put, file);
  else
    snapshot_writer_put(file, from, n);
}

static void put_keys(void *user, unsigned thread, const uint64_t *keys, uint64_t n) {
  write_states_to(user, thread, CHECKPOINT_KEYS, true, keys, n);
}

static void put_share(void *data, unsigned thread) {
  const struct save *save = data;
  const unsigned threads = pool_size(save->self->transfer.pool);
  const uint64_t first = save->n * thread / threads, end = save->n * (thread + 1) / threads;
  write_states_to(save, thread, save->section, false, save->states + first, end - first);
}

static void put_states(void *user, const uint64_t *states, uint64_t n) {
  struct save *save = user;
  save->states = states;
  save->n = n;
  pool_run(save->self->transfer.pool, put_share, save);
}

static floe_status save_pending(struct save *save) {
  struct gpu_search *self = save->self;
  uint64_t *buffer = self->transfer.host_keys[0];
  save->section = CHECKPOINT_PENDING;
  for (uint64_t at = 0; at < self->control.pending_count; at += self->transfer.room) {
    const uint64_t n = least(self->transfer.room, self->control.pending_count - at);
    FLOE_TRY(gpu_download(self->gpu, buffer, self->buffers.pending + at * sizeof *buffer, n * sizeof *buffer));
    put_states(save, buffer, n);
  }
  put_states(save, self->restored_pending.states + self->restored_pending.first,
             self->restored_pending.count - self->restored_pending.first);
  return FLOE_OK;
}

/* States without roots, which are stored in full. */
static floe_status save_rootless(struct save *save) {
  struct gpu_search *self = save->self;
  uint64_t *buffer = self->transfer.host_keys[0];
  const uint64_t words = self->tree.words, bytes = words * sizeof *buffer;
  if (!words || self->control.tree_pending_count == 0)
    return FLOE_OK;
  const uint64_t room = self->transfer.room / words;
  if (room == 0)
    return FLOE_ERROR_MEMORY;
  snapshot_writer_section(&save->files[0], CHECKPOINT_PENDING);
  for (uint64_t at = 0; at < self->control.tree_pending_count; at += room) {
    const uint64_t n = least(room, self->control.tree_pending_count - at);
    FLOE_TRY(gpu_download(self->gpu, buffer, self->tree.pending + at * bytes, n * bytes));
    snapshot_writer_put(&save->files[0], buffer, n);
  }
  return FLOE_OK;
}

static floe_status save_waiting(struct save *save) {
  struct gpu_search *self = save->self;
  const struct key_transfer *transfer = &self->transfer;
  const bool closed = self->search.levels.complete == self->search.levels.count;
  save->section = closed ? CHECKPOINT_NEXT : CHECKPOINT_REST;
  FLOE_TRY(queue_each(self, false, transfer->host_keys[0], transfer->room, put_states, save));
  save->section = CHECKPOINT_NEXT;
  FLOE_TRY(queue_each(self, true, transfer->host_keys[0], transfer->room, put_states, save));
  put_states(save, self->queue_overflow.states, self->queue_overflow.count);
  FLOE_TRY(save_pending(save));
  return save_rootless(save);
}

static floe_status save_keys(struct save *save) {
  struct gpu_search *self = save->self;
  uint64_t count;
  FLOE_TRY(transfer_export(self, put_keys, save, &count));
  if (count == gpu_search_states(self))
    return FLOE_OK;
  diag_error(self->search.log, NULL, NOWHERE, "please report this with the model",
             "internal error: a table of %" PRIu64 " states had %" PRIu64 " keys for a checkpoint",
             gpu_search_states(self), count);
  return FLOE_ERROR_INTERNAL;
}

/* ---- sums --------------------------------------------------------------------------------------- */

static floe_status add_violations(struct save *save, struct snapshot *snapshot) {
  struct gpu_search *self = save->self;
  const struct gpu_control *control = &self->control;
  for (uint64_t rest = control->level.triggered & search_pending_properties(&self->search); rest; rest &= rest - 1) {
    const size_t property = (size_t)__builtin_ctzll(rest);
    struct engine_violation violation = {
        .violation = true, .depth = search_depth(&self->search), .state = violations_state(self, property)};
    if (!violation.state)
      return FLOE_ERROR_MEMORY;
    save->witnesses[property] = violation.state;
    FLOE_TRY(violations_error(self, property, violation.state, &violation.error));
    snapshot_add_violation(snapshot, property, &violation, self->search.task->layout->key_words);
  }
  return FLOE_OK;
}

static floe_status add_sums(struct save *save, struct snapshot *snapshot) {
  struct gpu_search *self = save->self;
  const struct gpu_control *control = &self->control;
  struct checkpoint_search *sums = &snapshot->sums;
  sums->transitions = control->results.transitions;
  sums->deadlocks = control->results.deadlocks;
  sums->checksum = control->results.checksum;
  sums->max_out_degree = (uint32_t)control->results.max_out_degree;
  sums->failed |= control->results.failed;
  if (!sums->firing_failed && control->results.firing_failed_depth != UINT32_MAX) {
    sums->firing_failed = true;
    sums->firing_failed_depth = control->results.firing_failed_depth;
  }
  FLOE_TRY(
      gpu_download(self->gpu, snapshot->fired, self->buffers.fired, sums->transition_count * sizeof *snapshot->fired));
  return add_violations(save, snapshot);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static floe_status open_expanders(struct save *save) {
  if (!save->self->tree.words)
    return FLOE_OK;
  FLOE_TRY(gpu_tree_copy(save->self));
  return tree_expanders_create(save->self, pool_size(save->self->transfer.pool), &save->expanders);
}

static floe_status save_states(struct save *save) {
  FLOE_TRY(open_expanders(save));
  FLOE_TRY(save_keys(save));
  return save_waiting(save);
}

/* ---- in a group ---------------------------------------------------------------------------------- */

static void begin_phase(const struct save *save) {
  struct gpu_search *self = save->self;
  comm_next_epoch(self->search.task->group.comm);
  exchange_begin(self->group.collective.exchange, save->files[0].file ? 0 : 1);
}

static void await_writer(void *data, unsigned thread) {
  const struct save *save = data;
  snapshot_writer_await(&save->files[thread]);
}

/* Also after an error: the others wait for the end of the phase. */
static void end_phase(struct save *save) {
  struct gpu_search *self = save->self;
  for (unsigned i = 0; i < pool_size(self->transfer.pool); i++)
    snapshot_writer_flush(&save->files[i]);
  if (!save->files[0].file)
    exchange_worker_done(self->group.collective.exchange, 0);
  pool_run(self->transfer.pool, await_writer, save);
}

/* ---- beginning and end --------------------------------------------------------------------------- */

/* In a group rank 0 decides. */
static bool begin_snapshot(struct gpu_search *self, struct snapshot *snapshot) {
  struct search *search = &self->search;
  const struct checkpoint_order order = snapshot_order(&self->visited.table.config, &self->visited.table.shape);
  const unsigned threads = pool_size(self->transfer.pool);
  if (!gpu_search_in_group(self))
    return snapshot_begin(search, threads, &order, snapshot);
  return snapshot_group_begin(&self->group.collective, !search->ended || snapshot_is_last(search), threads, &order,
                              snapshot);
}

static void end_snapshot(struct gpu_search *self, struct snapshot *snapshot, floe_status status) {
  if (gpu_search_in_group(self))
    snapshot_group_end(&self->group.collective, snapshot, status == FLOE_OK ? self->restored_pending.status : status);
  else if (status == FLOE_OK)
    snapshot_end(&self->search, snapshot);
  else
    snapshot_give_up(&self->search, snapshot, status);
}

static void save_all(struct save *save, struct snapshot *snapshot) {
  struct gpu_search *self = save->self;
  const unsigned threads = pool_size(self->transfer.pool);
  for (unsigned i = 0; i < threads; i++)
    save->files[i] =
        (struct snapshot_writer){.collective = &self->group.collective, .file = snapshot->writer, .number = i};
  if (gpu_search_in_group(self))
    begin_phase(save);
  floe_status status = save_states(save);
  if (status == FLOE_OK)
    status = add_sums(save, snapshot);
  if (gpu_search_in_group(self))
    end_phase(save);
  tree_expanders_free(save->expanders, threads);
  end_snapshot(self, snapshot, status);
}

void gpu_save(struct gpu_search *self) {
  struct save save = {.self = self, .files = self->transfer.files};
  struct snapshot snapshot;
  if (self->host_backed && !self->search.ended)
    host_backed_drain(self);
  if (self->host_backed && self->search.checkpoints.inexact)
    return;
  if (begin_snapshot(self, &snapshot))
    save_all(&save, &snapshot);
  for (size_t i = 0; i < sizeof save.witnesses / sizeof *save.witnesses; i++)
    mem_free(save.witnesses[i]);
}
