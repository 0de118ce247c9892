/* The Robin Hood scheme on the host: layout, the concurrent operations in batches, and functions that decode the
   slots: iteration, counts, rehash, well-formedness. */
#include "tables/robin_hood/robin_hood.h"
#include "tables/host_table.h"
#include "tables/simd.h"
#include "tables/slot128.h"
#include "tables/slot_count.h"
#include "tables/visit_batch.h"

#include <assert.h>
#include <string.h>

static_assert((int)ROBIN_HOOD_REPLACE == TABLE_REPLACE && (int)ROBIN_HOOD_SUM == TABLE_SUM &&
                  (int)ROBIN_HOOD_MIN == TABLE_MIN && (int)ROBIN_HOOD_MAX == TABLE_MAX &&
                  (int)ROBIN_HOOD_USER == TABLE_USER_REDUCTION,
              "reductions have the same numbers");
static_assert((int)ROBIN_HOOD_FOUND == TABLE_FOUND && (int)ROBIN_HOOD_PUT == TABLE_PUT &&
                  (int)ROBIN_HOOD_FULL == TABLE_FULL,
              "answers have the same numbers");

/* ---- missing operations --------------------------------------------------------------------------- */

static const char *robin_hood_cannot(const struct table_config *config, enum table_operation operation) {
  if (operation == TABLE_FIND_OR_PUT)
    return "a key that another displaces is in no slot for a while, so whether it is new cannot be determined";
  if (operation == TABLE_DELETE)
    return "an emptied slot would hide the keys behind it, and other keys could take it too early";
  if (config->value_bits != 32 && config->value_bits != 64)
    return "the table is a map: it needs values of 32 or 64 bits";
  if (config->value_bits == 32 && config->key_bits > 32)
    return "values of 32 bits require keys of at most 32 bits";
  if (config->value_bits == 64 && !has_slot128_swap())
    return "a key and a value of 64 bits need a compare-and-swap of 128 bits, which this processor lacks";
  return NULL;
}

/* ---- layout ----------------------------------------------------------------------------------------- */

/* If a key fills its half of the slot, the permuted key of all ones is encoded as an empty slot: it has a slot of
   its own. */
static bool has_last_key(const struct table_shape *shape) { return shape->key_bits == shape->slot_bits / 2; }

static floe_status robin_hood_plan(const struct table_config *config, struct table_shape *out) {
  const unsigned slot_bits = 2 * config->value_bits;
  if (robin_hood_cannot(config, TABLE_ADD))
    return config->value_bits == 64 ? FLOE_ERROR_UNSUPPORTED : FLOE_ERROR_USAGE;
  if ((config->slot_bits && config->slot_bits != slot_bits) || config->bucket_slots > 1)
    return FLOE_ERROR_USAGE;
  if (config->slots > UINT64_MAX / 64)
    return FLOE_ERROR_MEMORY;
  struct table_shape shape = {.key_bits = config->key_bits,
                              .slot_bits = slot_bits,
                              .bucket_slots = 1,
                              .value_bits = config->value_bits,
                              .buckets = config->slots ? config->slots : 1};
  shape.slots = shape.buckets + has_last_key(&shape);
  shape.bytes = shape.slots * (slot_bits / 8);
  *out = shape;
  return FLOE_OK;
}

static floe_status robin_hood_open(const struct table_config *config, struct table *table) {
  if (config->reduction == TABLE_USER_REDUCTION && !config->reduce)
    return FLOE_ERROR_USAGE;
  if (!simd_choose(config->simd)) /* one form for all machines */
    return FLOE_ERROR_UNSUPPORTED;
  table->simd = "portable";
  struct robin_hood *view = (void *)table->state;
  return table_permutations(config, table, 1, &view->permutation);
}

static size_t robin_hood_place(const struct table *table, void *memory, void *out) {
  const uint64_t most = table->config.probes ? table->config.probes : ROBIN_HOOD_PROBES;
  struct robin_hood view = *robin_hood_of(table); /* the permutation */
  view.pairs = memory;
  view.homes = quotient_make(table->shape.buckets);
  view.probes = most < table->shape.buckets ? most : table->shape.buckets;
  assert(view.probes > 0 && view.probes <= table->shape.buckets);
  view.reduce = table->config.reduce;
  view.reduce_data = table->config.reduce_data;
  memcpy(out, &view, sizeof view);
  return sizeof view;
}

static void robin_hood_start_table(struct table *table) { robin_hood_place(table, table->memory, table->state); }

/* ---- batches: the home slots of a block are prefetched before the first lookup ------------------------ */

enum { KEY_BLOCK = 32 };

KERNEL_FN void prefetch_first_slots(const struct robin_hood *table, const struct robin_hood_hand *hand, unsigned bits) {
  KERNEL_PREFETCH((const char *)table->pairs + hand->at * (bits / 4));
}

KERNEL_FN size_t add_block(const struct table *owner, uint64_t *keys, uint64_t *values, unsigned n, uint8_t *answers,
                           unsigned bits) {
  const struct robin_hood *const table = robin_hood_of(owner);
  const unsigned reduction = owner->config.reduction;
  struct robin_hood_hand hands[KEY_BLOCK];
  size_t full = 0;
  for (unsigned i = 0; i < n; i++) {
    hands[i] = robin_hood_start(table, bits, keys[i], values[i]);
    prefetch_first_slots(table, &hands[i], bits);
  }
  for (unsigned i = 0; i < n; i++) {
    answers[i] = (uint8_t)robin_hood_add(table, &hands[i], bits, reduction);
    if (answers[i] != ROBIN_HOOD_FULL)
      continue;
    keys[i] = robin_hood_key(table, &hands[i]);
    values[i] = hands[i].pair.value;
    full++;
  }
  return full;
}

/* `values`: NULL, or receives those of the keys that are found. */
KERNEL_FN size_t find_block(const struct robin_hood *table, const uint64_t *keys, uint64_t *values, unsigned n,
                            uint8_t *answers, unsigned bits) {
  struct robin_hood_hand hands[KEY_BLOCK];
  size_t full = 0;
  for (unsigned i = 0; i < n; i++) {
    hands[i] = robin_hood_start(table, bits, keys[i], 0);
    prefetch_first_slots(table, &hands[i], bits);
  }
  for (unsigned i = 0; i < n; i++) {
    answers[i] = (uint8_t)robin_hood_find(table, &hands[i], bits);
    full += answers[i] == ROBIN_HOOD_FULL;
    if (values && answers[i] == ROBIN_HOOD_FOUND)
      values[i] = hands[i].pair.value;
  }
  return full;
}

static size_t add_narrow(const struct table *table, uint64_t *keys, uint64_t *values, unsigned n, uint8_t *answers) {
  return add_block(table, keys, values, n, answers, 32);
}

static size_t find_narrow(const struct table *table, uint64_t *keys, uint64_t *values, unsigned n, uint8_t *answers) {
  return find_block(robin_hood_of(table), keys, values, n, answers, 32);
}

#ifdef KERNEL_HAS_SLOT128
static size_t add_wide(const struct table *table, uint64_t *keys, uint64_t *values, unsigned n, uint8_t *answers) {
  return add_block(table, keys, values, n, answers, 64);
}

static size_t find_wide(const struct table *table, uint64_t *keys, uint64_t *values, unsigned n, uint8_t *answers) {
  return find_block(robin_hood_of(table), keys, values, n, answers, 64);
}
#else /* such tables cannot be created */
#define add_wide add_narrow
#define find_wide find_narrow
#endif

static size_t robin_hood_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values,
                             size_t n, uint8_t *answers) {
  const bool wide = table->shape.value_bits == 64;
  const bool adds = operation == TABLE_ADD || operation == TABLE_PUT_NEW;
  if (!adds && operation != TABLE_GET && operation != TABLE_FIND)
    return 0;
  if (operation == TABLE_FIND)
    values = NULL;
  size_t (*const block)(const struct table *, uint64_t *, uint64_t *, unsigned, uint8_t *) =
      adds ? (wide ? add_wide : add_narrow) : (wide ? find_wide : find_narrow);
  size_t full = 0;
  for (size_t at = 0; at < n; at += KEY_BLOCK)
    full += block(table, keys + at, values ? values + at : NULL,
                  n - at < KEY_BLOCK ? (unsigned)(n - at) : (unsigned)KEY_BLOCK, answers + at);
  return full;
}

/* ---- content ---------------------------------------------------------------------------------------- */

static struct pair pair_at(const struct table *table, uint64_t slot) {
  return pair_load(robin_hood_of(table)->pairs, slot, table->shape.slot_bits / 2);
}

/* The slot after the ordinary ones holds the last permuted key. */
static uint64_t permuted_at(const struct table *table, struct pair pair, uint64_t slot) {
  return slot < table->shape.buckets ? robin_hood_permuted(pair.key) : robin_hood_of(table)->permutation.mask;
}

struct pairs {
  void (*visit)(void *user, uint64_t *keys, uint64_t *values, size_t n);
  void *user;
  size_t n;
  uint64_t keys[VISIT_BATCH], values[VISIT_BATCH];
};

static void pairs_flush(struct pairs *pairs) {
  if (pairs->n)
    pairs->visit(pairs->user, pairs->keys, pairs->values, pairs->n);
  pairs->n = 0;
}

void robin_hood_each_pair(const struct table *table, unsigned part, unsigned parts,
                          void (*visit)(void *user, uint64_t *keys, uint64_t *values, size_t n), void *user) {
  const struct index_range slots = index_range_part(table->shape.slots, part, parts);
  struct pairs pairs = {.visit = visit, .user = user};
  for (uint64_t i = slots.begin; i < slots.end; i++) {
    const struct pair pair = pair_at(table, i);
    if (pair.key == 0)
      continue;
    const uint64_t permuted = permuted_at(table, pair, i);
    pairs.keys[pairs.n] = permutation_invert(&robin_hood_of(table)->permutation, permuted);
    pairs.values[pairs.n] = pair.value;
    if (++pairs.n == VISIT_BATCH)
      pairs_flush(&pairs);
  }
  pairs_flush(&pairs);
}

struct visitor {
  void (*visit)(void *user, const uint64_t *keys, size_t n);
  void *user;
};

static void visit_keys(void *user, uint64_t *keys, uint64_t *values, size_t n) {
  const struct visitor *visitor = user;
  (void)values;
  visitor->visit(visitor->user, keys, n);
}

static void robin_hood_each(const struct table *table, unsigned part, unsigned parts,
                            void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  struct visitor visitor = {visit, user};
  robin_hood_each_pair(table, part, parts, visit_keys, &visitor);
}

struct move {
  struct table *to;
  uint64_t full;
};

static void move_pairs(void *user, uint64_t *keys, uint64_t *values, size_t n) {
  struct move *move = user;
  uint8_t answers[VISIT_BATCH];
  move->full += table_run(move->to, TABLE_ADD, keys, values, n, answers);
}

static uint64_t robin_hood_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts) {
  struct move move = {.to = to};
  robin_hood_each_pair(from, part, parts, move_pairs, &move);
  return move.full;
}

static void robin_hood_stats(const struct table *table, struct table_stats *out) {
  struct table_stats stats = {.slots = table->shape.slots, .bytes = table->shape.bytes};
  const uint64_t buckets = table->shape.buckets, *pairs = robin_hood_of(table)->pairs;
  const uint64_t used = table->shape.value_bits == 64 ? count_pairs(pairs, buckets) : count_low_halves(pairs, buckets);
  stats.load_histogram[0] = buckets - used;
  stats.load_histogram[1] = stats.used = used;
  if (stats.slots > buckets)
    stats.used += pair_at(table, buckets).key != 0;
  stats.level_slots[0] = stats.slots;
  stats.level_used[0] = stats.used;
  *out = stats;
}

/* Number of bits of a distance, so that 0 has its own bin. */
static unsigned bin_of(uint64_t distance) {
  unsigned bin = 0;
  for (; distance && bin < ROBIN_HOOD_DISTANCES - 1; distance >>= 1)
    bin++;
  return bin;
}

void robin_hood_distances(const struct table *table, struct robin_hood_distances *out) {
  struct robin_hood_distances all = {.keys = 0};
  double sum = 0, squares = 0;
  for (uint64_t i = 0; i < table->shape.slots; i++) {
    const struct pair pair = pair_at(table, i);
    if (pair.key == 0)
      continue;
    uint64_t distance = 0;
    if (i < table->shape.buckets)
      distance = robin_hood_distance(robin_hood_of(table), pair.key, i);
    all.keys++;
    all.histogram[bin_of(distance)]++;
    all.largest = distance > all.largest ? distance : all.largest;
    sum += (double)distance;
    squares += (double)distance * (double)distance;
  }
  if (all.keys) {
    all.mean = sum / (double)all.keys;
    all.variance = squares / (double)all.keys - all.mean * all.mean;
  }
  *out = all;
}

static void table_distances_of(const struct table *table, struct table_distances *out) {
  struct robin_hood_distances found;
  static_assert((int)ROBIN_HOOD_DISTANCES <= (int)TABLE_DISTANCES, "all bins have room");
  robin_hood_distances(table, &found);
  *out = (struct table_distances){.keys = found.keys, .largest = found.largest, .mean = found.mean};
  memcpy(out->histogram, found.histogram, sizeof found.histogram);
}

/* ---- well-formedness -------------------------------------------------------------------------------- */

static bool is_same_key_before(const struct table *table, uint64_t stored, uint64_t at, uint64_t distance) {
  for (; distance; distance--) {
    at = at ? at - 1 : table->shape.buckets - 1;
    if (pair_at(table, at).key == stored)
      return true;
  }
  return false;
}

/* The slot before holds a pair that is at most one nearer to home; by induction all slots from this key's home on
   are closed to it. */
static bool is_in_order(const struct table *table, uint64_t at, uint64_t distance) {
  if (distance == 0)
    return true;
  const uint64_t before = at ? at - 1 : table->shape.buckets - 1;
  const struct pair pair = pair_at(table, before);
  return pair.key && robin_hood_distance(robin_hood_of(table), pair.key, before) + 1 >= distance;
}

static bool is_valid_slot(const struct table *table, uint64_t at) {
  const struct pair pair = pair_at(table, at);
  const struct robin_hood *view = robin_hood_of(table);
  if (pair.key == 0)
    return pair.value == 0;
  if (at == table->shape.buckets)
    return pair.key == 1;
  if (robin_hood_permuted(pair.key) > view->permutation.mask)
    return false;
  const uint64_t distance = robin_hood_distance(view, pair.key, at);
  return distance < view->probes && is_in_order(table, at, distance) &&
         !is_same_key_before(table, pair.key, at, distance);
}

static uint64_t robin_hood_check(const struct table *table) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < table->shape.slots; i++)
    wrong += !is_valid_slot(table, i);
  return wrong;
}

const struct table_scheme robin_hood_scheme = {
    .name = "robin-hood",
    .traits =
        {.description = "linear probing in which keys far from home displace others, for values that are reduced",
         .layouts =
             "values of 32 bits with keys of at most 32, or values of 64 bits; slots of key and value, without buckets",
         .slot_bits = {64, 128},
         .value_bits = {32, 64},
         .probes = true,
         .joins_halves = true},
    .state_bytes = sizeof(struct robin_hood),
    .fill = 0.9,
    .cannot = robin_hood_cannot,
    .plan = robin_hood_plan,
    .open = robin_hood_open,
    .place = robin_hood_place,
    .start = robin_hood_start_table,
    .run = robin_hood_run,
    .stats = robin_hood_stats,
    .each = robin_hood_each,
    .rehash = robin_hood_rehash,
    .check = robin_hood_check,
    .distances = table_distances_of};
