/* floe bench, ws presets: their grids, and the changes of --vary. */
#define _DEFAULT_SOURCE
#include "cmd/bench/bench_mixed.h"
#include "cmd/console/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- presets --------------------------------------------------------------------------------- */

#define LIST(list, ...)                                                                                                \
  do {                                                                                                                 \
    static const double values_[] = {__VA_ARGS__};                                                                     \
    (list).n = sizeof values_ / sizeof *values_;                                                                       \
    memcpy((list).values, values_, sizeof values_);                                                                    \
  } while (0)

static void add(struct numbers *list, double value) { list->values[list->n++] = value; }

/* The sizes of the paper. 0.9 of 2^26 pairs, instead of its 64 million, give a load of 0.9 also in tables with a
   power of two of slots. */
static void fill_sizes(struct mixed_grid *grid, unsigned threads) {
  add(&grid->axes[MIXED_threads], threads);
  LIST(grid->axes[MIXED_pairs], 60397977);
  LIST(grid->axes[MIXED_recent], 0x1p20);
  LIST(grid->axes[MIXED_batch], 0x1p13);
  LIST(grid->axes[MIXED_queries], 1e7);
  LIST(grid->axes[MIXED_seconds], 0.5);
  LIST(grid->axes[MIXED_updates], 0.2);
  LIST(grid->axes[MIXED_hot], 1, 0.2);
  grid->variants[grid->variant_count++] = floe_hash_variant(0);
}

static void fill_variants(struct mixed_grid *grid) {
  grid->variant_count = 0;
  for (const char *name; (name = floe_hash_variant(grid->variant_count)) && grid->variant_count < BENCH_LIST;)
    grid->variants[grid->variant_count++] = name;
}

/* 1, 4, 16, ... and all. */
static void fill_fig4(struct mixed_grid *grid, unsigned threads) {
  fill_sizes(grid, threads);
  fill_variants(grid);
  grid->axes[MIXED_threads].n = 0;
  for (unsigned n = 1; n < threads; n *= 4)
    add(&grid->axes[MIXED_threads], n);
  add(&grid->axes[MIXED_threads], threads);
  LIST(grid->axes[MIXED_updates], 0.2, 0.8);
}

static void fill_fig5(struct mixed_grid *grid, unsigned threads) {
  fill_sizes(grid, threads);
  fill_variants(grid);
}

static void fill_recent(struct mixed_grid *grid, unsigned threads) {
  fill_sizes(grid, threads);
  LIST(grid->axes[MIXED_recent], 0x1p16, 0x1p18, 0x1p20, 0x1p22, 0x1p24, 0x1p25);
  grid->timed = true;
}

static void fill_batch(struct mixed_grid *grid, unsigned threads) {
  fill_sizes(grid, threads);
  LIST(grid->axes[MIXED_batch], 0x1p10, 0x1p13, 0x1p15, 0x1p17, 0x1p19);
  grid->timed = true;
}

static void fill_crossover(struct mixed_grid *grid, unsigned threads) {
  fill_sizes(grid, threads);
  LIST(grid->axes[MIXED_recent], 0x1p20, 0x1p24);
  LIST(grid->axes[MIXED_hot], 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001);
}

const struct mixed_preset mixed_presets[] = {{"ws-fig4", fill_fig4},           {"ws-fig5", fill_fig5},
                                             {"ws-fig6", fill_recent},         {"ws-fig6-batch", fill_batch},
                                             {"ws-crossover", fill_crossover}, {NULL, NULL}};

/* ---- --vary ---------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  bool whole;
  double low, high;
} axes[] = {
#define MIXED_AXIS(name, whole, low, high) {#name, whole, low, high},
#include "cmd/bench/bench_mixed_axes.def"
};

static bool take_variants(const char *text, struct mixed_grid *grid) {
  free(grid->names);
  grid->names = strdup(text);
  grid->variant_count = 0;
  if (!grid->names) {
    print_error(NULL, "out of memory");
    return false;
  }
  for (char *rest = grid->names, *name; (name = strsep(&rest, ","));) {
    if (!check_known_name("variant", name, floe_hash_variant))
      return false;
    for (size_t i = 0; i < grid->variant_count; i++)
      if (strcmp(grid->variants[i], name) == 0) {
        print_error("list every variant once", "'%s' is not a valid value for --vary=variant", text);
        return false;
      }
    grid->variants[grid->variant_count++] = name;
  }
  return true;
}

static bool take_numbers(size_t axis, const char *text, struct mixed_grid *grid) {
  char option[32], hint[112];
  snprintf(option, sizeof option, "vary=%s", axes[axis].name);
  if (!axes[axis].whole)
    return read_numbers(option, text, axes[axis].low, axes[axis].high, &grid->axes[axis]);
  snprintf(hint, sizeof hint, "use whole numbers from 1 to %.10g, for example --%s=2^3,100", axes[axis].high, option);
  return read_wholes(option, text, axes[axis].high, hint, &grid->axes[axis]);
}

/* "hot=0.2,0.1" */
static bool parse_axis(const char *text, struct mixed_grid *grid) {
  const size_t length = strcspn(text, "=");
  const char *names[MIXED_AXES + 1] = {"variant"};
  char name[32];
  for (size_t i = 0; i < MIXED_AXES; i++)
    names[i + 1] = axes[i].name;
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  if (text[length] != '=') {
    print_error("use NAME=VALUE,VALUE,..., for example --vary=hot=0.2,0.1", "'%s' is not a valid value for --vary",
                text);
    return false;
  }
  if (strcmp(name, "variant") == 0)
    return take_variants(text + length + 1, grid);
  for (size_t i = 0; i < MIXED_AXES; i++)
    if (strcmp(name, axes[i].name) == 0)
      return take_numbers(i, text + length + 1, grid);
  report_unknown_name("axis", name, names, MIXED_AXES + 1);
  return false;
}

bool mixed_grid_make(const struct options *options, const struct mixed_preset *preset, struct mixed_grid *out) {
  floe_bench_mixed_case all;
  floe_bench_mixed_case_init(&all);
  all.threads = (unsigned)options->threads;
  floe_bench_mixed_case_complete(&all);
  *out = (struct mixed_grid){.repetitions = (unsigned)options->repetitions,
                             .seed = GIVEN(options, seed) ? options->seed : 1};
  preset->fill(out, all.threads);
  for (size_t i = 0; i < options->vary.n; i++)
    if (!parse_axis(options->vary.items[i], out))
      return false;
  return true;
}

void mixed_grid_free(struct mixed_grid *grid) { free(grid->names); }

/* ---- cases ----------------------------------------------------------------------------------- */

static double largest(const struct numbers *list) {
  double most = 0;
  for (size_t i = 0; i < list->n; i++)
    most = list->values[i] > most ? list->values[i] : most;
  return most;
}

/* Each thread has the same number of queries, whatever the number of threads; the warm-up has as many as the most
   threads. */
static void set_queries(const struct mixed_grid *grid, double queries, floe_bench_mixed_case *what) {
  what->warm_up = (uint64_t)queries;
  what->queries = (uint64_t)(queries * what->threads / largest(&grid->axes[MIXED_threads]));
  if (what->queries == 0)
    what->queries = 1;
}

static void set_case(const struct mixed_grid *grid, const char *variant, const size_t at[MIXED_AXES],
                     floe_bench_mixed_case *what) {
#define VALUE(name) grid->axes[MIXED_##name].values[at[MIXED_##name]]
  floe_bench_mixed_case_init(what);
  what->variant = variant;
  what->threads = (unsigned)VALUE(threads);
  what->pairs = (uint64_t)VALUE(pairs);
  what->recent = (uint64_t)VALUE(recent);
  what->batch = (uint64_t)VALUE(batch);
  what->seconds = VALUE(seconds);
  what->updates = VALUE(updates);
  what->hot = VALUE(hot);
  what->repetitions = grid->repetitions;
  what->seed = grid->seed;
  what->timed = grid->timed;
  set_queries(grid, VALUE(queries), what);
  floe_bench_mixed_case_complete(what);
#undef VALUE
}

/* Advances to the next combination of indexes; false: none is left. */
static bool step(const struct mixed_grid *grid, size_t at[MIXED_AXES]) {
  for (size_t axis = MIXED_AXES; axis-- > 0; at[axis] = 0)
    if (++at[axis] < grid->axes[axis].n)
      return true;
  return false;
}

bool mixed_grid_each(const struct mixed_grid *grid, bool (*visit)(void *user, const floe_bench_mixed_case *what),
                     void *user) {
  for (size_t v = 0; v < grid->variant_count; v++) {
    size_t at[MIXED_AXES] = {0};
    do {
      floe_bench_mixed_case what;
      set_case(grid, grid->variants[v], at, &what);
      if (!visit(user, &what))
        return false;
    } while (step(grid, at));
  }
  return true;
}
