/* The GPU's rank goes on from a checkpoint: the host's threads read it, the device puts its keys. */
#include "gpu/engine/gpu_search.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/engine/host_backed_set.h"
#include "tree/kernel/tree.h"

#include <assert.h>
#include <string.h>

#define WAITING (1u << CHECKPOINT_REST | 1u << CHECKPOINT_NEXT | 1u << CHECKPOINT_PENDING)

/* A thread's way through the file. */
struct key_source {
  _Alignas(64) struct checkpoint_block *block;
  struct checkpoint_states read; /* states [done, read.n) are still to be handed on */
  uint64_t done, checksum;
  uint64_t *scratch; /* of key_state */
  floe_status status;
};

struct reading {
  struct gpu_search *search;
  struct gpu_tree_names *names; /* of states of several words; NULL: they are of one */
  struct key_source *sources;   /* [members of the crew] */
};

/* ---- keys --------------------------------------------------------------------------------------- */

static bool read_more(const struct gpu_search *self, struct key_source *source) {
  source->done = source->read.n = 0;
  if (source->status == FLOE_OK)
    source->status = checkpoint_next(self->search->task->snapshot.from, source->block, &source->read);
  return source->status == FLOE_OK && source->read.n > 0;
}

/* What waits, for states as the file has them: themselves, or their roots. */
static void take_states(const struct reading *reading, unsigned member, const uint64_t *states, uint64_t n,
                        uint64_t *to) {
  if (!reading->names)
    memcpy(to, states, n * sizeof *states);
  else if (gpu_tree_roots(reading->names, member, states, n, to) < n)
    assert(false); /* all have been named */
}

static void take_keys(const struct reading *reading, unsigned member, const uint64_t *states, uint64_t n,
                      uint64_t *to) {
  take_states(reading, member, states, n, to);
  for (uint64_t i = 0; reading->names && i < n; i++)
    to[i] = tree_key(to[i], reading->search->tree.bits[0]);
}

static uint64_t fill(void *user, unsigned member, uint64_t *to, uint64_t room) {
  const struct reading *reading = user;
  struct key_source *source = &reading->sources[member];
  const uint32_t words = reading->search->search->task->layout->key_words;
  uint64_t filled = 0;
  while (filled < room && (source->done < source->read.n || read_more(reading->search, source))) {
    const uint64_t n = least(room - filled, source->read.n - source->done);
    const uint64_t *states = source->read.states + source->done * words;
    source->checksum += engine_keys_mix(reading->search->search->task->layout, states, n, source->scratch);
    take_keys(reading, member, states, n, to + filled);
    filled += n;
    source->done += n;
  }
  return filled;
}

static floe_status load_keys(struct reading *reading) {
  struct gpu_search *self = reading->search;
  struct checkpoint_reader *from = self->search->task->snapshot.from;
  uint64_t checksum = 0;
  checkpoint_choose(from, 1u << CHECKPOINT_KEYS);
  FLOE_TRY(content_load(self, fill, reading));
  for (unsigned i = 0; i < pool_size(self->content.pool); i++) {
    FLOE_TRY(reading->sources[i].status);
    checksum += reading->sources[i].checksum;
  }
  FLOE_TRY(checkpoint_end_reading(from));
  return snapshot_check(self->search, self->control.level.states_before, checksum);
}

/* ---- states that wait --------------------------------------------------------------------------- */

static floe_status keep_unplaced(const struct reading *reading, const uint64_t *states, size_t n) {
  struct gpu_search *self = reading->search;
  const uint64_t most = checkpoint_sizes_of(self->search->task->snapshot.from, CHECKPOINT_PENDING).states;
  if (!self->unplaced.states)
    self->unplaced.states = mem_array(most, sizeof *states);
  if (!self->unplaced.states || n > most - self->unplaced.count)
    return FLOE_ERROR_MEMORY;
  take_states(reading, 0, states, n, self->unplaced.states + self->unplaced.count);
  self->unplaced.count += n;
  return FLOE_OK;
}

/* A part of the queue. */
static floe_status keep_waiting(const struct reading *reading, const struct checkpoint_states *read) {
  const uint32_t words = reading->search->search->task->layout->key_words;
  uint64_t waiting[256];
  for (uint64_t at = 0, n; at < read->n; at += n) {
    n = least(read->n - at, sizeof waiting / sizeof *waiting);
    take_states(reading, 0, read->states + at * words, n, waiting);
    FLOE_TRY(queue_add(reading->search, read->section == CHECKPOINT_NEXT, waiting, n));
  }
  return FLOE_OK;
}

static floe_status load_waiting(struct reading *reading) {
  struct gpu_search *self = reading->search;
  struct checkpoint_reader *from = self->search->task->snapshot.from;
  struct checkpoint_states read;
  checkpoint_choose(from, WAITING);
  do {
    if (search_check_stop(self->search))
      return FLOE_ERROR_UNSUPPORTED;
    FLOE_TRY(checkpoint_next(from, reading->sources[0].block, &read));
    if (read.n > 0)
      FLOE_TRY(read.section == CHECKPOINT_PENDING ? keep_unplaced(reading, read.states, read.n)
                                                  : keep_waiting(reading, &read));
  } while (read.n > 0);
  return checkpoint_end_reading(from);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

/* (A witness is one of the states found, so it has been named.) */
static void take_hit(void *user, size_t property, const struct engine_violation *violation) {
  const struct reading *reading = user;
  struct gpu_control *control = &reading->search->control;
  control->level.triggered |= UINT64_C(1) << property;
  take_states(reading, 0, violation->state, 1, &control->results.witness[property]);
}

floe_status resume_sums(struct gpu_search *self) {
  const struct checkpoint_search *from = self->search->origin.search;
  struct gpu_control *control = &self->control;
  control->results.transitions = from->transitions;
  control->results.deadlocks = from->deadlocks;
  control->results.checksum = from->checksum;
  control->results.max_out_degree = from->max_out_degree;
  control->results.failed = from->failed;
  if (from->firing_failed)
    control->results.firing_failed_depth = from->firing_failed_depth;
  return gpu_upload(self->gpu, self->fired, from->fired, from->transition_count * sizeof *from->fired);
}

static floe_status take_sums(struct reading *reading) {
  struct gpu_search *self = reading->search;
  self->control.level.depth = search_depth(self->search);
  self->control.level.states_before = snapshot_states(self->search->task);
  snapshot_each_violation(self->search, take_hit, reading);
  return resume_sums(self);
}

static floe_status read_all(struct reading *reading) {
  struct gpu_search *self = reading->search;
  const size_t scratch = key_scratch(self->search->task->layout) + 8; /* cache lines of its own */
  for (unsigned i = 0; i < pool_size(self->content.pool); i++) {
    struct key_source *source = &reading->sources[i];
    source->scratch = mem_array(scratch, sizeof *source->scratch);
    source->block = checkpoint_block_create(self->search->task->snapshot.from);
    if (!source->scratch || !source->block)
      return FLOE_ERROR_MEMORY;
  }
  if (self->tree.words)
    FLOE_TRY(gpu_tree_read(self, &reading->names));
  FLOE_TRY(load_keys(reading));
  return load_waiting(reading);
}

floe_status gpu_restore(struct gpu_search *self) {
  const size_t members = pool_size(self->content.pool);
  struct reading reading = {.search = self};
  FLOE_TRY(snapshot_restore(self->search));
  reading.sources = pages_alloc(members * sizeof *reading.sources);
  if (!reading.sources)
    return FLOE_ERROR_MEMORY;
  floe_status status = read_all(&reading);
  for (size_t i = 0; i < members; i++) {
    checkpoint_block_free(reading.sources[i].block);
    mem_free(reading.sources[i].scratch);
  }
  pages_free(reading.sources, members * sizeof *reading.sources);
  if (status == FLOE_ERROR_IO)
    checkpoint_end_reading(self->search->task->snapshot.from); /* tells why */
  self->search->checkpoints.inexact = status != FLOE_OK;
  if (status == FLOE_OK || (status == FLOE_ERROR_UNSUPPORTED && self->search->ended))
    status = take_sums(&reading); /* of an interrupted run all figures are those of the checkpoint */
  gpu_tree_names_free(reading.names);
  return status;
}

static floe_status place_some(struct gpu_search *self) {
  const uint64_t most = least(self->slack, self->ring_words / 4);
  const uint64_t n = least(most, self->unplaced.count - self->unplaced.put);
  const gpu_address to = self->host_backed ? self->pending : self->source;
  FLOE_TRY(gpu_upload(self->gpu, to, self->unplaced.states + self->unplaced.put, n * sizeof(uint64_t)));
  self->unplaced.put += n;
  return self->host_backed ? host_backed_put(self, n) : grow_insert(self, n);
}

void resume_place(struct gpu_search *self) {
  while (!self->search->ended && self->unplaced.put < self->unplaced.count) {
    floe_status status = place_some(self);
    if (status != FLOE_OK)
      search_fail(self->search, status);
    if (!self->search->ended)
      grow_place_pending(self);
    if (!self->search->ended && self->control.next_end - self->control.level.next > self->ring_words / 2)
      queue_relieve(self);
  }
}
