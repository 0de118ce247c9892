/* Kernels with index keys on an emulated GPU: counts, levels, checksum and witnesses equal those of the interpreter,
 * with tables that grow and fill up. Wrong invariants end the search. */
#include "tests/gpu/device/emulated_suite.h"
#include "tests/gpu/device/small_host.h"

#include "tests/step/explored.h"
#include "tests/step/learned_invariants.h"

#include "core/mem.h"
#include "core/system/clock.h"
#include "step/layout/index_key.h"
#include "step/stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEBIBYTE (UINT64_C(1) << 20)

enum { MOST_STATES = 3000 };

/* ---- models ------------------------------------------------------------------------------------------ */

struct sample {
  const char *model;
  struct loaded_constant definitions[4];
  size_t definition_count;
  enum learning learning;
};

/* 78 bits as fields in two words, 62 bits as index keys. */
static const char wide[] =
    "<model name='wide'><variable name='a' range='0..2' size='20'/><variable name='b' range='0..2' size='19'/>"
    "<process name='P' instances='1'><location name='l' initial='true'/>"
    "<transition from='l' select='i in 0..19' guard='a[i] lt 2 and (i == 0 or a[max(i - 1, 0)] == 2)' "
    "effect='a[i] = a[i] + 1'/>"
    "<transition from='l' select='i in 0..18' guard='b[i] lt 2 and (i == 0 or b[max(i - 1, 0)] == 2)' "
    "effect='b[i]++'/></process>"
    "<property id='end' kind='reachable'>a[19] == 2 and b[18] == 2</property></model>";

static void load(const struct sample *sample, struct loaded *loaded) {
  if (strcmp(sample->model, "wide") == 0) {
    ck_assert(loaded_from_text(loaded, "wide", wide, sizeof wide - 1, NULL, 0));
    ck_assert_uint_eq(loaded->layout->words, 2);
    return;
  }
  explored_load(loaded, sample->model, sample->definitions, sample->definition_count);
}

/* Computed from packed states: the certificate does not depend on the encoding. */
static uint64_t checksum_of_fields(struct loaded *loaded) {
  if (loaded->layout->words > 1)
    return 0;
  struct engine_outcome outcome = explored(loaded);
  const uint64_t checksum = outcome.checksum;
  engine_outcome_free(&outcome);
  return checksum;
}

static void explore_with(const struct sample *sample, const struct small_settings *settings,
                         void (*check)(const struct small_counts *counts)) {
  struct loaded loaded;
  struct small_outcome gpu;
  load(sample, &loaded);
  const uint64_t checksum = checksum_of_fields(&loaded);
  const unsigned bits = loaded.layout->bits;
  struct invariants *invariants = learn_invariants(&loaded, sample->learning, MOST_STATES);
  ck_assert_msg(invariants && use_index_keys(&loaded, invariants), "%s", sample->model);
  struct engine_outcome cpu = explored(&loaded);
  ck_assert(checksum == 0 || cpu.checksum == checksum);
  ck_assert(small_host_run(&loaded, settings, &gpu));
  printf("%-20s facts %d, %-8s %2u of %2u bits, %7llu states, %8llu transitions, %3u levels\n", sample->model,
         (int)sample->learning, settings->name, loaded.layout->key_bits, bits, (unsigned long long)cpu.states,
         (unsigned long long)cpu.transitions, cpu.levels);
  ck_assert(!gpu.broken);
  explored_compare(&cpu, &gpu.result, loaded.model);
  if (check)
    check(&gpu.counts);
  small_host_free(&gpu);
  engine_outcome_free(&cpu);
  loaded_free(&loaded);
}

static const struct sample samples[] = {
    {"models/counters", {{"N", "5"}, {"K", "5"}}, 2, LEARN_DECLARED},
    {"models/peterson", {{"N", "3"}}, 1, LEARN_ALL},
    {"models/philosophers", {{"N", "5"}}, 1, LEARN_ALL},
    {"models/hanoi", {{"N", "6"}}, 1, LEARN_DECLARED},
    {"models/hanoi", {{"N", "6"}}, 1, LEARN_ALL},
    {"models/tiles", {{"W", "3"}, {"H", "2"}, {"WRAP", "1"}}, 3, LEARN_RANGES},
    {"models/coherence", {{"N", "3"}}, 1, LEARN_CASES}, /* states have more successors than the buffer holds */
    {"models/havi", {{"N", "2"}}, 1, LEARN_CASES},
    {"models/havi", {{"N", "2"}}, 1, LEARN_PROVED},
    {"tests/gpu/engine/leaps",
     {{"MOST", "25"}},
     1,
     LEARN_DECLARED}, /* a group of transitions has more successors than the buffer holds */
    {"wide", {{0}}, 0, LEARN_DECLARED},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static const struct small_settings plain = {
    .name = "plain", .slots = 1 << 16, .level_capacity = 64, .grid = {2, 1, 10}};

/* `make check`: each model once. */
START_TEST(models_explored_as_by_the_interpreter) {
  if (at_length() || (_i != 3 && _i != 7))
    explore_with(&samples[_i], &plain, NULL);
}
END_TEST

static void wants_growth(const struct small_counts *counts) { ck_assert_uint_gt(counts->grown, 0); }
static void wants_full(const struct small_counts *counts) { ck_assert_uint_gt(counts->full, 0); }

static const struct {
  struct small_settings settings;
  void (*check)(const struct small_counts *counts);
} hard[] = {
    {{.name = "growth", .slots = 256, .level_capacity = 64, .grow_percent = 70, .grid = {2, 2, 10}}, wants_growth},
    {{.name = "full", .slots = 256, .level_capacity = 64, .grid = {2, 3, 10}}, wants_full},
    {{.name = "thin", .slots = 1 << 14, .level_capacity = 64, .small_level = 6, .grid = {3, 11, 20}}, NULL},
};
enum { HARD = sizeof hard / sizeof *hard };

START_TEST(nothing_is_lost_where_room_is_short) {
  static const unsigned chosen[] = {10, 9};
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
    if (at_length() || i == (size_t)_i % 2) /* `make check`: one of the models for each */
      explore_with(&samples[chosen[i]], &hard[_i].settings, hard[_i].check);
}
END_TEST

/* ---- facts that are not so --------------------------------------------------------------------------- */

static void expect_broken(const struct sample *sample, struct loaded *loaded, struct invariants *invariants) {
  struct small_outcome gpu;
  ck_assert_msg(use_index_keys(loaded, invariants), "%s", sample->model);
  ck_assert(small_host_run(loaded, &plain, &gpu));
  ck_assert_msg(gpu.broken, "%s", sample->model);
  small_host_free(&gpu);
}

/* The element of the first counter. */
static uint32_t counter(const struct loaded *loaded) {
  uint32_t v = 0;
  while (loaded->model->variables[v].kind != VARIABLE_LOCAL)
    v++;
  return loaded->model->variables[v].first;
}

START_TEST(a_range_too_small_is_noticed) {
  struct loaded loaded;
  load(&samples[0], &loaded);
  struct invariants *invariants = learn_invariants(&loaded, LEARN_DECLARED, MOST_STATES);
  struct value_interval *ranges = (struct value_interval *)(uintptr_t)invariants->ranges;
  ranges[counter(&loaded) + 2].hi--;
  expect_broken(&samples[0], &loaded, invariants);
  loaded_free(&loaded);
}
END_TEST

/* With the (wrong) invariant that the first counter follows from the second. */
START_TEST(a_wrong_dependence_is_noticed) {
  struct loaded loaded;
  load(&samples[0], &loaded);
  struct invariants *invariants = learn_invariants(&loaded, LEARN_DECLARED, MOST_STATES);
  const struct linear_term term = {counter(&loaded) + 1, 1, NULL};
  const struct dependent_element dependent = {counter(&loaded), 0, &term, 1};
  invariants->dependent = &dependent;
  invariants->dependent_count = 1;
  expect_broken(&samples[0], &loaded, invariants);
  loaded_free(&loaded);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *tcase = tcase_create("ranks");
  tcase_add_loop_test(tcase, models_explored_as_by_the_interpreter, 0, SAMPLES);
  tcase_add_loop_test(tcase, nothing_is_lost_where_room_is_short, 0, HARD);
  add_tests(tcase, a_range_too_small_is_noticed, a_wrong_dependence_is_noticed);
  return emulated_run("emulated ranks", tcase);
}
