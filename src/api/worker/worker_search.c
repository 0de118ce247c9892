#include "api/worker/worker_search.h"

#include "api/attempts/group_explore.h"
#include "api/explore/key_encoding.h"
#include "api/explore/make_stepper.h"
#include "api/explore/settings.h"
#include "api/includes.h"
#include "api/processes.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/threads/interruptible.h"

#include <stdlib.h>
#include <string.h>

void worker_clear(struct worker *worker) {
  gpus_release(&worker->gpus);
  archive_free(worker->archive);
  pool_free(worker->pool);
  if (worker->stepper)
    worker->stepper->free(worker->stepper);
  floe_model_free(worker->model);
  mem_free(worker->initial);
  floe_log_free(worker->log);
  arena_free(&worker->arena);
  *worker = (struct worker){.given = worker->given, .traces = worker->traces};
}

/* ---- reading the command ------------------------------------------------------------------------- */

static const char *next_text(const char **at) {
  const char *text = *at;
  *at += strlen(text) + 1;
  return text;
}

static void read_sources(const struct search_command *command, const char **at, struct source *list) {
  for (uint32_t i = 0; i < command->files; i++) {
    const char *name = next_text(at);
    const size_t length = strtoul(next_text(at), NULL, 10);
    list[i] = (struct source){.name = name, .text = *at, .length = length};
    if (i > 0)
      list[i - 1].next = &list[i];
    *at += length;
  }
}

static floe_status read_model(struct worker *worker, const struct search_command *command, const char *at) {
  struct source files[MOST_INCLUDES + 1];
  read_sources(command, &at, files);
  FLOE_TRY(model_parse_given(files, worker->log, &worker->model));
  for (uint32_t i = 0; i < command->constant_count; i++) {
    const char *constant = next_text(&at);
    FLOE_TRY(floe_model_define(worker->model, constant, next_text(&at), worker->log));
  }
  FLOE_TRY(floe_model_check(worker->model, worker->log));
  worker->layout = worker->model->layout;
  return command->index_keys ? index_key_layout(worker->model, &worker->layout) : FLOE_OK;
}

/* This process's own options, without those that the command decides. */
static floe_options own_options(const struct worker *worker, const struct search_command *command, bool on_gpu) {
  floe_options own = *worker->given;
  own.table = own.permutation = NULL;
  own.slot_bits = own.bucket_slots = 0;
  own.initial_slots = 0;
  own.timeout = command->seconds_left;
  own.engine = on_gpu ? FLOE_ENGINE_GPU : command->interpreted ? FLOE_ENGINE_INTERPRETER : FLOE_ENGINE_CPU;
  own.devices = on_gpu ? own.devices : NULL;
  own.progress = NULL;
  own.checkpoint = own.visited_order = NULL;
  return own;
}

static floe_status read_options(struct worker *worker, const struct search_command *command, const char *table,
                                const char *permutation) {
  floe_options *options = &worker->options;
  const bool on_gpu = worker->given->engine == FLOE_ENGINE_GPU && !command->on_cpus;
  if (on_gpu && (command->checkpointed || command->resumed_states) && worker->layout->key_words > 1) {
    diag_error(worker->log, NULL, NOWHERE, NULL, "processes with GPUs cannot checkpoint states of several words");
    return FLOE_ERROR_USAGE;
  }
  const floe_options own = own_options(worker, command, on_gpu);
  FLOE_TRY(settings_resolve(&own, &worker->arena, worker->log, options));
  options->table = arena_copy(&worker->arena, table, strlen(table)); /* process 0 has checked these values */
  options->permutation = *permutation ? arena_copy(&worker->arena, permutation, strlen(permutation)) : NULL;
  options->slot_bits = command->slot_bits;
  options->bucket_slots = command->bucket_slots;
  options->initial_slots = command->initial_slots;
  options->expected_states = command->expected_states;
  options->max_depth = command->max_depth;
  options->max_states = command->max_states;
  options->keep_going = command->keep_going;
  return FLOE_OK;
}

/* ---- making the task ----------------------------------------------------------------------------- */

static floe_status acquire_devices(struct worker *worker, struct engine_task *task) {
  struct reason reason;
  if (worker->options.engine != FLOE_ENGINE_GPU)
    return FLOE_OK;
  floe_status status = gpus_acquire(&worker->options, &worker->stop, worker->log, &worker->gpus, &reason);
  if (status != FLOE_OK)
    diag_error(worker->log, NULL, NOWHERE, NULL, "%s", reason.text);
  task->devices.gpus = worker->gpus.gpu;
  task->devices.count = worker->gpus.count;
  return status;
}

static floe_status create_archive(struct worker *worker) {
  const uint64_t share = worker->options.memory / ARCHIVE_SHARE;
  FLOE_TRY(archive_create(worker->layout->key_words, share, worker->log, &worker->archive));
  worker->options.memory -= share;
  return FLOE_OK;
}

static floe_status create_task(struct worker *worker, const struct search_command *command, struct engine_task *task) {
  const char *at = (const char *)(command + 1), *table = next_text(&at);
  const char *permutation = next_text(&at);
  FLOE_TRY(read_model(worker, command, at));
  FLOE_TRY(read_options(worker, command, table, permutation));
  if (command->archived)
    FLOE_TRY(create_archive(worker));
  worker->initial = mem_array(worker->layout->key_words, sizeof *worker->initial);
  if (!worker->initial)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(key_of_initial(worker->model->model, worker->layout, worker->initial));
  *task = (struct engine_task){.model = worker->model->model,
                               .layout = worker->layout,
                               .initial = worker->initial,
                               .options = &worker->options,
                               .property_mask = command->properties,
                               .limits.interrupt = command->archived ? traces_interrupt_flag() : interruptible_flag(),
                               .limits.started = clock_seconds(),
                               .archive = worker->archive,
                               .group.comm = processes_comm(),
                               .group.saves = command->checkpointed,
                               .group.records = command->recorded,
                               .group.restored_states = command->resumed_states,
                               .any_table = command->any_table};
  worker->stop = engine_stop(task);
  FLOE_TRY(acquire_devices(worker, task));
  FLOE_TRY(make_stepper(&worker->options, task->model, task->layout, &worker->stop, worker->log, &worker->stepper));
  task->stepper = worker->stepper;
  return pool_create(worker->options.threads, &worker->pool);
}

/* ---- the search ---------------------------------------------------------------------------------- */

/* A step that runs in the guard of worker->arena. */
struct guarded_step {
  struct worker *worker;
  const struct search_command *command;
  struct attempts *attempts;
  floe_status status;
};

static void create_task_guarded(void *data) {
  struct guarded_step *step = data;
  step->status = create_task(step->worker, step->command, &step->attempts->task);
}

/* All processes have ended: the interrupt is cleared, so that it does not end later searches. This process's own one
   may arrive later. */
static void end_interrupt(bool traces) {
  const bool here = interrupt_requested();
  interrupt_clear();
  if (!traces && !here)
    interrupt_expect();
}

void worker_set_phase(struct worker *worker, bool traces) {
  if (worker->traces && !traces)
    traces_end();
  if (!worker->traces && traces)
    traces_begin();
  worker->traces = traces;
}

floe_status worker_explore(struct worker *worker, const struct search_command *command) {
  struct engine_outcome outcome = {0};
  worker_clear(worker);
  worker_set_phase(worker, command->archived);
  arena_init(&worker->arena);
  FLOE_TRY(floe_log_create(&worker->log));
  struct attempts attempts = {.log = worker->log, .gpu_log = worker->log};
  struct guarded_step step = {.worker = worker, .command = command, .attempts = &attempts};
  if (arena_guard(&worker->arena, create_task_guarded, &step) != 0)
    step.status = FLOE_ERROR_MEMORY;
  if (group_explore(&attempts, step.status, worker->log, &outcome) == FLOE_OK) {
    if (outcome.end == FLOE_END_INTERRUPT)
      end_interrupt(command->archived);
    engine_outcome_free(&outcome);
  }
  worker_set_phase(worker, true);
  return comm_status(processes_comm());
}
