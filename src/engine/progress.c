#include "core/clock.h"
#include "engine/run.h"

static void fill_report(struct run *run, floe_progress *report, double now) {
  uint64_t states = run_states(run);
  uint64_t transitions = run_transitions(run);
  double since = now - run->last_report;
  *report = (floe_progress){.states = states,
                            .transitions = transitions,
                            .frontier = run->frontier.states,
                            .duplicates = transitions + 1 > states ? transitions + 1 - states : 0,
                            .depth = run->depth,
                            .seconds = now - run->begun,
                            .bytes = budget_used(&run->budget)};
  report->rate = since > 0 ? (double)(states - run->last_states) / since : 0;
  report->table_fill = (double)states / (double)table_shape(run->table)->slots;
}

static void send_report(struct run *run, double now) {
  const floe_options *options = run->task->options;
  floe_progress report;
  fill_report(run, &report, now);
  run->last_report = now;
  run->last_states = report.states;
  run->next_report = now + options->progress_seconds;
  options->progress(&report, options->user);
}

void run_watch(struct run *run) {
  const floe_options *options = run->task->options;
  bool timed = options->timeout > 0;
  if (!timed && !options->progress)
    return;
  double now = clock_seconds();
  if (timed && now - run->task->started >= options->timeout)
    run_stop(run, STOP_TIMEOUT);
  if (options->progress && now >= run->next_report)
    send_report(run, now);
}

struct stop engine_stop(const struct engine_task *task) {
  double timeout = task->options->timeout;
  return (struct stop){.interrupt = task->interrupt,
                       .needless = task->needless,
                       .deadline = timeout > 0 ? task->started + timeout : 0,
                       .waiting = task->waiting,
                       .user = task->user};
}
