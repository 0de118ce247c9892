#include "model/temporal/product.h"

#include "model/build.h"
#include "model/process.h"
#include "model/temporal/transient_states.h"
#include "model/transition_set.h"

#include <assert.h>
#include <string.h>

struct product {
  struct builder builder;
  const struct model *model;         /* the factor; its transient states are states */
  const struct transient *transient; /* of the model that was given */
  struct model *result;
  const struct automaton *automaton;
  const struct product_atoms *atoms;
  struct automaton_shape shape;
  uint32_t states;         /* of the automaton, and of the sink */
  uint32_t degree, words;  /* words: masks of edges of a state */
  uint32_t state, targets; /* variables: of the automaton's state, of the targets of its edges */
  const struct expr *automaton_state;
  const struct expr **holds; /* [LOGIC_MAX_ATOMS] atoms over states, made when they are needed */
  uint64_t about_steps;      /* atoms of the automaton that are about steps */
  uint64_t *classes;         /* [class_count] transitions in whose steps the same of them hold: these atoms */
  size_t class_count, class_room;
  const struct expr *first_only; /* an edge of its own, the last one, leads from each state to itself if this holds, and
                                    then no other is permitted; NULL: there is no such edge */
  uint64_t steps_hold;           /* those of the class whose masks are made */
};

uint32_t product_degree(const struct automaton *automaton) {
  size_t most = 1;
  for (uint32_t s = 0; s < automaton->states; s++)
    if (automaton->first[s + 1] - automaton->first[s] > most)
      most = automaton->first[s + 1] - automaton->first[s];
  return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/* ---- the sink ------------------------------------------------------------------------------------- */

/* Firings that the automaton does not permit enable constraints of fairness, too. Where it may permit some firings of a
   state alone, those that it does not permit lead to a state without edges, the sink. Only states that may lie on an
   accepting cycle need this. */
static bool has_sink(const struct product *p) { return p->states > p->automaton->states; }

static bool leads_to_sink(const struct product *p, uint32_t state) {
  return has_sink(p) && state < p->automaton->states && p->shape.accepting[p->shape.component[state]];
}

static const struct automaton_edge *edges_of(const struct product *p, uint32_t state, uint32_t *count) {
  *count = 0;
  if (state >= p->automaton->states)
    return NULL;
  *count = (uint32_t)(p->automaton->first[state + 1] - p->automaton->first[state]);
  return p->automaton->edges + p->automaton->first[state];
}

/* ---- what a state permits ------------------------------------------------------------------------- */

static const struct expr *atom_holds(struct product *p, uint32_t atom) {
  if (p->about_steps >> atom & 1)
    return build_const(&p->builder, p->steps_hold >> atom & 1);
  if (!p->holds[atom])
    p->holds[atom] = build_total(&p->builder, build_truth(&p->builder, p->atoms->holds[atom]));
  return p->holds[atom];
}

static const struct expr *cube_holds(struct product *p, struct cube cube) {
  const struct expr *all = build_const(&p->builder, 1);
  for (uint32_t atom = 0; atom < LOGIC_MAX_ATOMS; atom++) {
    const uint64_t bit = UINT64_C(1) << atom;
    if (!((cube.positive | cube.negative) & bit))
      continue;
    const struct expr *holds = atom_holds(p, atom);
    const struct expr *literal = cube.negative & bit ? build_not(&p->builder, NOWHERE, holds) : holds;
    all = build_binary(&p->builder, EXPR_AND, NOWHERE, all, literal);
  }
  return all;
}

static const struct expr *edge_holds(struct product *p, const struct automaton_edge *edge) {
  const struct expr *some = build_const(&p->builder, 0);
  for (size_t i = 0; i < edge->cube_count; i++)
    some = build_binary(&p->builder, EXPR_OR, NOWHERE, some, cube_holds(p, edge->cubes[i]));
  return some;
}

static const struct expr *no_edge_holds(struct product *p, const struct automaton_edge *edges, uint32_t count) {
  const struct expr *some = build_const(&p->builder, 0);
  for (uint32_t i = 0; i < count; i++)
    some = build_binary(&p->builder, EXPR_OR, NOWHERE, some, edge_holds(p, &edges[i]));
  return build_not(&p->builder, NOWHERE, some);
}

/* 1 << number if the condition holds. */
static const struct expr *edge_bit(struct product *p, const struct expr *holds, uint32_t number) {
  return build_cond(&p->builder, NOWHERE, holds, build_const(&p->builder, (int64_t)1 << number),
                    build_const(&p->builder, 0));
}

static const struct expr *bits_of_state(struct product *p, uint32_t state, uint32_t word) {
  uint32_t count;
  const struct automaton_edge *edges = edges_of(p, state, &count);
  const struct expr *bits = build_const(&p->builder, 0);
  for (uint32_t i = word * PERMITTED_BITS; i < count && i < (word + 1) * PERMITTED_BITS; i++)
    bits =
        build_binary(&p->builder, EXPR_ADD, NOWHERE, bits, edge_bit(p, edge_holds(p, &edges[i]), i % PERMITTED_BITS));
  if (leads_to_sink(p, state) && count / PERMITTED_BITS == word)
    bits = build_binary(&p->builder, EXPR_ADD, NOWHERE, bits,
                        edge_bit(p, no_edge_holds(p, edges, count), count % PERMITTED_BITS));
  return bits;
}

/* The bits of the automaton's state, which is one of first..last: a tree of comparisons. */
static const struct expr *permitted(struct product *p, uint32_t word, uint32_t first, uint32_t last) {
  if (first == last)
    return bits_of_state(p, first, word);
  const uint32_t middle = first + (last - first) / 2;
  const struct expr *lower =
      build_binary(&p->builder, EXPR_LE, NOWHERE, p->automaton_state, build_const(&p->builder, middle));
  return build_cond(&p->builder, NOWHERE, lower, permitted(p, word, first, middle),
                    permitted(p, word, middle + 1, last));
}

/* ---- atoms about steps ---------------------------------------------------------------------------- */

static uint64_t atoms_of(const struct automaton *a) {
  uint64_t atoms = 0;
  for (size_t i = 0; i < a->edge_count; i++)
    for (size_t k = 0; k < a->edges[i].cube_count; k++)
      atoms |= a->edges[i].cubes[k].positive | a->edges[i].cubes[k].negative;
  return atoms;
}

static void find_atoms_about_steps(struct product *p) {
  const uint64_t atoms = p->atoms->taken ? atoms_of(p->automaton) : 0;
  for (uint32_t i = 0; i < LOGIC_MAX_ATOMS; i++)
    if ((atoms >> i & 1) && p->atoms->taken[i])
      p->about_steps |= UINT64_C(1) << i;
}

/* The atoms that hold in steps of the transition; NULL: `stutter`. */
static uint64_t held_by_step(const struct product *p, const struct transition *t) {
  uint64_t held = 0;
  for (uint32_t i = 0; t && i < LOGIC_MAX_ATOMS; i++)
    if ((p->about_steps >> i & 1) && transition_in_set(p->model, t, p->atoms->taken[i]))
      held |= UINT64_C(1) << i;
  return held;
}

/* The class of these atoms, a new one if there is none. */
static size_t class_of(struct product *p, uint64_t held) {
  size_t i = 0;
  while (i < p->class_count && p->classes[i] != held)
    i++;
  if (i == p->class_count)
    *ARENA_PUSH(p->builder.arena, p->classes, p->class_count, p->class_room) = held;
  return i;
}

static void find_classes(struct product *p) {
  find_atoms_about_steps(p);
  for (size_t i = 0; i < p->model->transition_count; i++)
    class_of(p, held_by_step(p, &p->model->transitions[i]));
  class_of(p, held_by_step(p, NULL));
}

/* Sets states, degree and words. */
static void set_size(struct product *p) {
  p->states = p->automaton->states + (p->class_count > 1);
  p->degree = product_degree(p->automaton);
  for (uint32_t s = 0, count; s < p->automaton->states; s++)
    if (leads_to_sink(p, s) && edges_of(p, s, &count) && count == p->degree)
      p->degree++;
  p->degree += p->first_only != NULL;
  p->words = (p->degree - 1) / PERMITTED_BITS + 1;
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
  int64_t *initial = values(p, 1), *targets = values(p, p->states * (size_t)p->degree);
  *initial = a->initial;
  for (uint32_t s = 0, count; s < a->states; s++) {
    const struct automaton_edge *edges = edges_of(p, s, &count);
    for (uint32_t i = 0; i < count; i++)
      targets[s * p->degree + i] = edges[i].to;
    if (leads_to_sink(p, s))
      targets[s * p->degree + count] = p->states - 1;
  }
  for (uint32_t s = 0; p->first_only && s < p->states; s++)
    targets[s * p->degree + p->degree - 1] = s;
  const struct variable state = {
      .name = "automaton", .kind = VARIABLE_GLOBAL, .count = 1, .assigned = true, .hi = p->states - 1, .init = initial};
  const struct variable table = {.name = "automaton",
                                 .kind = VARIABLE_TABLE,
                                 .owner = p->state,
                                 .count = p->states * p->degree,
                                 .is_array = true,
                                 .hi = p->states - 1,
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

/* The bit of the edge in the masks from this one on. */
static const struct expr *bit_of_edge(struct product *p, uint32_t mask, uint32_t masks, const struct expr *edge) {
  const int64_t last = PERMITTED_BITS - 1;
  const struct expr *bits = build_automaton(&p->builder, mask, p->result->automaton->permitted[mask]);
  const struct expr *here = masks > 1 ? build_narrowed(&p->builder, edge, 0, last) : edge;
  const struct expr *bit = build_shift(&p->builder, EXPR_SHR, NOWHERE, bits, here, NULL);
  if (masks == 1)
    return bit;
  const struct expr *others =
      build_binary(&p->builder, EXPR_SUB, NOWHERE, build_narrowed(&p->builder, edge, PERMITTED_BITS, INT64_MAX),
                   build_const(&p->builder, PERMITTED_BITS));
  return build_cond(&p->builder, NOWHERE,
                    build_binary(&p->builder, EXPR_LE, NOWHERE, edge, build_const(&p->builder, last)), bit,
                    bit_of_edge(p, mask + 1, masks - 1, others));
}

/* `held`: the atoms that hold in the step. */
static const struct expr *edge_is_permitted(struct product *p, uint64_t held, size_t select) {
  const uint32_t first = (uint32_t)class_of(p, held) * p->words;
  return build_binary(&p->builder, EXPR_BITAND, NOWHERE, bit_of_edge(p, first, p->words, chosen_edge(p, select)),
                      build_const(&p->builder, 1));
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

static void add_guard(struct product *p, struct transition *t, uint64_t held, size_t select) {
  const struct expr **guards = with_room(p, t->guards, t->guard_count, sizeof *guards, true);
  guards[0] = edge_is_permitted(p, held, select);
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
static struct transition with_edge(struct product *p, const struct transition *given, uint64_t held) {
  struct transition t = *given;
  const size_t select = t.select_count;
  add_select(p, &t);
  add_guard(p, &t, held, select);
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

/* No transition of the model fires. That none of the product does is not enough if the automaton may permit some of
   them alone. */
static const struct expr *model_is_stuck(struct product *p) {
  const struct model *model = p->model;
  struct enabled *sets = with_room(p, model->enabled, model->enabled_count, sizeof *sets, false);
  const struct transition **all = arena_array(p->builder.arena, model->transition_count, sizeof *all);
  for (size_t i = 0; i < model->transition_count; i++)
    all[i] = &model->transitions[i];
  sets[model->enabled_count] = (struct enabled){
      .set = {.process = NO_PROCESS, .edge = NO_EDGE}, .transitions = all, .count = model->transition_count};
  p->result->enabled = sets;
  p->result->enabled_count = model->enabled_count + 1;
  return build_not(&p->builder, NOWHERE, build_enabled(&p->builder, NOWHERE, (uint32_t)model->enabled_count));
}

static const struct expr *is_not_transient(struct product *p) {
  const struct expr *holder = build_read(&p->builder, NOWHERE, p->transient->variable, NULL);
  return build_binary(&p->builder, EXPR_EQ, NOWHERE, holder, build_const(&p->builder, 0));
}

static struct transition stutter(struct product *p, bool enabled) {
  const struct expr **guard = arena_alloc(p->builder.arena, sizeof *guard);
  const bool tests = enabled && (p->class_count > 1 || p->transient);
  *guard = build_const(&p->builder, enabled);
  if (enabled && p->class_count > 1)
    *guard = model_is_stuck(p);
  if (p->transient) /* a sequence that must not end there is an error */
    *guard = build_binary(&p->builder, EXPR_AND, NOWHERE, *guard, is_not_transient(p));
  struct participant *participant = arena_alloc(p->builder.arena, sizeof *participant);
  *participant = (struct participant){.process = NO_PROCESS, .edge = (uint32_t)p->model->edge_count};
  return (struct transition){.participants = participant,
                             .participant_count = 1,
                             .guards = guard,
                             .guard_count = !enabled || tests,
                             .initiator = (uint32_t)p->model->initiator_count,
                             .otherwise = true};
}

static void add_transitions(struct product *p, bool stutters) {
  const struct model *model = p->model;
  struct transition *transitions = arena_array(p->builder.arena, model->transition_count + 1, sizeof *transitions);
  for (size_t i = 0; i < model->transition_count; i++)
    transitions[i] = with_edge(p, &model->transitions[i], held_by_step(p, &model->transitions[i]));
  const struct transition last = stutter(p, stutters);
  transitions[model->transition_count] = with_edge(p, &last, held_by_step(p, NULL));
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
      if (transition_in_set(p->model, &p->model->transitions[t], &fairness->constraints[i].set))
        masks[t] |= bit(first, i);
  return masks;
}

static const uint64_t *instance_constraints(struct product *p, const struct fairness *fairness, unsigned first) {
  uint64_t *masks = arena_array(p->builder.arena, p->model->process_count, sizeof *masks);
  for (size_t i = 0; i < fairness->count; i++) {
    const struct transition_set *set = &fairness->constraints[i].set;
    if (set->process != NO_PROCESS && set->edge == NO_EDGE && !set->label)
      masks[set->process] |= bit(first, i);
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

/* The mask, or where steps take no edge that of the edge to the state itself. */
static const struct expr *with_edge_to_itself(struct product *p, const struct expr *mask, uint32_t word) {
  const uint32_t edge = p->degree - 1;
  const int64_t own = edge / PERMITTED_BITS == word ? (int64_t)1 << edge % PERMITTED_BITS : 0;
  return p->first_only ? build_cond(&p->builder, NOWHERE, p->first_only, build_const(&p->builder, own), mask) : mask;
}

/* The masks of each class, one after the other. */
static const struct expr **masks_of_edges(struct product *p) {
  const struct expr **masks = arena_array(p->builder.arena, p->class_count * p->words, sizeof *masks);
  for (size_t i = 0; i < p->class_count; i++) {
    p->steps_hold = p->classes[i];
    for (uint32_t word = 0; word < p->words; word++)
      masks[i * p->words + word] = with_edge_to_itself(p, permitted(p, word, 0, p->states - 1), word);
  }
  return masks;
}

static void describe_automaton(struct product *p, struct model_automaton *out) {
  const struct automaton *a = p->automaton;
  uint64_t *accepting = arena_array(p->builder.arena, p->states * (size_t)p->degree, sizeof *accepting);
  bool *candidates = arena_array(p->builder.arena, p->states, sizeof *candidates);
  for (size_t i = 0; i < a->edge_count; i++)
    accepting[a->edges[i].from * (size_t)p->degree + (i - a->first[a->edges[i].from])] = a->edges[i].accepting;
  for (uint32_t s = 0; s < a->states; s++)
    candidates[s] = p->shape.accepting[p->shape.component[s]];
  *out = (struct model_automaton){.variable = p->state,
                                  .degree = p->degree,
                                  .permitted = masks_of_edges(p),
                                  .permitted_count = (uint32_t)p->class_count * p->words,
                                  .sets = automaton_all_sets(a),
                                  .accepting = accepting,
                                  .candidates = candidates,
                                  .transient = p->transient,
                                  .weak = p->shape.strength != AUTOMATON_GENERAL};
}

const struct model *product_create(const struct model *model, const struct automaton *automaton,
                                   const struct product_atoms *atoms, const struct fairness *fairness, bool stutters,
                                   struct arena *arena) {
  struct model *result = arena_alloc(arena, sizeof *result);
  struct model_automaton *part = arena_alloc(arena, sizeof *part);
  struct product p = {.builder = {.arena = arena, .source = model->source, .model = result, .here = NOWHERE},
                      .model = model,
                      .result = result,
                      .automaton = automaton,
                      .atoms = atoms,
                      .shape = automaton_shape(arena, automaton),
                      .holds = arena_array(arena, LOGIC_MAX_ATOMS, sizeof *p.holds)};
  assert(product_degree(automaton) <= PRODUCT_MAX_DEGREE && model->property_count > 0);
  *result = *model;
  result->properties = model->properties + model->property_count - 1;
  result->property_count = 1;
  result->expectation_count = 0;
  result->stuttering = false; /* a run that repeats a step does not end */
  result->automaton = part;
  build_start(&p.builder);
  if (model->transient) {
    p.first_only = holder_is_first_only(&p.builder, model);
    p.transient = model->transient;
    p.model = model_with_transient_states(&p.builder, model);
    result->enabled = p.model->enabled;
    result->enabled_count = p.model->enabled_count;
    result->transient = NULL;
  }
  find_classes(&p);
  set_size(&p);
  add_variables(&p);
  describe_automaton(&p, part);
  describe_fairness(&p, fairness, part);
  add_edges(&p);
  add_transitions(&p, stutters);
  assert(!model_flaw(result));
  return result;
}
