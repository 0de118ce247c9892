/* The bitmap scheme on the host: layout, and the concurrent operations in batches. */
#include "tables/bitmap/bitmap.h"

#include "tables/simd.h"

#include <assert.h>
#include <string.h>

_Static_assert((int)BITMAP_FOUND == (int)TABLE_FOUND && (int)BITMAP_PUT == (int)TABLE_PUT &&
                   (int)BITMAP_FULL == (int)TABLE_FULL,
               "answers of the kernel are those of the seam");

/* ---- layout -------------------------------------------------------------------------------------- */

enum { LINE = 64, LINE_KEYS = LINE * 8 };

/* UINT64_MAX: more keys than it can represent. */
static uint64_t keys_of(const struct table_config *config) {
  if (config->keys)
    return config->keys;
  return config->key_bits < 64 ? UINT64_C(1) << config->key_bits : UINT64_MAX;
}

/* Number of bits. */
static uint64_t numbers_of(const struct table_config *config) {
  const uint64_t keys = keys_of(config);
  return config->local_index && keys < UINT64_MAX ? local_index_numbers(config->local_index, keys) : keys;
}

static const char *bitmap_cannot(const struct table_config *config, enum table_operation operation) {
  if (config->value_bits)
    return "a bit has no room for a value";
  if (operation == TABLE_GET || operation == TABLE_ADD)
    return "the table is a set: its keys have no values";
  if (numbers_of(config) > BITMAP_MOST_KEYS)
    return "a bit for every possible key takes more than 32 TiB";
  return NULL;
}

static floe_status bitmap_plan(const struct table_config *config, struct table_shape *out) {
  const uint64_t keys = keys_of(config);
  if (bitmap_cannot(config, TABLE_FIND_OR_PUT) || config->slot_bits > 1 || config->bucket_slots > 1)
    return FLOE_ERROR_USAGE;
  assert(keys > 0 && keys - 1 <= UINT64_MAX >> (64 - config->key_bits));
  const uint64_t numbers = numbers_of(config);
  *out = (struct table_shape){.key_bits = config->key_bits,
                              .slot_bits = 1,
                              .bucket_slots = 1,
                              .buckets = numbers,
                              .slots = numbers,
                              .bytes = (numbers + LINE_KEYS - 1) / LINE_KEYS * LINE};
  return FLOE_OK;
}

/* ---- opening ------------------------------------------------------------------------------------- */

static floe_status bitmap_open(const struct table_config *config, struct table *table) {
  if (!simd_choose(config->simd)) /* one form for all machines */
    return FLOE_ERROR_UNSUPPORTED;
  table->simd = "portable";
  if (config->local_index) {
    struct bitmap *view = (void *)table->state;
    view->local_index = *config->local_index;
    view->member = config->member;
  }
  return FLOE_OK;
}

static size_t bitmap_place(const struct table *table, void *memory, void *out) {
  struct bitmap view = *bitmap_of(table);
  view.words = memory;
  view.keys = table->shape.slots;
  memcpy(out, &view, sizeof view);
  return sizeof view;
}

static void bitmap_start(struct table *table) { bitmap_place(table, table->memory, table->state); }

/* ---- one key --------------------------------------------------------------------------------------- */

static inline uint32_t *word_of(const struct bitmap *view, uint64_t number) {
  return view->words + number / BITMAP_WORD_BITS;
}

static inline uint32_t bit_of(uint64_t number) { return UINT32_C(1) << number % BITMAP_WORD_BITS; }

static inline uint64_t number_of(const struct bitmap *view, uint64_t key) {
  assert(!view->local_index.members || local_index_owner(&view->local_index, key) == view->member);
  const uint64_t number = local_index_number(&view->local_index, key);
  assert(number < view->keys);
  return number;
}

/* Relaxed: nothing but the bit is published. */
static inline bool has(const struct bitmap *view, uint64_t number) {
  return shared_load32(word_of(view, number)) & bit_of(number);
}

/* The linearization point is the load if it read the bit as 1, else the OR. Relaxed: changes of one word have one
   order, in which exactly one thread sets the bit first, and no other memory is published through it. */
static inline unsigned put(const struct bitmap *view, uint64_t number) {
  const uint32_t bit = bit_of(number);
  if (has(view, number))
    return BITMAP_FOUND;
  return __atomic_fetch_or(word_of(view, number), bit, __ATOMIC_RELAXED) & bit ? BITMAP_FOUND : BITMAP_PUT;
}

/* Relaxed for the same reason: of all threads that clear the bit exactly one reads it as 1. */
static inline unsigned clear(const struct bitmap *view, uint64_t number) {
  const uint32_t bit = bit_of(number);
  if (!has(view, number))
    return BITMAP_FULL;
  return __atomic_fetch_and(word_of(view, number), ~bit, __ATOMIC_RELAXED) & bit ? BITMAP_FOUND : BITMAP_FULL;
}

/* ---- batches ------------------------------------------------------------------------------------- */

/* Keys whose words are prefetched before the first lookup. `numbers` may be `keys`. */
enum { AHEAD = 256 };

static void prefetch_words(const struct bitmap *view, const uint64_t *keys, size_t n, uint64_t *numbers) {
  for (size_t i = 0; i < n; i++) {
    numbers[i] = number_of(view, keys[i]);
    KERNEL_PREFETCH(word_of(view, numbers[i]));
  }
}

static size_t answer(const struct bitmap *view, enum table_operation operation, const uint64_t *keys, size_t n,
                     uint8_t *answers, uint64_t *numbers) {
  size_t full = 0;
  prefetch_words(view, keys, n, numbers);
  switch (operation) {
  case TABLE_FIND:
    for (size_t i = 0; i < n; i++)
      full += (answers[i] = has(view, numbers[i]) ? BITMAP_FOUND : BITMAP_FULL) == BITMAP_FULL;
    return full;
  case TABLE_DELETE:
    for (size_t i = 0; i < n; i++)
      full += (answers[i] = (uint8_t)clear(view, numbers[i])) == BITMAP_FULL;
    return full;
  default:
    for (size_t i = 0; i < n; i++)
      answers[i] = (uint8_t)put(view, numbers[i]);
    return 0;
  }
}

static size_t bitmap_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values,
                         size_t n, uint8_t *answers) {
  uint64_t numbers[AHEAD];
  size_t full = 0;
  (void)values;
  if (operation == TABLE_GET || operation == TABLE_ADD)
    return 0;
  for (size_t at = 0; at < n; at += AHEAD)
    full += answer(bitmap_of(table), operation, keys + at, n - at < AHEAD ? n - at : AHEAD, answers + at, numbers);
  return full;
}

/* ---- slot numbers -------------------------------------------------------------------------------- */

static size_t bitmap_find_or_put_slots(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers,
                                       uint64_t *slots) {
  for (size_t at = 0; at < n; at += AHEAD)
    answer(bitmap_of(table), TABLE_FIND_OR_PUT, keys + at, n - at < AHEAD ? n - at : AHEAD, answers + at, slots + at);
  return 0;
}

static uint64_t bitmap_key_at(const struct table *table, uint64_t slot) {
  const struct bitmap *view = bitmap_of(table);
  return local_index_key(&view->local_index, view->member, slot);
}

const struct table_scheme bitmap_scheme = {.name = "bitmap",
                                           .traits = {.description = "one bit for each possible key",
                                                      .layouts = "one bit for each of at most 2^48 keys, without "
                                                                 "buckets or values",
                                                      .slot_bits = {1},
                                                      .sets = true,
                                                      .stable = true,
                                                      .every_key = true},
                                           .state_bytes = sizeof(struct bitmap),
                                           .fill = 1,
                                           .cannot = bitmap_cannot,
                                           .plan = bitmap_plan,
                                           .open = bitmap_open,
                                           .place = bitmap_place,
                                           .start = bitmap_start,
                                           .run = bitmap_run,
                                           .stats = bitmap_stats,
                                           .each = bitmap_each,
                                           .rehash = bitmap_rehash,
                                           .check = bitmap_check,
                                           .find_or_put_slots = bitmap_find_or_put_slots,
                                           .key_at = bitmap_key_at};
