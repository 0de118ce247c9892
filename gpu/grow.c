/* The visited set on the device over a run: first table, growth by moving all keys, keys that found
 * no place. */
#include "gpu/run.h"

#include "core/clock.h"
#include "core/diag.h"
#include "gpu/policy.h"

#include <assert.h>

/* ---- tables ---------------------------------------------------------------------------------- */

static floe_status make_table(struct gpu_run *run, const struct table_config *config, const struct table_shape *shape,
                              struct device_table *out) {
  return device_table_make(run->gpu, config, shape, GPU_TABLE_ON_DEVICE, &run->budget, out);
}

/* From here on the table should grow. */
static void set_limit(struct gpu_run *run) {
  const uint64_t usual = (uint64_t)(100 * table_fill(run->table.config.scheme) + 0.5);
  const uint64_t percent = run->tuning.fill ? run->tuning.fill : usual;
  run->control.grow_at = run->final || percent >= 100 ? UINT64_MAX : run->table.shape.slots / 100 * percent;
}

floe_status grow_first_table(struct gpu_run *run) {
  const floe_options *options = run->task->options;
  const struct table_config wanted = {.scheme = options->table,
                                      .permutation = options->permutation,
                                      .key_bits = run->task->layout->bits,
                                      .slots = options->initial_slots,
                                      .slot_bits = options->slot_bits,
                                      .bucket_slots = options->bucket_slots};
  struct table_config config;
  struct table_shape shape;
  floe_status status = policy_first_table(&wanted, options->expected_states, run->budget.limit, &config, &shape);
  if (status == FLOE_ERROR_USAGE)
    diag_error(run->log, NULL, NOWHERE, NULL, "no \"%s\" table holds keys of %u bits with the slots asked for",
               wanted.scheme, wanted.key_bits);
  if (status == FLOE_ERROR_MEMORY && wanted.slot_bits)
    diag_note(run->log, NULL, NOWHERE, NULL,
              "the smallest table with slots of %u bits for keys of %u bits takes %llu bytes, and "
              "the first one may take half of the memory",
              wanted.slot_bits, wanted.key_bits, (unsigned long long)shape.bytes);
  FLOE_TRY(status);
  FLOE_TRY(make_table(run, &config, &shape, &run->table));
  set_limit(run);
  return FLOE_OK;
}

void grow_drop_table(struct gpu_run *run) { device_table_free(&run->table); }

/* ---- moving the keys ------------------------------------------------------------------------- */

struct larger {
  struct device_table table;
  struct gpu_code code; /* module NULL: the present one does */
};

static bool same_geometry(struct geometry a, struct geometry b) {
  return a.slot_bits == b.slot_bits && a.bucket_slots == b.bucket_slots && a.second_slot_bits == b.second_slot_bits &&
         a.second_bucket_slots == b.second_bucket_slots;
}

static floe_status start_rehash(struct gpu_run *run, const struct gpu_code *code, struct larger *larger) {
  struct gpu_launch launch = {.blocks = code->rehash_blocks, .threads = GPU_BLOCK};
  void *arguments[] = {&run->table.view, &larger->table.view, &run->control_at};
  run->control.moved = run->control.misplaced = run->control.repeated = 0;
  FLOE_TRY(run_upload(run));
  FLOE_TRY(gpu_start(run->gpu, code->rehash, &launch, arguments));
  return run_download(run);
}

/* The kernel stays for the next growth, which mostly is between the same widths. */
static floe_status move_keys(struct gpu_run *run, struct larger *larger) {
  const struct geometry from = code_geometry(&run->table.shape), to = code_geometry(&larger->table.shape);
  if (!run->mover.module || !same_geometry(run->mover.from, from) || !same_geometry(run->mover.geometry, to)) {
    code_free(&run->mover);
    FLOE_TRY(code_make_rehash(run, &larger->table.shape, from, &run->mover));
  }
  return start_rehash(run, &run->mover, larger);
}

/* FLOE_ERROR_MEMORY: some key found no place. */
static floe_status check_move(struct gpu_run *run) {
  const struct gpu_control *control = &run->control;
  if (control->repeated == 0 && control->moved + control->misplaced == run_states(run))
    return control->misplaced ? FLOE_ERROR_MEMORY : FLOE_OK;
  diag_error(run->log, NULL, NOWHERE, "please report this with the model",
             "internal error: a table of %llu states had %llu keys, %llu of them twice, when it grew",
             (unsigned long long)run_states(run),
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
static floe_status fill_larger(struct gpu_run *run, const struct table_config *config, const struct table_shape *shape,
                               struct larger *larger) {
  FLOE_TRY(make_table(run, config, shape, &larger->table));
  if (!same_geometry(code_geometry(shape), run->code.geometry))
    FLOE_TRY(code_make(run, shape, &larger->code));
  FLOE_TRY(move_keys(run, larger));
  return check_move(run);
}

/* The grid of another exploration kernel must not be larger than what queue and pending keys were
 * made for. */
static void use_larger(struct gpu_run *run, struct larger *larger) {
  assert(larger->table.memory.at && larger->table.shape.key_bits == run->table.shape.key_bits);
  grow_drop_table(run);
  run->table = larger->table;
  run->growths++;
  set_limit(run);
  if (!larger->code.module)
    return;
  code_free(&run->code);
  run->code = larger->code;
  if (run->blocks > run->code.explore_blocks)
    run->blocks = run->code.explore_blocks;
}

bool grow_table(struct gpu_run *run) {
  struct policy_growth growth = {.config = run->table.config,
                                 .shape = run->table.shape,
                                 .limit = run->budget.limit,
                                 .left = gpu_budget_room(&run->budget)};
  struct table_config config;
  struct table_shape shape;
  struct larger larger = {0};
  const double start = clock_seconds();
  for (unsigned i = 0; !run->final && policy_larger_table(&growth, i, &config, &shape); i++) {
    floe_status status = fill_larger(run, &config, &shape, &larger);
    if (status == FLOE_OK) {
      use_larger(run, &larger);
      run->grow_seconds += clock_seconds() - start;
      return true;
    }
    drop_larger(&larger);
    if (status != FLOE_ERROR_MEMORY) {
      if (!run_look(run)) /* it was not stopped while kernels were made */
        run_fail(run, status);
      return false;
    }
  }
  run->final = true; /* as far as this table goes */
  set_limit(run);
  return false;
}

/* ---- keys without a place -------------------------------------------------------------------- */

floe_status grow_insert(struct gpu_run *run, uint64_t count) {
  struct gpu_space space = run_space(run);
  struct gpu_launch launch = {.blocks = run->code.insert_blocks, .threads = GPU_BLOCK};
  void *arguments[] = {&run->table.view, &space};
  space.source = (const uint64_t *)(uintptr_t)run->source;
  space.source_count = count;
  run->control.pending_count = 0;
  FLOE_TRY(run_upload(run));
  FLOE_TRY(gpu_start(run->gpu, run->code.insert, &launch, arguments));
  return run_download(run);
}

void grow_place_pending(struct gpu_run *run) {
  while (!run->ended && run->control.pending_count > 0) {
    run->refused += run->control.pending_count;
    if (!grow_table(run)) {
      if (!run->ended)
        run_finish(run, FLOE_END_MEMORY);
      return;
    }
    gpu_address filled = run->pending;
    run->pending = run->source;
    run->source = filled;
    floe_status status = grow_insert(run, run->control.pending_count);
    if (status != FLOE_OK)
      run_fail(run, status);
    else
      harvest_take(run);
  }
}
