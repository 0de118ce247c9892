/* floe bench --plot: data and script for gnuplot, and the pictures that it makes of them. The layout is the paper's:
   tables side by side, colour by bucket size, solid lines for slots of 64 bits, dashed for 32, dotted for 16. */
#define _GNU_SOURCE
#include "cmd/bench.h"
#include "cmd/command.h"
#include "cmd/message.h"
#include "cmd/output.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct plot {
  const struct bench_report *report;
  const char *name; /* of the files */
  double unit;      /* keys a second */
  const char *unit_name;
};

/* ---- panels and lines --------------------------------------------------------------------------
 */

/* Does a row begin something that no row before it has? */
static bool is_first(const struct bench_report *report, size_t i,
                     bool (*same)(const struct bench_report *, const struct bench_row *,
                                  const struct bench_row *)) {
  for (size_t j = 0; j < i; j++)
    if (same(report, &report->rows[i], &report->rows[j]))
      return false;
  return true;
}

static bool same_table(const struct bench_report *report, const struct bench_row *a,
                       const struct bench_row *b) {
  (void)report;
  return strcmp(a->what.table, b->what.table) == 0;
}

/* A row of panels: an operation, and a value of the axis that goes down. */
static bool same_band(const struct bench_report *report, const struct bench_row *a,
                      const struct bench_row *b) {
  enum bench_axis axis = report->grid->panel;
  return a->what.operation == b->what.operation &&
         a->what.host_memory == b->what.host_memory && axis_value(a, axis) == axis_value(b, axis);
}

static bool same_line(const struct bench_report *report, const struct bench_row *a,
                      const struct bench_row *b) {
  return same_table(report, a, b) && same_band(report, a, b) &&
         a->result.slot_bits == b->result.slot_bits &&
         (report->grid->x == AXIS_BUCKET || a->result.bucket_slots == b->result.bucket_slots);
}

/* What stands upwards: a fill factor or a rate. */
static double height(const struct bench_report *report, const struct bench_row *row) {
  return report->grid->overflow ? row->result.after : row->result.rate;
}

static bool has_figure(const struct bench_report *report, const struct bench_row *row) {
  return row->result.verdict == FLOE_BENCH_MEASURED && height(report, row) > 0;
}

/* Is it the first row of a line with a figure? */
static bool begins_line(const struct bench_report *report, size_t i) {
  if (!is_first(report, i, same_line))
    return false;
  for (size_t j = i; j < report->count; j++)
    if (has_figure(report, &report->rows[j]) && same_line(report, &report->rows[i], &report->rows[j]))
      return true;
  return false;
}

static size_t count_first(const struct bench_report *report,
                          bool (*same)(const struct bench_report *, const struct bench_row *,
                                       const struct bench_row *)) {
  size_t n = 0;
  for (size_t i = 0; i < report->count; i++)
    n += is_first(report, i, same);
  return n;
}

/* ---- the data ----------------------------------------------------------------------------------
 */

/* A block for each line, in the order of their first rows: x, rate, least, most, part of the ceiling. */
static bool put_data(FILE *stream, const void *data) {
  const struct plot *plot = data;
  const struct bench_report *report = plot->report;
  for (size_t i = 0; i < report->count; i++) {
    if (!begins_line(report, i))
      continue;
    const struct bench_row *first = &report->rows[i];
    fprintf(stream, "# %s, slots of %u bits, %u a bucket, %s\n", first->what.table,
            first->result.slot_bits, first->result.bucket_slots,
            floe_bench_operation_name(first->what.operation));
    for (size_t j = i; j < report->count; j++) {
      const struct bench_row *row = &report->rows[j];
      if (same_line(report, first, row) && has_figure(report, row))
        fprintf(stream, "%g %g %g %g %g\n", axis_value(row, report->grid->x),
                height(report, row) / plot->unit, row->result.rate_least / plot->unit,
                row->result.rate_most / plot->unit, bench_fraction(&row->result));
      else if (same_line(report, first, row))
        fprintf(stream, "%g nan nan nan nan\n", axis_value(row, report->grid->x));
    }
    fputs("\n\n", stream);
  }
  return true;
}

/* ---- the script --------------------------------------------------------------------------------
 */

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

/* Inside of apostrophes. */
static void put_text(FILE *stream, const char *text) {
  for (; *text; text++) {
    if (*text == '\'')
      fputc('\'', stream);
    fputc(*text, stream);
  }
}

static void put_panel_title(FILE *stream, const struct bench_report *report,
                            const struct bench_row *row) {
  fprintf(stream, "set title '%s: %s", row->what.table,
          floe_bench_operation_name(row->what.operation));
  if (report->grid->panel != AXIS_NONE) {
    fputs(", ", stream);
    put_text(stream, axis_title(report->grid->panel));
    fprintf(stream, " %g", axis_value(row, report->grid->panel));
  }
  if (row->what.host_memory)
    fputs(", host memory", stream);
  fputs("' noenhanced\n", stream);
}

/* All lines of one table in one band; nothing where there are none. */
static void put_panel(FILE *stream, const struct plot *plot, const struct bench_row *table,
                      const struct bench_row *band) {
  const struct bench_report *report = plot->report;
  const char *before = "plot ";
  size_t block = 0;
  for (size_t i = 0; i < report->count; i++) {
    const struct bench_row *row = &report->rows[i];
    if (!begins_line(report, i))
      continue;
    if (same_table(report, row, table) && same_band(report, row, band)) {
      if (*before == 'p')
        put_panel_title(stream, report, row);
      fprintf(stream,
              "%s'%s.dat' index %zu using 1:2 with linespoints lw 2 pt 7 ps 0.5 lc rgb '%s' dt %d "
              "title '%u bits",
              before, plot->name, block, colour_of(row->result.bucket_slots),
              dash_of(row->result.slot_bits), row->result.slot_bits);
      if (report->grid->x != AXIS_BUCKET)
        fprintf(stream, ", %u a bucket", row->result.bucket_slots);
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
    for (size_t t = 0; is_first(report, b, same_band) && t < report->count; t++)
      if (is_first(report, t, same_table))
        put_panel(stream, plot, &report->rows[t], &report->rows[b]);
}

static void put_picture(FILE *stream, const struct plot *plot, const char *terminal,
                        const char *suffix) {
  const struct bench_report *report = plot->report;
  size_t columns = count_first(report, same_table), bands = count_first(report, same_band);
  fprintf(stream,
          "set terminal %s size %zu,%zu\nset output '%s.%s'.suffix\n"
          "set multiplot layout %zu,%zu title '%s, ",
          terminal, 600 * columns, 40 + 440 * bands, plot->name, suffix, bands, columns,
          plot->name);
  put_text(stream, floe_bench_machine(report->bench));
  fputs("' noenhanced\n", stream);
  put_panels(stream, plot);
  fputs("unset multiplot\nunset output\n", stream);
}

static bool put_script(FILE *stream, const void *data) {
  const struct plot *plot = data;
  fprintf(stream,
          "# gnuplot %s.gp draws %s.svg and %s.png\n"
          "if (!exists('suffix')) suffix = ''\n"
          "set ylabel '%s'\nset yrange [0:*]\nset grid lc rgb '#dddddd' lt 1\n"
          "set key below samplen 3 maxrows 3\nset datafile missing 'nan'\nset xlabel '",
          plot->name, plot->name, plot->name, plot->unit_name);
  put_text(stream, axis_title(plot->report->grid->x));
  fputs("'\n", stream);
  put_picture(stream, plot, "svg background rgb 'white'", "svg");
  put_picture(stream, plot, "pngcairo", "png");
  return true;
}

/* ---- files -------------------------------------------------------------------------------------
 */

/* The folder's path, a slash, the name of the plot and `suffix`; free() it. NULL after a message. */
static char *path_in(const char *folder, const char *name, const char *suffix) {
  char *path;
  if (asprintf(&path, "%s/%s%s", folder, name, suffix) >= 0)
    return path;
  complain(NULL, "out of memory");
  return NULL;
}

static bool write_one(const struct plot *plot, const char *folder, const char *suffix,
                      bool (*write)(FILE *, const void *)) {
  char *path = path_in(folder, plot->name, suffix);
  bool sound = path && write_file(path, write, plot);
  free(path);
  return sound;
}

/* gnuplot's exit code; -1: there is none. */
static int run_gnuplot(const char *folder, const char *script) {
  posix_spawn_file_actions_t actions;
  char program[] = "gnuplot", flag[] = "-e", suffix[] = "suffix='.new'";
  char *arguments[] = {program, flag, suffix, (char *)script, NULL};
  pid_t child;
  int state;
  if (posix_spawn_file_actions_init(&actions) != 0)
    return -1;
  int failed = posix_spawn_file_actions_addchdir_np(&actions, folder);
  if (!failed)
    failed = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed || waitpid(child, &state, 0) != child)
    return -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128;
}

/* A picture gets its name when it is whole. */
static bool name_picture(const struct plot *plot, const char *folder, const char *suffix,
                         bool whole) {
  char *path = path_in(folder, plot->name, suffix), *new = NULL;
  bool sound = path && asprintf(&new, "%s.new", path) >= 0;
  struct stat status;
  if (sound && (!whole || stat(new, &status) != 0 || status.st_size == 0)) {
    unlink(new);
    sound = false;
  } else if (sound) {
    sound = rename(new, path) == 0;
  }
  free(path);
  free(new);
  return sound;
}

static int draw(const struct plot *plot, const char *folder) {
  char script[64];
  snprintf(script, sizeof script, "%s.gp", plot->name);
  int code = run_gnuplot(folder, script);
  bool svg = name_picture(plot, folder, ".svg", code == 0);
  bool png = name_picture(plot, folder, ".png", code == 0);
  if (code < 0 || code == 127) {
    fprintf(stderr, "floe: there is no gnuplot: %s/%s.gp and %s.dat are written, not drawn\n",
            folder, plot->name, plot->name);
    return EXIT_AS_WANTED;
  }
  if (svg && png)
    return EXIT_AS_WANTED;
  complain("its own messages are above", "gnuplot did not draw %s/%s.gp", folder, plot->name);
  return EXIT_INTERNAL;
}

static bool any_figure(const struct bench_report *report) {
  for (size_t i = 0; i < report->count; i++)
    if (has_figure(report, &report->rows[i]))
      return true;
  return false;
}

bool may_plot(const char *name, const char *folder) {
  struct stat status;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    complain(NULL, "%s cannot be made: %s", folder, strerror(errno));
    return false;
  }
  if (stat(folder, &status) == 0 && !S_ISDIR(status.st_mode)) {
    complain(NULL, "%s is no folder", folder);
    return false;
  }
  char *path = path_in(folder, *name ? name : "bench", ".dat");
  bool may = path && may_write_file(path);
  free(path);
  return may;
}

int write_bench_plot(const struct bench_report *report, const char *folder) {
  bool gpu = floe_bench_engine(report->bench) == FLOE_ENGINE_GPU;
  struct plot plot = {.report = report,
                      .name = *report->preset ? report->preset : "bench",
                      .unit = gpu ? 1e9 : 1e6,
                      .unit_name = gpu ? "G keys/s" : "M keys/s"};
  if (report->grid->overflow) {
    plot.unit = 1;
    plot.unit_name = "fill factor";
  }
  if (!any_figure(report)) {
    fprintf(stderr, "floe: there is nothing to draw\n");
    return EXIT_AS_WANTED;
  }
  if (!write_one(&plot, folder, ".dat", put_data) || !write_one(&plot, folder, ".gp", put_script))
    return EXIT_INTERNAL;
  return draw(&plot, folder);
}
