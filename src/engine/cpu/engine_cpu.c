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
static bool worth_sharing(struct rank *rank) {
  const struct search *search = rank->search;
  if (rank->worker_count == 1)
    return false;
  const double transitions = (double)(rank->together.exchange ? rank->together.transitions : rank_transitions(rank));
  const double states = rank->together.exchange
                            ? (double)search->level_states[search_depth(search)] / rank->together.size
                            : (double)rank->frontier.states;
  const double out_degree = search->expanded ? transitions / (double)search->expanded : 1;
  return states * (1 + out_degree) >= SHARED_WORK;
}

static void share_out(struct rank *rank) {
  size_t grain = rank->frontier.states / (8 * (uint64_t)rank->worker_count);
  if (grain < LEAST_GRAIN)
    grain = LEAST_GRAIN;
  if (grain > RANK_LARGEST_GRAIN)
    grain = RANK_LARGEST_GRAIN;
  size_t most = GRAIN_WORK / (rank->search->task->model->transition_count + 1) + 1;
  if (grain > most)
    grain = most;
  size_t capacity = CHUNK_WORDS / rank->words;
  rank->grain = grain;
  rank->grains_per_chunk = (capacity + grain - 1) / grain;
  ranges_deal(&rank->ranges, rank->frontier.count * rank->grains_per_chunk);
  rank->dealt = true;
  for (unsigned i = 0; i < rank->worker_count; i++)
    rank->workers[i].drawer = ranges_drawer(&rank->ranges, i);
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
    wide_visit(to->worker, states, n, archive_states_of, to);
  else
    archive_states_of(to, states, n);
}

static void archive_level(struct rank *rank) {
  struct archiving to = {.archive = rank->search->task->archive, .worker = &rank->workers[0]};
  to.status = archive_begin_level(to.archive);
  for (unsigned i = 0; to.status == FLOE_OK && i < rank->worker_count; i++) {
    floe_status status = waiting_level(&rank->workers[i], archive_some, &to);
    to.status = to.status == FLOE_OK ? status : to.status;
  }
  if (to.status != FLOE_OK)
    search_fail(rank->search, to.status);
}

/* What takes long before memory is found to have ended heeds the clock, too. */
static void out_of_memory(struct rank *rank) {
  if (!search_look(rank->search))
    search_finish(rank->search, FLOE_END_MEMORY);
}

/* Where keys found no place they have to; a table that is only nearly full may stay as it is. Where time was up while
   keys moved the workers find out by themselves, but those of a group may be settling, and look at nothing. */
static void make_room(struct rank *rank, unsigned why) {
  if ((why & STOP_MEMORY) && !spill_relieve(rank))
    out_of_memory(rank);
  else if ((why & STOP_TREE) && !wide_grow(rank)) {
    out_of_memory(rank); /* also where time is up: with tables that grew and keys that did not nothing more is named */
  } else if (why & STOP_FULL) {
    if (!growth_force(rank) && (rank->together.exchange || !growth_stopped(rank)))
      out_of_memory(rank);
  } else if (why & STOP_GROW)
    growth_grow(rank);
}

/* What made the workers stop early: an end, something to be done before they go on, or a checkpoint. */
void rank_handle_stop(struct rank *rank, unsigned why) {
  atomic_store_explicit(&rank->stop, 0, memory_order_relaxed);
  rank->search->needless = why & STOP_NEEDLESS;
  if (why & STOP_BROKEN)
    search_break(rank->search);
  else if (why & STOP_DISK)
    search_lose_states(rank->search);
  else if (why & STOP_TIMEOUT)
    search_finish(rank->search, FLOE_END_TIMEOUT);
  else if (why & (STOP_INTERRUPT | STOP_NEEDLESS))
    search_finish(rank->search, FLOE_END_INTERRUPT);
  else
    make_room(rank, why);
  if (rank->together.exchange)
    rank->keep_due = rank->keep_due || (why & STOP_KEEP); /* once the others are at rest, too */
  else if (!rank->search->ended && (why & STOP_KEEP))
    rank_keep(rank);
}

bool rank_share_out(struct rank *rank) {
  clear_first_set(rank);
  const bool together = worth_sharing(rank);
  share_out(rank);
  return together;
}

void rank_work(struct rank *rank, bool together) {
  phases_enter(&rank->phases, together ? PHASE_TOGETHER : PHASE_ALONE);
  if (together)
    crew_run(rank->crew, worker_expand, rank);
  else
    worker_expand(rank, 0);
  if (together)
    phases_enter(&rank->phases, PHASE_BETWEEN);
}

/* True when every state of the level has been expanded. */
static bool expand_level(struct rank *rank) {
  const bool together = rank_share_out(rank);
  for (;;) {
    rank_work(rank, together);
    unsigned why = rank_stopped(rank);
    if (!why) {
      rank->dealt = false;
      return true;
    }
    rank_handle_stop(rank, why);
    if (rank->search->ended)
      return false;
  }
}

/* ---- between levels -------------------------------------------------------------------------- */

/* The newest first: they are still in the caches. */
static void gather_newest_first(struct rank *rank, const struct frontier *closed) {
  for (size_t i = closed->count; i-- > 0;)
    frontier_append(&rank->frontier, closed->parts[i]);
}

static void gather_in_order(struct rank *rank, const struct frontier *closed) {
  for (size_t i = 0; i < closed->count; i++)
    frontier_append(&rank->frontier, closed->parts[i]);
}

static bool close_last(struct worker *worker) {
  if (!worker->out || worker->out->count == 0)
    return true;
  if (!frontier_add(&worker->closed, worker->out))
    return false;
  worker->out = NULL;
  return true;
}

static size_t count_parts(const struct rank *rank) {
  size_t count = 0;
  for (unsigned i = 0; i < rank->worker_count; i++)
    count += rank->workers[i].closed.count;
  return count;
}

bool rank_close_chunks(struct rank *rank) {
  for (unsigned i = 0; i < rank->worker_count; i++)
    if (!close_last(&rank->workers[i]))
      return false;
  return frontier_make_room(&rank->frontier, count_parts(rank));
}

/* False: there is no memory, and the workers have all that they had. */
static bool gather_chunks(struct rank *rank) {
  frontier_clear(&rank->frontier);
  if (!rank_close_chunks(rank))
    return false;
  for (unsigned i = 0; i < rank->worker_count; i++) {
    struct frontier *closed = &rank->workers[i].closed;
    if (rank->in_order)
      gather_in_order(rank, closed);
    else
      gather_newest_first(rank, closed);
    closed->count = closed->states = 0; /* blocks are the level's now */
  }
  return true;
}

/* After a level, or what there was time for of it. */
static void gather_failures(struct rank *rank) {
  struct search *search = rank->search;
  uint64_t failed = 0;
  bool cut = false;
  for (unsigned i = 0; i < rank->worker_count; i++) {
    failed |= rank->workers[i].block.failed;
    cut = cut || rank->workers[i].block.cut;
  }
  search_note_failures(search, failed, cut, search_depth(search));
}

static void merge_hit(struct rank *rank, size_t property, struct engine_hit *found) {
  if (found->hit)
    search_add_hit(rank->search, property, found->state, found->depth, found->error);
  found->hit = false;
}

/* Properties hit in earlier levels no longer trigger: what workers hold is of this level. */
static void gather_hits(struct rank *rank) {
  uint64_t triggered = 0;
  for (unsigned i = 0; i < rank->worker_count; i++) {
    triggered |= rank->workers[i].block.triggered;
    rank->workers[i].block.triggered = 0;
  }
  triggered &= search_wanted(rank->search);
  for (uint64_t rest = triggered; rest; rest &= rest - 1) {
    size_t property = (size_t)__builtin_ctzll(rest);
    for (unsigned i = 0; i < rank->worker_count; i++)
      merge_hit(rank, property, &rank->workers[i].hits[property]);
  }
  search_note_hits(rank->search, triggered);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* The level in rank->frontier. After it rank->frontier is the next level. */
static void do_level(struct rank *rank) {
  struct search *search = rank->search;
  const bool at_bound = search_at_bound(search);
  assert(rank->together.exchange || rank->frontier.states == search->level_states[search_depth(search)] ||
         rank->resumed);
  if (search->task->archive)
    archive_level(rank);
  if (rank->together.exchange) {
    const bool whole = rank_together_expand(rank);
    rank_record(rank);
    if (!whole || search->ended)
      return;
  } else {
    const bool whole = !search->ended && expand_level(rank);
    gather_hits(rank);
    gather_failures(rank);
    if (!whole)
      return;
  }
  if (at_bound) {
    search_decide_at_bound(search);
    return;
  }
  search_level_done(search);
  rank->resumed = false;
  if (!gather_chunks(rank))
    search_finish(search, FLOE_END_MEMORY);
  else if (rank->together.exchange)
    search_next_level(search, rank->together.next, rank->together.states);
  else
    search_next_level(search, rank->frontier.states, rank_states(rank));
}

/* What a checkpoint had pending. */
static void place_unplaced(struct rank *rank) {
  while (!rank->search->ended && rank->unplaced.put < rank->unplaced.count) {
    size_t n = rank->unplaced.count - rank->unplaced.put;
    n = n < BATCH ? n : BATCH;
    bool put = worker_put(&rank->workers[0], rank->unplaced.states + rank->unplaced.put, n);
    rank->unplaced.put += n;
    for (; !put && !rank->search->ended; put = worker_put(&rank->workers[0], NULL, 0))
      rank_handle_stop(rank, rank_stopped(rank));
  }
}

static floe_status begin_anew(struct rank *rank) {
  struct search *search = rank->search;
  const uint64_t *initial = search->task->initial;
  uint64_t root;
  if (rank->together.exchange && together_owner(&rank->together, initial) != rank->together.rank)
    return search_first_level(search) ? FLOE_OK : FLOE_ERROR_MEMORY;
  if (rank->tree) {
    FLOE_TRY(wide_root(&rank->workers[0], initial, &root));
    initial = &root;
  }
  if (!worker_begin(&rank->workers[0], initial) || !gather_chunks(rank) || !search_first_level(search))
    return FLOE_ERROR_MEMORY;
  return FLOE_OK;
}

static void begin_alone(struct rank *rank) {
  struct search *search = rank->search;
  const floe_status status = search->task->from ? rank_resume(rank) : begin_anew(rank);
  if (status != FLOE_OK) {
    search_fail(search, status);
  } else if (search->task->from) {
    place_unplaced(rank);
    moment_decide(search);
  }
}

/* A member that could not even be opened takes part until all know. */
static void begin_together(struct rank *rank) {
  struct search *search = rank->search;
  if (search->task->resumes)
    rank_resume_together(rank);
  else if (search->status == FLOE_OK) {
    const floe_status status = begin_anew(rank);
    if (status != FLOE_OK)
      search_fail(search, status);
  }
  place_unplaced(rank);
  rank_together_begin(rank);
  if (record_group_is_wanted(&rank->together))
    record_group_initial(&rank->together);
  if (search->task->resumes)
    moment_decide(search);
}

static void explore_levels(struct rank *rank) {
  struct search *search = rank->search;
  if (search->task->post)
    begin_together(rank);
  else
    begin_alone(rank);
  while (!search->ended)
    do_level(rank);
  if (search->task->post ? search->task->kept && search->status == FLOE_OK : moment_is_last(search))
    rank_keep(rank);
}

static floe_status open_together(struct rank *rank) {
  const struct exchange_plan plan = {rank->worker_count, rank->state_words, EXCHANGE_LETTER, EXCHANGE_WAITING};
  uint64_t bytes;
  FLOE_TRY(together_open(&rank->together, &plan, &bytes));
  return budget_take(&rank->budget, bytes) ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status open_rank(struct rank *rank) {
  const struct engine_task *task = rank->search->task;
  rank->stepper = task->stepper;
  rank->words = 1; /* a key, or a root */
  rank->state_words = task->layout->key_words;
  rank->budget.limit = task->options->memory;
  phases_begin(&rank->phases, rank->search->begun);
  chunk_pool_open(&rank->pool, &rank->budget);
  FLOE_TRY(crew_create(task->options->threads, &rank->crew));
  FLOE_TRY(workers_create(rank));
  FLOE_TRY(open_together(rank));
  FLOE_TRY(wide_open(rank));
  FLOE_TRY(spill_open(rank));
  return growth_first_set(rank);
}

static void close_rank(struct rank *rank) {
  growth_drop_set(rank);
  spill_close(rank);
  wide_close(rank);
  together_close(&rank->together);
  workers_free(rank);
  crew_free(rank->crew);
  frontier_free(&rank->frontier);
  mem_free(rank->unplaced.states);
  for (struct message *next; rank->aside; rank->aside = next) {
    next = rank->aside->next;
    message_free(rank->aside);
  }
  chunk_pool_close(&rank->pool);
}

/* ---- the outcome ----------------------------------------------------------------------------- */

static void sum_workers(struct rank *rank, struct engine_outcome *out) {
  size_t transitions = rank->search->task->model->transition_count;
  for (unsigned i = 0; i < rank->worker_count; i++) {
    const struct worker *worker = &rank->workers[i];
    for (size_t t = 0; t < transitions; t++)
      rank->search->fired[t] += worker->block.fired[t];
    out->deadlocks += worker->block.deadlocks;
    out->checksum += worker->checksum;
    if (worker->block.max_out_degree > out->max_out_degree)
      out->max_out_degree = worker->block.max_out_degree;
  }
}

static void report_time(struct rank *rank, struct engine_outcome *out) {
  double now = clock_seconds();
  phases_end(&rank->phases, now);
  memcpy(out->phases, rank->phases.seconds, sizeof out->phases);
  out->waiting = crew_waited(rank->crew);
  out->statistics.explore_seconds = now - rank->search->begun;
}

static floe_status report(struct rank *rank, struct engine_outcome *out) {
  *out = (struct engine_outcome){
      .states = rank_states(rank),
      .transitions = rank_transitions(rank),
      .statistics = {.growths = rank->growths, .frontier_bytes = rank->pool.peak, .disk_bytes = spill_written(rank)},
      .table = table_scheme_name(rank->config.scheme),
      .shape = rank->visited->shape,
      .simd = rank->visited->simd,
      .threads = rank->worker_count};
  if (rank->tree) {
    out->statistics.tree_bytes = tree_bytes(rank->tree);
    out->statistics.tree_contents = tree_count_all(rank->tree);
  }
  report_time(rank, out);
  sum_workers(rank, out);
  if (rank->together.exchange)
    FLOE_TRY(together_report(&rank->together, out));
  search_conclude(rank->search, out);
  return FLOE_OK;
}

/* ---- the engine ------------------------------------------------------------------------------ */

/* Pages: aligned for the cache lines. */
struct cpu_search {
  struct search search;
  struct rank rank;
};

static struct cpu_search *of(struct search *search) { return (struct cpu_search *)search; }

static void drop(struct search *search) {
  if (!search)
    return;
  search_close(search);
  pages_free(of(search), sizeof(struct cpu_search));
}

static floe_status prepare(const struct engine_task *task, floe_log *log, struct search **out) {
  struct cpu_search *cpu = pages_alloc(sizeof *cpu);
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
  struct rank *rank = &of(search)->rank;
  search_begin(search);
  together_join(&rank->together, search);
  search->status = open_rank(rank);
  if (search->status == FLOE_OK || search->task->post)
    explore_levels(rank);
  spill_tell(rank);
  if (search->status == FLOE_OK)
    search->status = report(rank, out);
  close_rank(rank);
  return search->status;
}

const struct engine engine_cpu = {.name = "cpu", .prepare = prepare, .explore = explore, .drop = drop};
