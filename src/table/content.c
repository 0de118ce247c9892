/* An iceberg table's content recovered from its slots: iteration, counts, rehash, well-formedness. */
#include "core/mem.h"
#include "table/content.h"
#include "table/iceberg.h"

#include <string.h>

static uint64_t second_key(const struct iceberg *view, uint64_t bucket, uint64_t slot) {
  uint64_t p = quotient_join(view->second_quotient, bucket, second_remainder(slot));
  return permutation_invert(&view->permutation[1 + second_which(slot)], p);
}

static void first_each(const struct table *table, struct range buckets, struct batch *batch) {
  const unsigned slots = table->shape.bucket_slots, bits = table->shape.slot_bits;
  for (uint64_t b = buckets.begin; b < buckets.end; b++)
    for (unsigned i = 0; i < slots; i++) {
      uint64_t slot = slot_load(table->view.first, b * slots + i, bits);
      if (slot == 0)
        break; /* by the order property the rest is empty */
      batch_add(batch, first_key(&table->view, b, slot));
    }
}

static void second_each(const struct table *table, struct range buckets, struct batch *batch) {
  const unsigned slots = table->shape.second_bucket_slots, bits = table->shape.second_slot_bits;
  for (uint64_t b = buckets.begin; b < buckets.end; b++)
    for (unsigned i = 0; i < slots; i++) {
      uint64_t slot = slot_load(table->view.second, b * slots + i, bits);
      if (slot == 0)
        break;
      batch_add(batch, second_key(&table->view, b, slot));
    }
}

static void third_each(const struct table *table, struct range slots, struct batch *batch) {
  for (uint64_t i = slots.begin; i < slots.end; i++) {
    uint64_t slot = slot_load(table->view.third, i, THIRD_SLOT_BITS);
    if (slot)
      batch_add(batch, third_key(slot));
  }
}

static bool holds_last_key(const struct table *table) {
  return table->view.last_key && slot_load(table->view.last_key, 0, THIRD_SLOT_BITS);
}

void later_each(const struct table *table, unsigned part, unsigned parts, struct batch *batch) {
  const struct table_shape *shape = &table->shape;
  second_each(table, part_of(shape->second_buckets, part, parts), batch);
  third_each(table, part_of(shape->third_slots, part, parts), batch);
  if (part == 0 && holds_last_key(table))
    batch_add(batch, UINT64_MAX);
}

void iceberg_each(const struct table *table, unsigned part, unsigned parts,
                  void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  struct batch batch = {.visit = visit, .user = user};
  first_each(table, part_of(table->shape.buckets, part, parts), &batch);
  later_each(table, part, parts, &batch);
  batch_flush(&batch);
}

static uint64_t count_full(const void *slots, uint64_t n, unsigned bits) {
  uint64_t full = 0;
  for (uint64_t i = 0; i < n; i++)
    full += slot_load(slots, i, bits) != 0;
  return full;
}

void iceberg_stats(const struct table *table, struct table_stats *out) {
  const struct table_shape *shape = &table->shape;
  const struct iceberg *view = &table->view;
  struct table_stats stats = {.slots = shape->slots, .bytes = shape->bytes};
  stats.level_slots[0] = shape->buckets * shape->bucket_slots;
  stats.level_slots[1] = shape->second_buckets * shape->second_bucket_slots;
  stats.level_slots[2] = shape->slots - stats.level_slots[0] - stats.level_slots[1];
  const uint64_t bucket_bytes = slot_bytes(shape->bucket_slots, shape->slot_bits);
  for (uint64_t b = 0; b < shape->buckets; b++) {
    uint64_t load = count_full(view->first + b * bucket_bytes, shape->bucket_slots, shape->slot_bits);
    stats.load_histogram[load]++;
    stats.level_used[0] += load;
  }
  stats.level_used[1] = count_full(view->second, stats.level_slots[1], shape->second_slot_bits);
  stats.level_used[2] =
      count_full(view->third, shape->third_slots, THIRD_SLOT_BITS) + holds_last_key(table);
  stats.used = stats.level_used[0] + stats.level_used[1] + stats.level_used[2];
  *out = stats;
}
