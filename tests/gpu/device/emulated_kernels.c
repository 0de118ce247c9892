/* The real kernels on the emulated GPU (emulate.h), behind the functions of gpu/jit/build.h and gpu/driver/driver.h. */
#define _GNU_SOURCE
#include "emulated.h"
#include "fake_parts.h"

#include "core/system/clock.h"
#include "gpu/jit/build.h"
#include "tables/kernel/iceberg.h"

#include "gpu/kernel/base/control.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct gpu_function {
  char *name;
  const struct gpu_module *module;
};

enum { MOST_FUNCTIONS = 32 };

struct gpu_module {
  const struct emulated *emulated;
  struct gpu_function functions[MOST_FUNCTIONS]; /* functions that were looked up */
  unsigned count;
};

/* Successor buffers of kernels with mailboxes are of all kinds. If the expected number of successors is even, many
 * states have more than the buffer holds, and fire again; if it is odd, all expected successors fit; if it is large,
 * groups of transitions are fired one by one. */
static const char buffers[] =
    "#define FLOE_BUFFER_SUFFICES "
    "(FLOE_EXPECTED_SUCCESSORS > 12 || FLOE_EXPECTED_SUCCESSORS % 2 ? (int)FLOE_EXPECTED_SUCCESSORS : 3)\n";

/* Kernels for models with transient states: half of the models have groups with more successors than the buffer. */
static const char small_buffers[] =
    "#define FLOE_BUFFER_SUFFICES (FLOE_INITIATOR_COUNT % 2 ? (int)FLOE_EXPECTED_SUCCESSORS : 2)\n";

/* Backward sweeps have levels for one block and for all blocks in turn. */
static const char small_sweep[] = "#define FLOE_SMALL_SWEEP 40\n";

static const struct emulated *build(const char *text) {
  const char *settings = strstr(text, "#define FLOE_LINKED ")            ? buffers
                         : strstr(text, "GPU_KERNEL(floe_predecessors,") ? small_sweep
                         : strstr(text, "#define FLOE_TRANSIENT\n")      ? small_buffers
                                                                         : "";
  char *with_settings = NULL;
  if (asprintf(&with_settings, "%s%s", settings, text) < 0)
    return NULL;
  const struct emulated *emulated = emulated_build(with_settings);
  free(with_settings);
  return emulated;
}

floe_status gpu_build(struct gpu *gpu, const struct gpu_source *source, const char *cache_dir, floe_log *log,
                      struct gpu_module **out, struct gpu_binary *binary) {
  (void)cache_dir, (void)log;
  if (source->cached_only && gpu->settings.cache_empty)
    return FLOE_ERROR_UNSUPPORTED;
  const struct emulated *emulated = build(source->texts[0]);
  if (!emulated)
    return FLOE_ERROR_INTERNAL;
  struct gpu_module *module = calloc(1, sizeof *module);
  module->emulated = emulated;
  if (binary)
    *binary = (struct gpu_binary){.cached = true};
  gpu->counts.builds++;
  *out = module;
  return FLOE_OK;
}
void gpu_binary_free(struct gpu_binary *binary) { (void)binary; }
void gpu_module_free(struct gpu_module *module) {
  for (unsigned i = 0; module && i < module->count; i++)
    free(module->functions[i].name);
  free(module);
}

floe_status gpu_function_find(struct gpu_module *module, const char *name, struct gpu_function **out) {
  if (!emulated_has(module->emulated, name))
    return FLOE_ERROR_INTERNAL;
  assert(module->count < MOST_FUNCTIONS);
  struct gpu_function *function = &module->functions[module->count++];
  *function = (struct gpu_function){strdup(name), module};
  *out = function;
  return FLOE_OK;
}
floe_status gpu_function_describe(struct gpu *gpu, struct gpu_function *function, struct gpu_function_info *out) {
  (void)gpu, (void)function;
  *out = (struct gpu_function_info){.registers = 64};
  return FLOE_OK;
}
floe_status gpu_occupancy(struct gpu *gpu, struct gpu_function *function, unsigned threads, size_t shared_bytes,
                          unsigned *blocks) {
  (void)gpu, (void)function, (void)shared_bytes;
  assert(threads == GPU_BLOCK);
  *blocks = 2;
  return FLOE_OK;
}

/* The struct gpu_space of a launch. NULL: the kernel has none. */
static const struct gpu_space *space_of(const char *kernel, void *const *arguments) {
  if (strcmp(kernel, "floe_tree_roots") == 0 || strcmp(kernel, "floe_predecessors") == 0)
    return arguments[0];
  static const char *const with_tables[] = {"floe_explore",           "floe_insert",        "floe_receive",
                                            "floe_cycles_candidates", "floe_cycles_expand", "floe_cycles_start",
                                            "floe_cycles_keys"};
  bool with_table = false;
  for (size_t i = 0; i < sizeof with_tables / sizeof *with_tables; i++)
    with_table = with_table || strcmp(kernel, with_tables[i]) == 0;
  return with_table ? arguments[1] : NULL;
}

/* Checks that all pointers refer to memory that the device can access. */
static bool is_within_reach(const struct gpu *gpu, const struct gpu_space *space) {
  uint64_t words[sizeof *space / sizeof(uint64_t)];
  memcpy(words, space, sizeof words);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!fake_may_touch(gpu, words[i]))
      return false;
  return true;
}

floe_status gpu_start(struct gpu *gpu, struct gpu_function *function, const struct gpu_launch *launch,
                      void **arguments) {
  const struct emulated_grid grid = {.blocks = launch->blocks,
                                     .seed = fake_chance(gpu) + gpu->settings.seed,
                                     .yield_percent = gpu->settings.stop_percent};
  const struct gpu_space *space = space_of(function->name, arguments);
  gpu->broken = gpu->broken || (space && !is_within_reach(gpu, space));
  if (!fake_launches(gpu))
    return FLOE_ERROR_INTERNAL;
  gpu->counts.explores += strcmp(function->name, "floe_explore") == 0;
  gpu->counts.inserts += strcmp(function->name, "floe_insert") == 0;
  gpu->counts.rehashes += strcmp(function->name, "floe_rehash") == 0;
  emulated_launch(function->module->emulated, function->name, &grid, (const void *const *)arguments);
  return FLOE_OK;
}

/* ---- time: that of the clock -------------------------------------------------------------------- */

struct gpu_event {
  double at;
};

floe_status gpu_event_create(struct gpu *gpu, struct gpu_event **out) {
  (void)gpu;
  *out = calloc(1, sizeof **out);
  return *out ? FLOE_OK : FLOE_ERROR_MEMORY;
}
void gpu_event_free(struct gpu *gpu, struct gpu_event *event) {
  (void)gpu;
  free(event);
}
floe_status gpu_event_record(struct gpu *gpu, struct gpu_event *event) {
  (void)gpu;
  event->at = clock_seconds();
  return FLOE_OK;
}
floe_status gpu_event_wait(struct gpu *gpu, struct gpu_event *event) {
  (void)event;
  return gpu_wait(gpu);
}
floe_status gpu_event_seconds(struct gpu *gpu, struct gpu_event *from, struct gpu_event *to, double *seconds) {
  (void)gpu;
  *seconds = to->at - from->at;
  return FLOE_OK;
}
