/* floe bench, ws presets: the table on standard output, and the files of --csv and --json. */
#include "cmd/bench/bench_mixed.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "cmd/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

void put_mixed_head(const struct mixed_report *report) {
  printf("floe %s, %s on %s\n", floe_version(), report->preset, floe_bench_machine(report->bench));
  printf("%-8s %4s %10s %9s %7s %8s %7s %8s %15s %6s %6s %6s %6s %6s %7s %6s\n", "variant", "thr", "pairs", "recent",
         "batch", "updates", "hot", "M q/s", "least..most", "first", "misses", "waited", "second", "beside", "kernels",
         "copies");
}

static void put_part(double part) { printf(" %5.1f%%", 100 * part); }

static void put_figures(const floe_bench_mixed_result *result) {
  char span[32];
  snprintf(span, sizeof span, "%.4g..%.4g", result->rate_least / 1e6, result->rate_most / 1e6);
  printf(" %8.4g %15s", result->rate / 1e6, span);
  put_part(result->first);
  if (result->misses < 0)
    printf(" %6s", "-");
  else
    printf(" %6.3g", result->misses);
  put_part(result->waited);
  put_part(result->second);
  put_part(result->beside);
  putchar(' ');
  put_part(result->kernels);
  put_part(result->copies);
}

void put_mixed_row(const struct mixed_row *row) {
  const floe_bench_mixed_case *what = &row->what;
  printf("%-8s %4u %10" PRIu64 " %9" PRIu64 " %7" PRIu64 " %8g %7g", what->variant, what->threads, what->pairs,
         what->recent, what->batch, what->updates, what->hot);
  if (row->result.verdict == FLOE_BENCH_MEASURED)
    put_figures(&row->result);
  else
    printf("  %s: %s", floe_bench_verdict_name(row->result.verdict), row->result.why);
  putchar('\n');
  fflush(stdout);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

#define FIRST(name) (strcmp(#name, "table") == 0)

static void csv_row(FILE *stream, const struct mixed_row *row) {
#define FIELD(name, kind, value)                                                                                       \
  if (!FIRST(name))                                                                                                    \
    fputc(',', stream);                                                                                                \
  csv_##kind(stream, value);
#include "cmd/bench/bench_mixed_fields.def"
#undef FIELD
  fputc('\n', stream);
}

static bool csv_all(FILE *stream, const void *data) {
  const struct mixed_report *report = data;
#define FIELD(name, kind, value) fputs(FIRST(name) ? #name : "," #name, stream);
#include "cmd/bench/bench_mixed_fields.def"
#undef FIELD
  fputc('\n', stream);
  for (size_t i = 0; i < report->count; i++)
    csv_row(stream, &report->rows[i]);
  return true;
}

bool write_mixed_csv(const struct mixed_report *report, const char *path) { return write_file(path, csv_all, report); }

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_TEXT(const char *text) { return text_json(text); }
static json_t *json_COUNT(uint64_t value) { return json_integer((json_int_t)value); }
static json_t *json_REAL(double value) { return json_real(value); }

static json_t *row_json(const struct mixed_row *row) {
  json_t *object = json_object();
#define FIELD(name, kind, value) json_object_set_new(object, #name, json_##kind(value));
#include "cmd/bench/bench_mixed_fields.def"
#undef FIELD
  return object;
}

bool write_mixed_json(const struct mixed_report *report) {
  json_t *rows = json_array();
  for (size_t i = 0; i < report->count; i++)
    json_array_append_new(rows, row_json(&report->rows[i]));
  return put_json(report->options->json.text,
                  bench_json(report->bench, report->preset, report->interrupted, rows, json_array()));
}
