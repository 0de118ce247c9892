#include "cmd/stroll.h"

#include "cmd/message.h"
#include "cmd/report.h"

#include <inttypes.h>

#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    floe_status try_status_ = (call);                                                                                  \
    if (try_status_ != FLOE_OK)                                                                                        \
      return try_status_;                                                                                              \
  } while (0)

/* SplitMix64 (Steele, Lea and Flood 2014): any seed will do, and the walk is the same everywhere. */
static uint64_t next_random(struct stroll *stroll) {
  uint64_t x = stroll->random += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/* 0..n-1; n is far below 2^64, so that the bias is nothing. */
static size_t random_below(struct stroll *stroll, size_t n) { return next_random(stroll) % n; }

/* ---- telling ------------------------------------------------------------------------------- */

static void put_property(const floe_property *property, const char *cause) {
  bool reached = property->kind == FLOE_REACHABLE;
  printf("     %s %s", property->id, floe_verdict_name(reached ? FLOE_IS_REACHABLE : FLOE_VIOLATED));
  if (cause[0])
    printf(": %s", printable(cause));
  else if (property->text[0])
    printf(": %s %s", floe_property_kind_name(property->kind), property->text);
  putchar('\n');
}

/* The properties of a model, `errors` and `deadlock` included, fit a mask of 64 bits. */
static floe_status observe(struct stroll *stroll, bool tell, uint64_t *triggered) {
  *triggered = 0;
  for (size_t i = 0; i < floe_model_properties(stroll->model); i++) {
    floe_observation observation;
    TRY(floe_walk_property(stroll->walk, i, &observation));
    if (!observation.triggered)
      continue;
    *triggered |= (uint64_t)1 << i;
    floe_property property = floe_model_property(stroll->model, i);
    if (tell && !(stroll->triggered >> i & 1))
      put_property(&property, observation.cause);
    if (tell && property.kind != FLOE_REACHABLE)
      stroll->violated = true;
  }
  return FLOE_OK;
}

floe_status stroll_tell_properties(struct stroll *stroll) {
  uint64_t triggered;
  TRY(observe(stroll, true, &triggered));
  stroll->triggered = triggered;
  return FLOE_OK;
}

floe_status stroll_tell_state(struct stroll *stroll) {
  const floe_change *values;
  size_t count;
  TRY(floe_walk_state(stroll->walk, &values, &count));
  report_state(floe_walk_steps(stroll->walk) ? "state" : "start", values, count);
  return FLOE_OK;
}

floe_status stroll_begin(struct stroll *stroll) {
  report_model(stroll->model);
  TRY(stroll_tell_state(stroll));
  return stroll_tell_properties(stroll);
}

/* ---- moving -------------------------------------------------------------------------------- */

floe_status stroll_fire(struct stroll *stroll, size_t i) {
  const char *file = floe_model_file(stroll->model);
  floe_step step;
  TRY(floe_walk_firing(stroll->walk, i, &step));
  report_step(&step, floe_walk_steps(stroll->walk) + 1, file);
  if (step.cause[0]) {
    printf("     %s\n", printable(step.cause));
    return FLOE_OK;
  }
  TRY(floe_walk_fire(stroll->walk, i));
  return stroll_tell_properties(stroll);
}

static floe_status count_sound(struct stroll *stroll, size_t *sound) {
  size_t count;
  *sound = 0;
  TRY(floe_walk_firings(stroll->walk, &count));
  for (size_t i = 0; i < count; i++) {
    bool fails;
    TRY(floe_walk_fails(stroll->walk, i, &fails));
    *sound += !fails;
  }
  return FLOE_OK;
}

floe_status stroll_random(struct stroll *stroll, bool *taken) {
  size_t sound;
  TRY(count_sound(stroll, &sound));
  *taken = sound > 0;
  if (sound == 0)
    return FLOE_OK;
  size_t left = random_below(stroll, sound);
  for (size_t i = 0;; i++) {
    bool fails;
    TRY(floe_walk_fails(stroll->walk, i, &fails));
    if (!fails && left-- == 0)
      return stroll_fire(stroll, i);
  }
}

/* Back in a state that was told, nothing is told again. */
floe_status stroll_undo(struct stroll *stroll) {
  TRY(floe_walk_undo(stroll->walk));
  return observe(stroll, false, &stroll->triggered);
}
