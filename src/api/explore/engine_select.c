#include "api/explore/engine_select.h"

#include "api/device/device_list.h"
#include "api/device/gpu_warmup.h"
#include "api/explore/make_stepper.h"
#include "api/explore/mpi_leader.h"
#include "api/processes.h"
#include "core/diag.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/jit/gpu_api.h"
#include "gpu/jit/scheme.h"
#include "step/compile/tiered_stepper.h"

#include <inttypes.h>
#include <string.h>

/* Starting a GPU's driver alone takes 0.24 s. */
double engine_select_gpu_delay = 0.05;
/* Expansions from which compiling pays: the interpreter does up to a million per second. */
#define MUCH_WORK 200000
/* A second pass with a smaller table finishes on the CPU before the GPU's memory is ready. */
#define FEW_SLOTS 40000
/* Reading a checkpoint with more states takes the CPU longer than starting the GPU. */
#define MUCH_TO_READ 10000000

/* ---- the stepper ----------------------------------------------------------------------------- */

static void free_stepper(struct exploration *e) {
  if (e->code.stepper)
    e->code.stepper->free(e->code.stepper);
  e->code.stepper = NULL;
}

/* Progress report before states are explored. */
static void report_activity(void *data) {
  struct exploration *e = data;
  double now = clock_seconds();
  if (!e->options.progress || now < e->startup.next_report)
    return;
  const floe_progress progress = {.activity = e->startup.activity, .seconds = now - e->started};
  e->startup.next_report = now + e->options.progress_seconds;
  e->options.progress(&progress, e->options.user);
}

static void begin_activity(struct exploration *e, const char *activity) {
  e->startup.activity = activity;
  e->startup.next_report = clock_seconds() + e->options.progress_seconds;
}

static floe_status create_stepper(struct exploration *e) {
  struct engine_task task = exploration_task(e);
  const double start = clock_seconds();
  task.limits.waiting = report_activity;
  task.limits.user = e;
  e->code.stop = engine_stop(&task); /* the stepper refers to it */
  begin_activity(e, "compiling the model");
  FLOE_TRY(make_stepper(&e->options, e->model, e->layout, &e->code.stop, e->log, &e->code.stepper));
  if (e->options.engine == FLOE_ENGINE_CPU)
    e->code.compile_seconds = clock_seconds() - start;
  return FLOE_OK;
}

/* "interpreter" or "compiled", now. */
static bool is_interpreted(struct exploration *e) {
  if (has_tiered_stepper(&e->options))
    return !tiered_stepper_is_compiled(e->code.stepper);
  return strcmp(e->code.stepper->name, "interpreter") == 0;
}

void engine_select_expect_work(struct exploration *e, uint64_t states) {
  if (has_tiered_stepper(&e->options) && states >= MUCH_WORK)
    tiered_compile_now(e->code.stepper);
}

/* ---- on the CPU ------------------------------------------------------------------------------ */

/* `cancelled` ends the run; NULL: it cannot be cancelled. */
static floe_status run_on_cpu(struct exploration *e, const atomic_bool *cancelled) {
  struct engine_task task = exploration_main_task(e);
  task.limits.cancelled = cancelled;
  const struct engine *engine = engine_for(0);
  floe_status status = mpi_leader_run(e, engine, &task, e->log, &e->outcome);
  e->engine = is_interpreted(e) ? "interpreter" : engine->name;
  return status;
}

static floe_status run_on_cpu_only(struct exploration *e) {
  floe_status status = run_on_cpu(e, NULL);
  if (status == FLOE_ERROR_MEMORY)
    diag_error(e->log, NULL, NOWHERE, NULL, "not enough memory to start: the limit is %" PRIu64 " bytes",
               e->options.memory);
  return status;
}

/* ---- on a GPU -------------------------------------------------------------------------------- */

static void release_gpus(struct exploration *e) { gpus_release(&e->device.gpus); }

/* Passes on the messages about the GPU. With AUTO its errors do not end the run, and become warnings. */
static void flush_gpu_log(struct exploration *e, bool errors_as_warnings) {
  (errors_as_warnings ? diag_pass_on_as_warnings : diag_pass_on)(e->device.log, e->log);
  floe_log_clear(e->device.log);
}

static void log_gpu_memory(const struct exploration *e, floe_status status) {
  if (status == FLOE_ERROR_MEMORY)
    diag_error(e->device.log, NULL, NOWHERE, NULL,
               "not enough memory to start on %s: the limit is %" PRIu64 " bytes of its memory", e->device.title,
               e->options.gpu_memory);
}

static floe_status acquire_gpus(struct exploration *e, const struct stop *stop, struct reason *reason) {
  FLOE_TRY(gpus_acquire(&e->options, stop, e->device.log, &e->device.gpus, reason));
  gpus_title(&e->device.gpus, e->device.title, sizeof e->device.title);
  return FLOE_OK;
}

/* A single GPU with host memory found more states than all GPUs can hold: releases the others. */
static void release_other_gpus(struct exploration *e) {
  if (e->outcome.gpu.host_backed)
    gpus_keep(&e->device.gpus, 1);
}

static floe_status run_on_gpu(struct exploration *e, const struct stop *stop) {
  struct reason reason;
  double start = clock_seconds();
  begin_activity(e, "starting the GPU");
  floe_status status = acquire_gpus(e, stop, &reason);
  e->start_seconds = clock_seconds() - start;
  if (status != FLOE_OK) {
    diag_error(e->device.log, NULL, NOWHERE, "--engine=cpu explores on all cores", "%s", reason.text);
    return status;
  }
  struct engine_task task = exploration_main_task(e);
  begin_activity(e, "compiling kernels for the GPU");
  task.limits.waiting = report_activity;
  task.limits.user = e;
  const struct engine *engine = engine_for(task.devices.count);
  e->engine = engine->name;
  status = mpi_leader_run(e, engine, &task, e->device.log, &e->outcome);
  if (status == FLOE_OK)
    release_other_gpus(e);
  log_gpu_memory(e, status);
  return status;
}

/* After an interrupt before the exploration began, the run on the CPU ends at once with the same interrupt. */
static floe_status run_on_gpu_only(struct exploration *e) {
  if (!gpu_scheme_explores(e->options.table)) {
    diag_error(e->log, NULL, NOWHERE, "--engine=cpu explores on all cores",
               "a '%s' table cannot hold the visited set on a GPU", e->options.table);
    return FLOE_ERROR_USAGE;
  }
  FLOE_TRY(create_stepper(e));
  floe_status status = run_on_gpu(e, &e->code.stop);
  if (status == FLOE_ERROR_UNSUPPORTED && stop_requested(&e->code.stop)) {
    release_gpus(e);
    return run_on_cpu_only(e);
  }
  flush_gpu_log(e, false);
  return status;
}

/* ---- on CPU, then GPU ------------------------------------------------------------------------ */

/* The exploration may restart on a GPU. */
static bool may_use_gpu(const struct exploration *e) {
  return e->options.engine == FLOE_ENGINE_AUTO && !e->visited_order.file && !e->options.permutation &&
         gpu_scheme_explores(e->options.table) && gpu_driver_may_exist();
}

/* The CPU's outcome is final, unless the GPU cancelled the run, or memory ran out: the GPU has its own memory. */
static bool cpu_is_final(const struct exploration *e, floe_status status) {
  if (status != FLOE_OK)
    return status != FLOE_ERROR_MEMORY;
  return !e->outcome.cancelled && e->outcome.end != FLOE_END_MEMORY;
}

/* Logs why the GPU did not explore, and what happened instead. */
static void log_gpu_failure(struct exploration *e, const struct gpu_warmup *warmup, floe_status status,
                            const char *instead) {
  if (warmup->stopped)
    return;
  if (!warmup->gpus.count) {
    diag_note(e->log, NULL, NOWHERE, NULL, "explored on the CPU: %s", warmup->reason.text);
    return;
  }
  log_gpu_memory(e, status);
  flush_gpu_log(e, true);
  diag_warning(e->log, NULL, NOWHERE, NULL, "the GPU failed: %s", instead);
}

/* Takes over the GPUs that the warm-up opened, on failure, too: the first becomes current in this thread. */
static void take_gpus(struct exploration *e, struct gpu_warmup *warmup) {
  if (!warmup->gpus.count)
    return;
  floe_status status = gpu_use(warmup->gpus.gpu[0]);
  if (warmup->status == FLOE_OK)
    warmup->status = status;
  e->device.gpus = warmup->gpus;
  e->options.gpu_memory = warmup->options.gpu_memory;
  gpus_title(&e->device.gpus, e->device.title, sizeof e->device.title);
}

/* The CPU finished first. */
static void cancel_warmup(struct exploration *e, struct gpu_warmup *warmup) {
  gpu_warmup_cancel(warmup);
  take_gpus(e, warmup);
  if (warmup->status != FLOE_OK)
    log_gpu_failure(e, warmup, warmup->status, "explored on the CPU");
  gpu_warmup_discard(warmup);
  release_gpus(e);
}

/* The GPU failed: the CPU restarts, unless it had reached an end of its own. */
static floe_status fall_back_to_cpu(struct exploration *e, struct engine_outcome *before) {
  release_gpus(e);
  if (!before->level_states || before->cancelled)
    return run_on_cpu_only(e);
  e->outcome = *before;
  *before = (struct engine_outcome){0};
  return FLOE_OK;
}

static floe_status explore_prepared(struct exploration *e, struct gpu_warmup *warmup) {
  FLOE_TRY(warmup->status);
  floe_status status = warmup->engine->explore(warmup->search, &e->outcome);
  take_gpus(e, warmup); /* the search may have opened more */
  return status;
}

static floe_status restart_on_gpu(struct exploration *e, struct gpu_warmup *warmup) {
  struct engine_outcome before = e->outcome;
  e->outcome = (struct engine_outcome){0};
  e->device.cpu_seconds = clock_seconds() - e->started;
  e->start_seconds += e->device.cpu_seconds;
  gpu_warmup_join(warmup);
  take_gpus(e, warmup);
  floe_status status = explore_prepared(e, warmup);
  gpu_warmup_discard(warmup);
  if (status == FLOE_OK) {
    e->engine = warmup->engine->name;
    release_other_gpus(e);
    flush_gpu_log(e, true);
  } else {
    log_gpu_failure(e, warmup, status, before.cancelled ? "explored again on the CPU" : "explored on the CPU");
    status = fall_back_to_cpu(e, &before);
  }
  engine_outcome_free(&before);
  return status;
}

static floe_status run_on_cpu_then_gpu(struct exploration *e) {
  struct engine_task task = exploration_main_task(e);
  struct gpu_warmup *warmup = gpu_warmup_start(&task, engine_select_gpu_delay, e->device.log);
  if (!warmup)
    return run_on_cpu_only(e);
  floe_status status = run_on_cpu(e, &warmup->ready);
  if (cpu_is_final(e, status))
    cancel_warmup(e, warmup);
  else
    status = restart_on_gpu(e, warmup);
  gpu_warmup_free(warmup);
  return status;
}

/* A large checkpoint is read once: by the GPU, and by the CPU if that fails. */
static floe_status resume_on_gpu_first(struct exploration *e) {
  floe_status status = run_on_gpu(e, &e->code.stop);
  if (status == FLOE_OK || status == FLOE_ERROR_IO) {
    flush_gpu_log(e, status == FLOE_OK);
    return status;
  }
  const bool stopped = stop_requested(&e->code.stop);
  if (!stopped) {
    flush_gpu_log(e, true);
    diag_warning(e->log, NULL, NOWHERE, NULL, "the GPU cannot continue the search: the CPU continues it");
  }
  release_gpus(e);
  return run_on_cpu_only(e);
}

static bool has_large_checkpoint(const struct exploration *e) {
  struct engine_task task = {.snapshot.from = e->checkpoint.from};
  return e->checkpoint.from && snapshot_states(&task) >= MUCH_TO_READ;
}

/* ---- selection ------------------------------------------------------------------------------- */

/* Refuses what a single GPU supports and several do not. */
static floe_status check_devices(const struct exploration *e) {
  const bool wide = (e->checkpoint.policy.path || e->checkpoint.from) && e->layout->key_words > 1;
  if (!device_list_has_several(&e->options) || (!wide && !e->host_backed))
    return FLOE_OK;
  diag_error(e->log, NULL, NOWHERE, "--device=N uses a single GPU", "several devices cannot %s",
             wide ? "checkpoint states of several words" : "use a host-backed visited set");
  return FLOE_ERROR_USAGE;
}

floe_status engine_select_run(struct exploration *e) {
  FLOE_TRY(floe_log_create(&e->device.log));
  FLOE_TRY(check_devices(e));
  if (processes_comm())
    FLOE_TRY(mpi_leader_check(e));
  if (e->options.engine == FLOE_ENGINE_GPU)
    return run_on_gpu_only(e);
  FLOE_TRY(create_stepper(e));
  if (!processes_comm() && may_use_gpu(e))
    return has_large_checkpoint(e) ? resume_on_gpu_first(e) : run_on_cpu_then_gpu(e);
  return run_on_cpu_only(e);
}

floe_status engine_select_run_again(struct exploration *e, const struct engine_task *task, struct engine_outcome *out) {
  if (!e->device.gpus.count || task->options->initial_slots < FEW_SLOTS)
    return mpi_leader_run(e, engine_for(0), task, e->log, out);
  /* Keeps the size of the table: another may have slots of another width, which need other kernels. */
  floe_options options = *task->options;
  struct engine_task on_gpu = *task;
  options.initial_slots = e->options.initial_slots;
  on_gpu.options = &options;
  floe_status status = mpi_leader_run(e, engine_for(on_gpu.devices.count), &on_gpu, e->device.log, out);
  if (status == FLOE_ERROR_UNSUPPORTED && stop_requested(&e->code.stop))
    return mpi_leader_run(e, engine_for(0), task, e->log, out); /* it ends at once with the interrupt */
  flush_gpu_log(e, false);
  return status;
}

double engine_select_compile_seconds(struct exploration *e) {
  if (has_tiered_stepper(&e->options))
    e->code.compile_seconds = tiered_stepper_seconds(e->code.stepper);
  return e->code.compile_seconds + e->outcome.gpu.build_seconds;
}

void engine_select_end(struct exploration *e) {
  free_stepper(e);
  release_gpus(e);
  floe_log_free(e->device.log);
  e->device.log = NULL;
}
