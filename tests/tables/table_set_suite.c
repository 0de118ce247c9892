#include "table_set_suite.h"
#include "table_suite.h"

#include "tables/scheme.h"

#include <pthread.h>

bool set_is_one(const char *scheme) {
  return !table_cannot(&(struct table_config){.scheme = scheme, .key_bits = 64}, TABLE_FIND_OR_PUT);
}

/* ---- threads ------------------------------------------------------------------------------------- */

enum { THREADS = 4, KEYS = 5000, BATCH = 64 };

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
