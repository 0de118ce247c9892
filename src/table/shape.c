/* Which layout a table gets: numbers of buckets, slot widths, bytes. */
#include "table/shape.h"

#include "table/kernel/iceberg.h"

#include <string.h>

/* Beyond any machine, and far enough from 2^64 that no size here overflows. */
#define MAX_BUCKETS (UINT64_C(1) << 48)

static uint64_t largest_key(unsigned key_bits) { return UINT64_MAX >> (64 - key_bits); }

/* Remainders of keys up to `largest` in `buckets` buckets fit in a slot with so many flag bits. */
static bool holds(unsigned slot_bits, unsigned flag_bits, uint64_t largest, uint64_t buckets) {
  return largest / buckets <= UINT64_MAX >> (64 - slot_bits + flag_bits);
}

/* The fewest buckets with which a slot holds the remainder. */
static uint64_t fewest_buckets(unsigned slot_bits, unsigned flag_bits, uint64_t largest) {
  return (largest >> (slot_bits - flag_bits)) + 1;
}

static unsigned smallest_slot(unsigned at_least, unsigned flag_bits, uint64_t largest,
                              uint64_t buckets) {
  unsigned bits = at_least;
  while (bits < 64 && !holds(bits, flag_bits, largest, buckets))
    bits *= 2;
  return bits;
}

/* Level 3 is a share of the bytes of the other levels: small buckets differ more in load, so more of their keys
   come here. Measured with 2^14 to 2^22 slots, the first key is refused at fill 0.97 with buckets of 32 slots
   (level 3 is 2.4 % of the bytes), 0.935 to 0.955 with 16 (6 %), 0.88 to 0.93 with 8 (11 %). */
static uint64_t third_share(unsigned bucket_slots) {
  return bucket_slots == 32 ? 40 : bucket_slots == 16 ? 16 : 8;
}

static uint64_t third_bytes(const struct table_shape *shape, uint64_t buckets) {
  uint64_t primary = buckets * shape->bucket_slots * (shape->slot_bits / 8);
  uint64_t secondary = buckets * shape->bucket_slots / 8 * (shape->second_slot_bits / 8);
  return (primary + secondary) / third_share(shape->bucket_slots);
}

static uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Fills in what follows from the number of primary buckets. */
static void complete(struct table_shape *shape, unsigned forced_bits, uint64_t buckets) {
  const uint64_t largest = largest_key(shape->key_bits);
  shape->buckets = buckets;
  shape->slot_bits =
      forced_bits ? forced_bits : smallest_slot(16, FIRST_FLAG_BITS, largest, buckets);
  shape->second_bucket_slots = shape->bucket_slots / 2;
  shape->second_buckets = max((buckets + 3) / 4, fewest_buckets(64, SECOND_FLAG_BITS, largest));
  shape->second_slot_bits =
      smallest_slot(shape->slot_bits, SECOND_FLAG_BITS, largest, shape->second_buckets);
  uint64_t line = THIRD_BUCKET_SLOTS * THIRD_SLOT_BITS / 8;
  shape->third_slots = max(third_bytes(shape, buckets) / line, 1) * THIRD_BUCKET_SLOTS;
}

/* The slot of the key 2^64 - 1, which level 3 cannot encode. */
static uint64_t extra_slots(unsigned key_bits) { return key_bits == 64; }

static uint64_t slots_of(const struct table_shape *shape) {
  return shape->buckets * shape->bucket_slots + shape->second_buckets * shape->second_bucket_slots +
         shape->third_slots + extra_slots(shape->key_bits);
}

/* The fewest primary buckets that give the slots wanted, but never more than what has a slot for every key: with
   2^M keys dealt evenly by p mod N that level 1 never overflows. */
static uint64_t choose_buckets(struct table_shape *shape, unsigned forced_bits, uint64_t slots) {
  const uint64_t largest = largest_key(shape->key_bits);
  uint64_t low = fewest_buckets(64, FIRST_FLAG_BITS, largest);
  uint64_t high = max(low, slots / shape->bucket_slots + 1);
  uint64_t all = largest / shape->bucket_slots + 1;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    complete(shape, forced_bits, middle);
    if (slots_of(shape) < slots)
      low = middle + 1;
    else
      high = middle;
  }
  return max(low < all ? low : all, fewest_buckets(64, FIRST_FLAG_BITS, largest));
}

/* More buckets may make the slots narrower, and so give more slots in no more bytes. */
static void narrow(struct table_shape *shape) {
  const uint64_t largest = largest_key(shape->key_bits);
  for (unsigned bits = 16; bits < shape->slot_bits; bits *= 2) {
    struct table_shape other = *shape;
    uint64_t buckets = fewest_buckets(bits, FIRST_FLAG_BITS, largest);
    if (buckets > 4 * shape->buckets)
      continue;
    complete(&other, 0, buckets);
    if (table_offsets(&other).end <= table_offsets(shape).end) {
      *shape = other;
      return;
    }
  }
}

static bool config_makes_sense(const struct table_config *config) {
  unsigned bits = config->slot_bits, slots = config->bucket_slots;
  return config->key_bits >= 1 && config->key_bits <= 64 &&
         (!config->scheme || strcmp(config->scheme, "iceberg") == 0) &&
         (bits == 0 || bits == 16 || bits == 32 || bits == 64) &&
         (slots == 0 || slots == 8 || slots == 16 || slots == 32);
}

static floe_status plan_buckets(const struct table_config *config, unsigned bucket_slots,
                                struct table_shape *out) {
  struct table_shape shape = {.key_bits = config->key_bits, .bucket_slots = bucket_slots};
  if (config->slots / shape.bucket_slots >= MAX_BUCKETS)
    return FLOE_ERROR_MEMORY;
  complete(&shape, config->slot_bits, choose_buckets(&shape, config->slot_bits, config->slots));
  if (!holds(shape.slot_bits, FIRST_FLAG_BITS, largest_key(shape.key_bits), shape.buckets))
    return FLOE_ERROR_USAGE;
  if (!config->slot_bits)
    narrow(&shape);
  shape.slots = slots_of(&shape);
  shape.bytes = table_offsets(&shape).end;
  *out = shape;
  return FLOE_OK;
}

/* Buckets of 32 slots fill best; with slots of 64 bits they are four cache lines, and 16 slots took a quarter less
   time (bakery, 8.2 million states of 60 bits). */
floe_status table_plan(const struct table_config *config, struct table_shape *out) {
  struct table_shape shape;
  if (!config_makes_sense(config))
    return FLOE_ERROR_USAGE;
  FLOE_TRY(plan_buckets(config, config->bucket_slots ? config->bucket_slots : 32, &shape));
  if (!config->bucket_slots && shape.slot_bits == 64)
    FLOE_TRY(plan_buckets(config, 16, &shape));
  *out = shape;
  return FLOE_OK;
}

static uint64_t whole_lines(uint64_t bytes) { return (bytes + 63) & ~UINT64_C(63); }

struct table_offsets table_offsets(const struct table_shape *shape) {
  struct table_offsets at;
  at.second = whole_lines(shape->buckets * shape->bucket_slots * (shape->slot_bits / 8));
  at.third = at.second + whole_lines(shape->second_buckets * shape->second_bucket_slots *
                                     (shape->second_slot_bits / 8));
  at.last_key = at.third + shape->third_slots * (THIRD_SLOT_BITS / 8);
  at.end = at.last_key + (extra_slots(shape->key_bits) ? 64 : 0);
  return at;
}
