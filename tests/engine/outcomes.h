/* Compares the outcomes of two searches that must agree, whatever engines, threads, members and breaks they had. */
#ifndef FLOE_TEST_OUTCOMES_H
#define FLOE_TEST_OUTCOMES_H

#include "engine/engine.h"
#include "tests/step/loaded.h"

#include <check.h>

static inline void outcomes_same_violations(const struct loaded *loaded, const struct engine_outcome *expected,
                                            const struct engine_outcome *found) {
  ck_assert_uint_eq(found->property_count, expected->property_count);
  for (size_t i = 0; i < expected->property_count; i++) {
    const struct engine_violation *a = &expected->violations[i], *b = &found->violations[i];
    ck_assert_int_eq(b->violation, a->violation);
    if (!a->violation)
      continue;
    ck_assert_uint_eq(b->depth, a->depth);
    ck_assert_mem_eq(b->state, a->state, loaded->layout->key_words * sizeof(uint64_t));
    ck_assert_uint_eq(b->error.transition, a->error.transition);
    ck_assert_uint_eq(b->error.site, a->error.site);
  }
}

static inline void outcomes_same(const struct loaded *loaded, const struct engine_outcome *expected,
                                 const struct engine_outcome *found) {
  ck_assert_int_eq(found->end, expected->end);
  ck_assert_uint_eq(found->states, expected->states);
  ck_assert_uint_eq(found->transitions, expected->transitions);
  ck_assert_uint_eq(found->deadlocks, expected->deadlocks);
  ck_assert_uint_eq(found->checksum, expected->checksum);
  ck_assert_uint_eq(found->max_out_degree, expected->max_out_degree);
  ck_assert_uint_eq(found->levels, expected->levels);
  ck_assert_int_eq(found->any_complete, expected->any_complete);
  if (expected->any_complete)
    ck_assert_uint_eq(found->complete_depth, expected->complete_depth);
  for (uint32_t i = 0; i < expected->levels; i++)
    ck_assert_uint_eq(found->level_states[i], expected->level_states[i]);
  for (size_t i = 0; i < loaded->model->transition_count; i++)
    ck_assert_uint_eq(found->fired[i], expected->fired[i]);
  ck_assert_uint_eq(found->failed, expected->failed);
  ck_assert_int_eq(found->firing_failed, expected->firing_failed);
  if (expected->firing_failed)
    ck_assert_uint_eq(found->firing_failed_depth, expected->firing_failed_depth);
  outcomes_same_violations(loaded, expected, found);
}

#endif
