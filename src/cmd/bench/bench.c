/* floe bench: measures operations of the hash tables (doc/bench.md). */
#include "cmd/bench/bench.h"

#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/output.h"
#include "cmd/report/report.h"
#include "cmd/session.h"
#include "cmd/signals.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct run {
  struct bench_report report;
  struct bench_grid grid;
  floe_log *log;
  floe_bench *bench;
  size_t room; /* rows */
  int code;
};

/* ---- measuring ------------------------------------------------------------------------------- */

static struct bench_row *new_row(struct run *run) {
  struct bench_report *report = &run->report;
  if (report->count == run->room) {
    size_t room = run->room ? 2 * run->room : 64;
    struct bench_row *rows = realloc(report->rows, room * sizeof *rows);
    if (!rows)
      return NULL;
    report->rows = rows;
    run->room = room;
  }
  return &report->rows[report->count];
}

/* Equal consecutive refusals are printed once; the files have them in every row. */
static bool is_refused_again(const struct bench_report *report, const struct bench_row *row) {
  const struct bench_row *last = row - 1;
  return report->count > 0 && report->grid->quantity != BENCH_QUERIES && row->result.verdict == FLOE_BENCH_REFUSED &&
         last->result.verdict == FLOE_BENCH_REFUSED && strcmp(row->result.why, last->result.why) == 0 &&
         strcmp(row->what.table, last->what.table) == 0 && row->result.slot_bits == last->result.slot_bits &&
         row->result.bucket_slots == last->result.bucket_slots;
}

static bool take_row(struct run *run, struct bench_row *row) {
  if (row->result.verdict == FLOE_BENCH_INTERRUPTED)
    return false; /* an incomplete measurement is dropped */
  if (!json_replaces_text(run->report.options) && !is_refused_again(&run->report, row))
    put_bench_row(&run->report, row);
  if (row->result.verdict == FLOE_BENCH_WRONG)
    run->code = EXIT_INTERNAL;
  run->report.count++;
  return true;
}

static floe_status measure_queries(floe_bench *bench, struct bench_row *row) {
  const floe_status status = floe_bench_mixed(bench, &row->queries, &row->answers);
  const floe_bench_mixed_result *from = &row->answers;
  row->result = (floe_bench_result){.verdict = from->verdict,
                                    .bytes = from->bytes,
                                    .found = from->found,
                                    .put = from->put,
                                    .repetitions = from->repetitions,
                                    .rate = from->rate,
                                    .rate_least = from->rate_least,
                                    .rate_most = from->rate_most};
  static_assert(sizeof row->result.why == sizeof from->why, "all reasons have room");
  memcpy(row->result.why, from->why, sizeof from->why);
  return status;
}

static floe_status measure_row(floe_bench *bench, enum bench_quantity quantity, struct bench_row *row) {
  switch (quantity) {
  case BENCH_QUERIES:
    return measure_queries(bench, row);
  case BENCH_OVERFLOW:
    return floe_bench_overflow(bench, &row->what, &row->result);
  default:
    return floe_bench_run(bench, &row->what, &row->result);
  }
}

static bool measure(void *user, const struct bench_row *what) {
  struct run *run = user;
  struct bench_row *row = new_row(run);
  floe_status status = FLOE_ERROR_MEMORY;
  if (row) {
    *row = *what;
    status = measure_row(run->bench, run->grid.quantity, row);
  }
  if (status != FLOE_OK) {
    run->code = print_failure(status, run->log);
    return false;
  }
  return take_row(run, row);
}

/* Footprints from cache sizes to far larger ones. */
static void measure_limits(struct run *run) {
  bool gpu = floe_bench_engine(run->bench) == FLOE_ENGINE_GPU;
  uint64_t least = UINT64_C(1) << (gpu ? 28 : 20), most = UINT64_C(1) << (gpu ? 36 : 30);
  for (uint64_t bytes = least; bytes <= most && !signals_received(); bytes *= gpu ? 4 : 16) {
    floe_bench_ceilings *limits = &run->report.limits[run->report.limit_count];
    floe_status status = floe_bench_limits(run->bench, bytes, limits);
    if (status == FLOE_ERROR_MEMORY && run->report.limit_count > 0)
      return; /* larger footprints do not fit either */
    if (status != FLOE_OK) {
      run->code = print_failure(status, run->log);
      return;
    }
    run->report.limit_count++;
  }
}

static bool all_are_refused(const struct bench_report *report) {
  for (size_t i = 0; i < report->count; i++)
    if (report->rows[i].result.verdict != FLOE_BENCH_REFUSED)
      return false;
  return true;
}

/* A refusal among figures is a result; without any figure it is an error of the command line. */
static void report_nothing_measured(struct run *run) {
  if (run->grid.quantity == BENCH_LIMITS || run->code != EXIT_SATISFIED || !all_are_refused(&run->report))
    return;
  print_error(run->report.count ? NULL : "use a fill factor of --after above one of --before",
              "nothing is measured%s%s", run->report.count ? ": " : "",
              run->report.count ? run->report.rows[0].result.why : "");
  run->code = EXIT_USAGE;
}

static void measure_all(struct run *run) {
  bool text = !json_replaces_text(run->report.options);
  if (text)
    put_bench_head(&run->report);
  if (run->grid.quantity == BENCH_LIMITS) {
    measure_limits(run);
    if (text)
      put_bench_limits(&run->report);
  } else {
    grid_each(&run->grid, measure, run);
  }
  run->report.interrupted = signals_received();
  if (!run->report.interrupted)
    report_nothing_measured(run);
  if (run->report.interrupted) {
    if (text)
      puts("interrupted");
    if (run->code == EXIT_SATISFIED)
      run->code = EXIT_UNDECIDED;
  }
}

/* ---- results --------------------------------------------------------------------------------- */

/* Writes every requested file, even if one fails. */
static void write_all(struct run *run) {
  const struct options *options = run->report.options;
  bool csv = !options->csv || write_bench_csv(&run->report, options->csv);
  bool json = !options->json.given || write_bench_json(&run->report);
  bool plot = !options->plot || write_bench_plot(&run->report, options->plot);
  if (!csv || !json || !plot)
    run->code = output_failed(run->code);
}

/* Keys are numbered, as in the paper, unless the preset measures the keys themselves. */
static bool load_keys(struct run *run) {
  const struct options *options = run->report.options;
  if (!run->grid.from_file)
    return true;
  floe_bench_keys keys;
  bool numbered = *run->report.preset != 0;
  floe_status status = floe_bench_load(run->bench, options->keys, numbered, &keys);
  if (status != FLOE_OK)
    run->code = print_failure(status, run->log);
  else if (!json_replaces_text(options))
    printf("%s: %llu keys, %llu different, of %u bits%s\n", printable(options->keys), (unsigned long long)keys.count,
           (unsigned long long)keys.distinct, keys.key_bits, numbered ? " (numbered)" : "");
  return status == FLOE_OK;
}

static floe_status open_bench(const struct options *options, floe_log *log, floe_bench **out) {
  floe_bench_options how;
  floe_bench_options_init(&how);
  how.engine = (floe_engine)options->engine;
  if (GIVEN(options, device)) /* a GPU given by number must not be replaced by another device */
    how.engine = FLOE_ENGINE_GPU;
  how.threads = (unsigned)options->threads;
  how.gpu_device = (unsigned)options->device;
  how.cache_dir = options->cache_dir;
  return floe_bench_create(&how, log, out);
}

static int run_grid(struct run *run) {
  floe_status status = open_bench(run->report.options, run->log, &run->bench);
  if (status != FLOE_OK)
    return print_failure(status, run->log);
  signals_catch();
  run->report.bench = run->bench;
  if (load_keys(run)) {
    measure_all(run);
    write_all(run);
  }
  floe_bench_free(run->bench);
  free(run->report.rows);
  return run->code;
}

static int run_bench(const struct options *options, char *const *operands, int count) {
  const struct bench_preset *preset = NULL;
  if (count > 0 && !(preset = find_preset(operands[0])))
    return EXIT_USAGE;
  struct run run = {.report = {.options = options, .preset = preset ? preset->name : ""}, .code = EXIT_USAGE};
  run.report.grid = &run.grid;
  if (!grid_make(options, preset, &run.grid) ||
      (options->plot && !create_plot_folder(run.report.preset, options->plot))) {
    grid_free(&run.grid);
    return EXIT_USAGE;
  }
  run.code = EXIT_SATISFIED;
  floe_status status = floe_log_create(&run.log);
  int code = status == FLOE_OK ? run_grid(&run) : print_failure(status, NULL);
  if (status == FLOE_OK)
    floe_log_free(run.log);
  grid_free(&run.grid);
  return code;
}

const struct command command_bench = {
    .name = "bench",
    .bit = IN(bench),
    .operands = "[PRESET]",
    .summary = "Measure the hash tables",
    .description = "Presets: fig1 (put), fig2 (find), fig3 (find-or-put), fig4 (find-or-put of the\n"
                   "keys of a file), remark1 (tables in host memory), overflow (load at which\n"
                   "iceberg first uses level 3), probe (linear probing by load), reduce (sums with\n"
                   "Robin Hood hashing), limits (memory access rates); ws-fig4, ws-fig5, ws-fig6,\n"
                   "ws-fig6-batch, ws-crossover (find, put and delete in one stream, working-set\n"
                   "tables). Without a preset the options define the measurement. A LIST separates\n"
                   "its values by commas; every combination is measured.\n",
    .max_operands = 1,
    .add_outputs = add_plots,
    .run = run_bench,
};
