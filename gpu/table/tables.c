/* Tables of every scheme on a device: kernel text, module, memory, launches. */
#include "gpu/table/tables.h"

#include "core/diag.h"
#include "core/mem.h"
#include "gpu/jit/kernel_text.h"
#include "gpu/jit/kernels.h"
#include "gpu/table/device_arrays.h"
#include "gpu/table/device_table.h"
#include "tables/permutation.h"

#include "gpu/kernel/base/control.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct gpu_table {
  struct device_table table;    /* the configuration's strings are those of the lists of names */
  struct permutation_user user; /* target of config.permutation_user; its texts are not read again */
  floe_log *log;
  struct gpu_module *module;
  struct gpu_kernel kernels[TABLE_OPERATIONS]; /* function NULL: the table does not have the operation */
};

/* ---- what there is --------------------------------------------------------------------------- */

static const char *name_in(const char *const *names, const char *wanted) {
  for (; wanted && *names; names++)
    if (strcmp(*names, wanted) == 0)
      return *names;
  return NULL;
}

/* Schemes that swap slots or pairs of 128 bits atomically need a device that supports it. */
static bool is_too_wide(const struct gpu_scheme *scheme, const struct table_config *config, int arch) {
  struct table_shape shape;
  return arch && arch < scheme->least_arch_wide && table_plan(config, &shape) == FLOE_OK &&
         (shape.slot_bits == 128 || shape.value_bits == 64);
}

const char *gpu_table_cannot(const struct table_config *config, int arch, enum table_operation operation) {
  const struct gpu_scheme *scheme = gpu_scheme_find(config->scheme);
  const char *why = table_cannot(config, operation);
  if (why)
    return why;
  if (!scheme)
    return "there are no kernels of this table";
  const struct permutation_user *permutation = config->permutation_user;
  if (permutation && !(permutation->apply_text && permutation->invert_text))
    return "a permutation of the library's user needs its texts for a device";
  const bool by_user = operation == TABLE_ADD && config->reduction == TABLE_USER_REDUCTION;
  if (by_user && !scheme->has_reduce_text)
    return "a reduction of the library's user is the host's";
  if (by_user && !config->reduce_text)
    return "a reduction of the library's user needs its text for a device";
  if (!scheme->has[operation])
    return "there is no kernel for it";
  if (is_too_wide(scheme, config, arch))
    return "a compare-and-swap of 128 bits came with compute capability 9.0";
  return NULL;
}

/* Why there is no such table at all. */
static const char *refuse(const struct gpu *gpu, const struct table_config *config, const struct table_shape *shape) {
  const struct gpu_scheme *scheme = gpu_scheme_find(config->scheme);
  const char *why = NULL;
  if (scheme && scheme->counts_in_32_bits && !gpu_table_fits(shape->buckets, shape->second_buckets))
    return "it has more than 2^32 buckets";
  for (unsigned i = 0; i < TABLE_OPERATIONS; i++) {
    why = gpu_table_cannot(config, gpu_information(gpu)->arch, i);
    if (!why)
      return NULL;
  }
  return why;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static const char *write_text(const void *of, struct arena *arena) {
  const struct gpu_table *table = of;
  const struct table_config *config = &table->table.config;
  return gpu_table_text(gpu_scheme_find(config->scheme), config, &table->table.shape, arena);
}

static floe_status build(struct gpu_table *table, const char *cache_dir) {
  const struct table_config *config = &table->table.config;
  const bool own = config->permutation_user || config->reduction == TABLE_USER_REDUCTION;
  const struct gpu_text text = {.name = "table.cu",
                                .write = write_text,
                                .of = table,
                                .hint = own ? "the texts of a reduction or permutation of your own are expressions in C"
                                            : NULL};
  return gpu_text_load(table->table.gpu, &text, cache_dir, table->log, &table->module, NULL);
}

static floe_status find_named(struct gpu_table *table, const char *name, struct gpu_kernel *kernel) {
  return gpu_kernel_find(table->table.gpu, table->module, name, table->log, NULL, kernel);
}

static floe_status find_kernel(struct gpu_table *table, enum table_operation operation) {
  char name[64];
  snprintf(name, sizeof name, "floe_table_%s", gpu_operation_word(operation));
  return find_named(table, name, &table->kernels[operation]);
}

static const char *cannot(const struct gpu_table *table, enum table_operation operation) {
  return gpu_table_cannot(&table->table.config, gpu_information(table->table.gpu)->arch, operation);
}

static floe_status find_kernels(struct gpu_table *table) {
  for (unsigned i = 0; i < TABLE_OPERATIONS; i++)
    if (!cannot(table, i))
      FLOE_TRY(find_kernel(table, i));
  return FLOE_OK;
}

/* ---- owning ---------------------------------------------------------------------------------- */

static floe_status open_table(struct gpu_table *table, struct gpu *gpu, const struct table_config *config) {
  const char *why = "there is no such table";
  struct table_shape shape;
  floe_status status = table_plan(config, &shape);
  if (status == FLOE_OK)
    status = device_table_open(gpu, config, &shape, &table->table);
  if (status == FLOE_OK)
    why = refuse(gpu, config, &shape);
  else if (status != FLOE_ERROR_USAGE)
    return status;
  if (!why)
    return FLOE_OK;
  diag_error(table->log, NULL, NOWHERE, NULL, "no table '%s' on the GPU: %s", config->scheme, why);
  return FLOE_ERROR_USAGE;
}

static floe_status fill_in(struct gpu_table *table, enum gpu_table_place place, const char *cache_dir) {
  FLOE_TRY(build(table, cache_dir));
  FLOE_TRY(find_kernels(table));
  return device_table_take(&table->table, place, NULL);
}

/* Replaces strings by permanent ones. */
static struct table_config keep_config(struct gpu_table *table, const struct table_config *from) {
  struct table_config config = *from;
  config.simd = NULL;
  if (from->permutation_user) {
    table->user = *from->permutation_user;
    config.permutation_user = &table->user;
  }
  config.scheme = table_scheme_name(from->scheme);
  config.permutation = name_in(permutation_names(), from->permutation);
  return config;
}

floe_status gpu_table_create(struct gpu *gpu, const struct table_config *config, enum gpu_table_place place,
                             const char *cache_dir, floe_log *log, struct gpu_table **out) {
  struct gpu_table *table = mem_alloc(sizeof *table);
  if (!table)
    return FLOE_ERROR_MEMORY;
  const struct table_config kept = keep_config(table, config);
  table->log = log;
  floe_status status = FLOE_ERROR_USAGE;
  if (kept.scheme && (kept.permutation || !config->permutation))
    status = open_table(table, gpu, &kept);
  else
    diag_error(log, NULL, NOWHERE, NULL, "there is no such table or permutation");
  if (status == FLOE_OK)
    status = fill_in(table, place, cache_dir);
  if (status == FLOE_OK)
    *out = table;
  else
    gpu_table_free(table);
  return status;
}

void gpu_table_free(struct gpu_table *table) {
  if (!table)
    return;
  device_table_free(&table->table);
  gpu_module_free(table->module);
  mem_free(table);
}

static bool same_name(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool same_geometry(const struct table_config *a, const struct table_config *b) {
  return a->key_bits == b->key_bits && a->slots == b->slots && a->slot_bits == b->slot_bits &&
         a->bucket_slots == b->bucket_slots && a->multiple_of == b->multiple_of &&
         a->second_slot_bits == b->second_slot_bits && a->buckets == b->buckets &&
         a->second_buckets == b->second_buckets && a->packed == b->packed;
}

/* User-defined functions and texts are not compared: such tables are always created again. */
bool gpu_table_suits(const struct gpu_table *table, const struct table_config *config) {
  const struct table_config *own = &table->table.config;
  return !own->permutation_user && !config->permutation_user && config->reduction != TABLE_USER_REDUCTION &&
         own->reduction == config->reduction && own->scheme == table_scheme_name(config->scheme) &&
         same_name(own->permutation, config->permutation) && same_geometry(own, config) &&
         own->deletes == config->deletes && own->value_bits == config->value_bits && own->hashes == config->hashes &&
         own->probes == config->probes;
}

const struct table_shape *gpu_table_shape(const struct gpu_table *table) { return &table->table.shape; }

floe_status gpu_table_clear(struct gpu_table *table, uint64_t seed) { return device_table_clear(&table->table, seed); }

floe_status gpu_table_download(struct gpu_table *table, struct table **out) {
  struct table *host;
  FLOE_TRY(table_create(&table->table.config, &host));
  floe_status status =
      gpu_download(table->table.gpu, table_memory(host), table->table.memory.at, table->table.shape.bytes);
  if (status == FLOE_OK)
    *out = host;
  else
    table_free(host);
  return status;
}

floe_status gpu_table_download_into(struct gpu_table *table, void *memory, struct table **out) {
  struct table *host;
  FLOE_TRY(table_open_as(&table->table.config, &table->table.shape, &host));
  floe_status status = gpu_download(table->table.gpu, memory, table->table.memory.at, table->table.shape.bytes);
  if (status != FLOE_OK) {
    table_free(host);
    return status;
  }
  table_adopt(host, memory);
  *out = host;
  return FLOE_OK;
}

/* ---- operations ------------------------------------------------------------------------------ */

static floe_status find_operation(const struct gpu_table *table, enum table_operation operation,
                                  const struct gpu_kernel **out) {
  *out = &table->kernels[operation];
  if ((*out)->function)
    return FLOE_OK;
  diag_error(table->log, NULL, NOWHERE, NULL, "no %s in tables '%s' on the GPU: %s", table_operation_name(operation),
             table->table.config.scheme, cannot(table, operation));
  return FLOE_ERROR_USAGE;
}

static floe_status start(struct gpu_table *table, const struct gpu_kernel *kernel, gpu_address keys, gpu_address values,
                         uint64_t n, gpu_address answers) {
  void *arguments[] = {&table->table.view, &keys, &values, &n, &answers};
  assert(table->table.memory.at && ((keys && answers) || !n));
  return gpu_kernel_start(table->table.gpu, kernel, n, arguments);
}

floe_status gpu_table_run(struct gpu_table *table, enum table_operation operation, gpu_address keys, gpu_address values,
                          uint64_t n, gpu_address answers) {
  const struct gpu_kernel *kernel;
  FLOE_TRY(find_operation(table, operation, &kernel));
  return start(table, kernel, keys, values, n, answers);
}

floe_status gpu_table_start(struct gpu_table *table, const char *name, gpu_address keys, gpu_address values, uint64_t n,
                            gpu_address answers) {
  struct gpu_kernel kernel;
  FLOE_TRY(find_named(table, name, &kernel));
  return start(table, &kernel, keys, values, n, answers);
}

/* ---- moving ---------------------------------------------------------------------------------- */

enum { MOST_MOVED = 1 << 22, LEAST_MOVED = 1 << 12 }; /* slots read in one launch */

/* Keys of a section of `from` on their way to `to`. */
struct move {
  struct gpu_table *from, *to;
  struct gpu_kernel list, left;
  enum table_operation put;
  struct gpu_arrays arrays;
  gpu_address counts; /* [0]: keys of the section; [1]: keys without a slot, over all sections */
};

static void free_move(struct move *move) {
  struct gpu *gpu = move->from->table.gpu;
  gpu_arrays_give(gpu, &move->arrays);
  gpu_free(gpu, move->counts);
}

/* Allocates as much as is available. */
static floe_status take_arrays(struct move *move) {
  const bool values = move->from->table.shape.value_bits > 0;
  floe_status status = FLOE_ERROR_MEMORY;
  for (uint64_t room = MOST_MOVED; status == FLOE_ERROR_MEMORY && room >= LEAST_MOVED; room /= 4)
    status = gpu_arrays_take(move->from->table.gpu, room, values, &move->arrays);
  return status;
}

static floe_status open_move(struct move *move) {
  struct gpu *gpu = move->from->table.gpu;
  FLOE_TRY(gpu_alloc(gpu, 2 * sizeof(uint64_t), &move->counts));
  FLOE_TRY(take_arrays(move));
  FLOE_TRY(find_named(move->from, "floe_table_list", &move->list));
  FLOE_TRY(find_named(move->to, "floe_table_left", &move->left));
  return gpu_fill(gpu, move->counts, 0, 2 * sizeof(uint64_t));
}

static floe_status list_piece(const struct move *move, uint64_t first, uint64_t n, uint64_t *keys) {
  struct gpu *gpu = move->from->table.gpu;
  struct gpu_arrays arrays = move->arrays;
  gpu_address counts = move->counts;
  void *arguments[] = {&move->from->table.view, &first, &n, &arrays.keys, &arrays.values, &counts};
  FLOE_TRY(gpu_fill(gpu, move->counts, 0, sizeof *keys));
  FLOE_TRY(gpu_kernel_start(gpu, &move->list, n, arguments));
  return gpu_download(gpu, keys, move->counts, sizeof *keys);
}

static floe_status put_piece(const struct move *move, uint64_t n) {
  struct gpu_arrays arrays = move->arrays;
  gpu_address count = move->counts + sizeof(uint64_t);
  void *arguments[] = {&arrays.answers, &n, &count};
  if (n == 0)
    return FLOE_OK;
  FLOE_TRY(gpu_table_run(move->to, move->put, arrays.keys, arrays.values, n, arrays.answers));
  return gpu_kernel_start(move->from->table.gpu, &move->left, n, arguments);
}

static floe_status move_all(const struct move *move, uint64_t *left) {
  const uint64_t slots = move->from->table.shape.slots, room = move->arrays.room;
  for (uint64_t at = 0; at < slots; at += room) {
    uint64_t keys = 0;
    const uint64_t n = slots - at < room ? slots - at : room;
    FLOE_TRY(list_piece(move, at, n, &keys));
    assert(keys <= n);
    FLOE_TRY(put_piece(move, keys));
  }
  return gpu_download(move->from->table.gpu, left, move->counts + sizeof *left, sizeof *left);
}

floe_status gpu_table_move(struct gpu_table *from, struct gpu_table *to, uint64_t *left) {
  struct move move = {.from = from, .to = to, .put = TABLE_PUT_NEW};
  const char *why = table_cannot_move(from->table.host, to->table.host);
  if (!why && from->table.gpu != to->table.gpu)
    why = "the tables are on different devices";
  if (!why)
    why = cannot(to, move.put);
  if (why) {
    diag_error(to->log, NULL, NOWHERE, NULL, "keys cannot be moved: %s", why);
    return FLOE_ERROR_USAGE;
  }
  floe_status status = open_move(&move);
  if (status == FLOE_OK)
    status = move_all(&move, left);
  free_move(&move);
  return status;
}
