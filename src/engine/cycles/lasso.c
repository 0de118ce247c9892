/* The accepting components, and a cycle in the nearest one. */
#include "core/components.h"
#include "engine/cycles/cycles.h"
#include "engine/cycles/shortest_cycle.h"

#include <string.h>

#define NONE UINT32_MAX

/* Numbers of steps or states, growing. */
struct numbers {
  uint64_t *items;
  size_t n, cap;
};

struct lasso {
  const struct cycle_graph *graph;
  const struct number_set *set;
  uint64_t *before; /* [set->count] states of the set in earlier words */
  uint32_t states;
  uint64_t *numbers;         /* [states] by place in the set */
  struct numbers successors; /* of states whose component is sought: places */
  uint32_t *component;       /* [states] by place in the set */
  uint32_t components;
  uint64_t *marks;   /* [components] of the steps inside */
  uint64_t *enabled; /* [components] strong conditions that are enabled in some state */
  bool *cyclic;      /* [components] */
  uint32_t chosen;   /* component */
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
  floe_status status; /* of graph->nearest, of shortest_cycle */
  bool wrong;         /* the component is not accepting: an internal error */
};

static uint32_t place_of(const struct lasso *l, uint64_t number) {
  const uint64_t word = atomic_load_explicit(&l->set->words[number / 64], memory_order_relaxed);
  const uint64_t below = word & (((uint64_t)1 << number % 64) - 1);
  return (uint32_t)(l->before[number / 64] + (uint64_t)__builtin_popcountll(below));
}

/* Room for item n of a growing array, `pointer` points to; false: no memory. */
static bool make_room(size_t n, void *pointer, size_t *cap, size_t size) {
  void *items;
  if (n < *cap)
    return true;
  const size_t larger = *cap ? *cap * 2 : 1024;
  memcpy(&items, pointer, sizeof items);
  items = mem_resize(items, larger * size);
  if (!items)
    return false;
  memcpy(pointer, &items, sizeof items);
  *cap = larger;
  return true;
}

static void push(struct lasso *l, struct numbers *list, uint64_t number) {
  if (!make_room(list->n, &list->items, &list->cap, sizeof *list->items))
    l->no_memory = true;
  else
    list->items[list->n++] = number;
}

/* ---- components ----------------------------------------------------------------------------------- */

static void add_successors(void *user, const struct cycle_step *steps, size_t n) {
  struct lasso *l = user;
  for (size_t i = 0; i < n; i++)
    if (number_set_has(l->set, steps[i].to))
      push(l, &l->successors, place_of(l, steps[i].to));
}

/* Generates the successors: from `bound` to the end of the list, as later states have removed theirs. */
static bool begin_successors(void *user, uint32_t place, struct successor_position *position) {
  struct lasso *l = user;
  *position = (struct successor_position){l->successors.n, l->successors.n};
  l->graph->expand(l->graph->self, 0, &l->numbers[place], 1, add_successors, l);
  return !l->no_memory && !stop_requested(&l->graph->stop);
}

static bool next_successor(void *user, struct successor_position *position, uint32_t *successor) {
  struct lasso *l = user;
  if (position->at == l->successors.n) {
    l->successors.n = position->bound;
    return false;
  }
  *successor = (uint32_t)l->successors.items[position->at++];
  return true;
}

/* False: no memory, or the stop condition holds. */
static bool find_components(struct lasso *l) {
  const struct component_graph graph = {
      .nodes = l->states, .begin = begin_successors, .next = next_successor, .user = l};
  struct component_search search = {.component = NULL};
  bool found = component_search_create(&search, l->states);
  l->no_memory = l->no_memory || !found;
  found = found && component_search_run(&search, &graph);
  l->component = search.component;
  l->components = search.count;
  search.component = NULL;
  component_search_free(&search);
  return found;
}

/* Calls `each` for the states of the set in the order of their numbers. */
static void each_state(struct lasso *l, void (*each)(void *user, uint64_t number)) {
  for (size_t w = 0; w < l->set->count && !l->no_memory && !stop_requested(&l->graph->stop); w++)
    number_set_each(l->set, w, w + 1, each, l);
}

static void add_marks(void *user, const struct cycle_step *steps, size_t n) {
  struct lasso *l = user;
  const uint32_t own = l->component[l->expanding];
  for (size_t i = 0; i < n; i++) {
    l->enabled[own] |= steps[i].enabled;
    if (number_set_has(l->set, steps[i].to) && l->component[place_of(l, steps[i].to)] == own) {
      l->marks[own] |= steps[i].marks;
      l->cyclic[own] = true;
    }
  }
}

static void mark_component(void *user, uint64_t number) {
  struct lasso *l = user;
  l->expanding = place_of(l, number);
  l->graph->expand(l->graph->self, 0, &number, 1, add_marks, l);
}

/* The conditions that a cycle through all states of the component needs a marked step for. */
static uint64_t needed_in(const struct lasso *l, uint32_t component) {
  return l->graph->conditions & (~l->graph->strong | l->enabled[component]);
}

static bool is_accepting(const struct lasso *l, uint32_t component) {
  return l->cyclic[component] && (needed_in(l, component) & ~l->marks[component]) == 0;
}

/* ---- the nearest state of an accepting component -------------------------------------------------- */

struct entry_search {
  struct lasso *lasso;
  struct number_set seen;
  struct numbers queue;
};

static void add_unseen(void *user, const struct cycle_step *steps, size_t n) {
  struct entry_search *s = user;
  for (size_t i = 0; i < n; i++)
    if (number_set_add(&s->seen, steps[i].to))
      push(s->lasso, &s->queue, steps[i].to);
}

/* Chooses the state if it is in an accepting component, and less than the one chosen before. */
static void consider(struct lasso *l, uint64_t number) {
  const uint32_t component = number_set_has(l->set, number) ? l->component[place_of(l, number)] : NONE;
  if (component == NONE || !is_accepting(l, component))
    return;
  if (l->chosen == NONE || l->graph->precedes(l->graph->self, number, l->goal)) {
    l->chosen = component;
    l->goal = number;
  }
}

static void expand_level(struct entry_search *s, size_t begin, size_t end) {
  struct lasso *l = s->lasso;
  for (size_t i = begin; i < end && !l->no_memory; i += CYCLES_BATCH) {
    uint64_t numbers[CYCLES_BATCH]; /* the queue moves when it grows */
    const size_t n = end - i < CYCLES_BATCH ? end - i : CYCLES_BATCH;
    memcpy(numbers, s->queue.items + i, n * sizeof *numbers);
    l->graph->expand(l->graph->self, 0, numbers, n, add_unseen, s);
  }
}

/* Breadth first from the initial state, to the first level with such a state. */
static void choose_nearest(struct lasso *l) {
  struct entry_search s = {.lasso = l};
  if (!number_set_create(&s.seen, l->graph->slots)) {
    l->no_memory = true;
    return;
  }
  number_set_add(&s.seen, l->graph->initial);
  push(l, &s.queue, l->graph->initial);
  for (size_t begin = 0, end; begin < s.queue.n && !l->no_memory && !stop_requested(&l->graph->stop); begin = end) {
    end = s.queue.n;
    for (size_t i = begin; i < end; i++)
      consider(l, s.queue.items[i]);
    if (l->chosen != NONE)
      break;
    expand_level(&s, begin, end);
  }
  number_set_free(&s.seen);
  mem_free(s.queue.items);
}

static void add_goal(void *user, uint64_t number) {
  struct entry_search *s = user;
  const uint32_t component = s->lasso->component[place_of(s->lasso, number)];
  if (is_accepting(s->lasso, component))
    number_set_add(&s->seen, number);
}

/* The same by the graph's own search. */
static floe_status ask_nearest(struct lasso *l) {
  struct entry_search s = {.lasso = l};
  if (!number_set_create(&s.seen, l->graph->slots))
    return FLOE_ERROR_MEMORY;
  number_set_each(l->set, 0, l->set->count, add_goal, &s);
  const floe_status status = l->graph->nearest(l->graph->self, &s.seen, &l->goal);
  if (status == FLOE_OK)
    l->chosen = l->component[place_of(l, l->goal)];
  number_set_free(&s.seen);
  return status;
}

/* ---- the cycle ------------------------------------------------------------------------------------ */

static bool is_chosen(const void *user, uint64_t number) {
  const struct lasso *l = user;
  return number_set_has(l->set, number) && l->component[place_of(l, number)] == l->chosen;
}

static void find_step(void *user, const struct cycle_step *steps, size_t n) {
  struct lasso *l = user;
  for (size_t i = 0; i < n && l->target == NONE; i++) {
    const struct cycle_step *step = &steps[i];
    if (!is_chosen(l, step->to))
      continue;
    const bool ends = l->needed ? (step->marks & l->needed) != 0 : step->to == l->goal;
    uint32_t *parent = &l->parent[place_of(l, step->to)];
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
  memset(l->parent, 0xff, l->states * sizeof *l->parent);
  l->queue[0] = (struct entry){.number = from, .parent = NONE};
  l->parent[place_of(l, from)] = 0;
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
  uint64_t open = needed_in(l, l->chosen), at = l->goal;
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

static void make_cycle(struct lasso *l, struct cycle *cycle) {
  const struct cycle_search search = {.graph = l->graph,
                                      .start = l->goal,
                                      .needed = needed_in(l, l->chosen),
                                      .inside = is_chosen,
                                      .user = l,
                                      .most = l->graph->most_pairs ? l->graph->most_pairs : CYCLES_MOST_PAIRS};
  bool found;
  l->status = shortest_cycle(&search, &found, cycle);
  if (l->status == FLOE_OK && !found)
    make_long_cycle(l, cycle);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static void add_number(void *user, uint64_t number) {
  struct lasso *l = user;
  l->numbers[place_of(l, number)] = number;
}

static bool open_lasso(struct lasso *l) {
  uint64_t states = 0;
  l->before = mem_array(l->set->count, sizeof *l->before);
  if (!l->before)
    return false;
  for (size_t w = 0; w < l->set->count; w++) {
    l->before[w] = states;
    states += (uint64_t)__builtin_popcountll(atomic_load_explicit(&l->set->words[w], memory_order_relaxed));
  }
  if (states >= NONE)
    return false;
  l->states = (uint32_t)states;
  l->numbers = mem_array(states, sizeof *l->numbers);
  l->parent = mem_array(states, sizeof *l->parent);
  if (!l->numbers || !l->parent)
    return false;
  each_state(l, add_number);
  return true;
}

static void close_lasso(struct lasso *l) {
  void *const memory[] = {l->before, l->numbers, l->component, l->parent, l->successors.items,
                          l->marks,  l->enabled, l->cyclic,    l->queue};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
    mem_free(memory[i]);
}

static void extract(struct lasso *l, struct cycle *out) {
  if (!open_lasso(l)) {
    l->no_memory = true;
    return;
  }
  if (!find_components(l))
    return;
  l->marks = mem_array(l->components, sizeof *l->marks);
  l->enabled = mem_array(l->components, sizeof *l->enabled);
  l->cyclic = mem_array(l->components, sizeof *l->cyclic);
  l->queue = mem_array((size_t)l->states + 1, sizeof *l->queue);
  l->no_memory = l->no_memory || !l->marks || !l->enabled || !l->cyclic || !l->queue;
  each_state(l, mark_component);
  if (stop_requested(&l->graph->stop)) /* not all states have a component */
    return;
  if (!l->no_memory && l->graph->nearest)
    l->status = ask_nearest(l);
  else if (!l->no_memory)
    choose_nearest(l);
  if (l->status != FLOE_OK)
    return;
  l->wrong = l->chosen == NONE && !l->no_memory && !stop_requested(&l->graph->stop);
  if (!l->no_memory && !l->wrong && !stop_requested(&l->graph->stop))
    make_cycle(l, out);
}

floe_status cycles_extract(const struct cycle_graph *graph, const struct number_set *set, struct cycle *out) {
  struct lasso l = {.graph = graph, .set = set, .chosen = NONE};
  *out = (struct cycle){.states = NULL};
  extract(&l, out);
  const bool stopped = stop_requested(&graph->stop);
  close_lasso(&l);
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
