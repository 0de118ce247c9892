#include "frontend/promela/properties/promela_temporal.h"

#include "logic/formula.h"
#include "model/structural_equality.h"

#include <string.h>

/* ---- atoms --------------------------------------------------------------------------------------- */

struct pr_atoms pr_atoms_create(struct pr_check *c) {
  struct arena *arena = c->build.arena;
  struct pr_atoms atoms = {.check = c};
  atoms.holds = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *atoms.holds);
  atoms.taken = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *atoms.taken);
  atoms.texts = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *atoms.texts);
  return atoms;
}

uint32_t pr_add_atom(struct pr_atoms *atoms, source_at at, const struct expr *holds, const char *text) {
  for (uint32_t i = 0; i < atoms->count; i++)
    if (atoms->holds[i] && same_expr(atoms->holds[i], holds))
      return i;
  if (atoms->count == LOGIC_MAX_ATOMS) {
    if (!atoms->full)
      PR_ERROR(atoms->check, at, "divide it into several", "the property has more than %d different conditions",
               LOGIC_MAX_ATOMS);
    atoms->full = true;
    return LOGIC_MAX_ATOMS;
  }
  atoms->holds[atoms->count] = holds;
  atoms->texts[atoms->count] = text;
  return (uint32_t)atoms->count++;
}

uint32_t pr_inside_atom(struct pr_atoms *atoms) {
  struct builder *b = &atoms->check->build;
  if (atoms->check->holder == PR_NONE)
    return LOGIC_MAX_ATOMS;
  const struct expr *holder = build_read(b, NOWHERE, atoms->check->holder, NULL);
  return pr_add_atom(atoms, NOWHERE, build_binary(b, EXPR_NE, NOWHERE, holder, build_const(b, 0)),
                     "within an atomic sequence");
}

const struct expr *pr_lower_condition(struct pr_check *c, const struct pr_expr *e) {
  const struct pr_context x = {.check = c, .claim = true};
  return build_truth(&c->build, pr_lower(&x, e));
}

/* Evaluates the atoms that can fail; NULL: there are none. */
static const struct expr *evaluations(const struct pr_atoms *atoms) {
  struct builder *b = &atoms->check->build;
  const struct expr *all = NULL;
  for (size_t i = 0; i < atoms->count; i++)
    if (atoms->holds[i] && atoms->holds[i]->can_fail) {
      const struct expr *evaluated = build_binary(b, EXPR_OR, NOWHERE, atoms->holds[i], build_const(b, 1));
      all = all ? build_binary(b, EXPR_AND, NOWHERE, all, evaluated) : evaluated;
    }
  return all;
}

struct property pr_temporal_property(const struct pr_atoms *atoms, struct temporal *temporal, const char *id,
                                     const char *text, source_at at) {
  temporal->atoms = atoms->holds;
  temporal->taken = atoms->taken;
  temporal->atom_texts = atoms->texts;
  temporal->atom_count = atoms->count;
  return (struct property){.id = id,
                           .description = "",
                           .kind = FLOE_LTL,
                           .expr = evaluations(atoms),
                           .text = text,
                           .at = at,
                           .temporal = temporal};
}

/* ---- formulas ------------------------------------------------------------------------------------ */

struct lowering {
  struct pr_atoms atoms;
  struct formulas *set;
  const struct formula *inside; /* the state is within an atomic sequence */
  struct antecedent *antecedents;
  size_t antecedent_count, antecedent_cap;
};

static const struct formula *formula_of(struct lowering *l, const struct pr_expr *e, bool required);

/* The left side of an implication that the formula requires: the formula may hold because it is never true. */
static void add_antecedent(struct lowering *l, const struct pr_expr *e) {
  struct pr_check *c = l->atoms.check;
  const struct expr *holds = e->temporal ? NULL : pr_lower_condition(c, e);
  if (!holds || holds->op == EXPR_CONST || holds->can_fail || l->antecedent_count == TEMPORAL_MAX_ANTECEDENTS)
    return;
  for (size_t i = 0; i < l->antecedent_count; i++)
    if (same_expr(l->antecedents[i].holds, holds))
      return;
  *ARENA_PUSH(c->build.arena, l->antecedents, l->antecedent_count, l->antecedent_cap) =
      (struct antecedent){.holds = holds, .text = pr_text(c->tree, e->first, e->last, c->build.arena)};
}

static const struct formula *condition(struct lowering *l, const struct pr_expr *e) {
  struct pr_check *c = l->atoms.check;
  const struct expr *holds = pr_lower_condition(c, e);
  if (!holds)
    return NULL;
  if (holds->op == EXPR_CONST)
    return formula_constant(l->set, holds->value != 0);
  const uint32_t atom = pr_add_atom(&l->atoms, e->at, holds, pr_text(c->tree, e->first, e->last, c->build.arena));
  return atom < LOGIC_MAX_ATOMS ? formula_atom(l->set, atom) : NULL;
}

static const struct formula *implication(struct formulas *set, const struct formula *a, const struct formula *b) {
  return formula_or(set, formula_not(set, a), b);
}

/* Of the states outside of atomic sequences: f, if it is one; f, and it is one. */
static const struct formula *if_outside(struct lowering *l, const struct formula *f) {
  return formula_or(l->set, l->inside, f);
}
static const struct formula *outside(struct lowering *l, const struct formula *f) {
  return formula_and(l->set, formula_not(l->set, l->inside), f);
}

static const struct formula *unary(struct lowering *l, const struct pr_expr *e, const struct formula *a) {
  switch (e->op) {
  case PR_E_NOT:
    return formula_not(l->set, a);
  case PR_E_ALWAYS:
    return formula_always(l->set, if_outside(l, a));
  case PR_E_EVENTUALLY:
    return formula_eventually(l->set, outside(l, a));
  default:
    return formula_next(l->set, formula_until(l->set, l->inside, outside(l, a)));
  }
}

static const struct formula *binary(struct lowering *l, const struct pr_expr *e, const struct formula *a,
                                    const struct formula *b) {
  switch (e->op) {
  case PR_E_AND:
    return formula_and(l->set, a, b);
  case PR_E_OR:
    return formula_or(l->set, a, b);
  case PR_E_IMPLIES:
    return implication(l->set, a, b);
  case PR_E_EQUIVALENT:
    return formula_and(l->set, implication(l->set, a, b), implication(l->set, b, a));
  case PR_E_UNTIL:
    return formula_until(l->set, if_outside(l, a), outside(l, b));
  case PR_E_WEAK_UNTIL:
    return formula_weak_until(l->set, if_outside(l, a), outside(l, b));
  default:
    return formula_release(l->set, outside(l, a), if_outside(l, b));
  }
}

/* `required`: the formula requires it, rather than its negation or both. NULL: errors are logged. */
static const struct formula *formula_of(struct lowering *l, const struct pr_expr *e, bool required) {
  const bool is_operator = e->op >= PR_E_ALWAYS || (e->temporal && (e->op == PR_E_AND || e->op == PR_E_OR));
  if (e->op != PR_E_NOT && !is_operator)
    return condition(l, e);
  const bool implies = e->op == PR_E_IMPLIES, same = e->op != PR_E_NOT && !implies && e->op != PR_E_EQUIVALENT;
  const struct formula *a = formula_of(l, e->a, required && same);
  if (!e->b)
    return a ? unary(l, e, a) : NULL;
  if (implies && required)
    add_antecedent(l, e->a);
  const struct formula *b = formula_of(l, e->b, required && e->op != PR_E_EQUIVALENT);
  return a && b ? binary(l, e, a, b) : NULL;
}

static struct lowering lowering_of(struct pr_check *c) {
  struct lowering l = {.atoms = pr_atoms_create(c), .set = formulas_create(c->build.arena)};
  const uint32_t inside = pr_inside_atom(&l.atoms);
  l.inside = inside < LOGIC_MAX_ATOMS ? formula_atom(l.set, inside) : formula_constant(l.set, false);
  return l;
}

static struct property property_of(struct lowering *l, const struct formula *formula, const char *id, const char *text,
                                   source_at at) {
  struct temporal *temporal = arena_alloc(l->atoms.check->build.arena, sizeof *temporal);
  *temporal = (struct temporal){
      .formulas = l->set, .formula = formula, .antecedents = l->antecedents, .antecedent_count = l->antecedent_count};
  return pr_temporal_property(&l->atoms, temporal, id, text, at);
}

/* ---- labels -------------------------------------------------------------------------------------- */

/* No run is at such labels infinitely often. */
static void add_acceptance(struct pr_check *c, struct property *properties) {
  const struct expr *at = pr_at_labels(c, "accept");
  struct lowering l = lowering_of(c);
  if (!at || at->op == EXPR_CONST)
    return;
  const struct formula *f = outside(&l, formula_atom(l.set, pr_add_atom(&l.atoms, NOWHERE, at, "accept")));
  properties[c->build.model->property_count++] =
      property_of(&l, formula_eventually(l.set, formula_always(l.set, formula_not(l.set, f))), "acceptance",
                  "no run is at accept labels infinitely often", NOWHERE);
}

/* Every run that does not end is at such labels infinitely often. */
static void add_progress(struct pr_check *c, struct property *properties) {
  static const struct transition_set any_step = {.process = NO_PROCESS, .edge = NO_EDGE};
  const struct expr *at = pr_at_labels(c, "progress");
  struct lowering l = lowering_of(c);
  if (!at || at->op == EXPR_CONST)
    return;
  const struct formula *progress = outside(&l, formula_atom(l.set, pr_add_atom(&l.atoms, NOWHERE, at, "progress")));
  const struct formula *step = formula_atom(l.set, (uint32_t)l.atoms.count);
  l.atoms.taken[l.atoms.count] = &any_step;
  l.atoms.texts[l.atoms.count++] = "step";
  const struct formula *ends = formula_eventually(l.set, formula_always(l.set, formula_not(l.set, step)));
  const struct formula *f = formula_or(l.set, formula_always(l.set, formula_eventually(l.set, progress)), ends);
  properties[c->build.model->property_count++] =
      property_of(&l, f, "progress", "every run is at progress labels infinitely often", NOWHERE);
}

/* ---- properties ---------------------------------------------------------------------------------- */

/* The name of a formula or claim, or that which Spin gives it. */
static const char *id_of(struct pr_check *c, const struct pr_name *name, const char *kind, size_t number,
                         const struct property *properties) {
  const char *id =
      name->id != PR_NO_NAME ? PR_NAME_OF(c, name->id) : arena_printf(c->build.arena, "%s_%zu", kind, number);
  static const char *const own[] = {"deadlock", "errors", "acceptance", "progress"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (strcmp(own[i], id) == 0)
      PR_ERROR(c, name->at, NULL, "'%s' is the name of another property", id);
  for (size_t i = 0; i < c->build.model->property_count; i++)
    if (properties[i].kind == FLOE_LTL && strcmp(properties[i].id, id) == 0)
      PR_ERROR(c, name->at, NULL, "there are several claims or formulas '%s'", id);
  return id;
}

size_t pr_temporal_count(const struct pr_check *c) { return c->tree->formulas.n + c->tree->claims.n + 2; }

void pr_make_temporal(struct pr_check *c, struct property *properties) {
  const struct pr_model *tree = c->tree;
  struct model *model = c->build.model;
  if (pr_temporal_count(c) > MODEL_MAX_PROPERTIES) {
    PR_ERROR(c, NOWHERE, "divide the file", "the file has more than %d claims and formulas", MODEL_MAX_PROPERTIES - 2);
    return;
  }
  for (size_t i = 0; i < tree->formulas.n; i++) {
    const struct pr_formula *written = &tree->formulas.items[i];
    const struct pr_expr *e = written->expr;
    const char *id = id_of(c, &written->name, "ltl", i, properties);
    struct lowering l = lowering_of(c);
    const struct formula *f = formula_of(&l, e, true);
    if (f)
      properties[model->property_count++] =
          property_of(&l, f, id, pr_text(tree, e->first, e->last, c->build.arena), written->name.at);
  }
  for (size_t i = 0; i < tree->claims.n; i++) {
    const struct pr_proctype *claim = &tree->claims.items[i];
    const char *id = id_of(c, &claim->name, "never", i, properties);
    if (pr_make_claim(c, claim, id, &properties[model->property_count]))
      model->property_count++;
  }
  add_acceptance(c, properties);
  add_progress(c, properties);
}
