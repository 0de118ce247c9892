#include "gpu/explore/host_backed_set.h"

#include "base/numbers.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "core/threads/background.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/search_kernels.h"
#include "gpu/engine/state_download.h"
#include "gpu/engine/visited_growth.h"
#include "gpu/explore/launch.h"
#include "gpu/explore/level_end.h"
#include "gpu/host_backed/device_cache.h"
#include "gpu/host_backed/host_lookup.h"
#include "step/layout/state_key.h"

#include <assert.h>

/* Most candidates of a batch, and the least that a step aims at: enough that launches and copies do not matter. */
#define MOST_CANDIDATES (UINT64_C(1) << 23)
#define FEW_CANDIDATES (UINT64_C(1) << 17)
/* The host's tables are sized for the expected states; if unknown, for so many times the states on the device, as far
   as memory allows: growth costs more than half of the lookups' time (0.21 instead of 0.55 G keys/s on 16 cores),
   unused pages a tenth of a second per gigabyte. */
#define TIMES_BASE 8
/* Host memory of a batch, in bytes per candidate. */
#define HOST_BYTES 20

struct host_backed_set {
  struct device_cache device_cache;
  struct search_kernels kernels; /* floe_explore on it */
  struct host_lookup host_lookup;
  bool has_base;        /* the device has a base table */
  struct budget budget; /* of host memory */
  struct shards *host;
  struct thread_pool *pool;
  struct background *background;
  unsigned slot;                       /* of the next batch */
  struct host_lookup_batch *looked_up; /* the batch that the host looks up; NULL: none */
  uint64_t held, held_at; /* further candidates of the last launch: their number and position in buffers.pending */
  struct host_backed_figures figures;
};

/* ---- host lookups in the background ---------------------------------------------------------- */

static void look_up(void *of) {
  struct host_backed_set *host_backed = of;
  const double start = clock_seconds();
  shards_find_or_put(host_backed->host, host_backed->pool, &host_backed->looked_up->answers);
  host_backed->figures.lookup_seconds += clock_seconds() - start;
}

/* NULL: no batch. */
static void start_lookup(struct host_backed_set *host_backed, struct host_lookup_batch *batch) {
  assert(!host_backed->looked_up);
  host_backed->looked_up = batch;
  if (batch)
    background_start(host_backed->background, look_up, host_backed);
}

/* Waits for the batch that was started; NULL: none was. */
static struct host_lookup_batch *await_lookup(struct host_backed_set *host_backed) {
  struct host_lookup_batch *batch = host_backed->looked_up;
  const double start = clock_seconds();
  background_wait(host_backed->background);
  host_backed->figures.wait_seconds += clock_seconds() - start;
  host_backed->looked_up = NULL;
  return batch;
}

/* ---- exploring ------------------------------------------------------------------------------------- */

/* Candidates of the next batch. Batches are small at the start of a level, when the host waits, then larger, and
   smaller towards the end, when the device waits. A state yields about one candidate. */
static uint64_t batch_target(const struct gpu_search *self) {
  const struct search *search = &self->search;
  const uint64_t rest = queue_level_rest(self), done = search->levels.states[search_depth(search)] - rest;
  return greatest(FEW_CANDIDATES, least(rest / 3, FEW_CANDIDATES + 2 * done));
}

/* While the kernel runs, next_end counts candidates. */
static floe_status explore(struct gpu_search *self, uint64_t *candidates) {
  struct host_backed_set *host_backed = self->host_backed;
  struct gpu_control *control = &self->control;
  const uint64_t next = control->level.next, next_end = control->next_end;
  struct gpu_space space = gpu_search_space(self);
  const double start = clock_seconds();
  gpu_search_set_stops(self);
  space.candidates = (uint64_t *)(uintptr_t)host_backed->host_lookup.candidates;
  space.candidate_room = host_backed->host_lookup.room;
  control->level.one_part = true;
  control->level.grow_at = control->level.states_before + batch_target(self);
  control->level.next = control->next_end = 0;
  floe_status status = gpu_search_launch(self, &host_backed->kernels, &host_backed->device_cache.view, &space);
  *candidates = least(control->next_end, host_backed->host_lookup.room);
  host_backed->held = control->next_end - *candidates;
  host_backed->held_at = 0;
  host_backed->figures.candidates += control->next_end;
  control->level.next = next;
  control->next_end = next_end;
  control->level.grow_at = UINT64_MAX;
  host_backed->figures.explore_seconds += clock_seconds() - start;
  return status;
}

/* Candidates that did not fit into the previous batch. */
static floe_status take_held(struct gpu_search *self, uint64_t *candidates) {
  struct host_backed_set *host_backed = self->host_backed;
  const uint64_t word = sizeof(uint64_t);
  *candidates = least(host_backed->held, host_backed->host_lookup.room);
  FLOE_TRY(gpu_copy(self->gpu, host_backed->host_lookup.candidates, self->buffers.pending + host_backed->held_at * word,
                    *candidates * word));
  host_backed->held -= *candidates;
  host_backed->held_at += *candidates;
  return FLOE_OK;
}

/* Looks candidates up in the base table; the others become the batch *out. NULL: there are none. */
static floe_status select_unresolved(struct gpu_search *self, uint64_t candidates, struct host_lookup_batch **out) {
  struct host_backed_set *host_backed = self->host_backed;
  struct host_lookup_batch *batch = &host_backed->host_lookup.batches[host_backed->slot];
  const double start = clock_seconds();
  FLOE_TRY(host_lookup_select(&host_backed->host_lookup, host_backed->has_base ? &self->visited.table.view : NULL,
                              candidates, batch));
  host_backed->figures.select_seconds += clock_seconds() - start;
  host_backed->figures.unresolved += batch->unresolved;
  *out = NULL;
  if (batch->unresolved == 0)
    return FLOE_OK;
  host_backed->slot = (host_backed->slot + 1) % HOST_LOOKUP_BATCHES;
  host_backed->figures.batches++;
  *out = batch;
  return FLOE_OK;
}

/* ---- new states ------------------------------------------------------------------------------------ */

static uint64_t ring_room(const struct gpu_search *self) {
  return self->queue.ring_words - (self->control.next_end - self->control.level.current);
}

/* Also if the search has ended: keys of the set must be in the queue. */
static bool make_room_for(struct gpu_search *self, uint64_t states) {
  uint64_t before = UINT64_MAX;
  while (self->search.status == FLOE_OK && ring_room(self) < states && ring_room(self) != before) {
    before = ring_room(self);
    queue_make_room(self);
  }
  return ring_room(self) >= states;
}

static floe_status apply_answers(struct gpu_search *self, const struct host_lookup_batch *batch) {
  struct host_backed_set *host_backed = self->host_backed;
  const uint64_t before = self->control.next_end;
  const double start = clock_seconds();
  FLOE_TRY(gpu_search_upload(self));
  FLOE_TRY(host_lookup_apply(&host_backed->host_lookup, batch, self->buffers.control, self->queue.ring,
                             self->queue.ring_words - 1));
  FLOE_TRY(gpu_search_download(self));
  assert(self->control.next_end - before == batch->answers.new_count);
  (void)before;
  download_take(self);
  host_backed->figures.apply_seconds += clock_seconds() - start;
  return FLOE_OK;
}

/* Appends the keys selected by `mask` to an allocated list. */
static floe_status append_selected(const uint64_t *keys, const uint64_t *mask, uint64_t end, uint64_t **states,
                                   uint64_t *count) {
  uint64_t more = 0;
  for (uint64_t i = 0; i < end / 64; i++)
    more += (uint64_t)__builtin_popcountll(mask[i]);
  if (more == 0)
    return FLOE_OK;
  uint64_t *list = mem_resize(*states, (*count + more) * sizeof *list);
  if (!list)
    return FLOE_ERROR_MEMORY;
  *states = list;
  for (uint64_t i = 0; i < end / 64; i++)
    for (uint64_t rest = mask[i]; rest; rest &= rest - 1)
      (*states)[(*count)++] = keys[64 * i + (uint64_t)__builtin_ctzll(rest)];
  return FLOE_OK;
}

/* Keeps new states for which the queue has no room, and keys for which the host has none. */
static floe_status keep_keys(struct gpu_search *self, const struct host_lookup_batch *batch, bool queued,
                             const uint64_t *keys) {
  const struct layout *layout = self->search.task->layout;
  const uint64_t before = self->queue_overflow.count;
  if (batch->answers.refused_count)
    FLOE_TRY(append_selected(keys, batch->refused, batch->end, &self->restored_pending.states,
                             &self->restored_pending.count));
  if (queued)
    return FLOE_OK;
  uint64_t *scratch = mem_array(key_scratch(layout) + 1, sizeof *scratch);
  if (!scratch)
    return FLOE_ERROR_MEMORY;
  floe_status status =
      append_selected(keys, batch->fresh, batch->end, &self->queue_overflow.states, &self->queue_overflow.count);
  const uint64_t more = self->queue_overflow.count - before;
  if (more)
    self->control.results.checksum += engine_keys_mix(layout, self->queue_overflow.states + before, more, scratch);
  self->control.level.states_before += more;
  mem_free(scratch);
  assert(status != FLOE_OK || more == batch->answers.new_count);
  return status;
}

/* The host has keys that are in no queue, or refused keys that are in no table. The search ends; if it writes a
   checkpoint, these keys are kept for it, beyond the memory limit: one or two batches. */
static floe_status keep_for_checkpoint(struct gpu_search *self, const struct host_lookup_batch *batch, bool queued) {
  const uint64_t bytes = batch->end * sizeof(uint64_t);
  if (!self->search.task->snapshot.policy)
    return FLOE_OK;
  uint64_t *keys = mem_array(batch->end, sizeof *keys);
  floe_status status = keys ? gpu_download(self->gpu, keys, batch->keys, bytes) : FLOE_ERROR_MEMORY;
  if (status == FLOE_OK)
    status = keep_keys(self, batch, queued, keys);
  mem_free(keys);
  if (status != FLOE_ERROR_MEMORY)
    return status;
  self->search.checkpoints.inexact = true;
  diag_warning(self->search.log, NULL, NOWHERE, NULL,
               "no checkpoint at the end: out of memory within a batch of the host-backed visited set");
  return FLOE_OK;
}

/* Adds the new keys of a batch to the queue. Keys without a place end the search. */
static floe_status apply_batch(struct gpu_search *self, const struct host_lookup_batch *batch) {
  if (!batch)
    return FLOE_OK;
  const bool room = make_room_for(self, batch->answers.new_count);
  if (batch->answers.new_count && room)
    FLOE_TRY(apply_answers(self, batch));
  assert(room || self->search.ended);
  if (!room || batch->answers.refused_count)
    FLOE_TRY(keep_for_checkpoint(self, batch, room));
  if (batch->answers.refused_count && !self->search.ended)
    search_finish(&self->search, FLOE_END_MEMORY);
  return FLOE_OK;
}

/* ---- a step ---------------------------------------------------------------------------------------- */

static bool part_is_left(const struct gpu_search *self) {
  return self->control.level.current < self->control.level.current_end;
}

static floe_status explore_batch(struct gpu_search *self, struct host_lookup_batch **out) {
  uint64_t candidates;
  if (self->host_backed->held)
    FLOE_TRY(take_held(self, &candidates));
  else
    FLOE_TRY(explore(self, &candidates));
  download_take(self);
  return candidates ? select_unresolved(self, candidates, out) : FLOE_OK;
}

/* The host looks up the batch of the previous step while the device explores the next one. */
static floe_status step(struct gpu_search *self) {
  struct host_backed_set *host_backed = self->host_backed;
  struct host_lookup_batch *batch = NULL;
  const bool more = host_backed->held || part_is_left(self) || queue_next_part(self);
  if (self->search.ended)
    return FLOE_OK;
  if (more)
    FLOE_TRY(explore_batch(self, &batch));
  const struct host_lookup_batch *answered = await_lookup(host_backed);
  start_lookup(host_backed, batch);
  FLOE_TRY(apply_batch(self, answered));
  if (!self->search.ended)
    gpu_search_poll(self, host_backed->host);
  if (!self->search.ended && !more && !host_backed->looked_up)
    gpu_search_end_level(self);
  return FLOE_OK;
}

void host_backed_step(struct gpu_search *self) {
  floe_status status = step(self);
  if (status != FLOE_OK)
    search_fail(&self->search, status);
}

/* Finishes the running lookup and the candidates that are left. */
static floe_status drain(struct gpu_search *self) {
  struct host_backed_set *host_backed = self->host_backed;
  FLOE_TRY(apply_batch(self, await_lookup(host_backed)));
  while (host_backed->held) {
    struct host_lookup_batch *batch;
    uint64_t candidates;
    FLOE_TRY(take_held(self, &candidates));
    FLOE_TRY(select_unresolved(self, candidates, &batch));
    start_lookup(host_backed, batch);
    FLOE_TRY(apply_batch(self, await_lookup(host_backed)));
  }
  return FLOE_OK;
}

void host_backed_drain(struct gpu_search *self) {
  floe_status status = drain(self);
  if (status != FLOE_OK)
    search_fail(&self->search, status);
}

floe_status host_backed_put(struct gpu_search *self, uint64_t count) {
  self->host_backed->held = count;
  self->host_backed->held_at = 0;
  if (self->download.log) { /* as floe_insert does */
    FLOE_TRY(gpu_upload(self->gpu, self->buffers.log, self->search.task->initial, sizeof(uint64_t)));
    self->control.log_count = 1;
  }
  return drain(self);
}

/* ---- checkpoints ----------------------------------------------------------------------------------- */

void host_backed_each(const struct gpu_search *self, unsigned part, unsigned parts,
                      void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  shards_each(self->host_backed->host, part, parts, visit, user);
}

bool host_backed_load(struct gpu_search *self, const uint64_t *keys, size_t n) {
  return shards_put(self->host_backed->host, keys, n);
}

/* ---- creation -------------------------------------------------------------------------------------- */

/* Expected number of keys on the host; 0: unknown. */
static uint64_t expected_on_host(const struct gpu_search *self) {
  const struct engine_task *task = self->search.task;
  const double bound = key_bound(task->model, task->layout), here = (double)gpu_search_states(self);
  const double known =
      self->visited.host_backed_first && task->snapshot.from ? 1.25 * (double)snapshot_states(task) : 0;
  double expected = task->options->expected_states ? (double)task->options->expected_states : TIMES_BASE * here;
  if (expected < known)
    expected = known;
  if (expected > bound)
    expected = bound;
  return expected > here ? (uint64_t)(expected - here) : 0;
}

/* Bits of the shard number: 256 shards for wide enough keys, as one for each thread would balance badly. Fewer with
   small batches, which have gaps between shards. */
static unsigned shard_bits(unsigned key_bits, uint64_t room) {
  unsigned bits = 8;
  while (bits > 1 && (bits + 8 > key_bits || room >> bits < 512))
    bits--;
  return key_bits > bits ? bits : 0;
}

static floe_status open_host(struct gpu_search *self, struct host_backed_set *host_backed, uint64_t room) {
  const floe_options *options = self->search.task->options;
  const unsigned key_bits = self->visited.table.config.key_bits;
  const struct shard_rule rule = {.key_bits = key_bits, .bits = shard_bits(key_bits, room)};
  host_backed->figures.batch_bytes = host_lookup_host_bytes(rule, room);
  const uint64_t taken = segments_claim(&self->queue.spill) + host_backed->figures.batch_bytes;
  host_backed->budget.limit = options->memory > taken ? options->memory - taken : 0;
  const struct shards_config config = {.permutation = options->permutation,
                                       .key_bits = rule.key_bits,
                                       .bits = rule.bits,
                                       .expected = expected_on_host(self),
                                       .budget = &host_backed->budget};
  FLOE_TRY(shards_create(&config, &host_backed->host));
  /* One thread drives the device. */
  FLOE_TRY(pool_create(options->threads > 2 ? options->threads - 1 : options->threads, &host_backed->pool));
  return background_create(&host_backed->background);
}

/* Candidates of a batch. They must fit into half of the queue, which is free after spilling. Their copies on the host,
   HOST_BYTES each, are a small part of the memory. */
static uint64_t choose_room(const struct gpu_search *self) {
  const uint64_t left = gpu_budget_room(&self->budget), memory = self->search.task->options->memory;
  const uint64_t here = least(self->queue.ring_words / 2, left / 16 / sizeof(uint64_t));
  const uint64_t room = least(least(MOST_CANDIDATES, here), memory / 16 / HOST_BYTES);
  return greatest(self->test_settings.batch ? least(room, self->test_settings.batch) : room, 1);
}

/* A quarter of the remaining memory is left to the queue. */
static floe_status plan_device_cache(const struct gpu_search *self, const struct host_backed_set *host_backed,
                                     uint64_t room, struct device_cache_shape *out) {
  const uint64_t left = gpu_budget_room(&self->budget),
                 host_lookup = host_lookup_bytes(shards_rule(host_backed->host), room);
  const uint64_t bytes = left > host_lookup ? (left - host_lookup) / 4 * 3 : 0;
  return device_cache_plan(self->visited.table.config.key_bits, bytes, out) ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* Uses as many blocks as there is room for the candidates that they may find beyond a batch. That array may have been
   allocated for fewer blocks; buffers.source is not needed any more. */
static floe_status fit_grid(struct gpu_search *self, const struct host_backed_set *host_backed) {
  const uint64_t before = self->grid.slack * sizeof(uint64_t), most = gpu_budget_room(&self->budget) / 8;
  unsigned blocks = host_backed->kernels.explore.blocks;
  gpu_address larger;
  if (self->test_settings.blocks)
    blocks = (unsigned)least(blocks, self->test_settings.blocks);
  while (blocks > self->grid.blocks &&
         gpu_slack((uint64_t)blocks * GPU_WARPS, self->grid.max_successors) * sizeof(uint64_t) > most)
    blocks /= 2;
  if (blocks <= self->grid.blocks || self->download.log || self->sequences.memory) { /* these have the same limit */
    self->grid.blocks = (unsigned)least(self->grid.blocks, blocks);
    return FLOE_OK;
  }
  const uint64_t slack = gpu_slack((uint64_t)blocks * GPU_WARPS, self->grid.max_successors);
  FLOE_TRY(gpu_search_take(self, slack * sizeof(uint64_t), &larger));
  floe_status status =
      gpu_copy(self->gpu, larger, self->buffers.pending, self->control.pending_count * sizeof(uint64_t));
  gpu_search_give(self, before, &self->buffers.pending);
  gpu_search_give(self, before, &self->buffers.source);
  self->buffers.pending = larger;
  self->grid.slack = slack;
  self->grid.blocks = blocks;
  return status;
}

static floe_status open_device(struct gpu_search *self, struct host_backed_set *host_backed, uint64_t room) {
  struct device_cache_shape shape;
  FLOE_TRY(plan_device_cache(self, host_backed, room, &shape));
  FLOE_TRY(kernels_make_device_cache(self, &shape.geometry, &host_backed->kernels));
  FLOE_TRY(fit_grid(self, host_backed));
  FLOE_TRY(kernels_make_host_lookup(self, &shape.geometry, &host_backed->host_lookup));
  FLOE_TRY(host_lookup_make(self->gpu, &self->budget, shards_rule(host_backed->host), room, &host_backed->host_lookup));
  return device_cache_make(self->gpu, &self->budget, &shape, self->visited.table.config.permutation,
                           self->visited.table.config.key_bits, &host_backed->device_cache);
}

void host_backed_free(struct gpu_search *self) {
  struct host_backed_set *host_backed = self->host_backed;
  if (!host_backed)
    return;
  background_free(host_backed->background);
  shards_free(host_backed->host);
  pool_free(host_backed->pool);
  struct gpu_module *module = host_backed->host_lookup.module;
  host_lookup_free(&host_backed->host_lookup);
  gpu_module_free(module);
  device_cache_free(self->gpu, &host_backed->device_cache);
  kernels_free(&host_backed->kernels);
  mem_free(host_backed);
  self->host_backed = NULL;
}

static floe_status open_set(struct gpu_search *self, struct host_backed_set *host_backed) {
  host_backed->has_base = self->visited.table.memory.at != 0;
  if (gpu_budget_room(&self->budget) < self->budget.limit / 4)
    FLOE_TRY(queue_shrink(self));
  const uint64_t room = choose_room(self);
  FLOE_TRY(open_host(self, host_backed, room));
  FLOE_TRY(open_device(self, host_backed, room));
  host_backed->held = self->control.pending_count;
  self->control.pending_count = 0;
  return drain(self);
}

/* Host memory that segments of the queue cannot have. */
static uint64_t other_bytes(const void *user) {
  const struct gpu_search *self = user;
  const struct host_backed_set *host_backed = self->host_backed;
  return host_backed && host_backed->host ? shards_bytes(host_backed->host) + host_backed->figures.batch_bytes : 0;
}

floe_status host_backed_open(struct gpu_search *self) {
  assert(!self->host_backed);
  self->host_backed = mem_alloc(sizeof *self->host_backed);
  if (!self->host_backed)
    return FLOE_ERROR_MEMORY;
  *self->host_backed = (struct host_backed_set){0};
  self->queue.spill.other_bytes = other_bytes;
  self->queue.spill.user = self;
  const double start = clock_seconds() - self->build.seconds;
  floe_status status = open_set(self, self->host_backed);
  self->host_backed->figures.open_seconds = clock_seconds() - self->build.seconds - start;
  if (status != FLOE_OK)
    host_backed_free(self);
  return status;
}

void host_backed_place_pending(struct gpu_search *self) {
  if (grow_place_pending(self) || self->search.ended)
    return;
  const bool possible = !self->tree.words && !gpu_search_in_group(self) && !self->search.task->devices.may_escalate;
  floe_status status = possible ? host_backed_open(self) : FLOE_ERROR_MEMORY;
  if (status == FLOE_ERROR_MEMORY)
    search_finish(&self->search, FLOE_END_MEMORY);
  else if (status == FLOE_ERROR_IO)
    search_fail_disk(&self->search);
  else if (status != FLOE_OK && !search_check_stop(&self->search))
    search_fail(&self->search, status);
}

struct host_backed_figures host_backed_figures(const struct gpu_search *self) {
  struct host_backed_figures figures = {0};
  if (!self->host_backed || !self->host_backed->host)
    return figures;
  figures = self->host_backed->figures;
  figures.host_keys = shards_keys(self->host_backed->host);
  figures.host_slots = shards_slots(self->host_backed->host);
  figures.host_bytes = shards_bytes(self->host_backed->host);
  figures.host_growths = shards_growths(self->host_backed->host);
  figures.device_cache_bytes = self->host_backed->device_cache.shape.bytes;
  figures.device_cache_geometry = self->host_backed->device_cache.shape.geometry;
  return figures;
}
