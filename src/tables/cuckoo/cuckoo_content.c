/* A cuckoo table's content recovered from its slots: iteration, counts, rehash, well-formedness. */
#include "tables/cuckoo/cuckoo.h"
#include "tables/slot_count.h"
#include "tables/visit_batch.h"

static struct cuckoo_geometry geometry_of(const struct table *table) {
  const struct table_shape *shape = &table->shape;
  return (struct cuckoo_geometry){shape->slot_bits, shape->bucket_slots, shape->hashes};
}

static uint64_t entry_at(const struct table *table, uint64_t bucket, unsigned i) {
  const struct cuckoo_geometry g = geometry_of(table);
  return entry_load(cuckoo_bucket(&cuckoo_of(table)->view, bucket, g), i, g.slot_bits);
}

void cuckoo_each(const struct table *table, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  const struct cuckoo_geometry g = geometry_of(table);
  const struct index_range buckets = index_range_part(table->shape.buckets, part, parts);
  struct visit_batch batch = {.visit = visit, .user = user};
  for (uint64_t b = buckets.begin; b < buckets.end; b++)
    for (unsigned i = 0; i < g.bucket_slots; i++) {
      uint64_t entry = entry_at(table, b, i);
      if (entry)
        visit_batch_add(&batch, cuckoo_key(&cuckoo_of(table)->view, b, entry, g));
    }
  visit_batch_flush(&batch);
}

static unsigned load_of(const struct table *table, uint64_t bucket) {
  const struct cuckoo_geometry g = geometry_of(table);
  const void *slots = cuckoo_bucket(&cuckoo_of(table)->view, bucket, g);
  return (unsigned)(g.slot_bits == CUCKOO_PAIR_BITS ? count_pairs(slots, g.bucket_slots)
                                                    : count_unlike(slots, g.bucket_slots, g.slot_bits, 0));
}

void cuckoo_stats(const struct table *table, struct table_stats *out) {
  const struct table_shape *shape = &table->shape;
  struct table_stats stats = {.slots = shape->slots, .bytes = shape->bytes};
  stats.level_slots[0] = shape->slots;
  for (uint64_t b = 0; b < shape->buckets; b++) {
    unsigned load = load_of(table, b);
    stats.load_histogram[load]++;
    stats.used += load;
  }
  stats.level_used[0] = stats.used;
  *out = stats;
}

/* ---- moving to another table --------------------------------------------------------------------- */

struct move {
  struct table *to;
  size_t n;
  uint64_t full;
  uint64_t keys[VISIT_BATCH], values[VISIT_BATCH];
};

static void move_flush(struct move *move) {
  uint8_t answers[VISIT_BATCH];
  uint64_t *values = move->to->shape.value_bits ? move->values : NULL;
  move->full += table_run(move->to, TABLE_PUT_NEW, move->keys, values, move->n, answers);
  move->n = 0;
}

static void move_slot(const struct table *from, struct move *move, uint64_t bucket, unsigned i) {
  const struct cuckoo_geometry g = geometry_of(from);
  const uint64_t entry = entry_at(from, bucket, i);
  if (!entry)
    return;
  move->keys[move->n] = cuckoo_key(&cuckoo_of(from)->view, bucket, entry, g);
  move->values[move->n] = from->shape.value_bits ? value_load(cuckoo_bucket(&cuckoo_of(from)->view, bucket, g), i) : 0;
  if (++move->n == VISIT_BATCH)
    move_flush(move);
}

/* Keys of a table are all different, so they are put into `to` like any concurrent puts. */
uint64_t cuckoo_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts) {
  const struct index_range buckets = index_range_part(from->shape.buckets, part, parts);
  struct move move = {.to = to};
  for (uint64_t b = buckets.begin; b < buckets.end; b++)
    for (unsigned i = 0; i < from->shape.bucket_slots; i++)
      move_slot(from, &move, b, i);
  move_flush(&move);
  return move.full;
}

/* ---- well-formedness ----------------------------------------------------------------------------- */

/* Some key has this entry in this bucket. */
static bool entry_possible(const struct table *table, uint64_t bucket, uint64_t entry) {
  const struct cuckoo_geometry g = geometry_of(table);
  const uint64_t largest = cuckoo_of(table)->view.permutation[0].mask;
  return bucket <= largest && cuckoo_remainder(entry, g.hashes) <= (largest - bucket) / table->shape.buckets;
}

static unsigned times_in(const struct table *table, struct cuckoo_target target) {
  unsigned times = 0;
  for (unsigned i = 0; i < table->shape.bucket_slots; i++)
    times += entry_at(table, target.bucket, i) == target.wanted;
  return times;
}

/* Its earlier buckets are full, and it is nowhere else. */
static bool entry_valid(const struct table *table, uint64_t bucket, uint64_t entry) {
  const struct cuckoo_geometry g = geometry_of(table);
  if (!entry_possible(table, bucket, entry))
    return false;
  const uint64_t key = cuckoo_key(&cuckoo_of(table)->view, bucket, entry, g);
  unsigned times = 0;
  for (unsigned hash = 0; hash < g.hashes; hash++) {
    const struct cuckoo_target target = cuckoo_aim(&cuckoo_of(table)->view, key, hash, g);
    if (hash < cuckoo_hash(entry, g.hashes) && load_of(table, target.bucket) < g.bucket_slots)
      return false;
    times += times_in(table, target);
  }
  return times == 1;
}

uint64_t cuckoo_check(const struct table *table) {
  uint64_t wrong = 0;
  for (uint64_t b = 0; b < table->shape.buckets; b++)
    for (unsigned i = 0; i < table->shape.bucket_slots; i++) {
      uint64_t entry = entry_at(table, b, i);
      wrong += entry != 0 && !entry_valid(table, b, entry);
    }
  return wrong;
}
