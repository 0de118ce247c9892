/* The frontier where memory is short: chunks of states go to disk in blocks, and come back, a block at a time, to who
   draws its ticket. A worker that finds no memory for new states writes what it has closed itself; one that has nothing
   to write stops the others, and all make room. What a block is written from and read into is every worker's own and
   put aside before anything else takes memory, so that there is always a way to go on: with a chunk to fill for each
   worker, which the least size of the pool grants. */
#include "engine/cpu/cpu_search.h"

#include "core/mem.h"

#include <assert.h>

/* Small enough that the last block of a level keeps nobody waiting for long, large enough for disk and compression:
   with 8 chunks in a block instead of 32 it takes a quarter more room. */
#define MOST_CHUNKS 32
#define LEAST_PACKED_CHUNKS 4
#define SHARE 8           /* of the memory for lanes, where that is very little */
#define RESERVED_CHUNKS 4 /* a worker: one to fill, one in work, two at the ends of its tickets */

/* ---- creation -------------------------------------------------------------------------------- */

static size_t chunk_states(const struct cpu_search *self) { return CHUNK_WORDS / self->words; }

static size_t state_bytes(const struct cpu_search *self, size_t states) { return states * self->words * sizeof(uint64_t); }

static uint64_t lanes_bytes(const struct cpu_search *self, const struct spool_config *config) {
  return self->worker_count * (spool_context_bytes(config) + state_bytes(self, config->most));
}

/* The largest blocks for which lanes are a small part of the memory; false: there are none. */
static bool choose_blocks(const struct cpu_search *self, struct spool_config *config) {
  const size_t least[] = {LEAST_PACKED_CHUNKS, 1};
  for (unsigned plain = 0; plain <= 1; plain++)
    for (size_t chunks = MOST_CHUNKS; chunks >= least[plain]; chunks /= 2) {
      *config = (struct spool_config){
          .words = self->words, .most = chunks * chunk_states(self), .level = SPOOL_LEVEL, .plain = plain};
      if (lanes_bytes(self, config) <= self->budget.limit / SHARE)
        return true;
    }
  return false;
}

floe_status spill_open(struct cpu_search *self) {
  struct spool_config config;
  pthread_mutex_init(&self->spill.mutex, NULL);
  chunk_pool_reserve(&self->chunk_pool, RESERVED_CHUNKS * (size_t)self->worker_count, self->budget.limit / SHARE);
  if (!choose_blocks(self, &config) || !budget_take(&self->budget, lanes_bytes(self, &config)))
    return FLOE_OK; /* so little memory that nothing is to be won */
  self->spill.most = config.most;
  return spool_create(&config, &self->spill.spool);
}

static bool make_lane(struct cpu_search *self, struct worker *worker) {
  if (!worker->disk && spool_context_create(self->spill.spool, &worker->disk) != FLOE_OK)
    return false;
  if (!worker->fetched)
    worker->fetched = pages_alloc(state_bytes(self, self->spill.most));
  return worker->fetched != NULL;
}

/* All lanes are made before the first block is written: what is on disk can be read by everybody. */
static bool is_ready(struct cpu_search *self) {
  if (!self->spill.spool)
    return false;
  pthread_mutex_lock(&self->spill.mutex);
  for (unsigned i = 0; !self->spill.ready && i < self->worker_count; i++)
    if (!make_lane(self, &self->workers[i]))
      break;
    else
      self->spill.ready = i + 1 == self->worker_count;
  const bool ready = self->spill.ready;
  pthread_mutex_unlock(&self->spill.mutex);
  return ready;
}

void spill_close(struct cpu_search *self) {
  for (unsigned i = 0; self->workers && i < self->worker_count; i++) {
    spool_context_free(self->workers[i].disk);
    pages_free(self->workers[i].fetched, state_bytes(self, self->spill.most));
  }
  spool_free(self->spill.spool);
  pthread_mutex_destroy(&self->spill.mutex);
}

void spill_tell(struct cpu_search *self) {
  const struct search *search = self->search;
  if (self->spill.spool && (search->end == FLOE_END_DISK || search->end == FLOE_END_MEMORY))
    spool_report_error(self->spill.spool, search->log);
}

uint64_t spill_written(struct cpu_search *self) { return self->spill.spool ? spool_statistics(self->spill.spool).written : 0; }

/* ---- writing --------------------------------------------------------------------------------- */

/* The chunks of `count` parts become one block; NULL: they stay as they are. */
static struct spool_block *write_block(struct worker *worker, const struct frontier_part *parts, size_t count) {
  struct spool_span spans[MOST_CHUNKS];
  struct spool_block *block = mem_alloc(sizeof *block);
  assert(count > 0 && count <= MOST_CHUNKS);
  for (size_t i = 0; i < count; i++)
    spans[i] = (struct spool_span){parts[i].chunk->words, parts[i].states};
  if (block && spool_write(worker->disk, spans, count, block) == FLOE_OK)
    return block;
  mem_free(block);
  return NULL;
}

/* The first of these parts becomes the block that they are now, the others empty. */
static bool put_out(struct worker *worker, struct frontier_part *parts, size_t count) {
  struct spool_block *block = write_block(worker, parts, count);
  if (!block)
    return false;
  for (size_t i = 0; i < count; i++) {
    chunk_give(&worker->search->chunk_pool, parts[i].chunk);
    parts[i] = (struct frontier_part){0};
  }
  parts[0].block = block;
  parts[0].states = block->states;
  return true;
}

/* Chunks at the end of parts [first, end), as many as a block takes. */
static size_t chunks_at_end(const struct cpu_search *self, const struct frontier_part *parts, size_t first, size_t end) {
  const size_t most = self->spill.most / chunk_states(self);
  size_t n = 0;
  while (n < most && first + n < end && parts[end - n - 1].chunk)
    n++;
  return n;
}

/* The newest chunks that this worker has closed. */
static bool put_out_newest(struct worker *worker) {
  struct frontier *closed = &worker->closed;
  const size_t n = chunks_at_end(worker->search, closed->parts, 0, closed->count);
  if (n == 0 || !put_out(worker, closed->parts + closed->count - n, n))
    return false;
  closed->count -= n - 1;
  return true;
}

bool spill_own(struct worker *worker) { return is_ready(worker->search) && put_out_newest(worker); }

/* ---- making room together --------------------------------------------------------------------- */

/* Of parts [first, end), from the end on, up to `blocks` blocks; returns how many were written. */
static size_t put_out_parts(struct worker *worker, struct frontier_part *parts, size_t first, size_t end,
                            size_t blocks) {
  const struct stop *stop = &worker->search->search->stop;
  size_t done = 0;
  while (end > first && done < blocks && !stop_wanted(stop)) {
    const size_t n = chunks_at_end(worker->search, parts, first, end);
    if (n > 0 && !put_out(worker, parts + end - n, n))
      break;
    done += n > 0;
    end -= n > 0 ? n : 1;
  }
  return done;
}

/* Parts of the level of which no ticket of this range has been drawn. */
static size_t put_out_range(struct worker *worker, unsigned range, size_t blocks) {
  struct cpu_search *self = worker->search;
  const size_t grains = self->grains_per_chunk;
  size_t first, end;
  ranges_left(&self->ranges, range, &first, &end);
  first = (first + grains - 1) / grains;
  end /= grains;
  return first < end ? put_out_parts(worker, self->frontier.parts, first, end, blocks) : 0;
}

/* Empty parts leave the list. */
static void close_gaps(struct frontier *frontier) {
  size_t kept = 0;
  for (size_t i = 0; i < frontier->count; i++)
    if (frontier->parts[i].states > 0)
      frontier->parts[kept++] = frontier->parts[i];
  frontier->count = kept;
}

static size_t put_out_closed(struct worker *worker, size_t blocks) {
  const size_t done = put_out_parts(worker, worker->closed.parts, 0, worker->closed.count, blocks);
  close_gaps(&worker->closed);
  return done;
}

/* Work of a phase: up to rank->spill.blocks blocks, of what the worker found and of the rest of the level. */
static void make_room(void *data, unsigned member) {
  struct cpu_search *self = data;
  struct worker *worker = &self->workers[member];
  const size_t most = self->spill.blocks;
  size_t done = put_out_closed(worker, most);
  for (unsigned range = member; range < self->ranges.count; range += self->worker_count)
    done += put_out_range(worker, range, most - done);
  atomic_fetch_add_explicit(&self->spill.done, done, memory_order_relaxed); /* read after the phase */
}

static bool all_make_room(struct cpu_search *self, size_t blocks) {
  if (!is_ready(self))
    return false;
  self->spill.blocks = blocks;
  atomic_store_explicit(&self->spill.done, 0, memory_order_relaxed);
  enum phase before = phases_enter(&self->phases, PHASE_TOGETHER);
  pool_run(self->pool, make_room, self);
  phases_enter(&self->phases, before);
  return atomic_load_explicit(&self->spill.done, memory_order_relaxed) > 0;
}

/* Each worker has a chunk to fill; *lacking: some had none before. */
static bool hand_out_chunks(struct cpu_search *self, bool *lacking) {
  bool all = true;
  for (unsigned i = 0; i < self->worker_count; i++) {
    struct worker *worker = &self->workers[i];
    if (worker->out)
      continue;
    *lacking = true;
    worker->out = chunk_take(&self->chunk_pool);
    all = all && worker->out;
  }
  return all;
}

bool spill_relieve(struct cpu_search *self) {
  bool lacking = false, room = true;
  while (room && !hand_out_chunks(self, &lacking))
    room = all_make_room(self, 1);
  return room && lacking;
}

bool spill_all(struct cpu_search *self, uint64_t wanted) {
  if (budget_left(&self->budget) + self->chunk_pool.bytes < wanted || !all_make_room(self, SIZE_MAX))
    return false;
  chunk_pool_trim(&self->chunk_pool, RESERVED_CHUNKS * (size_t)self->worker_count);
  return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool spill_fetch(struct worker *worker, struct frontier_part *part) {
  struct cpu_search *self = worker->search;
  assert(!part->chunk && part->block && worker->fetched_next == worker->fetched_end);
  if (spool_read(worker->disk, part->block, worker->fetched) != FLOE_OK) {
    cpu_stop(self, STOP_DISK);
    return false;
  }
  worker->fetched_next = 0;
  worker->fetched_end = part->block->states;
  spool_release(self->spill.spool, part->block);
  mem_free(part->block);
  part->block = NULL;
  return true;
}
