/* Claims: an automaton of the runs that violate the property. Each step of the system takes one of its steps, whose
   condition reads the state before. A run violates the property if the claim is at labels that begin with "accept"
   infinitely often, or reaches its end, or a failing assertion. Atomic sequences of a claim are one step. */
#include "frontend/promela/properties/promela_temporal.h"

#include "logic/automaton.h"

#define MAX_ATOMIC 100   /* steps of an atomic sequence */
#define MAX_STEPS 100000 /* of all paths through atomic sequences */

struct claim {
  struct pr_check *check;
  struct pr_graph graph;
  struct pr_atoms atoms;
  struct automaton_edge *edges;
  size_t edge_count, edge_cap;
  uint32_t violated; /* the last state: all runs violate */
  uint32_t inside;   /* atom: within an atomic sequence of a process; LOGIC_MAX_ATOMS: none */
  size_t steps;
  bool too_long; /* logged */
};

static void push_edge(struct claim *m, uint32_t from, uint32_t to, struct cube cube, bool accepting) {
  struct cube *cubes = arena_alloc(m->check->build.arena, sizeof *cubes);
  *cubes = cube;
  if (!cube_is_empty(cube))
    *ARENA_PUSH(m->check->build.arena, m->edges, m->edge_count, m->edge_cap) =
        (struct automaton_edge){.from = from, .to = to, .accepting = accepting, .cubes = cubes, .cube_count = 1};
}

/* Of a step outside of atomic sequences of processes. */
static void add_edge(struct claim *m, uint32_t from, uint32_t to, struct cube cube) {
  if (m->inside < LOGIC_MAX_ATOMS)
    cube.negative |= UINT64_C(1) << m->inside;
  push_edge(m, from, to, cube, from == m->violated || pr_has_label(m->check, &m->graph.locations[from], "accept"));
}

/* The valuations in which a condition holds, and those in which it does not. False: none, or errors are logged. */
static bool split(struct claim *m, const struct pr_expr *e, struct cube *holds, struct cube *fails) {
  static const struct cube none = {1, 1};
  struct pr_check *c = m->check;
  const struct expr *condition = pr_lower_condition(c, e);
  *holds = *fails = none;
  if (!condition)
    return false;
  if (condition->op == EXPR_CONST) {
    *(condition->value ? holds : fails) = (struct cube){0, 0};
    return true;
  }
  const uint32_t atom = pr_add_atom(&m->atoms, e->at, condition, pr_text(c->tree, e->first, e->last, c->build.arena));
  if (atom == LOGIC_MAX_ATOMS)
    return false;
  *holds = (struct cube){UINT64_C(1) << atom, 0};
  *fails = (struct cube){0, UINT64_C(1) << atom};
  return true;
}

/* The condition of a step; NULL: it has none. */
static const struct pr_expr *condition_of(const struct pr_step *step) {
  const struct pr_statement *s = step->statement;
  return step->kind == PR_STEP_STATEMENT && s->kind == PR_S_EXPRESSION ? s->value : NULL;
}

static void follow(struct claim *m, uint32_t from, const struct pr_step *step, struct cube cube, unsigned depth);

/* Behind a step: the rest of its atomic sequence, or an edge. */
static void arrive(struct claim *m, uint32_t from, const struct pr_step *step, struct cube cube, unsigned depth) {
  const struct pr_location *to = &m->graph.locations[step->to];
  if (!step->keeps) {
    add_edge(m, from, to->count && m->graph.steps[to->first].kind == PR_STEP_END ? m->violated : step->to, cube);
    return;
  }
  if (depth == MAX_ATOMIC || m->steps == MAX_STEPS) {
    if (!m->too_long)
      PR_ERROR(m->check, step->statement->at, NULL, "an atomic sequence of a claim has more than %d steps", MAX_ATOMIC);
    m->too_long = true;
    return;
  }
  m->steps++;
  for (size_t i = to->first; i < to->first + to->count; i++)
    follow(m, from, &m->graph.steps[i], cube, depth + 1);
}

/* None of the conditions at the location of `step` holds. */
static bool no_other(struct claim *m, const struct pr_step *step, struct cube *cube) {
  const struct pr_location *at = &m->graph.locations[step->from];
  for (size_t i = at->first; i < at->first + at->count; i++) {
    const struct pr_step *other = &m->graph.steps[i];
    const struct pr_expr *condition = condition_of(other);
    struct cube holds, fails;
    if (other->kind == PR_STEP_ELSE)
      continue;
    if (!condition || !split(m, condition, &holds, &fails))
      return false;
    *cube = cube_both(*cube, fails);
  }
  return true;
}

static void refuse(struct claim *m, const struct pr_step *step) {
  PR_ERROR(m->check, step->statement->at, "a claim has conditions, assertions, if, do and goto only",
           "a claim cannot change the state");
}

static void follow(struct claim *m, uint32_t from, const struct pr_step *step, struct cube cube, unsigned depth) {
  const struct pr_statement *s = step->statement;
  struct cube holds, fails;
  if (step->escape)
    PR_ERROR(m->check, s->at, NULL, "a claim has no 'unless'");
  else if (step->kind == PR_STEP_ELSE) {
    if (no_other(m, step, &cube))
      arrive(m, from, step, cube, depth);
  } else if (step->kind == PR_STEP_JUMP || s->kind == PR_S_PRINT)
    arrive(m, from, step, cube, depth);
  else if (s->kind == PR_S_ASSERT) {
    if (split(m, s->value, &holds, &fails)) {
      add_edge(m, from, m->violated, cube_both(cube, fails));
      arrive(m, from, step, cube_both(cube, holds), depth);
    }
  } else if (s->kind != PR_S_EXPRESSION)
    refuse(m, step);
  else if (split(m, s->value, &holds, &fails)) {
    if (depth && !(fails.positive && fails.negative))
      PR_ERROR(m->check, s->at, "write the condition before the atomic sequence",
               "a claim waits within an atomic sequence");
    arrive(m, from, step, cube_both(cube, holds), depth);
  }
}

bool pr_make_claim(struct pr_check *c, const struct pr_proctype *claim, const char *id, struct property *out) {
  struct claim m = {.check = c, .atoms = pr_atoms_create(c)};
  struct arena *arena = c->build.arena;
  const size_t errors = c->build.errors;
  if (!pr_build_graph(c->tree, claim, arena, c->build.log, &m.graph)) {
    c->build.errors++;
    return false;
  }
  m.violated = (uint32_t)m.graph.location_count;
  m.inside = pr_inside_atom(&m.atoms);
  for (uint32_t l = 0; l < m.graph.location_count; l++) {
    const struct pr_location *location = &m.graph.locations[l];
    for (size_t i = location->first; i < location->first + location->count; i++)
      if (m.graph.steps[i].kind != PR_STEP_END)
        follow(&m, l, &m.graph.steps[i], (struct cube){0, 0}, 0);
  }
  add_edge(&m, m.violated, m.violated, (struct cube){0, 0});
  for (uint32_t l = 0; l <= m.violated && m.inside < LOGIC_MAX_ATOMS; l++)
    push_edge(&m, l, l, (struct cube){UINT64_C(1) << m.inside, 0}, false);
  if (c->build.errors != errors)
    return false;
  struct temporal *temporal = arena_alloc(arena, sizeof *temporal);
  *temporal = (struct temporal){.violating = automaton_create(arena, m.violated + 1, 0, 1, m.edges, m.edge_count)};
  *out =
      pr_temporal_property(&m.atoms, temporal, id, arena_printf(arena, "no run is accepted by %s", id), claim->name.at);
  return true;
}
