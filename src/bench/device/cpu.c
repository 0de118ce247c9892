/* Tables in the host's memory, accessed by a thread pool. */
#include "bench/device/cpu.h"

#include "core/mem.h"
#include "core/system/clock.h"
#include "core/threads/interruptible.h"
#include "tables/scheme.h"
#include "tables/simd.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BATCH 256          /* keys per call, as table.h recommends */
#define PIECE (64 * BATCH) /* keys that a thread takes at once */
#define SPARE_SHARE 16     /* this part of the available memory stays free for others */

struct bench_table {
  struct bench_engine *engine;
  struct table *table;
  struct table_config config;
  void *memory; /* of the table, reused for all permutations: its pages are allocated */
  struct item_maker maker;
  uint64_t n, most;
  bench_value value;
  uint64_t *keys, *values; /* values: NULL if the table is a set */
  uint8_t *answers;
};

/* ---- the thread pool-------------------------------------------------------------------------- */

floe_status bench_cpu_open(unsigned threads, struct bench_engine **out) {
  struct bench_engine *engine = mem_alloc(sizeof *engine);
  if (!engine)
    return FLOE_ERROR_MEMORY;
  floe_status status = pool_create(threads, &engine->pool);
  if (status == FLOE_OK)
    *out = engine;
  else
    mem_free(engine);
  return status;
}

static void cpu_release(struct bench_engine *engine) {
  if (!engine)
    return;
  pool_free(engine->pool);
  mem_free(engine);
}

static void cpu_describe(const struct bench_engine *engine, char *out, size_t size) {
  unsigned threads = pool_size(engine->pool);
  snprintf(out, size, "%u thread%s, %s", threads, threads == 1 ? "" : "s", simd_choose(NULL));
}

bool segments_next(struct segments *segments, uint64_t *from, uint64_t *to) {
  /* Relaxed: the number alone separates the segments; the end of pool_run orders the rest. */
  *from = atomic_fetch_add_explicit(&segments->next, segments->size, memory_order_relaxed);
  *to = *from + segments->size < segments->end ? *from + segments->size : segments->end;
  return *from < segments->end;
}

/* As segments_next, for work whose result is discarded after an interrupt: bench/measure/measure.c checks for one after
   each step. */
static bool segments_next_unless_interrupted(struct segments *segments, uint64_t *from, uint64_t *to) {
  return !interrupt_requested() && segments_next(segments, from, to);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The paper's baseline: a static table that finds or puts one whole batch, by sorting it. */
static bool sorts(const struct table_config *config, enum table_operation operation) {
  return operation == TABLE_FIND_OR_PUT && table_sorts(config->scheme);
}

static const char *cpu_cannot(struct bench_engine *engine, const struct table_config *config,
                              enum table_operation operation) {
  (void)engine;
  return sorts(config, operation) ? NULL : table_cannot(config, operation);
}

static uint64_t value_count(const struct bench_table *table) { return table->config.value_bits ? table->most : 0; }

static void cpu_close(struct bench_table *table) {
  if (!table)
    return;
  if (table->table && table->memory)
    pages_free(table->memory, table_shape(table->table)->bytes);
  table_free(table->table);
  pages_free(table->keys, table->most * sizeof *table->keys);
  pages_free(table->values, value_count(table) * sizeof *table->values);
  pages_free(table->answers, table->most);
  mem_free(table);
}

static floe_status allocate(struct bench_table *table) {
  table->memory = pages_alloc(table_shape(table->table)->bytes);
  table->keys = pages_alloc(table->most * sizeof *table->keys);
  table->answers = pages_alloc(table->most);
  if (value_count(table))
    table->values = pages_alloc(table->most * sizeof *table->values);
  bool enough = table->memory && table->keys && table->answers && (table->values || !value_count(table));
  return enough ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status cpu_open(struct bench_engine *engine, const struct table_config *config, enum bench_place where,
                            uint64_t most, struct bench_table **out) {
  if (where == BENCH_ON_HOST)
    return FLOE_ERROR_UNSUPPORTED;
  struct bench_table *table = mem_alloc(sizeof *table);
  if (!table)
    return FLOE_ERROR_MEMORY;
  table->engine = engine;
  table->config = *config;
  table->most = most ? most : 1;
  floe_status status = table_open(config, &table->table);
  if (status == FLOE_OK)
    status = allocate(table);
  if (status == FLOE_OK) {
    table_adopt(table->table, table->memory);
    *out = table;
  } else {
    cpu_close(table);
  }
  return status;
}

static const struct table_shape *cpu_shape(const struct bench_table *table) { return table_shape(table->table); }

struct clearing {
  struct segments segments;
  unsigned char *memory;
};

static void clear_pieces(void *user, unsigned member) {
  (void)member;
  struct clearing *clearing = user;
  for (uint64_t from, to; segments_next_unless_interrupted(&clearing->segments, &from, &to);)
    memset(clearing->memory + from, 0, to - from);
}

/* A new struct with new permutations takes over the memory. */
static floe_status cpu_clear(struct bench_table *table, uint64_t seed) {
  struct table *fresh;
  table->config.seed = seed;
  FLOE_TRY(table_open(&table->config, &fresh));
  table_free(table->table);
  table->table = fresh;
  struct clearing clearing = {.memory = table->memory, .segments = {.end = table_shape(fresh)->bytes, .size = 1 << 20}};
  pool_run(table->engine->pool, clear_pieces, &clearing);
  table_adopt(fresh, table->memory);
  return FLOE_OK;
}

/* ---- keys ------------------------------------------------------------------------------------ */

struct making {
  struct segments segments;
  struct bench_table *table;
};

static void make_values(struct bench_table *table, uint64_t from, uint64_t to) {
  for (uint64_t i = from; i < to; i++)
    table->values[i] = table->value ? table->value : item_value(table->config.value_bits, table->keys[i]);
}

/* Also resets the answers, so that a run that gives none is noticed. */
static void make_pieces(void *user, unsigned member) {
  (void)member;
  struct making *making = user;
  struct bench_table *table = making->table;
  for (uint64_t from, to; segments_next_unless_interrupted(&making->segments, &from, &to);) {
    for (uint64_t i = from; i < to; i++)
      table->keys[i] = item_key(&table->maker, i);
    if (table->values)
      make_values(table, from, to);
    memset(table->answers + from, NO_ANSWER, to - from);
  }
}

static floe_status cpu_make(struct bench_table *table, const struct bench_items *items, bench_value value) {
  assert(items->n <= table->most);
  FLOE_TRY(item_maker_init(items, &table->maker));
  table->n = items->n;
  table->value = value;
  struct making making = {.table = table, .segments = {.end = items->n, .size = PIECE}};
  pool_run(table->engine->pool, make_pieces, &making);
  return FLOE_OK;
}

struct marking {
  struct segments segments;
  const struct item_maker *maker;
  uint64_t from, count;
  _Atomic uint64_t *marks;
  atomic_uint_fast64_t distinct;
};

/* Relaxed: a bit publishes only itself, and is set once. */
static void mark_pieces(void *user, unsigned member) {
  (void)member;
  struct marking *marking = user;
  uint64_t distinct = 0;
  for (uint64_t from, to; segments_next_unless_interrupted(&marking->segments, &from, &to);)
    for (uint64_t i = from; i < to; i++) {
      uint64_t at = item_number(marking->maker, i) - marking->from;
      if (at >= marking->count)
        continue;
      uint64_t bit = UINT64_C(1) << at % 64;
      distinct += !(atomic_fetch_or_explicit(&marking->marks[at / 64], bit, memory_order_relaxed) & bit);
    }
  atomic_fetch_add_explicit(&marking->distinct, distinct, memory_order_relaxed);
}

static floe_status cpu_distinct(struct bench_table *table, const struct bench_items *items, uint64_t from,
                                uint64_t count, uint64_t *out) {
  struct item_maker maker;
  FLOE_TRY(item_maker_init(items, &maker));
  size_t bytes = (size_t)(count / 64 + 1) * sizeof(uint64_t);
  struct marking marking = {.segments = {.end = items->n, .size = PIECE},
                            .maker = &maker,
                            .from = from,
                            .count = count,
                            .marks = pages_alloc(bytes)};
  if (!marking.marks)
    return FLOE_ERROR_MEMORY;
  pool_run(table->engine->pool, mark_pieces, &marking);
  pages_free(marking.marks, bytes);
  *out = marking.distinct;
  return FLOE_OK;
}

/* ---- the operation --------------------------------------------------------------------------- */

struct running {
  struct segments segments;
  struct bench_table *table;
  enum table_operation operation;
};

static bool takes_values(const struct bench_table *table, enum table_operation operation) {
  return table->values && operation != TABLE_FIND && operation != TABLE_DELETE;
}

static void work_pieces(void *user, unsigned member) {
  (void)member;
  struct running *running = user;
  struct bench_table *table = running->table;
  uint64_t *values = takes_values(table, running->operation) ? table->values : NULL;
  for (uint64_t from, to; segments_next_unless_interrupted(&running->segments, &from, &to);)
    for (uint64_t at = from; at < to; at += BATCH) {
      size_t n = to - at < BATCH ? (size_t)(to - at) : BATCH;
      table_run(table->table, running->operation, table->keys + at, values ? values + at : NULL, n,
                table->answers + at);
    }
}

struct counting {
  struct segments segments;
  const struct bench_table *table;
  bool values; /* compare values */
  atomic_uint_fast64_t answers[3], others, wrong, sum;
};

/* Adds one segment's count, relaxed: the end of pool_run orders them. */
static void add(atomic_uint_fast64_t *to, uint64_t n) { atomic_fetch_add_explicit(to, n, memory_order_relaxed); }

static void count_values(struct counting *counting, uint64_t from, uint64_t to) {
  const struct bench_table *table = counting->table;
  uint64_t wrong = 0, sum = 0;
  for (uint64_t i = from; i < to; i++) {
    if (table->answers[i] != TABLE_FOUND)
      continue;
    wrong += table->values[i] != item_value(table->config.value_bits, table->keys[i]);
    sum += table->values[i];
  }
  add(&counting->wrong, wrong);
  add(&counting->sum, sum);
}

static void count_pieces(void *user, unsigned member) {
  (void)member;
  struct counting *counting = user;
  for (uint64_t from, to; segments_next_unless_interrupted(&counting->segments, &from, &to);) {
    uint64_t n[3] = {0};
    for (uint64_t i = from; i < to; i++) {
      uint8_t answer = counting->table->answers[i];
      for (unsigned a = 0; a < 3; a++)
        n[a] += answer == a;
    }
    for (unsigned a = 0; a < 3; a++)
      add(&counting->answers[a], n[a]);
    add(&counting->others, to - from - n[0] - n[1] - n[2]);
    if (counting->values)
      count_values(counting, from, to);
  }
}

static void count_outcome(struct bench_table *table, enum table_operation operation, struct bench_outcome *out) {
  struct counting counting = {
      .table = table, .segments = {.end = table->n, .size = PIECE}, .values = table->values && operation == TABLE_GET};
  pool_run(table->engine->pool, count_pieces, &counting);
  out->found = counting.answers[TABLE_FOUND];
  out->put = counting.answers[TABLE_PUT];
  out->full = counting.answers[TABLE_FULL];
  out->others = counting.others;
  out->wrong = counting.wrong;
  out->sum = counting.sum;
}

static floe_status run_operation(struct bench_table *table, enum table_operation operation) {
  struct running running = {.table = table, .operation = operation, .segments = {.end = table->n, .size = PIECE}};
  size_t full;
  if (sorts(&table->config, operation))
    return table_sorted_find_or_put(table->table, table->keys, table->values, table->n, table->answers, &full);
  pool_run(table->engine->pool, work_pieces, &running);
  return FLOE_OK;
}

static floe_status cpu_run(struct bench_table *table, enum table_operation operation, struct bench_outcome *out) {
  double start = clock_seconds();
  FLOE_TRY(run_operation(table, operation));
  out->seconds = clock_seconds() - start;
  count_outcome(table, operation, out);
  return FLOE_OK;
}

static floe_status cpu_returned(struct bench_table *table, uint64_t most, uint64_t *keys, uint64_t *n) {
  *n = 0;
  for (uint64_t i = 0; i < table->n && *n < most; i++)
    if (table->answers[i] == TABLE_FULL)
      keys[(*n)++] = table->keys[i];
  return FLOE_OK;
}

static floe_status cpu_host_view(struct bench_table *table, struct table **out, bool *owned) {
  *out = table->table;
  *owned = false;
  return FLOE_OK;
}

/* The system overcommits memory and kills processes that use it. Sorting takes another 32 bytes a key
   (tables/cuckoo/cuckoo_sorted.c). */
static uint64_t cpu_most_keys(struct bench_engine *engine, const struct table_config *config, uint64_t table_bytes) {
  const uint64_t key_bytes =
      sizeof(uint64_t) + 1 + (config->value_bits ? sizeof(uint64_t) : 0) + (sorts(config, TABLE_FIND_OR_PUT) ? 32 : 0);
  const uint64_t available = floe_memory_available();
  const uint64_t usable = available - available / SPARE_SHARE;
  (void)engine;
  return usable > table_bytes ? (usable - table_bytes) / key_bytes : 0;
}

const struct bench_device bench_cpu = {.name = "cpu",
                                       .cannot = cpu_cannot,
                                       .open = cpu_open,
                                       .close = cpu_close,
                                       .shape = cpu_shape,
                                       .clear = cpu_clear,
                                       .make = cpu_make,
                                       .distinct = cpu_distinct,
                                       .run = cpu_run,
                                       .returned = cpu_returned,
                                       .host_view = cpu_host_view,
                                       .measure_ceilings = bench_cpu_ceilings,
                                       .most_keys = cpu_most_keys,
                                       .describe = cpu_describe,
                                       .release = cpu_release};
