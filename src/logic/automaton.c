#include "logic/automaton.h"

#include "core/components.h"

#include <stdlib.h>
#include <string.h>

/* ---- cubes ---------------------------------------------------------------------------------------- */

bool cube_is_covered(struct cube cube, const struct cube *by, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (cube_is_empty(cube_both(cube, by[i])))
      continue;
    if (cube_within(cube, by[i]))
      return true;
    const uint64_t positive = by[i].positive & ~cube.positive, negative = by[i].negative & ~cube.negative;
    const uint64_t open = positive | negative, atom = open & (~open + 1);
    const struct cube with = {cube.positive | atom, cube.negative}, without = {cube.positive, cube.negative | atom};
    return cube_is_covered(with, by + i, count - i) && cube_is_covered(without, by + i, count - i);
  }
  return false;
}

struct cubes {
  struct cube *items;
  size_t n, cap;
};

/* The literals of the atom are opposite in a and b, and all others are equal. */
static bool resolvable(struct cube a, struct cube b, uint64_t *atom) {
  *atom = (a.positive & b.negative) | (a.negative & b.positive);
  return (*atom & (*atom - 1)) == 0 && *atom != 0 && (a.positive & ~*atom) == (b.positive & ~*atom) &&
         (a.negative & ~*atom) == (b.negative & ~*atom);
}

/* Adds the cube to a set of cubes of which none is within another and no two can be joined. */
static void add_cube(struct arena *arena, struct cubes *cubes, struct cube cube) {
  for (size_t i = 0; i < cubes->n; i++) {
    uint64_t atom;
    if (cube_within(cube, cubes->items[i]))
      return;
    if (resolvable(cube, cubes->items[i], &atom)) {
      cubes->items[i] = cubes->items[--cubes->n];
      add_cube(arena, cubes, (struct cube){cube.positive & ~atom, cube.negative & ~atom});
      return;
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < cubes->n; i++)
    if (!cube_within(cubes->items[i], cube))
      cubes->items[kept++] = cubes->items[i];
  cubes->n = kept;
  *ARENA_PUSH(arena, cubes->items, cubes->n, cubes->cap) = cube;
}

/* Removes cubes that the others cover. */
static void remove_covered(struct cubes *cubes) {
  for (size_t i = cubes->n; i-- > 0;) {
    const struct cube cube = cubes->items[i];
    cubes->items[i] = cubes->items[cubes->n - 1];
    if (cube_is_covered(cube, cubes->items, cubes->n - 1))
      cubes->n--;
    else
      cubes->items[i] = cube;
  }
}

/* ---- automata ------------------------------------------------------------------------------------- */

static int by_ends(const void *a, const void *b) {
  const struct automaton_edge *x = a, *y = b;
  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  if (x->to != y->to)
    return x->to < y->to ? -1 : 1;
  return x->accepting < y->accepting ? -1 : x->accepting > y->accepting;
}

static size_t join_edges(struct arena *arena, struct automaton_edge *edges, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count;) {
    struct cubes cubes = {NULL, 0, 0};
    const struct automaton_edge first = edges[i];
    for (; i < count && by_ends(&first, &edges[i]) == 0; i++)
      for (size_t k = 0; k < edges[i].cube_count; k++)
        if (!cube_is_empty(edges[i].cubes[k]))
          add_cube(arena, &cubes, edges[i].cubes[k]);
    if (cubes.n == 0)
      continue;
    remove_covered(&cubes);
    edges[kept] = first;
    edges[kept].cubes = cubes.items;
    edges[kept++].cube_count = cubes.n;
  }
  return kept;
}

struct automaton *automaton_create(struct arena *arena, uint32_t states, uint32_t initial, uint32_t sets,
                                   const struct automaton_edge *edges, size_t edge_count) {
  struct automaton_edge *copy = arena_array(arena, edge_count, sizeof *copy);
  for (size_t i = 0; i < edge_count; i++)
    copy[i] = edges[i];
  if (edge_count > 0)
    qsort(copy, edge_count, sizeof *copy, by_ends);
  edge_count = join_edges(arena, copy, edge_count);
  size_t *first = arena_array(arena, states + (size_t)1, sizeof *first);
  for (size_t i = 0; i < edge_count; i++)
    first[copy[i].from + 1]++;
  for (uint32_t s = 0; s < states; s++)
    first[s + 1] += first[s];
  struct automaton *automaton = arena_alloc(arena, sizeof *automaton);
  *automaton = (struct automaton){
      .states = states, .initial = initial, .sets = sets, .edges = copy, .edge_count = edge_count, .first = first};
  return automaton;
}

/* ---- strongly connected components ---------------------------------------------------------------- */

struct part {
  const struct automaton *automaton;
  uint64_t without; /* edges of these acceptance sets are left out */
};

static bool begin_edges(void *user, uint32_t state, struct successor_position *position) {
  const struct part *part = user;
  *position = (struct successor_position){part->automaton->first[state], part->automaton->first[state + 1]};
  return true;
}

static bool next_edge(void *user, struct successor_position *position, uint32_t *successor) {
  const struct part *part = user;
  while (position->at < position->bound) {
    const struct automaton_edge *edge = &part->automaton->edges[position->at++];
    *successor = edge->to;
    if (!(edge->accepting & part->without))
      return true;
  }
  return false;
}

/* Components of the automaton without the edges of these acceptance sets; returns their number. */
static uint32_t components(struct arena *arena, const struct automaton *automaton, uint64_t without,
                           uint32_t **component) {
  const uint32_t n = automaton->states;
  struct part part = {automaton, without};
  const struct component_graph graph = {.nodes = n, .begin = begin_edges, .next = next_edge, .user = &part};
  struct component_search search = {.component = arena_array(arena, n, sizeof *search.component),
                                    .index = arena_array(arena, n, sizeof *search.index),
                                    .open = arena_array(arena, n, sizeof *search.open),
                                    .path = arena_array(arena, n, sizeof *search.path)};
  component_search_run(&search, &graph);
  *component = search.component;
  return search.count;
}

/* Which accepting components have a cycle without an edge of some acceptance set. */
static bool *mixed_components(struct arena *arena, const struct automaton *automaton, const uint32_t *component,
                              const bool *accepting, uint32_t count) {
  bool *mixed = arena_array(arena, count, sizeof *mixed);
  for (uint32_t set = 0; set < automaton->sets; set++) {
    uint32_t *parts;
    const uint64_t without = UINT64_C(1) << set;
    components(arena, automaton, without, &parts);
    for (size_t i = 0; i < automaton->edge_count; i++) {
      const struct automaton_edge *edge = &automaton->edges[i];
      if ((edge->accepting & without) == 0 && parts[edge->from] == parts[edge->to])
        mixed[component[edge->from]] = accepting[component[edge->from]];
    }
  }
  return mixed;
}

/* Each state of an accepting component has an edge inside it for each valuation. */
static bool is_closed(struct arena *arena, const struct automaton *automaton, const struct automaton_shape *shape) {
  for (uint32_t state = 0; state < automaton->states; state++) {
    struct cubes cubes = {NULL, 0, 0};
    if (!shape->accepting[shape->component[state]])
      continue;
    for (size_t i = automaton->first[state]; i < automaton->first[state + 1]; i++)
      for (size_t k = 0; k < automaton->edges[i].cube_count; k++)
        if (shape->component[automaton->edges[i].to] == shape->component[state])
          *ARENA_PUSH(arena, cubes.items, cubes.n, cubes.cap) = automaton->edges[i].cubes[k];
    if (!cube_is_covered((struct cube){0, 0}, cubes.items, cubes.n))
      return false;
  }
  return true;
}

struct automaton_shape automaton_shape(struct arena *arena, const struct automaton *automaton) {
  uint32_t *component;
  const uint32_t count = components(arena, automaton, 0, &component);
  uint64_t *inside = arena_array(arena, count, sizeof *inside); /* acceptance sets of its edges */
  bool *cyclic = arena_array(arena, count, sizeof *cyclic), *accepting = arena_array(arena, count, sizeof *accepting);
  for (size_t i = 0; i < automaton->edge_count; i++) {
    const struct automaton_edge *edge = &automaton->edges[i];
    if (component[edge->from] != component[edge->to])
      continue;
    inside[component[edge->from]] |= edge->accepting;
    cyclic[component[edge->from]] = true;
  }
  for (uint32_t i = 0; i < count; i++)
    accepting[i] = cyclic[i] && inside[i] == automaton_all_sets(automaton);
  const bool *mixed = mixed_components(arena, automaton, component, accepting, count);
  struct automaton_shape shape = {AUTOMATON_GENERAL, count, component, accepting, mixed};
  if (!memchr(mixed, true, count))
    shape.strength = is_closed(arena, automaton, &shape) ? AUTOMATON_TERMINAL : AUTOMATON_WEAK;
  return shape;
}
