/* The seam of the hash tables: finds the scheme, owns the memory. */
#include "core/mem.h"
#include "table/owner.h"

#include <assert.h>
#include <string.h>

/* Those that explore come first. */
static const struct table_scheme *const schemes[] = {&iceberg_scheme, &linear_scheme, &cuckoo_scheme,
                                                     &robin_hood_scheme};
static const char *const names[] = {"iceberg", "linear", "cuckoo", "robin-hood", NULL}; /* theirs */
enum { SCHEMES = sizeof schemes / sizeof *schemes };

const char *const *table_schemes(void) { return names; }

static const struct table_scheme *find_scheme(const struct table_config *config) {
  if (!config->scheme)
    return &iceberg_scheme;
  for (size_t i = 0; i < SCHEMES; i++)
    if (strcmp(config->scheme, names[i]) == 0)
      return schemes[i];
  return NULL;
}

const char *table_operation_name(enum table_operation operation) {
  static const char *const words[TABLE_OPERATIONS] = {"find", "find-or-put", "put", "delete", "get", "add"};
  return words[operation];
}

const char *table_cannot(const struct table_config *config, enum table_operation operation) {
  const struct table_scheme *scheme = find_scheme(config);
  return scheme ? scheme->cannot(config, operation) : "there is no such table";
}

double table_fill(const char *scheme) {
  const struct table_scheme *found = find_scheme(&(struct table_config){.scheme = scheme});
  return found && found->fill > 0 ? found->fill : TABLE_FILL;
}

floe_status table_plan(const struct table_config *config, struct table_shape *out) {
  const struct table_scheme *scheme = find_scheme(config);
  if (!scheme || config->key_bits < 1 || config->key_bits > 64)
    return FLOE_ERROR_USAGE;
  return scheme->plan(config, out);
}

/* ---- owning ---------------------------------------------------------------------------------- */

floe_status table_permutations(const struct table_config *config, struct table *table, unsigned n,
                               struct permutation *out) {
  const struct permutation_user *user = NULL;
  const char *name = config->permutation;
  if (config->permutation_user) {
    table->user = *config->permutation_user;
    user = &table->user;
    name = "user";
  }
  for (unsigned i = 0; i < n; i++)
    FLOE_TRY(permutation_make(name, config->key_bits, config->seed, i, user, &out[i]));
  return FLOE_OK;
}

static floe_status open_scheme(const struct table_config *config, struct table *table) {
  table->scheme = find_scheme(config);
  table->config = *config;
  table->config.scheme = table->config.permutation = table->config.simd = NULL;
  table->config.reduce_text = NULL;
  return table->scheme->open(config, table);
}

floe_status table_open_as(const struct table_config *config, const struct table_shape *shape, struct table **out) {
  struct table *table = mem_alloc(sizeof *table);
  if (!table)
    return FLOE_ERROR_MEMORY;
  table->shape = *shape;
  floe_status status = open_scheme(config, table);
  if (status == FLOE_OK)
    *out = table;
  else
    mem_free(table);
  return status;
}

floe_status table_open(const struct table_config *config, struct table **out) {
  struct table_shape shape;
  FLOE_TRY(table_plan(config, &shape));
  return table_open_as(config, &shape, out);
}

floe_status table_create(const struct table_config *config, struct table **out) {
  struct table *table;
  FLOE_TRY(table_open(config, &table));
  table->memory = pages_alloc(table->shape.bytes);
  if (!table->memory) {
    mem_free(table);
    return FLOE_ERROR_MEMORY;
  }
  table->scheme->start(table);
  *out = table;
  return FLOE_OK;
}

size_t table_place(const struct table *table, void *memory, void *out) {
  return table->scheme->place(table, memory, out);
}

void table_adopt(struct table *table, void *memory) {
  assert(!table->memory || table->borrowed);
  table->memory = memory;
  table->borrowed = true;
  table->scheme->start(table);
}

void *table_memory(struct table *table) { return table->memory; }

void table_free(struct table *table) {
  if (!table)
    return;
  if (table->memory && !table->borrowed)
    pages_free(table->memory, table->shape.bytes);
  mem_free(table);
}

const struct table_shape *table_shape(const struct table *table) { return &table->shape; }

const char *table_simd(const struct table *table) { return table->simd; }

/* ---- handing on ------------------------------------------------------------------------------ */

/* Values that nobody gives or wants. */
static size_t run_without_values(struct table *table, enum table_operation operation, uint64_t *keys, size_t n,
                                 uint8_t *answers) {
  enum { PART = 256 };
  size_t full = 0;
  for (size_t at = 0; at < n; at += PART) {
    uint64_t values[PART] = {0};
    full += table->scheme->run(table, operation, keys + at, values, n - at < PART ? n - at : PART, answers + at);
  }
  return full;
}

static bool has_values(enum table_operation operation) { return operation != TABLE_FIND && operation != TABLE_DELETE; }

size_t table_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values, size_t n,
                 uint8_t *answers) {
  if (!values && table->shape.value_bits && has_values(operation))
    return run_without_values(table, operation, keys, n, answers);
  return table->scheme->run(table, operation, keys, values, n, answers);
}

/* These two never write to `keys`: a key that find-or-put has no place for is the one that was given. */
size_t table_find_or_put(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers) {
  return table_run(table, TABLE_FIND_OR_PUT, (uint64_t *)keys, NULL, n, answers);
}

void table_find(const struct table *table, const uint64_t *keys, size_t n, uint8_t *answers) {
  table_run((struct table *)table, TABLE_FIND, (uint64_t *)keys, NULL, n, answers);
}

void table_stats(const struct table *table, struct table_stats *out) { table->scheme->stats(table, out); }

uint64_t table_count(const struct table *table) {
  struct table_stats stats;
  table_stats(table, &stats);
  return stats.used;
}

void table_each(const struct table *table, unsigned part, unsigned parts,
                void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  table->scheme->each(table, part, parts, visit, user);
}

const char *table_cannot_move(const struct table *from, const struct table *to) {
  if (from == to)
    return "they are in it already";
  if (from->scheme != to->scheme)
    return "the tables are of different schemes";
  if (from->shape.key_bits != to->shape.key_bits)
    return "the tables have keys of different widths";
  if (from->shape.value_bits != to->shape.value_bits)
    return "the tables have values of different widths, or one has none";
  return to->scheme->cannot(&to->config, TABLE_PUT_NEW);
}

uint64_t table_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts) {
  return table_cannot_move(from, to) ? UINT64_MAX : from->scheme->rehash(from, to, part, parts);
}

uint64_t table_check(const struct table *table) { return table->scheme->check(table); }
