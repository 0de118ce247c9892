/* The order of a figure of floe bench: which rows share a panel, a line, a group of bars. */
#ifndef FLOE_CMD_BENCH_BENCH_PANELS_H
#define FLOE_CMD_BENCH_BENCH_PANELS_H

#include "cmd/bench/bench.h"

#include <stdio.h>

struct plot {
  const struct bench_report *report;
  const char *name; /* of the files */
  double unit;      /* keys a second */
  const char *unit_name;
  bool bars; /* all figures have the same x: no lines, but bars; groups of them are what panels are else */
};

/* What stands upwards, in keys a second or as a fill factor; 0: nothing. */
double plot_height(const struct plot *plot, const struct bench_row *row);
/* What stands to the right. */
double plot_x(const struct plot *plot, const struct bench_row *row);
bool plot_has_figure(const struct plot *plot, const struct bench_row *row);
/* Of all figures; false: there is none. */
bool plot_range(const struct plot *plot, double (*value)(const struct plot *, const struct bench_row *), double *low,
                double *high);

typedef bool plot_same(const struct plot *plot, const struct bench_row *a, const struct bench_row *b);
plot_same same_table;
/* All is equal but what stands to the right and what tells lines apart: rows of one panel, of one group of bars. */
plot_same same_band;
plot_same same_line;   /* or bars of one kind */
plot_same same_colour; /* of bars: of one layout, in whatever memory */

/* Has no row before it the same? */
bool plot_is_first(const struct plot *plot, size_t i, plot_same *same);
/* Is it the first row of a line that has a figure? */
bool plot_begins_line(const struct plot *plot, size_t i);
/* Different ones among the rows before `end`. */
size_t plot_count(const struct plot *plot, size_t end, plot_same *same);
/* Which of the different ones it is, from 0. */
size_t plot_number(const struct plot *plot, const struct bench_row *row, plot_same *same);
/* Is the axis to be named in the titles of panels, or groups, of this row's operation? */
bool plot_names_axis(const struct plot *plot, const struct bench_row *row, enum bench_axis axis);

/* bench_script.c: the files of the figure; false on failure. `data`: a struct plot. */
bool put_plot_data(FILE *stream, const void *data);
bool put_plot_script(FILE *stream, const void *data);

#endif
