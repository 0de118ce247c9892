/* The iceberg scheme on the host: permutations, compiled forms, the concurrent operations. */
#include "tables/iceberg/iceberg.h"
#include "tables/host_table.h"
#include "tables/iceberg/iceberg_map.h"
#include "tables/kernel/value.h"
#include "tables/simd.h"

#include <assert.h>
#include <string.h>

#ifdef __x86_64__
static const struct iceberg_operations *const forms[] = {&iceberg_avx512, &iceberg_avx2, &iceberg_portable};
#else
static const struct iceberg_operations *const forms[] = {&iceberg_portable};
#endif

static const struct iceberg_operations *find_operations(const char *form) {
  for (size_t i = 0; form && i < sizeof forms / sizeof *forms; i++)
    if (strcmp(form, forms[i]->simd) == 0)
      return forms[i];
  return NULL;
}

static const struct iceberg_instance *find_instance(const struct iceberg_operations *operations,
                                                    const struct table_shape *shape) {
  for (size_t i = 0; i < ICEBERG_INSTANCE_COUNT; i++) {
    const struct geometry *g = &operations->instance[i].geometry;
    if (g->slot_bits == shape->slot_bits && g->bucket_slots == shape->bucket_slots &&
        g->second_slot_bits == shape->second_slot_bits && g->second_bucket_slots == shape->second_bucket_slots)
      return &operations->instance[i];
  }
  return NULL;
}

static size_t iceberg_place(const struct table *table, void *memory, void *out) {
  const struct table_offsets at = table_offsets(&table->shape);
  const uintptr_t base = (uintptr_t)memory;
  struct iceberg view = iceberg_of(table)->view; /* the permutations */
  view.first = (unsigned char *)base;
  view.second = (unsigned char *)(base + at.second);
  view.third = (uint64_t *)(base + at.third);
  view.last_key = table->shape.key_bits == 64 ? (uint64_t *)(base + at.last_key) : NULL;
  view.values = table->shape.values_at ? (void *)(base + table->shape.values_at) : NULL;
  view.written = table->shape.bytes > at.end ? (unsigned char *)(base + at.end) : NULL;
  view.deletes = table->shape.deletes;
  view.third_buckets = table->shape.third_slots / THIRD_BUCKET_SLOTS;
  view.first_quotient = quotient_make(table->shape.buckets);
  view.second_quotient = quotient_make(table->shape.second_buckets);
  memcpy(out, &view, sizeof view);
  return sizeof view;
}

static floe_status choose_form(const char *simd, struct table *table) {
  struct iceberg_state *state = (void *)table->state;
  const struct iceberg_operations *operations = find_operations(simd_choose(simd));
  if (!operations)
    return FLOE_ERROR_UNSUPPORTED;
  table->simd = operations->simd;
  state->instance = find_instance(operations, &table->shape);
  return FLOE_OK;
}

static floe_status iceberg_open(const struct table_config *config, struct table *table) {
  static_assert((int)TABLE_PACKED_BITS == PACKED_BITS, "the kernels' packed slots are the table's");
  static_assert((int)VALUE_SUM == TABLE_SUM && (int)VALUE_MIN == TABLE_MIN && (int)VALUE_MAX == TABLE_MAX &&
                    (int)VALUE_USER == TABLE_USER_REDUCTION,
                "the kernels' reductions are the table's");
  static_assert(sizeof(struct iceberg) <= TABLE_VIEW_BYTES, "the view has room");
  struct iceberg_state *state = (void *)table->state;
  FLOE_TRY(table_permutations(config, table, 3, state->view.permutation));
  return choose_form(config->simd, table);
}

static void iceberg_start(struct table *table) {
  struct iceberg_state *state = (void *)table->state;
  assert(state->instance);
  iceberg_place(table, table->memory, &state->view);
}

static const char *iceberg_cannot(const struct table_config *config, enum table_operation operation) {
  switch (operation) {
  case TABLE_DELETE:
    return config->deletes ? NULL : "its slots have no encoding for deleted keys";
  case TABLE_GET:
  case TABLE_ADD:
    return config->value_bits ? NULL : "its keys have no values";
  default:
    return NULL;
  }
}

static size_t find_keys(const struct table *table, const uint64_t *keys, size_t n, uint8_t *answers) {
  size_t absent = 0;
  const struct iceberg_state *state = iceberg_of(table);
  state->instance->find(&state->view, keys, n, answers);
  for (size_t i = 0; i < n; i++)
    absent += answers[i] == TABLE_FULL;
  return absent;
}

static size_t iceberg_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values,
                          size_t n, uint8_t *answers) {
  if (operation == TABLE_FIND)
    return find_keys(table, keys, n, answers);
  const bool put = operation == TABLE_FIND_OR_PUT || operation == TABLE_PUT_NEW;
  const struct iceberg_state *state = iceberg_of(table);
  if (put && !state->view.values)
    return state->instance->find_or_put(&state->view, keys, n, answers);
  return map_run(table, operation, keys, values, n, answers);
}

const struct table_scheme iceberg_scheme = {
    .name = "iceberg",
    .traits = {.description = "compact, in two levels of buckets and a third one for overflow",
               .layouts = "slots of 16, 32 or 64 bits in buckets of 8, 16 or 32, or of 21 bits in buckets of 12 or 24; "
                          "a second level "
                          "with slots as wide or twice as wide",
               .slot_bits = {16, TABLE_PACKED_BITS, 32, 64},
               .bucket_slots = {8, 12, 16, 24, 32},
               .value_bits = {32, 64},
               .sets = true,
               .stable = true,
               .second_level = true,
               .deletes = true},
    .state_bytes = sizeof(struct iceberg_state),
    .cannot = iceberg_cannot,
    .plan = iceberg_plan,
    .open = iceberg_open,
    .place = iceberg_place,
    .start = iceberg_start,
    .run = iceberg_run,
    .stats = iceberg_stats,
    .each = iceberg_each,
    .rehash = iceberg_rehash,
    .check = iceberg_check,
    .first_overflow = iceberg_first_overflow,
    .find_or_put_slots = map_find_or_put_slots,
    .key_at = iceberg_key_at};
