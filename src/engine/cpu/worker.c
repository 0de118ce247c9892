#include "engine/cpu/cpu_search.h"

#include "core/mem.h"
#include "engine/comm/exchange.h"
#include "engine/cpu/duplicate_filter.h"

#include <assert.h>
#include <string.h>

/* Successors that a worker collects before it inserts them: a few batches, in the first-level cache. */
#define COLLECT 1024
/* New states that a worker counts before it adds them to the total, which all workers write. */
#define MOST_UNREPORTED 4096

/* ---- violations and witnesses ---------------------------------------------------------------- */

static void on_trigger(void *user, size_t index, uint64_t properties, struct step_error error) {
  struct worker *worker = user;
  const struct cpu_search *self = worker->search;
  const uint64_t *state = worker->block.states + index * self->state_words;
  for (properties &= worker->block.requested_properties; properties; properties &= properties - 1)
    violation_keep_least(&worker->violations[__builtin_ctzll(properties)], state, self->state_words,
                         search_depth(&self->search), error);
}

/* ---- new states ------------------------------------------------------------------------------ */

/* False: no memory; a full chunk stays the worker's. */
static bool next_chunk(struct worker *worker) {
  if (worker->chunk && !frontier_add(&worker->closed, worker->chunk))
    return false;
  worker->chunk = chunk_take(&worker->search->frontier.pool);
  while (!worker->chunk && spill_closed(worker))
    worker->chunk = chunk_take(&worker->search->frontier.pool); /* other workers may have taken the chunks */
  return worker->chunk != NULL;
}

/* Room for a whole batch, so that the copying loop needs no check. */
static bool has_room(const struct worker *worker, size_t n) {
  return worker->chunk && (worker->chunk->count + n) * worker->search->words <= CHUNK_WORDS;
}

static size_t copy_new_words(struct chunk *chunk, const uint64_t *keys, const uint8_t *answers, size_t n) {
  size_t count = chunk->count;
  for (size_t i = 0; i < n; i++) {
    chunk->words[count] = keys[i];
    count += answers[i] == VISITED_NEW;
  }
  return count;
}

/* Before the set is called: every state inserted into it must have a place in the frontier. */
static bool ensure_room(struct worker *worker, size_t n) { return has_room(worker, n) || next_chunk(worker); }

static void mix_states(void *user, const uint64_t *states, size_t n) {
  struct worker *worker = user;
  worker->checksum += engine_keys_mix(worker->search->search.task->layout, states, n, worker->scratch);
}

static void add_to_checksum(struct worker *worker, const uint64_t *keys, size_t n) {
  const struct stepper *stepper = worker->search->stepper;
  if (worker->multiword) {
    multiword_visit(worker, keys, n, mix_states, worker);
    return;
  }
  if (!stepper->mix || !stepper->mix(stepper, keys, n, &worker->checksum))
    worker->checksum += engine_keys_mix(worker->search->search.task->layout, keys, n, worker->scratch);
}

static void append_new(struct worker *worker, const uint64_t *keys, size_t n) {
  assert(has_room(worker, n));
  struct chunk *chunk = worker->chunk;
  size_t before = chunk->count;
  chunk->count = copy_new_words(chunk, keys, worker->answers, n);
  add_to_checksum(worker, &chunk->words[before], chunk->count - before);
  worker->unreported += chunk->count - before;
}

/* ---- successors into the table --------------------------------------------------------------- */

/* Refused keys move to the end of their batch, where the next attempt starts. */
static void keep_refused(struct worker *worker, uint64_t *keys, size_t n) {
  size_t end = n;
  for (size_t i = n; i-- > 0;)
    if (worker->answers[i] == VISITED_NO_PLACE)
      keys[--end] = keys[i];
  worker->successors.put -= n - end;
}

/* If the visiting order is recorded, refused keys are inserted at once, into a larger table: new states are then
   found in the order of their keys. */
static size_t place_refused(struct worker *worker, const uint64_t *keys, size_t n) {
  struct cpu_search *self = worker->search;
  size_t refused = 1;
  while (refused && growth_force(self)) {
    refused = 0;
    for (size_t i = 0; i < n; i++)
      if (worker->answers[i] == VISITED_NO_PLACE)
        refused += visited_find_or_put(self->visited.set, keys + i, 1, worker->answers + i);
  }
  return refused;
}

/* If keys are refused for good, the record ends before the first of them and keeps its order. */
static void record_batch(struct worker *worker, const uint64_t *keys, size_t n, bool refused) {
  if (refused && worker->search->in_order)
    for (size_t i = n; i-- > 0;)
      if (worker->answers[i] == VISITED_NO_PLACE)
        n = i;
  if (worker->multiword)
    keys = multiword_peek(worker, keys, n);
  worker->search->search.task->recorder->record(worker->recorder_context, keys, worker->answers, n);
}

static bool put_batch(struct worker *worker) {
  struct cpu_search *self = worker->search;
  assert(worker->successors.put < worker->successors.count);
  size_t n = worker->successors.count - worker->successors.put;
  if (n > BATCH)
    n = BATCH;
  if (!ensure_room(worker, n)) {
    cpu_stop(self, STOP_MEMORY);
    return false;
  }
  uint64_t *keys = worker->successors.keys + worker->successors.put;
  size_t refused = visited_find_or_put(self->visited.set, keys, n, worker->answers);
  if (refused && self->in_order)
    refused = place_refused(worker, keys, n);
  append_new(worker, keys, n);
  if (worker->recorder_context)
    record_batch(worker, keys, n, refused > 0);
  worker->successors.put += n;
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

/* The unreported states of all workers are at most a quarter of the table's free room. */
static uint64_t unreported_bound(const struct cpu_search *self, uint64_t states) {
  uint64_t share = (self->visited.grow_at - states) / (4 * (uint64_t)self->worker_count);
  if (self->worker_count == 1)
    return 0;
  return share < MOST_UNREPORTED ? share : MOST_UNREPORTED;
}

static void report_states(struct worker *worker) {
  struct cpu_search *self = worker->search;
  uint64_t before = atomic_fetch_add_explicit(&self->states, worker->unreported, memory_order_relaxed);
  uint64_t states = before + worker->unreported;
  worker->unreported = worker->most_unreported = 0;
  if (states >= self->visited.grow_at)
    cpu_stop(self, STOP_GROW);
  else
    worker->most_unreported = unreported_bound(self, states);
}

static void check_stop(struct worker *worker) {
  struct cpu_search *self = worker->search;
  if (worker->draining)
    return;
  if (worker->number == 0)
    cpu_check_clock(self);
  /* Relaxed: a flag without data. */
  if (atomic_load_explicit(self->search.task->limits.interrupt, memory_order_relaxed))
    cpu_stop(self, STOP_INTERRUPT);
  if (stop_is_set(self->search.task->limits.cancelled))
    cpu_stop(self, STOP_CANCELLED);
}

/* Keeps the keys that this member owns, in order, and sends the others to their owners. */
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

/* Converts the block's successors to keys. False: some have none yet. */
static bool take_keys(struct worker *worker) {
  const size_t before = worker->successors.count;
  bool all = true;
  if (worker->multiword)
    all = worker->search->collective.exchange ? multiword_insert_own(worker) : multiword_insert(worker);
  else
    worker->successors.count = worker->successors.converted = worker->block.produced;
  if (worker->duplicate_filter)
    worker->successors.count =
        before + duplicate_filter_drop(worker->duplicate_filter, worker->successors.keys + before,
                                       worker->successors.count - before);
  if (worker->search->collective.exchange && !worker->multiword)
    worker->successors.count =
        before + keep_own(worker, worker->successors.keys + before, worker->successors.count - before);
  if (!all)
    cpu_stop(worker->search, STOP_TREE);
  return all;
}

/* False: the worker must pause; the next call continues. */
static bool put_successors(struct worker *worker) {
  bool done = worker->successors.converted == worker->block.produced || take_keys(worker);
  while (done && worker->successors.put < worker->successors.count)
    done = put_batch(worker);
  if (worker->unreported > worker->most_unreported)
    report_states(worker);
  if (done)
    worker->successors.put = worker->successors.count = worker->successors.converted = worker->block.produced = 0;
  check_stop(worker);
  return done && !cpu_stopped(worker->search);
}

/* ---- states to expand ------------------------------------------------------------------------ */

/* The worker that finishes the last part of a chunk frees it, or keeps it for traces. Acquire and release: the other
   workers' reads of the chunk precede its reuse. */
static void release_source(struct worker *worker) {
  size_t n = worker->block.count;
  if (atomic_fetch_sub_explicit(&worker->source->left, n, memory_order_acq_rel) == n)
    chunk_expanded(&worker->search->frontier.pool, worker->source);
  worker->source = NULL;
}

static void take_grain(struct worker *worker, uint64_t *states, size_t rest) {
  const struct cpu_search *self = worker->search;
  worker->block.count = rest < self->frontier.grain ? rest : self->frontier.grain;
  worker->block.next = 0;
  worker->frontier_states = states;
  worker->block.states = worker->multiword ? multiword_states(worker, states, worker->block.count) : states;
}

/* A worker expands all states of the block that it read from disk, a grain at a time. */
static bool take_fetched(struct worker *worker) {
  const size_t next = worker->disk.next;
  if (next == worker->disk.end)
    return false;
  take_grain(worker, worker->disk.states + next * worker->search->words, worker->disk.end - next);
  worker->disk.next += worker->block.count;
  return true;
}

static bool take_source(struct worker *worker) {
  struct cpu_search *self = worker->search;
  size_t ticket;
  while (ranges_draw(&self->frontier.ranges, &worker->drawer, &ticket)) {
    struct frontier_part *part = &self->frontier.level.parts[ticket / self->frontier.grains_per_chunk];
    size_t first = ticket % self->frontier.grains_per_chunk * self->frontier.grain;
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

/* A recorder receives every successor, so no filter is used with one. */
static void expand_some(struct worker *worker) {
  struct step_block *block = &worker->block;
  assert(block->produced == 0);
  if (worker->multiword)
    multiword_begin_block(worker);
  worker->search->stepper->expand_block(worker->search->stepper, block);
  if (block->broken)
    cpu_stop(worker->search, STOP_BROKEN);
  count_transitions(worker, block->produced);
}

/* ---- as a member of a group ------------------------------------------------------------------- */

/* Converts the next states of the message to keys, as many as there is room for. False: the tree must grow first. */
static bool take_from_message(struct worker *worker, const struct packet *packet) {
  const struct cpu_search *self = worker->search;
  const size_t rest = packet->number - worker->received.next;
  const size_t n = rest < worker->block.capacity ? rest : worker->block.capacity;
  const uint64_t *states = (const uint64_t *)packet->content + worker->received.next * self->state_words;
  size_t taken = n;
  if (worker->multiword)
    taken = multiword_roots(worker, states, n, worker->successors.keys);
  else
    memcpy(worker->successors.keys, states, n * sizeof *states);
  worker->successors.count = taken;
  worker->received.next += taken;
  return taken == n;
}

/* False: as put_successors. */
static bool put_message(struct worker *worker) {
  const struct packet *packet = packet_of(worker->received.message);
  while (worker->received.next < packet->number) {
    const bool all = take_from_message(worker, packet);
    const bool put = put_successors(worker);
    if (!all)
      cpu_stop(worker->search, STOP_TREE);
    if (!all || !put)
      return false;
  }
  message_free(worker->received.message);
  worker->received.message = NULL;
  exchange_ack(worker->search->collective.exchange);
  return true;
}

static bool put_all(struct worker *worker) {
  return put_successors(worker) && (!worker->received.message || put_message(worker));
}

bool worker_flush(struct worker *worker) {
  worker->draining = true;
  const bool done = put_all(worker);
  worker->draining = false;
  if (worker->unreported)
    report_states(worker);
  return done;
}

/* False: there is nothing to do now. */
static bool find_work(struct worker *worker) {
  struct exchange *exchange = worker->search->collective.exchange;
  worker->received.message = exchange_take(exchange);
  worker->received.next = 0;
  if (worker->received.message)
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

/* Received states come first: their senders wait until they are inserted. */
static void expand_in_group(struct worker *worker) {
  struct exchange *exchange = worker->search->collective.exchange;
  unsigned idle_rounds = 0;
  while (put_all(worker)) {
    exchange_progress(exchange);
    if (exchange_is_stopped(exchange))
      cpu_stop(worker->search, STOP_GROUP);
    else if (find_work(worker))
      idle_rounds = 0;
    else if (exchange_is_over(exchange))
      return;
    else
      comm_backoff(worker->search->search.task->group.comm, &idle_rounds);
  }
}

void worker_expand(void *data, unsigned number) {
  struct cpu_search *self = data;
  struct worker *worker = &self->workers[number];
  worker->block.properties_only = search_at_bound(&self->search);
  worker->block.requested_properties = search_pending_properties(&self->search);
  worker->block.errors_only = search_errors_only(&self->search);
  if (self->collective.exchange)
    expand_in_group(worker);
  else
    while (put_successors(worker) && more_states(worker))
      expand_some(worker);
  if (worker->unreported)
    report_states(worker);
}

bool worker_put_initial(struct worker *worker, const uint64_t *initial) {
  worker->successors.keys[0] = *initial;
  if (!ensure_room(worker, 1) ||
      visited_find_or_put(worker->search->visited.set, worker->successors.keys, 1, worker->answers))
    return false;
  append_new(worker, worker->successors.keys, 1);
  if (worker->recorder_context)
    record_batch(worker, worker->successors.keys, 1, false);
  report_states(worker);
  return true;
}

bool worker_put(struct worker *worker, const uint64_t *states, size_t n) {
  assert(worker->successors.count + n <= worker->block.capacity);
  if (n > 0)
    memcpy(worker->successors.keys + worker->successors.count, states, n * sizeof *states);
  worker->successors.count += n;
  const bool done = put_successors(worker);
  if (worker->unreported)
    report_states(worker);
  return done;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* A cache: without memory for it every key goes to the visited set. */
static void create_duplicate_filter(struct worker *worker) {
  struct cpu_search *self = worker->search;
  if (worker->recorder_context || DUPLICATE_FILTER_BYTES > budget_left(&self->budget) / 16 ||
      !budget_take(&self->budget, DUPLICATE_FILTER_BYTES))
    return;
  worker->duplicate_filter = pages_alloc(DUPLICATE_FILTER_BYTES);
  if (worker->duplicate_filter)
    duplicate_filter_begin(worker->duplicate_filter);
  else
    budget_give(&self->budget, DUPLICATE_FILTER_BYTES);
}

static bool create_worker(struct cpu_search *self, struct worker *worker) {
  struct step_block *block = &worker->block;
  worker->search = self;
  block->capacity = self->stepper->max_successors + (size_t)COLLECT;
  if (self->state_words == 1) { /* otherwise cpu_multiword.c allocates the buffers */
    worker->buffer_bytes = block->capacity * sizeof(uint64_t);
    block->successors = worker->successors.keys = pages_alloc(worker->buffer_bytes);
  }
  /* The slack and the allocations' headers keep the workers' arrays on different cache lines. */
  block->fired = mem_array(self->search.task->model->transition_count + 8, sizeof *block->fired);
  worker->violations = violations_make(self->search.task);
  worker->scratch = mem_array(key_scratch(self->search.task->layout) + 8, sizeof *worker->scratch);
  if ((worker->buffer_bytes && !block->successors) || !block->fired || !worker->violations || !worker->scratch)
    return false;
  block->on_trigger = on_trigger;
  block->user = worker;
  if (!budget_take(&self->budget, worker->buffer_bytes))
    return false;
  create_duplicate_filter(worker);
  return true;
}

floe_status workers_create(struct cpu_search *self) {
  const struct engine_task *task = self->search.task;
  const struct recorder *recorder = task->group.comm ? NULL : task->recorder; /* in a group cpu_record.c records */
  assert(BATCH * self->words <= CHUNK_WORDS && BATCH <= RECORDER_MOST_AT_ONCE);
  self->worker_count = pool_size(self->pool);
  self->in_order = recorder && self->worker_count == 1;
  self->workers = pages_alloc(self->worker_count * sizeof *self->workers);
  if (!self->workers) {
    self->worker_count = 0;
    return FLOE_ERROR_MEMORY;
  }
  FLOE_TRY(ranges_create(self->worker_count, &self->frontier.ranges));
  for (unsigned i = 0; i < self->worker_count; i++) {
    self->workers[i].number = i;
    if (recorder)
      self->workers[i].recorder_context = recorder->lane(recorder->user, i);
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
    pages_free(worker->duplicate_filter, DUPLICATE_FILTER_BYTES);
    message_free(worker->received.message);
    mem_free(worker->block.fired);
    mem_free(worker->scratch);
    frontier_free(&worker->closed);
    violations_free(worker->violations, self->search.task->model->property_count);
  }
  if (self->workers)
    pages_free(self->workers, self->worker_count * sizeof *self->workers);
  self->workers = NULL;
  ranges_free(&self->frontier.ranges);
}
