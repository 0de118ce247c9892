/* The largest parts of the text without temporal operators are atoms: Boolean expressions over a state. Each taken(X)
   is an atom about the step.

   An atom that can fail is evaluated in every state, but only if the conditions before it do not decide: it becomes
   `reached and atom`. The formula is the same, because its value does not depend on the atom elsewhere. */
#include "frontend/check/check_temporal.h"

#include "frontend/expr/check_expr.h"
#include "frontend/expr/check_firings.h"
#include "frontend/expr/check_names.h"
#include "frontend/parse/source_text.h"
#include "logic/formula.h"
#include "model/structural_equality.h"
#include "model/transition_set.h"

/* Whether the formula requires the part, or its negation. */
enum polarity { POLARITY_NONE, POLARITY_POSITIVE, POLARITY_NEGATIVE };

struct lowering {
  struct check *c;
  struct formulas *set;
  const struct expr **atoms;           /* [LOGIC_MAX_ATOMS] */
  const struct transition_set **taken; /* [LOGIC_MAX_ATOMS] */
  const char **texts;                  /* [LOGIC_MAX_ATOMS] */
  size_t atom_count;
  const struct expr *reached; /* conditions before this place do not decide the part of the formula that it is in */
  enum polarity polarity;     /* of this place in the formula */
  struct antecedent *antecedents;
  size_t antecedent_count, antecedent_cap;
};

/* A formula, and its value in a state as far as conditions decide it (doc/semantics.md, "Errors of evaluation in
   temporal properties"). */
struct lowered {
  const struct formula *formula;         /* NULL: errors are logged */
  const struct expr *is_true, *is_false; /* it is true, or false, whatever the run does; neither: unknown */
};

static struct lowered formula_of(struct lowering *l, struct scope *s, const struct syntax_expr *e);

/* ---- atoms ------------------------------------------------------------------------------------- */

static const char *taken_text(const struct lowering *l, const struct transition_set *set) {
  return transition_set_text(l->c->build.model, set, l->c->build.arena);
}

/* Atoms of a quantifier differ in its values: their text is that of the ground model. */
static const char *atom_text(const struct scope *s, const struct syntax_expr *e, const struct expr *expr) {
  const struct builder *b = &s->check->build;
  return s->bindings ? expr_text(b->model, expr, b->arena) : source_excerpt_text(b->source, e, b->arena);
}

static const struct expr *truth(struct lowering *l, bool value) { return build_const(&l->c->build, value); }

/* One of the operands is NULL: errors are logged. */
static const struct expr *join(struct lowering *l, enum expr_op op, const struct expr *a, const struct expr *b) {
  return build_binary(&l->c->build, op, NOWHERE, a, b);
}

static const struct expr *negate(struct lowering *l, const struct expr *a) {
  return build_not(&l->c->build, NOWHERE, a);
}

static struct lowered failure(void) { return (struct lowered){NULL, NULL, NULL}; }

static struct lowered unknown(struct lowering *l, const struct formula *formula) {
  return (struct lowered){formula, truth(l, false), truth(l, false)};
}

static struct lowered constant(struct lowering *l, bool value) {
  return (struct lowered){formula_constant(l->set, value), truth(l, value), truth(l, !value)};
}

static bool same_atom(const struct lowering *l, size_t i, const struct expr *expr, const struct transition_set *taken) {
  return taken ? l->taken[i] && same_transition_set(l->taken[i], taken) : l->atoms[i] && same_expr(l->atoms[i], expr);
}

/* Either `expr` or `taken`. */
static const struct formula *add_atom(struct lowering *l, const struct scope *s, const struct syntax_expr *e,
                                      const struct expr *expr, const struct transition_set *taken) {
  for (uint32_t i = 0; i < l->atom_count; i++)
    if (same_atom(l, i, expr, taken))
      return formula_atom(l->set, i);
  if (l->atom_count == LOGIC_MAX_ATOMS) {
    CHECK_ERROR(l->c, e->at, "divide it into several properties", "the property has more than %d different conditions",
                LOGIC_MAX_ATOMS);
    return NULL;
  }
  l->texts[l->atom_count] =
      taken ? arena_printf(l->c->build.arena, "taken(%s)", taken_text(l, taken)) : atom_text(s, e, expr);
  l->atoms[l->atom_count] = expr;
  l->taken[l->atom_count] = taken;
  return formula_atom(l->set, (uint32_t)l->atom_count++);
}

/* ---- left sides of implications ---------------------------------------------------------------- */

static bool same_antecedent(const struct antecedent *a, const struct expr *holds, const struct transition_set *taken) {
  return taken ? a->taken && same_transition_set(a->taken, taken) : a->holds && same_expr(a->holds, holds);
}

static void add_antecedent(struct lowering *l, const struct scope *s, const struct syntax_expr *e,
                           const struct expr *holds, const struct transition_set *taken) {
  if (l->antecedent_count == TEMPORAL_MAX_ANTECEDENTS)
    return;
  for (size_t i = 0; i < l->antecedent_count; i++)
    if (same_antecedent(&l->antecedents[i], holds, taken))
      return;
  const char *const text =
      taken ? arena_printf(l->c->build.arena, "taken(%s)", taken_text(l, taken)) : atom_text(s, e, holds);
  *ARENA_PUSH(l->c->build.arena, l->antecedents, l->antecedent_count, l->antecedent_cap) =
      (struct antecedent){holds, taken, text};
}

/* Records the left side `e` of an implication that the formula requires, if it can be evaluated in every state and is
   no constant. It was lowered before, so that nothing is logged twice. */
static void find_antecedent(struct lowering *l, struct scope *s, const struct syntax_expr *e) {
  const bool everywhere = l->reached && is_constant_true(l->reached);
  if (l->polarity != POLARITY_POSITIVE || l->c->build.dead)
    return;
  if (e->temporal) {
    struct transition_set *set = arena_alloc(l->c->build.arena, sizeof *set);
    if (e->op == SYN_TAKEN && firings_set(s, e, set))
      add_antecedent(l, s, e, NULL, set);
    return;
  }
  const struct expr *lowered = lower(s, e), *expr = lowered ? build_truth(&l->c->build, lowered) : NULL;
  if (expr && expr->op != EXPR_CONST && (everywhere || !expr->can_fail))
    add_antecedent(l, s, e, expr, NULL);
}

static struct lowered condition(struct lowering *l, struct scope *s, const struct syntax_expr *e) {
  struct builder *b = &l->c->build;
  const struct expr *lowered = lower(s, e), *expr = lowered ? build_truth(b, lowered) : NULL;
  if (!expr)
    return failure();
  if (b->dead || expr->op == EXPR_CONST) /* dead: it is only checked */
    return constant(l, !b->dead && expr->value != 0);
  const struct expr *evaluated = expr->can_fail ? join(l, EXPR_AND, l->reached, expr) : expr;
  if (e->op == SYN_IMPLIES)
    find_antecedent(l, s, e->a);
  return (struct lowered){evaluated ? add_atom(l, s, e, evaluated, NULL) : NULL, expr, negate(l, expr)};
}

static struct lowered about_step(struct lowering *l, struct scope *s, const struct syntax_expr *e) {
  struct transition_set *set = arena_alloc(l->c->build.arena, sizeof *set);
  if (!firings_set(s, e, set))
    return failure();
  return unknown(l, l->c->build.dead ? formula_constant(l->set, false) : add_atom(l, s, e, NULL, set));
}

/* ---- operators --------------------------------------------------------------------------------- */

static const struct formula *implication(struct formulas *set, const struct formula *a, const struct formula *b) {
  return formula_or(set, formula_not(set, a), b);
}

static const struct formula *equivalence(struct formulas *set, const struct formula *a, const struct formula *b) {
  return formula_and(set, implication(set, a, b), implication(set, b, a));
}

static const struct formula *unary(struct lowering *l, enum syntax_op op, const struct formula *a) {
  switch (op) {
  case SYN_NOT:
    return formula_not(l->set, a);
  case SYN_ALWAYS:
    return formula_always(l->set, a);
  case SYN_EVENTUALLY:
    return formula_eventually(l->set, a);
  default:
    return formula_next(l->set, a);
  }
}

static const struct formula *binary(struct lowering *l, enum syntax_op op, const struct formula *a,
                                    const struct formula *b) {
  switch (op) {
  case SYN_AND:
    return formula_and(l->set, a, b);
  case SYN_OR:
    return formula_or(l->set, a, b);
  case SYN_IMPLIES:
    return implication(l->set, a, b);
  case SYN_EQ:
    return equivalence(l->set, a, b);
  case SYN_NE:
    return formula_not(l->set, equivalence(l->set, a, b));
  case SYN_UNTIL:
    return formula_until(l->set, a, b);
  case SYN_WEAK_UNTIL:
    return formula_weak_until(l->set, a, b);
  case SYN_RELEASE:
    return formula_release(l->set, a, b);
  default: /* SYN_LEADSTO */
    return formula_always(l->set, implication(l->set, a, formula_eventually(l->set, b)));
  }
}

/* The value of `a op b` in a state. */
static struct lowered joined(struct lowering *l, enum syntax_op op, struct lowered a, struct lowered b) {
  if (!a.formula || !b.formula)
    return failure();
  struct lowered result = unknown(l, binary(l, op, a.formula, b.formula));
  const struct expr *true_left = op == SYN_IMPLIES ? a.is_false : a.is_true;
  const struct expr *false_left = op == SYN_IMPLIES ? a.is_true : a.is_false;
  if (op == SYN_AND) {
    result.is_true = join(l, EXPR_AND, true_left, b.is_true);
    result.is_false = join(l, EXPR_OR, false_left, b.is_false);
  } else if (op == SYN_OR || op == SYN_IMPLIES) {
    result.is_true = join(l, EXPR_OR, true_left, b.is_true);
    result.is_false = join(l, EXPR_AND, false_left, b.is_false);
  }
  return result;
}

/* `a` is the left operand and decides `a op b`. */
static const struct expr *decides(enum syntax_op op, struct lowered a) { return op == SYN_OR ? a.is_true : a.is_false; }

/* A formula of the same part after the left operand `a`: only checked if this, a constant, decides (see lower_dead). */
static struct lowered right_operand(struct lowering *l, struct scope *s, enum syntax_op op, struct lowered a,
                                    const struct syntax_expr *e) {
  const struct expr *reached = l->reached, *decided = decides(op, a);
  const bool dead = decided && is_constant_true(decided);
  const size_t constants = l->c->constants.read;
  l->reached = join(l, EXPR_AND, reached, negate(l, decided));
  l->c->build.dead += dead;
  const struct lowered b = formula_of(l, s, e);
  l->c->build.dead -= dead;
  l->reached = reached;
  if (dead)
    l->c->constants.read = constants;
  return b;
}

static enum polarity inverse(enum polarity polarity) {
  return polarity == POLARITY_POSITIVE   ? POLARITY_NEGATIVE
         : polarity == POLARITY_NEGATIVE ? POLARITY_POSITIVE
                                         : POLARITY_NONE;
}

/* Of the left operand of the operator. */
static enum polarity left_polarity(enum syntax_op op, enum polarity polarity) {
  return op == SYN_IMPLIES || op == SYN_LEADSTO ? inverse(polarity)
         : op == SYN_EQ || op == SYN_NE         ? POLARITY_NONE
                                                : polarity;
}

static enum polarity right_polarity(enum syntax_op op, enum polarity polarity) {
  return op == SYN_EQ || op == SYN_NE ? POLARITY_NONE : polarity;
}

/* An operand of a temporal operator, which may look at any state. */
static struct lowered part(struct lowering *l, struct scope *s, const struct syntax_expr *e) {
  const struct expr *reached = l->reached;
  l->reached = truth(l, true);
  const struct lowered result = formula_of(l, s, e);
  l->reached = reached;
  return result;
}

/* `result` joined with the instance of a quantifier for this value. */
static struct lowered add_instance(struct lowering *l, struct scope *s, const struct syntax_expr *e,
                                   struct lowered result, int64_t value) {
  const enum syntax_op op = e->op == SYN_ALL ? SYN_AND : SYN_OR;
  struct binding binding = {e->name, build_const(&l->c->build, value), s->bindings};
  if (!binding.value || !build_spend(&l->c->build, e->at, 1, 1))
    return failure();
  s->bindings = &binding;
  const struct lowered body = right_operand(l, s, op, result, e->a);
  s->bindings = binding.outer;
  return joined(l, op, result, body);
}

/* The body of a quantifier over an empty range is only checked. */
static struct lowered no_instance(struct lowering *l, struct scope *s, const struct syntax_expr *e, int64_t value) {
  const struct lowered empty = constant(l, e->op == SYN_ALL);
  l->c->build.dead++;
  const struct lowered body = add_instance(l, s, e, empty, value);
  l->c->build.dead--;
  return body.formula ? empty : failure();
}

static struct lowered quantified(struct lowering *l, struct scope *s, const struct syntax_expr *e) {
  int64_t lo, hi;
  struct lowered result = constant(l, e->op == SYN_ALL);
  scope_warn_hidden(s, e->name, e->name_at);
  if (!constant_range(s, &e->range, &lo, &hi))
    return failure();
  if (lo > hi || l->c->build.dead)
    return no_instance(l, s, e, lo);
  for (int64_t i = lo;; i++) {
    result = add_instance(l, s, e, result, i);
    if (!result.formula || i == hi)
      return result;
    const struct expr *decided = decides(e->op == SYN_ALL ? SYN_AND : SYN_OR, result);
    if (!decided || is_constant_true(decided)) /* the others do not matter */
      return decided ? result : failure();
  }
}

/* ---- formulas ---------------------------------------------------------------------------------- */

/* A formula is 0 or 1: what it is compared with must be, too. */
static bool is_truth(struct scope *s, const struct syntax_expr *e) {
  if (e->temporal)
    return true;
  const struct expr *value = lower(s, e);
  if (value && !within(value, 0, 1))
    CHECK_ERROR(s->check, e->start, "write brackets, as in always (x == 3)",
                "a temporal formula is compared with a number that is no truth value");
  return value && within(value, 0, 1);
}

static bool joins_formulas(enum syntax_op op) {
  return op == SYN_AND || op == SYN_OR || op == SYN_IMPLIES || op == SYN_EQ || op == SYN_NE || op >= SYN_UNTIL;
}

static struct lowered of_one(struct lowering *l, struct scope *s, const struct syntax_expr *e) {
  if (e->op == SYN_NOT) {
    const enum polarity polarity = l->polarity;
    l->polarity = inverse(polarity);
    const struct lowered a = formula_of(l, s, e->a);
    l->polarity = polarity;
    return a.formula ? (struct lowered){formula_not(l->set, a.formula), a.is_false, a.is_true} : failure();
  }
  const struct lowered a = part(l, s, e->a);
  return a.formula ? unknown(l, unary(l, e->op, a.formula)) : failure();
}

static struct lowered of_two(struct lowering *l, struct scope *s, const struct syntax_expr *e) {
  struct lowered a, b;
  const enum polarity polarity = l->polarity;
  const bool is_temporal = e->op >= SYN_UNTIL;
  l->polarity = left_polarity(e->op, polarity);
  a = is_temporal ? part(l, s, e->a) : formula_of(l, s, e->a);
  l->polarity = polarity;
  if (a.formula && (e->op == SYN_IMPLIES || e->op == SYN_LEADSTO))
    find_antecedent(l, s, e->a);
  l->polarity = right_polarity(e->op, polarity);
  if (is_temporal) {
    b = part(l, s, e->b);
  } else {
    const bool decides = e->op != SYN_EQ && e->op != SYN_NE;
    b = decides ? right_operand(l, s, e->op, a, e->b) : formula_of(l, s, e->b);
    if (!decides && a.formula && b.formula && (!is_truth(s, e->a) || !is_truth(s, e->b)))
      a = failure();
  }
  l->polarity = polarity;
  return joined(l, e->op, a, b);
}

/* `not` is part of the formula, not of an atom, so that p and not p are one atom. */
static struct lowered formula_of(struct lowering *l, struct scope *s, const struct syntax_expr *e) {
  if (e->op != SYN_NOT && !e->temporal)
    return condition(l, s, e);
  if (e->op == SYN_TAKEN)
    return about_step(l, s, e);
  if (e->op == SYN_ALL || e->op == SYN_EXISTS)
    return quantified(l, s, e);
  if (e->op == SYN_NOT || e->op == SYN_ALWAYS || e->op == SYN_EVENTUALLY || e->op == SYN_NEXT)
    return of_one(l, s, e);
  if (joins_formulas(e->op))
    return of_two(l, s, e);
  CHECK_ERROR(l->c, e->at, "formulas are joined by not, and, or, implies, == and !=, and by all and exists",
              "an operand of this operator cannot have a temporal operator");
  return failure();
}

/* Evaluates all atoms that can fail, in their order; NULL: none can. */
static const struct expr *all_evaluations(struct lowering *l) {
  const struct expr *failing[LOGIC_MAX_ATOMS];
  size_t n = 0;
  for (size_t i = 0; i < l->atom_count; i++)
    if (l->atoms[i] && l->atoms[i]->can_fail)
      failing[n++] = l->atoms[i];
  return n ? build_all(&l->c->build, EXPR_BITAND, NOWHERE, failing, n) : NULL;
}

static struct lowering begin(struct check *c) {
  struct arena *arena = c->build.arena;
  struct lowering l = {.c = c, .reached = build_const(&c->build, 1), .polarity = POLARITY_POSITIVE};
  l.atoms = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *l.atoms);
  l.taken = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *l.taken);
  l.texts = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *l.texts);
  return l;
}

const struct temporal *temporal_lower(struct check *c, const struct syntax_expr *e, const char *fairness,
                                      const struct expr **evaluations) {
  struct scope s = {.check = c};
  struct lowering l = begin(c);
  l.set = formulas_create(c->build.arena);
  const struct formula *formula = formula_of(&l, &s, e).formula;
  if (!formula)
    return NULL;
  struct temporal *temporal = arena_alloc(c->build.arena, sizeof *temporal);
  *temporal = (struct temporal){.formulas = l.set,
                                .formula = formula,
                                .atoms = l.atoms,
                                .taken = l.taken,
                                .atom_texts = l.texts,
                                .atom_count = l.atom_count,
                                .fairness = fairness,
                                .antecedents = l.antecedents,
                                .antecedent_count = l.antecedent_count};
  *evaluations = all_evaluations(&l);
  return temporal;
}

/* ---- automata ---------------------------------------------------------------------------------- */

/* An atomic proposition of an automaton. False: an error is logged. */
static bool add_proposition(struct lowering *l, const struct syntax_expr *e, const char *text) {
  struct scope s = {.check = l->c};
  const size_t i = l->atom_count++;
  l->texts[i] = text;
  if (e->op == SYN_TAKEN) {
    struct transition_set *set = arena_alloc(l->c->build.arena, sizeof *set);
    l->taken[i] = set;
    return firings_set(&s, e, set);
  }
  if (e->temporal) {
    CHECK_ERROR(l->c, e->start, "operators of steps and runs belong in the automaton",
                "an atomic proposition is a condition on a state, or taken(...) alone");
    return false;
  }
  const struct expr *lowered = lower(&s, e);
  l->atoms[i] = lowered ? build_truth(&l->c->build, lowered) : NULL;
  return l->atoms[i] != NULL;
}

const struct temporal *temporal_lower_automaton(struct check *c, const struct syntax_automaton *automaton,
                                                const char *fairness, const struct expr **evaluations) {
  struct lowering l = begin(c);
  bool right = true;
  for (size_t i = 0; i < automaton->atom_count; i++)
    right &= automaton->atoms[i] && add_proposition(&l, automaton->atoms[i], automaton->texts[i]);
  if (!right)
    return NULL;
  struct temporal *temporal = arena_alloc(c->build.arena, sizeof *temporal);
  *temporal = (struct temporal){.violating = automaton->automaton,
                                .atoms = l.atoms,
                                .taken = l.taken,
                                .atom_texts = l.texts,
                                .atom_count = l.atom_count,
                                .fairness = fairness};
  *evaluations = all_evaluations(&l);
  return temporal;
}
