#include "api/cause.h"

#include <inttypes.h>
#include <string.h>

/* The firing as the failing part of it saw it. */
struct scene {
  const struct model *model;
  const int64_t *values, *selects, *temps;
  uint32_t site;
  struct arena *arena;
};

void choice_values(const struct transition *transition, uint32_t choice, int64_t *selects) {
  for (size_t i = transition->select_count; i-- > 0;) {
    const struct select *select = &transition->selects[i];
    uint64_t size = (uint64_t)(select->hi - select->lo) + 1;
    selects[i] = select->lo + (int64_t)(choice % size);
    choice = (uint32_t)(choice / size);
  }
}

/* ---- looking for the site -------------------------------------------------------------------- */

static bool has_site(enum expr_op op) {
  return op == EXPR_INDEX || op == EXPR_DIV || op == EXPR_MOD || op == EXPR_SHL || op == EXPR_SHR;
}

static const struct expr *find_in_expr(const struct expr *e, uint32_t site) {
  if (!e || !e->can_fail)
    return NULL;
  if (has_site(e->op) && e->site == site)
    return e;
  const struct expr *found = find_in_expr(e->a, site);
  if (!found)
    found = find_in_expr(e->b, site);
  return found ? found : find_in_expr(e->c, site);
}

static const struct statement *find_statement(const struct statement *statements, size_t count, uint32_t site) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *found = &statements[i];
    if (found->op != ST_IF && found->site == site)
      return found;
    if (found->op == ST_IF && (found = find_statement(found->then, statement_inner_count(found), site)))
      return found;
  }
  return NULL;
}

static const struct expr *find_in_statements(const struct statement *statements, size_t count, uint32_t site) {
  const struct expr *found = NULL;
  for (size_t i = 0; i < count && !found; i++) {
    found = find_in_expr(statements[i].index, site);
    if (!found)
      found = find_in_expr(statements[i].value, site);
    if (!found && statements[i].op == ST_IF)
      found = find_in_statements(statements[i].then, statement_inner_count(&statements[i]), site);
  }
  return found;
}

static const struct expr *find_failing(const struct model *model, uint32_t transition, uint32_t site) {
  const struct expr *found = NULL;
  if (transition == NO_TRANSITION) {
    for (size_t i = 0; i < model->property_count && !found; i++)
      found = find_in_expr(model->properties[i].expr, site);
    return found;
  }
  const struct transition *t = &model->transitions[transition];
  for (size_t i = 0; i < t->guard_count && !found; i++)
    found = find_in_expr(t->guards[i], site);
  return found ? found : find_in_statements(t->statements, t->statement_count, site);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* A value in words; "a value" where it cannot be told. */
static const char *value_of(const struct scene *scene, const struct expr *expr) {
  int64_t value;
  if (!expr || interpreter_eval(scene->model, expr, scene->values, scene->selects, scene->temps, &value) != NO_SITE)
    return "a value";
  return arena_printf(scene->arena, "%" PRId64, value);
}

/* Of an element that has a range of its own: that one. */
static const struct value_range *own_range(const struct scene *scene, const struct statement *statement) {
  const struct variable *v = statement && statement->op == ST_ASSIGN ? &scene->model->variables[statement->id] : NULL;
  int64_t element = 0;
  if (!v || !v->ranges ||
      (statement->index && interpreter_eval(scene->model, statement->index, scene->values, scene->selects, scene->temps,
                                            &element) != NO_SITE))
    return NULL;
  return &v->ranges[element % v->length];
}

static const char *set_text(const struct scene *scene, const struct site *site, const struct statement *statement) {
  const struct value_range *own = own_range(scene, statement);
  if (site->set)
    return site->set;
  return arena_printf(scene->arena, "%" PRId64 "..%" PRId64, own ? own->lo : site->lo, own ? own->hi : site->hi);
}

static const char *range_text(const struct scene *scene, const struct site *site, const struct statement *statement) {
  bool sent = statement && statement->op == ST_LET;
  return arena_printf(scene->arena, "%s of %s %s %s outside %s", sent ? "sending" : "assignment",
                      value_of(scene, statement ? statement->told ? statement->told : statement->value : NULL),
                      sent ? "on" : "to", site->what, set_text(scene, site, statement));
}

static const char *failure_text(const struct scene *scene, uint32_t transition) {
  const struct model *model = scene->model;
  const struct site *site = &model->sites[scene->site];
  const struct transition *t = transition == NO_TRANSITION ? NULL : &model->transitions[transition];
  const struct expr *expr;
  switch (site->kind) {
  case SITE_RANGE:
    return range_text(scene, site, t ? find_statement(t->statements, t->statement_count, scene->site) : NULL);
  case SITE_INDEX:
    expr = find_failing(model, transition, scene->site);
    return arena_printf(scene->arena, "index %s of %s outside %" PRId64 "..%" PRId64,
                        value_of(scene, expr ? expr->a : NULL), site->what, site->lo, site->hi);
  case SITE_DIVISION:
    return arena_printf(scene->arena, "division by zero: %s is 0", site->what);
  case SITE_SHIFT:
    expr = find_failing(model, transition, scene->site);
    return arena_printf(scene->arena, "shift by %s outside %" PRId64 "..%" PRId64 ": %s",
                        value_of(scene, expr ? expr->b : NULL), site->lo, site->hi, site->what);
  case SITE_ASSERT:
    break;
  }
  return arena_printf(scene->arena, "assertion fails: %s", site->what);
}

static const char *with_place(const struct scene *scene, const char *text) {
  const struct source *source = scene->model->source;
  unsigned line, column;
  source_position(source, scene->model->sites[scene->site].at, &line, &column);
  return arena_printf(scene->arena, "%s (%s:%u)", text, source->name, line);
}

const char *cause_text(const struct model *model, const int64_t *values, struct step_edge edge, struct arena *arena) {
  struct scene scene = {.model = model, .values = values, .site = edge.site, .arena = arena};
  if (edge.transition != NO_TRANSITION) {
    const struct transition *t = &model->transitions[edge.transition];
    int64_t *selects = arena_array(arena, t->select_count, sizeof *selects);
    int64_t *temps = arena_array(arena, t->temp_count, sizeof *temps);
    int64_t *seen = arena_array(arena, model->value_count, sizeof *seen);
    memcpy(seen, values, model->value_count * sizeof *seen);
    choice_values(t, edge.choice, selects);
    uint32_t site;
    if (!interpreter_fire(model, edge.transition, edge.choice, seen, temps, &site))
      memcpy(seen, values, model->value_count * sizeof *seen);
    scene.values = seen;
    scene.selects = selects;
    scene.temps = temps;
  }
  return with_place(&scene, failure_text(&scene, edge.transition));
}
