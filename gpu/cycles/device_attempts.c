#include "gpu/cycles/device_attempts.h"

#include "core/mem.h"
#include "engine/cycles/attempts.h"
#include "engine/path.h"
#include "engine/sizing.h"
#include "gpu/cycles/device_cycles.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/queue.h"
#include "gpu/engine/search_kernels.h"

void device_attempts_begin(struct gpu_search *self) {
  const struct engine_task *task = self->search.task;
  if (!task->cycles || !task->first_attempt || self->tree.words || !device_cycles_possible(self))
    return;
  self->attempts.next = task->first_attempt;
  self->attempts.look_at = task->first_attempt - 1;
}

/* No state of the current level is expanded, so that attempts do not depend on when launches end. */
static bool is_between_levels(const struct gpu_search *self) {
  const struct search *search = &self->search;
  return self->control.pending_count == 0 && queue_next_states(self) == 0 &&
         queue_level_rest(self) == search->levels.states[search_depth(search)];
}

/* If predictions speak against an attempt, the next look is at a quarter more states. */
static bool attempt_is_due(struct gpu_search *self) {
  struct cycle_attempts *attempts = &self->attempts;
  const struct search *search = &self->search;
  const struct sizing_levels levels = {search->levels.states, search->levels.count, search->levels.expanded};
  const uint64_t states = gpu_search_states(self);
  if (!attempts->next || states <= attempts->look_at || self->host_backed || !is_between_levels(self))
    return false;
  const bool due = cycle_attempt_due(&levels, &attempts->next);
  attempts->look_at = due ? attempts->next - 1 : states + states / 4;
  return due;
}

static void forget_cycle(struct gpu_search *self) {
  if (self->attempts.found.cycle)
    path_free(self->attempts.found.cycle);
  mem_free(self->attempts.found.cycle);
  self->attempts.found.cycle = NULL;
}

/* After an error the search continues without attempts, and after an interrupt it ends itself. */
void device_attempts_make(struct gpu_search *self) {
  struct outcome_cycles *found = &self->attempts.found;
  if (self->search.ended || !attempt_is_due(self))
    return;
  device_cycles_run(self, true, found);
  if (found->status == FLOE_OK && found->exists)
    search_finish(&self->search, FLOE_END_DECIDED);
  else if (found->status != FLOE_OK && found->status != FLOE_ERROR_MEMORY)
    self->attempts.next = 0;
}

void device_attempts_end(struct gpu_search *self) {
  forget_cycle(self);
  kernels_free(&self->attempts.kernels);
}

void device_attempts_find(struct gpu_search *self, struct outcome_cycles *out) {
  if (self->search.end == FLOE_END_DECIDED) {
    *out = self->attempts.found;
    self->attempts.found.cycle = NULL; /* the outcome owns it */
    return;
  }
  device_cycles_run(self, false, out);
}
