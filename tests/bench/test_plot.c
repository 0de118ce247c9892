/* Script and data for gnuplot, with made-up results: which rows are one panel, one line, one group of bars. */
#include "bench/measure/bench.h"
#include "cmd/bench/bench_panels.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct floe_bench device = {.title = "the author's machine"};
static struct bench_grid grid;
static struct bench_row rows[64];
static struct bench_report report;
static struct plot plot;
static char script[1 << 16], data[1 << 16];

static void setup(void) {
  memset(rows, 0, sizeof rows);
  grid = (struct bench_grid){.x = AXIS_after};
  report = (struct bench_report){.preset = "made", .grid = &grid, .bench = &device, .rows = rows};
  plot = (struct plot){.report = &report, .name = "made", .unit = 1e9, .unit_name = "G keys/s"};
}

static struct bench_row *add(floe_bench_operation operation, double after, double rate) {
  struct bench_row *row = &rows[report.count++];
  row->what = (floe_bench_case){.table = "iceberg", .operation = operation, .after = after};
  row->result = (floe_bench_result){.verdict = FLOE_BENCH_MEASURED,
                                    .slot_bits = 16,
                                    .bucket_slots = 32,
                                    .rate = rate,
                                    .rate_least = rate,
                                    .rate_most = rate};
  return row;
}

static void write_into(char *text, size_t size, bool (*put)(FILE *, const void *)) {
  memset(text, 0, size);
  FILE *stream = fmemopen(text, size - 1, "w");
  ck_assert_ptr_nonnull(stream);
  ck_assert(put(stream, &plot));
  fclose(stream);
}

static void draw(void) {
  double low, high;
  ck_assert(plot_range(&plot, plot_x, &low, &high));
  plot.bars = !(high > low);
  write_into(script, sizeof script, put_plot_script);
  write_into(data, sizeof data, put_plot_data);
}

static void says(const char *text, bool wanted) {
  ck_assert_msg((strstr(script, text) != NULL) == wanted, "'%s' is%s in\n%s", text, wanted ? " not" : "", script);
}

/* As the preset remark1: the fill factor of a find is that before it. */
static void add_places(double times) {
  for (unsigned host = 0; host < 2; host++)
    for (unsigned bits = 16; bits <= 32; bits *= 2) {
      struct bench_row *put = add(FLOE_BENCH_PUT, 0.8, host ? 1e8 : 1e8 * times);
      struct bench_row *find = add(FLOE_BENCH_FIND, 0, host ? 2e8 : 2e8 * times);
      find->what.before = 0.8;
      put->what.host_memory = find->what.host_memory = host;
      put->result.slot_bits = find->result.slot_bits = bits;
    }
}

START_TEST(one_place_makes_bars) {
  add_places(10);
  draw();
  ck_assert(plot.bars);
  says("set xtics noenhanced (\"put\" 0, \\\n  \"find\" 1)", true);
  says("index 0 using ($1-0.315):2 with boxes lc rgb '#1f77b4' fs solid", true);
  says("index 2 using ($1+0.105):2 with boxes lc rgb '#1f77b4' fs pattern", true);
  says("title '32 bits, 32 a bucket, host memory'", true);
  says("the author''s machine", true);
  says("logscale", false);
  says("layout 1,1", true);
  static const char first[] = "# iceberg, slots of 16 bits, 32 a bucket, group by group\n0 1 1 1 0\n1 2 2 2 0\n";
  ck_assert_msg(strncmp(data, first, strlen(first)) == 0, "%s", data);
}
END_TEST

START_TEST(far_apart_bars_are_logarithmic) {
  add_places(31);
  draw();
  says("set logscale y\nset yrange [0.0333333:*]", true);
}
END_TEST

START_TEST(all_axes_tell_panels_apart) {
  for (unsigned key_bits = 20; key_bits <= 40; key_bits += 20)
    for (unsigned zipf = 0; zipf <= 1; zipf++)
      for (unsigned slots = 8; slots <= 16; slots *= 2)
        for (unsigned after = 9; after >= 7; after -= 2) {
          struct bench_row *row = add(FLOE_BENCH_FIND_OR_PUT, after / 10.0, 1e9 * after);
          row->what.key_bits = key_bits;
          row->what.zipf = zipf;
          row->what.slots = slots;
        }
  draw();
  ck_assert(!plot.bars);
  says("layout 3,3", true); /* eight panels */
  says("iceberg: find-or-put, Zipf''s exponent 1, slots 16, key width 40'", true);
  says("set xrange [0.692:0.908]", true);
  unsigned blocks = 0;
  for (const char *at = data; (at = strstr(at, "\n0.7 7 7 7 0\n0.9 9 9 9 0\n")); at++)
    blocks++;
  ck_assert_uint_eq(blocks, 8);
}
END_TEST

/* A row without a result leaves a gap. */
START_TEST(gaps_stay) {
  for (unsigned after = 7; after <= 9; after++)
    add(FLOE_BENCH_PUT, after / 10.0, 1e9)->what.before = (after - 1) / 10.0;
  grid.step = true; /* each step starts at the end of the one before: still one line */
  rows[1].result.verdict = FLOE_BENCH_FULL;
  draw();
  ck_assert_str_eq(data, "# iceberg, slots of 16 bits, 32 a bucket, put\n0.7 1 1 1 0\n"
                         "0.8 nan nan nan nan\n0.9 1 1 1 0\n\n\n");
  says("layout 1,1", true);
}
END_TEST

int main(void) {
  TCase *tcase = tcase_create("scripts");
  tcase_add_checked_fixture(tcase, setup, NULL);
  add_tests(tcase, one_place_makes_bars, far_apart_bars_are_logarithmic, all_axes_tell_panels_apart, gaps_stay);
  return run_suite("plot", CK_FORK_GETENV, tcase);
}
