/* Parts that the files of floe bench's ws presets share: mixed queries of a map (doc/bench.md). */
#ifndef FLOE_CMD_BENCH_BENCH_MIXED_H
#define FLOE_CMD_BENCH_BENCH_MIXED_H

#include "cmd/bench/bench.h"

/* The numeric axes of --vary. */
enum mixed_axis {
#define MIXED_AXIS(name, whole, low, high) MIXED_##name,
#include "cmd/bench/bench_mixed_axes.def"
  MIXED_AXES
};

/* Every combination is measured, variants varying slowest and the last axis fastest. */
struct mixed_grid {
  const char *variants[BENCH_LIST];
  char *names; /* text of --vary, to which names point */
  size_t variant_count;
  struct numbers axes[MIXED_AXES];
  unsigned repetitions;
  uint64_t seed;
  bool timed; /* floe_hash_options.timed */
};

struct mixed_preset {
  const char *name;
  void (*fill)(struct mixed_grid *grid, unsigned threads); /* threads: greatest number of threads */
};
extern const struct mixed_preset mixed_presets[]; /* the last entry has no name */

/* The grid of a preset with the changes of the options. False after a message; call mixed_grid_free in any case. */
bool mixed_grid_make(const struct options *options, const struct mixed_preset *preset, struct mixed_grid *out);
void mixed_grid_free(struct mixed_grid *grid);
/* Calls `visit` for every case until it returns false; returns its last result. */
bool mixed_grid_each(const struct mixed_grid *grid, bool (*visit)(void *user, const floe_bench_mixed_case *what),
                     void *user);

struct mixed_row {
  floe_bench_mixed_case what;
  floe_bench_mixed_result result;
};

struct mixed_report {
  const struct options *options;
  const char *preset;
  const floe_bench *bench;
  struct mixed_row *rows;
  size_t count, room;
  bool interrupted;
};

void put_mixed_head(const struct mixed_report *report);
void put_mixed_row(const struct mixed_row *row);
/* False after a message. */
bool write_mixed_csv(const struct mixed_report *report, const char *path);
bool write_mixed_json(const struct mixed_report *report);

#endif
