#include "gpu/snapshot/gpu_restore.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/visited_growth.h"
#include "gpu/explore/host_backed_set.h"
#include "gpu/snapshot/key_transfer.h"
#include "gpu/snapshot/tree_snapshot.h"
#include "tree/kernel/tree.h"

#include <assert.h>
#include <string.h>

#define UNEXPANDED (1u << CHECKPOINT_REST | 1u << CHECKPOINT_NEXT | 1u << CHECKPOINT_PENDING)

/* A thread's position in the file. */
struct key_source {
  _Alignas(64) struct checkpoint_block *block;
  struct checkpoint_states read; /* states [done, read.n) are not delivered yet */
  uint64_t done, checksum;
  uint64_t *scratch; /* of key_state */
  floe_status status;
};

struct restore {
  struct gpu_search *self;
  struct tree_restored *tree; /* multiword states; NULL: states of one word */
  struct key_source *sources; /* [threads of the pool] */
};

/* ---- keys --------------------------------------------------------------------------------------- */

static bool read_more(const struct gpu_search *self, struct key_source *source) {
  source->done = source->read.n = 0;
  if (source->status == FLOE_OK)
    source->status = checkpoint_next(self->search.task->snapshot.from, source->block, &source->read);
  return source->status == FLOE_OK && source->read.n > 0;
}

/* Converts states of the file to what the queue holds: the states, or their roots. */
static void convert_states(const struct restore *restore, unsigned thread, const uint64_t *states, uint64_t n,
                           uint64_t *to) {
  if (!restore->tree)
    memcpy(to, states, n * sizeof *states);
  else if (tree_restored_roots(restore->tree, thread, states, n, to) < n)
    assert(false); /* all were inserted before */
}

static void convert_keys(const struct restore *restore, unsigned thread, const uint64_t *states, uint64_t n,
                         uint64_t *to) {
  convert_states(restore, thread, states, n, to);
  for (uint64_t i = 0; restore->tree && i < n; i++)
    to[i] = tree_key(to[i], restore->self->tree.bits[0]);
}

static uint64_t fill_keys(void *user, unsigned thread, uint64_t *to, uint64_t room) {
  const struct restore *restore = user;
  struct key_source *source = &restore->sources[thread];
  const uint32_t words = restore->self->search.task->layout->key_words;
  uint64_t filled = 0;
  while (filled < room && (source->done < source->read.n || read_more(restore->self, source))) {
    const uint64_t n = least(room - filled, source->read.n - source->done);
    const uint64_t *states = source->read.states + source->done * words;
    source->checksum += engine_keys_mix(restore->self->search.task->layout, states, n, source->scratch);
    convert_keys(restore, thread, states, n, to + filled);
    filled += n;
    source->done += n;
  }
  return filled;
}

static floe_status load_keys(struct restore *restore) {
  struct gpu_search *self = restore->self;
  struct checkpoint_reader *from = self->search.task->snapshot.from;
  uint64_t checksum = 0;
  checkpoint_choose(from, 1u << CHECKPOINT_KEYS);
  FLOE_TRY(transfer_load(self, fill_keys, restore));
  for (unsigned i = 0; i < pool_size(self->transfer.pool); i++) {
    FLOE_TRY(restore->sources[i].status);
    checksum += restore->sources[i].checksum;
  }
  FLOE_TRY(checkpoint_end_reading(from));
  return snapshot_check(&self->search, self->control.level.states_before, checksum);
}

/* ---- unexpanded states -------------------------------------------------------------------------- */

static floe_status restore_pending(const struct restore *restore, const uint64_t *states, size_t n) {
  struct gpu_search *self = restore->self;
  const uint64_t most = checkpoint_sizes_of(self->search.task->snapshot.from, CHECKPOINT_PENDING).states;
  if (!self->restored_pending.states)
    self->restored_pending.states = mem_array(most, sizeof *states);
  if (!self->restored_pending.states || n > most - self->restored_pending.count)
    return FLOE_ERROR_MEMORY;
  convert_states(restore, 0, states, n, self->restored_pending.states + self->restored_pending.count);
  self->restored_pending.count += n;
  return FLOE_OK;
}

static floe_status restore_queue(const struct restore *restore, const struct checkpoint_states *read) {
  const uint32_t words = restore->self->search.task->layout->key_words;
  uint64_t states[256];
  for (uint64_t at = 0, n; at < read->n; at += n) {
    n = least(read->n - at, sizeof states / sizeof *states);
    convert_states(restore, 0, read->states + at * words, n, states);
    FLOE_TRY(queue_add(restore->self, read->section == CHECKPOINT_NEXT, states, n));
  }
  return FLOE_OK;
}

static floe_status load_queue(struct restore *restore) {
  struct gpu_search *self = restore->self;
  struct checkpoint_reader *from = self->search.task->snapshot.from;
  struct checkpoint_states read;
  checkpoint_choose(from, UNEXPANDED);
  do {
    if (search_check_stop(&self->search))
      return FLOE_ERROR_UNSUPPORTED;
    FLOE_TRY(checkpoint_next(from, restore->sources[0].block, &read));
    if (read.n > 0)
      FLOE_TRY(read.section == CHECKPOINT_PENDING ? restore_pending(restore, read.states, read.n)
                                                  : restore_queue(restore, &read));
  } while (read.n > 0);
  return checkpoint_end_reading(from);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

/* (A witness is one of the states found, so it has a root.) */
static void restore_violation(void *user, size_t property, const struct engine_violation *violation) {
  const struct restore *restore = user;
  struct gpu_control *control = &restore->self->control;
  control->level.triggered |= UINT64_C(1) << property;
  convert_states(restore, 0, violation->state, 1, &control->results.witness[property]);
}

floe_status gpu_restore_sums(struct gpu_search *self) {
  const struct checkpoint_search *from = self->search.origin.search;
  struct gpu_control *control = &self->control;
  control->results.transitions = from->transitions;
  control->results.deadlocks = from->deadlocks;
  control->results.checksum = from->checksum;
  control->results.max_out_degree = from->max_out_degree;
  control->results.failed = from->failed;
  if (from->firing_failed)
    control->results.firing_failed_depth = from->firing_failed_depth;
  return gpu_upload(self->gpu, self->buffers.fired, from->fired, from->transition_count * sizeof *from->fired);
}

static floe_status restore_sums(struct restore *restore) {
  struct gpu_search *self = restore->self;
  self->control.level.depth = search_depth(&self->search);
  self->control.level.states_before = snapshot_states(self->search.task);
  snapshot_each_violation(&self->search, restore_violation, restore);
  return gpu_restore_sums(self);
}

static floe_status read_all(struct restore *restore) {
  struct gpu_search *self = restore->self;
  const size_t scratch = key_scratch(self->search.task->layout) + 8; /* cache lines of its own */
  for (unsigned i = 0; i < pool_size(self->transfer.pool); i++) {
    struct key_source *source = &restore->sources[i];
    source->scratch = mem_array(scratch, sizeof *source->scratch);
    source->block = checkpoint_block_create(self->search.task->snapshot.from);
    if (!source->scratch || !source->block)
      return FLOE_ERROR_MEMORY;
  }
  if (self->tree.words)
    FLOE_TRY(tree_restore_states(self, &restore->tree));
  FLOE_TRY(load_keys(restore));
  return load_queue(restore);
}

floe_status gpu_restore(struct gpu_search *self) {
  const size_t threads = pool_size(self->transfer.pool);
  struct restore restore = {.self = self};
  FLOE_TRY(snapshot_restore(&self->search));
  restore.sources = pages_alloc(threads * sizeof *restore.sources);
  if (!restore.sources)
    return FLOE_ERROR_MEMORY;
  floe_status status = read_all(&restore);
  for (size_t i = 0; i < threads; i++) {
    checkpoint_block_free(restore.sources[i].block);
    mem_free(restore.sources[i].scratch);
  }
  pages_free(restore.sources, threads * sizeof *restore.sources);
  if (status == FLOE_ERROR_IO)
    checkpoint_end_reading(self->search.task->snapshot.from); /* logs the reason */
  self->search.checkpoints.inexact = status != FLOE_OK;
  if (status == FLOE_OK || (status == FLOE_ERROR_UNSUPPORTED && self->search.ended))
    status = restore_sums(&restore); /* of an interrupted run all figures are those of the checkpoint */
  tree_restored_free(restore.tree);
  return status;
}

static floe_status insert_some(struct gpu_search *self) {
  const uint64_t most = least(self->grid.slack, self->queue.ring_words / 4);
  const uint64_t n = least(most, self->restored_pending.count - self->restored_pending.first);
  const gpu_address to = self->host_backed ? self->buffers.pending : self->buffers.source;
  FLOE_TRY(
      gpu_upload(self->gpu, to, self->restored_pending.states + self->restored_pending.first, n * sizeof(uint64_t)));
  self->restored_pending.first += n;
  return self->host_backed ? host_backed_put(self, n) : grow_insert(self, n);
}

void gpu_restore_pending(struct gpu_search *self) {
  while (!self->search.ended && self->restored_pending.first < self->restored_pending.count) {
    floe_status status = insert_some(self);
    if (status != FLOE_OK)
      search_fail(&self->search, status);
    if (!self->search.ended)
      host_backed_place_pending(self);
    if (!self->search.ended && self->control.next_end - self->control.level.next > self->queue.ring_words / 2)
      queue_make_room(self);
  }
}
