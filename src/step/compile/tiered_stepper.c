#include "step/compile/tiered_stepper.h"

#include "core/diag.h"
#include "core/mem.h"
#include "core/threads/thread.h"

#include <assert.h>

#define ON_REQUEST (-1.0)

struct tiered_stepper {
  struct stepper base;
  const struct model *model;
  const struct layout *layout;
  struct compile_options options;
  struct stop stop; /* the options' stop, and `cancelled` */
  atomic_bool cancelled;
  struct stepper *interpreter;
  struct stepper *_Atomic current; /* interpreter or compiled */
  floe_log *log, *thread_log;      /* of the caller; of the thread */

  /* The thread and its start time. */
  bool started;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t wake_up;
  double start_time; /* by clock_seconds; ON_REQUEST: no delay set */
  /* Written by the thread before `finished`. */
  struct stepper *compiled;
  atomic_bool finished;
  double seconds;
};

static struct tiered_stepper *tiered_of(struct stepper *stepper) { return (struct tiered_stepper *)stepper; }

/* Acquire: pairs with the release that publishes the compiled code. */
static const struct stepper *current_stepper(const struct stepper *self) {
  return atomic_load_explicit(&((const struct tiered_stepper *)self)->current, memory_order_acquire);
}

static void tiered_expand_block(const struct stepper *self, struct step_block *block) {
  self = current_stepper(self);
  self->expand_block(self, block);
}

static size_t tiered_expand_one(const struct stepper *self, const uint64_t *state, uint64_t *successors,
                                struct step_edge *edges) {
  self = current_stepper(self);
  return self->expand_one(self, state, successors, edges);
}

static uint64_t tiered_properties(const struct stepper *self, const uint64_t *state, struct step_error *error) {
  self = current_stepper(self);
  return self->properties(self, state, error);
}

static bool tiered_mix(const struct stepper *self, const uint64_t *keys, size_t n, uint64_t *sum) {
  self = current_stepper(self);
  return self->mix && self->mix(self, keys, n, sum);
}

/* ---- beside the search ----------------------------------------------------------------------- */

/* False: cancelled before the start. */
static bool wait_for_start(struct tiered_stepper *s) {
  pthread_mutex_lock(&s->mutex);
  while (!stop_is_set(&s->cancelled) && (s->start_time == ON_REQUEST || clock_seconds() < s->start_time))
    if (s->start_time == ON_REQUEST)
      pthread_cond_wait(&s->wake_up, &s->mutex);
    else
      thread_wait_until(&s->wake_up, &s->mutex, s->start_time);
  pthread_mutex_unlock(&s->mutex);
  return !stop_requested(&s->stop);
}

static void *compile_in_background(void *data) {
  struct tiered_stepper *s = data;
  if (!wait_for_start(s))
    return NULL;
  assert(!s->compiled);
  double start = clock_seconds();
  floe_status status = compiled_create(s->model, s->layout, &s->options, s->thread_log, &s->compiled);
  s->seconds = clock_seconds() - start;
  if (status != FLOE_OK && stop_requested(&s->stop))
    floe_log_clear(s->thread_log); /* cancelled, not failed */
  /* Release: a thread that reads the compiled stepper or `finished` also sees the writes before it. */
  if (status == FLOE_OK)
    atomic_store_explicit(&s->current, s->compiled, memory_order_release);
  atomic_store_explicit(&s->finished, true, memory_order_release);
  return NULL;
}

static void request_start(struct tiered_stepper *s, double start_time) {
  assert(start_time != ON_REQUEST);
  pthread_mutex_lock(&s->mutex);
  if (s->start_time == ON_REQUEST || s->start_time > start_time)
    s->start_time = start_time;
  pthread_cond_signal(&s->wake_up);
  pthread_mutex_unlock(&s->mutex);
}

/* ---- the stepper ----------------------------------------------------------------------------- */

void tiered_compile_now(struct stepper *stepper) { request_start(tiered_of(stepper), clock_seconds()); }

bool tiered_stepper_is_compiled(struct stepper *stepper) {
  const struct stepper *now = current_stepper(stepper);
  stepper->name = now->name;
  stepper->detail = now->detail;
  return now != tiered_of(stepper)->interpreter;
}

double tiered_stepper_seconds(const struct stepper *stepper) {
  const struct tiered_stepper *s = (const struct tiered_stepper *)stepper;
  return atomic_load_explicit(&s->finished, memory_order_acquire) ? s->seconds : 0;
}

/* A cancelled compilation has no messages. */
static void end_thread(struct tiered_stepper *s) {
  if (!s->started)
    return;
  bool finished = atomic_load_explicit(&s->finished, memory_order_acquire);
  atomic_store_explicit(&s->cancelled, true, memory_order_relaxed); /* relaxed: a flag without data */
  request_start(s, clock_seconds());
  pthread_join(s->thread, NULL);
  if (finished)
    diag_pass_on(s->thread_log, s->log);
}

static void tiered_stepper_free(struct stepper *stepper) {
  struct tiered_stepper *s = tiered_of(stepper);
  end_thread(s);
  pthread_cond_destroy(&s->wake_up);
  pthread_mutex_destroy(&s->mutex);
  floe_log_free(s->thread_log);
  if (s->compiled)
    s->compiled->free(s->compiled);
  if (s->interpreter)
    s->interpreter->free(s->interpreter);
  mem_free(s);
}

static floe_status open_parts(struct tiered_stepper *s) {
  FLOE_TRY(interpreter_create(s->model, s->layout, &s->interpreter));
  FLOE_TRY(floe_log_create(&s->thread_log));
  atomic_store_explicit(&s->current, s->interpreter, memory_order_relaxed); /* relaxed: no other thread yet */
  s->base = *s->interpreter;
  s->base.expand_block = tiered_expand_block;
  s->base.expand_one = tiered_expand_one;
  s->base.properties = tiered_properties;
  s->base.mix = tiered_mix;
  s->base.free = tiered_stepper_free;
  return FLOE_OK;
}

floe_status tiered_stepper_create(const struct model *model, const struct layout *layout,
                                  const struct compile_options *options, double delay, floe_log *log,
                                  struct stepper **out) {
  struct tiered_stepper *s = mem_alloc(sizeof *s);
  if (!s)
    return FLOE_ERROR_MEMORY;
  s->model = model;
  s->layout = layout;
  s->options = *options;
  if (options->stop)
    s->stop = *options->stop;
  s->stop.cancelled = &s->cancelled;
  s->stop.waiting = NULL; /* for the caller's thread only */
  s->options.stop = &s->stop;
  s->log = log;
  s->start_time = delay < 0 ? ON_REQUEST : clock_seconds() + delay;
  pthread_mutex_init(&s->mutex, NULL);
  thread_condition(&s->wake_up);
  floe_status status = open_parts(s);
  if (status != FLOE_OK) {
    tiered_stepper_free(&s->base);
    return status;
  }
  s->started =
      thread_start(&s->thread, compile_in_background, s); /* if this fails, the interpreter is used to the end */
  *out = &s->base;
  return FLOE_OK;
}
