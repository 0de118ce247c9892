#include "gpu/explore/explore.h"

#include "gpu/engine/gpu_search.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/search_kernels.h"
#include "gpu/engine/state_download.h"
#include "gpu/engine/tree_growth.h"
#include "gpu/engine/visited_growth.h"
#include "gpu/explore/host_backed_set.h"
#include "gpu/explore/launch.h"
#include "gpu/explore/level_end.h"

#include <assert.h>

#define LEVEL_DONE (GPU_EXIT_TRIGGERED | GPU_EXIT_DEPTH | GPU_EXIT_STATES | GPU_EXIT_LEVELS | GPU_EXIT_EMPTY)

static floe_status launch_exploration(struct gpu_search *self) {
  const struct gpu_space space = gpu_search_space(self);
  gpu_search_set_stops(self);
  return gpu_search_launch(self, &self->kernels, &self->visited.table.view, &space);
}

/* Sizes of the levels that the kernel closed. */
static floe_status fetch_levels(struct gpu_search *self) {
  struct search *search = &self->search;
  const uint32_t count = self->control.level.level_count;
  if (!search_make_room(search, count))
    return FLOE_ERROR_MEMORY;
  if (count > 0)
    FLOE_TRY(gpu_download(self->gpu, search->levels.states + search->levels.count, self->buffers.level_states,
                          count * sizeof *search->levels.states));
  search_add_levels(search, count, self->control.level.exit_reasons & GPU_EXIT_EMPTY);
  if (self->group.hooks && count > 0)
    self->group.hooks->levels_closed(self, count);
  self->control.level.level_count = 0;
  return FLOE_OK;
}

void gpu_search_end_part(struct gpu_search *self) {
  if (!queue_next_part(self) && !self->search.ended)
    gpu_search_end_level(self);
}

static void improve(struct gpu_search *self) {
  const floe_status status = kernels_improve(self);
  if (status != FLOE_OK && !search_check_stop(&self->search)) /* not stopped during compilation */
    search_fail(&self->search, status);
}

/* Acts on the reasons for which the kernel returned. */
static void handle_return(struct gpu_search *self) {
  const uint32_t left = self->control.level.exit_reasons;
  if (left & LEVEL_DONE && !gpu_search_in_group(self))
    gpu_search_levels_closed(self);
  if (!self->search.ended)
    gpu_search_poll(self, NULL);
  if (!self->search.ended && self->control.pending_count > 0)
    host_backed_place_pending(self);
  else if (!self->search.ended && (left & GPU_EXIT_GROW))
    grow_set(self);
  if (!self->search.ended && self->control.tree_pending_count > 0) {
    tree_place_pending(self);
    host_backed_place_pending(self);
  }
  if (!self->search.ended && (left & GPU_EXIT_QUEUE))
    queue_was_full(self);
  if (!self->search.ended && (left & GPU_EXIT_PART) && !gpu_search_in_group(self))
    gpu_search_end_part(self);
  if (!self->search.ended)
    improve(self);
}

/* Invariant of the ring: the current part, the rest, the next level. In a group, states may result from transitions
   that other members fired. */
static bool is_consistent(const struct gpu_search *self) {
  const struct gpu_control *c = &self->control;
  return c->level.current <= c->level.current_end && c->level.current_end <= c->level.next &&
         c->level.next <= c->next_end && c->next_end - c->level.current <= self->queue.ring_words &&
         (gpu_search_in_group(self) || c->results.transitions + 1 >= gpu_search_states(self));
}

void gpu_search_explore_some(struct gpu_search *self) {
  assert(self->control.level.depth == search_depth(&self->search));
  floe_status status = launch_exploration(self);
  if (status == FLOE_OK)
    status = fetch_levels(self);
  if (status != FLOE_OK) {
    search_fail(&self->search, status);
    return;
  }
  assert(is_consistent(self));
  download_take(self);
  if (!self->search.ended)
    handle_return(self);
}
