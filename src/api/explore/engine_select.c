#include "api/explore/engine_select.h"

#include "api/attempts/attempts.h"
#include "api/device/device_list.h"
#include "api/device/gpu_select.h"
#include "api/explore/make_stepper.h"
#include "api/explore/mpi_leader.h"
#include "api/processes.h"
#include "core/diag.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/jit/gpu_api.h"
#include "gpu/jit/scheme.h"
#include "step/compile/tiered_stepper.h"
#include "tables/table.h"

#include <inttypes.h>
#include <string.h>

/* Starting a GPU's driver alone takes 0.24 s. */
double engine_select_gpu_delay = 0.05;
/* Expansions from which compiling pays: the interpreter does up to a million per second. */
#define MUCH_WORK 200000
/* A second pass with a smaller table finishes on the CPU before the GPU's memory is ready. */
#define FEW_SLOTS 40000
/* With less memory the CPU may not start: a table of so many slots, and 16 KiB for each of 128 threads, take less. */
#define ENOUGH_MEMORY ((uint64_t)4 << 20)
/* Reading a checkpoint with more states takes the CPU longer than starting the GPU. */
#define MUCH_TO_READ 10000000

/* ---- reports of what precedes the search -------------------------------------------------------- */

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

/* ---- the stepper ----------------------------------------------------------------------------- */

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

/* Not by compiled code or a table of arcs, now. */
static bool is_interpreted(struct exploration *e) {
  if (has_tiered_stepper(&e->options))
    (void)tiered_stepper_is_compiled(e->code.stepper); /* updates the name */
  return strcmp(e->code.stepper->name, "interpreter") == 0;
}

void engine_select_expect_work(struct exploration *e, uint64_t states) {
  if (has_tiered_stepper(&e->options) && states >= MUCH_WORK)
    tiered_compile_now(e->code.stepper);
}

double engine_select_compile_seconds(struct exploration *e) {
  if (has_tiered_stepper(&e->options))
    e->code.compile_seconds = tiered_stepper_seconds(e->code.stepper);
  return e->code.compile_seconds + e->outcome.gpu.build_seconds;
}

/* ---- GPUs ------------------------------------------------------------------------------------ */

static unsigned open_others(void *user) {
  struct exploration *e = user;
  struct stop stop = e->code.stop;
  stop.waiting = NULL;
  return gpu_select_add_others(&e->device.gpus, &e->options, &stop, e->device.log);
}

static floe_status open_gpus(void *user, struct attempts *attempts, const struct stop *stop) {
  struct exploration *e = user;
  struct gpus *gpus = &e->device.gpus;
  FLOE_TRY(gpu_select(&e->options, &attempts->task, stop, e->device.log, gpus, &e->device.reason));
  attempts->task.devices.gpus = gpus->gpu;
  attempts->task.devices.count = gpus->count;
  if (gpus->max_count > gpus->count)
    attempts->others = (struct attempts_others){gpus->others_from, open_others, e};
  return FLOE_OK;
}

/* FLOE_OK also without GPUs, if the CPU explores instead: after an interrupt it ends at once with the same interrupt.
 */
static floe_status open_gpus_first(struct exploration *e, struct attempts *attempts) {
  const double start = clock_seconds();
  begin_activity(e, "starting the GPU");
  const floe_status status = open_gpus(e, attempts, &e->code.stop);
  e->start_seconds = clock_seconds() - start;
  attempts->gpu_status = status;
  if (status == FLOE_OK) {
    begin_activity(e, "compiling kernels for the GPU");
    attempts->task.limits.waiting = report_activity;
    attempts->task.limits.user = e;
    return FLOE_OK;
  }
  attempts->gpu_stopped = stop_requested(&e->code.stop);
  diag_error(e->device.log, NULL, NOWHERE, "--engine=cpu explores on all cores", "%s", e->device.reason.text);
  if (attempts->cpu_helps || attempts->gpu_stopped)
    return FLOE_OK;
  attempts->engine = &engine_gpu;
  return status;
}

/* The exploration may restart on a GPU. */
static bool may_use_gpu(const struct exploration *e) {
  return e->options.engine == FLOE_ENGINE_AUTO && !e->without_gpus && !processes_comm() && !e->visited_order.file &&
         !e->options.permutation && gpu_scheme_explores(e->options.table) && gpu_driver_may_exist();
}

static bool has_large_checkpoint(const struct exploration *e) {
  struct engine_task task = {.snapshot.from = e->checkpoint.from};
  return e->checkpoint.from && snapshot_states(&task) >= MUCH_TO_READ;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The outcome, or the error, is that of the CPU. */
static bool is_on_cpu(const struct attempts *attempts) {
  return attempts->engine ? attempts->engine == &engine_cpu : attempts->task.devices.count == 0;
}

/* Passes on the messages about GPUs; as warnings if their errors do not end the run. */
static void flush_gpu_log(struct exploration *e, bool errors_as_warnings) {
  (errors_as_warnings ? diag_pass_on_as_warnings : diag_pass_on)(e->device.log, e->log);
  floe_log_clear(e->device.log);
}

/* Why GPUs did not explore, and what happened instead. */
static void log_failure(struct exploration *e, const struct attempts *attempts, floe_status error) {
  const bool on_cpu = is_on_cpu(attempts);
  if (attempts->startup.open && !e->device.gpus.count) {
    diag_note(e->log, NULL, NOWHERE, NULL, "explored on the CPU: %s", e->device.reason.text);
    return;
  }
  if (error == FLOE_ERROR_MEMORY)
    diag_error(e->device.log, NULL, NOWHERE, NULL,
               "not enough memory to start on %s: the limit is %" PRIu64 " bytes of its memory", e->device.title,
               e->options.gpu_memory);
  flush_gpu_log(e, on_cpu);
  if (on_cpu && attempts->startup.open)
    diag_warning(e->log, NULL, NOWHERE, NULL, "the GPU failed: explored %son the CPU",
                 attempts->cpu_replaced ? "again " : "");
  else if (on_cpu)
    diag_warning(e->log, NULL, NOWHERE, NULL, "the GPU cannot continue the search: the CPU continues it");
}

static void log_gpus(struct exploration *e, const struct attempts *attempts, floe_status status) {
  const bool on_cpu = is_on_cpu(attempts);
  const floe_status error = on_cpu ? attempts->gpu_status : status;
  if (error != FLOE_OK && !attempts->gpu_stopped)
    log_failure(e, attempts, error);
  else if (!on_cpu)
    flush_gpu_log(e, e->options.engine == FLOE_ENGINE_AUTO);
  floe_log_clear(e->device.log);
  if (on_cpu && status == FLOE_ERROR_MEMORY)
    diag_error(e->log, NULL, NOWHERE, NULL, "not enough memory to start: the limit is %" PRIu64 " bytes",
               e->options.memory);
}

/* ---- selection ------------------------------------------------------------------------------- */

static floe_status check_scheme(const struct exploration *e) {
  if (e->options.engine != FLOE_ENGINE_GPU || gpu_scheme_explores(e->options.table))
    return FLOE_OK;
  diag_error(e->log, NULL, NOWHERE, "--engine=cpu explores on all cores",
             "a '%s' table cannot hold the visited set on a GPU", e->options.table);
  return FLOE_ERROR_USAGE;
}

floe_status engine_select_for_passes(struct exploration *e) {
  const uint32_t first = (uint32_t)__builtin_ctzll(e->passes_mask);
  const char *const id = e->model->properties[first].id;
  e->without_gpus = true;
  if (processes_comm() || e->options.engine == FLOE_ENGINE_GPU) {
    diag_error(e->log, NULL, NOWHERE, "--engine=cpu, or select the other properties with --property",
               "%s cannot decide property '%s' of kind 'recoverable'", processes_comm() ? "an MPI job" : "GPUs", id);
    return FLOE_ERROR_UNSUPPORTED;
  }
  if (e->host_backed || table_traits(e->options.table)->stable)
    return FLOE_OK;
  diag_error(e->log, NULL, NOWHERE, "--table=iceberg, or select the other properties with --property",
             "property '%s' of kind 'recoverable' cannot be decided with a '%s' table", id, e->options.table);
  return FLOE_ERROR_USAGE;
}

/* Refuses what a single GPU supports and several do not. */
static floe_status check_devices(const struct exploration *e) {
  const bool wide = (e->checkpoint.policy.path || e->checkpoint.from) && e->layout->key_words > 1;
  if (!device_list_has_several(&e->options) || (!wide && !e->host_backed))
    return FLOE_OK;
  diag_error(e->log, NULL, NOWHERE, "--device=N uses a single GPU", "several devices cannot %s",
             wide ? "checkpoint states of several words" : "use a host-backed visited set");
  return FLOE_ERROR_USAGE;
}

static struct attempts attempts_of(const struct exploration *e, const struct engine_task *task) {
  return (struct attempts){.task = *task, .log = e->log, .gpu_log = e->device.log};
}

static floe_status run(struct exploration *e, struct attempts *attempts, struct engine_outcome *out) {
  if (!attempts->task.group.comm)
    return attempts_run(attempts, out);
  const floe_status status = mpi_leader_run(e, attempts, out);
  if (status == FLOE_OK || !attempts->gpu_stopped || attempts->task.devices.count == 0)
    return status;
  attempts->task.devices.count = 0; /* the CPUs end at once with the interrupt */
  attempts->engine = NULL;
  return mpi_leader_run(e, attempts, out);
}

/* After the main run. */
static void conclude(struct exploration *e, const struct attempts *attempts, floe_status status) {
  struct gpus *gpus = &e->device.gpus;
  const bool on_cpu = is_on_cpu(attempts);
  if (gpus->count > 0)
    gpus_title(gpus, e->device.title, sizeof e->device.title);
  log_gpus(e, attempts, status);
  if (on_cpu || status != FLOE_OK)
    gpus_release(gpus);
  else if (e->outcome.gpu.host_backed) /* a single GPU found more than all GPUs can hold */
    gpus_keep(gpus, 1);
  e->engine = on_cpu && is_interpreted(e) ? "interpreter" : on_cpu ? engine_cpu.name : engine_gpu.name;
  e->device.cpu_seconds = attempts->cpu_seconds;
  e->start_seconds += attempts->cpu_seconds;
}

floe_status engine_select_run(struct exploration *e) {
  FLOE_TRY(floe_log_create(&e->device.log));
  FLOE_TRY(check_devices(e));
  FLOE_TRY(processes_comm() ? mpi_leader_check(e) : FLOE_OK);
  FLOE_TRY(check_scheme(e));
  FLOE_TRY(create_stepper(e));
  const struct engine_task task = exploration_main_task(e);
  struct attempts attempts = attempts_of(e, &task);
  const bool may_use = may_use_gpu(e);
  floe_status status = FLOE_OK;
  attempts.cpu_helps = may_use;
  if (e->options.engine == FLOE_ENGINE_GPU || (may_use && has_large_checkpoint(e)))
    status = open_gpus_first(e, &attempts); /* a large checkpoint is read once */
  else if (may_use)
    attempts.startup = (struct attempts_startup){engine_select_gpu_delay, open_gpus, e};
  if (status == FLOE_OK)
    status = run(e, &attempts, &e->outcome);
  conclude(e, &attempts, status);
  return status;
}

bool engine_select_repeats_on_cpu(const floe_options *options) {
  return options->initial_slots < FEW_SLOTS && options->memory >= ENOUGH_MEMORY;
}

floe_status engine_select_run_again(struct exploration *e, const struct engine_task *task, struct engine_outcome *out) {
  struct attempts attempts = attempts_of(e, task);
  /* Keeps the size of the table: another may have slots of another width, which need other kernels. */
  floe_options options = *task->options;
  options.initial_slots = e->options.initial_slots;
  if (engine_select_repeats_on_cpu(task->options))
    attempts.task.devices.count = 0;
  else if (task->devices.count > 0)
    attempts.task.options = &options;
  const floe_status status = run(e, &attempts, out);
  if (!is_on_cpu(&attempts))
    flush_gpu_log(e, false);
  floe_log_clear(e->device.log);
  return status;
}

void engine_select_end(struct exploration *e) {
  if (e->code.stepper)
    e->code.stepper->free(e->code.stepper);
  gpus_release(&e->device.gpus);
  floe_log_free(e->device.log);
}
