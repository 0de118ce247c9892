/* The linear scheme on the host: layout, and the concurrent operations in batches. */
#include "tables/linear/linear.h"

#include "base/numbers.h"
#include "tables/host_table.h"
#include "tables/simd.h"

#include <assert.h>
#include <string.h>

/* More than any machine has, and far enough from 2^64 that no size here overflows. */
#define MOST_SLOTS (UINT64_C(1) << 48)

_Static_assert((int)LINEAR_FOUND == (int)TABLE_FOUND && (int)LINEAR_PUT == (int)TABLE_PUT &&
                   (int)LINEAR_FULL == (int)TABLE_FULL,
               "answers of the kernel are those of the seam");
_Static_assert((int)LINEAR_REPLACE == (int)TABLE_REPLACE && (int)LINEAR_SUM == (int)TABLE_SUM &&
                   (int)LINEAR_MIN == (int)TABLE_MIN && (int)LINEAR_MAX == (int)TABLE_MAX &&
                   (int)LINEAR_USER == (int)TABLE_USER_REDUCTION,
               "reductions of the kernel are those of the seam");

/* ---- layout -------------------------------------------------------------------------------------- */

static unsigned slot_bits_of(const struct table_config *config) {
  if (config->slot_bits)
    return config->slot_bits;
  return config->value_bits ? config->value_bits : config->key_bits <= 32 ? 32 : 64;
}

static bool is_possible(const struct table_config *config) {
  const unsigned bits = slot_bits_of(config);
  return (bits == 32 || bits == 64) && config->key_bits <= bits && !config->bucket_slots &&
         (config->value_bits == 0 || config->value_bits == bits) &&
         (config->reduction != TABLE_USER_REDUCTION || config->reduce);
}

static uint64_t whole(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

/* More than twice as many slots as keys are of no use. */
static uint64_t useful_slots(unsigned key_bits) { return key_bits < 48 ? UINT64_C(2) << key_bits : MOST_SLOTS; }

/* One key has no encoding; it has a slot of its own. */
static uint64_t extra_slots(const struct table_shape *shape) { return shape->key_bits == shape->slot_bits; }

static uint64_t capacity_of(const struct table_shape *shape) { return shape->slots - extra_slots(shape); }

static floe_status linear_plan(const struct table_config *config, struct table_shape *out) {
  if (config->slots >= MOST_SLOTS)
    return FLOE_ERROR_MEMORY;
  if (!is_possible(config))
    return FLOE_ERROR_USAGE;
  const uint64_t wanted = config->slots ? config->slots : 1;
  const uint64_t capacity = whole(least(wanted, useful_slots(config->key_bits)), LINEAR_WINDOW);
  struct table_shape shape = {.key_bits = config->key_bits,
                              .slot_bits = slot_bits_of(config),
                              .value_bits = config->value_bits,
                              .bucket_slots = LINEAR_WINDOW,
                              .buckets = capacity / LINEAR_WINDOW};
  shape.slots = capacity + extra_slots(&shape);
  shape.bytes = whole(shape.slots * (shape.slot_bits + shape.value_bits) / 8, 64);
  *out = shape;
  return FLOE_OK;
}

static const char *linear_cannot(const struct table_config *config, enum table_operation operation) {
  if (config->value_bits)
    return NULL;
  switch (operation) {
  case TABLE_DELETE:
    return config->key_bits < slot_bits_of(config)
               ? NULL
               : "slots that are no wider than the keys have no encoding for deleted keys";
  case TABLE_GET:
  case TABLE_ADD:
    return "the table is a set: its keys have no values";
  default:
    return NULL;
  }
}

/* ---- opening ------------------------------------------------------------------------------------- */

static const struct linear_operations *operations_find(const char *simd) {
  const char *const form = simd_choose(simd);
#ifdef __x86_64__
  if (form && strcmp(form, linear_avx512.simd) == 0)
    return &linear_avx512;
  if (form && strcmp(form, linear_avx2.simd) == 0)
    return &linear_avx2;
#endif
  return form ? &linear_portable : NULL;
}

static floe_status linear_open(const struct table_config *config, struct table *table) {
  struct linear_state *state = (void *)table->state;
  state->operations = operations_find(config->simd);
  if (!state->operations)
    return FLOE_ERROR_UNSUPPORTED;
  table->simd = state->operations->simd;
  return table_permutations(config, table, 1, &state->view.permutation);
}

static size_t linear_place(const struct table *table, void *memory, void *out) {
  struct linear view = linear_of(table)->view; /* the permutation */
  view.slots = memory;
  view.capacity = capacity_of(&table->shape);
  view.probes = least(view.capacity, LINEAR_PROBES);
  assert(view.capacity % LINEAR_WINDOW == 0 && view.probes > 0);
  view.user = &table->config;
  memcpy(out, &view, sizeof view);
  return sizeof view;
}

static void linear_start(struct table *table) {
  struct linear_state *state = (void *)table->state;
  linear_place(table, table->memory, &state->view);
}

struct linear_form linear_form_of(const struct table *table) {
  struct linear_form form = {
      .slot_bits = table->shape.slot_bits, .value_bits = table->shape.value_bits, .reduction = table->config.reduction};
  return form;
}

uint64_t linear_user_reduce(const void *user, uint64_t present, uint64_t added) {
  const struct table_config *config = user;
  return config->reduce(config->reduce_data, present, added);
}

/* ---- operations ----------------------------------------------------------------------------------- */

static bool puts_values(enum table_operation operation) {
  return operation == TABLE_FIND_OR_PUT || operation == TABLE_PUT_NEW || operation == TABLE_ADD;
}

/* A value of 64 bits without an encoding is a programming error, like a key that is too wide. */
static void check_values(const uint64_t *values, size_t n) {
  for (size_t i = 0; i < n; i++)
    assert(values[i] != UINT64_MAX);
}

static size_t linear_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values,
                         size_t n, uint8_t *answers) {
  struct table_config config = table->config;
  config.slot_bits = table->shape.slot_bits;
  if (linear_cannot(&config, operation))
    return 0;
  if (table->shape.value_bits == 64 && puts_values(operation))
    check_values(values, n);
  const struct linear_state *state = linear_of(table);
  const struct linear_arrays arrays = {keys, values, n, answers};
  return state->operations->run(&state->view, operation, linear_form_of(table), &arrays);
}

const struct table_scheme linear_scheme = {.name = "linear",
                                           .traits = {.description = "linear probing, not compact",
                                                      .layouts =
                                                          "slots of 32 or 64 bits that are no narrower than the keys, "
                                                          "without buckets; values, where there are any, as "
                                                          "wide as the slots",
                                                      .slot_bits = {32, 64},
                                                      .value_bits = {32, 64},
                                                      .sets = true,
                                                      .joins_halves = true,
                                                      .last_value_is_none = "iceberg and robin-hood take all"},
                                           .state_bytes = sizeof(struct linear_state),
                                           .fill = LINEAR_FILL,
                                           .cannot = linear_cannot,
                                           .plan = linear_plan,
                                           .open = linear_open,
                                           .place = linear_place,
                                           .start = linear_start,
                                           .run = linear_run,
                                           .stats = linear_stats,
                                           .each = linear_each,
                                           .rehash = linear_rehash,
                                           .check = linear_check,
                                           .distances = linear_distances};
