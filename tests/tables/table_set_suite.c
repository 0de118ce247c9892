#include "table_set_suite.h"
#include "table_suite.h"

#include "tables/scheme.h"

#include <pthread.h>

static const unsigned key_widths[] = {1, 5, 13, 20, 32, 40, 63, 64};
enum { KEY_WIDTHS = sizeof key_widths / sizeof *key_widths, SLOTS = 700, BATCH = 64 };

bool set_is_one(const char *scheme) {
  return !table_cannot(&(struct table_config){.scheme = scheme, .key_bits = 64}, TABLE_FIND_OR_PUT);
}

/* ---- against a reference ------------------------------------------------------------------------- */

static void put_batch(struct table *table, struct reference *set, const uint64_t *keys, size_t n) {
  uint8_t answers[BATCH];
  size_t full = 0;
  const size_t told = table_find_or_put(table, keys, n, answers);
  for (size_t i = 0; i < n; i++) {
    if (reference_has(set, keys[i]))
      ck_assert_uint_eq(answers[i], TABLE_FOUND);
    else
      ck_assert_uint_ne(answers[i], TABLE_FOUND);
    if (answers[i] == TABLE_PUT)
      reference_put(set, keys[i]);
    full += answers[i] == TABLE_FULL;
  }
  ck_assert_uint_eq(told, full);
}

static void fill(struct table *table, struct reference *set, unsigned bits, uint64_t times) {
  uint64_t state = bits;
  for (uint64_t at = 0; at < times; at += BATCH) {
    uint64_t keys[BATCH];
    for (unsigned i = 0; i < BATCH; i++)
      keys[i] = splitmix64_next(&state) % 3 ? splitmix64_next(&state) & largest_key(bits) : i & largest_key(bits);
    keys[0] = largest_key(bits);
    put_batch(table, set, keys, BATCH);
  }
}

struct visits {
  const struct reference *set;
  uint64_t count, sum;
};

static void visit(void *user, const uint64_t *keys, size_t n) {
  struct visits *visits = user;
  for (size_t i = 0; i < n; i++) {
    ck_assert(reference_has(visits->set, keys[i]));
    visits->sum += keys[i] * 3 + 1;
  }
  visits->count += n;
}

/* The table has exactly the keys of the reference: equal number and sum, and each is visited once. */
static void check_content(const struct table *table, const struct reference *set) {
  struct visits visits = {.set = set};
  struct table_stats stats;
  uint64_t sum = 0;
  for (uint64_t i = 0; i <= set->mask; i++)
    if (set->used[i]) {
      sum += set->keys[i] * 3 + 1;
      ck_assert_uint_eq(find_one(table, set->keys[i]), TABLE_FOUND);
    }
  for (unsigned part = 0; part < 3; part++)
    table_each(table, part, 3, visit, &visits);
  ck_assert_uint_eq(visits.count, set->count);
  ck_assert_uint_eq(visits.sum, sum);
  table_stats(table, &stats);
  ck_assert_uint_eq(stats.used, set->count);
  ck_assert_uint_eq(stats.slots, table_shape(table)->slots);
  ck_assert_uint_eq(table_check(table), 0);
}

static void check_move(const struct table *table, const struct reference *set, struct table_config config) {
  config.slots *= 4;
  struct table *larger = make_table(&config);
  for (unsigned part = 0; part < 3; part++)
    ck_assert_uint_eq(table_rehash(table, larger, part, 3), 0);
  check_content(larger, set);
  check_content(table, set);
  table_free(larger);
}

void set_same_as_reference(const char *scheme) {
  for (size_t i = 0; i < KEY_WIDTHS; i++) {
    struct table_config config = {.scheme = scheme, .key_bits = key_widths[i]};
    ck_assert_msg(plan_at_least(&config, SLOTS), "%s: keys of %u bits", scheme, key_widths[i]);
    struct table *table = make_table(&config);
    struct reference set = reference_make(2 * table_shape(table)->slots);
    fill(table, &set, key_widths[i], table_shape(table)->slots / 2);
    check_content(table, &set);
    fill(table, &set, key_widths[i], 3 * table_shape(table)->slots);
    check_content(table, &set);
    check_move(table, &set, config);
    reference_free(&set);
    table_free(table);
  }
}

/* ---- threads ------------------------------------------------------------------------------------- */

enum { THREADS = 4, KEYS = 5000 };

struct worker {
  struct table *table;
  unsigned number;
  uint64_t put, full;
};

static void *put_all(void *user) {
  struct worker *worker = user;
  for (uint64_t at = 0; at < KEYS; at += BATCH) {
    uint64_t keys[BATCH];
    uint8_t answers[BATCH];
    for (unsigned i = 0; i < BATCH; i++) /* each thread starts at a place of its own */
      keys[i] = (at + i + worker->number * (KEYS / THREADS)) % KEYS * 1000003;
    worker->full += table_find_or_put(worker->table, keys, BATCH, answers);
    for (unsigned i = 0; i < BATCH; i++)
      worker->put += answers[i] == TABLE_PUT;
  }
  return NULL;
}

void set_by_threads(const char *scheme) {
  const struct table_config config = {.scheme = scheme, .key_bits = 40, .slots = 4 * KEYS};
  struct worker workers[THREADS];
  pthread_t threads[THREADS];
  uint64_t put = 0;
  struct table *table = make_table(&config);
  for (unsigned i = 0; i < THREADS; i++) {
    workers[i] = (struct worker){.table = table, .number = i};
    ck_assert_int_eq(pthread_create(&threads[i], NULL, put_all, &workers[i]), 0);
  }
  for (unsigned i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    put += workers[i].put;
    ck_assert_uint_eq(workers[i].full, 0);
  }
  ck_assert_uint_eq(put, KEYS);
  ck_assert_uint_eq(table_count(table), KEYS);
  ck_assert_uint_eq(table_check(table), 0);
  table_free(table);
}

/* ---- full ---------------------------------------------------------------------------------------- */

void set_that_is_full(const char *scheme) {
  const struct table_config config = {.scheme = scheme, .key_bits = 50, .slots = 64};
  struct table *table = make_table(&config);
  const uint64_t most = 4 * table_shape(table)->slots;
  uint64_t full = 0, put = 0;
  for (uint64_t i = 0; i < most; i++) {
    const unsigned answer = put_one(table, i * 7919);
    ck_assert_uint_ne(answer, TABLE_FOUND);
    put += answer == TABLE_PUT;
    if (answer != TABLE_FULL)
      continue;
    full++;
    ck_assert_uint_eq(put_one(table, i * 7919), TABLE_FULL);
    ck_assert_uint_eq(find_one(table, i * 7919), TABLE_FULL);
  }
  ck_assert_uint_gt(full, 0);
  ck_assert_uint_eq(table_count(table), put);
  ck_assert_uint_eq(table_check(table), 0);
  table_free(table);
}

/* ---- traits -------------------------------------------------------------------------------------- */

static bool is_planned(const struct table_config *config) {
  struct table_config tried = *config;
  struct table_shape shape;
  for (tried.slots = 1 << 8; tried.slots <= 1 << 24; tried.slots *= 16)
    if (table_plan(&tried, &shape) == FLOE_OK)
      return true;
  return false;
}

/* A table with this width of slots, of any keys and values. */
static bool has_slots(const char *scheme, unsigned slot_bits, unsigned bucket_slots) {
  for (unsigned values = 0; values <= 64; values += 32)
    for (unsigned keys = 20; keys <= 64; keys += 4)
      if (is_planned(&(struct table_config){.scheme = scheme,
                                            .key_bits = keys,
                                            .slot_bits = slot_bits,
                                            .bucket_slots = bucket_slots,
                                            .value_bits = values}))
        return true;
  return false;
}

static bool has_values(const char *scheme, unsigned value_bits) {
  return is_planned(&(struct table_config){.scheme = scheme, .key_bits = 24, .value_bits = value_bits});
}

void set_like_its_traits(const char *scheme) {
  const struct table_traits *traits = table_traits(scheme);
  ck_assert_ptr_nonnull(traits);
  ck_assert(traits->description && *traits->description && traits->layouts && *traits->layouts);
  for (unsigned bits = 8; bits <= 128; bits++)
    ck_assert_msg(has_slots(scheme, bits, 0) == table_has(traits->slot_bits, bits), "%s: slots of %u bits", scheme,
                  bits);
  for (unsigned slots = 2; slots <= 40; slots++)
    ck_assert_msg(has_slots(scheme, 0, slots) == table_has(traits->bucket_slots, slots) ||
                      has_slots(scheme, TABLE_PACKED_BITS, slots) == table_has(traits->bucket_slots, slots),
                  "%s: buckets of %u slots", scheme, slots);
  for (unsigned bits = 8; bits <= 72; bits += 8)
    ck_assert_msg(has_values(scheme, bits) == table_has(traits->value_bits, bits), "%s: values of %u bits", scheme,
                  bits);
  ck_assert_int_eq(has_values(scheme, 0), traits->sets);
  ck_assert_int_eq(table_scheme_find(scheme)->find_or_put_slots != NULL, traits->stable);
  ck_assert_int_eq(table_scheme_find(scheme)->key_at != NULL, traits->stable);
}
