/* Restores a checkpoint: all workers read the file and insert its states into the visited set. */
#include "engine/cpu/cpu_load.h"
#include "engine/snapshot/snapshot.h"

#include "core/mem.h"
#include "engine/sizing.h"

#include <assert.h>
#include <string.h>

#define WAITING (1u << CHECKPOINT_REST | 1u << CHECKPOINT_NEXT | 1u << CHECKPOINT_PENDING)

/* A worker's position in the file. */
struct checkpoint_loader {
  _Alignas(64) struct checkpoint_block *block;
  struct checkpoint_states read; /* states [done, read.n) are not inserted yet */
  size_t done;
  uint64_t refused[BATCH]; /* nor are these, which were refused */
  size_t refused_count;
  uint64_t fresh, checksum; /* of the inserted states; fresh: number of new ones */
  uint64_t *scratch;        /* of key_state */
  floe_status status;
};

struct load {
  struct cpu_search *search;
  struct checkpoint_loader *loaders; /* [worker_count] */
};

/* ---- the visited set ----------------------------------------------------------------------------- */

size_t restore_put_keys(struct cpu_search *self, uint64_t *keys, size_t n, uint64_t *fresh) {
  uint8_t answers[BATCH];
  size_t refused = 0, added = 0;
  visited_find_or_put(self->visited.set, keys, n, answers);
  for (size_t i = 0; i < n; i++) {
    if (answers[i] == VISITED_NO_PLACE) {
      keys[refused++] = keys[i];
      continue;
    }
    added += answers[i] == VISITED_NEW;
  }
  *fresh += added;
  /* Relaxed: a threshold. */
  const uint64_t before = atomic_fetch_add_explicit(&self->states, added, memory_order_relaxed);
  if (before + added >= self->visited.grow_at)
    cpu_stop(self, STOP_GROW);
  if (refused)
    cpu_stop(self, STOP_FULL);
  return refused;
}

/* Takes the next states as keys; fewer if the tree must grow. */
static size_t take_some(struct cpu_search *self, unsigned number, struct checkpoint_loader *loader) {
  const size_t rest = loader->read.n - loader->done, n = rest < BATCH ? rest : BATCH;
  const uint64_t *states = loader->read.states + loader->done * self->state_words;
  size_t taken = n;
  if (self->multiword.tree)
    taken = multiword_roots(&self->workers[number], states, n, loader->refused);
  else
    memcpy(loader->refused, states, n * sizeof *states);
  if (taken < n)
    cpu_stop(self, STOP_TREE);
  loader->checksum += engine_keys_mix(self->search.task->layout, states, taken, loader->scratch);
  loader->done += taken;
  return taken;
}

static void put_some(struct cpu_search *self, unsigned number, struct checkpoint_loader *loader) {
  size_t n = loader->refused_count;
  if (n == 0)
    n = take_some(self, number, loader);
  loader->refused_count = restore_put_keys(self, loader->refused, n, &loader->fresh);
}

/* False: no more states, or an error. */
static bool read_more(struct cpu_search *self, struct checkpoint_loader *loader) {
  loader->done = loader->read.n = 0;
  if (stop_requested(&self->search.stop)) {
    cpu_stop(self, STOP_INTERRUPT);
    return false;
  }
  loader->status = checkpoint_next(self->search.task->snapshot.from, loader->block, &loader->read);
  return loader->status == FLOE_OK && loader->read.n > 0;
}

static void load_keys(void *data, unsigned number) {
  struct load *load = data;
  struct cpu_search *self = load->search;
  struct checkpoint_loader *loader = &load->loaders[number];
  while (!cpu_stopped(self)) {
    if (loader->refused_count == 0 && loader->done == loader->read.n && !read_more(self, loader))
      return;
    put_some(self, number, loader);
  }
}

floe_status restore_handle_stop(struct cpu_search *self, unsigned why) {
  atomic_store_explicit(&self->stop, 0, memory_order_relaxed);
  if (why & STOP_INTERRUPT)
    return FLOE_ERROR_UNSUPPORTED;
  if ((why & STOP_TREE) && !multiword_grow(self))
    return growth_stopped(self) ? FLOE_ERROR_UNSUPPORTED : FLOE_ERROR_MEMORY;
  if (!(why & (STOP_FULL | STOP_GROW)) || growth_grow(self) || !(why & STOP_FULL))
    return FLOE_OK;
  return growth_stopped(self) ? FLOE_ERROR_UNSUPPORTED : FLOE_ERROR_MEMORY;
}

static floe_status put_all(struct load *load) {
  struct cpu_search *self = load->search;
  unsigned why;
  do {
    pool_run(self->pool, load_keys, load);
    why = cpu_stopped(self);
    for (unsigned i = 0; i < self->worker_count; i++)
      FLOE_TRY(load->loaders[i].status);
    FLOE_TRY(why ? restore_handle_stop(self, why) : FLOE_OK);
  } while (why);
  return FLOE_OK;
}

/* ---- states of the frontier ---------------------------------------------------------------------- */

floe_status restore_close_list(struct chunks *to) {
  if (to->last && !frontier_add(to->list, to->last))
    return FLOE_ERROR_MEMORY;
  to->last = NULL;
  return FLOE_OK;
}

floe_status restore_append(struct cpu_search *self, struct chunks *to, const uint64_t *states, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (to->last && to->last->count == CHUNK_WORDS)
      FLOE_TRY(restore_close_list(to));
    if (!to->last && !(to->last = chunk_take(&self->frontier.pool)))
      return FLOE_ERROR_MEMORY;
    struct chunk *chunk = to->last;
    FLOE_TRY(multiword_root(&self->workers[0], states + i * self->state_words, &chunk->words[chunk->count]));
    chunk->count++;
  }
  return FLOE_OK;
}

floe_status restore_append_pending(struct cpu_search *self, const uint64_t *states, size_t n) {
  const uint64_t most = self->search.origin.states[CHECKPOINT_PENDING];
  if (!self->restored.pending)
    self->restored.pending = mem_array(most, sizeof *states);
  if (!self->restored.pending || n > most - self->restored.count)
    return FLOE_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++, self->restored.count++)
    FLOE_TRY(multiword_root(&self->workers[0], states + i * self->state_words,
                            self->restored.pending + self->restored.count));
  return FLOE_OK;
}

static floe_status take_waiting(struct cpu_search *self, struct checkpoint_block *block, struct chunks *rest,
                                struct chunks *next) {
  struct checkpoint_states read;
  for (;;) {
    if (stop_requested(&self->search.stop))
      return FLOE_ERROR_UNSUPPORTED;
    FLOE_TRY(checkpoint_next(self->search.task->snapshot.from, block, &read));
    if (read.n == 0)
      return FLOE_OK;
    FLOE_TRY(read.section == CHECKPOINT_REST   ? restore_append(self, rest, read.states, read.n)
             : read.section == CHECKPOINT_NEXT ? restore_append(self, next, read.states, read.n)
                                               : restore_append_pending(self, read.states, read.n));
  }
}

static floe_status load_waiting(struct cpu_search *self, struct checkpoint_block *block) {
  struct chunks rest = {&self->frontier.level, NULL}, next = {&self->workers[0].closed, NULL};
  FLOE_TRY(take_waiting(self, block, &rest, &next));
  FLOE_TRY(restore_close_list(&rest));
  return restore_close_list(&next);
}

/* ---- restoring ----------------------------------------------------------------------------------- */

static void take_violation(void *user, size_t property, const struct engine_violation *violation) {
  struct cpu_search *self = user;
  struct worker *worker = &self->workers[0];
  violation_keep_least(&worker->violations[property], violation->state, self->state_words, violation->depth,
                       violation->error);
  worker->block.triggered |= UINT64_C(1) << property;
}

void restore_take_sums(struct cpu_search *self) {
  const struct checkpoint_search *from = self->search.origin.search;
  struct worker *worker = &self->workers[0];
  atomic_store_explicit(&worker->transitions, from->transitions, memory_order_relaxed);
  worker->block.deadlocks = from->deadlocks;
  worker->block.max_out_degree = from->max_out_degree;
  worker->checksum = from->checksum;
  snapshot_each_violation(&self->search, take_violation, self);
}

static floe_status load_keys_of(struct load *load) {
  struct cpu_search *self = load->search;
  struct checkpoint_reader *from = self->search.task->snapshot.from;
  uint64_t fresh = 0, checksum = 0;
  checkpoint_choose(from, 1u << CHECKPOINT_KEYS);
  FLOE_TRY(put_all(load));
  FLOE_TRY(checkpoint_end_reading(from));
  for (unsigned i = 0; i < self->worker_count; i++) {
    fresh += load->loaders[i].fresh;
    checksum += load->loaders[i].checksum;
  }
  return snapshot_check(&self->search, fresh, checksum);
}

static floe_status read_all(struct load *load) {
  struct cpu_search *self = load->search;
  struct checkpoint_reader *from = self->search.task->snapshot.from;
  for (unsigned i = 0; i < self->worker_count; i++) {
    load->loaders[i].scratch = self->workers[i].scratch;
    if (!(load->loaders[i].block = checkpoint_block_create(from)))
      return FLOE_ERROR_MEMORY;
  }
  FLOE_TRY(load_keys_of(load));
  checkpoint_choose(from, WAITING);
  FLOE_TRY(load_waiting(self, load->loaders[0].block));
  return checkpoint_end_reading(from);
}

/* After an error of a thread: logs the cause. */
static floe_status report_read_error(struct cpu_search *self, floe_status status) {
  if (status == FLOE_ERROR_IO)
    checkpoint_end_reading(self->search.task->snapshot.from);
  return status;
}

floe_status cpu_restore(struct cpu_search *self) {
  struct load load = {.search = self};
  assert(self->words == 1 && cpu_states(self) == 0);
  FLOE_TRY(snapshot_restore(&self->search));
  restore_take_sums(self);
  load.loaders = pages_alloc(self->worker_count * sizeof *load.loaders);
  if (!load.loaders)
    return FLOE_ERROR_MEMORY;
  floe_status status = report_read_error(self, read_all(&load));
  for (unsigned i = 0; i < self->worker_count; i++)
    checkpoint_block_free(load.loaders[i].block);
  pages_free(load.loaders, self->worker_count * sizeof *load.loaders);
  self->visited.prefaulted = self->restored.partial_level = true;
  if (status == FLOE_ERROR_UNSUPPORTED) { /* all figures are those of the checkpoint */
    self->search.checkpoints.inexact = true;
    atomic_store_explicit(&self->states, snapshot_states(self->search.task), memory_order_relaxed);
    search_check_stop(&self->search);
    return FLOE_OK;
  }
  return status;
}
