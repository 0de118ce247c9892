#include "api/worker/worker_search.h"

#include "api/explore/key_encoding.h"
#include "api/explore/make_stepper.h"
#include "api/explore/settings.h"
#include "api/processes.h"
#include "checkpoint/identity.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "gpu/multi/first_attempt.h"

#include <stdio.h>
#include <string.h>

void worker_clear(struct worker *worker) {
  if (worker->search)
    worker->engine->drop(worker->search);
  gpus_release(&worker->gpus);
  archive_free(worker->archive);
  pool_free(worker->pool);
  if (worker->stepper)
    worker->stepper->free(worker->stepper);
  floe_model_free(worker->model);
  mem_free(worker->initial);
  group_setup_free(&worker->setup);
  floe_log_free(worker->log);
  arena_free(&worker->arena);
  *worker = (struct worker){.given = worker->given};
}

/* ---- reading the command ------------------------------------------------------------------------- */

static const char *next_text(const char **at) {
  const char *text = *at;
  *at += strlen(text) + 1;
  return text;
}

static floe_status read_model(struct worker *worker, const struct search_command *command, const char *at) {
  const char *name = next_text(&at);
  FLOE_TRY(floe_model_parse(name, at, command->text_length, worker->log, &worker->model));
  at += command->text_length;
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

static floe_status acquire_devices(struct worker *worker) {
  struct reason reason;
  worker->engine = engine_for(0);
  if (worker->options.engine != FLOE_ENGINE_GPU)
    return FLOE_OK;
  floe_status status = gpus_acquire(&worker->options, &worker->stop, worker->log, &worker->gpus, &reason);
  if (status != FLOE_OK) {
    diag_error(worker->log, NULL, NOWHERE, NULL, "%s", reason.text);
    return status;
  }
  worker->engine = engine_for(worker->gpus.count);
  worker->task.devices.gpus = worker->gpus.gpu;
  worker->task.devices.count = worker->gpus.count;
  return FLOE_OK;
}

static floe_status create_archive(struct worker *worker) {
  const uint64_t share = worker->options.memory / ARCHIVE_SHARE;
  FLOE_TRY(archive_create(worker->layout->key_words, share, worker->log, &worker->archive));
  worker->options.memory -= share;
  return FLOE_OK;
}

static floe_status create_task(struct worker *worker, const struct search_command *command) {
  const char *at = (const char *)(command + 1), *table = next_text(&at);
  const char *permutation = next_text(&at);
  FLOE_TRY(read_model(worker, command, at));
  FLOE_TRY(read_options(worker, command, table, permutation));
  if (command->archived)
    FLOE_TRY(create_archive(worker));
  worker->task = (struct engine_task){.model = worker->model->model,
                                      .layout = worker->layout,
                                      .options = &worker->options,
                                      .property_mask = command->properties,
                                      .limits.interrupt = interruptible_flag(),
                                      .limits.started = clock_seconds(),
                                      .archive = worker->archive,
                                      .group.comm = processes_comm(),
                                      .group.saves = command->checkpointed,
                                      .group.records = command->recorded,
                                      .group.restored_states = command->resumed_states,
                                      .any_table = command->any_table};
  worker->stop = engine_stop(&worker->task);
  FLOE_TRY(acquire_devices(worker));
  FLOE_TRY(make_stepper(&worker->options, worker->model->model, worker->layout, &worker->stop, worker->log,
                        &worker->stepper));
  FLOE_TRY(pool_create(worker->options.threads, &worker->pool));
  worker->initial = mem_array(worker->layout->key_words, sizeof *worker->initial);
  if (!worker->initial)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(key_of_initial(worker->model->model, worker->layout, worker->initial));
  worker->task.initial = worker->initial;
  worker->task.stepper = worker->stepper;
  return FLOE_OK;
}

/* ---- the search ---------------------------------------------------------------------------------- */

/* A step that runs in the guard of worker->arena. */
struct guarded_step {
  struct worker *worker;
  const struct search_command *command;
  struct hello *mine;
  floe_status status;
};

static void create_task_guarded(void *data) {
  struct guarded_step *step = data;
  step->status = create_task(step->worker, step->command);
}

static void prepare_guarded(void *data) {
  struct guarded_step *step = data;
  struct worker *worker = step->worker;
  worker->engine = group_setup_join(&worker->setup, &worker->task, step->mine);
  step->status = worker->engine->prepare(&worker->task, worker->log, &worker->search);
}

/* Puts status and first error of the step into its hello. FLOE_ERROR_MEMORY: the arena had no memory. */
static void run_guarded(struct guarded_step *step, void (*body)(void *data)) {
  const floe_log *log = step->worker->log;
  struct hello *mine = step->mine;
  if (arena_guard(&step->worker->arena, body, step) != 0)
    step->status = FLOE_ERROR_MEMORY;
  mine->status = (uint32_t)step->status;
  for (size_t i = 0; mine->status != FLOE_OK && i < floe_log_count(log) && !*mine->text; i++)
    if (floe_log_at(log, i)->severity == FLOE_ERROR)
      snprintf(mine->text, sizeof mine->text, "%s", floe_log_at(log, i)->message);
}

static floe_status explore_collectively(struct worker *worker, const struct search_command *command,
                                        const struct hello *mine) {
  struct engine_outcome outcome = {0};
  if (group_setup_confirm(&worker->setup, mine, worker->log, command->archived) != FLOE_OK)
    return processes_comm()->status;
  if (worker->engine->explore(worker->search, &outcome) != FLOE_OK)
    return processes_comm()->status;
  if (outcome.end == FLOE_END_INTERRUPT)
    interrupt_clear();
  engine_outcome_free(&outcome);
  return processes_comm()->status;
}

/* True: process 0's first attempt was the whole search. */
static bool first_attempt_suffices(struct worker *worker) {
  bool interrupted;
  const bool suffices = first_attempt_follow(processes_comm(), &worker->stop, &interrupted);
  if (interrupted)
    interrupt_clear();
  return suffices;
}

floe_status worker_explore(struct worker *worker, const struct search_command *command) {
  struct comm *comm = processes_comm();
  struct hello mine = {.status = FLOE_OK};
  struct guarded_step step = {.worker = worker, .command = command, .mine = &mine};
  worker_clear(worker);
  arena_init(&worker->arena);
  FLOE_TRY(floe_log_create(&worker->log));
  run_guarded(&step, create_task_guarded);
  if (mine.status == FLOE_OK)
    checkpoint_identity(worker->model->model, worker->layout, mine.digest);
  mine.devices = worker->task.devices.count;
  if (group_setup_gather(&worker->setup, &worker->task, &mine, worker->log, command->archived) != FLOE_OK)
    return comm->status;
  /* Prepared during process 0's first attempt: kernels are compiled, and a cache that both share has them for it. */
  const bool begins_alone = group_setup_begins_alone(&worker->setup, &worker->task);
  if (mine.status == FLOE_OK)
    run_guarded(&step, prepare_guarded);
  if (begins_alone && first_attempt_suffices(worker))
    return comm_status(comm);
  return explore_collectively(worker, command, &mine);
}
