#include "gpu/explore/level_end.h"

#include "core/system/clock.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/violations.h"
#include "gpu/explore/launch.h"

void gpu_search_gather(struct gpu_search *self, uint32_t depth) {
  floe_status status = violations_gather(self, depth);
  if (status != FLOE_OK)
    search_fail(&self->search, status);
}

/* Ends a search that more GPUs should continue. If these must be opened first, their kernels may take as long to
   compile as this one's did: only after exploring for so long. */
static void check_escalation(struct gpu_search *self) {
  const bool later = self->search.task->devices.escalate_from > 0 && !self->test_settings.alone;
  if (!later || clock_seconds() - self->search.begun >= self->build.seconds)
    search_check_escalation(&self->search, gpu_search_large_level(self), gpu_search_states(self));
}

void gpu_search_levels_closed(struct gpu_search *self) {
  struct search *search = &self->search;
  const bool empty = self->control.level.exit_reasons & GPU_EXIT_EMPTY;
  gpu_search_gather(self, search_depth(search) - (empty ? 0 : 1));
  if (!search->ended)
    search_decide(search, empty, gpu_search_states(self));
  check_escalation(self);
}

static void close_level(struct gpu_search *self) {
  struct search *search = &self->search;
  const uint64_t next = queue_next_states(self);
  gpu_search_gather(self, search_depth(search));
  if (search->ended)
    return;
  if (next > 0) {
    queue_next_level(self);
    self->control.level.depth++;
  }
  search_level_done(search);
  search_next_level(search, next, gpu_search_states(self));
  check_escalation(self);
}

void gpu_search_end_level(struct gpu_search *self) {
  struct search *search = &self->search;
  if (!self->control.level.properties_only) {
    close_level(self);
    return;
  }
  gpu_search_gather(self, search_depth(search));
  if (!search->ended)
    search_decide_at_bound(search);
}
