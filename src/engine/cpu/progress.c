#include "core/clock.h"
#include "engine/snapshot/snapshot.h"
#include "engine/cpu/cpu_search.h"

static floe_progress figures(struct rank *rank) {
  const uint64_t states = rank_states(rank), others = rank->together.exchange ? rank->together.others : 0;
  return (floe_progress){.states = states + others,
                         .transitions =
                             rank_transitions(rank) + (rank->together.exchange ? rank->together.others_fired : 0),
                         .frontier = rank->frontier.states,
                         .depth = search_depth(rank->search),
                         .table_fill = (double)states / (double)rank->visited->shape.slots,
                         .bytes = budget_used(&rank->budget)};
}

void rank_watch(struct rank *rank) {
  struct search *search = rank->search;
  const floe_options *options = search->task->options;
  bool timed = options->timeout > 0;
  if (!timed && !options->progress && !search->task->keeping)
    return;
  double now = clock_seconds();
  if (timed && now - search->task->started >= options->timeout)
    rank_stop(rank, STOP_TIMEOUT);
  if (!rank->keep_due && moment_is_due(search, now))
    rank_stop(rank, STOP_KEEP);
  if (search_report_due(search, now))
    search_report(search, figures(rank), now);
}
