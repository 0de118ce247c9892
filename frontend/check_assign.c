#include "frontend/check_assign.h"

#include "frontend/check_enumerations.h"

static uint32_t value_site(struct check *c, source_at at, const struct variable *v, const struct expr *value) {
  uint32_t site = build_range_site(&c->build, value, at, v->name, v->lo, v->hi);
  names_tell(c, site, v->type);
  return site;
}

struct statement assignment(struct check *c, source_at at, const struct place *place, const struct expr *value) {
  const struct variable *v = &c->build.model->variables[place->variable];
  return (struct statement){.op = ST_ASSIGN,
                            .at = at,
                            .id = place->variable,
                            .index = place->index,
                            .value = value,
                            .site = value ? value_site(c, at, v, value) : NO_SITE};
}
