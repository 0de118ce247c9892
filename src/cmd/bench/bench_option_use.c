/* floe bench: an option that says nothing about what is measured is a mistake. */
#include "cmd/bench/bench.h"
#include "cmd/console/message.h"

static bool has_tables(const struct bench_grid *grid) { return !grid->limits; }

bool any_operation(const struct bench_grid *grid, bool (*is_one)(floe_bench_operation)) {
  for (size_t i = 0; i < grid->operation_count; i++)
    if (is_one(grid->operations[i]))
      return true;
  return false;
}

static bool any_table(const struct bench_grid *grid, bool (*is_one)(const char *)) {
  for (size_t i = 0; has_tables(grid) && i < grid->table_count; i++)
    if (is_one(grid->tables[i]))
      return true;
  return false;
}

/* ---- what uses them -------------------------------------------------------------------------- */

static bool puts_keys(floe_bench_operation operation) { return !only_looks(operation); }
static bool puts_again(floe_bench_operation operation) { return puts_keys(operation) && draws_keys(operation); }
static bool adds(floe_bench_operation operation) { return operation == FLOE_BENCH_ADD; }
static bool has_hashes(const char *table) { return floe_bench_table_traits(table).hashes; }
static bool has_second_level(const char *table) { return floe_bench_table_traits(table).second_slot_bits; }

/* Keys are made for the operations. */
static bool makes_keys(const struct bench_grid *grid) {
  return has_tables(grid) && !grid->overflow && !grid->from_file;
}

static bool never(const struct bench_grid *grid) {
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
    {OPTION_second_slot_bits, uses_second, "it is for iceberg tables"},
    {OPTION_hashes, uses_hashes, "it is for cuckoo tables"},
    {OPTION_key_bits, uses_key_bits, "keys of a file have their width"},
    {OPTION_before, uses_before, "it is for operations on keys that are made, but in the preset probe"},
    {OPTION_after, uses_after, "it is for put, find-or-put and add of keys that are made"},
    {OPTION_positive, uses_positive, "it is for find, get and delete of keys that are made"},
    {OPTION_times, uses_times, "it is for find-or-put and add of keys that are made"},
    {OPTION_zipf, uses_zipf, "it is for find, get, find-or-put and add of keys that are made"},
    {OPTION_vary, never, "it is for the presets whose names begin with ws"},
    {OPTION_reduction, uses_reduction, "it is for add"},
};

/* Of a machine that is not the one asked for. */
static bool fits_engine(const struct options *options) {
  const floe_engine engine = (floe_engine)options->engine;
  const bool device = GIVEN(options, device) && engine == FLOE_ENGINE_CPU;
  const bool threads =
      GIVEN(options, threads) && (engine == FLOE_ENGINE_GPU || (engine == FLOE_ENGINE_AUTO && GIVEN(options, device)));
  if (!device && !threads)
    return true;
  print_error(device ? "it is for a GPU" : "it is for the CPU", "--%s says nothing about what is measured here",
           device ? "device" : "threads");
  return false;
}

bool check_uses(const struct options *options, const struct bench_grid *grid) {
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
    if (option_given(options, uses[i].option) && !uses[i].is_used(grid)) {
      print_error(uses[i].where, "--%s says nothing about what is measured here", option_rows[uses[i].option].name);
      return false;
    }
  return fits_engine(options);
}
