/* Reductions of automata. Each step makes a new automaton for the same words. */
#include "logic/automaton.h"

#include <string.h>

struct reduction {
  struct arena *arena;
  struct automaton_edge *edges;
  size_t edge_count, cap;
};

static void keep_edge(struct reduction *r, struct automaton_edge edge) {
  *ARENA_PUSH(r->arena, r->edges, r->edge_count, r->cap) = edge;
}

/* ---- renumbering ---------------------------------------------------------------------------------- */

/* The automaton of these edges with only the states that the initial one reaches, numbered breadth first. */
static struct automaton *renumbered(struct reduction *r, uint32_t states, uint32_t initial, uint32_t sets) {
  const struct automaton *all = automaton_create(r->arena, states, initial, sets, r->edges, r->edge_count);
  uint32_t *queue = arena_array(r->arena, states, sizeof *queue),
           *number = arena_array(r->arena, states, sizeof *number);
  uint32_t found = 0;
  queue[found++] = initial;
  number[initial] = found; /* 0: not found */
  struct reduction kept = {.arena = r->arena};
  for (uint32_t next = 0; next < found; next++)
    for (size_t i = all->first[queue[next]]; i < all->first[queue[next] + 1]; i++) {
      struct automaton_edge edge = all->edges[i];
      if (number[edge.to] == 0) {
        queue[found++] = edge.to;
        number[edge.to] = found;
      }
      edge.from = next;
      edge.to = number[edge.to] - 1;
      keep_edge(&kept, edge);
    }
  return automaton_create(r->arena, found, 0, sets, kept.edges, kept.edge_count);
}

/* ---- states and acceptance sets without use ------------------------------------------------------- */

/* Which states reach an accepting component. */
static bool *live_states(struct arena *arena, const struct automaton *automaton, const struct automaton_shape *shape) {
  bool *live = arena_array(arena, automaton->states, sizeof *live);
  for (uint32_t s = 0; s < automaton->states; s++)
    live[s] = shape->accepting[shape->component[s]];
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = automaton->edge_count; i-- > 0;)
      if (live[automaton->edges[i].to] && !live[automaton->edges[i].from])
        live[automaton->edges[i].from] = changed = true;
  }
  return live;
}

/* Removes edges to states without an accepting run. Edges outside accepting components get no acceptance set, those of
   components whose cycles are all accepting get all: more states can be merged. */
static struct automaton *prune(struct arena *arena, const struct automaton *automaton) {
  const struct automaton_shape shape = automaton_shape(arena, automaton);
  const bool *live = live_states(arena, automaton, &shape);
  struct reduction r = {.arena = arena};
  for (size_t i = 0; i < automaton->edge_count; i++) {
    struct automaton_edge edge = automaton->edges[i];
    if (!live[edge.from] || !live[edge.to])
      continue;
    const bool inside = shape.component[edge.from] == shape.component[edge.to];
    if (!inside || !shape.accepting[shape.component[edge.from]])
      edge.accepting = 0;
    else if (!shape.mixed[shape.component[edge.from]])
      edge.accepting = automaton_all_sets(automaton);
    keep_edge(&r, edge);
  }
  return renumbered(&r, automaton->states, automaton->initial, automaton->sets);
}

/* Set `a` is superfluous beside set `b` if each edge of b is in a. */
static bool set_follows(const struct automaton *automaton, uint32_t a, uint32_t b) {
  for (size_t i = 0; i < automaton->edge_count; i++)
    if (automaton->edges[i].accepting >> b & ~(automaton->edges[i].accepting >> a) & 1)
      return false;
  return true;
}

/* Bits of the acceptance sets that do not follow from others. */
static uint64_t needed_sets(const struct automaton *automaton) {
  uint64_t needed = automaton_all_sets(automaton);
  for (uint32_t a = 0; a < automaton->sets; a++)
    for (uint32_t b = 0; b < automaton->sets; b++)
      if (a != b && needed >> b & 1 && set_follows(automaton, a, b)) {
        needed &= ~(UINT64_C(1) << a);
        break;
      }
  return needed;
}

static uint64_t gathered(uint64_t bits, uint64_t needed, uint32_t sets) {
  uint64_t result = 0;
  for (uint32_t from = 0, to = 0; from < sets; from++)
    if (needed >> from & 1)
      result |= (bits >> from & 1) << to++;
  return result;
}

static struct automaton *without_superfluous_sets(struct arena *arena, const struct automaton *automaton) {
  const uint64_t needed = needed_sets(automaton);
  struct reduction r = {.arena = arena};
  for (size_t i = 0; i < automaton->edge_count; i++) {
    struct automaton_edge edge = automaton->edges[i];
    edge.accepting = gathered(edge.accepting, needed, automaton->sets);
    keep_edge(&r, edge);
  }
  return renumbered(&r, automaton->states, automaton->initial, (uint32_t)__builtin_popcountll(needed));
}

/* ---- simulation ----------------------------------------------------------------------------------- */

/* simulates[s * states + t]: t can answer each edge of s by one with its valuations and at least its acceptance sets,
   to a state that simulates its target. */
struct simulation {
  const struct automaton *automaton;
  bool *simulates;
  struct cube *cubes; /* room for all cubes of a state */
};

static bool in_simulation(const struct simulation *s, uint32_t a, uint32_t b) {
  return s->simulates[(size_t)a * s->automaton->states + b];
}

static bool edge_is_answered(const struct simulation *s, const struct automaton_edge *edge, uint32_t by) {
  size_t count = 0;
  for (size_t i = s->automaton->first[by]; i < s->automaton->first[by + 1]; i++) {
    const struct automaton_edge *answer = &s->automaton->edges[i];
    if ((edge->accepting & ~answer->accepting) != 0 || !in_simulation(s, edge->to, answer->to))
      continue;
    memcpy(s->cubes + count, answer->cubes, answer->cube_count * sizeof *s->cubes);
    count += answer->cube_count;
  }
  for (size_t i = 0; i < edge->cube_count; i++)
    if (!cube_is_covered(edge->cubes[i], s->cubes, count))
      return false;
  return true;
}

static bool state_is_simulated(const struct simulation *s, uint32_t state, uint32_t by) {
  for (size_t i = s->automaton->first[state]; i < s->automaton->first[state + 1]; i++)
    if (!edge_is_answered(s, &s->automaton->edges[i], by))
      return false;
  return true;
}

static struct simulation simulate(struct arena *arena, const struct automaton *automaton) {
  const size_t n = automaton->states;
  size_t cubes = 0;
  for (size_t i = 0; i < automaton->edge_count; i++)
    cubes += automaton->edges[i].cube_count;
  struct simulation s = {automaton, arena_array(arena, n * n, sizeof(bool)),
                         arena_array(arena, cubes, sizeof(struct cube))};
  memset(s.simulates, 1, n * n * sizeof(bool));
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t a = 0; a < n; a++)
      for (uint32_t b = 0; b < n; b++)
        if (a != b && in_simulation(&s, a, b) && !state_is_simulated(&s, a, b))
          s.simulates[a * n + b] = false, changed = true;
  }
  return s;
}

/* The first state that simulates `state` and is simulated by it. */
static uint32_t representative(const struct simulation *s, uint32_t state) {
  uint32_t first = 0;
  while (!in_simulation(s, first, state) || !in_simulation(s, state, first))
    first++;
  return first;
}

static struct automaton *merged_states(struct arena *arena, const struct automaton *automaton,
                                       const struct simulation *s) {
  struct reduction r = {.arena = arena};
  for (size_t i = 0; i < automaton->edge_count; i++) {
    struct automaton_edge edge = automaton->edges[i];
    if (representative(s, edge.from) != edge.from)
      continue;
    edge.to = representative(s, edge.to);
    keep_edge(&r, edge);
  }
  return renumbered(&r, automaton->states, representative(s, automaton->initial), automaton->sets);
}

/* Another edge of the state has the cube, at least the same acceptance sets, and a target that simulates this one's. */
static bool cube_is_answered(const struct simulation *s, const struct automaton_edge *edge, struct cube cube) {
  size_t count = 0;
  for (size_t i = s->automaton->first[edge->from]; i < s->automaton->first[edge->from + 1]; i++) {
    const struct automaton_edge *other = &s->automaton->edges[i];
    if (other == edge || (edge->accepting & ~other->accepting) != 0 || !in_simulation(s, edge->to, other->to))
      continue;
    memcpy(s->cubes + count, other->cubes, other->cube_count * sizeof *s->cubes);
    count += other->cube_count;
  }
  return cube_is_covered(cube, s->cubes, count);
}

/* Removes valuations of edges that other edges answer. No two states simulate each other, so that no two edges answer
   each other. */
static struct automaton *without_answered_edges(struct arena *arena, const struct automaton *automaton,
                                                const struct simulation *s) {
  struct reduction r = {.arena = arena};
  for (size_t i = 0; i < automaton->edge_count; i++) {
    struct automaton_edge edge = automaton->edges[i];
    struct cube *cubes = arena_array(arena, edge.cube_count, sizeof *cubes);
    size_t count = 0;
    for (size_t k = 0; k < edge.cube_count; k++)
      if (!cube_is_answered(s, &automaton->edges[i], edge.cubes[k]))
        cubes[count++] = edge.cubes[k];
    edge.cubes = cubes;
    edge.cube_count = count;
    if (count > 0)
      keep_edge(&r, edge);
  }
  return renumbered(&r, automaton->states, automaton->initial, automaton->sets);
}

static struct automaton *reduce_by_simulation(struct arena *arena, const struct automaton *automaton) {
  const struct simulation first = simulate(arena, automaton);
  struct automaton *merged = merged_states(arena, automaton, &first);
  const struct simulation second = simulate(arena, merged);
  return without_answered_edges(arena, merged, &second);
}

static bool is_smaller(const struct automaton *a, const struct automaton *b) {
  return a->states < b->states || a->edge_count < b->edge_count || a->sets < b->sets;
}

static struct automaton *reduced_once(struct arena *arena, const struct automaton *automaton) {
  struct automaton *result = without_superfluous_sets(arena, prune(arena, automaton));
  return result->states > AUTOMATON_MAX_SIMULATED ? result : reduce_by_simulation(arena, result);
}

struct automaton *automaton_reduce(struct arena *arena, const struct automaton *automaton) {
  struct automaton *result = reduced_once(arena, automaton);
  for (;;) {
    struct automaton *smaller = reduced_once(arena, result);
    if (!is_smaller(smaller, result))
      return result;
    result = smaller;
  }
}
