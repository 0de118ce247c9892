/* A cycle in the nearest accepting component. */
#include "engine/cycles/cycles.h"
#include "engine/cycles/marked_components.h"
#include "engine/cycles/nearest_state.h"
#include "engine/cycles/shortest_cycle.h"

#include <string.h>

#define NONE UINT32_MAX /* no entry */

struct lasso {
  const struct cycle_graph *graph;
  const struct number_set *set;
  struct marked_components c;
  bool any; /* a state was chosen, `goal`, that may begin a cycle */
  /* Of a search within the chosen component: */
  uint32_t *parent; /* [states] entry in the queue; NONE: not found */
  struct entry {
    uint64_t number, marks;
    uint32_t parent, transition, choice;
  } * queue;              /* [states + 1] */
  uint32_t found, target; /* entries; entry at which the search ended, NONE: it continues */
  uint32_t expanding;
  uint64_t needed; /* conditions; 0: the way back to `goal` */
  uint64_t goal;
  bool no_memory;
  floe_status status; /* of the components, of graph->nearest, of shortest_cycle */
  bool wrong;         /* the component is not accepting: an internal error */
};

/* ---- the nearest state of an accepting component -------------------------------------------------- */

/* Before the components are known, any state of the set. */
static bool may_begin(const struct lasso *l, uint64_t number) {
  if (!l->c.component)
    return number_set_has(l->set, number);
  const uint32_t component = component_of(&l->c, number);
  return component != NO_COMPONENT && component_accepts(&l->c, component);
}

static bool is_goal_state(const void *user, uint64_t number) { return may_begin(user, number); }

static void choose_nearest(struct lasso *l) {
  const struct nearest_request request = {.graph = l->graph, .is_goal = is_goal_state, .user = l};
  struct nearest_state nearest;
  const floe_status status = nearest_state_find(&request, &nearest);
  l->no_memory = l->no_memory || status == FLOE_ERROR_MEMORY;
  l->any = nearest.found;
  l->goal = nearest.number;
}

/* States that may begin a cycle. */
struct goals {
  const struct lasso *lasso;
  struct number_set set;
};

static void add_goal(void *user, uint64_t number) {
  struct goals *goals = user;
  if (may_begin(goals->lasso, number))
    number_set_add(&goals->set, number);
}

/* The same by the graph's own search. */
static floe_status ask_nearest(struct lasso *l) {
  struct goals goals = {.lasso = l};
  if (!number_set_create(&goals.set, l->graph->slots))
    return FLOE_ERROR_MEMORY;
  number_set_each(l->set, 0, l->set->count, add_goal, &goals);
  const floe_status status = l->graph->nearest(l->graph->self, &goals.set, &l->goal);
  l->any = status == FLOE_OK;
  number_set_free(&goals.set);
  return status;
}

/* ---- the cycle ------------------------------------------------------------------------------------ */

static bool is_chosen(const void *user, uint64_t number) {
  const struct lasso *l = user;
  return l->c.component ? component_of(&l->c, number) == component_of(&l->c, l->goal) : number_set_has(l->set, number);
}

static void find_step(void *user, const struct cycle_step *steps, size_t n) {
  struct lasso *l = user;
  for (size_t i = 0; i < n && l->target == NONE; i++) {
    const struct cycle_step *step = &steps[i];
    if (!is_chosen(l, step->to))
      continue;
    const bool ends = l->needed ? (step->marks & l->needed) != 0 : step->to == l->goal;
    uint32_t *parent = &l->parent[component_place(&l->c, step->to)];
    if (!ends && *parent != NONE)
      continue;
    *parent = l->expanding;
    l->queue[l->found] = (struct entry){step->to, step->marks, l->expanding, step->transition, step->choice};
    if (ends)
      l->target = l->found;
    l->found++;
  }
}

/* Breadth first from `from` within the component, to a step that is needed. */
static void find_nearest(struct lasso *l, uint64_t from) {
  memset(l->parent, 0xff, l->c.states * sizeof *l->parent);
  l->queue[0] = (struct entry){.number = from, .parent = NONE};
  l->parent[component_place(&l->c, from)] = 0;
  l->found = 1;
  l->target = NONE;
  for (l->expanding = 0; l->target == NONE && l->expanding < l->found; l->expanding++)
    l->graph->expand(l->graph->self, 0, &l->queue[l->expanding].number, 1, find_step, l);
}

/* Appends the path to the target; returns the conditions that its steps satisfy. */
static uint64_t append_path(struct lasso *l, struct cycle *cycle) {
  size_t length = 0;
  uint64_t marks = 0;
  for (uint32_t at = l->target; at != 0; at = l->queue[at].parent)
    length++;
  const size_t steps = cycle->steps + length;
  uint64_t *states = mem_resize(cycle->states, (steps + 1) * sizeof *states);
  cycle->states = states ? states : cycle->states;
  uint32_t *transitions = mem_resize(cycle->transitions, (steps + 1) * sizeof *transitions);
  cycle->transitions = transitions ? transitions : cycle->transitions;
  uint32_t *choices = mem_resize(cycle->choices, (steps + 1) * sizeof *choices);
  cycle->choices = choices ? choices : cycle->choices;
  if (!states || !transitions || !choices) {
    l->no_memory = true;
    return 0;
  }
  size_t place = steps;
  for (uint32_t at = l->target; at != 0; at = l->queue[at].parent) {
    marks |= l->queue[at].marks;
    states[place--] = l->queue[at].number;
    transitions[place] = l->queue[at].transition;
    choices[place] = l->queue[at].choice;
  }
  states[cycle->steps] = l->queue[0].number;
  cycle->steps = steps;
  return marks;
}

/* To the nearest step of a condition that is still open, and back. */
static void make_long_cycle(struct lasso *l, struct cycle *cycle) {
  uint64_t open = component_needs(&l->c, component_of(&l->c, l->goal)), at = l->goal;
  while (!l->no_memory && !stop_requested(&l->graph->stop)) {
    l->needed = open;
    find_nearest(l, at);
    l->wrong = l->target == NONE;
    if (l->wrong)
      return;
    at = l->queue[l->target].number;
    const bool last = open == 0;
    open &= ~append_path(l, cycle);
    if (last || (open == 0 && at == l->goal))
      return;
  }
}

static bool may_continue(const struct lasso *l) {
  return l->status == FLOE_OK && !l->no_memory && !stop_requested(&l->graph->stop);
}

/* The cycle from the nearest state that may begin one, if the search for a shortest one does not give up. */
static bool find_shortest(struct lasso *l, struct cycle *cycle) {
  struct cycle_search search = {.graph = l->graph,
                                .needed = l->graph->conditions,
                                .inside = is_chosen,
                                .user = l,
                                .most = l->graph->most_pairs ? l->graph->most_pairs : CYCLES_MOST_PAIRS};
  bool found = false;
  l->any = false;
  if (l->graph->nearest)
    l->status = ask_nearest(l);
  else
    choose_nearest(l);
  if (!may_continue(l) || !l->any)
    return false;
  if (l->c.component)
    search.needed = component_needs(&l->c, component_of(&l->c, l->goal));
  search.start = l->goal;
  l->status = shortest_cycle(&search, &found, cycle);
  return found;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static void extract_from_components(struct lasso *l, struct cycle *out) {
  l->status = components_mark(l->graph, l->set, &l->c);
  if (l->status != FLOE_OK)
    return;
  l->parent = mem_array(l->c.states, sizeof *l->parent);
  l->queue = mem_array((size_t)l->c.states + 1, sizeof *l->queue);
  l->no_memory = !l->parent || !l->queue;
  if (l->no_memory || find_shortest(l, out) || !may_continue(l))
    return;
  l->wrong = !l->any;
  if (l->any)
    make_long_cycle(l, out);
}

/* Without strong conditions a cycle from the nearest state of the set is the one to be shown: its component is
   accepting. Then components, which cost microseconds for each state, are not needed. */
static void extract(struct lasso *l, struct cycle *out) {
  if (!l->graph->strong && find_shortest(l, out))
    return;
  if (may_continue(l))
    extract_from_components(l, out);
}

floe_status cycles_extract(const struct cycle_graph *graph, const struct number_set *set, struct cycle *out) {
  struct lasso l = {.graph = graph, .set = set};
  *out = (struct cycle){.states = NULL};
  extract(&l, out);
  const bool stopped = stop_requested(&graph->stop);
  components_unmark(&l.c);
  mem_free(l.parent);
  mem_free(l.queue);
  if (l.no_memory || l.wrong || stopped || l.status != FLOE_OK)
    cycle_free(out);
  return l.status != FLOE_OK ? l.status
         : stopped           ? FLOE_ERROR_INTERRUPTED
         : l.no_memory       ? FLOE_ERROR_MEMORY
         : l.wrong           ? FLOE_ERROR_INTERNAL
                             : FLOE_OK;
}

void cycle_free(struct cycle *cycle) {
  mem_free(cycle->states);
  mem_free(cycle->transitions);
  mem_free(cycle->choices);
  *cycle = (struct cycle){.states = NULL};
}
