/* Saves and restores the CPU search (engine/snapshot/snapshot_engine.h), while all workers are paused. */
#include "engine/cpu/cpu_search.h"
#include "engine/snapshot/snapshot_engine.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

#define PART_SLOTS ((uint64_t)1 << 18) /* slots of the set per ticket */

/* A list of chunks being filled. */
struct chunks {
  struct frontier *list;
  struct chunk *last; /* being filled; NULL: none */
};

/* A worker's restored states that are not inserted yet, and those of its part of the frontier. */
struct loader {
  _Alignas(64) uint64_t keys[BATCH];
  size_t count;
  uint64_t *states; /* multiword states [next, n) have no roots yet; [BATCH] */
  size_t next, n;
  struct chunks rest, next_level;
};

struct cpu_snapshot {
  struct cpu_search *search;

  struct snapshot_writer *writers; /* [worker_count] */
  unsigned parts;                  /* of the visited set */
  atomic_uint ticket;
  atomic_bool failed;

  struct snapshot_source *source;
  struct loader *loaders; /* [worker_count] */
  pthread_mutex_t mutex;  /* of the level's list and the pending states */
};

/* ---- saving: states ------------------------------------------------------------------------------ */

/* A worker's output. */
struct worker_output {
  struct worker *worker;
  struct snapshot_writer *writer;
};

static void write_states(void *user, const uint64_t *states, size_t n) {
  const struct worker_output *out = user;
  snapshot_writer_put(out->writer, states, n);
}

/* Keys, or roots. The file contains multiword states in full, because another run has other roots. */
static void write_keys(void *user, const uint64_t *keys, size_t n) {
  const struct worker_output *out = user;
  if (out->worker->multiword)
    multiword_visit(out->worker, keys, n, write_states, user);
  else
    write_states(user, keys, n);
}

static struct worker_output output_of(const struct cpu_snapshot *save, unsigned number) {
  return (struct worker_output){&save->search->workers[number], &save->writers[number]};
}

/* Relaxed: tickets must only differ. */
static void write_visited_parts(void *data, unsigned number) {
  struct cpu_snapshot *save = data;
  struct worker_output out = output_of(save, number);
  unsigned part;
  snapshot_writer_section(out.writer, CHECKPOINT_KEYS);
  while ((part = atomic_fetch_add_explicit(&save->ticket, 1, memory_order_relaxed)) < save->parts)
    visited_each(save->search->visited.set, part, save->parts, write_keys, &out);
}

static floe_status write_visited(void *user, struct snapshot_writer *writers) {
  struct cpu_snapshot *save = user;
  save->writers = writers;
  save->parts = (unsigned)(save->search->visited.set->shape.slots / PART_SLOTS) + 1;
  pool_run(save->search->pool, write_visited_parts, save);
  return FLOE_OK;
}

/* If states on disk cannot be read, the file would lack them and is discarded. */
static void write_frontier(struct cpu_snapshot *save, struct worker_output *out) {
  const struct search *search = &save->search->search;
  const bool closed = search->levels.complete == search->levels.count;
  snapshot_writer_section(out->writer, closed ? CHECKPOINT_NEXT : CHECKPOINT_REST);
  floe_status status = (save->search->frontier.assigned ? waiting_rest : waiting_level)(out->worker, write_keys, out);
  snapshot_writer_section(out->writer, CHECKPOINT_NEXT);
  if (status == FLOE_OK)
    status = waiting_found(out->worker, write_keys, out);
  if (status != FLOE_OK)
    atomic_store_explicit(&save->failed, true, memory_order_relaxed);
}

/* The message's states from `first` on. */
static void write_message(struct worker_output *out, struct message *message, size_t first) {
  const struct packet *packet = packet_of(message);
  write_states(out, (const uint64_t *)packet->content + first * out->worker->search->state_words,
               packet->number - first);
}

static void write_pending(struct cpu_search *self, struct worker_output *out) {
  struct worker *worker = out->worker;
  snapshot_writer_section(out->writer, CHECKPOINT_PENDING);
  write_keys(out, worker->successors.keys + worker->successors.put, worker->successors.count - worker->successors.put);
  if (worker->multiword)
    multiword_pending(worker, write_states, out);
  if (worker->received.message)
    write_message(out, worker->received.message, worker->received.next);
  if (worker->number > 0)
    return;
  write_keys(out, self->restored.pending + self->restored.put, self->restored.count - self->restored.put);
  for (struct message *packet = self->group.deferred; packet; packet = packet->next)
    write_message(out, packet, 0);
}

static void write_waiting_states(void *data, unsigned number) {
  struct cpu_snapshot *save = data;
  struct worker_output out = output_of(save, number);
  write_frontier(save, &out);
  write_pending(save->search, &out);
}

static floe_status write_waiting(void *user, struct snapshot_writer *writers) {
  struct cpu_snapshot *save = user;
  save->writers = writers;
  pool_run(save->search->pool, write_waiting_states, save);
  return atomic_load_explicit(&save->failed, memory_order_relaxed) ? FLOE_ERROR_IO : FLOE_OK;
}

/* ---- saving: sums -------------------------------------------------------------------------------- */

static void add_worker(struct cpu_search *self, const struct worker *worker, struct snapshot *snapshot) {
  struct checkpoint_search *sums = &snapshot->sums;
  const struct step_block *block = &worker->block;
  for (size_t t = 0; t < sums->transition_count; t++)
    snapshot->fired[t] += block->fired[t];
  sums->deadlocks += block->deadlocks;
  sums->checksum += worker->checksum;
  sums->failed |= block->failed;
  if (block->max_out_degree > sums->max_out_degree)
    sums->max_out_degree = block->max_out_degree;
  if (block->firing_failed && !sums->firing_failed) {
    sums->firing_failed = true;
    sums->firing_failed_depth = search_depth(&self->search);
  }
  for (size_t i = 0; i < sums->property_count; i++)
    if (worker->violations[i].violation && (block->triggered & search_pending_properties(&self->search)) >> i & 1)
      snapshot_add_violation(snapshot, i, &worker->violations[i], self->state_words);
}

static floe_status add_sums(void *user, struct snapshot *snapshot) {
  struct cpu_search *self = ((const struct cpu_snapshot *)user)->search;
  for (unsigned i = 0; i < self->worker_count; i++)
    add_worker(self, &self->workers[i], snapshot);
  snapshot->sums.transitions = cpu_transitions(self);
  return FLOE_OK;
}

/* ---- restoring: the visited set ------------------------------------------------------------------ */

/* Inserts the loader's keys. Those that were refused stay; sets cpu_search.stop for them, and if the set should grow.
 */
static void put_keys(struct cpu_search *self, struct loader *loader) {
  uint8_t answers[BATCH];
  size_t refused = 0, added = 0;
  visited_find_or_put(self->visited.set, loader->keys, loader->count, answers);
  for (size_t i = 0; i < loader->count; i++) {
    if (answers[i] == VISITED_NO_PLACE) {
      loader->keys[refused++] = loader->keys[i];
      continue;
    }
    added += answers[i] == VISITED_NEW;
  }
  loader->count = refused;
  /* Relaxed: a threshold. */
  const uint64_t before = atomic_fetch_add_explicit(&self->states, added, memory_order_relaxed);
  if (before + added >= self->visited.grow_at)
    cpu_stop(self, STOP_GROW);
  if (refused)
    cpu_stop(self, STOP_FULL);
}

/* The next multiword states become roots; fewer if the tree must grow. */
static void take_roots(struct cpu_snapshot *restore, unsigned number) {
  struct cpu_search *self = restore->search;
  struct loader *loader = &restore->loaders[number];
  if (loader->next == loader->n) {
    loader->next = 0;
    loader->n = snapshot_take(restore->source, number, loader->states, BATCH);
  }
  loader->count = multiword_roots(&self->workers[number], loader->states + loader->next * self->state_words,
                                  loader->n - loader->next, loader->keys);
  loader->next += loader->count;
  if (loader->next < loader->n)
    cpu_stop(self, STOP_TREE);
}

/* False: there are none for now. */
static bool take_keys(struct cpu_snapshot *restore, unsigned number) {
  struct loader *loader = &restore->loaders[number];
  if (loader->count == 0 && restore->search->multiword.tree)
    take_roots(restore, number);
  else if (loader->count == 0)
    loader->count = snapshot_take(restore->source, number, loader->keys, BATCH);
  return loader->count > 0;
}

static void load_keys(void *data, unsigned number) {
  struct cpu_snapshot *restore = data;
  struct cpu_search *self = restore->search;
  while (!cpu_stopped(self) && take_keys(restore, number))
    put_keys(self, &restore->loaders[number]);
  if (cpu_stopped(self))
    snapshot_pause(restore->source);
}

/* FLOE_ERROR_UNSUPPORTED: the run must end. */
static floe_status make_room(struct cpu_search *self, unsigned why) {
  atomic_store_explicit(&self->stop, 0, memory_order_relaxed);
  if ((why & STOP_TREE) && !multiword_grow(self))
    return growth_stopped(self) ? FLOE_ERROR_UNSUPPORTED : FLOE_ERROR_MEMORY;
  if (!(why & (STOP_FULL | STOP_GROW)) || growth_grow(self) || !(why & STOP_FULL))
    return FLOE_OK;
  return growth_stopped(self) ? FLOE_ERROR_UNSUPPORTED : FLOE_ERROR_MEMORY;
}

/* All workers load states until there are none; between two runs of `load` the set or the tree grows. */
static floe_status load_all(struct cpu_snapshot *restore, struct snapshot_source *source,
                            void (*load)(void *data, unsigned number)) {
  struct cpu_search *self = restore->search;
  restore->source = source;
  for (;;) {
    snapshot_continue(source);
    pool_run(self->pool, load, restore);
    if (atomic_load_explicit(&restore->failed, memory_order_relaxed))
      return FLOE_ERROR_MEMORY;
    const unsigned why = cpu_stopped(self);
    if (!why)
      return FLOE_OK;
    FLOE_TRY(make_room(self, why));
  }
}

static floe_status put_visited(void *user, struct snapshot_source *source) { return load_all(user, source, load_keys); }

/* ---- restoring: states of the frontier ----------------------------------------------------------- */

static bool close_list(struct cpu_snapshot *restore, struct chunks *to) {
  bool added = true;
  if (!to->last)
    return true;
  pthread_mutex_lock(&restore->mutex);
  added = frontier_add(to->list, to->last);
  pthread_mutex_unlock(&restore->mutex);
  if (added)
    to->last = NULL;
  return added;
}

static bool append(struct cpu_snapshot *restore, struct chunks *to, const uint64_t *keys, size_t n) {
  while (n > 0) {
    if (to->last && to->last->count == CHUNK_WORDS && !close_list(restore, to))
      return false;
    if (!to->last && !(to->last = chunk_take(&restore->search->frontier.pool)))
      return false;
    struct chunk *chunk = to->last;
    const size_t room = CHUNK_WORDS - chunk->count, some = n < room ? n : room;
    memcpy(chunk->words + chunk->count, keys, some * sizeof *keys);
    chunk->count += some;
    keys += some;
    n -= some;
  }
  return true;
}

static bool append_pending(struct cpu_snapshot *restore, const uint64_t *keys, size_t n) {
  struct cpu_search *self = restore->search;
  const uint64_t most = self->search.origin.states[CHECKPOINT_PENDING];
  pthread_mutex_lock(&restore->mutex);
  if (!self->restored.pending)
    self->restored.pending = mem_array(most, sizeof *keys);
  const bool room = self->restored.pending && n <= most - self->restored.count;
  if (room) {
    memcpy(self->restored.pending + self->restored.count, keys, n * sizeof *keys);
    self->restored.count += n;
  }
  pthread_mutex_unlock(&restore->mutex);
  return room;
}

static bool append_waiting(struct cpu_snapshot *restore, unsigned number) {
  struct loader *loader = &restore->loaders[number];
  const size_t n = loader->count;
  const enum checkpoint_section section = snapshot_section(restore->source, number);
  loader->count = 0;
  if (section == CHECKPOINT_PENDING)
    return append_pending(restore, loader->keys, n);
  return append(restore, section == CHECKPOINT_REST ? &loader->rest : &loader->next_level, loader->keys, n);
}

/* Relaxed: the end of pool_run orders the flag. */
static void load_frontier(void *data, unsigned number) {
  struct cpu_snapshot *restore = data;
  while (!cpu_stopped(restore->search) && !atomic_load_explicit(&restore->failed, memory_order_relaxed) &&
         take_keys(restore, number))
    if (!append_waiting(restore, number))
      atomic_store_explicit(&restore->failed, true, memory_order_relaxed);
  if (cpu_stopped(restore->search) || atomic_load_explicit(&restore->failed, memory_order_relaxed))
    snapshot_pause(restore->source);
}

static floe_status load_waiting(void *user, struct snapshot_source *source) {
  return load_all(user, source, load_frontier);
}

/* ---- restoring: sums ----------------------------------------------------------------------------- */

/* They become those of the first worker. */
static floe_status put_sums(void *user, const struct checkpoint_search *sums) {
  const struct cpu_snapshot *restore = user;
  struct worker *worker = &restore->search->workers[0];
  atomic_store_explicit(&worker->transitions, sums->transitions, memory_order_relaxed);
  worker->block.deadlocks = sums->deadlocks;
  worker->block.max_out_degree = sums->max_out_degree;
  worker->checksum = sums->checksum;
  return FLOE_OK;
}

static void put_violation(void *user, size_t property, const struct engine_violation *violation) {
  const struct cpu_snapshot *restore = user;
  struct worker *worker = &restore->search->workers[0];
  violation_keep_least(&worker->violations[property], violation->state, restore->search->state_words, violation->depth,
                       violation->error);
  worker->block.triggered |= UINT64_C(1) << property;
}

static uint64_t count_states(void *user) { return cpu_states(((const struct cpu_snapshot *)user)->search); }

static void set_states(void *user, uint64_t states) {
  atomic_store_explicit(&((const struct cpu_snapshot *)user)->search->states, states, memory_order_relaxed);
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static const struct snapshot_operations operations = {.write_visited = write_visited,
                                                      .write_waiting = write_waiting,
                                                      .add_sums = add_sums,
                                                      .put_visited = put_visited,
                                                      .load_waiting = load_waiting,
                                                      .put_sums = put_sums,
                                                      .put_violation = put_violation,
                                                      .count_states = count_states,
                                                      .set_states = set_states};

static struct snapshot_engine engine_of(struct cpu_snapshot *snapshot) {
  struct cpu_search *self = snapshot->search;
  return (struct snapshot_engine){&self->search, &self->collective, self->pool, &operations, snapshot};
}

void cpu_save(struct cpu_search *self) {
  struct cpu_snapshot save = {.search = self};
  const struct snapshot_engine engine = engine_of(&save);
  const struct checkpoint_order order = snapshot_order(&self->visited.config, &self->visited.set->shape);
  const enum phase before = phases_enter(&self->phases, PHASE_BETWEEN);
  self->group.checkpoint_due = false;
  snapshot_save(&engine, &order);
  phases_enter(&self->phases, before);
}

static bool open_loaders(struct cpu_snapshot *restore) {
  const struct cpu_search *self = restore->search;
  restore->loaders = pages_alloc(self->worker_count * sizeof *restore->loaders);
  for (unsigned i = 0; restore->loaders && i < self->worker_count; i++) {
    struct loader *loader = &restore->loaders[i];
    loader->rest.list = &restore->search->frontier.level;
    loader->next_level.list = &self->workers[i].closed;
    if (self->multiword.tree && !(loader->states = mem_array(BATCH, self->state_words * sizeof(uint64_t))))
      return false;
  }
  return restore->loaders;
}

static void close_loaders(struct cpu_snapshot *restore) {
  const unsigned count = restore->search->worker_count;
  for (unsigned i = 0; restore->loaders && i < count; i++)
    mem_free(restore->loaders[i].states);
  if (restore->loaders)
    pages_free(restore->loaders, count * sizeof *restore->loaders);
}

static bool close_lists(struct cpu_snapshot *restore) {
  bool closed = true;
  for (unsigned i = 0; i < restore->search->worker_count; i++) {
    struct loader *loader = &restore->loaders[i];
    closed = closed && close_list(restore, &loader->rest) && close_list(restore, &loader->next_level);
  }
  return closed;
}

void cpu_restore(struct cpu_search *self) {
  struct cpu_snapshot restore = {.search = self};
  const struct snapshot_engine engine = engine_of(&restore);
  pthread_mutex_init(&restore.mutex, NULL);
  if (self->search.status == FLOE_OK && !open_loaders(&restore))
    search_fail(&self->search, FLOE_ERROR_MEMORY);
  snapshot_restore(&engine);
  if (!self->search.ended && !close_lists(&restore))
    search_fail(&self->search, FLOE_ERROR_MEMORY);
  close_loaders(&restore);
  pthread_mutex_destroy(&restore.mutex);
  self->visited.prefaulted = self->restored.partial_level = true;
}
