#include "model/reduce/access.h"

/* ---- instances ----------------------------------------------------------------------------------- */

static void add_owners(struct instances *all, const uint32_t *first) {
  const struct model *model = all->model;
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    const bool local = variable->kind == VARIABLE_LOCAL, location = variable->kind == VARIABLE_LOCATION;
    for (uint32_t e = 0; e < variable->count; e++) {
      all->owner[variable->first + e] = local ? first[variable->owner] + e / variable->length : NO_INSTANCE;
      all->located[variable->first + e] = location ? first[variable->owner] + e : NO_INSTANCE;
    }
  }
}

struct instances instances_of(const struct model *model, struct arena *arena) {
  struct instances all = {.model = model};
  uint32_t *first = arena_array(arena, model->process_count, sizeof *first);
  for (size_t p = 0; p < model->process_count; p++) {
    first[p] = all.count;
    all.count += model->processes[p].instances;
  }
  all.process = arena_array(arena, all.count, sizeof *all.process);
  all.number = arena_array(arena, all.count, sizeof *all.number);
  for (uint32_t p = 0; p < model->process_count; p++)
    for (uint32_t i = 0; i < model->processes[p].instances; i++) {
      all.process[first[p] + i] = p;
      all.number[first[p] + i] = i;
    }
  all.owner = arena_array(arena, model->value_count, sizeof *all.owner);
  all.located = arena_array(arena, model->value_count, sizeof *all.located);
  add_owners(&all, first);
  return all;
}

uint32_t instance_locations(const struct instances *all, uint32_t instance) {
  return (uint32_t)all->model->processes[all->process[instance]].location_count;
}

uint32_t instance_initial(const struct instances *all, uint32_t instance) {
  const uint32_t variable = all->model->processes[all->process[instance]].location_variable;
  return (uint32_t)all->model->variables[variable].init[all->number[instance]];
}

/* ---- elements and facts -------------------------------------------------------------------------- */

uint32_t fact_location(const struct fact *facts, uint32_t instance) {
  for (; facts; facts = facts->outer)
    if (facts->instance == instance)
      return facts->location;
  return ANY_LOCATION;
}

static const struct fact *add_fact(const struct fact *facts, uint32_t instance, uint32_t location,
                                   struct arena *arena) {
  struct fact *fact = arena_alloc(arena, sizeof *fact);
  *fact = (struct fact){instance, location, facts};
  return fact;
}

struct elements elements_of(const struct model *model, uint32_t variable, const struct expr *index) {
  const struct variable *v = &model->variables[variable];
  const int64_t lo = !index || index->lo < 0 ? 0 : index->lo, hi = index ? index->hi : 0;
  const uint32_t first = v->first + (uint32_t)(lo < v->count ? lo : v->count - 1);
  const uint32_t last = v->first + (uint32_t)(hi < v->count ? hi : v->count - 1);
  return (struct elements){first, last < first ? first : last};
}

/* `P[i] == location`: the instance is set, else it is NO_INSTANCE. */
static struct fact compared(const struct instances *all, const struct expr *expr) {
  struct fact none = {NO_INSTANCE, ANY_LOCATION, NULL};
  const struct expr *read = expr->a, *value = expr->b;
  if (expr->op != EXPR_EQ && expr->op != EXPR_NE)
    return none;
  if (read->op == EXPR_CONST) {
    read = expr->b;
    value = expr->a;
  }
  if (read->op != EXPR_READ || value->op != EXPR_CONST)
    return none;
  const struct elements elements = elements_of(all->model, read->id, read->a);
  const uint32_t instance = all->located[elements.first];
  if (elements.first != elements.last || instance == NO_INSTANCE || value->value < 0 ||
      value->value >= instance_locations(all, instance))
    return none;
  return (struct fact){instance, (uint32_t)value->value, NULL};
}

/* ---- expressions --------------------------------------------------------------------------------- */

/* Adds what is true of locations if the expression is. A fact about an operand that can fail, or is evaluated before
   one that can, is left out: the error does not depend on it. *total: no operand can fail so far. */
static const struct fact *conjunct_facts(const struct instances *all, const struct expr *expr, const struct fact *facts,
                                         bool *total, struct arena *arena) {
  if (expr->op == EXPR_AND)
    return conjunct_facts(all, expr->b, conjunct_facts(all, expr->a, facts, total, arena), total, arena);
  *total = *total && !expr->can_fail;
  const struct fact fact = compared(all, expr);
  return *total && expr->op == EXPR_EQ && fact.instance != NO_INSTANCE
             ? add_fact(facts, fact.instance, fact.location, arena)
             : facts;
}

static void visit_read(const struct access_visitor *v, const struct expr *expr, const struct fact *facts) {
  const struct elements elements = elements_of(v->all->model, expr->id, expr->a);
  if (v->all->located[elements.first] == NO_INSTANCE) {
    if (v->read)
      v->read(v->user, elements, facts);
    return;
  }
  for (uint32_t e = elements.first; v->test && e <= elements.last; e++)
    v->test(v->user, v->all->located[e], ANY_LOCATION);
}

static void visit_enabled(const struct access_visitor *v, const struct enabled *enabled, const struct fact *facts) {
  for (size_t i = 0; i < enabled->count; i++) {
    const struct transition *t = enabled->transitions[i];
    const struct fact *inner = facts;
    for (size_t k = 0; k < t->test_count; k++) {
      const struct location_test *test = &t->tests[k];
      const uint32_t instance = v->all->located[v->all->model->variables[test->variable].first + test->element];
      if (v->test)
        v->test(v->user, instance, test->location);
      if (!v->after)
        inner = add_fact(inner, instance, test->location, v->arena);
    }
    for (size_t k = 0; k < t->guard_count; k++)
      access_visit(v, t->guards[k], inner);
  }
}

/* Operands of a conjunction; facts are those of all of them. */
static void visit_conjuncts(const struct access_visitor *v, const struct expr *expr, const struct fact *facts) {
  for (; expr->op == EXPR_AND; expr = expr->b)
    visit_conjuncts(v, expr->a, facts);
  access_visit(v, expr, facts);
}

void access_visit(const struct access_visitor *v, const struct expr *expr, const struct fact *facts) {
  bool total = true;
  if (!expr)
    return;
  const struct fact fact = compared(v->all, expr);
  if (fact.instance != NO_INSTANCE) {
    if (v->test)
      v->test(v->user, fact.instance, fact.location);
    return;
  }
  switch (expr->op) {
  case EXPR_READ:
    visit_read(v, expr, facts);
    access_visit(v, expr->a, facts);
    return;
  case EXPR_AND:
    visit_conjuncts(v, expr, v->after ? facts : conjunct_facts(v->all, expr, facts, &total, v->arena));
    return;
  case EXPR_ENABLED:
    visit_enabled(v, &v->all->model->enabled[expr->id], facts);
    return;
  case EXPR_COMMITTED: /* the caller visits model->committed */
    return;
  default:
    access_visit(v, expr->a, facts);
    access_visit(v, expr->b, facts);
    access_visit(v, expr->c, facts);
  }
}

const struct fact *transition_facts(const struct instances *all, const struct transition *transition,
                                    struct arena *arena) {
  const struct fact *facts = NULL;
  bool total = true;
  for (size_t i = 0; i < transition->guard_count; i++)
    facts = conjunct_facts(all, transition->guards[i], facts, &total, arena);
  for (size_t i = 0; i < transition->test_count; i++) {
    const struct location_test *test = &transition->tests[i];
    facts = add_fact(facts, all->located[all->model->variables[test->variable].first + test->element], test->location,
                     arena);
  }
  return facts;
}

void access_excluded(const struct instances *all, const struct expr *expr, bool truth, bool *total,
                     void (*excluded)(void *user, uint32_t instance, uint32_t location), void *user) {
  if (expr->op == EXPR_NOT) {
    access_excluded(all, expr->a, !truth, total, excluded, user);
    return;
  }
  if (expr->op == (truth ? EXPR_AND : EXPR_OR)) {
    access_excluded(all, expr->a, truth, total, excluded, user);
    access_excluded(all, expr->b, truth, total, excluded, user);
    return;
  }
  *total = *total && !expr->can_fail;
  const struct fact fact = compared(all, expr);
  if (*total && expr->op == (truth ? EXPR_NE : EXPR_EQ) && fact.instance != NO_INSTANCE)
    excluded(user, fact.instance, fact.location);
}

void property_expressions(const struct property *property, void (*visit)(void *user, const struct expr *expr),
                          void *user) {
  const struct temporal *temporal = property->temporal;
  if (property->expr)
    visit(user, property->expr);
  for (size_t i = 0; temporal && i < temporal->atom_count; i++)
    if (temporal->atoms[i])
      visit(user, temporal->atoms[i]);
  for (size_t i = 0; temporal && i < temporal->antecedent_count; i++)
    if (temporal->antecedents[i].holds)
      visit(user, temporal->antecedents[i].holds);
}
