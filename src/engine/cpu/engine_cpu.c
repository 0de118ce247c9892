/* Level-synchronous breadth-first search on all cores (doc/architecture.md). */
#include "core/system/clock.h"
#include "engine/comm/comm.h"
#include "engine/cpu/cpu_search.h"
#include "engine/distributed/record_distributed.h"
#include "engine/snapshot/snapshot.h"
#include "engine/trace/level_archive.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

/* A level of this expected work, in successors, is worth waking the other threads. */
#define SHARED_WORK 3000
#define LEAST_GRAIN 32
/* Transitions tried between two checks of the clock: some hundredths of a second in the interpreter. */
#define GRAIN_WORK ((size_t)1 << 16)

/* ---- one level ------------------------------------------------------------------------------- */

/* In a group the decision depends on the member's share of the level, so that all members decide alike. */
static bool worth_sharing(struct cpu_search *self) {
  const struct search *search = &self->search;
  if (self->worker_count == 1)
    return false;
  const double transitions = (double)(self->collective.exchange ? self->collective.transitions : cpu_transitions(self));
  const double states = self->collective.exchange
                            ? (double)search->levels.states[search_depth(search)] / self->collective.size
                            : (double)self->frontier.level.states;
  const double out_degree = search->levels.expanded ? transitions / (double)search->levels.expanded : 1;
  return states * (1 + out_degree) >= SHARED_WORK;
}

static void assign_level(struct cpu_search *self) {
  size_t grain = self->frontier.level.states / (8 * (uint64_t)self->worker_count);
  if (grain < LEAST_GRAIN)
    grain = LEAST_GRAIN;
  if (grain > LARGEST_GRAIN)
    grain = LARGEST_GRAIN;
  size_t most = GRAIN_WORK / (self->search.task->model->transition_count + 1) + 1;
  if (grain > most)
    grain = most;
  size_t capacity = CHUNK_WORDS / self->words;
  self->frontier.grain = grain;
  self->frontier.grains_per_chunk = (capacity + grain - 1) / grain;
  ranges_deal(&self->frontier.ranges, self->frontier.level.count * self->frontier.grains_per_chunk);
  self->frontier.assigned = true;
  for (unsigned i = 0; i < self->worker_count; i++)
    self->workers[i].drawer = ranges_drawer(&self->frontier.ranges, i);
}

struct archiving {
  struct archive *archive;
  struct worker *worker;
  floe_status status;
};

static void archive_states_of(void *user, const uint64_t *states, size_t n) {
  struct archiving *to = user;
  if (to->status == FLOE_OK)
    to->status = archive_add(to->archive, states, n);
}

static void archive_elements(void *user, const uint64_t *states, size_t n) {
  struct archiving *to = user;
  if (to->worker->multiword)
    multiword_visit(to->worker, states, n, archive_states_of, to);
  else
    archive_states_of(to, states, n);
}

static void archive_level(struct cpu_search *self) {
  struct archiving to = {.archive = self->search.task->archive, .worker = &self->workers[0]};
  to.status = archive_begin_level(to.archive);
  for (unsigned i = 0; to.status == FLOE_OK && i < self->worker_count; i++) {
    floe_status status = waiting_level(&self->workers[i], archive_elements, &to);
    to.status = to.status == FLOE_OK ? status : to.status;
  }
  if (to.status != FLOE_OK)
    search_fail(&self->search, to.status);
}

/* Work that fails for lack of memory may take long: the timeout and the interrupt are checked first. */
static void out_of_memory(struct cpu_search *self) {
  if (!search_check_stop(&self->search))
    search_finish(&self->search, FLOE_END_MEMORY);
}

/* STOP_FULL requires room, STOP_GROW does not: a table that is nearly full may stay as it is. If time ran out while
   keys were moved, the workers notice; those of a group may be draining and ignore the clock, so that the search
   ends here. */
static void handle_space_stop(struct cpu_search *self, unsigned why) {
  if ((why & STOP_MEMORY) && !spill_for_chunks(self))
    out_of_memory(self);
  else if ((why & STOP_TREE) && !multiword_grow(self)) {
    out_of_memory(self); /* also on a timeout: with larger tables and narrow keys nothing can be inserted any more */
  } else if (why & STOP_FULL) {
    if (!growth_force(self) && (self->collective.exchange || !growth_stopped(self)))
      out_of_memory(self);
  } else if (why & STOP_GROW)
    growth_grow(self);
}

/* Handles the reasons that stopped the workers: an end, more memory, or a checkpoint. */
void cpu_handle_stop(struct cpu_search *self, unsigned why) {
  atomic_store_explicit(&self->stop, 0, memory_order_relaxed);
  self->search.cancelled = why & STOP_CANCELLED;
  if (why & STOP_BROKEN)
    search_report_unreachable(&self->search);
  else if (why & STOP_DISK)
    search_fail_disk(&self->search);
  else if (why & STOP_TIMEOUT)
    search_finish(&self->search, FLOE_END_TIMEOUT);
  else if (why & (STOP_INTERRUPT | STOP_CANCELLED))
    search_finish(&self->search, FLOE_END_INTERRUPT);
  else
    handle_space_stop(self, why);
  if (self->collective.exchange)
    self->group.checkpoint_due =
        self->group.checkpoint_due || (why & STOP_CHECKPOINT); /* saved once the other members are at rest, too */
  else if (!self->search.ended && (why & STOP_CHECKPOINT))
    cpu_save(self);
}

bool cpu_begin_level(struct cpu_search *self) {
  prefault_first_set(self);
  const bool all_workers = worth_sharing(self);
  assign_level(self);
  return all_workers;
}

void cpu_work(struct cpu_search *self, bool all_workers) {
  phases_enter(&self->phases, all_workers ? PHASE_TOGETHER : PHASE_ALONE);
  if (all_workers)
    pool_run(self->pool, worker_expand, self);
  else
    worker_expand(self, 0);
  if (all_workers)
    phases_enter(&self->phases, PHASE_BETWEEN);
}

/* True: every state of the level is expanded. */
static bool expand_level(struct cpu_search *self) {
  const bool all_workers = cpu_begin_level(self);
  for (;;) {
    cpu_work(self, all_workers);
    unsigned why = cpu_stopped(self);
    if (!why) {
      self->frontier.assigned = false;
      return true;
    }
    cpu_handle_stop(self, why);
    if (self->search.ended)
      return false;
  }
}

/* ---- between levels -------------------------------------------------------------------------- */

/* Newest first: these are still in the caches. */
static void gather_newest_first(struct cpu_search *self, const struct frontier *closed) {
  for (size_t i = closed->count; i-- > 0;)
    frontier_append(&self->frontier.level, closed->parts[i]);
}

static void gather_in_order(struct cpu_search *self, const struct frontier *closed) {
  for (size_t i = 0; i < closed->count; i++)
    frontier_append(&self->frontier.level, closed->parts[i]);
}

static bool close_last(struct worker *worker) {
  if (!worker->chunk || worker->chunk->count == 0)
    return true;
  if (!frontier_add(&worker->closed, worker->chunk))
    return false;
  worker->chunk = NULL;
  return true;
}

static size_t count_parts(const struct cpu_search *self) {
  size_t count = 0;
  for (unsigned i = 0; i < self->worker_count; i++)
    count += self->workers[i].closed.count;
  return count;
}

bool cpu_close_chunks(struct cpu_search *self) {
  for (unsigned i = 0; i < self->worker_count; i++)
    if (!close_last(&self->workers[i]))
      return false;
  return frontier_make_room(&self->frontier.level, count_parts(self));
}

/* False: no memory; the workers keep their chunks. */
static bool gather_chunks(struct cpu_search *self) {
  kept_add_level(self);
  frontier_clear(&self->frontier.level);
  if (!cpu_close_chunks(self))
    return false;
  for (unsigned i = 0; i < self->worker_count; i++) {
    struct frontier *closed = &self->workers[i].closed;
    if (self->in_order)
      gather_in_order(self, closed);
    else
      gather_newest_first(self, closed);
    closed->count = closed->states = 0; /* the level owns the blocks now */
  }
  return true;
}

/* After a level, or the part of it that was expanded. */
static void gather_failures(struct cpu_search *self) {
  struct search *search = &self->search;
  uint64_t failed = 0;
  bool firing_failed = false;
  for (unsigned i = 0; i < self->worker_count; i++) {
    failed |= self->workers[i].block.failed;
    firing_failed = firing_failed || self->workers[i].block.firing_failed;
  }
  search_note_failures(search, failed, firing_failed, search_depth(search));
}

static void merge_violation(struct cpu_search *self, size_t property, struct engine_violation *found) {
  if (found->violation)
    search_add_violation(&self->search, property, found->state, found->depth, found->error);
  found->violation = false;
}

/* Properties with a violation in an earlier level do not trigger any more: all of these belong to this level. */
static void gather_violations(struct cpu_search *self) {
  uint64_t triggered = 0;
  for (unsigned i = 0; i < self->worker_count; i++) {
    triggered |= self->workers[i].block.triggered;
    self->workers[i].block.triggered = 0;
  }
  triggered &= search_pending_properties(&self->search);
  for (uint64_t rest = triggered; rest; rest &= rest - 1) {
    size_t property = (size_t)__builtin_ctzll(rest);
    for (unsigned i = 0; i < self->worker_count; i++)
      merge_violation(self, property, &self->workers[i].violations[property]);
  }
  search_note_violations(&self->search, triggered);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Expands the frontier's level and replaces it by the next one. */
static void explore_level(struct cpu_search *self) {
  struct search *search = &self->search;
  const bool at_bound = search_at_bound(search);
  assert(self->collective.exchange || self->frontier.level.states == search->levels.states[search_depth(search)] ||
         self->restored.partial_level);
  if (search->task->archive)
    archive_level(self);
  if (self->collective.exchange) {
    const bool whole = cpu_collective_expand(self);
    cpu_record(self);
    if (!whole || search->ended)
      return;
  } else {
    const bool whole = !search->ended && expand_level(self);
    gather_violations(self);
    gather_failures(self);
    if (!whole)
      return;
  }
  if (at_bound) {
    search_decide_at_bound(search);
    return;
  }
  search_level_done(search);
  self->restored.partial_level = false;
  if (!gather_chunks(self))
    search_finish(search, FLOE_END_MEMORY);
  else if (self->collective.exchange)
    search_next_level(search, self->collective.next, self->collective.states);
  else {
    search_next_level(search, self->frontier.level.states, cpu_states(self));
    cpu_attempt_cycles(self);
  }
}

/* Inserts the checkpoint's pending states. */
static void put_restored_pending(struct cpu_search *self) {
  while (!self->search.ended && self->restored.put < self->restored.count) {
    size_t n = self->restored.count - self->restored.put;
    n = n < BATCH ? n : BATCH;
    bool put = worker_put(&self->workers[0], self->restored.pending + self->restored.put, n);
    self->restored.put += n;
    for (; !put && !self->search.ended; put = worker_put(&self->workers[0], NULL, 0))
      cpu_handle_stop(self, cpu_stopped(self));
  }
}

static floe_status begin_at_initial(struct cpu_search *self) {
  struct search *search = &self->search;
  const uint64_t *initial = search->task->initial;
  uint64_t root;
  if (!collective_owns(&self->collective, initial))
    return search_first_level(search) ? FLOE_OK : FLOE_ERROR_MEMORY;
  if (self->multiword.tree) {
    FLOE_TRY(multiword_root(&self->workers[0], initial, &root));
    initial = &root;
  }
  if (!worker_put_initial(&self->workers[0], initial) || !gather_chunks(self) || !search_first_level(search))
    return FLOE_ERROR_MEMORY;
  return FLOE_OK;
}

static void begin_alone(struct cpu_search *self) {
  struct search *search = &self->search;
  self->cycles.next_attempt = search->task->cycles ? search->task->first_attempt : 0;
  if (search->task->snapshot.from) {
    cpu_restore(self);
    put_restored_pending(self);
    snapshot_decide(search);
    return;
  }
  const floe_status status = begin_at_initial(self);
  if (status != FLOE_OK)
    search_fail(search, status);
}

/* A member that failed to open takes part until all members have learnt of it. */
static void begin_in_group(struct cpu_search *self) {
  struct search *search = &self->search;
  if (search->task->group.restored_states)
    cpu_restore(self);
  else if (search->status == FLOE_OK) {
    const floe_status status = begin_at_initial(self);
    if (status != FLOE_OK)
      search_fail(search, status);
  }
  put_restored_pending(self);
  cpu_collective_begin(self);
  if (record_distributed_is_due(&self->collective))
    record_distributed_initial(&self->collective);
  if (search->task->group.restored_states)
    snapshot_decide(search);
}

static void explore_levels(struct cpu_search *self) {
  struct search *search = &self->search;
  if (search->task->group.comm)
    begin_in_group(self);
  else
    begin_alone(self);
  while (!search->ended)
    explore_level(self);
  if (snapshot_may_be_last(search))
    cpu_save(self);
}

static floe_status open_collective(struct cpu_search *self) {
  const struct exchange_plan plan = {self->worker_count, self->state_words, EXCHANGE_PACKET_WORDS,
                                     EXCHANGE_QUEUED_PACKETS};
  uint64_t bytes;
  FLOE_TRY(collective_open(&self->collective, &plan, &bytes));
  return budget_take(&self->budget, bytes) ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status open_search(struct cpu_search *self) {
  const struct engine_task *task = self->search.task;
  self->stepper = task->stepper;
  self->words = 1; /* a key, or a root */
  self->state_words = task->layout->key_words;
  self->budget.limit = task->options->memory;
  phases_begin(&self->phases, self->search.begun);
  chunk_pool_open(&self->frontier.pool, &self->budget);
  FLOE_TRY(pool_create(task->options->threads, &self->pool));
  FLOE_TRY(workers_create(self));
  FLOE_TRY(open_collective(self));
  FLOE_TRY(multiword_open(self));
  FLOE_TRY(spill_open(self));
  kept_open(self);
  return growth_first_set(self);
}

static void close_search(struct cpu_search *self) {
  cpu_free_cycles(self);
  growth_free_set(self);
  spill_close(self);
  multiword_close(self);
  kept_free(self);
  collective_close(&self->collective);
  workers_free(self);
  pool_free(self->pool);
  frontier_free(&self->frontier.level);
  mem_free(self->restored.pending);
  for (struct message *next; self->group.deferred; self->group.deferred = next) {
    next = self->group.deferred->next;
    message_free(self->group.deferred);
  }
  chunk_pool_close(&self->frontier.pool);
}

/* ---- the outcome ----------------------------------------------------------------------------- */

static void sum_workers(struct cpu_search *self, struct engine_outcome *out) {
  size_t transitions = self->search.task->model->transition_count;
  for (unsigned i = 0; i < self->worker_count; i++) {
    const struct worker *worker = &self->workers[i];
    for (size_t t = 0; t < transitions; t++)
      self->search.fired[t] += worker->block.fired[t];
    out->deadlocks += worker->block.deadlocks;
    out->checksum += worker->checksum;
    if (worker->block.max_out_degree > out->max_out_degree)
      out->max_out_degree = worker->block.max_out_degree;
  }
}

static void report_time(struct cpu_search *self, struct engine_outcome *out) {
  double now = clock_seconds();
  phases_end(&self->phases, now);
  memcpy(out->cpu.phases, self->phases.seconds, sizeof out->cpu.phases);
  out->cpu.idle_seconds = pool_idle_seconds(self->pool);
  out->statistics.explore_seconds = now - self->search.begun;
}

static floe_status make_outcome(struct cpu_search *self, struct engine_outcome *out) {
  *out = (struct engine_outcome){.states = cpu_states(self),
                                 .transitions = cpu_transitions(self),
                                 .statistics = {.growths = self->visited.growths,
                                                .frontier_bytes = self->frontier.pool.peak,
                                                .disk_bytes = spill_written(self)},
                                 .table.scheme = table_scheme_name(self->visited.config.scheme),
                                 .table.shape = self->visited.set->shape,
                                 .table.simd = self->visited.set->simd,
                                 .threads = self->worker_count};
  if (self->multiword.tree) {
    out->statistics.tree_bytes = tree_bytes(self->multiword.tree);
    out->statistics.tree_contents = tree_count_all(self->multiword.tree);
  }
  report_time(self, out);
  sum_workers(self, out);
  FLOE_TRY(collective_report(&self->collective, out));
  search_conclude(&self->search, out);
  return FLOE_OK;
}

/* ---- the engine ------------------------------------------------------------------------------ */

static struct cpu_search *cpu_search_of(struct search *search) { return (struct cpu_search *)search; }

static void drop(struct search *search) {
  if (!search)
    return;
  search_close(search);
  pages_free(cpu_search_of(search), sizeof(struct cpu_search));
}

static floe_status prepare(const struct engine_task *task, floe_log *log, struct search **out) {
  struct cpu_search *self = pages_alloc(sizeof *self); /* pages: aligned for the cache lines */
  if (!self)
    return FLOE_ERROR_MEMORY;
  floe_status status = search_open(task, log, &self->search);
  if (status == FLOE_OK)
    *out = &self->search;
  else
    drop(&self->search);
  return status;
}

/* A look at all states takes time that other limits do not leave. */
static bool may_measure(const struct engine_outcome *out) {
  return out->end == FLOE_END_COMPLETE || out->end == FLOE_END_STATES;
}

/* Creates threads and table: their time is part of every exploration on the CPU. */
static floe_status explore(struct search *search, struct engine_outcome *out) {
  struct cpu_search *self = cpu_search_of(search);
  search_begin(search);
  collective_join(&self->collective, search);
  search->status = open_search(self);
  if (search->status == FLOE_OK || search->task->group.comm)
    explore_levels(self);
  spill_report_errors(self);
  if (search->status == FLOE_OK)
    search->status = make_outcome(self, out);
  if (search->status == FLOE_OK && search->task->cycles)
    cpu_conclude_cycles(self, out);
  if (search->status == FLOE_OK && search->task->passes && out->end == FLOE_END_COMPLETE)
    cpu_conclude_passes(self, out);
  if (search->status == FLOE_OK && search->task->measures && may_measure(out) && !search->task->group.comm)
    out->measured = cpu_measure(self);
  if (search->status == FLOE_OK)
    kept_find_paths(self, out);
  close_search(self);
  return search->status;
}

const struct engine engine_cpu = {.name = "cpu", .prepare = prepare, .explore = explore, .drop = drop};
