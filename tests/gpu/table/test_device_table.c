/* Ownership of device memory (gpu/driver/memory.h, device_arrays.h, device_table.h), on a fake device: allocations
   count in the budget and are returned, and a refused one leaves nothing behind. */
#include "tests/gpu/device/fake_parts.h"

#include "gpu/table/device_arrays.h"
#include "gpu/table/device_table.h"
#include "tests/suite.h"

#include <string.h>

enum { MEMORY = 1 << 20 };

static struct gpu *gpu;
static struct table_config config = {.scheme = "iceberg", .key_bits = 40, .slots = 1 << 12};
static struct table_shape shape;

static void open_device(void) {
  const struct fake_settings settings = {.memory = MEMORY, .host_memory = MEMORY, .multiprocessors = 1};
  gpu = fake_open(&settings);
  ck_assert_int_eq(table_plan(&config, &shape), FLOE_OK);
  ck_assert_uint_lt(2 * shape.bytes, MEMORY);
}

static void close_device(void) { ck_assert_uint_eq(fake_close(gpu), 0); }

static bool is_empty(const struct device_table *table) {
  const unsigned char *bytes = (const unsigned char *)(uintptr_t)table->memory.at;
  for (uint64_t i = 0; i < table->shape.bytes; i++)
    if (bytes[i])
      return false;
  return true;
}

START_TEST(within_a_budget) {
  struct gpu_budget budget = {.limit = 2 * shape.bytes - 1, .used = 1};
  struct device_table table, second;
  ck_assert_int_eq(device_table_make(gpu, &config, &shape, GPU_TABLE_ON_DEVICE, &budget, &table), FLOE_OK);
  ck_assert_uint_eq(budget.used, 1 + shape.bytes);
  ck_assert_uint_eq(gpu_budget_room(&budget), shape.bytes - 2);
  ck_assert(is_empty(&table));
  ck_assert_int_eq(device_table_make(gpu, &config, &shape, GPU_TABLE_ON_DEVICE, &budget, &second), FLOE_ERROR_MEMORY);
  ck_assert_uint_eq(gpu->used, shape.bytes);
  device_table_free(&table);
  device_table_free(&table);
  ck_assert_uint_eq(budget.used, 1);
}
END_TEST

/* The budget exceeds the device's memory. */
START_TEST(device_is_full) {
  struct gpu_budget budget = {.limit = 4 * MEMORY};
  gpu_address rest;
  struct device_table table;
  ck_assert_int_eq(gpu_budget_take(gpu, &budget, MEMORY - shape.bytes + 1, &rest), FLOE_OK);
  ck_assert_int_eq(device_table_make(gpu, &config, &shape, GPU_TABLE_ON_DEVICE, &budget, &table), FLOE_ERROR_MEMORY);
  ck_assert_uint_eq(budget.used, MEMORY - shape.bytes + 1);
  gpu_budget_give(gpu, &budget, MEMORY - shape.bytes + 1, &rest);
  ck_assert_uint_eq(rest, 0);
  ck_assert_uint_eq(budget.used, 0);
}
END_TEST

START_TEST(in_memory_of_the_host) {
  struct device_table table;
  ck_assert_int_eq(device_table_make(gpu, &config, &shape, GPU_TABLE_ON_HOST, NULL, &table), FLOE_OK);
  ck_assert_uint_eq(gpu->used, 0);
  ck_assert_uint_eq(gpu->host_used, shape.bytes);
  ck_assert(is_empty(&table));
  device_table_free(&table);
  ck_assert_uint_eq(gpu->host_used, 0);
}
END_TEST

/* The view has other permutations; the memory stays in place. */
START_TEST(cleared) {
  struct device_table table;
  ck_assert_int_eq(device_table_make(gpu, &config, &shape, GPU_TABLE_ON_DEVICE, NULL, &table), FLOE_OK);
  const struct gpu_view before = table.view;
  const gpu_address at = table.memory.at;
  memset((void *)(uintptr_t)at, 1, shape.bytes);
  ck_assert_int_eq(device_table_clear(&table, 7), FLOE_OK);
  ck_assert(is_empty(&table));
  ck_assert_uint_eq(table.memory.at, at);
  ck_assert_uint_eq(table.config.seed, 7);
  ck_assert_int_ne(memcmp(&before, &table.view, sizeof before), 0);
  device_table_free(&table);
}
END_TEST

/* The third of three arrays has no room. */
START_TEST(arrays) {
  struct gpu_arrays some = {0};
  const uint64_t room = MEMORY / 16;
  ck_assert_int_eq(gpu_arrays_take(gpu, room, true, &some), FLOE_ERROR_MEMORY);
  ck_assert_uint_eq(gpu->used, 0);
  ck_assert_uint_eq(some.room, 0);
  ck_assert_int_eq(gpu_arrays_take(gpu, room, false, &some), FLOE_OK);
  ck_assert_uint_eq(gpu->used, gpu_arrays_bytes(&some));
  ck_assert_uint_eq(some.values, 0);
  gpu_arrays_give(gpu, &some);
}
END_TEST

int main(void) {
  TCase *tcase = tcase_create("owning");
  tcase_add_checked_fixture(tcase, open_device, close_device);
  add_tests(tcase, within_a_budget, device_is_full, in_memory_of_the_host, cleared, arrays);
  return run_suite("device_table", CK_FORK_GETENV, tcase);
}
