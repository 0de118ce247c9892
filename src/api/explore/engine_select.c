#include "api/explore/engine_select.h"

#include "api/processes.h"
#include "api/explore/mpi_leader.h"
#include "api/explore/gpu_warmup.h"
#include "core/diag.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/jit/scheme.h"
#include "gpu/jit/gpu_api.h"
#include "step/compile/tiered_stepper.h"

#include <inttypes.h>

/* Most models in the making are tiny, and done by the interpreter before a compiler would have
   started. Starting a GPU's driver alone takes 0.24 s. */
struct choice_delays choice_delays = {.compile = 0.03, .gpu = 0.05};
/* Expansions from which on a compiler pays: the interpreter does up to a million a second. */
#define MUCH_WORK 200000
/* A second run in so small a table is over on the CPU before the GPU's memory is ready. */
#define FEW_SLOTS 40000
/* States of a checkpoint that take the CPU longer to read than a GPU to be ready. */
#define MUCH_TO_READ 10000000

/* ---- the stepper ----------------------------------------------------------------------------- */

static void drop_stepper(struct exploration *e) {
  if (e->stepper)
    e->stepper->free(e->stepper);
  e->stepper = NULL;
  e->tiered = false;
}

/* Reports while nothing is explored yet. */
static void tell_phase(void *data) {
  struct exploration *e = data;
  double now = clock_seconds();
  if (!e->options.progress || now < e->next_report)
    return;
  const floe_progress progress = {.phase = e->phase, .seconds = now - e->started};
  e->next_report = now + e->options.progress_seconds;
  e->options.progress(&progress, e->options.user);
}

static void begin_phase(struct exploration *e, const char *phase) {
  e->phase = phase;
  e->next_report = clock_seconds() + e->options.progress_seconds;
}

/* Compiled first: it is the compiled code that is asked for. Without a compiler the interpreter
   does; the log has a note then. */
static floe_status make_compiled(struct exploration *e, const struct compile_options *how) {
  double start = clock_seconds();
  begin_phase(e, "compiling the model");
  floe_status status = compiled_create(e->model, e->layout, how, e->log, &e->stepper);
  e->compile_seconds += clock_seconds() - start;
  if (status != FLOE_ERROR_UNSUPPORTED)
    return status;
  e->interpreted = true;
  return interpreter_create(e->model, e->layout, &e->stepper);
}

/* Compiled beside the search. */
static floe_status make_switching(struct exploration *e, const struct compile_options *how, double delay) {
  e->interpreted = true;
  FLOE_TRY(tiered_stepper_create(e->model, e->layout, how, delay, e->log, &e->stepper));
  e->tiered = true;
  return FLOE_OK;
}

static floe_status make_stepper(struct exploration *e) {
  struct engine_task task = exploration_task(e);
  task.limits.waiting = tell_phase;
  task.limits.user = e;
  e->stop = engine_stop(&task); /* the stepper may look at it as long as it lives */
  const struct compile_options how = {e->options.compiler, e->options.cache_dir, &e->stop};
  e->interpreted = false;
  switch (e->options.engine) {
  case FLOE_ENGINE_INTERPRETER:
    e->interpreted = true;
    return interpreter_create(e->model, e->layout, &e->stepper);
  case FLOE_ENGINE_GPU: /* which expands violating states only, unless the CPU has much to do after
                           it */
    return make_switching(e, &how, -1);
  case FLOE_ENGINE_AUTO:
    return make_switching(e, &how, choice_delays.compile);
  default:
    return make_compiled(e, &how);
  }
}

/* What the stepper has become. */
static void look_at_stepper(struct exploration *e) {
  if (!e->tiered)
    return;
  e->interpreted = !tiered_stepper_is_compiled(e->stepper);
}

void choice_expect_work(struct exploration *e, uint64_t states) {
  if (e->tiered && states >= MUCH_WORK)
    tiered_compile_now(e->stepper);
}

/* ---- on the CPU ------------------------------------------------------------------------------ */

/* Until `needless` (NULL: it never is). */
static floe_status run_on_cpu(struct exploration *e, const atomic_bool *needless) {
  struct engine_task task = exploration_main_task(e);
  task.limits.cancelled = needless;
  const struct engine *engine = engine_for(0);
  floe_status status = mpi_leader_run(e, engine, &task, e->log, &e->outcome);
  look_at_stepper(e);
  e->engine = e->interpreted ? "interpreter" : engine->name;
  return status;
}

static floe_status run_to_the_end(struct exploration *e) {
  floe_status status = run_on_cpu(e, NULL);
  if (status == FLOE_ERROR_MEMORY)
    diag_error(e->log, NULL, NOWHERE, NULL, "not enough memory to start: the limit is %" PRIu64 " bytes",
               e->options.memory);
  return status;
}

/* ---- on a GPU -------------------------------------------------------------------------------- */

static void drop_gpu(struct exploration *e) { gpus_release(&e->gpus); }

/* What is told of the GPU; its errors, which AUTO does not let end the run, as warnings. */
static void tell(struct exploration *e, bool errors_as_warnings) {
  (errors_as_warnings ? diag_pass_on_as_warnings : diag_pass_on)(e->gpu_log, e->log);
  floe_log_clear(e->gpu_log);
}

static void tell_lack_of_memory(const struct exploration *e, floe_status status) {
  if (status == FLOE_ERROR_MEMORY)
    diag_error(e->gpu_log, NULL, NOWHERE, NULL,
               "not enough memory to start on %s: the limit is %" PRIu64 " bytes of its memory", e->gpu_title,
               e->options.gpu_memory);
}

static floe_status take_gpu(struct exploration *e, const struct stop *stop, struct reason *reason) {
  FLOE_TRY(gpus_acquire(&e->options, stop, e->gpu_log, &e->gpus, reason));
  gpus_title(&e->gpus, e->gpu_title, sizeof e->gpu_title);
  return FLOE_OK;
}

/* What one alone found, with the host's memory, is more than all of them hold. */
static void let_others_go(struct exploration *e) {
  if (e->outcome.two_levels)
    gpus_keep_first(&e->gpus);
}

static floe_status run_on_gpu(struct exploration *e, const struct stop *stop) {
  struct reason reason;
  double start = clock_seconds();
  begin_phase(e, "starting the GPU");
  floe_status status = take_gpu(e, stop, &reason);
  e->start_seconds = clock_seconds() - start;
  if (status != FLOE_OK) {
    diag_error(e->gpu_log, NULL, NOWHERE, "--engine=cpu explores on all cores", "%s", reason.text);
    return status;
  }
  struct engine_task task = exploration_main_task(e);
  begin_phase(e, "compiling kernels for the GPU");
  task.limits.waiting = tell_phase;
  task.limits.user = e;
  const struct engine *engine = engine_for(task.devices.count);
  e->engine = engine->name;
  status = mpi_leader_run(e, engine, &task, e->gpu_log, &e->outcome);
  if (status == FLOE_OK)
    let_others_go(e);
  tell_lack_of_memory(e, status);
  return status;
}

/* Interrupted before anything was explored: the CPU says so, as it finds the same wish at once. */
static floe_status run_on_gpu_alone(struct exploration *e) {
  if (!gpu_scheme_explores(e->options.table)) {
    diag_error(e->log, NULL, NOWHERE, "--engine=cpu explores on all cores",
               "a '%s' table cannot hold the visited set on a GPU", e->options.table);
    return FLOE_ERROR_USAGE;
  }
  FLOE_TRY(make_stepper(e));
  floe_status status = run_on_gpu(e, &e->stop);
  if (status == FLOE_ERROR_UNSUPPORTED && stop_wanted(&e->stop)) {
    drop_gpu(e);
    return run_to_the_end(e);
  }
  tell(e, false);
  return status;
}

/* ---- on either ------------------------------------------------------------------------------- */

/* Whether a GPU may be got ready beside the CPU's run. */
static bool is_for_gpu(const struct exploration *e) {
  return e->options.engine == FLOE_ENGINE_AUTO && !e->order && !e->options.permutation &&
         gpu_scheme_explores(e->options.table) && gpu_may_be_there();
}

/* What the CPU found is to be kept, unless it stopped for the GPU, or a lack of memory stopped it:
   the GPU has memory of its own. */
static bool is_kept(const struct exploration *e, floe_status status) {
  if (status != FLOE_OK)
    return status != FLOE_ERROR_MEMORY;
  return !e->outcome.needless && e->outcome.end != FLOE_END_MEMORY;
}

/* Why the GPU did not explore, and what happened instead. */
static void tell_failure(struct exploration *e, const struct gpu_warmup *warmup, floe_status status, const char *instead) {
  if (warmup->stopped)
    return;
  if (!warmup->gpus.count) {
    diag_note(e->log, NULL, NOWHERE, NULL, "explored on the CPU: %s", warmup->reason.text);
    return;
  }
  tell_lack_of_memory(e, status);
  tell(e, true);
  diag_warning(e->log, NULL, NOWHERE, NULL, "the GPU failed: %s", instead);
}

/* The devices that were found, whatever became of them: the first becomes this thread's. */
static void take_found(struct exploration *e, struct gpu_warmup *warmup) {
  if (!warmup->gpus.count)
    return;
  floe_status status = gpu_use(warmup->gpus.gpu[0]);
  if (warmup->status == FLOE_OK)
    warmup->status = status;
  e->gpus = warmup->gpus;
  e->options.gpu_memory = warmup->options.gpu_memory;
  gpus_title(&e->gpus, e->gpu_title, sizeof e->gpu_title);
}

/* The CPU was done first. */
static void go_on_without(struct exploration *e, struct gpu_warmup *warmup) {
  gpu_warmup_cancel(warmup);
  take_found(e, warmup);
  if (warmup->status != FLOE_OK)
    tell_failure(e, warmup, warmup->status, "explored on the CPU");
  gpu_warmup_discard(warmup);
  drop_gpu(e);
}

/* Where the GPU cannot go on after all: the CPU begins anew, unless it came to an end of its own. */
static floe_status go_back(struct exploration *e, struct engine_outcome *before) {
  drop_gpu(e);
  if (!before->level_states || before->needless)
    return run_to_the_end(e);
  e->outcome = *before;
  *before = (struct engine_outcome){0};
  return FLOE_OK;
}

static floe_status explore_prepared(struct exploration *e, struct gpu_warmup *warmup) {
  FLOE_TRY(warmup->status);
  floe_status status = warmup->engine->explore(warmup->search, &e->outcome);
  take_found(e, warmup); /* which may be more now */
  return status;
}

static floe_status take_over(struct exploration *e, struct gpu_warmup *warmup) {
  struct engine_outcome before = e->outcome;
  e->outcome = (struct engine_outcome){0};
  e->tried = clock_seconds() - e->started;
  e->start_seconds += e->tried;
  gpu_warmup_join(warmup);
  take_found(e, warmup);
  floe_status status = explore_prepared(e, warmup);
  gpu_warmup_discard(warmup);
  if (status == FLOE_OK) {
    e->engine = warmup->engine->name;
    let_others_go(e);
    tell(e, true);
  } else {
    tell_failure(e, warmup, status, before.needless ? "explored anew on the CPU" : "explored on the CPU");
    status = go_back(e, &before);
  }
  engine_outcome_free(&before);
  return status;
}

static floe_status run_on_either(struct exploration *e) {
  struct engine_task task = exploration_main_task(e);
  struct gpu_warmup *warmup = gpu_warmup_start(&task, choice_delays.gpu, e->gpu_log);
  if (!warmup)
    return run_to_the_end(e);
  floe_status status = run_on_cpu(e, &warmup->ready);
  if (is_kept(e, status))
    go_on_without(e, warmup);
  else
    status = take_over(e, warmup);
  gpu_warmup_free(warmup);
  return status;
}

/* A large search that goes on is read once, by the GPU if there is one; by the CPU if that fails. */
static floe_status resume_on_gpu_first(struct exploration *e) {
  floe_status status = run_on_gpu(e, &e->stop);
  if (status == FLOE_OK || status == FLOE_ERROR_IO) {
    tell(e, status == FLOE_OK);
    return status;
  }
  const bool stopped = stop_wanted(&e->stop);
  if (!stopped) {
    tell(e, true);
    diag_warning(e->log, NULL, NOWHERE, NULL, "no GPU goes on with the search: the CPU does");
  }
  drop_gpu(e);
  return run_to_the_end(e);
}

static bool is_large(const struct exploration *e) {
  struct engine_task task = {.snapshot.from = e->from};
  return e->from && snapshot_states(&task) >= MUCH_TO_READ;
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* What one device can do and several cannot. */
static floe_status check_devices(const struct exploration *e) {
  const bool wide = (e->checkpoint_policy.path || e->from) && e->layout->key_words > 1;
  if (!gpus_are_several(&e->options) || (!wide && !e->two_levels))
    return FLOE_OK;
  diag_error(e->log, NULL, NOWHERE, "--device=N explores on one", "several devices have no %s",
             wide ? "checkpoints of states of several words" : "visited set of two levels");
  return FLOE_ERROR_USAGE;
}

floe_status choice_run(struct exploration *e) {
  FLOE_TRY(floe_log_create(&e->gpu_log));
  FLOE_TRY(check_devices(e));
  if (processes_comm()) {
    FLOE_TRY(mpi_leader_check(e));
    if (e->options.engine == FLOE_ENGINE_GPU)
      return run_on_gpu_alone(e);
    FLOE_TRY(make_stepper(e));
    return run_to_the_end(e);
  }
  if (e->options.engine == FLOE_ENGINE_GPU)
    return run_on_gpu_alone(e);
  FLOE_TRY(make_stepper(e));
  if (is_for_gpu(e))
    return is_large(e) ? resume_on_gpu_first(e) : run_on_either(e);
  return run_to_the_end(e);
}

floe_status choice_run_again(struct exploration *e, const struct engine_task *task, struct engine_outcome *out) {
  if (!e->gpus.count || task->options->initial_slots < FEW_SLOTS)
    return mpi_leader_run(e, engine_for(0), task, e->log, out);
  /* A table of another size may have slots of another width, and those have kernels of their own. */
  floe_options options = *task->options;
  struct engine_task again = *task;
  options.initial_slots = e->options.initial_slots;
  again.options = &options;
  floe_status status = mpi_leader_run(e, engine_for(again.devices.count), &again, e->gpu_log, out);
  if (status == FLOE_ERROR_UNSUPPORTED && stop_wanted(&e->stop))
    return mpi_leader_run(e, engine_for(0), task, e->log, out); /* which says at once that it was interrupted */
  tell(e, false);
  return status;
}

double choice_compile_seconds(struct exploration *e) {
  if (e->tiered)
    e->compile_seconds = tiered_stepper_seconds(e->stepper);
  return e->compile_seconds + e->outcome.build_seconds;
}

void choice_end(struct exploration *e) {
  drop_stepper(e);
  drop_gpu(e);
  floe_log_free(e->gpu_log);
  e->gpu_log = NULL;
}
