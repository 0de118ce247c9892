/* The kernels of a run: text, module, grids. */
#include "gpu/engine/gpu_search.h"

#include "core/clock.h"
#include "gpu/host_backed/host_lookup.h"
#include "gpu/jit/kernel_text.h"
#include "tables/permutation.h"

#include <stdlib.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

struct text_order {
  struct gpu_search *search;
  struct gpu_kernel_config config;
  enum text_kind { TEXT_EXPLORE, TEXT_REHASH, TEXT_ASK, TEXT_CONTENT } kind;
  const char *name;
  unsigned spilled; /* bytes of floe_explore, once it is compiled */
  size_t bytes;     /* of the code */
  floe_status status;
};

/* The model's own part stays for the next text. */
static void generate(void *data) {
  struct text_order *order = data;
  struct gpu_search *self = order->search;
  const struct engine_task *task = self->search->task;
  order->status = FLOE_OK;
  if (!self->generated)
    order->status = codegen_text(task->model, task->layout, &self->search->stop, &self->arena, &self->generated);
  if (order->status == FLOE_OK)
    order->name = arena_printf(&self->arena, "%s.cu", task->model->name);
}

/* What floe_host_lookup_apply has of the model, for the checksum. */
static void generate_decoding(void *data) {
  struct text_order *order = data;
  struct gpu_search *self = order->search;
  const struct engine_task *task = self->search->task;
  order->status = FLOE_OK;
  if (!self->decoding && task->layout->encoding)
    order->status = codegen_key_text(task->model, task->layout, &self->arena, &self->decoding);
}

static floe_status prepare(struct text_order *order) {
  static const char *const names[] = {
      [TEXT_REHASH] = "rehash.cu", [TEXT_ASK] = "ask.cu", [TEXT_CONTENT] = "content.cu"};
  order->name = names[order->kind]; /* every model's */
  if (order->kind != TEXT_EXPLORE && order->kind != TEXT_ASK)
    return FLOE_OK;
  order->config.index_keys = order->search->search->task->layout->encoding != NULL;
  void (*const make_text)(void *data) = order->kind == TEXT_ASK ? generate_decoding : generate;
  return arena_guard(&order->search->arena, make_text, order) == 0 ? order->status : FLOE_ERROR_MEMORY;
}

static const char *write_text(const void *of, struct arena *arena) {
  const struct text_order *order = of;
  switch (order->kind) {
  case TEXT_EXPLORE:
    return gpu_kernel_text(&order->config, order->search->generated, arena);
  case TEXT_REHASH:
    return gpu_kernel_move_text(&order->config, arena);
  case TEXT_CONTENT:
    return gpu_kernel_content_text(&order->config, arena);
  default:
    return gpu_kernel_ask_text(&order->config, order->search->decoding, arena);
  }
}

/* Bytes that floe_explore keeps in memory for want of registers, as the compiler reports it. Its
   local memory would say more: what calls and arrays take is there with any number of registers,
   and to find that out cost a compilation. */
static unsigned spilled_bytes(const struct gpu_binary *binary) {
  static const char words[] = " bytes spill stores";
  const char *at = binary->report ? strstr(binary->report, "'floe_explore'") : NULL;
  const char *end = at ? strstr(at, words) : NULL;
  while (end && end > at && strchr("0123456789", end[-1]))
    end--;
  return end ? (unsigned)strtoul(end, NULL, 10) : 0;
}

static floe_status make_module(struct gpu_search *self, struct text_order *order, struct gpu_module **out) {
  FLOE_TRY(prepare(order));
  const struct stop *stop = order->kind == TEXT_CONTENT ? NULL : &self->search->stop; /* what is to end is kept first */
  const struct gpu_text text = {.name = order->name, .write = write_text, .of = order, .stop = stop};
  struct gpu_binary binary;
  const double start = clock_seconds();
  floe_status status =
      gpu_text_load(self->gpu, &text, self->search->task->options->cache_dir, self->search->log, out, &binary);
  self->build_seconds += clock_seconds() - start;
  FLOE_TRY(status);
  self->from_cache = self->from_cache && binary.cached;
  order->spilled = spilled_bytes(&binary);
  order->bytes = binary.size;
  gpu_binary_free(&binary);
  return FLOE_OK;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static floe_status find(struct gpu_search *self, const struct search_kernels *code, const char *name, struct gpu_kernel *out) {
  return gpu_kernel_find(self->gpu, code->module, name, self->search->log, "--engine=cpu explores on all cores", out);
}

static floe_status find_rehash(struct gpu_search *self, struct search_kernels *code) {
  return find(self, code, "floe_rehash", &code->rehash);
}

static floe_status find_content(struct gpu_search *self, struct search_kernels *code) {
  FLOE_TRY(find(self, code, "floe_export_keys", &code->export));
  return find(self, code, "floe_import_keys", &code->load);
}

static floe_status find_all(struct gpu_search *self, bool two_levels, struct search_kernels *code) {
  FLOE_TRY(find(self, code, "floe_explore", &code->explore));
  if (self->tree.words) {
    FLOE_TRY(find(self, code, "floe_tree_roots", &code->name));
    FLOE_TRY(find(self, code, "floe_tree_put", &code->tree_put));
  }
  if (member_is_one(self) && !self->tree.words)
    FLOE_TRY(find(self, code, "floe_receive", &code->receive));
  return two_levels ? FLOE_OK : find(self, code, "floe_insert", &code->insert);
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

void kernels_free(struct search_kernels *code) {
  gpu_module_free(code->module);
  *code = (struct search_kernels){0};
}

static floe_status make(struct gpu_search *self, struct text_order *order, struct search_kernels *out) {
  struct search_kernels code = {.kind = {table_scheme_find(order->config.scheme), order->config.geometry},
                          .from = {table_scheme_find(order->config.from_scheme), order->config.from}};
  FLOE_TRY(make_module(self, order, &code.module));
  code.bytes = order->bytes;
  floe_status status = order->kind == TEXT_EXPLORE  ? find_all(self, order->config.two_levels, &code)
                       : order->kind == TEXT_REHASH ? find_rehash(self, &code)
                                                    : find_content(self, &code);
  if (status == FLOE_OK)
    *out = code;
  else
    kernels_free(&code);
  return status;
}

static floe_status configure(const struct gpu_search *self, const struct table_kind *kind,
                             struct gpu_kernel_config *out) {
  unsigned permutation;
  FLOE_TRY(permutation_kind(self->visited.config.permutation, NULL, &permutation));
  *out = (struct gpu_kernel_config){.scheme = kind->scheme->name,
                                    .key_bits = self->visited.config.key_bits,
                                    .wide = self->tree.words,
                                    .permutation = permutation,
                                    .geometry = kind->geometry,
                                    .least_blocks = (unsigned)self->test_settings.resident,
                                    .log = self->download.log,
                                    .members = member_is_one(self),
                                    .linked = mailbox_members(self),
                                    .elsewhere = mailbox_has_others(self),
                                    .shares = self->member.collective.state_owner.index};
  return FLOE_OK;
}

/* With fewer resident blocks where too much is spilled. */
static floe_status make_exploring(struct gpu_search *self, const struct gpu_kernel_config *config, struct search_kernels *out) {
  static const unsigned fewer[] = {3, 2, 1};
  struct text_order order = {.search = self, .kind = TEXT_EXPLORE, .config = *config};
  struct search_kernels best;
  unsigned least;
  floe_status status = FLOE_OK;
  FLOE_TRY(make(self, &order, &best));
  least = order.spilled;
  const bool in_memory = self->tree.words > GPU_WORDS_IN_REGISTERS; /* states are, with any number of registers */
  const bool linked = config->linked; /* takes turns with more, and gains by more warps at work than it loses */
  const size_t tries = self->test_settings.resident || in_memory || linked ? 0 : sizeof fewer / sizeof *fewer;
  for (size_t i = 0; status == FLOE_OK && least > GPU_MOST_SPILLED && i < tries; i++) {
    struct search_kernels other;
    order.config.least_blocks = fewer[i];
    status = make(self, &order, &other);
    if (status != FLOE_OK)
      break;
    const bool better = order.spilled < least;
    kernels_free(better ? &best : &other);
    if (!better)
      break;
    best = other;
    least = order.spilled;
  }
  if (status == FLOE_OK)
    *out = best;
  else
    kernels_free(&best);
  return status;
}

floe_status kernels_make(struct gpu_search *self, const struct table_kind *kind, struct search_kernels *out) {
  struct gpu_kernel_config config;
  FLOE_TRY(configure(self, kind, &config));
  return make_exploring(self, &config, out);
}

floe_status kernels_make_rehash(struct gpu_search *self, const struct table_kind *kind, const struct table_kind *from,
                             struct search_kernels *out) {
  struct text_order order = {.search = self, .kind = TEXT_REHASH};
  FLOE_TRY(configure(self, kind, &order.config));
  order.config.from = from->geometry;
  order.config.from_scheme = from->scheme->name;
  return make(self, &order, out);
}

floe_status kernels_make_transfer(struct gpu_search *self, const struct table_kind *kind, struct search_kernels *out) {
  struct text_order order = {.search = self, .kind = TEXT_CONTENT};
  FLOE_TRY(configure(self, kind, &order.config));
  return make(self, &order, out);
}

/* ---- two levels ------------------------------------------------------------------------------ */

/* The newest keys are in the default scheme's. */
static struct table_kind device_cache_kind(const struct geometry *device_cache) {
  return (struct table_kind){table_scheme_find(NULL), *device_cache};
}

floe_status kernels_make_device_cache(struct gpu_search *self, const struct geometry *device_cache, struct search_kernels *out) {
  const struct table_kind kind = device_cache_kind(device_cache);
  struct gpu_kernel_config config;
  FLOE_TRY(configure(self, &kind, &config));
  config.two_levels = true;
  return make_exploring(self, &config, out);
}

static floe_status find_asking(struct gpu_search *self, struct host_lookup *out) {
  const struct search_kernels code = {.module = out->module};
  FLOE_TRY(find(self, &code, "floe_host_lookup_select", &out->ask));
  FLOE_TRY(find(self, &code, "floe_host_lookup_bin", &out->bin));
  return find(self, &code, "floe_host_lookup_apply", &out->apply_answers);
}

floe_status kernels_make_host_lookup(struct gpu_search *self, const struct geometry *device_cache, struct host_lookup *out) {
  const struct table_kind kind = self->visited.memory.at ? kernels_kind(&self->visited) : device_cache_kind(device_cache);
  struct text_order order = {.search = self, .kind = TEXT_ASK};
  FLOE_TRY(configure(self, &kind, &order.config));
  FLOE_TRY(make_module(self, &order, &out->module));
  return find_asking(self, out);
}
