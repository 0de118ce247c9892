#include "api/trace/error_text.h"

#include <inttypes.h>
#include <string.h>

/* The firing as the failing part of it saw it. */
struct scene {
  const struct model *model;
  const int64_t *values, *selects, *temps;
  uint32_t site;
  struct interpreter_failure failure;
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

/* ---- words ----------------------------------------------------------------------------------- */

/* The value that was to be stored, as people wrote it. */
static int64_t stored(const struct scene *scene) {
  int64_t value = scene->failure.value;
  const struct expr *told = scene->failure.statement->told;
  if (told)
    interpreter_eval(scene->model, told, scene->values, scene->selects, scene->temps, &value);
  return value;
}

/* Of an element that has a range of its own: that one. */
static const struct value_range *own_range(const struct scene *scene, const struct statement *statement) {
  const struct variable *v = statement->op == ST_ASSIGN ? &scene->model->variables[statement->id] : NULL;
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

static const char *range_text(const struct scene *scene, const struct site *site) {
  const struct statement *statement = scene->failure.statement;
  bool sent = statement->op == ST_LET;
  return arena_printf(scene->arena, "%s of %" PRId64 " %s %s outside %s", sent ? "sending" : "assignment",
                      stored(scene), sent ? "on" : "to", site->what, set_text(scene, site, statement));
}

static const char *failure_text(const struct scene *scene) {
  const struct site *site = &scene->model->sites[scene->site];
  const int64_t value = scene->failure.value;
  switch (site->kind) {
  case SITE_RANGE:
    return range_text(scene, site);
  case SITE_INDEX:
    return arena_printf(scene->arena, "index %" PRId64 " of %s outside %" PRId64 "..%" PRId64, value, site->what,
                        site->lo, site->hi);
  case SITE_DIVISION:
    return arena_printf(scene->arena, "division by zero: %s is 0", site->what);
  case SITE_SHIFT:
    return arena_printf(scene->arena, "shift by %" PRId64 " outside %" PRId64 "..%" PRId64 ": %s", value, site->lo,
                        site->hi, site->what);
  case SITE_ASSERT:
    break;
  }
  return arena_printf(scene->arena, "assertion fails: %s", site->what);
}

/* Rounds of a loop share their place. */
static const char *with_round(const struct scene *scene, const char *text) {
  const struct statement *statement = scene->failure.statement;
  const char *values = "";
  for (const struct loop_round *r = statement ? statement->round : NULL; r; r = r->outer)
    values = arena_printf(scene->arena, "%s = %" PRId64 "%s%s", r->name, r->value, *values ? ", " : "", values);
  return *values ? arena_printf(scene->arena, "%s with %s", text, values) : text;
}

static const char *with_place(const struct scene *scene, const char *text) {
  const struct source *source = scene->model->source;
  unsigned line, column;
  source_position(source, scene->model->sites[scene->site].at, &line, &column);
  return arena_printf(scene->arena, "%s (%s:%u)", text, source->name, line);
}

/* The firing once more: the interpreter leaves values and temporaries as the failing part saw them. */
static bool fire_again(struct scene *scene, struct step_edge edge) {
  const struct model *model = scene->model;
  const struct transition *t = &model->transitions[edge.transition];
  int64_t *selects = arena_array(scene->arena, t->select_count, sizeof *selects);
  int64_t *temps = arena_array(scene->arena, t->temp_count, sizeof *temps);
  int64_t *seen = arena_array(scene->arena, model->value_count, sizeof *seen);
  uint32_t site;
  memcpy(seen, scene->values, model->value_count * sizeof *seen);
  choice_values(t, edge.choice, selects);
  scene->values = seen;
  scene->selects = selects;
  scene->temps = temps;
  return interpreter_explain_firing(model, edge.transition, edge.choice, seen, temps, &site, &scene->failure) &&
         site == scene->site;
}

/* Of the first property that fails there. */
static bool evaluate_again(struct scene *scene) {
  const struct model *model = scene->model;
  for (size_t i = 0; i < model->property_count; i++) {
    const struct expr *expr = model->properties[i].expr;
    if (expr && interpreter_explain(model, expr, scene->values, &scene->failure) == scene->site)
      return true;
  }
  return false;
}

const char *cause_text(const struct model *model, const int64_t *values, struct step_edge edge, struct arena *arena) {
  struct scene scene = {.model = model, .values = values, .site = edge.site, .arena = arena};
  bool fails = edge.transition == NO_TRANSITION ? evaluate_again(&scene) : fire_again(&scene, edge);
  return fails ? with_place(&scene, with_round(&scene, failure_text(&scene))) : NULL;
}
