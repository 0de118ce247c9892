/* Layout of a figure of floe bench: which rows share a panel, a line, a group of bars. */
#ifndef FLOE_CMD_BENCH_BENCH_PANELS_H
#define FLOE_CMD_BENCH_BENCH_PANELS_H

#include "cmd/bench/bench.h"

#include <stdio.h>

struct plot {
  const struct bench_report *report;
  const char *name; /* of the files */
  double unit;      /* keys a second per unit of the vertical axis */
  const char *unit_name;
  bool bars; /* all rows have the same x: bars instead of lines; groups of bars replace panels */
};

/* Vertical value: keys a second, or a fill factor; 0: none. */
double plot_height(const struct plot *plot, const struct bench_row *row);
/* Horizontal value. */
double plot_x(const struct plot *plot, const struct bench_row *row);
bool plot_has_figure(const struct plot *plot, const struct bench_row *row);
/* Range over all rows; false: no values. */
bool plot_range(const struct plot *plot, double (*value)(const struct plot *, const struct bench_row *), double *low,
                double *high);

typedef bool plot_same(const struct plot *plot, const struct bench_row *a, const struct bench_row *b);
plot_same same_table;
/* Rows that differ only in the horizontal value and in their line: rows of one panel, or of one group of bars. */
plot_same same_band;
plot_same same_line;   /* or bars of one kind */
plot_same same_colour; /* bars of one layout, in any memory */

/* Whether no earlier row is the same. */
bool plot_is_first(const struct plot *plot, size_t i, plot_same *same);
/* Whether it is the first row with a value of a line. */
bool plot_begins_line(const struct plot *plot, size_t i);
/* Number of different ones among the rows before `end`. */
size_t plot_count(const struct plot *plot, size_t end, plot_same *same);
/* Number of the row among the different ones, from 0. */
size_t plot_number(const struct plot *plot, const struct bench_row *row, plot_same *same);
/* Whether the titles of panels, or groups, of this row's operation must name the axis. */
bool plot_names_axis(const struct plot *plot, const struct bench_row *row, enum bench_axis axis);

/* bench_script.c: writes the files of the figure; false on failure. `data`: a struct plot. */
bool put_plot_data(FILE *stream, const void *data);
bool put_plot_script(FILE *stream, const void *data);

#endif
