/* Layout of an iceberg table: numbers of buckets, slot widths, bytes. */
#include "tables/iceberg/iceberg_shape.h"

#include "base/numbers.h"
#include "tables/iceberg/iceberg_forms.h"
#include "tables/iceberg/iceberg_overflow.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* More than any machine has, and far enough from 2^64 that no size here overflows. */
#define MAX_BUCKETS (UINT64_C(1) << 48)

/* An earlier, faster geometry of the list is kept unless a later one costs less by this factor. */
#define SPEED_PRICE 1.03

/* The fewest buckets with which all remainders are at most `largest_remainder`. */
static uint64_t fewest_buckets(const struct table_shape *shape, uint64_t largest_remainder) {
  return largest_key(shape->key_bits) / (largest_remainder + 1) + 1;
}

static uint64_t fewest_first(const struct table_shape *shape) {
  return fewest_buckets(shape, first_largest(shape->slot_bits) - shape->deletes);
}

static uint64_t fewest_second(const struct table_shape *shape) {
  return fewest_buckets(shape, second_largest(shape->second_slot_bits));
}

static uint64_t slots_of(const struct table_shape *shape) {
  return third_begin_of(shape) + shape->third_slots + last_keys(shape);
}

/* Level 3 has room for the expected keys when all requested slots are filled to TABLE_FILL, plus variation: it is
   below the root of the number of keys, and twice that is added. Level 3 fills to 0.8 before a probe sequence meets
   THIRD_PROBES full buckets (measured up to 240,000 keys there). */
static uint64_t third_slots(const struct table_shape *shape, uint64_t slots) {
  double keys = TABLE_FILL * (double)slots, all = ldexp(1, (int)shape->key_bits);
  if (keys > all)
    keys = all;
  double expected = overflow_expected(shape, keys) + 2 * sqrt(keys);
  return ((uint64_t)(expected / 0.8) / THIRD_BUCKET_SLOTS + 1) * THIRD_BUCKET_SLOTS;
}

/* Level 2 has 1/share of the slots of level 1: 1/8 in the paper. */
static void complete(struct table_shape *shape, uint64_t buckets, unsigned share, uint64_t slots) {
  shape->buckets = buckets;
  uint64_t second = buckets * shape->bucket_slots / share / shape->second_bucket_slots + 1;
  shape->second_buckets = greatest(second, fewest_second(shape));
  shape->third_slots = third_slots(shape, slots);
}

/* Enough slots, without too many keys at level 3, whose slots are the largest and slowest. */
static bool suffices(const struct table_shape *shape, uint64_t slots) {
  return slots_of(shape) >= slots && shape->third_slots <= greatest(slots / 8, 512);
}

/* Primary buckets that have a slot for every key. */
static uint64_t buckets_for_all(const struct table_shape *shape) {
  return largest_key(shape->key_bits) / shape->bucket_slots + 1;
}

/* The fewest primary buckets that give the requested slots (to some tenths of a percent), but at most one slot for
   every key: with all 2^M keys spread evenly by p mod N level 1 never overflows. */
static void choose_buckets(struct table_shape *shape, unsigned share, uint64_t slots) {
  const uint64_t fewest = fewest_first(shape);
  uint64_t high = greatest(least(slots / shape->bucket_slots + 1, buckets_for_all(shape)), fewest);
  uint64_t low = greatest(high / 2, fewest);
  while (high - low > high / 1024) {
    uint64_t middle = low + (high - low) / 2;
    complete(shape, middle, share, slots);
    if (suffices(shape, slots))
      high = middle;
    else
      low = middle + 1;
  }
  complete(shape, high, share, slots);
}

/* Rounds to buckets in a simple ratio to those of the growing table, if that number is near: keys then move in
   order. */
static void round_buckets(struct table_shape *shape, unsigned share, const struct table_config *config) {
  uint64_t unit = config->multiple_of;
  if (!unit || shape->buckets < unit)
    return;
  uint64_t near = (shape->buckets + unit / 2) / unit * unit;
  uint64_t away = near > shape->buckets ? near - shape->buckets : shape->buckets - near;
  if (near >= fewest_first(shape) && away <= shape->buckets / 12)
    complete(shape, near, share, config->slots);
}

/* ---- choosing a layout ---------------------------------------------------------------------------- */

static bool is_allowed(const struct table_config *config, const struct geometry *g) {
  bool packed = g->slot_bits == PACKED_BITS || g->second_slot_bits == PACKED_BITS;
  if (packed && !config->packed && config->slot_bits != PACKED_BITS)
    return false;
  if (!config->bucket_slots && g->slot_bits == 64 && g->bucket_slots > 16)
    return false;
  return (!config->slot_bits || config->slot_bits == g->slot_bits) &&
         (!config->second_slot_bits || config->second_slot_bits == g->second_slot_bits) &&
         (!config->bucket_slots || config->bucket_slots == g->bucket_slots);
}

static bool beyond(uint64_t fewest, uint64_t given) { return given && fewest > given; }

/* A forced slot width does not justify more slots than requested: then there is no layout. A chosen width may, if
   more slots are narrower and so take less memory. Given numbers of buckets are never exceeded. */
static bool is_too_wide(const struct table_config *config, const struct table_shape *shape) {
  const uint64_t first = fewest_first(shape), second = fewest_second(shape);
  if (first >= MAX_BUCKETS || second >= MAX_BUCKETS)
    return true;
  if (beyond(first, config->buckets) || beyond(second, config->second_buckets))
    return true;
  return (!config->buckets && config->slot_bits && first > config->slots / shape->bucket_slots + 1) ||
         (!config->buckets && !config->second_buckets && config->second_slot_bits &&
          second > config->slots / shape->second_bucket_slots + 1);
}

/* Memory, with a penalty for keys at level 2, which cost three cache lines each: a tenth if a third of the slots is
   there. (10 million keys of 40 bits: 32 M/s put with 29 % of the slots at level 2, 41 M/s with 11 %.) */
static double cost(const struct table_shape *shape) {
  double second = (double)shape->second_buckets * shape->second_bucket_slots / (double)shape->slots;
  return (double)shape->bytes * (1 + second * second);
}

/* A lower bound of the cost, without the search for the number of buckets. */
static double least_cost(const struct table_shape *shape, unsigned share, uint64_t slots) {
  double second = 1.0 / (share + 1);
  uint64_t fewest = fewest_first(shape) * shape->bucket_slots + fewest_second(shape) * shape->second_bucket_slots;
  uint64_t made = greatest(least(slots, buckets_for_all(shape) * shape->bucket_slots), fewest);
  uint64_t bits = least(shape->slot_bits, shape->second_slot_bits);
  return (double)made * (double)bits / 8 * (1 + second * second);
}

static uint64_t whole_lines(uint64_t bytes) { return (bytes + 63) & ~UINT64_C(63); }

static void place_values(const struct table_config *config, struct table_shape *shape) {
  shape->slots = slots_of(shape);
  const struct table_offsets at = table_offsets(shape);
  shape->values_at = shape->value_bits ? at.values : 0;
  shape->bytes = at.end;
  if (shape->value_bits && config->reduction == TABLE_USER_REDUCTION)
    shape->bytes += whole_lines(shape->slots);
}

/* Given numbers of buckets replace the chosen ones. */
static void force_buckets(const struct table_config *config, unsigned share, struct table_shape *shape) {
  if (config->buckets)
    complete(shape, config->buckets, share, config->slots);
  if (config->second_buckets)
    shape->second_buckets = config->second_buckets;
  if (config->buckets || config->second_buckets)
    shape->third_slots = third_slots(shape, config->slots ? config->slots : third_begin_of(shape));
}

static void consider(const struct table_config *config, const struct geometry *g, unsigned share,
                     struct table_shape *best) {
  struct table_shape shape = {.key_bits = config->key_bits,
                              .slot_bits = g->slot_bits,
                              .bucket_slots = g->bucket_slots,
                              .second_slot_bits = g->second_slot_bits,
                              .second_bucket_slots = g->second_bucket_slots,
                              .value_bits = config->value_bits,
                              .deletes = config->deletes};
  if (is_too_wide(config, &shape) || (best->bytes && !config->buckets && !config->second_buckets &&
                                      least_cost(&shape, share, config->slots) * SPEED_PRICE >= cost(best)))
    return;
  choose_buckets(&shape, share, greatest(config->slots, 1));
  round_buckets(&shape, share, config);
  force_buckets(config, share, &shape);
  place_values(config, &shape);
  if (!best->bytes || cost(&shape) * SPEED_PRICE < cost(best))
    *best = shape;
}

floe_status iceberg_plan(const struct table_config *config, struct table_shape *out) {
  static const struct geometry geometries[] = {
#define GEOMETRY(SLOT, BUCKET, SECOND, SECOND_BUCKET) {SLOT, BUCKET, SECOND, SECOND_BUCKET},
      ICEBERG_INSTANCES(GEOMETRY)};
  struct table_shape best = {.bytes = 0};
  if (config->slots / 8 >= MAX_BUCKETS || config->buckets >= MAX_BUCKETS || config->second_buckets >= MAX_BUCKETS)
    return FLOE_ERROR_MEMORY;
  if (config->value_bits != 0 && config->value_bits != 32 && config->value_bits != 64)
    return FLOE_ERROR_USAGE;
  if (config->value_bits && config->reduction == TABLE_USER_REDUCTION && !config->reduce)
    return FLOE_ERROR_USAGE;
  for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++)
    if (is_allowed(config, &geometries[i]))
      for (unsigned share = 8; share >= 4; share /= 2)
        consider(config, &geometries[i], share, &best);
  if (!best.bytes)
    return FLOE_ERROR_USAGE;
  assert(best.buckets >= fewest_first(&best) && best.second_buckets >= fewest_second(&best)); /* remainders fit */
  assert(best.third_slots > 0 && best.third_slots % THIRD_BUCKET_SLOTS == 0 && best.bytes % 64 == 0);
  *out = best;
  return FLOE_OK;
}

/* ---- offsets of the levels ------------------------------------------------------------------------ */

struct table_offsets table_offsets(const struct table_shape *shape) {
  struct table_offsets at;
  at.second = whole_lines(slot_bytes(shape->buckets * shape->bucket_slots, shape->slot_bits));
  at.third =
      at.second + whole_lines(slot_bytes(shape->second_buckets * shape->second_bucket_slots, shape->second_slot_bits));
  at.last_key = at.third + shape->third_slots * (THIRD_SLOT_BITS / 8);
  at.values = at.last_key + (last_keys(shape) ? 64 : 0);
  at.end = at.values + whole_lines(shape->slots * (shape->value_bits / 8));
  return at;
}
