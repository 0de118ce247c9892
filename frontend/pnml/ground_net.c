#include "frontend/pnml/ground_net.h"

#include "model/process.h"

/* Transitions of one function of generated code: small functions compile faster. */
enum { GROUP = 16 };

/* ---- places ----------------------------------------------------------------------------------- */

static bool *changed_places(struct net_grounding *g) {
  bool *changed = arena_array(g->build.arena, g->net->place_count, sizeof *changed);
  for (size_t a = 0; a < g->net->arc_count; a++) {
    const struct net_arc *arc = &g->net->arcs[a];
    if (arc_changes(arc))
      changed[arc->place] = true;
  }
  return changed;
}

static int64_t most_tokens(const struct net_grounding *g, size_t place) {
  const struct net_place *p = &g->net->places[place];
  if (claimed_unit_of(g, place))
    return 1;
  int64_t most = p->bound;
  if (net_place_is_guessed(p) && (p->bound == NO_BOUND || g->guessed < p->bound))
    most = g->guessed;
  return most > p->initial ? most : p->initial;
}

/* The proved sets, then the claimed ones. */
static void add_exclusive(struct net_grounding *g) {
  const struct net *net = g->net;
  const size_t count = net->exclusive_count + (g->claims ? net->claimed_count : 0);
  struct exclusive_set *sets = arena_array(g->build.arena, count, sizeof *sets);
  for (size_t i = 0; i < count; i++) {
    const struct net_sum *sum = i < net->exclusive_count ? &net->exclusive[i] : &net->claimed[i - net->exclusive_count];
    sets[i] = (struct exclusive_set){sum->places, sum->count, sum->one};
  }
  g->build.model->exclusive = sets;
  g->build.model->exclusive_count = count;
}

static void add_places(struct net_grounding *g) {
  struct builder *b = &g->build;
  const struct net *net = g->net;
  struct variable *variables = arena_array(b->arena, net->place_count, sizeof *variables);
  const bool *changed = changed_places(g);
  for (size_t p = 0; p < net->place_count; p++)
    variables[p] = (struct variable){.name = net->places[p].name,
                                     .count = 1,
                                     .length = 1,
                                     .assigned = changed[p],
                                     .guessed = net_place_is_guessed(&net->places[p]),
                                     .hi = most_tokens(g, p),
                                     .init = &net->places[p].initial,
                                     .at = net->places[p].at};
  b->model->variables = variables;
  b->model->variable_count = net->place_count;
  add_exclusive(g);
  build_places(b);
  build_settle(b);
}

/* ---- transitions ------------------------------------------------------------------------------ */

struct transition_parts {
  const struct net_transition *from;
  const struct expr **guards;
  struct source_excerpt *written; /* of each guard */
  size_t guard_count;
  struct statement *statements;
  size_t statement_count;
  const struct expr **implied;
  size_t implied_count;
};

static const struct expr *tokens_of(struct net_grounding *g, const struct net_arc *arc) {
  return build_read(&g->build, arc->at, arc->place, NULL);
}

static void add_guard(struct net_grounding *g, struct transition_parts *t, const struct net_arc *arc,
                      const struct expr *guard, const char *text) {
  t->written[t->guard_count] = (struct source_excerpt){text, arc->at, arc->end};
  t->guards[t->guard_count++] = guard;
  (void)g;
}

static const struct expr *has_enough(struct net_grounding *g, const struct net_arc *arc) {
  return build_binary(&g->build, EXPR_LE, arc->at, build_const(&g->build, arc->needs), tokens_of(g, arc));
}

static const struct expr *has_few(struct net_grounding *g, const struct net_arc *arc) {
  return build_binary(&g->build, EXPR_LT, arc->at, tokens_of(g, arc), build_const(&g->build, arc->below));
}

static void add_guards(struct net_grounding *g, struct transition_parts *t, const struct net_arc *arc) {
  struct arena *arena = g->build.arena;
  const char *name = g->net->places[arc->place].name;
  if (arc->needs)
    add_guard(g, t, arc, has_enough(g, arc), arena_printf(arena, "%s >= %lld", name, (long long)arc->needs));
  if (arc->below)
    add_guard(g, t, arc, has_few(g, arc), arena_printf(arena, "%s < %lld", name, (long long)arc->below));
}

const struct expr *ground_enabled(struct net_grounding *g, uint32_t transition) {
  struct builder *b = &g->build;
  if (!g->written)
    return g->enabled[transition];
  const struct net_transition *from = &g->written->transitions[transition];
  const struct expr **conditions = arena_array(b->arena, 2 * (from->end - from->first), sizeof *conditions);
  size_t n = 0;
  for (size_t a = from->first; a < from->end; a++) {
    const struct net_arc *arc = &g->written->arcs[a];
    if (arc->needs)
      conditions[n++] = has_enough(g, arc);
    if (arc->below)
      conditions[n++] = has_few(g, arc);
  }
  return n ? build_all(b, EXPR_AND, from->at, conditions, n) : build_const(b, 1);
}

/* Tokens afterwards. The guards limit those before: a place with one token at most has none before some are put. */
static const struct expr *tokens_after(struct net_grounding *g, const struct net_arc *arc) {
  struct builder *b = &g->build;
  const int64_t change = arc->puts - arc->takes;
  const int64_t most =
      arc->below && arc->below <= most_tokens(g, arc->place) ? arc->below - 1 : most_tokens(g, arc->place);
  if (arc->resets)
    return build_const(b, arc->puts);
  if (g->net->places[arc->place].bound == 1 || claimed_unit_of(g, arc->place))
    return build_const(b, change > 0);
  const struct expr *after = build_binary(b, change < 0 ? EXPR_SUB : EXPR_ADD, arc->at, tokens_of(g, arc),
                                          build_const(b, change < 0 ? -change : change));
  const int64_t bound = g->net->places[arc->place].bound != NO_BOUND ? g->net->places[arc->place].bound : INT64_MAX;
  return build_narrowed(b, after, arc->needs + change, most + change < bound ? most + change : bound);
}

static void add_change(struct net_grounding *g, struct transition_parts *t, const struct net_arc *arc) {
  struct builder *b = &g->build;
  const struct expr *after = tokens_after(g, arc);
  const uint32_t site = build_assign_site(b, after, arc->at, &b->model->variables[arc->place]);
  t->statements[t->statement_count++] =
      (struct statement){.op = ST_ASSIGN, .at = arc->at, .id = arc->place, .value = after, .site = site};
}

/* The proved bound of a place limits its tokens before a firing that adds some. */
static void add_implied(struct net_grounding *g, struct transition_parts *t, const struct net_arc *arc) {
  struct builder *b = &g->build;
  const int64_t bound = g->net->places[arc->place].bound, change = arc->puts - arc->takes;
  if (bound != NO_BOUND && change > 0 && !arc->resets)
    t->implied[t->implied_count++] =
        build_binary(b, EXPR_LE, arc->at, tokens_of(g, arc), build_const(b, bound - change));
}

static void add_arc(struct net_grounding *g, struct transition_parts *t, const struct net_arc *arc) {
  add_guards(g, t, arc);
  add_implied(g, t, arc);
  if (arc_changes(arc))
    add_change(g, t, arc);
}

static struct object *objects_of(struct net_grounding *g, const struct net_transition *from) {
  struct object *objects = arena_array(g->build.arena, from->end - from->first, sizeof *objects);
  for (size_t a = from->first; a < from->end; a++) {
    const struct net_place *place = &g->net->places[g->net->arcs[a].place];
    objects[a - from->first] = (struct object){"place", place->name, NULL, place->at};
  }
  return objects;
}

static struct edge edge_of(struct net_grounding *g, const struct transition_parts *t) {
  struct edge_instance *conditions = arena_alloc(g->build.arena, sizeof *conditions);
  struct edge edge = edge_without_process(t->from->name, t->from->at);
  conditions->guards = t->guards;
  edge.guards = t->written;
  edge.guard_count = t->guard_count;
  edge.reads_message = arena_array(g->build.arena, t->guard_count, sizeof *edge.reads_message);
  edge.instances = conditions;
  return edge;
}

static const struct expr *condition_of(struct net_grounding *g, const struct transition_parts *t) {
  if (t->guard_count == 0)
    return build_const(&g->build, 1);
  return build_all(&g->build, EXPR_AND, t->from->at, t->guards, t->guard_count);
}

static void add_transition(struct net_grounding *g, uint32_t number, struct edge *edge, struct transition *out) {
  struct builder *b = &g->build;
  const struct net_transition *from = &g->net->transitions[number];
  const size_t arcs = from->end - from->first;
  struct transition_parts t = {.from = from};
  struct participant *self = arena_alloc(b->arena, sizeof *self);
  t.guards = arena_array(b->arena, 2 * arcs, sizeof *t.guards);
  t.written = arena_array(b->arena, 2 * arcs, sizeof *t.written);
  t.statements = arena_array(b->arena, 2 * arcs, sizeof *t.statements); /* checks of units, then changes */
  t.implied = arena_array(b->arena, arcs, sizeof *t.implied);
  claimed_unit_checks(g, from, t.statements, &t.statement_count);
  for (size_t a = from->first; a < from->end && !b->stop; a++)
    add_arc(g, &t, &g->net->arcs[a]);
  *self = (struct participant){.process = NO_PROCESS, .edge = number};
  *edge = edge_of(g, &t);
  g->enabled[number] = b->stop ? build_const(b, 0) : condition_of(g, &t);
  *out = (struct transition){.guards = t.guards,
                             .guard_count = t.guard_count,
                             .statements = t.statements,
                             .statement_count = t.statement_count,
                             .implied = t.implied,
                             .implied_count = t.implied_count,
                             .participants = self,
                             .participant_count = 1,
                             .initiator = number / GROUP,
                             .objects = objects_of(g, from),
                             .object_count = arcs};
}

static void add_groups(struct net_grounding *g, size_t transitions) {
  struct model *model = g->build.model;
  const size_t n = (transitions + GROUP - 1) / GROUP;
  struct initiator_transitions *groups = arena_array(g->build.arena, n, sizeof *groups);
  for (size_t i = 0; i < n; i++) {
    const size_t end = (i + 1) * GROUP;
    groups[i] = (struct initiator_transitions){
        .first = i * GROUP, .end = end < transitions ? end : transitions, .process = NO_PROCESS};
  }
  model->initiators = groups;
  model->initiator_count = n;
}

static void add_transitions(struct net_grounding *g) {
  struct builder *b = &g->build;
  const size_t n = g->net->transition_count;
  struct edge *edges = arena_array(b->arena, n, sizeof *edges);
  struct transition *transitions = arena_array(b->arena, n, sizeof *transitions);
  g->enabled = arena_array(b->arena, n, sizeof *g->enabled);
  for (uint32_t i = 0; i < n; i++)
    add_transition(g, i, &edges[i], &transitions[i]);
  b->model->edges = edges;
  b->model->transitions = transitions;
  b->model->edge_count = b->model->transition_count = n;
  add_groups(g, n);
}

/* Transitions of the file, also those without a choice of colours. References stand for the same transitions as what
   they refer to; what counts is that each transition is in one group. */
static void add_edge_groups(struct net_grounding *g) {
  struct model *model = g->build.model;
  const struct net *net = g->net;
  struct edge_group *groups = NULL;
  size_t count = 0, cap = 0, next = 0;
  for (size_t i = 0; i < net->group_count; i++) {
    const struct net_group *group = &net->groups[i];
    if (group->is_place || group->first != next)
      continue;
    *ARENA_PUSH(g->build.arena, groups, count, cap) = (struct edge_group){group->id, group->first, group->count};
    next += group->count;
  }
  model->edge_groups = groups;
  model->edge_group_count = count;
}

void ground_net(struct net_grounding *g) {
  add_places(g);
  add_transitions(g);
  if (!g->written)
    add_edge_groups(g);
}
