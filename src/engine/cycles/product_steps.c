#include "engine/cycles/product_steps.h"

#include "logic/automaton.h"
#include "step/layout/state_key.h"
#include "step/stepper.h"

#include <string.h>

struct product_conditions product_conditions(const struct model_automaton *automaton) {
  return (struct product_conditions){automaton, automaton->weak_fair, automaton->strong_fair};
}

uint64_t product_all_conditions(const struct product_conditions *conditions) {
  const struct model_automaton *automaton = conditions->automaton;
  return (automaton->weak ? 0 : automaton->sets) | conditions->weak | conditions->strong;
}

static uint64_t value_in(const uint64_t *state, const struct field *field) {
  return field->width ? state[field->word] >> field->shift & (((uint64_t)1 << field->width) - 1) : 0;
}

uint64_t product_automaton_state(const struct model_automaton *automaton, const struct layout *layout,
                                 const uint64_t *key, uint64_t *scratch) {
  const struct field *field = &layout->fields[automaton->variable];
  return field->width ? value_in(key_state(layout, key, scratch), field) : 0;
}

struct product_state product_state(const struct model_automaton *automaton, const struct layout *layout,
                                   uint64_t number, const uint64_t *key, uint64_t *scratch) {
  const struct field *field = &layout->fields[automaton->variable];
  const struct field *holder = automaton->transient ? &layout->fields[automaton->transient->variable] : NULL;
  const uint64_t *state = field->width || holder ? key_state(layout, key, scratch) : key;
  return (struct product_state){
      .number = number, .automaton = value_in(state, field), .transient = holder && value_in(state, holder)};
}

size_t product_steps(const struct product_conditions *conditions, const struct product_state *from,
                     const struct step_edge *edges, size_t firings, uint64_t *targets, size_t words,
                     struct cycle_step *steps) {
  const struct model_automaton *automaton = conditions->automaton;
  const uint64_t *accepting = automaton->accepting + from->automaton * automaton->degree;
  uint64_t enabled = 0;
  size_t count = 0;
  for (size_t i = 0; i < firings; i++) {
    const struct step_edge edge = edges[i];
    const uint64_t fair = automaton->fairness[edge.transition];
    enabled |= fair;
    if (edge.site != NO_SITE)
      continue;
    memmove(targets + count * words, targets + i * words, words * sizeof *targets);
    steps[count++] = (struct cycle_step){.from = from->number,
                                         .marks = accepting[edge.choice % automaton->degree] | fair,
                                         .transition = edge.transition,
                                         .choice = edge.choice};
  }
  for (size_t i = 0; (conditions->weak | conditions->strong) && i < count; i++) {
    steps[i].marks |= from->transient ? 0 : conditions->weak & ~enabled;
    steps[i].enabled = conditions->strong & enabled;
  }
  return count;
}

/* ---- fairness under which no cycle exists --------------------------------------------------------- */

static struct product_conditions with_processes(const struct model_automaton *automaton, uint64_t processes,
                                                bool strong) {
  struct product_conditions conditions = product_conditions(automaton);
  uint64_t constraints = 0;
  for (uint32_t i = 0; i < automaton->fair_processes; i++)
    if (processes >> i & 1)
      constraints |= automaton->instance_constraints[i];
  conditions.strong |= strong ? constraints : 0;
  conditions.weak = (conditions.weak | constraints) & ~conditions.strong;
  return conditions;
}

void product_fair_processes(const struct model_automaton *automaton,
                            bool (*none_with)(void *self, const struct product_conditions *conditions), void *self,
                            uint64_t *processes, bool *strong) {
  const uint32_t count = automaton->fair_processes;
  uint64_t needed = acceptance_mask(count);
  *processes = 0;
  *strong = false;
  if (!needed)
    return;
  struct product_conditions conditions = with_processes(automaton, needed, false);
  *strong = !none_with(self, &conditions);
  conditions = with_processes(automaton, needed, true);
  if (*strong && !none_with(self, &conditions))
    return;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t without = needed & ~(UINT64_C(1) << i);
    conditions = with_processes(automaton, without, *strong);
    if (without && none_with(self, &conditions))
      needed = without;
  }
  *processes = needed;
}
