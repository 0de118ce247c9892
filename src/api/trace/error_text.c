#include "api/trace/error_text.h"

#include <inttypes.h>
#include <string.h>

/* Values at the failing part of a firing or evaluation. */
struct failure_scene {
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

/* ---- text ------------------------------------------------------------------------------------ */

/* The value to be stored, by the expression as written. */
static int64_t stored_value(const struct failure_scene *scene) {
  int64_t value = scene->failure.value;
  const struct expr *displayed = scene->failure.statement->displayed;
  if (displayed)
    interpreter_eval(scene->model, displayed, scene->values, scene->selects, scene->temps, &value);
  return value;
}

/* Range of an element that differs from its variable's; NULL: it does not. */
static const struct value_range *element_range(const struct failure_scene *scene, const struct statement *statement) {
  const struct variable *v = statement->op == ST_ASSIGN ? &scene->model->variables[statement->id] : NULL;
  int64_t element = 0;
  if (!v || !v->ranges ||
      (statement->index && interpreter_eval(scene->model, statement->index, scene->values, scene->selects, scene->temps,
                                            &element) != NO_SITE))
    return NULL;
  return &v->ranges[element % v->length];
}

static const char *set_text(const struct failure_scene *scene, const struct site *site,
                            const struct statement *statement) {
  const struct value_range *own = element_range(scene, statement);
  if (site->set)
    return site->set;
  return arena_printf(scene->arena, "%" PRId64 "..%" PRId64, own ? own->lo : site->lo, own ? own->hi : site->hi);
}

/* The range is that of the number of instances: `what` is the name that the process has, not only an equal one. */
static bool is_of_instances(const struct model *model, const struct site *site) {
  for (size_t i = 0; i < model->process_count; i++)
    if (model->processes[i].name == site->what)
      return true;
  return false;
}

static const char *range_text(const struct failure_scene *scene, const struct site *site) {
  const struct statement *statement = scene->failure.statement;
  bool sent = statement->op == ST_LET;
  if (sent && is_of_instances(scene->model, site))
    return arena_printf(scene->arena, "more than %" PRId64 " instances of %s", site->hi, site->what);
  return arena_printf(scene->arena, "%s of %" PRId64 " %s %s outside %s", sent ? "sending" : "assignment",
                      stored_value(scene), sent ? "on" : "to", site->what, set_text(scene, site, statement));
}

static const char *failure_text(const struct failure_scene *scene) {
  const struct site *site = &scene->model->sites[scene->site];
  const int64_t value = scene->failure.value;
  switch (site->kind) {
  case SITE_RANGE:
    return range_text(scene, site);
  case SITE_INDEX:
    return arena_printf(scene->arena, "index %" PRId64 " of %s outside %" PRId64 "..%" PRId64, value + site->lo,
                        site->what, site->lo, site->hi);
  case SITE_VALUE:
    return arena_printf(scene->arena, "value %" PRId64 " for %s outside %" PRId64 "..%" PRId64, value + site->lo,
                        site->what, site->lo, site->hi);
  case SITE_UNDEFINED:
    return arena_printf(scene->arena, "%s is undefined", site->what);
  case SITE_ERROR:
    return site->what;
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

/* Iterations of a loop have the same place in the text. */
static const char *with_round(const struct failure_scene *scene, const char *text) {
  const struct statement *statement = scene->failure.statement;
  const char *values = "";
  for (const struct loop_iteration *r = statement ? statement->iteration : NULL; r; r = r->outer)
    values = arena_printf(scene->arena, "%s = %" PRId64 "%s%s", r->name, r->value, *values ? ", " : "", values);
  return *values ? arena_printf(scene->arena, "%s with %s", text, values) : text;
}

static const char *with_place(const struct failure_scene *scene, const char *text) {
  const struct source *source = scene->model->source;
  const source_at at = scene->model->sites[scene->site].at;
  unsigned line, column;
  source_position(source, at, &line, &column);
  return arena_printf(scene->arena, "%s (%s:%u)", text, source_find(source, at)->name, line);
}

/* Repeats the firing: the interpreter leaves values and temporaries as they are at the failing part. */
static bool fire_again(struct failure_scene *scene, struct step_edge edge) {
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
  return interpreter_explain_firing(model, (struct interpreter_choice){.transition = t, .number = edge.choice}, seen,
                                    temps, &site, &scene->failure) &&
         site == scene->site;
}

/* Finds the first property that fails at the site. */
static bool evaluate_again(struct failure_scene *scene) {
  const struct model *model = scene->model;
  for (size_t i = 0; i < model->property_count; i++) {
    const struct expr *expr = model->properties[i].expr;
    if (expr && interpreter_explain(model, expr, scene->values, &scene->failure) == scene->site)
      return true;
  }
  return false;
}

const char *cause_text(const struct model *model, const int64_t *values, struct step_edge edge, struct arena *arena) {
  struct failure_scene scene = {.model = model, .values = values, .site = edge.site, .arena = arena};
  if (model->transient && edge.site == model->transient->exceeded) /* of the whole sequence */
    return with_place(&scene, failure_text(&scene));
  bool fails = edge.transition == NO_TRANSITION ? evaluate_again(&scene) : fire_again(&scene, edge);
  return fails ? with_place(&scene, with_round(&scene, failure_text(&scene))) : NULL;
}

const char *expression_cause_text(const struct model *model, const struct expr *expr, const int64_t *values,
                                  struct arena *arena) {
  struct failure_scene scene = {.model = model, .values = values, .arena = arena};
  scene.site = interpreter_explain(model, expr, values, &scene.failure);
  return scene.site == NO_SITE ? NULL : failure_text(&scene);
}
