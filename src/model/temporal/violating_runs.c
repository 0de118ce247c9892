#include "model/temporal/violating_runs.h"

#include "logic/translate.h"

const struct automaton *violating_runs(const struct temporal *temporal, struct arena *arena) {
  if (temporal->violating)
    return automaton_reduce(arena, temporal->violating);
  struct formulas *set = formulas_create(arena);
  return translate(set, formula_not(set, formula_copy(set, temporal->formula)));
}

bool run_violates(const struct temporal *temporal, const struct periodic_word *run, struct arena *arena) {
  return temporal->violating ? word_is_accepted(temporal->violating, run, arena)
                             : !formula_holds(temporal->formula, run, arena);
}

/* The edges of the state to states of `kept` permit each valuation. */
static bool permits_all(const struct automaton *automaton, uint32_t state, const bool *kept, struct cube *cubes) {
  size_t count = 0;
  for (size_t i = automaton->first[state]; i < automaton->first[state + 1]; i++)
    for (size_t k = 0; kept[automaton->edges[i].to] && k < automaton->edges[i].cube_count; k++)
      cubes[count++] = automaton->edges[i].cubes[k];
  return cube_is_covered((struct cube){0, 0}, cubes, count);
}

bool permits_all_runs(const struct automaton *automaton, struct arena *arena) {
  size_t cubes = 0;
  for (size_t i = 0; i < automaton->edge_count; i++)
    cubes += automaton->edges[i].cube_count;
  struct cube *const room = arena_array(arena, cubes, sizeof *room);
  bool *const kept = arena_array(arena, automaton->states, sizeof *kept);
  for (uint32_t s = 0; s < automaton->states; s++)
    kept[s] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t s = 0; s < automaton->states; s++)
      if (kept[s] && !permits_all(automaton, s, kept, room)) {
        kept[s] = false;
        changed = true;
      }
  }
  return kept[automaton->initial];
}
