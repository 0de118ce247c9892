/* Many threads put the same keys, each in its own order, up to fill 0.5, 0.9 and beyond full: for every slot width
   and bucket size every key gets exactly one PUT, or FULL in all threads. Tables of every scheme grow. In every form of
   the scan. */
#include "table_suite.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, BATCH = 64 };

struct stress {
  struct table *table;
  uint64_t count;                   /* of distinct keys */
  atomic_uchar *put, *full, *found; /* by key number, answers that the key got: 2 for each thread */
  pthread_barrier_t start;
};

struct worker {
  struct stress *stress;
  unsigned number;
};

/* An odd factor gives different keys for different numbers below 2^key_bits; number 0 is the largest key. */
static uint64_t key_of(const struct stress *stress, uint64_t i) {
  return (i * UINT64_C(0x9e3779b97f4a7c15) - 1) & largest_key(table_shape(stress->table)->key_bits);
}

static void note(struct stress *stress, const uint64_t *numbers, const uint8_t *answers, size_t n) {
  atomic_uchar *const counters[] = {stress->found, stress->put, stress->full};
  for (size_t i = 0; i < n; i++) /* relaxed: read after the threads have joined */
    atomic_fetch_add_explicit(&counters[answers[i]][numbers[i]], 1, memory_order_relaxed);
}

/* All keys, in batches that overlap by half, so that each key occurs twice. All threads start at the same place, so
   that they meet; every other thread takes segments of its keys from the other end. */
static void *work(void *argument) {
  struct worker *worker = argument;
  struct stress *stress = worker->stress;
  uint64_t keys[BATCH], numbers[BATCH];
  uint8_t answers[BATCH];
  pthread_barrier_wait(&stress->start);
  for (uint64_t at = 0; at < stress->count; at += BATCH / 2) {
    size_t n = 0;
    for (uint64_t i = at; i < stress->count && n < BATCH; i++, n++) {
      numbers[n] = worker->number & 1 && at & 64 ? stress->count - 1 - i : i;
      keys[n] = key_of(stress, numbers[n]);
    }
    table_find_or_put(stress->table, keys, n, answers);
    note(stress, numbers, answers, n);
  }
  return NULL;
}

static void run_threads(struct stress *stress) {
  pthread_t thread[THREADS];
  struct worker workers[THREADS];
  pthread_barrier_init(&stress->start, NULL, THREADS);
  for (unsigned t = 0; t < THREADS; t++) {
    workers[t] = (struct worker){stress, t};
    ck_assert_int_eq(pthread_create(&thread[t], NULL, work, &workers[t]), 0);
  }
  for (unsigned t = 0; t < THREADS; t++)
    pthread_join(thread[t], NULL);
  pthread_barrier_destroy(&stress->start);
}

struct recovered {
  struct table *set; /* a second table, checked elsewhere, with the keys that were put */
  uint64_t keys, again;
};

static void recover(void *user, const uint64_t *keys, size_t n) {
  struct recovered *recovered = user;
  for (size_t i = 0; i < n; i++)
    recovered->again += put_one(recovered->set, keys[i]) != TABLE_PUT;
  recovered->keys += n;
}

static void check_iteration(const struct stress *stress, uint64_t in_table) {
  const unsigned bits = table_shape(stress->table)->key_bits;
  struct recovered recovered = {.set =
                                    make_table(&(struct table_config){.key_bits = bits, .slots = 2 * stress->count})};
  table_each(stress->table, 0, 1, recover, &recovered);
  ck_assert_uint_eq(recovered.again, 0);
  ck_assert_uint_eq(recovered.keys, in_table);
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < stress->count; i++)
    wrong += (find_one(recovered.set, key_of(stress, i)) == TABLE_FOUND) != (stress->put[i] == 1);
  ck_assert_uint_eq(wrong, 0);
  table_free(recovered.set);
}

static void check_answers(const struct stress *stress) {
  uint64_t in_table = 0, put_again = 0, both = 0, neither = 0;
  for (uint64_t i = 0; i < stress->count; i++) {
    in_table += stress->put[i];
    put_again += stress->put[i] > 1;
    both += stress->full[i] && (stress->put[i] || stress->found[i]);
    neither += !stress->full[i] && !stress->put[i];
  }
  ck_assert_uint_eq(put_again, 0);
  ck_assert_uint_eq(both, 0);
  ck_assert_uint_eq(neither, 0);
  ck_assert_uint_eq(table_count(stress->table), in_table);
  ck_assert_uint_eq(table_check(stress->table), 0);
  check_iteration(stress, in_table);
}

static uint64_t stress_table(const struct table_config *config, double fill) {
  struct stress stress = {.table = make_table(config)};
  stress.count = (uint64_t)((double)table_shape(stress.table)->slots * fill);
  if (stress.count > largest_key(config->key_bits))
    stress.count = largest_key(config->key_bits);
  stress.put = calloc(stress.count, 1);
  stress.full = calloc(stress.count, 1);
  stress.found = calloc(stress.count, 1);
  run_threads(&stress);
  check_answers(&stress);
  uint64_t put = table_count(stress.table);
  free(stress.put);
  free(stress.full);
  free(stress.found);
  table_free(stress.table);
  return put;
}

static const struct table_config linear[] = {{.scheme = "linear", .key_bits = 31},
                                             {.scheme = "linear", .key_bits = 32, .slot_bits = 32},
                                             {.scheme = "linear", .key_bits = 40, .permutation = "feistel"},
                                             {.scheme = "linear", .key_bits = 64}};

static void stress_linear(double fill, uint64_t slots, uint64_t seed) {
  for (size_t i = 0; i < sizeof linear / sizeof *linear; i++) {
    struct table_config config = linear[i];
    config.slots = slots;
    config.seed = seed;
    stress_table(&config, fill);
  }
}

static void stress_geometries(double fill, uint64_t slots) {
  static const unsigned key_bits[] = {17, 24, 29, 33, 37, 64};
  for (size_t k = 0; k < sizeof key_bits / sizeof *key_bits; k++)
    for (size_t w = 0; w < SLOT_WIDTHS; w++)
      for (size_t b = 0; b < BUCKET_SIZES; b++) {
        struct table_config config = {
            .key_bits = key_bits[k], .slot_bits = slot_widths[w], .bucket_slots = bucket_sizes[b], .seed = k};
        if (falls_to_form(k + w + b) && plan_at_least(&config, slots))
          stress_table(&config, fill);
      }
  stress_linear(fill, slots, 0);
}

START_TEST(half_full) { stress_geometries(0.5, 8000); }
END_TEST

START_TEST(nine_tenths_full) { stress_geometries(0.9, 8000); }
END_TEST

START_TEST(more_keys_than_slots) { stress_geometries(1.3, 8000); }
END_TEST

/* The fewer buckets, the more often two threads compete for a slot. */
START_TEST(few_buckets) {
  for (uint64_t seed = 0; seed < 80; seed++)
    for (size_t b = 0; b < BUCKET_SIZES && falls_to_form(seed); b++)
      stress_table(&(struct table_config){.key_bits = bucket_sizes[b] == 24 ? 24 : 27,
                                          .slots = 400,
                                          .seed = seed,
                                          .packed = true,
                                          .bucket_slots = bucket_sizes[b]},
                   1.3);
  for (uint64_t seed = 0; seed < 100; seed++)
    stress_linear(1.15, 200, seed);
}
END_TEST

struct growth {
  const struct table *from;
  struct table *to;
  unsigned part;
  uint64_t refused;
};

static void *grow(void *argument) {
  struct growth *growth = argument;
  growth->refused = table_rehash(growth->from, growth->to, growth->part, THREADS);
  return NULL;
}

/* Puts n pairs, then deletes every third key if the table has deletion. */
static void fill_pairs(struct table *table, const struct table_config *config, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    uint64_t key = i * 1000003 & largest_key(config->key_bits), value = i;
    uint8_t answer;
    table_run(table, TABLE_PUT_NEW, &key, config->value_bits ? &value : NULL, 1, &answer);
    ck_assert_uint_eq(answer, TABLE_PUT);
    if (i % 3 == 0 && !table_cannot(config, TABLE_DELETE))
      table_run(table, TABLE_DELETE, &key, NULL, 1, &answer);
  }
}

static void check_pairs(struct table *table, const struct table_config *config, uint64_t n) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t key = i * 1000003 & largest_key(config->key_bits), value = i;
    uint8_t answer;
    table_run(table, config->value_bits ? TABLE_GET : TABLE_FIND, &key, config->value_bits ? &value : NULL, 1, &answer);
    wrong += value != i || answer != (i % 3 || table_cannot(config, TABLE_DELETE) ? TABLE_FOUND : TABLE_FULL);
  }
  ck_assert_uint_eq(wrong, 0);
  ck_assert_uint_eq(table_check(table), 0);
}

static void grow_by_threads(const struct table *table, struct table *larger) {
  pthread_t thread[THREADS];
  struct growth growth[THREADS];
  for (unsigned t = 0; t < THREADS; t++) {
    growth[t] = (struct growth){table, larger, t, 0};
    ck_assert_int_eq(pthread_create(&thread[t], NULL, grow, &growth[t]), 0);
  }
  for (unsigned t = 0; t < THREADS; t++) {
    pthread_join(thread[t], NULL);
    ck_assert_uint_eq(growth[t].refused, 0);
  }
  ck_assert_uint_eq(table_count(larger), table_count(table));
}

/* Growth by all threads, a part each: at random, and in order to 1.5, 2 and 3 times the buckets. */
static void grow_in_parts(struct table_config config, uint64_t slots, uint64_t unit) {
  config.slots = 8000;
  config.multiple_of = 8;
  struct table *table = make_table(&config);
  const uint64_t n = 6800;
  fill_pairs(table, &config, n);
  config.slots = slots;
  config.multiple_of = unit ? table_shape(table)->buckets / unit : 0;
  struct table *larger = make_table(&config);
  grow_by_threads(table, larger);
  check_pairs(larger, &config, n);
  table_free(larger);
  table_free(table);
}

START_TEST(growth_in_parts) {
  static const struct table_config configs[] = {
      {.scheme = "iceberg", .key_bits = 40},
      {.scheme = "iceberg", .key_bits = 40, .value_bits = 64, .deletes = true},
      {.scheme = "linear", .key_bits = 31},
      {.scheme = "linear", .key_bits = 32, .slot_bits = 32},
      {.scheme = "linear", .key_bits = 40, .permutation = "feistel"},
      {.scheme = "linear", .key_bits = 64},
      {.scheme = "linear", .key_bits = 32, .value_bits = 32},
      {.scheme = "linear", .key_bits = 20, .value_bits = 32},
      {.scheme = "linear", .key_bits = 64, .value_bits = 64},
      {.scheme = "linear", .key_bits = 37, .value_bits = 64},
      {.scheme = "cuckoo", .key_bits = 40},
      {.scheme = "cuckoo", .key_bits = 64, .value_bits = 64},
      {.scheme = "robin-hood", .key_bits = 32, .value_bits = 32},
      {.scheme = "robin-hood", .key_bits = 25, .value_bits = 32},
      {.scheme = "robin-hood", .key_bits = 64, .value_bits = 64},
      {.scheme = "robin-hood", .key_bits = 37, .value_bits = 64},
      {.scheme = "bitmap", .key_bits = 20}};
  for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
    grow_in_parts(configs[i], 20000, 0);
    grow_in_parts(configs[i], 12000, 2);
    grow_in_parts(configs[i], 16000, 1);
    grow_in_parts(configs[i], 24000, 1);
  }
}
END_TEST

int main(void) {
  return RUN_IN_FORMS("stress", half_full, nine_tenths_full, more_keys_than_slots, few_buckets, growth_in_parts);
}
