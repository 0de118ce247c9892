/* The hash tables as programs have them: floe.h alone. Every scheme and value width is filled,
   looked at, resized and cleared, against what was put; wrong options and wrong calls are told and
   do no harm; threads work side by side. */
#include <floe.h>

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4096 };

static floe_log *told;

static void begin(void) { ck_assert_int_eq(floe_log_create(&told), FLOE_OK); }

static void end(void) { floe_log_free(told); }

static const char *last_message(void) {
  const size_t n = floe_log_count(told);
  return n ? floe_log_at(told, n - 1)->message : "";
}

/* Exactly one error more, with these words and a hint. */
static void assert_told(const char *words) {
  ck_assert_uint_eq(floe_log_errors(told), 1);
  ck_assert_msg(strstr(last_message(), words) != NULL, "'%s' is not in '%s'", words,
                last_message());
  ck_assert(floe_log_at(told, 0)->hint != NULL);
  floe_log_clear(told);
}

static void assert_nothing_told(void) {
  ck_assert_msg(floe_log_count(told) == 0, "%s", last_message());
}

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* ---- forms: every table that there is -------------------------------------------------------- */

struct form {
  const char *scheme;
  unsigned key_bits, value_bits;
};

static const struct form forms[] = {
    {"iceberg", 20, 0},    {"iceberg", 20, 32},    {"iceberg", 20, 64},   {"iceberg", 64, 0},
    {"iceberg", 64, 64},   {"linear", 20, 0},      {"linear", 20, 32},    {"linear", 20, 64},
    {"linear", 64, 0},     {"linear", 64, 64},     {"cuckoo", 20, 0},     {"cuckoo", 20, 64},
    {"cuckoo", 64, 0},     {"robin-hood", 20, 32}, {"robin-hood", 20, 64}, {"robin-hood", 64, 64},
};
enum { FORMS = sizeof forms / sizeof *forms };

static floe_hash_options options_of(const struct form *form) {
  floe_hash_options options;
  floe_hash_options_init(&options);
  options.scheme = form->scheme;
  options.key_bits = form->key_bits;
  options.value_bits = form->value_bits;
  options.slots = SLOTS;
  options.threads = 2;
  return options;
}

static floe_hash_table *make(const floe_hash_options *options) {
  floe_hash_table *table = NULL;
  floe_status status = floe_hash_create(options, told, &table);
  ck_assert_msg(status == FLOE_OK, "%s: %s", options->scheme, last_message());
  return table;
}

static uint64_t ones(unsigned bits) { return UINT64_MAX >> (64 - bits); }

/* Different for different i below 2^19, and never more than 20 bits in a form of 20. */
static uint64_t key_of(const struct form *form, uint64_t i) {
  return form->key_bits == 64 ? mix(i) : (i * 0x9e375 + 1) & ones(20);
}

static uint64_t value_of(const struct form *form, uint64_t key) {
  return form->value_bits ? mix(key + 7) & ones(form->value_bits) & ~UINT64_C(1) : 0;
}

/* ---- arrays of one call ---------------------------------------------------------------------- */

struct arrays {
  size_t n, full;
  uint64_t keys[SLOTS * 2], values[SLOTS * 2];
  uint8_t answers[SLOTS * 2];
};

/* The keys of the numbers from `first` on, with their values. */
static void set(struct arrays *arrays, const struct form *form, uint64_t first, size_t n) {
  ck_assert_uint_le(n, SLOTS * 2);
  arrays->n = n;
  for (size_t i = 0; i < n; i++) {
    arrays->keys[i] = key_of(form, first + i);
    arrays->values[i] = value_of(form, arrays->keys[i]);
  }
  memset(arrays->answers, 0xee, sizeof arrays->answers);
}

static void run(floe_hash_table *table, floe_hash_operation operation, struct arrays *arrays) {
  floe_status status = floe_hash_run(table, operation, arrays->keys, arrays->values, arrays->n,
                                     arrays->answers, &arrays->full);
  ck_assert_msg(status == FLOE_OK, "%s: %s", floe_hash_operation_name(operation), last_message());
}

static size_t answered(const struct arrays *arrays, unsigned answer) {
  size_t count = 0;
  for (size_t i = 0; i < arrays->n; i++)
    count += arrays->answers[i] == answer;
  return count;
}

static void assert_all(const struct arrays *arrays, unsigned answer) {
  ck_assert_uint_eq(answered(arrays, answer), arrays->n);
  ck_assert_uint_eq(arrays->full, answer == FLOE_HASH_NONE ? arrays->n : 0);
}

static struct arrays some, others;

/* The numbers [0, present) are in the table with their values, [present, present + 500) are not. */
static void assert_content(floe_hash_table *table, const struct form *form, size_t present) {
  uint64_t count = 0, wrong = 1;
  set(&some, form, 0, present);
  run(table, FLOE_HASH_FIND, &some);
  assert_all(&some, FLOE_HASH_FOUND);
  set(&some, form, present, 500);
  run(table, FLOE_HASH_FIND, &some);
  assert_all(&some, FLOE_HASH_NONE);
  if (form->value_bits) {
    set(&some, form, 0, present);
    memset(some.values, 0x55, sizeof some.values);
    run(table, FLOE_HASH_GET, &some);
    assert_all(&some, FLOE_HASH_FOUND);
    for (size_t i = 0; i < present; i++)
      ck_assert_uint_eq(some.values[i], value_of(form, some.keys[i]));
  }
  ck_assert_int_eq(floe_hash_count(table, &count), FLOE_OK);
  ck_assert_uint_eq(count, present);
  ck_assert_int_eq(floe_hash_check(table, &wrong), FLOE_OK);
  ck_assert_uint_eq(wrong, 0);
}

/* ---- what iteration gives -------------------------------------------------------------------- */

struct seen {
  const struct form *form;
  uint64_t keys[SLOTS * 2];
  size_t n, wrong;
};

static void see(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  struct seen *seen = user;
  seen->wrong += (values != NULL) != (seen->form->value_bits != 0);
  for (size_t i = 0; i < n; i++) {
    if (seen->n < SLOTS * 2)
      seen->keys[seen->n] = keys[i];
    seen->n++;
    seen->wrong += values && values[i] != value_of(seen->form, keys[i]);
  }
}

static int by_key(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static struct seen seen;

/* Over three parts together: each key of [0, present) once, with its value. */
static void assert_iteration(floe_hash_table *table, const struct form *form, size_t present) {
  seen = (struct seen){.form = form};
  for (unsigned part = 0; part < 3; part++)
    ck_assert_int_eq(floe_hash_each(table, part, 3, see, &seen), FLOE_OK);
  ck_assert_uint_eq(seen.n, present);
  ck_assert_uint_eq(seen.wrong, 0);
  set(&some, form, 0, present);
  qsort(seen.keys, present, sizeof *seen.keys, by_key);
  qsort(some.keys, present, sizeof *some.keys, by_key);
  ck_assert_int_eq(memcmp(seen.keys, some.keys, present * sizeof *seen.keys), 0);
}

/* ---- tables of every form -------------------------------------------------------------------- */

static void put(floe_hash_table *table, const struct form *form, uint64_t first, size_t n) {
  set(&some, form, first, n);
  run(table, FLOE_HASH_PUT, &some);
  assert_all(&some, FLOE_HASH_NEW);
}

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
  const bool probes =
      strcmp(form->scheme, "linear") == 0 || strcmp(form->scheme, "robin-hood") == 0;
  ck_assert(stats.has_distances == probes);
  ck_assert_uint_eq(distances, probes ? present : 0);
}

START_TEST(every_form) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  const size_t present = SLOTS / 2;
  floe_hash_table *table = make(&options);
  floe_hash_info info = floe_hash_information(table), planned;
  ck_assert_int_eq(floe_hash_plan(&options, told, &planned), FLOE_OK);
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
  assert_nothing_told();
}
END_TEST

/* More keys than slots: each that has no place comes back, with its value, and all others are in
   the table; after a resize there is room for those too. */
START_TEST(no_key_is_lost) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  const size_t n = 2 * SLOTS - 600;
  size_t back = 0;
  floe_hash_table *table = make(&options);
  set(&others, form, 0, n);
  run(table, FLOE_HASH_PUT, &others);
  ck_assert_uint_gt(others.full, 0);
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
  assert_nothing_told();
}
END_TEST

/* A resize into too few slots is told, and nothing has changed. */
START_TEST(resize_without_place) {
  const struct form *form = &forms[_i];
  floe_hash_options options = options_of(form);
  const size_t present = SLOTS / 2;
  floe_hash_table *table = make(&options);
  put(table, form, 0, present);
  const floe_hash_info before = floe_hash_information(table);
  ck_assert_int_eq(floe_hash_resize(table, 64), FLOE_ERROR_USAGE);
  assert_told("no place in a table of");
  const floe_hash_info after = floe_hash_information(table);
  ck_assert_uint_eq(before.slots, after.slots);
  ck_assert_uint_eq(before.bytes, after.bytes);
  assert_content(table, form, present);
  assert_iteration(table, form, present);
  ck_assert_int_eq(floe_hash_resize(table, UINT64_C(1) << 58), FLOE_ERROR_MEMORY);
  ck_assert_uint_eq(floe_log_errors(told), 1);
  floe_log_clear(told);
  assert_content(table, form, present);
  floe_hash_free(table);
}
END_TEST

/* Each key three times in one call: one NEW, two FOUND, and find-or-put gives no second value. */
START_TEST(find_or_put) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  floe_hash_table *table = make(&options);
  const char *why = floe_hash_cannot(table, FLOE_HASH_FIND_OR_PUT);
  set(&some, form, 0, 3 * 700);
  for (size_t i = 0; i < some.n; i++) {
    some.keys[i] = key_of(form, i % 700);
    some.values[i] = value_of(form, some.keys[i]);
  }
  if (why) {
    ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_FIND_OR_PUT, some.keys, some.values, some.n,
                                   some.answers, NULL),
                     FLOE_ERROR_USAGE);
    assert_told(why);
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

/* Of a cuckoo table for whole arrays: each key three times, then half of them again among others. */
START_TEST(find_or_put_sorted) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  floe_hash_table *table = make(&options);
  size_t full = 77;
  set(&some, form, 0, 3 * 700);
  for (size_t i = 0; i < some.n; i++) {
    some.keys[i] = key_of(form, i % 700);
    some.values[i] = value_of(form, some.keys[i]);
  }
  floe_status status = floe_hash_find_or_put_sorted(table, some.keys, some.values, some.n,
                                                    some.answers, &full);
  if (strcmp(form->scheme, "cuckoo") != 0) {
    ck_assert_int_eq(status, FLOE_ERROR_USAGE);
    assert_told("only cuckoo tables");
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
  ck_assert_int_eq(floe_hash_find_or_put_sorted(table, some.keys, some.values, some.n,
                                                some.answers, &full),
                   FLOE_OK);
  ck_assert_uint_eq(answered(&some, FLOE_HASH_NEW), 350);
  assert_content(table, form, 1050);
  set(&some, form, 0, 2 * SLOTS);
  ck_assert_int_eq(floe_hash_find_or_put_sorted(table, some.keys, some.values, some.n,
                                                some.answers, &full),
                   FLOE_OK);
  ck_assert_uint_eq(answered(&some, FLOE_HASH_FOUND), 1050);
  ck_assert_uint_eq(answered(&some, FLOE_HASH_NONE), full);
  ck_assert_uint_ge(full, SLOTS / 2);
  floe_hash_free(table);
  assert_nothing_told();
}
END_TEST

/* Slots for pairs make a cuckoo table a map, whose values are looked at as any. */
START_TEST(a_map_by_its_slots) {
  const struct form map = {"cuckoo", 30, 64};
  floe_hash_options options = options_of(&map);
  options.value_bits = 0;
  options.slot_bits = 128;
  floe_hash_table *table = make(&options);
  ck_assert_uint_eq(floe_hash_information(table).value_bits, 64);
  put(table, &map, 0, 500);
  assert_content(table, &map, 500);
  assert_iteration(table, &map, 500);
  floe_hash_free(table);
  assert_nothing_told();
}
END_TEST

/* What was deleted is gone, also by iteration, and after a resize its slots are of use again. */
START_TEST(deletion) {
  const struct form *form = &forms[_i];
  floe_hash_options options = options_of(form);
  options.deletes = strcmp(form->scheme, "iceberg") == 0;
  floe_hash_table *table = make(&options);
  const char *why = floe_hash_cannot(table, FLOE_HASH_DELETE);
  floe_hash_stats stats;
  put(table, form, 0, 1500);
  if (why) {
    ck_assert(strcmp(form->scheme, "iceberg") != 0);
    floe_hash_free(table);
    return;
  }
  ck_assert(floe_hash_information(table).deletes == options.deletes);
  set(&some, form, 1000, 700); /* 200 of them are not there */
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
  assert_nothing_told();
}
END_TEST

/* ---- reductions ------------------------------------------------------------------------------ */

static uint64_t either(void *data, uint64_t present, uint64_t added) {
  return present | added | *(const uint64_t *)data;
}

static uint64_t reduced(floe_hash_reduction reduction, uint64_t present, uint64_t added) {
  switch (reduction) {
  case FLOE_HASH_SUM: return present + added;
  case FLOE_HASH_MIN: return present < added ? present : added;
  case FLOE_HASH_MAX: return present > added ? present : added;
  case FLOE_HASH_OWN: return present | added | 0x800;
  default: return added;
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
    floe_hash_table *table = make(&options);
    const char *why = floe_hash_cannot(table, FLOE_HASH_ADD);
    ck_assert((why != NULL) == (form->value_bits == 0 || strcmp(form->scheme, "cuckoo") == 0));
    for (uint64_t round = 0; round < 3 && !why; round++) {
      set(&some, form, 0, 1000);
      for (size_t i = 0; i < some.n; i++)
        some.values[i] = mix(i + 5000 * round) & 0xfff;
      run(table, FLOE_HASH_ADD, &some);
      assert_all(&some, round ? FLOE_HASH_FOUND : FLOE_HASH_NEW);
    }
    if (!why) {
      run(table, FLOE_HASH_GET, &some);
      for (uint64_t i = 0; i < some.n; i++)
        ck_assert_uint_eq(some.values[i],
                          reduced((floe_hash_reduction)r,
                                  reduced((floe_hash_reduction)r, mix(i) & 0xfff,
                                          mix(i + 5000) & 0xfff),
                                  mix(i + 10000) & 0xfff));
    }
    floe_hash_free(table);
  }
  assert_nothing_told();
}
END_TEST

/* ---- permutations of one's own --------------------------------------------------------------- */

static atomic_uint calls; /* with `data`, to see that it is this one that is used */

static uint64_t own_apply(void *data, unsigned number, unsigned bits, uint64_t key) {
  atomic_fetch_add((atomic_uint *)data, 1);
  return (key * UINT64_C(0x9e3779b97f4a7c15) + number) & ones(bits);
}

static uint64_t own_invert(void *data, unsigned number, unsigned bits, uint64_t key) {
  atomic_fetch_add((atomic_uint *)data, 1);
  return (key - number) * UINT64_C(0xf1de83e19937733d) & ones(bits);
}

static uint64_t not_inverse(void *data, unsigned number, unsigned bits, uint64_t key) {
  return own_invert(data, number + (number == 2), bits, key);
}

static uint64_t too_wide(void *data, unsigned number, unsigned bits, uint64_t key) {
  (void)data, (void)number, (void)bits;
  return ~key;
}

START_TEST(own_permutation) {
  const struct form *form = &forms[_i];
  floe_hash_options options = options_of(form);
  const floe_hash_own_permutation own = {
      .apply = own_apply, .invert = own_invert, .data = &calls};
  options.own_permutation = &own;
  floe_hash_table *table = make(&options);
  calls = 0;
  put(table, form, 0, 1500);
  ck_assert_uint_ge(calls, 1500);
  assert_content(table, form, 1500);
  ck_assert_int_eq(floe_hash_resize(table, 2 * SLOTS), FLOE_OK);
  assert_content(table, form, 1500);
  assert_iteration(table, form, 1500);
  floe_hash_free(table);
  assert_nothing_told();
}
END_TEST

START_TEST(every_permutation) {
  size_t names = 0;
  for (const char *name; (name = floe_hash_permutation(names)) != NULL; names++)
    for (size_t i = 0; i < FORMS; i++) {
      floe_hash_options options = options_of(&forms[i]);
      options.permutation = name;
      floe_hash_table *table = make(&options);
      put(table, &forms[i], 0, 1500);
      assert_content(table, &forms[i], 1500);
      floe_hash_free(table);
    }
  ck_assert_uint_ge(names, 3);
}
END_TEST

/* ---- what is wrong is told ------------------------------------------------------------------- */

static void refused(const floe_hash_options *options, const char *words) {
  floe_hash_table *table = NULL;
  floe_hash_info info;
  ck_assert_int_eq(floe_hash_create(options, told, &table), FLOE_ERROR_USAGE);
  ck_assert_ptr_null(table);
  assert_told(words);
  if (options->engine == FLOE_ENGINE_CPU) {
    ck_assert_int_eq(floe_hash_plan(options, told, &info), FLOE_ERROR_USAGE);
    assert_told(words);
  }
}

START_TEST(wrong_options) {
  const floe_hash_own_permutation half = {.apply = own_apply, .data = &calls},
                                  wrong = {own_apply, not_inverse, &calls, NULL, NULL},
                                  wide = {too_wide, too_wide, &calls, NULL, NULL};
  floe_hash_options usual, options;
  floe_hash_options_init(&usual);
  usual.key_bits = 40;
  usual.slots = SLOTS;
#define REFUSED(WORDS, ...)                                                                        \
  do {                                                                                             \
    options = usual;                                                                               \
    __VA_ARGS__;                                                                                   \
    refused(&options, WORDS);                                                                      \
  } while (0)
  REFUSED("no table 'icebergs'", options.scheme = "icebergs");
  REFUSED("no permutation 'none'", options.permutation = "none");
  REFUSED("keys of 0 bits", options.key_bits = 0);
  REFUSED("keys of 65 bits", options.key_bits = 65);
  REFUSED("values of 16 bits", options.value_bits = 16);
  REFUSED("no such reduction", options.reduction = (floe_hash_reduction)9);
  REFUSED("needs its function", options.reduction = FLOE_HASH_OWN);
  REFUSED("needs its function and the inverse", options.own_permutation = &half);
  REFUSED("number 2 of the permutations is none", options.own_permutation = &wrong);
  REFUSED("number 0 of the permutations is none", options.own_permutation = &wide);
  REFUSED("slots of 17 bits", options.slot_bits = 17);
  REFUSED("buckets of 7 slots", options.bucket_slots = 7);
  REFUSED("keys of 40 bits do not fit 4096 slots", options.slot_bits = 16);
  REFUSED("slots of 16 bits", options.scheme = "linear", options.slot_bits = 16);
  REFUSED("values of 32 bits", options.scheme = "linear", options.value_bits = 32);
  REFUSED("9 hashes", options.scheme = "cuckoo", options.hashes = 9);
  REFUSED("values of 32 bits", options.scheme = "cuckoo", options.value_bits = 32);
  REFUSED("it needs values", options.scheme = "robin-hood");
  REFUSED("keys of at most 32", options.scheme = "robin-hood", options.value_bits = 32);
  REFUSED("no such engine", options.engine = FLOE_ENGINE_INTERPRETER);
}
END_TEST

/* 21 hints that differ would not all be kept: the number of slots named is one that does. */
START_TEST(enough_slots_are_named) {
  floe_hash_options options;
  floe_hash_info info;
  floe_hash_options_init(&options);
  options.key_bits = 30;
  options.slots = 100;
  options.slot_bits = 16;
  ck_assert_int_eq(floe_hash_plan(&options, told, &info), FLOE_ERROR_USAGE);
  options.slots = strtoull(floe_log_at(told, 0)->hint, NULL, 10);
  ck_assert_uint_gt(options.slots, 100);
  ck_assert_int_eq(floe_hash_plan(&options, told, &info), FLOE_OK);
  ck_assert_uint_eq(info.slot_bits, 16);
}
END_TEST

/* Keys and values that are too wide, operations that there are not: told, and the table is as it
   was. */
START_TEST(wrong_calls) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  floe_hash_table *table = make(&options);
  uint8_t answer = 0xee;
  put(table, form, 0, 100);
  for (int o = FLOE_HASH_FIND; o <= FLOE_HASH_ADD + 1; o++) {
    uint64_t key = UINT64_MAX, value = UINT64_MAX;
    const char *why = floe_hash_cannot(table, (floe_hash_operation)o);
    const bool wide_key = form->key_bits < 64;
    const bool wide_value = form->value_bits == 32 && o != FLOE_HASH_FIND &&
                            o != FLOE_HASH_DELETE && o != FLOE_HASH_GET;
    if (!why && !wide_key && !wide_value)
      continue;
    ck_assert_int_eq(
        floe_hash_run(table, (floe_hash_operation)o, &key, &value, 1, &answer, NULL),
        FLOE_ERROR_USAGE);
    assert_told(why ? why : wide_key ? "a key has more bits" : "a value has more bits");
    if (wide_value && !why) {
      key = 5;
      ck_assert_int_eq(
          floe_hash_run(table, (floe_hash_operation)o, &key, &value, 1, &answer, NULL),
          FLOE_ERROR_USAGE);
      assert_told("a value has more bits");
    }
    ck_assert_uint_eq(answer, 0xee);
  }
  if (strcmp(form->scheme, "linear") == 0 && form->value_bits == 64) {
    uint64_t key = 5, none = UINT64_MAX;
    ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_ADD, &key, &none, 1, &answer, NULL),
                     FLOE_ERROR_USAGE);
    assert_told("2^64 - 1");
  }
  ck_assert_int_eq(floe_hash_each(table, 2, 2, see, &seen), FLOE_ERROR_USAGE);
  assert_told("no part 2 of 2");
  ck_assert_int_eq(floe_hash_run_on_device(table, FLOE_HASH_FIND, 8, 0, 1, 8), FLOE_ERROR_USAGE);
  assert_told("not on a GPU");
  assert_content(table, form, 100);
  floe_hash_free(table);
}
END_TEST

/* A program that was compiled when the options ended earlier has the defaults for the rest. */
START_TEST(shorter_options) {
  floe_hash_options options;
  floe_hash_info info;
  floe_hash_options_init(&options);
  options.struct_size = offsetof(floe_hash_options, slot_bits);
  options.slot_bits = 17;
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.slots = 1000;
  ck_assert_int_eq(floe_hash_plan(&options, told, &info), FLOE_OK);
  floe_hash_table *table = make(&options);
  ck_assert_uint_ge(info.slots, 1000);
  ck_assert_int_eq(info.engine, FLOE_ENGINE_CPU);
  ck_assert_int_eq(floe_hash_information(table).engine, FLOE_ENGINE_CPU);
  floe_hash_free(table);
  floe_hash_free(NULL);
}
END_TEST

/* Values that are not given are 0, and those of a GET not wanted. */
START_TEST(no_values) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  floe_hash_table *table = make(&options);
  set(&some, form, 0, 300);
  ck_assert_int_eq(
      floe_hash_run(table, FLOE_HASH_PUT, some.keys, NULL, some.n, some.answers, &some.full),
      FLOE_OK);
  assert_all(&some, FLOE_HASH_NEW);
  if (form->value_bits) {
    run(table, FLOE_HASH_GET, &some);
    for (size_t i = 0; i < some.n; i++)
      ck_assert_uint_eq(some.values[i], 0);
    ck_assert_int_eq(
        floe_hash_run(table, FLOE_HASH_GET, some.keys, NULL, some.n, some.answers, NULL), FLOE_OK);
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
  bool duplicates; /* the operation allows that all threads put the same keys */
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
  if (form->key_bits < 64) /* what is wrong is told by all of them at once */
    ck_assert_int_eq(floe_hash_run(worker->table, FLOE_HASH_FIND, &wide, NULL, 1, &answer, NULL),
                     FLOE_ERROR_USAGE);
  return NULL;
}

static struct worker workers[THREADS];

START_TEST(threads) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  floe_hash_table *table = make(&options);
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
    assert_told("a key has more bits"); /* once: the log keeps the same message once */
  assert_content(table, form, present);
  ck_assert_int_eq(floe_hash_resize(table, 3 * SLOTS), FLOE_OK);
  assert_content(table, form, present);
  assert_iteration(table, form, present);
  floe_hash_free(table);
}
END_TEST

static TCase *every(Suite *suite, const char *name, const TTest *test) {
  TCase *cases = tcase_create(name);
  tcase_add_checked_fixture(cases, begin, end);
  tcase_set_timeout(cases, 240);
  tcase_add_loop_test(cases, test, 0, FORMS);
  suite_add_tcase(suite, cases);
  return cases;
}

int main(void) {
  Suite *suite = suite_create("hash tables of floe.h");
  TCase *all = every(suite, "every form", every_form);
  tcase_add_loop_test(all, no_key_is_lost, 0, FORMS);
  tcase_add_loop_test(all, resize_without_place, 0, FORMS);
  tcase_add_loop_test(all, find_or_put, 0, FORMS);
  tcase_add_loop_test(all, find_or_put_sorted, 0, FORMS);
  tcase_add_loop_test(all, deletion, 0, FORMS);
  tcase_add_loop_test(all, reductions, 0, FORMS);
  tcase_add_loop_test(all, own_permutation, 0, FORMS);
  tcase_add_loop_test(all, wrong_calls, 0, FORMS);
  tcase_add_loop_test(all, no_values, 0, FORMS);
  tcase_add_loop_test(all, threads, 0, FORMS);
  tcase_add_test(all, a_map_by_its_slots);
  tcase_add_test(all, every_permutation);
  tcase_add_test(all, wrong_options);
  tcase_add_test(all, enough_slots_are_named);
  tcase_add_test(all, shorter_options);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
