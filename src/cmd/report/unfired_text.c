/* Prints transitions, and why they never fired. */
#include "cmd/report/report.h"

#include "cmd/console/message.h"

#include <inttypes.h>
#include <string.h>

#define LINE 100 /* characters per line of the state */

void report_transition(FILE *out, const floe_transition *transition, const char *after_label) {
  fprintf(out, "%s%s%s", transition->process, transition->process[0] ? " " : "", printable(transition->label));
  if (transition->process[0])
    fprintf(out, "%s%s -> %s", transition->label[0] ? after_label : "", transition->from, transition->to);
}

/* Breaks lines between variables. */
static void print_unfired_state(const floe_result *result, size_t i, size_t values) {
  size_t column = LINE;
  for (size_t j = 0; j < values; j++) {
    floe_change value = floe_result_unfired_value(result, i, j);
    size_t width = strlen(value.name) + strlen(value.after) + strlen(" =,");
    if (column + width > LINE) {
      fputs("\n     ", stdout);
      column = strlen("     ");
    }
    column += (size_t)printf(" %s=%s%s", value.name, value.after, j + 1 < values ? "," : "");
  }
  putchar('\n');
}

static int widest_condition(const floe_result *result, size_t i, size_t conditions) {
  size_t width = 0;
  for (size_t j = 0; j < conditions; j++) {
    size_t length = strlen(printable(floe_result_unfired_condition(result, i, j).text));
    width = length > width ? length : width;
  }
  return width > LINE / 2 ? LINE / 2 : (int)width;
}

static void print_conditions(const floe_result *result, size_t i, const floe_unfired *unfired) {
  int width = widest_condition(result, i, unfired->conditions);
  for (size_t j = 0; j < unfired->conditions; j++) {
    floe_unfired_condition condition = floe_result_unfired_condition(result, i, j);
    printf("    %-*s  true in %" PRIu64 " of %" PRIu64 " states%s\n", width, printable(condition.text),
           condition.states, unfired->states, condition.met ? "" : ", not in the nearest");
  }
}

void report_unfired(const floe_result *result, size_t transition) {
  for (size_t i = 0; i < floe_result_unfired_transitions(result); i++) {
    floe_unfired unfired = floe_result_unfired(result, i);
    if (unfired.transition != transition)
      continue;
    if (unfired.conditions == 0) {
      puts("    no condition was evaluated: a select has no values, or the selects have too many");
      return;
    }
    print_conditions(result, i, &unfired);
    printf("    nearest: %s at depth %" PRIu32 ", %zu of %zu conditions:", unfired.participants, unfired.depth,
           unfired.met, unfired.conditions);
    print_unfired_state(result, i, unfired.values);
  }
}
