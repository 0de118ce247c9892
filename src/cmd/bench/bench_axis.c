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
  case AXIS_BEFORE:
    return row->what.before;
  case AXIS_AFTER:
    return row->what.after;
  case AXIS_POSITIVE:
    return row->what.positive;
  case AXIS_PART:
    return row->what.part;
  case AXIS_ZIPF:
    return row->what.zipf;
  case AXIS_BUCKET:
    return row->result.bucket_slots;
  case AXIS_SLOTS:
    return (double)row->what.slots;
  case AXIS_KEY_BITS:
    return row->what.key_bits;
  case AXIS_NONE:
  case AXES:
    break;
  }
  return 0;
}

const char *axis_title(enum bench_axis axis) {
  static const char *const titles[AXES] = {"",
                                           "fill factor before",
                                           "fill factor",
                                           "part of the keys present",
                                           "part of the data",
                                           "Zipf's exponent",
                                           "slots of a bucket",
                                           "slots",
                                           "key width"};
  return titles[axis];
}

const char *axis_word(enum bench_axis axis) {
  static const char *const words[AXES] = {"",     "before",   "after", "present", "part",
                                          "Zipf", "a bucket", "slots", "key bits"};
  return words[axis];
}
