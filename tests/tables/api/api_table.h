/* Common parts of the tests of floe_tables.h: every form of table, the arrays of one call, expected contents, and
   the main program. Uses floe_tables.h alone. */
#ifndef FLOE_TESTS_TABLES_API_API_TABLE_H
#define FLOE_TESTS_TABLES_API_API_TABLE_H

#include <floe_tables.h>

#include "base/splitmix64.h"
#include "tests/suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4096 };

static floe_log *messages;

static inline void begin(void) { ck_assert_int_eq(floe_log_create(&messages), FLOE_OK); }

static inline void end(void) { floe_log_free(messages); }

static inline const char *last_message(void) {
  const size_t n = floe_log_count(messages);
  return n ? floe_log_at(messages, n - 1)->message : "";
}

/* Exactly one more error, with these words and a hint. */
static inline void assert_logged(const char *words) {
  ck_assert_uint_eq(floe_log_errors(messages), 1);
  ck_assert_msg(strstr(last_message(), words) != NULL, "'%s' is not in '%s'", words, last_message());
  ck_assert(floe_log_at(messages, 0)->hint != NULL);
  floe_log_clear(messages);
}

static inline void assert_nothing_logged(void) { ck_assert_msg(floe_log_count(messages) == 0, "%s", last_message()); }

/* ---- forms: every table that there is -------------------------------------------------------- */

struct form {
  const char *scheme;
  unsigned key_bits, value_bits;
};

static const struct form forms[] = {
    {"iceberg", 20, 0},     {"iceberg", 20, 32}, {"iceberg", 20, 64}, {"iceberg", 64, 0},     {"iceberg", 64, 64},
    {"linear", 20, 0},      {"linear", 20, 32},  {"linear", 20, 64},  {"linear", 64, 0},      {"linear", 64, 64},
    {"cuckoo", 20, 0},      {"cuckoo", 20, 64},  {"cuckoo", 64, 0},   {"robin-hood", 20, 32}, {"robin-hood", 20, 64},
    {"robin-hood", 64, 64}, {"bitmap", 20, 0},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* Whatever the number of slots, and without a permutation. */
static inline bool has_every_key(const struct form *form) { return strcmp(form->scheme, "bitmap") == 0; }

static inline floe_hash_options options_of(const struct form *form) {
  floe_hash_options options;
  floe_hash_options_init(&options);
  options.scheme = form->scheme;
  options.key_bits = form->key_bits;
  options.value_bits = form->value_bits;
  options.slots = SLOTS;
  options.threads = 2;
  return options;
}

static inline floe_hash_table *make_table(const floe_hash_options *options) {
  floe_hash_table *table = NULL;
  floe_status status = floe_hash_create(options, messages, &table);
  ck_assert_msg(status == FLOE_OK, "%s: %s", options->scheme, last_message());
  return table;
}

static inline uint64_t ones(unsigned bits) { return UINT64_MAX >> (64 - bits); }

/* Different for different i below 2^19, and at most 20 bits wide in a form of 20. */
static inline uint64_t key_of(const struct form *form, uint64_t i) {
  return form->key_bits == 64 ? splitmix64_mix(i) : (i * 0x9e375 + 1) & ones(20);
}

static inline uint64_t value_of(const struct form *form, uint64_t key) {
  return form->value_bits ? splitmix64_mix(key + 7) & ones(form->value_bits) & ~UINT64_C(1) : 0;
}

/* ---- arrays of one call ---------------------------------------------------------------------- */

struct arrays {
  size_t n, full;
  uint64_t keys[SLOTS * 2], values[SLOTS * 2];
  uint8_t answers[SLOTS * 2];
};

/* Sets the keys of the numbers from `first` on, with their values. */
static inline void set(struct arrays *arrays, const struct form *form, uint64_t first, size_t n) {
  ck_assert_uint_le(n, SLOTS * 2);
  arrays->n = n;
  for (size_t i = 0; i < n; i++) {
    arrays->keys[i] = key_of(form, first + i);
    arrays->values[i] = value_of(form, arrays->keys[i]);
  }
  memset(arrays->answers, 0xee, sizeof arrays->answers);
}

static inline void run(floe_hash_table *table, floe_hash_operation operation, struct arrays *arrays) {
  floe_status status =
      floe_hash_run(table, operation, arrays->keys, arrays->values, arrays->n, arrays->answers, &arrays->full);
  ck_assert_msg(status == FLOE_OK, "%s: %s", floe_hash_operation_name(operation), last_message());
}

static inline size_t answered(const struct arrays *arrays, unsigned answer) {
  size_t count = 0;
  for (size_t i = 0; i < arrays->n; i++)
    count += arrays->answers[i] == answer;
  return count;
}

static inline void assert_all(const struct arrays *arrays, unsigned answer) {
  ck_assert_uint_eq(answered(arrays, answer), arrays->n);
  ck_assert_uint_eq(arrays->full, answer == FLOE_HASH_NONE ? arrays->n : 0);
}

static struct arrays some;

/* The numbers [0, present) are in the table with their values, [present, present + 500) are not. */
static inline void assert_content(floe_hash_table *table, const struct form *form, size_t present) {
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

static inline void see(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  struct seen *seen = user;
  seen->wrong += (values != NULL) != (seen->form->value_bits != 0);
  for (size_t i = 0; i < n; i++) {
    if (seen->n < SLOTS * 2)
      seen->keys[seen->n] = keys[i];
    seen->n++;
    seen->wrong += values && values[i] != value_of(seen->form, keys[i]);
  }
}

static inline int by_key(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static struct seen seen;

/* In three parts together: each key of [0, present) once, with its value. */
static inline void assert_iteration(floe_hash_table *table, const struct form *form, size_t present) {
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

/* ---- putting, and permutations of one's own -------------------------------------------------- */

static inline void put(floe_hash_table *table, const struct form *form, uint64_t first, size_t n) {
  set(&some, form, first, n);
  run(table, FLOE_HASH_PUT, &some);
  assert_all(&some, FLOE_HASH_NEW);
}

static atomic_uint calls; /* with `data`, to check that this permutation is used */

static inline uint64_t own_apply(void *data, unsigned number, unsigned bits, uint64_t key) {
  atomic_fetch_add((atomic_uint *)data, 1);
  return (key * UINT64_C(0x9e3779b97f4a7c15) + number) & ones(bits);
}

static inline uint64_t own_invert(void *data, unsigned number, unsigned bits, uint64_t key) {
  atomic_fetch_add((atomic_uint *)data, 1);
  return (key - number) * UINT64_C(0xf1de83e19937733d) & ones(bits);
}

/* ---- the main program ------------------------------------------------------------------------ */

static inline int run_cases(const char *name, void (*add)(TCase *cases)) {
  TCase *cases = tcase_create(name);
  tcase_add_checked_fixture(cases, begin, end);
  add(cases);
  return run_suite(name, CK_NOFORK, cases);
}

#endif
