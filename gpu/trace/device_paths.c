#include "gpu/trace/device_paths.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/path.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/gpu_tree.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/search_kernels.h"
#include "gpu/trace/host_paths.h"

#include <string.h>

/* Levels, and states, that one launch sweeps: some hundredths of a second, after which the host looks at `stop`. */
#define LAUNCH_LEVELS 16384
#define LAUNCH_STATES (UINT64_C(1) << 28)

struct device_paths {
  struct gpu_search *self;
  struct stop stop;
  struct search_kernels kernels; /* floe_predecessors as `explore` */
  struct path_target targets[PATHS_MOST];
  unsigned count;
  uint32_t depth;     /* the greatest of the targets */
  uint64_t *levels;   /* [depth + 1] positions in the ring at which levels begin; then the end */
  uint64_t *keys;     /* [depth][count] path_keys */
  gpu_address memory; /* of all arrays of `sweep` */
  uint64_t bytes;
  struct gpu_sweep sweep;
};

/* ---- conditions ------------------------------------------------------------------------------ */

static void choose_targets(struct device_paths *paths, const struct engine_outcome *out) {
  const struct task_paths *request = &paths->self->search.task->paths;
  if (request->targets) {
    paths->count = request->count;
    memcpy(paths->targets, request->targets, request->count * sizeof *request->targets);
  } else {
    paths->count = outcome_path_targets(out, paths->targets);
  }
  for (unsigned i = 0; i < paths->count; i++)
    paths->depth = (uint32_t)greatest(paths->depth, paths->targets[i].depth);
}

static bool is_possible(const struct device_paths *paths, const struct engine_outcome *out) {
  return paths->count >= 1 && paths->depth <= out->levels && queue_has_all(paths->self);
}

static bool fits_kernel(const struct device_paths *paths) {
  return paths->count <= GPU_SWEEP_TARGETS && paths->self->tree.words <= GPU_SWEEP_WORDS;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Sizes of the arrays, in bytes, in the order of their places. */
struct sizes {
  uint64_t levels, keys, targets, depths, arrived;
};

static uint64_t target_words(const struct device_paths *paths) { return paths->self->search.task->layout->key_words; }

static struct sizes sizes_of(const struct device_paths *paths) {
  const uint64_t word = sizeof(uint64_t);
  return (struct sizes){.levels = ((uint64_t)paths->depth + 1) * word,
                        .keys = (uint64_t)paths->depth * paths->count * word,
                        .targets = paths->count * target_words(paths) * word,
                        .depths = GPU_SWEEP_TARGETS * sizeof(uint32_t),
                        .arrived = word};
}

static floe_status take_memory(struct device_paths *paths) {
  const struct sizes sizes = sizes_of(paths);
  paths->bytes = sizes.levels + sizes.keys + sizes.targets + sizes.depths + sizes.arrived;
  FLOE_TRY(gpu_search_take(paths->self, paths->bytes, &paths->memory));
  gpu_address at = paths->memory;
  paths->sweep.levels = ON_DEVICE(uint64_t, at);
  paths->sweep.path_keys = ON_DEVICE(uint64_t, at += sizes.levels);
  paths->sweep.targets = ON_DEVICE(uint64_t, at += sizes.keys);
  paths->sweep.depths = ON_DEVICE(uint32_t, at += sizes.targets);
  paths->sweep.arrived = ON_DEVICE(uint32_t, at += sizes.depths);
  paths->levels = mem_alloc(sizes.levels);
  paths->keys = mem_alloc(sizes.keys);
  return paths->levels && paths->keys ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static void free_memory(struct device_paths *paths) {
  if (paths->memory)
    gpu_search_give(paths->self, paths->bytes, &paths->memory);
  mem_free(paths->levels);
  mem_free(paths->keys);
  kernels_free(&paths->kernels);
}

static gpu_address address_of(const void *device) { return (gpu_address)(uintptr_t)device; }

static floe_status upload_arrays(struct device_paths *paths, const struct engine_outcome *out) {
  struct gpu *gpu = paths->self->gpu;
  const uint64_t words = target_words(paths);
  uint32_t depths[GPU_SWEEP_TARGETS];
  paths->levels[0] = FIRST_POSITION;
  for (uint32_t i = 0; i < paths->depth; i++)
    paths->levels[i + 1] = paths->levels[i] + out->level_states[i];
  FLOE_TRY(gpu_upload(gpu, address_of(paths->sweep.levels), paths->levels, sizes_of(paths).levels));
  for (unsigned i = 0; i < paths->count; i++) {
    const gpu_address to = address_of(paths->sweep.targets) + i * words * sizeof(uint64_t);
    depths[i] = paths->targets[i].depth;
    FLOE_TRY(gpu_upload(gpu, to, paths->targets[i].state, words * sizeof(uint64_t)));
  }
  FLOE_TRY(gpu_upload(gpu, address_of(paths->sweep.depths), depths, paths->count * sizeof *depths));
  return gpu_fill(gpu, address_of(paths->sweep.path_keys), 0xff, sizes_of(paths).keys);
}

/* ---- the sweep ------------------------------------------------------------------------------- */

static floe_status launch(struct device_paths *paths, uint32_t from, uint32_t end) {
  struct gpu_search *self = paths->self;
  const struct gpu_space space = gpu_search_space(self);
  unsigned blocks = paths->kernels.explore.blocks;
  if (self->sequences.memory) /* it has stacks for the grid of the exploration */
    blocks = (unsigned)least(blocks, self->grid.blocks);
  const struct gpu_launch grid = {.blocks = blocks, .threads = GPU_BLOCK, .cooperative = true};
  void *arguments[] = {(void *)&space, &paths->sweep, &self->sequences.view};
  paths->sweep.from = from;
  paths->sweep.level_count = end - from;
  FLOE_TRY(gpu_fill(self->gpu, address_of(paths->sweep.arrived), 0, sizeof(uint64_t)));
  FLOE_TRY(gpu_start(self->gpu, paths->kernels.explore.function, &grid, arguments));
  return gpu_wait(self->gpu);
}

static floe_status sweep_levels(struct device_paths *paths) {
  for (uint32_t end = paths->depth, from = end; end > 0; end = from) {
    if (stop_requested(&paths->stop))
      return FLOE_ERROR_UNSUPPORTED;
    do
      from--;
    while (from > 0 && end - from < LAUNCH_LEVELS && paths->levels[end] - paths->levels[from - 1] <= LAUNCH_STATES);
    FLOE_TRY(launch(paths, from, end));
  }
  return gpu_download(paths->self->gpu, paths->keys, address_of(paths->sweep.path_keys), sizes_of(paths).keys);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static floe_status make_path(const struct device_paths *paths, unsigned number, struct path *path) {
  const struct path_target *target = &paths->targets[number];
  const uint64_t words = target_words(paths);
  *path = (struct path){.steps = target->depth};
  path->states = mem_array((size_t)target->depth + 1, words * sizeof *path->states);
  if (!path->states)
    return FLOE_ERROR_MEMORY;
  for (uint32_t i = 0; i < target->depth; i++) {
    const uint64_t key = paths->keys[(uint64_t)i * paths->count + number];
    if (paths->self->tree.words)
      gpu_tree_states(paths->self, &key, 1, path->states + i * words);
    else
      path->states[i] = key;
  }
  memcpy(path->states + target->depth * words, target->state, words * sizeof *path->states);
  return FLOE_OK;
}

static floe_status make_paths(const struct device_paths *paths, struct engine_outcome *out) {
  struct path made[PATHS_MOST];
  floe_status status = FLOE_OK;
  memset(made, 0, sizeof made);
  if (paths->self->tree.words)
    FLOE_TRY(gpu_tree_copy(paths->self));
  for (unsigned i = 0; status == FLOE_OK && i < paths->count; i++)
    status = make_path(paths, i, &made[i]);
  if (status == FLOE_OK)
    return outcome_set_paths(out, made, paths->count);
  for (unsigned i = 0; i < paths->count; i++)
    path_free(&made[i]);
  return status;
}

static floe_status find_on_device(struct device_paths *paths, struct engine_outcome *out) {
  FLOE_TRY(take_memory(paths));
  paths->sweep.count = paths->count;
  FLOE_TRY(upload_arrays(paths, out));
  FLOE_TRY(sweep_levels(paths));
  return make_paths(paths, out);
}

/* A small history is searched on the host, unless the kernel needs no compilation. */
static floe_status find(struct device_paths *paths, struct engine_outcome *out) {
  const struct host_paths_request on_host = {paths->targets, paths->count, paths->depth, &paths->stop};
  const bool small = host_paths_suffice(out->level_states, paths->depth);
  floe_status status = FLOE_ERROR_UNSUPPORTED;
  if (fits_kernel(paths))
    status = kernels_make_predecessors(paths->self, &paths->stop, small, &paths->kernels);
  if (status == FLOE_OK)
    return find_on_device(paths, out);
  return small && status == FLOE_ERROR_UNSUPPORTED ? host_paths_find(paths->self, &on_host, out) : status;
}

void device_paths_find(struct gpu_search *self, struct engine_outcome *out) {
  const struct task_paths *request = &self->search.task->paths;
  const double begun = clock_seconds();
  struct device_paths paths = {.self = self};
  if (!search_wants_paths(&self->search))
    return;
  choose_targets(&paths, out);
  if (!is_possible(&paths, out))
    return;
  paths.stop = request->begin(request->user);
  find(&paths, out);
  free_memory(&paths);
  out->paths_seconds = clock_seconds() - begun;
}
