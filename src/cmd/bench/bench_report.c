/* floe bench: the table on standard output, and the file of --csv. */
#include "cmd/bench/bench.h"
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/output.h"
#include "cmd/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

static void put_query_head(void) {
  printf("%-8s %4s %10s %9s %7s %8s %7s %8s %15s %6s %6s %6s %6s %6s %7s %6s\n", "variant", "thr", "pairs", "recent",
         "batch", "updates", "hot", "M q/s", "least..most", "first", "misses", "waited", "second", "beside", "kernels",
         "copies");
}

void put_bench_head(const struct bench_report *report) {
  printf("floe %s, %s on %s\n", floe_version(), *report->preset ? report->preset : "bench",
         floe_bench_machine(report->bench));
  if (report->grid->quantity == BENCH_LIMITS)
    return;
  if (report->grid->quantity == BENCH_QUERIES) {
    put_query_head();
    return;
  }
  printf("%-10s %-11s %4s %6s %6s %11s %6s %6s %5s %9s %15s %8s\n", "table", "operation", "key", "slot", "bucket",
         "slots", "before", "after", "pos", "M keys/s", "least..most", "ceiling");
}

static void put_ratio(bool meant, double value, int width) {
  if (meant)
    printf(" %*.3g", width, value);
  else
    printf(" %*s", width, "-");
}

static void put_case(const struct bench_row *row) {
  const floe_bench_result *result = &row->result;
  bool looks = only_looks(row->what.operation);
  char slot[32];
  if (result->second_slot_bits && result->second_slot_bits != result->slot_bits)
    snprintf(slot, sizeof slot, "%u/%u", result->slot_bits, result->second_slot_bits);
  else
    snprintf(slot, sizeof slot, "%u", result->slot_bits);
  printf("%-10s %-11s %4u %6s %6u %11" PRIu64, row->what.table, floe_bench_operation_name(row->what.operation),
         result->key_bits, slot, result->bucket_slots, result->slots);
  put_ratio(!row->what.from_file, row->what.before, 6);
  put_ratio(!looks, row->what.from_file ? result->after : row->what.after, 6);
  put_ratio(looks, row->what.positive, 5);
}

static void put_rate(const floe_bench_result *result, int width) {
  char span[32];
  snprintf(span, sizeof span, "%.4g..%.4g", result->rate_least / 1e6, result->rate_most / 1e6);
  printf(" %*.4g %15s", width, result->rate / 1e6, span);
}

static void put_ceiling(const floe_bench_result *result) {
  if (result->ceiling > 0)
    printf(" %7.1f%%", 100 * bench_fraction(result));
  else
    printf(" %8s", "-");
}

static void put_notes(const struct bench_report *report, const struct bench_row *row) {
  const floe_bench_result *result = &row->result;
  if (report->grid->quantity == BENCH_OVERFLOW && result->verdict == FLOE_BENCH_MEASURED)
    printf("  level 3 from fill factor %.4f on", result->after);
  if (row->what.from_file && row->what.part < 1)
    printf("  %.3g of the keys", row->what.part);
  if (row->what.zipf > 0)
    printf("  Zipf %.3g", row->what.zipf);
  if (row->what.host_memory)
    printf("  in host memory");
  if (result->probe_mean >= 0)
    printf("  distance %.4g, at most %" PRIu64, result->probe_mean, result->probe_most);
  if (result->third)
    printf("  %" PRIu64 " in level 3", result->third);
  if (result->verdict != FLOE_BENCH_MEASURED)
    printf("  %s: %s", floe_bench_verdict_name(result->verdict), result->why);
}

static void put_table_row(const struct bench_report *report, const struct bench_row *row) {
  put_case(row);
  if (row->result.rate > 0) {
    put_rate(&row->result, 9);
    put_ceiling(&row->result);
  }
  put_notes(report, row);
}

static void put_part(double part) { printf(" %5.1f%%", 100 * part); }

static void put_answers(const floe_bench_mixed_result *answers) {
  put_part(answers->first);
  if (answers->misses < 0)
    printf(" %6s", "-");
  else
    printf(" %6.3g", answers->misses);
  put_part(answers->waited);
  put_part(answers->second);
  put_part(answers->beside);
  putchar(' ');
  put_part(answers->kernels);
  put_part(answers->copies);
}

static void put_query_row(const struct bench_row *row) {
  const floe_bench_mixed_case *what = &row->queries;
  printf("%-8s %4u %10" PRIu64 " %9" PRIu64 " %7" PRIu64 " %8g %7g", what->variant, what->threads, what->pairs,
         what->recent, what->batch, what->updates, what->hot);
  if (row->result.verdict != FLOE_BENCH_MEASURED) {
    printf("  %s: %s", floe_bench_verdict_name(row->result.verdict), row->result.why);
    return;
  }
  put_rate(&row->result, 8);
  put_answers(&row->answers);
}

void put_bench_row(const struct bench_report *report, const struct bench_row *row) {
  if (report->grid->quantity == BENCH_QUERIES)
    put_query_row(row);
  else
    put_table_row(report, row);
  putchar('\n');
  fflush(stdout);
}

void put_bench_limits(const struct bench_report *report) {
  printf("%-12s %14s %14s %14s %14s\n", "footprint", "reads of 64 B", "swaps of 16 b", "swaps of 32 b",
         "swaps of 64 b");
  for (size_t i = 0; i < report->limit_count; i++) {
    const floe_bench_ceilings *limits = &report->limits[i];
    char bytes[QUANTITY];
    printf("%-12s %12.4g M %12.4g M %12.4g M %12.4g M\n", byte_text(limits->bytes, bytes), limits->read / 1e6,
           limits->swap16 / 1e6, limits->swap32 / 1e6, limits->swap64 / 1e6);
  }
}

/* ---- CSV ------------------------------------------------------------------------------------- */

#define FIRST(name) (strcmp(#name, "table") == 0)

/* Quotes the field if necessary. */
static void csv_TEXT(FILE *stream, const char *text) {
  if (!strpbrk(text, ",\"\n")) {
    fputs(text, stream);
    return;
  }
  fputc('"', stream);
  for (; *text; text++) {
    if (*text == '"')
      fputc('"', stream);
    fputc(*text, stream);
  }
  fputc('"', stream);
}
static void csv_COUNT(FILE *stream, uint64_t value) { fprintf(stream, "%" PRIu64, value); }
static void csv_REAL(FILE *stream, double value) { fprintf(stream, "%.9g", value); }
static void csv_FLAG(FILE *stream, bool value) { fputc(value ? '1' : '0', stream); }

static void csv_row(FILE *stream, const struct bench_grid *grid, const struct bench_row *row) {
#define FIELD(name, kind, of, value)                                                                                   \
  if (BENCH_HAS(grid, of)) {                                                                                           \
    if (!FIRST(name))                                                                                                  \
      fputc(',', stream);                                                                                              \
    csv_##kind(stream, value);                                                                                         \
  }
#include "cmd/bench/bench_fields.def"
  fputc('\n', stream);
}

static void csv_limits(FILE *stream, const struct bench_report *report) {
  fputs("bytes,read,swap16,swap32,swap64\n", stream);
  for (size_t i = 0; i < report->limit_count; i++) {
    const floe_bench_ceilings *limits = &report->limits[i];
    fprintf(stream, "%" PRIu64 ",%.9g,%.9g,%.9g,%.9g\n", limits->bytes, limits->read, limits->swap16, limits->swap32,
            limits->swap64);
  }
}

static bool csv_all(FILE *stream, const void *data) {
  const struct bench_report *report = data;
  if (report->grid->quantity == BENCH_LIMITS) {
    csv_limits(stream, report);
    return true;
  }
#define FIELD(name, kind, of, value)                                                                                   \
  if (BENCH_HAS(report->grid, of))                                                                                     \
    fputs(FIRST(name) ? #name : "," #name, stream);
#include "cmd/bench/bench_fields.def"
  fputc('\n', stream);
  for (size_t i = 0; i < report->count; i++)
    csv_row(stream, report->grid, &report->rows[i]);
  return true;
}

bool write_bench_csv(const struct bench_report *report, const char *path) { return write_file(path, csv_all, report); }
