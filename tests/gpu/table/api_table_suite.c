#include "api_table_suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct form {
  const char *scheme;
  unsigned key_bits, value_bits;
  bool deletes, host_memory;
  bool own; /* a user-defined permutation */
};

/* A part: without those from MORE_FORMS on, each of which shares its kernels' branches with others. */
static const struct form forms[] = {
    {"iceberg", 30, 0, false, false, false}, {"iceberg", 64, 0, false, true, false},
    {"iceberg", 30, 32, true, false, true},  {"linear", 30, 0, false, false, true},
    {"linear", 64, 64, false, true, false},  {"cuckoo", 30, 0, false, false, true},
    {"cuckoo", 40, 64, false, false, false}, {"robin-hood", 64, 64, false, false, true},
    {"iceberg", 30, 0, true, false, false},  {"iceberg", 40, 64, false, false, false},
    {"linear", 64, 0, false, false, false},  {"linear", 30, 32, false, false, false},
    {"cuckoo", 64, 0, false, false, false},  {"robin-hood", 30, 32, false, false, false},
};
enum { FORMS = sizeof forms / sizeof *forms, MORE_FORMS = 8 };

/* A table and the arrays of one call; every key is computed from a number. */
struct work {
  const struct api_table_settings *settings;
  const struct form *form;
  floe_hash_table *table;
  size_t n, room, full;
  uint64_t *keys, *values;
  uint8_t *answers;
  size_t seen, strange; /* by iteration */
  uint8_t *times;       /* how often a number was seen */
  int failures;
};

static void expect(struct work *work, bool holds, const char *what) {
  const floe_log *log = work->settings->log;
  if (holds)
    return;
  work->failures++;
  printf("  FAILED: %s\n", what);
  for (size_t i = 0; i < floe_log_count(log); i++)
    printf("    %s\n", floe_log_at(log, i)->message);
}

static void expect_logged(struct work *work, floe_status status, const char *words) {
  floe_log *log = work->settings->log;
  expect(work, status == FLOE_ERROR_USAGE && floe_log_errors(log) == 1 && strstr(floe_log_at(log, 0)->message, words),
         words);
  floe_log_clear(log);
}

/* ---- keys and values of numbers -------------------------------------------------------------- */

static uint64_t ones(unsigned bits) { return UINT64_MAX >> (64 - bits); }

static uint64_t key_of(const struct form *form, uint64_t number) {
  return (number * UINT64_C(0x9e3779b97f4a7c15) + 5) & ones(form->key_bits);
}

static uint64_t number_of(const struct form *form, uint64_t key) {
  return (key - 5) * UINT64_C(0xf1de83e19937733d) & ones(form->key_bits);
}

static uint64_t value_of(const struct form *form, uint64_t number) {
  const uint64_t mixed = number * UINT64_C(0xbf58476d1ce4e5b9);
  return form->value_bits ? mixed & ones(form->value_bits) & ~UINT64_C(1) : 0;
}

static void set(struct work *work, uint64_t first, size_t n) {
  work->n = n;
  for (size_t i = 0; i < n; i++) {
    work->keys[i] = key_of(work->form, first + i);
    work->values[i] = value_of(work->form, first + i);
    work->answers[i] = 0xee;
  }
}

static size_t answered(const struct work *work, unsigned answer) {
  size_t count = 0;
  for (size_t i = 0; i < work->n; i++)
    count += work->answers[i] == answer;
  return count;
}

static bool has(const struct work *work, floe_hash_operation operation) {
  return floe_hash_cannot(work->table, operation) == NULL;
}

static void run(struct work *work, floe_hash_operation operation) {
  floe_status status =
      floe_hash_run(work->table, operation, work->keys, work->values, work->n, work->answers, &work->full);
  expect(work, status == FLOE_OK, floe_hash_operation_name(operation));
  expect(work, work->full == answered(work, FLOE_HASH_NONE), "the number of NONE");
}

static void run_for(struct work *work, floe_hash_operation operation, uint64_t first, size_t n,
                    floe_hash_answer answer) {
  set(work, first, n);
  run(work, operation);
  expect(work, answered(work, answer) == n, floe_hash_operation_name(operation));
}

/* ---- what is in the table -------------------------------------------------------------------- */

static void see(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  struct work *work = user;
  for (size_t i = 0; i < n; i++) {
    const uint64_t number = number_of(work->form, keys[i]);
    work->seen++;
    if (number >= work->room || work->times[number]++ || (values && values[i] != value_of(work->form, number)))
      work->strange++;
  }
}

static void expect_values(struct work *work, size_t present) {
  size_t wrong = 0;
  if (!work->form->value_bits)
    return;
  set(work, 0, present + 10);
  for (size_t i = 0; i < work->n; i++)
    work->values[i] = 0x77;
  run(work, FLOE_HASH_GET);
  for (size_t i = 0; i < work->n; i++)
    wrong += work->values[i] != (i < present ? value_of(work->form, i) : 0x77);
  expect(work, wrong == 0, "values");
}

/* Exactly the numbers below `present`. */
static void expect_content(struct work *work, size_t present) {
  uint64_t count = 0, wrong = 1;
  run_for(work, FLOE_HASH_FIND, 0, present, FLOE_HASH_FOUND);
  run_for(work, FLOE_HASH_FIND, present, 300, FLOE_HASH_NONE);
  expect_values(work, present);
  expect(work, floe_hash_count(work->table, &count) == FLOE_OK && count == present, "count");
  expect(work, floe_hash_check(work->table, &wrong) == FLOE_OK && wrong == 0, "check");
  work->seen = work->strange = 0;
  memset(work->times, 0, work->room);
  expect(work, floe_hash_each(work->table, 0, 1, see, work) == FLOE_OK, "each");
  expect(work, work->seen == present && work->strange == 0, "what iteration sees");
}

/* ---- parts of the suite ---------------------------------------------------------------------- */

static void try_wrong_calls(struct work *work) {
  uint64_t wide = UINT64_MAX;
  uint8_t answer;
  if (work->form->key_bits < 64)
    expect_logged(work, floe_hash_run(work->table, FLOE_HASH_FIND, &wide, NULL, 1, &answer, NULL),
                  "a key has more bits");
  for (int o = FLOE_HASH_FIND; o <= FLOE_HASH_ADD; o++)
    if (!has(work, (floe_hash_operation)o))
      expect_logged(work,
                    floe_hash_run(work->table, (floe_hash_operation)o, work->keys, work->values, 1, &answer, NULL),
                    floe_hash_cannot(work->table, (floe_hash_operation)o));
}

static void try_find_or_put(struct work *work, size_t present) {
  if (!has(work, FLOE_HASH_FIND_OR_PUT))
    return;
  set(work, present - 100, 300);
  for (size_t i = 200; i < 300; i++) { /* twice */
    work->keys[i] = work->keys[i - 100];
    work->values[i] = work->values[i - 100];
  }
  run(work, FLOE_HASH_FIND_OR_PUT);
  expect(work, answered(work, FLOE_HASH_NEW) == 100 && answered(work, FLOE_HASH_FOUND) == 200, "find-or-put");
  expect_content(work, present + 100);
  if (has(work, FLOE_HASH_DELETE))
    run_for(work, FLOE_HASH_DELETE, present, 100, FLOE_HASH_FOUND);
}

static void try_resize(struct work *work, size_t present) {
  const floe_hash_info before = floe_hash_information(work->table);
  expect_logged(work, floe_hash_resize(work->table, 8), "no place in a table of");
  expect(work, floe_hash_information(work->table).slots == before.slots, "slots as they were");
  expect_content(work, present);
  expect(work, floe_hash_resize(work->table, 3 * work->settings->slots) == FLOE_OK, "resize");
  expect(work, floe_hash_information(work->table).slots >= 3 * work->settings->slots, "more slots");
  expect_content(work, present);
}

/* More keys than the table has slots for: keys that come back have a slot after a resize, and none is lost. */
static void try_full(struct work *work) {
  const size_t n = work->room - 300;
  size_t back = 0;
  expect(work, floe_hash_resize(work->table, work->settings->slots) == FLOE_OK, "resize");
  expect(work, floe_hash_clear(work->table, 17) == FLOE_OK, "clear");
  set(work, 0, n);
  run(work, FLOE_HASH_PUT);
  expect(work, work->full > 0 && work->full + answered(work, FLOE_HASH_NEW) == n, "full");
  for (size_t i = 0; i < n; i++)
    if (work->answers[i] == FLOE_HASH_NONE) {
      work->keys[back] = work->keys[i];
      work->values[back++] = work->values[i];
    }
  work->n = back;
  expect(work, floe_hash_resize(work->table, 3 * n) == FLOE_OK, "resize");
  run(work, FLOE_HASH_PUT);
  expect(work, answered(work, FLOE_HASH_NEW) == back, "what came back");
  expect_content(work, n);
}

/* Sums of three additions to an initially empty table. */
static void try_sums(struct work *work, size_t present) {
  size_t wrong = 0;
  if (!has(work, FLOE_HASH_ADD))
    return;
  expect(work, floe_hash_clear(work->table, 3) == FLOE_OK, "clear");
  for (int round = 0; round < 3; round++)
    run_for(work, FLOE_HASH_ADD, 0, present, round ? FLOE_HASH_FOUND : FLOE_HASH_NEW);
  run(work, FLOE_HASH_GET);
  for (size_t i = 0; i < present; i++)
    wrong += work->values[i] != (3 * value_of(work->form, i) & ones(work->form->value_bits));
  expect(work, wrong == 0, "sums");
}

/* Arrays that are on the device already. */
static void try_device_arrays(struct work *work, size_t present) {
  const struct api_table_settings *s = work->settings;
  const size_t bytes = present * sizeof(uint64_t);
  const uint64_t keys = s->alloc(bytes), values = s->alloc(bytes), answers = s->alloc(present);
  expect(work, floe_hash_clear(work->table, 4) == FLOE_OK, "clear");
  expect(work, keys && values && answers, "memory of the device");
  set(work, 0, present);
  s->upload(keys, work->keys, bytes);
  s->upload(values, work->values, bytes);
  expect(work, floe_hash_run_on_device(work->table, FLOE_HASH_PUT, keys, values, present, answers) == FLOE_OK,
         "put of the device's arrays");
  s->download(work->answers, answers, present);
  expect(work, answered(work, FLOE_HASH_NEW) == present, "answers on the device");
  expect_content(work, present);
  s->free(keys);
  s->free(values);
  s->free(answers);
}

static void try_table(struct work *work, size_t present) {
  const floe_hash_info info = floe_hash_information(work->table);
  expect(work, info.engine == FLOE_ENGINE_GPU && *info.machine, "it is on a GPU");
  expect_content(work, 0);
  run_for(work, FLOE_HASH_PUT, 0, present, FLOE_HASH_NEW);
  expect_content(work, present);
  try_wrong_calls(work);
  try_resize(work, present);
  try_find_or_put(work, present);
  try_full(work);
  try_sums(work, present);
  try_device_arrays(work, present);
}

/* ---- all forms ------------------------------------------------------------------------------- */

static uint64_t apply(void *data, unsigned number, unsigned bits, uint64_t key) {
  (void)data;
  return (key * UINT64_C(0x9e3779b97f4a7c15) + number) & ones(bits);
}

static uint64_t invert(void *data, unsigned number, unsigned bits, uint64_t key) {
  (void)data;
  return (key - number) * UINT64_C(0xf1de83e19937733d) & ones(bits);
}

static const floe_hash_own_permutation own = {
    .apply = apply,
    .invert = invert,
    .apply_text = "((key) * 0x9e3779b97f4a7c15ull + (number)) & ~0ull >> (64 - (bits))",
    .invert_text = "((key) - (number)) * 0xf1de83e19937733dull & ~0ull >> (64 - (bits))"};

static int run_form(const struct api_table_settings *settings, const struct form *form) {
  struct work work = {.settings = settings, .form = form, .room = 2 * settings->slots};
  floe_hash_options options;
  floe_hash_options_init(&options);
  options.engine = FLOE_ENGINE_GPU;
  options.scheme = form->scheme;
  options.key_bits = form->key_bits;
  options.value_bits = form->value_bits;
  options.deletes = form->deletes;
  options.host_memory = form->host_memory;
  options.reduction = FLOE_HASH_SUM;
  options.slots = settings->slots;
  options.own_permutation = form->own ? &own : NULL;
  work.keys = calloc(work.room, sizeof *work.keys);
  work.values = calloc(work.room, sizeof *work.values);
  work.answers = calloc(work.room, 1);
  work.times = calloc(work.room, 1);
  floe_status status = floe_hash_create(&options, settings->log, &work.table);
  expect(&work, status == FLOE_OK, "create");
  if (status == FLOE_OK)
    try_table(&work, settings->slots / 2);
  floe_hash_free(work.table);
  free(work.keys);
  free(work.values);
  free(work.answers);
  free(work.times);
  printf("%s, keys of %u bits, values of %u%s%s%s: %s\n", form->scheme, form->key_bits, form->value_bits,
         form->deletes ? ", deletes" : "", form->host_memory ? ", in the host's memory" : "",
         form->own ? ", a permutation of one's own" : "", work.failures ? "FAILED" : "ok");
  return work.failures;
}

/* User-defined reductions are texts on a device. */
static int run_own_reduction(const struct api_table_settings *settings, const char *scheme) {
  static const struct form form = {"", 30, 32, false, false, false};
  struct work work = {.settings = settings, .form = &form};
  uint64_t keys[2] = {3, 9}, values[2] = {5, 6}, more[2] = {8, 1};
  uint8_t answers[2];
  floe_hash_options options;
  floe_hash_options_init(&options);
  options.engine = FLOE_ENGINE_GPU;
  options.scheme = scheme;
  options.key_bits = 30;
  options.value_bits = 32;
  options.slots = 512;
  options.reduction = FLOE_HASH_OWN;
  options.reduce_text = "present | added";
  floe_status status = floe_hash_create(&options, settings->log, &work.table);
  expect(&work, status == FLOE_OK, "create with a reduction of one's own");
  if (status == FLOE_OK) {
    floe_hash_run(work.table, FLOE_HASH_ADD, keys, values, 2, answers, NULL);
    floe_hash_run(work.table, FLOE_HASH_ADD, keys, more, 2, answers, NULL);
    status = floe_hash_run(work.table, FLOE_HASH_GET, keys, values, 2, answers, NULL);
    expect(&work, status == FLOE_OK && values[0] == 13 && values[1] == 7, "what is reduced");
  }
  floe_hash_free(work.table);
  printf("%s, a reduction of one's own: %s\n", scheme, work.failures ? "FAILED" : "ok");
  return work.failures;
}

/* Rejected without its texts. */
static int run_own_permutation(const struct api_table_settings *settings) {
  static const struct form form = {"", 30, 0, false, false, true};
  struct work work = {.settings = settings, .form = &form};
  const floe_hash_own_permutation host = {.apply = apply, .invert = invert};
  floe_hash_options options;
  floe_hash_options_init(&options);
  options.engine = FLOE_ENGINE_GPU;
  options.own_permutation = &host;
  expect_logged(&work, floe_hash_create(&options, settings->log, &work.table), "permutation");
  floe_hash_free(work.table);
  printf("a permutation of one's own without its text: %s\n", work.failures ? "FAILED" : "ok");
  return work.failures;
}

int api_table_suite_run(const struct api_table_settings *settings) {
  int failures = 0;
  for (size_t i = 0; i < (settings->part ? MORE_FORMS : FORMS); i++)
    failures += run_form(settings, &forms[i]);
  failures += run_own_reduction(settings, "linear");
  failures += run_own_reduction(settings, "robin-hood");
  failures += run_own_permutation(settings);
  return failures;
}
