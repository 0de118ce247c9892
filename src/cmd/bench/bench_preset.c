/* floe bench: presets, which repeat published measurements. Figures are those of "Compact Parallel Hash Tables on
   the GPU" (section 5). */
#include "cmd/bench/bench_mixed.h"

#include <string.h>

#define LIST(list, ...)                                                                                                \
  do {                                                                                                                 \
    static const double values_[] = {__VA_ARGS__};                                                                     \
    (list).n = sizeof values_ / sizeof *values_;                                                                       \
    memcpy((list).values, values_, sizeof values_);                                                                    \
  } while (0)

/* The tables of section 5.1: buckets of 8, 16 and 32 slots; compact slots of 16 and 32 bits, and of 64, which save
   nearly nothing. */
static void fill_tables(struct bench_grid *grid) {
  grid->tables[0] = "iceberg";
  grid->tables[1] = "cuckoo";
  grid->table_count = 2;
  memcpy(grid->slot_bits, (unsigned[]){16, 32, 64}, 3 * sizeof(unsigned));
  memcpy(grid->bucket_slots, (unsigned[]){8, 16, 32}, 3 * sizeof(unsigned));
  grid->width_count = grid->bucket_count = 3;
}

static void fill_one(struct bench_grid *grid, floe_bench_operation operation) {
  grid->operations[0] = operation;
  grid->operation_count = 1;
  LIST(grid->before, 0);
}

static void fill_fig1(struct bench_grid *grid) {
  fill_tables(grid);
  fill_one(grid, FLOE_BENCH_PUT);
  LIST(grid->after, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95);
}

static void fill_fig2(struct bench_grid *grid) {
  fill_tables(grid);
  fill_one(grid, FLOE_BENCH_FIND);
  LIST(grid->before, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95);
  LIST(grid->positive, 0, 0.5, 1);
  grid->x = AXIS_BEFORE;
  grid->panel = AXIS_POSITIVE;
}

static void fill_fig3(struct bench_grid *grid) {
  fill_tables(grid);
  fill_one(grid, FLOE_BENCH_FIND_OR_PUT);
  LIST(grid->before, 0, 0.25, 0.5, 0.75);
  LIST(grid->after, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95);
  grid->panel = AXIS_BEFORE;
}

static void fill_fig4(struct bench_grid *grid) {
  fill_tables(grid);
  fill_one(grid, FLOE_BENCH_FIND_OR_PUT);
  LIST(grid->after, 0);
  LIST(grid->part, 0.2, 0.4, 0.6, 0.8, 1);
  grid->from_file = true;
  grid->x = AXIS_PART;
}

/* The slots of the paper's remark; buckets of a cache line or more. */
static void fill_remark1(struct bench_grid *grid) {
  fill_tables(grid);
  grid->table_count = 1;
  grid->bucket_slots[0] = 32;
  grid->bucket_count = 1;
  grid->operations[0] = FLOE_BENCH_PUT;
  grid->operations[1] = FLOE_BENCH_FIND;
  grid->operations[2] = FLOE_BENCH_FIND_OR_PUT;
  grid->operation_count = 3;
  LIST(grid->before, 0, 0.8);
  LIST(grid->after, 0.8);
  LIST(grid->positive, 0, 1);
  grid->common.slots = UINT64_C(1) << 29;
  grid->places = true;
}

/* The third level, which the paper's section 3 omits, shows the capacity of two levels. */
static void fill_overflow(struct bench_grid *grid) {
  fill_tables(grid);
  grid->table_count = 1;
  fill_one(grid, FLOE_BENCH_FIND_OR_PUT);
  LIST(grid->after, 1);
  grid->quantity = BENCH_OVERFLOW;
  grid->x = AXIS_BUCKET;
}

/* As in the author's tables: so many added keys, several times each. */
static void fill_probe(struct bench_grid *grid) {
  grid->tables[0] = "linear";
  grid->table_count = 1;
  fill_one(grid, FLOE_BENCH_ADD);
  for (unsigned i = 1; i <= 31; i++)
    grid->after.values[grid->after.n++] = i / 32.0;
  grid->common.value_bits = 32;
  grid->common.times = 1;
  grid->step = true;
}

/* Counts every number: keys of uniform and of Zipf's distribution, ten for each slot filled. */
static void fill_reduce(struct bench_grid *grid) {
  grid->tables[0] = "robin-hood";
  grid->table_count = 1;
  fill_one(grid, FLOE_BENCH_ADD);
  LIST(grid->after, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95);
  LIST(grid->zipf, 0, 0.5, 1);
  grid->common.value_bits = 32;
  grid->common.reduction = "sum";
  grid->common.times = 10;
  grid->panel = AXIS_ZIPF;
}

static void fill_limits(struct bench_grid *grid) { grid->quantity = BENCH_LIMITS; }

const struct bench_preset bench_presets[] = {{"fig1", fill_fig1},       {"fig2", fill_fig2},
                                             {"fig3", fill_fig3},       {"fig4", fill_fig4},
                                             {"remark1", fill_remark1}, {"overflow", fill_overflow},
                                             {"probe", fill_probe},     {"reduce", fill_reduce},
                                             {"limits", fill_limits},   {NULL, NULL}};

const struct bench_preset *find_preset(const char *name) {
  const char *names[BENCH_LIST];
  size_t n = 0;
  for (; bench_presets[n].name; n++) {
    if (strcmp(bench_presets[n].name, name) == 0)
      return &bench_presets[n];
    names[n] = bench_presets[n].name;
  }
  for (size_t i = 0; mixed_presets[i].name; i++)
    names[n++] = mixed_presets[i].name;
  report_unknown_name("preset", name, names, n);
  return NULL;
}
