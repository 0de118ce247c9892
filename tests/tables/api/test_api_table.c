/* The hash tables as programs use them: floe_tables.h alone. Tables of every scheme and value width are filled,
   read, resized and cleared, and compared with the expected content; threads work concurrently. */
#include "api_table.h"

static struct arrays others;

/* ---- tables of every form -------------------------------------------------------------------- */

static void assert_figures(floe_hash_table *table, const struct form *form, size_t present) {
  floe_hash_stats stats;
  uint64_t level_used = 0, level_slots = 0, distances = 0;
  ck_assert_int_eq(floe_hash_statistics(table, &stats), FLOE_OK);
  for (int i = 0; i < 3; i++) {
    level_used += stats.level_used[i];
    level_slots += stats.level_slots[i];
  }
  for (int i = 0; i < FLOE_HASH_DISTANCES; i++)
    distances += stats.distances[i];
  ck_assert_uint_eq(stats.used, present);
  ck_assert_uint_eq(level_used, present);
  ck_assert_uint_eq(stats.slots, floe_hash_information(table).slots);
  ck_assert_uint_eq(level_slots, stats.slots);
  const bool probes = strcmp(form->scheme, "linear") == 0 || strcmp(form->scheme, "robin-hood") == 0;
  ck_assert(stats.has_distances == probes);
  ck_assert_uint_eq(distances, probes ? present : 0);
}

START_TEST(every_form) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  const size_t present = SLOTS / 2;
  floe_hash_table *table = make_table(&options);
  floe_hash_info info = floe_hash_information(table), planned;
  ck_assert_int_eq(floe_hash_plan(&options, messages, &planned), FLOE_OK);
  ck_assert_str_eq(info.scheme, form->scheme);
  ck_assert_str_ne(info.machine, "");
  ck_assert_uint_eq(info.value_bits, form->value_bits);
  ck_assert_uint_ge(info.slots, SLOTS);
  ck_assert_uint_eq(info.slots, planned.slots);
  ck_assert_uint_eq(info.bytes, planned.bytes);
  put(table, form, 0, present);
  assert_content(table, form, present);
  assert_iteration(table, form, present);
  assert_figures(table, form, present);
  ck_assert_int_eq(floe_hash_resize(table, 3 * SLOTS), FLOE_OK);
  ck_assert_uint_ge(floe_hash_information(table).slots, 3 * SLOTS);
  assert_content(table, form, present);
  put(table, form, present, 500);
  ck_assert_int_eq(floe_hash_resize(table, SLOTS), FLOE_OK);
  assert_content(table, form, present + 500);
  assert_iteration(table, form, present + 500);
  ck_assert_int_eq(floe_hash_clear(table, 99), FLOE_OK);
  assert_content(table, form, 0);
  put(table, form, 0, present);
  assert_content(table, form, present);
  floe_hash_free(table);
  assert_nothing_logged();
}
END_TEST

/* More keys than slots: each key without a place is returned with its value, and all others are in the table; after
   a resize those fit too. */
START_TEST(no_key_is_lost) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  const size_t n = 2 * SLOTS - 600;
  size_t back = 0;
  floe_hash_table *table = make_table(&options);
  set(&others, form, 0, n);
  run(table, FLOE_HASH_PUT, &others);
  ck_assert_int_eq(others.full == 0, has_every_key(form));
  ck_assert_uint_eq(answered(&others, FLOE_HASH_NEW) + others.full, n);
  for (size_t i = 0; i < n; i++)
    if (others.answers[i] == FLOE_HASH_NONE) {
      others.keys[back] = others.keys[i];
      others.values[back++] = others.values[i];
    }
  ck_assert_uint_eq(back, others.full);
  ck_assert_int_eq(floe_hash_resize(table, 4 * SLOTS), FLOE_OK);
  others.n = back;
  if (form->value_bits)
    for (size_t i = 0; i < back; i++)
      ck_assert_uint_eq(others.values[i], value_of(form, others.keys[i]));
  run(table, FLOE_HASH_PUT, &others);
  assert_all(&others, FLOE_HASH_NEW);
  assert_content(table, form, n);
  assert_iteration(table, form, n);
  floe_hash_free(table);
  assert_nothing_logged();
}
END_TEST

/* A resize to too few slots is logged and changes nothing. */
START_TEST(resize_without_place) {
  const struct form *form = &forms[_i];
  floe_hash_options options = options_of(form);
  const size_t present = SLOTS / 2;
  floe_hash_table *table = make_table(&options);
  put(table, form, 0, present);
  const floe_hash_info before = floe_hash_information(table);
  if (has_every_key(form)) {
    ck_assert_int_eq(floe_hash_resize(table, 64), FLOE_OK);
  } else {
    ck_assert_int_eq(floe_hash_resize(table, 64), FLOE_ERROR_USAGE);
    assert_logged("no place in a table of");
  }
  const floe_hash_info after = floe_hash_information(table);
  ck_assert_uint_eq(before.slots, after.slots);
  ck_assert_uint_eq(before.bytes, after.bytes);
  assert_content(table, form, present);
  assert_iteration(table, form, present);
  ck_assert_int_eq(floe_hash_resize(table, UINT64_C(1) << 58), has_every_key(form) ? FLOE_OK : FLOE_ERROR_MEMORY);
  ck_assert_uint_eq(floe_log_errors(messages), !has_every_key(form));
  floe_log_clear(messages);
  assert_content(table, form, present);
  floe_hash_free(table);
}
END_TEST

/* Each key three times in one call: one NEW, two FOUND, and find-or-put gives no second value. */
START_TEST(find_or_put) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  floe_hash_table *table = make_table(&options);
  const char *why = floe_hash_cannot(table, FLOE_HASH_FIND_OR_PUT);
  set(&some, form, 0, 3 * 700);
  for (size_t i = 0; i < some.n; i++) {
    some.keys[i] = key_of(form, i % 700);
    some.values[i] = value_of(form, some.keys[i]);
  }
  if (why) {
    ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_FIND_OR_PUT, some.keys, some.values, some.n, some.answers, NULL),
                     FLOE_ERROR_USAGE);
    assert_logged(why);
    assert_content(table, form, 0);
  } else {
    run(table, FLOE_HASH_FIND_OR_PUT, &some);
    ck_assert_uint_eq(answered(&some, FLOE_HASH_NEW), 700);
    ck_assert_uint_eq(answered(&some, FLOE_HASH_FOUND), 1400);
    assert_content(table, form, 700);
  }
  floe_hash_free(table);
}
END_TEST

/* Whole arrays in a cuckoo table: each key three times, then half of them again among others. */
START_TEST(find_or_put_sorted) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  floe_hash_table *table = make_table(&options);
  size_t full = 77;
  set(&some, form, 0, 3 * 700);
  for (size_t i = 0; i < some.n; i++) {
    some.keys[i] = key_of(form, i % 700);
    some.values[i] = value_of(form, some.keys[i]);
  }
  floe_status status = floe_hash_find_or_put_sorted(table, some.keys, some.values, some.n, some.answers, &full);
  if (strcmp(form->scheme, "cuckoo") != 0) {
    ck_assert_int_eq(status, FLOE_ERROR_USAGE);
    assert_logged("only cuckoo tables");
    assert_content(table, form, 0);
    floe_hash_free(table);
    return;
  }
  ck_assert_int_eq(status, FLOE_OK);
  ck_assert_uint_eq(full, 0);
  ck_assert_uint_eq(answered(&some, FLOE_HASH_NEW), 700);
  ck_assert_uint_eq(answered(&some, FLOE_HASH_FOUND), 1400);
  assert_content(table, form, 700);
  set(&some, form, 350, 700);
  ck_assert_int_eq(floe_hash_find_or_put_sorted(table, some.keys, some.values, some.n, some.answers, &full), FLOE_OK);
  ck_assert_uint_eq(answered(&some, FLOE_HASH_NEW), 350);
  assert_content(table, form, 1050);
  set(&some, form, 0, 2 * SLOTS);
  ck_assert_int_eq(floe_hash_find_or_put_sorted(table, some.keys, some.values, some.n, some.answers, &full), FLOE_OK);
  ck_assert_uint_eq(answered(&some, FLOE_HASH_FOUND), 1050);
  ck_assert_uint_eq(answered(&some, FLOE_HASH_NONE), full);
  ck_assert_uint_ge(full, SLOTS / 2);
  floe_hash_free(table);
  assert_nothing_logged();
}
END_TEST

/* Slots for pairs make a cuckoo table a map, whose values are checked as usual. */
START_TEST(a_map_by_its_slots) {
  const struct form map = {"cuckoo", 30, 64};
  floe_hash_options options = options_of(&map);
  options.value_bits = 0;
  options.slot_bits = 128;
  floe_hash_table *table = make_table(&options);
  ck_assert_uint_eq(floe_hash_information(table).value_bits, 64);
  put(table, &map, 0, 500);
  assert_content(table, &map, 500);
  assert_iteration(table, &map, 500);
  floe_hash_free(table);
  assert_nothing_logged();
}
END_TEST

/* Deleted keys are absent, also in iteration, and after a resize their slots are usable again. */
START_TEST(deletion) {
  const struct form *form = &forms[_i];
  floe_hash_options options = options_of(form);
  options.deletes = strcmp(form->scheme, "iceberg") == 0;
  floe_hash_table *table = make_table(&options);
  const char *why = floe_hash_cannot(table, FLOE_HASH_DELETE);
  floe_hash_stats stats;
  put(table, form, 0, 1500);
  if (why) {
    ck_assert(strcmp(form->scheme, "iceberg") != 0);
    floe_hash_free(table);
    return;
  }
  ck_assert(floe_hash_information(table).deletes == options.deletes);
  set(&some, form, 1000, 700); /* 200 of them are absent */
  run(table, FLOE_HASH_DELETE, &some);
  ck_assert_uint_eq(answered(&some, FLOE_HASH_FOUND), 500);
  ck_assert_uint_eq(some.full, 200);
  assert_content(table, form, 1000);
  assert_iteration(table, form, 1000);
  ck_assert_int_eq(floe_hash_statistics(table, &stats), FLOE_OK);
  ck_assert_uint_eq(stats.deleted, options.deletes ? 500 : 0);
  ck_assert_int_eq(floe_hash_resize(table, SLOTS), FLOE_OK);
  ck_assert_int_eq(floe_hash_statistics(table, &stats), FLOE_OK);
  ck_assert_uint_eq(stats.deleted, 0);
  assert_content(table, form, 1000);
  floe_hash_free(table);
  assert_nothing_logged();
}
END_TEST

/* ---- reductions ------------------------------------------------------------------------------ */

static uint64_t either(void *data, uint64_t present, uint64_t added) {
  return present | added | *(const uint64_t *)data;
}

static uint64_t reduced(floe_hash_reduction reduction, uint64_t present, uint64_t added) {
  switch (reduction) {
  case FLOE_HASH_SUM:
    return present + added;
  case FLOE_HASH_MIN:
    return present < added ? present : added;
  case FLOE_HASH_MAX:
    return present > added ? present : added;
  case FLOE_HASH_OWN:
    return present | added | 0x800;
  default:
    return added;
  }
}

START_TEST(reductions) {
  const struct form *form = &forms[_i];
  static uint64_t mark = 0x800;
  for (int r = FLOE_HASH_REPLACE; r <= FLOE_HASH_OWN; r++) {
    floe_hash_options options = options_of(form);
    options.reduction = (floe_hash_reduction)r;
    options.reduce = either;
    options.reduce_data = &mark;
    floe_hash_table *table = make_table(&options);
    const char *why = floe_hash_cannot(table, FLOE_HASH_ADD);
    ck_assert((why != NULL) == (form->value_bits == 0 || strcmp(form->scheme, "cuckoo") == 0));
    for (uint64_t round = 0; round < 3 && !why; round++) {
      set(&some, form, 0, 1000);
      for (size_t i = 0; i < some.n; i++)
        some.values[i] = splitmix64_mix(i + 5000 * round) & 0xfff;
      run(table, FLOE_HASH_ADD, &some);
      assert_all(&some, round ? FLOE_HASH_FOUND : FLOE_HASH_NEW);
    }
    if (!why) {
      run(table, FLOE_HASH_GET, &some);
      for (uint64_t i = 0; i < some.n; i++)
        ck_assert_uint_eq(some.values[i], reduced((floe_hash_reduction)r,
                                                  reduced((floe_hash_reduction)r, splitmix64_mix(i) & 0xfff,
                                                          splitmix64_mix(i + 5000) & 0xfff),
                                                  splitmix64_mix(i + 10000) & 0xfff));
    }
    floe_hash_free(table);
  }
  assert_nothing_logged();
}
END_TEST

/* ---- permutations of one's own --------------------------------------------------------------- */

START_TEST(own_permutation) {
  const struct form *form = &forms[_i];
  floe_hash_options options = options_of(form);
  const floe_hash_own_permutation own = {.apply = own_apply, .invert = own_invert, .data = &calls};
  options.own_permutation = &own;
  floe_hash_table *table = make_table(&options);
  calls = 0;
  put(table, form, 0, 1500);
  ck_assert_uint_ge(calls, has_every_key(form) ? 0 : 1500);
  assert_content(table, form, 1500);
  ck_assert_int_eq(floe_hash_resize(table, 2 * SLOTS), FLOE_OK);
  assert_content(table, form, 1500);
  assert_iteration(table, form, 1500);
  floe_hash_free(table);
  assert_nothing_logged();
}
END_TEST

START_TEST(every_permutation) {
  size_t names = 0;
  for (const char *name; (name = floe_hash_permutation(names)) != NULL; names++)
    for (size_t i = 0; i < FORMS; i++) {
      floe_hash_options options = options_of(&forms[i]);
      options.permutation = name;
      floe_hash_table *table = make_table(&options);
      put(table, &forms[i], 0, 1500);
      assert_content(table, &forms[i], 1500);
      floe_hash_free(table);
    }
  ck_assert_uint_ge(names, 3);
}
END_TEST

/* Values that are not given are 0, and GET may omit the values. */
START_TEST(no_values) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  floe_hash_table *table = make_table(&options);
  set(&some, form, 0, 300);
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_PUT, some.keys, NULL, some.n, some.answers, &some.full), FLOE_OK);
  assert_all(&some, FLOE_HASH_NEW);
  if (form->value_bits) {
    run(table, FLOE_HASH_GET, &some);
    for (size_t i = 0; i < some.n; i++)
      ck_assert_uint_eq(some.values[i], 0);
    ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_GET, some.keys, NULL, some.n, some.answers, NULL), FLOE_OK);
    ck_assert_uint_eq(answered(&some, FLOE_HASH_FOUND), some.n);
  }
  floe_hash_free(table);
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREADS = 4, OWN_KEYS = 600, COMMON_KEYS = 300 };

struct worker {
  pthread_t thread;
  floe_hash_table *table;
  const struct form *form;
  unsigned number;
  size_t put;
  bool duplicates; /* the operation allows all threads to put the same keys */
  struct arrays arrays;
};

static void *work(void *user) {
  struct worker *worker = user;
  const struct form *form = worker->form;
  struct arrays *arrays = &worker->arrays;
  uint64_t wide = UINT64_MAX;
  uint8_t answer;
  set(arrays, form, worker->number * OWN_KEYS, OWN_KEYS);
  run(worker->table, FLOE_HASH_PUT, arrays);
  worker->put = answered(arrays, FLOE_HASH_NEW);
  if (worker->duplicates) {
    set(arrays, form, THREADS * OWN_KEYS, COMMON_KEYS);
    run(worker->table, FLOE_HASH_FIND_OR_PUT, arrays);
    worker->put += answered(arrays, FLOE_HASH_NEW);
  }
  if (form->key_bits < 64) /* all threads report the error concurrently */
    ck_assert_int_eq(floe_hash_run(worker->table, FLOE_HASH_FIND, &wide, NULL, 1, &answer, NULL), FLOE_ERROR_USAGE);
  return NULL;
}

static struct worker workers[THREADS];

static void in_threads(const struct form *form) {
  const floe_hash_options options = options_of(form);
  floe_hash_table *table = make_table(&options);
  const bool duplicates = !floe_hash_cannot(table, FLOE_HASH_FIND_OR_PUT);
  size_t put = 0;
  for (unsigned i = 0; i < THREADS; i++) {
    workers[i].table = table;
    workers[i].form = form;
    workers[i].number = i;
    workers[i].duplicates = duplicates;
    ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  }
  for (unsigned i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    put += workers[i].put;
  }
  const size_t present = THREADS * OWN_KEYS + (duplicates ? COMMON_KEYS : 0);
  ck_assert_uint_eq(put, present);
  if (form->key_bits < 64)
    assert_logged("a key has more bits"); /* once: the log keeps equal messages once */
  assert_content(table, form, present);
  ck_assert_int_eq(floe_hash_resize(table, 3 * SLOTS), FLOE_OK);
  assert_content(table, form, present);
  assert_iteration(table, form, present);
  floe_hash_free(table);
}

/* In every form of the scan; a form that the machine lacks is logged. */
START_TEST(threads) {
  static const char *const scans[] = {"portable", "avx2", "avx512"};
  const floe_hash_options options = options_of(&forms[_i]);
  floe_hash_info planned;
  for (unsigned i = 0; i < 3; i++) {
    setenv("FLOE_TEST_SIMD", scans[i], 1);
    if (floe_hash_plan(&options, messages, &planned) == FLOE_OK)
      in_threads(&forms[_i]);
    else
      assert_logged("FLOE_TEST_SIMD: this machine has no table scan");
  }
  unsetenv("FLOE_TEST_SIMD");
}
END_TEST

static void add(TCase *cases) {
  tcase_add_loop_test(cases, every_form, 0, FORMS);
  tcase_add_loop_test(cases, no_key_is_lost, 0, FORMS);
  tcase_add_loop_test(cases, resize_without_place, 0, FORMS);
  tcase_add_loop_test(cases, find_or_put, 0, FORMS);
  tcase_add_loop_test(cases, find_or_put_sorted, 0, FORMS);
  tcase_add_loop_test(cases, deletion, 0, FORMS);
  tcase_add_loop_test(cases, reductions, 0, FORMS);
  tcase_add_loop_test(cases, own_permutation, 0, FORMS);
  tcase_add_loop_test(cases, no_values, 0, FORMS);
  tcase_add_loop_test(cases, threads, 0, FORMS);
  tcase_add_test(cases, a_map_by_its_slots);
  tcase_add_test(cases, every_permutation);
}

int main(void) { return run_cases("hash tables of floe_tables.h", add); }
