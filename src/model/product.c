#include "model/product.h"

#include "model/build.h"
#include "model/process.h"

#include <assert.h>
#include <string.h>

struct product {
  struct builder builder;
  const struct model *model; /* the factor */
  struct model *result;
  const struct automaton *automaton;
  const struct expr *const *atoms;
  uint32_t degree, state, targets; /* variables: of the automaton's state, of the targets of its edges */
  const struct expr *automaton_state;
};

uint32_t product_degree(const struct automaton *automaton) {
  size_t most = 1;
  for (uint32_t s = 0; s < automaton->states; s++)
    if (automaton->first[s + 1] - automaton->first[s] > most)
      most = automaton->first[s + 1] - automaton->first[s];
  return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

static const struct automaton_edge *edges_of(const struct product *p, uint32_t state, uint32_t *count) {
  *count = (uint32_t)(p->automaton->first[state + 1] - p->automaton->first[state]);
  return p->automaton->edges + p->automaton->first[state];
}

/* ---- what a state permits ------------------------------------------------------------------------- */

static const struct expr *cube_holds(struct product *p, struct cube cube) {
  const struct expr *all = build_const(&p->builder, 1);
  for (uint32_t atom = 0; atom < LOGIC_MAX_ATOMS; atom++) {
    const uint64_t bit = UINT64_C(1) << atom;
    if (!((cube.positive | cube.negative) & bit))
      continue;
    const struct expr *holds = build_truth(&p->builder, p->atoms[atom]);
    const struct expr *literal = cube.negative & bit ? build_not(&p->builder, NOWHERE, holds) : holds;
    all = build_binary(&p->builder, EXPR_AND, NOWHERE, all, literal);
  }
  return all;
}

/* 1 << number if the state permits the edge. */
static const struct expr *edge_bit(struct product *p, const struct automaton_edge *edge, uint32_t number) {
  const struct expr *some = build_const(&p->builder, 0);
  for (size_t i = 0; i < edge->cube_count; i++)
    some = build_binary(&p->builder, EXPR_OR, NOWHERE, some, cube_holds(p, edge->cubes[i]));
  return build_cond(&p->builder, NOWHERE, some, build_const(&p->builder, (int64_t)1 << number),
                    build_const(&p->builder, 0));
}

static const struct expr *bits_of_state(struct product *p, uint32_t state) {
  uint32_t count;
  const struct automaton_edge *edges = edges_of(p, state, &count);
  const struct expr *bits = build_const(&p->builder, 0);
  for (uint32_t i = 0; i < count; i++)
    bits = build_binary(&p->builder, EXPR_ADD, NOWHERE, bits, edge_bit(p, &edges[i], i));
  return bits;
}

/* The bits of the automaton's state, which is one of first..last: a tree of comparisons. */
static const struct expr *permitted(struct product *p, uint32_t first, uint32_t last) {
  if (first == last)
    return bits_of_state(p, first);
  const uint32_t middle = first + (last - first) / 2;
  const struct expr *lower =
      build_binary(&p->builder, EXPR_LE, NOWHERE, p->automaton_state, build_const(&p->builder, middle));
  return build_cond(&p->builder, NOWHERE, lower, permitted(p, first, middle), permitted(p, middle + 1, last));
}

/* ---- variables ------------------------------------------------------------------------------------ */

static int64_t *values(struct product *p, size_t count) {
  return arena_array(p->builder.arena, count, sizeof(int64_t));
}

static void add_variable(struct product *p, struct variable variable) {
  variable.length = variable.count;
  variable.first = p->result->value_count;
  variable.at = NOWHERE;
  p->result->value_count += variable.count;
  p->result->variables[p->result->variable_count++] = variable;
}

static void add_variables(struct product *p) {
  const struct automaton *a = p->automaton;
  struct variable *variables = arena_array(p->builder.arena, p->model->variable_count + 2, sizeof *variables);
  memcpy(variables, p->model->variables, p->model->variable_count * sizeof *variables);
  p->result->variables = variables;
  p->state = (uint32_t)p->model->variable_count;
  p->targets = p->state + 1;
  int64_t *initial = values(p, 1), *targets = values(p, a->states * (size_t)p->degree);
  *initial = a->initial;
  for (uint32_t s = 0; s < a->states; s++)
    for (uint32_t i = 0; i < p->degree; i++)
      targets[s * p->degree + i] = a->first[s] + i < a->first[s + 1] ? a->edges[a->first[s] + i].to : 0;
  const struct variable state = {
      .name = "automaton", .kind = VARIABLE_GLOBAL, .count = 1, .assigned = true, .hi = a->states - 1, .init = initial};
  const struct variable table = {.name = "automaton",
                                 .kind = VARIABLE_TABLE,
                                 .owner = p->state,
                                 .count = a->states * p->degree,
                                 .is_array = true,
                                 .hi = a->states - 1,
                                 .init = targets};
  add_variable(p, state);
  add_variable(p, table);
  p->automaton_state = build_read(&p->builder, NOWHERE, p->state, NULL);
}

/* ---- transitions ---------------------------------------------------------------------------------- */

/* A copy of the n items with room for one more: before them if `front`, else behind. */
static void *with_room(struct product *p, const void *items, size_t n, size_t size, bool front) {
  char *copy = arena_array(p->builder.arena, n + 1, size);
  if (n > 0)
    memcpy(copy + (front ? size : 0), items, n * size);
  return copy;
}

/* The number of the edge that a step takes. */
static const struct expr *chosen_edge(struct product *p, size_t select) {
  return p->degree > 1 ? build_select(&p->builder, NOWHERE, (uint32_t)select, 0, p->degree - 1)
                       : build_const(&p->builder, 0);
}

static const struct expr *edge_is_permitted(struct product *p, size_t select) {
  const struct expr *all = build_automaton(&p->builder, p->result->automaton->permitted);
  const struct expr *bits = build_shift(&p->builder, EXPR_SHR, NOWHERE, all, chosen_edge(p, select), NULL);
  return build_binary(&p->builder, EXPR_BITAND, NOWHERE, bits, build_const(&p->builder, 1));
}

static struct statement take_edge(struct product *p, size_t select) {
  const struct expr *row =
      build_binary(&p->builder, EXPR_MUL, NOWHERE, p->automaton_state, build_const(&p->builder, p->degree));
  const struct expr *place = build_binary(&p->builder, EXPR_ADD, NOWHERE, row, chosen_edge(p, select));
  return (struct statement){.op = ST_ASSIGN,
                            .at = NOWHERE,
                            .id = p->state,
                            .site = NO_SITE,
                            .value = build_read(&p->builder, NOWHERE, p->targets, place)};
}

static void add_select(struct product *p, struct transition *t) {
  if (p->degree == 1)
    return;
  struct select *selects = with_room(p, t->selects, t->select_count, sizeof *selects, false);
  selects[t->select_count++] = (struct select){.name = "", .hi = p->degree - 1};
  t->selects = selects;
}

static void add_guard(struct product *p, struct transition *t, size_t select) {
  const struct expr **guards = with_room(p, t->guards, t->guard_count, sizeof *guards, true);
  guards[0] = edge_is_permitted(p, select);
  t->guards = guards;
  t->guard_count++;
}

static void add_statement(struct product *p, struct transition *t, size_t select) {
  struct statement *statements = with_room(p, t->statements, t->statement_count, sizeof *statements, true);
  statements[0] = take_edge(p, select);
  t->statements = statements;
  t->statement_count++;
}

/* The transition, taking an edge of the automaton too. The guard comes first: what the automaton does not permit cannot
   fail. */
static struct transition with_edge(struct product *p, const struct transition *given) {
  struct transition t = *given;
  const size_t select = t.select_count;
  add_select(p, &t);
  add_guard(p, &t, select);
  if (!never_fires(given))
    add_statement(p, &t, select);
  return t;
}

static void add_edges(struct product *p) {
  const struct model *model = p->model;
  struct edge *edges = with_room(p, model->edges, model->edge_count, sizeof *edges, false);
  edges[model->edge_count] = edge_without_process("stutter", NOWHERE);
  edges[model->edge_count].instances = arena_alloc(p->builder.arena, sizeof *edges->instances);
  p->result->edges = edges;
  p->result->edge_count++;
}

static struct transition stutter(struct product *p, bool enabled) {
  const struct expr **guard = arena_alloc(p->builder.arena, sizeof *guard);
  *guard = build_const(&p->builder, enabled);
  struct participant *participant = arena_alloc(p->builder.arena, sizeof *participant);
  *participant = (struct participant){.process = NO_PROCESS, .edge = (uint32_t)p->model->edge_count};
  return (struct transition){.participants = participant,
                             .participant_count = 1,
                             .guards = guard,
                             .guard_count = !enabled,
                             .initiator = (uint32_t)p->model->initiator_count,
                             .otherwise = true};
}

static void add_transitions(struct product *p, bool stutters) {
  const struct model *model = p->model;
  struct transition *transitions = arena_array(p->builder.arena, model->transition_count + 1, sizeof *transitions);
  for (size_t i = 0; i < model->transition_count; i++)
    transitions[i] = with_edge(p, &model->transitions[i]);
  const struct transition last = stutter(p, stutters);
  transitions[model->transition_count] = with_edge(p, &last);
  struct initiator_transitions *initiators =
      with_room(p, model->initiators, model->initiator_count, sizeof *initiators, false);
  initiators[model->initiator_count] = (struct initiator_transitions){
      .first = model->transition_count, .end = model->transition_count + 1, .process = NO_PROCESS};
  p->result->transitions = transitions;
  p->result->transition_count++;
  p->result->initiators = initiators;
  p->result->initiator_count++;
}

/* ---- fairness ------------------------------------------------------------------------------------- */

static uint64_t bit(unsigned first, size_t constraint) { return UINT64_C(1) << (first + constraint); }

/* Bits from `first` on. */
static const uint64_t *fair_transitions(struct product *p, const struct fairness *fairness, unsigned first) {
  uint64_t *masks = arena_array(p->builder.arena, p->model->transition_count + 1, sizeof *masks);
  for (size_t t = 0; t < p->model->transition_count; t++)
    for (size_t i = 0; i < fairness->count; i++)
      if (fairness_includes(p->model, &fairness->constraints[i], &p->model->transitions[t]))
        masks[t] |= bit(first, i);
  return masks;
}

static const uint64_t *instance_constraints(struct product *p, const struct fairness *fairness, unsigned first) {
  uint64_t *masks = arena_array(p->builder.arena, p->model->process_count, sizeof *masks);
  for (size_t i = 0; i < fairness->count; i++) {
    const struct fairness_constraint *constraint = &fairness->constraints[i];
    if (constraint->process != NO_PROCESS && constraint->edge == NO_EDGE && !constraint->label)
      masks[constraint->process] |= bit(first, i);
  }
  return masks;
}

static void describe_fairness(struct product *p, const struct fairness *given, struct model_automaton *out) {
  const unsigned first = p->automaton->sets;
  struct fairness all;
  fairness_with_instances(p->model, given, p->builder.arena, &all);
  const bool fits = first + all.count <= PRODUCT_MAX_CONDITIONS && p->model->process_count <= 64;
  const struct fairness *const used = fits ? &all : given;
  assert(first + given->count <= PRODUCT_MAX_CONDITIONS);
  for (size_t i = 0; i < given->count; i++)
    *(given->constraints[i].strong ? &out->strong_fair : &out->weak_fair) |= bit(first, i);
  out->fairness = fair_transitions(p, used, first);
  out->fair_processes = fits ? (uint32_t)p->model->process_count : 0;
  out->instance_constraints = instance_constraints(p, used, first);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static void describe_automaton(struct product *p, struct model_automaton *out) {
  const struct automaton *a = p->automaton;
  const struct automaton_shape shape = automaton_shape(p->builder.arena, a);
  uint64_t *accepting = arena_array(p->builder.arena, a->states * (size_t)p->degree, sizeof *accepting);
  bool *candidates = arena_array(p->builder.arena, a->states, sizeof *candidates);
  for (size_t i = 0; i < a->edge_count; i++)
    accepting[a->edges[i].from * (size_t)p->degree + (i - a->first[a->edges[i].from])] = a->edges[i].accepting;
  for (uint32_t s = 0; s < a->states; s++)
    candidates[s] = shape.accepting[shape.component[s]];
  *out = (struct model_automaton){.variable = p->state,
                                  .degree = p->degree,
                                  .permitted = permitted(p, 0, a->states - 1),
                                  .sets = automaton_all_sets(a),
                                  .accepting = accepting,
                                  .candidates = candidates,
                                  .weak = shape.strength != AUTOMATON_GENERAL};
}

const struct model *product_create(const struct model *model, const struct automaton *automaton,
                                   const struct expr *const *atoms, const struct fairness *fairness, bool stutters,
                                   struct arena *arena) {
  struct model *result = arena_alloc(arena, sizeof *result);
  struct model_automaton *part = arena_alloc(arena, sizeof *part);
  struct product p = {.builder = {.arena = arena, .source = model->source, .model = result, .here = NOWHERE},
                      .model = model,
                      .result = result,
                      .automaton = automaton,
                      .atoms = atoms,
                      .degree = product_degree(automaton)};
  assert(p.degree <= PRODUCT_MAX_DEGREE && model->property_count > 0);
  *result = *model;
  result->properties = model->properties + model->property_count - 1;
  result->property_count = 1;
  result->expectation_count = 0;
  result->automaton = part;
  build_start(&p.builder);
  add_variables(&p);
  describe_automaton(&p, part);
  describe_fairness(&p, fairness, part);
  add_edges(&p);
  add_transitions(&p, stutters);
  assert(!model_flaw(result));
  return result;
}
