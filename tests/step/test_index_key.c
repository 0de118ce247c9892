/* Index keys: encodings of invariants made by hand, and of false invariants. */
#include "base/splitmix64.h"
#include "core/mem.h"
#include "engine/engine.h"
#include "handmade.h"
#include "loaded.h"
#include "step/layout/state_key.h"
#include "tests/suite.h"

#include <string.h>

#define MAX_ELEMENTS 16 /* elements */

struct bench {
  struct arena arena;
  struct variable variables[MAX_ELEMENTS];
  struct model model;
  const struct layout *fields;
  struct layout index_keys;
  struct invariants invariants;
  struct value_interval ranges[MAX_ELEMENTS];
  struct ranges_by_selector by[2];
  struct dependent_element dependent[3];
  struct linear_term terms[3][2];
  const struct encoding *encoding;
};

static void bench_open(struct bench *bench) {
  memset(bench, 0, sizeof *bench);
  arena_init(&bench->arena);
  bench->model.variables = bench->variables;
  bench->invariants =
      (struct invariants){.ranges = bench->ranges, .by_selector = bench->by, .dependent = bench->dependent};
}

static void bench_close(struct bench *bench) { arena_free(&bench->arena); }

struct addition {
  struct bench *bench;
  int64_t lo, hi;
};

static void add_variable(void *data) {
  struct addition *a = data;
  const size_t n = a->bench->model.variable_count++;
  a->bench->variables[n] =
      variable(&a->bench->arena, "v", VARIABLE_GLOBAL, 1, (struct value_range){a->lo, a->hi}, true);
  a->bench->ranges[n] = (struct value_interval){a->lo, a->hi};
}

/* Adds an element; they are numbered from 0. */
static void add(struct bench *bench, int64_t lo, int64_t hi) {
  struct addition addition = {bench, lo, hi};
  ck_assert_int_eq(arena_guard(&bench->arena, add_variable, &addition), 0);
}

static floe_status make_index_keys(struct bench *bench) {
  number_elements(&bench->model);
  ck_assert_int_eq(layout_make(&bench->model, &bench->arena, &bench->fields), FLOE_OK);
  floe_status status = encoding_make(&bench->model, bench->fields, &bench->invariants, &bench->arena, &bench->encoding);
  if (status == FLOE_OK)
    bench->index_keys = layout_with_index_keys(bench->fields, bench->encoding);
  return status;
}

/* ---- a bijection ------------------------------------------------------------------------------- */

/* The invariants, evaluated in the simplest way. */
static bool allowed(const struct bench *bench, const int64_t *values) {
  for (size_t e = 0; e < bench->model.value_count; e++)
    if (values[e] < bench->ranges[e].lo || values[e] > bench->ranges[e].hi)
      return false;
  for (uint32_t b = 0; b < bench->invariants.by_selector_count; b++) {
    const struct ranges_by_selector *by = &bench->by[b];
    const size_t row = (size_t)(values[by->selector] - bench->ranges[by->selector].lo) * by->element_count;
    for (uint32_t i = 0; i < by->element_count; i++)
      if (values[by->elements[i]] < by->ranges[row + i].lo || values[by->elements[i]] > by->ranges[row + i].hi)
        return false;
  }
  for (uint32_t d = 0; d < bench->invariants.dependent_count; d++) {
    const struct dependent_element *dependent = &bench->dependent[d];
    int64_t sum = dependent->constant;
    for (uint32_t i = 0; i < dependent->term_count; i++) {
      const struct linear_term *t = &dependent->terms[i];
      sum +=
          t->table ? t->table[values[t->element] - bench->ranges[t->element].lo] : t->coefficient * values[t->element];
    }
    if (values[dependent->element] != sum)
      return false;
  }
  return true;
}

/* The next tuple of values in ranges one wider than declared on both sides; false: no more. */
static bool next_values(const struct bench *bench, int64_t *values) {
  for (size_t e = 0; e < bench->model.value_count; e++) {
    if (values[e]++ < bench->variables[e].hi + 1)
      return true;
    values[e] = bench->variables[e].lo - 1;
  }
  return false;
}

/* Every tuple of values has a key if and only if it is allowed; keys are distinct and cover 0..keys-1; each key is that
   of the same state in fields. */
static void check_bijection(const struct bench *bench) {
  const uint64_t keys = bench->encoding->keys;
  bool *taken = mem_array(keys, sizeof *taken);
  uint64_t *scratch = mem_array(key_scratch(&bench->index_keys), sizeof *scratch);
  int64_t values[MAX_ELEMENTS], back[MAX_ELEMENTS];
  uint64_t count = 0, key, state;
  for (size_t e = 0; e < bench->model.value_count; e++)
    values[e] = bench->variables[e].lo - 1;
  do {
    const bool has_key = key_of_values(&bench->model, &bench->index_keys, values, &key);
    ck_assert_int_eq(has_key, allowed(bench, values));
    if (!has_key)
      continue;
    ck_assert_uint_lt(key, keys);
    ck_assert(!taken[key]);
    taken[key] = true;
    count++;
    key_values(&bench->model, &bench->index_keys, &key, back);
    ck_assert_int_eq(memcmp(values, back, bench->model.value_count * sizeof *values), 0);
    layout_pack(&bench->model, bench->fields, values, &state);
    ck_assert_uint_eq(*key_state(&bench->index_keys, &key, scratch), state);
  } while (next_values(bench, values));
  ck_assert_uint_eq(count, keys);
  mem_free(taken);
  mem_free(scratch);
}

static int64_t between(uint64_t *seed, int64_t lo, int64_t hi) {
  return lo + (int64_t)(splitmix64_next(seed) % (uint64_t)(hi - lo + 1));
}

static struct value_interval part_of(uint64_t *seed, struct value_interval whole) {
  const int64_t a = between(seed, whole.lo, whole.hi), b = between(seed, whole.lo, whole.hi);
  return a < b ? (struct value_interval){a, b} : (struct value_interval){b, a};
}

/* Element 0 selects ranges of 1 and 2; some of its values are impossible. */
static void add_selector_ranges(struct bench *bench, uint64_t *seed) {
  static const uint32_t elements[] = {1, 2};
  static struct value_interval ranges[2 * 8];
  for (int64_t v = 0; v <= bench->ranges[0].hi - bench->ranges[0].lo; v++)
    for (int i = 0; i < 2; i++)
      ranges[2 * v + i] = part_of(seed, bench->ranges[1 + i]);
  if (splitmix64_next(seed) % 2)
    ranges[0] = ranges[1] = (struct value_interval){1, 0};
  bench->by[bench->invariants.by_selector_count++] =
      (struct ranges_by_selector){.selector = 0, .elements = elements, .element_count = 2, .ranges = ranges};
}

/* Element 4 is a sum of two others, within its range for all their values; 5 is a copy by a table. */
static void add_dependent(struct bench *bench, uint64_t *seed) {
  static int64_t table[8];
  const uint32_t source = (uint32_t)(splitmix64_next(seed) % 4);
  bench->terms[0][0] = (struct linear_term){.element = 1, .coefficient = -1};
  bench->terms[0][1] = (struct linear_term){.element = 3, .coefficient = 1};
  bench->dependent[bench->invariants.dependent_count++] =
      (struct dependent_element){.element = 4, .constant = 1, .terms = bench->terms[0], .term_count = 2};
  for (size_t i = 0; i < 8; i++)
    table[i] = between(seed, -2, 2);
  bench->terms[1][0] = (struct linear_term){.element = source, .table = table};
  bench->dependent[bench->invariants.dependent_count++] =
      (struct dependent_element){.element = 5, .constant = 0, .terms = bench->terms[1], .term_count = 1};
}

START_TEST(random_invariants) {
  for (uint64_t number = 1; number <= 300; number++) {
    struct bench bench;
    uint64_t seed = number;
    bench_open(&bench);
    for (int i = 0; i < 4; i++) {
      const int64_t lo = between(&seed, -2, 1);
      add(&bench, lo, lo + between(&seed, 0, 3));
    }
    add(&bench, -8, 8);
    add(&bench, -2, 2);
    for (int i = 1; i < 4; i++)
      bench.ranges[i] = part_of(&seed, bench.ranges[i]);
    if (number % 2)
      add_selector_ranges(&bench, &seed);
    if (number % 3)
      add_dependent(&bench, &seed);
    const floe_status status = make_index_keys(&bench);
    if (status == FLOE_OK)
      check_bijection(&bench);
    else /* the only value of the selector is impossible */
      ck_assert(status == FLOE_ERROR_UNSUPPORTED && bench.invariants.by_selector_count &&
                bench.ranges[0].lo == bench.ranges[0].hi);
    bench_close(&bench);
  }
}
END_TEST

/* A dependent selector selects nothing: its elements have their whole ranges. */
START_TEST(dependent_selector) {
  struct bench bench;
  uint64_t seed = 1;
  bench_open(&bench);
  for (int i = 0; i < 4; i++)
    add(&bench, 0, 2);
  add_selector_ranges(&bench, &seed);
  bench.terms[0][0] = (struct linear_term){.element = 3, .coefficient = 1};
  bench.dependent[bench.invariants.dependent_count++] =
      (struct dependent_element){.element = 0, .terms = bench.terms[0], .term_count = 1};
  ck_assert_int_eq(make_index_keys(&bench), FLOE_OK);
  ck_assert_uint_eq(bench.encoding->keys, 27);
  bench_close(&bench);
}
END_TEST

START_TEST(constants_only) {
  struct bench bench;
  int64_t values[2];
  uint64_t key = 5;
  bench_open(&bench);
  add(&bench, 3, 3);
  add(&bench, 0, 9);
  bench.ranges[1] = (struct value_interval){7, 7};
  ck_assert_int_eq(make_index_keys(&bench), FLOE_OK);
  ck_assert_uint_eq(bench.encoding->keys, 1);
  ck_assert_uint_eq(bench.encoding->bits, 1);
  check_bijection(&bench);
  key = 0;
  encoding_decode(bench.encoding, key, values);
  ck_assert_int_eq(values[1], 7);
  bench_close(&bench);
}
END_TEST

/* ---- limits --------------------------------------------------------------------------------------- */

static void check_key(const struct bench *bench, uint64_t key) {
  int64_t values[MAX_ELEMENTS];
  uint64_t back;
  encoding_decode(bench->encoding, key, values);
  ck_assert(allowed(bench, values));
  ck_assert(encoding_encode(bench->encoding, values, &back));
  ck_assert_uint_eq(back, key);
}

static void check_edges(uint64_t keys, unsigned bits, const int64_t *radices, size_t count) {
  struct bench bench;
  uint64_t seed = keys;
  bench_open(&bench);
  for (size_t i = 0; i < count; i++)
    add(&bench, -3, radices[i] - 4);
  ck_assert_int_eq(make_index_keys(&bench), FLOE_OK);
  ck_assert_uint_eq(bench.encoding->keys, keys);
  ck_assert_uint_eq(bench.encoding->bits, bits);
  ck_assert_uint_eq(bench.index_keys.key_bits, bits);
  for (uint64_t i = 0; i < 1000; i++) {
    check_key(&bench, i % keys);
    check_key(&bench, keys - 1 - i % keys);
    check_key(&bench, keys / 2 + i);
    check_key(&bench, splitmix64_next(&seed) % keys);
  }
  for (unsigned power = 10; power < bits; power++)
    for (int64_t by = -1; by <= 1; by++)
      if ((UINT64_C(1) << power) + (uint64_t)by < keys)
        check_key(&bench, (UINT64_C(1) << power) + (uint64_t)by);
  bench_close(&bench);
}

START_TEST(edges_of_words) {
  check_edges(UINT64_C(1) << 32, 32, (const int64_t[]){1 << 16, 1 << 16}, 2);
  check_edges((UINT64_C(1) << 32) + 1, 33, (const int64_t[]){641, 6700417}, 2); /* the first composite Fermat number */
  check_edges((UINT64_C(1) << 32) - 1, 32, (const int64_t[]){3, 5, 17, 257, 65537}, 5);
  check_edges(UINT64_C(1) << 40, 40, (const int64_t[]){1 << 20, 4, 1 << 18}, 3);
  check_edges((UINT64_C(1) << 40) + 1, 41, (const int64_t[]){257, 4278255361}, 2);
  check_edges(UINT64_C(1) << 63, 63, (const int64_t[]){INT64_C(1) << 31, 2, INT64_C(1) << 31}, 3);
  check_edges((UINT64_C(1) << 63) - 1, 63, (const int64_t[]){49, 73, 127, 337, 92737, 649657}, 6);
}
END_TEST

START_TEST(too_many) {
  struct bench bench;
  bench_open(&bench);
  for (int i = 0; i < 3; i++)
    add(&bench, 0, INT64_C(2097152)); /* a little more than 2^63 */
  ck_assert_int_eq(make_index_keys(&bench), FLOE_ERROR_UNSUPPORTED);
  bench_close(&bench);
  bench_open(&bench);
  for (int i = 0; i < 9; i++)
    add(&bench, 0, 255); /* 2^72: more than a word of 64 bits holds */
  ck_assert_int_eq(make_index_keys(&bench), FLOE_ERROR_UNSUPPORTED);
  ck_assert_uint_gt(bench.fields->words, 1);
  bench_close(&bench);
}
END_TEST

/* A state in fields of two words, with a key of one. */
START_TEST(two_words) {
  struct bench bench;
  int64_t values[MAX_ELEMENTS];
  uint64_t key, state[2], scratch[MAX_ELEMENTS + 2];
  bench_open(&bench);
  for (int i = 0; i < 10; i++)
    add(&bench, 0, 128);
  for (int i = 2; i < 10; i++)
    bench.ranges[i] = (struct value_interval){i, i + 7};
  ck_assert_int_eq(make_index_keys(&bench), FLOE_OK);
  ck_assert_uint_eq(bench.fields->words, 2);
  ck_assert_uint_eq(bench.index_keys.key_words, 1);
  ck_assert_uint_le(key_scratch(&bench.index_keys), sizeof scratch / sizeof *scratch);
  for (key = 0; key < bench.encoding->keys; key += bench.encoding->keys / 997) {
    check_key(&bench, key);
    encoding_decode(bench.encoding, key, values);
    layout_pack(&bench.model, bench.fields, values, state);
    ck_assert_int_eq(memcmp(key_state(&bench.index_keys, &key, scratch), state, sizeof state), 0);
    uint64_t mix = engine_state_mix(state, 2);
    ck_assert_uint_eq(engine_keys_mix(&bench.index_keys, &key, 1, scratch), mix);
  }
  bench_close(&bench);
}
END_TEST

/* ---- false invariants ----------------------------------------------------------------------------- */

static void ignore(void *user, size_t index, uint64_t properties, struct step_error error) {
  (void)user, (void)index, (void)properties, (void)error;
}

/* A model with the false invariant that one element never changes. */
struct false_invariant {
  struct loaded loaded;
  const struct invariants *invariants;
  struct layout layout;
  struct stepper *stepper;
  uint64_t initial;
};

static void wrong_open(struct false_invariant *false_invariant) {
  char path[4096];
  const struct encoding *encoding;
  snprintf(path, sizeof path, "%s/models/peterson.xml", getenv("top_srcdir") ? getenv("top_srcdir") : ".");
  ck_assert_msg(loaded_from_file(&false_invariant->loaded, path, NULL, 0), "%s",
                loaded_message(&false_invariant->loaded));
  const struct model *model = false_invariant->loaded.model;
  ck_assert_int_eq(invariants_declared(model, &false_invariant->loaded.arena, &false_invariant->invariants), FLOE_OK);
  struct value_interval *ranges = (struct value_interval *)false_invariant->invariants->ranges;
  const struct variable *last = &model->variables[model->variable_count - 1];
  ck_assert(last->assigned && last->lo < last->hi);
  ranges[last->first] = (struct value_interval){last->init[0], last->init[0]};
  ck_assert_int_eq(encoding_make(model, false_invariant->loaded.layout, false_invariant->invariants,
                                 &false_invariant->loaded.arena, &encoding),
                   FLOE_OK);
  false_invariant->layout = layout_with_index_keys(false_invariant->loaded.layout, encoding);
  ck_assert_int_eq(interpreter_create(model, &false_invariant->layout, &false_invariant->stepper), FLOE_OK);
  ck_assert_int_eq(key_of_initial(model, &false_invariant->layout, &false_invariant->initial), FLOE_OK);
}

static void wrong_close(struct false_invariant *false_invariant) {
  false_invariant->stepper->free(false_invariant->stepper);
  loaded_free(&false_invariant->loaded);
}

START_TEST(broken_run) {
  struct false_invariant false_invariant;
  struct engine_outcome outcome = {0};
  atomic_bool interrupt = false;
  floe_options options;
  wrong_open(&false_invariant);
  floe_options_init(&options);
  options.memory = UINT64_C(1) << 28;
  for (options.threads = 1; options.threads <= 2; options.threads++) {
    const struct engine_task task = {.model = false_invariant.loaded.model,
                                     .layout = &false_invariant.layout,
                                     .initial = &false_invariant.initial,
                                     .stepper = false_invariant.stepper,
                                     .options = &options,
                                     .limits.interrupt = &interrupt};
    floe_log_clear(false_invariant.loaded.log);
    ck_assert_int_eq(engine_run(engine_for(0), &task, false_invariant.loaded.log, &outcome), FLOE_ERROR_INTERNAL);
    ck_assert_str_eq(loaded_message(&false_invariant.loaded),
                     "internal error: the search reached a state that has no key");
  }
  wrong_close(&false_invariant);
}
END_TEST

/* Walks over states with keys until a successor has none; both expansion functions must report it. */
static void walk_to_break(const struct false_invariant *false_invariant, uint64_t *successors, struct step_edge *edges,
                          uint64_t *fired) {
  const struct stepper *stepper = false_invariant->stepper;
  uint64_t key = false_invariant->initial, seed = 1;
  for (int steps = 0; steps < 10000; steps++) {
    struct step_block block = {.states = &key,
                               .count = 1,
                               .successors = successors,
                               .capacity = stepper->max_successors,
                               .fired = fired,
                               .on_trigger = ignore};
    size_t broken = 0, n = stepper->expand_one(stepper, &key, successors, edges);
    uint64_t next[64];
    size_t good = 0;
    ck_assert_uint_le(n, sizeof next / sizeof *next);
    for (size_t i = 0; i < n; i++) {
      broken += edges[i].site == BROKEN_SITE;
      if (edges[i].site == NO_SITE)
        next[good++] = successors[i];
    }
    stepper->expand_block(stepper, &block);
    ck_assert_int_eq(block.broken, broken > 0);
    ck_assert_uint_eq(block.produced, good);
    ck_assert_int_eq(memcmp(successors, next, good * sizeof *next), 0);
    if (broken)
      return;
    ck_assert_uint_gt(good, 0);
    key = next[splitmix64_next(&seed) % good];
  }
  ck_abort_msg("no broken successor was met");
}

START_TEST(broken_step) {
  struct false_invariant false_invariant;
  wrong_open(&false_invariant);
  uint64_t *successors = mem_array(false_invariant.stepper->max_successors, sizeof *successors);
  struct step_edge *edges = mem_array(false_invariant.stepper->max_successors, sizeof *edges);
  uint64_t *fired = mem_array(false_invariant.loaded.model->transition_count, sizeof *fired);
  walk_to_break(&false_invariant, successors, edges, fired);
  mem_free(successors);
  mem_free(edges);
  mem_free(fired);
  wrong_close(&false_invariant);
}
END_TEST

START_TEST(broken_beginning) {
  struct false_invariant false_invariant;
  uint64_t key;
  wrong_open(&false_invariant);
  const struct variable *last =
      &false_invariant.loaded.model->variables[false_invariant.loaded.model->variable_count - 1];
  struct value_interval *ranges = (struct value_interval *)false_invariant.invariants->ranges;
  ranges[last->first] = (struct value_interval){last->init[0] + 1, last->init[0] + 1};
  ck_assert_int_eq(key_of_initial(false_invariant.loaded.model, &false_invariant.layout, &key), FLOE_ERROR_INTERNAL);
  wrong_close(&false_invariant);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  return run_tests("rank", CK_NOFORK, random_invariants, dependent_selector, constants_only, edges_of_words, too_many,
                   two_words, broken_run, broken_step, broken_beginning, nothing_leaks);
}
