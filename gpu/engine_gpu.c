/* Level-synchronous breadth-first search on a GPU (doc/gpu.md). The kernel goes from level to level
   by itself; between its launches the host grows the table, moves states that the device has no
   room for, and looks at the clock. */
#include "gpu/engine_gpu.h"

#include "core/clock.h"
#include "core/diag.h"
#include "core/mem.h"
#include "gpu/run.h"
#include "gpu/seam.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A warp reads the level that is handed on, and where the queue ends, as one line. */
_Static_assert(GPU_LEVEL_WORDS < 16, "the level does not fit a line");
_Static_assert(offsetof(struct gpu_control, handed) % 128 == 0, "the line is not aligned");

#define LEVEL_DONE (GPU_LEFT_TRIGGERED | GPU_LEFT_DEPTH | GPU_LEFT_STATES | GPU_LEFT_LEVELS | GPU_LEFT_EMPTY)
/* Slices are short while states are handed on, so that the device seldom waits. */
#define HARVEST_SLICE_US 5000

void run_finish(struct gpu_run *run, floe_end end) {
  run->ended = true;
  run->end = end;
}

void run_fail(struct gpu_run *run, floe_status status) {
  run->ended = true;
  if (run->status == FLOE_OK)
    run->status = status;
}

/* ---- the device's memory --------------------------------------------------------------------- */

floe_status run_take(struct gpu_run *run, uint64_t bytes, gpu_address *out) {
  return gpu_budget_take(run->gpu, &run->budget, bytes, out);
}

void run_give(struct gpu_run *run, uint64_t bytes, gpu_address *address) {
  gpu_budget_give(run->gpu, &run->budget, bytes, address);
}

floe_status run_upload(struct gpu_run *run) {
  return gpu_upload(run->gpu, run->control_at, &run->control, sizeof run->control);
}

floe_status run_download(struct gpu_run *run) {
  FLOE_TRY(gpu_wait(run->gpu));
  return gpu_download(run->gpu, &run->control, run->control_at, sizeof run->control);
}

#define ON_DEVICE(type, address) ((type *)(uintptr_t)(address))

struct gpu_space run_space(const struct gpu_run *run) {
  return (struct gpu_space){.control = ON_DEVICE(struct gpu_control, run->control_at),
                            .ring = ON_DEVICE(uint64_t, run->ring),
                            .ring_mask = run->ring_words - 1,
                            .pending = ON_DEVICE(uint64_t, run->pending),
                            .fired = ON_DEVICE(uint64_t, run->fired),
                            .level_states = ON_DEVICE(uint64_t, run->level_states),
                            .level_capacity = run->level_capacity,
                            .log = ON_DEVICE(uint64_t, run->logged),
                            .log_capacity = run->log_capacity};
}

/* ---- the clock ------------------------------------------------------------------------------- */

static void send_report(struct gpu_run *run, double now) {
  const floe_options *options = run->task->options;
  const uint64_t states = run_states(run), transitions = run->control.transitions;
  const double since = now - run->last_report;
  floe_progress report = {.states = states,
                          .transitions = transitions,
                          .frontier = queue_level_rest(run),
                          .duplicates = transitions + 1 > states ? transitions + 1 - states : 0,
                          .depth = run->control.depth,
                          .seconds = now - run->begun,
                          .rate = since > 0 ? (double)(states - run->last_states) / since : 0,
                          .table_fill = (double)states / (double)run->table.shape.slots,
                          .bytes = run->budget.used + run->piece_bytes_all};
  run->last_report = now;
  run->last_states = states;
  run->next_report = now + options->progress_seconds;
  options->progress(&report, options->user);
}

bool run_look(struct gpu_run *run) {
  const struct stop *stop = &run->stop;
  if (!stop_wanted(stop))
    return false;
  run->needless = stop_is_set(stop->needless);
  run_finish(run, stop_is_late(stop) ? FLOE_END_TIMEOUT : FLOE_END_INTERRUPT);
  return true;
}

static void look_around(struct gpu_run *run) {
  const floe_options *options = run->task->options;
  const double now = clock_seconds();
  if (options->progress && now >= run->next_report)
    send_report(run, now);
  run_look(run);
}

/* Nanoseconds until the host wants to look at something. */
static uint64_t next_slice(const struct gpu_run *run) {
  const floe_options *options = run->task->options;
  double seconds = 1e-6 * (double)run->tuning.slice_us;
  if (run->harvest.states || run->harvest.log)
    seconds = seconds < 1e-6 * HARVEST_SLICE_US ? seconds : 1e-6 * HARVEST_SLICE_US;
  if (options->timeout > 0) {
    double left = options->timeout - (clock_seconds() - run->task->started);
    seconds = left < seconds ? left : seconds;
  }
  return seconds > 1e-5 ? (uint64_t)(1e9 * seconds) : 10000;
}

/* ---- one launch ------------------------------------------------------------------------------ */

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Levels that a launch closes are taken out of the queue after it, so they must all still lie
   there: at most `most` states up to the last of them, and that much room is kept beside what the
   level in work needs. */
static void set_stops(struct gpu_run *run) {
  const floe_options *options = run->task->options;
  struct gpu_control *control = &run->control;
  const uint64_t most = run->harvest.most;
  control->wanted = run->task->wanted & ~run->hits_so_far;
  control->errors_only = engine_errors_only(run->task, run->hits_so_far);
  control->properties_only = run->evaluate_only;
  control->one_part = run->evaluate_only || queue_in_parts(run);
  control->depth_limit = options->max_depth;
  control->max_states = options->max_states;
  if (most)
    control->max_states = least(control->max_states, run_states(run) + most);
  control->slack = run->slack + most;
  control->slice = next_slice(run);
}

static floe_status launch(struct gpu_run *run) {
  struct gpu_space space = run_space(run);
  struct gpu_launch grid = {.blocks = run->blocks, .threads = GPU_BLOCK, .cooperative = true};
  void *arguments[] = {&run->table.view, &space};
  set_stops(run);
  FLOE_TRY(run_upload(run));
  const double start = clock_seconds();
  FLOE_TRY(gpu_start(run->gpu, run->code.explore, &grid, arguments));
  run->launches++;
  harvest_hand_on(run);
  floe_status status = run_download(run);
  run->kernel_seconds += clock_seconds() - start;
  return status;
}

static bool size_room(struct gpu_run *run, size_t more) {
  if (run->levels + more <= run->size_cap)
    return true;
  size_t cap = run->size_cap * 2 > run->levels + more ? run->size_cap * 2 : run->levels + more + 64;
  uint64_t *sizes = mem_resize(run->sizes, cap * sizeof *sizes);
  if (!sizes)
    return false;
  run->sizes = sizes;
  run->size_cap = cap;
  return true;
}

static bool keep_level(struct gpu_run *run, uint64_t states) {
  if (!size_room(run, 1))
    return false;
  run->sizes[run->levels++] = states;
  return true;
}

/* Sizes of the levels that the kernel closed. */
static floe_status fetch_levels(struct gpu_run *run) {
  const uint32_t count = run->control.level_count;
  if (count == 0)
    return FLOE_OK;
  if (!size_room(run, count))
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(gpu_download(run->gpu, run->sizes + run->levels, run->level_states, count * sizeof *run->sizes));
  run->levels += count;
  run->control.level_count = 0;
  return FLOE_OK;
}

/* ---- between launches ------------------------------------------------------------------------ */

/* After a level that was expanded in full; `empty`: there is no next one. */
static void decide(struct gpu_run *run, bool empty) {
  if (empty)
    run_finish(run, FLOE_END_COMPLETE);
  else if (engine_is_decided(run->task, run->hits_so_far))
    run_finish(run, FLOE_END_DECIDED);
  else if (run_states(run) > run->task->options->max_states)
    run_finish(run, FLOE_END_STATES);
}

static void gather(struct gpu_run *run, uint32_t depth) {
  floe_status status = hits_gather(run, depth);
  if (status != FLOE_OK)
    run_fail(run, status);
}

/* The kernel closed levels, the last of them just now; what triggered did so in that one. */
static void end_levels(struct gpu_run *run) {
  const bool empty = run->control.left & GPU_LEFT_EMPTY;
  gather(run, run->levels - (empty ? 1 : 2));
  if (!run->ended)
    decide(run, empty);
}

/* The host closes a level of which parts were here. */
static void close_level(struct gpu_run *run) {
  const uint64_t states = queue_next_states(run);
  gather(run, run->levels - 1);
  if (run->ended)
    return;
  if (states > 0) {
    if (!keep_level(run, states)) {
      run_finish(run, FLOE_END_MEMORY);
      return;
    }
    queue_turn(run);
    run->control.depth++;
  }
  decide(run, states == 0);
}

static void end_part(struct gpu_run *run) {
  if (queue_next_part(run) || run->ended)
    return;
  if (!run->evaluate_only) {
    close_level(run);
    return;
  }
  gather(run, run->levels - 1);
  if (!run->ended)
    run_finish(run, engine_is_decided(run->task, run->hits_so_far) ? FLOE_END_DECIDED : FLOE_END_DEPTH);
}

/* Why the kernel left: what it needs before it can go on. */
static void handle(struct gpu_run *run) {
  const uint32_t left = run->control.left;
  if (left & LEVEL_DONE)
    end_levels(run);
  if (!run->ended)
    look_around(run);
  if (!run->ended && run->control.pending_count > 0)
    grow_place_pending(run);
  else if (!run->ended && (left & GPU_LEFT_GROW))
    grow_table(run);
  if (!run->ended && (left & GPU_LEFT_QUEUE))
    queue_relieve(run);
  if (!run->ended && (left & GPU_LEFT_PART))
    end_part(run);
}

static void do_launch(struct gpu_run *run) {
  run->evaluate_only = run->control.depth >= run->task->options->max_depth;
  floe_status status = launch(run);
  if (status == FLOE_OK)
    status = fetch_levels(run);
  if (status != FLOE_OK) {
    run_fail(run, status);
    return;
  }
  harvest_take(run);
  if (!run->ended)
    handle(run);
}

/* The initial state becomes level 0. */
static floe_status begin(struct gpu_run *run) {
  struct gpu_control *control = &run->control;
  control->current = control->current_end = control->next = control->next_end = FIRST_POSITION;
  control->cut_depth = UINT32_MAX;
  for (size_t i = 0; i < GPU_PROPERTIES; i++)
    control->least[i] = UINT64_MAX;
  FLOE_TRY(gpu_upload(run->gpu, run->source, run->task->initial, sizeof(uint64_t)));
  FLOE_TRY(grow_insert(run, 1));
  if (run_states(run) != 1 || control->pending_count) {
    diag_error(run->log, NULL, NOWHERE, "please report this with the model",
               "internal error: the GPU put %" PRIu64 " states instead of the initial one, and "
               "refused %" PRIu64,
               run_states(run), control->pending_count);
    return FLOE_ERROR_INTERNAL;
  }
  queue_turn(run);
  if (!keep_level(run, 1))
    return FLOE_ERROR_MEMORY;
  harvest_take(run);
  return run->status;
}

static void explore(struct gpu_run *run) {
  floe_status status = begin(run);
  if (status != FLOE_OK)
    run_fail(run, status);
  while (!run->ended)
    do_launch(run);
  if (run->status == FLOE_OK && run->control.triggered) /* in a level that was not finished */
    gather(run, run->levels - 1);
  harvest_hand_on(run);
}

/* ---- creation -------------------------------------------------------------------------------- */

/* As many blocks as the device holds, unless so many warps could find more at once than queue and
   lists have room for. */
static floe_status choose_blocks(struct gpu_run *run) {
  const uint64_t most_words = run->budget.limit / 64 / sizeof(uint64_t);
  run->max_successors = run->task->stepper->max_successors;
  run->blocks = run->code.explore_blocks;
  if (run->tuning.blocks)
    run->blocks = (unsigned)least(run->blocks, run->tuning.blocks);
  while (run->blocks > 1 && gpu_slack((uint64_t)run->blocks * GPU_WARPS, run->max_successors) > most_words)
    run->blocks /= 2;
  run->slack = gpu_slack((uint64_t)run->blocks * GPU_WARPS, run->max_successors);
  return run->slack <= 2 * most_words ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status take_cleared(struct gpu_run *run, uint64_t bytes, gpu_address *out) {
  FLOE_TRY(run_take(run, bytes, out));
  return gpu_fill(run->gpu, *out, 0, bytes);
}

static floe_status make_space(struct gpu_run *run) {
  const uint64_t word = sizeof(uint64_t), transitions = run->task->model->transition_count;
  run->level_capacity = run->tuning.levels;
  FLOE_TRY(take_cleared(run, sizeof run->control, &run->control_at));
  FLOE_TRY(take_cleared(run, (transitions + 1) * word, &run->fired));
  FLOE_TRY(run_take(run, run->level_capacity * word, &run->level_states));
  FLOE_TRY(run_take(run, run->slack * word, &run->pending));
  FLOE_TRY(run_take(run, run->slack * word, &run->source));
  if (run->harvest.log) {
    run->log_capacity = 4 * run->slack;
    FLOE_TRY(run_take(run, run->log_capacity * word, &run->logged));
  }
  FLOE_TRY(queue_first(run));
  return harvest_open(run);
}

static bool make_hits(struct gpu_run *run) {
  const size_t n = run->task->model->property_count;
  run->hits = mem_array(n, sizeof *run->hits);
  for (size_t i = 0; run->hits && i < n; i++)
    if (!(run->hits[i].state = mem_alloc(sizeof(uint64_t))))
      return false;
  return run->hits != NULL;
}

static floe_status open_run(struct gpu_run *run) {
  const double start = clock_seconds();
  if (run->task->layout->words != 1)
    return FLOE_ERROR_UNSUPPORTED;
  FLOE_TRY(tuning_read(getenv("FLOE_GPU_TEST"), run->log, &run->tuning));
  if (!make_hits(run))
    return FLOE_ERROR_MEMORY;
  run->budget.limit = gpu_memory_allowed(run->gpu, run->task->options->gpu_memory, 0);
  harvest_plan(run);
  FLOE_TRY(grow_first_table(run));
  FLOE_TRY(code_make(run, &run->table.shape, &run->code));
  FLOE_TRY(choose_blocks(run));
  FLOE_TRY(make_space(run));
  FLOE_TRY(gpu_wait(run->gpu));
  run->memory_seconds = clock_seconds() - start - run->build_seconds;
  return FLOE_OK;
}

static void free_hits(struct engine_hit *hits, size_t n) {
  for (size_t i = 0; hits && i < n; i++)
    mem_free(hits[i].state);
  mem_free(hits);
}

static void close_run(struct gpu_run *run) {
  gpu_address *const parts[] = {&run->control_at, &run->fired,  &run->level_states,
                                &run->pending,    &run->source, &run->logged};
  if (gpu_sound(run->gpu))
    gpu_wait(run->gpu);
  harvest_close(run);
  queue_free(run);
  grow_drop_table(run);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gpu_free(run->gpu, *parts[i]);
  code_free(&run->code);
  code_free(&run->mover);
  arena_free(&run->arena);
  free_hits(run->hits, run->task->model->property_count);
  mem_free(run->sizes);
  mem_free(run);
}

/* ---- the outcome ----------------------------------------------------------------------------- */

static floe_status fetch_fired(struct gpu_run *run, uint64_t **out) {
  const size_t transitions = run->task->model->transition_count;
  uint64_t *fired = mem_array(transitions, sizeof *fired);
  if (!fired)
    return FLOE_ERROR_MEMORY;
  floe_status status = gpu_download(run->gpu, fired, run->fired, transitions * sizeof *fired);
  if (status == FLOE_OK)
    *out = fired;
  else
    mem_free(fired);
  return status;
}

static void report_figures(const struct gpu_run *run, struct engine_outcome *out) {
  out->growths = run->growths;
  out->shape = run->table.shape;
  out->table_bytes = run->table.shape.bytes;
  out->frontier_bytes = run->frontier_peak;
  out->table_fill = (double)out->states / (double)run->table.shape.slots;
  out->simd = "16-byte loads";
  out->threads = run->blocks * GPU_BLOCK;
  out->blocks = run->blocks;
  out->launches = run->launches;
  out->spilled_states = run->spilled;
  out->built_from_cache = run->from_cache;
  out->build_seconds = run->build_seconds;
  out->memory_seconds = run->memory_seconds;
  out->explore_seconds = clock_seconds() - run->begun - (run->build_seconds - run->prepared);
}

static void tell(const struct gpu_run *run, const struct engine_outcome *out) {
  diag_note(
      run->log, NULL, NOWHERE, NULL,
      "GPU: explore=%.6f kernels=%.6f grow=%.6f build=%.6f memory=%.6f launches=%" PRIu64 " blocks=%u growths=%" PRIu64
      " refused=%" PRIu64 " spilled=%" PRIu64 " table_bytes=%" PRIu64 " queue_words=%" PRIu64,
      out->explore_seconds, run->kernel_seconds, run->grow_seconds, run->build_seconds, run->memory_seconds,
      run->launches, run->blocks, run->growths, run->refused, run->spilled, run->table.shape.bytes, run->ring_words);
}

/* Moves what the run found to the outcome. Of a run that is complete every level is; of another one
   the last level known is not. */
static floe_status report(struct gpu_run *run, struct engine_outcome *out) {
  const struct gpu_control *control = &run->control;
  uint64_t *fired;
  FLOE_TRY(fetch_fired(run, &fired));
  const uint32_t incomplete = run->end == FLOE_END_COMPLETE ? 1 : 2;
  *out = (struct engine_outcome){.end = run->end,
                                 .needless = run->needless,
                                 .states = run_states(run),
                                 .transitions = control->transitions,
                                 .deadlocks = control->deadlocks,
                                 .levels = run->levels,
                                 .any_complete = run->levels >= incomplete,
                                 .max_out_degree = (uint32_t)control->max_out_degree,
                                 .failed = control->failed,
                                 .cut = control->cut_depth != UINT32_MAX,
                                 .cut_depth = control->cut_depth,
                                 .level_states = run->sizes,
                                 .fired = fired,
                                 .checksum = control->checksum,
                                 .hits = run->hits,
                                 .property_count = run->task->model->property_count};
  out->complete_depth = out->any_complete ? run->levels - incomplete : 0;
  report_figures(run, out);
  if (run->tuning.tell)
    tell(run, out);
  run->sizes = NULL;
  run->hits = NULL;
  return FLOE_OK;
}

floe_status engine_gpu_prepare(const struct engine_task *task, floe_log *log, struct gpu_run **out) {
  struct gpu_run *run = mem_alloc(sizeof *run);
  if (!run)
    return FLOE_ERROR_MEMORY;
  run->task = task;
  run->stop = engine_stop(task);
  run->log = log;
  run->gpu = task->gpu;
  run->from_cache = true;
  arena_init(&run->arena);
  floe_status status = open_run(run);
  if (status == FLOE_OK)
    *out = run;
  else
    close_run(run);
  return status;
}

floe_status engine_gpu_explore(struct gpu_run *run, struct engine_outcome *out) {
  run->begun = run->last_report = clock_seconds();
  run->next_report = run->begun + run->task->options->progress_seconds;
  run->prepared = run->build_seconds;
  run->stop = engine_stop(run->task);
  explore(run);
  floe_status status = run->status;
  return status == FLOE_OK ? report(run, out) : status;
}

void engine_gpu_drop(struct gpu_run *run) {
  if (run)
    close_run(run);
}
