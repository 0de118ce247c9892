#include "api/liveness/lasso.h"

#include "api/trace/fair_run.h"
#include "api/trace/trace.h"
#include "api/trace/whole_trace.h"
#include "model/interpreter/interpreter.h"
#include "model/temporal/violating_runs.h"

#include <string.h>

struct lasso {
  const struct lasso_request *request;
  struct step_edge *edges; /* [prefix + cycle] of the product */
  size_t prefix, cycle;    /* steps */
  int64_t *values;         /* [(prefix + cycle + 1) * value_count] of the product's states */
};

static int64_t *values_of(const struct lasso *l, size_t i) { return l->values + i * l->request->product->value_count; }

static bool same_state(const struct lasso *l, size_t i, size_t k) {
  return memcmp(values_of(l, i), values_of(l, k), l->request->product->value_count * sizeof *l->values) == 0;
}

/* ---- the run of the product ----------------------------------------------------------------------- */

/* False: a step does not fire. */
static bool execute(const struct lasso *l) {
  const struct model *product = l->request->product;
  model_initial_values(product, values_of(l, 0));
  for (size_t i = 0; i < l->prefix + l->cycle; i++) {
    uint32_t site;
    memcpy(values_of(l, i + 1), values_of(l, i), product->value_count * sizeof *l->values);
    if (!interpreter_fire(product, l->edges[i].transition, l->edges[i].choice, values_of(l, i + 1), NULL, &site) ||
        site != NO_SITE)
      return false;
  }
  return true;
}

static bool is_accepting(const struct lasso *l) {
  const struct model_automaton *automaton = l->request->product->automaton;
  const uint32_t state = l->request->product->variables[automaton->variable].first;
  uint64_t sets = 0;
  for (size_t i = l->prefix; i < l->prefix + l->cycle; i++)
    sets |= automaton->accepting[values_of(l, i)[state] * automaton->degree + l->edges[i].choice % automaton->degree];
  return (automaton->sets & ~sets) == 0;
}

/* ---- shorter -------------------------------------------------------------------------------------- */

/* If the prefix meets the cycle earlier, it ends there. */
static void shorten(struct lasso *l) {
  struct step_edge *turned = arena_array(l->request->scratch, l->cycle, sizeof *turned);
  for (size_t i = 0; i < l->prefix; i++)
    for (size_t k = 0; k < l->cycle; k++)
      if (same_state(l, i, l->prefix + k)) {
        for (size_t n = 0; n < l->cycle; n++)
          turned[n] = l->edges[l->prefix + (k + n) % l->cycle];
        memcpy(l->edges + i, turned, l->cycle * sizeof *turned);
        l->prefix = i;
        execute(l);
        return;
      }
}

/* ---- the run of the model ------------------------------------------------------------------------- */

/* Steps before the model stays in a deadlock, or all. */
static size_t model_steps(const struct lasso *l) {
  const size_t stutter = l->request->e->model->transition_count;
  size_t i = 0;
  while (i < l->prefix + l->cycle && l->edges[i].transition != stutter)
    i++;
  return i;
}

/* False: a state of the model has no key. The model's variables are the first ones of the product. */
static bool make_path(const struct lasso *l, size_t steps, struct path *path) {
  const struct exploration *e = l->request->e;
  const uint32_t words = e->layout->key_words, degree = l->request->product->automaton->degree;
  path->steps = (uint32_t)steps;
  path->states = arena_array(l->request->scratch, (steps + 1) * words, sizeof *path->states);
  path->edges = arena_array(l->request->scratch, steps, sizeof *path->edges);
  for (size_t i = 0; i < steps; i++)
    path->edges[i] = (struct step_edge){l->edges[i].transition, l->edges[i].choice / degree, NO_SITE};
  for (size_t i = 0; i <= steps; i++)
    if (!key_of_values(e->model, e->layout, values_of(l, i), path->states + i * words))
      return false;
  return true;
}

/* ---- the property --------------------------------------------------------------------------------- */

/* The transition of the step after state i; NULL: the run stays, as after the steps of the lasso. */
static const struct transition *step_after(const struct lasso *l, size_t i) {
  const struct model *model = l->request->e->model;
  const bool moves = i < l->prefix + l->cycle && l->edges[i].transition < model->transition_count;
  return moves ? &model->transitions[l->edges[i].transition] : NULL;
}

/* The property is not about such states. */
static bool takes_no_edge(const struct lasso *l, size_t i) {
  const struct holder *holder = model_holder(l->request->e->model, values_of(l, i));
  return holder && holder->first_only;
}

/* Evaluates the property on the run of `steps` steps, which continues after the last state as after state `loop`. */
static bool violates(const struct lasso *l, size_t steps, size_t loop) {
  const struct lasso_request *request = l->request;
  const struct model *model = request->e->model;
  const struct temporal *temporal = model->properties[request->property].temporal;
  /* The last state is state `loop` again, or, without a step after it, repeats. */
  const size_t count = loop < steps ? steps : steps + 1;
  uint64_t *valuations = arena_array(request->scratch, count, sizeof *valuations);
  struct periodic_word word = {.valuations = valuations};
  for (size_t i = 0; i < count; i++) {
    uint64_t *const valuation = &valuations[word.count];
    word.loop = i == loop ? word.count : word.loop;
    if (takes_no_edge(l, i))
      continue;
    word.count++;
    for (size_t atom = 0; atom < temporal->atom_count; atom++) {
      bool holds;
      if (!interpreter_atom(model, temporal, atom, values_of(l, i), step_after(l, i), &holds))
        return false;
      *valuation |= (uint64_t)holds << atom;
    }
  }
  return word.loop < word.count && run_violates(temporal, &word, request->scratch);
}

/* ---- fairness ------------------------------------------------------------------------------------- */

static bool any_is_enabled(const struct lasso *l, size_t state) {
  const struct model *model = l->request->e->model;
  for (size_t t = 0; t < model->transition_count; t++)
    if (interpreter_fires(model, &model->transitions[t], values_of(l, state)))
      return true;
  return false;
}

/* False: the run does not satisfy a constraint. */
static bool add_constraints(const struct lasso *l, size_t steps, size_t loop, struct floe_trace *trace) {
  const struct lasso_request *request = l->request;
  const size_t count = loop < steps ? steps : steps + 1;
  const struct transition **transitions = arena_array(request->scratch, count, sizeof *transitions);
  for (size_t i = 0; i < count; i++)
    transitions[i] = i < steps ? step_after(l, i) : NULL;
  const struct fair_run run = {request->e->model, l->values, request->product->value_count, transitions, count, loop};
  trace->constraints =
      judge_fairness(&run, request->fairness, request->scratch, &request->e->result->arena, &trace->constraint_count);
  return !unsatisfied_constraint(trace->constraints, trace->constraint_count);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

floe_status lasso_trace(const struct lasso_request *request, const floe_trace **out) {
  struct lasso l = {.request = request, .prefix = request->prefix->steps, .cycle = request->cycle->steps};
  const size_t all = l.prefix + l.cycle;
  struct path path;
  l.edges = arena_array(request->scratch, all, sizeof *l.edges);
  l.values = arena_array(request->scratch, (all + 1) * request->product->value_count, sizeof *l.values);
  if (l.prefix > 0)
    memcpy(l.edges, request->prefix->edges, l.prefix * sizeof *l.edges);
  memcpy(l.edges + l.prefix, request->cycle->edges, l.cycle * sizeof *l.edges);
  if (!execute(&l) || !same_state(&l, l.prefix, all) || !is_accepting(&l))
    return FLOE_ERROR_INTERNAL;
  shorten(&l);
  const size_t steps = model_steps(&l);
  const size_t loop = steps < l.prefix + l.cycle ? steps : l.prefix;
  if (loop == steps && any_is_enabled(&l, steps))
    return FLOE_ERROR_INTERNAL;
  if (!violates(&l, steps, loop) || !make_path(&l, steps, &path))
    return FLOE_ERROR_INTERNAL;
  if (is_reduced(request->e)) {
    const struct whole_loop whole = {request->property, &path, loop, request->fairness};
    return whole_trace_loop(request->e, &whole, out);
  }
  const struct trace_request trace = {.model = request->e->model,
                                      .layout = request->e->layout,
                                      .property = request->property,
                                      .path = &path,
                                      .single = true,
                                      .scratch = request->scratch};
  struct floe_trace *made;
  FLOE_TRY(trace_make_loop(&trace, (uint32_t)loop, &request->e->result->arena, &made));
  if (!add_constraints(&l, steps, loop, made))
    return FLOE_ERROR_INTERNAL;
  *out = made;
  return FLOE_OK;
}
