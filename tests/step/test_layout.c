#include "base/splitmix64.h"
#include "handmade.h"
#include "step/layout/layout.h"
#include "tests/suite.h"

#include <string.h>

struct bench {
  struct arena arena;
  struct variable variables[8];
  struct process processes[2];
  struct model model;
  const struct layout *layout;
};

static void bench_open(struct bench *bench) {
  memset(bench, 0, sizeof *bench);
  arena_init(&bench->arena);
  bench->model.variables = bench->variables;
  bench->model.processes = bench->processes;
}

struct addition {
  struct bench *bench;
  uint32_t count;
  int64_t lo, hi;
  bool assigned;
  enum variable_kind kind;
};

static void add_variable(void *data) {
  struct addition *a = data;
  a->bench->variables[a->bench->model.variable_count++] =
      variable(&a->bench->arena, "v", a->kind, a->count, (struct value_range){a->lo, a->hi}, a->assigned);
}

/* Under an arena guard, like all arena allocations. */
static void add(struct bench *bench, uint32_t count, int64_t lo, int64_t hi, bool assigned) {
  struct addition addition = {bench, count, lo, hi, assigned, VARIABLE_GLOBAL};
  ck_assert_int_eq(arena_guard(&bench->arena, add_variable, &addition), 0);
}

static void make_layout(struct bench *bench) {
  number_elements(&bench->model);
  ck_assert_int_eq(layout_make(&bench->model, &bench->arena, &bench->layout), FLOE_OK);
}

/* No two elements share a bit, no element crosses a word, and layout's totals are correct. */
static void check_disjoint(const struct bench *bench) {
  uint64_t *used = mem_array(bench->layout->words, sizeof *used);
  for (size_t v = 0; v < bench->model.variable_count; v++) {
    const struct field *f = &bench->layout->fields[v];
    for (uint32_t i = 0; f->width && i < bench->variables[v].count; i++) {
      uint32_t word = f->word + i / f->per_word, shift = f->shift + i % f->per_word * f->stride;
      uint64_t mask = (((uint64_t)1 << f->width) - 1) << shift;
      ck_assert_uint_lt(word, bench->layout->words);
      ck_assert_uint_le(shift + f->width, 64);
      ck_assert_uint_eq(used[word] & mask, 0);
      used[word] |= mask;
    }
  }
  if (bench->layout->words == 1 && bench->layout->bits < 64)
    ck_assert_uint_eq(used[0] >> bench->layout->bits, 0);
  mem_free(used);
}

static void check_field(const struct field *field, uint32_t word, uint32_t shift, uint32_t per_word) {
  ck_assert_uint_eq(field->word, word);
  ck_assert_uint_eq(field->shift, shift);
  ck_assert_uint_eq(field->per_word, per_word);
}

/* Random values survive packing and unpacking, and equal states are equal words. */
static void check_round_trip(const struct bench *bench, uint64_t seed) {
  const struct model *model = &bench->model;
  int64_t *values = mem_array(model->value_count, sizeof *values);
  int64_t *back = mem_array(model->value_count, sizeof *back);
  uint64_t *state = mem_array(bench->layout->words, sizeof *state);
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &bench->variables[v];
    uint64_t range = (uint64_t)(variable->hi - variable->lo) + 1;
    for (uint32_t i = 0; i < variable->count; i++)
      values[variable->first + i] =
          !variable->assigned ? variable->init[i] : variable->lo + (int64_t)(splitmix64_next(&seed) % range);
  }
  memset(state, 0xff, bench->layout->words * sizeof *state);
  layout_pack(model, bench->layout, values, state);
  layout_unpack(model, bench->layout, state, back);
  ck_assert_int_eq(memcmp(values, back, model->value_count * sizeof *values), 0);
  if (bench->layout->words == 1 && bench->layout->bits < 64)
    ck_assert_uint_eq(state[0] >> bench->layout->bits, 0);
  mem_free(values);
  mem_free(back);
  mem_free(state);
}

static void check_and_close(struct bench *bench) {
  check_disjoint(bench);
  for (uint64_t seed = 0; seed < 50; seed++)
    check_round_trip(bench, seed);
  arena_free(&bench->arena);
}

START_TEST(nothing_to_store) {
  struct bench bench;
  bench_open(&bench);
  add(&bench, 3, 0, 5, false); /* constant */
  add(&bench, 2, 7, 7, true);  /* one value */
  make_layout(&bench);
  ck_assert_uint_eq(bench.layout->bits, 1);
  ck_assert_uint_eq(bench.layout->words, 1);
  ck_assert_uint_eq(bench.layout->keys, 1);
  int64_t values[5];
  uint64_t state = 99;
  layout_initial(&bench.model, bench.layout, &state);
  ck_assert_uint_eq(state, 0);
  layout_unpack(&bench.model, bench.layout, &state, values);
  const int64_t expected[5] = {0, 1, 2, 7, 7};
  ck_assert_int_eq(memcmp(values, expected, sizeof values), 0);
  ck_assert_double_eq(layout_state_bound(&bench.model), 1);
  arena_free(&bench.arena);
}
END_TEST

START_TEST(one_word_has_no_gaps) {
  struct bench bench;
  bench_open(&bench);
  add(&bench, 1, -3, 3, true);                /* 3 */
  add(&bench, 1, INT32_MIN, INT32_MAX, true); /* 32 */
  add(&bench, 13, 0, 1, true);                /* 13 */
  add(&bench, 4, 1, 16, true);                /* 16 */
  make_layout(&bench);
  ck_assert_uint_eq(bench.layout->bits, 64);
  ck_assert_uint_eq(bench.layout->words, 1);
  check_and_close(&bench);
}
END_TEST

START_TEST(a_process_stays_together) {
  struct bench bench;
  bench_open(&bench);
  add(&bench, 1, 0, 3, true);
  add(&bench, 2, 0, 3, true);
  add(&bench, 2, 0, 3, true);
  bench.variables[1].kind = VARIABLE_LOCAL;
  bench.variables[2].kind = VARIABLE_LOCATION;
  bench.model.process_count = 1;
  make_layout(&bench);
  ck_assert_uint_eq(bench.layout->fields[1].shift, 0);
  ck_assert_uint_eq(bench.layout->fields[2].shift, 4);
  ck_assert_uint_eq(bench.layout->fields[0].shift, 8);
  arena_free(&bench.arena);
}
END_TEST

START_TEST(many_words) {
  struct bench bench;
  bench_open(&bench);
  add(&bench, 1, 0, 6, true);     /* 3 bits, in a gap */
  add(&bench, 100, 0, 127, true); /* 7 bits, and 15 words: 7 elements in each, the last with 2 */
  add(&bench, 9, 0, 99, true);    /* 7 bits: one in each of 9 words, after the hundred */
  add(&bench, 20, 0, 7, true);    /* 3 bits: two in each of 10 words, after those */
  make_layout(&bench);
  const struct field *fields = bench.layout->fields;
  ck_assert_uint_eq(bench.layout->bits, 3 + 700 + 63 + 60);
  ck_assert_uint_eq(bench.layout->words, 15);
  check_field(&fields[0], 10, 49, 1);
  check_field(&fields[1], 0, 0, 7);
  check_field(&fields[2], 0, 49, 1);
  check_field(&fields[3], 0, 56, 2);
  check_and_close(&bench);
}
END_TEST

/* One more than the greatest key; 0: 2^64, or keys of several words. */
START_TEST(bound_of_keys) {
  struct bench bench;
  bench_open(&bench);
  add(&bench, 1, -2, 2, true); /* 3 bits, at most 4 */
  add(&bench, 2, 1, 3, true);  /* 2 bits each, at most 2 */
  make_layout(&bench);
  uint64_t key;
  const int64_t greatest[] = {2, 3, 3};
  layout_pack(&bench.model, bench.layout, greatest, &key);
  ck_assert_uint_eq(key, 4 + (2 << 3) + (2 << 5));
  ck_assert_uint_eq(bench.layout->keys, key + 1);
  add(&bench, 57, 0, 1, true);
  make_layout(&bench);
  ck_assert_uint_eq(bench.layout->words, 1);
  ck_assert_uint_eq(bench.layout->keys, UINT64_MAX - 127 + key + 1);
  add(&bench, 1, 0, 1, true);
  make_layout(&bench);
  ck_assert_uint_eq(bench.layout->words, 2);
  ck_assert_uint_eq(bench.layout->keys, 0);
  arena_free(&bench.arena);
  bench_open(&bench);
  add(&bench, 64, 0, 1, true);
  make_layout(&bench);
  ck_assert_uint_eq(bench.layout->words, 1);
  ck_assert_uint_eq(bench.layout->keys, 0);
  arena_free(&bench.arena);
}
END_TEST

/* The positions of channels of ten messages of 7 bits are assigned one by one. */
START_TEST(channels_of_more_than_a_word) {
  struct bench bench;
  bench_open(&bench);
  add(&bench, 5, 0, 1, true);
  add(&bench, 20, 0, 127, true);
  bench.variables[1].kind = VARIABLE_FIELD;
  bench.variables[1].length = 10;
  make_layout(&bench);
  check_field(&bench.layout->fields[0], 0, 49, 2);
  check_field(&bench.layout->fields[1], 0, 0, 7);
  ck_assert_uint_eq(bench.layout->words, 3);
  check_and_close(&bench);
}
END_TEST

/* Processes with 3 and 4 bits of their own, and an array for their turns: each of two words holds half of
   everything. */
START_TEST(instances_are_assigned_whole) {
  struct bench bench;
  bench_open(&bench);
  add(&bench, 12, 0, 1, true);  /* an array with an element for each instance */
  add(&bench, 12, 0, 15, true); /* a local variable */
  add(&bench, 12, 0, 4, true);  /* the location */
  bench.variables[1].kind = VARIABLE_LOCAL;
  bench.variables[1].length = 1;
  bench.variables[2].kind = VARIABLE_LOCATION;
  bench.variables[2].length = 1;
  bench.model.process_count = 1;
  make_layout(&bench);
  check_field(&bench.layout->fields[1], 0, 0, 6);
  check_field(&bench.layout->fields[2], 0, 24, 6);
  check_field(&bench.layout->fields[0], 0, 42, 6);
  ck_assert_uint_eq(bench.layout->words, 2);
  check_disjoint(&bench);
  arena_free(&bench.arena);
}
END_TEST

START_TEST(random_layouts) {
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct bench bench;
    uint64_t stream = seed;
    bench_open(&bench);
    for (int v = 0; v < 6; v++) {
      int64_t lo = (int64_t)(splitmix64_next(&stream) % 9) - 4;
      int64_t hi = lo + (int64_t)(splitmix64_next(&stream) % (1u << splitmix64_next(&stream) % 31));
      add(&bench, 1 + (uint32_t)(splitmix64_next(&stream) % 30), lo, hi, splitmix64_next(&stream) % 8 != 0);
    }
    make_layout(&bench);
    check_disjoint(&bench);
    check_round_trip(&bench, seed);
    arena_free(&bench.arena);
  }
}
END_TEST

START_TEST(too_large) {
  struct bench bench;
  bench_open(&bench);
  add(&bench, 1, INT32_MIN, INT32_MAX, true);
  bench.variables[0].count = 50000000;
  number_elements(&bench.model);
  ck_assert_int_eq(layout_make(&bench.model, &bench.arena, &bench.layout), FLOE_ERROR_UNSUPPORTED);
  arena_free(&bench.arena);
}
END_TEST

START_TEST(without_memory) {
  struct bench bench;
  bench_open(&bench);
  add(&bench, 3, 0, 3, true);
  number_elements(&bench.model);
  arena_free(&bench.arena); /* frees also the memory of add; only sizes matter below */
  mem_fail_after(1);
  ck_assert_int_eq(layout_make(&bench.model, &bench.arena, &bench.layout), FLOE_ERROR_MEMORY);
  mem_fail_after(0);
  arena_free(&bench.arena);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  return run_tests("layout", CK_NOFORK, nothing_to_store, one_word_has_no_gaps, a_process_stays_together, many_words,
                   bound_of_keys, channels_of_more_than_a_word, instances_are_assigned_whole, random_layouts, too_large,
                   without_memory, nothing_leaks);
}
