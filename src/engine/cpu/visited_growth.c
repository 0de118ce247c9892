/* The visited set over a run: the first one, larger ones or a bitmap in their place, and moving the states there (how
   large, and when a bitmap: engine/sizing.h). */
#include "engine/cpu/cpu_search.h"

#include "core/diag.h"
#include "engine/snapshot/snapshot.h"
#include "engine/comm/comm.h"
#include "engine/sizing.h"
#include "step/layout/state_key.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MOVED_AT_ONCE ((uint64_t)1 << 20) /* slots, between two looks at the clock: some hundredths of a second */
#define WIDENED_FILL 0.8 /* of what a table may be filled to: a smaller one for wider keys is not to grow at once */
#define SOLO_STATES ((uint64_t)1 << 16) /* below this waking the crew costs more than it brings */

static double fill_of(const struct rank *rank) { return table_fill(rank->config.scheme); }

/* ---- the first set --------------------------------------------------------------------------- */

static struct visited *create_set(struct rank *rank, const struct table_config *config, floe_status *status) {
  struct table_shape shape;
  struct visited *set = NULL;
  *status = table_plan(config, &shape);
  if (*status != FLOE_OK)
    return NULL;
  *status = FLOE_ERROR_MEMORY;
  if (!budget_take(&rank->budget, shape.bytes))
    return NULL;
  *status = rank->tree ? visited_roots_create(config, rank->root_bits[0], &set) : visited_flat_create(config, &set);
  if (*status == FLOE_OK) {
    assert(set->shape.bytes == shape.bytes && set->words == rank->words);
    return set;
  }
  budget_give(&rank->budget, shape.bytes);
  return NULL;
}

static void drop(struct rank *rank, struct visited *set) {
  budget_give(&rank->budget, set->shape.bytes);
  visited_free(set);
}

void growth_drop_set(struct rank *rank) {
  if (rank->visited)
    drop(rank, rank->visited);
  rank->visited = NULL;
}

/* Of what all members of a group have together, one's. */
static uint64_t share_of(const struct engine_task *task, uint64_t all) {
  return task->post && all ? sizing_part(all, task->post->group->size) : all;
}

/* A search that goes on has a quarter more before it, if nobody knows better. */
static uint64_t expected_states(const struct engine_task *task) {
  const uint64_t known = moment_states(task), expected = task->options->expected_states;
  return share_of(task, expected > known || !known ? expected : known + known / 4);
}

static struct sizing_first first_of(struct rank *rank) {
  const struct engine_task *task = rank->search->task;
  const floe_options *options = task->options;
  return (struct sizing_first){.wanted = {.scheme = options->table,
                                          .permutation = options->permutation,
                                          .key_bits = rank->tree ? rank->root_bits[0] + rank->root_bits[1] //
                                                                 : task->layout->key_bits,
                                          .keys = task->layout->keys,
                                          .shares = &rank->together.owners.shares,
                                          .member = rank->together.rank,
                                          .packed = true,
                                          .slot_bits = options->slot_bits,
                                          .bucket_slots = options->bucket_slots},
                               .initial_slots = share_of(task, options->initial_slots),
                               .expected_states = expected_states(task),
                               .bound = key_bound(task->model, task->layout),
                               .room = budget_left(&rank->budget)};
}

static void use_set(struct rank *rank, struct visited *set, const struct table_config *config) {
  assert(rank_states(rank) <= set->shape.slots);
  rank->visited = set;
  rank->config = *config;
  rank->grow_at = table_traits(config->scheme)->every_key
                      ? UINT64_MAX
                      : sizing_grow_at(&set->shape, fill_of(rank), rank->size_given);
}

/* The search goes on from more states than the table holds, which could not become a bitmap beside itself. */
static bool is_too_small(const struct rank *rank, const struct table_shape *shape) {
  const struct engine_task *task = rank->search->task;
  return (double)share_of(task, moment_states(task)) > table_fill(task->options->table) * (double)shape->slots;
}

/* Takes the place of what is planned. A search whose size is the user's wish begins as he wants. */
static void choose_bitmap(struct rank *rank, const struct sizing_first *first, struct table_config *config,
                          struct table_shape *shape) {
  struct table_config bitmap;
  struct table_shape bits;
  if (rank->search->task->any_table && !rank->tree && !first->initial_slots &&
      sizing_bitmap_plan(config, &bitmap, &bits) &&
      (sizing_bitmap_first(bits.bytes, shape->bytes, first->expected_states > 0, first->room) ||
       (bits.bytes <= first->room && is_too_small(rank, shape)))) {
    *config = bitmap;
    *shape = bits;
  }
}

/* Of a table that was asked for. */
static floe_status refuse(struct rank *rank, const struct table_config *wanted) {
  floe_log *log = rank->search->log;
  if (rank->tree && table_traits(wanted->scheme)->every_key) {
    diag_error(log, NULL, NOWHERE, "--table=iceberg has states of any width",
               "a %s has a bit for each key that states can have; these take %" PRIu32 " bits", wanted->scheme,
               rank->search->task->layout->bits);
    return FLOE_ERROR_USAGE;
  }
  if (!table_traits(wanted->scheme)->every_key) {
    diag_error(log, NULL, NOWHERE, NULL, "no \"%s\" table holds keys of %u bits with the slots asked for",
               wanted->scheme, wanted->key_bits);
    return FLOE_ERROR_USAGE;
  }
  const double bytes = sizing_bytes_of_every_key(wanted);
  diag_error(log, NULL, NOWHERE, "--table=iceberg takes memory for the states that there are",
             "a %s of %.*g bytes, a bit for each key that the model's states can have%s, does not fit in the limit of "
             "%" PRIu64 " bytes",
             wanted->scheme, bytes < 1e15 ? 15 : 4, bytes, sizing_share_text(wanted), rank->budget.limit);
  return FLOE_ERROR_USAGE;
}

static bool fits(const struct rank *rank, const struct sizing_first *first, const struct table_shape *shape) {
  return !table_traits(first->wanted.scheme)->every_key || (!rank->tree && shape->bytes <= first->room);
}

floe_status growth_first_set(struct rank *rank) {
  const struct sizing_first first = first_of(rank);
  struct table_config config;
  struct table_shape shape;
  floe_status status = sizing_first_table(&first, &config, &shape);
  if (status == FLOE_ERROR_USAGE || (status == FLOE_OK && !fits(rank, &first, &shape)))
    return refuse(rank, &first.wanted);
  FLOE_TRY(status);
  choose_bitmap(rank, &first, &config, &shape);
  rank->size_given = sizing_is_given(&first);
  struct visited *set = create_set(rank, &config, &status);
  if (set)
    use_set(rank, set, &config);
  return status;
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
    uint64_t misplaced = visited_move(rank->visited, rank->larger, part, rank->move.parts);
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
  rank->move.parts = (unsigned)(rank->visited->shape.slots / MOVED_AT_ONCE) + rank->worker_count;
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

static bool is_larger(const struct rank *rank, const struct table_config *config) {
  const struct table_shape *present = &rank->visited->shape;
  struct table_shape shape;
  return table_plan(config, &shape) == FLOE_OK &&
         (sizing_is_larger(present->slots, shape.slots) || (holds_all(&shape) && !holds_all(present)));
}

/* With 3/2, 2, 5/2 ... times the buckets keys move to the larger table in few streams instead of at random
   (tables/iceberg/iceberg_grow.c): 10 instead of 50 ns a key; with 13/8 it was 43. */
static uint64_t unit_of(uint64_t buckets) { return buckets % 2 ? buckets : buckets / 2; }

/* The table wanted: in a simple ratio to the present one where that is a larger one and there is memory for it. */
static struct visited *create_larger(struct rank *rank, struct table_config *config) {
  struct visited *set = NULL;
  floe_status status;
  config->multiple_of = unit_of(rank->visited->shape.buckets);
  if (is_larger(rank, config))
    set = create_set(rank, config, &status);
  config->multiple_of = 0;
  if (!set && is_larger(rank, config))
    set = create_set(rank, config, &status);
  return set;
}

/* To rank->larger, NULL: there is none. */
static bool change_over(struct rank *rank, const struct table_config *config) {
  if (!rank->larger || !move_keys(rank))
    return false;
  drop(rank, rank->visited);
  use_set(rank, rank->larger, config);
  rank->larger = NULL;
  rank->growths++;
  return true;
}

static bool try_slots(struct rank *rank, uint64_t slots) {
  struct table_config config = rank->config;
  config.slots = slots;
  if (growth_stopped(rank))
    return false;
  rank->larger = create_larger(rank, &config);
  return change_over(rank, &config);
}

/* `slots`: of the table that it would take the place of; 0: there is none, and the bitmap may take what there is. */
static bool try_bitmap(struct rank *rank, uint64_t slots) {
  struct table_config wanted = rank->config, bitmap, config;
  struct table_shape bits, larger;
  uint64_t most = UINT64_MAX;
  floe_status status;
  if (!rank->search->task->any_table || rank->tree || growth_stopped(rank) ||
      !sizing_bitmap_plan(&wanted, &bitmap, &bits))
    return false;
  if (slots && sizing_plan_usual(&wanted, slots, &config, &larger))
    most = larger.bytes;
  if (!sizing_bitmap_instead(bits.bytes, most, budget_left(&rank->budget)))
    return false;
  rank->larger = create_set(rank, &bitmap, &status);
  return change_over(rank, &bitmap);
}

/* Keys that need wide slots anyway get no guess: steps of 4, then 2, move keys fastest (bakery, 60 bits: 0.76 instead
   of 0.94 s; later, with 4 up to 64 instead of 8 MiB and growth at 0.85, 0.56 instead of 0.72 s of user time). */
static struct sizing_growth growth_of(struct rank *rank) {
  const struct search *search = rank->search;
  const unsigned bits = rank->config.key_bits;
  struct sizing_growth growth = {.slots = rank->visited->shape.slots,
                                 .bytes = rank->visited->shape.bytes,
                                 .small = sizing_small(bits),
                                 .limit = rank->budget.limit,
                                 .left = budget_left(&rank->budget),
                                 .frontier = rank->pool.bytes,
                                 .bound = key_bound(search->task->model, search->task->layout),
                                 .fill = fill_of(rank)};
  if (!sizing_has_wide_keys(bits) && !rank->together.exchange) /* levels are those of all members */
    growth.levels = (struct sizing_levels){search->level_states, search->levels, search->expanded};
  return growth;
}

static bool grow(struct rank *rank) {
  const struct sizing_growth growth = growth_of(rank);
  double step = sizing_step(&sizing_host, &growth, 0);
  if (step > 0 && try_bitmap(rank, (uint64_t)(step * (double)growth.slots)))
    return true;
  for (unsigned i = 0; (step = sizing_step(&sizing_host, &growth, i)) > 0; i++)
    if (try_slots(rank, (uint64_t)(step * (double)growth.slots)))
      return true;
  if (try_bitmap(rank, 0))
    return true;
  rank->grow_at = UINT64_MAX; /* as far as this set goes */
  return false;
}

/* To a set of at least so many slots with keys of so many bits: a slot width that was asked for may need more of them.
 */
static bool try_key_bits(struct rank *rank, unsigned key_bits, uint64_t slots, bool any_width) {
  struct table_config wanted = rank->config, config;
  struct table_shape shape;
  floe_status status;
  wanted.key_bits = key_bits;
  if (any_width)
    wanted.slot_bits = wanted.second_slot_bits = 0;
  if (growth_stopped(rank) || !sizing_find_layout(sizing_plan_usual, &wanted, slots, &config, &shape))
    return false;
  rank->larger = create_set(rank, &config, &status);
  return change_over(rank, &config);
}

/* With as many slots as now; some more where these have no place for all, fewer where memory has none for them and the
   set is far from full. */
static bool try_widened(struct rank *rank, const unsigned bits[2], bool any_width) {
  static const unsigned eighths[] = {8, 10, 12, 16, 6, 4, 3, 2, 1};
  for (size_t i = 0; i < sizeof eighths / sizeof *eighths; i++) {
    const uint64_t slots = (rank->visited->shape.slots * eighths[i] + 7) / 8;
    const bool room = eighths[i] >= 8 || (double)rank_states(rank) < WIDENED_FILL * fill_of(rank) * (double)slots;
    if (room && try_key_bits(rank, bits[0] + bits[1], slots, any_width))
      return true;
  }
  return false;
}

/* Roots become wider on the way: slots of the width that was asked for may not hold them any more. */
static bool widen_slots(struct rank *rank, const unsigned bits[2]) {
  const unsigned asked = rank->search->task->options->slot_bits;
  if (!asked || !try_widened(rank, bits, true))
    return false;
  if (rank->visited->shape.slot_bits != asked)
    diag_warning(rank->search->log, NULL, NOWHERE, "--slot-bits is for tables whose keys stay as wide as they are",
                 "the states are numbers of %u bits now, for which the table has slots of %u bits, not of %u",
                 bits[0] + bits[1], rank->visited->shape.slot_bits, asked);
  return true;
}

bool growth_widen(struct rank *rank, const unsigned bits[2]) {
  const unsigned before[2] = {rank->root_bits[0], rank->root_bits[1]};
  memcpy(rank->root_bits, bits, sizeof before);
  if (try_widened(rank, bits, false) || widen_slots(rank, bits))
    return true;
  memcpy(rank->root_bits, before, sizeof before);
  return false;
}

bool growth_grow(struct rank *rank) {
  enum phase before = phases_enter(&rank->phases, PHASE_GROWING);
  bool grown = grow(rank);
  phases_enter(&rank->phases, before);
  return grown;
}

bool growth_force(struct rank *rank) {
  if (growth_grow(rank))
    return true;
  const uint64_t wanted = (uint64_t)(SIZING_LEAST_STEP * (double)rank->visited->shape.bytes);
  return !growth_stopped(rank) && spill_all(rank, wanted) && growth_grow(rank);
}
