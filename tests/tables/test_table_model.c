/* Every scheme beside a model (table_model.h): layouts, forms of the scan, permutations, reductions, tiny and narrow
   tables, operations that a scheme lacks, failing allocations. */
#include "table_model.h"

#include "tables/permutation.h"

static const unsigned key_widths[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 37, 40, 63, 64};
enum { WIDTHS = sizeof key_widths / sizeof *key_widths, FROM_8_BITS = 4 };

/* Schemes, with the least number of layouts that all key widths have together. */
static const struct {
  const char *name;
  unsigned layouts;
} schemes[] = {{"iceberg", 500}, {"linear", 50}, {"cuckoo", 480}, {"robin-hood", 25}, {"bitmap", 15}};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* Neither commutative nor associative, so that the order of one thread shows. */
static uint64_t mixed(void *data, uint64_t present, uint64_t added) {
  return present * 3 + added + *(const uint64_t *)data;
}
static uint64_t mixed_data = 5;

static struct table_config config_of(size_t scheme, unsigned key_bits) {
  return (struct table_config){.scheme = schemes[scheme].name,
                               .key_bits = key_bits,
                               .seed = key_bits,
                               .reduce = mixed,
                               .reduce_data = &mixed_data};
}

/* ---- layouts ------------------------------------------------------------------------------------------- */

static void check_overfull(const struct table_config *config) { check_beside_model(config, 1.6); }

/* `make check`: every fifth layout; the others follow with other keys, because 5 divides no number of choices.
   FLOE_TEST_LONG=1: all. */
static void check_some(const struct table_config *config) {
  static unsigned number;
  if (number++ % 5 == 0 || at_length())
    check_overfull(config);
}

START_TEST(every_layout) {
  unsigned layouts = 0;
  for (size_t k = 0; k < WIDTHS; k++)
    for (unsigned deletes = 0; deletes <= (k % 3 == 0 && table_traits(schemes[_i].name)->deletes); deletes++) {
      struct table_config config = config_of((size_t)_i, key_widths[k]);
      config.deletes = deletes;
      config.reduction = (enum table_reduction)(k % (TABLE_USER_REDUCTION + 1));
      layouts += each_layout(config, 300, check_some);
    }
  ck_assert_uint_ge(layouts, schemes[_i].layouts);
}
END_TEST

/* Robin Hood tables have a place for a key as long as a slot is empty. Deletion may use up slots. */
static void check_roomy(const struct table_config *config) {
  const bool any_slot = strcmp(config->scheme, "robin-hood") == 0;
  const uint64_t refused = check_beside_model(config, any_slot ? 0.97 : 0.5);
  ck_assert(refused == 0 || !table_cannot(config, TABLE_DELETE));
}

START_TEST(keys_find_a_place) {
  for (size_t k = FROM_8_BITS; k < WIDTHS; k += 3)
    each_layout(config_of((size_t)_i, key_widths[k]), 1000, check_roomy);
}
END_TEST

/* Narrow slots for wide keys exist in large tables only. */
static void check_tiny(const struct table_config *config) {
  if (config->slots <= 100)
    check_some(config);
}

START_TEST(tiny_tables) {
  for (size_t k = 0; k < WIDTHS; k++)
    for (uint64_t slots = 0; slots < 80; slots += 26)
      each_layout(config_of((size_t)_i, key_widths[k]), slots, check_tiny);
}
END_TEST

/* With as many slots as keys each key has a place. */
START_TEST(narrow_keys_all_fit) {
  for (unsigned bits = 1; bits <= 13; bits++) {
    struct table_config config = config_of((size_t)_i, bits);
    config.slots = UINT64_C(1) << bits;
    config.value_bits = table_traits(config.scheme)->sets ? 0 : 32;
    struct table *table = make_table(&config);
    uint64_t wrong = 0;
    for (uint64_t key = 0; key <= largest_key(bits); key++) {
      uint64_t given = key;
      uint8_t answer;
      table_run(table, TABLE_PUT_NEW, &given, NULL, 1, &answer);
      wrong += answer != TABLE_PUT || find_one(table, key) != TABLE_FOUND;
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(table_count(table), largest_key(bits) + 1);
    ck_assert_uint_eq(table_check(table), 0);
    table_free(table);
  }
}
END_TEST

static void check_map(const struct table_config *config) {
  if (config->value_bits)
    check_beside_model(config, 0.8);
}

START_TEST(every_reduction) {
  for (size_t k = FROM_8_BITS; k < WIDTHS; k += 5)
    for (enum table_reduction r = TABLE_REPLACE; r <= TABLE_USER_REDUCTION; r++) {
      struct table_config config = config_of((size_t)_i, key_widths[k]);
      config.reduction = r;
      each_layout(config, 250, check_map);
    }
}
END_TEST

/* ---- forms of the scan, permutations ------------------------------------------------------------------- */

/* Cuckoo tables have no form for AVX-512. Other tests use the machine's best form. */
START_TEST(every_form_of_the_scan) {
  for (const char *const *form = simd_forms(); *form; form++) {
    if (strcmp(schemes[_i].name, "cuckoo") == 0 && strcmp(*form, "avx512") == 0)
      continue;
    for (unsigned bits = 16; bits <= 24; bits += 8) {
      struct table_config config = config_of((size_t)_i, bits);
      config.deletes = bits == 24 && table_traits(config.scheme)->deletes;
      config.simd = *form;
      each_layout(config, 500, check_overfull);
    }
  }
}
END_TEST

static void check_permutation(struct table_config config) {
  for (size_t k = FROM_8_BITS; k < WIDTHS; k++) {
    config.key_bits = key_widths[k];
    config.keys = table_traits(config.scheme)->every_key ? 200 : 0;
    config.value_bits = table_traits(config.scheme)->sets ? 0 : key_widths[k] <= 32 ? 32 : 64;
    if (plan_at_least(&config, 700))
      check_beside_model(&config, 1.5);
  }
}

START_TEST(every_permutation) {
  for (const char *const *name = permutation_names(); *name; name++) {
    struct table_config config = config_of((size_t)_i, 0);
    config.permutation = *name;
    config.seed = 42;
    check_permutation(config);
  }
}
END_TEST

/* The identity, with which all hash functions of a key agree, and the reverse order. */
static uint64_t identity(void *data, unsigned number, unsigned bits, uint64_t key) {
  (void)data, (void)number, (void)bits;
  return key;
}
static uint64_t reversed(void *data, unsigned number, unsigned bits, uint64_t key) {
  (void)data, (void)number;
  return largest_key(bits) - key;
}

START_TEST(permutation_of_the_user) {
  const struct permutation_user users[] = {{identity, identity, NULL, NULL, NULL},
                                           {reversed, reversed, NULL, NULL, NULL}};
  for (size_t i = 0; i < 2; i++) {
    struct table_config config = config_of((size_t)_i, 0);
    config.permutation_user = &users[i];
    check_permutation(config);
  }
}
END_TEST

/* ---- errors -------------------------------------------------------------------------------------------- */

/* An operation that the scheme lacks does nothing. */
static void check_missing(const struct table_config *config) {
  struct table *table = make_table(config);
  for (enum table_operation o = 0; o < TABLE_OPERATIONS; o++) {
    uint64_t key = 4 & largest_key(config->key_bits), value = 99;
    uint8_t answer = 99;
    if (!table_cannot(config, o) || table_traits(config->scheme)->deletes)
      continue;
    ck_assert_uint_eq(table_run(table, o, &key, config->value_bits ? &value : NULL, 1, &answer), 0);
    ck_assert(key == (4 & largest_key(config->key_bits)) && value == 99 && answer == 99);
    ck_assert_uint_eq(table_count(table), 0);
  }
  table_free(table);
}

START_TEST(missing_operations_do_nothing) {
  for (size_t k = 0; k < WIDTHS; k++)
    each_layout(config_of((size_t)_i, key_widths[k]), 100, check_missing);
}
END_TEST

START_TEST(failing_allocations) {
  struct table_config config = config_of((size_t)_i, 20);
  config.slots = 100;
  config.value_bits = table_traits(config.scheme)->sets ? 0 : 32;
  for (long n = 1; n <= 2; n++) {
    struct table *table = NULL;
    mem_fail_after(n);
    ck_assert_int_eq(table_create(&config, &table), FLOE_ERROR_MEMORY);
    ck_assert_ptr_null(table);
  }
  mem_fail_after(0);
  table_free(NULL);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("model");
  tcase_add_loop_test(cases, every_layout, 0, SCHEMES);
  tcase_add_loop_test(cases, keys_find_a_place, 0, SCHEMES);
  tcase_add_loop_test(cases, tiny_tables, 0, SCHEMES);
  tcase_add_loop_test(cases, narrow_keys_all_fit, 0, SCHEMES);
  tcase_add_loop_test(cases, every_reduction, 0, SCHEMES);
  tcase_add_loop_test(cases, every_form_of_the_scan, 0, SCHEMES);
  tcase_add_loop_test(cases, every_permutation, 0, SCHEMES);
  tcase_add_loop_test(cases, permutation_of_the_user, 0, SCHEMES);
  tcase_add_loop_test(cases, missing_operations_do_nothing, 0, SCHEMES);
  tcase_add_loop_test(cases, failing_allocations, 0, SCHEMES);
  tcase_add_test(cases, no_memory_is_left);
  return run_suite("tables beside a model", CK_NOFORK, cases);
}
