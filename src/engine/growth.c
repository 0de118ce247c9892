/* The visited set's size over a run: first table, growth, and what the memory limit allows. */
#include "engine/rank.h"

#include "core/diag.h"
#include "step/layout.h"

#include <assert.h>
#include <math.h>

/* A first table that a tiny model does not feel; fast growth while tables are small. */
#define FIRST_SLOTS ((uint64_t)1 << 16)
#define LEAST_SLOTS ((uint64_t)256)
#define MOST_SLOTS ((uint64_t)1 << 44)
#define MOST_NARROW_BITS 40             /* keys that slots of 16 or 21 bits hold in tables of some million slots */
#define SMALL_TABLE ((uint64_t)8 << 20) /* bytes up to which a table grows fourfold */
#define SMALL_WIDE_TABLE ((uint64_t)64 << 20) /* the same for wide keys: slots of 64 bits */
#define EARLY_FILL 0.85                       /* of a small table of wide keys when it grows */
#define LEAST_STEP 1.25                       /* less is not worth moving all keys */
#define RESERVE 1.12                          /* of a table made for a predicted number of states */
#define MOVED_AT_ONCE ((uint64_t)1 << 20)     /* slots, between two looks at the clock: some hundredths of a second */
#define SOLO_STATES ((uint64_t)1 << 16)       /* below this waking the crew costs more than it brings */

static uint64_t table_bytes(const struct table *table) { return table_shape(table)->bytes; }

static bool has_wide_keys(const struct rank *rank) { return rank->config.key_bits > MOST_NARROW_BITS; }

/* Tables of wide slots hold few keys for their bytes: they stay small for longer. */
static bool is_small(const struct rank *rank, const struct table *table) {
  return table_bytes(table) <= (has_wide_keys(rank) ? SMALL_WIDE_TABLE : SMALL_TABLE);
}

/* The size is the user's wish, to be used up before the table grows. */
static bool is_size_given(const struct rank *rank) {
  return rank->search->task->options->initial_slots || rank->search->task->options->expected_states;
}

static double fill_of(const struct rank *rank) { return table_fill(rank->config.scheme); }

/* A small table of wide keys is left before most of its buckets are full and many keys take the way
   through level 2. */
static uint64_t grow_limit(const struct rank *rank, const struct table *table) {
  bool early = has_wide_keys(rank) && is_small(rank, table) && !is_size_given(rank);
  double fill = early ? fmin(EARLY_FILL, fill_of(rank)) : fill_of(rank);
  return (uint64_t)(fill * (double)table_shape(table)->slots);
}

/* Slots for so many states; never more than for all states that the ranges of the variables allow. */
static uint64_t slots_for(const struct rank *rank, double states) {
  double bound = layout_state_bound(rank->search->task->model);
  double slots = (states < bound ? states : bound) * 1.005 / fill_of(rank) + 64;
  return slots < (double)MOST_SLOTS ? (uint64_t)slots : MOST_SLOTS;
}

/* ---- the first table ------------------------------------------------------------------------- */

static uint64_t wanted_slots(const struct rank *rank) {
  const floe_options *options = rank->search->task->options;
  if (options->initial_slots)
    return options->initial_slots;
  if (options->expected_states)
    return slots_for(rank, (double)options->expected_states);
  return slots_for(rank, fill_of(rank) * (double)FIRST_SLOTS);
}

static bool is_for_expected(const struct rank *rank) {
  return rank->search->task->options->expected_states && !rank->search->task->options->initial_slots;
}

/* A table for the number of states expected is the last one: memory has to be left for the frontier
 * only. */
static uint64_t first_limit(struct rank *rank) {
  uint64_t room = budget_left(&rank->budget);
  return is_for_expected(rank) ? room / 4 * 3 : room / 2;
}

/* A forced slot width may need more buckets than wanted: the remainder has to fit. */
static bool find_layout(struct table_config *config, struct table_shape *shape) {
  for (; config->slots <= MOST_SLOTS; config->slots *= 2)
    if (table_plan(config, shape) == FLOE_OK)
      return true;
  return false;
}

/* A table for the number of states expected that does not fit is made for 0.6 of the memory, since
   it could not grow beside itself (the frontier has the rest); another one has room to grow. */
static uint64_t smaller_slots(const struct rank *rank, const struct table_shape *shape, uint64_t limit) {
  double slots = (double)rank->config.slots;
  double fitting = 0.8 * slots * (double)limit / (double)shape->bytes;
  return (uint64_t)(is_for_expected(rank) && fitting > slots / 2 ? fitting : slots / 2);
}

static floe_status plan_first(struct rank *rank) {
  struct table_shape shape;
  uint64_t limit = first_limit(rank);
  if (!find_layout(&rank->config, &shape)) {
    diag_error(rank->search->log, NULL, NOWHERE, NULL, "no \"%s\" table holds keys of %u bits with the slots asked for",
               rank->config.scheme, rank->config.key_bits);
    return FLOE_ERROR_USAGE;
  }
  while (shape.bytes > limit && rank->config.slots > LEAST_SLOTS) {
    struct table_config smaller = rank->config;
    smaller.slots = smaller_slots(rank, &shape, limit);
    if (table_plan(&smaller, &shape) != FLOE_OK)
      break;
    rank->config = smaller;
  }
  return table_plan(&rank->config, &shape);
}

static struct table *create_table(struct rank *rank, const struct table_config *config, floe_status *status) {
  struct table_shape shape;
  struct table *table = NULL;
  *status = table_plan(config, &shape);
  if (*status != FLOE_OK)
    return NULL;
  *status = FLOE_ERROR_MEMORY;
  if (!budget_take(&rank->budget, shape.bytes))
    return NULL;
  *status = table_create(config, &table);
  if (*status == FLOE_OK) {
    assert(table_bytes(table) == shape.bytes);
    return table;
  }
  budget_give(&rank->budget, shape.bytes);
  return NULL;
}

static void drop(struct rank *rank, struct table *table) {
  budget_give(&rank->budget, table_bytes(table));
  table_free(table);
}

void growth_drop_table(struct rank *rank) {
  if (rank->table)
    drop(rank, rank->table);
  rank->table = NULL;
}

floe_status growth_first_table(struct rank *rank) {
  const floe_options *options = rank->search->task->options;
  rank->config = (struct table_config){.scheme = options->table,
                                       .permutation = options->permutation,
                                       .key_bits = rank->search->task->layout->bits,
                                       .packed = true,
                                       .slot_bits = options->slot_bits,
                                       .bucket_slots = options->bucket_slots};
  rank->config.slots = wanted_slots(rank);
  if (!is_size_given(rank))
    rank->config.multiple_of = 64; /* so that unit_of finds halves again and again */
  FLOE_TRY(plan_first(rank));
  floe_status status;
  rank->table = create_table(rank, &rank->config, &status);
  if (!rank->table)
    return status;
  rank->grow_at = grow_limit(rank, rank->table);
  return FLOE_OK;
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* All of rank->move is relaxed: tickets only have to differ, the rest is read after the phase. */
static void move_parts(void *data, unsigned member) {
  struct rank *rank = data;
  const struct stop stop = rank->search->stop;
  (void)member;
  while (!atomic_load_explicit(&rank->move.stopped, memory_order_relaxed)) {
    unsigned part = atomic_fetch_add_explicit(&rank->move.ticket, 1, memory_order_relaxed);
    if (part >= rank->move.parts)
      break;
    uint64_t misplaced = table_rehash(rank->table, rank->larger, part, rank->move.parts);
    atomic_fetch_add_explicit(&rank->move.misplaced, misplaced, memory_order_relaxed);
    if (stop_wanted(&stop))
      atomic_store_explicit(&rank->move.stopped, true, memory_order_relaxed);
  }
}

bool growth_stopped(const struct rank *rank) { return atomic_load_explicit(&rank->move.stopped, memory_order_relaxed); }

static void move_together(struct rank *rank) {
  phases_enter(&rank->phases, PHASE_MOVING);
  crew_run(rank->crew, move_parts, rank);
  phases_enter(&rank->phases, PHASE_GROWING);
}

/* False when the larger table had no place for some key, or the run is to end: it is dropped, the old one has all keys.
 */
static bool move_keys(struct rank *rank) {
  rank->move.parts = (unsigned)(table_shape(rank->table)->slots / MOVED_AT_ONCE) + rank->worker_count;
  atomic_store_explicit(&rank->move.ticket, 0, memory_order_relaxed);
  atomic_store_explicit(&rank->move.misplaced, 0, memory_order_relaxed);
  if (rank_states(rank) < SOLO_STATES)
    move_parts(rank, 0);
  else
    move_together(rank);
  if (atomic_load_explicit(&rank->move.misplaced, memory_order_relaxed) == 0 && !growth_stopped(rank))
    return true;
  drop(rank, rank->larger);
  rank->larger = NULL;
  return false;
}

/* Every key has a slot at level 1. */
static bool holds_all(const struct table_shape *shape) {
  return shape->buckets > (UINT64_MAX >> (64 - shape->key_bits)) / shape->bucket_slots;
}

/* A table never has many more slots than there are keys: beyond that asking for more brings
 * nothing. */
static bool is_larger(const struct rank *rank, const struct table_config *config) {
  const struct table_shape *present = table_shape(rank->table);
  struct table_shape shape;
  return table_plan(config, &shape) == FLOE_OK &&
         (shape.slots > present->slots + present->slots / 8 || (holds_all(&shape) && !holds_all(present)));
}

/* With 3/2, 2, 5/2 ... times the buckets keys move to the larger table in few streams instead of at random
   (table/iceberg_move.c): 10 instead of 50 ns a key; with 13/8 it was 43. */
static uint64_t unit_of(uint64_t buckets) { return buckets % 2 ? buckets : buckets / 2; }

/* The table wanted: in a simple ratio to the present one where that is a larger one and there is memory for it. */
static struct table *create_larger(struct rank *rank, struct table_config *config) {
  struct table *table = NULL;
  floe_status status;
  config->multiple_of = unit_of(table_shape(rank->table)->buckets);
  if (is_larger(rank, config))
    table = create_table(rank, config, &status);
  config->multiple_of = 0;
  if (!table && is_larger(rank, config))
    table = create_table(rank, config, &status);
  return table;
}

static bool try_slots(struct rank *rank, uint64_t slots) {
  struct table_config config = rank->config;
  config.slots = slots;
  if (growth_stopped(rank))
    return false;
  rank->larger = create_larger(rank, &config);
  if (!rank->larger || !move_keys(rank))
    return false;
  drop(rank, rank->table);
  rank->table = rank->larger;
  rank->larger = NULL;
  rank->config = config;
  rank->grow_at = grow_limit(rank, rank->table);
  rank->growths++;
  return true;
}

/* ---- how large a step ------------------------------------------------------------------------ */

/* All states of the model, guessed from the sizes of the levels so far; 0: no guess. As the
   logarithm of a level's size mostly bends down evenly over a search, it is continued by the
   parabola through the sizes of three levels, a sixth of the search apart, so that the guess does
   not follow every ripple. */
static double predicted_states(const struct rank *rank) {
  const uint32_t last = rank->search->levels - 1, apart = last / 6 + 1;
  if (last < 2 * apart)
    return 0;
  const uint64_t *level = &rank->search->level_states[last];
  double size = log((double)level[0]), rise = size - log((double)*(level - apart));
  double rise_before = size - rise - log((double)*(level - 2 * apart));
  double bend = (rise - rise_before) / apart / apart, slope = rise / apart + bend * apart / 2;
  if (bend > 0)
    bend = 0;
  double states = (double)rank->search->expanded + (double)level[0], most = 100 * states;
  for (; size > 0 && states < most; slope += bend) {
    size += slope + bend / 2;
    states += exp(size);
    if (slope >= 0 && bend == 0)
      return 0;
  }
  return states;
}

/* The level in work is clearly smaller than the largest one: more than half of the states should be
 * known. */
static bool past_peak(const struct rank *rank) {
  uint64_t largest = 0;
  for (uint32_t i = 0; i < rank->search->levels; i++)
    if (rank->search->level_states[i] > largest)
      largest = rank->search->level_states[i];
  return (double)rank->frontier.states < 0.9 * (double)largest;
}

/* The factor by which the table is to grow: what the guess asks for where that is near, else the
   next of a series. Keys that need wide slots anyway get no guess: steps of 4, then 2, move keys
   fastest (bakery, 60 bits: 0.76 instead of 0.94 s; later, with 4 up to 64 instead of 8 MiB and
   EARLY_FILL, 0.56 instead of 0.72 s of user time). */
static double usual_step(const struct rank *rank) {
  if (has_wide_keys(rank))
    return is_small(rank, rank->table) ? 4 : 2;
  double slots = (double)table_shape(rank->table)->slots, states = predicted_states(rank);
  double series = is_small(rank, rank->table) ? 4 : past_peak(rank) ? 1.5 : 2;
  double step = (double)slots_for(rank, states > 0 ? RESERVE * states : INFINITY) / slots;
  return step < LEAST_STEP ? LEAST_STEP : step > 1.15 * series ? series : step;
}

/* Old and new table live side by side while keys move, so the usual steps would end with half of
   the memory unused. When a step leaves no room for another one, the frontier growing as the table
   does, it is made the last: as large as leaves room for that frontier. 0: not yet. */
static double last_step(struct rank *rank, double usual) {
  double table = (double)table_bytes(rank->table), frontier = (double)rank->pool.bytes;
  double left = (double)budget_left(&rank->budget);
  double after = left + table - usual * table - (usual - 1) * frontier;
  if (after >= LEAST_STEP * usual * table)
    return 0;
  double beside = 0.97 * left / table; /* the old one is still there */
  double with_frontier = (left + table + frontier) / (table + frontier);
  double step = beside < with_frontier ? beside : with_frontier;
  return step > LEAST_STEP ? step : 0;
}

/* Where the usual step does not fit the limit a smaller one may; one that fits but leaves keys over
   is followed by larger ones. */
static bool grow(struct rank *rank) {
  static const double smaller[] = {2, 1.75, 1.5, LEAST_STEP, 3, 6};
  double slots = (double)table_shape(rank->table)->slots;
  double usual = usual_step(rank);
  double last = last_step(rank, usual);
  if (try_slots(rank, (uint64_t)((last > 0 ? last : usual) * slots)))
    return true;
  for (size_t i = 0; i < sizeof smaller / sizeof *smaller; i++)
    if (try_slots(rank, (uint64_t)(smaller[i] * slots)))
      return true;
  rank->grow_at = UINT64_MAX; /* as far as this table goes */
  return false;
}

bool growth_grow(struct rank *rank) {
  enum phase before = phases_enter(&rank->phases, PHASE_GROWING);
  bool grown = grow(rank);
  phases_enter(&rank->phases, before);
  return grown;
}
