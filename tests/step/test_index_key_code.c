/* Compiled code with index keys agrees with the interpreter edge by edge, for invariants of every shape. Searches with
   index keys and with fields agree. False invariants never lead to a wrong count. */
#include "compare.h"
#include "learned_invariants.h"
#include "random_model.h"
#include "tests/suite.h"

#include "core/system/clock.h"
#include "engine/engine.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STATES = 1200 };

static struct compile_options quick = {"cc -O0", "", NULL};

static size_t models[LEARNINGS], edges, broken, derived, cases;

/* False: the invariants are not known, or there are too many keys. */
static bool make_index_keys(struct loaded *loaded, enum learning learning) {
  struct invariants *invariants = learn_invariants(loaded, learning, MAX_STATES);
  if (!invariants || !use_index_keys(loaded, invariants))
    return false;
  derived += invariants->dependent_count;
  cases += invariants->by_selector_count;
  return true;
}

static struct stepper *compiled(struct loaded *loaded, const char *name) {
  struct stepper *stepper;
  ck_assert_msg(compiled_create(loaded->model, loaded->layout, &quick, loaded->log, &stepper) == FLOE_OK, "%s: %s",
                name, loaded_message(loaded));
  return stepper;
}

/* Both must also agree on unreachable states, except for dependent elements, whose value may then be out of range. */
static void compare(struct loaded *loaded, const char *name, enum learning learning, uint64_t seed) {
  struct comparison comparison = {.loaded = loaded,
                                  .max_states = 300,
                                  .random_states = learning >= LEARN_PROVED ? 0 : 60,
                                  .seed = seed,
                                  .other = compiled(loaded, name)};
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &comparison.reference), FLOE_OK);
  const bool same = compare_steppers(&comparison);
  ck_assert_msg(same, "%s, facts %d: %s", name, (int)learning, comparison.difference);
  comparison.other->free(comparison.other);
  comparison.reference->free(comparison.reference);
  edges += comparison.edges;
  models[learning]++;
}

static void compare_random(struct random_model *model) {
  const enum learning learning = (enum learning)(model->seed % LEARNINGS);
  if (make_index_keys(&model->loaded, learning))
    compare(&model->loaded, model->name, learning, model->seed);
}

START_TEST(random_models_agree) {
  const unsigned seeds = random_seeds(at_length() ? 60 : 12);
  each_random_model("plain", seeds, compare_random);
  each_random_model("wide", seeds / 2, compare_random);
  each_random_model("lively", seeds / 2, compare_random);
}
END_TEST

static void load_file(struct loaded *loaded, const char *name) {
  const char *root = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/models/%.200s", root ? root : ".", name);
  ck_assert_msg(loaded_from_file(loaded, path, NULL, 0), "%s: %s", path, loaded_message(loaded));
}

static void each_model(void (*visit)(const char *name)) {
  const char *root = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/models", root ? root : ".");
  DIR *folder = opendir(path);
  ck_assert_ptr_nonnull(folder);
  for (struct dirent *entry; (entry = readdir(folder));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (dot && strcmp(dot, ".xml") == 0)
      visit(entry->d_name);
  }
  closedir(folder);
}

/* `make check` compares each model in one of five kinds of learning; with FLOE_TEST_LONG=1, in all. */
static bool is_its_turn(const char *name, int learning) {
  unsigned sum = (unsigned)learning;
  for (const char *at = name; *at; at++)
    sum += (unsigned char)*at;
  return at_length() || sum % LEARNINGS == 0;
}

static void compare_model(const char *name) {
  for (int learning = 0; learning < LEARNINGS; learning++) {
    struct loaded loaded;
    if (!is_its_turn(name, learning))
      continue;
    load_file(&loaded, name);
    if (make_index_keys(&loaded, (enum learning)learning))
      compare(&loaded, name, (enum learning)learning, 1);
    loaded_free(&loaded);
  }
}

START_TEST(shipped_models_agree) { each_model(compare_model); }
END_TEST

/* Checks that the models cover the cases they are for. */
START_TEST(models_cover) {
  for (int i = 0; i < LEARNINGS; i++)
    ck_assert_uint_gt(models[i], 5);
  ck_assert_uint_gt(edges, 1000);
  ck_assert_uint_gt(derived, at_length() ? 20 : 5);
  ck_assert_uint_gt(cases, at_length() ? 20 : 6);
}
END_TEST

/* ---- searches ------------------------------------------------------------------------------------- */

static atomic_bool interrupt;

/* Explores a bounded number of states. */
static floe_status search(struct loaded *loaded, struct stepper *stepper, uint64_t most, struct engine_outcome *out) {
  const floe_options options = {.threads = 1,
                                .table = "iceberg",
                                .memory = UINT64_C(1) << 30,
                                .max_depth = UINT32_MAX,
                                .max_states = most,
                                .progress_seconds = 1000,
                                .keep_going = true};
  uint64_t initial[64];
  ck_assert_uint_le(loaded->layout->key_words, 64);
  const floe_status status = key_of_initial(loaded->model, loaded->layout, initial);
  if (status != FLOE_OK)
    return status;
  struct engine_task task = {.model = loaded->model,
                             .layout = loaded->layout,
                             .initial = initial,
                             .stepper = stepper,
                             .options = &options,
                             .property_mask = (UINT64_C(1) << loaded->model->property_count) - 1,
                             .limits.interrupt = &interrupt,
                             .limits.started = clock_seconds()};
  return engine_run(&engine_cpu, &task, loaded->log, out);
}

static void expect_same(const char *name, const struct engine_outcome *a, const struct engine_outcome *b) {
  ck_assert_msg(a->states == b->states && a->transitions == b->transitions && a->levels == b->levels &&
                    a->deadlocks == b->deadlocks && a->max_out_degree == b->max_out_degree &&
                    a->checksum == b->checksum,
                "%s: %llu/%llu states, %llu/%llu transitions, %u/%u levels, checksum %llx/%llx", name,
                (unsigned long long)a->states, (unsigned long long)b->states, (unsigned long long)a->transitions,
                (unsigned long long)b->transitions, a->levels, b->levels, (unsigned long long)a->checksum,
                (unsigned long long)b->checksum);
  for (uint32_t i = 0; i < a->levels; i++)
    ck_assert_uint_eq(a->level_states[i], b->level_states[i]);
}

static void search_by_fields(struct loaded *loaded, uint64_t most, struct engine_outcome *out) {
  struct stepper *stepper;
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
  ck_assert_int_eq(search(loaded, stepper, most, out), FLOE_OK);
  stepper->free(stepper);
}

/* Searches with both steppers. */
static void search_with_index_keys(struct loaded *loaded, const char *name, uint64_t most,
                                   const struct engine_outcome *expected) {
  for (int compile = 0; compile < 2; compile++) {
    struct stepper *stepper;
    struct engine_outcome out;
    if (compile)
      stepper = compiled(loaded, name);
    else
      ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
    ck_assert_msg(search(loaded, stepper, most, &out) == FLOE_OK, "%s: %s", name, loaded_message(loaded));
    expect_same(name, expected, &out);
    engine_outcome_free(&out);
    stepper->free(stepper);
  }
}

static void search_both(struct loaded *loaded, const char *name, enum learning learning, uint64_t most) {
  struct engine_outcome out;
  search_by_fields(loaded, most, &out);
  if (make_index_keys(loaded, learning))
    search_with_index_keys(loaded, name, most, &out);
  engine_outcome_free(&out);
}

static void search_model(const char *name) {
  for (int learning = LEARN_DECLARED; learning < LEARNINGS; learning += learning ? 1 : LEARN_PROVED) {
    struct loaded loaded;
    if (!is_its_turn(name, learning))
      continue;
    load_file(&loaded, name);
    search_both(&loaded, name, (enum learning)learning, 20000);
    loaded_free(&loaded);
  }
}

START_TEST(searches_find_the_same) { each_model(search_model); }
END_TEST

/* 78 bits in fields, 61.8 bits as index key; two chains in which one element changes at a time. */
static const char wide[] =
    "<model name='wide'><variable name='a' range='0..2' size='20'/><variable name='b' range='0..2' size='19'/>"
    "<process name='P' instances='1'><location name='l' initial='true'/>"
    "<transition from='l' select='i in 0..19' guard='a[i] lt 2 and (i == 0 or a[max(i - 1, 0)] == 2)' "
    "effect='a[i] = a[i] + 1'/>"
    "<transition from='l' select='i in 0..18' guard='b[i] lt 2 and (i == 0 or b[max(i - 1, 0)] == 2)' "
    "effect='b[i]++'/></process>"
    "<property id='end' kind='reachable'>a[19] == 2 and b[18] == 2</property></model>";

static void chain(int64_t *values, uint32_t count, uint32_t steps) {
  for (uint32_t i = 0; i < count; i++)
    values[i] = steps >= 2 * (i + 1) ? 2 : steps > 2 * i ? 1 : 0;
}

/* Checksum of all states in fields. */
static uint64_t checksum_of_multiword(const struct loaded *loaded) {
  int64_t values[40] = {0};
  uint64_t state[2], sum = 0;
  ck_assert_uint_eq(loaded->model->value_count, 40); /* with the location */
  for (uint32_t i = 0; i <= 40; i++)
    for (uint32_t k = 0; k <= 38; k++) {
      chain(values + loaded->model->variables[0].first, 20, i);
      chain(values + loaded->model->variables[1].first, 19, k);
      layout_pack(loaded->model, loaded->layout, values, state);
      sum += engine_state_mix(state, 2);
    }
  return sum;
}

START_TEST(two_words_of_fields_are_one_key) {
  struct loaded loaded;
  ck_assert_msg(loaded_from_text(&loaded, "wide", wide, sizeof wide - 1, NULL, 0), "%s", loaded_message(&loaded));
  ck_assert_uint_eq(loaded.layout->words, 2);
  uint64_t level_states[79];
  for (uint32_t i = 0; i < 79; i++)
    level_states[i] = 1 + (i < 38 ? i : i <= 40 ? 38 : 78 - i);
  const struct engine_outcome expected = {.states = 41 * 39,
                                          .transitions = 40 * 39 + 38 * 41,
                                          .levels = 79,
                                          .level_states = level_states,
                                          .deadlocks = 1,
                                          .max_out_degree = 2,
                                          .checksum = checksum_of_multiword(&loaded)};
  ck_assert(make_index_keys(&loaded, LEARN_DECLARED));
  ck_assert_uint_eq(loaded.layout->key_bits, 62);
  search_with_index_keys(&loaded, "wide", UINT64_MAX, &expected);
  compare(&loaded, "wide", LEARN_DECLARED, 1);
  loaded_free(&loaded);
}
END_TEST

/* Several assignments with computed index in one firing, to the same element and to others, in order. */
static const char swaps[] =
    "<model name='swaps'><variable name='a' range='-2..4' size='6' init='0, 1, 2, 3, 4, -2'/>"
    "<variable name='k' range='0..5'/><process name='P'><location name='l' initial='true'/>"
    "<transition from='l' select='i in 0..5, j in 0..5' effect='k = a[i] + 0 * k lt 0 ? 0 : a[i]; a[i] = a[j]; a[j] = "
    "k'/>"
    "<transition from='l' select='i in 0..5' guard='a[i] lt 4' effect='a[i] = a[i] + 1; a[k] = 0; a[2] = a[i]'/>"
    "</process></model>";

START_TEST(assignments_by_index) {
  struct loaded loaded;
  ck_assert_msg(loaded_from_text(&loaded, "swaps", swaps, sizeof swaps - 1, NULL, 0), "%s", loaded_message(&loaded));
  ck_assert(make_index_keys(&loaded, LEARN_DECLARED));
  const char *code;
  ck_assert_int_eq(codegen_text(loaded.model, loaded.layout, CODEGEN_CPU, NULL, &loaded.arena, &code), FLOE_OK);
  ck_assert_msg(strstr(code, "weight_a_0[at") != NULL, "%s", code);
  compare(&loaded, "swaps", LEARN_DECLARED, 1);
  loaded_free(&loaded);
}
END_TEST

/* The compile cache depends on the text: index keys change the text, and without them it contains no trace of them. */
START_TEST(keys_are_a_part_of_the_text) {
  const char *codes[3];
  struct loaded loaded[3];
  for (int i = 0; i < 3; i++) {
    load_file(&loaded[i], "tiles.xml");
    if (i > 0) {
      struct invariants *invariants = learn_invariants(&loaded[i], LEARN_DECLARED, 0);
      struct value_interval *ranges = (struct value_interval *)(uintptr_t)invariants->ranges;
      ranges[0].hi -= i - 1;
      ck_assert(use_index_keys(&loaded[i], invariants));
    }
    ck_assert_int_eq(codegen_text(loaded[i].model, loaded[i].layout, CODEGEN_CPU, NULL, &loaded[i].arena, &codes[i]),
                     FLOE_OK);
    ck_assert(!strstr(codes[i], "FLOE_INDEX_KEYS") == (i == 0));
  }
  ck_assert_str_ne(codes[1], codes[2]);
  for (int i = 0; i < 3; i++)
    loaded_free(&loaded[i]);
}
END_TEST

/* ---- false invariants ----------------------------------------------------------------------------- */

/* Removes the greatest value of an element in the last case with several values. */
static bool spoil_case(const struct value_interval *ranges, const struct ranges_by_selector *by, uint32_t element) {
  struct value_interval *of = (struct value_interval *)(uintptr_t)by->ranges;
  for (int64_t c = ranges[by->selector].hi - ranges[by->selector].lo; c >= 0; c--) {
    struct value_interval *range = &of[(size_t)c * by->element_count + element];
    if (range->lo < range->hi) {
      range->hi--;
      return true;
    }
  }
  return false;
}

/* Falsifies one invariant; false: no such invariant. `which` counts the possibilities. */
static bool spoil(struct loaded *loaded, struct invariants *invariants, unsigned which) {
  struct value_interval *ranges = (struct value_interval *)(uintptr_t)invariants->ranges;
  if (which < invariants->dependent_count) {
    const struct dependent_element *dependent = &invariants->dependent[which];
    int64_t *table = (int64_t *)(uintptr_t)dependent->terms[0].table;
    const struct value_interval by = ranges[dependent->terms[0].element];
    if (!table)
      return false;
    for (int64_t k = 0; k <= by.hi - by.lo; k++)
      table[k] = table[0];
    return true;
  }
  which -= invariants->dependent_count;
  if (which >= loaded->model->value_count || ranges[which].lo == ranges[which].hi)
    return false;
  for (uint32_t i = 0; i < invariants->by_selector_count; i++)
    if (invariants->by_selector[i].selector == which)
      return false; /* its cases would change */
  for (uint32_t i = 0; i < invariants->dependent_count; i++)
    if (invariants->dependent[i].element == which || invariants->dependent[i].terms[0].table)
      return false;
  for (uint32_t i = 0; i < invariants->by_selector_count; i++)
    for (uint32_t k = 0; k < invariants->by_selector[i].element_count; k++)
      if (invariants->by_selector[i].elements[k] == which)
        return spoil_case(ranges, &invariants->by_selector[i], k);
  ranges[which].hi--;
  return true;
}

/* A falsified invariant that the search needs must be reported, as the interpreter shows. */
static void expect_no_count(struct loaded *loaded, const char *name) {
  struct stepper *stepper;
  struct engine_outcome out;
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
  const floe_status expected = search(loaded, stepper, UINT64_MAX, &out);
  if (expected == FLOE_OK)
    engine_outcome_free(&out);
  stepper->free(stepper);
  stepper = compiled(loaded, name);
  const floe_status status = search(loaded, stepper, UINT64_MAX, &out);
  if (status == FLOE_OK)
    engine_outcome_free(&out);
  stepper->free(stepper);
  ck_assert_msg(status == expected, "%s: %d, but %d by the interpreter", name, (int)status, (int)expected);
  if (status == FLOE_ERROR_INTERNAL)
    broken++;
}

/* `make check` falsifies the first invariant of a model and another one, which differs from model to model. */
static void spoil_each(const char *name, void (*load)(struct loaded *loaded, const char *name)) {
  static unsigned turns;
  turns++;
  for (unsigned i = 0; i < (at_length() ? 12 : 2); i++) {
    const unsigned which = at_length() ? i : i * (1 + turns % 11);
    struct loaded loaded;
    load(&loaded, name);
    struct invariants *invariants =
        loaded.model ? learn_invariants(&loaded, which % 2 ? LEARN_RANGES : LEARN_ALL, MAX_STATES) : NULL;
    if (invariants && spoil(&loaded, invariants, which / 2) && use_index_keys(&loaded, invariants))
      expect_no_count(&loaded, name);
    loaded_free(&loaded);
  }
}

static const struct random_model *random_source;

static void load_again(struct loaded *loaded, const char *name) {
  ck_assert(loaded_from_text(loaded, name, random_source->text, random_source->length, NULL, 0));
}

static void spoil_random(struct random_model *model) {
  random_source = model;
  spoil_each(model->name, load_again);
}

static void spoil_model(const char *name) { spoil_each(name, load_file); }

START_TEST(false_invariants_are_detected) {
  each_model(spoil_model);
  if (random_models_possible())
    each_random_model("plain", at_length() ? 10 : 4, spoil_random);
  ck_assert_uint_gt(broken, 10);
}
END_TEST

int main(void) {
  TCase *tcase = tcase_create("rank code");
  if (random_models_possible())
    tcase_add_test(tcase, random_models_agree);
  add_tests(tcase, shipped_models_agree, models_cover, searches_find_the_same, two_words_of_fields_are_one_key,
            assignments_by_index, keys_are_a_part_of_the_text, false_invariants_are_detected);
  const int failed = run_suite("rank code", CK_NOFORK, tcase);
  return suite_end(failed);
}
