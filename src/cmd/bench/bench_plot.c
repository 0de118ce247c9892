/* floe bench --plot: data and script for gnuplot. plot.gp defines the figure. */
#include "cmd/bench/bench.h"
#include "cmd/output.h"
#include "src/cmd/bench/plot_gp.h"

const char *plot_name(const char *preset) { return *preset ? preset : "bench"; }

double plot_value(const struct bench_report *report, const struct bench_row *row) {
  if (row->result.verdict != FLOE_BENCH_MEASURED)
    return 0;
  return report->grid->quantity == BENCH_OVERFLOW ? row->result.after : row->result.rate;
}

static void put_row(FILE *stream, const struct bench_report *report, const struct bench_row *row, double unit) {
  static const enum bench_axis axes[] = {AXIS_before, AXIS_after, AXIS_positive, AXIS_part,
                                         AXIS_zipf,   AXIS_slots, AXIS_key_bits};
  const floe_bench_result *result = &row->result;
  const enum bench_axis x = report->grid->x;
  /* the fill factor of lookups is that before the operation */
  const enum bench_axis own = x == AXIS_after && only_looks(row->what.operation) ? AXIS_before : x;
  const double value = plot_value(report, row);
  fprintf(stream, "%s,%s,%u,%u,%u,%d,%.10g", row->what.table, floe_bench_operation_name(row->what.operation),
          result->slot_bits, result->second_slot_bits, result->bucket_slots, row->what.host_memory,
          axis_value(row, own));
  if (value > 0)
    fprintf(stream, ",%g,%g,%g,%g", value / unit, result->rate_least / unit, result->rate_most / unit,
            bench_fraction(result));
  else
    fputs(",nan,nan,nan,nan", stream);
  for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) /* "-": horizontal, or changes with it */
    if (axes[i] == x || axes[i] == own || (axes[i] == AXIS_before && report->grid->step))
      fputs(",-", stream);
    else
      fprintf(stream, ",%.10g", axis_value(row, axes[i]));
  fputc('\n', stream);
}

static const char *axis_name(enum bench_axis axis) {
  static const char *const names[] = {
      "",
#define AXIS(name) #name,
#include "cmd/bench/bench_axes.def"
  };
  return names[axis];
}

/* Rates in millions a second, on a GPU in billions; fill factors as they are. */
static double unit_of(const struct bench_report *report) {
  return report->grid->quantity == BENCH_OVERFLOW ? 1 : floe_bench_engine(report->bench) == FLOE_ENGINE_GPU ? 1e9 : 1e6;
}

bool put_plot_data(FILE *stream, const void *data) {
  const struct bench_report *report = data;
  fputs("table,operation,slot_bits,second_slot_bits,bucket_slots,host_memory,x,value,least,most,fraction,"
        "before,after,positive,part,zipf,slots,key_bits\n",
        stream);
  for (size_t i = 0; i < report->count; i++)
    put_row(stream, report, &report->rows[i], unit_of(report));
  return true;
}

bool put_plot_script(FILE *stream, const void *data) {
  const struct bench_report *report = data;
  const double unit = unit_of(report);
  fprintf(stream, "name = '%s'\nvalue_name = '%s'\nx = '%s'\npanel = '%s'\nrows = %zu\nmachine = '",
          plot_name(report->preset),
          unit == 1     ? "fill factor"
          : unit == 1e6 ? "M keys/s"
                        : "G keys/s",
          axis_name(report->grid->x), axis_name(report->grid->panel), report->count);
  for (const char *text = floe_bench_machine(report->bench); *text; text++)
    fprintf(stream, *text == '\'' ? "''" : "%c", *text);
  fputs("'\n\n", stream);
  return fwrite(plot_gp, 1, plot_gp_size, stream) == plot_gp_size;
}
