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

/* What varies between the cases of a grid; also the horizontal axis of a figure and its rows of panels. */
enum bench_axis {
  AXIS_NONE,
#define AXIS(name) AXIS_##name,
#define QUERY_AXIS(name, whole, low, high) AXIS_##name,
#include "cmd/bench/bench_axes.def"
  AXES
};

/* Quantities that a grid measures. */
enum bench_quantity {
  BENCH_RATES,    /* operations a second */
  BENCH_LIMITS,   /* access rates of the memory, without tables */
  BENCH_OVERFLOW, /* fill factors at which the third level is first used */
  BENCH_QUERIES,  /* mixed queries a second; names are variants */
};

/* The measurements: every meaningful combination of these values, names varying slowest. */
struct bench_grid {
  const char *names[BENCH_LIST]; /* of tables, or of variants */
  char *text;                    /* of --table or --vary=variant, to which `names` points */
  size_t name_count;
  struct numbers axes[AXES];    /* no value: 0, or chosen for the operation */
  bool all_widths, all_buckets; /* every value of every table, even if other tables lack it */
  bool step;                    /* each `after` has the previous one as its `before` */
  bool from_file;
  enum bench_quantity quantity;
  enum bench_axis x, panel;
  floe_bench_case common; /* constant options */
  floe_bench_mixed_case queries;
};

struct bench_preset {
  const char *name;
  void (*fill)(struct bench_grid *grid); /* grid->queries.threads: the greatest number of threads */
};
const struct bench_preset *find_preset(const char *name); /* NULL after a message */

/* One measurement. Fields of bench_fields.def for ALL are in `what` and `result`, also of mixed queries. */
struct bench_row {
  floe_bench_case what;
  floe_bench_result result;
  floe_bench_mixed_case queries;
  floe_bench_mixed_result answers;
};

/* The grid of a preset (NULL: none) with the changes of the options. False after a message; call grid_free in any
   case. */
bool grid_make(const struct options *options, const struct bench_preset *preset, struct bench_grid *out);
void grid_free(struct bench_grid *grid);
/* Calls `visit` with every case until it returns false. */
bool grid_each(const struct bench_grid *grid, bool (*visit)(void *user, const struct bench_row *what), void *user);

bool only_looks(floe_bench_operation operation); /* find, get, delete */
bool draws_keys(floe_bench_operation operation); /* keys can be drawn: not put, not delete */
bool any_operation(const struct bench_grid *grid, bool (*is_one)(floe_bench_operation));
bool has_buckets(const char *table); /* with a choice of sizes */
/* Reports an unknown name of `kind`, with the nearest of the n names, or all of them. */
void report_unknown_name(const char *kind, const char *name, const char *const *names, size_t n);
/* Rejects options other than --vary that do not apply to mixed queries. False after a message. */
bool check_query_options(const struct options *options, const struct bench_preset *preset);
/* Rejects options that do not apply to these measurements. False after a message. */
bool check_option_use(const struct options *options, const struct bench_grid *grid);

struct files;
/* Adds the files of --plot, for cmd/files.h. */
bool add_plots(struct files *files, const struct options *options, char *const *operands, int count);

/* ---- results ---------------------------------------------------------------------------------------- */

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

/* Whether the rows of a grid have the fields that bench_fields.def lists for `of`: TABLES, QUERIES, ALL. */
#define BENCH_HAS(grid, of) (BENCH_OF_##of & ((grid)->quantity == BENCH_QUERIES ? BENCH_OF_QUERIES : BENCH_OF_TABLES))
enum { BENCH_OF_TABLES = 1, BENCH_OF_QUERIES = 2, BENCH_OF_ALL = 3 };

double bench_fraction(const floe_bench_result *result); /* of the ceiling; 0: unknown */
double axis_value(const struct bench_row *row, enum bench_axis axis);
void put_bench_head(const struct bench_report *report);
void put_bench_row(const struct bench_report *report, const struct bench_row *row);
void put_bench_limits(const struct bench_report *report);
/* False after a message. */
bool write_bench_csv(const struct bench_report *report, const char *path);
bool write_bench_json(const struct bench_report *report);
/* Files of --plot, with the name of the preset, or "bench" without one. */
const char *plot_name(const char *preset);
/* Vertical value: keys a second, or a fill factor; 0: none. */
double plot_value(const struct bench_report *report, const struct bench_row *row);
/* Functions of write_file; `data`: a struct bench_report. */
bool put_plot_data(FILE *stream, const void *data);
bool put_plot_script(FILE *stream, const void *data);
bool write_bench_plot(const struct bench_report *report, const char *folder);
/* Creates the folder for the figures of a preset ("": none). False after a message. */
bool create_plot_folder(const char *preset, const char *folder);

#endif
