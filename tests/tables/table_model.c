#include "table_model.h"

#include "tables/host_table.h"

enum { CALL = 96 };

struct table_model table_model_create(const struct table_config *config, double keys_per_slot) {
  struct table_model model = {
      .table = make_table(config), .config = *config, .random = config->key_bits + config->reduction};
  const uint64_t slots = table_shape(model.table)->slots;
  model.distinct = 1 + (uint64_t)((double)slots * keys_per_slot);
  model.keys = reference_make(2 * model.distinct + 8 * CALL);
  model.values = calloc(model.keys.mask + 1, sizeof *model.values);
  model.present = calloc(model.keys.mask + 1, 1);
  return model;
}

void table_model_free(struct table_model *model) {
  reference_free(&model->keys);
  free(model->values);
  free(model->present);
  table_free(model->table);
}

/* ---- the model --------------------------------------------------------------------------------------- */

static bool has(const struct table_model *model, uint64_t key) {
  return model->present[reference_slot(&model->keys, key)];
}

static uint64_t value_of(const struct table_model *model, uint64_t key) {
  return model->values[reference_slot(&model->keys, key)];
}

static void set(struct table_model *model, uint64_t key, uint64_t value, bool present) {
  reference_put(&model->keys, key);
  const uint64_t at = reference_slot(&model->keys, key);
  model->count += (uint64_t)present - model->present[at];
  model->present[at] = present;
  model->values[at] = value;
}

static bool is_linear(const struct table_model *model) {
  return strcmp(table_scheme_name(model->config.scheme), "linear") == 0;
}

/* Iceberg tables may process equal keys of a call in any order. */
static bool keeps_order(const struct table_model *model) {
  return strcmp(table_scheme_name(model->config.scheme), "iceberg") != 0;
}

static uint64_t combine(const struct table_model *model, uint64_t present, uint64_t added) {
  uint64_t value = added;
  switch (model->config.reduction) {
  case TABLE_SUM:
    value = present + added;
    break;
  case TABLE_MIN:
    return added < present ? added : present;
  case TABLE_MAX:
    return added > present ? added : present;
  case TABLE_USER_REDUCTION:
    value = model->config.reduce(model->config.reduce_data, present, added);
    break;
  default:
    break;
  }
  return value & largest_key(model->config.value_bits);
}

/* Linear tables have no value 2^64 - 1: a reduction with that result changes nothing. */
static bool is_reserved(const struct table_model *model, uint64_t value) {
  return is_linear(model) && model->config.value_bits == 64 && value == UINT64_MAX;
}

/* ---- calls ------------------------------------------------------------------------------------------- */

struct call {
  enum table_operation operation;
  size_t n;
  bool with_values, sorted; /* sorted: find-or-put by sorting */
  uint64_t keys[CALL], values[CALL], given[CALL], given_values[CALL];
  uint8_t answers[CALL];
};

static void expect(struct table_model *model, bool right) { model->wrong += !right; }

static bool is_put(const struct call *call) {
  return call->operation == TABLE_FIND_OR_PUT || call->operation == TABLE_PUT_NEW || call->operation == TABLE_ADD;
}

/* A key to put has no place: another one may leave the table instead. */
static void take_back(struct table_model *model, const struct call *call, size_t i) {
  expect(model, has(model, call->keys[i]));
  expect(model, !table_traits(model->config.scheme)->stable || call->keys[i] == call->given[i]);
  expect(model, !call->with_values || value_of(model, call->keys[i]) == call->values[i]);
  set(model, call->keys[i], 0, false);
  model->refused++;
}

static void judge_put(struct table_model *model, const struct call *call, size_t i) {
  const uint64_t key = call->given[i], value = call->given_values[i];
  const bool there = has(model, key);
  if (there && call->operation == TABLE_ADD && is_reserved(model, combine(model, value_of(model, key), value))) {
    expect(model, call->answers[i] == TABLE_RESERVED && call->keys[i] == key && call->values[i] == value);
    return;
  }
  if (!there)
    set(model, key, value, true);
  else if (call->operation == TABLE_ADD)
    set(model, key, combine(model, value_of(model, key), value), true);
  if (call->answers[i] == TABLE_FULL) {
    expect(model, !there);
    take_back(model, call, i);
  } else {
    expect(model, call->answers[i] == (there ? TABLE_FOUND : TABLE_PUT));
    expect(model, call->keys[i] == key && (!call->with_values || call->values[i] == value));
  }
}

static void judge(struct table_model *model, const struct call *call, size_t i) {
  const uint64_t key = call->given[i];
  const bool there = has(model, key);
  if (is_put(call)) {
    judge_put(model, call, i);
    return;
  }
  expect(model, call->keys[i] == key && call->answers[i] == (there ? TABLE_FOUND : TABLE_FULL));
  if (call->operation == TABLE_GET && call->with_values)
    expect(model, call->values[i] == (there ? value_of(model, key) : call->given_values[i]));
  if (call->operation == TABLE_DELETE && there) {
    set(model, key, 0, false);
    model->deleted++;
  }
}

static bool changes(const struct call *call, size_t i) {
  return call->answers[i] == TABLE_PUT || (call->operation == TABLE_DELETE && call->answers[i] == TABLE_FOUND);
}

/* Different keys: any of them may be the one without a place. */
static void judge_new(struct table_model *model, const struct call *call) {
  for (size_t i = 0; i < call->n; i++) {
    set(model, call->given[i], call->given_values[i], true);
    expect(model, call->answers[i] == TABLE_PUT || call->answers[i] == TABLE_FULL);
  }
  for (size_t i = 0; i < call->n; i++)
    if (call->answers[i] == TABLE_FULL)
      take_back(model, call, i);
}

/* In order; or first the answers that change the table, then the others. */
static void judge_all(struct table_model *model, const struct call *call) {
  const bool ordered = keeps_order(model);
  if (call->operation == TABLE_PUT_NEW) {
    judge_new(model, call);
    return;
  }
  for (unsigned pass = 0; pass < (ordered ? 1 : 2); pass++)
    for (size_t i = 0; i < call->n; i++)
      if (ordered || changes(call, i) == (pass == 0))
        judge(model, call, i);
}

/* Of equal keys the first one is put, the others are found. */
static void judge_sorted(struct table_model *model, const struct call *call) {
  for (size_t i = 0; i < call->n; i++) {
    const bool there = has(model, call->given[i]);
    expect(model, (call->answers[i] == TABLE_FOUND) == there);
    if (!there)
      set(model, call->given[i], call->given_values[i], true);
  }
  for (size_t i = 0; i < call->n; i++)
    if (call->answers[i] == TABLE_FULL)
      take_back(model, call, i);
}

static size_t run_table(struct table *table, struct call *call) {
  uint64_t *values = call->with_values ? call->values : NULL;
  size_t full = 0;
  if (!call->sorted)
    return table_run(table, call->operation, call->keys, values, call->n, call->answers);
  ck_assert_int_eq(table_sorted_find_or_put(table, call->keys, values, call->n, call->answers, &full), FLOE_OK);
  return full;
}

static void run_call(struct table_model *model, struct call *call) {
  size_t full = 0;
  memcpy(call->keys, call->given, sizeof call->keys);
  memcpy(call->values, call->given_values, sizeof call->values);
  memset(call->answers, 99, sizeof call->answers);
  const size_t told = run_table(model->table, call);
  if (call->sorted)
    judge_sorted(model, call);
  else
    judge_all(model, call);
  for (size_t i = 0; i < call->n; i++)
    full += call->answers[i] == TABLE_FULL || call->answers[i] == TABLE_RESERVED;
  expect(model, told == full);
}

void table_model_call(struct table_model *model, enum table_operation operation, const uint64_t *keys,
                      const uint64_t *values, size_t n) {
  struct call call = {.operation = operation, .n = n, .with_values = values != NULL};
  ck_assert_uint_le(n, CALL);
  memcpy(call.given, keys, n * sizeof *keys);
  if (values)
    memcpy(call.given_values, values, n * sizeof *values);
  run_call(model, &call);
}

/* ---- random calls ------------------------------------------------------------------------------------ */

static uint64_t bounded(const struct table_model *model, uint64_t key) {
  key &= largest_key(model->config.key_bits);
  return model->config.keys ? key % model->config.keys : key;
}

/* Both ends, large strides, scattered keys; `others`: sometimes a key outside this list. */
static uint64_t draw_key(struct table_model *model, bool others) {
  const uint64_t word = splitmix64_next(&model->random), number = (word >> 8) % model->distinct;
  if (others && word % 16 == 0)
    return bounded(model, splitmix64_next(&model->random));
  switch (number % 4) {
  case 0:
    return bounded(model, number / 4);
  case 1:
    return model->config.keys ? model->config.keys - 1 - number / 4 % model->config.keys
                              : bounded(model, ~(number / 4));
  case 2:
    return bounded(model, number / 4 << model->config.key_bits / 2);
  default:
    return bounded(model, number * UINT64_C(0x9e3779b97f4a7c15));
  }
}

/* Both ends often. 2^64 - 1 is no value of linear tables. */
static uint64_t draw_value(struct table_model *model) {
  const uint64_t word = splitmix64_next(&model->random);
  const uint64_t largest = largest_key(model->config.value_bits) - (is_linear(model) && model->config.value_bits == 64);
  return word % 5 == 0 ? 0 : word % 5 == 1 ? largest : splitmix64_next(&model->random) % largest;
}

static bool is_repeated(const struct call *call, uint64_t key) {
  for (size_t i = 0; i < call->n; i++)
    if (call->given[i] == key)
      return true;
  return false;
}

/* PUT_NEW: different keys that are absent. */
static void draw_keys(struct table_model *model, struct call *call, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const uint64_t key = draw_key(model, !is_put(call));
    if (call->operation == TABLE_PUT_NEW && (has(model, key) || is_repeated(call, key)))
      continue;
    call->given_values[call->n] = call->with_values ? draw_value(model) : 0;
    call->given[call->n++] = key;
  }
}

static enum table_operation draw_operation(struct table_model *model) {
  for (;;) {
    const enum table_operation operation = splitmix64_next(&model->random) % TABLE_OPERATIONS;
    if (!table_cannot(&model->config, operation))
      return operation;
  }
}

static bool is_commutative(enum table_reduction reduction) {
  return reduction == TABLE_SUM || reduction == TABLE_MIN || reduction == TABLE_MAX;
}

void table_model_operate(struct table_model *model, uint64_t n) {
  for (uint64_t done = 0, size; done < n; done += size) {
    struct call call = {.operation = draw_operation(model)};
    call.sorted = table_sorts(model->config.scheme) && splitmix64_next(&model->random) % 2;
    if (call.sorted)
      call.operation = TABLE_FIND_OR_PUT;
    size = splitmix64_next(&model->random) % CALL + 1;
    if (call.operation == TABLE_ADD && !keeps_order(model) && !is_commutative(model->config.reduction))
      size = 1;
    call.with_values = model->config.value_bits && splitmix64_next(&model->random) % 8 != 0;
    draw_keys(model, &call, size);
    run_call(model, &call);
  }
}

/* ---- content ----------------------------------------------------------------------------------------- */

struct visits {
  const struct table_model *model;
  uint8_t *seen;
  uint64_t count, wrong;
};

static void visit(void *user, const uint64_t *keys, size_t n) {
  struct visits *visits = user;
  for (size_t i = 0; i < n; i++) {
    const uint64_t at = reference_slot(&visits->model->keys, keys[i]);
    visits->wrong += !visits->model->present[at] || visits->seen[at]++;
  }
  visits->count += n;
}

static void check_iteration(const struct table_model *model, unsigned parts) {
  struct visits visits = {.model = model, .seen = calloc(model->keys.mask + 1, 1)};
  for (unsigned part = 0; part < parts; part++)
    table_each(model->table, part, parts, visit, &visits);
  free(visits.seen);
  ck_assert_uint_eq(visits.wrong, 0);
  ck_assert_uint_eq(visits.count, model->count);
}

/* A Robin Hood table whose keys fill their part of a slot has a slot without a home. */
static bool has_slot_outside(const struct table_model *model) {
  return table_traits(model->config.scheme)->probes &&
         table_shape(model->table)->slots > table_shape(model->table)->buckets;
}

static void check_statistics(const struct table_model *model) {
  struct table_stats stats;
  uint64_t loads = 0;
  table_stats(model->table, &stats);
  for (unsigned i = 0; i <= 32; i++)
    loads += i * stats.load_histogram[i];
  ck_assert_uint_eq(stats.used, model->count);
  ck_assert_uint_eq(stats.level_used[0] + stats.level_used[1] + stats.level_used[2], model->count);
  ck_assert_uint_eq(stats.level_slots[0] + stats.level_slots[1] + stats.level_slots[2], stats.slots);
  ck_assert_uint_le(loads, stats.level_used[0]);
  ck_assert_uint_ge(loads + has_slot_outside(model), stats.level_used[0]);
  ck_assert_uint_eq(stats.slots, table_shape(model->table)->slots);
  ck_assert_uint_eq(stats.bytes, table_shape(model->table)->bytes);
  ck_assert_uint_eq(stats.deleted, model->config.deletes ? model->deleted : 0);
  ck_assert_uint_eq(table_count(model->table), model->count);
  ck_assert_uint_eq(table_check(model->table), 0);
}

/* Every key that was ever given, and others. */
static void look_up_all(struct table_model *model) {
  struct call call = {.with_values = model->config.value_bits != 0};
  call.operation = call.with_values ? TABLE_GET : TABLE_FIND;
  memset(call.given_values, 0x55, sizeof call.given_values);
  for (uint64_t at = 0; at <= model->keys.mask; at++) {
    if (model->keys.used[at])
      call.given[call.n++] = model->keys.keys[at];
    if (call.n == CALL || at == model->keys.mask) {
      run_call(model, &call);
      call.n = 0;
    }
  }
  for (call.n = 0; call.n < CALL; call.n++)
    call.given[call.n] = draw_key(model, true);
  call.operation = TABLE_FIND;
  run_call(model, &call);
}

void table_model_check(struct table_model *model) {
  look_up_all(model);
  const struct table_shape *shape = table_shape(model->table);
  ck_assert_msg(model->wrong == 0, "%llu wrong: %s, %u-bit keys, slots of %u x %u, values %u, %llu slots",
                (unsigned long long)model->wrong, table_scheme_name(model->config.scheme), shape->key_bits,
                shape->slot_bits, shape->bucket_slots, shape->value_bits, (unsigned long long)shape->slots);
  check_iteration(model, 1);
  check_iteration(model, 5);
  check_statistics(model);
}

/* ---- moves ------------------------------------------------------------------------------------------- */

/* A user's permutation may be a bad one: then keys may find no place. */
void table_model_move(struct table_model *model, const struct table_config *to) {
  struct table_model moved = *model;
  uint64_t refused = 0;
  moved.config = *to;
  moved.table = make_table(to);
  moved.deleted = 0;
  for (unsigned part = 0; part < 3; part++)
    refused += table_rehash(model->table, moved.table, part, 3);
  if (to->permutation_user) {
    ck_assert_uint_eq(refused + table_count(moved.table), model->count);
  } else {
    ck_assert_uint_eq(refused, 0);
    table_model_check(&moved);
  }
  table_free(moved.table);
}

/* A bound of the keys of a table with a place for each: about `keys`, or as many as there are. */
static uint64_t keys_within(unsigned key_bits, uint64_t keys) {
  return keys <= largest_key(key_bits) ? keys + 1 : largest_key(key_bits) + 1;
}

/* The same layout with so many slots; with slots of another width if there is none. */
static struct table_config resized(const struct table_config *config, uint64_t slots) {
  struct table_config other = *config;
  struct table_shape shape;
  other.slots = slots;
  other.keys = config->keys ? keys_within(config->key_bits, slots) : 0;
  if (table_plan(&other, &shape) != FLOE_OK) {
    other.slot_bits = other.bucket_slots = 0;
    other.packed = true;
  }
  return other;
}

/* Keys without a place are counted; the others are in the table. */
static void check_too_small(const struct table_model *model) {
  const struct table_config config = resized(&model->config, 1 + table_shape(model->table)->slots / 4);
  struct table *small = make_table(&config);
  const uint64_t refused = table_rehash(model->table, small, 0, 1);
  ck_assert_uint_eq(refused + table_count(small), model->count);
  ck_assert_uint_eq(table_check(small), 0);
  table_free(small);
}

/* A table without memory of its own adopts a copy of the table's, as a host does with a device's. */
static void check_copy(const struct table_model *model) {
  struct table_model copy = *model;
  const uint64_t bytes = table_shape(model->table)->bytes;
  void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  ck_assert_int_eq(table_open(&model->config, &copy.table), FLOE_OK);
  memcpy(memory, model->table->memory, bytes);
  table_adopt(copy.table, memory);
  table_model_check(&copy);
  table_free(copy.table);
  free(memory);
}

uint64_t check_beside_model(const struct table_config *config, double keys_per_slot) {
  struct table_model model = table_model_create(config, keys_per_slot);
  const uint64_t slots = table_shape(model.table)->slots;
  table_model_check(&model);
  table_model_operate(&model, 5 * slots);
  table_model_check(&model);
  struct table_config larger = resized(config, 2 * slots);
  table_model_move(&model, &larger);
  larger.seed++;
  table_model_move(&model, &larger);
  check_too_small(&model);
  check_copy(&model); /* unchanged */
  table_model_free(&model);
  return model.refused;
}

/* ---- layouts ----------------------------------------------------------------------------------------- */

static unsigned with_hashes(struct table_config config, uint64_t slots,
                            void (*check)(const struct table_config *config)) {
  static const unsigned numbers[] = {2, 3, 4, 8};
  unsigned layouts = 0;
  const size_t n = table_traits(config.scheme)->hashes ? sizeof numbers / sizeof *numbers : 1;
  for (size_t i = 0; i < n; i++) {
    config.hashes = n == 1 ? 0 : numbers[i];
    if (!plan_at_least(&config, slots))
      continue;
    check(&config);
    layouts++;
  }
  return layouts;
}

unsigned each_layout(struct table_config config, uint64_t slots, void (*check)(const struct table_config *config)) {
  const struct table_traits *traits = table_traits(config.scheme);
  const unsigned *value_bits = traits->value_bits;
  unsigned layouts = 0;
  if (traits->every_key)
    config.keys = keys_within(config.key_bits, slots);
  for (unsigned v = traits->sets ? 0 : 1; v == 0 || value_bits[v - 1]; v++)
    for (unsigned s = 0; s == 0 || traits->slot_bits[s]; s++)
      for (unsigned b = 0; b == 0 || traits->bucket_slots[b]; b++) {
        config.value_bits = v ? value_bits[v - 1] : 0;
        config.slot_bits = traits->slot_bits[s];
        config.bucket_slots = traits->bucket_slots[b];
        layouts += with_hashes(config, slots, check);
      }
  return layouts;
}
