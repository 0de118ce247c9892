/* Kernels on an emulated GPU (emulate.h), compared with the CPU engine: counts, levels, checksum, deadlocks, least
 * violating states; with growth, refused keys, a queue that is too small, short time slices. Needs no GPU and no
 * toolkit. */
#include "tests/gpu/device/emulated_suite.h"
#include "tests/gpu/device/small_host.h"

#include "tests/step/explored.h"

#include "core/mem.h"
#include "core/system/clock.h"
#include "step/stepper.h"
#include "tables/host_table.h"

#include "gpu/jit/kernel_text.h"
#include "gpu/kernel/base/control.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEBIBYTE (UINT64_C(1) << 20)

/* ---- models ---------------------------------------------------------------------------------------- */

struct sample {
  const char *model;
  struct loaded_constant definitions[4];
  size_t definition_count;
};

/* Explores with each setting; `check` verifies that the tested event occurred. */
static void explore_with(const struct sample *sample, const struct small_settings *settings,
                         void (*check)(const struct small_counts *counts)) {
  struct loaded loaded;
  explored_load(&loaded, sample->model, sample->definitions, sample->definition_count);
  struct engine_outcome cpu = explored(&loaded);
  struct small_outcome gpu;
  ck_assert(small_host_run(&loaded, settings, &gpu));
  printf("%-20s %-11s %7llu states, %8llu transitions, %3u levels: %3u launches, grown %u, full %u, "
         "queue %u, time %u, parts %u\n",
         sample->model, settings->name, (unsigned long long)cpu.states, (unsigned long long)cpu.transitions, cpu.levels,
         gpu.counts.launches, gpu.counts.grown, gpu.counts.full, gpu.counts.queue, gpu.counts.time, gpu.counts.parts);
  explored_compare(&cpu, &gpu.result, loaded.model);
  if (settings->log)
    ck_assert_uint_eq(gpu.logged, cpu.transitions + 1);
  if (check)
    check(&gpu.counts);
  small_host_free(&gpu);
  engine_outcome_free(&cpu);
  loaded_free(&loaded);
}

static const struct sample samples[] = {
    {"models/counters", {{"N", "5"}, {"K", "6"}}, 2},
    {"models/peterson", {{"N", "4"}}, 1},
    {"models/philosophers", {{"N", "8"}}, 1},
    {"models/hanoi", {{"N", "6"}}, 1},
    {"models/tiles", {{"W", "3"}, {"H", "2"}, {"WRAP", "1"}}, 3},
    {"models/coherence", {{"N", "3"}}, 1}, /* from here on states have more successors than the buffer holds */
    {"models/havi", {{"N", "2"}}, 1},
    {"tests/gpu/engine/leaps",
     {{"MOST", "25"}},
     1}, /* a group of transitions has more successors than the buffer holds */
    {"tests/cmd/models/bits", {{"MASK", "3"}}, 1},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static const struct small_settings plain = {
    .name = "plain", .slots = 1 << 16, .level_capacity = 64, .grid = {2, 1, 10}};

START_TEST(models_explored_as_on_the_cpu) { explore_with(&samples[_i], &plain, NULL); }
END_TEST

static void wants_growth(const struct small_counts *counts) { ck_assert_uint_gt(counts->grown, 1); }
static void wants_full(const struct small_counts *counts) { ck_assert_uint_gt(counts->full, 0); }
static void wants_room(const struct small_counts *counts) { ck_assert_uint_eq(counts->full, 0); }
static void wants_queue(const struct small_counts *counts) { ck_assert_uint_gt(counts->queue, 0); }
static void wants_time(const struct small_counts *counts) { ck_assert_uint_gt(counts->time, 2); }
static void wants_parts(const struct small_counts *counts) { ck_assert_uint_gt(counts->parts, 3); }
static void wants_levels(const struct small_counts *counts) { ck_assert_uint_gt(counts->levels, 3); }

static const struct {
  struct small_settings settings;
  void (*check)(const struct small_counts *counts);
} hard[] = {
    {{.name = "growth", .slots = 256, .level_capacity = 64, .grow_percent = 70, .grid = {2, 2, 10}}, wants_growth},
    {{.name = "full", .slots = 256, .level_capacity = 64, .grid = {2, 3, 10}}, wants_full},
    {{.name = "queue", .slots = 1 << 14, .level_capacity = 64, .room = 100, .grid = {1, 4, 10}}, wants_queue},
    {{.name = "slices", .slots = 1 << 14, .level_capacity = 64, .small_level = 6, .slice = 500, .grid = {1, 5, 10}},
     wants_time},
    {{.name = "parts", .slots = 1 << 14, .level_capacity = 64, .one_part = true, .grid = {2, 6, 10}}, wants_parts},
    {{.name = "levels", .slots = 1 << 14, .level_capacity = 2, .grid = {2, 7, 10}}, wants_levels},
    {{.name = "thin", .slots = 1 << 14, .level_capacity = 64, .small_level = 6, .grid = {3, 11, 20}}, NULL},
    {{.name = "thin full", .slots = 256, .level_capacity = 64, .small_level = 6, .grid = {3, 12, 10}}, wants_full},
    {{.name = "log", .slots = 1 << 14, .level_capacity = 64, .log = true, .grid = {2, 8, 10}}, NULL},
    {{.name = "all at once",
      .slots = 256,
      .level_capacity = 3,
      .room = 100,
      .slice = 30000,
      .log = true,
      .grid = {1, 9, 30}},
     wants_full},
};
enum { HARD = sizeof hard / sizeof *hard };

/* The same with linear sets; keys of 32 and 64 bits include the one with a separate slot. */
static const struct {
  struct sample sample;
  struct small_settings settings;
  void (*check)(const struct small_counts *counts);
} in_linear_sets[] = {
    {{"models/counters", {{"N", "5"}, {"K", "5"}}, 2},
     {.name = "linear", .slots = 1 << 12, .level_capacity = 64, .log = true, .grid = {2, 21, 10}},
     wants_room}, /* three quarters full: many searches need more than the first access */
    {{"models/counters", {{"N", "5"}, {"K", "5"}}, 2},
     {.name = "linear full", .slots = 64, .level_capacity = 3, .room = 100, .slice = 30000, .grid = {2, 22, 20}},
     wants_full},
    {{"models/philosophers", {{"N", "7"}}, 1},
     {.name = "linear grows",
      .slots = 64,
      .slot_bits = 64,
      .level_capacity = 64,
      .grow_percent = 75,
      .grid = {2, 23, 10}},
     wants_growth},
    {{"tests/gpu/engine/brim", {{"WORDS", "2"}}, 1},
     {.name = "linear, 32 bits", .slots = 8, .level_capacity = 64, .grid = {2, 24, 10}},
     wants_full},
    {{"tests/gpu/engine/brim", {{"WORDS", "4"}}, 1},
     {.name = "linear, 64 bits", .slots = 64, .level_capacity = 64, .grow_percent = 75, .grid = {2, 25, 10}},
     wants_growth},
    {{"tests/gpu/engine/leaps", {{"MOST", "25"}}, 1},
     {.name = "linear leaps", .slots = 64, .level_capacity = 64, .small_level = 6, .grid = {3, 26, 10}},
     wants_full},
};
enum { IN_LINEAR_SETS = sizeof in_linear_sets / sizeof *in_linear_sets };

START_TEST(linear_sets_hold_the_same) {
  struct small_settings settings = in_linear_sets[_i].settings;
  settings.scheme = "linear";
  explore_with(&in_linear_sets[_i].sample, &settings, in_linear_sets[_i].check);
}
END_TEST

/* The same with bitmaps, which are never full (`make check`: one of the models for each); short rings, time slices and
 * logs end levels within tickets for several batches of states. */
static const struct {
  struct small_settings settings;
  void (*check)(const struct small_counts *counts);
} in_bitmaps[] = {
    {{.name = "bitmap", .level_capacity = 64, .grid = {2, 31, 10}}, wants_room},
    {{.name = "bitmap, queue", .level_capacity = 64, .room = 100, .ticket_batches = 2, .grid = {1, 32, 10}},
     wants_queue},
    {{.name = "bitmap, slices",
      .level_capacity = 64,
      .small_level = 6,
      .slice = 500,
      .ticket_batches = 2,
      .grid = {1, 33, 10}},
     wants_time},
    {{.name = "bitmap, parts", .level_capacity = 64, .one_part = true, .grid = {2, 34, 10}}, wants_parts},
    {{.name = "bitmap, levels", .level_capacity = 2, .grid = {2, 35, 10}}, wants_levels},
    {{.name = "bitmap, thin", .level_capacity = 64, .small_level = 6, .ticket_batches = 2, .grid = {3, 36, 20}}, NULL},
    {{.name = "bitmap, log", .level_capacity = 64, .log = true, .grid = {2, 37, 10}}, NULL},
    {{.name = "bitmap, all",
      .level_capacity = 3,
      .room = 100,
      .slice = 30000,
      .log = true,
      .ticket_batches = 2,
      .grid = {1, 38, 30}},
     wants_queue},
};
enum { IN_BITMAPS = sizeof in_bitmaps / sizeof *in_bitmaps };

START_TEST(bitmaps_hold_the_same) {
  static const unsigned chosen[] = {0, 6, 7};
  struct small_settings settings = in_bitmaps[_i].settings;
  settings.scheme = "bitmap";
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
    if (at_length() || i == (size_t)_i % 3)
      explore_with(&samples[chosen[i]], &settings, in_bitmaps[_i].check);
}
END_TEST

/* `make check` omits the models of the test above and every other one of the rest. */
START_TEST(models_explored_in_bitmaps) {
  if (!at_length() && _i != 2 && _i != 4 && _i != 8)
    return;
  if (strcmp(samples[_i].model, "models/coherence") == 0) /* it has too many keys */
    return;
  struct small_settings settings = {
      .name = "bitmap", .scheme = "bitmap", .level_capacity = 64, .ticket_batches = 2, .grid = {2, 41 + _i, 10}};
  explore_with(&samples[_i], &settings, wants_room);
}
END_TEST

/* Successor buffers that hold the successors of all expected states, and smaller ones: some states fire again. */
static const struct small_settings with_columns[] = {
    {.name = "all", .slots = 1 << 14, .level_capacity = 64, .grid = {2, 51, 10}},
    {.name = "thin", .slots = 1 << 14, .level_capacity = 64, .small_level = 2, .grid = {2, 52, 10}},
    {.name = "three", .slots = 1 << 14, .level_capacity = 64, .buffer = 3, .log = true, .grid = {2, 53, 10}},
    {.name = "two, thin", .slots = 256, .level_capacity = 64, .buffer = 2, .small_level = 2, .grid = {2, 54, 10}},
    {.name = "six", .scheme = "bitmap", .level_capacity = 64, .buffer = 6, .log = true, .grid = {2, 55, 10}},
    {.name = "one", .scheme = "linear", .slots = 64, .level_capacity = 64, .buffer = 1, .grid = {2, 56, 10}}};

START_TEST(states_with_more_than_a_column_holds) {
  static const struct sample pairs = {"tests/gpu/engine/pairs", {{"N", "7"}}, 1};
  explore_with(&pairs, &with_columns[_i], NULL);
}
END_TEST

/* `make check`: one of the models for each. */
START_TEST(nothing_is_lost_where_room_is_short) {
  static const unsigned chosen[] = {0, 5, 7};
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
    if (at_length() || i == (size_t)_i % 3)
      explore_with(&samples[chosen[i]], &hard[_i].settings, hard[_i].check);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *tcase = tcase_create("kernels");
  tcase_add_loop_test(tcase, models_explored_as_on_the_cpu, 0, SAMPLES);
  tcase_add_loop_test(tcase, nothing_is_lost_where_room_is_short, 0, HARD);
  /* `make check` omits the buffers that other models have, too. */
  tcase_add_loop_test(tcase, states_with_more_than_a_column_holds, at_length() ? 0 : 2,
                      sizeof with_columns / sizeof *with_columns);
  TCase *linear = tcase_create("linear");
  tcase_add_loop_test(linear, linear_sets_hold_the_same, 0, IN_LINEAR_SETS);
  TCase *bitmap = tcase_create("bitmap");
  tcase_add_loop_test(bitmap, models_explored_in_bitmaps, 0, SAMPLES);
  tcase_add_loop_test(bitmap, bitmaps_hold_the_same, 0, IN_BITMAPS);
  return emulated_run("emulated", tcase, linear, bitmap);
}
