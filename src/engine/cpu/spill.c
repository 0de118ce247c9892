/* Writes the frontier to disk when memory is short. Chunks are written as blocks; the worker that draws a block's
   ticket reads it back. A worker that finds no memory for new states writes its own closed chunks; if it has none,
   it stops all workers, and all of them write. Each worker's buffers for a block are allocated before anything else
   takes memory. With one chunk to fill per worker, which the pool's reserve guarantees, the search can therefore
   always make progress. */
#include "engine/cpu/cpu_search.h"

#include "core/mem.h"

#include <assert.h>

/* Small enough that the last block of a level delays the other workers little, large enough for the disk and for
   compression: blocks of 8 chunks instead of 32 take a quarter more room. */
#define MOST_CHUNKS 32
#define LEAST_PACKED_CHUNKS 4
#define SHARE 8           /* fraction of the memory for the workers' buffers, where memory is very small */
#define RESERVED_CHUNKS 4 /* per worker: one to fill, one being expanded, two at the ends of its tickets */

/* ---- creation -------------------------------------------------------------------------------- */

static size_t chunk_states(const struct cpu_search *self) { return CHUNK_WORDS / self->words; }

static size_t state_bytes(const struct cpu_search *self, size_t states) {
  return states * self->words * sizeof(uint64_t);
}

static uint64_t contexts_bytes(const struct cpu_search *self, const struct spool_config *config) {
  return self->worker_count * (spool_context_bytes(config) + state_bytes(self, config->most));
}

/* The largest blocks whose buffers are a small part of the memory; false: none. */
static bool choose_blocks(const struct cpu_search *self, struct spool_config *config) {
  const size_t least[] = {LEAST_PACKED_CHUNKS, 1};
  for (unsigned plain = 0; plain <= 1; plain++)
    for (size_t chunks = MOST_CHUNKS; chunks >= least[plain]; chunks /= 2) {
      *config = (struct spool_config){
          .words = self->words, .most = chunks * chunk_states(self), .level = SPOOL_LEVEL, .plain = plain};
      if (contexts_bytes(self, config) <= self->budget.limit / SHARE)
        return true;
    }
  return false;
}

floe_status spill_open(struct cpu_search *self) {
  struct spool_config config;
  pthread_mutex_init(&self->spill.mutex, NULL);
  chunk_pool_reserve(&self->frontier.pool, RESERVED_CHUNKS * (size_t)self->worker_count, self->budget.limit / SHARE);
  if (!choose_blocks(self, &config) || !budget_take(&self->budget, contexts_bytes(self, &config)))
    return FLOE_OK; /* so little memory that spilling gains nothing */
  self->spill.most = config.most;
  return spool_create(&config, &self->spill.spool);
}

static bool create_context(struct cpu_search *self, struct worker *worker) {
  if (!worker->disk.context && spool_context_create(self->spill.spool, &worker->disk.context) != FLOE_OK)
    return false;
  if (!worker->disk.states)
    worker->disk.states = pages_alloc(state_bytes(self, self->spill.most));
  return worker->disk.states != NULL;
}

/* All contexts are created before the first block is written, so that every worker can read every block. */
static bool is_ready(struct cpu_search *self) {
  if (!self->spill.spool)
    return false;
  pthread_mutex_lock(&self->spill.mutex);
  for (unsigned i = 0; !self->spill.ready && i < self->worker_count; i++)
    if (!create_context(self, &self->workers[i]))
      break;
    else
      self->spill.ready = i + 1 == self->worker_count;
  const bool ready = self->spill.ready;
  pthread_mutex_unlock(&self->spill.mutex);
  return ready;
}

void spill_close(struct cpu_search *self) {
  for (unsigned i = 0; self->workers && i < self->worker_count; i++) {
    spool_context_free(self->workers[i].disk.context);
    pages_free(self->workers[i].disk.states, state_bytes(self, self->spill.most));
  }
  spool_free(self->spill.spool);
  pthread_mutex_destroy(&self->spill.mutex);
}

void spill_report_errors(struct cpu_search *self) {
  const struct search *search = &self->search;
  if (self->spill.spool && (search->end == FLOE_END_DISK || search->end == FLOE_END_MEMORY))
    spool_report_error(self->spill.spool, search->log);
}

uint64_t spill_written(struct cpu_search *self) {
  return self->spill.spool ? spool_statistics(self->spill.spool).written : 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Writes the chunks of `count` parts as one block; NULL: failed, and they are unchanged. */
static struct spool_block *write_block(struct worker *worker, const struct frontier_part *parts, size_t count) {
  struct spool_span spans[MOST_CHUNKS];
  struct spool_block *block = mem_alloc(sizeof *block);
  assert(count > 0 && count <= MOST_CHUNKS);
  for (size_t i = 0; i < count; i++)
    spans[i] = (struct spool_span){parts[i].chunk->words, parts[i].states};
  if (block && spool_write(worker->disk.context, spans, count, block) == FLOE_OK)
    return block;
  mem_free(block);
  return NULL;
}

/* Replaces the first part by a block with the chunks of all parts; the others become empty. */
static bool write_parts(struct worker *worker, struct frontier_part *parts, size_t count) {
  struct spool_block *block = write_block(worker, parts, count);
  if (!block)
    return false;
  for (size_t i = 0; i < count; i++) {
    chunk_give(&worker->search->frontier.pool, parts[i].chunk);
    parts[i] = (struct frontier_part){0};
  }
  parts[0].block = block;
  parts[0].states = block->states;
  return true;
}

/* Number of chunks at the end of parts [first, end), at most a block's. */
static size_t chunks_at_end(const struct cpu_search *self, const struct frontier_part *parts, size_t first,
                            size_t end) {
  const size_t most = self->spill.most / chunk_states(self);
  size_t n = 0;
  while (n < most && first + n < end && parts[end - n - 1].chunk)
    n++;
  return n;
}

/* Writes the newest chunks that this worker has closed. */
static bool write_newest(struct worker *worker) {
  struct frontier *closed = &worker->closed;
  const size_t n = chunks_at_end(worker->search, closed->parts, 0, closed->count);
  if (n == 0 || !write_parts(worker, closed->parts + closed->count - n, n))
    return false;
  closed->count -= n - 1;
  return true;
}

bool spill_closed(struct worker *worker) { return is_ready(worker->search) && write_newest(worker); }

/* ---- all workers ------------------------------------------------------------------------------ */

/* Writes parts [first, end) from the end on, up to `blocks` blocks; returns how many. */
static size_t write_range_of_parts(struct worker *worker, struct frontier_part *parts, size_t first, size_t end,
                                   size_t blocks) {
  const struct stop *stop = &worker->search->search.stop;
  size_t done = 0;
  while (end > first && done < blocks && !stop_requested(stop)) {
    const size_t n = chunks_at_end(worker->search, parts, first, end);
    if (n > 0 && !write_parts(worker, parts + end - n, n))
      break;
    done += n > 0;
    end -= n > 0 ? n : 1;
  }
  return done;
}

/* Writes the parts of the level whose tickets in this range are all undrawn. */
static size_t write_undrawn(struct worker *worker, unsigned range, size_t blocks) {
  struct cpu_search *self = worker->search;
  const size_t grains = self->frontier.grains_per_chunk;
  size_t first, end;
  ranges_left(&self->frontier.ranges, range, &first, &end);
  first = (first + grains - 1) / grains;
  end /= grains;
  return first < end ? write_range_of_parts(worker, self->frontier.level.parts, first, end, blocks) : 0;
}

/* Removes empty parts. */
static void close_gaps(struct frontier *frontier) {
  size_t kept = 0;
  for (size_t i = 0; i < frontier->count; i++)
    if (frontier->parts[i].states > 0)
      frontier->parts[kept++] = frontier->parts[i];
  frontier->count = kept;
}

static size_t write_closed(struct worker *worker, size_t blocks) {
  const size_t done = write_range_of_parts(worker, worker->closed.parts, 0, worker->closed.count, blocks);
  close_gaps(&worker->closed);
  return done;
}

/* Work of a phase: each worker writes up to spill.blocks blocks of the states that it found and of the level. */
static void write_worker_parts(void *data, unsigned number) {
  struct cpu_search *self = data;
  struct worker *worker = &self->workers[number];
  const size_t most = self->spill.blocks;
  size_t done = write_closed(worker, most);
  for (unsigned range = number; range < self->frontier.ranges.count; range += self->worker_count)
    done += write_undrawn(worker, range, most - done);
  atomic_fetch_add_explicit(&self->spill.done, done, memory_order_relaxed); /* read after the phase */
}

static bool write_all_workers(struct cpu_search *self, size_t blocks) {
  if (!is_ready(self))
    return false;
  self->spill.blocks = blocks;
  atomic_store_explicit(&self->spill.done, 0, memory_order_relaxed);
  enum phase before = phases_enter(&self->phases, PHASE_TOGETHER);
  pool_run(self->pool, write_worker_parts, self);
  phases_enter(&self->phases, before);
  return atomic_load_explicit(&self->spill.done, memory_order_relaxed) > 0;
}

/* Gives a chunk to each worker that has none; *lacking: some had none. */
static bool take_chunks(struct cpu_search *self, bool *lacking) {
  bool all = true;
  for (unsigned i = 0; i < self->worker_count; i++) {
    struct worker *worker = &self->workers[i];
    if (worker->chunk)
      continue;
    *lacking = true;
    worker->chunk = chunk_take(&self->frontier.pool);
    all = all && worker->chunk;
  }
  return all;
}

bool spill_for_chunks(struct cpu_search *self) {
  bool lacking = false, room = true;
  while (room && !take_chunks(self, &lacking))
    room = write_all_workers(self, 1);
  return room && lacking;
}

bool spill_all(struct cpu_search *self, uint64_t bytes) {
  if (budget_left(&self->budget) + self->frontier.pool.bytes < bytes || !write_all_workers(self, SIZE_MAX))
    return false;
  chunk_pool_trim(&self->frontier.pool, RESERVED_CHUNKS * (size_t)self->worker_count);
  return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool spill_fetch(struct worker *worker, struct frontier_part *part) {
  struct cpu_search *self = worker->search;
  assert(!part->chunk && part->block && worker->disk.next == worker->disk.end);
  if (spool_read(worker->disk.context, part->block, worker->disk.states) != FLOE_OK) {
    cpu_stop(self, STOP_DISK);
    return false;
  }
  worker->disk.next = 0;
  worker->disk.end = part->block->states;
  spool_release(self->spill.spool, part->block);
  mem_free(part->block);
  part->block = NULL;
  return true;
}
