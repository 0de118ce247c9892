#include "core/system/clock.h"
#include "engine/cpu/cpu_search.h"
#include "engine/snapshot/snapshot.h"

static floe_progress figures(struct cpu_search *self) {
  const uint64_t states = cpu_states(self);
  return (floe_progress){.states = states + self->collective.other_states,
                         .transitions = cpu_transitions(self) + self->collective.other_transitions,
                         .frontier = self->frontier.level.states,
                         .depth = search_depth(&self->search),
                         .table_fill = (double)states / (double)self->visited.set->shape.slots,
                         .bytes = budget_used(&self->budget)};
}

void cpu_check_clock(struct cpu_search *self) {
  struct search *search = &self->search;
  const floe_options *options = search->task->options;
  bool timed = options->timeout > 0;
  if (!timed && !options->progress && !search->task->snapshot.policy)
    return;
  double now = clock_seconds();
  if (timed && now - search->task->limits.started >= options->timeout)
    cpu_stop(self, STOP_TIMEOUT);
  if (!self->group.checkpoint_due && snapshot_is_due(search, now))
    cpu_stop(self, STOP_CHECKPOINT);
  if (search_report_due(search, now))
    search_report(search, figures(self), now);
}
