/* Many threads add to one Robin Hood table, up to load 0.99 and beyond full, for both widths: no key is lost or
   stored twice, sums are exact, the number of PUT equals the number of new keys. Lookups run concurrently. */
#include "tests/tables/table_suite.h"

#include "tables/robin_hood/robin_hood.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4, BATCH = 64 };

struct stress {
  struct table *table;
  enum table_reduction reduction;
  uint64_t distinct, times; /* number of times that each thread adds each key */
  atomic_ullong put, back_sum;
  atomic_uchar *back; /* by key number: the key was returned */
  atomic_bool over;
  atomic_ullong wrong, looked;
  pthread_barrier_t start;
};

struct worker {
  struct stress *stress;
  unsigned number;
};

/* An odd factor gives different keys for different numbers below 2^key_bits. */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

static uint64_t key_mask(const struct stress *stress) { return largest_key(table_shape(stress->table)->key_bits); }

static uint64_t key_of(const struct stress *stress, uint64_t i) { return i * FACTOR & key_mask(stress); }

/* Inverse of an odd number modulo 2^64: 3 bits are right at first, twice as many after each step. */
static uint64_t number_of(const struct stress *stress, uint64_t key) {
  uint64_t inverse = FACTOR;
  for (int bits = 3; bits < 64; bits *= 2)
    inverse *= 2 - FACTOR * inverse;
  return key * inverse & key_mask(stress);
}

/* Values of a key are multiples of its measure, and rarely of another key's. */
static uint64_t measure_of(uint64_t i) { return 1000 + i % 1009; }
static uint64_t value_of(uint64_t i, unsigned thread) { return measure_of(i) * (1 + thread); }

static void take_back(struct stress *stress, uint64_t key, uint64_t value) {
  const uint64_t number = number_of(stress, key);
  if (number >= stress->distinct) {
    atomic_fetch_add(&stress->wrong, 1);
    return;
  }
  atomic_store_explicit(&stress->back[number], 1, memory_order_relaxed); /* read after the join */
  atomic_fetch_add(&stress->back_sum, value);
}

/* All threads add the same numbers, some from the other end, so that they meet. */
static void *add_all(void *argument) {
  struct worker *worker = argument;
  struct stress *stress = worker->stress;
  uint64_t keys[BATCH], values[BATCH], put = 0;
  uint8_t answers[BATCH];
  pthread_barrier_wait(&stress->start);
  for (uint64_t at = 0; at < stress->distinct * stress->times; at += BATCH) {
    size_t n = 0;
    for (uint64_t i = at; i < stress->distinct * stress->times && n < BATCH; i++, n++) {
      const uint64_t number = i % stress->distinct;
      const uint64_t mine = worker->number & 1 ? stress->distinct - 1 - number : number;
      keys[n] = key_of(stress, mine);
      values[n] = value_of(mine, worker->number);
    }
    table_run(stress->table, TABLE_ADD, keys, values, n, answers);
    for (size_t i = 0; i < n; i++) {
      put += answers[i] == TABLE_PUT;
      if (answers[i] == TABLE_FULL)
        take_back(stress, keys[i], values[i]);
    }
  }
  atomic_fetch_add(&stress->put, put);
  return NULL;
}

static uint64_t found_meanwhile;

/* A value found concurrently is a part of the value of that key, not of another. */
static void *look(void *argument) {
  struct stress *stress = argument;
  uint64_t random = 1, looked = 0, wrong = 0;
  pthread_barrier_wait(&stress->start);
  while (!atomic_load(&stress->over)) {
    const uint64_t i = splitmix64_next(&random) % stress->distinct;
    uint64_t key = key_of(stress, i), value = 0;
    uint8_t answer;
    table_run(stress->table, TABLE_GET, &key, &value, 1, &answer);
    wrong += answer == TABLE_FOUND && (value == 0 || value % measure_of(i));
    looked += answer == TABLE_FOUND;
  }
  atomic_fetch_add(&stress->looked, looked);
  atomic_fetch_add(&stress->wrong, wrong);
  return NULL;
}

static void run_threads(struct stress *stress) {
  pthread_t thread[THREADS], looker;
  struct worker workers[THREADS];
  pthread_barrier_init(&stress->start, NULL, THREADS + 1);
  ck_assert_int_eq(pthread_create(&looker, NULL, look, stress), 0);
  for (unsigned t = 0; t < THREADS; t++) {
    workers[t] = (struct worker){stress, t};
    ck_assert_int_eq(pthread_create(&thread[t], NULL, add_all, &workers[t]), 0);
  }
  for (unsigned t = 0; t < THREADS; t++)
    pthread_join(thread[t], NULL);
  atomic_store(&stress->over, true);
  pthread_join(looker, NULL);
  pthread_barrier_destroy(&stress->start);
}

/* The expected value of a key that was never returned. */
static uint64_t due(const struct stress *stress, uint64_t i) {
  uint64_t sum = 0, least = UINT64_MAX, most = 0;
  for (unsigned t = 0; t < THREADS; t++) {
    const uint64_t value = value_of(i, t);
    sum += value * stress->times;
    least = value < least ? value : least;
    most = value > most ? value : most;
  }
  return stress->reduction == TABLE_SUM ? sum : stress->reduction == TABLE_MIN ? least : most;
}

static bool is_one_added(uint64_t i, uint64_t value) {
  for (unsigned t = 0; t < THREADS; t++)
    if (value == value_of(i, t))
      return true;
  return false;
}

static void check_values(struct stress *stress) {
  uint64_t lost = 0, both = 0, differ = 0, sum = 0, given = 0;
  for (uint64_t i = 0; i < stress->distinct; i++) {
    uint64_t key = key_of(stress, i), value = 0;
    uint8_t answer;
    table_run(stress->table, TABLE_GET, &key, &value, 1, &answer);
    const bool found = answer == TABLE_FOUND, back = stress->back[i];
    lost += !found && !back;
    both += found && back;
    differ += found && (stress->reduction == TABLE_REPLACE ? !is_one_added(i, value) : value != due(stress, i));
    sum += value;
    for (unsigned t = 0; t < THREADS; t++)
      given += value_of(i, t) * stress->times;
  }
  ck_assert_uint_eq(lost, 0);
  ck_assert_uint_eq(both, 0);
  ck_assert_uint_eq(differ, 0);
  if (stress->reduction == TABLE_SUM)
    ck_assert_uint_eq(sum + stress->back_sum, given);
}

/* `fill`: distinct keys for each slot. Returns the number of returned keys. */
static uint64_t stress_table(struct table_config config, double fill, uint64_t times) {
  config.scheme = "robin-hood";
  struct stress stress = {.table = make_table(&config), .reduction = config.reduction, .times = times};
  stress.distinct = (uint64_t)((double)config.slots * fill);
  stress.back = calloc(stress.distinct, 1);
  run_threads(&stress);
  uint64_t back = 0;
  for (uint64_t i = 0; i < stress.distinct; i++)
    back += stress.back[i];
  ck_assert_uint_eq(stress.wrong, 0);
  found_meanwhile += stress.looked;
  ck_assert_uint_eq(table_count(stress.table), stress.distinct - back);
  ck_assert_uint_eq(stress.put, stress.distinct - back);
  ck_assert_uint_eq(table_check(stress.table), 0);
  check_values(&stress);
  free(stress.back);
  table_free(stress.table);
  return back;
}

static const struct { unsigned key_bits, value_bits; } widths[] = {{32, 32}, {25, 32}, {64, 64}, {37, 64}};
enum { WIDTHS = sizeof widths / sizeof *widths };

static void stress_widths(double fill, uint64_t slots, unsigned rounds) {
  for (unsigned round = 0; round < rounds; round++)
    for (size_t w = 0; w < WIDTHS; w++) {
      const uint64_t back = stress_table((struct table_config){.key_bits = widths[w].key_bits,
                                                               .value_bits = widths[w].value_bits,
                                                               .slots = slots,
                                                               .seed = round,
                                                               .reduction = TABLE_SUM},
                                         fill, 2);
      ck_assert(fill < 1 ? back == 0 : back > 0);
    }
}

START_TEST(load_nine_tenths) { stress_widths(0.9, 30000, 2); }
END_TEST

START_TEST(load_nearly_full) { stress_widths(0.99, 5000, 2); }
END_TEST

START_TEST(more_keys_than_slots) { stress_widths(1.1, 700, 3); }
END_TEST

/* The fewer slots, the more often threads meet. */
START_TEST(small_tables) {
  stress_widths(1.5, 10, 100);
  stress_widths(0.99, 150, 30);
}
END_TEST

START_TEST(few_probes) {
  for (unsigned probes = 2; probes <= 32; probes *= 2)
    for (size_t w = 0; w < WIDTHS; w++)
      stress_table((struct table_config){.key_bits = widths[w].key_bits,
                                         .value_bits = widths[w].value_bits,
                                         .slots = 1000,
                                         .probes = probes,
                                         .reduction = TABLE_SUM},
                   0.95, 2);
}
END_TEST

START_TEST(other_reductions) {
  const enum table_reduction reductions[] = {TABLE_REPLACE, TABLE_MIN, TABLE_MAX};
  for (size_t r = 0; r < 3; r++)
    for (size_t w = 0; w < WIDTHS; w++)
      stress_table((struct table_config){.key_bits = widths[w].key_bits,
                                         .value_bits = widths[w].value_bits,
                                         .slots = 5000,
                                         .reduction = reductions[r]},
                   0.95, 2);
}
END_TEST

/* A histogram: a few keys that all threads add to continually. */
START_TEST(hot_keys) {
  for (size_t w = 0; w < WIDTHS; w++)
    stress_table(
        (struct table_config){
            .key_bits = widths[w].key_bits, .value_bits = widths[w].value_bits, .slots = 9, .reduction = TABLE_SUM},
        0.9, 4000);
}
END_TEST

START_TEST(keys_were_found_meanwhile) { ck_assert_uint_gt(found_meanwhile, 1000); }
END_TEST

int main(void) {
  return RUN_SUITE("Robin Hood threads", load_nine_tenths, load_nearly_full, more_keys_than_slots, small_tables,
                   few_probes, other_reductions, hot_keys, keys_were_found_meanwhile);
}
