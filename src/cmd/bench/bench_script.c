/* Data and script for gnuplot of floe bench --plot. The layout is the paper's: tables side by side, colour by bucket
   size, solid lines for slots of 64 bits, dashed for 32, dotted for 16. Figures with one horizontal value are drawn
   as bars. */
#include "cmd/bench/bench_panels.h"

#include <stdio.h>

/* ---- the data -------------------------------------------------------------------------------- */

static double left_of(const struct plot *plot, const struct bench_row *row) {
  return plot->bars ? (double)plot_number(plot, row, same_band) : plot_x(plot, row);
}

static void put_point(FILE *stream, const struct plot *plot, const struct bench_row *row) {
  const floe_bench_result *result = &row->result;
  if (plot_has_figure(plot, row))
    fprintf(stream, "%g %g %g %g %g\n", left_of(plot, row), plot_height(plot, row) / plot->unit,
            result->rate_least / plot->unit, result->rate_most / plot->unit, bench_fraction(result));
  else
    fprintf(stream, "%g nan nan nan nan\n", left_of(plot, row));
}

/* The next point to the right of `after`; NULL: none. */
static const struct bench_row *next_point(const struct plot *plot, const struct bench_row *first,
                                          const struct bench_row *after) {
  const struct bench_row *next = NULL;
  for (size_t i = 0; i < plot->report->count; i++) {
    const struct bench_row *row = &plot->report->rows[i];
    if (same_line(plot, first, row) && (!after || left_of(plot, row) > left_of(plot, after)) &&
        (!next || left_of(plot, row) < left_of(plot, next)))
      next = row;
  }
  return next;
}

static void put_points(FILE *stream, const struct plot *plot, const struct bench_row *first) {
  for (const struct bench_row *row = NULL; (row = next_point(plot, first, row));)
    put_point(stream, plot, row);
}

static void put_block(FILE *stream, const struct plot *plot, size_t i) {
  const struct bench_report *report = plot->report;
  const struct bench_row *first = &report->rows[i];
  fprintf(stream, "# %s, slots of %u bits, %u a bucket, %s%s\n", first->what.table, first->result.slot_bits,
          first->result.bucket_slots, plot->bars ? "group by group" : floe_bench_operation_name(first->what.operation),
          first->what.host_memory ? ", host memory" : "");
  put_points(stream, plot, first);
  fputs("\n\n", stream);
}

/* A block for each line, in the order of their first rows: x, rate, least, most, part of the ceiling. For bars x is
   the number of the group. */
bool put_plot_data(FILE *stream, const void *data) {
  const struct plot *plot = data;
  for (size_t i = 0; i < plot->report->count; i++)
    if (plot_begins_line(plot, i))
      put_block(stream, plot, i);
  return true;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Escapes text within apostrophes. */
static void put_text(FILE *stream, const char *text) {
  for (; *text; text++) {
    if (*text == '\'')
      fputc('\'', stream);
    fputc(*text, stream);
  }
}

static void put_line_title(FILE *stream, const struct plot *plot, const struct bench_row *row) {
  fprintf(stream, "%u bits", row->result.slot_bits);
  if (plot->bars || plot->report->grid->x != AXIS_bucket_slots)
    fprintf(stream, ", %u a bucket", row->result.bucket_slots);
  if (plot->bars && row->what.host_memory)
    fputs(", host memory", stream);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const char *colour_of(unsigned bucket_slots) {
  switch (bucket_slots) {
  case 8:
    return "#1f77b4";
  case 12:
  case 16:
    return "#d95f02";
  case 24:
  case 32:
    return "#2a9d4a";
  default:
    return "#555555";
  }
}

static int dash_of(unsigned slot_bits) {
  return slot_bits == 16 ? 3 : slot_bits == 21 ? 4 : slot_bits == 32 ? 2 : slot_bits == 128 ? 5 : 1;
}

static void put_line(FILE *stream, const struct plot *plot, const struct bench_row *row, size_t block) {
  fprintf(stream, "'%s.dat' index %zu using 1:2 with linespoints lw 2 pt 7 ps 0.5 lc rgb '%s' dt %d", plot->name, block,
          colour_of(row->result.bucket_slots), dash_of(row->result.slot_bits));
}

static void put_panel_title(FILE *stream, const struct plot *plot, const struct bench_row *row) {
  fprintf(stream, "set title '%s: %s", row->what.table, floe_bench_operation_name(row->what.operation));
  for (size_t i = 0; i < FIGURE_AXES; i++)
    if (plot_names_axis(plot, row, figure_axes[i])) {
      fputs(", ", stream);
      put_text(stream, axis_title(figure_axes[i]));
      fprintf(stream, " %.10g", axis_value(row, figure_axes[i]));
    }
  if (row->what.host_memory)
    fputs(", host memory", stream);
  fputs("' noenhanced\n", stream);
}

/* All lines of one table in one band; nothing if there are none. */
static void put_panel(FILE *stream, const struct plot *plot, const struct bench_row *table,
                      const struct bench_row *band) {
  const struct bench_report *report = plot->report;
  const char *before = "plot ";
  size_t block = 0;
  for (size_t i = 0; i < report->count; i++) {
    const struct bench_row *row = &report->rows[i];
    if (!plot_begins_line(plot, i))
      continue;
    if (same_table(plot, row, table) && same_band(plot, row, band)) {
      if (*before == 'p')
        put_panel_title(stream, plot, row);
      fputs(before, stream);
      put_line(stream, plot, row, block);
      fputs(" title '", stream);
      put_line_title(stream, plot, row);
      fputc('\'', stream);
      before = ", \\\n  ";
    }
    block++;
  }
  fputs(*before == 'p' ? "set multiplot next\n" : "\n", stream);
}

static void put_panels(FILE *stream, const struct plot *plot) {
  const struct bench_report *report = plot->report;
  for (size_t b = 0; b < report->count; b++)
    for (size_t t = 0; plot_is_first(plot, b, same_band) && t < report->count; t++)
      if (plot_is_first(plot, t, same_table))
        put_panel(stream, plot, &report->rows[t], &report->rows[b]);
}

/* ---- bars ------------------------------------------------------------------------------------ */

#define LOG_FROM 30 /* greatest ratio on a linear axis: smaller values would be invisible */

static bool is_logarithmic(const struct plot *plot) {
  double low, high;
  return plot->bars && plot_range(plot, plot_height, &low, &high) && high > LOG_FROM * low;
}

/* Number of kinds of bars of a table. */
static size_t kinds_of(const struct plot *plot, const struct bench_row *table) {
  size_t n = 0;
  for (size_t i = 0; i < plot->report->count; i++)
    n += plot_begins_line(plot, i) && same_table(plot, &plot->report->rows[i], table);
  return n;
}

static void put_bar(FILE *stream, const struct plot *plot, const struct bench_row *row, size_t block, double offset) {
  static const char *const colours[] = {"#1f77b4", "#d95f02", "#2a9d4a", "#7b4fa3", "#c23b4e",
                                        "#8a6d3b", "#17a2b8", "#b8860b", "#555555"};
  const size_t colour = plot_number(plot, row, same_colour) % (sizeof colours / sizeof *colours);
  fprintf(stream, "'%s.dat' index %zu using ($1%+g):2 with boxes lc rgb '%s' fs %s", plot->name, block, offset,
          colours[colour], row->what.host_memory ? "pattern 2" : "solid 0.8");
}

/* An operation, and in lines below it the values that distinguish this group. Returns the number of lines. */
static unsigned put_group_name(FILE *stream, const struct plot *plot, const struct bench_row *row) {
  unsigned lines = 1;
  fputs(floe_bench_operation_name(row->what.operation), stream);
  for (size_t i = 0; i < FIGURE_AXES; i++)
    if (plot_names_axis(plot, row, figure_axes[i])) {
      fprintf(stream, "\\n%s %.10g", axis_word(figure_axes[i]), axis_value(row, figure_axes[i]));
      lines++;
    }
  return lines;
}

static void put_groups(FILE *stream, const struct plot *plot) {
  const struct bench_report *report = plot->report;
  const char *before = "set xtics noenhanced (";
  size_t group = 0;
  unsigned most = 1;
  for (size_t i = 0; i < report->count; i++) {
    if (!plot_is_first(plot, i, same_band))
      continue;
    fprintf(stream, "%s\"", before);
    const unsigned lines = put_group_name(stream, plot, &report->rows[i]);
    fprintf(stream, "\" %zu", group++);
    most = lines > most ? lines : most;
    before = ", \\\n  ";
  }
  fprintf(stream, ")\nset xrange [-0.6:%zu.6]\nset bmargin %u\nset key above\n", group - 1, most + 1);
}

static void put_bars(FILE *stream, const struct plot *plot, const struct bench_row *table) {
  const struct bench_report *report = plot->report;
  const double kinds = (double)kinds_of(plot, table), width = 0.84 / kinds;
  const char *before = "plot ";
  size_t block = 0, kind = 0;
  if (kinds > 0)
    fprintf(stream, "set title '%s' noenhanced\nset boxwidth %g absolute\n", table->what.table, 0.92 * width);
  for (size_t i = 0; i < report->count; i++) {
    if (!plot_begins_line(plot, i))
      continue;
    if (same_table(plot, &report->rows[i], table)) {
      fputs(before, stream);
      put_bar(stream, plot, &report->rows[i], block, width * ((double)kind++ - (kinds - 1) / 2));
      fputs(" title '", stream);
      put_line_title(stream, plot, &report->rows[i]);
      fputc('\'', stream);
      before = ", \\\n  ";
    }
    block++;
  }
  fputs(*before == 'p' ? "set multiplot next\n" : "\n", stream);
}

static void put_all_bars(FILE *stream, const struct plot *plot) {
  for (size_t t = 0; t < plot->report->count; t++)
    if (plot_is_first(plot, t, same_table))
      put_bars(stream, plot, &plot->report->rows[t]);
}

/* ---- the script ------------------------------------------------------------------------------ */

struct layout {
  size_t columns, rows, width;
};

/* Tables are side by side, bands below each other; for one table the bands are side by side. */
static struct layout layout_of(const struct plot *plot) {
  const size_t count = plot->report->count;
  const size_t tables = plot_count(plot, count, same_table);
  const size_t bands = plot_count(plot, count, same_band);
  if (plot->bars) {
    const size_t bars = bands * plot_count(plot, count, same_line) / tables;
    return (struct layout){tables, 1, bars * 28 < 600 ? 600 : bars * 28 > 1600 ? 1600 : bars * 28};
  }
  if (tables > 1)
    return (struct layout){tables, bands, 600};
  const size_t columns = bands <= 3 ? bands : bands == 4 ? 2 : 3;
  return (struct layout){columns, (bands + columns - 1) / columns, 600};
}

static void put_picture(FILE *stream, const struct plot *plot, const char *terminal, const char *suffix) {
  const struct layout layout = layout_of(plot);
  fprintf(stream,
          "set terminal %s size %zu,%zu\nset output '%s.%s'.suffix\n"
          "set multiplot layout %zu,%zu title '%s, ",
          terminal, layout.width * layout.columns, 40 + 440 * layout.rows, plot->name, suffix, layout.rows,
          layout.columns, plot->name);
  put_text(stream, floe_bench_machine(plot->report->bench));
  fputs("' noenhanced\n", stream);
  if (plot->bars)
    put_all_bars(stream, plot);
  else
    put_panels(stream, plot);
  fputs("unset multiplot\nunset output\n", stream);
}

/* Settings common to all panels, so that they can be compared. */
static void put_axes(FILE *stream, const struct plot *plot) {
  double low = 0, high = 0;
  if (plot->bars) {
    put_groups(stream, plot);
  } else {
    const bool doubles = plot->report->grid->x == AXIS_slots;
    plot_range(plot, plot_x, &low, &high);
    fprintf(stream, "%sset xrange [%.10g:%.10g]\nset xlabel '", doubles ? "set logscale x 2\n" : "",
            doubles ? low / 1.2 : low - (high - low) / 25, doubles ? high * 1.2 : high + (high - low) / 25);
    put_text(stream, axis_title(plot->report->grid->x));
    fputs("'\n", stream);
  }
  if (is_logarithmic(plot)) {
    plot_range(plot, plot_height, &low, &high);
    fprintf(stream, "set logscale y\nset yrange [%g:*]\n", low / plot->unit / 3);
  } else {
    fputs("set yrange [0:*]\n", stream);
  }
}

bool put_plot_script(FILE *stream, const void *data) {
  const struct plot *plot = data;
  fprintf(stream,
          "# gnuplot %s.gp draws %s.svg and %s.png\n"
          "if (!exists('suffix')) suffix = ''\n"
          "set ylabel '%s'\nset grid lc rgb '#dddddd' lt 1\n"
          "set key below samplen 3 maxrows 3\nset datafile missing 'nan'\n",
          plot->name, plot->name, plot->name, plot->unit_name);
  put_axes(stream, plot);
  put_picture(stream, plot, "svg background rgb 'white'", "svg");
  put_picture(stream, plot, "pngcairo", "png");
  return true;
}
