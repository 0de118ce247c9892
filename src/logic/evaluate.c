#include "logic/evaluate.h"

#include <assert.h>
#include <string.h>

struct evaluation {
  const struct periodic_word *word;
  struct arena *arena;
};

static size_t after(const struct periodic_word *word, size_t i) { return i + 1 < word->count ? i + 1 : word->loop; }

static bool *values_of(const struct evaluation *e, const struct formula *f);

static bool *junction(const struct evaluation *e, const struct formula *f) {
  bool *values = arena_array(e->arena, e->word->count, sizeof *values);
  memset(values, f->op == FORMULA_AND, e->word->count * sizeof *values);
  for (uint32_t i = 0; i < f->count; i++) {
    const bool *operand = values_of(e, f->args[i]);
    for (size_t k = 0; k < e->word->count; k++)
      values[k] = f->op == FORMULA_AND ? values[k] && operand[k] : values[k] || operand[k];
  }
  return values;
}

/* Until: the least solution of v = b or (a and next v); release: the greatest one of v = b and (a or next v). Two
   passes from the end reach it: the second one knows the values behind the loop. */
static bool *fixpoint(const struct evaluation *e, const struct formula *f) {
  const bool *a = values_of(e, f->args[0]), *b = values_of(e, f->args[1]), until = f->op == FORMULA_UNTIL;
  bool *values = arena_array(e->arena, e->word->count, sizeof *values);
  memset(values, !until, e->word->count * sizeof *values);
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = e->word->count; i-- > 0;) {
      const bool next = values[after(e->word, i)];
      values[i] = until ? b[i] || (a[i] && next) : b[i] && (a[i] || next);
    }
  return values;
}

static bool *leaf(const struct evaluation *e, const struct formula *f) {
  bool *values = arena_array(e->arena, e->word->count, sizeof *values);
  for (size_t i = 0; i < e->word->count; i++) {
    const bool holds = f->op == FORMULA_TRUE || (f->op != FORMULA_FALSE && (e->word->valuations[i] >> f->atom & 1));
    values[i] = f->op == FORMULA_NOT_ATOM ? !holds : holds;
  }
  return values;
}

static bool *next(const struct evaluation *e, const struct formula *f) {
  const bool *operand = values_of(e, f->args[0]);
  bool *values = arena_array(e->arena, e->word->count, sizeof *values);
  for (size_t i = 0; i < e->word->count; i++)
    values[i] = operand[after(e->word, i)];
  return values;
}

static bool *values_of(const struct evaluation *e, const struct formula *f) {
  switch (f->op) {
  case FORMULA_AND:
  case FORMULA_OR:
    return junction(e, f);
  case FORMULA_NEXT:
    return next(e, f);
  case FORMULA_UNTIL:
  case FORMULA_RELEASE:
    return fixpoint(e, f);
  default:
    return leaf(e, f);
  }
}

bool formula_holds(const struct formula *formula, const struct periodic_word *word, struct arena *arena) {
  assert(word->loop < word->count);
  return values_of(&(struct evaluation){word, arena}, formula)[0];
}

/* ---- automata ------------------------------------------------------------------------------------- */

/* A pair of a position of the word and a state of the automaton. */
struct pair {
  size_t position;
  uint32_t state;
};

struct pairs {
  struct pair *list; /* in the order in which they are found */
  size_t count, cap;
  uint32_t *number; /* [positions * states] of the pair, from 1; 0: not found */
};

static uint32_t number_of(struct pairs *pairs, const struct automaton *automaton, struct pair pair,
                          struct arena *arena) {
  uint32_t *number = &pairs->number[pair.position * automaton->states + pair.state];
  if (*number == 0) {
    *ARENA_PUSH(arena, pairs->list, pairs->count, pairs->cap) = pair;
    *number = (uint32_t)pairs->count;
  }
  return *number - 1;
}

static bool permits(const struct automaton_edge *edge, uint64_t valuation) {
  for (size_t i = 0; i < edge->cube_count; i++)
    if (cube_has(edge->cubes[i], valuation))
      return true;
  return false;
}

bool word_is_accepted(const struct automaton *automaton, const struct periodic_word *word, struct arena *arena) {
  static const struct cube any = {0, 0};
  struct pairs pairs = {.number = arena_array(arena, word->count * automaton->states, sizeof *pairs.number)};
  struct automaton_edge *edges = NULL;
  size_t count = 0, cap = 0;
  number_of(&pairs, automaton, (struct pair){0, automaton->initial}, arena);
  for (size_t from = 0; from < pairs.count; from++) {
    const struct pair pair = pairs.list[from];
    for (size_t i = automaton->first[pair.state]; i < automaton->first[pair.state + 1]; i++) {
      struct automaton_edge edge = automaton->edges[i];
      if (!permits(&edge, word->valuations[pair.position]))
        continue;
      edge.from = (uint32_t)from;
      edge.to = number_of(&pairs, automaton, (struct pair){after(word, pair.position), edge.to}, arena);
      edge.cubes = &any;
      edge.cube_count = 1;
      *ARENA_PUSH(arena, edges, count, cap) = edge;
    }
  }
  const struct automaton *product = automaton_create(arena, (uint32_t)pairs.count, 0, automaton->sets, edges, count);
  const struct automaton_shape shape = automaton_shape(arena, product);
  return memchr(shape.accepting, true, shape.component_count) != NULL;
}
