/* Compact cuckoo tables in one thread against a reference: every slot width, bucket size and number of permutations.
   The main property: no key is ever lost, whichever key is returned by a put without a place. */
#include "tests/tables/table_suite.h"

#include "tables/cuckoo/cuckoo.h"
#include "tables/host_table.h"
#include "tables/radix_sort.h"

static const unsigned key_widths[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 37, 40, 63, 64};
static const unsigned widths[] = {32, 64, 128};
static const unsigned buckets[] = {8, 16, 32};
static const unsigned hash_numbers[] = {2, 3, 4, 8};
enum { KEY_WIDTHS = sizeof key_widths / sizeof *key_widths, BATCH = 96 };

/* ---- a table beside what it should hold ------------------------------------------------------------ */

struct work {
  struct table *table;
  bool map;
  struct reference given;    /* all keys given to the table */
  struct reference returned; /* the given keys that it returned */
  uint64_t wrong, returns, state;
};

static uint64_t value_of(uint64_t key) { return ~key * UINT64_C(0x9e3779b97f4a7c15); }

static struct work work_on(const struct table_config *config) {
  struct work work = {.table = make_table(config), .state = 5};
  const struct table_shape *shape = table_shape(work.table);
  work.map = shape->value_bits != 0;
  work.given = reference_make(2 * shape->slots + BATCH);
  work.returned = reference_make(2 * shape->slots + BATCH);
  return work;
}

static void work_end(struct work *work) {
  ck_assert_uint_eq(work->wrong, 0);
  reference_free(&work->given);
  reference_free(&work->returned);
  table_free(work->table);
}

/* Keys of a test run: both ends, small numbers, large strides, random ones. */
static uint64_t make_key(uint64_t i, unsigned bits, uint64_t *state) {
  uint64_t mask = largest_key(bits);
  switch (i & 3) {
  case 0:
    return i >> 2 & mask;
  case 1:
    return mask - (i >> 2 & mask);
  case 2:
    return (i >> 2) << bits / 2 & mask;
  default:
    return splitmix64_next(state) & mask;
  }
}

static void take_answers(struct work *work, const uint64_t *keys, const uint64_t *values, const uint8_t *answers,
                         size_t n, size_t told) {
  size_t full = 0;
  for (size_t i = 0; i < n; i++) {
    work->wrong += answers[i] != TABLE_PUT && answers[i] != TABLE_FULL;
    if (answers[i] != TABLE_FULL)
      continue;
    work->wrong += work->map && values[i] != value_of(keys[i]);
    work->wrong += reference_has(&work->returned, keys[i]);
    reference_put(&work->returned, keys[i]);
    full++;
  }
  work->returns += full;
  work->wrong += full != told;
}

/* Gives the table up to n new keys, of numbers from `first` on. */
static void put_new(struct work *work, uint64_t first, size_t n) {
  const unsigned bits = table_shape(work->table)->key_bits;
  uint64_t keys[BATCH], values[BATCH];
  uint8_t answers[BATCH];
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t key = make_key(first + i, bits, &work->state);
    if (reference_has(&work->given, key))
      continue;
    reference_put(&work->given, key);
    values[count] = value_of(key);
    keys[count++] = key;
  }
  size_t told = table_run(work->table, TABLE_PUT_NEW, keys, work->map ? values : NULL, count, answers);
  take_answers(work, keys, values, answers, count, told);
}

/* The table has the given keys that were not returned. */
static bool should_have(const struct work *work, uint64_t key) {
  return reference_has(&work->given, key) && !reference_has(&work->returned, key);
}

static void check_found(struct work *work, const uint64_t *keys, size_t n) {
  uint8_t answers[256];
  uint64_t values[256];
  table_find(work->table, keys, n, answers);
  for (size_t i = 0; i < n; i++)
    work->wrong += answers[i] != (should_have(work, keys[i]) ? TABLE_FOUND : TABLE_FULL);
  if (!work->map)
    return;
  table_run(work->table, TABLE_GET, (uint64_t *)keys, values, n, answers);
  for (size_t i = 0; i < n; i++)
    work->wrong += answers[i] != (should_have(work, keys[i]) ? TABLE_FOUND : TABLE_FULL) ||
                   (answers[i] == TABLE_FOUND && values[i] != value_of(keys[i]));
}

struct visit {
  struct work *work;
  struct reference seen;
};

static void visit_keys(void *user, const uint64_t *keys, size_t n) {
  struct visit *visit = user;
  check_found(visit->work, keys, n);
  for (size_t i = 0; i < n; i++) {
    visit->work->wrong += !should_have(visit->work, keys[i]) || reference_has(&visit->seen, keys[i]);
    reference_put(&visit->seen, keys[i]);
  }
}

static void check_content(struct work *work) {
  const uint64_t wanted = work->given.count - work->returned.count;
  for (unsigned parts = 1; parts <= 5; parts += 4) {
    struct visit visit = {work, reference_make(table_shape(work->table)->slots)};
    for (unsigned part = 0; part < parts; part++)
      table_each(work->table, part, parts, visit_keys, &visit);
    ck_assert_uint_eq(visit.seen.count, wanted);
    reference_free(&visit.seen);
  }
  struct table_stats stats;
  table_stats(work->table, &stats);
  uint64_t loads = 0, all = 0;
  for (unsigned i = 0; i <= 32; i++) {
    loads += i * stats.load_histogram[i];
    all += stats.load_histogram[i];
  }
  ck_assert_uint_eq(loads, wanted);
  ck_assert_uint_eq(all, table_shape(work->table)->buckets);
  ck_assert_uint_eq(stats.used, wanted);
  ck_assert_uint_eq(stats.level_used[0], wanted);
  ck_assert_uint_eq(table_check(work->table), 0);
  ck_assert_uint_eq(work->wrong, 0);
}

static void check_strangers(struct work *work) {
  const unsigned bits = table_shape(work->table)->key_bits;
  for (int i = 0; i < 20; i++) {
    uint64_t keys[BATCH];
    for (int k = 0; k < BATCH; k++)
      keys[k] = splitmix64_next(&work->state) & largest_key(bits);
    check_found(work, keys, BATCH);
  }
}

static void check_table(const struct table_config *config) {
  struct work work = work_on(config);
  const struct table_shape *shape = table_shape(work.table);
  ck_assert_uint_eq(table_count(work.table), 0);
  check_strangers(&work);
  for (uint64_t at = 0; at < 2 * shape->slots && work.returns < BATCH; at += BATCH)
    put_new(&work, at, at % 7 ? BATCH : 1 + at % BATCH);
  check_content(&work);
  check_strangers(&work);
  ck_assert(work.returns || work.given.count <= shape->slots);
  work_end(&work);
}

/* Calls `check` for every layout that the key width allows. */
static unsigned each_layout(struct table_config config, uint64_t slots,
                            void (*check)(const struct table_config *config)) {
  unsigned tables = 0;
  config.scheme = "cuckoo";
  for (size_t w = 0; w < 3; w++)
    for (size_t b = 0; b < 3; b++)
      for (size_t h = 0; h < 4; h++) {
        config.slot_bits = widths[w];
        config.bucket_slots = buckets[b];
        config.hashes = hash_numbers[h];
        if (plan_at_least(&config, slots)) {
          check(&config);
          tables++;
        }
      }
  return tables;
}

START_TEST(every_layout) {
  unsigned tables = 0;
  for (size_t k = 0; k < KEY_WIDTHS; k++)
    tables += each_layout((struct table_config){.key_bits = key_widths[k]}, 600, check_table);
  ck_assert_uint_ge(tables, 480); /* of 540: 32 bits do not hold the widest keys */
}
END_TEST

/* Other tests use the machine's best form. */
START_TEST(every_form_of_the_scan) {
  for (const char *const *form = simd_forms(); *form; form++)
    if (strcmp(*form, "avx512") != 0) { /* there is no such form */
      struct table_config config = {.scheme = "cuckoo", .key_bits = 30, .slots = 900, .simd = *form};
      struct table *table = make_table(&config);
      ck_assert_str_eq(table_simd(table), *form);
      table_free(table);
      each_layout(config, 900, check_table);
    }
}
END_TEST

START_TEST(tiny_tables) {
  for (size_t k = 0; k < KEY_WIDTHS; k++)
    for (uint64_t slots = 0; slots < 80; slots += 13)
      each_layout((struct table_config){.key_bits = key_widths[k]}, slots, check_table);
}
END_TEST

START_TEST(every_permutation) {
  for (const char *const *name = permutation_names(); *name; name++)
    for (size_t k = 4; k < KEY_WIDTHS; k++)
      check_table(&(struct table_config){
          .scheme = "cuckoo", .key_bits = key_widths[k], .slots = 2000, .permutation = *name, .seed = 42 + k});
}
END_TEST

/* The identity for all: a key has one bucket only, and its chain stays there. */
static uint64_t identity(void *data, unsigned number, unsigned bits, uint64_t key) {
  (void)data, (void)number, (void)bits;
  return key;
}

START_TEST(permutation_of_the_user) {
  const struct permutation_user user = {identity, identity, NULL, NULL, NULL};
  for (size_t k = 4; k < KEY_WIDTHS; k++)
    check_table(
        &(struct table_config){.scheme = "cuckoo", .key_bits = key_widths[k], .slots = 500, .permutation_user = &user});
}
END_TEST

/* With as many slots as keys no key is evicted. */
START_TEST(narrow_keys_all_fit) {
  for (unsigned bits = 1; bits <= 13; bits++)
    for (size_t b = 0; b < 3; b++) {
      struct table *table = make_table(&(struct table_config){
          .scheme = "cuckoo", .key_bits = bits, .bucket_slots = buckets[b], .slots = UINT64_C(1) << 30});
      uint64_t wrong = 0;
      for (uint64_t key = 0; key <= largest_key(bits); key++) {
        uint8_t answer;
        table_run(table, TABLE_PUT_NEW, &key, NULL, 1, &answer);
        wrong += answer != TABLE_PUT || find_one(table, key) != TABLE_FOUND;
      }
      ck_assert_uint_eq(wrong, 0);
      ck_assert_uint_eq(table_count(table), largest_key(bits) + 1);
      ck_assert_uint_eq(table_check(table), 0);
      table_free(table);
    }
}
END_TEST

/* ---- how full it gets ------------------------------------------------------------------------------- */

/* Random keys one after the other; the fill at the first FULL. */
static double first_full(const struct table_config *config) {
  struct table *table = make_table(config);
  const uint64_t slots = table_shape(table)->slots;
  uint64_t state = config->seed, put = 0;
  size_t full = 0;
  while (!full && put < slots) {
    uint64_t keys[64];
    uint8_t answers[64];
    for (int i = 0; i < 64; i++)
      keys[i] = splitmix64_next(&state) >> 14; /* 50 bits: different, except with probability 2^-15 */
    full = table_run(table, TABLE_PUT_NEW, keys, NULL, 64, answers);
    put += 64 - full;
  }
  ck_assert_uint_eq(table_count(table), put);
  table_free(table);
  return (double)put / (double)slots;
}

START_TEST(fill_reached) {
  static const double wanted[] = {0.93, 0.95, 0.95};
  for (uint64_t seed = 0; seed < 6; seed++)
    for (size_t b = 0; b < 3; b++) {
      const struct table_config config = {
          .scheme = "cuckoo", .key_bits = 50, .slots = 1 << 18, .bucket_slots = buckets[b], .hashes = 3, .seed = seed};
      ck_assert_double_ge(first_full(&config), wanted[b]);
    }
}
END_TEST

/* ---- moving ------------------------------------------------------------------------------------------ */

static void check_move(const struct table_config *config) {
  struct work work = work_on(config);
  for (uint64_t at = 0; at < table_shape(work.table)->slots; at += BATCH)
    put_new(&work, at, BATCH);
  struct table_config other = *config;
  other.slots = 2 * table_shape(work.table)->slots;
  other.seed++;
  struct table *larger = make_table(&other), *smaller = work.table;
  for (unsigned part = 0; part < 3; part++)
    ck_assert_uint_eq(table_rehash(smaller, larger, part, 3), 0);
  work.table = larger;
  check_content(&work);
  ck_assert_uint_eq(table_check(smaller), 0);
  ck_assert_uint_eq(table_count(smaller), table_count(larger));
  table_free(smaller);
  work_end(&work);
}

START_TEST(moving_to_a_larger_table) {
  for (size_t k = 4; k < KEY_WIDTHS; k++)
    each_layout((struct table_config){.key_bits = key_widths[k]}, 1000, check_move);
}
END_TEST

START_TEST(too_small_a_table_is_told) {
  struct table_config config = {.scheme = "cuckoo", .key_bits = 40, .slots = 4000};
  struct work work = work_on(&config);
  for (uint64_t at = 0; at < 3500; at += BATCH)
    put_new(&work, at, BATCH);
  config.slots = 1000;
  struct table *small = make_table(&config);
  uint64_t refused = table_rehash(work.table, small, 0, 1);
  ck_assert_uint_eq(refused + table_count(small), table_count(work.table));
  ck_assert_uint_ge(refused, table_count(work.table) - table_shape(small)->slots);
  ck_assert_uint_eq(table_check(small), 0);
  table_free(small);
  work_end(&work);
}
END_TEST

/* ---- what the check finds ---------------------------------------------------------------------------- */

static uint64_t *slot_at(struct table *table, struct cuckoo_target target, unsigned i) {
  return (uint64_t *)table->memory + target.bucket * table->shape.bucket_slots + i;
}

START_TEST(the_check_finds) {
  struct table *table =
      make_table(&(struct table_config){.scheme = "cuckoo", .key_bits = 20, .slots = 4000, .slot_bits = 64});
  const struct cuckoo_geometry g = {64, table->shape.bucket_slots, 3};
  uint64_t key = 12345;
  uint8_t answer;
  table_run(table, TABLE_PUT_NEW, &key, NULL, 1, &answer);
  ck_assert_uint_eq(table_check(table), 0);
  /* a key in its second bucket, while the first one is not full */
  struct cuckoo_target target = cuckoo_aim(&cuckoo_of(table)->view, 777, 1, g);
  *slot_at(table, target, 3) = target.wanted;
  ck_assert_uint_eq(table_check(table), 1);
  *slot_at(table, target, 3) = 0;
  /* the same key twice, in one bucket */
  target = cuckoo_aim(&cuckoo_of(table)->view, key, 0, g);
  *slot_at(table, target, 5) = target.wanted;
  ck_assert_uint_eq(table_check(table), 2);
  /* a remainder that no key has */
  *slot_at(table, target, 5) = UINT64_MAX;
  ck_assert_uint_eq(table_check(table), 1);
  *slot_at(table, target, 5) = 0;
  ck_assert_uint_eq(table_check(table), 0);
  table_free(table);
}
END_TEST

/* ---- find-or-put by sorting -------------------------------------------------------------------------- */

START_TEST(sorting) {
  enum { N = 5000 };
  static struct numbered items[N], other[N];
  for (unsigned bits = 1; bits <= 64; bits += 7) {
    uint64_t state = bits, wrong = 0;
    for (uint64_t i = 0; i < N; i++)
      items[i] = (struct numbered){splitmix64_next(&state) & largest_key(bits), i};
    const struct numbered *sorted = radix_sort(items, other, N, bits);
    uint8_t seen[N] = {0};
    for (unsigned i = 0; i < N; i++) {
      wrong += seen[sorted[i].number]++ != 0;
      wrong += i && (sorted[i - 1].key > sorted[i].key ||
                     (sorted[i - 1].key == sorted[i].key && sorted[i - 1].number > sorted[i].number));
    }
    ck_assert_uint_eq(wrong, 0);
  }
}
END_TEST

/* A batch with repeated keys, some of which the table has: the first of each gets PUT (or FULL), all others FOUND. */
static void sorted_batch(struct work *work, uint64_t from, size_t n) {
  const unsigned bits = table_shape(work->table)->key_bits;
  uint64_t *keys = malloc(n * sizeof *keys), *given = malloc(n * sizeof *keys);
  uint64_t *values = malloc(n * sizeof *values);
  uint8_t *answers = malloc(n), *is_new = malloc(n);
  size_t full = 0, told;
  for (size_t i = 0; i < n; i++) {
    keys[i] = given[i] = make_key(from + splitmix64_next(&work->state) % (n / 2 + 1), bits, &work->state);
    values[i] = value_of(keys[i]);
    is_new[i] = !should_have(work, keys[i]);
    if (reference_has(&work->given, keys[i]) && is_new[i]) { /* it was returned: not given again here */
      keys[i] = given[i] = given[0];
      values[i] = value_of(keys[i]);
      is_new[i] = 0;
    }
    reference_put(&work->given, keys[i]);
  }
  ck_assert_int_eq(cuckoo_sorted_find_or_put(work->table, keys, work->map ? values : NULL, n, answers, &told), FLOE_OK);
  for (size_t i = 0; i < n; i++) {
    work->wrong += (answers[i] == TABLE_FOUND) == is_new[i];
    work->wrong += answers[i] != TABLE_FULL && keys[i] != given[i];
    if (answers[i] != TABLE_FULL)
      continue;
    full++;
    work->wrong += reference_has(&work->returned, keys[i]) || (work->map && values[i] != value_of(keys[i]));
    reference_put(&work->returned, keys[i]);
  }
  work->wrong += full != told;
  work->returns += full;
  free(keys), free(given), free(values), free(answers), free(is_new);
}

static void check_sorted(const struct table_config *config) {
  struct work work = work_on(config);
  const uint64_t slots = table_shape(work.table)->slots;
  for (uint64_t at = 0; at < slots + slots / 4 && !work.returns; at += slots / 5 + 1)
    sorted_batch(&work, at, slots / 2 + 3);
  check_content(&work);
  work_end(&work);
}

START_TEST(sorted_find_or_put) {
  for (size_t k = 5; k < KEY_WIDTHS; k++)
    each_layout((struct table_config){.key_bits = key_widths[k]}, 700, check_sorted);
}
END_TEST

START_TEST(sorting_without_memory_does_nothing) {
  struct table *table = make_table(&(struct table_config){.scheme = "cuckoo", .key_bits = 30, .slots = 100});
  uint64_t key = 5;
  uint8_t answer = 99;
  size_t full = 99;
  mem_fail_after(1);
  ck_assert_int_eq(cuckoo_sorted_find_or_put(table, &key, NULL, 1, &answer, &full), FLOE_ERROR_MEMORY);
  mem_fail_after(0);
  ck_assert_uint_eq(answer, 99);
  ck_assert_uint_eq(full, 99);
  ck_assert_int_eq(cuckoo_sorted_find_or_put(table, &key, NULL, 0, &answer, &full), FLOE_OK);
  ck_assert_uint_eq(full, 0);
  ck_assert_uint_eq(table_count(table), 0);
  table_free(table);
}
END_TEST

/* ---- layouts ------------------------------------------------------------------------------------------ */

static floe_status plan(struct table_config config, struct table_shape *shape) {
  config.scheme = "cuckoo";
  return table_plan(&config, shape);
}

START_TEST(plans) {
  struct table_shape shape;
  const uint64_t slots = UINT64_C(1) << 27;
  ck_assert_int_eq(plan((struct table_config){.key_bits = 37, .slots = slots}, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 32);
  ck_assert_uint_eq(shape.slots, slots);
  ck_assert_uint_eq(shape.bytes, 4 * slots);
  ck_assert_uint_eq(shape.hashes, 3);
  ck_assert_uint_eq(shape.value_bits, 0);
  ck_assert_int_eq(plan((struct table_config){.key_bits = 64, .slots = slots}, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 64);
  ck_assert_uint_eq(shape.bytes, 8 * slots);
  ck_assert_int_eq(plan((struct table_config){.key_bits = 64, .slots = slots, .value_bits = 64}, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.slot_bits, 128);
  ck_assert_uint_eq(shape.bytes, 16 * slots);
  ck_assert_int_eq(plan((struct table_config){.key_bits = 64, .slots = slots, .slot_bits = 128}, &shape), FLOE_OK);
  ck_assert_uint_eq(shape.value_bits, 64);
  const struct table_config none[] = {{.key_bits = 64, .slots = slots, .slot_bits = 32},
                                      {.key_bits = 37, .slots = slots, .slot_bits = 16},
                                      {.key_bits = 37, .slots = slots, .bucket_slots = 24},
                                      {.key_bits = 37, .slots = slots, .hashes = 9},
                                      {.key_bits = 37, .slots = slots, .hashes = 1},
                                      {.key_bits = 37, .slots = slots, .value_bits = 32},
                                      {.key_bits = 37, .slots = slots, .value_bits = 64, .slot_bits = 64},
                                      {.key_bits = 0, .slots = slots},
                                      {.key_bits = 65, .slots = slots}};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    ck_assert_int_eq(plan(none[i], &shape), FLOE_ERROR_USAGE);
  ck_assert_int_eq(plan((struct table_config){.key_bits = 64, .slots = UINT64_MAX}, &shape), FLOE_ERROR_MEMORY);
}
END_TEST

START_TEST(what_it_cannot_it_does_not) {
  const struct table_config set = {.scheme = "cuckoo", .key_bits = 30, .slots = 100};
  struct table *table;
  uint64_t key = 4, value = 99;
  uint8_t answer;
  ck_assert_int_eq(table_create(&set, &table), FLOE_OK);
  ck_assert_uint_eq(table_run(table, TABLE_PUT_NEW, &key, NULL, 1, &answer), 0);
  answer = 99;
  for (enum table_operation o = 0; o < TABLE_OPERATIONS; o++)
    if (table_cannot(&set, o)) {
      ck_assert_uint_eq(table_run(table, o, &key, &value, 1, &answer), 0);
      ck_assert(key == 4 && value == 99 && answer == 99);
    }
  table_free(table);
}
END_TEST

START_TEST(what_it_cannot_do) {
  const struct table_config set = {.scheme = "cuckoo", .key_bits = 30, .slots = 100};
  const struct table_config map = {.scheme = "cuckoo", .key_bits = 30, .slots = 100, .value_bits = 64};
  ck_assert_ptr_null(table_cannot(&set, TABLE_FIND));
  ck_assert_ptr_null(table_cannot(&set, TABLE_PUT_NEW));
  ck_assert_ptr_nonnull(strstr(table_cannot(&set, TABLE_FIND_OR_PUT), "evicted"));
  ck_assert_ptr_nonnull(strstr(table_cannot(&set, TABLE_ADD), "evicted"));
  ck_assert_ptr_nonnull(strstr(table_cannot(&set, TABLE_DELETE), "emptied"));
  ck_assert_ptr_nonnull(strstr(table_cannot(&set, TABLE_GET), "no values"));
  ck_assert_ptr_null(table_cannot(&map, TABLE_GET));
  struct table *table = NULL;
  struct table_config vector = set;
  vector.simd = "none such";
  ck_assert_int_eq(table_create(&vector, &table), FLOE_ERROR_UNSUPPORTED);
  ck_assert_ptr_null(table);
}
END_TEST

START_TEST(memory_that_ends_is_told) {
  for (long n = 1; n <= 2; n++) {
    struct table *table = NULL;
    mem_fail_after(n);
    ck_assert_int_eq(table_create(&(struct table_config){.scheme = "cuckoo", .key_bits = 30, .slots = 100}, &table),
                     FLOE_ERROR_MEMORY);
    ck_assert_ptr_null(table);
  }
  mem_fail_after(0);
}
END_TEST

int main(void) {
  return RUN_SUITE("cuckoo", every_layout, every_form_of_the_scan, tiny_tables, every_permutation,
                   permutation_of_the_user, narrow_keys_all_fit, fill_reached, moving_to_a_larger_table,
                   too_small_a_table_is_told, the_check_finds, sorting, sorted_find_or_put,
                   sorting_without_memory_does_nothing, plans, what_it_cannot_do, what_it_cannot_it_does_not,
                   memory_that_ends_is_told);
}
