/* floe bench --json: one object (doc/result.schema.json). */
#include "cmd/bench/bench.h"
#include "cmd/report/report.h"

static json_t *json_TEXT(const char *text) { return text_json(text); }
static json_t *json_COUNT(uint64_t value) { return json_integer((json_int_t)value); }
static json_t *json_REAL(double value) { return json_real(value); }
static json_t *json_FLAG(bool value) { return json_boolean(value); }

static json_t *row_json(const struct bench_grid *grid, const struct bench_row *row) {
  json_t *object = json_object();
#define FIELD(name, kind, of, value)                                                                                   \
  if (BENCH_HAS(grid, of))                                                                                             \
    json_object_set_new(object, #name, json_##kind(value));
#include "cmd/bench/bench_fields.def"
  return object;
}

static json_t *limits_json(const floe_bench_ceilings *limits) {
  return json_pack("{s:I, s:f, s:f, s:f, s:f}", "bytes", (json_int_t)limits->bytes, "read", limits->read, "swap16",
                   limits->swap16, "swap32", limits->swap32, "swap64", limits->swap64);
}

static json_t *whole_json(const struct bench_report *report, json_t *rows, json_t *limits) {
  const bool gpu = floe_bench_engine(report->bench) == FLOE_ENGINE_GPU;
  json_t *object = json_object();
  json_object_set_new(object, "version", json_string(floe_version()));
  json_object_set_new(object, "command", json_string("bench"));
  json_object_set_new(object, "preset", *report->preset ? json_string(report->preset) : json_null());
  json_object_set_new(object, "engine", json_string(gpu ? "gpu" : "cpu"));
  json_object_set_new(object, "machine", text_json(floe_bench_machine(report->bench)));
  json_object_set_new(object, "interrupted", json_boolean(report->interrupted));
  json_object_set_new(object, "rows", rows);
  json_object_set_new(object, "limits", limits);
  return object;
}

bool write_bench_json(const struct bench_report *report) {
  json_t *rows = json_array(), *limits = json_array();
  for (size_t i = 0; i < report->count; i++)
    json_array_append_new(rows, row_json(report->grid, &report->rows[i]));
  for (size_t i = 0; i < report->limit_count; i++)
    json_array_append_new(limits, limits_json(&report->limits[i]));
  return put_json(report->options->json.text, whole_json(report, rows, limits));
}
