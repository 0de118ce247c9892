/* Deletion from iceberg tables: the last keys, damage, plans, and threads that put, find and delete the same keys. */
#include "tests/tables/table_suite.h"

#include "tables/host_table.h"
#include "tables/iceberg/iceberg.h"
#include "tables/kernel/slot_number.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, BATCH = 64 };

static uint64_t key_of(const struct table *table, uint64_t i) {
  return i * UINT64_C(0x9e3779b97f4a7c15) & largest_key(table_shape(table)->key_bits);
}

static unsigned delete_one(struct table *table, uint64_t key) {
  uint8_t answer;
  table_run(table, TABLE_DELETE, &key, NULL, 1, &answer);
  return answer;
}

/* At least 30 tables are planned, and each is checked in one form of the scan. */
static void each_geometry(void (*check)(const struct table_config *config)) {
  static const unsigned key_bits[] = {18, 24, 33, 36, 64};
  unsigned tables = 0, checked = 0;
  for (size_t k = 0; k < sizeof key_bits / sizeof *key_bits; k++)
    for (size_t w = 0; w < SLOT_WIDTHS; w++)
      for (size_t b = 0; b < BUCKET_SIZES; b++) {
        struct table_config config = {.key_bits = key_bits[k],
                                      .slot_bits = slot_widths[w],
                                      .bucket_slots = bucket_sizes[b],
                                      .deletes = true,
                                      .seed = k};
        if (!plan_at_least(&config, 700))
          continue;
        tables++;
        if (!falls_to_form(k + w + b))
          continue;
        check(&config);
        checked++;
      }
  ck_assert_uint_ge(tables, 30);
  ck_assert_uint_ge(checked, 4);
}

/* ---- one thread --------------------------------------------------------------------------------- */

/* The key 2^64 - 2 would be a tombstone at level 3: it has an extra slot there, like 2^64 - 1. */
START_TEST(last_keys_at_level_3) {
  struct table *table = make_table(&(struct table_config){.key_bits = 64, .slots = 300, .deletes = true});
  uint64_t state = 1, slots[2];
  for (int i = 0; i < 3000; i++)
    put_one(table, splitmix64_next(&state) >> 1);
  const uint64_t keys[] = {UINT64_MAX, UINT64_MAX - 1};
  for (unsigned i = 0; i < 2; i++) {
    ck_assert_uint_eq(find_one(table, keys[i]), TABLE_FULL);
    ck_assert_uint_eq(put_one(table, keys[i]), TABLE_PUT);
    ck_assert_uint_eq(put_one(table, keys[i]), TABLE_FOUND);
  }
  ck_assert_uint_eq(iceberg_find_slots(table, keys, 2, slots), 0);
  ck_assert_uint_eq(slots[0], table_shape(table)->slots - 2);
  ck_assert_uint_eq(slots[1], table_shape(table)->slots - 1);
  const uint64_t count = table_count(table);
  for (unsigned i = 0; i < 2; i++) {
    ck_assert_uint_eq(delete_one(table, keys[i]), TABLE_FOUND);
    ck_assert_uint_eq(delete_one(table, keys[i]), TABLE_FULL);
    ck_assert_uint_eq(find_one(table, keys[i]), TABLE_FULL);
    ck_assert_uint_eq(put_one(table, keys[i]), TABLE_FULL); /* its only slot is a tombstone */
    ck_assert_uint_eq(table_check(table), 0);
  }
  ck_assert_uint_eq(table_count(table), count - 2);
  table_free(table);
}
END_TEST

/* table_check detects damage in a table with tombstones. */
START_TEST(damage_is_found) {
  struct table *table =
      make_table(&(struct table_config){.key_bits = 40, .slots = 2000, .slot_bits = 64, .deletes = true});
  uint64_t *slots = (uint64_t *)(void *)iceberg_of(table)->view.first;
  slots[0] = slot_tombstone(64);
  ck_assert_uint_eq(table_check(table), 0);
  slots[0] = 0;
  slots[1] = slot_tombstone(64); /* a hole before it */
  ck_assert_uint_eq(table_check(table), 1);
  slots[1] = 0;
  for (uint64_t i = 0; i < 500; i++)
    put_one(table, key_of(table, i));
  uint64_t at = 0;
  while (slots[at] == 0)
    at++;
  slots[at + 1] = slots[at]; /* a key stored twice */
  ck_assert_uint_ge(table_check(table), 1);
  slots[at] = slot_tombstone(64); /* once */
  ck_assert_uint_eq(table_check(table), 0);
  table_free(table);
}
END_TEST

START_TEST(only_where_it_was_planned) {
  const struct table_config without = {.key_bits = 30, .slots = 1000};
  const struct table_config with = {.key_bits = 30, .slots = 1000, .deletes = true};
  ck_assert_ptr_nonnull(table_cannot(&without, TABLE_DELETE));
  ck_assert_ptr_null(table_cannot(&with, TABLE_DELETE));
  /* 2^32 - 1 = 65538 * 65534 + 3: remainders of 0 to 65534, the largest that a slot of 16 bits holds, and one too
     large with tombstones. */
  struct table_config narrow = {
      .key_bits = 32, .slot_bits = 16, .bucket_slots = 32, .buckets = 65538, .second_buckets = 1 << 18};
  struct table_shape shape;
  ck_assert_int_eq(table_plan(&narrow, &shape), FLOE_OK);
  narrow.deletes = true;
  ck_assert_int_eq(table_plan(&narrow, &shape), FLOE_ERROR_USAGE);
  narrow.buckets++;
  ck_assert_int_eq(table_plan(&narrow, &shape), FLOE_OK);
}
END_TEST

/* ---- threads ------------------------------------------------------------------------------------ */

struct race {
  struct table *table;
  uint64_t count;
  atomic_uchar *deleted; /* by number */
  pthread_barrier_t start;
  atomic_ullong put, gone;
};

static void run_threads(struct race *race, void *(*work)(void *race)) {
  pthread_t thread[THREADS];
  pthread_barrier_init(&race->start, NULL, THREADS);
  for (unsigned t = 0; t < THREADS; t++)
    ck_assert_int_eq(pthread_create(&thread[t], NULL, work, race), 0);
  for (unsigned t = 0; t < THREADS; t++)
    pthread_join(thread[t], NULL);
  pthread_barrier_destroy(&race->start);
}

static void *delete_all(void *argument) {
  struct race *race = argument;
  uint64_t keys[BATCH];
  uint8_t answers[BATCH];
  pthread_barrier_wait(&race->start);
  for (uint64_t at = 0; at < race->count; at += BATCH) {
    for (uint64_t i = 0; i < BATCH; i++)
      keys[i] = key_of(race->table, at + i);
    table_run(race->table, TABLE_DELETE, keys, NULL, BATCH, answers);
    for (uint64_t i = 0; i < BATCH; i++)
      if (answers[i] == TABLE_FOUND) /* relaxed: read after the threads have joined */
        atomic_fetch_add_explicit(&race->deleted[at + i], 1, memory_order_relaxed);
  }
  return NULL;
}

/* All threads delete all keys: each key exactly once. */
static void deleted_once(const struct table_config *config) {
  struct race race = {.table = make_table(config)};
  race.count = table_shape(race.table)->slots * 8 / 10 / BATCH * BATCH;
  race.deleted = calloc(race.count, 1);
  for (uint64_t i = 0; i < race.count; i++)
    ck_assert_uint_eq(put_one(race.table, key_of(race.table, i)), TABLE_PUT);
  run_threads(&race, delete_all);
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < race.count; i++)
    wrong += race.deleted[i] != 1;
  ck_assert_uint_eq(wrong, 0);
  ck_assert_uint_eq(table_count(race.table), 0);
  ck_assert_uint_eq(table_check(race.table), 0);
  free(race.deleted);
  table_free(race.table);
}

START_TEST(of_many_deletions_one_succeeds) {
  for (unsigned round = 0; round < 5; round++)
    each_geometry(deleted_once);
}
END_TEST

/* Few keys put and deleted by all threads: no key is stored twice, so in the end the keys put and not deleted are
   present, and PUT and deletion of a key alternate. */
static void *put_and_delete(void *argument) {
  struct race *race = argument;
  uint64_t put = 0, gone = 0, key, state = (uint64_t)(uintptr_t)&key;
  uint8_t answer;
  pthread_barrier_wait(&race->start);
  for (uint64_t i = 0; i < race->count; i++) {
    const uint64_t random = splitmix64_next(&state);
    key = key_of(race->table, random % 5);
    table_run(race->table, random >> 32 & 1 ? TABLE_DELETE : TABLE_FIND_OR_PUT, &key, NULL, 1, &answer);
    put += !(random >> 32 & 1) && answer == TABLE_PUT;
    gone += random >> 32 & 1 && answer == TABLE_FOUND;
  }
  atomic_fetch_add(&race->put, put);
  atomic_fetch_add(&race->gone, gone);
  return NULL;
}

static void takes_turns(const struct table_config *config) {
  struct race race = {.table = make_table(config), .count = 2000};
  struct table_stats stats;
  run_threads(&race, put_and_delete);
  table_stats(race.table, &stats);
  ck_assert_uint_le(stats.used, 5);
  ck_assert_uint_eq(stats.used + race.gone, race.put);
  ck_assert_uint_eq(stats.deleted, race.gone);
  ck_assert_uint_eq(table_check(race.table), 0);
  table_free(race.table);
}

START_TEST(puts_and_deletions_take_turns) {
  for (unsigned round = 0; round < 10; round++)
    each_geometry(takes_turns);
}
END_TEST

/* Every thread has keys of its own, which only it puts and deletes, between those of the others in the same buckets:
   its answers are those of a private table, as long as there is room. */
static void *work_on_own(void *argument) {
  struct race *race = argument;
  const uint64_t thread = atomic_fetch_add(&race->put, 1), own = race->count / THREADS;
  uint64_t wrong = 0, state = thread;
  bool *here = calloc(own, sizeof *here);
  pthread_barrier_wait(&race->start);
  for (uint64_t i = 0; i < own; i++) {
    const uint64_t random = splitmix64_next(&state), number = random % own;
    const uint64_t key = key_of(race->table, number * THREADS + thread);
    if (random >> 60 < 6) {
      wrong += put_one(race->table, key) != (here[number] ? TABLE_FOUND : TABLE_PUT);
      here[number] = true;
    } else if (random >> 60 < 10) {
      wrong += delete_one(race->table, key) != (here[number] ? TABLE_FOUND : TABLE_FULL);
      here[number] = false;
    } else {
      wrong += find_one(race->table, key) != (here[number] ? TABLE_FOUND : TABLE_FULL);
    }
  }
  atomic_fetch_add(&race->gone, wrong);
  free(here);
  return NULL;
}

static void undisturbed(const struct table_config *config) {
  struct race race = {.table = make_table(config)};
  race.count = table_shape(race.table)->slots;
  run_threads(&race, work_on_own);
  ck_assert_uint_eq(race.gone, 0);
  ck_assert_uint_eq(table_check(race.table), 0);
  table_free(race.table);
}

START_TEST(others_do_not_disturb) {
  for (unsigned round = 0; round < 5; round++)
    each_geometry(undisturbed);
}
END_TEST

int main(void) {
  return RUN_IN_FORMS("delete", last_keys_at_level_3, damage_is_found, only_where_it_was_planned,
                      of_many_deletions_one_succeeds, puts_and_deletions_take_turns, others_do_not_disturb);
}
