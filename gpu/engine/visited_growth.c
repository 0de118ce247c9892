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

static floe_status make_table(struct gpu_rank *rank, const struct table_config *config, const struct table_shape *shape,
                              struct device_table *out) {
  return device_table_make(rank->gpu, config, shape, GPU_TABLE_ON_DEVICE, &rank->budget, out);
}

/* From here on the table should grow. */
static void set_limit(struct gpu_rank *rank) {
  const uint64_t usual = (uint64_t)(100 * table_fill(rank->visited.config.scheme) + 0.5);
  const uint64_t percent = rank->tuning.fill ? rank->tuning.fill : usual;
  rank->control.grow_at = rank->final || percent >= 100 ? UINT64_MAX : rank->visited.shape.slots / 100 * percent;
}

/* Of so many; of a group this member's part. */
static uint64_t part_of(const struct gpu_rank *rank, uint64_t states) {
  return states && member_is_one(rank) ? sizing_part(states, rank->member.together.size) : states;
}

static uint64_t known_states(const struct gpu_rank *rank) { return part_of(rank, moment_states(rank->search->task)); }

/* (A search that goes on has a quarter more before it, if nobody knows better.) */
uint64_t grow_expected_states(const struct gpu_rank *rank) {
  const uint64_t known = moment_states(rank->search->task);
  const uint64_t expected = rank->search->task->options->expected_states;
  return part_of(rank, expected > known || !known ? expected : known + known / 4);
}

/* The search goes on from more states than a hash table of the device holds. */
static bool goes_on_from_too_many(const struct gpu_rank *rank, const struct table_config *wanted) {
  const uint64_t known = known_states(rank);
  return known && !policy_holds(wanted, known, rank->budget.limit);
}

bool grow_may_have_every_key(const struct gpu_rank *rank) {
  const struct engine_task *task = rank->search->task;
  const bool any = (task->any_table || rank->tuning.bitmap) && !rank->tree.words;
  return table_traits(rank->visited.config.scheme)->every_key || (any && !task->two_levels);
}

/* Of a table that was asked for. */
static void tell_too_large(const struct gpu_rank *rank, const struct table_config *wanted) {
  const double bytes = sizing_bytes_of_every_key(wanted);
  diag_error(rank->search->log, NULL, NOWHERE, "--table=iceberg takes memory for the states that there are",
             "a %s of %.*g bytes, a bit for each key that the model's states can have%s, does not fit in the limit of "
             "%" PRIu64 " bytes of the GPU's memory, of which the queue needs a part",
             rank->search->task->options->table, bytes < 1e15 ? 15 : 4, bytes, sizing_share_text(wanted),
             rank->budget.limit);
}

static void tell_why_not(const struct gpu_rank *rank, floe_status status, const struct table_config *wanted,
                         const struct table_shape *shape) {
  floe_log *log = rank->search->log;
  if (status != FLOE_OK && table_traits(wanted->scheme)->every_key)
    tell_too_large(rank, wanted);
  else if (status == FLOE_ERROR_USAGE)
    diag_error(log, NULL, NOWHERE, NULL, "no \"%s\" table holds keys of %u bits with the slots asked for",
               wanted->scheme, wanted->key_bits);
  else if (status == FLOE_ERROR_MEMORY && wanted->slot_bits)
    diag_note(log, NULL, NOWHERE, NULL,
              "the smallest table with slots of %u bits for keys of %u bits takes %llu bytes, and "
              "the first one may take half of the memory",
              wanted->slot_bits, wanted->key_bits, (unsigned long long)shape->bytes);
}

static floe_status choose_first(const struct gpu_rank *rank, const struct table_config *wanted, uint64_t expected,
                                struct table_config *config, struct table_shape *shape) {
  floe_status status = policy_first_table(wanted, expected, rank->budget.limit, config, shape);
  tell_why_not(rank, status, wanted, shape);
  if (status == FLOE_OK && rank->search->task->any_table && !rank->tree.words)
    policy_first_bitmap(expected > 0, member_is_one(rank) ? rank->member.together.size : 1, rank->budget.limit, config,
                        shape);
  return status;
}

/* Of states of several words those of the root's numbers: a linear table of slots of as many bits would have a place of
   its own for the key with all bits set, which the kernels for keys of any number of bits do without. */
static unsigned key_bits(const struct gpu_rank *rank, const unsigned bits[2]) {
  const unsigned sum = bits[0] + bits[1];
  if (!rank->tree.words)
    return rank->search->task->layout->key_bits;
  return sum == 16 || sum == 32 ? sum + 1 : sum;
}

static floe_status refuse_wide(const struct gpu_rank *rank, const char *what) {
  diag_error(rank->search->log, NULL, NOWHERE, "--table=iceberg has states of any width, in the GPU's memory",
             "%s states of up to 64 bits; these take %u", what, (unsigned)rank->search->task->layout->bits);
  return FLOE_ERROR_USAGE;
}

floe_status grow_first_set(struct gpu_rank *rank) {
  const floe_options *options = rank->search->task->options;
  const uint64_t expected = grow_expected_states(rank);
  const struct table_config wanted = {.scheme = options->table,
                                      .permutation = options->permutation,
                                      .key_bits = key_bits(rank, rank->tree.bits),
                                      .keys = rank->search->task->layout->keys,
                                      .shares = &rank->member.together.owners.shares,
                                      .member = rank->member.together.rank,
                                      .slots = options->initial_slots,
                                      .slot_bits = options->slot_bits,
                                      .bucket_slots = options->bucket_slots};
  struct table_config config;
  struct table_shape shape;
  if (rank->tree.words && rank->search->task->two_levels)
    return refuse_wide(rank, "a visited set of two levels holds");
  if (rank->tree.words && table_traits(wanted.scheme)->every_key)
    return refuse_wide(rank, "a table with a place for every key is for");
  const bool too_many = !rank->tree.words && goes_on_from_too_many(rank, &wanted);
  const bool in_bitmap =
      too_many && rank->search->task->any_table && policy_bitmap_of_all(&wanted, rank->budget.limit, &config, &shape);
  if (rank->search->task->two_levels || (too_many && !in_bitmap && !member_is_one(rank))) {
    rank->visited = (struct device_table){.gpu = rank->gpu, .config = wanted};
    rank->begins_in_two_levels = rank->final = true;
    return FLOE_OK;
  }
  if (!in_bitmap)
    FLOE_TRY(choose_first(rank, &wanted, expected, &config, &shape));
  FLOE_TRY(make_table(rank, &config, &shape, &rank->visited));
  rank->final = table_traits(config.scheme)->every_key;
  set_limit(rank);
  return FLOE_OK;
}

void grow_drop_set(struct gpu_rank *rank) { device_table_free(&rank->visited); }

/* ---- moving the keys ------------------------------------------------------------------------- */

struct larger {
  struct device_table table;
  struct gpu_code code; /* module NULL: the present one does */
  unsigned bits[2];     /* rank->tree.bits with it */
};

static floe_status start_rehash(struct gpu_rank *rank, const struct gpu_code *code, struct larger *larger) {
  struct gpu_launch launch = {.blocks = code->rehash.blocks, .threads = GPU_BLOCK};
  void *arguments[] = {&rank->visited.view, &larger->table.view, &rank->control_at};
  rank->control.moved = rank->control.misplaced = rank->control.repeated = 0;
  rank->control.from_low_bits = rank->tree.bits[0];
  rank->control.low_bits = larger->bits[0];
  FLOE_TRY(rank_upload(rank));
  FLOE_TRY(gpu_start(rank->gpu, code->rehash.function, &launch, arguments));
  return rank_download(rank);
}

/* The kernel stays for the next growth, which mostly is between the same widths. */
static floe_status move_keys(struct gpu_rank *rank, struct larger *larger) {
  const struct table_kind from = code_kind(&rank->visited), to = code_kind(&larger->table);
  if (!rank->mover.module || !code_same_kind(&rank->mover.from, &from) || !code_same_kind(&rank->mover.kind, &to)) {
    code_free(&rank->mover);
    FLOE_TRY(code_make_rehash(rank, &to, &from, &rank->mover));
  }
  return start_rehash(rank, &rank->mover, larger);
}

/* FLOE_ERROR_MEMORY: some key found no place. */
static floe_status check_move(struct gpu_rank *rank) {
  const struct gpu_control *control = &rank->control;
  if (control->repeated == 0 && control->moved + control->misplaced == rank_states(rank))
    return control->misplaced ? FLOE_ERROR_MEMORY : FLOE_OK;
  diag_error(rank->search->log, NULL, NOWHERE, "please report this with the model",
             "internal error: a table of %llu states had %llu keys, %llu of them twice, when it grew",
             (unsigned long long)rank_states(rank),
             (unsigned long long)(control->moved + control->misplaced + control->repeated),
             (unsigned long long)control->repeated);
  return FLOE_ERROR_INTERNAL;
}

/* ---- growth ---------------------------------------------------------------------------------- */

static void drop_larger(struct larger *larger) {
  device_table_free(&larger->table);
  code_free(&larger->code);
}

/* FLOE_ERROR_MEMORY: there is no room for it, or it has none for some key. */
static floe_status fill_larger(struct gpu_rank *rank, const struct table_config *config,
                               const struct table_shape *shape, struct larger *larger) {
  FLOE_TRY(make_table(rank, config, shape, &larger->table));
  const struct table_kind kind = code_kind(&larger->table);
  if (!code_same_kind(&kind, &rank->code.kind))
    FLOE_TRY(code_make(rank, &kind, &larger->code));
  FLOE_TRY(move_keys(rank, larger));
  return check_move(rank);
}

/* The grid of another exploration kernel must not be larger than what queue and pending keys were
 * made for. */
static void use_larger(struct gpu_rank *rank, struct larger *larger) {
  assert(larger->table.memory.at);
  assert(rank->tree.words || larger->table.shape.key_bits == rank->visited.shape.key_bits);
  grow_drop_set(rank);
  rank->visited = larger->table;
  rank->final = table_traits(rank->visited.config.scheme)->every_key;
  rank->growths++;
  memcpy(rank->tree.bits, larger->bits, sizeof larger->bits);
  set_limit(rank);
  if (!larger->code.module)
    return;
  code_free(&rank->code);
  rank->code = larger->code;
  rank->blocks = (unsigned)least(rank->blocks, member_most_blocks(rank));
}

/* FLOE_ERROR_MEMORY: as fill_larger; the present table is as it was. */
static floe_status grow_to(struct gpu_rank *rank, const struct table_config *config, const struct table_shape *shape,
                           const unsigned bits[2]) {
  struct larger larger = {.bits = {bits[0], bits[1]}};
  const double start = clock_seconds();
  floe_status status = fill_larger(rank, config, shape, &larger);
  if (status == FLOE_OK)
    use_larger(rank, &larger);
  else
    drop_larger(&larger);
  rank->grow_seconds += clock_seconds() - start;
  return status;
}

/* The n-th attempt: a bitmap first, where that takes no more than a larger table would. */
static bool next_larger(const struct gpu_rank *rank, unsigned attempt, struct table_config *config,
                        struct table_shape *shape) {
  const struct policy_growth growth = {.config = rank->visited.config,
                                       .shape = rank->visited.shape,
                                       .limit = rank->budget.limit,
                                       .left = gpu_budget_room(&rank->budget)};
  const bool all = grow_may_have_every_key(rank) && policy_bitmap_instead(&growth, rank->tuning.bitmap, config, shape);
  if (all && attempt == 0)
    return true;
  return policy_larger_table(&growth, attempt - all, config, shape);
}

bool grow_set(struct gpu_rank *rank) {
  struct table_config config;
  struct table_shape shape;
  for (unsigned i = 0; !rank->final && next_larger(rank, i, &config, &shape); i++) {
    floe_status status = grow_to(rank, &config, &shape, rank->tree.bits);
    if (status == FLOE_OK)
      return true;
    if (status != FLOE_ERROR_MEMORY) {
      if (!search_look(rank->search)) /* it was not stopped while kernels were made */
        search_fail(rank->search, status);
      return false;
    }
  }
  rank->final = true; /* as far as this table goes */
  set_limit(rank);
  return false;
}

/* With as many slots as now, or some more where these have no place for all. */
floe_status grow_keys(struct gpu_rank *rank, const unsigned bits[2]) {
  static const unsigned quarters[] = {4, 5, 6, 8};
  floe_status status = FLOE_ERROR_MEMORY;
  for (size_t i = 0; status == FLOE_ERROR_MEMORY && i < sizeof quarters / sizeof *quarters; i++) {
    const uint64_t slots = rank->visited.shape.slots / 4 * quarters[i];
    struct table_config wanted = rank->visited.config, config;
    struct table_shape shape;
    wanted.key_bits = key_bits(rank, bits);
    if (policy_table(&wanted, slots, &config, &shape) && shape.bytes <= gpu_budget_room(&rank->budget))
      status = grow_to(rank, &config, &shape, bits);
  }
  return status;
}

/* ---- keys without a place -------------------------------------------------------------------- */

floe_status grow_insert(struct gpu_rank *rank, uint64_t count) {
  struct gpu_space space = rank_space(rank);
  const struct gpu_kernel *kernel = rank->code.receive.function ? &rank->code.receive : &rank->code.insert;
  struct gpu_launch launch = {.blocks = kernel->blocks, .threads = GPU_BLOCK};
  void *arguments[] = {&rank->visited.view, &space};
  space.source = (const uint64_t *)(uintptr_t)rank->source;
  space.source_count = count;
  rank->control.pending_count = 0;
  FLOE_TRY(rank_upload(rank));
  FLOE_TRY(gpu_start(rank->gpu, kernel->function, &launch, arguments));
  return rank_download(rank);
}

/* The device is full: the host takes what is found from here on, unless there are other devices to help. */
static void go_on_in_two_levels(struct gpu_rank *rank) {
  const bool possible = !rank->tree.words && !member_is_one(rank) && !rank->search->task->may_outgrow;
  floe_status status = possible ? two_levels_open(rank) : FLOE_ERROR_MEMORY;
  if (status == FLOE_ERROR_MEMORY)
    search_finish(rank->search, FLOE_END_MEMORY);
  else if (status == FLOE_ERROR_IO)
    search_lose_states(rank->search);
  else if (status != FLOE_OK && !search_look(rank->search))
    search_fail(rank->search, status);
}

void grow_place_pending(struct gpu_rank *rank) {
  while (!rank->search->ended && rank->control.pending_count > 0) {
    rank->refused += rank->control.pending_count;
    if (!grow_set(rank)) {
      if (!rank->search->ended)
        go_on_in_two_levels(rank);
      return;
    }
    gpu_address filled = rank->pending;
    rank->pending = rank->source;
    rank->source = filled;
    floe_status status = grow_insert(rank, rank->control.pending_count);
    if (status != FLOE_OK)
      search_fail(rank->search, status);
    else
      harvest_take(rank);
  }
}
