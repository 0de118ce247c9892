/* The public functions of the hash tables (floe_tables.h): checks arguments, logs errors and calls a back-end. */
#include "core/diag.h"
#include "core/mem.h"
#include "core/system/defaults.h"
#include "core/usage.h"
#include "tables/api/config.h"
#include "tables/api/content.h"
#include "tables/api/gpu_backend.h"
#include "tables/api/host_backend.h"
#include "tables/api/working_set_backend.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MOST_THREADS 1024

struct floe_hash_table {
  const struct hash_backend *backend;
  struct hash_engine *engine;
  struct hash_stored_table *store;
  struct arena arena; /* for the configuration's strings */
  struct hash_config config;
  floe_log *log;
  bool trusted;
  pthread_mutex_t lock; /* for the log, and for a GPU, which one thread at a time may use */
};

/* ---- names ----------------------------------------------------------------------------------- */

static const char *name_at(const char *const *names, size_t i) {
  for (size_t n = 0; names[n]; n++)
    if (n == i)
      return names[n];
  return NULL;
}

const char *floe_hash_scheme(size_t i) { return name_at(hash_schemes(), i); }

const char *floe_hash_permutation(size_t i) { return name_at(permutation_names(), i); }

const char *floe_hash_variant(size_t i) {
  const struct workset_variant *variant = workset_variant_at(i);
  return variant ? variant->name : NULL;
}

static_assert((int)FLOE_HASH_FIND == TABLE_FIND && (int)FLOE_HASH_FIND_OR_PUT == TABLE_FIND_OR_PUT &&
                  (int)FLOE_HASH_PUT == TABLE_PUT_NEW && (int)FLOE_HASH_DELETE == TABLE_DELETE &&
                  (int)FLOE_HASH_GET == TABLE_GET && (int)FLOE_HASH_ADD == TABLE_ADD,
              "operations have the same numbers");
static_assert((int)FLOE_HASH_FOUND == TABLE_FOUND && (int)FLOE_HASH_NEW == TABLE_PUT &&
                  (int)FLOE_HASH_NONE == TABLE_FULL,
              "answers have the same numbers");

static bool is_operation(floe_hash_operation operation) { return (unsigned)operation < TABLE_OPERATIONS; }

const char *floe_hash_operation_name(floe_hash_operation operation) {
  return is_operation(operation) ? table_operation_name((enum table_operation)operation) : "unknown";
}

void floe_hash_options_init(floe_hash_options *options) {
  if (!options)
    return;
  *options = (floe_hash_options){.struct_size = sizeof *options,
                                 .scheme = table_schemes()[0],
                                 .key_bits = 64,
                                 .slots = 1 << 16,
                                 .engine = FLOE_ENGINE_CPU};
}

/* For any struct_size: options that an older floe_tables.h lacks have their defaults. */
static floe_hash_options complete(const floe_hash_options *options) {
  floe_hash_options all;
  floe_hash_options_init(&all);
  if (!options)
    return all;
  const size_t size = options->struct_size < sizeof all ? options->struct_size : sizeof all;
  memcpy(&all, options, size);
  return all;
}

/* ---- planning -------------------------------------------------------------------------------- */

struct configuring {
  const floe_hash_options *options;
  struct arena *arena;
  floe_log *log;
  struct hash_config *config;
  floe_status status;
};

static void configure(void *data) {
  struct configuring *c = data;
  c->status = hash_config_make(c->options, c->arena, c->log, c->config);
}

static floe_status make_config(const floe_hash_options *options, struct arena *arena, floe_log *log,
                               struct hash_config *out) {
  struct configuring configuring = {.options = options, .arena = arena, .log = log, .config = out};
  if (arena_guard(arena, configure, &configuring) != 0)
    return no_memory(log);
  return configuring.status;
}

static floe_hash_info info_of(const struct hash_config *config, const struct table_shape *shape, floe_engine engine,
                              const char *machine) {
  const bool two_levels = config->workset.variant != NULL;
  return (floe_hash_info){.scheme = two_levels ? HASH_WORKSET : table_scheme_name(config->table.scheme),
                          .engine = engine,
                          .machine = machine,
                          .key_bits = shape->key_bits,
                          .value_bits = shape->value_bits,
                          .slot_bits = shape->slot_bits,
                          .bucket_slots = shape->bucket_slots,
                          .second_slot_bits = shape->second_slot_bits,
                          .second_bucket_slots = shape->second_bucket_slots,
                          .hashes = shape->hashes,
                          .deletes = shape->deletes,
                          .slots = shape->slots,
                          .bytes = shape->bytes,
                          .fill = two_levels ? HASH_WORKSET_FILL : table_fill(config->table.scheme)};
}

floe_status floe_hash_plan(const floe_hash_options *options, floe_log *log, floe_hash_info *out) {
  const floe_hash_options all = complete(options);
  const floe_engine engine = all.engine == FLOE_ENGINE_GPU ? FLOE_ENGINE_GPU : FLOE_ENGINE_CPU;
  struct arena arena;
  struct hash_config config;
  struct table_shape shape;
  REQUIRE(log, out);
  arena_init(&arena);
  floe_status status = make_config(&all, &arena, log, &config);
  if (status == FLOE_OK)
    status = hash_config_plan(&config, log, &shape);
  if (status == FLOE_OK)
    *out = info_of(&config, &shape, engine, "");
  arena_free(&arena);
  return status;
}

/* ---- creating ------------------------------------------------------------------------------- */

static unsigned threads_of(const floe_hash_options *options) {
  const unsigned threads = options->threads ? options->threads : defaults_threads();
  return threads < MOST_THREADS ? threads : MOST_THREADS;
}

static struct hash_workset_settings workset_settings_of(const floe_hash_options *options,
                                                        const floe_hash_table *table) {
  return (struct hash_workset_settings){.workset = table->config.workset,
                                        .threads = threads_of(options),
                                        .log = table->log,
                                        .gpu = options->gpu_device,
                                        .cache_dir = table->config.cache_dir};
}

static floe_status open_cpu(const floe_hash_options *options, floe_hash_table *table) {
  const struct hash_workset_settings settings = workset_settings_of(options, table);
  if (settings.workset.variant)
    return hash_workset_open(&settings, &table->backend, &table->engine);
  table->backend = &hash_host_backend;
  return hash_host_open(settings.threads, &table->engine);
}

static floe_status open_gpu(const floe_hash_options *options, floe_hash_table *table) {
  const struct hash_workset_settings settings = workset_settings_of(options, table);
  const struct hash_gpu_settings gpu = {options->gpu_device, options->host_memory, table->config.cache_dir, table->log};
  struct reason reason;
  floe_status status = settings.workset.variant
                           ? hash_workset_open_gpu(&settings, &table->backend, &table->engine, &reason)
                           : hash_gpu_open(&gpu, &table->backend, &table->engine, &reason);
  if (status == FLOE_ERROR_UNSUPPORTED && options->engine == FLOE_ENGINE_GPU)
    diag_error(table->log, NULL, NOWHERE, "use FLOE_ENGINE_CPU, which has all tables", "%s", reason.text);
  return status;
}

static floe_status open_backend(const floe_hash_options *options, floe_hash_table *table) {
  switch (options->engine) {
  case FLOE_ENGINE_CPU:
    return open_cpu(options, table);
  case FLOE_ENGINE_GPU:
    return open_gpu(options, table);
  case FLOE_ENGINE_AUTO:
    break;
  default:
    diag_error(table->log, NULL, NOWHERE, "use FLOE_ENGINE_CPU, _GPU or _AUTO", "hash tables have no such engine");
    return FLOE_ERROR_USAGE;
  }
  floe_status status = open_gpu(options, table);
  return status == FLOE_ERROR_UNSUPPORTED ? open_cpu(options, table) : status;
}

/* Logs FLOE_ERROR_MEMORY if no message was logged for it. */
static floe_status log_unreported_memory_error(floe_log *log, size_t errors_before, floe_status status) {
  if (status == FLOE_ERROR_MEMORY && diag_errors(log) == errors_before)
    no_memory(log);
  return status;
}

/* Logs FLOE_ERROR_MEMORY with the number of bytes. */
static floe_status open_store(floe_hash_table *table, const struct hash_config *config,
                              struct hash_stored_table **out) {
  struct table_shape shape;
  FLOE_TRY(hash_config_plan(config, table->log, &shape));
  floe_status status = table->backend->open(table->engine, &config->table, out);
  if (status == FLOE_ERROR_MEMORY)
    diag_error(table->log, NULL, NOWHERE, "use fewer slots, or narrower ones",
               "no memory for a table of %" PRIu64 " bytes", shape.bytes);
  return status;
}

static floe_status create_parts(const floe_hash_options *options, floe_hash_table *table) {
  struct table_shape shape;
  FLOE_TRY(make_config(options, &table->arena, table->log, &table->config));
  FLOE_TRY(hash_config_plan(&table->config, table->log, &shape));
  FLOE_TRY(open_backend(options, table));
  return open_store(table, &table->config, &table->store);
}

floe_status floe_hash_create(const floe_hash_options *options, floe_log *log, floe_hash_table **out) {
  const floe_hash_options all = complete(options);
  const size_t before = diag_errors(log);
  REQUIRE(log, out);
  floe_hash_table *table = mem_alloc(sizeof *table);
  if (!table)
    return log_unreported_memory_error(log, before, FLOE_ERROR_MEMORY);
  table->log = log;
  table->trusted = all.trusted;
  arena_init(&table->arena);
  pthread_mutex_init(&table->lock, NULL);
  floe_status status = log_unreported_memory_error(log, before, create_parts(&all, table));
  if (status == FLOE_OK)
    *out = table;
  else
    floe_hash_free(table);
  return status;
}

void floe_hash_free(floe_hash_table *table) {
  if (!table)
    return;
  if (table->engine) {
    table->backend->close(table->store);
    table->backend->release(table->engine);
  }
  pthread_mutex_destroy(&table->lock);
  arena_free(&table->arena);
  mem_free(table);
}

floe_hash_info floe_hash_information(const floe_hash_table *table) {
  if (!table)
    return (floe_hash_info){0};
  return info_of(&table->config, table->backend->shape(table->store), table->backend->engine,
                 table->backend->describe(table->store));
}

/* One thread at a time may use the log. */
static floe_status report_null(floe_hash_table *table, const char *function, const char *argument) {
  pthread_mutex_lock(&table->lock);
  usage_null(table->log, function, argument);
  pthread_mutex_unlock(&table->lock);
  return FLOE_ERROR_USAGE;
}

#define REQUIRE_OF(table, argument)                                                                                    \
  do {                                                                                                                 \
    if (!(argument))                                                                                                   \
      return report_null(table, __func__, #argument);                                                                  \
  } while (0)

/* The arrays of an operation on n keys must not be NULL. */
static floe_status check_arrays_present(floe_hash_table *table, const uint64_t *keys, const uint8_t *answers,
                                        size_t n) {
  if (n > 0)
    REQUIRE_OF(table, keys);
  if (n > 0)
    REQUIRE_OF(table, answers);
  return FLOE_OK;
}

/* ---- operations ------------------------------------------------------------------------------ */

const char *floe_hash_cannot(const floe_hash_table *table, floe_hash_operation operation) {
  if (!is_operation(operation))
    return "there is no such operation";
  if (!table)
    return "there is no table";
  return table->backend->cannot(table->engine, &table->config.table, (enum table_operation)operation);
}

static floe_status report_operation_error(floe_hash_table *table, floe_hash_operation operation, const char *hint,
                                          const char *why) {
  pthread_mutex_lock(&table->lock);
  diag_error(table->log, NULL, NOWHERE, hint, "%s: %s", floe_hash_operation_name(operation), why);
  pthread_mutex_unlock(&table->lock);
  return FLOE_ERROR_USAGE;
}

static floe_status check_operation(floe_hash_table *table, floe_hash_operation operation) {
  const char *why = floe_hash_cannot(table, operation);
  return why ? report_operation_error(table, operation, "floe_hash_cannot reports missing operations", why) : FLOE_OK;
}

static bool reads_values(floe_hash_operation operation) {
  return operation == FLOE_HASH_FIND_OR_PUT || operation == FLOE_HASH_PUT || operation == FLOE_HASH_ADD;
}

static bool has_too_wide(const uint64_t *words, size_t n, unsigned bits) {
  uint64_t all = 0;
  for (size_t i = 0; bits < 64 && i < n; i++)
    all |= words[i];
  return bits < 64 && all >> bits;
}

/* For a cuckoo table it may follow from the width of its slots. */
static unsigned value_bits_of(const floe_hash_table *table) { return table->backend->shape(table->store)->value_bits; }

static const struct table_traits *traits_of(const floe_hash_table *table) {
  return table_traits(table->config.table.scheme);
}

/* Some maps reserve the value 2^64 - 1. */
static bool reserves_last_value(const floe_hash_table *table) {
  const struct table_traits *traits = traits_of(table);
  return value_bits_of(table) == 64 && traits && traits->last_value_is_none;
}

static bool has_no_value(const floe_hash_table *table, const uint64_t *values, size_t n) {
  bool found = false;
  if (reserves_last_value(table))
    for (size_t i = 0; i < n; i++)
      found |= values[i] == UINT64_MAX;
  return found;
}

static floe_status refuse_last_value(floe_hash_table *table, floe_hash_operation operation) {
  char why[100];
  snprintf(why, sizeof why, "a %s table has no room for the value 2^64 - 1", table->config.table.scheme);
  return report_operation_error(table, operation, traits_of(table)->last_value_is_none, why);
}

static floe_status check_arrays(floe_hash_table *table, floe_hash_operation operation, const uint64_t *keys,
                                const uint64_t *values, size_t n) {
  if (has_too_wide(keys, n, table->config.table.key_bits))
    return report_operation_error(table, operation, "increase floe_hash_options.key_bits",
                                  "a key has more bits than the table's keys");
  if (!values || !reads_values(operation))
    return FLOE_OK;
  if (has_too_wide(values, n, value_bits_of(table)))
    return report_operation_error(table, operation, "increase floe_hash_options.value_bits",
                                  "a value has more bits than the table's values");
  if (has_no_value(table, values, n))
    return refuse_last_value(table, operation);
  return FLOE_OK;
}

static bool is_map(const floe_hash_table *table) { return value_bits_of(table) != 0; }

/* One thread at a time may use a GPU, or a table whose operations have an order. */
static bool is_serialised(const floe_hash_table *table) {
  return table->backend->engine == FLOE_ENGINE_GPU || table->backend->run_mixed;
}

static void lock_table(floe_hash_table *table) {
  if (is_serialised(table))
    pthread_mutex_lock(&table->lock);
}

static void unlock_table(floe_hash_table *table) {
  if (is_serialised(table))
    pthread_mutex_unlock(&table->lock);
}

/* For a FLOE_ERROR_MEMORY that the back-end does not log; the caller holds the lock if there is one. */
static floe_status log_out_of_memory(floe_hash_table *table, floe_status status) {
  if (status == FLOE_ERROR_MEMORY)
    no_memory(table->log);
  return status;
}

/* FLOE_ERROR_UNSUPPORTED if a reduction had the reserved result. */
static floe_status check_reserved(floe_hash_table *table, floe_hash_operation operation, const uint8_t *answers,
                                  size_t n) {
  if (!reserves_last_value(table) || !memchr(answers, TABLE_RESERVED, n))
    return FLOE_OK;
  refuse_last_value(table, operation);
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status floe_hash_run(floe_hash_table *table, floe_hash_operation operation, uint64_t *keys, uint64_t *values,
                          size_t n, uint8_t *answers, size_t *full) {
  uint64_t none = 0;
  REQUIRE(NULL, table);
  FLOE_TRY(check_arrays_present(table, keys, answers, n));
  if (!is_map(table) || operation == FLOE_HASH_FIND || operation == FLOE_HASH_DELETE)
    values = NULL;
  FLOE_TRY(check_operation(table, operation));
  if (!table->trusted)
    FLOE_TRY(check_arrays(table, operation, keys, values, n));
  lock_table(table);
  const struct hash_arrays arrays = {keys, values, answers, n};
  floe_status status = table->backend->run(table->store, (enum table_operation)operation, &arrays, &none);
  log_out_of_memory(table, status);
  unlock_table(table);
  if (status == FLOE_OK && full)
    *full = (size_t)none;
  return status == FLOE_OK && none > 0 ? check_reserved(table, operation, answers, n) : status;
}

floe_status floe_hash_run_on_device(floe_hash_table *table, floe_hash_operation operation, uint64_t keys,
                                    uint64_t values, uint64_t n, uint64_t answers) {
  REQUIRE(NULL, table);
  if (!table->backend->run_on_device)
    return report_operation_error(table, operation, "use floe_hash_run with arrays in the host's memory",
                                  table->backend->engine == FLOE_ENGINE_GPU ? "part of the table is not on a GPU"
                                                                            : "the table is not on a GPU");
  FLOE_TRY(check_operation(table, operation));
  lock_table(table);
  floe_status status = table->backend->run_on_device(table->store, (enum table_operation)operation, keys,
                                                     is_map(table) ? values : 0, n, answers);
  log_out_of_memory(table, status);
  unlock_table(table);
  return status;
}

/* ---- mixed operations --------------------------------------------------------------------------- */

static floe_status check_mixes(floe_hash_table *table) {
  if (table->backend->run_mixed)
    return FLOE_OK;
  pthread_mutex_lock(&table->lock);
  diag_error(table->log, NULL, NOWHERE, "use floe_hash_run", "only " HASH_WORKSET " tables mix operations in one call");
  pthread_mutex_unlock(&table->lock);
  return FLOE_ERROR_USAGE;
}

static floe_status check_operations(floe_hash_table *table, const uint8_t *operations, size_t n) {
  bool lacks[UINT8_MAX + 1];
  for (unsigned i = 0; i <= UINT8_MAX; i++)
    lacks[i] = floe_hash_cannot(table, (floe_hash_operation)i) != NULL;
  for (size_t i = 0; i < n; i++)
    if (lacks[operations[i]])
      return check_operation(table, (floe_hash_operation)operations[i]);
  return FLOE_OK;
}

floe_status floe_hash_run_mixed(floe_hash_table *table, const uint8_t *operations, uint64_t *keys, uint64_t *values,
                                size_t n, uint8_t *answers, size_t *full) {
  uint64_t none = 0;
  REQUIRE(NULL, table);
  FLOE_TRY(check_mixes(table));
  FLOE_TRY(check_arrays_present(table, keys, answers, n));
  if (n > 0)
    REQUIRE_OF(table, operations);
  FLOE_TRY(check_operations(table, operations, n));
  if (!table->trusted)
    FLOE_TRY(check_arrays(table, FLOE_HASH_FIND, keys, NULL, n));
  lock_table(table);
  const struct hash_arrays arrays = {keys, values, answers, n};
  floe_status status = log_out_of_memory(table, table->backend->run_mixed(table->store, operations, &arrays, &none));
  unlock_table(table);
  if (status == FLOE_OK && full)
    *full = (size_t)none;
  return status;
}

floe_status floe_hash_traffic_of(floe_hash_table *table, floe_hash_traffic *out) {
  REQUIRE(NULL, table);
  REQUIRE_OF(table, out);
  FLOE_TRY(check_mixes(table));
  lock_table(table);
  floe_status status = table->backend->traffic(table->store, out);
  unlock_table(table);
  return status;
}

/* ---- by sorting ------------------------------------------------------------------------------ */

static floe_status check_sorted(floe_hash_table *table) {
  if (table_sorts(table->config.table.scheme))
    return FLOE_OK;
  return report_operation_error(table, FLOE_HASH_FIND_OR_PUT, "use floe_hash_run", "only cuckoo tables sort the keys");
}

floe_status floe_hash_find_or_put_sorted(floe_hash_table *table, uint64_t *keys, uint64_t *values, size_t n,
                                         uint8_t *answers, size_t *full) {
  uint64_t none = 0;
  REQUIRE(NULL, table);
  FLOE_TRY(check_arrays_present(table, keys, answers, n));
  values = is_map(table) ? values : NULL;
  FLOE_TRY(check_sorted(table));
  if (!table->trusted)
    FLOE_TRY(check_arrays(table, FLOE_HASH_FIND_OR_PUT, keys, values, n));
  lock_table(table);
  const struct hash_arrays arrays = {keys, values, answers, n};
  floe_status status = log_out_of_memory(table, table->backend->run_sorted(table->store, &arrays, &none));
  unlock_table(table);
  if (status == FLOE_OK && full)
    *full = (size_t)none;
  return status;
}

/* ---- the whole table ------------------------------------------------------------------------- */

floe_status floe_hash_clear(floe_hash_table *table, uint64_t seed) {
  REQUIRE(NULL, table);
  lock_table(table);
  floe_status status = table->backend->clear(table->store, seed);
  if (log_out_of_memory(table, status) == FLOE_OK)
    table->config.table.seed = seed;
  unlock_table(table);
  return status;
}

static floe_status move(floe_hash_table *table, struct hash_stored_table *to) {
  uint64_t left = 0;
  FLOE_TRY(log_out_of_memory(table, table->backend->move(table->store, to, &left)));
  if (left == 0)
    return FLOE_OK;
  diag_error(table->log, NULL, NOWHERE, "use more slots",
             "%" PRIu64 " keys would have no place in a table of %" PRIu64 " slots", left,
             table->backend->shape(to)->slots);
  return FLOE_ERROR_USAGE;
}

/* A number of buckets from which keys move fast, unless it means fewer slots than requested. */
static struct hash_config resized(const floe_hash_table *table, uint64_t slots) {
  struct hash_config config = table->config;
  struct table_shape shape;
  config.table.slots = slots;
  if (config.workset.variant)
    return config;
  config.table.multiple_of = table->backend->shape(table->store)->buckets;
  if (table_plan(&config.table, &shape) != FLOE_OK || shape.slots < slots)
    config.table.multiple_of = 0;
  return config;
}

static floe_status resize(floe_hash_table *table, uint64_t slots) {
  const struct hash_config config = resized(table, slots);
  struct hash_stored_table *to;
  FLOE_TRY(open_store(table, &config, &to));
  floe_status status = move(table, to);
  if (status != FLOE_OK) {
    table->backend->close(to);
    return status;
  }
  table->backend->close(table->store);
  table->store = to;
  table->config.table.slots = slots;
  return FLOE_OK;
}

floe_status floe_hash_resize(floe_hash_table *table, uint64_t slots) {
  REQUIRE(NULL, table);
  lock_table(table);
  floe_status status = resize(table, slots);
  unlock_table(table);
  return status;
}

/* ---- inspection ----------------------------------------------------------------------------- */

/* The table on the host, a copy if the table is on a GPU; close_host_view releases it. */
struct host_view {
  struct table *table;
  bool owned;
};

static floe_status open_host_view(floe_hash_table *table, struct host_view *out) {
  lock_table(table);
  floe_status status = log_out_of_memory(table, table->backend->host_view(table->store, &out->table, &out->owned));
  unlock_table(table);
  return status;
}

static void close_host_view(struct host_view *view) {
  assert(view->table);
  if (view->owned)
    table_free(view->table);
}

/* For a back-end with its own statistics. */
static floe_status backend_stats(floe_hash_table *table, floe_hash_stats *out) {
  lock_table(table);
  floe_status status = log_out_of_memory(table, table->backend->stats(table->store, out));
  unlock_table(table);
  return status;
}

floe_status floe_hash_count(floe_hash_table *table, uint64_t *count) {
  struct host_view view;
  floe_hash_stats stats;
  REQUIRE(NULL, table);
  REQUIRE_OF(table, count);
  if (table->backend->stats) {
    FLOE_TRY(backend_stats(table, &stats));
    *count = stats.used;
    return FLOE_OK;
  }
  FLOE_TRY(open_host_view(table, &view));
  *count = table_count(view.table);
  close_host_view(&view);
  return FLOE_OK;
}

floe_status floe_hash_statistics(floe_hash_table *table, floe_hash_stats *out) {
  struct host_view view;
  REQUIRE(NULL, table);
  REQUIRE_OF(table, out);
  if (table->backend->stats)
    return backend_stats(table, out);
  FLOE_TRY(open_host_view(table, &view));
  hash_stats(view.table, out);
  close_host_view(&view);
  return FLOE_OK;
}

/* One thread at a time may use a GPU; several may visit parts of a table in the host's memory. */
static floe_status backend_each(floe_hash_table *table, unsigned part, unsigned parts,
                                void (*visit)(void *user, const uint64_t *keys, const uint64_t *values, size_t n),
                                void *user) {
  const bool turns = table->backend->engine == FLOE_ENGINE_GPU;
  if (turns)
    pthread_mutex_lock(&table->lock);
  floe_status status = table->backend->each(table->store, part, parts, visit, user);
  if (turns)
    log_out_of_memory(table, status), pthread_mutex_unlock(&table->lock);
  return status;
}

floe_status floe_hash_each(floe_hash_table *table, unsigned part, unsigned parts,
                           void (*visit)(void *user, const uint64_t *keys, const uint64_t *values, size_t n),
                           void *user) {
  struct host_view view;
  REQUIRE(NULL, table);
  REQUIRE_OF(table, visit);
  if (part >= parts) {
    pthread_mutex_lock(&table->lock);
    diag_error(table->log, NULL, NOWHERE, "parts are numbered from 0", "there is no part %u of %u", part, parts);
    pthread_mutex_unlock(&table->lock);
    return FLOE_ERROR_USAGE;
  }
  if (table->backend->each)
    return backend_each(table, part, parts, visit, user);
  FLOE_TRY(open_host_view(table, &view));
  hash_each(view.table, part, parts, visit, user);
  close_host_view(&view);
  return FLOE_OK;
}

floe_status floe_hash_check(floe_hash_table *table, uint64_t *wrong) {
  struct host_view view;
  REQUIRE(NULL, table);
  REQUIRE_OF(table, wrong);
  if (table->backend->check) {
    lock_table(table);
    floe_status status = log_out_of_memory(table, table->backend->check(table->store, wrong));
    unlock_table(table);
    return status;
  }
  FLOE_TRY(open_host_view(table, &view));
  *wrong = table_check(view.table);
  close_host_view(&view);
  return FLOE_OK;
}
