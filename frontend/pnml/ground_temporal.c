/* Formulas of linear time. The largest parts without operators of time are atoms; a negation is part of the formula, so
   that p and not p are one atom. */
#include "frontend/pnml/ground_properties.h"

#include "logic/formula.h"
#include "model/structural_equality.h"

#include <limits.h>
#include <string.h>

struct lowering {
  struct net_grounding *g;
  struct formulas *set;
  const struct expr **atoms; /* [LOGIC_MAX_ATOMS] */
  const char **texts;
  size_t atom_count;
};

static const struct formula *formula_of(struct lowering *l, const struct xml_element *e);

static bool is(const struct xml_element *e, const char *name) { return strcmp(e->name, name) == 0; }

static const struct formula *atom(struct lowering *l, const struct xml_element *e) {
  const struct expr *expr = ground_condition(l->g, e);
  if (!expr)
    return NULL;
  if (expr->op == EXPR_CONST)
    return formula_constant(l->set, expr->value != 0);
  for (uint32_t i = 0; i < l->atom_count; i++)
    if (same_expr(l->atoms[i], expr))
      return formula_atom(l->set, i);
  if (l->atom_count == LOGIC_MAX_ATOMS) {
    BUILD_ERROR(&l->g->build, e->at, NULL, "the formula has more than %d different conditions", LOGIC_MAX_ATOMS);
    return NULL;
  }
  l->atoms[l->atom_count] = expr;
  l->texts[l->atom_count] = condition_text(l->g, expr);
  return formula_atom(l->set, (uint32_t)l->atom_count++);
}

/* `finally`, `globally`, `next`, `negation`. */
static const struct formula *of_one(struct lowering *l, const struct xml_element *e) {
  const struct formula *f = operand_count(l->g, e, 1, 1) < 0 ? NULL : formula_of(l, e->children);
  return !f                  ? NULL
         : is(e, "finally")  ? formula_eventually(l->set, f)
         : is(e, "globally") ? formula_always(l->set, f)
         : is(e, "next")     ? formula_next(l->set, f)
                             : formula_not(l->set, f);
}

/* `conjunction`, `disjunction`. */
static const struct formula *of_all(struct lowering *l, const struct xml_element *e) {
  const struct formula *result = formula_constant(l->set, is(e, "conjunction"));
  if (operand_count(l->g, e, 1, INT_MAX) < 0)
    return NULL;
  for (const struct xml_element *child = e->children; child; child = child->next) {
    const struct formula *f = formula_of(l, child);
    if (!f)
      return NULL;
    result = is(e, "conjunction") ? formula_and(l->set, result, f) : formula_or(l->set, result, f);
  }
  return result;
}

static const struct formula *implies(struct lowering *l, const struct formula *f, const struct formula *g) {
  return formula_or(l->set, formula_not(l->set, f), g);
}

/* `implication`, `equivalence`, `exclusive-disjunction`. */
static const struct formula *of_two(struct lowering *l, const struct xml_element *e) {
  const struct formula *f = NULL, *g = NULL;
  if (operand_count(l->g, e, 2, 2) > 0) {
    f = formula_of(l, e->children);
    g = formula_of(l, e->children->next);
  }
  if (!f || !g)
    return NULL;
  if (is(e, "implication"))
    return implies(l, f, g);
  const struct formula *same = formula_and(l->set, implies(l, f, g), implies(l, g, f));
  return is(e, "equivalence") ? same : formula_not(l->set, same);
}

/* <until><before>f</before><reach>g</reach></until> */
static const struct formula *until(struct lowering *l, const struct xml_element *e) {
  if (operand_count(l->g, e, 2, 2) < 0)
    return NULL;
  const struct xml_element *before = e->children, *reach = before->next;
  if (!is(before, "before") || !is(reach, "reach")) {
    BUILD_ERROR(&l->g->build, e->at, NULL, "the parts of 'until' are 'before' and 'reach'");
    return NULL;
  }
  if (operand_count(l->g, before, 1, 1) < 0 || operand_count(l->g, reach, 1, 1) < 0)
    return NULL;
  const struct formula *f = formula_of(l, before->children), *g = formula_of(l, reach->children);
  return f && g ? formula_until(l->set, f, g) : NULL;
}

static const struct formula *formula_of(struct lowering *l, const struct xml_element *e) {
  if (is(e, "negation"))
    return of_one(l, e);
  if (is_condition(e))
    return atom(l, e);
  if (is(e, "finally") || is(e, "globally") || is(e, "next"))
    return of_one(l, e);
  if (is(e, "conjunction") || is(e, "disjunction"))
    return of_all(l, e);
  if (is(e, "implication") || is(e, "equivalence") || is(e, "exclusive-disjunction"))
    return of_two(l, e);
  if (is(e, "until"))
    return until(l, e);
  BUILD_ERROR(&l->g->build, e->at, "floe decides formulas of linear time, and whether states are reachable",
              "'%.60s' cannot be inside a formula of linear time", e->name);
  return NULL;
}

const struct temporal *ground_temporal(struct net_grounding *g, const struct xml_element *e) {
  struct arena *arena = g->build.arena;
  struct lowering l = {.g = g, .set = formulas_create(arena)};
  l.atoms = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *l.atoms);
  l.texts = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *l.texts);
  const struct formula *formula = formula_of(&l, e);
  if (!formula)
    return NULL;
  struct temporal *temporal = arena_alloc(arena, sizeof *temporal);
  *temporal = (struct temporal){.formulas = l.set,
                                .formula = formula,
                                .atoms = l.atoms,
                                .taken = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *temporal->taken),
                                .atom_texts = l.texts,
                                .atom_count = l.atom_count};
  return temporal;
}
