/* floe bench, ws presets: mixed queries of a map. */
#include "cmd/bench/bench_mixed.h"
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/output.h"
#include "cmd/report/report.h"
#include "cmd/signals.h"

#include <stdlib.h>
#include <string.h>

struct run {
  struct mixed_report report;
  struct mixed_grid grid;
  floe_log *log;
  floe_bench *bench;
  int code;
};

/* ---- what may be said ------------------------------------------------------------------------ */

static bool is_among(unsigned option, const unsigned *options, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (options[i] == option)
      return true;
  return false;
}

static bool check_uses_of(const struct options *options, const struct mixed_preset *preset) {
  static const unsigned used[] = {OPTION_vary, OPTION_engine, OPTION_device, OPTION_threads,  OPTION_repetitions,
                                  OPTION_seed, OPTION_csv,    OPTION_json,   OPTION_cache_dir};
  for (unsigned i = 0; i < OPTION_COUNT; i++)
    if (option_given(options, i) && !is_among(i, used, sizeof used / sizeof *used)) {
      print_error("use --vary=NAME=VALUES", "--%s does not apply to the preset %s", option_rows[i].name, preset->name);
      return false;
    }
  return true;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static struct mixed_row *new_row(struct mixed_report *report) {
  if (report->count == report->room) {
    size_t room = report->room ? 2 * report->room : 64;
    struct mixed_row *rows = realloc(report->rows, room * sizeof *rows);
    if (!rows)
      return NULL;
    report->rows = rows;
    report->room = room;
  }
  return &report->rows[report->count];
}

static bool take_row(struct run *run, struct mixed_row *row) {
  if (row->result.verdict == FLOE_BENCH_INTERRUPTED)
    return false; /* an incomplete measurement is dropped */
  if (!json_replaces_text(run->report.options))
    put_mixed_row(row);
  if (row->result.verdict == FLOE_BENCH_WRONG)
    run->code = EXIT_INTERNAL;
  run->report.count++;
  return true;
}

static bool measure(void *user, const floe_bench_mixed_case *what) {
  struct run *run = user;
  struct mixed_row *row = new_row(&run->report);
  floe_status status = FLOE_ERROR_MEMORY;
  if (row) {
    row->what = *what;
    status = floe_bench_mixed(run->bench, what, &row->result);
  }
  if (status != FLOE_OK) {
    run->code = print_failure(status, run->log);
    return false;
  }
  return take_row(run, row);
}

/* A refusal among figures is a result; without any figure it is an error of the command line. */
static void report_no_results(struct run *run) {
  const struct mixed_report *report = &run->report;
  for (size_t i = 0; i < report->count; i++)
    if (report->rows[i].result.verdict != FLOE_BENCH_REFUSED)
      return;
  if (run->code != EXIT_SATISFIED || report->count == 0)
    return;
  print_error(NULL, "nothing is measured: %s", report->rows[0].result.why);
  run->code = EXIT_USAGE;
}

static void measure_all(struct run *run) {
  if (mixed_grid_each(&run->grid, measure, run))
    report_no_results(run);
}

static void write_all(struct run *run) {
  const struct options *options = run->report.options;
  run->report.interrupted = signals_received();
  if (run->report.interrupted && run->code == EXIT_SATISFIED)
    run->code = EXIT_UNDECIDED;
  if (run->report.interrupted && !json_replaces_text(options))
    puts("interrupted");
  const bool csv = !options->csv || write_mixed_csv(&run->report, options->csv);
  const bool json = !options->json.given || write_mixed_json(&run->report);
  if (!csv || !json)
    run->code = output_failed(run->code);
}

static int run_with(struct run *run) {
  floe_status status = open_bench(run->report.options, run->log, &run->bench);
  if (status != FLOE_OK)
    return print_failure(status, run->log);
  signals_catch();
  run->report.bench = run->bench;
  if (!json_replaces_text(run->report.options))
    put_mixed_head(&run->report);
  measure_all(run);
  write_all(run);
  floe_bench_free(run->bench);
  free(run->report.rows);
  return run->code;
}

static int run_grid(struct run *run) {
  floe_status status = floe_log_create(&run->log);
  if (status != FLOE_OK)
    return print_failure(status, NULL);
  const int code = run_with(run);
  floe_log_free(run->log);
  return code;
}

static int run_preset(const struct options *options, const struct mixed_preset *preset) {
  struct run run = {.report = {.options = options, .preset = preset->name}, .code = EXIT_SATISFIED};
  if (!check_uses_of(options, preset))
    return EXIT_USAGE;
  const bool right = mixed_grid_make(options, preset, &run.grid);
  const int code = right ? run_grid(&run) : EXIT_USAGE;
  mixed_grid_free(&run.grid);
  return code;
}

bool run_mixed(const struct options *options, const char *preset, int *code) {
  for (const struct mixed_preset *one = mixed_presets; one->name; one++)
    if (strcmp(one->name, preset) == 0) {
      *code = run_preset(options, one);
      return true;
    }
  return false;
}
