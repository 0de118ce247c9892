#include "api/choice.h"

#include "core/diag.h"
#include "gpu/engine_gpu.h"
#include "gpu/seam.h"
#include "step/cache.h"

#include <inttypes.h>

/* AUTO: a model that the interpreter finishes in this time is not worth a compiler. */
#define QUICK_SECONDS 0.02
#define QUICK_STATES 100000 /* more than it has time for */
/* AUTO: what the CPU has before the GPU is tried: with kernels that are in the cache, and without.
 */
#define CPU_SECONDS 0.3
#define CPU_SECONDS_FIRST 1.5
/* A timeout so soon after that leaves nothing for the GPU to win. */
#define LEAST_GPU_SECONDS 1
/* Expansions from which on a compiler pays: the interpreter does up to a million a second. */
#define MUCH_WORK 200000
/* A second run in so small a table is over on the CPU before the GPU's memory is ready. */
#define FEW_SLOTS 40000

static double passed(const struct exploration *e) { return clock_seconds() - e->started; }

/* ---- the stepper -------------------------------------------------------------------------------
 */

static void drop_stepper(struct exploration *e) {
  if (e->stepper)
    e->stepper->free(e->stepper);
  e->stepper = NULL;
}

static floe_status make_compiled(struct exploration *e) {
  struct engine_task task = exploration_task(e);
  const struct compile_options how = {e->options.compiler, e->options.cache_dir, task.interrupt};
  double start = clock_seconds();
  floe_status status = compiled_create(e->model, e->layout, &how, e->log, &e->stepper);
  e->compile_seconds += clock_seconds() - start;
  return status;
}

static floe_status make_interpreter(struct exploration *e) {
  e->interpreted = true;
  return interpreter_create(e->model, e->layout, &e->stepper);
}

/* Without a compiler the interpreter does; the log has a note then. */
static floe_status make_stepper(struct exploration *e) {
  e->interpreted = false;
  floe_status status =
      e->options.engine == FLOE_ENGINE_INTERPRETER ? FLOE_ERROR_UNSUPPORTED : make_compiled(e);
  return status == FLOE_ERROR_UNSUPPORTED ? make_interpreter(e) : status;
}

floe_status choice_expect_work(struct exploration *e, uint64_t states) {
  if (!e->gpu || !e->interpreted || states < MUCH_WORK)
    return FLOE_OK;
  drop_stepper(e);
  return make_stepper(e);
}

/* ---- on the CPU --------------------------------------------------------------------------------
 */

static floe_status run_on_cpu(struct exploration *e, const floe_options *options) {
  struct engine_task task = exploration_task(e);
  task.options = options;
  task.order = e->order;
  e->engine = e->interpreted ? "interpreter" : "cpu";
  return engine_cpu_run(&task, e->log, &e->outcome);
}

static floe_status run_to_the_end(struct exploration *e) {
  floe_status status = run_on_cpu(e, &e->options);
  if (status == FLOE_ERROR_MEMORY)
    diag_error(e->log, NULL, NOWHERE, NULL,
               "not enough memory to start: the limit is %" PRIu64 " bytes", e->options.memory);
  return status;
}

/* Runs for so long only. True when there is an outcome to keep; else there is none. An end of
   memory is none either where something else has memory of its own. */
static bool run_briefly(struct exploration *e, floe_options brief, double seconds,
                        bool memory_is_an_end) {
  brief.progress = NULL;
  brief.timeout = passed(e) + seconds;
  if (run_on_cpu(e, &brief) != FLOE_OK)
    return false; /* whatever it is, the run that follows meets it again, and tells */
  if (e->outcome.end != FLOE_END_TIMEOUT && (memory_is_an_end || e->outcome.end != FLOE_END_MEMORY))
    return true;
  engine_outcome_free(&e->outcome);
  return false;
}

/* A timeout that comes while a run is brief would end it for good: there is none, or it is later.
 */
static bool has_time(const struct exploration *e, double seconds) {
  return e->options.timeout <= 0 || e->options.timeout > passed(e) + seconds;
}

/* Most models in the making are tiny: those are done before a compiler would have started. Results
   do not depend on what ran. A run that is recorded cannot be begun anew. */
static bool run_quickly(struct exploration *e) {
  floe_options quick = e->options;
  quick.threads = 1;
  if (quick.expected_states > QUICK_STATES)
    quick.expected_states = 0; /* a large table is touched all over at once */
  if (e->order || e->options.engine != FLOE_ENGINE_AUTO || !has_time(e, 1) ||
      make_interpreter(e) != FLOE_OK)
    return false;
  if (run_briefly(e, quick, QUICK_SECONDS, true))
    return true;
  drop_stepper(e);
  return false;
}

/* ---- models met before -------------------------------------------------------------------------
 */

/* A file in the cache that says: the GPU's kernels for this model, its constants and this kind of
   table were compiled. A guess, since it does not know of which device; only time hangs on it. */
struct mark {
  struct cache cache;
  char key[SHA256_HEX];
};

static bool mark_open(const struct exploration *e, struct mark *mark) {
  struct sha256 hash;
  struct reason reason;
  unsigned char digest[SHA256_BYTES];
  sha256_init(&hash);
  sha256_add_string(&hash, floe_version());
  sha256_add_string(&hash, floe_model_digest(e->owner));
  sha256_add_string(&hash, e->options.table);
  for (size_t i = 0; i < floe_model_constants(e->owner); i++) {
    floe_constant constant = floe_model_constant(e->owner, i);
    sha256_add_string(&hash, constant.name);
    sha256_add(&hash, &constant.value, sizeof constant.value);
  }
  sha256_finish(&hash, digest);
  sha256_hex(digest, mark->key);
  if (cache_open(e->options.cache_dir, &mark->cache, &reason) != FLOE_OK)
    return false;
  mark->cache.ending = ".gpu";
  return true;
}

static bool is_marked(const struct exploration *e) {
  struct mark mark;
  return mark_open(e, &mark) && cache_has(&mark.cache, mark.key);
}

/* That it cannot be written has been told of the kernels. */
static void set_mark(const struct exploration *e) {
  struct mark mark;
  struct reason reason;
  if (mark_open(e, &mark) && *mark.cache.folder && !cache_has(&mark.cache, mark.key))
    cache_store_bytes(&mark.cache, mark.key, "gpu", sizeof "gpu", &reason);
}

/* ---- on a GPU ----------------------------------------------------------------------------------
 */

static floe_status take_gpu(struct exploration *e, struct reason *reason) {
  floe_options *options = &e->options;
  FLOE_TRY(gpu_acquire(options->gpu_device, e->gpu_log, &e->gpu, reason));
  options->gpu_memory = gpu_memory_allowed(e->gpu, options->gpu_memory, options->gpu_share);
  gpu_title(e->gpu, e->gpu_title, sizeof e->gpu_title);
  return FLOE_OK;
}

static void drop_gpu(struct exploration *e) {
  gpu_release(e->gpu);
  e->gpu = NULL;
}

/* Notes and warnings of the GPU; its errors, which AUTO does not let end the run, as warnings. */
static void tell(struct exploration *e, bool errors_as_warnings) {
  for (size_t i = 0; i < floe_log_count(e->gpu_log); i++) {
    const floe_message *message = floe_log_at(e->gpu_log, i);
    void (*add)(floe_log *, const struct source *, source_at, const char *, const char *, ...) =
        message->severity == FLOE_NOTE                            ? diag_note
        : message->severity == FLOE_WARNING || errors_as_warnings ? diag_warning
                                                                  : diag_error;
    bool about_engines = message->severity == FLOE_ERROR && errors_as_warnings;
    add(e->log, NULL, NOWHERE, about_engines ? NULL : message->hint, "%s", message->message);
  }
  floe_log_clear(e->gpu_log);
}

static floe_status run_on_gpu(struct exploration *e) {
  if (!e->stepper)
    FLOE_TRY(make_interpreter(e));
  struct engine_task task = exploration_task(e);
  task.order = e->order;
  e->engine = "gpu";
  floe_status status = engine_gpu_run(&task, e->gpu_log, &e->outcome);
  if (status == FLOE_ERROR_MEMORY)
    diag_error(e->gpu_log, NULL, NOWHERE, NULL,
               "not enough memory to start on %s: the limit is %" PRIu64 " bytes of its memory",
               e->gpu_title, e->options.gpu_memory);
  if (status == FLOE_OK)
    set_mark(e);
  return status;
}

static floe_status run_on_gpu_alone(struct exploration *e) {
  struct reason reason;
  double start = clock_seconds();
  floe_status status = take_gpu(e, &reason);
  e->start_seconds = clock_seconds() - start;
  if (status != FLOE_OK) {
    diag_error(e->log, NULL, NOWHERE, "--engine=cpu explores on all cores", "%s", reason.text);
    return status;
  }
  status = run_on_gpu(e);
  tell(e, false);
  return status;
}

/* True when there is an outcome. */
static bool try_gpu(struct exploration *e) {
  struct reason reason;
  double start = clock_seconds();
  if (take_gpu(e, &reason) != FLOE_OK) {
    diag_note(e->log, NULL, NOWHERE, NULL, "explored on the CPU: %s", reason.text);
    return false;
  }
  double taken = clock_seconds();
  floe_status status = run_on_gpu(e);
  tell(e, true);
  if (status == FLOE_OK) {
    e->start_seconds += taken - start;
    return true;
  }
  diag_warning(e->log, NULL, NOWHERE, NULL, "the GPU failed: explored anew on the CPU");
  drop_gpu(e);
  e->start_seconds += clock_seconds() - start;
  return false;
}

/* Whether the GPU may be tried when the CPU has had *cpu_seconds. */
static bool is_for_gpu(const struct exploration *e, double *cpu_seconds) {
  if (e->options.engine != FLOE_ENGINE_AUTO || e->order || e->options.permutation ||
      !gpu_may_be_there())
    return false;
  *cpu_seconds = is_marked(e) ? CPU_SECONDS : CPU_SECONDS_FIRST;
  return has_time(e, *cpu_seconds + LEAST_GPU_SECONDS);
}

/* ---- the choice --------------------------------------------------------------------------------
 */

/* The CPU first, the GPU where that takes long. True when there is an outcome. */
static bool run_on_either(struct exploration *e, double cpu_seconds) {
  double start = clock_seconds();
  if (run_briefly(e, e->options, cpu_seconds, false))
    return true;
  e->start_seconds += clock_seconds() - start;
  if (!try_gpu(e))
    return false;
  e->tried = cpu_seconds;
  return true;
}

floe_status choice_run(struct exploration *e) {
  FLOE_TRY(floe_log_create(&e->gpu_log));
  if (e->options.engine == FLOE_ENGINE_GPU)
    return run_on_gpu_alone(e);
  if (run_quickly(e))
    return FLOE_OK;
  FLOE_TRY(make_stepper(e));
  double cpu_seconds;
  if (is_for_gpu(e, &cpu_seconds) && run_on_either(e, cpu_seconds))
    return FLOE_OK;
  return run_to_the_end(e);
}

floe_status choice_run_again(struct exploration *e, const struct engine_task *task,
                             struct engine_outcome *out) {
  if (!e->gpu || task->options->initial_slots < FEW_SLOTS)
    return engine_cpu_run(task, e->log, out);
  /* A table of another size may have slots of another width, and those have kernels of their own. */
  floe_options options = *task->options;
  struct engine_task again = *task;
  options.initial_slots = e->options.initial_slots;
  again.options = &options;
  floe_status status = engine_gpu_run(&again, e->gpu_log, out);
  tell(e, false);
  return status;
}

void choice_end(struct exploration *e) {
  drop_stepper(e);
  drop_gpu(e);
  floe_log_free(e->gpu_log);
  e->gpu_log = NULL;
}
