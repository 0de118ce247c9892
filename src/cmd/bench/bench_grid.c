/* floe bench: the axes of the command line, and every combination of their values. */
#define _DEFAULT_SOURCE
#include "cmd/bench/bench.h"
#include "cmd/console/message.h"
#include "cmd/console/suggest.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading --------------------------------------------------------------------------------- */

void report_unknown_name(const char *kind, const char *name, const char *const *names, size_t n) {
  char hint[256] = "available: ";
  const char *near = nearest_word(name, strlen(name), names, n);
  if (near)
    snprintf(hint, sizeof hint, "did you mean '%s'?", near);
  else
    for (size_t i = 0; i < n; i++)
      snprintf(hint + strlen(hint), sizeof hint - strlen(hint), "%s%s", i ? ", " : "", names[i]);
  print_error(hint, "there is no %s '%s'", kind, name);
}

static bool report_bad_value(const char *option, const char *text, const char *hint) {
  print_error(hint, "'%s' is not a valid value for --%s", text, option);
  return false;
}

/* False: the value is present already. */
static bool add_number(struct numbers *numbers, double value) {
  for (size_t i = 0; i < numbers->n; i++)
    if (numbers->values[i] == value)
      return false;
  numbers->values[numbers->n++] = value;
  return true;
}

static bool read_numbers(const char *option, const char *text, double low, double high, struct numbers *out) {
  char hint[96];
  snprintf(hint, sizeof hint, "use numbers from %g to %g, for example --%s=%g,%g", low, high, option,
           low + (high - low) / 4, low + (high - low) / 2);
  out->n = 0;
  for (const char *at = text;;) {
    char *end;
    if (strspn(at, "0123456789.") == 0 || out->n == BENCH_LIST)
      return report_bad_value(option, text, hint);
    double value = strtod(at, &end);
    if (!(value >= low && value <= high) || (*end && *end != ','))
      return report_bad_value(option, text, hint);
    if (!add_number(out, value))
      return report_bad_value(option, text, "list every value once");
    if (!*end)
      return true;
    at = end + 1;
  }
}

/* "2^27", "100000" */
static bool read_power(const char *text, const char **end, double *out) {
  char *rest;
  errno = 0;
  if (*text < '0' || *text > '9')
    return false;
  *out = (double)strtoull(text, &rest, 10);
  if (*rest == '^' && rest[1] >= '0' && rest[1] <= '9')
    *out = pow(*out, (double)strtoull(rest + 1, &rest, 10));
  *end = rest;
  return errno == 0;
}

static bool read_wholes(const char *option, const char *text, double most, const char *hint, struct numbers *out) {
  out->n = 0;
  for (const char *at = text;; at++) {
    double value;
    if (out->n == BENCH_LIST || !read_power(at, &at, &value) || !(value >= 1 && value <= most) || (*at && *at != ','))
      return report_bad_value(option, text, hint);
    if (!add_number(out, value))
      return report_bad_value(option, text, "list every value once");
    if (!*at)
      return true;
  }
}

static bool check_known_name(const char *kind, const char *name, const char *(*at)(size_t i)) {
  const char *names[BENCH_LIST], *known;
  size_t n = 0;
  while (n < BENCH_LIST && (known = at(n))) {
    if (strcmp(name, known) == 0)
      return true;
    names[n++] = known;
  }
  report_unknown_name(kind, name, names, n);
  return false;
}

/* The names of `text`, a list for `option`. */
static bool read_names(const char *option, const char *kind, const char *(*at)(size_t i), const char *text,
                       struct bench_grid *grid) {
  char twice[32];
  snprintf(twice, sizeof twice, "list every %s once", kind);
  free(grid->text);
  grid->text = strdup(text);
  grid->name_count = 0;
  if (!grid->text) {
    print_error(NULL, "out of memory");
    return false;
  }
  for (char *rest = grid->text, *name; (name = strsep(&rest, ","));) {
    if (!*name && at == floe_bench_table)
      return report_bad_value(option, text, "separate names by commas, for example --table=iceberg,cuckoo");
    if (!check_known_name(kind, name, at))
      return false;
    for (size_t i = 0; i < grid->name_count; i++)
      if (strcmp(grid->names[i], name) == 0)
        return report_bad_value(option, text, twice);
    grid->names[grid->name_count++] = name;
  }
  return true;
}

/* ---- the grid of a run ----------------------------------------------------------------------- */

static bool only_puts(floe_bench_operation operation) { return !only_looks(operation); }

/* The axis has this value unless it has others. */
static void set_default(struct bench_grid *grid, enum bench_axis axis, double value) {
  if (!grid->axes[axis].n)
    add_number(&grid->axes[axis], value);
}

static void fill_without_preset(struct bench_grid *grid, const struct options *options) {
  for (size_t i = 0; i < options->operation.n; i++)
    add_number(&grid->axes[AXIS_operation], options->operation.values[i]);
  set_default(grid, AXIS_operation, FLOE_BENCH_FIND_OR_PUT);
  set_default(grid, AXIS_after, 0.8);
  grid->from_file = options->keys;
  grid->x = grid->from_file ? AXIS_part : any_operation(grid, only_puts) ? AXIS_after : AXIS_before;
}

static void complete_grid(struct bench_grid *grid) {
  if (!grid->name_count)
    grid->names[grid->name_count++] = floe_bench_table(0);
  set_default(grid, AXIS_slots, (double)grid->common.slots);
  set_default(grid, AXIS_key_bits, grid->common.key_bits);
  set_default(grid, AXIS_positive, 1);
  set_default(grid, AXIS_part, 1);
}

static bool take_lists(const struct options *options, struct bench_grid *grid) {
  const struct {
    const char *option, *text;
    double most;
    enum bench_axis axis;
  } lists[] = {{"before", options->before, 1, AXIS_before},
               {"after", options->after, 1, AXIS_after},
               {"positive", options->positive, 1, AXIS_positive},
               {"zipf", options->zipf, 4, AXIS_zipf}};
  if (options->table && !read_names("table", "table", floe_bench_table, options->table, grid))
    return false;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (lists[i].text && !read_numbers(lists[i].option, lists[i].text, 0, lists[i].most, &grid->axes[lists[i].axis]))
      return false;
  if (options->slots && !read_wholes("slots", options->slots, 0x1p40,
                                     "use numbers from 1 to 2^40, for example --slots=2^27 or --slots=1000000,2000000",
                                     &grid->axes[AXIS_slots]))
    return false;
  return !options->key_bits ||
         read_wholes("key-bits", options->key_bits, 64, "use whole numbers from 1 to 64, for example --key-bits=32,40",
                     &grid->axes[AXIS_key_bits]);
}

static void take_choices(const struct choices *choices, struct numbers *out, bool *all) {
  if (!choices->n)
    return;
  out->n = 0;
  for (size_t i = 0; i < choices->n; i++)
    out->values[out->n++] = choices->values[i];
  *all = true;
}

static void take_values(const struct options *options, struct bench_grid *grid) {
  static const char *const reductions[] = {"replace", "sum", "min", "max"};
  floe_bench_case *common = &grid->common;
  if (options->second_slot_bits)
    common->second_slot_bits = options->second_slot_bits;
  if (options->value_bits)
    common->value_bits = options->value_bits;
  if (options->hashes)
    common->hashes = (unsigned)options->hashes;
  if (GIVEN(options, reduction))
    common->reduction = reductions[options->reduction];
  if (options->times)
    common->times = (unsigned)options->times;
  if (options->repetitions)
    common->repetitions = (unsigned)options->repetitions;
  common->permutation = options->permutation;
  common->seed = GIVEN(options, seed) ? options->seed : 1;
}

static bool fits_preset(const struct options *options, const struct bench_preset *preset,
                        const struct bench_grid *grid) {
  if (preset && GIVEN(options, operation)) {
    print_error("omit the preset, or --operation", "the preset %s determines its operation", preset->name);
    return false;
  }
  if (grid->from_file && !options->keys) {
    print_error("floe count -j1 --order-kind=lookups --visited-order=havi.order "
                "-D RESETS=4 havi.xml creates one",
                "the preset %s needs the keys of a file: --keys=FILE", preset->name);
    return false;
  }
  if (options->keys && !grid->from_file) {
    print_error("use it with the preset fig4, or without a preset", "--keys does not apply to this preset");
    return false;
  }
  return true;
}

/* Without a preset: the first axis with several values, if the usual axis has only one. */
static void choose_x(struct bench_grid *grid) {
  static const enum bench_axis axes[] = {AXIS_before, AXIS_after,    AXIS_positive,    AXIS_zipf,
                                         AXIS_slots,  AXIS_key_bits, AXIS_bucket_slots};
  const bool looks = any_operation(grid, only_looks);
  if (grid->axes[grid->x].n > 1)
    return;
  for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
    if (grid->axes[axes[i]].n > 1 && (axes[i] != AXIS_positive || looks)) {
      grid->x = axes[i];
      return;
    }
}

/* ---- --vary ---------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  enum bench_axis axis;
  bool whole;
  double low, high;
} query_axes[] = {
#define QUERY_AXIS(name, whole, low, high) {#name, AXIS_##name, whole, low, high},
#include "cmd/bench/bench_axes.def"
};
enum { QUERY_AXES = sizeof query_axes / sizeof *query_axes };

static bool take_query_axis(size_t i, const char *text, struct bench_grid *grid) {
  struct numbers *out = &grid->axes[query_axes[i].axis];
  char option[32], hint[112];
  snprintf(option, sizeof option, "vary=%s", query_axes[i].name);
  if (!query_axes[i].whole)
    return read_numbers(option, text, query_axes[i].low, query_axes[i].high, out);
  snprintf(hint, sizeof hint, "use whole numbers from 1 to %.10g, for example --%s=2^3,100", query_axes[i].high,
           option);
  return read_wholes(option, text, query_axes[i].high, hint, out);
}

/* "hot=0.2,0.1" */
static bool take_variation(const char *text, struct bench_grid *grid) {
  const size_t length = strcspn(text, "=");
  const char *names[QUERY_AXES + 1] = {"variant"};
  char name[32];
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  if (text[length] != '=') {
    print_error("use NAME=VALUE,VALUE,..., for example --vary=hot=0.2,0.1", "'%s' is not a valid value for --vary",
                text);
    return false;
  }
  if (strcmp(name, "variant") == 0)
    return read_names("vary=variant", "variant", floe_hash_variant, text + length + 1, grid);
  for (size_t i = 0; i < QUERY_AXES; i++) {
    if (strcmp(name, query_axes[i].name) == 0)
      return take_query_axis(i, text + length + 1, grid);
    names[i + 1] = query_axes[i].name;
  }
  report_unknown_name("axis", name, names, QUERY_AXES + 1);
  return false;
}

static bool take_variations(const struct options *options, const struct bench_preset *preset, struct bench_grid *grid) {
  if (!check_query_options(options, preset))
    return false;
  for (size_t i = 0; i < options->vary.n; i++)
    if (!take_variation(options->vary.items[i], grid))
      return false;
  return true;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void init_queries(const struct options *options, floe_bench_mixed_case *out) {
  floe_bench_mixed_case_init(out);
  out->threads = (unsigned)options->threads;
  floe_bench_mixed_case_complete(out);
  out->repetitions = (unsigned)options->repetitions;
  out->seed = GIVEN(options, seed) ? options->seed : 1;
}

bool grid_make(const struct options *options, const struct bench_preset *preset, struct bench_grid *out) {
  *out = (struct bench_grid){.x = AXIS_after};
  floe_bench_case_init(&out->common);
  init_queries(options, &out->queries);
  if (preset)
    preset->fill(out);
  else
    fill_without_preset(out, options);
  if (out->quantity == BENCH_QUERIES)
    return take_variations(options, preset, out);
  if (!fits_preset(options, preset, out) || !take_lists(options, out))
    return false;
  if (options->permutation && !check_known_name("permutation", options->permutation, floe_bench_permutation))
    return false;
  take_choices(&options->slot_bits, &out->axes[AXIS_slot_bits], &out->all_widths);
  take_choices(&options->bucket_slots, &out->axes[AXIS_bucket_slots], &out->all_buckets);
  take_values(options, out);
  complete_grid(out);
  if (!preset)
    choose_x(out);
  return check_option_use(options, out);
}

void grid_free(struct bench_grid *grid) { free(grid->text); }

/* ---- its cases ------------------------------------------------------------------------------- */

/* `at`: the index of each axis; an axis without values has the value 0. */
static double value_at(const struct bench_grid *grid, const size_t at[AXES], enum bench_axis axis) {
  return grid->axes[axis].values[at[axis]];
}

/* Advances to the next combination; false: none is left. */
static bool next_combination(const struct bench_grid *grid, size_t at[AXES]) {
  for (size_t axis = AXES; axis-- > 0; at[axis] = 0)
    if (++at[axis] < grid->axes[axis].n)
      return true;
  return false;
}

static bool has_width(const char *table, double bits) {
  const floe_bench_traits traits = floe_bench_table_traits(table);
  for (size_t i = 0; traits.slot_bits[i]; i++)
    if (traits.slot_bits[i] == bits)
      return true;
  return false;
}

/* Values that a table lacks are skipped unless requested explicitly: the table has its own. */
static bool form_applies(const struct bench_grid *grid, const char *table, const size_t at[AXES]) {
  if (!has_buckets(table))
    return (grid->all_widths || at[AXIS_slot_bits] == 0) && (grid->all_buckets || at[AXIS_bucket_slots] == 0);
  return grid->all_widths || grid->axes[AXIS_slot_bits].n <= 1 || has_width(table, value_at(grid, at, AXIS_slot_bits));
}

/* Of an axis that the operation does not use, the first value stands for all. */
static bool values_apply(const struct bench_grid *grid, const size_t at[AXES]) {
  const floe_bench_operation operation = (floe_bench_operation)value_at(grid, at, AXIS_operation);
  const bool looks = only_looks(operation);
  return (looks || at[AXIS_positive] == 0) && (draws_keys(operation) || at[AXIS_zipf] == 0) &&
         (!looks || at[AXIS_after] == 0) && (!grid->step || at[AXIS_before] == 0);
}

static bool makes_sense(const struct bench_grid *grid, const floe_bench_case *what) {
  if (only_looks(what->operation))
    return what->before > 0 || grid->axes[AXIS_before].n <= 1;
  return grid->from_file || what->after > what->before ||
         (what->operation == FLOE_BENCH_FIND_OR_PUT && what->after == what->before && grid->axes[AXIS_after].n == 1);
}

/* From a step or, if none is given, chosen for the operation. */
static double before_at(const struct bench_grid *grid, bool looks, const size_t at[AXES]) {
  if (grid->step)
    return at[AXIS_after] ? grid->axes[AXIS_after].values[at[AXIS_after] - 1] : 0;
  return grid->axes[AXIS_before].n ? value_at(grid, at, AXIS_before) : looks ? 0.8 : 0;
}

static void set_form(const struct bench_grid *grid, const size_t at[AXES], floe_bench_case *what) {
  const bool own = !has_buckets(what->table);
  const bool own_width = own && !grid->all_widths && grid->axes[AXIS_slot_bits].n > 1;
  const bool own_bucket = own && !grid->all_buckets && grid->axes[AXIS_bucket_slots].n > 1;
  what->slot_bits = own_width ? 0 : (unsigned)value_at(grid, at, AXIS_slot_bits);
  what->bucket_slots = own_bucket ? 0 : (unsigned)value_at(grid, at, AXIS_bucket_slots);
  if (!floe_bench_table_traits(what->table).second_slot_bits)
    what->second_slot_bits = 0;
}

/* False: the combination is no case. */
static bool set_case(const struct bench_grid *grid, const char *table, const size_t at[AXES], floe_bench_case *what) {
  if (!form_applies(grid, table, at) || !values_apply(grid, at))
    return false;
  *what = grid->common;
  what->table = table;
  what->from_file = grid->from_file;
  what->slots = (uint64_t)value_at(grid, at, AXIS_slots);
  what->key_bits = (unsigned)value_at(grid, at, AXIS_key_bits);
  set_form(grid, at, what);
  what->operation = (floe_bench_operation)value_at(grid, at, AXIS_operation);
  const bool looks = only_looks(what->operation);
  what->positive = looks ? value_at(grid, at, AXIS_positive) : 0;
  what->zipf = draws_keys(what->operation) ? value_at(grid, at, AXIS_zipf) : 0;
  what->part = value_at(grid, at, AXIS_part);
  what->before = before_at(grid, looks, at);
  what->after = looks ? 0 : value_at(grid, at, AXIS_after);
  what->host_memory = value_at(grid, at, AXIS_host_memory) != 0;
  return makes_sense(grid, what);
}

static double largest(const struct numbers *list) {
  double most = 0;
  for (size_t i = 0; i < list->n; i++)
    most = fmax(most, list->values[i]);
  return most;
}

/* Each thread has the same number of queries, whatever the number of threads; the warm-up has as many as the most
   threads. */
static void set_queries(const struct bench_grid *grid, const char *variant, const size_t at[AXES],
                        floe_bench_mixed_case *what) {
  const double queries = value_at(grid, at, AXIS_queries);
  *what = grid->queries;
  what->variant = variant;
  what->threads = (unsigned)value_at(grid, at, AXIS_threads);
  what->pairs = (uint64_t)value_at(grid, at, AXIS_pairs);
  what->recent = (uint64_t)value_at(grid, at, AXIS_recent);
  what->batch = (uint64_t)value_at(grid, at, AXIS_batch);
  what->seconds = value_at(grid, at, AXIS_seconds);
  what->updates = value_at(grid, at, AXIS_updates);
  what->hot = value_at(grid, at, AXIS_hot);
  what->warm_up = (uint64_t)queries;
  what->queries = (uint64_t)(queries * what->threads / largest(&grid->axes[AXIS_threads]));
  if (what->queries == 0)
    what->queries = 1;
  floe_bench_mixed_case_complete(what);
}

/* False: the combination is no case. */
static bool row_at(const struct bench_grid *grid, const char *name, const size_t at[AXES], struct bench_row *out) {
  if (grid->quantity != BENCH_QUERIES)
    return set_case(grid, name, at, &out->what);
  set_queries(grid, name, at, &out->queries);
  out->what.table = out->queries.table;
  return true;
}

bool grid_each(const struct bench_grid *grid, bool (*visit)(void *user, const struct bench_row *what), void *user) {
  for (size_t i = 0; i < grid->name_count; i++) {
    size_t at[AXES] = {0};
    do {
      struct bench_row row = {0};
      if (row_at(grid, grid->names[i], at, &row) && !visit(user, &row))
        return false;
    } while (next_combination(grid, at));
  }
  return true;
}
