/* The CPU engine with multiword states: its results equal those of a search without tree, tables and threads,
   wherever tables grow, with any stepper and any end. */
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/trace/level_archive.h"
#include "engine/visited/visited.h"
#include "multiword_models.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

#define KIBIBYTE (UINT64_C(1) << 10)
#define MEBIBYTE (UINT64_C(1) << 20)

static atomic_bool interrupt;

/* 961 to 6561 states of 2 to 25 words, with few or many values in each word. */
static const struct wide_model models[] = {
    {WIDE_CHAINS, 3, 15, 3, 2},         {WIDE_CHAINS, 4, 6, 7, 2},     {WIDE_COUNTERS, 4, 9, 100000000, 2},
    {WIDE_COUNTERS, 3, 15, 1 << 25, 2}, {WIDE_CHAINS, 2, 30, 1000, 9}, {WIDE_CHAINS, 2, 36, 1000000, 22},
};
enum { MODELS = sizeof models / sizeof *models };

struct subject {
  struct loaded loaded;
  struct truth truth;
  struct stepper *stepper;
};

static void open_subject(struct subject *subject, const struct wide_model *model) {
  wide_model_load(model, &subject->loaded);
  truth_find(&subject->loaded, &subject->truth);
  ck_assert_int_eq(interpreter_create(subject->loaded.model, subject->loaded.layout, &subject->stepper), FLOE_OK);
}

static void close_subject(struct subject *subject) {
  subject->stepper->free(subject->stepper);
  truth_free(&subject->truth);
  loaded_free(&subject->loaded);
}

/* ---- runs -------------------------------------------------------------------------------------------- */

struct run {
  floe_options options;
  uint64_t first_tree_slots;
  struct archive *archive;
  const struct recorder *recorder;
};

static struct run plain(void) {
  return (struct run){.options = {.threads = 1,
                                  .table = "iceberg",
                                  .memory = 256 * MEBIBYTE,
                                  .max_depth = UINT32_MAX,
                                  .max_states = UINT64_MAX,
                                  .progress_seconds = 1000,
                                  .keep_going = true}};
}

static floe_status try_run(const struct subject *subject, const struct run *run, struct engine_outcome *out) {
  uint64_t initial[64];
  const struct engine_task task = {.model = subject->loaded.model,
                                   .layout = subject->loaded.layout,
                                   .initial = initial,
                                   .stepper = subject->stepper,
                                   .options = &run->options,
                                   .property_mask = (UINT64_C(1) << subject->loaded.model->property_count) - 1,
                                   .limits.interrupt = &interrupt,
                                   .limits.started = clock_seconds(),
                                   .archive = run->archive,
                                   .recorder = run->recorder,
                                   .first_tree_slots = run->first_tree_slots};
  layout_initial(subject->loaded.model, subject->loaded.layout, initial);
  return engine_run(&engine_cpu, &task, subject->loaded.log, out);
}

static struct engine_outcome explore(const struct subject *subject, const struct run *run) {
  struct engine_outcome outcome;
  const floe_status status = try_run(subject, run, &outcome);
  ck_assert_msg(status == FLOE_OK, "%d: %s", (int)status, loaded_message(&subject->loaded));
  return outcome;
}

/* ---- comparison ------------------------------------------------------------------------------------ */

static void check_hits(const struct subject *subject, const struct engine_outcome *found) {
  const struct truth *truth = &subject->truth;
  for (size_t i = 0; i < truth->properties; i++) {
    const struct engine_violation *expected = &truth->violations[i];
    const bool within = expected->violation && found->any_complete && expected->depth <= found->complete_depth;
    if (!within && expected->violation && found->violations[i].violation)
      ck_assert_uint_eq(found->violations[i].depth, found->levels - 1); /* of an unfinished level */
    else {
      ck_assert_int_eq(found->violations[i].violation, within);
      ck_assert(!within || found->violations[i].depth == expected->depth);
      ck_assert(!within || memcmp(found->violations[i].state, expected->state, truth->words * sizeof(uint64_t)) == 0);
    }
  }
}

static void check_levels(const struct subject *subject, const struct engine_outcome *found) {
  ck_assert_uint_le(found->levels, subject->truth.levels);
  for (uint32_t i = 0; i < found->levels; i++)
    ck_assert_uint_eq(found->level_states[i], subject->truth.level_states[i]);
}

static void check_complete(const struct subject *subject, const struct engine_outcome *found) {
  const struct truth *truth = &subject->truth;
  ck_assert_int_eq(found->end, FLOE_END_COMPLETE);
  ck_assert_uint_eq(found->states, truth->states);
  ck_assert_uint_eq(found->transitions, truth->transitions);
  ck_assert_uint_eq(found->deadlocks, truth->deadlocks);
  ck_assert_uint_eq(found->checksum, truth->checksum);
  ck_assert_uint_eq(found->max_out_degree, truth->max_out_degree);
  ck_assert_uint_eq(found->levels, truth->levels);
  ck_assert_uint_eq(found->complete_depth, truth->levels - 1);
  for (size_t i = 0; i < subject->loaded.model->transition_count; i++)
    ck_assert_uint_eq(found->fired[i], truth->fired[i]);
  check_levels(subject, found);
  check_hits(subject, found);
}

/* After an early end the levels are exact, and the states beyond them are not too many. */
static void check_part(const struct subject *subject, const struct engine_outcome *found) {
  const struct truth *truth = &subject->truth;
  uint64_t states = 0, upper = 0;
  check_levels(subject, found);
  check_hits(subject, found);
  for (uint32_t i = 0; i < found->levels; i++)
    states += truth->level_states[i];
  upper = states + (found->levels < truth->levels ? truth->level_states[found->levels] : 0);
  ck_assert(found->states >= states && found->states <= upper);
  ck_assert_uint_le(found->transitions, truth->transitions);
  ck_assert_uint_le(found->levels, truth->levels);
  ck_assert(!found->any_complete || found->complete_depth < found->levels);
}

/* ---- growth ------------------------------------------------------------------------------------------ */

/* Initial sizes of the tree's tables and of the set, with 1, 2 and 4 threads. If both are small, leaves, pairs and
   keys grow in the middle of a level, together with the set. */
static const struct {
  const char *table;
  unsigned threads;
  uint64_t numbers, slots;
} initial_sizes[] = {
    {"iceberg", 1, 0, 0},   {"iceberg", 2, 0, 0},    {"iceberg", 4, 1, 1},      {"iceberg", 1, 1, 1},
    {"iceberg", 2, 2, 300}, {"iceberg", 4, 64, 1},   {"iceberg", 2, 1, 100000}, {"iceberg", 3, 7, 64},
    {"linear", 1, 1, 1},    {"linear", 2, 0, 0},     {"linear", 4, 2, 1},       {"linear", 2, 17, 1000},
    {"linear", 4, 1, 0},    {"iceberg", 4, 9000, 1},
};
enum { INITIAL_SIZES = sizeof initial_sizes / sizeof *initial_sizes };

START_TEST(found_whatever_grows) {
  struct subject subject;
  open_subject(&subject, &models[_i]);
  for (size_t i = 0; i < INITIAL_SIZES; i++) {
    struct run run = plain();
    if (initial_sizes[i].numbers > 1000 && subject.truth.words > 5)
      continue;
    run.options.table = initial_sizes[i].table;
    run.options.threads = initial_sizes[i].threads;
    run.options.initial_slots = initial_sizes[i].slots;
    run.first_tree_slots = initial_sizes[i].numbers;
    struct engine_outcome found = explore(&subject, &run);
    check_complete(&subject, &found);
    ck_assert_str_eq(found.table.scheme, initial_sizes[i].table);
    ck_assert(found.statistics.growths > 0 || (initial_sizes[i].slots != 1 && initial_sizes[i].numbers != 1));
    ck_assert_uint_gt(found.statistics.tree_contents, 0);
    engine_outcome_free(&found);
  }
  close_subject(&subject);
}
END_TEST

/* A slot width chosen by the user stays as keys get wider: then the table has more slots. */
START_TEST(slots_of_a_width) {
  static const struct {
    const char *table;
    unsigned slot_bits, bucket_slots;
  } layouts[] = {{"iceberg", 16, 0},  {"iceberg", 16, 8}, {"iceberg", 21, 24}, {"iceberg", 21, 12},
                 {"iceberg", 32, 16}, {"iceberg", 64, 8}, {"linear", 64, 0},   {"linear", 32, 0}};
  for (unsigned m = 0; m < 3; m += 2) {
    struct subject subject;
    open_subject(&subject, &models[m]);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
      struct run run = plain();
      run.options.threads = 1 + i % 2;
      run.options.table = layouts[i].table;
      run.options.slot_bits = layouts[i].slot_bits;
      run.options.bucket_slots = layouts[i].bucket_slots;
      run.options.initial_slots = 1;
      run.first_tree_slots = 1 + 8 * m;
      struct engine_outcome found = explore(&subject, &run);
      check_complete(&subject, &found);
      ck_assert_uint_eq(found.table.shape.slot_bits, layouts[i].slot_bits);
      engine_outcome_free(&found);
    }
    close_subject(&subject);
  }
}
END_TEST

/* ---- code -------------------------------------------------------------------------------------------- */

/* Compiled code instead of the interpreter, if there is a compiler. */
static bool compile(struct subject *subject) {
  struct stepper *compiled;
  const struct compile_options options = {.compiler = "cc -O1", .cache_dir = ""};
  if (compiled_create(subject->loaded.model, subject->loaded.layout, &options, subject->loaded.log, &compiled) !=
      FLOE_OK)
    return false;
  subject->stepper->free(subject->stepper);
  subject->stepper = compiled;
  return true;
}

START_TEST(generated_code) {
  struct subject subject;
  open_subject(&subject, &models[_i]);
  if (!compile(&subject))
    printf("no generated code: %s\n", loaded_message(&subject.loaded));
  for (unsigned threads = 1; threads < 4; threads++) {
    struct run run = plain();
    run.options.threads = threads;
    run.first_tree_slots = run.options.initial_slots = threads == 2;
    struct engine_outcome found = explore(&subject, &run);
    check_complete(&subject, &found);
    engine_outcome_free(&found);
  }
  close_subject(&subject);
}
END_TEST

/* ---- ends -------------------------------------------------------------------------------------------- */

START_TEST(bounds) {
  struct subject subject;
  open_subject(&subject, &models[_i]);
  for (uint32_t depth = 0; depth < subject.truth.levels - 1; depth += 1 + subject.truth.levels / 7) {
    struct run run = plain();
    run.options.threads = 1 + depth % 2;
    run.options.max_depth = depth;
    run.first_tree_slots = run.options.initial_slots = 1;
    struct engine_outcome found = explore(&subject, &run);
    check_part(&subject, &found);
    ck_assert_int_eq(found.end, FLOE_END_DEPTH);
    ck_assert_uint_eq(found.levels, depth + 1);
    uint64_t checksum = 0;
    for (uint32_t i = 0; i <= depth; i++)
      checksum += subject.truth.level_checksums[i];
    ck_assert_uint_eq(found.checksum, checksum);
    engine_outcome_free(&found);
    run.options.max_depth = UINT32_MAX;
    run.options.max_states = 2 + depth * subject.truth.states / subject.truth.levels;
    found = explore(&subject, &run);
    check_part(&subject, &found);
    ck_assert_int_eq(found.end, FLOE_END_STATES);
    ck_assert_uint_ge(found.states, run.options.max_states);
    ck_assert_uint_lt(found.states - found.level_states[found.levels - 1], run.options.max_states);
    engine_outcome_free(&found);
  }
  close_subject(&subject);
}
END_TEST

/* Without keep_going the search ends with the level that decides all properties; depth and least state are those of
   the complete search. */
START_TEST(violations_end_it) {
  struct subject subject;
  open_subject(&subject, &models[_i]);
  for (unsigned threads = 1; threads < 4; threads++) {
    struct run run = plain();
    run.options.keep_going = false;
    run.options.threads = threads;
    run.first_tree_slots = 1;
    struct engine_outcome found = explore(&subject, &run);
    ck_assert_int_eq(found.end, FLOE_END_DECIDED);
    ck_assert_uint_lt(found.states, subject.truth.states);
    ck_assert(found.violations[0].violation);
    ck_assert_uint_eq(found.violations[0].depth, subject.truth.violations[0].depth);
    ck_assert_mem_eq(found.violations[0].state, subject.truth.violations[0].state,
                     subject.truth.words * sizeof(uint64_t));
    engine_outcome_free(&found);
  }
  close_subject(&subject);
}
END_TEST

static unsigned reports_left;

static void interrupt_soon(const floe_progress *progress, void *user) {
  (void)progress, (void)user;
  if (reports_left > 0 && --reports_left == 0)
    atomic_store(&interrupt, true);
}

/* In any level: by an interrupt or a timeout. */
START_TEST(time_ends) {
  struct subject subject;
  unsigned ended = 0;
  open_subject(&subject, &models[_i]);
  for (unsigned reports = 0; reports < 12; reports++) {
    struct run run = plain();
    run.options.threads = 1 + reports % 3;
    run.options.progress_seconds = 0;
    run.options.progress = interrupt_soon;
    run.first_tree_slots = run.options.initial_slots = 1;
    if (reports == 0)
      run.options.timeout = 1e-5;
    reports_left = reports * reports;
    struct engine_outcome found = explore(&subject, &run);
    atomic_store(&interrupt, false);
    check_part(&subject, &found);
    if (found.end != FLOE_END_COMPLETE)
      ck_assert_int_eq(found.end, reports ? FLOE_END_INTERRUPT : FLOE_END_TIMEOUT);
    ended += found.end != FLOE_END_COMPLETE;
    engine_outcome_free(&found);
  }
  ck_assert_uint_gt(ended, 5);
  close_subject(&subject);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------------------ */

/* Wide levels of few values, and many values; limits that lead to all kinds of ends. */
static const struct {
  struct wide_model model;
  uint64_t from, to; /* KiB */
} limited[] = {{{WIDE_COUNTERS, 16, 2, 16, 2}, 300, 700}, {{WIDE_COUNTERS, 4, 9, 100000000, 2}, 100, 360}};
enum { LIMITED = sizeof limited / sizeof *limited };

/* Never above the limit, never wrong; a larger limit suffices with the help of the disk. */
START_TEST(memory_limits) {
  struct subject subject;
  unsigned runs = 0, ended = 0, spilled = 0, complete = 0;
  open_subject(&subject, &limited[_i].model);
  compile(&subject);
  for (uint64_t kib = limited[_i].from; kib < limited[_i].to; kib += 19, runs++) {
    struct run run = plain();
    struct engine_outcome found;
    run.options.threads = 1 + runs % 4 / 3;
    run.options.table = runs % 5 == 4 ? "linear" : "iceberg";
    run.options.memory = kib * KIBIBYTE;
    run.options.expected_states = runs % 2 ? subject.truth.states : 0;
    run.first_tree_slots = runs % 3 ? 1 : 257;
    const size_t held = mem_live();
    const floe_status status = try_run(&subject, &run, &found);
    ck_assert(status == FLOE_OK || status == FLOE_ERROR_MEMORY);
    if (status == FLOE_OK) {
      ck_assert(found.end == FLOE_END_MEMORY || found.end == FLOE_END_COMPLETE);
      (found.end == FLOE_END_COMPLETE ? check_complete : check_part)(&subject, &found);
      ck_assert_uint_le(found.statistics.table_bytes + found.statistics.tree_bytes, run.options.memory);
      ended += found.end == FLOE_END_MEMORY;
      complete += found.end == FLOE_END_COMPLETE;
      spilled += found.end == FLOE_END_COMPLETE && found.statistics.disk_bytes > 0;
      engine_outcome_free(&found);
    }
    ck_assert_uint_eq(mem_live(), held);
  }
  ck_assert_uint_gt(ended, 1);
  ck_assert_uint_gt(complete, 1);
  ck_assert(spilled > 0 || _i > 0);
  close_subject(&subject);
}
END_TEST

/* Keys get wider while the set is far from full: there is no memory for a second set of as many slots, but for a
   smaller one. */
START_TEST(wider_keys_in_fewer_slots) {
  static const struct wide_model model = {WIDE_COUNTERS, 15, 2, 16, 2};
  struct subject subject;
  struct run run = plain();
  open_subject(&subject, &model);
  run.options.threads = 2;
  run.options.table = "linear";
  run.options.memory = 525 * KIBIBYTE;
  run.first_tree_slots = 101;
  struct engine_outcome found = explore(&subject, &run);
  check_part(&subject, &found);
  ck_assert_uint_gt(found.states, 10000); /* 576 otherwise */
  engine_outcome_free(&found);
  close_subject(&subject);
}
END_TEST

/* Any allocation fails: an end or an error that reports it, and no wrong or lost state. */
START_TEST(allocations_fail) {
  struct subject subject;
  unsigned errors = 0, ends = 0;
  bool reached = true;
  open_subject(&subject, &models[_i]);
  for (long n = 1; reached; n = n < 60 ? n + 1 : n + n / 9) {
    struct run run = plain();
    struct engine_outcome found;
    run.options.threads = 1 + n % 2;
    run.first_tree_slots = run.options.initial_slots = 1;
    const size_t held = mem_live();
    mem_fail_after(n);
    const floe_status status = try_run(&subject, &run, &found);
    mem_fail_after(0);
    ck_assert(status == FLOE_OK || status == FLOE_ERROR_MEMORY);
    reached = status != FLOE_OK || found.end != FLOE_END_COMPLETE || n < 200;
    errors += status != FLOE_OK;
    if (status == FLOE_OK) {
      check_part(&subject, &found);
      ck_assert(found.end == FLOE_END_MEMORY || found.end == FLOE_END_COMPLETE);
      ends += found.end == FLOE_END_MEMORY;
      engine_outcome_free(&found);
    }
    ck_assert_uint_eq(mem_live(), held);
  }
  ck_assert_uint_gt(errors, 10);
  ck_assert(ends > 0 ||
            _i > 2); /* otherwise only the growth of nearly full tables fails, which then stay as they are */
  close_subject(&subject);
}
END_TEST

/* ---- states that are handed on ----------------------------------------------------------------------- */

struct record {
  const struct truth *truth;
  const uint64_t *expected; /* the next expected state; NULL: any order */
  bool lookups;
  _Atomic uint64_t count, checksum;
};

static void *lane_of(void *user, unsigned number) {
  (void)number;
  return user;
}

static void record(void *lane, const uint64_t *states, const uint8_t *answers, size_t n) {
  struct record *to = lane;
  const uint32_t words = to->truth->words;
  for (size_t i = 0; i < n; i++, states += words) {
    if (answers[i] == VISITED_NO_PLACE || (!to->lookups && answers[i] != VISITED_NEW))
      continue;
    if (to->expected) {
      ck_assert_mem_eq(states, to->expected, words * sizeof *states);
      to->expected += words;
    }
    atomic_fetch_add(&to->count, 1);
    atomic_fetch_add(&to->checksum, engine_state_mix(states, words));
  }
}

static uint64_t checksum_of(const uint64_t *states, uint64_t n, uint32_t words) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++)
    sum += engine_state_mix(states + i * words, words);
  return sum;
}

/* With one thread in the order of the search, with any growth; with several threads the same states. */
START_TEST(recorded) {
  struct subject subject;
  open_subject(&subject, &models[_i]);
  const struct truth *truth = &subject.truth;
  for (unsigned i = 0; i < 8; i++) {
    struct record to = {.truth = truth, .lookups = i % 2};
    const struct recorder recorder = {.lookups = to.lookups, .user = &to, .lane = lane_of, .record = record};
    const uint64_t *states = to.lookups ? truth->looked_up : truth->found;
    const uint64_t n = to.lookups ? 1 + truth->transitions : truth->states;
    struct run run = plain();
    run.recorder = &recorder;
    run.options.threads = 1 + i / 6 * 2;
    run.options.table = i / 2 % 2 ? "linear" : "iceberg";
    run.first_tree_slots = i > 1;
    run.options.initial_slots = i > 3;
    to.expected = run.options.threads == 1 ? states : NULL;
    struct engine_outcome found = explore(&subject, &run);
    check_complete(&subject, &found);
    ck_assert_uint_eq(to.count, n);
    ck_assert_uint_eq(to.checksum, checksum_of(states, n, truth->words));
    engine_outcome_free(&found);
  }
  close_subject(&subject);
}
END_TEST

START_TEST(archived) {
  struct subject subject;
  open_subject(&subject, &models[_i]);
  const struct truth *truth = &subject.truth;
  for (unsigned threads = 1; threads < 3; threads++) {
    struct run run = plain();
    ck_assert_int_eq(archive_create(truth->words, 64 * KIBIBYTE, subject.loaded.log, &run.archive), FLOE_OK);
    run.options.threads = threads;
    run.first_tree_slots = run.options.initial_slots = 1;
    struct engine_outcome found = explore(&subject, &run);
    check_complete(&subject, &found);
    ck_assert_uint_eq(archive_levels(run.archive), truth->levels);
    for (uint32_t level = 0; level < truth->levels; level++) {
      const size_t n = archive_states(run.archive, level);
      ck_assert_uint_eq(n, truth->level_states[level]);
      uint64_t *states = calloc(n, truth->words * sizeof *states);
      ck_assert_int_eq(archive_read(run.archive, level, 0, n, states), FLOE_OK);
      ck_assert_uint_eq(checksum_of(states, n, truth->words), truth->level_checksums[level]);
      free(states);
    }
    engine_outcome_free(&found);
    archive_free(run.archive);
  }
  close_subject(&subject);
}
END_TEST

int main(void) {
  TCase *test = tcase_create("wide");
  tcase_set_timeout(test, 120);
  tcase_add_loop_test(test, found_whatever_grows, 0, MODELS);
  tcase_add_test(test, slots_of_a_width);
  tcase_add_loop_test(test, generated_code, 2, 5);
  tcase_add_loop_test(test, bounds, 0, MODELS);
  tcase_add_loop_test(test, violations_end_it, 0, MODELS);
  tcase_add_loop_test(test, time_ends, 0, MODELS);
  tcase_add_loop_test(test, memory_limits, 0, LIMITED);
  tcase_add_test(test, wider_keys_in_fewer_slots);
  tcase_add_loop_test(test, allocations_fail, 3, 5);
  tcase_add_loop_test(test, recorded, 0, MODELS);
  tcase_add_loop_test(test, archived, 0, MODELS);
  return suite_end(run_suite("wide", CK_NOFORK, test));
}
