#include "step/analysis/linear_invariants.h"

#define MAX_GUESSES 16

__extension__ typedef __int128 int128; /* holds sums of products of 64-bit numbers */

struct induction {
  const struct model *model;
  const struct ranges *ranges;
  const double *weights;
  const struct stop *stop;
  struct arena *arena;
  struct element_changes *changes;
  struct linear_invariants linear;
};

/* ---- is a sum constant in all changes? --------------------------------------------------------- */

struct term_use {
  uint32_t constraint;
  const struct linear_term *term;
  struct term_use *next;
};

/* Change of the term; false: unknown. */
static bool change_of(const struct induction *p, const struct linear_term *term, const struct element_change *change,
                      int128 *out) {
  const struct value_interval range = p->ranges->all[term->element];
  const struct value_interval both =
      range_join((struct value_interval){change->from, change->from}, (struct value_interval){change->to, change->to});
  if (!term->table)
    *out = (int128)term->coefficient * change->difference;
  else if (change->has_values && range_within(both, range))
    *out = (int128)term->table[change->to - range.lo] - term->table[change->from - range.lo];
  else
    return false;
  return true;
}

static struct term_use **uses_of(struct induction *p, const struct linear_constraint *constraints, size_t count,
                                 bool *wrong) {
  struct term_use **uses = arena_array(p->arena, p->model->value_count, sizeof *uses);
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = 0; i < constraints[k].term_count; i++) {
      const struct linear_term *term = &constraints[k].terms[i];
      struct term_use *term_use = arena_alloc(p->arena, sizeof *term_use);
      *term_use = (struct term_use){k, term, uses[term->element]};
      uses[term->element] = term_use;
      wrong[k] = wrong[k] || !p->changes->tracked[term->element] ||
                 (term->table && !p->changes->tracked_by_value[term->element]);
    }
  return uses;
}

/* Flags of the sums that the changes from firing `first` on alter. Adds up the changes one by one, independently of the
   elimination that found the sums. */
static bool *find_altered(struct induction *p, const struct linear_constraint *constraints, size_t count,
                          size_t first) {
  bool *wrong = arena_array(p->arena, count, sizeof *wrong);
  int128 *sums = arena_array(p->arena, count, sizeof *sums);
  struct term_use **uses = uses_of(p, constraints, count, wrong);
  for (size_t i = first; i < p->changes->firing_count; i++) {
    const struct element_change *begin = p->changes->items + (i ? p->changes->ends[i - 1] : 0);
    const struct element_change *end = p->changes->items + p->changes->ends[i];
    for (const struct element_change *change = begin; change < end; change++)
      for (const struct term_use *term_use = uses[change->element]; term_use; term_use = term_use->next) {
        int128 by = 0;
        wrong[term_use->constraint] = wrong[term_use->constraint] || !change_of(p, term_use->term, change, &by);
        sums[term_use->constraint] += by;
      }
    for (const struct element_change *change = begin; change < end; change++)
      for (const struct term_use *term_use = uses[change->element]; term_use; term_use = term_use->next) {
        wrong[term_use->constraint] = wrong[term_use->constraint] || sums[term_use->constraint] != 0;
        sums[term_use->constraint] = 0;
      }
  }
  return wrong;
}

static bool any_set(const bool *flags, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (flags[i])
      return true;
  return false;
}

/* ---- guesses ----------------------------------------------------------------------------------- */

static struct linear_invariants candidates_by(const struct induction *p, enum dependent_choice order) {
  const struct linear_problem problem = {p->model, p->ranges, p->changes, p->weights, p->stop, p->arena};
  return dependent_elements_find(&problem, order);
}

static struct linear_invariants best_choice(const struct induction *p) {
  const struct linear_invariants first = candidates_by(p, HEAVIEST_FIRST), second = candidates_by(p, HEAVIEST_BY_USE);
  return first.gain >= second.gain ? first : second;
}

static bool collect_changes(struct induction *p, const struct linear_invariants *under) {
  return changes_collect(p->model, p->ranges, &under->constraints, p->stop, p->arena, p->changes);
}

/* Finds guesses such that the changes of all firings from states in which they hold contradict none of them; false:
   found none. */
static bool prove_guesses(struct induction *p) {
  p->changes = changes_observe(p->model, p->ranges, p->stop, p->arena);
  for (int i = 0; i < MAX_GUESSES; i++) {
    const size_t firings = p->changes->firing_count;
    const struct linear_invariants guessed = candidates_by(p, HEAVIEST_BY_USE);
    if (!collect_changes(p, &guessed))
      return false;
    if (!any_set(find_altered(p, guessed.constraints.items, guessed.constraints.count, firings),
                 guessed.constraints.count))
      return true;
  }
  return false;
}

/* Invariants that need no assumption. */
static bool prove_directly(struct induction *p) {
  const struct linear_invariants none = {0};
  p->changes = changes_observe(p->model, p->ranges, p->stop, p->arena);
  return collect_changes(p, &none);
}

/* Keeps the dependent elements that agree with their terms in every change. */
static struct linear_invariants keep_proved(struct induction *p, struct linear_invariants linear) {
  struct linear_constraint *constraints = arena_array(p->arena, linear.count, sizeof *constraints);
  struct dependent_element *items = arena_array(p->arena, linear.count, sizeof *items);
  uint32_t count = 0;
  for (uint32_t k = 0; k < linear.count; k++) {
    const struct dependent_element *dependent = &linear.items[k];
    struct linear_term *terms = arena_array(p->arena, dependent->term_count + 1, sizeof *terms);
    for (uint32_t i = 0; i < dependent->term_count; i++)
      terms[i] = dependent->terms[i];
    terms[dependent->term_count] = (struct linear_term){dependent->element, -1, NULL};
    constraints[k] = (struct linear_constraint){terms, dependent->term_count + 1, -dependent->constant};
  }
  const bool *wrong = find_altered(p, constraints, linear.count, 0);
  for (uint32_t k = 0; k < linear.count; k++)
    if (!wrong[k])
      items[count++] = linear.items[k];
  linear.items = items;
  linear.count = count;
  return linear;
}

struct linear_invariants linear_invariants_find(const struct model *model, const struct ranges *ranges,
                                                const double *weights, const struct stop *stop, struct arena *arena) {
  struct induction p = {.model = model, .ranges = ranges, .weights = weights, .stop = stop, .arena = arena};
  if (!prove_guesses(&p) && !prove_directly(&p))
    return (struct linear_invariants){0};
  return keep_proved(&p, best_choice(&p));
}
