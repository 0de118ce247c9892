/* Part of the suite for stable sets: slot numbers. */
#include "table_set_suite.h"
#include "table_suite.h"

#include "tables/simd.h"

#include <pthread.h>

enum { BATCH = 64, SLOTS = 700, LAST = 4 };

/* ---- against a reference ------------------------------------------------------------------------- */

/* Keys 0..n - 1 of the test, and their expected numbers. */
struct ledger {
  struct table *table;
  uint64_t n, mask;
  uint64_t kept; /* the first keys, put when the table is full */
  bool *here;
  uint64_t *numbers; /* UINT64_MAX: unknown, or absent */
  bool *taken;       /* by slot number */
};

/* From both ends of the key range, to include the last keys. */
static uint64_t key_of(const struct ledger *ledger, uint64_t i) { return i & 1 ? i / 2 : ledger->mask - i / 2; }

static struct ledger ledger_make(const struct table_config *config) {
  struct ledger ledger = {.table = make_table(config), .mask = largest_key(config->key_bits)};
  const uint64_t most = 2 * table_shape(ledger.table)->slots;
  ledger.n = ledger.mask < most - 1 ? ledger.mask + 1 : most;
  ledger.kept = ledger.n > 2 * LAST ? LAST : 0;
  ledger.here = calloc(ledger.n, sizeof *ledger.here);
  ledger.numbers = malloc(ledger.n * sizeof *ledger.numbers);
  memset(ledger.numbers, 0xff, ledger.n * sizeof *ledger.numbers);
  ledger.taken = calloc(table_shape(ledger.table)->slots, sizeof *ledger.taken);
  return ledger;
}

static void ledger_free(struct ledger *ledger) {
  free(ledger->here);
  free(ledger->numbers);
  free(ledger->taken);
  table_free(ledger->table);
}

static void is_number_of(struct ledger *ledger, uint64_t i, uint64_t number) {
  ck_assert_uint_lt(number, table_shape(ledger->table)->slots);
  ck_assert_uint_eq(table_key_at(ledger->table, number), key_of(ledger, i));
  if (ledger->numbers[i] == UINT64_MAX)
    ck_assert(!ledger->taken[number]);
  else
    ck_assert_uint_eq(number, ledger->numbers[i]);
  ledger->numbers[i] = number;
  ledger->taken[number] = true;
}

static void is_answer_of(struct ledger *ledger, uint64_t i, unsigned answer, uint64_t number) {
  ck_assert_int_eq(answer == TABLE_FOUND, ledger->here[i]);
  ledger->here[i] = answer != TABLE_FULL;
  if (answer == TABLE_FULL)
    ck_assert_uint_eq(number, UINT64_MAX);
  else
    is_number_of(ledger, i, number);
}

/* Puts the keys at `which`; some occur several times. Returns the number of FULL. */
static size_t put_numbered(struct ledger *ledger, const uint64_t *which, size_t n) {
  uint64_t keys[BATCH] = {0}, numbers[BATCH];
  uint8_t answers[BATCH];
  size_t full = 0;
  for (size_t i = 0; i < n; i++)
    keys[i] = key_of(ledger, which[i]);
  const size_t told = table_find_or_put_slots(ledger->table, keys, n, answers, numbers);
  for (size_t i = 0; i < n; i++) {
    /* a batch may process equal keys in any order */
    if (answers[i] == TABLE_PUT)
      is_answer_of(ledger, which[i], answers[i], numbers[i]);
    full += answers[i] == TABLE_FULL;
  }
  for (size_t i = 0; i < n; i++)
    if (answers[i] != TABLE_PUT)
      is_answer_of(ledger, which[i], answers[i], numbers[i]);
  ck_assert_uint_eq(told, full);
  return full;
}

/* Keys put without numbers get theirs when they are found. */
static void put_plainly(struct ledger *ledger, const uint64_t *which, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const unsigned answer = put_one(ledger->table, key_of(ledger, which[i]));
    ck_assert_int_eq(answer == TABLE_FOUND, ledger->here[which[i]]);
    ledger->here[which[i]] = answer != TABLE_FULL;
  }
}

static void delete_some(struct ledger *ledger, uint64_t every) {
  for (uint64_t i = 0; i < ledger->n; i += every) {
    uint64_t key = key_of(ledger, i);
    uint8_t answer;
    table_run(ledger->table, TABLE_DELETE, &key, NULL, 1, &answer);
    ck_assert_int_eq(answer == TABLE_FOUND, ledger->here[i]);
    if (ledger->numbers[i] != UINT64_MAX)
      ledger->taken[ledger->numbers[i]] = false;
    ledger->here[i] = false;
    ledger->numbers[i] = UINT64_MAX;
  }
}

/* Returns the number of keys without a place. */
static size_t put_at_random(struct ledger *ledger, uint64_t times, uint64_t *state) {
  size_t full = 0;
  for (uint64_t at = 0; at < times; at += BATCH) {
    uint64_t which[BATCH];
    for (unsigned i = 0; i < BATCH; i++)
      which[i] = i % 8 == 7 ? which[i / 2] : ledger->kept + splitmix64_next(state) % (ledger->n - ledger->kept);
    if (at / BATCH % 3)
      full += put_numbered(ledger, which, BATCH);
    else
      put_plainly(ledger, which, BATCH);
  }
  return full;
}

/* There are as many numbers as keys, and all earlier numbers are unchanged. */
static void ask_again(struct ledger *ledger) {
  uint64_t count = 0, taken = 0;
  for (uint64_t i = 0; i < ledger->n; i++)
    if (ledger->here[i])
      count++, put_numbered(ledger, &i, 1);
  for (uint64_t i = 0; i < table_shape(ledger->table)->slots; i++)
    taken += ledger->taken[i];
  ck_assert_uint_eq(taken, count);
  ck_assert_uint_eq(table_count(ledger->table), count);
  ck_assert_uint_eq(table_check(ledger->table), 0);
}

static void number_one_set(const struct table_config *config) {
  struct ledger ledger = ledger_make(config);
  uint64_t state = config->key_bits;
  put_at_random(&ledger, table_shape(ledger.table)->slots / 2, &state);
  ask_again(&ledger);
  for (uint64_t every = 2; config->deletes && every < 5; every++) {
    delete_some(&ledger, every);
    put_at_random(&ledger, table_shape(ledger.table)->slots / 8, &state);
    ask_again(&ledger);
  }
  const size_t full = put_at_random(&ledger, 6 * table_shape(ledger.table)->slots, &state);
  if (ledger.n > table_shape(ledger.table)->slots)
    ck_assert_uint_gt(full, 0);
  for (uint64_t i = 0; i < ledger.kept; i++)
    put_numbered(&ledger, &i, 1);
  ask_again(&ledger);
  ledger_free(&ledger);
}

/* In every form of the scan: functions with numbers are compiled for each. */
static void in_every_form(struct table_config *config, void (*test)(const struct table_config *config)) {
  for (const char *const *form = simd_forms(); *form; form++) {
    config->simd = *form;
    test(config);
  }
}

void set_with_numbers(const char *scheme) {
  const struct table_traits *traits = table_traits(scheme);
  for (unsigned bits = 1; traits->stable && !traits->every_key && bits <= 64; bits += bits < 60 ? 6 : 1)
    for (unsigned deletes = 0; deletes <= traits->deletes; deletes++) {
      struct table_config config = {.scheme = scheme, .key_bits = bits, .deletes = deletes};
      ck_assert_msg(plan_at_least(&config, SLOTS), "%s: keys of %u bits", scheme, bits);
      in_every_form(&config, number_one_set);
    }
}

/* ---- threads ------------------------------------------------------------------------------------- */

/* All threads put KEYS; with deletion each also puts and deletes keys of its own. */
enum { THREADS = 4, KEYS = 4096, OWN = 16 };

struct worker {
  struct table *table;
  unsigned number;
  bool deletes;
  uint64_t put, wrong, slots[KEYS];
};

static uint64_t shared_key(uint64_t i) { return i * 1000003; }

static void put_shared(struct worker *worker, uint64_t at) {
  uint64_t keys[BATCH], slots[BATCH];
  uint8_t answers[BATCH];
  for (unsigned i = 0; i < BATCH; i++)
    keys[i] = shared_key(at + i);
  worker->wrong += table_find_or_put_slots(worker->table, keys, BATCH, answers, slots) != 0;
  for (unsigned i = 0; i < BATCH; i++) {
    worker->put += answers[i] == TABLE_PUT;
    worker->wrong += table_key_at(worker->table, slots[i]) != keys[i];
    worker->slots[at + i] = slots[i];
  }
}

static void come_and_go(struct worker *worker, uint64_t at) {
  uint64_t keys[OWN], slots[OWN];
  uint8_t answers[OWN];
  for (unsigned i = 0; i < OWN; i++)
    keys[i] = (UINT64_C(1) << 39) + (worker->number * KEYS + at) * OWN + i;
  worker->wrong += table_find_or_put_slots(worker->table, keys, OWN, answers, slots) != 0;
  for (unsigned i = 0; i < OWN; i++)
    worker->wrong += answers[i] != TABLE_PUT || table_key_at(worker->table, slots[i]) != keys[i];
  worker->wrong += table_run(worker->table, TABLE_DELETE, keys, NULL, OWN, answers) != 0;
}

static void *number_all(void *user) {
  struct worker *worker = user;
  for (unsigned round = 0; round < 2; round++)
    for (uint64_t i = 0; i < KEYS; i += BATCH) {
      const uint64_t at = (i + worker->number * (KEYS / THREADS)) % KEYS;
      put_shared(worker, at);
      if (worker->deletes && round == 0)
        come_and_go(worker, at);
    }
  return NULL;
}

static void check_worker(const struct worker *worker, const struct worker *first, bool *taken) {
  ck_assert_uint_eq(worker->wrong, 0);
  for (uint64_t i = 0; i < KEYS; i++) {
    ck_assert_uint_eq(worker->slots[i], first->slots[i]);
    ck_assert_uint_eq(table_key_at(worker->table, worker->slots[i]), shared_key(i));
    ck_assert(worker != first || !taken[worker->slots[i]]);
    taken[worker->slots[i]] = true;
  }
}

static void number_by_threads(const struct table_config *config) {
  struct worker *workers = calloc(THREADS, sizeof *workers);
  pthread_t threads[THREADS];
  uint64_t put = 0;
  struct table *table = make_table(config);
  bool *taken = calloc(table_shape(table)->slots, sizeof *taken);
  for (unsigned i = 0; i < THREADS; i++) {
    workers[i] = (struct worker){.table = table, .number = i, .deletes = config->deletes};
    ck_assert_int_eq(pthread_create(&threads[i], NULL, number_all, &workers[i]), 0);
  }
  for (unsigned i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    put += workers[i].put;
  }
  for (unsigned i = 0; i < THREADS; i++)
    check_worker(&workers[i], &workers[0], taken);
  ck_assert_uint_eq(put, KEYS);
  ck_assert_uint_eq(table_count(table), KEYS);
  ck_assert_uint_eq(table_check(table), 0);
  free(taken);
  free(workers);
  table_free(table);
}

void set_with_numbers_by_threads(const char *scheme) {
  const struct table_traits *traits = table_traits(scheme);
  for (unsigned deletes = 0; traits->stable && !traits->every_key && deletes <= traits->deletes; deletes++) {
    struct table_config config = {.scheme = scheme, .key_bits = 40, .slots = 4 * KEYS, .deletes = deletes};
    in_every_form(&config, number_by_threads);
  }
}
