#include "engine/run.h"

#include "core/mem.h"
#include "engine/recent.h"
#include "order/writer.h"

#include <assert.h>
#include <string.h>

/* Successors that a worker collects before it puts them: a few batches, in the first cache. */
#define COLLECT 1024
/* New states that a worker keeps to itself before it adds them to the total, which all of them write. */
#define MOST_AHEAD 4096

uint64_t engine_state_mix(const uint64_t *state, uint32_t words) {
  uint64_t mix = 0;
  for (uint32_t i = 0; i < words; i++) {
    mix ^= state[i] + 0x9e3779b97f4a7c15u; /* finaliser of MurmurHash3 */
    mix = (mix ^ mix >> 33) * 0xff51afd7ed558ccdu;
    mix = (mix ^ mix >> 33) * 0xc4ceb9fe1a85ec53u;
    mix ^= mix >> 33;
  }
  return mix;
}

bool words_less(const uint64_t *a, const uint64_t *b, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    if (a[i] != b[i])
      return a[i] < b[i];
  return false;
}

/* ---- violations and witnesses ---------------------------------------------------------------- */

static void keep_hit(struct worker *worker, size_t property, const uint64_t *state, struct step_error error) {
  struct engine_hit *hit = &worker->hits[property];
  uint32_t words = worker->run->words;
  if (hit->hit && !words_less(state, hit->state, words))
    return;
  hit->hit = true;
  hit->depth = worker->run->depth;
  hit->error = error;
  memcpy(hit->state, state, words * sizeof *state);
}

static void on_trigger(void *user, size_t index, uint64_t properties, struct step_error error) {
  struct worker *worker = user;
  const uint64_t *state = worker->block.states + index * worker->run->words;
  for (properties &= worker->block.wanted; properties; properties &= properties - 1)
    keep_hit(worker, (size_t)__builtin_ctzll(properties), state, error);
}

/* ---- new states ------------------------------------------------------------------------------ */

static bool open_chunk(struct worker *worker) {
  struct chunk *chunk = chunk_take(&worker->run->pool);
  if (!chunk)
    return false;
  if (worker->out) {
    worker->out->next = worker->closed;
    worker->closed = worker->out;
  }
  worker->out = chunk;
  return true;
}

/* Room for a whole batch, so that the copying loop has no test of its own. */
static bool has_room(const struct worker *worker, size_t n) {
  return worker->out && (worker->out->count + n) * worker->run->words <= CHUNK_WORDS;
}

static size_t copy_new_words(struct chunk *chunk, const uint64_t *keys, const uint8_t *answers, size_t n) {
  size_t count = chunk->count;
  for (size_t i = 0; i < n; i++) {
    chunk->words[count] = keys[i];
    count += answers[i] == TABLE_PUT;
  }
  return count;
}

static size_t copy_new_states(struct chunk *chunk, const uint64_t *keys, const uint8_t *answers, size_t n,
                              uint32_t words) {
  size_t count = chunk->count;
  for (size_t i = 0; i < n; i++)
    if (answers[i] == TABLE_PUT)
      memcpy(&chunk->words[count++ * words], &keys[i * words], words * sizeof *keys);
  return count;
}

static bool append_new(struct worker *worker, const uint64_t *keys, size_t n) {
  if (!has_room(worker, n) && !open_chunk(worker))
    return false;
  struct chunk *chunk = worker->out;
  uint32_t words = worker->run->words;
  size_t before = chunk->count;
  chunk->count = words == 1 ? copy_new_words(chunk, keys, worker->answers, n)
                            : copy_new_states(chunk, keys, worker->answers, n, words);
  uint64_t sum = 0;
  for (size_t i = before; i < chunk->count; i++)
    sum += engine_state_mix(&chunk->words[i * words], words);
  worker->checksum += sum;
  worker->found += chunk->count - before;
  return true;
}

/* ---- successors into the table --------------------------------------------------------------- */

/* Keys without a place go to the end of their batch, where the next attempt starts. */
static void keep_refused(struct worker *worker, uint64_t *keys, size_t n) {
  size_t end = n;
  for (size_t i = n; i-- > 0;)
    if (worker->answers[i] == TABLE_FULL)
      keys[--end] = keys[i];
  worker->put -= n - end;
}

/* Where the order of the search is recorded, keys that were refused find a place at once, in a
   larger table: new states are then found in the order of their keys. */
static size_t place_refused(struct worker *worker, const uint64_t *keys, size_t n) {
  struct run *run = worker->run;
  size_t refused = 1;
  while (refused && growth_grow(run)) {
    refused = 0;
    for (size_t i = 0; i < n; i++)
      if (worker->answers[i] == TABLE_FULL)
        refused += table_find_or_put(run->table, keys + i, 1, worker->answers + i);
  }
  return refused;
}

/* With keys refused for good the record ends before the first of them, in order to the end. */
static void record_batch(struct worker *worker, const uint64_t *keys, size_t n, bool refused) {
  if (refused && worker->run->in_order)
    for (size_t i = n; i-- > 0;)
      if (worker->answers[i] == TABLE_FULL)
        n = i;
  order_record(worker->lane, keys, worker->answers, n);
}

static bool put_batch(struct worker *worker) {
  struct run *run = worker->run;
  size_t n = worker->block.produced - worker->put;
  if (n > BATCH)
    n = BATCH;
  uint64_t *keys = worker->block.successors + worker->put;
  size_t refused = table_find_or_put(run->table, keys, n, worker->answers);
  if (refused && run->in_order)
    refused = place_refused(worker, keys, n);
  if (!append_new(worker, keys, n)) {
    run_stop(run, STOP_MEMORY);
    return false;
  }
  if (worker->lane)
    record_batch(worker, keys, n, refused > 0);
  worker->put += n;
  if (!refused)
    return true;
  keep_refused(worker, keys, n);
  run_stop(run, STOP_FULL);
  return false;
}

/* Relaxed here and below: totals for thresholds and reports; exact once the phase has ended. */
uint64_t run_transitions(struct run *run) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < run->worker_count; i++)
    sum += atomic_load_explicit(&run->workers[i].transitions, memory_order_relaxed);
  return sum;
}

static void count_transitions(struct worker *worker, uint64_t fired) {
  uint64_t before = atomic_load_explicit(&worker->transitions, memory_order_relaxed);
  atomic_store_explicit(&worker->transitions, before + fired, memory_order_relaxed);
}

/* All workers together are ahead of run->states by a quarter of the table's room at most. */
static uint64_t may_be_ahead(const struct run *run, uint64_t states) {
  uint64_t share = (run->grow_at - states) / (4 * (uint64_t)run->worker_count);
  if (run->worker_count == 1)
    return 0;
  return share < MOST_AHEAD ? share : MOST_AHEAD;
}

static void report_states(struct worker *worker) {
  struct run *run = worker->run;
  uint64_t before = atomic_fetch_add_explicit(&run->states, worker->found, memory_order_relaxed);
  uint64_t states = before + worker->found;
  worker->found = worker->ahead = 0;
  if (states >= run->grow_at)
    run_stop(run, STOP_GROW);
  else
    worker->ahead = may_be_ahead(run, states);
}

static void look_around(struct worker *worker) {
  struct run *run = worker->run;
  if (worker->number == 0)
    run_watch(run);
  /* Relaxed: a flag without data. */
  if (atomic_load_explicit(run->task->interrupt, memory_order_relaxed))
    run_stop(run, STOP_INTERRUPT);
  if (stop_is_set(run->task->needless))
    run_stop(run, STOP_NEEDLESS);
}

/* False when the worker has to pause; what is left is put by the next call. */
static bool put_successors(struct worker *worker) {
  bool done = true;
  while (done && worker->put < worker->block.produced)
    done = put_batch(worker);
  if (worker->found > worker->ahead)
    report_states(worker);
  if (done)
    worker->put = worker->block.produced = 0;
  look_around(worker);
  return done && !run_stopped(worker->run);
}

/* ---- states to expand ------------------------------------------------------------------------ */

/* Who finishes the last part of a chunk gives it back. Acquire and release: the others' reads of
   the chunk come before it is filled again. */
static void release_source(struct worker *worker) {
  size_t n = worker->block.count;
  if (atomic_fetch_sub_explicit(&worker->source->left, n, memory_order_acq_rel) == n)
    chunk_give(&worker->run->pool, worker->source);
  worker->source = NULL;
}

static bool take_source(struct worker *worker) {
  struct run *run = worker->run;
  size_t ticket;
  while (ranges_draw(&run->ranges, &worker->drawer, &ticket)) {
    const struct frontier_part *part = &run->frontier.parts[ticket / run->grains_per_chunk];
    size_t first = ticket % run->grains_per_chunk * run->grain;
    if (first >= part->states)
      continue;
    size_t rest = part->states - first;
    worker->source = part->chunk;
    worker->block.states = part->chunk->words + first * run->words;
    worker->block.count = rest < run->grain ? rest : run->grain;
    worker->block.next = 0;
    return true;
  }
  return false;
}

static bool more_states(struct worker *worker) {
  if (worker->source && worker->block.next < worker->block.count)
    return true;
  if (worker->source)
    release_source(worker);
  return take_source(worker);
}

/* The record of the order has every successor, so there none is dropped. */
static void expand_some(struct worker *worker) {
  struct step_block *block = &worker->block;
  assert(block->produced == 0);
  worker->run->stepper->expand_block(worker->run->stepper, block);
  count_transitions(worker, block->produced);
  if (worker->recent)
    block->produced = recent_drop(worker->recent, block->successors, block->produced);
}

void worker_expand(void *data, unsigned member) {
  struct run *run = data;
  struct worker *worker = &run->workers[member];
  worker->block.properties_only = run->evaluate_only;
  worker->block.wanted = run->task->wanted & ~run->hits_so_far;
  worker->block.errors_only = engine_errors_only(run->task, run->hits_so_far);
  while (put_successors(worker) && more_states(worker))
    expand_some(worker);
  if (worker->found)
    report_states(worker);
}

bool worker_begin(struct worker *worker, const uint64_t *initial) {
  uint32_t words = worker->run->words;
  memcpy(worker->block.successors, initial, words * sizeof *initial);
  if (table_find_or_put(worker->run->table, worker->block.successors, 1, worker->answers))
    return false;
  bool put = append_new(worker, worker->block.successors, 1);
  if (worker->lane)
    record_batch(worker, worker->block.successors, 1, false);
  report_states(worker);
  return put;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* A cache: without room for it everything goes to the visited set. */
static void create_recent(struct worker *worker) {
  struct run *run = worker->run;
  if (run->words != 1 || worker->lane || RECENT_BYTES > budget_left(&run->budget) / 16 ||
      !budget_take(&run->budget, RECENT_BYTES))
    return;
  worker->recent = pages_alloc(RECENT_BYTES);
  if (worker->recent)
    recent_begin(worker->recent);
  else
    budget_give(&run->budget, RECENT_BYTES);
}

static bool create_worker(struct run *run, struct worker *worker) {
  size_t properties = run->task->model->property_count;
  struct step_block *block = &worker->block;
  worker->run = run;
  block->capacity = run->stepper->max_successors + (size_t)COLLECT;
  worker->buffer_bytes = block->capacity * run->words * sizeof(uint64_t);
  block->successors = pages_alloc(worker->buffer_bytes);
  /* Apart from one another by their own allocations' headers and rounding up: no shared cache
   * lines. */
  block->fired = mem_array(run->task->model->transition_count + 8, sizeof *block->fired);
  worker->hits = mem_array(properties, sizeof *worker->hits);
  worker->hit_words = mem_array(properties, run->words * sizeof(uint64_t));
  if (!block->successors || !block->fired || !worker->hits || !worker->hit_words)
    return false;
  for (size_t i = 0; i < properties; i++)
    worker->hits[i].state = worker->hit_words + i * run->words;
  block->on_trigger = on_trigger;
  block->user = worker;
  if (!budget_take(&run->budget, worker->buffer_bytes))
    return false;
  create_recent(worker);
  return true;
}

floe_status workers_create(struct run *run) {
  assert(BATCH * run->words <= CHUNK_WORDS);
  run->worker_count = crew_size(run->crew);
  run->in_order = run->task->order && run->worker_count == 1;
  run->workers = pages_alloc(run->worker_count * sizeof *run->workers);
  if (!run->workers)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(ranges_create(run->worker_count, &run->ranges));
  for (unsigned i = 0; i < run->worker_count; i++) {
    run->workers[i].number = i;
    if (run->task->order)
      run->workers[i].lane = order_lane(run->task->order, i);
    if (!create_worker(run, &run->workers[i]))
      return FLOE_ERROR_MEMORY;
  }
  return FLOE_OK;
}

void workers_free(struct run *run) {
  for (unsigned i = 0; run->workers && i < run->worker_count; i++) {
    struct worker *worker = &run->workers[i];
    pages_free(worker->block.successors, worker->buffer_bytes);
    pages_free(worker->recent, RECENT_BYTES);
    mem_free(worker->block.fired);
    mem_free(worker->hits);
    mem_free(worker->hit_words);
  }
  if (run->workers)
    pages_free(run->workers, run->worker_count * sizeof *run->workers);
  run->workers = NULL;
  ranges_free(&run->ranges);
}
