/* The kernels' real text on the imitated GPU (emulate.h), behind the functions of gpu/build.h and
 * gpu/driver.h. */
#include "emulated.h"
#include "fake_parts.h"

#include "gpu/build.h"
#include "table/kernel/iceberg.h"

#include "gpu/kernel/control.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct gpu_function {
  const char *name;
  const struct gpu_module *module;
};

struct gpu_module {
  const struct emulated *emulated;
  struct gpu_function functions[3];
};

static const char *const names[] = {"floe_explore", "floe_insert", "floe_rehash"};

floe_status gpu_build(struct gpu *gpu, const struct gpu_source *source, const char *cache_dir,
                      floe_log *log, struct gpu_module **out, struct gpu_binary *binary) {
  (void)cache_dir, (void)log;
  const struct emulated *emulated = emulated_build(source->texts[0]);
  if (!emulated)
    return FLOE_ERROR_INTERNAL;
  struct gpu_module *module = calloc(1, sizeof *module);
  module->emulated = emulated;
  for (unsigned i = 0; i < 3; i++)
    module->functions[i] = (struct gpu_function){names[i], module};
  *binary = (struct gpu_binary){.cached = true};
  gpu->counts.builds++;
  *out = module;
  return FLOE_OK;
}
void gpu_binary_free(struct gpu_binary *binary) { (void)binary; }
void gpu_module_free(struct gpu_module *module) { free(module); }

floe_status gpu_function_find(struct gpu_module *module, const char *name,
                              struct gpu_function **out) {
  for (unsigned i = 0; i < 3; i++)
    if (strcmp(name, names[i]) == 0) {
      *out = &module->functions[i];
      return FLOE_OK;
    }
  return FLOE_ERROR_INTERNAL;
}
floe_status gpu_function_describe(struct gpu *gpu, struct gpu_function *function,
                                  struct gpu_function_info *out) {
  (void)gpu, (void)function;
  *out = (struct gpu_function_info){.registers = 64};
  return FLOE_OK;
}
floe_status gpu_occupancy(struct gpu *gpu, struct gpu_function *function, unsigned threads,
                          size_t shared_bytes, unsigned *blocks) {
  (void)gpu, (void)function, (void)shared_bytes;
  assert(threads == GPU_BLOCK);
  *blocks = 2;
  return FLOE_OK;
}

floe_status gpu_start(struct gpu *gpu, struct gpu_function *function,
                      const struct gpu_launch *launch, void **arguments) {
  const struct emulated_grid grid = {.blocks = launch->blocks,
                                     .seed = fake_chance(gpu) + gpu->settings.seed,
                                     .yield_percent = gpu->settings.stop_percent};
  if (!fake_launches(gpu))
    return FLOE_ERROR_INTERNAL;
  gpu->counts.explores += function->name == names[0];
  gpu->counts.inserts += function->name == names[1];
  gpu->counts.rehashes += function->name == names[2];
  emulated_launch(function->module->emulated, function->name, &grid,
                  (const void *const *)arguments);
  return FLOE_OK;
}
