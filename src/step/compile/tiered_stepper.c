#include "step/compile/tiered_stepper.h"

#include "core/diag.h"
#include "core/mem.h"
#include "core/thread.h"

#include <assert.h>

#define NEVER (-1.0)

struct tiered_stepper {
  struct stepper base;
  const struct model *model;
  const struct layout *layout;
  struct compile_options options;
  struct stop stop; /* that of the options, and ours */
  atomic_bool cancelled;
  struct stepper *interpreter;
  struct stepper *_Atomic present; /* one of the two */
  floe_log *log, *said;            /* the caller's; what the thread has to say */

  /* The thread, and when it begins. */
  bool started;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t wanted;
  double begin; /* of clock_seconds; NEVER */
  /* Written by the thread before it is over. */
  struct stepper *compiled;
  atomic_bool over;
  double seconds;
};

static struct tiered_stepper *of(struct stepper *stepper) { return (struct tiered_stepper *)stepper; }

/* Acquire: pairs with the release that publishes the compiled code. */
static const struct stepper *present(const struct stepper *self) {
  return atomic_load_explicit(&((const struct tiered_stepper *)self)->present, memory_order_acquire);
}

static void expand_block(const struct stepper *self, struct step_block *block) {
  self = present(self);
  self->expand_block(self, block);
}

static size_t expand_one(const struct stepper *self, const uint64_t *state, uint64_t *successors,
                         struct step_edge *edges) {
  self = present(self);
  return self->expand_one(self, state, successors, edges);
}

static uint64_t properties(const struct stepper *self, const uint64_t *state, struct step_error *error) {
  self = present(self);
  return self->properties(self, state, error);
}

static bool mix(const struct stepper *self, const uint64_t *keys, size_t n, uint64_t *sum) {
  self = present(self);
  return self->mix && self->mix(self, keys, n, sum);
}

/* ---- beside the search ----------------------------------------------------------------------- */

/* False: it came to an end before it was wanted. */
static bool wait_until_wanted(struct tiered_stepper *s) {
  pthread_mutex_lock(&s->mutex);
  while (!stop_is_set(&s->cancelled) && (s->begin == NEVER || clock_seconds() < s->begin))
    if (s->begin == NEVER)
      pthread_cond_wait(&s->wanted, &s->mutex);
    else
      thread_wait_until(&s->wanted, &s->mutex, s->begin);
  pthread_mutex_unlock(&s->mutex);
  return !stop_requested(&s->stop);
}

static void *compile(void *data) {
  struct tiered_stepper *s = data;
  if (!wait_until_wanted(s))
    return NULL;
  assert(!s->compiled);
  double start = clock_seconds();
  floe_status status = compiled_create(s->model, s->layout, &s->options, s->said, &s->compiled);
  s->seconds = clock_seconds() - start;
  if (status != FLOE_OK && stop_requested(&s->stop))
    floe_log_clear(s->said); /* it did not fail, it was cut short */
  /* Release: who sees the compiled code, or that all is over, sees what was written before. */
  if (status == FLOE_OK)
    atomic_store_explicit(&s->present, s->compiled, memory_order_release);
  atomic_store_explicit(&s->over, true, memory_order_release);
  return NULL;
}

static void wake(struct tiered_stepper *s, double begin) {
  assert(begin != NEVER);
  pthread_mutex_lock(&s->mutex);
  if (s->begin == NEVER || s->begin > begin)
    s->begin = begin;
  pthread_cond_signal(&s->wanted);
  pthread_mutex_unlock(&s->mutex);
}

/* ---- the stepper ----------------------------------------------------------------------------- */

void tiered_compile_now(struct stepper *stepper) { wake(of(stepper), clock_seconds()); }

bool tiered_stepper_is_compiled(struct stepper *stepper) {
  const struct stepper *now = present(stepper);
  stepper->name = now->name;
  stepper->detail = now->detail;
  return now != of(stepper)->interpreter;
}

double tiered_stepper_seconds(const struct stepper *stepper) {
  const struct tiered_stepper *s = (const struct tiered_stepper *)stepper;
  return atomic_load_explicit(&s->over, memory_order_acquire) ? s->seconds : 0;
}

/* What was cut short has nothing to say. */
static void end_thread(struct tiered_stepper *s) {
  if (!s->started)
    return;
  bool over = atomic_load_explicit(&s->over, memory_order_acquire);
  atomic_store_explicit(&s->cancelled, true, memory_order_relaxed); /* a flag without data */
  wake(s, clock_seconds());
  pthread_join(s->thread, NULL);
  if (over)
    diag_pass_on(s->said, s->log);
}

static void tiered_stepper_free(struct stepper *stepper) {
  struct tiered_stepper *s = of(stepper);
  end_thread(s);
  pthread_cond_destroy(&s->wanted);
  pthread_mutex_destroy(&s->mutex);
  floe_log_free(s->said);
  if (s->compiled)
    s->compiled->free(s->compiled);
  if (s->interpreter)
    s->interpreter->free(s->interpreter);
  mem_free(s);
}

static floe_status open_parts(struct tiered_stepper *s) {
  FLOE_TRY(interpreter_create(s->model, s->layout, &s->interpreter));
  FLOE_TRY(floe_log_create(&s->said));
  atomic_store_explicit(&s->present, s->interpreter, memory_order_relaxed); /* nobody else yet */
  s->base = *s->interpreter;
  s->base.expand_block = expand_block;
  s->base.expand_one = expand_one;
  s->base.properties = properties;
  s->base.mix = mix;
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
  s->stop.waiting = NULL; /* that is for the caller's thread */
  s->options.stop = &s->stop;
  s->log = log;
  s->begin = delay < 0 ? NEVER : clock_seconds() + delay;
  pthread_mutex_init(&s->mutex, NULL);
  thread_condition(&s->wanted);
  floe_status status = open_parts(s);
  if (status != FLOE_OK) {
    tiered_stepper_free(&s->base);
    return status;
  }
  s->started = thread_start(&s->thread, compile, s); /* else it is interpreted to the end */
  *out = &s->base;
  return FLOE_OK;
}
