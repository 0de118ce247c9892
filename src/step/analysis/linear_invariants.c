#include "step/analysis/linear_invariants.h"

#define MAX_GUESSES 16

__extension__ typedef __int128 wide; /* holds sums of products of 64 bits */

struct proving {
  const struct model *model;
  const struct ranges *ranges;
  const double *weights;
  const struct stop *stop;
  struct arena *arena;
  struct changes *changes;
  struct linear linear;
};

/* ---- is a sum constant in all changes? --------------------------------------------------------- */

struct use {
  uint32_t constraint;
  const struct invariants_term *term;
  struct use *next;
};

/* False: not known. */
static bool change_of(const struct proving *p, const struct invariants_term *term, const struct change *change,
                      wide *out) {
  const struct invariants_range range = p->ranges->all[term->element];
  const struct invariants_range both = range_join((struct invariants_range){change->from, change->from},
                                                  (struct invariants_range){change->to, change->to});
  if (!term->table)
    *out = (wide)term->coefficient * change->difference;
  else if (change->from_to && range_within(both, range))
    *out = (wide)term->table[change->to - range.lo] - term->table[change->from - range.lo];
  else
    return false;
  return true;
}

static struct use **uses_of(struct proving *p, const struct constraint *constraints, size_t count, bool *wrong) {
  struct use **uses = arena_array(p->arena, p->model->value_count, sizeof *uses);
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = 0; i < constraints[k].term_count; i++) {
      const struct invariants_term *term = &constraints[k].terms[i];
      struct use *use = arena_alloc(p->arena, sizeof *use);
      *use = (struct use){k, term, uses[term->element]};
      uses[term->element] = use;
      wrong[k] = wrong[k] || !p->changes->useful[term->element] ||
                 (term->table && !p->changes->useful_by_value[term->element]);
    }
  return uses;
}

/* Which sums the changes from firing `first` on alter: added up one by one, without anything that led to them. */
static bool *disproved(struct proving *p, const struct constraint *constraints, size_t count, size_t first) {
  bool *wrong = arena_array(p->arena, count, sizeof *wrong);
  wide *sums = arena_array(p->arena, count, sizeof *sums);
  struct use **uses = uses_of(p, constraints, count, wrong);
  for (size_t i = first; i < p->changes->firing_count; i++) {
    const struct change *begin = p->changes->items + (i ? p->changes->ends[i - 1] : 0);
    const struct change *end = p->changes->items + p->changes->ends[i];
    for (const struct change *change = begin; change < end; change++)
      for (const struct use *use = uses[change->element]; use; use = use->next) {
        wide by = 0;
        wrong[use->constraint] = wrong[use->constraint] || !change_of(p, use->term, change, &by);
        sums[use->constraint] += by;
      }
    for (const struct change *change = begin; change < end; change++)
      for (const struct use *use = uses[change->element]; use; use = use->next) {
        wrong[use->constraint] = wrong[use->constraint] || sums[use->constraint] != 0;
        sums[use->constraint] = 0;
      }
  }
  return wrong;
}

static bool any(const bool *flags, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (flags[i])
      return true;
  return false;
}

/* ---- guesses ----------------------------------------------------------------------------------- */

static struct linear in_order(const struct proving *p, enum linear_order order) {
  return linear_make(p->model, p->ranges, p->changes, p->weights, order, p->stop, p->arena);
}

static struct linear best(const struct proving *p) {
  const struct linear first = in_order(p, BY_WEIGHT), second = in_order(p, BY_WEIGHT_OF_A_COLUMN);
  return first.gain >= second.gain ? first : second;
}

static bool collect(struct proving *p, const struct linear *under) {
  return changes_collect(p->model, p->ranges, under->constraints, under->constraint_count, p->stop, p->arena,
                         p->changes);
}

/* The changes are those of all firings from states where the guesses hold, and contradict none of these; false: no
   such guesses are found. */
static bool guess(struct proving *p) {
  p->changes = changes_observe(p->model, p->ranges, p->stop, p->arena);
  for (int i = 0; i < MAX_GUESSES; i++) {
    const size_t firings = p->changes->firing_count;
    const struct linear guessed = in_order(p, BY_WEIGHT_OF_A_COLUMN);
    if (!collect(p, &guessed))
      return false;
    if (!any(disproved(p, guessed.constraints, guessed.constraint_count, firings), guessed.constraint_count))
      return true;
  }
  return false;
}

/* What needs no guess. */
static bool plain(struct proving *p) {
  const struct linear none = {0};
  p->changes = changes_observe(p->model, p->ranges, p->stop, p->arena);
  return collect(p, &none);
}

/* Those that change with what determines them, in every change. */
static struct linear confirmed(struct proving *p, struct linear linear) {
  struct constraint *constraints = arena_array(p->arena, linear.count, sizeof *constraints);
  struct invariants_dependent *items = arena_array(p->arena, linear.count, sizeof *items);
  uint32_t count = 0;
  for (uint32_t k = 0; k < linear.count; k++) {
    const struct invariants_dependent *dependent = &linear.items[k];
    struct invariants_term *terms = arena_array(p->arena, dependent->term_count + 1, sizeof *terms);
    for (uint32_t i = 0; i < dependent->term_count; i++)
      terms[i] = dependent->terms[i];
    terms[dependent->term_count] = (struct invariants_term){dependent->element, -1, NULL};
    constraints[k] = (struct constraint){terms, dependent->term_count + 1, -dependent->constant};
  }
  const bool *wrong = disproved(p, constraints, linear.count, 0);
  for (uint32_t k = 0; k < linear.count; k++)
    if (!wrong[k])
      items[count++] = linear.items[k];
  linear.items = items;
  linear.count = count;
  return linear;
}

struct linear linear_invariants_make(const struct model *model, const struct ranges *ranges, const double *weights,
                                     const struct stop *stop, struct arena *arena) {
  struct proving p = {.model = model, .ranges = ranges, .weights = weights, .stop = stop, .arena = arena};
  if (!guess(&p) && !plain(&p))
    return (struct linear){0};
  return confirmed(&p, best(&p));
}
