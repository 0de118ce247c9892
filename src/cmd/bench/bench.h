/* Parts that the files of floe bench share: the measurements and their results. */
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

/* Horizontal axis of a figure, and the axis that separates rows of panels. */
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

/* Quantities that a grid measures. */
enum bench_quantity {
  BENCH_RATES,    /* operations a second */
  BENCH_LIMITS,   /* access rates of the memory, without tables */
  BENCH_OVERFLOW, /* fill factors at which the third level is first used */
};

/* The measurements: every meaningful combination of these values, tables varying slowest. */
struct bench_grid {
  const char *tables[BENCH_LIST];
  char *names; /* text of --table, to which `tables` points */
  size_t table_count;
  unsigned slot_bits[MOST_CHOICES], bucket_slots[MOST_CHOICES]; /* 0: chosen by the table */
  size_t width_count, bucket_count;
  bool all_widths, all_buckets; /* every value of every table, even if other tables lack it */
  floe_bench_operation operations[MOST_CHOICES];
  size_t operation_count;
  struct numbers slots, key_bits; /* 0: chosen */
  struct numbers before;          /* none: chosen for the operation */
  struct numbers after, positive, zipf, part;
  bool step; /* each `after` has the previous one as its `before` */
  bool from_file;
  bool places; /* in the device's memory, then in the host's */
  enum bench_quantity quantity;
  enum bench_axis x, panel;
  floe_bench_case common; /* constant options */
};

struct bench_preset {
  const char *name;
  void (*fill)(struct bench_grid *grid);
};
extern const struct bench_preset bench_presets[];         /* the last entry has no name */
const struct bench_preset *find_preset(const char *name); /* NULL after a message */

/* The grid of a preset (NULL: none) with the changes of the options. False after a message; call grid_free in any
   case. */
bool grid_make(const struct options *options, const struct bench_preset *preset, struct bench_grid *out);
void grid_free(struct bench_grid *grid);
/* Calls `visit` for every case until it returns false. */
bool grid_each(const struct bench_grid *grid, bool (*visit)(void *user, const floe_bench_case *what), void *user);

bool only_looks(floe_bench_operation operation); /* find, get, delete */
bool draws_keys(floe_bench_operation operation); /* keys can be drawn: not put, not delete */
bool any_operation(const struct bench_grid *grid, bool (*is_one)(floe_bench_operation));
bool has_buckets(const char *table); /* with a choice of sizes */
/* Reports an unknown name of `kind`, with the nearest of the n names, or all of them. */
void report_unknown_name(const char *kind, const char *name, const char *const *names, size_t n);
/* Rejects options that do not apply to these measurements. False after a message. */
bool check_option_use(const struct options *options, const struct bench_grid *grid);

struct files;
/* Adds the files of --plot, for cmd/files.h. */
bool add_plots(struct files *files, const struct options *options, char *const *operands, int count);

/* Whether `at` lists the name. False after a message. */
bool check_known_name(const char *kind, const char *name, const char *(*at)(size_t i));
/* "2^20,1000", each from 1 to `most`. False after a message, with `hint`. */
bool read_wholes(const char *option, const char *text, double most, const char *hint, struct numbers *out);
bool read_numbers(const char *option, const char *text, double low, double high, struct numbers *out); /* "0.5,0.9" */

/* ---- results ---------------------------------------------------------------------------------------- */

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
const char *axis_word(enum bench_axis axis); /* short, for narrow columns */

/* Runs floe bench with a preset of mixed queries (cmd/bench/bench_mixed.h); *code is its exit code. False: another
   preset. */
bool run_mixed(const struct options *options, const char *preset, int *code);

/* Opens the device of `options`. */
floe_status open_bench(const struct options *options, floe_log *log, floe_bench **out);

/* A field of a CSV file. */
void csv_TEXT(FILE *stream, const char *text);
void csv_COUNT(FILE *stream, uint64_t value);
void csv_REAL(FILE *stream, double value);

/* The object of --json; takes ownership of rows and limits. */
json_t *bench_json(const floe_bench *bench, const char *preset, bool interrupted, json_t *rows, json_t *limits);

void put_bench_head(const struct bench_report *report);
void put_bench_row(const struct bench_report *report, const struct bench_row *row);
void put_bench_limits(const struct bench_report *report);
/* False after a message. */
bool write_bench_csv(const struct bench_report *report, const char *path);
bool write_bench_json(const struct bench_report *report);
bool write_bench_plot(const struct bench_report *report, const char *folder);
/* Creates the folder for the figures of a preset ("": none). False after a message. */
bool create_plot_folder(const char *preset, const char *folder);

#endif
