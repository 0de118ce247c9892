#include "gpu/engine/tree_growth.h"

#include "base/numbers.h"
#include "core/system/clock.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/gpu_tree.h"
#include "gpu/engine/state_download.h"
#include "gpu/engine/visited_growth.h"

#include "tree/kernel/tree.h"

#define STEEP_ROOM ((uint64_t)1 << 22) /* tables grow fourfold up to so many numbers */
#define MOST_ROOM ((uint64_t)1 << 32)  /* numbers have 32 bits */
#define ADDRESS(pointer) ((gpu_address)(uintptr_t)(pointer))

static unsigned log_of(uint64_t power) { return (unsigned)__builtin_ctzll(power); }

/* ---- growth -------------------------------------------------------------------------------------- */

/* Seven eighths of the limit are in use. */
static bool is_nearly_full(const struct gpu_tree *tree, uint32_t id) {
  return tree->numbers[id] >= tree->tables[id].limit - tree->tables[id].limit / 8;
}

static floe_status fill_larger(struct gpu_search *self, uint32_t id, struct tree_table *larger) {
  const uint64_t n = self->tree.numbers[id];
  struct tree_table table = *larger;
  uint64_t numbers = n;
  void *arguments[] = {&table, &numbers};
  FLOE_TRY(gpu_copy(self->gpu, ADDRESS(larger->contents), ADDRESS(self->tree.tables[id].contents), n * sizeof n));
  FLOE_TRY(gpu_kernel_start(self->gpu, &self->kernels.tree_put, n, arguments));
  return gpu_wait(self->gpu);
}

static floe_status grow_table(struct gpu_search *self, uint32_t id) {
  struct tree_table *table = &self->tree.tables[id], larger = *table;
  const uint64_t room = gpu_tree_room(table) * (gpu_tree_room(table) < STEEP_ROOM ? 4 : 2);
  if (room > MOST_ROOM)
    return FLOE_ERROR_MEMORY;
  larger.contents = NULL;
  floe_status status = gpu_tree_allocate(self, room, &larger);
  if (status == FLOE_OK)
    status = fill_larger(self, id, &larger);
  gpu_tree_release(self, status == FLOE_OK ? table : &larger);
  if (status == FLOE_OK)
    *table = larger;
  return status;
}

/* Widens the visited set's keys as the tables of the root grow. */
static floe_status widen_keys(struct gpu_search *self) {
  const struct gpu_tree *tree = &self->tree;
  const unsigned bits[2] = {log_of(gpu_tree_room(&tree->tables[tree->count - 2])),
                            log_of(gpu_tree_room(&tree->tables[tree->count - 1]))};
  if (bits[0] == tree->bits[0] && bits[1] == tree->bits[1])
    return FLOE_OK;
  return grow_keys(self, bits);
}

/* Full tables must grow; nearly full ones stay as they are if memory has no room for larger ones. */
static floe_status grow_full_tables(struct gpu_search *self) {
  const struct gpu_tree *tree = &self->tree;
  for (uint32_t id = 0; id < tree->count; id++) {
    if (!is_nearly_full(tree, id))
      continue;
    const floe_status status = grow_table(self, id);
    if (status != FLOE_OK && (status != FLOE_ERROR_MEMORY || tree->numbers[id] >= tree->tables[id].limit))
      return status;
  }
  return FLOE_OK;
}

static floe_status grow_tables(struct gpu_search *self) {
  const double start = clock_seconds();
  FLOE_TRY(gpu_tree_count(self));
  floe_status status = grow_full_tables(self);
  self->tree.growths++;
  FLOE_TRY(gpu_tree_upload(self));
  if (status == FLOE_OK)
    status = widen_keys(self);
  self->visited.grow_seconds += clock_seconds() - start;
  return status;
}

/* ---- from a checkpoint --------------------------------------------------------------------------- */

floe_status tree_load_table(struct gpu_search *self, uint32_t id, const uint64_t *contents, uint64_t n) {
  struct gpu_tree *tree = &self->tree;
  struct tree_table *table = &tree->tables[id];
  uint64_t room = gpu_tree_room(table);
  while (room < n + n / 4 + tree->users)
    room *= 2;
  if (room > MOST_ROOM)
    return FLOE_ERROR_MEMORY;
  if (room > gpu_tree_room(table)) {
    gpu_tree_release(self, table);
    FLOE_TRY(gpu_tree_allocate(self, room, table));
  }
  tree->numbers[id] = n;
  void *arguments[] = {table, &n};
  FLOE_TRY(gpu_upload(self->gpu, ADDRESS(table->contents), contents, n * sizeof n));
  FLOE_TRY(gpu_upload(self->gpu, ADDRESS(table->count), &n, sizeof n));
  FLOE_TRY(gpu_kernel_start(self->gpu, &self->kernels.tree_put, n, arguments));
  return gpu_wait(self->gpu);
}

floe_status tree_load_end(struct gpu_search *self) {
  FLOE_TRY(gpu_tree_upload(self));
  return widen_keys(self);
}

/* ---- states without roots ------------------------------------------------------------------------ */

static floe_status try_insert(struct gpu_search *self, uint64_t n) {
  struct gpu_space space = gpu_search_space(self);
  void *arguments[] = {&space};
  space.source = ON_DEVICE(const uint64_t, self->buffers.source);
  space.source_count = n;
  self->control.tree_pending_count = 0;
  FLOE_TRY(gpu_search_upload(self));
  struct gpu_kernel kernel = self->kernels.tree_roots;
  kernel.blocks = (unsigned)least(kernel.blocks, self->grid.blocks);
  FLOE_TRY(gpu_kernel_start(self->gpu, &kernel, n, arguments));
  return gpu_search_download(self);
}

floe_status tree_insert(struct gpu_search *self, uint64_t n) {
  FLOE_TRY(try_insert(self, n));
  while (self->control.tree_pending_count > 0) {
    FLOE_TRY(grow_tables(self));
    FLOE_TRY(try_insert(self, n));
  }
  return FLOE_OK;
}

void tree_place_pending(struct gpu_search *self) {
  const uint64_t n = self->control.tree_pending_count;
  floe_status status = grow_tables(self);
  if (status == FLOE_OK)
    status = tree_insert(self, n);
  const bool inserted = status == FLOE_OK;
  if (inserted)
    status = grow_insert(self, n);
  else
    self->control.tree_pending_count = n; /* the kernel left all of them in place */
  if (status == FLOE_OK) {
    download_take(self);
    return;
  }
  if (inserted)
    self->search.checkpoints.inexact = true; /* some states are neither in the set nor in the queue */
  if (status == FLOE_ERROR_MEMORY)
    search_finish(&self->search, FLOE_END_MEMORY);
  else if (!search_check_stop(&self->search))
    search_fail(&self->search, status);
}
