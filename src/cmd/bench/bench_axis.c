/* Axes of the figures of floe bench, and properties of operations. */
#include "cmd/bench/bench.h"

static const struct {
  bool looks, draws;
} operations[] = {
#define BENCH_OPERATION(operation, word, table, looks, draws) {looks, draws},
#include "bench/operations.def"
};

bool only_looks(floe_bench_operation operation) { return operations[operation].looks; }

bool draws_keys(floe_bench_operation operation) { return operations[operation].draws; }

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

const enum bench_axis figure_axes[FIGURE_AXES] = {AXIS_before, AXIS_after,        AXIS_positive, AXIS_part,
                                                  AXIS_zipf,   AXIS_bucket_slots, AXIS_slots,    AXIS_key_bits};

const char *axis_title(enum bench_axis axis) {
  static const char *const titles[AXES] = {[AXIS_before] = "fill factor before",
                                           [AXIS_after] = "fill factor",
                                           [AXIS_positive] = "part of the keys present",
                                           [AXIS_part] = "part of the data",
                                           [AXIS_zipf] = "Zipf's exponent",
                                           [AXIS_bucket_slots] = "slots of a bucket",
                                           [AXIS_slots] = "slots",
                                           [AXIS_key_bits] = "key width"};
  return titles[axis];
}

const char *axis_word(enum bench_axis axis) {
  static const char *const words[AXES] = {
      [AXIS_before] = "before", [AXIS_after] = "after",      [AXIS_positive] = "present",
      [AXIS_part] = "part",     [AXIS_zipf] = "Zipf",        [AXIS_bucket_slots] = "a bucket",
      [AXIS_slots] = "slots",   [AXIS_key_bits] = "key bits"};
  return words[axis];
}
