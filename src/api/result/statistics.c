/* Statistics of a result as a list, from engine/statistics.def (floe_result_statistic). */
#include "api/result/result.h"

#include <string.h>

enum figure_type { FIGURE_32, FIGURE_64, FIGURE_REAL };
#define TYPE_OF(member)                                                                                                \
  _Generic(((floe_summary *)0)->member, uint32_t : FIGURE_32, uint64_t : FIGURE_64, double : FIGURE_REAL)

static const struct figure {
  const char *name, *unit, *description;
  size_t at; /* offset in floe_summary */
  enum figure_type type;
  bool exact;
} figures[] = {
#define FIGURE(name, json, unit, description, exact)                                                                   \
  {json, unit, description, offsetof(floe_summary, name), TYPE_OF(name), exact},
#define COUNT(type, name, json, unit, description) FIGURE(name, json, unit, description, true)
#define COST(type, name, json, unit, description) FIGURE(name, json, unit, description, false)
#define CALL_COST COST
#define PHASE(name, json, description) FIGURE(phases.name, json, "seconds", description, false)
#include "engine/statistics.def"
};

static floe_statistic value_of(const struct figure *figure, const floe_summary *summary) {
  const char *at = (const char *)summary + figure->at;
  floe_statistic out = {
      .name = figure->name, .unit = figure->unit, .description = figure->description, .exact = figure->exact};
  uint32_t narrow;
  switch (figure->type) {
  case FIGURE_32:
    memcpy(&narrow, at, sizeof narrow);
    out.count = narrow;
    break;
  case FIGURE_64:
    memcpy(&out.count, at, sizeof out.count);
    break;
  case FIGURE_REAL:
    memcpy(&out.real, at, sizeof out.real);
    return out;
  }
  out.is_integer = true;
  out.real = (double)out.count;
  return out;
}

size_t floe_result_statistics(const floe_result *result) { return result ? sizeof figures / sizeof *figures : 0; }

floe_statistic floe_result_statistic(const floe_result *result, size_t i) {
  return i < floe_result_statistics(result) ? value_of(&figures[i], &result->summary) : (floe_statistic){0};
}
