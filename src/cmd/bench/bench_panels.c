#include "cmd/bench/bench_panels.h"

#include <string.h>

/* ---- figures --------------------------------------------------------------------------------- */

double plot_height(const struct plot *plot, const struct bench_row *row) {
  return plot->report->grid->quantity == BENCH_OVERFLOW ? row->result.after : row->result.rate;
}

/* The fill factor of lookups is that before the operation. */
double plot_x(const struct plot *plot, const struct bench_row *row) {
  const enum bench_axis x = plot->report->grid->x;
  return axis_value(row, x == AXIS_after && only_looks(row->what.operation) ? AXIS_before : x);
}

bool plot_has_figure(const struct plot *plot, const struct bench_row *row) {
  return row->result.verdict == FLOE_BENCH_MEASURED && plot_height(plot, row) > 0;
}

bool plot_range(const struct plot *plot, double (*value)(const struct plot *, const struct bench_row *), double *low,
                double *high) {
  bool any = false;
  for (size_t i = 0; i < plot->report->count; i++) {
    const struct bench_row *row = &plot->report->rows[i];
    if (!plot_has_figure(plot, row))
      continue;
    const double v = value(plot, row);
    *low = any && *low < v ? *low : v;
    *high = any && *high > v ? *high : v;
    any = true;
  }
  return any;
}

/* ---- what belongs together ------------------------------------------------------------------- */

bool same_table(const struct plot *plot, const struct bench_row *a, const struct bench_row *b) {
  (void)plot;
  return strcmp(a->what.table, b->what.table) == 0;
}

/* Whether the axis separates panels: not the horizontal one, nor one that changes with it. */
static bool separates_bands(const struct plot *plot, const struct bench_row *row, enum bench_axis axis) {
  const struct bench_grid *grid = plot->report->grid;
  if (axis == grid->x || axis == AXIS_bucket_slots)
    return false;
  if (axis == AXIS_before)
    return !grid->step && !(grid->x == AXIS_after && only_looks(row->what.operation));
  return true;
}

bool same_band(const struct plot *plot, const struct bench_row *a, const struct bench_row *b) {
  if (a->what.operation != b->what.operation || (!plot->bars && a->what.host_memory != b->what.host_memory))
    return false;
  for (size_t i = 0; i < FIGURE_AXES; i++)
    if (separates_bands(plot, a, figure_axes[i]) && axis_value(a, figure_axes[i]) != axis_value(b, figure_axes[i]))
      return false;
  return true;
}

bool same_colour(const struct plot *plot, const struct bench_row *a, const struct bench_row *b) {
  return a->result.slot_bits == b->result.slot_bits && a->result.second_slot_bits == b->result.second_slot_bits &&
         ((!plot->bars && plot->report->grid->x == AXIS_bucket_slots) ||
          a->result.bucket_slots == b->result.bucket_slots);
}

bool same_line(const struct plot *plot, const struct bench_row *a, const struct bench_row *b) {
  return same_table(plot, a, b) && same_colour(plot, a, b) &&
         (plot->bars ? a->what.host_memory == b->what.host_memory : same_band(plot, a, b));
}

/* ---- counting -------------------------------------------------------------------------------- */

bool plot_is_first(const struct plot *plot, size_t i, plot_same *same) {
  const struct bench_row *rows = plot->report->rows;
  for (size_t j = 0; j < i; j++)
    if (same(plot, &rows[i], &rows[j]))
      return false;
  return true;
}

bool plot_begins_line(const struct plot *plot, size_t i) {
  const struct bench_report *report = plot->report;
  if (!plot_is_first(plot, i, same_line))
    return false;
  for (size_t j = i; j < report->count; j++)
    if (plot_has_figure(plot, &report->rows[j]) && same_line(plot, &report->rows[i], &report->rows[j]))
      return true;
  return false;
}

size_t plot_count(const struct plot *plot, size_t end, plot_same *same) {
  size_t n = 0;
  for (size_t i = 0; i < end; i++)
    n += plot_is_first(plot, i, same);
  return n;
}

size_t plot_number(const struct plot *plot, const struct bench_row *row, plot_same *same) {
  const struct bench_row *rows = plot->report->rows;
  size_t i = 0;
  while (!same(plot, row, &rows[i]))
    i++;
  return plot_count(plot, i, same);
}

bool plot_names_axis(const struct plot *plot, const struct bench_row *row, enum bench_axis axis) {
  const struct bench_report *report = plot->report;
  if (!separates_bands(plot, row, axis))
    return false;
  if (axis == report->grid->panel)
    return true;
  for (size_t i = 0; i < report->count; i++)
    if (report->rows[i].what.operation == row->what.operation &&
        axis_value(&report->rows[i], axis) != axis_value(row, axis))
      return true;
  return false;
}
