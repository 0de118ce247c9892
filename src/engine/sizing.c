#include "engine/sizing.h"

#include "tables/kernel/local_index.h"

#include <math.h>

#define MARGIN 1.005
#define PART_SPREAD 8 /* of a part: margin of the largest part over the mean */

bool sizing_plan_usual(const struct table_config *requested, uint64_t slots, struct table_config *config,
                       struct table_shape *shape) {
  struct table_config tried = *requested;
  struct table_shape made;
  tried.slots = slots;
  if (table_plan(&tried, &made) != FLOE_OK)
    return false;
  *config = tried;
  *shape = made;
  return true;
}

bool sizing_find_layout(sizing_planner *plan, const struct table_config *requested, uint64_t slots,
                        struct table_config *config, struct table_shape *shape) {
  for (; slots <= SIZING_MOST_SLOTS; slots *= 2)
    if (plan(requested, slots, config, shape))
      return true;
  return false;
}

uint64_t sizing_slots_for(double states, double bound, double fill, uint64_t most) {
  double slots = (states < bound ? states : bound) * MARGIN / fill + 64;
  return slots < (double)most ? (uint64_t)slots : most;
}

uint64_t sizing_part(uint64_t states, unsigned members) {
  if (states == 0 || members == 1)
    return states;
  const uint64_t part = states / members;
  return part + part / PART_SPREAD + 1;
}

uint64_t sizing_part_of_keys(const struct table_config *config, unsigned members) {
  const uint64_t keys = config->keys ? config->keys : config->key_bits < 64 ? UINT64_C(1) << config->key_bits : 0;
  return keys ? (keys - 1) / members + 1 : 0;
}

static bool is_too_large(const struct table_config *requested, uint64_t slots, uint64_t bytes) {
  struct table_config config;
  struct table_shape shape;
  return sizing_plan_usual(requested, slots, &config, &shape) && shape.bytes > bytes;
}

/* A small table may have no layout because its remainders are wider than its slots: it counts as too small, not as
   too large. */
bool sizing_largest(const struct table_config *requested, uint64_t bytes, struct table_config *config,
                    struct table_shape *shape) {
  uint64_t least = 1, most = bytes * 8 / requested->slot_bits + 1;
  const uint64_t useful = requested->key_bits < 60 ? UINT64_C(4) << requested->key_bits : UINT64_MAX;
  if (most > useful)
    most = useful;
  while (least < most) {
    const uint64_t middle = least + (most - least + 1) / 2;
    if (is_too_large(requested, middle, bytes))
      most = middle - 1;
    else
      least = middle;
  }
  return sizing_plan_usual(requested, least, config, shape) && shape->bytes <= bytes;
}

bool sizing_is_larger(uint64_t present, uint64_t slots) { return slots > present + present / 8; }

/* ---- the first table of the host ------------------------------------------------------------- */

/* The first table costs a tiny model nothing; tables grow fast while they are small. */
#define FIRST_SLOTS ((uint64_t)1 << 16)
#define MOST_NARROW_BITS 40
#define SMALL_TABLE ((uint64_t)8 << 20)
/* Wide slots hold few keys for their bytes: such tables count as small for longer. */
#define SMALL_WIDE_TABLE ((uint64_t)64 << 20)
#define EARLY_FILL 0.85 /* fill at which a small table of wide keys grows */

bool sizing_has_wide_keys(unsigned key_bits) { return key_bits > MOST_NARROW_BITS; }

uint64_t sizing_small(unsigned key_bits) { return sizing_has_wide_keys(key_bits) ? SMALL_WIDE_TABLE : SMALL_TABLE; }

bool sizing_is_given(const struct sizing_first *first) { return first->initial_slots || first->expected_states; }

static bool is_for_expected(const struct sizing_first *first) {
  return first->expected_states && !first->initial_slots;
}

static uint64_t requested_slots(const struct sizing_first *first) {
  const double fill = table_fill(first->requested.scheme);
  double states = fill * (double)FIRST_SLOTS;
  if (first->initial_slots)
    return first->initial_slots;
  if (first->expected_states)
    states = (double)first->expected_states;
  return sizing_slots_for(states, first->bound, fill, SIZING_MOST_SLOTS);
}

/* A table for the expected number of states is the last one: memory is reserved for the frontier only. */
static uint64_t first_limit(const struct sizing_first *first) {
  if (first->fits)
    return first->room;
  return is_for_expected(first) ? first->room / 4 * 3 : first->room / 2;
}

/* If the table for the expected number of states does not fit, it gets 0.6 of the memory, because it cannot grow
   (the frontier has the rest); another table has room to grow. */
static uint64_t smaller_slots(const struct sizing_first *first, uint64_t slots, uint64_t bytes) {
  const double half = (double)slots / 2, fitting = 0.8 * (double)slots * (double)first_limit(first) / (double)bytes;
  return (uint64_t)(is_for_expected(first) && fitting > half ? fitting : half);
}

floe_status sizing_first_table(const struct sizing_first *first, struct table_config *config,
                               struct table_shape *shape) {
  struct table_config requested = first->requested;
  if (!sizing_is_given(first))
    requested.multiple_of = 64; /* so that the number of buckets can be halved many times */
  if (!sizing_find_layout(sizing_plan_usual, &requested, requested_slots(first), config, shape))
    return FLOE_ERROR_USAGE;
  while (shape->bytes > first_limit(first) && config->slots > SIZING_LEAST_SLOTS)
    if (!sizing_plan_usual(&requested, smaller_slots(first, config->slots, shape->bytes), config, shape))
      break;
  return FLOE_OK;
}

/* A small table of wide keys grows before most of its buckets are full and many keys need level 2. */
uint64_t sizing_grow_at(const struct table_shape *shape, double fill, bool given) {
  const bool early = sizing_has_wide_keys(shape->key_bits) && shape->bytes <= SMALL_WIDE_TABLE && !given;
  return (uint64_t)((early ? fmin(EARLY_FILL, fill) : fill) * (double)shape->slots);
}

/* ---- a bitmap in place of a hash table ---------------------------------------------------------- */

/* The first bitmap in the registry; NULL: none. */
static const char *bitmap_scheme_name(void) {
  const char *const *scheme = table_schemes();
  while (*scheme && !table_traits(*scheme)->every_key)
    scheme++;
  return *scheme;
}

bool sizing_bitmap_plan(const struct table_config *hash, struct table_config *config, struct table_shape *shape) {
  const struct table_config tried = {.scheme = bitmap_scheme_name(),
                                     .key_bits = hash->key_bits,
                                     .keys = hash->keys,
                                     .local_index = hash->local_index,
                                     .member = hash->member,
                                     .value_bits = hash->value_bits,
                                     .simd = hash->simd};
  struct table_shape made;
  if (!tried.scheme || table_plan(&tried, &made) != FLOE_OK)
    return false;
  *config = tried;
  *shape = made;
  return true;
}

bool sizing_is_share(const struct table_config *config) { return config->local_index && config->local_index->members; }

double sizing_bytes_of_every_key(const struct table_config *config) {
  const double keys = config->keys ? (double)config->keys : ldexp(1, (int)config->key_bits);
  return ceil(keys / 8 / (sizing_is_share(config) ? config->local_index->members : 1));
}

const char *sizing_share_text(const struct table_config *config) {
  return sizing_is_share(config) ? ", distributed over all members," : "";
}

/* The frontier needs room as well. */
enum sizing_bitmap sizing_bitmap_first(uint64_t bitmap, uint64_t hash, bool expected, uint64_t room) {
  if (bitmap > room / 2 && bitmap > hash)
    return SIZING_NO_BITMAP;
  if (bitmap <= SIZING_TINY_BITMAP)
    return SIZING_BITMAP_TINY;
  if (bitmap <= hash)
    return SIZING_BITMAP_NO_LARGER;
  return expected && bitmap / 2 <= hash ? SIZING_BITMAP_FOR_EXPECTED : SIZING_NO_BITMAP;
}

bool sizing_bitmap_instead(uint64_t bitmap, uint64_t larger, uint64_t left) {
  return bitmap <= larger && bitmap <= left;
}

/* ---- the usual step -------------------------------------------------------------------------- */

#define RESERVE 1.12 /* of a table made for a predicted number of states */

/* Prediction: the logarithm of a level's size mostly curves down evenly during a search. A parabola through the
   sizes of three levels, a sixth of the search apart, continues it without following every ripple. */
double sizing_predicted_states(const struct sizing_levels *levels) {
  const uint32_t last = levels->count - 1, apart = last / 6 + 1;
  if (last < 2 * apart)
    return 0;
  const uint64_t *level = &levels->states[last];
  double size = log((double)level[0]), rise = size - log((double)*(level - apart));
  double rise_before = size - rise - log((double)*(level - 2 * apart));
  double bend = (rise - rise_before) / apart / apart, slope = rise / apart + bend * apart / 2;
  if (bend > 0)
    bend = 0;
  double states = (double)levels->expanded + (double)level[0], most = 100 * states;
  for (; size > 0 && states < most; slope += bend) {
    size += slope + bend / 2;
    states += exp(size);
    if (slope >= 0 && bend == 0)
      return 0;
  }
  return states;
}

/* The level is clearly smaller than the largest one: more than half of the states should be known. */
static bool past_peak(const struct sizing_levels *levels) {
  uint64_t largest = 0;
  for (uint32_t i = 0; i < levels->count; i++)
    if (levels->states[i] > largest)
      largest = levels->states[i];
  return levels->count && (double)levels->states[levels->count - 1] < 0.9 * (double)largest;
}

/* The predicted size if it is near, else the next of a series. */
static double usual_step(const struct sizing_growth *growth) {
  const double series = growth->bytes <= growth->small ? 4 : past_peak(&growth->levels) ? 1.5 : 2;
  if (growth->levels.count == 0)
    return series;
  const double predicted = sizing_predicted_states(&growth->levels);
  const double states = predicted > 0 ? RESERVE * predicted : INFINITY;
  const uint64_t slots = sizing_slots_for(states, growth->bound, growth->fill, SIZING_MOST_SLOTS);
  const double step = (double)slots / (double)growth->slots;
  return step < SIZING_LEAST_STEP ? SIZING_LEAST_STEP : step > 1.15 * series ? series : step;
}

/* ---- the last step --------------------------------------------------------------------------- */

/* Both tables exist while keys move, so that the usual steps would leave half of the memory unused. If a step leaves
   no room for another one (the frontier grows as the table does), it is the last: as large as leaves room for that
   frontier. */
static double last_beside_frontier(const struct sizing_growth *growth, double usual) {
  double table = (double)growth->bytes, frontier = (double)growth->frontier, left = (double)growth->left;
  double after = left + table - usual * table - (usual - 1) * frontier;
  if (after >= SIZING_LEAST_STEP * usual * table)
    return 0;
  double beside = 0.97 * left / table; /* the old table still exists */
  double with_frontier = (left + table + frontier) / (table + frontier);
  double step = beside < with_frontier ? beside : with_frontier;
  return step > SIZING_LEAST_STEP ? step : 0;
}

/* Fractions of a GPU's memory: the table size from which on a step is the last; the part reserved for the queue. */
#define LAST_SHARE 12
#define QUEUE_RESERVE 8

/* The largest last table comes from a small one, and on a GPU a large table is as fast. Beyond a twelfth of the
   memory the next step therefore takes everything but the reserve for the queue. */
static double last_beside_reserve(const struct sizing_growth *growth, double usual) {
  const double beside = (double)growth->left - (double)(growth->limit / QUEUE_RESERVE);
  (void)usual;
  return growth->bytes > growth->limit / LAST_SHARE ? beside / (double)growth->bytes : 0;
}

/* A table beside other shards may take its part, without counting the present one: if the usual step leaves no room
   for another one, it takes the whole part. */
static double last_of_share(const struct sizing_growth *growth, double usual) {
  const double share = (double)growth->left / (double)growth->bytes;
  return share < SIZING_LEAST_STEP * usual ? 0.98 * share : 0;
}

/* ---- all steps ------------------------------------------------------------------------------- */

/* If the usual step exceeds the limit, a smaller one may fit; if a step fits but refuses keys, larger ones follow. */
const struct sizing_machine sizing_host = {
    .last_step = last_beside_frontier, .of_last = {1}, .others = {2, 1.75, 1.5, SIZING_LEAST_STEP, 3, 6}};

/* GPU tables have exact layouts, so that larger ones do not help; the GPU may have less memory than it reported. */
const struct sizing_machine sizing_device = {.last_step = last_beside_reserve,
                                             .of_last = {1, 0.97, 0.75, 0.5},
                                             .usual_after_last = true,
                                             .others = {2, 1.75, 1.5, SIZING_LEAST_STEP}};

const struct sizing_machine sizing_partitions = {
    .last_step = last_of_share, .of_last = {1, 0.97, 0.9}, .others = {2, 1.75, 1.5, SIZING_LEAST_STEP, 3, 6}};

double sizing_step(const struct sizing_machine *machine, const struct sizing_growth *growth, unsigned attempt) {
  double steps[2 * SIZING_STEPS + 1];
  const double usual = usual_step(growth), last = machine->last_step(growth, usual);
  unsigned count = 0;
  for (unsigned i = 0; i < SIZING_STEPS && machine->of_last[i] > 0; i++)
    steps[count++] = machine->of_last[i] * last;
  if (machine->usual_after_last || !(last > 0))
    steps[count++] = usual;
  for (unsigned i = 0; i < SIZING_STEPS && machine->others[i] > 0; i++)
    steps[count++] = machine->others[i];
  for (unsigned i = 0; i < count; i++)
    if (steps[i] >= SIZING_LEAST_STEP && attempt-- == 0)
      return steps[i];
  return 0;
}
