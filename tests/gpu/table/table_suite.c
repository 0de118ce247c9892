/* Every layout of every scheme: operations on many keys at once against a reference, in a table that is copied back
   and checked on the host. The keys are those of the numbers from 0 on (gpu_key_of), so the reference is an array. */
#include "table_suite.h"
#include "table_layouts.h"
#include "table_work.h"

enum { TIMES = 4, FEW = 777, MANY_TIMES = 100, REDUCTIONS = 5 };

/* ---- operations that put ------------------------------------------------------------------------------- */

static const enum table_operation putting[] = {TABLE_FIND_OR_PUT, TABLE_PUT_NEW, TABLE_ADD};
enum { PUTTING = sizeof putting / sizeof *putting };

static uint64_t all_keys(const struct work *work) { /* one less if there are 2^64 */
  return UINT64_MAX >> (64 - work->config.key_bits);
}

static void make_values(struct work *work) {
  if (work->config.value_bits)
    for (uint64_t i = 0; i < work->n; i++)
      work->values[i] = gpu_value_of(work->config.value_bits, work->keys[i]);
}

/* `values` are those of gpu_value_of. */
static void check_values(struct work *work, uint64_t count) {
  if (!has(work, TABLE_GET))
    return;
  uint64_t wrong = 0, sum = 0;
  make_keys(work, 0, count, 1);
  run(work, TABLE_GET);
  for (uint64_t i = 0; i < work->n; i++) {
    const uint64_t value = gpu_value_of(work->config.value_bits, work->given[i]);
    wrong += work->values[i] != value;
    sum += value;
  }
  expect(work, work->said.found == count, "get", "every key is found");
  expect(work, wrong == 0, "get", "the values are those that were put");
  const struct gpu_checked_values checked = {work->on_keys, work->on_values, work->on_answers, work->n,
                                             work->config.value_bits};
  uint64_t by_device, sum_by_device;
  must(work, gpu_values_check(work->tools, &checked, &by_device, &sum_by_device), "check of values");
  expect(work, by_device == wrong && sum_by_device == sum, "get", "the device counts the same");
  make_keys(work, count, count / 4 + 1, 1);
  run(work, TABLE_GET);
  expect(work, work->said.full == work->n, "get", "absent keys are not found");
}

/* Fills the table to its intended fill. */
static void check_fill(struct work *work, enum table_operation operation) {
  const char *name = table_operation_name(operation);
  const uint64_t slots = gpu_table_shape(work->table)->slots;
  uint64_t distinct = (uint64_t)(0.9 * table_fill(work->config.scheme) * (double)slots);
  const uint64_t times = operation == TABLE_PUT_NEW ? 1 : TIMES;
  if (distinct > all_keys(work) / 2)
    distinct = all_keys(work) / 2;
  clear(work);
  check_find(work, 0, FEW, false);
  make_keys(work, 0, distinct, times);
  make_values(work);
  run(work, operation);
  expect(work, work->said.put == distinct && work->said.full == 0, name, "each key is put once");
  check_content(work, 0, distinct, name);
  check_find(work, 0, distinct, true);
  check_find(work, distinct, distinct / 2 + 1, false);
  check_values(work, distinct);
}

/* Few keys, each used by many threads at once. */
static void check_crowd(struct work *work, enum table_operation operation) {
  if (operation == TABLE_PUT_NEW)
    return;
  clear(work);
  make_keys(work, 0, FEW, MANY_TIMES);
  make_values(work);
  run(work, operation);
  expect(work, work->said.put == FEW, table_operation_name(operation), "each of few is put once");
  check_content(work, 0, FEW, table_operation_name(operation));
}

static int by_key(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void run_sorted(struct work *work, uint64_t distinct) {
  make_keys(work, 0, distinct, TIMES);
  qsort(work->keys, work->n, sizeof *work->keys, by_key);
  make_values(work);
  run_any(work, NULL);
}

/* Half of the keys, then all: the first half is found. */
static void check_sorted(struct work *work) {
  if (strcmp(work->config.scheme, "cuckoo") != 0)
    return;
  const uint64_t distinct = gpu_table_shape(work->table)->slots / 4 * 3;
  clear(work);
  run_sorted(work, distinct / 2);
  expect(work, work->said.put == distinct / 2 && work->said.full == 0, by_sorting, "each key is put once");
  run_sorted(work, distinct);
  expect(work, work->said.put == distinct - distinct / 2 && work->said.full == 0, by_sorting,
         "each key that is not there is put once");
  check_content(work, 0, distinct, by_sorting);
}

/* More keys than slots: none is lost, because those without a slot come back. */
static void check_overfull(struct work *work, enum table_operation operation) {
  const char *name = table_operation_name(operation);
  const uint64_t slots = gpu_table_shape(work->table)->slots;
  uint64_t distinct = slots + slots / 20 + 50, back = 0, missing = 0, twice = 0;
  if (distinct > all_keys(work))
    return; /* the table has a slot for every key */
  clear(work);
  make_keys(work, 0, distinct, operation == TABLE_PUT_NEW ? 1 : 2);
  make_values(work);
  run(work, operation);
  expect(work, work->said.full > 0 && work->said.put < distinct, name, "some find no place");
  struct table *host = look_into(work, distinct, name);
  expect(work, table_count(host) == work->said.put, name, "what was put is in the table");
  table_free(host);
  uint8_t *returned = take(work, distinct);
  for (uint64_t i = 0; i < work->n; i++)
    if (work->answers[i] == TABLE_FULL && number_of(work, work->keys[i]) < distinct)
      returned[number_of(work, work->keys[i])] = 1, back++;
  for (uint64_t i = 0; i < distinct; i++) {
    missing += !work->content[i] && !returned[i];
    twice += work->content[i] > 1 || (operation != TABLE_ADD && work->content[i] && returned[i]);
  }
  expect(work, back == work->said.full, name, "what comes back is of what was given");
  expect(work, missing == 0, name, "every key is in the table or comes back");
  expect(work, twice == 0, name, "no key is there twice");
  free(returned);
}

/* ---- maps without given values ------------------------------------------------------------------- */

static void run_without_values(struct work *work, enum table_operation operation, uint64_t put, uint64_t found) {
  work->no_values = true;
  run(work, operation);
  work->no_values = false;
  expect(work, work->said.put == put && work->said.found == found, table_operation_name(operation),
         "keys without values are answered as others");
}

static void check_no_values(struct work *work, enum table_operation operation) {
  uint64_t wrong = 0;
  if (!work->config.value_bits)
    return;
  clear(work);
  make_keys(work, 0, FEW, 1);
  run_without_values(work, operation, FEW, 0);
  if (!has(work, TABLE_GET))
    return;
  run_without_values(work, TABLE_GET, 0, FEW);
  memset(work->values, UNTOUCHED, work->n * sizeof(uint64_t));
  run(work, TABLE_GET);
  for (uint64_t i = 0; i < work->n; i++)
    wrong += work->values[i] != 0;
  expect(work, work->said.found == FEW && wrong == 0, table_operation_name(operation),
         "values that were not given are 0");
}

/* ---- keys at the edges ----------------------------------------------------------------------------------- */

static void check_edges_after(struct work *work, uint64_t count, const char *name) {
  struct table *host;
  uint64_t wrong = 0;
  must(work, gpu_table_download(work->table, &host), "download of the table");
  expect(work, table_check(host) == 0 && table_count(host) == count, name,
         "the table of the keys at the edges is well-formed");
  table_free(host);
  if (has(work, TABLE_FIND)) {
    run(work, TABLE_FIND);
    expect(work, work->said.found == count, name, "the keys at the edges are found");
  }
  if (has(work, TABLE_GET)) {
    memset(work->values, 0, count * sizeof(uint64_t));
    run(work, TABLE_GET);
    for (uint64_t i = 0; i < count; i++)
      wrong += work->values[i] != i + 1;
    expect(work, work->said.found == count && wrong == 0, name, "their values are right");
  }
}

static void check_edges(struct work *work, enum table_operation operation) {
  const char *name = table_operation_name(operation);
  const uint64_t last = all_keys(work);
  const uint64_t edges[] = {0, last, 1, last - 1, last / 2, last / 2 + 1};
  enum { EDGES = sizeof edges / sizeof *edges };
  clear(work);
  arrays(work, EDGES);
  for (unsigned i = 0; i < EDGES; i++)
    work->keys[i] = edges[i], work->values[i] = i + 1;
  if (has(work, TABLE_FIND)) {
    run(work, TABLE_FIND);
    expect(work, work->said.full == EDGES, name, "nothing is in an empty table");
  }
  run(work, operation);
  expect(work, work->said.put == EDGES, name, "the keys at the edges are put");
  check_edges_after(work, EDGES, name);
  arrays(work, 0);
  run(work, operation); /* nothing to do */
}

/* ---- deleting ---------------------------------------------------------------------------------------------- */

static uint64_t fill_with(struct work *work, uint64_t part_of_slots) {
  const uint64_t count = gpu_table_shape(work->table)->slots / part_of_slots;
  clear(work);
  make_keys(work, 0, count, 1);
  make_values(work);
  run(work, has(work, TABLE_PUT_NEW) ? TABLE_PUT_NEW : TABLE_ADD);
  expect(work, work->said.put == count, "delete", "the keys are put");
  return count;
}

static void check_delete(struct work *work) {
  if (!has(work, TABLE_DELETE))
    return;
  const uint64_t count = fill_with(work, 4), half = count / 2;
  make_keys(work, 0, half, 3);
  run(work, TABLE_DELETE);
  expect(work, work->said.found == half && work->said.full == 2 * half, "delete", "each key is deleted by one");
  check_content(work, half, count, "delete");
  check_find(work, 0, half, false);
  check_find(work, half, count - half, true);
  make_keys(work, 0, half, 1);
  run(work, TABLE_DELETE);
  expect(work, work->said.full == half, "delete", "what is deleted is absent");
  make_keys(work, 0, half, 1);
  make_values(work);
  run(work, has(work, TABLE_PUT_NEW) ? TABLE_PUT_NEW : TABLE_ADD);
  expect(work, work->said.put == half, "delete", "deleted keys can be put again");
  check_content(work, 0, count, "delete");
}

static void open_table(struct work *work);
static void close_table(struct work *work);

/* ---- moving -------------------------------------------------------------------------------------------------- */

/* Replaces the work's table by an empty one with so many slots; false: its slots would be too narrow for the keys. */
static bool begin_move(struct work *work, struct work *to, uint64_t slots) {
  struct table_shape shape;
  *to = *work;
  to->config.slots = slots;
  if (table_plan(&to->config, &shape) != FLOE_OK)
    return false;
  open_table(to);
  return true;
}

static void end_move(struct work *work, struct work *to) {
  struct gpu_table *const table = work->table;
  const struct table_config config = work->config;
  close_table(to);
  *work = *to; /* arrays and failures */
  work->table = table;
  work->config = config;
}

/* All keys, each with its value, and nothing else are moved to a table with so many slots. */
static void check_moved(struct work *work, uint64_t slots, uint64_t first, uint64_t end) {
  struct work to;
  uint64_t left = 1, wrong = 0;
  if (!begin_move(work, &to, slots))
    return;
  must(&to, gpu_table_move(work->table, to.table, &left), "moving");
  expect(&to, left == 0, "moving", "each key finds a place");
  check_content(&to, first, end, "moving");
  if (has(&to, TABLE_GET)) {
    make_keys(&to, first, end - first, 1);
    run(&to, TABLE_GET);
    for (uint64_t i = 0; i < to.n; i++)
      wrong += to.values[i] != gpu_value_of(to.config.value_bits, to.given[i]);
    expect(&to, wrong == 0, "moving", "the keys have their values");
  }
  end_move(work, &to);
}

static void check_too_small(struct work *work, uint64_t keys) {
  struct work to;
  uint64_t left = 0;
  if (!begin_move(work, &to, keys / 2))
    return;
  const uint64_t room = gpu_table_shape(to.table)->slots;
  must(&to, gpu_table_move(work->table, to.table, &left), "moving");
  expect(&to, room >= keys || left >= keys - room, "moving", "keys without a place are counted");
  end_move(work, &to);
}

/* Moves to a larger table, to a smaller one, and to one that is too small. Deleted keys are not moved. */
static void check_move(struct work *work) {
  const uint64_t slots = gpu_table_shape(work->table)->slots, count = fill_with(work, 2);
  uint64_t first = 0;
  if (has(work, TABLE_DELETE)) {
    first = count / 3;
    make_keys(work, 0, first, 1);
    run(work, TABLE_DELETE);
  }
  check_moved(work, 2 * slots, first, count);
  check_moved(work, slots * 3 / 4, first, count);
  check_too_small(work, count - first);
  check_content(work, first, count, "moving"); /* unchanged */
}

/* ---- reductions -------------------------------------------------------------------------------------------- */

/* The value for index i of the array: different for each occurrence of a key. Sums exceed 2^32 or 2^64, where they
   wrap. */
static uint64_t value_of(const struct work *work, uint64_t i) {
  const uint64_t value = scatter_hash(i * 3 + work->config.seed) % 1000 + 1;
  return work->config.reduction == TABLE_SUM ? value << (work->config.value_bits == 64 ? 54 : 22) : value;
}

/* The user-defined reduction; the device has an equivalent text. */
static const char *const exclusive_text = "(present | added) - (present & added)";
static uint64_t exclusive(void *data, uint64_t present, uint64_t added) {
  (void)data;
  return present ^ added;
}

static void add_to_reference(enum table_reduction reduction, uint64_t *present, uint64_t value) {
  if (reduction == TABLE_SUM)
    *present += value;
  else if (reduction == TABLE_USER_REDUCTION)
    *present ^= value;
  else if (*present == 0 || (reduction == TABLE_MIN ? value < *present : value > *present))
    *present = value;
}

/* The expected values of numbers [0, count). replace: any value that was put with the key; all are specific to the
   key. */
static void check_reduced(struct work *work, const uint64_t *reference, uint64_t count, const char *operation) {
  const uint64_t largest = UINT64_MAX >> (64 - work->config.value_bits);
  uint64_t wrong = 0;
  make_keys(work, 0, count, 1);
  run(work, TABLE_GET);
  for (uint64_t i = 0; i < work->n; i++) {
    const uint64_t number = number_of(work, work->given[i]);
    wrong += work->config.reduction == TABLE_REPLACE
                 ? work->values[i] <= number % 1000 * 1000 || work->values[i] > number % 1000 * 1000 + 1000
                 : work->values[i] != (reference[number] & largest);
  }
  expect(work, work->said.found == count && wrong == 0, operation, "the values are combined exactly");
}

/* Each of `count` keys occurs so many times. `moves`: then all are moved to a larger table. */
static void check_reduction(struct work *work, uint64_t count, uint64_t times, bool moves) {
  const enum table_reduction reduction = work->config.reduction;
  uint64_t *reference = take(work, count * sizeof(uint64_t)), left = 1;
  struct work to;
  clear(work);
  make_keys(work, 0, count, times);
  for (uint64_t i = 0; i < work->n; i++) {
    const uint64_t number = number_of(work, work->keys[i]);
    work->values[i] = reduction == TABLE_REPLACE ? number % 1000 * 1000 + value_of(work, i) : value_of(work, i);
    add_to_reference(reduction, &reference[number], work->values[i]);
  }
  run(work, TABLE_ADD);
  expect(work, work->said.put == count, "add", "each key is put once");
  check_content(work, 0, count, "add");
  check_reduced(work, reference, count, "add");
  if (moves && begin_move(work, &to, 2 * work->config.slots)) {
    must(&to, gpu_table_move(work->table, to.table, &left), "moving");
    expect(&to, left == 0, "moving", "each key finds a place");
    check_reduced(&to, reference, count, "moving");
    end_move(work, &to);
  }
  free(reference);
}

/* i: number of the reduction, from 0 on */
static void check_reduction_of(struct work *work, size_t i) {
  static const enum table_reduction kinds[] = {TABLE_REPLACE, TABLE_SUM, TABLE_MIN, TABLE_MAX, TABLE_USER_REDUCTION};
  _Static_assert(sizeof kinds / sizeof *kinds == REDUCTIONS, "each kind");
  work->config.reduction = kinds[i];
  work->config.reduce = exclusive;
  work->config.reduce_text = exclusive_text;
  if (work->config.value_bits && has(work, TABLE_ADD) && has(work, TABLE_GET)) {
    open_table(work);
    const uint64_t slots = gpu_table_shape(work->table)->slots;
    check_reduction(work, slots / 3, TIMES, kinds[i] == TABLE_MIN);
    check_reduction(work, 3, slots / 3, false); /* all threads use the same keys */
    for (int o = 0; o < PUTTING; o++)
      if (has(work, putting[o]))
        check_no_values(work, putting[o]);
    close_table(work);
  }
  work->config.reduction = TABLE_REPLACE;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static void open_table_at(struct work *work, enum gpu_table_place place) {
  must(work,
       gpu_table_create(work->gpu, &work->config, place, work->settings->cache_dir, work->settings->log, &work->table),
       "no such table");
}

static void open_table(struct work *work) { open_table_at(work, GPU_TABLE_ON_DEVICE); }

static void close_table(struct work *work) {
  gpu_table_free(work->table);
  work->table = NULL;
}

static void check_usual(struct work *work) {
  open_table(work);
  for (int i = 0; i < PUTTING; i++)
    if (has(work, putting[i])) {
      check_fill(work, putting[i]);
      check_crowd(work, putting[i]);
      check_edges(work, putting[i]);
      check_no_values(work, putting[i]);
    }
  check_sorted(work);
  check_delete(work);
  check_move(work);
  close_table(work);
}

static void check_few(struct work *work) {
  open_table(work);
  for (int i = 0; i < PUTTING; i++)
    if (has(work, putting[i]))
      check_overfull(work, putting[i]);
  close_table(work);
}

/* Keys of so few bits that the table can hold every one of them. */
static void check_all_keys(struct work *work) {
  const uint64_t count = UINT64_C(1) << work->config.key_bits;
  open_table(work);
  for (int i = 0; i < PUTTING; i++)
    if (has(work, putting[i])) {
      const char *name = table_operation_name(putting[i]);
      clear(work);
      make_keys(work, 0, count, 1);
      make_values(work);
      run(work, putting[i]);
      expect(work, work->said.put == count, name, "all keys that there are find a place");
      check_content(work, 0, count, name);
      check_find(work, 0, count, true);
    }
  close_table(work);
}

/* Whether reduction i is tested with a layout. Layouts that are not the first of their kind alternate, unless all are
   requested. Briefly, these have none, and the first ones one half: for values of 32 bits the one, of 64 bits the
   other. */
static bool reduction_is_due(const struct suite_settings *settings, size_t number, size_t i) {
  if (settings->all)
    return true;
  if (settings->brief)
    return is_first_of_kind(number) && i % 2 == layouts[number].value_bits / 64;
  return is_first_of_kind(number) || i == number % REDUCTIONS;
}

/* Layouts that are not the first of their kind alternate, unless all are requested. Briefly, they run check_usual
   alone. */
static void check_layout(struct work *work, size_t number) {
  const struct layout *layout = &layouts[number];
  const bool first = is_first_of_kind(number), all = work->settings->all || first;
  const int before = work->failures;
  work->config = config_of(layout, work->settings->slots);
  check_usual(work);
  for (size_t i = 0; i < REDUCTIONS; i++)
    if (reduction_is_due(work->settings, number, i))
      check_reduction_of(work, i);
  if (work->settings->brief && !first)
    return;
  if (all || number % 2) {
    work->config = config_of(layout, work->settings->few_slots);
    check_few(work);
  }
  if (all || number % 2 == 0) {
    work->config = config_of(layout, work->settings->few_slots);
    work->config.key_bits = floor_log2(work->settings->few_slots) - 1;
    check_all_keys(work);
  }
  printf("%s, slots of %u x %u, values of %u bits: %s\n", layout->scheme, layout->slot_bits, layout->bucket_slots,
         layout->value_bits, work->failures == before ? "ok" : "FAILED");
}

/* The slots are in the host's memory, through the bus. */
static void check_on_host(struct work *work, const struct layout *layout) {
  work->config = config_of(layout, work->settings->few_slots);
  open_table_at(work, GPU_TABLE_ON_HOST);
  check_fill(work, TABLE_PUT_NEW);
  close_table(work);
}

static void check_layouts(struct work *work, const char *only) {
  for (size_t i = 0; i < LAYOUTS; i++)
    if (!only || strcmp(only, layouts[i].scheme) == 0) {
      if (!work->settings->brief || is_first_of_kind(i) || i % 4 == 1)
        check_layout(work, i);
      if (is_first_of_scheme(i))
        check_on_host(work, &layouts[i]);
    }
}

/* The generated keys are those of the contract, in any order. */
static void check_tools(struct work *work) {
  work->config.key_bits = 33;
  const uint64_t n = 3 * FEW + 100;
  const struct gpu_keys mixed = {
      .key_bits = 33, .first = 1000, .count = FEW, .others = 100, .other_first = 50, .other_count = 10, .seed = 3};
  uint64_t seen[FEW] = {0}, others = 0, wrong = 0, distinct;
  arrays(work, n);
  must(work, gpu_keys_make(work->tools, &mixed, work->on_keys, n), "keys");
  must(work, gpu_download(work->gpu, work->keys, work->on_keys, n * sizeof(uint64_t)), "download");
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t number = number_of(work, work->keys[i]);
    others += number - 50 < 10;
    if (number - 1000 < FEW)
      seen[number - 1000]++;
  }
  for (unsigned i = 0; i < FEW; i++)
    wrong += seen[i] != 3;
  expect(work, others == 100 && wrong == 0, "keys", "each number as often as it should come");
  must(work, gpu_keys_distinct(work->tools, &mixed, work->on_keys, n, &distinct), "distinct");
  expect(work, distinct == FEW, "keys", "different numbers are counted");
  const double exponents[] = {0.5, 1, 2};
  for (unsigned k = 0; k < 3; k++) {
    const struct gpu_keys zipf = {.key_bits = 33, .count = FEW, .zipf = exponents[k], .seed = 9};
    uint64_t first = 0, later = 0, drawn = 0;
    memset(seen, 0, sizeof seen);
    must(work, gpu_keys_make(work->tools, &zipf, work->on_keys, n), "keys");
    must(work, gpu_download(work->gpu, work->keys, work->on_keys, n * sizeof(uint64_t)), "download");
    for (uint64_t i = 0; i < n; i++) {
      const uint64_t number = number_of(work, work->keys[i]);
      wrong += number >= FEW;
      first += number < FEW / 8;
      later += number >= FEW - FEW / 8;
      drawn += number < FEW && seen[number]++ == 0;
    }
    must(work, gpu_keys_distinct(work->tools, &zipf, work->on_keys, n, &distinct), "distinct");
    expect(work, wrong == 0 && first > 2 * later, "keys", "low numbers are drawn more often");
    expect(work, distinct == drawn, "keys", "different numbers that are drawn are counted");
  }
}

static void check_ceilings(struct work *work) {
  work->config = (struct table_config){.scheme = "none"};
  struct ceilings c;
  must(work,
       gpu_ceilings(work->tools, GPU_TABLE_ON_DEVICE, work->settings->footprint, CEILING_READ64 | CEILING_SWAP32, &c),
       "ceilings");
  expect(work, c.read64 > 0 && c.swap32 > 0, "ceilings", "the requested ones are measured");
  expect(work,
         c.read32 == 0 && c.read128 == 0 && c.swap16 == 0 && c.swap64 == 0 && c.read64_swap16 == 0 &&
             c.read64_swap32 == 0 && c.copy == 0,
         "ceilings", "the others are not measured");
  must(work, gpu_ceilings(work->tools, GPU_TABLE_ON_DEVICE, work->settings->footprint, CEILING_ALL, &c), "ceilings");
  expect(work,
         c.read32 > 0 && c.read64 > 0 && c.read128 > 0 && c.swap16 > 0 && c.swap32 > 0 && c.swap64 > 0 &&
             c.read64_swap16 > 0 && c.read64_swap32 > 0 && c.copy > 0,
         "ceilings", "all are measured");
  must(work, gpu_ceilings(work->tools, GPU_TABLE_ON_HOST, work->settings->footprint, CEILING_SWAP64, &c), "ceilings");
  expect(work, c.swap64 > 0 && c.read64 == 0, "ceilings", "the host's memory is measured");
}

int table_suite_run(const struct suite_settings *settings) {
  struct work work = {.settings = settings, .gpu = settings->gpu};
  must(&work, gpu_bench_kernels_create(settings->gpu, settings->cache_dir, settings->log, &work.tools),
       "the tools' kernels do not build");
  check_tools(&work);
  if (settings->footprint)
    check_ceilings(&work);
  check_layouts(&work, settings->only);
  free_arrays(&work);
  free(work.content);
  gpu_bench_kernels_free(work.tools);
  return work.failures;
}
