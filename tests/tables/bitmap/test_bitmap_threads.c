/* Bitmaps under many threads: of equal keys one is new; answers of puts and deletions add up. */
#include "tests/tables/table_suite.h"

#include <pthread.h>

enum { THREADS = 4, BATCH = 128 };

/* ---- equal keys ---------------------------------------------------------------------------------- */

/* Adjacent bits, so that threads meet in words. */
enum { KEYS = 40 * BATCH };

struct worker {
  struct table *table;
  unsigned number;
  bool deletes;
  uint64_t put, gone, wrong;
};

static void *put_all(void *user) {
  struct worker *worker = user;
  for (uint64_t at = 0; at < KEYS; at += BATCH) {
    uint64_t keys[BATCH];
    uint8_t answers[BATCH];
    for (unsigned i = 0; i < BATCH; i++) /* each thread starts at a place of its own */
      keys[i] = (at + i * 7 + worker->number * (KEYS / THREADS)) % KEYS;
    worker->wrong += table_find_or_put(worker->table, keys, BATCH, answers) != 0;
    for (unsigned i = 0; i < BATCH; i++)
      worker->put += answers[i] == TABLE_PUT;
    if (!worker->deletes)
      continue;
    table_run(worker->table, TABLE_DELETE, keys, NULL, BATCH, answers);
    for (unsigned i = 0; i < BATCH; i++)
      worker->gone += answers[i] == TABLE_FOUND;
  }
  return NULL;
}

static void run_threads(bool deletes) {
  const struct table_config config = {.scheme = "bitmap", .key_bits = 13, .keys = KEYS};
  struct table *table = make_table(&config);
  struct worker workers[THREADS];
  pthread_t threads[THREADS];
  uint64_t put = 0, gone = 0;
  for (unsigned i = 0; i < THREADS; i++) {
    workers[i] = (struct worker){.table = table, .number = i, .deletes = deletes};
    ck_assert_int_eq(pthread_create(&threads[i], NULL, put_all, &workers[i]), 0);
  }
  for (unsigned i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    put += workers[i].put;
    gone += workers[i].gone;
    ck_assert_uint_eq(workers[i].wrong, 0);
  }
  ck_assert_uint_eq(table_count(table), put - gone);
  ck_assert_uint_eq(table_check(table), 0);
  if (!deletes) {
    uint64_t all = 0;
    for (uint64_t key = 0; key < KEYS; key++)
      all += find_one(table, key) == TABLE_FOUND;
    ck_assert_uint_eq(put, all);
  }
  table_free(table);
}

START_TEST(of_equal_keys_one_is_new) {
  for (unsigned round = 0; round < 20; round++)
    run_threads(false);
}
END_TEST

START_TEST(puts_and_deletions_add_up) {
  for (unsigned round = 0; round < 20; round++)
    run_threads(true);
}
END_TEST

int main(void) { return RUN_SUITE("bitmap_threads", of_equal_keys_one_is_new, puts_and_deletions_add_up); }
