#include "gpu/engine/search_kernels.h"

#include "base/numbers.h"
#include "core/system/clock.h"
#include "gpu/engine/device_arcs.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/host_backed/host_lookup.h"
#include "gpu/jit/kernel_text.h"
#include "tables/permutation.h"

#include <stdlib.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

struct text_request {
  struct gpu_search *self;
  struct gpu_kernel_config config;
  enum text_kind { TEXT_EXPLORE, TEXT_REHASH, TEXT_LOOKUP, TEXT_TRANSFER, TEXT_PREDECESSORS, TEXT_CYCLES } kind;
  const struct stop *stop; /* NULL: that of the search */
  bool cached_only;
  const char *name;
  unsigned spilled; /* bytes of floe_explore, once it is compiled */
  size_t bytes;     /* of the module's code */
  floe_status status;
};

/* As a table of arcs, or FLOE_ERROR_UNSUPPORTED. */
static floe_status generate_arcs(struct gpu_search *self) {
  const struct engine_task *task = self->search.task;
  FLOE_TRY(device_arcs_make(self));
  self->build.arcs = true;
  return codegen_arc_text(task->model, task->layout, &self->build.arena, &self->build.model_text);
}

/* The generated code of the model is kept for further texts. Texts for tables of arcs have one name, which is part of
   their key in the cache. */
static void generate_model(void *data) {
  struct text_request *request = data;
  struct gpu_search *self = request->self;
  const struct engine_task *task = self->search.task;
  request->status = FLOE_OK;
  if (!self->build.model_text) {
    request->status = generate_arcs(self);
    if (request->status == FLOE_ERROR_UNSUPPORTED)
      request->status = codegen_text(task->model, task->layout, CODEGEN_GPU, &self->search.stop, &self->build.arena,
                                     &self->build.model_text);
  }
  if (request->status == FLOE_OK)
    request->name = self->build.arcs ? "arcs.cu" : arena_printf(&self->build.arena, "%s.cu", task->model->name);
}

/* The part of the model's code that floe_host_lookup_apply needs for the checksum. */
static void generate_decoding(void *data) {
  struct text_request *request = data;
  struct gpu_search *self = request->self;
  const struct engine_task *task = self->search.task;
  request->status = FLOE_OK;
  if (!self->build.key_text && task->layout->encoding)
    request->status = codegen_key_text(task->model, task->layout, &self->build.arena, &self->build.key_text);
}

static floe_status generate_text(struct text_request *request) {
  static const char *const names[TEXT_CYCLES + 1] = {
      [TEXT_REHASH] = "rehash.cu", [TEXT_LOOKUP] = "ask.cu", [TEXT_TRANSFER] = "content.cu"};
  request->name = names[request->kind]; /* NULL: the name of the model is added below */
  if (request->kind == TEXT_REHASH || request->kind == TEXT_TRANSFER)
    return FLOE_OK;
  request->config.index_keys = request->self->search.task->layout->encoding != NULL;
  void (*const make_text)(void *data) = request->kind == TEXT_LOOKUP ? generate_decoding : generate_model;
  return arena_guard(&request->self->build.arena, make_text, request) == 0 ? request->status : FLOE_ERROR_MEMORY;
}

static const char *write_text(const void *of, struct arena *arena) {
  const struct text_request *request = of;
  switch (request->kind) {
  case TEXT_EXPLORE:
    return gpu_kernel_text(&request->config, request->self->build.model_text, arena);
  case TEXT_REHASH:
    return gpu_kernel_rehash_text(&request->config, arena);
  case TEXT_PREDECESSORS:
    return gpu_kernel_predecessors_text(&request->config, request->self->build.model_text, arena);
  case TEXT_CYCLES:
    return gpu_kernel_cycles_text(&request->config, request->self->build.model_text, arena);
  case TEXT_TRANSFER:
    return gpu_kernel_key_transfer_text(&request->config, arena);
  default:
    return gpu_kernel_host_lookup_text(&request->config, request->self->build.key_text, arena);
  }
}

/* Bytes that floe_explore spills for lack of registers, as the compiler reports them. The size of its local memory
   would include calls and arrays, which do not depend on the number of registers. */
static unsigned spilled_bytes(const struct gpu_binary *binary) {
  static const char words[] = " bytes spill stores";
  const char *at = binary->report ? strstr(binary->report, "'floe_explore'") : NULL;
  const char *end = at ? strstr(at, words) : NULL;
  while (end && end > at && strchr("0123456789", end[-1]))
    end--;
  return end ? (unsigned)strtoul(end, NULL, 10) : 0;
}

static floe_status make_module(struct gpu_search *self, struct text_request *request, struct gpu_module **out) {
  FLOE_TRY(generate_text(request));
  const struct stop *stop = request->stop ? request->stop : &self->search.stop;
  if (request->kind == TEXT_TRANSFER)
    stop = NULL; /* a search that is stopped is saved first */
  const struct gpu_text text = {
      .name = request->name, .write = write_text, .of = request, .stop = stop, .cached_only = request->cached_only};
  struct gpu_binary binary;
  const double start = clock_seconds();
  floe_status status =
      gpu_text_load(self->gpu, &text, self->search.task->options->cache_dir, self->search.log, out, &binary);
  self->build.seconds += clock_seconds() - start;
  FLOE_TRY(status);
  self->build.from_cache = self->build.from_cache && binary.cached;
  request->spilled = spilled_bytes(&binary);
  request->bytes = binary.size;
  gpu_binary_free(&binary);
  return FLOE_OK;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static floe_status find_kernel(struct gpu_search *self, const struct search_kernels *kernels, const char *name,
                               struct gpu_kernel *out) {
  return gpu_kernel_find(self->gpu, kernels->module, name, self->search.log, "--engine=cpu explores on all cores", out);
}

static floe_status find_rehash(struct gpu_search *self, struct search_kernels *kernels) {
  return find_kernel(self, kernels, "floe_rehash", &kernels->rehash);
}

static floe_status find_transfer(struct gpu_search *self, struct search_kernels *kernels) {
  FLOE_TRY(find_kernel(self, kernels, "floe_export_keys", &kernels->export_keys));
  return find_kernel(self, kernels, "floe_import_keys", &kernels->import_keys);
}

static floe_status find_exploration(struct gpu_search *self, bool device_cache, struct search_kernels *kernels) {
  FLOE_TRY(find_kernel(self, kernels, "floe_explore", &kernels->explore));
  if (self->tree.words) {
    FLOE_TRY(find_kernel(self, kernels, "floe_tree_roots", &kernels->tree_roots));
    FLOE_TRY(find_kernel(self, kernels, "floe_tree_put", &kernels->tree_put));
  }
  if (gpu_search_in_group(self) && !self->tree.words)
    FLOE_TRY(find_kernel(self, kernels, "floe_receive", &kernels->receive));
  return device_cache ? FLOE_OK : find_kernel(self, kernels, "floe_insert", &kernels->insert);
}

/* ---- modules --------------------------------------------------------------------------------- */

struct table_kind kernels_kind(const struct device_table *table) {
  const struct table_shape *shape = &table->shape;
  return (struct table_kind){.scheme = table_scheme_find(table->config.scheme),
                             .geometry = {.slot_bits = shape->slot_bits,
                                          .bucket_slots = shape->bucket_slots,
                                          .second_slot_bits = shape->second_slot_bits,
                                          .second_bucket_slots = shape->second_bucket_slots}};
}

bool kernels_same_kind(const struct table_kind *a, const struct table_kind *b) {
  const struct geometry x = a->geometry, y = b->geometry;
  return a->scheme == b->scheme && x.slot_bits == y.slot_bits && x.bucket_slots == y.bucket_slots &&
         x.second_slot_bits == y.second_slot_bits && x.second_bucket_slots == y.second_bucket_slots;
}

void kernels_free(struct search_kernels *kernels) {
  gpu_module_free(kernels->module);
  *kernels = (struct search_kernels){0};
}

static floe_status make_kernels(struct gpu_search *self, struct text_request *request, struct search_kernels *out) {
  struct search_kernels kernels = {.kind = {table_scheme_find(request->config.scheme), request->config.geometry},
                                   .from = {table_scheme_find(request->config.from_scheme), request->config.from}};
  FLOE_TRY(make_module(self, request, &kernels.module));
  kernels.bytes = request->bytes;
  floe_status status = request->kind == TEXT_EXPLORE  ? find_exploration(self, request->config.device_cache, &kernels)
                       : request->kind == TEXT_REHASH ? find_rehash(self, &kernels)
                                                      : find_transfer(self, &kernels);
  if (status == FLOE_OK)
    *out = kernels;
  else
    kernels_free(&kernels);
  return status;
}

static floe_status configure_kernels(const struct gpu_search *self, const struct table_kind *kind,
                                     struct gpu_kernel_config *out) {
  unsigned permutation;
  FLOE_TRY(permutation_kind(self->visited.table.config.permutation, NULL, &permutation));
  *out = (struct gpu_kernel_config){.scheme = kind->scheme->name,
                                    .key_bits = self->visited.table.config.key_bits,
                                    .multiword = self->tree.words,
                                    .transient = self->search.task->model->transient != NULL,
                                    .permutation = permutation,
                                    .geometry = kind->geometry,
                                    .least_blocks = (unsigned)self->test_settings.resident,
                                    .log = self->download.log,
                                    .members = gpu_search_in_group(self),
                                    .linked = self->group.linkable,
                                    .elsewhere = self->group.has_unlinkable,
                                    .local_index = self->group.collective.state_owner.index};
  return FLOE_OK;
}

/* With fewer resident blocks a thread has more registers. */
static bool may_spill_less(const struct gpu_search *self, const struct gpu_kernel_config *config, unsigned spilled) {
  const bool in_memory =
      self->tree.words > GPU_WORDS_IN_REGISTERS; /* states are in memory with any number of registers */
  const bool linked = config->linked;            /* more resident warps gain more than spilling costs */
  return spilled > GPU_MOST_SPILLED && !self->test_settings.resident && !in_memory && !linked;
}

static floe_status make_exploring(struct gpu_search *self, const struct gpu_kernel_config *config,
                                  struct search_kernels *out) {
  struct text_request request = {.self = self, .kind = TEXT_EXPLORE, .config = *config};
  FLOE_TRY(make_kernels(self, &request, out));
  out->spilled = may_spill_less(self, config, request.spilled) ? request.spilled : 0;
  return FLOE_OK;
}

/* Replaces *kernels by kernels for fewer resident blocks, as long as these spill less. After an error, *kernels are the
   last ones that were compiled. */
static floe_status spill_less(struct gpu_search *self, const struct gpu_kernel_config *config,
                              struct search_kernels *kernels) {
  static const unsigned fewer[] = {3, 2, 1};
  struct text_request request = {.self = self, .kind = TEXT_EXPLORE, .config = *config};
  for (size_t i = 0; kernels->spilled > GPU_MOST_SPILLED && i < sizeof fewer / sizeof *fewer; i++) {
    struct search_kernels other;
    request.config.least_blocks = fewer[i];
    FLOE_TRY(make_kernels(self, &request, &other));
    other.spilled = request.spilled;
    const bool better = other.spilled < kernels->spilled;
    kernels_free(better ? kernels : &other);
    if (!better)
      break;
    *kernels = other;
  }
  kernels->spilled = 0;
  return FLOE_OK;
}

floe_status kernels_make(struct gpu_search *self, const struct table_kind *kind, struct search_kernels *out) {
  struct gpu_kernel_config config;
  FLOE_TRY(configure_kernels(self, kind, &config));
  FLOE_TRY(make_exploring(self, &config, out));
  if (!config.members || !out->spilled)
    return FLOE_OK;
  const floe_status status = spill_less(self, &config, out); /* the members of a group start together */
  if (status != FLOE_OK)
    kernels_free(out);
  return status;
}

/* Longer than the compilation of most kernels. */
#define IMPROVED_AFTER_US 5000000

floe_status kernels_improve(struct gpu_search *self) {
  const uint64_t setting = self->test_settings.improve_us, after_us = setting ? setting : IMPROVED_AFTER_US;
  struct gpu_kernel_config config;
  if (!self->kernels.spilled || clock_seconds() - self->search.begun < 1e-6 * (double)after_us)
    return FLOE_OK;
  FLOE_TRY(configure_kernels(self, &self->kernels.kind, &config));
  const floe_status status = spill_less(self, &config, &self->kernels);
  self->grid.blocks = (unsigned)least(self->grid.blocks, kernels_resident_blocks(self)); /* buffers suit no more */
  return status;
}

floe_status kernels_make_rehash(struct gpu_search *self, const struct table_kind *kind, const struct table_kind *from,
                                struct search_kernels *out) {
  struct text_request request = {.self = self, .kind = TEXT_REHASH};
  FLOE_TRY(configure_kernels(self, kind, &request.config));
  request.config.from = from->geometry;
  request.config.from_scheme = from->scheme->name;
  return make_kernels(self, &request, out);
}

floe_status kernels_make_transfer(struct gpu_search *self, const struct table_kind *kind, struct search_kernels *out) {
  struct text_request request = {.self = self, .kind = TEXT_TRANSFER};
  FLOE_TRY(configure_kernels(self, kind, &request.config));
  return make_kernels(self, &request, out);
}

floe_status kernels_make_predecessors(struct gpu_search *self, const struct stop *stop, bool cached_only,
                                      struct search_kernels *out) {
  struct text_request request = {.self = self, .kind = TEXT_PREDECESSORS, .stop = stop, .cached_only = cached_only};
  struct search_kernels kernels = {.module = NULL};
  request.config = (struct gpu_kernel_config){.multiword = self->tree.words,
                                              .transient = self->search.task->model->transient != NULL};
  FLOE_TRY(make_module(self, &request, &kernels.module));
  const floe_status status = find_kernel(self, &kernels, "floe_predecessors", &kernels.explore);
  if (status == FLOE_OK)
    *out = kernels;
  else
    kernels_free(&kernels);
  return status;
}

static floe_status find_cycles(struct gpu_search *self, struct search_kernels *kernels) {
  FLOE_TRY(find_kernel(self, kernels, "floe_cycles_candidates", &kernels->candidates));
  FLOE_TRY(find_kernel(self, kernels, "floe_cycles_expand", &kernels->expand));
  kernels->expand.cooperative = true;
  FLOE_TRY(find_kernel(self, kernels, "floe_cycles_start", &kernels->start));
  FLOE_TRY(find_kernel(self, kernels, "floe_cycles_remove", &kernels->remove));
  FLOE_TRY(find_kernel(self, kernels, "floe_cycles_keep", &kernels->keep));
  return find_kernel(self, kernels, "floe_cycles_keys", &kernels->keys);
}

floe_status kernels_make_cycles(struct gpu_search *self, struct search_kernels *out) {
  const struct table_kind kind = kernels_kind(&self->visited.table);
  struct text_request request = {.self = self, .kind = TEXT_CYCLES};
  struct search_kernels kernels = {.kind = kind, .from = kind};
  FLOE_TRY(configure_kernels(self, &kind, &request.config));
  request.config.log = false;
  FLOE_TRY(make_module(self, &request, &kernels.module));
  const floe_status status = find_cycles(self, &kernels);
  if (status == FLOE_OK)
    *out = kernels;
  else
    kernels_free(&kernels);
  return status;
}

/* ---- host-backed set ------------------------------------------------------------------------- */

/* The device cache has the default scheme. */
static struct table_kind device_cache_kind(const struct geometry *device_cache) {
  return (struct table_kind){table_scheme_find(NULL), *device_cache};
}

floe_status kernels_make_device_cache(struct gpu_search *self, const struct geometry *device_cache,
                                      struct search_kernels *out) {
  const struct table_kind kind = device_cache_kind(device_cache);
  struct gpu_kernel_config config;
  FLOE_TRY(configure_kernels(self, &kind, &config));
  config.device_cache = true;
  FLOE_TRY(make_exploring(self, &config, out));
  const floe_status status = out->spilled ? spill_less(self, &config, out) : FLOE_OK;
  if (status != FLOE_OK)
    kernels_free(out);
  return status;
}

static floe_status find_lookup(struct gpu_search *self, struct host_lookup *out) {
  const struct search_kernels kernels = {.module = out->module};
  FLOE_TRY(find_kernel(self, &kernels, "floe_host_lookup_select", &out->select));
  FLOE_TRY(find_kernel(self, &kernels, "floe_host_lookup_bin", &out->bin));
  return find_kernel(self, &kernels, "floe_host_lookup_apply", &out->apply_answers);
}

floe_status kernels_make_host_lookup(struct gpu_search *self, const struct geometry *device_cache,
                                     struct host_lookup *out) {
  const struct table_kind kind =
      self->visited.table.memory.at ? kernels_kind(&self->visited.table) : device_cache_kind(device_cache);
  struct text_request request = {.self = self, .kind = TEXT_LOOKUP};
  FLOE_TRY(configure_kernels(self, &kind, &request.config));
  FLOE_TRY(make_module(self, &request, &out->module));
  return find_lookup(self, out);
}

unsigned kernels_resident_blocks(const struct gpu_search *self) {
  return (unsigned)greatest(1, self->kernels.explore.blocks / self->group.sharers);
}
