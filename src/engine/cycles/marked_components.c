#include "engine/cycles/marked_components.h"

struct search {
  struct marked_components *c;
  struct number_list successors; /* of states whose component is sought: places */
  uint32_t expanding;
  bool no_memory;
};

uint32_t component_place(const struct marked_components *c, uint64_t number) {
  const uint64_t word = atomic_load_explicit(&c->set->words[number / 64], memory_order_relaxed);
  const uint64_t below = word & (((uint64_t)1 << number % 64) - 1);
  return (uint32_t)(c->before[number / 64] + (uint64_t)__builtin_popcountll(below));
}

uint32_t component_of(const struct marked_components *c, uint64_t number) {
  return number_set_has(c->set, number) ? c->component[component_place(c, number)] : NO_COMPONENT;
}

uint64_t component_needs(const struct marked_components *c, uint32_t component) {
  return c->graph->conditions & (~c->graph->strong | c->enabled[component]);
}

bool component_accepts(const struct marked_components *c, uint32_t component) {
  return c->cyclic[component] && (component_needs(c, component) & ~c->marks[component]) == 0;
}

/* ---- the components ------------------------------------------------------------------------------- */

static void add_successors(void *user, const struct cycle_step *steps, size_t n) {
  struct search *s = user;
  for (size_t i = 0; i < n; i++)
    if (number_set_has(s->c->set, steps[i].to) && !number_list_add(&s->successors, component_place(s->c, steps[i].to)))
      s->no_memory = true;
}

static bool stopped(const struct search *s) { return s->no_memory || stop_requested(&s->c->graph->stop); }

/* Generates the successors: from `bound` to the end of the list, as later states have removed theirs. */
static bool begin_successors(void *user, uint32_t place, struct successor_position *position) {
  struct search *s = user;
  const struct cycle_graph *graph = s->c->graph;
  *position = (struct successor_position){s->successors.n, s->successors.n};
  graph->expand(graph->self, 0, &s->c->numbers[place], 1, add_successors, s);
  return !stopped(s);
}

static bool next_successor(void *user, struct successor_position *position, uint32_t *successor) {
  struct search *s = user;
  if (position->at == s->successors.n) {
    s->successors.n = position->bound;
    return false;
  }
  *successor = (uint32_t)s->successors.items[position->at++];
  return true;
}

static void find_components(struct search *s) {
  const struct component_graph graph = {
      .nodes = s->c->states, .begin = begin_successors, .next = next_successor, .user = s};
  struct component_search search = {.component = NULL};
  if (!component_search_create(&search, s->c->states))
    s->no_memory = true;
  else
    component_search_run(&search, &graph);
  s->c->component = search.component;
  s->c->components = search.count;
  search.component = NULL;
  component_search_free(&search);
}

static void add_marks(void *user, const struct cycle_step *steps, size_t n) {
  struct search *s = user;
  struct marked_components *c = s->c;
  const uint32_t own = c->component[s->expanding];
  for (size_t i = 0; i < n; i++) {
    c->enabled[own] |= steps[i].enabled;
    if (component_of(c, steps[i].to) == own) {
      c->marks[own] |= steps[i].marks;
      c->cyclic[own] = true;
    }
  }
}

static void add_number(void *user, uint64_t number) {
  struct marked_components *c = user;
  c->numbers[component_place(c, number)] = number;
}

static bool list_numbers(struct marked_components *c) {
  uint64_t states = 0;
  c->before = mem_array(c->set->count, sizeof *c->before);
  if (!c->before)
    return false;
  for (size_t w = 0; w < c->set->count; w++) {
    c->before[w] = states;
    states += (uint64_t)__builtin_popcountll(atomic_load_explicit(&c->set->words[w], memory_order_relaxed));
  }
  if (states >= NO_COMPONENT)
    return false;
  c->states = (uint32_t)states;
  c->numbers = mem_array(states, sizeof *c->numbers);
  if (!c->numbers)
    return false;
  number_set_each(c->set, 0, c->set->count, add_number, c);
  return true;
}

static void add_all_marks(struct search *s) {
  struct marked_components *c = s->c;
  c->marks = mem_array(c->components, sizeof *c->marks);
  c->enabled = mem_array(c->components, sizeof *c->enabled);
  c->cyclic = mem_array(c->components, sizeof *c->cyclic);
  s->no_memory = !c->marks || !c->enabled || !c->cyclic;
  for (s->expanding = 0; s->expanding < c->states && !stopped(s); s->expanding++)
    c->graph->expand(c->graph->self, 0, &c->numbers[s->expanding], 1, add_marks, s);
}

floe_status components_mark(const struct cycle_graph *graph, const struct number_set *set,
                            struct marked_components *out) {
  struct search s = {.c = out};
  *out = (struct marked_components){.graph = graph, .set = set};
  s.no_memory = !list_numbers(out);
  if (!stopped(&s))
    find_components(&s);
  if (!stopped(&s)) /* else not all states have a component */
    add_all_marks(&s);
  mem_free(s.successors.items);
  return s.no_memory ? FLOE_ERROR_MEMORY : stop_requested(&graph->stop) ? FLOE_ERROR_INTERRUPTED : FLOE_OK;
}

void components_unmark(struct marked_components *c) {
  void *const memory[] = {c->before, c->numbers, c->component, c->marks, c->enabled, c->cyclic};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
    mem_free(memory[i]);
  *c = (struct marked_components){.graph = c->graph};
}

/* ---- the accepting ones --------------------------------------------------------------------------- */

/* A set is divided until nothing of it is left; accepting components go to `kept`. */
struct division {
  const struct marked_components *c;
  struct number_set *rest, *kept;
  uint64_t lacks; /* of the state's component: strong conditions */
};

static void remove_if_enabled(void *user, const struct cycle_step *steps, size_t n) {
  struct division *d = user;
  if (n > 0 && steps[0].enabled & d->lacks)
    number_set_remove(d->rest, steps[0].from);
}

static void divide_state(struct division *d, uint32_t place) {
  const struct marked_components *c = d->c;
  const uint32_t own = c->component[place];
  const uint64_t number = c->numbers[place], lacks = component_needs(c, own) & ~c->marks[own];
  if (component_accepts(c, own))
    number_set_add(d->kept, number);
  if (!c->cyclic[own] || (lacks & c->graph->strong) != lacks || lacks == 0) {
    number_set_remove(d->rest, number);
    return;
  }
  d->lacks = lacks;
  c->graph->expand(c->graph->self, 0, &number, 1, remove_if_enabled, d);
}

/* *left: states of `rest` afterwards. */
static floe_status divide(const struct cycle_graph *graph, struct number_set *rest, struct number_set *kept,
                          uint64_t *left) {
  struct marked_components c;
  struct division d = {.c = &c, .rest = rest, .kept = kept};
  const floe_status status = components_mark(graph, rest, &c);
  for (uint32_t i = 0; status == FLOE_OK && i < c.states; i++)
    divide_state(&d, i);
  components_unmark(&c);
  *left = number_set_size(rest);
  return status;
}

floe_status components_keep_accepting(const struct cycle_graph *graph, struct number_set *set, uint64_t *size) {
  struct number_set kept;
  floe_status status = FLOE_OK;
  uint64_t left = number_set_size(set);
  if (!number_set_create(&kept, graph->slots))
    return FLOE_ERROR_MEMORY;
  while (status == FLOE_OK && left > 0)
    status = divide(graph, set, &kept, &left);
  for (size_t w = 0; w < set->count; w++)
    atomic_store_explicit(&set->words[w], atomic_load_explicit(&kept.words[w], memory_order_relaxed),
                          memory_order_relaxed);
  number_set_free(&kept);
  *size = number_set_size(set);
  return status;
}
