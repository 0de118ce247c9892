/* Axes of the figures of floe bench, and properties of operations and tables. */
#include "cmd/bench/bench.h"

static const struct {
  bool looks, draws;
} operations[] = {
#define BENCH_OPERATION(operation, word, table, looks, draws) {looks, draws},
#include "bench/operations.def"
};

bool only_looks(floe_bench_operation operation) { return operations[operation].looks; }

bool draws_keys(floe_bench_operation operation) { return operations[operation].draws; }

bool has_buckets(const char *table) { return floe_bench_table_traits(table).bucket_slots; }

double bench_fraction(const floe_bench_result *result) {
  return result->ceiling > 0 ? result->rate / result->ceiling : 0;
}

double axis_value(const struct bench_row *row, enum bench_axis axis) {
  switch (axis) {
  case AXIS_before:
    return row->what.before;
  case AXIS_after:
    return row->what.after;
  case AXIS_positive:
    return row->what.positive;
  case AXIS_part:
    return row->what.part;
  case AXIS_zipf:
    return row->what.zipf;
  case AXIS_bucket_slots:
    return row->result.bucket_slots;
  case AXIS_slots:
    return (double)row->what.slots;
  case AXIS_key_bits:
    return row->what.key_bits;
  default:
    return 0;
  }
}
