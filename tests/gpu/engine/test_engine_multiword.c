/* The GPU engine with multiword states, with emulated kernels: chains of elements set one after the other, with known
 * states, levels, checksum and least witnesses; with growing tree tables, keys that get wider, a visited set that grows
 * and fills up, and states spilled to the host. */
#include "tests/gpu/device/emulated_suite.h"
#include "tests/gpu/device/fake_device.h"

#include "core/system/clock.h"
#include "engine/engine.h"
#include "engine/trace/level_archive.h"
#include "step/layout/state_key.h"
#include "step/stepper.h"
#include "tests/step/loaded.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define MEBIBYTE (UINT64_C(1) << 20)

static atomic_bool interrupt;

/* `chains` arrays of `length` elements 0..top; each element is set to top after the one before it. */
struct chains {
  unsigned chains, length;
  uint64_t top;
};

enum { MOST_CHAINS = 6, WITNESS_DEPTH = 3 };

static void write_model(const struct chains *of, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "<model name='chains'>");
  for (unsigned c = 0; c < of->chains; c++)
    used += (size_t)snprintf(text + used, size - used, "<variable name='c%u' range='0..%llu' size='%u'/>", c,
                             (unsigned long long)of->top, of->length);
  used +=
      (size_t)snprintf(text + used, size - used, "<process name='P' instances='1'><location name='l' initial='true'/>");
  for (unsigned c = 0; c < of->chains; c++)
    used += (size_t)snprintf(text + used, size - used,
                             "<transition from='l' select='i in 0..%u' guard='c%u[i] == 0 and (i == 0 or "
                             "c%u[max(i - 1, 0)] == %llu)' effect='c%u[i] = %llu'/>",
                             of->length - 1, c, c, (unsigned long long)of->top, c, (unsigned long long)of->top);
  used += (size_t)snprintf(text + used, size - used, "</process><property id='some' kind='never'>false");
  for (unsigned c = 0; c < of->chains; c++)
    used += (size_t)snprintf(text + used, size - used, " or c%u[%d] == %llu", c, WITNESS_DEPTH - 1,
                             (unsigned long long)of->top);
  used += (size_t)snprintf(text + used, size - used, "</property></model>");
  ck_assert_uint_lt(used, size);
}

/* ---- runs -------------------------------------------------------------------------------------------- */

struct run {
  struct chains chains;
  uint32_t least_words;
  unsigned depth; /* levels after the first; 0: all */
  const char *table, *test_settings;
  uint64_t slots;
  bool grows;      /* tables of the root, which are small at first (names=1), grow, so that keys get wider */
  uint64_t memory; /* device memory; 0: enough */
};

static unsigned last_level(const struct run *run) {
  return run->depth ? run->depth : run->chains.chains * run->chains.length;
}

/* ---- what is so -------------------------------------------------------------------------------------- */

struct truth {
  uint64_t states, transitions, deadlocks, checksum;
  uint64_t levels[1000], checksums[1000]; /* of each level */
  uint64_t looked_up;                     /* checksum of the targets of all transitions, and of the initial state */
  uint64_t witness[64];                   /* the least state of depth WITNESS_DEPTH with one chain of that length */
};

static void add_state(const struct run *run, const struct loaded *loaded, const unsigned *set, struct truth *truth) {
  const struct chains *of = &run->chains;
  const struct layout *layout = loaded->layout;
  static int64_t values[10000];
  uint64_t state[64];
  unsigned depth = 0;
  ck_assert_uint_le(loaded->model->value_count, 10000);
  ck_assert_uint_le(layout->words, 64);
  for (unsigned c = 0; c < of->chains; c++)
    depth += set[c];
  if (depth > last_level(run))
    return;
  memset(values, 0, loaded->model->value_count * sizeof *values);
  for (unsigned c = 0; c < of->chains; c++)
    for (unsigned i = 0; i < set[c]; i++)
      values[loaded->model->variables[c].first + i] = (int64_t)of->top;
  for (unsigned c = 0; c < of->chains && depth < last_level(run); c++)
    truth->transitions += set[c] < of->length;
  layout_pack(loaded->model, layout, values, state);
  truth->states++;
  truth->levels[depth]++;
  truth->deadlocks += depth == of->chains * of->length;
  const uint64_t mix = engine_state_mix(state, layout->words);
  truth->checksum += mix;
  truth->checksums[depth] += mix;
  truth->looked_up += depth == 0 ? mix : 0;
  for (unsigned c = 0; c < of->chains; c++)
    truth->looked_up += set[c] > 0 ? mix : 0;
  for (unsigned c = 0; c < of->chains; c++)
    if (depth == WITNESS_DEPTH && set[c] == depth && words_less(state, truth->witness, layout->words))
      memcpy(truth->witness, state, layout->words * sizeof *state);
}

static void find_truth(const struct run *run, const struct loaded *loaded, struct truth *truth) {
  const struct chains *of = &run->chains;
  unsigned set[MOST_CHAINS] = {0}, c = 0;
  memset(truth, 0, sizeof *truth);
  memset(truth->witness, 0xff, sizeof truth->witness);
  while (c < of->chains) {
    add_state(run, loaded, set, truth);
    for (c = 0; c < of->chains && ++set[c] > of->length; c++)
      set[c] = 0;
  }
}

/* ---- what the engine finds --------------------------------------------------------------------------- */

static const struct run runs[] = {
    {{2, 40, 1}, 2, 0, "iceberg", NULL, 0, false, 0},
    {{2, 40, 1}, 2, 0, "linear", "blocks=1,levels=3,slice_us=20", 0, false, 0},
    {{3, 22, 1}, 2, 0, "iceberg", "blocks=1,names=1", 0, true, 0},
    {{3, 22, 1}, 2, 0, "iceberg", "blocks=1,fill=100,slice_us=20,names=1", 256, true, 0},
    {{3, 22, 1}, 2, 0, "linear", "blocks=1,fill=100,names=1", 256, true, 0},
    {{6, 6, 3}, 2, 15, "iceberg", "blocks=1,queue=1,names=1", 0, true, 0},
    {{5, 13, 1}, 2, 10, "iceberg", "slice_us=50,names=1", 0, true, 0},
    {{3, 12, 20}, 3, 0, "iceberg", "blocks=1", 256, false, 0},
    {{2, 30, 16}, 5, 0, "iceberg", NULL, 0, false, 0},
    {{2, 30, 100000}, 16, 0, "iceberg", "blocks=1,names=1", 0, true, 0},
    {{2, 40, 1000000}, 25, 0, "linear", "blocks=1,names=1", 0, true, 0},
};
enum { RUNS = sizeof runs / sizeof *runs };

static struct engine_outcome explore(struct loaded *loaded, const struct run *run, struct archive *archive,
                                     const struct recorder *recorder, struct fake_counts *counts) {
  const floe_options options = {.threads = 1,
                                .table = run->table,
                                .memory = 64 * MEBIBYTE,
                                .initial_slots = run->slots,
                                .max_depth = run->depth ? run->depth : UINT32_MAX,
                                .max_states = UINT64_MAX,
                                .cache_dir = "",
                                .progress_seconds = 1000,
                                .keep_going = true};
  struct stepper *stepper;
  struct search *search = NULL;
  struct engine_outcome outcome;
  uint64_t initial[64];
  ck_assert_int_eq(key_of_initial(loaded->model, loaded->layout, initial), FLOE_OK);
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
  struct fake_settings device = {.memory = run->memory ? run->memory : 256 * MEBIBYTE,
                                 .multiprocessors = 1,
                                 .seed = 1,
                                 .host_memory = 64 * MEBIBYTE,
                                 .stop_percent = 10,
                                 .stepper = stepper,
                                 .model = loaded->model};
  struct gpu *gpu = fake_open(&device);
  struct engine_task task = {.model = loaded->model,
                             .layout = loaded->layout,
                             .initial = initial,
                             .stepper = stepper,
                             .options = &options,
                             .property_mask = (UINT64_C(1) << loaded->model->property_count) - 1,
                             .limits.interrupt = &interrupt,
                             .limits.started = clock_seconds(),
                             .archive = archive,
                             .recorder = recorder,
                             .devices.gpus = &gpu,
                             .devices.count = 1};
  setenv("FLOE_GPU_TEST", run->test_settings ? run->test_settings : "", 1);
  floe_status status = engine_gpu.prepare(&task, loaded->log, &search);
  if (status == FLOE_OK)
    status = engine_gpu.explore(search, &outcome);
  ck_assert_msg(status == FLOE_OK, "%d: %s", (int)status, loaded_message(loaded));
  engine_gpu.drop(search);
  *counts = fake_counts(gpu);
  ck_assert_uint_eq(fake_close(gpu), 0);
  stepper->free(stepper);
  return outcome;
}

static const struct engine_violation *hit_of(const struct loaded *loaded, const struct engine_outcome *found,
                                             floe_property_kind kind) {
  size_t i = 0;
  while (loaded->model->properties[i].kind != kind)
    i++;
  ck_assert(found->violations[i].violation);
  return &found->violations[i];
}

static void compare(const struct run *run, const struct loaded *loaded, const struct truth *truth,
                    const struct engine_outcome *found) {
  const unsigned levels = last_level(run) + 1;
  ck_assert_int_eq(found->end, run->depth ? FLOE_END_DEPTH : FLOE_END_COMPLETE);
  ck_assert_uint_eq(found->states, truth->states);
  ck_assert_uint_eq(found->transitions, truth->transitions);
  ck_assert_uint_eq(found->deadlocks, truth->deadlocks);
  ck_assert_uint_eq(found->max_out_degree, run->chains.chains);
  ck_assert_uint_eq(found->checksum, truth->checksum);
  ck_assert_uint_eq(found->levels, levels);
  for (unsigned i = 0; i < levels; i++)
    ck_assert_uint_eq(found->level_states[i], truth->levels[i]);
  const struct engine_violation *never = hit_of(loaded, found, FLOE_NEVER);
  ck_assert_uint_eq(never->depth, WITNESS_DEPTH);
  if (truth->deadlocks)
    ck_assert_uint_eq(hit_of(loaded, found, FLOE_DEADLOCK)->depth, levels - 1);
  for (uint32_t w = 0; w < loaded->layout->words; w++)
    ck_assert_uint_eq(never->state[w], truth->witness[w]);
}

static void load(const struct run *run, struct loaded *loaded, struct truth *truth) {
  static char text[1 << 16];
  write_model(&run->chains, text, sizeof text);
  ck_assert_msg(loaded_from_text(loaded, "chains", text, strlen(text), NULL, 0), "%s", loaded_message(loaded));
  ck_assert_uint_ge(loaded->layout->words, run->least_words);
  find_truth(run, loaded, truth);
}

/* `make check` omits runs whose table, growth and number of words others have. */
START_TEST(chains_are_explored) {
  if (!at_length() && (_i == 2 || _i == 4 || _i == 8))
    return;
  static struct truth truth;
  const struct run *run = &runs[_i];
  struct loaded loaded;
  struct fake_counts counts;
  load(run, &loaded, &truth);
  struct engine_outcome found = explore(&loaded, run, NULL, NULL, &counts);
  printf("%2u words, %6llu states, %s, %s: %llu rehashes\n", loaded.layout->words, (unsigned long long)truth.states,
         run->table, run->test_settings ? run->test_settings : "", (unsigned long long)counts.rehashes);
  compare(run, &loaded, &truth, &found);
  ck_assert((!run->slots && !run->grows) || counts.rehashes > 0);
  engine_outcome_free(&found);
  loaded_free(&loaded);
  emulated_forget();
}
END_TEST

/* A tree table cannot grow: complete levels up to there are exact. */
START_TEST(memory_ends) {
  static const struct run run = {{6, 12, 1}, 2, 17, "iceberg", "blocks=1,names=16000", 1 << 22, true, 11 * MEBIBYTE};
  static struct truth truth;
  struct loaded loaded;
  struct fake_counts counts;
  load(&run, &loaded, &truth);
  struct engine_outcome found = explore(&loaded, &run, NULL, NULL, &counts);
  ck_assert_int_eq(found.end, FLOE_END_MEMORY);
  ck_assert_uint_gt(found.levels, 8);
  ck_assert_uint_lt(found.levels, 17);
  for (uint32_t i = 0; i < found.levels; i++)
    ck_assert_uint_eq(found.level_states[i], truth.levels[i]);
  engine_outcome_free(&found);
  loaded_free(&loaded);
  emulated_forget();
}
END_TEST

/* ---- states that are handed on ----------------------------------------------------------------------- */

static uint64_t checksum_of(const struct archive *archive, uint32_t level, uint32_t words) {
  uint64_t state[64], sum = 0;
  for (uint64_t i = 0; i < archive_states(archive, level); i++) {
    ck_assert_int_eq(archive_read(archive, level, i, 1, state), FLOE_OK);
    sum += engine_state_mix(state, words);
  }
  return sum;
}

START_TEST(an_archive_has_the_levels) {
  static struct truth truth;
  static const unsigned which[] = {1, 3, 9};
  const struct run *run = &runs[which[_i]];
  struct loaded loaded;
  struct fake_counts counts;
  struct archive *archive;
  load(run, &loaded, &truth);
  ck_assert_int_eq(archive_create(loaded.layout->words, MEBIBYTE, loaded.log, &archive), FLOE_OK);
  struct engine_outcome found = explore(&loaded, run, archive, NULL, &counts);
  compare(run, &loaded, &truth, &found);
  ck_assert_uint_eq(archive_levels(archive), found.levels);
  for (uint32_t level = 0; level < found.levels; level++) {
    ck_assert_uint_eq(archive_states(archive, level), truth.levels[level]);
    ck_assert_uint_eq(checksum_of(archive, level, loaded.layout->words), truth.checksums[level]);
  }
  engine_outcome_free(&found);
  archive_free(archive);
  loaded_free(&loaded);
  emulated_forget();
}
END_TEST

struct recorded {
  uint32_t words;
  uint64_t count, checksum;
};

static void *lane_of(void *user, unsigned number) {
  ck_assert_uint_eq(number, 0);
  return user;
}

static void record(void *lane, const uint64_t *states, const uint8_t *answers, size_t n) {
  struct recorded *recorded = lane;
  (void)answers;
  recorded->count += n;
  for (size_t i = 0; i < n; i++)
    recorded->checksum += engine_state_mix(states + i * recorded->words, recorded->words);
}

START_TEST(a_recorder_has_all_that_is_looked_up) {
  static struct truth truth;
  struct loaded loaded;
  struct fake_counts counts;
  load(&runs[3], &loaded, &truth);
  struct recorded recorded = {.words = loaded.layout->words};
  const struct recorder recorder = {.lookups = _i == 0, .user = &recorded, .lane = lane_of, .record = record};
  struct engine_outcome found = explore(&loaded, &runs[3], NULL, &recorder, &counts);
  compare(&runs[3], &loaded, &truth, &found);
  ck_assert_uint_eq(recorded.count, recorder.lookups ? truth.transitions + 1 : truth.states);
  ck_assert_uint_eq(recorded.checksum, recorder.lookups ? truth.looked_up : truth.checksum);
  engine_outcome_free(&found);
  loaded_free(&loaded);
  emulated_forget();
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *tcase = tcase_create("engine wide");
  tcase_add_loop_test(tcase, chains_are_explored, 0, RUNS);
  tcase_add_test(tcase, memory_ends);
  tcase_add_loop_test(tcase, an_archive_has_the_levels, 0, 3);
  tcase_add_loop_test(tcase, a_recorder_has_all_that_is_looked_up, 0, 2);
  return emulated_run("engine wide", tcase);
}
