/* Transition-based generalised Buchi automata over infinite words of valuations: sets of atoms that hold. A word is
   accepted if some run on it from the initial state takes edges of each acceptance set infinitely often. Without
   acceptance sets each infinite run accepts. A state may have no edges, and several runs on a word. */
#ifndef FLOE_LOGIC_AUTOMATON_H
#define FLOE_LOGIC_AUTOMATON_H

#include "core/arena.h"
#include "floe_common.h"

#include <stdbool.h>
#include <stdint.h>

#define LOGIC_MAX_ATOMS 64
#define AUTOMATON_MAX_SETS 64

/* The valuations with all atoms of `positive` and none of `negative`; these have no common atom. */
struct cube {
  uint64_t positive, negative;
};

static inline bool cube_within(struct cube inner, struct cube outer) {
  return (outer.positive & ~inner.positive) == 0 && (outer.negative & ~inner.negative) == 0;
}
static inline bool cube_is_empty(struct cube cube) { return (cube.positive & cube.negative) != 0; }
static inline struct cube cube_both(struct cube a, struct cube b) {
  return (struct cube){a.positive | b.positive, a.negative | b.negative};
}
static inline bool cube_has(struct cube cube, uint64_t valuation) {
  return (cube.positive & ~valuation) == 0 && (cube.negative & valuation) == 0;
}

struct automaton_edge {
  uint32_t from, to;
  uint64_t accepting;       /* bit i: it is in acceptance set i */
  const struct cube *cubes; /* [cube_count] the valuations of the edge are those of any cube; at least one */
  size_t cube_count;
};

struct automaton {
  uint32_t states, initial; /* states >= 1 */
  uint32_t sets;            /* acceptance sets */
  const struct automaton_edge *edges;
  size_t edge_count;   /* ordered by `from` */
  const size_t *first; /* [states + 1] edges of state s: first[s]..first[s + 1] - 1 */
};

/* Mask of `count` acceptance sets. */
static inline uint64_t acceptance_mask(uint32_t count) {
  return count == AUTOMATON_MAX_SETS ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}
static inline uint64_t automaton_all_sets(const struct automaton *automaton) {
  return acceptance_mask(automaton->sets);
}

/* Copies the edges into an automaton: orders them, joins edges that differ only in valuations, and shortens cubes. The
   guard of `arena` must be active, here and below. */
struct automaton *automaton_create(struct arena *arena, uint32_t states, uint32_t initial, uint32_t sets,
                                   const struct automaton_edge *edges, size_t edge_count);

/* An automaton for the same words: without states that lie on no accepting run, without superfluous acceptance sets,
   states that simulate each other merged and edges removed that others simulate (Babiak et al., "Compositional
   approach to suspension and other improvements to LTL translation", SPIN 2013, section 5). States are numbered in the
   order of a breadth-first search from state 0, the initial one. Automata of more than AUTOMATON_MAX_SIMULATED states
   are only pruned. */
#define AUTOMATON_MAX_SIMULATED 512
struct automaton *automaton_reduce(struct arena *arena, const struct automaton *automaton);

/* How to decide whether an accepting run exists. Each strength includes the ones before. */
enum automaton_strength {
  AUTOMATON_TERMINAL, /* weak; each run that reaches a state of an accepting component can be continued for ever there,
                         whatever the valuations are */
  AUTOMATON_WEAK,     /* in each component, either all cycles are accepting or none */
  AUTOMATON_GENERAL
};

struct automaton_shape {
  enum automaton_strength strength;
  uint32_t component_count;
  const uint32_t *component; /* [states] number of the strongly connected component; successors have smaller ones */
  const bool *accepting;     /* [component_count] it has an accepting cycle */
  const bool *mixed;         /* [component_count] it has accepting cycles and others */
};
struct automaton_shape automaton_shape(struct arena *arena, const struct automaton *automaton);

/* True if each valuation of the cube is one of the union of the others. */
bool cube_is_covered(struct cube cube, const struct cube *by, size_t count);

#endif
