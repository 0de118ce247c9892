/* What the files of floe bench share: which measurements, and what came of them. */
#ifndef FLOE_CMD_BENCH_BENCH_H
#define FLOE_CMD_BENCH_BENCH_H

#include "bench/floe_bench.h"
#include "cmd/console/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { BENCH_LIST = 64 }; /* most values of an axis */

struct numbers {
  double values[BENCH_LIST];
  size_t n;
};

/* What a figure has from left to right, and from one row of panels to the next. */
enum bench_axis {
  AXIS_NONE,
  AXIS_BEFORE,
  AXIS_AFTER,
  AXIS_POSITIVE,
  AXIS_PART,
  AXIS_ZIPF,
  AXIS_BUCKET,
  AXIS_SLOTS,
  AXIS_KEY_BITS,
  AXES
};

/* The measurements: every combination of these, tables varying slowest, that makes sense. */
struct bench_grid {
  const char *tables[BENCH_LIST];
  char *names; /* where those of --table lie */
  size_t table_count;
  unsigned slot_bits[MOST_CHOICES], bucket_slots[MOST_CHOICES]; /* 0: chosen by the table */
  size_t width_count, bucket_count;
  bool all_widths, all_buckets; /* of every table, also where it has no such ones */
  floe_bench_operation operations[MOST_CHOICES];
  size_t operation_count;
  struct numbers slots, key_bits; /* 0: chosen */
  struct numbers before;          /* none: as the operation wants it */
  struct numbers after, positive, zipf, part;
  bool step; /* each `after` has the one before it as its `before` */
  bool from_file;
  bool places;   /* in the device's memory, then in the host's */
  bool limits;   /* no tables: what the memory allows */
  bool overflow; /* no rates: how far tables fill before the third level is used */
  enum bench_axis x, panel;
  floe_bench_case common; /* what does not vary */
};

struct bench_preset {
  const char *name;
  void (*fill)(struct bench_grid *grid);
};
extern const struct bench_preset bench_presets[];         /* the last has no name */
const struct bench_preset *find_preset(const char *name); /* NULL after a message */

/* Of a preset (NULL: none), and what the options put in its place. False after a message; grid_free in any case. */
bool grid_make(const struct options *options, const struct bench_preset *preset, struct bench_grid *out);
void grid_free(struct bench_grid *grid);
/* Calls `visit` for every case until it returns false. */
bool grid_each(const struct bench_grid *grid, bool (*visit)(void *user, const floe_bench_case *what), void *user);

bool only_looks(floe_bench_operation operation); /* find, get, delete */
bool draws_keys(floe_bench_operation operation); /* keys can be drawn: not put, not delete */
bool any_operation(const struct bench_grid *grid, bool (*is_one)(floe_bench_operation));
bool has_buckets(const char *table); /* of a size that can be chosen */
/* There is no such one of `kind`: the nearest of the n names, or all of them. */
void complain_unknown(const char *kind, const char *name, const char *const *names, size_t n);
/* Refuses options that say nothing about these measurements. False after a message. */
bool check_uses(const struct options *options, const struct bench_grid *grid);

struct files;
/* What --plot writes into its folder, for cmd/files.h. */
bool add_plots(struct files *files, const struct options *options, char *const *operands, int count);

/* One of the names that `at` counts? False after a message. */
bool is_known(const char *kind, const char *name, const char *(*at)(size_t i));
/* "2^20,1000", each from 1 to `most`. False after a message, with `hint`. */
bool read_wholes(const char *option, const char *text, double most, const char *hint, struct numbers *out);
bool read_numbers(const char *option, const char *text, double low, double high, struct numbers *out); /* "0.5,0.9" */

/* ---- what came of it ---------------------------------------------------------------------------- */

struct bench_row {
  floe_bench_case what;
  floe_bench_result result;
};

struct bench_report {
  const struct options *options;
  const char *preset; /* "" without one */
  const struct bench_grid *grid;
  const floe_bench *bench;
  struct bench_row *rows;
  size_t count;
  floe_bench_ceilings limits[16];
  size_t limit_count;
  bool interrupted;
};

double bench_fraction(const floe_bench_result *result); /* of the ceiling; 0: unknown */
double axis_value(const struct bench_row *row, enum bench_axis axis);
const char *axis_title(enum bench_axis axis);
const char *axis_word(enum bench_axis axis); /* for narrow places */

/* floe bench with a preset of mixed queries (cmd/bench/bench_mixed.h); *code is its exit code. False: it is none of them. */
bool run_mixed(const struct options *options, const char *preset, int *code);

/* What `options` name: a machine that measures. */
floe_status open_bench(const struct options *options, floe_log *log, floe_bench **out);

/* A field of a CSV file. */
void csv_TEXT(FILE *stream, const char *text);
void csv_COUNT(FILE *stream, uint64_t value);
void csv_REAL(FILE *stream, double value);

/* The object of --json; takes rows and limits. */
json_t *bench_json(const floe_bench *bench, const char *preset, bool interrupted, json_t *rows, json_t *limits);

void put_bench_head(const struct bench_report *report);
void put_bench_row(const struct bench_report *report, const struct bench_row *row);
void put_bench_limits(const struct bench_report *report);
/* False after a message. */
bool write_bench_csv(const struct bench_report *report, const char *path);
bool write_bench_json(const struct bench_report *report);
bool write_bench_plot(const struct bench_report *report, const char *folder);
/* Makes the folder, for the figures of a preset ("": none). False after a message. */
bool may_plot(const char *preset, const char *folder);

#endif
