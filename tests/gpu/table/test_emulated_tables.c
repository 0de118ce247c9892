/* Every table on the emulated GPU (table_suite.c): the host side of gpu/table/tables.h on a made-up device, with the
   real text of the kernels. test_emulated_tables [SCHEME] FLOE_TEST_LONG=1: every layout. FLOE_TEST_ALL=1: every layout
   as the first of its kind. */
#include "table_suite.h"
#include "tests/gpu/device/emulated_suite.h"
#include "tests/gpu/device/fake_device.h"

#include "core/mem.h"

#include <stdio.h>
#include <stdlib.h>

static const char *only;

START_TEST(every_table) {
  const struct fake_settings device = {
      .memory = 1 << 30, .host_memory = 1 << 20, .multiprocessors = 1, .seed = 11, .stop_percent = 10};
  struct gpu *gpu = fake_open(&device);
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  const struct suite_settings settings = {.gpu = gpu,
                                          .log = log,
                                          .slots = 1100,
                                          .few_slots = 300,
                                          .only = only,
                                          .footprint = 1 << 16,
                                          .all = everything(),
                                          .brief = !at_length()};
  ck_assert_int_eq(table_suite_run(&settings), 0);
  floe_log_free(log);
  ck_assert_uint_eq(fake_close(gpu), 0); /* all memory has been freed */
}
END_TEST

static uint64_t either(void *data, uint64_t present, uint64_t added) {
  (void)data;
  return present | added;
}

/* Iceberg's kernels have no user-defined reduction, with or without its text. */
START_TEST(a_users_reduction) {
  const char *const texts[] = {NULL, "present | added"};
  const char *const schemes[] = {"iceberg", "linear", "robin-hood"};
  for (unsigned s = 0; s < 3; s++)
    for (unsigned t = 0; t < 2; t++) {
      const struct table_config map = {.scheme = schemes[s],
                                       .key_bits = 30,
                                       .value_bits = 32,
                                       .slots = 100,
                                       .reduction = TABLE_USER_REDUCTION,
                                       .reduce = either,
                                       .reduce_text = texts[t]};
      ck_assert_ptr_null(table_cannot(&map, TABLE_ADD));
      ck_assert((gpu_table_cannot(&map, 90, TABLE_ADD) == NULL) == (s > 0 && t > 0));
    }
}
END_TEST

int main(int count, char **words) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  only = count > 1 ? words[1] : NULL;
  TCase *tcase = tcase_create("schemes");
  add_tests(tcase, a_users_reduction, every_table);
  return emulated_run("emulated tables", tcase);
}
