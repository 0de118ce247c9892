/* The visited set's size over a run: first table, growth, and what the memory limit allows. */
#include "engine/run.h"

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

static bool has_wide_keys(const struct run *run) { return run->config.key_bits > MOST_NARROW_BITS; }

/* Tables of wide slots hold few keys for their bytes: they stay small for longer. */
static bool is_small(const struct run *run, const struct table *table) {
  return table_bytes(table) <= (has_wide_keys(run) ? SMALL_WIDE_TABLE : SMALL_TABLE);
}

/* The size is the user's wish, to be used up before the table grows. */
static bool is_size_given(const struct run *run) {
  return run->task->options->initial_slots || run->task->options->expected_states;
}

static double fill_of(const struct run *run) { return table_fill(run->config.scheme); }

/* A small table of wide keys is left before most of its buckets are full and many keys take the way
   through level 2. */
static uint64_t grow_limit(const struct run *run, const struct table *table) {
  bool early = has_wide_keys(run) && is_small(run, table) && !is_size_given(run);
  double fill = early ? fmin(EARLY_FILL, fill_of(run)) : fill_of(run);
  return (uint64_t)(fill * (double)table_shape(table)->slots);
}

/* Slots for so many states; never more than for all states that the ranges of the variables allow. */
static uint64_t slots_for(const struct run *run, double states) {
  double bound = layout_state_bound(run->task->model);
  double slots = (states < bound ? states : bound) * 1.005 / fill_of(run) + 64;
  return slots < (double)MOST_SLOTS ? (uint64_t)slots : MOST_SLOTS;
}

/* ---- the first table ------------------------------------------------------------------------- */

static uint64_t wanted_slots(const struct run *run) {
  const floe_options *options = run->task->options;
  if (options->initial_slots)
    return options->initial_slots;
  if (options->expected_states)
    return slots_for(run, (double)options->expected_states);
  return slots_for(run, fill_of(run) * (double)FIRST_SLOTS);
}

static bool is_for_expected(const struct run *run) {
  return run->task->options->expected_states && !run->task->options->initial_slots;
}

/* A table for the number of states expected is the last one: memory has to be left for the frontier
 * only. */
static uint64_t first_limit(struct run *run) {
  uint64_t room = budget_left(&run->budget);
  return is_for_expected(run) ? room / 4 * 3 : room / 2;
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
static uint64_t smaller_slots(const struct run *run, const struct table_shape *shape, uint64_t limit) {
  double slots = (double)run->config.slots;
  double fitting = 0.8 * slots * (double)limit / (double)shape->bytes;
  return (uint64_t)(is_for_expected(run) && fitting > slots / 2 ? fitting : slots / 2);
}

static floe_status plan_first(struct run *run) {
  struct table_shape shape;
  uint64_t limit = first_limit(run);
  if (!find_layout(&run->config, &shape)) {
    diag_error(run->log, NULL, NOWHERE, NULL, "no \"%s\" table holds keys of %u bits with the slots asked for",
               run->config.scheme, run->config.key_bits);
    return FLOE_ERROR_USAGE;
  }
  while (shape.bytes > limit && run->config.slots > LEAST_SLOTS) {
    struct table_config smaller = run->config;
    smaller.slots = smaller_slots(run, &shape, limit);
    if (table_plan(&smaller, &shape) != FLOE_OK)
      break;
    run->config = smaller;
  }
  return table_plan(&run->config, &shape);
}

static struct table *create_table(struct run *run, const struct table_config *config, floe_status *status) {
  struct table_shape shape;
  struct table *table = NULL;
  *status = table_plan(config, &shape);
  if (*status != FLOE_OK)
    return NULL;
  *status = FLOE_ERROR_MEMORY;
  if (!budget_take(&run->budget, shape.bytes))
    return NULL;
  *status = table_create(config, &table);
  if (*status == FLOE_OK) {
    assert(table_bytes(table) == shape.bytes);
    return table;
  }
  budget_give(&run->budget, shape.bytes);
  return NULL;
}

static void drop(struct run *run, struct table *table) {
  budget_give(&run->budget, table_bytes(table));
  table_free(table);
}

void growth_drop_table(struct run *run) {
  if (run->table)
    drop(run, run->table);
  run->table = NULL;
}

floe_status growth_first_table(struct run *run) {
  const floe_options *options = run->task->options;
  run->config = (struct table_config){.scheme = options->table,
                                      .permutation = options->permutation,
                                      .key_bits = run->task->layout->bits,
                                      .packed = true,
                                      .slot_bits = options->slot_bits,
                                      .bucket_slots = options->bucket_slots};
  run->config.slots = wanted_slots(run);
  if (!is_size_given(run))
    run->config.multiple_of = 64; /* so that unit_of finds halves again and again */
  FLOE_TRY(plan_first(run));
  floe_status status;
  run->table = create_table(run, &run->config, &status);
  if (!run->table)
    return status;
  run->grow_at = grow_limit(run, run->table);
  return FLOE_OK;
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* All of run->move is relaxed: tickets only have to differ, the rest is read after the phase. */
static void move_parts(void *data, unsigned member) {
  struct run *run = data;
  const struct stop stop = engine_stop(run->task);
  (void)member;
  while (!atomic_load_explicit(&run->move.stopped, memory_order_relaxed)) {
    unsigned part = atomic_fetch_add_explicit(&run->move.ticket, 1, memory_order_relaxed);
    if (part >= run->move.parts)
      break;
    uint64_t misplaced = table_rehash(run->table, run->larger, part, run->move.parts);
    atomic_fetch_add_explicit(&run->move.misplaced, misplaced, memory_order_relaxed);
    if (stop_wanted(&stop))
      atomic_store_explicit(&run->move.stopped, true, memory_order_relaxed);
  }
}

bool growth_stopped(const struct run *run) { return atomic_load_explicit(&run->move.stopped, memory_order_relaxed); }

static void move_together(struct run *run) {
  phases_enter(&run->phases, PHASE_MOVING);
  crew_run(run->crew, move_parts, run);
  phases_enter(&run->phases, PHASE_GROWING);
}

/* False when the larger table had no place for some key, or the run is to end: it is dropped, the old one has all keys.
 */
static bool move_keys(struct run *run) {
  run->move.parts = (unsigned)(table_shape(run->table)->slots / MOVED_AT_ONCE) + run->worker_count;
  atomic_store_explicit(&run->move.ticket, 0, memory_order_relaxed);
  atomic_store_explicit(&run->move.misplaced, 0, memory_order_relaxed);
  if (run_states(run) < SOLO_STATES)
    move_parts(run, 0);
  else
    move_together(run);
  if (atomic_load_explicit(&run->move.misplaced, memory_order_relaxed) == 0 && !growth_stopped(run))
    return true;
  drop(run, run->larger);
  run->larger = NULL;
  return false;
}

/* Every key has a slot at level 1. */
static bool holds_all(const struct table_shape *shape) {
  return shape->buckets > (UINT64_MAX >> (64 - shape->key_bits)) / shape->bucket_slots;
}

/* A table never has many more slots than there are keys: beyond that asking for more brings
 * nothing. */
static bool is_larger(const struct run *run, const struct table_config *config) {
  const struct table_shape *present = table_shape(run->table);
  struct table_shape shape;
  return table_plan(config, &shape) == FLOE_OK &&
         (shape.slots > present->slots + present->slots / 8 || (holds_all(&shape) && !holds_all(present)));
}

/* With 3/2, 2, 5/2 ... times the buckets keys move to the larger table in few streams instead of at random
   (table/iceberg_move.c): 10 instead of 50 ns a key; with 13/8 it was 43. */
static uint64_t unit_of(uint64_t buckets) { return buckets % 2 ? buckets : buckets / 2; }

/* The table wanted: in a simple ratio to the present one where that is a larger one and there is memory for it. */
static struct table *create_larger(struct run *run, struct table_config *config) {
  struct table *table = NULL;
  floe_status status;
  config->multiple_of = unit_of(table_shape(run->table)->buckets);
  if (is_larger(run, config))
    table = create_table(run, config, &status);
  config->multiple_of = 0;
  if (!table && is_larger(run, config))
    table = create_table(run, config, &status);
  return table;
}

static bool try_slots(struct run *run, uint64_t slots) {
  struct table_config config = run->config;
  config.slots = slots;
  if (growth_stopped(run))
    return false;
  run->larger = create_larger(run, &config);
  if (!run->larger || !move_keys(run))
    return false;
  drop(run, run->table);
  run->table = run->larger;
  run->larger = NULL;
  run->config = config;
  run->grow_at = grow_limit(run, run->table);
  run->growths++;
  return true;
}

/* ---- how large a step ------------------------------------------------------------------------ */

/* All states of the model, guessed from the sizes of the levels so far; 0: no guess. As the
   logarithm of a level's size mostly bends down evenly over a search, it is continued by the
   parabola through the sizes of three levels, a sixth of the search apart, so that the guess does
   not follow every ripple. */
static double predicted_states(const struct run *run) {
  const uint32_t last = run->levels - 1, apart = last / 6 + 1;
  if (last < 2 * apart)
    return 0;
  const uint64_t *level = &run->level_states[last];
  double size = log((double)level[0]), rise = size - log((double)*(level - apart));
  double rise_before = size - rise - log((double)*(level - 2 * apart));
  double bend = (rise - rise_before) / apart / apart, slope = rise / apart + bend * apart / 2;
  if (bend > 0)
    bend = 0;
  double states = (double)run->expanded + (double)level[0], most = 100 * states;
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
static bool past_peak(const struct run *run) {
  uint64_t largest = 0;
  for (uint32_t i = 0; i < run->levels; i++)
    if (run->level_states[i] > largest)
      largest = run->level_states[i];
  return (double)run->frontier.states < 0.9 * (double)largest;
}

/* The factor by which the table is to grow: what the guess asks for where that is near, else the
   next of a series. Keys that need wide slots anyway get no guess: steps of 4, then 2, move keys
   fastest (bakery, 60 bits: 0.76 instead of 0.94 s; later, with 4 up to 64 instead of 8 MiB and
   EARLY_FILL, 0.56 instead of 0.72 s of user time). */
static double usual_step(const struct run *run) {
  if (has_wide_keys(run))
    return is_small(run, run->table) ? 4 : 2;
  double slots = (double)table_shape(run->table)->slots, states = predicted_states(run);
  double series = is_small(run, run->table) ? 4 : past_peak(run) ? 1.5 : 2;
  double step = (double)slots_for(run, states > 0 ? RESERVE * states : INFINITY) / slots;
  return step < LEAST_STEP ? LEAST_STEP : step > 1.15 * series ? series : step;
}

/* Old and new table live side by side while keys move, so the usual steps would end with half of
   the memory unused. When a step leaves no room for another one, the frontier growing as the table
   does, it is made the last: as large as leaves room for that frontier. 0: not yet. */
static double last_step(struct run *run, double usual) {
  double table = (double)table_bytes(run->table), frontier = (double)run->pool.bytes;
  double left = (double)budget_left(&run->budget);
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
static bool grow(struct run *run) {
  static const double smaller[] = {2, 1.75, 1.5, LEAST_STEP, 3, 6};
  double slots = (double)table_shape(run->table)->slots;
  double usual = usual_step(run);
  double last = last_step(run, usual);
  if (try_slots(run, (uint64_t)((last > 0 ? last : usual) * slots)))
    return true;
  for (size_t i = 0; i < sizeof smaller / sizeof *smaller; i++)
    if (try_slots(run, (uint64_t)(smaller[i] * slots)))
      return true;
  run->grow_at = UINT64_MAX; /* as far as this table goes */
  return false;
}

bool growth_grow(struct run *run) {
  enum phase before = phases_enter(&run->phases, PHASE_GROWING);
  bool grown = grow(run);
  phases_enter(&run->phases, before);
  return grown;
}
