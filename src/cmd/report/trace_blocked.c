/* The states of a trace, and the blocked transitions of a deadlock as text. */
#include "cmd/report/report.h"

#include "cmd/console/message.h"

#include <string.h>

#define MAX_BLOCKED 40 /* lines; JSON lists all */

/* ---- states ---------------------------------------------------------------------------------- */

void trace_first_state(const floe_trace *trace, floe_change *values) {
  for (size_t i = 0; i < floe_trace_variables(trace); i++)
    values[i] = floe_trace_initial_value(trace, i);
}

/* Changes are in the order of the variables. */
void trace_apply_step(const floe_trace *trace, size_t step, floe_change *values) {
  const size_t changes = floe_trace_step(trace, step).changes, count = floe_trace_variables(trace);
  for (size_t i = 0, v = 0; i < changes; i++) {
    const floe_change change = floe_trace_change(trace, step, i);
    while (v < count && strcmp(values[v].name, change.name) != 0)
      v++;
    if (v < count)
      values[v].after = change.after;
  }
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_obstacle(FILE *out, const floe_obstacle *obstacle, bool first) {
  fputs(first ? " " : "; ", out);
  put_printable(out, obstacle->text);
  fputs(obstacle->kind == FLOE_OBSTACLE_GUARD ? " is false" : "", out);
  for (size_t i = 0; i < obstacle->values; i++)
    fprintf(out, ", %s is %s", printable(obstacle->value_list[i].name), printable(obstacle->value_list[i].after));
}

/* "P[0] at one waits for second"; without a process the name of the transition. */
static void print_waiting(FILE *out, const floe_blocked_transition *wait) {
  if (!wait->process[0])
    fprintf(out, "     blocked: %s", printable(wait->label));
  else if (wait->label[0])
    fprintf(out, "     %s at %s waits for %s", wait->process, wait->location, printable(wait->label));
  else
    fprintf(out, "     %s at %s waits to go to %s", wait->process, wait->location, wait->to);
}

static void print_blocked(FILE *out, const floe_blocked_transition *wait, const char *file) {
  if (!is_transition(wait)) {
    fprintf(out, "     %s at %s: no transition leaves this location\n", wait->process, wait->location);
    return;
  }
  print_waiting(out, wait);
  for (size_t i = 0; i < wait->selects; i++)
    fprintf(out, "%s%s=%s%s", i ? ", " : " {", wait->select_list[i].name, wait->select_list[i].text,
            i + 1 < wait->selects ? "" : "}");
  report_place(out, wait->file, file, wait->line);
  fputc(':', out);
  for (size_t i = 0; i < wait->obstacles; i++)
    print_obstacle(out, &wait->obstacle_list[i], i == 0);
  fputc('\n', out);
}

void report_blocked(FILE *out, const floe_trace *trace, const char *file) {
  size_t count = floe_trace_blocked_transitions(trace);
  for (size_t i = 0; i < count && i < MAX_BLOCKED; i++) {
    floe_blocked_transition wait = floe_trace_blocked_transition(trace, i);
    print_blocked(out, &wait, file);
  }
  if (count > MAX_BLOCKED)
    fprintf(out, "     and %zu more\n", count - MAX_BLOCKED);
  if (floe_trace_blocked_incomplete(trace))
    fputs("     and others, omitted for lack of time\n", out);
}
