#include "frontend/check/check_properties.h"

#include "frontend/check/check_temporal.h"
#include "frontend/expr/check_expr.h"
#include "frontend/expr/check_names.h"
#include "frontend/parse/source_text.h"
#include "model/property_kind.h"
#include "model/temporal/fairness.h"

#include <string.h>

static bool is_built_in(const char *id) { return strcmp(id, "deadlock") == 0 || strcmp(id, "errors") == 0; }

static void check_id(struct check *c, size_t number) {
  const struct syntax_property *property = &c->syntax->properties[number];
  if (is_built_in(property->id))
    CHECK_ERROR(c, property->at, NULL, "'%s' is the name of a built-in property", property->id);
  for (size_t i = 0; i < number; i++)
    if (strcmp(c->syntax->properties[i].id, property->id) == 0) {
      CHECK_ERROR(c, property->at, NULL, "there is already a property '%s' (%s)", property->id,
                  source_line(c, property->at, c->syntax->properties[i].at));
      return;
    }
}

static const struct expr *lower_property(struct check *c, const struct syntax_expr *e) {
  struct scope s = {.check = c};
  const struct expr *expr = e ? lower(&s, e) : NULL;
  return expr ? build_truth(&c->build, expr) : NULL;
}

/* The text of a property of kind `eventually` lacks the operator. */
static const char *property_text(struct check *c, const struct syntax_property *p) {
  const struct syntax_expr *const e = p->expr;
  if (p->automaton)
    return arena_printf(c->build.arena, "no run of the automaton %s", p->automaton->file);
  const char *text = source_excerpt_text(c->build.source, e, c->build.arena);
  const bool is_implied = e && e->op == SYN_EVENTUALLY && e->start == e->a->start;
  return is_implied ? arena_printf(c->build.arena, "eventually (%s)", text) : text;
}

/* NULL: there is none, or it is wrong, logged. */
static const char *property_fairness(struct check *c, const struct syntax_property *p) {
  struct fairness fairness;
  struct fairness_error error;
  if (!p->fairness)
    return NULL;
  if (!property_kinds[p->kind].temporal) {
    CHECK_ERROR(c, p->fairness->at[0], "temporal kinds are ltl, eventually and leadsto",
                "fairness matters only to temporal properties");
    return NULL;
  }
  if (fairness_parse(c->build.model, p->fairness->text, c->build.arena, &fairness, &error))
    return p->fairness->text;
  CHECK_ERROR(c, p->fairness->at[error.offset], error.hint, "%s", error.message);
  return NULL;
}

/* Fairness matters only to temporal properties. */
static const struct temporal *lower_temporal(struct check *c, const struct syntax_property *p,
                                             const struct expr **evaluations) {
  const char *const fairness = property_fairness(c, p);
  if (p->automaton)
    return temporal_lower_automaton(c, p->automaton, fairness, evaluations);
  return property_kinds[p->kind].temporal && p->expr ? temporal_lower(c, p->expr, fairness, evaluations) : NULL;
}

void properties_lower(struct check *c) {
  const struct syntax_model *m = c->syntax;
  if (m->property_count > MODEL_MAX_PROPERTIES) {
    CHECK_ERROR(c, m->properties[MODEL_MAX_PROPERTIES].at, NULL,
                "the model has %zu properties; at most %d are possible", m->property_count, MODEL_MAX_PROPERTIES);
    return;
  }
  struct property *properties = arena_array(c->build.arena, m->property_count + 2, sizeof *properties);
  size_t n = 0;
  for (size_t i = 0; i < m->property_count; i++) {
    const struct syntax_property *p = &m->properties[i];
    check_id(c, i);
    const bool is_temporal = property_kinds[p->kind].temporal;
    const struct expr *evaluations = NULL;
    const struct temporal *temporal = lower_temporal(c, p, &evaluations);
    properties[n++] = (struct property){.id = p->id,
                                        .description = p->description ? p->description : "",
                                        .kind = p->kind,
                                        .expr = is_temporal ? evaluations : lower_property(c, p->expr),
                                        .temporal = temporal,
                                        .text = property_text(c, p),
                                        .at = p->at};
  }
  const struct expr *unless = lower_property(c, m->deadlock.unless);
  if (m->deadlock.check)
    properties[n++] = (struct property){
        "deadlock", "", FLOE_DEADLOCK, unless, "", m->deadlock.present ? m->deadlock.at : NOWHERE, NULL};
  properties[n++] = (struct property){"errors", "", FLOE_ERRORS, NULL, "", NOWHERE, NULL};
  c->build.model->properties = properties;
  c->build.model->property_count = n;
}

/* ---- expected results ---------------------------------------------------------------- */

static void unknown_property(struct check *c, const struct expected_verdict *verdict) {
  const char **ids = arena_array(c->build.arena, c->build.model->property_count, sizeof *ids);
  for (size_t i = 0; i < c->build.model->property_count; i++)
    ids[i] = c->build.model->properties[i].id;
  const char *nearest = most_similar_name(verdict->property, ids, c->build.model->property_count);
  if (strcmp(verdict->property, "deadlock") == 0)
    CHECK_ERROR(c, verdict->at, NULL, "freedom from deadlock is not checked in this model");
  else
    CHECK_ERROR(c, verdict->at, suggestion_text(c, nearest), "unknown property '%s'", verdict->property);
}

static bool value_fits(floe_property_kind kind, floe_verdict_value value) {
  if (value == FLOE_UNDECIDED)
    return kind != FLOE_ERRORS;
  return value == property_kinds[kind].found || value == property_kinds[kind].absent;
}

static const char *fitting_values(floe_property_kind kind) {
  return kind == FLOE_REACHABLE ? "'reachable', 'unreachable' or 'undecided'"
         : kind == FLOE_ERRORS  ? "'holds' or 'violated'"
                                : "'holds', 'violated' or 'undecided'";
}

static void check_verdict(struct check *c, const struct expectation *expect, size_t number) {
  const struct expected_verdict *verdict = &expect->verdicts[number];
  const struct property *property = NULL;
  for (size_t i = 0; i < c->build.model->property_count; i++)
    if (strcmp(c->build.model->properties[i].id, verdict->property) == 0)
      property = &c->build.model->properties[i];
  if (!property)
    unknown_property(c, verdict);
  else if (!value_fits(property->kind, verdict->value))
    CHECK_ERROR(c, verdict->at, NULL, "the verdict on '%s' is %s", property->id, fitting_values(property->kind));
  for (size_t i = 0; i < number; i++)
    if (strcmp(expect->verdicts[i].property, verdict->property) == 0)
      CHECK_ERROR(c, verdict->at, NULL, "there is already a verdict on '%s'", verdict->property);
}

static void check_expected_constant(struct check *c, const struct expected_constant *definition) {
  struct scope s = {.check = c};
  const struct symbol *symbol = names_find(&c->globals, definition->name);
  if (!symbol || symbol->kind != SYMBOL_CONSTANT)
    CHECK_ERROR(c, definition->at, scope_suggestion(&s, definition->name, SYMBOL_CONSTANT), "unknown constant '%s'",
                definition->name);
}

void expects_check(struct check *c) {
  for (size_t i = 0; i < c->syntax->expect_count; i++) {
    const struct expectation *expect = &c->syntax->expects[i];
    for (size_t k = 0; k < expect->constant_count; k++)
      check_expected_constant(c, &expect->constants[k]);
    for (size_t k = 0; k < expect->verdict_count && k <= MODEL_MAX_PROPERTIES + 2; k++)
      check_verdict(c, expect, k);
  }
}
