/* Why transitions never fired, as text. */
#include "cmd/report/report.h"

#include "cmd/message.h"

#include <inttypes.h>
#include <string.h>

#define LINE 100 /* characters that the state's lines have */

/* As many variables on a line as there is room for. */
static void put_state(const floe_result *result, size_t i, size_t values) {
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

static void put_conditions(const floe_result *result, size_t i, const floe_unfired *never) {
  int width = widest_condition(result, i, never->conditions);
  for (size_t j = 0; j < never->conditions; j++) {
    floe_unfired_condition condition = floe_result_unfired_condition(result, i, j);
    printf("    %-*s  true in %" PRIu64 " of %" PRIu64 " states%s\n", width, printable(condition.text),
           condition.states, never->states, condition.met ? "" : ", not in the nearest");
  }
}

void report_never(const floe_result *result, size_t transition) {
  for (size_t i = 0; i < floe_result_unfired_count(result); i++) {
    floe_unfired never = floe_result_unfired(result, i);
    if (never.transition != transition)
      continue;
    if (never.conditions == 0) {
      puts("    cannot fire for these constants: its guard is false, or nobody is there to "
           "synchronise with");
      return;
    }
    put_conditions(result, i, &never);
    printf("    nearest: %s at depth %" PRIu32 ", %zu of %zu conditions:", never.who, never.depth, never.met,
           never.conditions);
    put_state(result, i, never.values);
  }
}
