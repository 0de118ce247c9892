/* The hash tables' interface: owns the memory and forwards to the scheme (tables/schemes.c). */
#include "tables/host_table.h"

#include "core/mem.h"

#include <assert.h>

const char *table_operation_name(enum table_operation operation) {
  assert(operation < TABLE_OPERATIONS);
  static const char *const words[TABLE_OPERATIONS] = {"find", "find-or-put", "put", "delete", "get", "add"};
  return words[operation];
}

const char *table_cannot(const struct table_config *config, enum table_operation operation) {
  const struct table_scheme *scheme = table_scheme_find(config->scheme);
  return scheme ? scheme->cannot(config, operation) : "there is no such table";
}

/* Conditions on the layouts of every scheme. */
static bool is_sound(const struct table_config *config, const struct table_shape *shape) {
  return shape->key_bits == config->key_bits && shape->buckets > 0 &&
         shape->buckets * shape->bucket_slots <= shape->slots && shape->third_slots < shape->slots &&
         shape->slots / 8 <= shape->bytes && shape->values_at < shape->bytes &&
         (shape->value_bits == config->value_bits || !config->value_bits);
}

floe_status table_plan(const struct table_config *config, struct table_shape *out) {
  const struct table_scheme *scheme = table_scheme_find(config->scheme);
  if (!scheme || config->key_bits < 1 || config->key_bits > 64)
    return FLOE_ERROR_USAGE;
  FLOE_TRY(scheme->plan(config, out));
  assert(is_sound(config, out));
  return FLOE_OK;
}

/* ---- creating and freeing ------------------------------------------------------------------- */

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
  table->config = *config;
  table->config.scheme = table->config.permutation = table->config.simd = NULL;
  table->config.reduce_text = NULL;
  return table->scheme->open(config, table);
}

floe_status table_open_as(const struct table_config *config, const struct table_shape *shape, struct table **out) {
  const struct table_scheme *scheme = table_scheme_find(config->scheme);
  assert(scheme && is_sound(config, shape));
  struct table *table = mem_alloc(sizeof *table + scheme->state_bytes);
  if (!table)
    return FLOE_ERROR_MEMORY;
  table->scheme = scheme;
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
  struct table_shape shape;
  FLOE_TRY(table_plan(config, &shape));
  return table_create_as(config, &shape, out);
}

floe_status table_create_as(const struct table_config *config, const struct table_shape *shape, struct table **out) {
  struct table *table;
  FLOE_TRY(table_open_as(config, shape, &table));
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
  const size_t size = table->scheme->place(table, memory, out);
  assert(size > 0 && size <= TABLE_VIEW_BYTES);
  return size;
}

void table_adopt(struct table *table, void *memory) {
  assert(!table->memory || table->borrowed);
  assert(memory && (uintptr_t)memory % 64 == 0);
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

/* ---- forwarding ------------------------------------------------------------------------------ */

/* With zeros as values, for a caller that gives and needs none. */
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

/* These two never write to `keys`: a key without a place in find-or-put is the given one. */
size_t table_find_or_put(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers) {
  return table_run(table, TABLE_FIND_OR_PUT, (uint64_t *)keys, NULL, n, answers);
}

void table_find(const struct table *table, const uint64_t *keys, size_t n, uint8_t *answers) {
  table_run((struct table *)table, TABLE_FIND, (uint64_t *)keys, NULL, n, answers);
}

size_t table_find_or_put_slots(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers, uint64_t *slots) {
  assert(table->scheme->find_or_put_slots);
  return table->scheme->find_or_put_slots(table, keys, n, answers, slots);
}

uint64_t table_key_at(const struct table *table, uint64_t slot) {
  assert(table->scheme->key_at && slot < table->shape.slots);
  return table->scheme->key_at(table, slot);
}

floe_status table_sorted_find_or_put(struct table *table, uint64_t *keys, uint64_t *values, size_t n, uint8_t *answers,
                                     size_t *full) {
  assert(table->scheme->sorted_find_or_put);
  return table->scheme->sorted_find_or_put(table, keys, values, n, answers, full);
}

/* ---- inspection ------------------------------------------------------------------------------ */

void table_stats(const struct table *table, struct table_stats *out) {
  assert(table->memory);
  table->scheme->stats(table, out);
  assert(out->used + out->deleted <= out->slots && out->slots == table->shape.slots);
}

uint64_t table_count(const struct table *table) {
  struct table_stats stats;
  table_stats(table, &stats);
  return stats.used;
}

bool table_distances(const struct table *table, struct table_distances *out) {
  if (!table->scheme->distances)
    return false;
  table->scheme->distances(table, out);
  return true;
}

floe_status table_first_overflow(const struct table_config *config, uint64_t seed, struct table_overflow *out) {
  const struct table_scheme *scheme = table_scheme_find(config->scheme);
  if (!scheme)
    return FLOE_ERROR_USAGE;
  return scheme->first_overflow ? scheme->first_overflow(config, seed, out) : FLOE_ERROR_UNSUPPORTED;
}

void table_each(const struct table *table, unsigned part, unsigned parts,
                void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  assert(part < parts);
  table->scheme->each(table, part, parts, visit, user);
}

const char *table_cannot_move(const struct table *from, const struct table *to) {
  if (from == to)
    return "both tables are the same";
  if (from->scheme != to->scheme)
    return "the tables are of different schemes";
  if (from->shape.key_bits != to->shape.key_bits)
    return "the tables have keys of different widths";
  if (from->shape.value_bits != to->shape.value_bits)
    return "the tables have values of different widths, or one has none";
  return to->scheme->cannot(&to->config, TABLE_PUT_NEW);
}

uint64_t table_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts) {
  assert(part < parts);
  return table_cannot_move(from, to) ? UINT64_MAX : from->scheme->rehash(from, to, part, parts);
}

uint64_t table_check(const struct table *table) { return table->scheme->check(table); }
