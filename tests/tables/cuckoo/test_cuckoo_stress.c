/* Many threads put keys concurrently, up to fill 0.95 and beyond full: the table's keys and those returned are
   together exactly the given keys, each once, with its value; then many threads find them. */
#include "tests/tables/table_suite.h"

#include <pthread.h>

enum { THREADS = 4, BATCH = 64 };

struct stress {
  struct table *table;
  uint64_t count; /* of keys */
  uint64_t *keys, *values;
  uint8_t *answers;
  pthread_barrier_t start;
};

struct worker {
  struct stress *stress;
  unsigned number;
  uint64_t told, wrong;
};

/* An odd factor gives different keys for different numbers below 2^key_bits. */
static uint64_t key_of(const struct stress *stress, uint64_t i) {
  return i * UINT64_C(0x9e3779b97f4a7c15) & largest_key(table_shape(stress->table)->key_bits);
}

static uint64_t value_of(uint64_t key) { return key * 3 + 1; }

/* Threads take batches in turn, so that all work on all buckets. */
static void *put_keys(void *argument) {
  struct worker *worker = argument;
  struct stress *stress = worker->stress;
  const bool map = table_shape(stress->table)->value_bits != 0;
  pthread_barrier_wait(&stress->start);
  for (uint64_t at = worker->number * BATCH; at < stress->count; at += THREADS * BATCH) {
    size_t n = stress->count - at < BATCH ? (size_t)(stress->count - at) : BATCH;
    worker->told += table_run(stress->table, TABLE_PUT_NEW, stress->keys + at, map ? stress->values + at : NULL, n,
                              stress->answers + at);
  }
  return NULL;
}

static void *find_keys(void *argument) {
  struct worker *worker = argument;
  const struct stress *stress = worker->stress;
  for (uint64_t at = 0; at < stress->count; at++)
    if (stress->answers[at] == TABLE_FULL)
      worker->wrong += find_one(stress->table, stress->keys[at]) != TABLE_FULL;
  return NULL;
}

static void run_threads(struct stress *stress, void *(*work)(void *), struct worker *sum) {
  pthread_t thread[THREADS];
  struct worker workers[THREADS];
  pthread_barrier_init(&stress->start, NULL, THREADS);
  *sum = (struct worker){.stress = stress};
  for (unsigned t = 0; t < THREADS; t++) {
    workers[t] = (struct worker){stress, t, 0, 0};
    ck_assert_int_eq(pthread_create(&thread[t], NULL, work, &workers[t]), 0);
  }
  for (unsigned t = 0; t < THREADS; t++) {
    pthread_join(thread[t], NULL);
    sum->told += workers[t].told;
    sum->wrong += workers[t].wrong;
  }
  pthread_barrier_destroy(&stress->start);
}

struct recovered {
  const struct stress *stress;
  struct reference set;
  uint64_t wrong;
};

static void recover(void *user, const uint64_t *keys, size_t n) {
  struct recovered *recovered = user;
  const struct stress *stress = recovered->stress;
  uint64_t values[256];
  uint8_t answers[256];
  const bool map = table_shape(stress->table)->value_bits != 0;
  table_run(stress->table, map ? TABLE_GET : TABLE_FIND, (uint64_t *)keys, map ? values : NULL, n, answers);
  for (size_t i = 0; i < n; i++) {
    recovered->wrong += answers[i] != TABLE_FOUND || (map && values[i] != value_of(keys[i]));
    recovered->wrong += reference_has(&recovered->set, keys[i]);
    reference_put(&recovered->set, keys[i]);
  }
}

/* Adds the returned keys to those of the table. */
static void check_union(const struct stress *stress) {
  struct recovered recovered = {stress, reference_make(2 * stress->count), 0};
  table_each(stress->table, 0, 1, recover, &recovered);
  ck_assert_uint_eq(recovered.set.count, table_count(stress->table));
  for (uint64_t i = 0; i < stress->count; i++)
    if (stress->answers[i] == TABLE_FULL) {
      recovered.wrong += reference_has(&recovered.set, stress->keys[i]);
      recovered.wrong += stress->values[i] != value_of(stress->keys[i]) && table_shape(stress->table)->value_bits;
      reference_put(&recovered.set, stress->keys[i]);
    }
  for (uint64_t i = 0; i < stress->count; i++)
    recovered.wrong += !reference_has(&recovered.set, key_of(stress, i));
  ck_assert_uint_eq(recovered.wrong, 0);
  ck_assert_uint_eq(recovered.set.count, stress->count);
  reference_free(&recovered.set);
}

static void stress_table(const struct table_config *config, double fill) {
  struct stress stress = {.table = make_table(config)};
  stress.count = (uint64_t)((double)table_shape(stress.table)->slots * fill);
  if (stress.count > largest_key(config->key_bits))
    stress.count = largest_key(config->key_bits);
  stress.keys = calloc(stress.count, sizeof *stress.keys);
  stress.values = calloc(stress.count, sizeof *stress.values);
  stress.answers = calloc(stress.count, 1);
  for (uint64_t i = 0; i < stress.count; i++) {
    stress.keys[i] = key_of(&stress, i);
    stress.values[i] = value_of(stress.keys[i]);
  }
  struct worker sum;
  run_threads(&stress, put_keys, &sum);
  ck_assert_uint_eq(sum.told + table_count(stress.table), stress.count);
  ck_assert_uint_eq(table_check(stress.table), 0);
  check_union(&stress);
  run_threads(&stress, find_keys, &sum);
  ck_assert_uint_eq(sum.wrong, 0);
  free(stress.keys);
  free(stress.values);
  free(stress.answers);
  table_free(stress.table);
}

static void stress_layouts(double fill, uint64_t slots) {
  static const unsigned widths[] = {32, 64, 128}, buckets[] = {8, 16, 32}, hashes[] = {2, 3, 8};
  for (size_t w = 0; w < 3; w++)
    for (size_t b = 0; b < 3; b++)
      for (size_t h = 0; h < 3; h++) {
        const struct table_config config = {.scheme = "cuckoo",
                                            .key_bits = widths[w] == 32 ? 35 : 64,
                                            .slots = slots,
                                            .slot_bits = widths[w],
                                            .bucket_slots = buckets[b],
                                            .hashes = hashes[h],
                                            .seed = h};
        if (!table_cannot(&config, TABLE_PUT_NEW)) {
          if (falls_to_form(w + b + h))
            stress_table(&config, fill);
        } else if (b + h == 0)
          printf("not done: slots of %u bits: %s\n", widths[w], table_cannot(&config, TABLE_PUT_NEW));
      }
}

START_TEST(half_full) { stress_layouts(0.5, 8000); }
END_TEST

START_TEST(nearly_full) { stress_layouts(0.95, 8000); }
END_TEST

START_TEST(more_keys_than_slots) { stress_layouts(1.02, 8000); }
END_TEST

/* The fewer buckets, the more often two threads evict each other's keys. */
START_TEST(few_buckets) {
  for (uint64_t seed = form_number; seed < 60; seed += form_count)
    stress_table(&(struct table_config){.scheme = "cuckoo",
                                        .key_bits = 24,
                                        .slots = 200,
                                        .seed = seed,
                                        .bucket_slots = 8u << seed % 3,
                                        .slot_bits = seed % 2 ? 128 : 0},
                 1.2);
}
END_TEST

int main(void) { return RUN_IN_FORMS("cuckoo stress", half_full, nearly_full, more_keys_than_slots, few_buckets); }
