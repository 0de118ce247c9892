#include "toy_scheme.h"

#include "tables/host_table.h"
#include "tables/simd.h"

#include <pthread.h>

/* A slot holds its key plus one, 0 is empty; key 2^64 - 1 has an extra slot after all others. */
struct toy {
  pthread_mutex_t lock;
  uint64_t *slots;
};

static const char *toy_cannot(const struct table_config *config, enum table_operation operation) {
  (void)config;
  return operation <= TABLE_PUT_NEW ? NULL : "a toy is a set to which keys only come";
}

static floe_status toy_plan(const struct table_config *config, struct table_shape *out) {
  if (config->value_bits || config->bucket_slots || (config->slot_bits && config->slot_bits != 64))
    return FLOE_ERROR_USAGE;
  if (config->slots > UINT64_MAX / 64)
    return FLOE_ERROR_MEMORY;
  const uint64_t slots = config->slots ? config->slots : 1;
  *out = (struct table_shape){.key_bits = config->key_bits,
                              .slot_bits = 64,
                              .bucket_slots = 1,
                              .buckets = slots,
                              .slots = slots + 1,
                              .bytes = (slots + 1) * sizeof(uint64_t)};
  return FLOE_OK;
}

static floe_status toy_open(const struct table_config *config, struct table *table) {
  struct toy *toy = (void *)table->state;
  table->simd = "portable";
  if (!simd_choose(config->simd))
    return FLOE_ERROR_UNSUPPORTED;
  return pthread_mutex_init(&toy->lock, NULL) ? FLOE_ERROR_MEMORY : FLOE_OK;
}

static size_t toy_place(const struct table *table, void *memory, void *out) {
  (void)table;
  *(void **)out = memory;
  return sizeof memory;
}

static void toy_start(struct table *table) {
  struct toy *toy = (void *)table->state;
  toy->slots = table->memory;
}

static uint64_t *slot_of(const struct table *table, uint64_t key) {
  const struct toy *toy = (const void *)table->state;
  const uint64_t n = table->shape.buckets, home = (key * UINT64_C(0x9e3779b97f4a7c15) >> 7) % n;
  if (key == UINT64_MAX)
    return &toy->slots[n];
  for (uint64_t i = 0; i < n; i++) {
    uint64_t *slot = &toy->slots[(home + i) % n];
    if (*slot == 0 || *slot == key + 1)
      return slot;
  }
  return NULL;
}

static enum table_answer answer(struct table *table, uint64_t key, bool put) {
  uint64_t *slot = slot_of(table, key);
  if (slot && *slot)
    return TABLE_FOUND;
  if (!slot || !put)
    return TABLE_FULL;
  *slot = key == UINT64_MAX ? 1 : key + 1;
  return TABLE_PUT;
}

static size_t toy_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values, size_t n,
                      uint8_t *answers) {
  struct toy *toy = (void *)table->state;
  size_t full = 0;
  (void)values;
  pthread_mutex_lock(&toy->lock);
  for (size_t i = 0; i < n; i++) {
    answers[i] = (uint8_t)answer(table, keys[i], operation != TABLE_FIND);
    full += answers[i] == TABLE_FULL;
  }
  pthread_mutex_unlock(&toy->lock);
  return full;
}

/* Keys never move, so their places are slot numbers. */
static size_t toy_find_or_put_slots(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers,
                                    uint64_t *slots) {
  struct toy *toy = (void *)table->state;
  size_t full = 0;
  pthread_mutex_lock(&toy->lock);
  for (size_t i = 0; i < n; i++) {
    answers[i] = (uint8_t)answer(table, keys[i], true);
    slots[i] = answers[i] == TABLE_FULL ? UINT64_MAX : (uint64_t)(slot_of(table, keys[i]) - toy->slots);
    full += answers[i] == TABLE_FULL;
  }
  pthread_mutex_unlock(&toy->lock);
  return full;
}

/* No thread writes to a slot that has a number. */
static uint64_t toy_key_at(const struct table *table, uint64_t slot) {
  const struct toy *toy = (const void *)table->state;
  return slot == table->shape.buckets ? UINT64_MAX : toy->slots[slot] - 1;
}

static void toy_each(const struct table *table, unsigned part, unsigned parts,
                     void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  const struct toy *toy = (const void *)table->state;
  for (uint64_t i = part; i < table->shape.slots; i += parts) {
    const uint64_t key = i == table->shape.buckets ? UINT64_MAX : toy->slots[i] - 1;
    if (toy->slots[i])
      visit(user, &key, 1);
  }
}

static void toy_stats(const struct table *table, struct table_stats *out) {
  const struct toy *toy = (const void *)table->state;
  *out = (struct table_stats){.slots = table->shape.slots, .bytes = table->shape.bytes};
  for (uint64_t i = 0; i < table->shape.slots; i++)
    out->load_histogram[toy->slots[i] != 0]++;
  out->used = out->level_used[0] = out->load_histogram[1];
  out->level_slots[0] = out->slots;
}

struct move {
  struct table *to;
  uint64_t full;
};

static void move_keys(void *user, const uint64_t *keys, size_t n) {
  struct move *move = user;
  uint8_t answers[1];
  move->full += table_find_or_put(move->to, keys, n, answers);
}

static uint64_t toy_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts) {
  struct move move = {.to = to};
  toy_each(from, part, parts, move_keys, &move);
  return move.full;
}

static uint64_t toy_check(const struct table *table) {
  const struct toy *toy = (const void *)table->state;
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < table->shape.buckets; i++)
    wrong += toy->slots[i] && slot_of(table, toy->slots[i] - 1) != &toy->slots[i];
  return wrong;
}

const struct table_scheme toy_scheme = {.name = "toy",
                                        .traits = {.description = "linear probing under one mutex",
                                                   .layouts = "slots of 64 bits",
                                                   .slot_bits = {64},
                                                   .sets = true,
                                                   .stable = true},
                                        .state_bytes = sizeof(struct toy),
                                        .fill = 0.5,
                                        .cannot = toy_cannot,
                                        .plan = toy_plan,
                                        .open = toy_open,
                                        .place = toy_place,
                                        .start = toy_start,
                                        .run = toy_run,
                                        .stats = toy_stats,
                                        .each = toy_each,
                                        .rehash = toy_rehash,
                                        .check = toy_check,
                                        .find_or_put_slots = toy_find_or_put_slots,
                                        .key_at = toy_key_at};
