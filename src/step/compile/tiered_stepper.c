#include "step/compile/tiered_stepper.h"

#include "core/diag.h"
#include "core/mem.h"
#include "core/threads/delayed_thread.h"
#include "step/arcs/arc_stepper.h"

#include <assert.h>

struct tiered_stepper {
  struct stepper base;
  const struct model *model;
  const struct layout *layout;
  struct compile_options options;
  struct stop stop;                /* the options' stop, and that of the thread */
  struct stepper *first;           /* until the code is compiled */
  bool suffices;                   /* to the end */
  struct stepper *_Atomic current; /* first or compiled */
  floe_log *log, *thread_log;      /* of the caller; of the thread */

  struct delayed_thread thread;
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

static void compile_in_background(void *data) {
  struct tiered_stepper *s = data;
  if (stop_requested(&s->stop) || s->suffices)
    return;
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
}

/* ---- the stepper ----------------------------------------------------------------------------- */

void tiered_compile_now(struct stepper *stepper) { delayed_thread_hurry(&tiered_of(stepper)->thread); }

bool tiered_stepper_is_compiled(struct stepper *stepper) {
  const struct stepper *now = current_stepper(stepper);
  stepper->name = now->name;
  stepper->detail = now->detail;
  return now != tiered_of(stepper)->first;
}

double tiered_stepper_seconds(const struct stepper *stepper) {
  const struct tiered_stepper *s = (const struct tiered_stepper *)stepper;
  return atomic_load_explicit(&s->finished, memory_order_acquire) ? s->seconds : 0;
}

static void free_parts(struct tiered_stepper *s) {
  floe_log_free(s->thread_log);
  if (s->compiled)
    s->compiled->free(s->compiled);
  if (s->first)
    s->first->free(s->first);
  mem_free(s);
}

/* A cancelled compilation has no messages. */
static void tiered_stepper_free(struct stepper *stepper) {
  struct tiered_stepper *s = tiered_of(stepper);
  const bool finished = atomic_load_explicit(&s->finished, memory_order_acquire);
  delayed_thread_cancel(&s->thread);
  delayed_thread_join(&s->thread);
  if (finished)
    diag_pass_on(s->thread_log, s->log);
  free_parts(s);
}

static floe_status open_parts(struct tiered_stepper *s) {
  FLOE_TRY(uncompiled_create(s->model, s->layout, &s->suffices, &s->first));
  FLOE_TRY(floe_log_create(&s->thread_log));
  atomic_store_explicit(&s->current, s->first, memory_order_relaxed); /* relaxed: no other thread yet */
  s->base = *s->first;
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
  s->stop.cancelled = &s->thread.cancelled;
  s->stop.waiting = NULL; /* for the caller's thread only */
  s->options.stop = &s->stop;
  s->log = log;
  const floe_status status = open_parts(s);
  if (status != FLOE_OK) {
    free_parts(s);
    return status;
  }
  delayed_thread_start(&s->thread, delay, compile_in_background, s); /* else the first one is used to the end */
  *out = &s->base;
  return FLOE_OK;
}
