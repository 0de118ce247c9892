#include "explored.h"

#include "core/system/clock.h"
#include "step/layout/state_key.h"
#include "step/stepper.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define MEBIBYTE (UINT64_C(1) << 20)

static atomic_bool interrupt;

void explored_load(struct loaded *loaded, const char *model, const struct loaded_constant *constants, size_t count) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.xml", getenv("top_srcdir"), model);
  ck_assert_msg(loaded_from_file(loaded, path, count ? constants : NULL, count), "%s: %s", path,
                loaded_message(loaded));
}

struct engine_outcome explored(struct loaded *loaded) {
  const floe_options options = {.threads = 1,
                                .table = "iceberg",
                                .memory = 1024 * MEBIBYTE,
                                .max_depth = UINT32_MAX,
                                .max_states = UINT64_MAX,
                                .progress_seconds = 1000,
                                .keep_going = true};
  struct stepper *stepper;
  struct engine_outcome outcome;
  uint64_t initial;
  ck_assert_int_eq(key_of_initial(loaded->model, loaded->layout, &initial), FLOE_OK);
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
  struct engine_task task = {.model = loaded->model,
                             .layout = loaded->layout,
                             .initial = &initial,
                             .stepper = stepper,
                             .options = &options,
                             .property_mask = (UINT64_C(1) << loaded->model->property_count) - 1,
                             .limits.interrupt = &interrupt,
                             .limits.started = clock_seconds()};
  ck_assert_int_eq(engine_run(&engine_cpu, &task, loaded->log, &outcome), FLOE_OK);
  ck_assert_int_eq(outcome.end, FLOE_END_COMPLETE);
  stepper->free(stepper);
  return outcome;
}

void explored_compare(const struct engine_outcome *cpu, const struct engine_outcome *other, const struct model *model) {
  ck_assert_uint_eq(other->states, cpu->states);
  ck_assert_uint_eq(other->transitions, cpu->transitions);
  ck_assert_uint_eq(other->deadlocks, cpu->deadlocks);
  ck_assert_uint_eq(other->max_out_degree, cpu->max_out_degree);
  ck_assert_uint_eq(other->checksum, cpu->checksum);
  ck_assert_uint_eq(other->levels, cpu->levels);
  for (uint32_t i = 0; i < cpu->levels; i++)
    ck_assert_uint_eq(other->level_states[i], cpu->level_states[i]);
  for (size_t t = 0; t < model->transition_count; t++)
    ck_assert_uint_eq(other->fired[t], cpu->fired[t]);
  for (size_t p = 0; p < model->property_count; p++) {
    ck_assert_int_eq(other->violations[p].violation, cpu->violations[p].violation);
    if (!cpu->violations[p].violation)
      continue;
    ck_assert_uint_eq(other->violations[p].depth, cpu->violations[p].depth);
    ck_assert_uint_eq(*other->violations[p].state, *cpu->violations[p].state);
  }
}
