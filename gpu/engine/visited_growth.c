/* The visited set on the device over a run: first table, growth by moving all keys, keys that found
 * no place. */
#include "engine/sizing.h"
#include "gpu/engine/gpu_search.h"

#include "base/numbers.h"
#include "core/clock.h"
#include "core/diag.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/engine/sizing_policy.h"
#include "gpu/engine/host_backed_set.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- tables ---------------------------------------------------------------------------------- */

static floe_status make_table(struct gpu_search *self, const struct table_config *config, const struct table_shape *shape,
                              struct device_table *out) {
  return device_table_make(self->gpu, config, shape, GPU_TABLE_ON_DEVICE, &self->budget, out);
}

/* From here on the table should grow. */
static void set_limit(struct gpu_search *self) {
  const uint64_t usual = (uint64_t)(100 * table_fill(self->visited.config.scheme) + 0.5);
  const uint64_t percent = self->test_settings.fill ? self->test_settings.fill : usual;
  self->control.level.grow_at = self->final || percent >= 100 ? UINT64_MAX : self->visited.shape.slots / 100 * percent;
}

/* Of so many; of a group this member's part. */
static uint64_t part_of(const struct gpu_search *self, uint64_t states) {
  return states && member_is_one(self) ? sizing_part(states, self->member.collective.size) : states;
}

static uint64_t known_states(const struct gpu_search *self) { return part_of(self, snapshot_states(self->search->task)); }

/* (A search that goes on has a quarter more before it, if nobody knows better.) */
uint64_t grow_expected_states(const struct gpu_search *self) {
  const uint64_t known = snapshot_states(self->search->task);
  const uint64_t expected = self->search->task->options->expected_states;
  return part_of(self, expected > known || !known ? expected : known + known / 4);
}

/* The search goes on from more states than a hash table of the device holds. */
static bool goes_on_from_too_many(const struct gpu_search *self, const struct table_config *wanted) {
  const uint64_t known = known_states(self);
  return known && !policy_holds(wanted, known, self->budget.limit);
}

bool grow_may_have_every_key(const struct gpu_search *self) {
  const struct engine_task *task = self->search->task;
  const bool any = (task->any_table || self->test_settings.bitmap) && !self->tree.words;
  return table_traits(self->visited.config.scheme)->every_key || (any && !task->devices.host_backed);
}

/* Of a table that was asked for. */
static void tell_too_large(const struct gpu_search *self, const struct table_config *wanted) {
  const double bytes = sizing_bytes_of_every_key(wanted);
  diag_error(self->search->log, NULL, NOWHERE, "--table=iceberg takes memory for the states that there are",
             "a %s of %.*g bytes, a bit for each key that the model's states can have%s, does not fit in the limit of "
             "%" PRIu64 " bytes of the GPU's memory, of which the queue needs a part",
             self->search->task->options->table, bytes < 1e15 ? 15 : 4, bytes, sizing_share_text(wanted),
             self->budget.limit);
}

static void tell_why_not(const struct gpu_search *self, floe_status status, const struct table_config *wanted,
                         const struct table_shape *shape) {
  floe_log *log = self->search->log;
  if (status != FLOE_OK && table_traits(wanted->scheme)->every_key)
    tell_too_large(self, wanted);
  else if (status == FLOE_ERROR_USAGE)
    diag_error(log, NULL, NOWHERE, NULL, "no \"%s\" table holds keys of %u bits with the slots asked for",
               wanted->scheme, wanted->key_bits);
  else if (status == FLOE_ERROR_MEMORY && wanted->slot_bits)
    diag_note(log, NULL, NOWHERE, NULL,
              "the smallest table with slots of %u bits for keys of %u bits takes %llu bytes, and "
              "the first one may take half of the memory",
              wanted->slot_bits, wanted->key_bits, (unsigned long long)shape->bytes);
}

static floe_status choose_first(const struct gpu_search *self, const struct table_config *wanted, uint64_t expected,
                                struct table_config *config, struct table_shape *shape) {
  floe_status status = policy_first_table(wanted, expected, self->budget.limit, config, shape);
  tell_why_not(self, status, wanted, shape);
  if (status == FLOE_OK && self->search->task->any_table && !self->tree.words)
    policy_first_bitmap(expected > 0, member_is_one(self) ? self->member.collective.size : 1, self->budget.limit, config,
                        shape);
  return status;
}

/* Of states of several words those of the root's numbers: a linear table of slots of as many bits would have a place of
   its own for the key with all bits set, which the kernels for keys of any number of bits do without. */
static unsigned key_bits(const struct gpu_search *self, const unsigned bits[2]) {
  const unsigned sum = bits[0] + bits[1];
  if (!self->tree.words)
    return self->search->task->layout->key_bits;
  return sum == 16 || sum == 32 ? sum + 1 : sum;
}

static floe_status refuse_wide(const struct gpu_search *self, const char *what) {
  diag_error(self->search->log, NULL, NOWHERE, "--table=iceberg has states of any width, in the GPU's memory",
             "%s states of up to 64 bits; these take %u", what, (unsigned)self->search->task->layout->bits);
  return FLOE_ERROR_USAGE;
}

floe_status grow_first_set(struct gpu_search *self) {
  const floe_options *options = self->search->task->options;
  const uint64_t expected = grow_expected_states(self);
  const struct table_config wanted = {.scheme = options->table,
                                      .permutation = options->permutation,
                                      .key_bits = key_bits(self, self->tree.bits),
                                      .keys = self->search->task->layout->keys,
                                      .shares = &self->member.collective.state_owner.index,
                                      .member = self->member.collective.rank,
                                      .slots = options->initial_slots,
                                      .slot_bits = options->slot_bits,
                                      .bucket_slots = options->bucket_slots};
  struct table_config config;
  struct table_shape shape;
  if (self->tree.words && self->search->task->devices.host_backed)
    return refuse_wide(self, "a visited set of two levels holds");
  if (self->tree.words && table_traits(wanted.scheme)->every_key)
    return refuse_wide(self, "a table with a place for every key is for");
  const bool too_many = !self->tree.words && goes_on_from_too_many(self, &wanted);
  const bool in_bitmap =
      too_many && self->search->task->any_table && policy_bitmap_of_all(&wanted, self->budget.limit, &config, &shape);
  if (self->search->task->devices.host_backed || (too_many && !in_bitmap && !member_is_one(self))) {
    self->visited = (struct device_table){.gpu = self->gpu, .config = wanted};
    self->begins_in_two_levels = self->final = true;
    return FLOE_OK;
  }
  if (!in_bitmap)
    FLOE_TRY(choose_first(self, &wanted, expected, &config, &shape));
  FLOE_TRY(make_table(self, &config, &shape, &self->visited));
  self->final = table_traits(config.scheme)->every_key;
  set_limit(self);
  return FLOE_OK;
}

void grow_drop_set(struct gpu_search *self) { device_table_free(&self->visited); }

/* ---- moving the keys ------------------------------------------------------------------------- */

struct larger {
  struct device_table table;
  struct search_kernels code; /* module NULL: the present one does */
  unsigned bits[2];     /* rank->tree.bits with it */
};

static floe_status start_rehash(struct gpu_search *self, const struct search_kernels *code, struct larger *larger) {
  struct gpu_launch launch = {.blocks = code->rehash.blocks, .threads = GPU_BLOCK};
  void *arguments[] = {&self->visited.view, &larger->table.view, &self->control_at};
  self->control.rehash.moved = self->control.rehash.misplaced = self->control.rehash.repeated = 0;
  self->control.from_low_bits = self->tree.bits[0];
  self->control.low_bits = larger->bits[0];
  FLOE_TRY(gpu_search_upload(self));
  FLOE_TRY(gpu_start(self->gpu, code->rehash.function, &launch, arguments));
  return gpu_search_download(self);
}

/* The kernel stays for the next growth, which mostly is between the same widths. */
static floe_status move_keys(struct gpu_search *self, struct larger *larger) {
  const struct table_kind from = kernels_kind(&self->visited), to = kernels_kind(&larger->table);
  if (!self->mover.module || !kernels_same_kind(&self->mover.from, &from) || !kernels_same_kind(&self->mover.kind, &to)) {
    kernels_free(&self->mover);
    FLOE_TRY(kernels_make_rehash(self, &to, &from, &self->mover));
  }
  return start_rehash(self, &self->mover, larger);
}

/* FLOE_ERROR_MEMORY: some key found no place. */
static floe_status check_move(struct gpu_search *self) {
  const struct gpu_control *control = &self->control;
  if (control->rehash.repeated == 0 && control->rehash.moved + control->rehash.misplaced == gpu_search_states(self))
    return control->rehash.misplaced ? FLOE_ERROR_MEMORY : FLOE_OK;
  diag_error(self->search->log, NULL, NOWHERE, "please report this with the model",
             "internal error: a table of %llu states had %llu keys, %llu of them twice, when it grew",
             (unsigned long long)gpu_search_states(self),
             (unsigned long long)(control->rehash.moved + control->rehash.misplaced + control->rehash.repeated),
             (unsigned long long)control->rehash.repeated);
  return FLOE_ERROR_INTERNAL;
}

/* ---- growth ---------------------------------------------------------------------------------- */

static void drop_larger(struct larger *larger) {
  device_table_free(&larger->table);
  kernels_free(&larger->code);
}

/* FLOE_ERROR_MEMORY: there is no room for it, or it has none for some key. */
static floe_status fill_larger(struct gpu_search *self, const struct table_config *config,
                               const struct table_shape *shape, struct larger *larger) {
  FLOE_TRY(make_table(self, config, shape, &larger->table));
  const struct table_kind kind = kernels_kind(&larger->table);
  if (!kernels_same_kind(&kind, &self->code.kind))
    FLOE_TRY(kernels_make(self, &kind, &larger->code));
  FLOE_TRY(move_keys(self, larger));
  return check_move(self);
}

/* The grid of another exploration kernel must not be larger than what queue and pending keys were
 * made for. */
static void use_larger(struct gpu_search *self, struct larger *larger) {
  assert(larger->table.memory.at);
  assert(self->tree.words || larger->table.shape.key_bits == self->visited.shape.key_bits);
  grow_drop_set(self);
  self->visited = larger->table;
  self->final = table_traits(self->visited.config.scheme)->every_key;
  self->growths++;
  memcpy(self->tree.bits, larger->bits, sizeof larger->bits);
  set_limit(self);
  if (!larger->code.module)
    return;
  kernels_free(&self->code);
  self->code = larger->code;
  self->blocks = (unsigned)least(self->blocks, member_most_blocks(self));
}

/* FLOE_ERROR_MEMORY: as fill_larger; the present table is as it was. */
static floe_status grow_to(struct gpu_search *self, const struct table_config *config, const struct table_shape *shape,
                           const unsigned bits[2]) {
  struct larger larger = {.bits = {bits[0], bits[1]}};
  const double start = clock_seconds();
  floe_status status = fill_larger(self, config, shape, &larger);
  if (status == FLOE_OK)
    use_larger(self, &larger);
  else
    drop_larger(&larger);
  self->grow_seconds += clock_seconds() - start;
  return status;
}

/* The n-th attempt: a bitmap first, where that takes no more than a larger table would. */
static bool next_larger(const struct gpu_search *self, unsigned attempt, struct table_config *config,
                        struct table_shape *shape) {
  const struct policy_growth growth = {.config = self->visited.config,
                                       .shape = self->visited.shape,
                                       .limit = self->budget.limit,
                                       .left = gpu_budget_room(&self->budget)};
  const bool all = grow_may_have_every_key(self) && policy_bitmap_instead(&growth, self->test_settings.bitmap, config, shape);
  if (all && attempt == 0)
    return true;
  return policy_larger_table(&growth, attempt - all, config, shape);
}

bool grow_set(struct gpu_search *self) {
  struct table_config config;
  struct table_shape shape;
  for (unsigned i = 0; !self->final && next_larger(self, i, &config, &shape); i++) {
    floe_status status = grow_to(self, &config, &shape, self->tree.bits);
    if (status == FLOE_OK)
      return true;
    if (status != FLOE_ERROR_MEMORY) {
      if (!search_check_stop(self->search)) /* it was not stopped while kernels were made */
        search_fail(self->search, status);
      return false;
    }
  }
  self->final = true; /* as far as this table goes */
  set_limit(self);
  return false;
}

/* With as many slots as now, or some more where these have no place for all. */
floe_status grow_keys(struct gpu_search *self, const unsigned bits[2]) {
  static const unsigned quarters[] = {4, 5, 6, 8};
  floe_status status = FLOE_ERROR_MEMORY;
  for (size_t i = 0; status == FLOE_ERROR_MEMORY && i < sizeof quarters / sizeof *quarters; i++) {
    const uint64_t slots = self->visited.shape.slots / 4 * quarters[i];
    struct table_config wanted = self->visited.config, config;
    struct table_shape shape;
    wanted.key_bits = key_bits(self, bits);
    if (policy_table(&wanted, slots, &config, &shape) && shape.bytes <= gpu_budget_room(&self->budget))
      status = grow_to(self, &config, &shape, bits);
  }
  return status;
}

/* ---- keys without a place -------------------------------------------------------------------- */

floe_status grow_insert(struct gpu_search *self, uint64_t count) {
  struct gpu_space space = gpu_search_space(self);
  const struct gpu_kernel *kernel = self->code.receive.function ? &self->code.receive : &self->code.insert;
  struct gpu_launch launch = {.blocks = kernel->blocks, .threads = GPU_BLOCK};
  void *arguments[] = {&self->visited.view, &space};
  space.source = (const uint64_t *)(uintptr_t)self->source;
  space.source_count = count;
  self->control.pending_count = 0;
  FLOE_TRY(gpu_search_upload(self));
  FLOE_TRY(gpu_start(self->gpu, kernel->function, &launch, arguments));
  return gpu_search_download(self);
}

/* The device is full: the host takes what is found from here on, unless there are other devices to help. */
static void go_on_in_two_levels(struct gpu_search *self) {
  const bool possible = !self->tree.words && !member_is_one(self) && !self->search->task->devices.may_escalate;
  floe_status status = possible ? host_backed_open(self) : FLOE_ERROR_MEMORY;
  if (status == FLOE_ERROR_MEMORY)
    search_finish(self->search, FLOE_END_MEMORY);
  else if (status == FLOE_ERROR_IO)
    search_fail_disk(self->search);
  else if (status != FLOE_OK && !search_check_stop(self->search))
    search_fail(self->search, status);
}

void grow_place_pending(struct gpu_search *self) {
  while (!self->search->ended && self->control.pending_count > 0) {
    self->refused += self->control.pending_count;
    if (!grow_set(self)) {
      if (!self->search->ended)
        go_on_in_two_levels(self);
      return;
    }
    gpu_address filled = self->pending;
    self->pending = self->source;
    self->source = filled;
    floe_status status = grow_insert(self, self->control.pending_count);
    if (status != FLOE_OK)
      search_fail(self->search, status);
    else
      download_take(self);
  }
}
