/* Invalid use of floe_tables.h: invalid options and calls are logged with a hint and do no harm. */
#include "api_table.h"
#include "reserved_suite.h"

#include <stddef.h>

static uint64_t not_inverse(void *data, unsigned number, unsigned bits, uint64_t key) {
  return own_invert(data, number + (number == 2), bits, key);
}

static uint64_t too_wide(void *data, unsigned number, unsigned bits, uint64_t key) {
  (void)data, (void)number, (void)bits;
  return ~key;
}

/* ---- errors are logged ------------------------------------------------------------------- */

static void refused(const floe_hash_options *options, const char *words) {
  floe_hash_table *table = NULL;
  floe_hash_info info;
  ck_assert_int_eq(floe_hash_create(options, messages, &table), FLOE_ERROR_USAGE);
  ck_assert_ptr_null(table);
  assert_logged(words);
  if (options->engine == FLOE_ENGINE_CPU) {
    ck_assert_int_eq(floe_hash_plan(options, messages, &info), FLOE_ERROR_USAGE);
    assert_logged(words);
  }
}

START_TEST(wrong_options) {
  const floe_hash_own_permutation half = {.apply = own_apply, .data = &calls},
                                  wrong = {own_apply, not_inverse, &calls, NULL, NULL},
                                  wide = {too_wide, too_wide, &calls, NULL, NULL};
  floe_hash_options usual, options;
  floe_hash_options_init(&usual);
  usual.key_bits = 40;
  usual.slots = SLOTS;
#define REFUSED(WORDS, ...)                                                                                            \
  do {                                                                                                                 \
    options = usual;                                                                                                   \
    __VA_ARGS__;                                                                                                       \
    refused(&options, WORDS);                                                                                          \
  } while (0)
  REFUSED("no table 'icebergs'", options.scheme = "icebergs");
  REFUSED("no permutation 'none'", options.permutation = "none");
  REFUSED("keys of 0 bits", options.key_bits = 0);
  REFUSED("keys of 65 bits", options.key_bits = 65);
  REFUSED("values of 16 bits", options.value_bits = 16);
  REFUSED("no such reduction", options.reduction = (floe_hash_reduction)9);
  REFUSED("needs its function", options.reduction = FLOE_HASH_OWN);
  REFUSED("needs its function and the inverse", options.own_permutation = &half);
  REFUSED("permutation 2 is invalid", options.own_permutation = &wrong);
  REFUSED("permutation 0 is invalid", options.own_permutation = &wide);
  REFUSED("slots of 17 bits", options.slot_bits = 17);
  REFUSED("buckets of 7 slots", options.bucket_slots = 7);
  REFUSED("keys of 40 bits do not fit 4096 slots", options.slot_bits = 16);
  REFUSED("slots of 16 bits", options.scheme = "linear", options.slot_bits = 16);
  REFUSED("values of 32 bits", options.scheme = "linear", options.value_bits = 32);
  REFUSED("a bit for every possible key", options.scheme = "bitmap", options.key_bits = 49);
  REFUSED("no room for a value", options.scheme = "bitmap", options.key_bits = 20, options.value_bits = 32);
  REFUSED("slots of 32 bits", options.scheme = "bitmap", options.key_bits = 20, options.slot_bits = 32);
  REFUSED("9 hashes", options.scheme = "cuckoo", options.hashes = 9);
  REFUSED("values of 32 bits", options.scheme = "cuckoo", options.value_bits = 32);
  REFUSED("it needs values", options.scheme = "robin-hood");
  REFUSED("keys of at most 32", options.scheme = "robin-hood", options.value_bits = 32);
  REFUSED("no such engine", options.engine = FLOE_ENGINE_INTERPRETER);
}
END_TEST

START_TEST(unknown_form_of_the_scan) {
  const floe_hash_options options = options_of(&forms[0]);
  setenv("FLOE_TEST_SIMD", "mmx", 1);
  refused(&options, "FLOE_TEST_SIMD: this machine has no table scan 'mmx'");
  unsetenv("FLOE_TEST_SIMD");
}
END_TEST

/* The number of slots in the hint suffices. */
START_TEST(enough_slots_are_named) {
  floe_hash_options options;
  floe_hash_info info;
  floe_hash_options_init(&options);
  options.key_bits = 30;
  options.slots = 100;
  options.slot_bits = 16;
  ck_assert_int_eq(floe_hash_plan(&options, messages, &info), FLOE_ERROR_USAGE);
  options.slots = strtoull(floe_log_at(messages, 0)->hint, NULL, 10);
  ck_assert_uint_gt(options.slots, 100);
  ck_assert_int_eq(floe_hash_plan(&options, messages, &info), FLOE_OK);
  ck_assert_uint_eq(info.slot_bits, 16);
}
END_TEST

/* Keys and values that are too wide, missing operations: logged, and the table is unchanged. */
START_TEST(wrong_calls) {
  const struct form *form = &forms[_i];
  const floe_hash_options options = options_of(form);
  floe_hash_table *table = make_table(&options);
  uint8_t answer = 0xee;
  put(table, form, 0, 100);
  for (int o = FLOE_HASH_FIND; o <= FLOE_HASH_ADD + 1; o++) {
    uint64_t key = UINT64_MAX, value = UINT64_MAX;
    const char *why = floe_hash_cannot(table, (floe_hash_operation)o);
    const bool key_too_wide = form->key_bits < 64;
    const bool wide_value =
        form->value_bits == 32 && o != FLOE_HASH_FIND && o != FLOE_HASH_DELETE && o != FLOE_HASH_GET;
    if (!why && !key_too_wide && !wide_value)
      continue;
    ck_assert_int_eq(floe_hash_run(table, (floe_hash_operation)o, &key, &value, 1, &answer, NULL), FLOE_ERROR_USAGE);
    assert_logged(why ? why : key_too_wide ? "a key has more bits" : "a value has more bits");
    if (wide_value && !why) {
      key = 5;
      ck_assert_int_eq(floe_hash_run(table, (floe_hash_operation)o, &key, &value, 1, &answer, NULL), FLOE_ERROR_USAGE);
      assert_logged("a value has more bits");
    }
    ck_assert_uint_eq(answer, 0xee);
  }
  if (strcmp(form->scheme, "linear") == 0 && form->value_bits == 64) {
    uint64_t key = 5, none = UINT64_MAX;
    ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_ADD, &key, &none, 1, &answer, NULL), FLOE_ERROR_USAGE);
    assert_logged("2^64 - 1");
  }
  ck_assert_int_eq(floe_hash_each(table, 2, 2, see, &seen), FLOE_ERROR_USAGE);
  assert_logged("no part 2 of 2");
  ck_assert_int_eq(floe_hash_run_on_device(table, FLOE_HASH_FIND, 8, 0, 1, 8), FLOE_ERROR_USAGE);
  assert_logged("not on a GPU");
  assert_content(table, form, 100);
  floe_hash_free(table);
}
END_TEST

/* A program compiled with an older, shorter options struct gets defaults for the rest. */
START_TEST(shorter_options) {
  floe_hash_options options;
  floe_hash_info info;
  floe_hash_options_init(&options);
  options.struct_size = offsetof(floe_hash_options, slot_bits);
  options.slot_bits = 17;
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.slots = 1000;
  ck_assert_int_eq(floe_hash_plan(&options, messages, &info), FLOE_OK);
  floe_hash_table *table = make_table(&options);
  ck_assert_uint_ge(info.slots, 1000);
  ck_assert_int_eq(info.engine, FLOE_ENGINE_CPU);
  ck_assert_int_eq(floe_hash_information(table).engine, FLOE_ENGINE_CPU);
  floe_hash_free(table);
  floe_hash_free(NULL);
}
END_TEST

START_TEST(reserved_values) { reserved_suite_run(FLOE_ENGINE_CPU, messages); }
END_TEST

static void add(TCase *cases) {
  tcase_add_test(cases, wrong_options);
  tcase_add_test(cases, unknown_form_of_the_scan);
  tcase_add_test(cases, enough_slots_are_named);
  tcase_add_loop_test(cases, wrong_calls, 0, FORMS);
  tcase_add_test(cases, shorter_options);
  tcase_add_test(cases, reserved_values);
}

int main(void) { return run_cases("wrong uses of the hash tables of floe_tables.h", add); }
