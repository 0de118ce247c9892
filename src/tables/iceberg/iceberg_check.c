/* Definition 2 of the paper, extended to level 3: every slot is empty or holds a remainder of some possible key, and
   all earlier slots in that key's order are full and do not hold it. Or it is a tombstone: full and different from
   every key. Its key is unknown, so only the slots before it in its bucket decide whether it is allowed there. */
#include "tables/host_table.h"
#include "tables/iceberg/iceberg.h"
#include "tables/iceberg/iceberg_content.h"

/* The first n slots of a bucket are full and different from the target's value. */
static bool passed(struct target target, unsigned n, unsigned bits) {
  for (unsigned i = 0; i < n; i++) {
    uint64_t slot = slot_load(target.bucket, i, bits);
    if (slot == 0 || slot == target.wanted)
      return false;
  }
  return true;
}

/* A key's position at each level. */
struct key_targets {
  struct target first, one, two;
  uint64_t home;
};

static struct key_targets key_targets_of(const struct table *table, uint64_t key) {
  const struct iceberg *view = &iceberg_of(table)->view;
  const struct geometry g = iceberg_of(table)->instance->geometry;
  uint64_t p1 = permutation_apply(&view->permutation[1], key);
  uint64_t p2 = permutation_apply(&view->permutation[2], key);
  struct key_targets key_targets = {.first = first_target(view, permutation_apply(&view->permutation[0], key), g),
                                    .one = second_target(view, p1, 0, g),
                                    .two = second_target(view, p2, 1, g),
                                    .home = third_home(view, p1, p2)};
  return key_targets;
}

static bool passed_first(const struct table *table, struct key_targets key_targets) {
  return passed(key_targets.first, table->shape.bucket_slots, table->shape.slot_bits);
}

/* In the secondary buckets: n1 slots of bucket 1 and n2 of bucket 2 are earlier. */
static bool passed_second(const struct table *table, struct key_targets key_targets, unsigned n1, unsigned n2) {
  return passed(key_targets.one, n1, table->shape.second_slot_bits) &&
         passed(key_targets.two, n2, table->shape.second_slot_bits);
}

static bool remainder_possible(const struct permutation *p, struct quotient quotient, uint64_t address,
                               uint64_t remainder) {
  return address <= p->mask && remainder <= (p->mask - address) / quotient.divisor;
}

static bool first_valid(const struct table *table, uint64_t bucket, unsigned i, uint64_t slot) {
  const struct iceberg *view = &iceberg_of(table)->view;
  const struct geometry g = iceberg_of(table)->instance->geometry;
  uint64_t remainder = first_remainder(slot);
  if (!remainder_possible(&view->permutation[0], view->first_quotient, bucket, remainder))
    return false;
  uint64_t permuted = quotient_join(view->first_quotient, bucket, remainder);
  return passed(first_target(view, permuted, g), i, g.slot_bits);
}

static bool second_valid(const struct table *table, uint64_t bucket, unsigned i, uint64_t slot) {
  const struct iceberg *view = &iceberg_of(table)->view;
  uint64_t remainder = second_remainder(slot);
  unsigned which = second_which(slot);
  const struct permutation *permutation = &view->permutation[1 + which];
  if (!remainder_possible(permutation, view->second_quotient, bucket, remainder))
    return false;
  uint64_t permuted = quotient_join(view->second_quotient, bucket, remainder);
  struct key_targets key_targets = key_targets_of(table, permutation_invert(permutation, permuted));
  return passed_first(table, key_targets) && passed_second(table, key_targets, i, which ? i : i + 1);
}

/* Distance of a level-3 bucket from the key's home, in probes. */
static uint64_t probes_to(const struct iceberg *view, uint64_t home, uint64_t bucket) {
  return bucket >= home ? bucket - home : bucket + view->third_buckets - home;
}

static bool passed_all_below(const struct table *table, struct key_targets key_targets) {
  const unsigned slots = table->shape.second_bucket_slots;
  return passed_first(table, key_targets) && passed_second(table, key_targets, slots, slots);
}

static bool third_valid(const struct table *table, uint64_t bucket, unsigned i, uint64_t slot) {
  const struct iceberg *view = &iceberg_of(table)->view;
  uint64_t key = third_key(slot);
  struct key_targets key_targets = key_targets_of(table, key);
  uint64_t probes = probes_to(view, key_targets.home, bucket);
  if (key > view->permutation[0].mask || probes >= third_probes(view))
    return false;
  for (uint64_t n = 0, at = key_targets.home; n <= probes; n++, at = (at + 1) % view->third_buckets) {
    struct target target = {view->third + at * THIRD_BUCKET_SLOTS, slot};
    if (!passed(target, n == probes ? i : (unsigned)THIRD_BUCKET_SLOTS, THIRD_SLOT_BITS))
      return false;
  }
  return passed_all_below(table, key_targets);
}

static uint64_t last_key_violations(const struct table *table) {
  uint64_t found = 0;
  for (unsigned i = 0; i < last_keys(&table->shape); i++) {
    const uint64_t slot = slot_load(iceberg_of(table)->view.last_key, i, THIRD_SLOT_BITS);
    const bool here = slot == LAST_KEY_HERE;
    if (here ? !passed_all_below(table, key_targets_of(table, ~(uint64_t)i))
             : slot != 0 && slot != dead_slot(table, THIRD_SLOT_BITS))
      found++;
  }
  return found;
}

typedef bool slot_valid(const struct table *table, uint64_t bucket, unsigned i, uint64_t slot);

static uint64_t violations(const struct table *table, const void *level, uint64_t buckets, unsigned slots,
                           unsigned bits, slot_valid *valid) {
  const uint64_t dead = dead_slot(table, bits);
  uint64_t found = 0;
  for (uint64_t b = 0; b < buckets; b++)
    for (unsigned i = 0; i < slots; i++) {
      uint64_t slot = slot_load(level, b * slots + i, bits);
      if (slot != 0)
        found += slot == dead ? i > 0 && slot_load(level, b * slots + i - 1, bits) == 0 : !valid(table, b, i, slot);
    }
  return found;
}

/* Packed slots never set the top bit of their word. */
static uint64_t stray_bits(const void *level, uint64_t slots, unsigned bits) {
  const uint64_t *words = level;
  uint64_t found = 0;
  for (uint64_t i = 0; bits == PACKED_BITS && i < slots / PACKED_IN_WORD; i++)
    found += shared_load64(&words[i]) >> 63;
  return found;
}

uint64_t iceberg_check(const struct table *table) {
  const struct table_shape *shape = &table->shape;
  const struct iceberg *view = &iceberg_of(table)->view;
  return stray_bits(view->first, shape->buckets * shape->bucket_slots, shape->slot_bits) +
         stray_bits(view->second, shape->second_buckets * shape->second_bucket_slots, shape->second_slot_bits) +
         violations(table, view->first, shape->buckets, shape->bucket_slots, shape->slot_bits, first_valid) +
         violations(table, view->second, shape->second_buckets, shape->second_bucket_slots, shape->second_slot_bits,
                    second_valid) +
         violations(table, view->third, view->third_buckets, THIRD_BUCKET_SLOTS, THIRD_SLOT_BITS, third_valid) +
         last_key_violations(table);
}
