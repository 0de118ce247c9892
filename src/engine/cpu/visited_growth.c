/* The visited set during a run: the first set, larger ones or a bitmap in its place, and moving the keys (sizes and
   the choice of a bitmap: engine/sizing.h). */
#include "engine/cpu/cpu_search.h"

#include "core/diag.h"
#include "engine/comm/comm.h"
#include "engine/sizing.h"
#include "engine/snapshot/snapshot.h"
#include "step/layout/state_key.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MOVED_AT_ONCE ((uint64_t)1 << 20) /* slots between two checks of the clock: some hundredths of a second */
#define WIDENED_FILL                                                                                                   \
  0.8 /* of the table's normal fill, so that a smaller table with wider keys does not grow at once                     \
       */
#define SOLO_STATES ((uint64_t)1 << 16) /* with fewer states waking the thread pool costs more than it gains */

static double fill_of(const struct cpu_search *self) { return table_fill(self->visited.config.scheme); }

/* ---- the first set --------------------------------------------------------------------------- */

static struct visited *create_set(struct cpu_search *self, const struct table_config *config, floe_status *status) {
  struct table_shape shape;
  struct visited *set = NULL;
  *status = table_plan(config, &shape);
  if (*status != FLOE_OK)
    return NULL;
  *status = FLOE_ERROR_MEMORY;
  if (!kept_budget_take(self, shape.bytes))
    return NULL;
  *status = self->multiword.tree ? visited_roots_create(config, self->multiword.root_bits[0], &set)
                                 : visited_flat_create(config, &set);
  if (*status == FLOE_OK) {
    assert(set->shape.bytes == shape.bytes && set->words == self->words);
    return set;
  }
  budget_give(&self->budget, shape.bytes);
  return NULL;
}

static void free_set(struct cpu_search *self, struct visited *set) {
  budget_give(&self->budget, set->shape.bytes);
  visited_free(set);
}

void growth_free_set(struct cpu_search *self) {
  if (self->visited.set)
    free_set(self, self->visited.set);
  self->visited.set = NULL;
}

/* One member's part of what all members of a group have. */
static uint64_t share_of(const struct engine_task *task, uint64_t all) {
  return task->group.comm ? sizing_part(all, task->group.comm->group->size) : all;
}

/* A restored search is expected to find a quarter more states, unless the user expects more. */
static uint64_t expected_states(const struct engine_task *task) {
  const uint64_t known = snapshot_states(task), expected = task->options->expected_states;
  return share_of(task, expected > known || !known ? expected : known + known / 4);
}

static struct sizing_first first_of(struct cpu_search *self) {
  const struct engine_task *task = self->search.task;
  const floe_options *options = task->options;
  return (struct sizing_first){
      .requested = {.scheme = options->table,
                    .permutation = options->permutation,
                    .key_bits = self->multiword.tree ? self->multiword.root_bits[0] + self->multiword.root_bits[1] //
                                                     : task->layout->key_bits,
                    .keys = task->layout->keys,
                    .local_index = &self->collective.state_owner.index,
                    .member = self->collective.rank,
                    .packed = true,
                    .slot_bits = options->slot_bits,
                    .bucket_slots = options->bucket_slots},
      .initial_slots = share_of(task, options->initial_slots),
      .fits = task->same_table,
      .expected_states = expected_states(task),
      .bound = key_bound(task->model, task->layout),
      .room = kept_budget_left(self)};
}

static void use_set(struct cpu_search *self, struct visited *set, const struct table_config *config) {
  assert(cpu_states(self) <= set->shape.slots);
  self->visited.set = set;
  self->visited.config = *config;
  self->visited.grow_at = table_traits(config->scheme)->every_key
                              ? UINT64_MAX
                              : sizing_grow_at(&set->shape, fill_of(self), self->visited.size_given);
}

/* The checkpoint has more states than the planned table can hold, and a bitmap beside that table would not fit
   later. */
static bool is_too_small(const struct cpu_search *self, const struct table_shape *shape) {
  const struct engine_task *task = self->search.task;
  return (double)share_of(task, snapshot_states(task)) > table_fill(task->options->table) * (double)shape->slots;
}

/* Replaces the planned table by a bitmap if that is better. A size that the user chose is kept. */
static void choose_bitmap(struct cpu_search *self, const struct sizing_first *first, struct table_config *config,
                          struct table_shape *shape) {
  struct table_config bitmap;
  struct table_shape bits;
  if (self->search.task->any_table && !self->multiword.tree && !first->initial_slots &&
      sizing_bitmap_plan(config, &bitmap, &bits) &&
      (sizing_bitmap_first(bits.bytes, shape->bytes, first->expected_states > 0, first->room) ||
       (bits.bytes <= first->room && is_too_small(self, shape)))) {
    *config = bitmap;
    *shape = bits;
  }
}

/* For a table that the user chose. */
static floe_status report_unusable_table(struct cpu_search *self, const struct table_config *requested) {
  floe_log *log = self->search.log;
  if (self->multiword.tree && table_traits(requested->scheme)->every_key) {
    diag_error(log, NULL, NOWHERE, "use --table=iceberg, which holds states of any width",
               "a %s table cannot hold states of %" PRIu32 " bits: it has a bit for each key that states can have",
               requested->scheme, self->search.task->layout->bits);
    return FLOE_ERROR_USAGE;
  }
  if (!table_traits(requested->scheme)->every_key) {
    diag_error(log, NULL, NOWHERE, NULL, "no \"%s\" table with the requested slots holds keys of %u bits",
               requested->scheme, requested->key_bits);
    return FLOE_ERROR_USAGE;
  }
  const double bytes = sizing_bytes_of_every_key(requested);
  diag_error(log, NULL, NOWHERE, "use --table=iceberg, whose memory depends on the number of states found",
             "a %s of %.*g bytes, a bit for each key that the model's states can have%s, does not fit in the limit of "
             "%" PRIu64 " bytes",
             requested->scheme, bytes < 1e15 ? 15 : 4, bytes, sizing_share_text(requested), self->budget.limit);
  return FLOE_ERROR_USAGE;
}

static bool fits(const struct cpu_search *self, const struct sizing_first *first, const struct table_shape *shape) {
  return !table_traits(first->requested.scheme)->every_key || (!self->multiword.tree && shape->bytes <= first->room);
}

floe_status growth_first_set(struct cpu_search *self) {
  const struct sizing_first first = first_of(self);
  struct table_config config;
  struct table_shape shape;
  floe_status status = sizing_first_table(&first, &config, &shape);
  if (status == FLOE_ERROR_USAGE || (status == FLOE_OK && !fits(self, &first, &shape)))
    return report_unusable_table(self, &first.requested);
  FLOE_TRY(status);
  choose_bitmap(self, &first, &config, &shape);
  self->visited.size_given = sizing_is_given(&first);
  struct visited *set = create_set(self, &config, &status);
  if (set)
    use_set(self, set, &config);
  return status;
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* Relaxed accesses to visited.move: tickets must only differ; the rest is read after the phase. */
static void move_parts(void *data, unsigned number) {
  struct cpu_search *self = data;
  const struct stop stop = self->search.stop;
  (void)number;
  while (!atomic_load_explicit(&self->visited.move.stopped, memory_order_relaxed)) {
    unsigned part = atomic_fetch_add_explicit(&self->visited.move.ticket, 1, memory_order_relaxed);
    if (part >= self->visited.move.parts)
      break;
    uint64_t misplaced = visited_move(self->visited.set, self->visited.larger, part, self->visited.move.parts);
    atomic_fetch_add_explicit(&self->visited.move.misplaced, misplaced, memory_order_relaxed);
    if (stop_requested(&stop))
      atomic_store_explicit(&self->visited.move.stopped, true, memory_order_relaxed);
  }
}

bool growth_stopped(const struct cpu_search *self) {
  return atomic_load_explicit(&self->visited.move.stopped, memory_order_relaxed);
}

static void move_together(struct cpu_search *self) {
  phases_enter(&self->phases, PHASE_MOVING);
  pool_run(self->pool, move_parts, self);
  phases_enter(&self->phases, PHASE_GROWING);
}

/* False: the larger table refused some key, or the run must end; it is dropped, and the old one still has all keys. */
static bool move_keys(struct cpu_search *self) {
  self->visited.move.parts = (unsigned)(self->visited.set->shape.slots / MOVED_AT_ONCE) + self->worker_count;
  atomic_store_explicit(&self->visited.move.ticket, 0, memory_order_relaxed);
  atomic_store_explicit(&self->visited.move.misplaced, 0, memory_order_relaxed);
  if (cpu_states(self) < SOLO_STATES)
    move_parts(self, 0);
  else
    move_together(self);
  if (atomic_load_explicit(&self->visited.move.misplaced, memory_order_relaxed) == 0 && !growth_stopped(self))
    return true;
  free_set(self, self->visited.larger);
  self->visited.larger = NULL;
  return false;
}

static bool is_larger(const struct cpu_search *self, const struct table_config *config) {
  const struct table_shape *present = &self->visited.set->shape;
  struct table_shape shape;
  return table_plan(config, &shape) == FLOE_OK &&
         (sizing_is_larger(present->slots, shape.slots) || (sizing_holds_all(&shape) && !sizing_holds_all(present)));
}

/* With 3/2, 2, 5/2 ... times the buckets, keys move to the larger table in few streams instead of at random
   (tables/iceberg/iceberg_grow.c): 10 instead of 50 ns a key; with 13/8 it was 43. */
static uint64_t unit_of(uint64_t buckets) { return buckets % 2 ? buckets : buckets / 2; }

/* A table in a simple ratio to the present one if that is larger and fits, else any larger one. */
static struct visited *create_larger(struct cpu_search *self, struct table_config *config) {
  struct visited *set = NULL;
  floe_status status;
  config->multiple_of = unit_of(self->visited.set->shape.buckets);
  if (is_larger(self, config))
    set = create_set(self, config, &status);
  config->multiple_of = 0;
  if (!set && is_larger(self, config))
    set = create_set(self, config, &status);
  return set;
}

/* Moves the keys to visited.larger; NULL: there is none. */
static bool move_to_larger(struct cpu_search *self, const struct table_config *config) {
  if (!self->visited.larger || !move_keys(self))
    return false;
  free_set(self, self->visited.set);
  use_set(self, self->visited.larger, config);
  self->visited.larger = NULL;
  self->visited.growths++;
  return true;
}

static bool try_slots(struct cpu_search *self, uint64_t slots) {
  struct table_config config = self->visited.config;
  config.slots = slots;
  if (growth_stopped(self))
    return false;
  self->visited.larger = create_larger(self, &config);
  return move_to_larger(self, &config);
}

/* `slots`: of the table that the bitmap would replace; 0: there is none, and the bitmap may take all memory left. */
static bool try_bitmap(struct cpu_search *self, uint64_t slots) {
  struct table_config requested = self->visited.config, bitmap, config;
  struct table_shape bits, larger;
  uint64_t most = UINT64_MAX;
  floe_status status;
  if (!self->search.task->any_table || self->multiword.tree || growth_stopped(self) ||
      !sizing_bitmap_plan(&requested, &bitmap, &bits))
    return false;
  if (slots && sizing_plan_usual(&requested, slots, &config, &larger))
    most = larger.bytes;
  if (!sizing_bitmap_instead(bits.bytes, most, kept_budget_left(self)))
    return false;
  self->visited.larger = create_set(self, &bitmap, &status);
  return move_to_larger(self, &bitmap);
}

/* Keys that need wide slots have no prediction: steps of 4, then 2, move keys fastest (bakery, 60 bits: 0.76 instead
   of 0.94 s; later, with 4 up to 64 instead of 8 MiB and growth at 0.85, 0.56 instead of 0.72 s of user time). */
static struct sizing_growth growth_of(struct cpu_search *self) {
  const struct search *search = &self->search;
  const unsigned bits = self->visited.config.key_bits;
  struct sizing_growth growth = {.slots = self->visited.set->shape.slots,
                                 .bytes = self->visited.set->shape.bytes,
                                 .small = sizing_small(bits),
                                 .limit = self->budget.limit,
                                 .left = kept_budget_left(self),
                                 .frontier = self->frontier.pool.bytes - self->frontier.pool.kept_count * CHUNK_BYTES,
                                 .bound = key_bound(search->task->model, search->task->layout),
                                 .fill = fill_of(self)};
  if (!sizing_has_wide_keys(bits) &&
      !self->collective.exchange) /* in a group, levels count the states of all members */
    growth.levels = (struct sizing_levels){search->levels.states, search->levels.count, search->levels.expanded};
  return growth;
}

static bool grow(struct cpu_search *self) {
  const struct sizing_growth growth = growth_of(self);
  double step = sizing_step(&sizing_host, &growth, 0);
  if (step > 0 && try_bitmap(self, (uint64_t)(step * (double)growth.slots)))
    return true;
  for (unsigned i = 0; (step = sizing_step(&sizing_host, &growth, i)) > 0; i++)
    if (try_slots(self, (uint64_t)(step * (double)growth.slots)))
      return true;
  if (try_bitmap(self, 0))
    return true;
  self->visited.grow_at = UINT64_MAX; /* this set cannot grow */
  return false;
}

/* Moves the keys to a set of at least this many slots with keys of this width. A slot width that the user chose may
   require more slots. */
static bool try_key_bits(struct cpu_search *self, unsigned key_bits, uint64_t slots, bool any_width) {
  struct table_config requested = self->visited.config, config;
  struct table_shape shape;
  floe_status status;
  requested.key_bits = key_bits;
  if (any_width)
    requested.slot_bits = requested.second_slot_bits = 0;
  if (growth_stopped(self) || !sizing_find_layout(sizing_plan_usual, &requested, slots, &config, &shape))
    return false;
  self->visited.larger = create_set(self, &config, &status);
  return move_to_larger(self, &config);
}

/* Tries as many slots as now; then more, if these refuse keys; then fewer, if memory is short and the set is far
   from full. */
static bool try_widened(struct cpu_search *self, const unsigned bits[2], bool any_width) {
  static const unsigned eighths[] = {8, 10, 12, 16, 6, 4, 3, 2, 1};
  for (size_t i = 0; i < sizeof eighths / sizeof *eighths; i++) {
    const uint64_t slots = (self->visited.set->shape.slots * eighths[i] + 7) / 8;
    const bool room = eighths[i] >= 8 || (double)cpu_states(self) < WIDENED_FILL * fill_of(self) * (double)slots;
    if (room && try_key_bits(self, bits[0] + bits[1], slots, any_width))
      return true;
  }
  return false;
}

/* Roots have become wider: slots of the width that the user chose may be too narrow. */
static bool widen_slots(struct cpu_search *self, const unsigned bits[2]) {
  const unsigned asked = self->search.task->options->slot_bits;
  if (!asked || !try_widened(self, bits, true))
    return false;
  if (self->visited.set->shape.slot_bits != asked)
    diag_warning(self->search.log, NULL, NOWHERE, "use --slot-bits only for models whose keys keep their width",
                 "the numbers of the states now have %u bits: the table has slots of %u bits, not of %u",
                 bits[0] + bits[1], self->visited.set->shape.slot_bits, asked);
  return true;
}

bool growth_widen(struct cpu_search *self, const unsigned bits[2]) {
  const unsigned before[2] = {self->multiword.root_bits[0], self->multiword.root_bits[1]};
  memcpy(self->multiword.root_bits, bits, sizeof before);
  if (try_widened(self, bits, false) || widen_slots(self, bits))
    return true;
  memcpy(self->multiword.root_bits, before, sizeof before);
  return false;
}

bool growth_grow(struct cpu_search *self) {
  enum phase before = phases_enter(&self->phases, PHASE_GROWING);
  bool grown = grow(self);
  phases_enter(&self->phases, before);
  return grown;
}

bool growth_force(struct cpu_search *self) {
  if (growth_grow(self))
    return true;
  const uint64_t requested = (uint64_t)(SIZING_LEAST_STEP * (double)self->visited.set->shape.bytes);
  return !growth_stopped(self) && spill_all(self, requested) && growth_grow(self);
}
