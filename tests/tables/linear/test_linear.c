/* Linear probing, one thread: full tables, bounded searches, deletion marks; probe lengths against a recount. */
#include "tests/tables/table_model.h"

#include "tables/host_table.h"
#include "tables/linear/linear.h"

#include <math.h>

struct form {
  unsigned key_bits, slot_bits, value_bits;
};

/* Sets and maps; keys narrower than slots, and as wide as they are. */
static const struct form forms[] = {{1, 0, 0},   {5, 32, 0},  {17, 32, 0}, {31, 0, 0}, {32, 32, 0}, {32, 64, 0},
                                    {33, 0, 0},  {63, 64, 0}, {64, 0, 0},  {9, 0, 32}, {31, 0, 32}, {32, 0, 32},
                                    {12, 0, 64}, {37, 0, 64}, {63, 0, 64}, {64, 0, 64}};
enum { FORMS = sizeof forms / sizeof *forms };

static struct table_config config_of(struct form form, uint64_t slots) {
  return (struct table_config){.scheme = "linear",
                               .key_bits = form.key_bits,
                               .slot_bits = form.slot_bits,
                               .value_bits = form.value_bits,
                               .slots = slots};
}

/* ---- every answer ------------------------------------------------------------------------------------ */

static uint64_t exclusive(void *data, uint64_t present, uint64_t added) {
  return (present ^ added) + *(const uint64_t *)data;
}

START_TEST(the_users_reduction) {
  uint64_t five = 5;
  struct table_config config = config_of((struct form){64, 0, 64}, 100);
  config.reduction = TABLE_USER_REDUCTION;
  struct table_shape shape;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_ERROR_USAGE); /* no layout */
  config.reduce = exclusive;
  config.reduce_data = &five;
  struct table *table = make_table(&config);
  uint64_t keys[] = {8, 8, 8}, values[] = {1, 6, 0x100};
  uint8_t answers[3];
  ck_assert_uint_eq(table_run(table, TABLE_ADD, keys, values, 3, answers), 0);
  ck_assert_uint_eq(answers[0], TABLE_PUT);
  ck_assert_uint_eq(answers[2], TABLE_FOUND);
  uint64_t value;
  table_run(table, TABLE_GET, keys, &value, 1, answers);
  ck_assert_uint_eq(value, (((1 ^ 6) + 5) ^ 0x100) + 5);
  table_free(table);
}
END_TEST

/* ---- edges --------------------------------------------------------------------------------------------- */

static unsigned run_one(struct table *table, enum table_operation operation, uint64_t key, uint64_t *value) {
  uint8_t answer = 99;
  table_run(table, operation, &key, value, 1, &answer);
  ck_assert_uint_ne(answer, 99);
  return answer;
}

/* Filled to the last slot: then every other key gets FULL, repeatedly, and present keys stay. */
START_TEST(full_table) {
  for (size_t f = 0; f < FORMS; f++) {
    struct table_config config = config_of(forms[f], 64);
    struct table *table = make_table(&config);
    const uint64_t slots = table_shape(table)->slots, mask = largest_key(config.key_bits);
    uint64_t value = 3, put = 0, i;
    ck_assert_uint_eq(run_one(table, TABLE_FIND, 0, NULL), TABLE_FULL);
    ck_assert_uint_eq(run_one(table, TABLE_FIND, mask, NULL), TABLE_FULL);
    for (i = 0; put < slots && i <= mask; i++)
      put += run_one(table, TABLE_FIND_OR_PUT, mask - i, &value) == TABLE_PUT;
    ck_assert_uint_eq(put, i); /* no key got FULL */
    ck_assert_uint_eq(table_count(table), put);
    ck_assert_uint_eq(table_check(table), 0);
    for (uint64_t k = 0; k < i; k++)
      ck_assert_uint_eq(run_one(table, TABLE_FIND_OR_PUT, mask - k, &value), TABLE_FOUND);
    for (uint64_t k = i; k < i + 200 && k <= mask; k++) {
      ck_assert_uint_eq(run_one(table, TABLE_FIND_OR_PUT, mask - k, &value), TABLE_FULL);
      ck_assert_uint_eq(run_one(table, TABLE_FIND, mask - k, NULL), TABLE_FULL);
    }
    table_free(table);
  }
}
END_TEST

/* The search is bounded: if one run has more slots than that, a key whose home is at its start has no place,
   although there are empty slots elsewhere, and never gets one. */
START_TEST(bounded_search) {
  struct table_config config = config_of((struct form){40, 0, 0}, 2 * LINEAR_PROBES);
  struct table *table = make_table(&config);
  const struct linear *view = &linear_of(table)->view;
  uint64_t key = 0;
  while (linear_home(view, permutation_apply(&view->permutation, key)) > 100)
    key++;
  const uint64_t home = linear_home(view, permutation_apply(&view->permutation, key));
  uint64_t *slots = view->slots;
  for (uint64_t i = 0; i < LINEAR_PROBES; i++)
    slots[home + i] = linear_deleted(64);
  ck_assert_uint_eq(run_one(table, TABLE_FIND_OR_PUT, key, NULL), TABLE_FULL);
  ck_assert_uint_eq(run_one(table, TABLE_FIND_OR_PUT, key, NULL), TABLE_FULL);
  slots[home + LINEAR_PROBES - 1] = 0;
  ck_assert_uint_eq(run_one(table, TABLE_FIND_OR_PUT, key, NULL), TABLE_PUT);
  ck_assert_uint_eq(slots[home + LINEAR_PROBES - 1], key + 1);
  ck_assert_uint_eq(table_check(table), 0);
  ck_assert_uint_eq(run_one(table, TABLE_DELETE, key, NULL), TABLE_FOUND);
  ck_assert_uint_eq(run_one(table, TABLE_FIND_OR_PUT, key, NULL), TABLE_FULL);
  table_free(table);
}
END_TEST

/* Homes near the end: runs wrap around to the start. */
START_TEST(wraps_around) {
  struct table_config config = config_of((struct form){24, 0, 0}, 1000);
  struct table *table = make_table(&config);
  const struct linear *view = &linear_of(table)->view;
  uint64_t put = 0;
  for (uint64_t key = 0; put < 50; key++)
    if (linear_home(view, permutation_apply(&view->permutation, key)) >= view->capacity - 3) {
      ck_assert_uint_eq(put_one(table, key), TABLE_PUT);
      ck_assert_uint_eq(put_one(table, key), TABLE_FOUND);
      put++;
    }
  const uint32_t *slots = view->slots;
  for (uint64_t i = 0; i < 47; i++)
    ck_assert_uint_ne(slots[i], 0);
  ck_assert_uint_eq(slots[48], 0);
  ck_assert_uint_eq(table_check(table), 0);
  table_free(table);
}
END_TEST

START_TEST(deleted_keys_come_back) {
  struct table *map =
      make_table(&(struct table_config){.scheme = "linear", .key_bits = 32, .value_bits = 32, .slots = 16});
  uint64_t keys[16], value;
  for (uint64_t i = 0; i < 16; i++) {
    keys[i] = i * 7;
    value = i;
    ck_assert_uint_eq(run_one(map, TABLE_ADD, keys[i], &value), TABLE_PUT);
  }
  for (unsigned times = 0; times < 100; times++)
    for (unsigned i = 0; i < 16; i++) {
      ck_assert_uint_eq(run_one(map, TABLE_DELETE, keys[i], NULL), TABLE_FOUND);
      ck_assert_uint_eq(run_one(map, TABLE_DELETE, keys[i], NULL), TABLE_FULL);
      ck_assert_uint_eq(run_one(map, TABLE_GET, keys[i], &value), TABLE_FULL);
      /* its slot is not for other keys, */
      value = 1;
      ck_assert_uint_eq(run_one(map, TABLE_ADD, 1000000, &value), TABLE_FULL);
      value = UINT32_MAX - times; /* but for itself, whatever its value */
      ck_assert_uint_eq(run_one(map, TABLE_ADD, keys[i], &value), TABLE_PUT);
      value = 0;
      ck_assert_uint_eq(run_one(map, TABLE_GET, keys[i], &value), TABLE_FOUND);
      ck_assert_uint_eq(value, UINT32_MAX - times);
    }
  ck_assert_uint_eq(table_count(map), 16);
  table_free(map);
  /* In a set the slot is lost: the next one is taken, until there is none. */
  struct table *set = make_table(&(struct table_config){.scheme = "linear", .key_bits = 20, .slots = 16});
  for (unsigned times = 0; times < 16; times++) {
    ck_assert_uint_eq(put_one(set, 77), TABLE_PUT);
    ck_assert_uint_eq(run_one(set, TABLE_DELETE, 77, NULL), TABLE_FOUND);
  }
  ck_assert_uint_eq(put_one(set, 77), TABLE_FULL);
  ck_assert_uint_eq(table_count(set), 0);
  ck_assert_uint_eq(table_check(set), 0);
  table_free(set);
}
END_TEST

/* ---- what the checks see ----------------------------------------------------------------------------- */

START_TEST(check_finds_what_is_wrong) {
  struct table *table = make_table(&(struct table_config){.scheme = "linear", .key_bits = 31, .slots = 512});
  const struct linear *view = &linear_of(table)->view;
  uint32_t *slots = view->slots;
  for (uint64_t key = 0; key < 400; key++)
    put_one(table, key);
  ck_assert_uint_eq(table_check(table), 0);
  uint64_t at = 0; /* a key that is not at home */
  while (!slots[at] || linear_home(view, permutation_apply(&view->permutation, slots[at] - 1)) == at)
    at++;
  const uint64_t before = at ? at - 1 : view->capacity - 1;
  const uint32_t other = slots[before];
  slots[before] = 0; /* an empty slot between home and slot */
  ck_assert_uint_gt(table_check(table), 0);
  slots[before] = slots[at]; /* twice */
  ck_assert_uint_gt(table_check(table), 0);
  slots[before] = linear_deleted(32);
  ck_assert_uint_eq(table_check(table), 0);
  slots[before] = UINT32_C(0x90000000); /* no key of 31 bits */
  ck_assert_uint_gt(table_check(table), 0);
  slots[before] = other;
  ck_assert_uint_eq(table_check(table), 0);
  table_free(table);
  struct table *map =
      make_table(&(struct table_config){.scheme = "linear", .key_bits = 40, .value_bits = 64, .slots = 64});
  ((uint64_t *)map->memory)[7] = 5; /* a value without a key */
  ck_assert_uint_eq(table_check(map), 1);
  table_free(map);
}
END_TEST

START_TEST(probe_lengths_are_counted) {
  static const struct form counted[] = {{32, 32, 0}, {40, 0, 0}, {30, 0, 32}, {64, 0, 64}};
  for (size_t f = 0; f < 4; f++) {
    struct table *table = make_table(&(struct table_config){.scheme = "linear",
                                                            .key_bits = counted[f].key_bits,
                                                            .slot_bits = counted[f].slot_bits,
                                                            .value_bits = counted[f].value_bits,
                                                            .slots = 20000});
    const struct linear *view = &linear_of(table)->view;
    uint64_t value = 0, random = 3, deleted = 0;
    for (uint64_t i = 0; i < 16000; i++) {
      const uint64_t key = splitmix64_next(&random) & largest_key(counted[f].key_bits);
      run_one(table, TABLE_FIND_OR_PUT, key, &value);
      if (i % 8 == 0 && !table_cannot(&(struct table_config){.scheme = "linear",
                                                             .key_bits = counted[f].key_bits,
                                                             .slot_bits = counted[f].slot_bits,
                                                             .value_bits = counted[f].value_bits},
                                      TABLE_DELETE))
        deleted += run_one(table, TABLE_DELETE, key, NULL) == TABLE_FOUND;
    }
    struct table_distances lengths;
    ck_assert(table_distances(table, &lengths));
    /* by searching every key that was drawn */
    uint64_t keys = 0, longest = 0, sum = 0, histogram[65] = {0};
    random = 3;
    for (uint64_t i = 0; i < 16000; i++) {
      const uint64_t key = splitmix64_next(&random) & largest_key(counted[f].key_bits);
      if (run_one(table, TABLE_FIND, key, NULL) != TABLE_FOUND)
        continue;
      uint64_t at = linear_home(view, permutation_apply(&view->permutation, key)), length = 0;
      const uint64_t wanted = key + 1;
      for (;; at = (at + 1) % view->capacity, length++) {
        const uint64_t seen = counted[f].value_bits == 64  ? ((uint64_t *)view->slots)[2 * at]
                              : counted[f].slot_bits == 32 ? ((uint32_t *)view->slots)[at]
                                                           : ((uint64_t *)view->slots)[at];
        if (counted[f].value_bits == 32 ? (uint32_t)seen == wanted : seen == wanted)
          break;
      }
      keys++;
      sum += length;
      longest = length > longest ? length : longest;
      unsigned bucket = 0;
      while (length >> bucket)
        bucket++;
      histogram[bucket]++;
    }
    ck_assert_uint_gt(longest, 8);
    ck_assert_uint_eq(lengths.keys, keys);
    ck_assert_uint_eq(lengths.keys, 16000 - deleted);
    ck_assert_uint_eq(lengths.largest, longest);
    ck_assert_double_eq_tol(lengths.mean, (double)sum / (double)keys, 1e-9);
    ck_assert_int_eq(memcmp(lengths.histogram, histogram, sizeof histogram), 0);
    table_free(table);
  }
  struct table *iceberg = make_table(&(struct table_config){.key_bits = 20, .slots = 100});
  struct table_distances lengths;
  ck_assert(!table_distances(iceberg, &lengths));
  table_free(iceberg);
}
END_TEST

/* Every permutation spreads keys evenly, also if it leaves the upper half of the key unchanged: the mean length is
   near that of random keys, (1 / (1 - load) - 1) / 2. Consecutive keys, and keys with equal low bits. */
START_TEST(lengths_are_those_of_random_keys) {
  for (const char *const *name = permutation_names(); *name; name++)
    for (unsigned shift = 0; shift <= 20; shift += 20)
      for (unsigned load = 50; load <= 80; load += 30) {
        struct table *table = make_table(
            &(struct table_config){.scheme = "linear", .permutation = *name, .key_bits = 40, .slots = 100000});
        for (uint64_t i = 0; i < 1000 * load; i++)
          put_one(table, i << shift);
        struct table_distances lengths;
        ck_assert(table_distances(table, &lengths));
        const double theory = (1 / (1 - load / 100.0) - 1) / 2;
        ck_assert_msg(lengths.mean < 1.25 * theory, "%s, shift %u, load %u: %f instead of %f", *name, shift, load,
                      lengths.mean, theory);
        table_free(table);
      }
}
END_TEST

START_TEST(layouts) {
  struct table_shape shape;
  struct table_config config = {.scheme = "linear", .key_bits = 31, .slots = 1001};
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slots, 1008);
  ck_assert_uint_eq(shape.slot_bits, 32);
  ck_assert_uint_eq(shape.bytes, 1008 * 4);
  config.key_bits = 33;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 64);
  config.slot_bits = 32;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_ERROR_USAGE);
  config.slot_bits = 0;
  config.value_bits = 32;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_ERROR_USAGE); /* keys are too wide */
  config.key_bits = 32;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slots, 1009); /* 2^32 - 1 has an extra slot */
  ck_assert_uint_eq(shape.bytes, (1009 * 8 + 63) / 64 * 64);
  config.bucket_slots = 8;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_ERROR_USAGE);
  config = (struct table_config){.scheme = "linear", .key_bits = 3, .slots = 100000};
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slots, 16);
  config.slots = UINT64_C(1) << 60;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_ERROR_MEMORY);
  ck_assert(table_fill("linear") < TABLE_FILL);
  ck_assert(table_fill("iceberg") == TABLE_FILL && table_fill(NULL) == TABLE_FILL);
}
END_TEST

START_TEST(what_it_cannot_is_said) {
  struct table_config set = {.scheme = "linear", .key_bits = 20, .slots = 10};
  struct table_config wide = {.scheme = "linear", .key_bits = 64, .slots = 10};
  struct table_config map = {.scheme = "linear", .key_bits = 64, .value_bits = 64, .slots = 10};
  for (enum table_operation o = 0; o < TABLE_OPERATIONS; o++) {
    const bool values = o == TABLE_GET || o == TABLE_ADD;
    ck_assert((table_cannot(&set, o) != NULL) == values);
    ck_assert((table_cannot(&wide, o) != NULL) == (values || o == TABLE_DELETE));
    ck_assert(table_cannot(&map, o) == NULL);
  }
  struct table *table = make_table(&wide);
  uint64_t key = 4;
  uint8_t answer = 99;
  put_one(table, key);
  ck_assert_uint_eq(table_run(table, TABLE_DELETE, &key, NULL, 1, &answer), 0);
  ck_assert_uint_eq(answer, 99); /* nothing was done */
  ck_assert_uint_eq(table_count(table), 1);
  table_free(table);
}
END_TEST

int main(void) {
  return RUN_SUITE("linear", the_users_reduction, full_table, bounded_search, wraps_around, deleted_keys_come_back,
                   check_finds_what_is_wrong, probe_lengths_are_counted, lengths_are_those_of_random_keys, layouts,
                   what_it_cannot_is_said);
}
