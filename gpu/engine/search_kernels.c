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
  struct gpu_rank *rank;
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
  struct gpu_rank *rank = order->rank;
  const struct engine_task *task = rank->search->task;
  order->status = FLOE_OK;
  if (!rank->generated)
    order->status = codegen_text(task->model, task->layout, &rank->search->stop, &rank->arena, &rank->generated);
  if (order->status == FLOE_OK)
    order->name = arena_printf(&rank->arena, "%s.cu", task->model->name);
}

/* What floe_sift has of the model, for the checksum. */
static void generate_decoding(void *data) {
  struct text_order *order = data;
  struct gpu_rank *rank = order->rank;
  const struct engine_task *task = rank->search->task;
  order->status = FLOE_OK;
  if (!rank->decoding && task->layout->encoding)
    order->status = codegen_key_text(task->model, task->layout, &rank->arena, &rank->decoding);
}

static floe_status prepare(struct text_order *order) {
  static const char *const names[] = {
      [TEXT_REHASH] = "rehash.cu", [TEXT_ASK] = "ask.cu", [TEXT_CONTENT] = "content.cu"};
  order->name = names[order->kind]; /* every model's */
  if (order->kind != TEXT_EXPLORE && order->kind != TEXT_ASK)
    return FLOE_OK;
  order->config.ranked = order->rank->search->task->layout->encoding != NULL;
  void (*const make_text)(void *data) = order->kind == TEXT_ASK ? generate_decoding : generate;
  return arena_guard(&order->rank->arena, make_text, order) == 0 ? order->status : FLOE_ERROR_MEMORY;
}

static const char *write_text(const void *of, struct arena *arena) {
  const struct text_order *order = of;
  switch (order->kind) {
  case TEXT_EXPLORE:
    return gpu_kernel_text(&order->config, order->rank->generated, arena);
  case TEXT_REHASH:
    return gpu_kernel_move_text(&order->config, arena);
  case TEXT_CONTENT:
    return gpu_kernel_content_text(&order->config, arena);
  default:
    return gpu_kernel_ask_text(&order->config, order->rank->decoding, arena);
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

static floe_status make_module(struct gpu_rank *rank, struct text_order *order, struct gpu_module **out) {
  FLOE_TRY(prepare(order));
  const struct stop *stop = order->kind == TEXT_CONTENT ? NULL : &rank->search->stop; /* what is to end is kept first */
  const struct gpu_text text = {.name = order->name, .write = write_text, .of = order, .stop = stop};
  struct gpu_binary binary;
  const double start = clock_seconds();
  floe_status status =
      gpu_text_load(rank->gpu, &text, rank->search->task->options->cache_dir, rank->search->log, out, &binary);
  rank->build_seconds += clock_seconds() - start;
  FLOE_TRY(status);
  rank->from_cache = rank->from_cache && binary.cached;
  order->spilled = spilled_bytes(&binary);
  order->bytes = binary.size;
  gpu_binary_free(&binary);
  return FLOE_OK;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static floe_status find(struct gpu_rank *rank, const struct gpu_code *code, const char *name, struct gpu_kernel *out) {
  return gpu_kernel_find(rank->gpu, code->module, name, rank->search->log, "--engine=cpu explores on all cores", out);
}

static floe_status find_rehash(struct gpu_rank *rank, struct gpu_code *code) {
  return find(rank, code, "floe_rehash", &code->rehash);
}

static floe_status find_content(struct gpu_rank *rank, struct gpu_code *code) {
  FLOE_TRY(find(rank, code, "floe_export", &code->export));
  return find(rank, code, "floe_load", &code->load);
}

static floe_status find_all(struct gpu_rank *rank, bool two_levels, struct gpu_code *code) {
  FLOE_TRY(find(rank, code, "floe_explore", &code->explore));
  if (rank->tree.words) {
    FLOE_TRY(find(rank, code, "floe_name", &code->name));
    FLOE_TRY(find(rank, code, "floe_tree_put", &code->tree_put));
  }
  if (member_is_one(rank) && !rank->tree.words)
    FLOE_TRY(find(rank, code, "floe_receive", &code->receive));
  return two_levels ? FLOE_OK : find(rank, code, "floe_insert", &code->insert);
}

/* ---- modules --------------------------------------------------------------------------------- */

struct table_kind code_kind(const struct device_table *table) {
  const struct table_shape *shape = &table->shape;
  return (struct table_kind){.scheme = table_scheme_find(table->config.scheme),
                             .geometry = {.slot_bits = shape->slot_bits,
                                          .bucket_slots = shape->bucket_slots,
                                          .second_slot_bits = shape->second_slot_bits,
                                          .second_bucket_slots = shape->second_bucket_slots}};
}

bool code_same_kind(const struct table_kind *a, const struct table_kind *b) {
  const struct geometry x = a->geometry, y = b->geometry;
  return a->scheme == b->scheme && x.slot_bits == y.slot_bits && x.bucket_slots == y.bucket_slots &&
         x.second_slot_bits == y.second_slot_bits && x.second_bucket_slots == y.second_bucket_slots;
}

void code_free(struct gpu_code *code) {
  gpu_module_free(code->module);
  *code = (struct gpu_code){0};
}

static floe_status make(struct gpu_rank *rank, struct text_order *order, struct gpu_code *out) {
  struct gpu_code code = {.kind = {table_scheme_find(order->config.scheme), order->config.geometry},
                          .from = {table_scheme_find(order->config.from_scheme), order->config.from}};
  FLOE_TRY(make_module(rank, order, &code.module));
  code.bytes = order->bytes;
  floe_status status = order->kind == TEXT_EXPLORE  ? find_all(rank, order->config.two_levels, &code)
                       : order->kind == TEXT_REHASH ? find_rehash(rank, &code)
                                                    : find_content(rank, &code);
  if (status == FLOE_OK)
    *out = code;
  else
    code_free(&code);
  return status;
}

static floe_status configure(const struct gpu_rank *rank, const struct table_kind *kind,
                             struct gpu_kernel_config *out) {
  unsigned permutation;
  FLOE_TRY(permutation_kind(rank->visited.config.permutation, NULL, &permutation));
  *out = (struct gpu_kernel_config){.scheme = kind->scheme->name,
                                    .key_bits = rank->visited.config.key_bits,
                                    .wide = rank->tree.words,
                                    .permutation = permutation,
                                    .geometry = kind->geometry,
                                    .least_blocks = (unsigned)rank->tuning.resident,
                                    .log = rank->harvest.log,
                                    .members = member_is_one(rank),
                                    .linked = mailbox_members(rank),
                                    .elsewhere = mailbox_has_others(rank),
                                    .shares = rank->member.together.owners.shares};
  return FLOE_OK;
}

/* With fewer resident blocks where too much is spilled. */
static floe_status make_exploring(struct gpu_rank *rank, const struct gpu_kernel_config *config, struct gpu_code *out) {
  static const unsigned fewer[] = {3, 2, 1};
  struct text_order order = {.rank = rank, .kind = TEXT_EXPLORE, .config = *config};
  struct gpu_code best;
  unsigned least;
  floe_status status = FLOE_OK;
  FLOE_TRY(make(rank, &order, &best));
  least = order.spilled;
  const bool in_memory = rank->tree.words > GPU_WORDS_IN_REGISTERS; /* states are, with any number of registers */
  const bool linked = config->linked; /* takes turns with more, and gains by more warps at work than it loses */
  const size_t tries = rank->tuning.resident || in_memory || linked ? 0 : sizeof fewer / sizeof *fewer;
  for (size_t i = 0; status == FLOE_OK && least > GPU_MOST_SPILLED && i < tries; i++) {
    struct gpu_code other;
    order.config.least_blocks = fewer[i];
    status = make(rank, &order, &other);
    if (status != FLOE_OK)
      break;
    const bool better = order.spilled < least;
    code_free(better ? &best : &other);
    if (!better)
      break;
    best = other;
    least = order.spilled;
  }
  if (status == FLOE_OK)
    *out = best;
  else
    code_free(&best);
  return status;
}

floe_status code_make(struct gpu_rank *rank, const struct table_kind *kind, struct gpu_code *out) {
  struct gpu_kernel_config config;
  FLOE_TRY(configure(rank, kind, &config));
  return make_exploring(rank, &config, out);
}

floe_status code_make_rehash(struct gpu_rank *rank, const struct table_kind *kind, const struct table_kind *from,
                             struct gpu_code *out) {
  struct text_order order = {.rank = rank, .kind = TEXT_REHASH};
  FLOE_TRY(configure(rank, kind, &order.config));
  order.config.from = from->geometry;
  order.config.from_scheme = from->scheme->name;
  return make(rank, &order, out);
}

floe_status code_make_content(struct gpu_rank *rank, const struct table_kind *kind, struct gpu_code *out) {
  struct text_order order = {.rank = rank, .kind = TEXT_CONTENT};
  FLOE_TRY(configure(rank, kind, &order.config));
  return make(rank, &order, out);
}

/* ---- two levels ------------------------------------------------------------------------------ */

/* The newest keys are in the default scheme's. */
static struct table_kind newest_kind(const struct geometry *newest) {
  return (struct table_kind){table_scheme_find(NULL), *newest};
}

floe_status code_make_newest(struct gpu_rank *rank, const struct geometry *newest, struct gpu_code *out) {
  const struct table_kind kind = newest_kind(newest);
  struct gpu_kernel_config config;
  FLOE_TRY(configure(rank, &kind, &config));
  config.two_levels = true;
  return make_exploring(rank, &config, out);
}

static floe_status find_asking(struct gpu_rank *rank, struct asking *out) {
  const struct gpu_code code = {.module = out->module};
  FLOE_TRY(find(rank, &code, "floe_ask", &out->ask));
  FLOE_TRY(find(rank, &code, "floe_bin", &out->bin));
  return find(rank, &code, "floe_sift", &out->sift);
}

floe_status code_make_asking(struct gpu_rank *rank, const struct geometry *newest, struct asking *out) {
  const struct table_kind kind = rank->visited.memory.at ? code_kind(&rank->visited) : newest_kind(newest);
  struct text_order order = {.rank = rank, .kind = TEXT_ASK};
  FLOE_TRY(configure(rank, &kind, &order.config));
  FLOE_TRY(make_module(rank, &order, &out->module));
  return find_asking(rank, out);
}
