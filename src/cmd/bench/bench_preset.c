/* floe bench: presets, which repeat published measurements. Figures are those of "Compact Parallel Hash Tables on
   the GPU" (section 5); presets of mixed queries begin with ws (doc/bench.md). */
#include "cmd/bench/bench.h"

#include <string.h>

#define LIST(axis, ...)                                                                                                \
  do {                                                                                                                 \
    static const double values_[] = {__VA_ARGS__};                                                                     \
    grid->axes[AXIS_##axis].n = sizeof values_ / sizeof *values_;                                                      \
    memcpy(grid->axes[AXIS_##axis].values, values_, sizeof values_);                                                   \
  } while (0)

static void add(struct bench_grid *grid, enum bench_axis axis, double value) {
  struct numbers *list = &grid->axes[axis];
  list->values[list->n++] = value;
}

/* The tables of section 5.1: buckets of 8, 16 and 32 slots; compact slots of 16 and 32 bits, and of 64, which save
   nearly nothing. */
static void fill_tables(struct bench_grid *grid) {
  grid->names[0] = "iceberg";
  grid->names[1] = "cuckoo";
  grid->name_count = 2;
  LIST(slot_bits, 16, 32, 64);
  LIST(bucket_slots, 8, 16, 32);
}

static void fill_one(struct bench_grid *grid, floe_bench_operation operation) {
  add(grid, AXIS_operation, operation);
  LIST(before, 0);
}

static void fill_fig1(struct bench_grid *grid) {
  fill_tables(grid);
  fill_one(grid, FLOE_BENCH_PUT);
  LIST(after, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95);
}

static void fill_fig2(struct bench_grid *grid) {
  fill_tables(grid);
  fill_one(grid, FLOE_BENCH_FIND);
  LIST(before, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95);
  LIST(positive, 0, 0.5, 1);
  grid->x = AXIS_before;
  grid->panel = AXIS_positive;
}

static void fill_fig3(struct bench_grid *grid) {
  fill_tables(grid);
  fill_one(grid, FLOE_BENCH_FIND_OR_PUT);
  LIST(before, 0, 0.25, 0.5, 0.75);
  LIST(after, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95);
  grid->panel = AXIS_before;
}

static void fill_fig4(struct bench_grid *grid) {
  fill_tables(grid);
  fill_one(grid, FLOE_BENCH_FIND_OR_PUT);
  LIST(after, 0);
  LIST(part, 0.2, 0.4, 0.6, 0.8, 1);
  grid->from_file = true;
  grid->x = AXIS_part;
}

/* The slots of the paper's remark; buckets of a cache line or more. */
static void fill_remark1(struct bench_grid *grid) {
  fill_tables(grid);
  grid->name_count = 1;
  LIST(bucket_slots, 32);
  LIST(operation, FLOE_BENCH_PUT, FLOE_BENCH_FIND, FLOE_BENCH_FIND_OR_PUT);
  LIST(before, 0, 0.8);
  LIST(after, 0.8);
  LIST(positive, 0, 1);
  grid->common.slots = UINT64_C(1) << 29;
  LIST(host_memory, 0, 1);
}

/* The third level, which the paper's section 3 omits, shows the capacity of two levels. */
static void fill_overflow(struct bench_grid *grid) {
  fill_tables(grid);
  grid->name_count = 1;
  fill_one(grid, FLOE_BENCH_FIND_OR_PUT);
  LIST(after, 1);
  grid->quantity = BENCH_OVERFLOW;
  grid->x = AXIS_bucket_slots;
}

/* As in the author's tables: so many added keys, several times each. */
static void fill_probe(struct bench_grid *grid) {
  grid->names[0] = "linear";
  grid->name_count = 1;
  fill_one(grid, FLOE_BENCH_ADD);
  for (unsigned i = 1; i <= 31; i++)
    add(grid, AXIS_after, i / 32.0);
  grid->common.value_bits = 32;
  grid->common.times = 1;
  grid->step = true;
}

/* Counts every number: keys of uniform and of Zipf's distribution, ten for each slot filled. */
static void fill_reduce(struct bench_grid *grid) {
  grid->names[0] = "robin-hood";
  grid->name_count = 1;
  fill_one(grid, FLOE_BENCH_ADD);
  LIST(after, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95);
  LIST(zipf, 0, 0.5, 1);
  grid->common.value_bits = 32;
  grid->common.reduction = "sum";
  grid->common.times = 10;
  grid->panel = AXIS_zipf;
}

static void fill_limits(struct bench_grid *grid) { grid->quantity = BENCH_LIMITS; }

/* ---- mixed queries --------------------------------------------------------------------------- */

/* The sizes of the paper. 0.9 of 2^26 pairs, instead of its 64 million, give a load of 0.9 also in tables with a
   power of two of slots. */
static void fill_sizes(struct bench_grid *grid) {
  grid->quantity = BENCH_QUERIES;
  add(grid, AXIS_threads, grid->queries.threads);
  LIST(pairs, 60397977);
  LIST(recent, 0x1p20);
  LIST(batch, 0x1p13);
  LIST(queries, 1e7);
  LIST(seconds, 0.5);
  LIST(updates, 0.2);
  LIST(hot, 1, 0.2);
  grid->names[grid->name_count++] = floe_hash_variant(0);
}

static void fill_variants(struct bench_grid *grid) {
  grid->name_count = 0;
  for (const char *name; (name = floe_hash_variant(grid->name_count)) && grid->name_count < BENCH_LIST;)
    grid->names[grid->name_count++] = name;
}

/* 1, 4, 16, ... and all. */
static void fill_ws_fig4(struct bench_grid *grid) {
  fill_sizes(grid);
  fill_variants(grid);
  grid->axes[AXIS_threads].n = 0;
  for (unsigned n = 1; n < grid->queries.threads; n *= 4)
    add(grid, AXIS_threads, n);
  add(grid, AXIS_threads, grid->queries.threads);
  LIST(updates, 0.2, 0.8);
}

static void fill_ws_fig5(struct bench_grid *grid) {
  fill_sizes(grid);
  fill_variants(grid);
}

static void fill_recent(struct bench_grid *grid) {
  fill_sizes(grid);
  LIST(recent, 0x1p16, 0x1p18, 0x1p20, 0x1p22, 0x1p24, 0x1p25);
  grid->queries.timed = true;
}

static void fill_batch(struct bench_grid *grid) {
  fill_sizes(grid);
  LIST(batch, 0x1p10, 0x1p13, 0x1p15, 0x1p17, 0x1p19);
  grid->queries.timed = true;
}

static void fill_crossover(struct bench_grid *grid) {
  fill_sizes(grid);
  LIST(recent, 0x1p20, 0x1p24);
  LIST(hot, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001);
}

static const struct bench_preset presets[] = {{"fig1", fill_fig1},           {"fig2", fill_fig2},
                                              {"fig3", fill_fig3},           {"fig4", fill_fig4},
                                              {"remark1", fill_remark1},     {"overflow", fill_overflow},
                                              {"probe", fill_probe},         {"reduce", fill_reduce},
                                              {"limits", fill_limits},       {"ws-fig4", fill_ws_fig4},
                                              {"ws-fig5", fill_ws_fig5},     {"ws-fig6", fill_recent},
                                              {"ws-fig6-batch", fill_batch}, {"ws-crossover", fill_crossover}};
enum { PRESETS = sizeof presets / sizeof *presets };

const struct bench_preset *find_preset(const char *name) {
  const char *names[PRESETS];
  for (size_t i = 0; i < PRESETS; i++) {
    if (strcmp(presets[i].name, name) == 0)
      return &presets[i];
    names[i] = presets[i].name;
  }
  report_unknown_name("preset", name, names, PRESETS);
  return NULL;
}
