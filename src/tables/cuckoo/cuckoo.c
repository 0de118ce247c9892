/* The cuckoo scheme on the host: layout, permutations, batches. */
#include "tables/cuckoo/cuckoo.h"

#include "base/numbers.h"
#include "tables/cuckoo/cuckoo_forms.h"
#include "tables/host_table.h"
#include "tables/simd.h"
#include "tables/slot128.h"

#include <assert.h>
#include <string.h>

/* More than any machine has, and far enough from 2^64 that no size here overflows. */
#define MAX_BUCKETS (UINT64_C(1) << 48)

/* There is no form for AVX-512: such a machine uses that for AVX2, unless the configuration names another. */
static const struct cuckoo_operations *find_operations(const char *simd) {
  const char *const form = simd_choose(simd);
  if (!form || (simd && strcmp(form, "avx512") == 0))
    return NULL;
#ifdef __x86_64__
  if (strcmp(form, cuckoo_portable.simd) != 0)
    return &cuckoo_avx2;
#endif
  return &cuckoo_portable;
}

static const struct cuckoo_instance *find_instance(const struct cuckoo_operations *operations, unsigned slot_bits,
                                                   unsigned bucket_slots) {
  for (size_t i = 0; i < CUCKOO_INSTANCE_COUNT; i++) {
    const struct cuckoo_instance *instance = &operations->instance[i];
    if (instance->slot_bits == slot_bits && instance->bucket_slots == bucket_slots)
      return instance;
  }
  return NULL;
}

/* ---- layout -------------------------------------------------------------------------------------- */

static unsigned entry_bits(unsigned slot_bits) { return slot_bits == CUCKOO_PAIR_BITS ? 64 : slot_bits; }

/* The fewest buckets with which all remainders fit. */
static uint64_t fewest_buckets(const struct table_shape *shape) {
  uint64_t largest = cuckoo_largest(entry_bits(shape->slot_bits), shape->hashes);
  return largest_key(shape->key_bits) / (largest + 1) + 1;
}

/* At most as many buckets as give a slot for every key: then the first bucket of a key always has a place for it. */
static uint64_t wanted_buckets(const struct table_config *config, const struct table_shape *shape) {
  uint64_t wanted = greatest(config->slots, 1) - 1;
  return least(wanted, largest_key(config->key_bits)) / shape->bucket_slots + 1;
}

/* False: the remainders do not fit a forced width of 32 bits. Wider slots need a few buckets at most. */
static bool lay_out(const struct table_config *config, unsigned slot_bits, struct table_shape *shape) {
  shape->slot_bits = slot_bits;
  uint64_t wanted = wanted_buckets(config, shape), fewest = fewest_buckets(shape);
  shape->buckets = greatest(wanted, fewest);
  shape->slots = shape->buckets * shape->bucket_slots;
  shape->bytes = (cuckoo_bytes(shape->slots, slot_bits) + 63) & ~UINT64_C(63);
  return fewest < MAX_BUCKETS && (slot_bits != 32 || config->slot_bits != 32 || fewest <= wanted);
}

/* 32 bits if the remainders fit, even with more slots than requested if that takes less memory than slots of 64
   bits. */
static floe_status choose_width(const struct table_config *config, struct table_shape *shape) {
  struct table_shape narrow = *shape, wide = *shape;
  if (shape->value_bits)
    return lay_out(config, CUCKOO_PAIR_BITS, shape) ? FLOE_OK : FLOE_ERROR_USAGE;
  if (config->slot_bits)
    return lay_out(config, config->slot_bits, shape) ? FLOE_OK : FLOE_ERROR_USAGE;
  bool fits = lay_out(config, 32, &narrow);
  lay_out(config, 64, &wide);
  *shape = fits && narrow.bytes <= wide.bytes ? narrow : wide;
  return FLOE_OK;
}

static bool check_known_name(const struct table_config *config) {
  const unsigned slots = config->bucket_slots ? config->bucket_slots : 8;
  const unsigned bits = config->slot_bits ? config->slot_bits : 32;
  return find_instance(&cuckoo_portable, bits, slots) && config->hashes <= CUCKOO_MOST_HASHES && config->hashes != 1 &&
         (config->value_bits == 0 || config->value_bits == 64) &&
         (!config->value_bits || !config->slot_bits || config->slot_bits == CUCKOO_PAIR_BITS);
}

floe_status cuckoo_plan(const struct table_config *config, struct table_shape *out) {
  if (!check_known_name(config))
    return FLOE_ERROR_USAGE;
  if (config->slots / 8 >= MAX_BUCKETS)
    return FLOE_ERROR_MEMORY;
  struct table_shape shape = {.key_bits = config->key_bits};
  shape.hashes = config->hashes ? config->hashes : 3;
  shape.bucket_slots = config->bucket_slots ? config->bucket_slots : 16;
  shape.value_bits = config->value_bits || config->slot_bits == CUCKOO_PAIR_BITS ? 64 : 0;
  FLOE_TRY(choose_width(config, &shape));
  assert(shape.hashes >= 2 && shape.hashes <= CUCKOO_MOST_HASHES && shape.buckets >= fewest_buckets(&shape));
  *out = shape;
  return FLOE_OK;
}

/* ---- opening ------------------------------------------------------------------------------------- */

static floe_status cuckoo_open(const struct table_config *config, struct table *table) {
  struct cuckoo_state *state = (void *)table->state;
  const struct cuckoo_operations *operations = find_operations(config->simd);
  if (!operations)
    return FLOE_ERROR_UNSUPPORTED;
  table->simd = operations->simd;
  state->instance = find_instance(operations, table->shape.slot_bits, table->shape.bucket_slots);
  return table_permutations(config, table, table->shape.hashes, state->view.permutation);
}

static size_t cuckoo_place(const struct table *table, void *memory, void *out) {
  struct cuckoo view = cuckoo_of(table)->view; /* the permutations */
  view.slots = memory;
  view.hashes = table->shape.hashes;
  view.quotient = quotient_make(table->shape.buckets);
  memcpy(out, &view, sizeof view);
  return sizeof view;
}

static void cuckoo_start(struct table *table) {
  struct cuckoo_state *state = (void *)table->state;
  assert(state->instance);
  cuckoo_place(table, table->memory, &state->view);
}

/* ---- operations ---------------------------------------------------------------------------------- */

static bool is_map(const struct table_config *config) {
  return config->value_bits || config->slot_bits == CUCKOO_PAIR_BITS;
}

static const char *cuckoo_cannot(const struct table_config *config, enum table_operation operation) {
  switch (operation) {
  case TABLE_PUT_NEW:
    return is_map(config) && !has_slot128_swap() ? "this processor lacks a compare-and-swap of 128 bits" : NULL;
  case TABLE_FIND:
    return NULL;
  case TABLE_GET:
    return is_map(config) ? NULL : "the table has no values";
  case TABLE_DELETE:
    return "an emptied slot would end the search for keys that are in a later bucket because this "
           "one was full";
  default:
    return "evicted keys are in no slot for a while and could be put a second time";
  }
}

static size_t cuckoo_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values,
                         size_t n, uint8_t *answers) {
  const struct cuckoo_state *state = cuckoo_of(table);
  const struct cuckoo_batch batch = {&state->view, keys, operation == TABLE_FIND ? NULL : values, answers, n};
  if (cuckoo_cannot(&table->config, operation))
    return 0;
  return operation == TABLE_PUT_NEW ? state->instance->put(&batch) : state->instance->find(&batch);
}

const struct table_scheme cuckoo_scheme = {
    .name = "cuckoo",
    .traits =
        {.description = "compact, in buckets of several hash functions, built by one phase of puts",
         .layouts =
             "slots of 32 or 64 bits in buckets of 8, 16 or 32, or of 128 bits with values of 64 bits; 2 to 8 hashes",
         .slot_bits = {32, 64, CUCKOO_PAIR_BITS},
         .bucket_slots = {8, 16, 32},
         .value_bits = {64},
         .sets = true,
         .hashes = true},
    .state_bytes = sizeof(struct cuckoo_state),
    .cannot = cuckoo_cannot,
    .plan = cuckoo_plan,
    .open = cuckoo_open,
    .place = cuckoo_place,
    .start = cuckoo_start,
    .run = cuckoo_run,
    .stats = cuckoo_stats,
    .each = cuckoo_each,
    .rehash = cuckoo_rehash,
    .check = cuckoo_check,
    .sorted_find_or_put = cuckoo_sorted_find_or_put};
