#include "logic/translate.h"

#include <stdlib.h>
#include <string.h>

/* A term of a linear form: the valuations of `cube` are read, then `next` holds. Bit i of `promises`: the right side i
   of an `until` has to become true later. */
struct term {
  struct cube cube;
  const struct formula *next;
  uint64_t promises;
};

struct terms {
  struct term *items;
  size_t n, cap;
};

struct translation {
  struct formulas *set;
  struct arena *arena;
  const struct formula **promised; /* right sides of `until` */
  size_t promised_count, promised_cap;
  const struct formula **state_formulas; /* of the states, by number */
  struct terms *state_terms;
  size_t states, states_cap, terms_cap;
  struct automaton_edge *edges;
  size_t edge_count, edges_cap;
  struct terms *known; /* linear forms by the number of the formula; NULL items: not computed */
  size_t known_count;
  bool too_large;
};

/* ---- linear forms --------------------------------------------------------------------------------- */

/* Every continuation of `inner` is one of `outer`. */
static bool term_within(struct formulas *set, const struct term *inner, const struct term *outer) {
  return cube_within(inner->cube, outer->cube) && (outer->promises & ~inner->promises) == 0 &&
         formula_entails(set, inner->next, outer->next);
}

static void add_term(struct translation *t, struct terms *terms, struct term term) {
  if (t->too_large || cube_is_empty(term.cube) || term.next->op == FORMULA_FALSE)
    return;
  for (size_t i = 0; i < terms->n; i++)
    if (term_within(t->set, &term, &terms->items[i]))
      return;
  size_t kept = 0;
  for (size_t i = 0; i < terms->n; i++)
    if (!term_within(t->set, &terms->items[i], &term))
      terms->items[kept++] = terms->items[i];
  terms->n = kept;
  if (terms->n >= TRANSLATE_MAX_TERMS)
    t->too_large = true;
  *ARENA_PUSH(t->arena, terms->items, terms->n, terms->cap) = term;
}

static struct terms linear_form(struct translation *t, const struct formula *f);

/* Obligations after the first valuation are joined without simplification: an obligation of `until` that another one
   only entails would lose its promise. */
static struct terms product(struct translation *t, const struct terms *a, const struct terms *b) {
  struct terms both = {NULL, 0, 0};
  for (size_t i = 0; i < a->n; i++)
    for (size_t k = 0; k < b->n && !t->too_large; k++) {
      const struct term *x = &a->items[i], *y = &b->items[k];
      const struct cube cube = cube_both(x->cube, y->cube);
      if (!cube_is_empty(cube))
        add_term(t, &both,
                 (struct term){cube, formula_conjunction(t->set, x->next, y->next), x->promises | y->promises});
    }
  return both;
}

static void add_terms(struct translation *t, struct terms *terms, const struct terms *more) {
  for (size_t i = 0; i < more->n; i++)
    add_term(t, terms, more->items[i]);
}

static struct terms single(struct translation *t, struct cube cube, const struct formula *next, uint64_t promises) {
  struct terms terms = {NULL, 0, 0};
  add_term(t, &terms, (struct term){cube, next, promises});
  return terms;
}

static uint64_t promise_of(struct translation *t, const struct formula *right) {
  for (size_t i = 0; i < t->promised_count; i++)
    if (t->promised[i] == right)
      return UINT64_C(1) << i;
  if (t->promised_count == AUTOMATON_MAX_SETS) {
    t->too_large = true;
    return 0;
  }
  *ARENA_PUSH(t->arena, t->promised, t->promised_count, t->promised_cap) = right;
  return UINT64_C(1) << (t->promised_count - 1);
}

static struct terms of_junction(struct translation *t, const struct formula *f) {
  struct terms terms = linear_form(t, f->args[0]);
  if (f->op == FORMULA_OR) {
    const struct terms first = terms;
    terms = (struct terms){NULL, 0, 0};
    add_terms(t, &terms, &first);
  }
  for (uint32_t i = 1; i < f->count && !t->too_large; i++) {
    const struct terms other = linear_form(t, f->args[i]);
    if (f->op == FORMULA_AND)
      terms = product(t, &terms, &other);
    else
      add_terms(t, &terms, &other);
  }
  return terms;
}

/* f until g: g, or f and next(f until g) with the promise of g. */
static struct terms of_until(struct translation *t, const struct formula *f) {
  const struct terms left = linear_form(t, f->args[0]), right = linear_form(t, f->args[1]);
  const struct terms later = single(t, (struct cube){0, 0}, f, promise_of(t, f->args[1]));
  const struct terms waiting = product(t, &left, &later);
  struct terms terms = {NULL, 0, 0};
  add_terms(t, &terms, &right);
  add_terms(t, &terms, &waiting);
  return terms;
}

/* f releases g: g, and f or next(f releases g). */
static struct terms of_release(struct translation *t, const struct formula *f) {
  const struct terms left = linear_form(t, f->args[0]), right = linear_form(t, f->args[1]);
  struct terms either = {NULL, 0, 0};
  add_terms(t, &either, &left);
  add_term(t, &either, (struct term){{0, 0}, f, 0});
  return product(t, &right, &either);
}

static struct terms compute_linear_form(struct translation *t, const struct formula *f) {
  const struct formula *always = formula_constant(t->set, true);
  const uint64_t atom = UINT64_C(1) << f->atom;
  switch (f->op) {
  case FORMULA_FALSE:
    return (struct terms){NULL, 0, 0};
  case FORMULA_TRUE:
    return single(t, (struct cube){0, 0}, always, 0);
  case FORMULA_ATOM:
    return single(t, (struct cube){atom, 0}, always, 0);
  case FORMULA_NOT_ATOM:
    return single(t, (struct cube){0, atom}, always, 0);
  case FORMULA_NEXT:
    return single(t, (struct cube){0, 0}, f->args[0], 0);
  case FORMULA_UNTIL:
    return of_until(t, f);
  case FORMULA_RELEASE:
    return of_release(t, f);
  default:
    return of_junction(t, f);
  }
}

static struct terms linear_form(struct translation *t, const struct formula *f) {
  if (f->number < t->known_count && t->known[f->number].items)
    return t->known[f->number];
  const struct terms terms = compute_linear_form(t, f);
  if (f->number >= t->known_count) {
    const size_t count = f->number * 2 + 64;
    struct terms *known = arena_array(t->arena, count, sizeof *known);
    if (t->known_count > 0)
      memcpy(known, t->known, t->known_count * sizeof *known);
    t->known = known;
    t->known_count = count;
  }
  t->known[f->number] = terms;
  return terms;
}

/* ---- states --------------------------------------------------------------------------------------- */

static int by_content(const void *a, const void *b) {
  const struct term *x = a, *y = b;
  const uint64_t left[] = {x->next->number, x->cube.positive, x->cube.negative, x->promises};
  const uint64_t right[] = {y->next->number, y->cube.positive, y->cube.negative, y->promises};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    if (left[i] != right[i])
      return left[i] < right[i] ? -1 : 1;
  return 0;
}

static bool same_terms(const struct terms *a, const struct terms *b) {
  if (a->n != b->n)
    return false;
  for (size_t i = 0; i < a->n; i++)
    if (by_content(&a->items[i], &b->items[i]) != 0)
      return false;
  return true;
}

/* The state of the formula. Formulas with the same linear form share a state. */
static uint32_t state_of(struct translation *t, const struct formula *f) {
  for (size_t i = 0; i < t->states; i++)
    if (t->state_formulas[i] == f)
      return (uint32_t)i;
  struct terms terms = linear_form(t, f);
  if (terms.n > 0)
    qsort(terms.items, terms.n, sizeof *terms.items, by_content);
  for (size_t i = 0; i < t->states; i++)
    if (same_terms(&t->state_terms[i], &terms))
      return (uint32_t)i;
  if (t->states >= TRANSLATE_MAX_STATES)
    t->too_large = true;
  size_t n = t->states;
  *ARENA_PUSH(t->arena, t->state_terms, n, t->terms_cap) = terms;
  *ARENA_PUSH(t->arena, t->state_formulas, t->states, t->states_cap) = f;
  return (uint32_t)(t->states - 1);
}

static void expand_state(struct translation *t, uint32_t state) {
  const struct terms terms = t->state_terms[state];
  for (size_t i = 0; i < terms.n && !t->too_large; i++) {
    struct cube *cube = arena_alloc(t->arena, sizeof *cube);
    *cube = terms.items[i].cube;
    const struct automaton_edge edge = {.from = state,
                                        .to = state_of(t, terms.items[i].next),
                                        .accepting = ~terms.items[i].promises,
                                        .cubes = cube,
                                        .cube_count = 1};
    *ARENA_PUSH(t->arena, t->edges, t->edge_count, t->edges_cap) = edge;
  }
}

struct automaton *translate(struct formulas *set, const struct formula *formula) {
  struct translation t = {.set = set, .arena = formulas_arena(set)};
  const uint32_t initial = state_of(&t, formula);
  for (uint32_t state = 0; state < t.states && !t.too_large; state++)
    expand_state(&t, state);
  if (t.too_large)
    return NULL;
  const uint32_t sets = (uint32_t)t.promised_count;
  for (size_t i = 0; i < t.edge_count; i++)
    t.edges[i].accepting &= acceptance_mask(sets);
  const struct automaton *all = automaton_create(t.arena, (uint32_t)t.states, initial, sets, t.edges, t.edge_count);
  return automaton_reduce(t.arena, all);
}
