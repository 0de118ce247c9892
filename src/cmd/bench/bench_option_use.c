/* floe bench: rejects options that do not apply to the measurements. */
#include "cmd/bench/bench.h"
#include "cmd/console/message.h"

static bool has_tables(const struct bench_grid *grid) { return grid->quantity != BENCH_LIMITS; }

bool any_operation(const struct bench_grid *grid, bool (*is_one)(floe_bench_operation)) {
  const struct numbers *operations = &grid->axes[AXIS_operation];
  for (size_t i = 0; i < operations->n; i++)
    if (is_one((floe_bench_operation)operations->values[i]))
      return true;
  return false;
}

static bool any_table(const struct bench_grid *grid, bool (*is_one)(const char *)) {
  for (size_t i = 0; has_tables(grid) && i < grid->name_count; i++)
    if (is_one(grid->names[i]))
      return true;
  return false;
}

/* ---- what uses them -------------------------------------------------------------------------- */

static bool puts_keys(floe_bench_operation operation) { return !only_looks(operation); }
static bool puts_again(floe_bench_operation operation) { return puts_keys(operation) && draws_keys(operation); }
static bool adds(floe_bench_operation operation) { return operation == FLOE_BENCH_ADD; }
static bool has_hashes(const char *table) { return floe_bench_table_traits(table).hashes; }
static bool has_second_level(const char *table) { return floe_bench_table_traits(table).second_slot_bits; }

/* Keys are generated for the operations. */
static bool makes_keys(const struct bench_grid *grid) {
  return has_tables(grid) && grid->quantity != BENCH_OVERFLOW && !grid->from_file;
}

static bool is_never_used(const struct bench_grid *grid) {
  (void)grid;
  return false;
}
static bool uses_before(const struct bench_grid *grid) { return makes_keys(grid) && !grid->step; }
static bool uses_after(const struct bench_grid *grid) { return makes_keys(grid) && any_operation(grid, puts_keys); }
static bool uses_positive(const struct bench_grid *grid) { return makes_keys(grid) && any_operation(grid, only_looks); }
static bool uses_times(const struct bench_grid *grid) { return makes_keys(grid) && any_operation(grid, puts_again); }
static bool uses_zipf(const struct bench_grid *grid) { return makes_keys(grid) && any_operation(grid, draws_keys); }
static bool uses_key_bits(const struct bench_grid *grid) { return has_tables(grid) && !grid->from_file; }
static bool uses_reduction(const struct bench_grid *grid) { return any_operation(grid, adds); }
static bool uses_hashes(const struct bench_grid *grid) { return any_table(grid, has_hashes); }
static bool uses_second(const struct bench_grid *grid) { return any_table(grid, has_second_level); }
static bool uses_buckets(const struct bench_grid *grid) { return any_table(grid, has_buckets); }

static const struct use {
  enum option_id option;
  bool (*is_used)(const struct bench_grid *grid);
  const char *where;
} uses[] = {
    {OPTION_table, has_tables, "the preset limits has no tables"},
    {OPTION_slots, has_tables, "the preset limits has no tables"},
    {OPTION_slot_bits, has_tables, "the preset limits has no tables"},
    {OPTION_value_bits, has_tables, "the preset limits has no tables"},
    {OPTION_permutation, has_tables, "the preset limits has no tables"},
    {OPTION_seed, has_tables, "the preset limits has no tables"},
    {OPTION_plot, has_tables, "the preset limits has no tables"},
    {OPTION_repetitions, has_tables, "the preset limits has no tables"},
    {OPTION_bucket_slots, uses_buckets, "iceberg and cuckoo have buckets of several sizes"},
    {OPTION_second_slot_bits, uses_second, "it applies to iceberg tables"},
    {OPTION_hashes, uses_hashes, "it applies to cuckoo tables"},
    {OPTION_key_bits, uses_key_bits, "the file determines the width of its keys"},
    {OPTION_before, uses_before, "it applies to generated keys, except in the preset probe"},
    {OPTION_after, uses_after, "it applies to put, find-or-put and add of generated keys"},
    {OPTION_positive, uses_positive, "it applies to find, get and delete of generated keys"},
    {OPTION_times, uses_times, "it applies to find-or-put and add of generated keys"},
    {OPTION_zipf, uses_zipf, "it applies to find, get, find-or-put and add of generated keys"},
    {OPTION_vary, is_never_used, "it applies to presets whose names begin with ws"},
    {OPTION_reduction, uses_reduction, "it applies to add"},
};

/* Rejects options of another device than the selected one. */
static bool fits_engine(const struct options *options) {
  const floe_engine engine = (floe_engine)options->engine;
  const bool device = GIVEN(options, device) && engine == FLOE_ENGINE_CPU;
  const bool threads =
      GIVEN(options, threads) && (engine == FLOE_ENGINE_GPU || (engine == FLOE_ENGINE_AUTO && GIVEN(options, device)));
  if (!device && !threads)
    return true;
  print_error(device ? "it applies to a GPU" : "it applies to the CPU", "--%s does not apply to these measurements",
              device ? "device" : "threads");
  return false;
}

bool check_option_use(const struct options *options, const struct bench_grid *grid) {
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
    if (option_given(options, uses[i].option) && !uses[i].is_used(grid)) {
      print_error(uses[i].where, "--%s does not apply to these measurements", option_rows[uses[i].option].name);
      return false;
    }
  return fits_engine(options);
}

bool check_query_options(const struct options *options, const struct bench_preset *preset) {
  static const bool used[OPTION_COUNT] = {
      [OPTION_vary] = true,    [OPTION_engine] = true,      [OPTION_device] = true,
      [OPTION_threads] = true, [OPTION_repetitions] = true, [OPTION_seed] = true,
      [OPTION_csv] = true,     [OPTION_json] = true,        [OPTION_cache_dir] = true};
  for (unsigned i = 0; i < OPTION_COUNT; i++)
    if (option_given(options, i) && !used[i]) {
      print_error("use --vary=NAME=VALUES", "--%s does not apply to the preset %s", option_rows[i].name, preset->name);
      return false;
    }
  return true;
}
