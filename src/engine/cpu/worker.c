#include "engine/cpu/cpu_search.h"

#include "core/mem.h"
#include "engine/comm/exchange.h"
#include "engine/cpu/duplicate_filter.h"

#include <assert.h>
#include <string.h>

/* Successors that a worker collects before it puts them: a few batches, in the first cache. */
#define COLLECT 1024
/* New states that a worker keeps to itself before it adds them to the total, which all of them write. */
#define MOST_AHEAD 4096

/* ---- violations and witnesses ---------------------------------------------------------------- */

static void on_trigger(void *user, size_t index, uint64_t properties, struct step_error error) {
  struct worker *worker = user;
  const struct cpu_search *self = worker->search;
  const uint64_t *state = worker->block.states + index * self->state_words;
  for (properties &= worker->block.wanted; properties; properties &= properties - 1)
    hit_keep_least(&worker->violations[__builtin_ctzll(properties)], state, self->state_words, search_depth(self->search),
                   error);
}

/* ---- new states ------------------------------------------------------------------------------ */

/* False when memory ends; a chunk that is full stays the worker's all the same. */
static bool open_chunk(struct worker *worker) {
  if (worker->out && !frontier_add(&worker->closed, worker->out))
    return false;
  worker->out = chunk_take(&worker->search->chunk_pool);
  while (!worker->out && spill_own(worker))
    worker->out = chunk_take(&worker->search->chunk_pool); /* others may have been faster */
  return worker->out != NULL;
}

/* Room for a whole batch, so that the copying loop has no test of its own. */
static bool has_room(const struct worker *worker, size_t n) {
  return worker->out && (worker->out->count + n) * worker->search->words <= CHUNK_WORDS;
}

static size_t copy_new_words(struct chunk *chunk, const uint64_t *keys, const uint8_t *answers, size_t n) {
  size_t count = chunk->count;
  for (size_t i = 0; i < n; i++) {
    chunk->words[count] = keys[i];
    count += answers[i] == VISITED_NEW;
  }
  return count;
}

/* Before the set is asked: a state that it has must have a place in the frontier. */
static bool make_room(struct worker *worker, size_t n) { return has_room(worker, n) || open_chunk(worker); }

static void mix_states(void *user, const uint64_t *states, size_t n) {
  struct worker *worker = user;
  worker->checksum += engine_keys_mix(worker->search->search->task->layout, states, n, worker->scratch);
}

static void add_to_checksum(struct worker *worker, const uint64_t *keys, size_t n) {
  const struct stepper *stepper = worker->search->stepper;
  if (worker->names) {
    multiword_visit(worker, keys, n, mix_states, worker);
    return;
  }
  if (!stepper->mix || !stepper->mix(stepper, keys, n, &worker->checksum))
    worker->checksum += engine_keys_mix(worker->search->search->task->layout, keys, n, worker->scratch);
}

static void append_new(struct worker *worker, const uint64_t *keys, size_t n) {
  assert(has_room(worker, n));
  struct chunk *chunk = worker->out;
  size_t before = chunk->count;
  chunk->count = copy_new_words(chunk, keys, worker->answers, n);
  add_to_checksum(worker, &chunk->words[before], chunk->count - before);
  worker->found += chunk->count - before;
}

/* ---- successors into the table --------------------------------------------------------------- */

/* Keys without a place go to the end of their batch, where the next attempt starts. */
static void keep_refused(struct worker *worker, uint64_t *keys, size_t n) {
  size_t end = n;
  for (size_t i = n; i-- > 0;)
    if (worker->answers[i] == VISITED_NO_PLACE)
      keys[--end] = keys[i];
  worker->put -= n - end;
}

/* Where the order of the search is recorded, keys that were refused find a place at once, in a
   larger table: new states are then found in the order of their keys. */
static size_t place_refused(struct worker *worker, const uint64_t *keys, size_t n) {
  struct cpu_search *self = worker->search;
  size_t refused = 1;
  while (refused && growth_force(self)) {
    refused = 0;
    for (size_t i = 0; i < n; i++)
      if (worker->answers[i] == VISITED_NO_PLACE)
        refused += visited_find_or_put(self->visited, keys + i, 1, worker->answers + i);
  }
  return refused;
}

/* With keys refused for good the record ends before the first of them, in order to the end. */
static void record_batch(struct worker *worker, const uint64_t *keys, size_t n, bool refused) {
  if (refused && worker->search->in_order)
    for (size_t i = n; i-- > 0;)
      if (worker->answers[i] == VISITED_NO_PLACE)
        n = i;
  if (worker->names)
    keys = multiword_some(worker, keys, n);
  worker->search->search->task->recorder->record(worker->lane, keys, worker->answers, n);
}

static bool put_batch(struct worker *worker) {
  struct cpu_search *self = worker->search;
  assert(worker->put < worker->key_count);
  size_t n = worker->key_count - worker->put;
  if (n > BATCH)
    n = BATCH;
  if (!make_room(worker, n)) {
    cpu_stop(self, STOP_MEMORY);
    return false;
  }
  uint64_t *keys = worker->keys + worker->put;
  size_t refused = visited_find_or_put(self->visited, keys, n, worker->answers);
  if (refused && self->in_order)
    refused = place_refused(worker, keys, n);
  append_new(worker, keys, n);
  if (worker->lane)
    record_batch(worker, keys, n, refused > 0);
  worker->put += n;
  if (!refused)
    return true;
  keep_refused(worker, keys, n);
  cpu_stop(self, STOP_FULL);
  return false;
}

/* Relaxed here and below: totals for thresholds and reports; exact once the phase has ended. */
uint64_t cpu_transitions(struct cpu_search *self) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < self->worker_count; i++)
    sum += atomic_load_explicit(&self->workers[i].transitions, memory_order_relaxed);
  return sum;
}

static void count_transitions(struct worker *worker, uint64_t fired) {
  uint64_t before = atomic_load_explicit(&worker->transitions, memory_order_relaxed);
  atomic_store_explicit(&worker->transitions, before + fired, memory_order_relaxed);
}

/* All workers together are ahead of rank->states by a quarter of the table's room at most. */
static uint64_t may_be_ahead(const struct cpu_search *self, uint64_t states) {
  uint64_t share = (self->grow_at - states) / (4 * (uint64_t)self->worker_count);
  if (self->worker_count == 1)
    return 0;
  return share < MOST_AHEAD ? share : MOST_AHEAD;
}

static void report_states(struct worker *worker) {
  struct cpu_search *self = worker->search;
  uint64_t before = atomic_fetch_add_explicit(&self->states, worker->found, memory_order_relaxed);
  uint64_t states = before + worker->found;
  worker->found = worker->ahead = 0;
  if (states >= self->grow_at)
    cpu_stop(self, STOP_GROW);
  else
    worker->ahead = may_be_ahead(self, states);
}

static void look_around(struct worker *worker) {
  struct cpu_search *self = worker->search;
  if (worker->hurried)
    return;
  if (worker->number == 0)
    cpu_watch(self);
  /* Relaxed: a flag without data. */
  if (atomic_load_explicit(self->search->task->limits.interrupt, memory_order_relaxed))
    cpu_stop(self, STOP_INTERRUPT);
  if (stop_is_set(self->search->task->limits.cancelled))
    cpu_stop(self, STOP_NEEDLESS);
}

/* Those of keys[0..n) that are this member's, in order; the others are sent to theirs. */
static size_t keep_own(struct worker *worker, uint64_t *keys, size_t n) {
  const struct cpu_search *self = worker->search;
  size_t own = 0;
  for (size_t i = 0; i < n; i++) {
    const unsigned owner = collective_owner(&self->collective, keys + i);
    if (owner == self->collective.rank)
      keys[own++] = keys[i];
    else
      exchange_send(self->collective.exchange, worker->number, owner, keys + i);
  }
  return own;
}

/* Successors become keys. False: some have none yet. */
static bool take_keys(struct worker *worker) {
  const size_t before = worker->key_count;
  bool all = true;
  if (worker->names)
    all = worker->search->collective.exchange ? multiword_deal(worker) : multiword_name(worker);
  else
    worker->key_count = worker->named = worker->block.produced;
  if (worker->recent)
    worker->key_count = before + duplicate_filter_drop(worker->recent, worker->keys + before, worker->key_count - before);
  if (worker->search->collective.exchange && !worker->names)
    worker->key_count = before + keep_own(worker, worker->keys + before, worker->key_count - before);
  if (!all)
    cpu_stop(worker->search, STOP_TREE);
  return all;
}

/* False when the worker has to pause; what is left is put by the next call. */
static bool put_successors(struct worker *worker) {
  bool done = worker->named == worker->block.produced || take_keys(worker);
  while (done && worker->put < worker->key_count)
    done = put_batch(worker);
  if (worker->found > worker->ahead)
    report_states(worker);
  if (done)
    worker->put = worker->key_count = worker->named = worker->block.produced = 0;
  look_around(worker);
  return done && !cpu_stopped(worker->search);
}

/* ---- states to expand ------------------------------------------------------------------------ */

/* Who finishes the last part of a chunk gives it back. Acquire and release: the others' reads of
   the chunk come before it is filled again. */
static void release_source(struct worker *worker) {
  size_t n = worker->block.count;
  if (atomic_fetch_sub_explicit(&worker->source->left, n, memory_order_acq_rel) == n)
    chunk_give(&worker->search->chunk_pool, worker->source);
  worker->source = NULL;
}

static void take_grain(struct worker *worker, uint64_t *states, size_t rest) {
  const struct cpu_search *self = worker->search;
  worker->block.count = rest < self->grain ? rest : self->grain;
  worker->block.next = 0;
  worker->taken = states;
  worker->block.states = worker->names ? wide_states(worker, states, worker->block.count) : states;
}

/* Of a block that came from the disk the worker expands all, as much at a time as of others. */
static bool take_fetched(struct worker *worker) {
  const size_t next = worker->fetched_next;
  if (next == worker->fetched_end)
    return false;
  take_grain(worker, worker->fetched + next * worker->search->words, worker->fetched_end - next);
  worker->fetched_next += worker->block.count;
  return true;
}

static bool take_source(struct worker *worker) {
  struct cpu_search *self = worker->search;
  size_t ticket;
  while (ranges_draw(&self->ranges, &worker->drawer, &ticket)) {
    struct frontier_part *part = &self->frontier.parts[ticket / self->grains_per_chunk];
    size_t first = ticket % self->grains_per_chunk * self->grain;
    if (first >= part->states)
      continue;
    if (part->chunk) {
      worker->source = part->chunk;
      take_grain(worker, part->chunk->words + first * self->words, part->states - first);
      return true;
    }
    if (first == 0)
      return spill_fetch(worker, part) && take_fetched(worker);
  }
  return false;
}

static bool more_states(struct worker *worker) {
  if (worker->block.next < worker->block.count)
    return true;
  if (worker->source)
    release_source(worker);
  return take_fetched(worker) || take_source(worker);
}

/* The record of the order has every successor, so there none is dropped. */
static void expand_some(struct worker *worker) {
  struct step_block *block = &worker->block;
  assert(block->produced == 0);
  if (worker->names)
    multiword_expanding(worker);
  worker->search->stepper->expand_block(worker->search->stepper, block);
  if (block->broken)
    cpu_stop(worker->search, STOP_BROKEN);
  count_transitions(worker, block->produced);
}

/* ---- with others of a group ------------------------------------------------------------------- */

/* The next states of the letter become keys, as many as there is room for. False: the tree is to grow first. */
static bool take_from_letter(struct worker *worker, const struct packet *packet) {
  const struct cpu_search *self = worker->search;
  const size_t rest = packet->number - worker->letter_next;
  const size_t n = rest < worker->block.capacity ? rest : worker->block.capacity;
  const uint64_t *states = (const uint64_t *)packet->content + worker->letter_next * self->state_words;
  size_t taken = n;
  if (worker->names)
    taken = multiword_roots(worker, states, n, worker->keys);
  else
    memcpy(worker->keys, states, n * sizeof *states);
  worker->key_count = taken;
  worker->letter_next += taken;
  return taken == n;
}

/* False: as put_successors. */
static bool put_letter(struct worker *worker) {
  const struct packet *packet = packet_of(worker->packet);
  while (worker->letter_next < packet->number) {
    const bool all = take_from_letter(worker, packet);
    const bool put = put_successors(worker);
    if (!all)
      cpu_stop(worker->search, STOP_TREE);
    if (!all || !put)
      return false;
  }
  message_free(worker->packet);
  worker->packet = NULL;
  exchange_ack(worker->search->collective.exchange);
  return true;
}

static bool put_all(struct worker *worker) { return put_successors(worker) && (!worker->packet || put_letter(worker)); }

bool worker_settle(struct worker *worker) {
  worker->hurried = true;
  const bool done = put_all(worker);
  worker->hurried = false;
  if (worker->found)
    report_states(worker);
  return done;
}

/* False: there is nothing to be done now. */
static bool do_some(struct worker *worker) {
  struct exchange *exchange = worker->search->collective.exchange;
  worker->packet = exchange_take(exchange);
  worker->letter_next = 0;
  if (worker->packet)
    return true;
  if (worker->exhausted || exchange_backpressured(exchange))
    return false;
  if (more_states(worker)) {
    expand_some(worker);
  } else {
    worker->exhausted = true;
    exchange_worker_done(exchange, worker->number);
  }
  return true;
}

/* What others send comes first: who waits for them to take it is waited for. */
static void expand_with_others(struct worker *worker) {
  struct exchange *exchange = worker->search->collective.exchange;
  unsigned rests = 0;
  while (put_all(worker)) {
    exchange_progress(exchange);
    if (exchange_is_stopped(exchange))
      cpu_stop(worker->search, STOP_OTHERS);
    else if (do_some(worker))
      rests = 0;
    else if (exchange_is_over(exchange))
      return;
    else
      comm_backoff(worker->search->search->task->group.comm, &rests);
  }
}

void worker_expand(void *data, unsigned member) {
  struct cpu_search *self = data;
  struct worker *worker = &self->workers[member];
  worker->block.properties_only = search_at_bound(self->search);
  worker->block.wanted = search_wanted(self->search);
  worker->block.errors_only = search_errors_only(self->search);
  if (self->collective.exchange)
    expand_with_others(worker);
  else
    while (put_successors(worker) && more_states(worker))
      expand_some(worker);
  if (worker->found)
    report_states(worker);
}

bool worker_begin(struct worker *worker, const uint64_t *initial) {
  worker->keys[0] = *initial;
  if (!make_room(worker, 1) || visited_find_or_put(worker->search->visited, worker->keys, 1, worker->answers))
    return false;
  append_new(worker, worker->keys, 1);
  if (worker->lane)
    record_batch(worker, worker->keys, 1, false);
  report_states(worker);
  return true;
}

bool worker_put(struct worker *worker, const uint64_t *states, size_t n) {
  assert(worker->key_count + n <= worker->block.capacity);
  if (n > 0)
    memcpy(worker->keys + worker->key_count, states, n * sizeof *states);
  worker->key_count += n;
  const bool done = put_successors(worker);
  if (worker->found)
    report_states(worker);
  return done;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* A cache: without room for it everything goes to the visited set. */
static void create_recent(struct worker *worker) {
  struct cpu_search *self = worker->search;
  if (worker->lane || RECENT_BYTES > budget_left(&self->budget) / 16 || !budget_take(&self->budget, RECENT_BYTES))
    return;
  worker->recent = pages_alloc(RECENT_BYTES);
  if (worker->recent)
    duplicate_filter_begin(worker->recent);
  else
    budget_give(&self->budget, RECENT_BYTES);
}

static bool create_worker(struct cpu_search *self, struct worker *worker) {
  struct step_block *block = &worker->block;
  worker->search = self;
  block->capacity = self->stepper->max_successors + (size_t)COLLECT;
  if (self->state_words == 1) { /* else cpu_multiword.c has what takes their place */
    worker->buffer_bytes = block->capacity * sizeof(uint64_t);
    block->successors = worker->keys = pages_alloc(worker->buffer_bytes);
  }
  /* Apart from one another by their own allocations' headers and rounding up: no shared cache
   * lines. */
  block->fired = mem_array(self->search->task->model->transition_count + 8, sizeof *block->fired);
  worker->violations = violations_make(self->search->task);
  worker->scratch = mem_array(key_scratch(self->search->task->layout) + 8, sizeof *worker->scratch);
  if ((worker->buffer_bytes && !block->successors) || !block->fired || !worker->violations || !worker->scratch)
    return false;
  block->on_trigger = on_trigger;
  block->user = worker;
  if (!budget_take(&self->budget, worker->buffer_bytes))
    return false;
  create_recent(worker);
  return true;
}

floe_status workers_create(struct cpu_search *self) {
  const struct engine_task *task = self->search->task;
  const struct recorder *recorder = task->group.comm ? NULL : task->recorder; /* of a group: cpu_record.c */
  assert(BATCH * self->words <= CHUNK_WORDS && BATCH <= RECORDER_MOST_AT_ONCE);
  self->worker_count = pool_size(self->pool);
  self->in_order = recorder && self->worker_count == 1;
  self->workers = pages_alloc(self->worker_count * sizeof *self->workers);
  if (!self->workers) {
    self->worker_count = 0;
    return FLOE_ERROR_MEMORY;
  }
  FLOE_TRY(ranges_create(self->worker_count, &self->ranges));
  for (unsigned i = 0; i < self->worker_count; i++) {
    self->workers[i].number = i;
    if (recorder)
      self->workers[i].lane = recorder->lane(recorder->user, i);
    if (!create_worker(self, &self->workers[i]))
      return FLOE_ERROR_MEMORY;
  }
  return FLOE_OK;
}

void workers_free(struct cpu_search *self) {
  for (unsigned i = 0; self->workers && i < self->worker_count; i++) {
    struct worker *worker = &self->workers[i];
    if (worker->block.successors)
      pages_free(worker->block.successors, worker->buffer_bytes);
    pages_free(worker->recent, RECENT_BYTES);
    message_free(worker->packet);
    mem_free(worker->block.fired);
    mem_free(worker->scratch);
    frontier_free(&worker->closed);
    violations_free(worker->violations, self->search->task->model->property_count);
  }
  if (self->workers)
    pages_free(self->workers, self->worker_count * sizeof *self->workers);
  self->workers = NULL;
  ranges_free(&self->ranges);
}
