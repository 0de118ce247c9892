/* Level-synchronous breadth-first search on all cores (doc/design.md, section 5). */
#include "core/clock.h"
#include "engine/trace/level_archive.h"
#include "engine/snapshot/snapshot.h"
#include "engine/comm/comm.h"
#include "engine/cpu/cpu_search.h"
#include "engine/distributed/record_distributed.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

/* A level is shared out when its expected work, in successors, is worth waking the others. */
#define SHARED_WORK 3000
#define LEAST_GRAIN 32
/* Transitions tried between two looks at the clock: some hundredths of a second of the interpreter. */
#define GRAIN_WORK ((size_t)1 << 16)

/* ---- one level ------------------------------------------------------------------------------- */

/* A member of a group has its share of the level in work, whoever is to expand it. */
static bool worth_sharing(struct cpu_search *self) {
  const struct search *search = self->search;
  if (self->worker_count == 1)
    return false;
  const double transitions = (double)(self->collective.exchange ? self->collective.transitions : cpu_transitions(self));
  const double states = self->collective.exchange
                            ? (double)search->level_states[search_depth(search)] / self->collective.size
                            : (double)self->frontier.states;
  const double out_degree = search->expanded ? transitions / (double)search->expanded : 1;
  return states * (1 + out_degree) >= SHARED_WORK;
}

static void share_out(struct cpu_search *self) {
  size_t grain = self->frontier.states / (8 * (uint64_t)self->worker_count);
  if (grain < LEAST_GRAIN)
    grain = LEAST_GRAIN;
  if (grain > RANK_LARGEST_GRAIN)
    grain = RANK_LARGEST_GRAIN;
  size_t most = GRAIN_WORK / (self->search->task->model->transition_count + 1) + 1;
  if (grain > most)
    grain = most;
  size_t capacity = CHUNK_WORDS / self->words;
  self->grain = grain;
  self->grains_per_chunk = (capacity + grain - 1) / grain;
  ranges_deal(&self->ranges, self->frontier.count * self->grains_per_chunk);
  self->dealt = true;
  for (unsigned i = 0; i < self->worker_count; i++)
    self->workers[i].drawer = ranges_drawer(&self->ranges, i);
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

static void archive_some(void *user, const uint64_t *states, size_t n) {
  struct archiving *to = user;
  if (to->worker->names)
    multiword_visit(to->worker, states, n, archive_states_of, to);
  else
    archive_states_of(to, states, n);
}

static void archive_level(struct cpu_search *self) {
  struct archiving to = {.archive = self->search->task->archive, .worker = &self->workers[0]};
  to.status = archive_begin_level(to.archive);
  for (unsigned i = 0; to.status == FLOE_OK && i < self->worker_count; i++) {
    floe_status status = waiting_level(&self->workers[i], archive_some, &to);
    to.status = to.status == FLOE_OK ? status : to.status;
  }
  if (to.status != FLOE_OK)
    search_fail(self->search, to.status);
}

/* What takes long before memory is found to have ended heeds the clock, too. */
static void out_of_memory(struct cpu_search *self) {
  if (!search_look(self->search))
    search_finish(self->search, FLOE_END_MEMORY);
}

/* Where keys found no place they have to; a table that is only nearly full may stay as it is. Where time was up while
   keys moved the workers find out by themselves, but those of a group may be settling, and look at nothing. */
static void make_room(struct cpu_search *self, unsigned why) {
  if ((why & STOP_MEMORY) && !spill_relieve(self))
    out_of_memory(self);
  else if ((why & STOP_TREE) && !multiword_grow(self)) {
    out_of_memory(self); /* also where time is up: with tables that grew and keys that did not nothing more is named */
  } else if (why & STOP_FULL) {
    if (!growth_force(self) && (self->collective.exchange || !growth_stopped(self)))
      out_of_memory(self);
  } else if (why & STOP_GROW)
    growth_grow(self);
}

/* What made the workers stop early: an end, something to be done before they go on, or a checkpoint. */
void cpu_handle_stop(struct cpu_search *self, unsigned why) {
  atomic_store_explicit(&self->stop, 0, memory_order_relaxed);
  self->search->needless = why & STOP_NEEDLESS;
  if (why & STOP_BROKEN)
    search_break(self->search);
  else if (why & STOP_DISK)
    search_lose_states(self->search);
  else if (why & STOP_TIMEOUT)
    search_finish(self->search, FLOE_END_TIMEOUT);
  else if (why & (STOP_INTERRUPT | STOP_NEEDLESS))
    search_finish(self->search, FLOE_END_INTERRUPT);
  else
    make_room(self, why);
  if (self->collective.exchange)
    self->keep_due = self->keep_due || (why & STOP_KEEP); /* once the others are at rest, too */
  else if (!self->search->ended && (why & STOP_KEEP))
    cpu_save(self);
}

bool cpu_share_chunks(struct cpu_search *self) {
  clear_first_set(self);
  const bool collective = worth_sharing(self);
  share_out(self);
  return collective;
}

void cpu_work(struct cpu_search *self, bool collective) {
  phases_enter(&self->phases, collective ? PHASE_TOGETHER : PHASE_ALONE);
  if (collective)
    pool_run(self->pool, worker_expand, self);
  else
    worker_expand(self, 0);
  if (collective)
    phases_enter(&self->phases, PHASE_BETWEEN);
}

/* True when every state of the level has been expanded. */
static bool expand_level(struct cpu_search *self) {
  const bool collective = cpu_share_chunks(self);
  for (;;) {
    cpu_work(self, collective);
    unsigned why = cpu_stopped(self);
    if (!why) {
      self->dealt = false;
      return true;
    }
    cpu_handle_stop(self, why);
    if (self->search->ended)
      return false;
  }
}

/* ---- between levels -------------------------------------------------------------------------- */

/* The newest first: they are still in the caches. */
static void gather_newest_first(struct cpu_search *self, const struct frontier *closed) {
  for (size_t i = closed->count; i-- > 0;)
    frontier_append(&self->frontier, closed->parts[i]);
}

static void gather_in_order(struct cpu_search *self, const struct frontier *closed) {
  for (size_t i = 0; i < closed->count; i++)
    frontier_append(&self->frontier, closed->parts[i]);
}

static bool close_last(struct worker *worker) {
  if (!worker->out || worker->out->count == 0)
    return true;
  if (!frontier_add(&worker->closed, worker->out))
    return false;
  worker->out = NULL;
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
  return frontier_make_room(&self->frontier, count_parts(self));
}

/* False: there is no memory, and the workers have all that they had. */
static bool gather_chunks(struct cpu_search *self) {
  frontier_clear(&self->frontier);
  if (!cpu_close_chunks(self))
    return false;
  for (unsigned i = 0; i < self->worker_count; i++) {
    struct frontier *closed = &self->workers[i].closed;
    if (self->in_order)
      gather_in_order(self, closed);
    else
      gather_newest_first(self, closed);
    closed->count = closed->states = 0; /* blocks are the level's now */
  }
  return true;
}

/* After a level, or what there was time for of it. */
static void gather_failures(struct cpu_search *self) {
  struct search *search = self->search;
  uint64_t failed = 0;
  bool cut = false;
  for (unsigned i = 0; i < self->worker_count; i++) {
    failed |= self->workers[i].block.failed;
    cut = cut || self->workers[i].block.cut;
  }
  search_note_failures(search, failed, cut, search_depth(search));
}

static void merge_hit(struct cpu_search *self, size_t property, struct engine_violation *found) {
  if (found->violation)
    search_add_violation(self->search, property, found->state, found->depth, found->error);
  found->violation = false;
}

/* Properties hit in earlier levels no longer trigger: what workers hold is of this level. */
static void gather_hits(struct cpu_search *self) {
  uint64_t triggered = 0;
  for (unsigned i = 0; i < self->worker_count; i++) {
    triggered |= self->workers[i].block.triggered;
    self->workers[i].block.triggered = 0;
  }
  triggered &= search_wanted(self->search);
  for (uint64_t rest = triggered; rest; rest &= rest - 1) {
    size_t property = (size_t)__builtin_ctzll(rest);
    for (unsigned i = 0; i < self->worker_count; i++)
      merge_hit(self, property, &self->workers[i].violations[property]);
  }
  search_note_violations(self->search, triggered);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* The level in rank->frontier. After it rank->frontier is the next level. */
static void do_level(struct cpu_search *self) {
  struct search *search = self->search;
  const bool at_bound = search_at_bound(search);
  assert(self->collective.exchange || self->frontier.states == search->level_states[search_depth(search)] ||
         self->resumed);
  if (search->task->archive)
    archive_level(self);
  if (self->collective.exchange) {
    const bool whole = cpu_collective_expand(self);
    cpu_record(self);
    if (!whole || search->ended)
      return;
  } else {
    const bool whole = !search->ended && expand_level(self);
    gather_hits(self);
    gather_failures(self);
    if (!whole)
      return;
  }
  if (at_bound) {
    search_decide_at_bound(search);
    return;
  }
  search_level_done(search);
  self->resumed = false;
  if (!gather_chunks(self))
    search_finish(search, FLOE_END_MEMORY);
  else if (self->collective.exchange)
    search_next_level(search, self->collective.next, self->collective.states);
  else
    search_next_level(search, self->frontier.states, cpu_states(self));
}

/* What a checkpoint had pending. */
static void place_unplaced(struct cpu_search *self) {
  while (!self->search->ended && self->unplaced.put < self->unplaced.count) {
    size_t n = self->unplaced.count - self->unplaced.put;
    n = n < BATCH ? n : BATCH;
    bool put = worker_put(&self->workers[0], self->unplaced.states + self->unplaced.put, n);
    self->unplaced.put += n;
    for (; !put && !self->search->ended; put = worker_put(&self->workers[0], NULL, 0))
      cpu_handle_stop(self, cpu_stopped(self));
  }
}

static floe_status begin_anew(struct cpu_search *self) {
  struct search *search = self->search;
  const uint64_t *initial = search->task->initial;
  uint64_t root;
  if (self->collective.exchange && collective_owner(&self->collective, initial) != self->collective.rank)
    return search_first_level(search) ? FLOE_OK : FLOE_ERROR_MEMORY;
  if (self->tree) {
    FLOE_TRY(multiword_root(&self->workers[0], initial, &root));
    initial = &root;
  }
  if (!worker_begin(&self->workers[0], initial) || !gather_chunks(self) || !search_first_level(search))
    return FLOE_ERROR_MEMORY;
  return FLOE_OK;
}

static void begin_alone(struct cpu_search *self) {
  struct search *search = self->search;
  const floe_status status = search->task->snapshot.from ? cpu_restore(self) : begin_anew(self);
  if (status != FLOE_OK) {
    search_fail(search, status);
  } else if (search->task->snapshot.from) {
    place_unplaced(self);
    snapshot_decide(search);
  }
}

/* A member that could not even be opened takes part until all know. */
static void begin_together(struct cpu_search *self) {
  struct search *search = self->search;
  if (search->task->group.restored_states)
    cpu_restore_distributed(self);
  else if (search->status == FLOE_OK) {
    const floe_status status = begin_anew(self);
    if (status != FLOE_OK)
      search_fail(search, status);
  }
  place_unplaced(self);
  cpu_collective_begin(self);
  if (record_distributed_is_due(&self->collective))
    record_distributed_initial(&self->collective);
  if (search->task->group.restored_states)
    snapshot_decide(search);
}

static void explore_levels(struct cpu_search *self) {
  struct search *search = self->search;
  if (search->task->group.comm)
    begin_together(self);
  else
    begin_alone(self);
  while (!search->ended)
    do_level(self);
  if (search->task->group.comm ? search->task->group.saves && search->status == FLOE_OK : snapshot_is_last(search))
    cpu_save(self);
}

static floe_status open_together(struct cpu_search *self) {
  const struct exchange_plan plan = {self->worker_count, self->state_words, EXCHANGE_PACKET_WORDS, EXCHANGE_QUEUED_PACKETS};
  uint64_t bytes;
  FLOE_TRY(collective_open(&self->collective, &plan, &bytes));
  return budget_take(&self->budget, bytes) ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status open_rank(struct cpu_search *self) {
  const struct engine_task *task = self->search->task;
  self->stepper = task->stepper;
  self->words = 1; /* a key, or a root */
  self->state_words = task->layout->key_words;
  self->budget.limit = task->options->memory;
  phases_begin(&self->phases, self->search->begun);
  chunk_pool_open(&self->chunk_pool, &self->budget);
  FLOE_TRY(pool_create(task->options->threads, &self->pool));
  FLOE_TRY(workers_create(self));
  FLOE_TRY(open_together(self));
  FLOE_TRY(multiword_open(self));
  FLOE_TRY(spill_open(self));
  return growth_first_set(self);
}

static void close_rank(struct cpu_search *self) {
  growth_drop_set(self);
  spill_close(self);
  multiword_close(self);
  collective_close(&self->collective);
  workers_free(self);
  pool_free(self->pool);
  frontier_free(&self->frontier);
  mem_free(self->unplaced.states);
  for (struct message *next; self->aside; self->aside = next) {
    next = self->aside->next;
    message_free(self->aside);
  }
  chunk_pool_close(&self->chunk_pool);
}

/* ---- the outcome ----------------------------------------------------------------------------- */

static void sum_workers(struct cpu_search *self, struct engine_outcome *out) {
  size_t transitions = self->search->task->model->transition_count;
  for (unsigned i = 0; i < self->worker_count; i++) {
    const struct worker *worker = &self->workers[i];
    for (size_t t = 0; t < transitions; t++)
      self->search->fired[t] += worker->block.fired[t];
    out->deadlocks += worker->block.deadlocks;
    out->checksum += worker->checksum;
    if (worker->block.max_out_degree > out->max_out_degree)
      out->max_out_degree = worker->block.max_out_degree;
  }
}

static void report_time(struct cpu_search *self, struct engine_outcome *out) {
  double now = clock_seconds();
  phases_end(&self->phases, now);
  memcpy(out->phases, self->phases.seconds, sizeof out->phases);
  out->waiting = pool_idle_seconds(self->pool);
  out->statistics.explore_seconds = now - self->search->begun;
}

static floe_status report(struct cpu_search *self, struct engine_outcome *out) {
  *out = (struct engine_outcome){
      .states = cpu_states(self),
      .transitions = cpu_transitions(self),
      .statistics = {.growths = self->growths, .frontier_bytes = self->chunk_pool.peak, .disk_bytes = spill_written(self)},
      .table = table_scheme_name(self->config.scheme),
      .shape = self->visited->shape,
      .simd = self->visited->simd,
      .threads = self->worker_count};
  if (self->tree) {
    out->statistics.tree_bytes = tree_bytes(self->tree);
    out->statistics.tree_contents = tree_count_all(self->tree);
  }
  report_time(self, out);
  sum_workers(self, out);
  if (self->collective.exchange)
    FLOE_TRY(collective_report(&self->collective, out));
  search_conclude(self->search, out);
  return FLOE_OK;
}

/* ---- the engine ------------------------------------------------------------------------------ */

/* Pages: aligned for the cache lines. */
struct cpu_engine_search {
  struct search search;
  struct cpu_search rank;
};

static struct cpu_engine_search *of(struct search *search) { return (struct cpu_engine_search *)search; }

static void drop(struct search *search) {
  if (!search)
    return;
  search_close(search);
  pages_free(of(search), sizeof(struct cpu_engine_search));
}

static floe_status prepare(const struct engine_task *task, floe_log *log, struct search **out) {
  struct cpu_engine_search *cpu = pages_alloc(sizeof *cpu);
  if (!cpu)
    return FLOE_ERROR_MEMORY;
  cpu->rank.search = &cpu->search;
  floe_status status = search_open(task, log, &cpu->search);
  if (status == FLOE_OK)
    *out = &cpu->search;
  else
    drop(&cpu->search);
  return status;
}

/* Threads and table are made here: what that takes is a part of every exploration on the CPU. */
static floe_status explore(struct search *search, struct engine_outcome *out) {
  struct cpu_search *self = &of(search)->rank;
  search_begin(search);
  collective_join(&self->collective, search);
  search->status = open_rank(self);
  if (search->status == FLOE_OK || search->task->group.comm)
    explore_levels(self);
  spill_tell(self);
  if (search->status == FLOE_OK)
    search->status = report(self, out);
  close_rank(self);
  return search->status;
}

const struct engine engine_cpu = {.name = "cpu", .prepare = prepare, .explore = explore, .drop = drop};
