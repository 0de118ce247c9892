#include "step/arcs/arc_automaton.h"

#include "model/interpreter/interpreter.h"

#include <assert.h>

/* Masks are trees of comparisons of the automaton's state: the leaf of state `q`. */
static const struct expr *mask_of_state(const struct expr *mask, uint32_t variable, int64_t q) {
  while (mask->op == EXPR_COND && mask->a->op == EXPR_LE && mask->a->a->op == EXPR_READ && mask->a->a->id == variable &&
         mask->a->b->op == EXPR_CONST)
    mask = q <= mask->a->b->value ? mask->b : mask->c;
  return mask;
}

static void find_field(struct arc_automaton *self, const struct model *model, const struct layout *layout) {
  const struct field *f = &layout->fields[model->automaton->variable];
  self->word = f->width ? f->word : 0;
  self->shift = f->width ? f->shift : 0;
  self->mask = ((uint64_t)1 << f->width) - 1;
}

bool arc_automaton_make(const struct model *model, const struct layout *layout, struct arena *arena,
                        struct arc_automaton *out) {
  const struct model_automaton *automaton = model->automaton;
  const uint32_t variable = automaton->variable, count = (uint32_t)model->variables[variable].hi + 1;
  const struct variable *targets = &model->variables[variable + 1];
  struct arc_automaton_state *states = arena_array(arena, count, sizeof *states);
  const uint32_t words = (automaton->degree - 1) / PERMITTED_BITS + 1;
  assert(targets->kind == VARIABLE_TABLE && targets->owner == variable);
  assert(model->transitions[model->transition_count - 1].otherwise);
  if (automaton->permitted_count != words || words > ARC_AUTOMATON_WORDS)
    return false;
  for (uint32_t q = 0; q < count; q++) {
    for (uint32_t w = 0; w < words; w++)
      states[q].permitted[w] = mask_of_state(automaton->permitted[w], variable, q);
    element_reads_make(model, layout, states[q].permitted, words, arena, &states[q].reads);
  }
  *out = (struct arc_automaton){.degree = automaton->degree,
                                .words = words,
                                .stutter = (uint32_t)model->transition_count - 1,
                                .states = states,
                                .targets = targets->init};
  find_field(out, model, layout);
  return true;
}

bool arc_automaton_permitted(const struct arc_automaton *self, const struct model *model, const uint64_t *state,
                             int64_t *values, uint64_t *edges) {
  const struct arc_automaton_state *q = &self->states[arc_automaton_state(self, state)];
  uint64_t any = 0;
  element_reads_decode(&q->reads, state, values);
  for (uint32_t w = 0; w < self->words; w++) {
    int64_t mask = q->permitted[w]->value;
    if (q->permitted[w]->op != EXPR_CONST)
      interpreter_eval(model, q->permitted[w], values, NULL, NULL, &mask); /* it cannot fail */
    edges[w] = (uint64_t)mask;
    any |= edges[w];
  }
  return any != 0;
}
