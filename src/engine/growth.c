/* The visited set's size over a run: first table, growth, and what the memory limit allows. */
#include "engine/run.h"

#include "core/diag.h"
#include "step/layout.h"

#include <assert.h>

/* A first table that a tiny model does not feel; fast growth while tables are small. */
#define FIRST_SLOTS ((uint64_t)1 << 16)
#define LEAST_SLOTS ((uint64_t)256)
#define MOST_SLOTS ((uint64_t)1 << 44)
#define SMALL_TABLE ((uint64_t)8 << 20) /* bytes up to which a table grows fourfold */
#define LEAST_STEP 1.25                 /* less is not worth moving all keys */
#define RESERVE 1.08                    /* of a table made for a predicted number of states */
#define SOLO_STATES ((uint64_t)1 << 16) /* below this waking the crew costs more than it brings */

static uint64_t table_bytes(const struct table *table) { return table_shape(table)->bytes; }

static uint64_t grow_limit(const struct table *table) {
  return (uint64_t)(TABLE_FILL * (double)table_shape(table)->slots);
}

/* Slots for so many states; never more than for all states that the ranges of the variables allow. */
static uint64_t slots_for(const struct run *run, double states) {
  double bound = layout_state_bound(run->task->model);
  double slots = (states < bound ? states : bound) * 1.005 / TABLE_FILL + 64;
  return slots < (double)MOST_SLOTS ? (uint64_t)slots : MOST_SLOTS;
}

/* ---- the first table ---------------------------------------------------------------------------
 */

static uint64_t wanted_slots(const struct run *run) {
  const floe_options *options = run->task->options;
  if (options->initial_slots)
    return options->initial_slots;
  if (options->expected_states)
    return slots_for(run, (double)options->expected_states);
  return slots_for(run, TABLE_FILL * (double)FIRST_SLOTS);
}

/* A table for the number of states expected is the last one: memory has to be left for the frontier only. */
static uint64_t first_limit(struct run *run) {
  uint64_t room = budget_left(&run->budget);
  return run->task->options->expected_states ? room / 4 * 3 : room / 2;
}

/* A forced slot width may need more buckets than wanted: the remainder has to fit. */
static bool find_layout(struct table_config *config, struct table_shape *shape) {
  for (; config->slots <= MOST_SLOTS; config->slots *= 2)
    if (table_plan(config, shape) == FLOE_OK)
      return true;
  return false;
}

static floe_status plan_first(struct run *run) {
  struct table_shape shape;
  uint64_t limit = first_limit(run);
  if (!find_layout(&run->config, &shape)) {
    diag_error(run->log, NULL, NOWHERE, NULL,
               "no \"%s\" table holds keys of %u bits with the slots asked for", run->config.scheme,
               run->config.key_bits);
    return FLOE_ERROR_USAGE;
  }
  while (shape.bytes > limit && run->config.slots > LEAST_SLOTS) {
    struct table_config smaller = run->config;
    smaller.slots /= 2;
    if (table_plan(&smaller, &shape) != FLOE_OK)
      break;
    run->config = smaller;
  }
  return table_plan(&run->config, &shape);
}

static struct table *create_table(struct run *run, const struct table_config *config,
                                  floe_status *status) {
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
  FLOE_TRY(plan_first(run));
  floe_status status;
  run->table = create_table(run, &run->config, &status);
  if (!run->table)
    return status;
  run->grow_at = grow_limit(run->table);
  return FLOE_OK;
}

/* ---- growth ------------------------------------------------------------------------------------
 */

static void move_part(void *data, unsigned member) {
  struct run *run = data;
  uint64_t misplaced = table_rehash(run->table, run->larger, member, run->worker_count);
  /* Relaxed: read after the phase. */
  atomic_fetch_add_explicit(&run->misplaced, misplaced, memory_order_relaxed);
}

static void move_alone(struct run *run) {
  atomic_store_explicit(&run->misplaced, table_rehash(run->table, run->larger, 0, 1),
                        memory_order_relaxed);
}

/* False when the larger table had no place for some key: it is dropped, the old one has them all.
 */
static bool move_keys(struct run *run) {
  atomic_store_explicit(&run->misplaced, 0, memory_order_relaxed);
  if (run_states(run) < SOLO_STATES)
    move_alone(run);
  else
    crew_run(run->crew, move_part, run);
  if (atomic_load_explicit(&run->misplaced, memory_order_relaxed) == 0)
    return true;
  drop(run, run->larger);
  run->larger = NULL;
  return false;
}

/* A table never has many more slots than there are keys: beyond that asking for more brings
 * nothing. */
static bool is_larger(const struct run *run, const struct table_config *config) {
  struct table_shape shape;
  uint64_t slots = table_shape(run->table)->slots;
  return table_plan(config, &shape) == FLOE_OK && shape.slots > slots + slots / 8;
}

static bool try_slots(struct run *run, uint64_t slots) {
  struct table_config config = run->config;
  floe_status status;
  config.slots = slots;
  if (!is_larger(run, &config))
    return false;
  run->larger = create_table(run, &config, &status);
  if (!run->larger || !move_keys(run))
    return false;
  drop(run, run->table);
  run->table = run->larger;
  run->larger = NULL;
  run->config = config;
  run->grow_at = grow_limit(run->table);
  run->growths++;
  return true;
}

/* ---- how large a step --------------------------------------------------------------------------
 */

/* States of the next level: from those found so far once a good part of this one is expanded, else by the ratio of
   the last two levels. */
static double next_level(struct run *run, double found) {
  /* Relaxed: the workers are at rest. */
  double tickets = (double)atomic_load_explicit(&run->ticket, memory_order_relaxed);
  double part = tickets / ((double)run->frontier.count * (double)run->grains_per_chunk);
  if (part > 0.2)
    return part < 1 ? found / part : found;
  const uint64_t *last = &run->level_states[run->levels - 1];
  return run->levels > 1 ? (double)last[0] * (double)last[0] / (double)last[-1] : 2 * found;
}

/* States of the levels up to the first that is as large as `level`: those after a level of that size when levels
   grow and shrink alike. */
static double mirrored(const struct run *run, double level) {
  double sum = 0;
  for (uint32_t i = 0; i < run->levels && (double)run->level_states[i] < level; i++)
    sum += (double)run->level_states[i];
  return sum;
}

/* All states of the model, guessed while levels shrink; 0: they do not, so nobody knows. Levels that go on to shrink
   as now give too many, as they mostly shrink ever faster. */
static double predicted_states(struct run *run) {
  double level = (double)run->frontier.states;
  double found = (double)run_states(run) - (double)run->expanded - level;
  double next = next_level(run, found), ratio = next / level;
  if (run->levels < 3 || ratio >= 1)
    return 0;
  double rest = next * ratio / (1 - ratio), mirror = mirrored(run, next);
  return (double)run->expanded + level + (next > found ? next : found) +
         (rest < mirror ? rest : mirror);
}

/* The factor by which the table is to grow. */
static double usual_step(struct run *run) {
  double slots = (double)table_shape(run->table)->slots, states = predicted_states(run);
  double most = table_bytes(run->table) <= SMALL_TABLE ? 4 : 2;
  if (states == 0)
    return most;
  double step = (double)slots_for(run, RESERVE * states) / slots;
  return step < LEAST_STEP ? LEAST_STEP : step > most ? most : step;
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
bool growth_grow(struct run *run) {
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
