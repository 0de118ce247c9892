#include "gpu/engine/visited_growth.h"

#include "base/numbers.h"
#include "core/diag.h"
#include "core/system/clock.h"
#include "engine/sizing.h"
#include "engine/snapshot/snapshot.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/search_kernels.h"
#include "gpu/engine/sizing_policy.h"
#include "gpu/engine/state_download.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- tables ---------------------------------------------------------------------------------- */

static floe_status make_table(struct gpu_search *self, const struct table_config *config,
                              const struct table_shape *shape, struct device_table *out) {
  return device_table_make(self->gpu, config, shape, GPU_TABLE_ON_DEVICE, &self->budget, out);
}

/* Sets the number of states at which the table should grow. */
static void set_growth_limit(struct gpu_search *self) {
  const uint64_t usual = (uint64_t)(100 * table_fill(self->visited.table.config.scheme) + 0.5);
  const uint64_t percent = self->test_settings.fill ? self->test_settings.fill : usual;
  self->control.level.grow_at =
      self->visited.final || percent >= 100 ? UINT64_MAX : self->visited.table.shape.slots / 100 * percent;
}

/* This member's part of so many states. */
static uint64_t part_of(const struct gpu_search *self, uint64_t states) {
  return sizing_part(states, self->group.collective.size);
}

static uint64_t known_states(const struct gpu_search *self) {
  return part_of(self, snapshot_states(self->search.task));
}

/* A restored search is expected to find a quarter more than the checkpoint has, unless the user expects more. */
uint64_t grow_expected_states(const struct gpu_search *self) {
  const uint64_t known = snapshot_states(self->search.task);
  const uint64_t expected = self->search.task->options->expected_states;
  return part_of(self, expected > known || !known ? expected : known + known / 4);
}

/* The checkpoint has more states than a hash table of the device holds. */
static bool restores_too_many(const struct gpu_search *self, const struct table_config *wanted) {
  const uint64_t known = known_states(self);
  return known && !policy_holds(wanted, known, self->budget.limit);
}

bool grow_may_have_every_key(const struct gpu_search *self) {
  const struct engine_task *task = self->search.task;
  const bool any = (task->any_table || self->test_settings.bitmap) && !self->tree.words;
  return table_traits(self->visited.table.config.scheme)->every_key || (any && !task->devices.host_backed);
}

/* The user chose the table. */
static void report_too_large(const struct gpu_search *self, const struct table_config *wanted) {
  const double bytes = sizing_bytes_of_every_key(wanted);
  diag_error(self->search.log, NULL, NOWHERE, "--table=iceberg takes memory for the states that there are",
             "a %s of %.*g bytes, a bit for each key that the model's states can have%s, does not fit in the limit of "
             "%" PRIu64 " bytes of the GPU's memory, of which the queue needs a part",
             self->search.task->options->table, bytes < 1e15 ? 15 : 4, bytes, sizing_share_text(wanted),
             self->budget.limit);
}

static void report_no_table(const struct gpu_search *self, floe_status status, const struct table_config *wanted,
                            const struct table_shape *shape) {
  floe_log *log = self->search.log;
  if (status != FLOE_OK && table_traits(wanted->scheme)->every_key)
    report_too_large(self, wanted);
  else if (status == FLOE_ERROR_USAGE)
    diag_error(log, NULL, NOWHERE, NULL, "no \"%s\" table holds keys of %u bits with the slots asked for",
               wanted->scheme, wanted->key_bits);
  else if (status == FLOE_ERROR_MEMORY && wanted->slot_bits)
    diag_note(log, NULL, NOWHERE, NULL,
              "the smallest table with slots of %u bits for keys of %u bits takes %llu bytes, and "
              "the first one may take half of the memory",
              wanted->slot_bits, wanted->key_bits, (unsigned long long)shape->bytes);
}

/* The sets of passes for accepting cycles have a place for each slot. On an H200, passes over 10^7 to 10^8 states took
   1.5 to 1.8 times as long with a table of 3 x 10^9 slots as with one of 10^8; explorations took about the same. */
#define SHARE_FOR_PASSES 32 /* of the usual first table */

static floe_status choose_first(const struct gpu_search *self, const struct table_config *wanted, uint64_t expected,
                                struct table_config *config, struct table_shape *shape) {
  const uint64_t limit = self->budget.limit;
  floe_status status = FLOE_ERROR_MEMORY;
  if (self->search.task->cycles && !expected && !wanted->slots && !table_traits(wanted->scheme)->every_key)
    status = policy_first_table(wanted, 0, limit / SHARE_FOR_PASSES, config, shape);
  if (status != FLOE_OK)
    status = policy_first_table(wanted, expected, limit, config, shape);
  report_no_table(self, status, wanted, shape);
  if (status == FLOE_OK && self->search.task->any_table && !self->tree.words)
    policy_first_bitmap(expected > 0, self->group.collective.size, self->budget.limit, config, shape);
  return status;
}

/* Multiword states: the bits of the root's numbers. One more if a linear table would have slots of as many bits: it
   then has a separate slot for the key with all bits set, which kernels for keys of any number of bits do not support.
 */
static unsigned key_bits(const struct gpu_search *self, const unsigned bits[2]) {
  const unsigned sum = bits[0] + bits[1];
  if (!self->tree.words)
    return self->search.task->layout->key_bits;
  return sum == 16 || sum == 32 ? sum + 1 : sum;
}

static floe_status report_too_wide(const struct gpu_search *self, const char *what) {
  diag_error(self->search.log, NULL, NOWHERE, "--table=iceberg has states of any width, in the GPU's memory",
             "%s states of up to 64 bits; these take %u", what, (unsigned)self->search.task->layout->bits);
  return FLOE_ERROR_USAGE;
}

floe_status grow_first_set(struct gpu_search *self) {
  const floe_options *options = self->search.task->options;
  const uint64_t expected = grow_expected_states(self);
  const struct table_config wanted = {.scheme = options->table,
                                      .permutation = options->permutation,
                                      .key_bits = key_bits(self, self->tree.bits),
                                      .keys = self->search.task->layout->keys,
                                      .local_index = &self->group.collective.state_owner.index,
                                      .member = self->group.collective.rank,
                                      .slots = options->initial_slots,
                                      .slot_bits = options->slot_bits,
                                      .bucket_slots = options->bucket_slots};
  struct table_config config;
  struct table_shape shape;
  if (self->tree.words && self->search.task->devices.host_backed)
    return report_too_wide(self, "a host-backed visited set holds");
  if (self->tree.words && table_traits(wanted.scheme)->every_key)
    return report_too_wide(self, "a table with a place for every key is for");
  const bool too_many = !self->tree.words && restores_too_many(self, &wanted);
  const bool in_bitmap =
      too_many && self->search.task->any_table && policy_bitmap_of_all(&wanted, self->budget.limit, &config, &shape);
  if (self->search.task->devices.host_backed || (too_many && !in_bitmap && !gpu_search_in_group(self))) {
    self->visited.table = (struct device_table){.gpu = self->gpu, .config = wanted};
    self->visited.host_backed_first = self->visited.final = true;
    return FLOE_OK;
  }
  if (!in_bitmap)
    FLOE_TRY(choose_first(self, &wanted, expected, &config, &shape));
  FLOE_TRY(make_table(self, &config, &shape, &self->visited.table));
  self->visited.final = table_traits(config.scheme)->every_key;
  set_growth_limit(self);
  return FLOE_OK;
}

void grow_drop_set(struct gpu_search *self) { device_table_free(&self->visited.table); }

/* ---- moving the keys ------------------------------------------------------------------------- */

struct larger_table {
  struct device_table table;
  struct search_kernels kernels; /* module NULL: the present kernels fit */
  unsigned bits[2];              /* tree.bits for it */
};

static floe_status start_rehash(struct gpu_search *self, const struct search_kernels *kernels,
                                struct larger_table *larger) {
  struct gpu_launch launch = {.blocks = kernels->rehash.blocks, .threads = GPU_BLOCK};
  void *arguments[] = {&self->visited.table.view, &larger->table.view, &self->buffers.control};
  self->control.rehash.moved = self->control.rehash.misplaced = self->control.rehash.repeated = 0;
  self->control.from_low_bits = self->tree.bits[0];
  self->control.low_bits = larger->bits[0];
  FLOE_TRY(gpu_search_upload(self));
  FLOE_TRY(gpu_start(self->gpu, kernels->rehash.function, &launch, arguments));
  return gpu_search_download(self);
}

/* The kernel is kept: the next growth is mostly between the same widths. */
static floe_status move_keys(struct gpu_search *self, struct larger_table *larger) {
  const struct table_kind from = kernels_kind(&self->visited.table), to = kernels_kind(&larger->table);
  if (!self->visited.rehash.module || !kernels_same_kind(&self->visited.rehash.from, &from) ||
      !kernels_same_kind(&self->visited.rehash.kind, &to)) {
    kernels_free(&self->visited.rehash);
    FLOE_TRY(kernels_make_rehash(self, &to, &from, &self->visited.rehash));
  }
  return start_rehash(self, &self->visited.rehash, larger);
}

/* FLOE_ERROR_MEMORY: some key found no place. */
static floe_status check_move(struct gpu_search *self) {
  const struct gpu_control *control = &self->control;
  if (control->rehash.repeated == 0 && control->rehash.moved + control->rehash.misplaced == gpu_search_states(self))
    return control->rehash.misplaced ? FLOE_ERROR_MEMORY : FLOE_OK;
  diag_error(self->search.log, NULL, NOWHERE, "please report this with the model",
             "internal error: a table of %llu states had %llu keys, %llu of them twice, when it grew",
             (unsigned long long)gpu_search_states(self),
             (unsigned long long)(control->rehash.moved + control->rehash.misplaced + control->rehash.repeated),
             (unsigned long long)control->rehash.repeated);
  return FLOE_ERROR_INTERNAL;
}

/* ---- growth ---------------------------------------------------------------------------------- */

static void drop_larger(struct larger_table *larger) {
  device_table_free(&larger->table);
  kernels_free(&larger->kernels);
}

/* FLOE_ERROR_MEMORY: there is no memory for the table, or the table has no place for some key. */
static floe_status fill_larger(struct gpu_search *self, const struct table_config *config,
                               const struct table_shape *shape, struct larger_table *larger) {
  FLOE_TRY(make_table(self, config, shape, &larger->table));
  const struct table_kind kind = kernels_kind(&larger->table);
  if (!kernels_same_kind(&kind, &self->kernels.kind))
    FLOE_TRY(kernels_make(self, &kind, &larger->kernels));
  FLOE_TRY(move_keys(self, larger));
  return check_move(self);
}

/* Queue and pending keys were sized for the present grid: that of another kernel must not be larger. */
static void use_larger(struct gpu_search *self, struct larger_table *larger) {
  assert(larger->table.memory.at);
  assert(self->tree.words || larger->table.shape.key_bits == self->visited.table.shape.key_bits);
  grow_drop_set(self);
  self->visited.table = larger->table;
  self->visited.final = table_traits(self->visited.table.config.scheme)->every_key;
  self->visited.growths++;
  memcpy(self->tree.bits, larger->bits, sizeof larger->bits);
  set_growth_limit(self);
  if (!larger->kernels.module)
    return;
  kernels_free(&self->kernels);
  self->kernels = larger->kernels;
  self->grid.blocks = (unsigned)least(self->grid.blocks, kernels_resident_blocks(self));
}

/* FLOE_ERROR_MEMORY: as fill_larger; the present table is unchanged. */
static floe_status grow_to(struct gpu_search *self, const struct table_config *config, const struct table_shape *shape,
                           const unsigned bits[2]) {
  struct larger_table larger = {.bits = {bits[0], bits[1]}};
  const double start = clock_seconds();
  floe_status status = fill_larger(self, config, shape, &larger);
  if (status == FLOE_OK)
    use_larger(self, &larger);
  else
    drop_larger(&larger);
  self->visited.grow_seconds += clock_seconds() - start;
  return status;
}

/* The n-th attempt: a bitmap first, if it takes no more memory than a larger table. */
static bool next_larger(const struct gpu_search *self, unsigned attempt, struct table_config *config,
                        struct table_shape *shape) {
  const struct policy_growth growth = {.config = self->visited.table.config,
                                       .shape = self->visited.table.shape,
                                       .limit = self->budget.limit,
                                       .left = gpu_budget_room(&self->budget)};
  const bool all =
      grow_may_have_every_key(self) && policy_bitmap_instead(&growth, self->test_settings.bitmap, config, shape);
  if (all && attempt == 0)
    return true;
  return policy_larger_table(&growth, attempt - all, config, shape);
}

bool grow_set(struct gpu_search *self) {
  struct table_config config;
  struct table_shape shape;
  for (unsigned i = 0; !self->visited.final && next_larger(self, i, &config, &shape); i++) {
    floe_status status = grow_to(self, &config, &shape, self->tree.bits);
    if (status == FLOE_OK)
      return true;
    if (status != FLOE_ERROR_MEMORY) {
      if (!search_check_stop(&self->search)) /* not stopped during compilation */
        search_fail(&self->search, status);
      return false;
    }
  }
  self->visited.final = true; /* as far as this table goes */
  set_growth_limit(self);
  return false;
}

/* Tries as many slots as now, then more. */
floe_status grow_keys(struct gpu_search *self, const unsigned bits[2]) {
  static const unsigned quarters[] = {4, 5, 6, 8};
  floe_status status = FLOE_ERROR_MEMORY;
  for (size_t i = 0; status == FLOE_ERROR_MEMORY && i < sizeof quarters / sizeof *quarters; i++) {
    const uint64_t slots = self->visited.table.shape.slots / 4 * quarters[i];
    struct table_config wanted = self->visited.table.config, config;
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
  const struct gpu_kernel *kernel = self->kernels.receive.function ? &self->kernels.receive : &self->kernels.insert;
  struct gpu_launch launch = {.blocks = kernel->blocks, .threads = GPU_BLOCK};
  void *arguments[] = {&self->visited.table.view, &space};
  space.source = (const uint64_t *)(uintptr_t)self->buffers.source;
  space.source_count = count;
  self->control.pending_count = 0;
  FLOE_TRY(gpu_search_upload(self));
  FLOE_TRY(gpu_start(self->gpu, kernel->function, &launch, arguments));
  return gpu_search_download(self);
}

bool grow_place_pending(struct gpu_search *self) {
  while (!self->search.ended && self->control.pending_count > 0) {
    self->visited.refused += self->control.pending_count;
    if (!grow_set(self))
      return false;
    gpu_address filled = self->buffers.pending;
    self->buffers.pending = self->buffers.source;
    self->buffers.source = filled;
    floe_status status = grow_insert(self, self->control.pending_count);
    if (status != FLOE_OK)
      search_fail(&self->search, status);
    else
      download_take(self);
  }
  return !self->search.ended;
}
