#include "reserved_suite.h"

#include "tests/suite.h"

#include <inttypes.h>
#include <string.h>

enum { ADDITIONS = 5, TOGETHER = 40 };

static uint64_t sum(void *data, uint64_t present, uint64_t added) {
  (void)data;
  return present + added;
}
static uint64_t least(void *data, uint64_t present, uint64_t added) {
  (void)data;
  return present < added ? present : added;
}
static uint64_t most(void *data, uint64_t present, uint64_t added) {
  (void)data;
  return present > added ? present : added;
}
static uint64_t both(void *data, uint64_t present, uint64_t added) {
  (void)data;
  return present & added;
}
static uint64_t either(void *data, uint64_t present, uint64_t added) {
  (void)data;
  return present | added;
}
static uint64_t differ(void *data, uint64_t present, uint64_t added) {
  (void)data;
  return present ^ added;
}
static uint64_t newer(void *data, uint64_t present, uint64_t added) {
  (void)data, (void)present;
  return added;
}

/* Additions to one key, whose results pass 0 and the largest value of the width. */
static const struct reduction {
  const char *name;
  floe_hash_reduction reduction;
  uint64_t (*reduce)(void *data, uint64_t present, uint64_t added);
  const char *text;
  uint64_t added[2][ADDITIONS];
} reductions[] = {
    {"sum", FLOE_HASH_SUM, sum, NULL, {{5, (uint64_t)-6, 1, 1, 1}, {1, (uint64_t)-2, (uint64_t)-3, 4, 7}}},
    {"min", FLOE_HASH_MIN, least, NULL, {{(uint64_t)-1, (uint64_t)-2, 1, 0, 3}, {0, (uint64_t)-1, 1, 2, 0}}},
    {"max", FLOE_HASH_MAX, most, NULL, {{0, 1, (uint64_t)-2, (uint64_t)-1, 1}, {(uint64_t)-1, 1, 2, 0, 9}}},
    {"replace", FLOE_HASH_REPLACE, newer, NULL, {{0, (uint64_t)-1, 0, (uint64_t)-2, 1}, {(uint64_t)-1, 0, 1, 0, 9}}},
    {"and",
     FLOE_HASH_OWN,
     both,
     "present & added",
     {{(uint64_t)-1, (uint64_t)-1, 6, 1, 1}, {(uint64_t)-2, 1, 0, 5, 7}}},
    {"or", FLOE_HASH_OWN, either, "present | added", {{0, 1, (uint64_t)-2, 3, 0}, {(uint64_t)-9, 8, 1, 0, 6}}},
    {"xor",
     FLOE_HASH_OWN,
     differ,
     "present ^ added",
     {{5, (uint64_t)-6, 1, 1, 3}, {(uint64_t)-1, 1, 1, 7, (uint64_t)-8}}},
};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

static const char *const schemes[] = {"linear", "iceberg", "robin-hood"};

struct map {
  floe_hash_table *table;
  floe_log *log;
  const struct reduction *reduction;
  uint64_t mask;
  bool reserves;
};

/* ---- one addition at a time -------------------------------------------------------------------------- */

/* The key's value; false: it has none. */
static bool get(struct map *map, uint64_t key, uint64_t *value) {
  uint8_t answer;
  ck_assert_int_eq(floe_hash_run(map->table, FLOE_HASH_GET, &key, value, 1, &answer, NULL), FLOE_OK);
  return answer == FLOE_HASH_FOUND;
}

/* `is`: the value and whether there is one; updated as the table must. */
static void add(struct map *map, uint64_t key, uint64_t added, uint64_t *is, bool *present) {
  const uint64_t wanted = (*present ? map->reduction->reduce(NULL, *is, added) : added) & map->mask;
  uint64_t given = key, value = added, seen = 0;
  size_t full = 77;
  uint8_t answer = 0xee;
  const floe_status status = floe_hash_run(map->table, FLOE_HASH_ADD, &given, &value, 1, &answer, &full);
  if (map->reserves && added == UINT64_MAX) {
    ck_assert_int_eq(status, FLOE_ERROR_USAGE);
  } else if (map->reserves && wanted == UINT64_MAX) {
    ck_assert_int_eq(status, FLOE_ERROR_UNSUPPORTED);
    ck_assert(answer == FLOE_HASH_RESERVED && full == 1 && given == key && value == added);
  } else {
    ck_assert_int_eq(status, FLOE_OK);
    ck_assert(answer == (*present ? FLOE_HASH_FOUND : FLOE_HASH_NEW) && full == 0);
    *is = wanted;
    *present = true;
  }
  ck_assert_uint_eq(floe_log_errors(map->log), status != FLOE_OK);
  floe_log_clear(map->log);
  ck_assert_int_eq(get(map, key, &seen), *present);
  ck_assert_msg(!*present || seen == *is, "%s: adding %" PRIx64 " gives %" PRIx64 ", not %" PRIx64,
                map->reduction->name, added, seen, *is);
}

static void add_in_turn(struct map *map, unsigned sequence, uint64_t key) {
  uint64_t is = 0;
  bool present = false;
  for (unsigned i = 0; i < ADDITIONS; i++)
    add(map, key, map->reduction->added[sequence][i] & map->mask, &is, &present);
}

/* ---- many in one call -------------------------------------------------------------------------------- */

/* Sums may meet the reserved value at any time; then the value and the parts that come back make the sum. */
static void add_together(struct map *map, uint64_t key) {
  uint64_t keys[TOGETHER], values[TOGETHER], total = 0, seen;
  uint8_t answers[TOGETHER];
  size_t full, reserved = 0;
  for (unsigned i = 0; i < TOGETHER; i++) {
    keys[i] = key;
    total += values[i] = i ? 1 + i % 2 : map->mask - 10;
  }
  const floe_status status = floe_hash_run(map->table, FLOE_HASH_ADD, keys, values, TOGETHER, answers, &full);
  ck_assert(get(map, key, &seen));
  for (unsigned i = 0; i < TOGETHER; i++)
    if (answers[i] == FLOE_HASH_RESERVED) {
      reserved++;
      seen += values[i];
    }
  ck_assert_uint_eq(seen & map->mask, total & map->mask);
  ck_assert_uint_eq(full, reserved);
  ck_assert_int_eq(status, reserved ? FLOE_ERROR_UNSUPPORTED : FLOE_OK);
  ck_assert(map->reserves || !reserved);
  floe_log_clear(map->log);
}

/* ---- every map --------------------------------------------------------------------------------------- */

static bool make(struct map *map, floe_engine engine, const char *scheme, unsigned value_bits) {
  floe_hash_options options;
  floe_hash_options_init(&options);
  options.engine = engine;
  options.scheme = scheme;
  options.slots = 512;
  options.key_bits = options.value_bits = value_bits;
  options.reduction = map->reduction->reduction;
  options.reduce = map->reduction->reduce;
  options.reduce_text = map->reduction->text;
  const floe_status status = floe_hash_create(&options, map->log, &map->table);
  ck_assert_msg(status == FLOE_OK, "%s %s", scheme, map->reduction->name);
  if (floe_hash_cannot(map->table, FLOE_HASH_ADD)) { /* iceberg on a GPU has no reductions of the user */
    floe_hash_free(map->table);
    return false;
  }
  map->mask = UINT64_MAX >> (64 - value_bits);
  map->reserves = strcmp(scheme, "linear") == 0 && value_bits == 64;
  return true;
}

static void try_map(struct map *map) {
  const uint64_t keys[] = {7, 0, map->mask, map->mask - 1};
  for (unsigned i = 0; i < 4; i++)
    add_in_turn(map, i % 2, keys[i]);
  if (map->reduction->reduction == FLOE_HASH_SUM)
    add_together(map, 9);
  floe_hash_free(map->table);
}

void reserved_suite_run(floe_engine engine, floe_log *log) {
  for (unsigned s = 0; s < sizeof schemes / sizeof *schemes; s++)
    for (unsigned i = 0; i < 2 * REDUCTIONS; i++) {
      struct map map = {.log = log, .reduction = &reductions[i / 2]};
      if (make(&map, engine, schemes[s], i % 2 ? 64 : 32))
        try_map(&map);
    }
}
