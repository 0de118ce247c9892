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

bool read_numbers(const char *option, const char *text, double low, double high, struct numbers *out) {
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

bool read_wholes(const char *option, const char *text, double most, const char *hint, struct numbers *out) {
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

static bool read_slots(const char *text, struct numbers *out) {
  return read_wholes("slots", text, 0x1p40,
                     "use numbers from 1 to 2^40, for example --slots=2^27 or --slots=1000000,2000000", out);
}

static bool read_key_bits(const char *text, struct numbers *out) {
  return read_wholes("key-bits", text, 64, "use whole numbers from 1 to 64, for example --key-bits=32,40", out);
}

bool check_known_name(const char *kind, const char *name, const char *(*at)(size_t i)) {
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

static bool add_table(const char *name, const char *text, struct bench_grid *grid) {
  if (!*name)
    return report_bad_value("table", text, "separate names by commas, for example --table=iceberg,cuckoo");
  if (!check_known_name("table", name, floe_bench_table))
    return false;
  for (size_t i = 0; i < grid->table_count; i++)
    if (strcmp(grid->tables[i], name) == 0)
      return report_bad_value("table", text, "list every table once");
  grid->tables[grid->table_count++] = name;
  return true;
}

static bool read_tables(const char *text, struct bench_grid *grid) {
  grid->names = strdup(text);
  if (!grid->names) {
    print_error(NULL, "out of memory");
    return false;
  }
  grid->table_count = 0;
  for (char *rest = grid->names, *name; (name = strsep(&rest, ","));)
    if (!add_table(name, text, grid))
      return false;
  return true;
}

/* ---- the grid of a run ----------------------------------------------------------------------- */

static bool only_puts(floe_bench_operation operation) { return !only_looks(operation); }

static void one(struct numbers *numbers, double value) { *numbers = (struct numbers){.values = {value}, .n = 1}; }

static void fill_without_preset(struct bench_grid *grid, const struct options *options) {
  for (size_t i = 0; i < options->operation.n; i++)
    grid->operations[i] = (floe_bench_operation)options->operation.values[i];
  grid->operation_count = options->operation.n;
  if (!grid->operation_count)
    grid->operations[grid->operation_count++] = FLOE_BENCH_FIND_OR_PUT;
  grid->from_file = options->keys;
  one(&grid->after, 0.8);
  grid->x = grid->from_file ? AXIS_PART : any_operation(grid, only_puts) ? AXIS_AFTER : AXIS_BEFORE;
}

static void complete_grid(struct bench_grid *grid) {
  if (!grid->table_count)
    grid->tables[grid->table_count++] = floe_bench_table(0);
  if (!grid->width_count)
    grid->slot_bits[grid->width_count++] = 0;
  if (!grid->bucket_count)
    grid->bucket_slots[grid->bucket_count++] = 0;
  if (!grid->slots.n)
    one(&grid->slots, (double)grid->common.slots);
  if (!grid->key_bits.n)
    one(&grid->key_bits, grid->common.key_bits);
  if (!grid->positive.n)
    one(&grid->positive, 1);
  if (!grid->zipf.n)
    one(&grid->zipf, 0);
  if (!grid->part.n)
    one(&grid->part, 1);
}

static bool take_lists(const struct options *options, struct bench_grid *grid) {
  if (options->table && !read_tables(options->table, grid))
    return false;
  if (options->before && !read_numbers("before", options->before, 0, 1, &grid->before))
    return false;
  if (options->after && !read_numbers("after", options->after, 0, 1, &grid->after))
    return false;
  if (options->positive && !read_numbers("positive", options->positive, 0, 1, &grid->positive))
    return false;
  if (options->zipf && !read_numbers("zipf", options->zipf, 0, 4, &grid->zipf))
    return false;
  if (options->slots && !read_slots(options->slots, &grid->slots))
    return false;
  return !options->key_bits || read_key_bits(options->key_bits, &grid->key_bits);
}

static void take_choices(const struct choices *choices, unsigned values[MOST_CHOICES], size_t *count, bool *all) {
  if (!choices->n)
    return;
  memcpy(values, choices->values, sizeof choices->values);
  *count = choices->n;
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
  const struct {
    enum bench_axis axis;
    size_t n;
  } axes[] = {{AXIS_BEFORE, grid->before.n},    {AXIS_AFTER, grid->after.n}, {AXIS_POSITIVE, grid->positive.n},
              {AXIS_ZIPF, grid->zipf.n},        {AXIS_SLOTS, grid->slots.n}, {AXIS_KEY_BITS, grid->key_bits.n},
              {AXIS_BUCKET, grid->bucket_count}};
  const bool looks = any_operation(grid, only_looks);
  for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
    if (axes[i].axis == grid->x && axes[i].n > 1)
      return;
  for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
    if (axes[i].n > 1 && (axes[i].axis != AXIS_POSITIVE || looks)) {
      grid->x = axes[i].axis;
      return;
    }
}

bool grid_make(const struct options *options, const struct bench_preset *preset, struct bench_grid *out) {
  *out = (struct bench_grid){.x = AXIS_AFTER};
  floe_bench_case_init(&out->common);
  if (preset)
    preset->fill(out);
  else
    fill_without_preset(out, options);
  if (!fits_preset(options, preset, out) || !take_lists(options, out))
    return false;
  if (options->permutation && !check_known_name("permutation", options->permutation, floe_bench_permutation))
    return false;
  take_choices(&options->slot_bits, out->slot_bits, &out->width_count, &out->all_widths);
  take_choices(&options->bucket_slots, out->bucket_slots, &out->bucket_count, &out->all_buckets);
  take_values(options, out);
  complete_grid(out);
  if (!preset)
    choose_x(out);
  return check_option_use(options, out);
}

void grid_free(struct bench_grid *grid) { free(grid->names); }

/* ---- its cases ------------------------------------------------------------------------------- */

bool has_buckets(const char *table) { return floe_bench_table_traits(table).bucket_slots; }

static bool has_width(const char *table, unsigned bits) {
  const floe_bench_traits traits = floe_bench_table_traits(table);
  for (size_t i = 0; traits.slot_bits[i]; i++)
    if (traits.slot_bits[i] == bits)
      return true;
  return false;
}

/* Values that a table lacks are skipped unless requested explicitly: the table has its own. */
static bool applies(const struct bench_grid *grid, const char *table, size_t width, size_t bucket) {
  if (!has_buckets(table))
    return (grid->all_widths || width == 0) && (grid->all_buckets || bucket == 0);
  return grid->all_widths || grid->width_count == 1 || has_width(table, grid->slot_bits[width]);
}

static void set_form(const struct bench_grid *grid, size_t width, size_t bucket, floe_bench_case *what) {
  const bool own = !has_buckets(what->table);
  what->slot_bits = own && !grid->all_widths && grid->width_count > 1 ? 0 : grid->slot_bits[width];
  what->bucket_slots = own && !grid->all_buckets && grid->bucket_count > 1 ? 0 : grid->bucket_slots[bucket];
  what->second_slot_bits = floe_bench_table_traits(what->table).second_slot_bits ? grid->common.second_slot_bits : 0;
}

static bool makes_sense(const struct bench_grid *grid, const floe_bench_case *what) {
  if (only_looks(what->operation))
    return what->before > 0 || grid->before.n <= 1;
  return grid->from_file || what->after > what->before ||
         (what->operation == FLOE_BENCH_FIND_OR_PUT && what->after == what->before && grid->after.n == 1);
}

struct walk {
  const struct bench_grid *grid;
  bool (*visit)(void *user, const floe_bench_case *what);
  void *user;
};

static bool visit_places(const struct walk *walk, floe_bench_case *what) {
  for (unsigned host = 0; host <= walk->grid->places; host++) {
    what->host_memory = host;
    if (makes_sense(walk->grid, what) && !walk->visit(walk->user, what))
      return false;
  }
  return true;
}

/* From a step or, if none is given, chosen for the operation. */
static double before_of(const struct bench_grid *grid, bool looks, size_t before, size_t after) {
  if (grid->step)
    return after ? grid->after.values[after - 1] : 0;
  return grid->before.n ? grid->before.values[before] : looks ? 0.8 : 0;
}

static bool visit_fills(const struct walk *walk, floe_bench_case *what) {
  const struct bench_grid *grid = walk->grid;
  bool looks = only_looks(what->operation);
  size_t befores = grid->step || !grid->before.n ? 1 : grid->before.n;
  size_t afters = looks ? 1 : grid->after.n;
  for (size_t b = 0; b < befores; b++)
    for (size_t a = 0; a < afters; a++) {
      what->before = before_of(grid, looks, b, a);
      what->after = looks ? 0 : grid->after.values[a];
      if (!visit_places(walk, what))
        return false;
    }
  return true;
}

static bool visit_ratios(const struct walk *walk, floe_bench_case *what) {
  const struct bench_grid *grid = walk->grid;
  const bool looks = only_looks(what->operation), draws = draws_keys(what->operation);
  for (size_t p = 0; p < (looks ? grid->positive.n : 1); p++)
    for (size_t z = 0; z < (draws ? grid->zipf.n : 1); z++)
      for (size_t f = 0; f < grid->part.n; f++) {
        what->positive = looks ? grid->positive.values[p] : 0;
        what->zipf = draws ? grid->zipf.values[z] : 0;
        what->part = grid->part.values[f];
        if (!visit_fills(walk, what))
          return false;
      }
  return true;
}

static bool visit_operations(const struct walk *walk, floe_bench_case *what) {
  const struct bench_grid *grid = walk->grid;
  for (size_t o = 0; o < grid->operation_count; o++) {
    what->operation = grid->operations[o];
    if (!visit_ratios(walk, what))
      return false;
  }
  return true;
}

static bool visit_forms(const struct walk *walk, floe_bench_case *what) {
  const struct bench_grid *grid = walk->grid;
  for (size_t w = 0; w < grid->width_count; w++)
    for (size_t s = 0; s < grid->bucket_count; s++) {
      if (!applies(grid, what->table, w, s))
        continue;
      set_form(grid, w, s, what);
      if (!visit_operations(walk, what))
        return false;
    }
  return true;
}

static bool visit_table(const struct walk *walk, const char *table) {
  const struct bench_grid *grid = walk->grid;
  floe_bench_case what = grid->common;
  what.table = table;
  what.from_file = grid->from_file;
  for (size_t n = 0; n < grid->slots.n; n++)
    for (size_t k = 0; k < grid->key_bits.n; k++) {
      what.slots = (uint64_t)grid->slots.values[n];
      what.key_bits = (unsigned)grid->key_bits.values[k];
      if (!visit_forms(walk, &what))
        return false;
    }
  return true;
}

bool grid_each(const struct bench_grid *grid, bool (*visit)(void *user, const floe_bench_case *what), void *user) {
  struct walk walk = {grid, visit, user};
  for (size_t t = 0; t < grid->table_count; t++)
    if (!visit_table(&walk, grid->tables[t]))
      return false;
  return true;
}
