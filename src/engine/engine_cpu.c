/* Level-synchronous breadth-first search on all cores (doc/design.md, section 5). */
#include "core/clock.h"
#include "engine/archive.h"
#include "engine/run.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

/* A level is shared out when its expected work, in successors, is worth waking the others. */
#define SHARED_WORK 3000
#define LARGEST_GRAIN 512
#define LEAST_GRAIN 32
/* Transitions tried between two looks at the clock: some hundredths of a second of the interpreter. */
#define GRAIN_WORK ((size_t)1 << 16)

static void finish(struct run *run, floe_end end) {
  run->ended = true;
  run->end = end;
}

static void fail(struct run *run, floe_status status) {
  run->ended = true;
  run->status = status;
}

/* ---- one level ------------------------------------------------------------------------------- */

static bool worth_sharing(struct run *run) {
  if (run->worker_count == 1)
    return false;
  uint64_t transitions = run_transitions(run);
  double out_degree = run->expanded ? (double)transitions / (double)run->expanded : 1;
  return (double)run->frontier.states * (1 + out_degree) >= SHARED_WORK;
}

static void share_out(struct run *run) {
  size_t grain = run->frontier.states / (8 * (uint64_t)run->worker_count);
  if (grain < LEAST_GRAIN)
    grain = LEAST_GRAIN;
  if (grain > LARGEST_GRAIN)
    grain = LARGEST_GRAIN;
  size_t most = GRAIN_WORK / (run->task->model->transition_count + 1) + 1;
  if (grain > most)
    grain = most;
  size_t capacity = CHUNK_WORDS / run->words;
  run->grain = grain;
  run->grains_per_chunk = (capacity + grain - 1) / grain;
  ranges_deal(&run->ranges, run->frontier.count * run->grains_per_chunk);
  for (unsigned i = 0; i < run->worker_count; i++)
    run->workers[i].drawer = ranges_drawer(&run->ranges, i);
}

static bool keep_level(struct run *run) {
  uint64_t states = run->frontier.states;
  if (run->levels == run->level_cap) {
    size_t cap = run->level_cap ? run->level_cap * 2 : 64;
    uint64_t *levels = mem_resize(run->level_states, cap * sizeof *levels);
    if (!levels)
      return false;
    run->level_states = levels;
    run->level_cap = cap;
  }
  run->level_states[run->levels++] = states;
  return true;
}

static void archive_level(struct run *run) {
  struct archive *archive = run->task->archive;
  floe_status status = archive_begin_level(archive);
  for (size_t i = 0; status == FLOE_OK && i < run->frontier.count; i++) {
    const struct frontier_part *part = &run->frontier.parts[i];
    status = archive_add(archive, part->chunk->words, part->states);
  }
  if (status != FLOE_OK)
    fail(run, status);
}

/* What made the workers stop early: an end, or a table to be enlarged before they go on. */
static void handle_stop(struct run *run, unsigned why) {
  atomic_store_explicit(&run->stop, 0, memory_order_relaxed);
  run->needless = why & STOP_NEEDLESS;
  if (why & STOP_TIMEOUT)
    finish(run, FLOE_END_TIMEOUT);
  else if (why & (STOP_INTERRUPT | STOP_NEEDLESS))
    finish(run, FLOE_END_INTERRUPT);
  else if (why & STOP_MEMORY)
    finish(run, FLOE_END_MEMORY);
  else if (!growth_grow(run) && (why & STOP_FULL) && !growth_stopped(run))
    finish(run, FLOE_END_MEMORY);
}

/* True when every state of the level has been expanded. */
static bool expand_level(struct run *run) {
  clear_first_table(run);
  bool together = worth_sharing(run);
  share_out(run);
  for (;;) {
    phases_enter(&run->phases, together ? PHASE_TOGETHER : PHASE_ALONE);
    if (together)
      crew_run(run->crew, worker_expand, run);
    else
      worker_expand(run, 0);
    if (together)
      phases_enter(&run->phases, PHASE_BETWEEN);
    unsigned why = run_stopped(run);
    if (!why)
      return true;
    handle_stop(run, why);
    if (run->ended)
      return false;
  }
}

/* ---- between levels -------------------------------------------------------------------------- */

/* Chunks are closed onto a stack. */
static struct chunk *oldest_first(struct chunk *list) {
  struct chunk *turned = NULL;
  while (list) {
    struct chunk *next = list->next;
    list->next = turned;
    turned = list;
    list = next;
  }
  return turned;
}

static bool gather_chunks(struct run *run) {
  bool complete = true;
  frontier_clear(&run->frontier);
  for (unsigned i = 0; i < run->worker_count; i++) {
    struct worker *worker = &run->workers[i];
    struct chunk *list = worker->closed;
    if (worker->out && worker->out->count) {
      worker->out->next = list;
      list = worker->out;
      worker->out = NULL;
    }
    worker->closed = NULL;
    if (run->in_order)
      list = oldest_first(list);
    complete = frontier_add(&run->frontier, list) && complete;
  }
  return complete;
}

static void merge_hit(struct engine_hit *best, struct engine_hit *found, uint32_t words) {
  if (!found->hit)
    return;
  if (!best->hit || words_less(found->state, best->state, words)) {
    memcpy(best->state, found->state, words * sizeof *best->state);
    best->hit = true;
    best->depth = found->depth;
    best->error = found->error;
  }
  found->hit = false;
}

/* After a level, or what there was time for of it. */
static void gather_failures(struct run *run) {
  bool cut = false;
  for (unsigned i = 0; i < run->worker_count; i++) {
    run->failed |= run->workers[i].block.failed;
    cut = cut || run->workers[i].block.cut;
  }
  if (cut && !run->cut)
    run->cut_depth = run->depth;
  run->cut = cut;
}

/* Properties hit in earlier levels no longer trigger: what workers hold is of this level. */
static void gather_hits(struct run *run) {
  uint64_t triggered = 0;
  for (unsigned i = 0; i < run->worker_count; i++) {
    triggered |= run->workers[i].block.triggered;
    run->workers[i].block.triggered = 0;
  }
  triggered &= run->task->wanted & ~run->hits_so_far;
  run->hits_so_far |= triggered;
  for (; triggered; triggered &= triggered - 1) {
    size_t property = (size_t)__builtin_ctzll(triggered);
    for (unsigned i = 0; i < run->worker_count; i++)
      merge_hit(&run->hits[property], &run->workers[i].hits[property], run->words);
    assert(run->hits[property].hit);
  }
}

bool engine_is_decided(const struct engine_task *task, uint64_t hits) {
  const struct model *model = task->model;
  hits &= task->wanted;
  if (task->options->go_on || !task->wanted)
    return false;
  for (size_t i = 0; i < model->property_count; i++)
    if ((hits >> i & 1) && model->properties[i].kind != FLOE_REACHABLE)
      return true;
  return hits == task->wanted;
}

static uint64_t may_fail(const struct model *model) {
  uint64_t mask = 0;
  for (size_t i = 0; i < model->property_count; i++)
    if (model->properties[i].expr && model->properties[i].expr->can_fail)
      mask |= UINT64_C(1) << i;
  return mask;
}

static uint64_t errors_of(const struct model *model) {
  uint64_t mask = 0;
  for (size_t i = 0; i < model->property_count; i++)
    if (model->properties[i].kind == FLOE_ERRORS)
      mask |= UINT64_C(1) << i;
  return mask;
}

uint64_t engine_errors_only(const struct engine_task *task, uint64_t hits) {
  const bool count = task->wanted & ~hits & errors_of(task->model);
  return count ? task->wanted & hits & may_fail(task->model) : 0;
}

static bool is_decided(const struct run *run) { return engine_is_decided(run->task, run->hits_so_far); }

/* After a level that was expanded in full; run->frontier is the next one. */
static void decide(struct run *run) {
  if (run->frontier.states == 0)
    finish(run, FLOE_END_COMPLETE);
  else if (is_decided(run))
    finish(run, FLOE_END_DECIDED);
  else if (run_states(run) > run->task->options->max_states)
    finish(run, FLOE_END_STATES);
}

static void decide_at_bound(struct run *run) { finish(run, is_decided(run) ? FLOE_END_DECIDED : FLOE_END_DEPTH); }

/* ---- the run --------------------------------------------------------------------------------- */

/* The level in run->frontier. After it run->frontier is the next level. */
static void do_level(struct run *run) {
  run->evaluate_only = run->depth >= run->task->options->max_depth;
  if (run->task->archive)
    archive_level(run);
  if (run->ended)
    return;
  bool whole = expand_level(run);
  gather_hits(run);
  gather_failures(run);
  if (!whole)
    return;
  if (run->evaluate_only) {
    decide_at_bound(run);
    return;
  }
  run->any_complete = true;
  run->complete_depth = run->depth++;
  run->expanded += run->frontier.states;
  if (!gather_chunks(run))
    finish(run, FLOE_END_MEMORY);
  else if (run->frontier.states && !keep_level(run))
    finish(run, FLOE_END_MEMORY);
  else
    decide(run);
}

static void explore(struct run *run) {
  if (!worker_begin(&run->workers[0], run->task->initial) || !gather_chunks(run) || !keep_level(run)) {
    fail(run, FLOE_ERROR_MEMORY);
    return;
  }
  while (!run->ended)
    do_level(run);
}

static bool make_hits(const struct run *run, struct engine_hit **out) {
  size_t n = run->task->model->property_count;
  *out = mem_array(n, sizeof **out);
  for (size_t i = 0; *out && i < n; i++) {
    (*out)[i].state = mem_array(run->words, sizeof(uint64_t));
    if (!(*out)[i].state)
      return false;
  }
  return *out != NULL;
}

static floe_status open_run(struct run *run) {
  const struct engine_task *task = run->task;
  if (run->words != 1)
    return FLOE_ERROR_UNSUPPORTED;
  run->fired_space = mem_array(task->model->transition_count, sizeof *run->fired_space);
  if (!run->fired_space || !make_hits(run, &run->hits))
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(crew_create(task->options->threads, &run->crew));
  FLOE_TRY(workers_create(run));
  return growth_first_table(run);
}

static void free_hits(struct engine_hit *hits, size_t n) {
  for (size_t i = 0; hits && i < n; i++)
    mem_free(hits[i].state);
  mem_free(hits);
}

static void close_run(struct run *run) {
  growth_drop_table(run);
  workers_free(run);
  crew_free(run->crew);
  frontier_free(&run->frontier);
  chunk_pool_close(&run->pool);
  free_hits(run->hits, run->task->model->property_count);
  mem_free(run->fired_space);
  mem_free(run->level_states);
  pages_free(run, sizeof *run);
}

static void sum_workers(struct run *run, struct engine_outcome *out) {
  size_t transitions = run->task->model->transition_count;
  for (unsigned i = 0; i < run->worker_count; i++) {
    const struct worker *worker = &run->workers[i];
    for (size_t t = 0; t < transitions; t++)
      out->fired[t] += worker->block.fired[t];
    out->deadlocks += worker->block.deadlocks;
    out->checksum += worker->checksum;
    if (worker->block.max_out_degree > out->max_out_degree)
      out->max_out_degree = worker->block.max_out_degree;
  }
}

static void report_time(struct run *run, struct engine_outcome *out) {
  double now = clock_seconds();
  phases_end(&run->phases, now);
  memcpy(out->phases, run->phases.seconds, sizeof out->phases);
  out->waiting = crew_waited(run->crew);
  out->statistics.explore_seconds = now - run->begun;
}

/* Moves what the run found to the outcome. */
static void report(struct run *run, struct engine_outcome *out) {
  *out = (struct engine_outcome){.end = run->end,
                                 .states = run_states(run),
                                 .transitions = run_transitions(run),
                                 .levels = run->levels,
                                 .complete_depth = run->complete_depth,
                                 .any_complete = run->any_complete,
                                 .failed = run->failed,
                                 .cut = run->cut,
                                 .cut_depth = run->cut_depth,
                                 .level_states = run->level_states,
                                 .fired = run->fired_space,
                                 .hits = run->hits,
                                 .property_count = run->task->model->property_count,
                                 .needless = run->needless,
                                 .statistics = {.growths = run->growths, .frontier_bytes = run->pool.bytes},
                                 .shape = *table_shape(run->table),
                                 .simd = table_simd(run->table),
                                 .threads = run->worker_count};
  out->statistics.table_bytes = out->shape.bytes;
  out->statistics.table_fill = (double)out->states / (double)out->shape.slots;
  report_time(run, out);
  sum_workers(run, out);
  run->level_states = NULL;
  run->fired_space = NULL;
  run->hits = NULL;
}

floe_status engine_cpu_run(const struct engine_task *task, floe_log *log, struct engine_outcome *out) {
  struct run *run = pages_alloc(sizeof *run); /* pages: aligned for the cache lines */
  if (!run)
    return FLOE_ERROR_MEMORY;
  run->task = task;
  run->log = log;
  run->stepper = task->stepper;
  run->words = task->layout->words;
  run->budget.limit = task->options->memory;
  run->begun = run->last_report = clock_seconds();
  run->next_report = run->begun + task->options->progress_seconds;
  phases_begin(&run->phases, run->begun);
  chunk_pool_open(&run->pool, &run->budget);
  run->status = open_run(run);
  if (run->status == FLOE_OK)
    explore(run);
  floe_status status = run->status;
  if (status == FLOE_OK)
    report(run, out);
  close_run(run);
  return status;
}

void engine_outcome_free(struct engine_outcome *outcome) {
  free_hits(outcome->hits, outcome->property_count);
  mem_free(outcome->level_states);
  mem_free(outcome->fired);
  *outcome = (struct engine_outcome){0};
}
