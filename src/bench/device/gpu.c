/* Tables on a GPU, measured by the device's clock. Keys are generated, and answers counted, on the device; keys of a
   file are copied there before the clock starts. Resources are reused for the next measurement
   (bench/device/gpu_pool.h). */
#include "bench/device/gpu.h"

#include "bench/device/gpu_pool.h"
#include "core/diag.h"
#include "core/mem.h"
#include "gpu/jit/gpu_api.h"

#include <assert.h>
#include <string.h>

#define NO_ANSWER 0xff
#define PIECE ((uint64_t)1 << 20)            /* answers per copy */
#define SPARE_SHARE 16                       /* this part of the device's free memory stays free for others */
#define KEY_BYTES (2 * sizeof(uint64_t) + 1) /* key, value, answer */
#define SORT_BYTES sizeof(uint64_t)          /* additional memory for a key that is sorted */

struct bench_engine {
  struct gpu *gpu;
  struct gpu_bench_kernels *kernels;
  struct gpu_event *start, *end;
  struct gpu_pool pool;
  struct reason why_no_sort; /* "": keys can be sorted */
};

struct bench_table {
  struct bench_engine *engine;
  struct gpu_table *table; /* the one in its engine's pool */
  unsigned key_bits, value_bits;
  bool sorts; /* find-or-put sorts the keys */
  uint64_t n;
  gpu_address keys, values, answers; /* values 0: the table is a set */
};

/* ---- the device ------------------------------------------------------------------------------ */

static void device_release(struct bench_engine *engine) {
  if (!engine)
    return;
  gpu_event_free(engine->gpu, engine->start);
  gpu_event_free(engine->gpu, engine->end);
  gpu_bench_kernels_free(engine->kernels);
  gpu_pool_release(&engine->pool);
  gpu_release(engine->gpu);
  mem_free(engine);
}

static void device_describe(const struct bench_engine *engine, char *out, size_t size) {
  gpu_title(engine->gpu, out, size);
}

/* The paper's baseline: a static table that finds or puts a whole array, by sorting it. */
static bool is_static(const struct table_config *config) { return table_sorts(config->scheme); }

static const char *device_cannot(struct bench_engine *engine, const struct table_config *config,
                                 enum table_operation operation) {
  if (operation == TABLE_FIND_OR_PUT && is_static(config) && !config->value_bits) {
    const char *why = gpu_table_cannot(config, gpu_information(engine->gpu)->arch, TABLE_PUT_NEW);
    return why ? why : *engine->why_no_sort.text ? engine->why_no_sort.text : NULL;
  }
  return gpu_table_cannot(config, gpu_information(engine->gpu)->arch, operation);
}

static uint64_t device_most_keys(struct bench_engine *engine, const struct table_config *config, uint64_t table_bytes) {
  const uint64_t key_bytes = KEY_BYTES + (is_static(config) ? SORT_BYTES : 0);
  uint64_t free_bytes, total;
  if (gpu_memory(engine->gpu, &free_bytes, &total) != FLOE_OK)
    return 0;
  free_bytes += gpu_pool_reusable_bytes(&engine->pool);
  uint64_t usable = free_bytes - free_bytes / SPARE_SHARE;
  return usable > table_bytes ? (usable - table_bytes) / key_bytes : 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void device_close(struct bench_table *table) { mem_free(table); }

static enum gpu_table_place place_of(enum bench_place where) {
  return where == BENCH_ON_HOST ? GPU_TABLE_ON_HOST : GPU_TABLE_ON_DEVICE;
}

static floe_status take_from_pool(struct bench_table *table, const struct table_config *config,
                                  enum gpu_table_place place, uint64_t most) {
  struct gpu_pool *pool = &table->engine->pool;
  FLOE_TRY(gpu_pool_table(pool, config, place, &table->table));
  FLOE_TRY(gpu_pool_arrays(pool, most, config->value_bits > 0));
  table->keys = pool->arrays.keys;
  table->values = config->value_bits ? pool->arrays.values : 0;
  table->answers = pool->arrays.answers;
  return FLOE_OK;
}

static floe_status device_open(struct bench_engine *engine, const struct table_config *config, enum bench_place where,
                               uint64_t most, struct bench_table **out) {
  struct bench_table *table = mem_alloc(sizeof *table);
  if (!table)
    return FLOE_ERROR_MEMORY;
  table->engine = engine;
  table->key_bits = config->key_bits;
  table->value_bits = config->value_bits;
  table->sorts = is_static(config);
  floe_status status = take_from_pool(table, config, place_of(where), most ? most : 1);
  if (status == FLOE_OK)
    *out = table;
  else
    device_close(table);
  return status;
}

static const struct table_shape *device_shape(const struct bench_table *table) { return gpu_table_shape(table->table); }

static floe_status device_clear(struct bench_table *table, uint64_t seed) {
  return gpu_table_clear(table->table, seed);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static struct gpu_keys keys_of(const struct bench_items *items) {
  return (struct gpu_keys){.key_bits = items->key_bits,
                           .first = items->first,
                           .count = items->count,
                           .others = items->others,
                           .other_first = items->other_first,
                           .other_count = items->other_count,
                           .zipf = items->zipf,
                           .seed = items->seed};
}

/* Also resets the answers, so that a run that gives none is noticed. */
static floe_status device_make(struct bench_table *table, const struct bench_items *items, bench_value value) {
  struct bench_engine *engine = table->engine;
  struct gpu_keys what = keys_of(items);
  assert(items->n <= engine->pool.arrays.room);
  table->n = items->n;
  if (items->given)
    FLOE_TRY(gpu_upload(engine->gpu, table->keys, items->given, items->n * sizeof *items->given));
  else
    FLOE_TRY(gpu_keys_make(engine->kernels, &what, table->keys, items->n));
  if (table->values)
    FLOE_TRY(gpu_values_make(engine->kernels, table->value_bits, value, table->keys, items->n, table->values));
  return gpu_fill(engine->gpu, table->answers, NO_ANSWER, items->n);
}

static floe_status device_distinct(struct bench_table *table, const struct bench_items *items, uint64_t from,
                                   uint64_t count, uint64_t *out) {
  struct gpu_keys what = keys_of(items);
  FLOE_TRY(device_make(table, items, 0));
  what.first = from;
  what.count = count;
  floe_status status = gpu_keys_distinct(table->engine->kernels, &what, table->keys, items->n, out);
  if (status != FLOE_ERROR_MEMORY)
    return status;
  gpu_pool_free_unused(&table->engine->pool);
  return gpu_keys_distinct(table->engine->kernels, &what, table->keys, items->n, out);
}

/* ---- the operation --------------------------------------------------------------------------- */

static floe_status count_outcome(struct bench_table *table, enum table_operation operation, struct bench_outcome *out) {
  struct gpu_bench_kernels *kernels = table->engine->kernels;
  struct gpu_answers answers;
  FLOE_TRY(gpu_answers_count(kernels, table->answers, table->n, &answers));
  out->found = answers.found;
  out->put = answers.put;
  out->full = answers.full;
  out->others = answers.others;
  out->wrong = out->sum = 0;
  if (operation != TABLE_GET || !table->values)
    return FLOE_OK;
  const struct gpu_checked_values checked = {table->keys, table->values, table->answers, table->n, table->value_bits};
  return gpu_values_check(kernels, &checked, &out->wrong, &out->sum);
}

/* Enqueues the operation in the stream. */
static floe_status start_operation(struct bench_table *table, enum table_operation operation) {
  gpu_address values = operation == TABLE_FIND || operation == TABLE_DELETE ? 0 : table->values;
  if (table->sorts && operation == TABLE_FIND_OR_PUT)
    return gpu_sorted_find_or_put(&table->engine->pool.sorted, table->table, table->keys, table->n, table->answers);
  return gpu_table_run(table->table, operation, table->keys, values, table->n, table->answers);
}

/* Allocates memory for sorting before the clock starts. */
static floe_status prepare_sort(struct bench_table *table, enum table_operation operation) {
  struct reason reason;
  if (!table->sorts || operation != TABLE_FIND_OR_PUT)
    return FLOE_OK;
  return gpu_pool_sorted(&table->engine->pool, table->key_bits, &reason);
}

static floe_status device_run(struct bench_table *table, enum table_operation operation, struct bench_outcome *out) {
  struct bench_engine *engine = table->engine;
  assert(table->table == engine->pool.in_use && table->n <= engine->pool.arrays.room);
  FLOE_TRY(prepare_sort(table, operation));
  FLOE_TRY(gpu_event_record(engine->gpu, engine->start));
  FLOE_TRY(start_operation(table, operation));
  FLOE_TRY(gpu_event_record(engine->gpu, engine->end));
  FLOE_TRY(gpu_event_seconds(engine->gpu, engine->start, engine->end, &out->seconds));
  return count_outcome(table, operation, out);
}

/* Downloads both arrays piece by piece; keys only if the piece has one without a place. */
static floe_status device_returned(struct bench_table *table, uint64_t most, uint64_t *keys, uint64_t *n) {
  struct gpu *gpu = table->engine->gpu;
  uint64_t *piece = mem_array(PIECE, sizeof *piece);
  uint8_t *answers = mem_array(PIECE, sizeof *answers);
  floe_status status = piece && answers ? FLOE_OK : FLOE_ERROR_MEMORY;
  *n = 0;
  for (uint64_t at = 0; status == FLOE_OK && at < table->n && *n < most; at += PIECE) {
    const uint64_t count = table->n - at < PIECE ? table->n - at : PIECE;
    status = gpu_download(gpu, answers, table->answers + at, count);
    if (status == FLOE_OK && memchr(answers, TABLE_FULL, count))
      status = gpu_download(gpu, piece, table->keys + at * sizeof *piece, count * sizeof *piece);
    for (uint64_t i = 0; status == FLOE_OK && i < count && *n < most; i++)
      if (answers[i] == TABLE_FULL)
        keys[(*n)++] = piece[i];
  }
  mem_free(piece);
  mem_free(answers);
  return status;
}

static floe_status device_host_view(struct bench_table *table, struct table **out, bool *owned) {
  *owned = true;
  return gpu_pool_copy(&table->engine->pool, out);
}

/* gpu_ceilings returns G accesses a second. */
static floe_status device_measure_ceilings(struct bench_engine *engine, enum bench_place where, uint64_t footprint,
                                           unsigned needed, struct bench_ceilings *out) {
  static const unsigned kinds[BENCH_ACCESSES] = {CEILING_READ64, CEILING_SWAP16, CEILING_SWAP32, CEILING_SWAP64};
  const enum gpu_table_place place = place_of(where);
  struct ceilings found;
  unsigned all = 0;
  for (unsigned i = 0; i < BENCH_ACCESSES; i++)
    all |= needed >> i & 1 ? kinds[i] : 0;
  floe_status status = gpu_ceilings(engine->kernels, place, footprint, all, &found);
  if (status == FLOE_ERROR_MEMORY) {
    gpu_pool_free_unused(&engine->pool);
    status = gpu_ceilings(engine->kernels, place, footprint, all, &found);
  }
  FLOE_TRY(status);
  const double rates[BENCH_ACCESSES] = {found.read64, found.swap16, found.swap32, found.swap64};
  for (unsigned i = 0; i < BENCH_ACCESSES; i++)
    if (needed >> i & 1)
      out->rates[i] = 1e9 * rates[i];
  out->footprint = footprint;
  return FLOE_OK;
}

static const struct bench_device bench_gpu = {.name = "gpu",
                                              .cannot = device_cannot,
                                              .open = device_open,
                                              .close = device_close,
                                              .shape = device_shape,
                                              .clear = device_clear,
                                              .make = device_make,
                                              .distinct = device_distinct,
                                              .run = device_run,
                                              .returned = device_returned,
                                              .host_view = device_host_view,
                                              .measure_ceilings = device_measure_ceilings,
                                              .most_keys = device_most_keys,
                                              .describe = device_describe,
                                              .release = device_release};

/* ---- opening --------------------------------------------------------------------------------- */

static void detect_sort(struct bench_engine *engine) {
  struct gpu_sort *sort = NULL;
  if (gpu_sort_open(&sort, &engine->why_no_sort) == FLOE_OK)
    reason_set(&engine->why_no_sort, "%s", "");
  gpu_sort_close(sort);
}

static floe_status device_create_parts(struct bench_engine *engine) {
  detect_sort(engine);
  FLOE_TRY(gpu_event_create(engine->gpu, &engine->start));
  FLOE_TRY(gpu_event_create(engine->gpu, &engine->end));
  return gpu_bench_kernels_create(engine->gpu, engine->pool.cache_dir, engine->pool.log, &engine->kernels);
}

floe_status bench_gpu_open(unsigned number, const char *cache_dir, floe_log *log, const struct bench_device **device,
                           struct bench_engine **out, struct reason *reason) {
  struct bench_engine *engine = mem_alloc(sizeof *engine);
  if (!engine)
    return FLOE_ERROR_MEMORY;
  floe_status status = gpu_acquire(number, NULL, log, &engine->gpu, reason);
  if (status != FLOE_OK) {
    mem_free(engine);
    return status;
  }
  engine->pool.gpu = engine->gpu;
  engine->pool.log = log;
  engine->pool.cache_dir = cache_dir && *cache_dir ? mem_strdup(cache_dir) : NULL;
  reason_set(reason, "the GPU cannot run the kernels of tables");
  status = device_create_parts(engine);
  if (status != FLOE_OK) {
    device_release(engine);
    return status;
  }
  *device = &bench_gpu;
  *out = engine;
  return FLOE_OK;
}
