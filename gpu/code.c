/* The kernels of a run: text, module, grids. */
#include "gpu/run.h"

#include "core/clock.h"
#include "core/diag.h"
#include "gpu/build.h"
#include "gpu/kernel_text.h"
#include "table/permutation.h"

#include <stdlib.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

struct text_order {
  struct gpu_run *run;
  struct gpu_kernel_config config;
  bool explores;
  const char *text, *name;
  unsigned spilled; /* bytes of floe_explore, once it is compiled */
  floe_status status;
};

static void write_text(void *data) {
  struct text_order *order = data;
  struct gpu_run *run = order->run;
  const struct engine_task *task = run->task;
  order->status = FLOE_OK;
  if (order->explores && !run->generated)
    order->status = codegen_text(task->model, task->layout, &run->stop, &run->arena, &run->generated);
  if (order->status != FLOE_OK)
    return;
  if (order->explores) {
    order->name = arena_printf(&run->arena, "%s.cu", task->model->name);
    order->text = gpu_kernel_text(&order->config, run->generated, &run->arena);
  } else {
    order->name = "rehash.cu"; /* every model's */
    order->text = gpu_kernel_move_text(&order->config, &run->arena);
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

static floe_status make_module(struct gpu_run *run, struct text_order *order, struct gpu_module **out) {
  if (arena_guard(&run->arena, write_text, order) != 0)
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(order->status);
  struct gpu_source source = {.name = order->name, .texts = &order->text, .text_count = 1, .stop = &run->stop};
  struct gpu_binary binary;
  const double start = clock_seconds();
  floe_status status = gpu_build(run->gpu, &source, run->task->options->cache_dir, run->log, out, &binary);
  run->build_seconds += clock_seconds() - start;
  FLOE_TRY(status);
  run->from_cache = run->from_cache && binary.cached;
  order->spilled = spilled_bytes(&binary);
  gpu_binary_free(&binary);
  return FLOE_OK;
}

/* ---- grids ----------------------------------------------------------------------------------- */

static floe_status find_kernel(struct gpu_run *run, struct gpu_module *module, const char *name,
                               struct gpu_function **function, unsigned *blocks) {
  unsigned each;
  FLOE_TRY(gpu_function_find(module, name, function));
  FLOE_TRY(gpu_occupancy(run->gpu, *function, GPU_BLOCK, 0, &each));
  *blocks = each * gpu_information(run->gpu)->multiprocessors;
  if (*blocks)
    return FLOE_OK;
  diag_error(run->log, NULL, NOWHERE, "--engine=cpu explores on all cores",
             "the kernel %s does not fit the GPU: a block needs more registers or shared memory", name);
  return FLOE_ERROR_UNSUPPORTED;
}

static floe_status find_rehash(struct gpu_run *run, struct gpu_code *code) {
  return find_kernel(run, code->module, "floe_rehash", &code->rehash, &code->rehash_blocks);
}

static floe_status find_all(struct gpu_run *run, struct gpu_code *code) {
  FLOE_TRY(find_kernel(run, code->module, "floe_explore", &code->explore, &code->explore_blocks));
  return find_kernel(run, code->module, "floe_insert", &code->insert, &code->insert_blocks);
}

/* ---- modules --------------------------------------------------------------------------------- */

struct geometry code_geometry(const struct table_shape *shape) {
  return (struct geometry){.slot_bits = shape->slot_bits,
                           .bucket_slots = shape->bucket_slots,
                           .second_slot_bits = shape->second_slot_bits,
                           .second_bucket_slots = shape->second_bucket_slots};
}

void code_free(struct gpu_code *code) {
  gpu_module_free(code->module);
  *code = (struct gpu_code){0};
}

static floe_status make(struct gpu_run *run, struct text_order *order, struct gpu_code *out) {
  struct gpu_code code = {.geometry = order->config.geometry, .from = order->config.from};
  FLOE_TRY(make_module(run, order, &code.module));
  floe_status status = order->explores ? find_all(run, &code) : find_rehash(run, &code);
  if (status == FLOE_OK)
    *out = code;
  else
    code_free(&code);
  return status;
}

static floe_status configure(const struct gpu_run *run, const struct table_shape *shape,
                             struct gpu_kernel_config *out) {
  unsigned permutation;
  FLOE_TRY(permutation_kind(run->table.config.permutation, NULL, &permutation));
  *out = (struct gpu_kernel_config){.scheme = run->table.config.scheme,
                                    .key_bits = shape->key_bits,
                                    .permutation = permutation,
                                    .geometry = code_geometry(shape),
                                    .least_blocks = (unsigned)run->tuning.resident,
                                    .log = run->harvest.log};
  return FLOE_OK;
}

/* With fewer resident blocks where too much is spilled. */
floe_status code_make(struct gpu_run *run, const struct table_shape *shape, struct gpu_code *out) {
  static const unsigned fewer[] = {3, 2, 1};
  struct text_order order = {.run = run, .explores = true};
  struct gpu_code best;
  unsigned least;
  floe_status status = FLOE_OK;
  FLOE_TRY(configure(run, shape, &order.config));
  FLOE_TRY(make(run, &order, &best));
  least = order.spilled;
  const size_t tries = run->tuning.resident ? 0 : sizeof fewer / sizeof *fewer;
  for (size_t i = 0; status == FLOE_OK && least > GPU_MOST_SPILLED && i < tries; i++) {
    struct gpu_code other;
    order.config.least_blocks = fewer[i];
    status = make(run, &order, &other);
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

floe_status code_make_rehash(struct gpu_run *run, const struct table_shape *shape, struct geometry from,
                             struct gpu_code *out) {
  struct text_order order = {.run = run};
  FLOE_TRY(configure(run, shape, &order.config));
  order.config.from = from;
  return make(run, &order, out);
}
