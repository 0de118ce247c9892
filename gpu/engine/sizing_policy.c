#include "gpu/engine/sizing_policy.h"

#include "engine/sizing.h"
#include "tables/iceberg/iceberg_shape.h"

#include "gpu/kernel/base/control.h"

#include <math.h>

/* Parts of the limit: the first table; the largest table that grows fourfold; the least table for which bytes matter
   more than a compilation. */
#define FIRST_SHARE 16
#define LEAST_SHARE 1024 /* least size of a table for a known number of states */
#define SMALL_SHARE 64
#define LARGE_SHARE 8
#define MOST_FILLED 95      /* percent of the slots that a known number of states may take */
#define LEAST_REST_SHARE 16 /* left to the queue by a bitmap */

/* Expected states for which several devices with access to each other's memory are faster than one, including the time
   to open them: two were 1.2 to 1.7 times as fast, one finds 2 to 9 G states/s, and a device takes some tenths of a
   second to open (doc/results/devices.md). Devices without such access were not measured. */
#define MANY_STATES UINT64_C(4000000000)
#define MEMBER_SHARE 8 /* of the limit: outboxes and inbox of a member */

/* ---- the first table ------------------------------------------------------------------------- */

/* Other schemes have slots only. */
static bool has_buckets(const struct table_config *config) {
  return table_traits(config->scheme)->bucket_slots[0] != 0;
}

static bool plan_exactly(const struct table_config *requested, uint64_t slots, struct table_shape *shape) {
  struct table_config tried = *requested;
  struct table_shape made;
  tried.slots = slots;
  if (table_plan(&tried, &made) != FLOE_OK)
    return false;
  if (has_buckets(requested) && !gpu_table_fits(made.buckets, made.second_buckets))
    return false;
  *shape = made;
  return true;
}

/* The narrowest slots that hold the remainders (linear: the keys), in buckets of 64 or 128 bytes: one access at full
   speed, and large enough that few keys go to level 2. (table_plan alone minimises memory, with buckets of 16 bytes if
   necessary.) */
bool policy_table(const struct table_config *requested, uint64_t slots, struct table_config *config,
                  struct table_shape *shape) {
  static const struct { unsigned bits, bucket; } layouts[] = {{16, 32}, {21, 24}, {32, 32}, {64, 16}};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    struct table_config tried = *requested;
    if (requested->slot_bits && requested->slot_bits != layouts[i].bits)
      continue;
    tried.slot_bits = layouts[i].bits;
    if (has_buckets(requested) && !requested->bucket_slots)
      tried.bucket_slots = layouts[i].bucket;
    if (plan_exactly(&tried, slots, shape)) {
      *config = *requested;
      config->slots = slots;
      return true;
    }
  }
  return false;
}

/* Useful slots, at most: one for every key, and the free part of a table that does not grow and some more. */
static uint64_t slots_for_all(const struct table_config *requested) {
  const unsigned bits = requested->key_bits;
  const uint64_t parts = has_buckets(requested) ? 5 : 6; /* of 4 */
  return bits < 40 ? ((parts << bits) / 4) + 64 : SIZING_MOST_SLOTS;
}

static uint64_t at_least(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t at_most(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void shrink(const struct table_config *requested, uint64_t most_bytes, struct table_config *config,
                   struct table_shape *shape) {
  while (shape->bytes > most_bytes && config->slots > SIZING_LEAST_SLOTS)
    if (!policy_table(requested, config->slots / 2, config, shape))
      return;
}

/* The table with the most slots in `most_bytes`. Wider slots may take more bytes with fewer slots. */
static bool fill(const struct table_config *requested, uint64_t most_bytes, struct table_config *config,
                 struct table_shape *shape) {
  const uint64_t most = at_most(slots_for_all(requested), most_bytes / 2);
  bool found = false;
  for (uint64_t slots = SIZING_LEAST_SLOTS;; slots += slots / 4) {
    struct table_config tried;
    struct table_shape made;
    slots = at_most(slots, most);
    if (policy_table(requested, slots, &tried, &made) && made.bytes <= most_bytes) {
      *config = tried;
      *shape = made;
      found = true;
    }
    if (slots == most)
      return found;
  }
}

/* Factors by which a table for a known number of states is larger, if it takes no more than a part of the memory: in a
   full table, keys are looked up in three buckets. 10^9 states of peterson were found 1.13 and 1.16 times as fast
   with 1.5 and 2 times the slots, 1.4 * 10^9 of anderson 1.13 with 2 (doc/results/devices.md). */
static const struct roominess {
  double times;
  unsigned share; /* of the limit, at most */
} roomy[] = {{2, 4}, {1.5, 2}};

static void take_room(const struct table_config *requested, uint64_t limit, struct table_config *config,
                      struct table_shape *shape) {
  for (size_t i = 0; i < sizeof roomy / sizeof *roomy; i++) {
    const uint64_t slots = at_most((uint64_t)(roomy[i].times * (double)config->slots), slots_for_all(requested));
    struct table_config other;
    struct table_shape larger;
    if (!policy_table(requested, slots, &other, &larger) || larger.bytes > limit / roomy[i].share)
      continue;
    *config = other;
    *shape = larger;
    return;
  }
}

/* A table for a known number of states: it does not grow, and leaves the queue a quarter of the memory. At least a
   thousandth of the memory, which costs nothing, for slots as narrow as usual. */
static bool fit_expected(const struct table_config *requested, uint64_t states, uint64_t limit,
                         struct table_config *config, struct table_shape *shape) {
  const uint64_t most = limit / 4 * 3, least = limit / LEAST_SHARE;
  const double fill_wanted = table_fill(requested->scheme);
  const uint64_t slots = sizing_slots_for((double)states, INFINITY, fill_wanted, slots_for_all(requested));
  if (!policy_table(requested, slots, config, shape) || shape->bytes > most)
    return fill(requested, most, config, shape);
  struct table_config other;
  struct table_shape usual;
  if (shape->bytes < least && fill(requested, least, &other, &usual) && usual.slots > shape->slots) {
    *config = other;
    *shape = usual;
  } else {
    take_room(requested, limit, config, shape);
  }
  return true;
}

static uint64_t most_for_bitmap(uint64_t limit) { return limit - limit / LEAST_REST_SHARE; }

/* The size is determined by the keys. */
static floe_status plan_for_every_key(const struct table_config *requested, uint64_t limit, struct table_config *config,
                                      struct table_shape *shape) {
  *config = *requested;
  floe_status status = table_plan(config, shape);
  return status == FLOE_OK && shape->bytes > most_for_bitmap(limit) ? FLOE_ERROR_MEMORY : status;
}

bool policy_bitmap_of_all(const struct table_config *requested, uint64_t limit, struct table_config *config,
                          struct table_shape *shape) {
  return sizing_bitmap_plan(requested, config, shape) && shape->bytes <= limit / 4 * 3;
}

void policy_first_bitmap(bool expected, unsigned members, uint64_t limit, struct table_config *config,
                         struct table_shape *shape) {
  struct table_config bitmap;
  struct table_shape bits;
  if (!policy_bitmap_of_all(config, limit, &bitmap, &bits) ||
      !sizing_bitmap_first(bits.bytes, (sizing_is_share(config) ? 1 : members) * shape->bytes, expected, 2 * limit))
    return;
  *config = bitmap;
  *shape = bits;
}

floe_status policy_first_table(const struct table_config *requested, uint64_t expected, uint64_t limit,
                               struct table_config *config, struct table_shape *shape) {
  if (table_traits(requested->scheme)->every_key)
    return plan_for_every_key(requested, limit, config, shape);
  if (!requested->slots && expected && fit_expected(requested, expected, limit, config, shape))
    return FLOE_OK;
  if (!requested->slots && fill(requested, limit / FIRST_SHARE, config, shape))
    return FLOE_OK;
  /* None has less than 2 bytes a slot. */
  uint64_t slots = at_most(at_least(requested->slots, SIZING_LEAST_SLOTS), at_least(limit / 2, SIZING_LEAST_SLOTS));
  if (!sizing_find_layout(policy_table, requested, slots, config, shape))
    return FLOE_ERROR_USAGE;
  shrink(requested, limit / 2, config, shape);
  return shape->bytes <= limit / 2 ? FLOE_OK : FLOE_ERROR_MEMORY;
}

bool policy_holds(const struct table_config *requested, uint64_t states, uint64_t limit) {
  struct table_config config;
  struct table_shape shape;
  return !fit_expected(requested, states, limit, &config, &shape) || states <= shape.slots / 100 * MOST_FILLED;
}

/* ---- several devices ------------------------------------------------------------------------- */

/* Each of `count` devices holds its part of the states in a table, or of the keys in a bitmap. */
static bool each_holds(const struct policy_search *search, unsigned count, uint64_t limit) {
  struct table_config part = search->table, config;
  struct table_shape shape;
  const uint64_t states = sizing_part(search->expected, count);
  part.keys = sizing_part_of_keys(&part, count);
  if (table_traits(part.scheme)->every_key)
    return plan_for_every_key(&part, limit, &config, &shape) == FLOE_OK;
  return policy_holds(&search->table, states, limit) ||
         (search->any_table && policy_bitmap_of_all(&part, limit, &config, &shape));
}

bool policy_one_holds(const struct policy_search *search, uint64_t limit) { return each_holds(search, 1, limit); }

static bool all_hold(const struct policy_search *search, unsigned count, uint64_t limit) {
  return each_holds(search, count, limit - limit / MEMBER_SHARE);
}

/* For large searches: all members can have mailboxes for each other. */
static bool are_faster(const struct policy_search *search, unsigned count) {
  return search->linked && !search->multiword && search->table.key_bits < 64 && count <= GPU_MOST_LINKED;
}

unsigned policy_devices(const struct policy_search *search, unsigned count, uint64_t limit) {
  if (count < 2 || !search->expected || search->multiword)
    return 1;
  if (!policy_one_holds(search, limit))
    return all_hold(search, count, limit) ? count : 1;
  return are_faster(search, count) && search->expected >= MANY_STATES ? count : 1;
}

uint64_t policy_others_from(const struct policy_search *search, unsigned count) {
  return are_faster(search, count) ? MANY_STATES : UINT64_MAX;
}

bool policy_host_holds_more(unsigned count, uint64_t limit, uint64_t host) { return host / limit >= count - 1; }

/* ---- growth ---------------------------------------------------------------------------------- */

/* Keeps the width of level 2 even if it could be narrower: the kernels stay the same. */
static void keep_second_width(const struct table_shape *present, uint64_t most_bytes, struct table_shape *shape) {
  struct table_shape kept = *shape;
  if (shape->slot_bits != present->slot_bits || shape->bucket_slots != present->bucket_slots ||
      shape->second_slot_bits >= present->second_slot_bits)
    return;
  kept.second_slot_bits = present->second_slot_bits;
  kept.bytes = table_offsets(&kept).end;
  if (kept.bytes <= most_bytes)
    *shape = kept;
}

/* Uses narrower slots, and more of them, in the bytes that wider ones would take. */
static void use_narrower(const struct table_config *requested, uint64_t slots, struct table_config *config,
                         struct table_shape *shape) {
  struct table_config other;
  struct table_shape narrower;
  if (!policy_table(requested, slots, &other, &narrower) || narrower.slot_bits >= shape->slot_bits)
    return;
  const double more = 0.99 * (double)shape->bytes / (double)narrower.bytes;
  const uint64_t bytes = shape->bytes;
  *config = other;
  *shape = narrower;
  if (more > 1 && policy_table(requested, (uint64_t)(more * (double)slots), &other, &narrower) &&
      narrower.bytes <= bytes) {
    *config = other;
    *shape = narrower;
  }
}

static bool plan_larger(const struct policy_growth *growth, double factor, struct table_config *config,
                        struct table_shape *shape) {
  struct table_config kept = growth->config;
  const uint64_t slots = (uint64_t)(factor * (double)growth->shape.slots);
  const bool chosen = !growth->config.slot_bits;
  if (slots > SIZING_MOST_SLOTS)
    return false;
  kept.slot_bits = growth->shape.slot_bits;
  if (has_buckets(&kept))
    kept.bucket_slots = growth->shape.bucket_slots;
  if (!policy_table(&kept, slots, config, shape))
    return false;
  config->slot_bits = growth->config.slot_bits;
  config->bucket_slots = growth->config.bucket_slots;
  keep_second_width(&growth->shape, growth->limit / LARGE_SHARE, shape);
  if (chosen && shape->bytes > growth->limit / LARGE_SHARE)
    use_narrower(&growth->config, slots, config, shape);
  return sizing_is_larger(growth->shape.slots, shape->slots) && shape->bytes <= growth->left;
}

bool policy_larger_table(const struct policy_growth *growth, unsigned attempt, struct table_config *config,
                         struct table_shape *shape) {
  const struct sizing_growth numbers = {.slots = growth->shape.slots,
                                        .bytes = growth->shape.bytes,
                                        .small = growth->limit / SMALL_SHARE,
                                        .limit = growth->limit,
                                        .left = growth->left};
  double step;
  for (unsigned i = 0; (step = sizing_step(&sizing_device, &numbers, i)) > 0; i++)
    if (plan_larger(growth, step, config, shape) && attempt-- == 0)
      return true;
  return false;
}

bool policy_bitmap_instead(const struct policy_growth *growth, bool whatever_it_takes, struct table_config *config,
                           struct table_shape *shape) {
  struct table_config other, bitmap;
  struct table_shape larger, bits;
  if (!sizing_bitmap_plan(&growth->config, &bitmap, &bits) || bits.bytes > most_for_bitmap(growth->limit))
    return false;
  const bool grows = !whatever_it_takes && policy_larger_table(growth, 0, &other, &larger);
  if (!sizing_bitmap_instead(bits.bytes, grows ? larger.bytes : UINT64_MAX, growth->left))
    return false;
  *config = bitmap;
  *shape = bits;
  return true;
}

/* ---- the queue ------------------------------------------------------------------------------- */

/* Parts of the limit: the first queue; the largest one while the table may still need the memory. */
#define FIRST_QUEUE_SHARE 128
#define LARGEST_QUEUE_SHARE 4
#define LEAST_QUEUE ((uint64_t)1024)

static uint64_t power_up(uint64_t n) {
  uint64_t power = 1;
  while (power < n)
    power *= 2;
  return power;
}

uint64_t policy_first_queue(uint64_t slack, uint64_t limit) {
  const uint64_t word = sizeof(uint64_t);
  const uint64_t needed = at_least(power_up(4 * slack), LEAST_QUEUE);
  uint64_t words = power_up(limit / FIRST_QUEUE_SHARE / word / 2 + 1);
  words = at_least(words, needed);
  return words <= limit / LARGEST_QUEUE_SHARE / word ? words : 0;
}

/* The largest power of two that fits. */
static uint64_t power_down(uint64_t bytes) { return power_up(bytes / sizeof(uint64_t) / 2 + 1); }

uint64_t policy_lasting_queue(uint64_t slack, uint64_t limit, uint64_t left, uint64_t states) {
  const uint64_t word = sizeof(uint64_t), needed = at_least(power_up(4 * slack), LEAST_QUEUE);
  const uint64_t words = power_down(left);
  const bool grows_so_far = words + words / 2 <= left / word, may_be_wanted = states / 2 > words;
  if (left >= limit / LARGEST_QUEUE_SHARE && (grows_so_far || !may_be_wanted))
    return policy_first_queue(slack, limit);
  return words >= needed ? words : 0;
}

uint64_t policy_queue_of_all(uint64_t words, uint64_t slack, uint64_t left, uint64_t states) {
  const uint64_t all = power_up(states + slack);
  return states && all > words && all <= left / sizeof(uint64_t) ? all : words;
}

uint64_t policy_queue_instead(uint64_t words, uint64_t left) {
  const uint64_t most = power_down(left + words * sizeof(uint64_t));
  return most > words ? most : 0;
}

uint64_t policy_larger_queue(uint64_t words, uint64_t limit, uint64_t left, bool final) {
  const uint64_t bytes = 2 * words * sizeof(uint64_t);
  if (bytes > left || (!final && bytes > limit / LARGEST_QUEUE_SHARE))
    return 0;
  return 2 * words;
}

/* When the queue is full, most of the next level has been found, and little room is missing. So some unexpanded states
   are spilled, unless the current part is too small. */
struct policy_spill policy_spill(uint64_t words, uint64_t slack, uint64_t current, uint64_t next) {
  if (current < words / 4)
    return (struct policy_spill){.next = next};
  return (struct policy_spill){.current = at_most(current, at_least(words / 8, slack))};
}

uint64_t policy_segment(uint64_t words) { return at_most(words / 4, UINT64_C(1) << 23); }

bool policy_segment_has_room(uint64_t words, uint64_t segment, uint64_t next) {
  return next <= words - at_least(2 * segment, words / 8);
}
