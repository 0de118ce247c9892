#include "frontend/expr/check_assign.h"

#include "frontend/expr/check_values.h"

struct statement assignment(struct check *c, source_at at, const struct place *place, const struct expr *value) {
  const struct variable *v = &c->build.model->variables[place->variable];
  struct statement out = {.op = ST_ASSIGN, .at = at, .id = place->variable, .index = place->index, .site = NO_SITE};
  if (c->variable_infos[place->variable].wraps)
    value = build_wrapped(&c->build, at, value, v->lo, v->hi);
  if (value && v->values) {
    out.displayed = value;
    value = values_position(c, at, place->variable, value);
  }
  if (value && v->ranges) {
    out.displayed = value;
    value = values_in_range(c, at, v, place->index, value);
  }
  out.value = value;
  if (value)
    out.site = build_assign_site(&c->build, value, at, v);
  build_site_names(&c->build, out.site, v->type);
  if (out.site != NO_SITE && v->values)
    c->build.sites.items[out.site].set = v->values->text;
  return out;
}
