#include "api/explore/mpi_job.h"

#include "api/explore/group_setup.h"
#include "api/explore/key_encoding.h"
#include "api/trace/unfired.h"
#include "api/processes.h"
#include "checkpoint/identity.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/interruptible.h"
#include "core/usage.h"
#include "engine/trace/level_archive.h"
#include "engine/snapshot/snapshot.h"
#include "engine/trace/witness_path.h"
#include "gpu/multi/first_attempt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what rank 0 tells --------------------------------------------------------------------------- */

/* A COMMAND_EXPLORE_STATES; then the texts: table, permutation ("": as it is best), the model's name and text, and the name of
   each constant that was given, each with its NUL. */
struct order {
  uint32_t task, constants;
  uint32_t interpreted, index_keys, any_table, archived, go_on, max_depth;
  uint32_t slot_bits, bucket_slots;
  uint32_t on_cpus, kept; /* also of ranks that are to explore on GPUs; rank 0 writes checkpoints */
  uint32_t recorded, unused;
  uint64_t resumes; /* states of the checkpoint that it goes on from; 0: none */
  uint64_t wanted, max_states, initial_slots, expected_states, text_length;
  double seconds_left; /* to the timeout; 0: there is none */
};

/* A text that grows, of any bytes. */
struct writing {
  unsigned char *bytes;
  size_t length, room;
  bool failed;
};

static void write_bytes(struct writing *to, const void *bytes, size_t n) {
  if (to->length + n > to->room) {
    const size_t room = 2 * (to->length + n);
    unsigned char *larger = mem_resize(to->bytes, room);
    to->failed = to->failed || !larger;
    if (!larger)
      return;
    to->bytes = larger;
    to->room = room;
  }
  memcpy(to->bytes + to->length, bytes, n);
  to->length += n;
}

static void write_text(struct writing *to, const char *text) { write_bytes(to, text, strlen(text) + 1); }

static void write_constants(struct writing *to, const floe_model *model) {
  char value[32];
  for (size_t i = 0; i < floe_model_constants(model); i++) {
    const floe_constant constant = floe_model_constant(model, i);
    if (!constant.given)
      continue;
    snprintf(value, sizeof value, "%" PRId64, constant.value);
    write_text(to, constant.name);
    write_text(to, value);
  }
}

static uint32_t count_given(const floe_model *model) {
  uint32_t n = 0;
  for (size_t i = 0; i < floe_model_constants(model); i++)
    n += floe_model_constant(model, i).given;
  return n;
}

static struct order order_of(const struct exploration *e, const struct engine *engine, const struct engine_task *task) {
  const floe_options *options = task->options;
  const double left = task->started + options->timeout - clock_seconds();
  return (struct order){.task = COMMAND_EXPLORE_STATES,
                        .constants = count_given(e->owner),
                        .interpreted = options->engine == FLOE_ENGINE_INTERPRETER,
                        .index_keys = e->layout->encoding != NULL,
                        .on_cpus = engine == engine_for(0) && options->engine == FLOE_ENGINE_GPU,
                        .any_table = task->any_table,
                        .archived = task->archive != NULL,
                        .kept = task->kept,
                        .recorded = task->recorded,
                        .resumes = task->resumes,
                        .go_on = options->go_on,
                        .max_depth = options->max_depth,
                        .slot_bits = options->slot_bits,
                        .bucket_slots = options->bucket_slots,
                        .wanted = task->wanted,
                        .max_states = options->max_states,
                        .initial_slots = options->initial_slots,
                        .expected_states = options->expected_states,
                        .text_length = e->owner->source.length,
                        .seconds_left = options->timeout > 0 ? (left > 0.001 ? left : 0.001) : 0};
}

static floe_status tell(const struct exploration *e, const struct engine *engine, const struct engine_task *task) {
  struct comm *comm = processes_comm();
  const struct order order = order_of(e, engine, task);
  struct writing to = {NULL, 0, 0, false};
  write_bytes(&to, &order, sizeof order);
  write_text(&to, task->options->table);
  write_text(&to, task->options->permutation ? task->options->permutation : "");
  write_text(&to, floe_model_file(e->owner));
  write_bytes(&to, e->owner->source.text, e->owner->source.length);
  write_constants(&to, e->owner);
  if (!to.failed) {
    comm_next_epoch(comm);
    comm_send_all(comm, MSG_COMMAND, 0, to.bytes, to.length);
  }
  mem_free(to.bytes);
  return to.failed ? FLOE_ERROR_MEMORY : comm->status;
}

/* ---- rank 0 -------------------------------------------------------------------------------------- */

static floe_status refuse(const struct exploration *e, const char *what, const char *hint) {
  diag_error(e->log, NULL, NOWHERE, hint, "several processes %s", what);
  return FLOE_ERROR_USAGE;
}

floe_status ranks_allow(const struct exploration *e) {
  if (e->options.engine == FLOE_ENGINE_GPU && e->two_levels)
    return refuse(e, "have no visited set of two levels", "a hash table, each in its GPU's memory");
  if (e->order && e->options.order_kind == FLOE_ORDER_LOOKUPS)
    return refuse(e, "record no lookups", "the order of states, or no mpirun");
  if (e->options.engine == FLOE_ENGINE_GPU && (e->checkpoint_policy.path || e->from) && e->layout->key_words > 1)
    return refuse(e, "have no checkpoints of states of several words on GPUs", "--engine=cpu has them");
  return FLOE_OK;
}

/* Rank 0's part of what all prepare and explore. */
static floe_status run_together(struct exploration *e, struct engine_task *task, struct group_setup *setup,
                                struct hello *mine, floe_log *log, struct engine_outcome *out) {
  const bool again = task->archive != NULL;
  const struct engine *engine = NULL;
  struct search *search = NULL;
  if (mine->status == FLOE_OK) {
    engine = group_setup_join(setup, task, mine);
    mine->status = (uint32_t)engine->prepare(task, log, &search);
  }
  floe_status status = group_setup_agree(setup, mine, e->log, again);
  if (status == FLOE_OK)
    status = engine->explore(search, out);
  if (search)
    engine->drop(search);
  return status;
}

/* Then all are in the conversation about it. */
static bool begins_alone(const struct group_setup *setup, const struct engine_task *task) {
  const bool alone = setup->on_devices && task->resumes == 0;
  if (alone)
    comm_next_epoch(task->comm);
  return alone;
}

/* With the others, once they know what to do. */
static floe_status run(struct exploration *e, struct engine_task *task, struct group_setup *setup, floe_log *log,
                       struct engine_outcome *out) {
  struct hello mine = {.status = FLOE_OK, .devices = task->device_count};
  struct first_attempt alone = {.search = NULL};
  floe_status status;
  bool enough = false;
  checkpoint_identity(e->model, e->layout, mine.digest);
  FLOE_TRY(group_setup_gather(setup, task, &mine, e->log, task->archive != NULL));
  if (begins_alone(setup, task))
    enough = alone_lead(&alone, task, setup->size, log, out, &status);
  if (!enough) {
    status = run_together(e, task, setup, &mine, log, out);
    if (status == FLOE_OK)
      alone_add(&alone, out);
  }
  if (status == FLOE_OK && out->end == FLOE_END_INTERRUPT)
    floe_interrupt(); /* whoever was asked to end: what this exploration has yet to do ends as well */
  return status;
}

floe_status ranks_run(struct exploration *e, const struct engine *engine, const struct engine_task *own, floe_log *log,
                      struct engine_outcome *out) {
  if (!own->comm)
    return engine_run(engine, own, log, out);
  struct group_setup setup = {.counts = NULL};
  struct engine_task task = *own;
  if (engine == engine_for(0))
    task.device_count = 0;
  task.kept = task.checkpoint_policy != NULL;
  task.recorded = task.recorder != NULL;
  task.resumes = task.from ? snapshot_states(&task) : 0;
  floe_status status = tell(e, engine, &task);
  if (status == FLOE_OK)
    status = run(e, &task, &setup, log, out);
  group_setup_free(&setup);
  return status;
}

/* ---- the others ---------------------------------------------------------------------------------- */

/* What a rank has of a search: made for one, kept for the questions after it. */
struct follower {
  const floe_options *given;
  floe_log *log;
  floe_model *model;
  const struct layout *layout;
  floe_options options;
  struct arena arena;
  struct stepper *stepper;
  struct thread_pool *pool;
  struct archive *archive;
  struct gpus gpus;
  const struct engine *engine; /* of the search */
  struct engine_task task;     /* the search refers to it */
  struct group_setup setup;
  struct stop stop;
  struct search *search;
  uint64_t *initial;
};

static void clear(struct follower *f) {
  if (f->search)
    f->engine->drop(f->search);
  gpus_release(&f->gpus);
  archive_free(f->archive);
  pool_free(f->pool);
  if (f->stepper)
    f->stepper->free(f->stepper);
  floe_model_free(f->model);
  mem_free(f->initial);
  group_setup_free(&f->setup);
  floe_log_free(f->log);
  arena_free(&f->arena);
  *f = (struct follower){.given = f->given};
}

static const char *next_text(const char **at) {
  const char *text = *at;
  *at += strlen(text) + 1;
  return text;
}

static floe_status take_model(struct follower *f, const struct order *order, const char *at) {
  const char *name = next_text(&at);
  FLOE_TRY(floe_model_parse(name, at, order->text_length, f->log, &f->model));
  at += order->text_length;
  for (uint32_t i = 0; i < order->constants; i++) {
    const char *constant = next_text(&at);
    FLOE_TRY(floe_model_define(f->model, constant, next_text(&at), f->log));
  }
  FLOE_TRY(floe_model_check(f->model, f->log));
  f->layout = f->model->layout;
  return order->index_keys ? index_key_alternatives_of(f->model, &f->layout) : FLOE_OK;
}

/* Threads, memory, compiler and cache are this rank's own. */
static floe_status take_options(struct follower *f, const struct order *order, const char *table,
                                const char *permutation) {
  floe_options given = *f->given, *options = &f->options;
  given.table = given.permutation = NULL;
  given.slot_bits = given.bucket_slots = 0;
  given.initial_slots = 0;
  given.timeout = order->seconds_left;
  const bool on_gpu = given.engine == FLOE_ENGINE_GPU && !order->on_cpus;
  if (on_gpu && (order->kept || order->resumes) && f->layout->key_words > 1) {
    diag_error(f->log, NULL, NOWHERE, NULL, "processes with GPUs have no checkpoints of states of several words");
    return FLOE_ERROR_USAGE;
  }
  given.engine = on_gpu ? FLOE_ENGINE_GPU : order->interpreted ? FLOE_ENGINE_INTERPRETER : FLOE_ENGINE_CPU;
  given.devices = on_gpu ? given.devices : NULL;
  given.progress = NULL;
  given.checkpoint = given.visited_order = NULL;
  FLOE_TRY(settings_resolve(&given, &f->arena, f->log, options));
  options->table = arena_copy(&f->arena, table, strlen(table)); /* rank 0 has looked at what follows */
  options->permutation = *permutation ? arena_copy(&f->arena, permutation, strlen(permutation)) : NULL;
  options->slot_bits = order->slot_bits;
  options->bucket_slots = order->bucket_slots;
  options->initial_slots = order->initial_slots;
  options->expected_states = order->expected_states;
  options->max_depth = order->max_depth;
  options->max_states = order->max_states;
  options->go_on = order->go_on;
  return FLOE_OK;
}

/* On a GPU the stepper tells what is wrong in violating states, and the interpreter is good enough. */
static floe_status make_stepper(struct follower *f, const struct order *order, const struct stop *stop) {
  const struct compile_options how = {f->options.compiler, f->options.cache_dir, stop};
  if (!order->interpreted && f->options.engine != FLOE_ENGINE_GPU) {
    floe_status status = compiled_create(f->model->model, f->layout, &how, f->log, &f->stepper);
    if (status != FLOE_ERROR_UNSUPPORTED)
      return status;
  }
  return interpreter_create(f->model->model, f->layout, &f->stepper);
}

static floe_status take_device(struct follower *f) {
  struct reason reason;
  f->engine = engine_for(0);
  if (f->options.engine != FLOE_ENGINE_GPU)
    return FLOE_OK;
  floe_status status = gpus_acquire(&f->options, &f->stop, f->log, &f->gpus, &reason);
  if (status != FLOE_OK) {
    diag_error(f->log, NULL, NOWHERE, NULL, "%s", reason.text);
    return status;
  }
  f->engine = engine_for(f->gpus.count);
  f->task.devices = f->gpus.gpu;
  f->task.device_count = f->gpus.count;
  return FLOE_OK;
}

/* What is guarded: all up to what the others are to know, and what comes after it. */
struct preparing {
  struct follower *f;
  const struct order *order;
  struct hello *mine;
  floe_status status;
};

static floe_status take_order(struct follower *f, const struct order *order) {
  const char *at = (const char *)(order + 1), *table = next_text(&at);
  const char *permutation = next_text(&at);
  FLOE_TRY(take_model(f, order, at));
  FLOE_TRY(take_options(f, order, table, permutation));
  if (order->archived) {
    const uint64_t share = f->options.memory / ARCHIVE_SHARE;
    FLOE_TRY(archive_create(f->layout->key_words, share, f->log, &f->archive));
    f->options.memory -= share;
  }
  f->task = (struct engine_task){.model = f->model->model,
                                 .layout = f->layout,
                                 .options = &f->options,
                                 .wanted = order->wanted,
                                 .interrupt = interruptible_flag(),
                                 .started = clock_seconds(),
                                 .archive = f->archive,
                                 .comm = processes_comm(),
                                 .kept = order->kept,
                                 .recorded = order->recorded,
                                 .resumes = order->resumes,
                                 .any_table = order->any_table};
  f->stop = engine_stop(&f->task);
  FLOE_TRY(take_device(f));
  FLOE_TRY(make_stepper(f, order, &f->stop));
  FLOE_TRY(pool_create(f->options.threads, &f->pool));
  f->initial = mem_array(f->layout->key_words, sizeof *f->initial);
  if (!f->initial)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(key_of_initial(f->model->model, f->layout, f->initial));
  f->task.initial = f->initial;
  f->task.stepper = f->stepper;
  return FLOE_OK;
}

static void take_order_guarded(void *data) {
  struct preparing *preparing = data;
  preparing->status = take_order(preparing->f, preparing->order);
}

static floe_status prepare(struct follower *f, const struct hello *mine) {
  f->engine = group_setup_join(&f->setup, &f->task, mine);
  return f->engine->prepare(&f->task, f->log, &f->search);
}

static void prepare_guarded(void *data) {
  struct preparing *preparing = data;
  preparing->status = prepare(preparing->f, preparing->mine);
}

/* Where an arena has no memory the status says so. What is wrong is said with it. */
static void guard(struct preparing *preparing, void (*what)(void *data)) {
  const struct follower *f = preparing->f;
  struct hello *mine = preparing->mine;
  if (arena_guard(&preparing->f->arena, what, preparing) != 0)
    preparing->status = FLOE_ERROR_MEMORY;
  mine->status = (uint32_t)preparing->status;
  for (size_t i = 0; mine->status != FLOE_OK && i < floe_log_count(f->log) && !*mine->text; i++)
    if (floe_log_at(f->log, i)->severity == FLOE_ERROR)
      snprintf(mine->text, sizeof mine->text, "%s", floe_log_at(f->log, i)->message);
}

/* Errors of the search all ranks come to alike; what ends this process is that the group is of no use any more. */
static floe_status explore_together(struct follower *f, const struct order *order, const struct hello *mine) {
  struct engine_outcome outcome = {0};
  if (group_setup_agree(&f->setup, mine, f->log, order->archived) != FLOE_OK)
    return processes_comm()->status;
  if (f->engine->explore(f->search, &outcome) != FLOE_OK)
    return processes_comm()->status;
  if (outcome.end == FLOE_END_INTERRUPT)
    interrupt_clear();
  engine_outcome_free(&outcome);
  return processes_comm()->status;
}

/* What others do meanwhile: kernels are compiled, so rank 0 finds them in the cache where that is one for both. */
static bool rank_0_is_enough(struct follower *f) {
  bool interrupted;
  const bool enough = alone_follow(processes_comm(), &f->stop, &interrupted);
  if (interrupted)
    interrupt_clear();
  return enough;
}

static floe_status explore(struct follower *f, const struct order *order) {
  struct comm *comm = processes_comm();
  struct hello mine = {.status = FLOE_OK};
  struct preparing preparing = {.f = f, .order = order, .mine = &mine};
  clear(f);
  arena_init(&f->arena);
  FLOE_TRY(floe_log_create(&f->log));
  guard(&preparing, take_order_guarded);
  if (mine.status == FLOE_OK)
    checkpoint_identity(f->model->model, f->layout, mine.digest);
  mine.devices = f->task.device_count;
  if (group_setup_gather(&f->setup, &f->task, &mine, f->log, order->archived) != FLOE_OK)
    return comm->status;
  const bool alone = begins_alone(&f->setup, &f->task);
  if (mine.status == FLOE_OK)
    guard(&preparing, prepare_guarded);
  if (alone && rank_0_is_enough(f))
    return comm_status(comm);
  return explore_together(f, order, &mine);
}

static floe_status answer_never(struct follower *f, const struct packet *packet, size_t bytes, bool *interrupted) {
  const struct unfired_look look = {.model = f->model->model,
                                  .layout = f->layout,
                                  .archive = f->archive,
                                  .threads = f->options.threads,
                                  .stop = f->stop,
                                  .comm = processes_comm()};
  return unfired_answer(&look, packet->content, bytes, interrupted);
}

static floe_status answer(struct follower *f, uint32_t task, const struct packet *packet, size_t bytes) {
  const struct path_search search = {.archive = f->archive,
                                     .stepper = f->stepper,
                                     .pool = f->pool,
                                     .transition_count = f->model->model->transition_count,
                                     .interrupt = interruptible_flag(),
                                     .comm = processes_comm()};
  bool interrupted = false;
  const floe_status status = task == COMMAND_COUNT_UNFIRED ? answer_never(f, packet, bytes, &interrupted)
                                                : path_answer(&search, packet->content, bytes, &interrupted);
  if (interrupted)
    interrupt_clear();
  return status;
}

/* A wish to end that comes here ends the search that all are in, or the next one, and is used up when all know of it:
   it is not to end those that come after. */
floe_status floe_mpi_worker(const floe_options *options, int *code) {
  struct comm *comm = processes_comm();
  struct follower follower = {.given = NULL};
  floe_options defaults;
  floe_status status = FLOE_OK;
  WANT(NULL, code);
  if (!comm || comm->group->rank == 0)
    return FLOE_ERROR_USAGE;
  floe_options_init(&defaults);
  if (options)
    memcpy(&defaults, options, options->struct_size < sizeof defaults ? options->struct_size : sizeof defaults);
  follower.given = &defaults;
  *code = 0;
  for (bool leaving = false; status == FLOE_OK && !leaving;) {
    comm_next_epoch(comm);
    struct message *message = comm_receive(comm, MSG_COMMAND, NULL);
    if (!message) {
      status = comm->status;
      break;
    }
    const struct packet *packet = packet_of(message);
    uint32_t task = COMMAND_LEAVE;
    if (packet_bytes(message) >= sizeof task)
      memcpy(&task, packet->content, sizeof task);
    leaving = task == COMMAND_LEAVE;
    if (leaving)
      *code = (int)packet->number;
    else
      status = task == COMMAND_EXPLORE_STATES ? explore(&follower, (const struct order *)packet->content)
                                    : answer(&follower, task, packet, packet_bytes(message));
    message_free(message);
  }
  interrupt_clear(); /* nothing more runs here */
  clear(&follower);
  if (status != FLOE_OK) /* the others would wait for this one */
    comm->group->kind->abort(comm->group, PROCESSES_LOST);
  processes_leave(status != FLOE_OK);
  return status;
}
