/* An iceberg table's content recovered from its slots: iteration, counts, rehash, well-formedness. */
#include "tables/iceberg/iceberg_content.h"
#include "core/mem.h"
#include "tables/iceberg/iceberg.h"
#include "tables/kernel/slot_number.h"
#include "tables/slot_count.h"

#include <assert.h>
#include <string.h>

static uint64_t second_key(const struct iceberg *view, uint64_t bucket, uint64_t slot) {
  uint64_t p = quotient_join(view->second_quotient, bucket, second_remainder(slot));
  return permutation_invert(&view->permutation[1 + second_which(slot)], p);
}

static void first_each(const struct table *table, struct index_range buckets, struct visit_batch *batch) {
  const struct iceberg *view = &iceberg_of(table)->view;
  const unsigned slots = table->shape.bucket_slots, bits = table->shape.slot_bits;
  const uint64_t dead = dead_slot(table, bits);
  for (uint64_t b = buckets.begin; b < buckets.end; b++)
    for (unsigned i = 0; i < slots; i++) {
      uint64_t slot = slot_load(view->first, b * slots + i, bits);
      if (slot == 0)
        break; /* by the order property the rest is empty */
      if (slot != dead)
        visit_batch_add_at(batch, first_key(view, b, slot), b * slots + i);
    }
}

static void second_each(const struct table *table, struct index_range buckets, struct visit_batch *batch) {
  const struct iceberg *view = &iceberg_of(table)->view;
  const unsigned slots = table->shape.second_bucket_slots, bits = table->shape.second_slot_bits;
  const uint64_t dead = dead_slot(table, bits), begin = second_begin_of(&table->shape);
  for (uint64_t b = buckets.begin; b < buckets.end; b++)
    for (unsigned i = 0; i < slots; i++) {
      uint64_t slot = slot_load(view->second, b * slots + i, bits);
      if (slot == 0)
        break;
      if (slot != dead)
        visit_batch_add_at(batch, second_key(view, b, slot), begin + b * slots + i);
    }
}

static void third_each(const struct table *table, struct index_range slots, struct visit_batch *batch) {
  const struct iceberg *view = &iceberg_of(table)->view;
  const uint64_t dead = dead_slot(table, THIRD_SLOT_BITS), begin = third_begin_of(&table->shape);
  for (uint64_t i = slots.begin; i < slots.end; i++) {
    uint64_t slot = slot_load(view->third, i, THIRD_SLOT_BITS);
    if (slot && slot != dead)
      visit_batch_add_at(batch, third_key(slot), begin + i);
  }
}

/* Level 3 holds whole keys; the slot of a last key holds only a mark. */
uint64_t iceberg_key_at(const struct table *table, uint64_t slot) {
  const struct table_shape *shape = &table->shape;
  const struct iceberg_state *state = iceberg_of(table);
  const struct position at = slot_position(&state->view, slot, state->instance->geometry);
  const uint64_t held = slot_load(at.level, at.i, at.bits);
  assert(held != 0 && held != dead_slot(table, at.bits));
  if (at.level == state->view.first)
    return first_key(&state->view, at.i / shape->bucket_slots, held);
  if (at.level == state->view.second)
    return second_key(&state->view, at.i / shape->second_bucket_slots, held);
  return at.level == state->view.third ? third_key(held) : ~at.i;
}

/* Content of the slot of key ~i, which level 3 does not encode. */
static uint64_t last_slot(const struct table *table, unsigned i) {
  return i < last_keys(&table->shape) ? slot_load(iceberg_of(table)->view.last_key, i, THIRD_SLOT_BITS) : 0;
}

static void last_each(const struct table *table, struct visit_batch *batch) {
  const uint64_t begin = third_begin_of(&table->shape) + table->shape.third_slots;
  for (unsigned i = 0; i < MOST_LAST_KEYS; i++)
    if (last_slot(table, i) == LAST_KEY_HERE)
      visit_batch_add_at(batch, ~(uint64_t)i, begin + i);
}

void later_each(const struct table *table, unsigned part, unsigned parts, struct visit_batch *batch) {
  const struct table_shape *shape = &table->shape;
  second_each(table, index_range_part(shape->second_buckets, part, parts), batch);
  third_each(table, index_range_part(shape->third_slots, part, parts), batch);
  if (part == 0)
    last_each(table, batch);
}

void all_each(const struct table *table, unsigned part, unsigned parts, struct visit_batch *batch) {
  first_each(table, index_range_part(table->shape.buckets, part, parts), batch);
  later_each(table, part, parts, batch);
}

void iceberg_each(const struct table *table, unsigned part, unsigned parts,
                  void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  struct visit_batch batch = {.visit = visit, .user = user};
  all_each(table, part, parts, &batch);
  visit_batch_flush(&batch);
}

static uint64_t count_packed(const void *slots, uint64_t n, uint64_t value) {
  uint64_t unlike = 0;
  for (uint64_t i = 0; i < n; i++)
    unlike += slot_load(slots, i, PACKED_BITS) != value;
  return unlike;
}

static uint64_t unlike(const void *slots, uint64_t n, unsigned bits, uint64_t value) {
  return bits == PACKED_BITS ? count_packed(slots, n, value) : count_unlike(slots, n, bits, value);
}

/* Slots with keys; adds the number of tombstones to *deleted. */
static uint64_t count_keys(const struct table *table, const void *slots, uint64_t n, unsigned bits, uint64_t *deleted) {
  const uint64_t used = unlike(slots, n, bits, 0), dead = dead_slot(table, bits);
  const uint64_t tombstones = dead ? n - unlike(slots, n, bits, dead) : 0;
  *deleted += tombstones;
  return used - tombstones;
}

void iceberg_stats(const struct table *table, struct table_stats *out) {
  const struct table_shape *shape = &table->shape;
  const struct iceberg *view = &iceberg_of(table)->view;
  struct table_stats stats = {.slots = shape->slots, .bytes = shape->bytes};
  stats.level_slots[0] = shape->buckets * shape->bucket_slots;
  stats.level_slots[1] = shape->second_buckets * shape->second_bucket_slots;
  stats.level_slots[2] = shape->slots - stats.level_slots[0] - stats.level_slots[1];
  const uint64_t bucket_bytes = slot_bytes(shape->bucket_slots, shape->slot_bits);
  for (uint64_t b = 0; b < shape->buckets; b++) {
    uint64_t load =
        count_keys(table, view->first + b * bucket_bytes, shape->bucket_slots, shape->slot_bits, &stats.deleted);
    stats.load_histogram[load]++;
    stats.level_used[0] += load;
  }
  stats.level_used[1] = count_keys(table, view->second, stats.level_slots[1], shape->second_slot_bits, &stats.deleted);
  stats.level_used[2] = count_keys(table, view->third, shape->third_slots, THIRD_SLOT_BITS, &stats.deleted);
  if (last_keys(shape))
    stats.level_used[2] += count_keys(table, view->last_key, last_keys(shape), THIRD_SLOT_BITS, &stats.deleted);
  stats.used = stats.level_used[0] + stats.level_used[1] + stats.level_used[2];
  *out = stats;
}
