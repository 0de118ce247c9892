/* Bitmaps: layouts, keys at the edges, iteration in order, members. Threads:
   test_bitmap_threads.c. */
#include "tests/tables/table_model.h"

#include "tables/bitmap/bitmap.h"
#include "tables/scheme.h"

#include <sys/mman.h>

static struct table_config config_of(uint64_t keys) {
  struct table_config config = {.scheme = "bitmap", .key_bits = 1, .keys = keys};
  while (config.key_bits < 64 && keys > UINT64_C(1) << config.key_bits)
    config.key_bits++;
  return config;
}

static struct table *table_for(uint64_t keys) {
  const struct table_config config = config_of(keys);
  return make_table(&config);
}

/* ---- layouts ------------------------------------------------------------------------------------- */

static uint64_t planned_bytes(uint64_t keys) {
  const struct table_config config = config_of(keys);
  struct table_shape shape;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slots, keys);
  ck_assert_uint_eq(shape.slot_bits, 1);
  return shape.bytes;
}

START_TEST(a_bit_for_each_key) {
  ck_assert_uint_eq(planned_bytes(1), 64);
  ck_assert_uint_eq(planned_bytes(512), 64);
  ck_assert_uint_eq(planned_bytes(513), 128);
  ck_assert_uint_eq(planned_bytes(UINT64_C(1) << 32), UINT64_C(1) << 29);
  ck_assert_uint_eq(planned_bytes((UINT64_C(1) << 32) + 1), (UINT64_C(1) << 29) + 64);
  ck_assert_uint_eq(planned_bytes(UINT64_C(1) << 40), UINT64_C(1) << 37);
  ck_assert_uint_eq(planned_bytes(BITMAP_MOST_KEYS), BITMAP_MOST_KEYS / 8);
}
END_TEST

static floe_status status_of(struct table_config config) {
  struct table_shape shape;
  config.scheme = "bitmap";
  return table_plan(&config, &shape);
}

START_TEST(layouts_there_are_not) {
  ck_assert_int_eq(status_of((struct table_config){.key_bits = 20}), FLOE_OK);
  ck_assert_int_eq(status_of((struct table_config){.key_bits = 48}), FLOE_OK);
  ck_assert_int_eq(status_of((struct table_config){.key_bits = 49}), FLOE_ERROR_USAGE);
  ck_assert_int_eq(status_of((struct table_config){.key_bits = 64}), FLOE_ERROR_USAGE);
  ck_assert_int_eq(status_of((struct table_config){.key_bits = 49, .keys = BITMAP_MOST_KEYS + 1}), FLOE_ERROR_USAGE);
  ck_assert_int_eq(status_of((struct table_config){.key_bits = 64, .keys = 1000}), FLOE_OK);
  ck_assert_int_eq(status_of((struct table_config){.key_bits = 20, .value_bits = 32}), FLOE_ERROR_USAGE);
  ck_assert_int_eq(status_of((struct table_config){.key_bits = 20, .slot_bits = 16}), FLOE_ERROR_USAGE);
  ck_assert_int_eq(status_of((struct table_config){.key_bits = 20, .bucket_slots = 8}), FLOE_ERROR_USAGE);
}
END_TEST

START_TEST(what_it_can) {
  struct table_config config = config_of(1000);
  for (unsigned operation = 0; operation < TABLE_OPERATIONS; operation++)
    ck_assert_int_eq(table_cannot(&config, operation) == NULL, operation != TABLE_GET && operation != TABLE_ADD);
  config.value_bits = 32;
  ck_assert_ptr_nonnull(table_cannot(&config, TABLE_FIND_OR_PUT));
  config = (struct table_config){.scheme = "bitmap", .key_bits = 60};
  ck_assert_ptr_nonnull(table_cannot(&config, TABLE_FIND_OR_PUT));
  ck_assert(table_traits("bitmap")->every_key && table_traits("bitmap")->stable);
  ck_assert(!table_traits("iceberg")->every_key);
}
END_TEST

/* ---- against a reference ------------------------------------------------------------------------- */

static void visit(void *user, const uint64_t *keys, size_t n) {
  uint64_t *next = user; /* lower bound of the next key */
  for (size_t i = 0; i < n; i++) {
    ck_assert_uint_ge(keys[i], *next);
    *next = keys[i] + 1;
  }
}

/* Numbers of keys about the widths of words and lines; keys are visited in order. */
START_TEST(same_as_a_model) {
  static const uint64_t keys[] = {1, 2, 31, 32, 33, 63, 64, 65, 511, 512, 513, 1000, 65535, 65536, 65537};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const struct table_config config = config_of(keys[i]);
    struct table_model model = table_model_create(&config, 1.5);
    table_model_operate(&model, 3 * keys[i]);
    table_model_check(&model);
    for (unsigned parts = 1; parts < 40; parts += 6) {
      uint64_t next = 0;
      for (unsigned part = 0; part < parts; part++)
        table_each(model.table, part, parts, visit, &next);
    }
    table_model_free(&model);
    ck_assert_uint_eq(check_beside_model(&config, 1.5), 0);
  }
}
END_TEST

/* ---- a member's share ---------------------------------------------------------------------------- */

static const struct local_index of_three = {.mask = UINT64_MAX, .members = 3, .below = 3, .width = 61},
                                of_fields = {.mask = 0x7f0, .quotients = 13, .members = 5, .below = 4, .width = 6};

struct shared_visits {
  const bool *model;
  uint64_t count;
};

static void visit_shared(void *user, const uint64_t *keys, size_t n) {
  struct shared_visits *visits = user;
  for (size_t i = 0; i < n; i++)
    ck_assert(visits->model[keys[i]]);
  visits->count += n;
}

/* Against a set of all keys: puts, finds, checks, slot numbers, and a copy to another table. */
static void check_share(uint64_t keys, const struct local_index *local_index, unsigned member, uint64_t *all) {
  struct table_config config = config_of(keys);
  config.local_index = local_index;
  config.member = member;
  struct table *table = make_table(&config), *other = make_table(&config);
  bool *model = calloc(keys, sizeof *model);
  struct shared_visits visits = {.model = model}, moved = {.model = model};
  uint64_t state = keys + member, put = 0;
  ck_assert_uint_le(table_shape(table)->slots, keys / local_index->members + keys / 16 + 64);
  for (uint64_t key = 0; key < keys; key++) {
    uint8_t answer;
    uint64_t slot;
    if (local_index_owner(local_index, key) != member || splitmix64_next(&state) % 3 == 0)
      continue;
    ck_assert_uint_eq(find_one(table, key), TABLE_FULL);
    ck_assert_uint_eq(table_find_or_put_slots(table, &key, 1, &answer, &slot), 0);
    ck_assert_uint_eq(answer, TABLE_PUT);
    ck_assert_uint_lt(slot, table_shape(table)->slots);
    ck_assert_uint_eq(table_key_at(table, slot), key);
    ck_assert_uint_eq(put_one(table, key), TABLE_FOUND);
    model[key] = true;
    put++;
  }
  ck_assert_uint_gt(put, 0);
  ck_assert_uint_eq(table_count(table), put);
  for (uint64_t key = 0; key < keys; key++)
    if (local_index_owner(local_index, key) == member)
      ck_assert_uint_eq(find_one(table, key), model[key] ? TABLE_FOUND : TABLE_FULL);
  for (unsigned part = 0; part < 3; part++) {
    table_each(table, part, 3, visit_shared, &visits);
    ck_assert_uint_eq(table_rehash(table, other, part, 3), 0);
  }
  table_each(other, 0, 1, visit_shared, &moved);
  ck_assert_uint_eq(visits.count, put);
  ck_assert_uint_eq(moved.count, put);
  ck_assert_uint_eq(table_check(table), 0);
  *all += table_shape(table)->slots;
  free(model);
  table_free(table);
  table_free(other);
}

START_TEST(of_a_share) {
  const struct local_index *const local_index[] = {&of_three, &of_fields};
  for (unsigned i = 0; i < 2; i++)
    for (uint64_t keys = 1000; keys < 10000; keys = keys * 2 + 7) {
      uint64_t all = 0;
      for (unsigned member = 0; member < local_index[i]->members; member++)
        check_share(keys, local_index[i], member, &all);
      ck_assert_uint_ge(all, keys);
      ck_assert_uint_le(all, keys + keys / 8 + 64);
    }
}
END_TEST

/* 3 * 2^48 keys are too many for one member, but not for each of four. */
START_TEST(local_index_of_more_keys) {
  const struct local_index four = {.mask = UINT64_MAX, .members = 4, .below = 0, .width = 64};
  struct table_config config = config_of(3 * (UINT64_C(1) << 48));
  struct table_shape shape;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_ERROR_USAGE);
  config.local_index = &four;
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.bytes, 3 * (UINT64_C(1) << 43));
}
END_TEST

/* ---- large ones ---------------------------------------------------------------------------------- */

static struct table *table_in(uint64_t keys, void **memory) {
  const struct table_config config = config_of(keys);
  struct table *table;
  ck_assert_int_eq(table_open(&config, &table), FLOE_OK);
  *memory =
      mmap(NULL, table_shape(table)->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ck_assert_ptr_ne(*memory, MAP_FAILED);
  table_adopt(table, *memory);
  return table;
}

/* Memory that is mostly not touched: 64 GiB for 2^39 keys. Each bit is at its documented place. */
static void put_at_the_edges(uint64_t keys) {
  void *memory;
  struct table *table = table_in(keys, &memory);
  const uint32_t *words = memory;
  const uint64_t edges[] = {0, 1, 31, 32, keys / 2 - 1, keys / 2, keys - 2, keys - 1};
  uint64_t numbers[8];
  uint8_t answers[8];
  ck_assert_uint_eq(table_find_or_put_slots(table, edges, 8, answers, numbers), 0);
  for (unsigned i = 0; i < 8; i++) {
    ck_assert_uint_eq(answers[i], TABLE_PUT);
    ck_assert_uint_eq(numbers[i], edges[i]);
    ck_assert_uint_eq(table_key_at(table, numbers[i]), edges[i]);
    ck_assert(words[edges[i] / 32] >> edges[i] % 32 & 1);
    ck_assert_uint_eq(put_one(table, edges[i]), TABLE_FOUND);
  }
  ck_assert_uint_eq(find_one(table, 2), TABLE_FULL);
  ck_assert_uint_eq(find_one(table, keys - 3), TABLE_FULL);
  uint64_t gone = keys - 1;
  ck_assert_uint_eq(table_run(table, TABLE_DELETE, &gone, NULL, 1, answers), 0);
  ck_assert_uint_eq(table_run(table, TABLE_DELETE, &gone, NULL, 1, answers), 1);
  ck_assert_uint_eq(find_one(table, keys - 2), TABLE_FOUND);
  table_free(table);
  munmap(memory, planned_bytes(keys));
}

START_TEST(keys_beyond_32_bits) {
  const uint64_t edge = UINT64_C(1) << 32;
  for (uint64_t keys = edge - 1; keys <= edge + 1; keys++)
    put_at_the_edges(keys);
  put_at_the_edges((UINT64_C(1) << 39) + 5);
}
END_TEST

/* ---- well-formedness ----------------------------------------------------------------------------- */

START_TEST(bits_behind_the_last_key) {
  struct table *table = table_for(33);
  uint32_t *words = table_memory(table);
  words[1] = 3;
  ck_assert_uint_eq(table_check(table), 1);
  words[1] = 1;
  ck_assert_uint_eq(table_check(table), 0);
  words[15] = UINT32_MAX;
  ck_assert_uint_eq(table_check(table), 32);
  table_free(table);
}
END_TEST

/* ---- its place among the tables ------------------------------------------------------------------ */

START_TEST(to_no_other_scheme_by_itself) {
  const struct table_config other = {.scheme = "iceberg", .key_bits = 10, .slots = 2000};
  struct table *table = table_for(1000), *iceberg = make_table(&other);
  ck_assert_ptr_nonnull(table_cannot_move(table, iceberg));
  ck_assert_ptr_nonnull(table_cannot_move(iceberg, table));
  ck_assert(table_fill("bitmap") == 1);
  ck_assert(!table_has_distances("bitmap") && !table_overflows("bitmap") && !table_sorts("bitmap"));
  table_free(table);
  table_free(iceberg);
}
END_TEST

START_TEST(no_such_form) {
  struct table_config config = config_of(1000);
  struct table *table;
  config.simd = "no such";
  ck_assert_int_eq(table_create(&config, &table), FLOE_ERROR_UNSUPPORTED);
}
END_TEST

int main(void) {
  return RUN_SUITE("bitmap", a_bit_for_each_key, layouts_there_are_not, what_it_can, same_as_a_model, of_a_share,
                   local_index_of_more_keys, keys_beyond_32_bits, bits_behind_the_last_key,
                   to_no_other_scheme_by_itself, no_such_form);
}
