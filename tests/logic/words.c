#include "tests/logic/words.h"

#include "base/splitmix64.h"

#include <stdlib.h>
#include <string.h>

static unsigned below(uint64_t *seed, unsigned n) { return (unsigned)(splitmix64_next(seed) % n); }

struct trees random_trees(uint64_t *seed, unsigned size, unsigned atoms) {
  struct trees trees = {.count = 0};
  unsigned open[TREE_MAX], n = 0; /* nodes that are no operands yet */
  while (trees.count < size || n > 1) {
    const bool leaf = n == 0 || (trees.count + n < size && below(seed, 2) == 0);
    struct tree node = {.op = leaf ? (below(seed, 20) == 0 ? TREE_TRUE : TREE_ATOM)
                                   : TREE_NOT + below(seed, TREE_RELEASE - TREE_NOT + 1),
                        .atom = below(seed, atoms)};
    const bool binary = node.op == TREE_AND || node.op == TREE_OR || node.op >= TREE_UNTIL;
    if (!leaf && n > 1 && trees.count + n >= size + 1 && !binary)
      continue;
    if (binary && n < 2)
      continue;
    if (!leaf)
      node.left = open[--n];
    if (binary)
      node.right = open[--n];
    open[n++] = trees.count;
    trees.nodes[trees.count++] = node;
  }
  return trees;
}

struct word random_word(uint64_t *seed, unsigned atoms) {
  struct word word = {.length = 1 + below(seed, WORD_MAX)};
  word.loop = below(seed, word.length);
  for (unsigned i = 0; i < word.length; i++)
    word.valuations[i] = splitmix64_next(seed) & ((UINT64_C(1) << atoms) - 1);
  return word;
}

static unsigned after(const struct word *word, unsigned i) { return i + 1 < word->length ? i + 1 : word->loop; }

/* Value of a node at position i, given those of its operands. U: the right operand at some position before which the
   left one holds; positions repeat after `length` steps. */
static bool until(const struct word *word, const bool *left, const bool *right, unsigned i) {
  for (unsigned steps = 0; steps <= 2 * word->length; steps++, i = after(word, i)) {
    if (right[i])
      return true;
    if (!left[i])
      return false;
  }
  return false;
}

static bool always(const struct word *word, const bool *operand, unsigned i) {
  for (unsigned steps = 0; steps <= 2 * word->length; steps++, i = after(word, i))
    if (!operand[i])
      return false;
  return true;
}

static bool value_at(const struct word *word, const struct tree *node, bool (*values)[WORD_MAX], unsigned i) {
  static const bool everywhere[WORD_MAX] = {true, true, true, true, true, true, true, true, true, true};
  const bool *left = values[node->left], *right = values[node->right];
  bool both[WORD_MAX];
  switch (node->op) {
  case TREE_TRUE:
    return true;
  case TREE_ATOM:
    return word->valuations[i] >> node->atom & 1;
  case TREE_NOT:
    return !left[i];
  case TREE_AND:
    return left[i] && right[i];
  case TREE_OR:
    return left[i] || right[i];
  case TREE_NEXT:
    return left[after(word, i)];
  case TREE_EVENTUALLY:
    return until(word, everywhere, left, i);
  case TREE_ALWAYS:
    return always(word, left, i);
  case TREE_UNTIL:
    return until(word, left, right, i);
  case TREE_WEAK:
    return until(word, left, right, i) || always(word, left, i);
  default: /* release: the right operand for ever, or until both hold */
    for (unsigned k = 0; k < word->length; k++)
      both[k] = left[k] && right[k];
    return always(word, right, i) || until(word, right, both, i);
  }
}

bool word_satisfies(const struct word *word, const struct trees *trees) {
  static bool values[TREE_MAX][WORD_MAX];
  for (unsigned n = 0; n < trees->count; n++)
    for (unsigned i = 0; i < word->length; i++)
      values[n][i] = value_at(word, &trees->nodes[n], values, i);
  return values[trees->count - 1][0];
}

const struct formula *tree_formula(struct formulas *set, const struct trees *trees) {
  const struct formula *made[TREE_MAX];
  for (unsigned n = 0; n < trees->count; n++) {
    const struct tree *node = &trees->nodes[n];
    const struct formula *left = made[node->left], *right = made[node->right];
    made[n] = node->op == TREE_TRUE         ? formula_constant(set, true)
              : node->op == TREE_ATOM       ? formula_atom(set, node->atom)
              : node->op == TREE_NOT        ? formula_not(set, left)
              : node->op == TREE_AND        ? formula_and(set, left, right)
              : node->op == TREE_OR         ? formula_or(set, left, right)
              : node->op == TREE_NEXT       ? formula_next(set, left)
              : node->op == TREE_EVENTUALLY ? formula_eventually(set, left)
              : node->op == TREE_ALWAYS     ? formula_always(set, left)
              : node->op == TREE_UNTIL      ? formula_until(set, left, right)
              : node->op == TREE_WEAK       ? formula_weak_until(set, left, right)
                                            : formula_release(set, left, right);
  }
  return made[trees->count - 1];
}

/* ---- acceptance: states of the automaton at positions of the word --------------------------------- */

struct product {
  const struct automaton *automaton;
  const struct word *word;
  bool *in, *seen; /* [states * length] */
};

/* Marks what `seen` reaches within `in`. Edges of an acceptance set: from any place within `in`, if `set` is not 0. */
static void spread(struct product *p, uint64_t set) {
  const unsigned length = p->word->length;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t e = 0; e < p->automaton->edge_count; e++) {
      const struct automaton_edge *edge = &p->automaton->edges[e];
      for (unsigned i = 0; i < length; i++) {
        const size_t from = (size_t)edge->from * length + i, to = (size_t)edge->to * length + after(p->word, i);
        bool reads = false;
        for (size_t k = 0; k < edge->cube_count; k++)
          reads |= cube_has(edge->cubes[k], p->word->valuations[i]);
        if (reads && p->in[from] && p->in[to] && !p->seen[to] && (p->seen[from] || (edge->accepting & set) != 0))
          p->seen[to] = changed = true;
      }
    }
  }
}

/* Removes places that no edge of the acceptance set leads to, directly or along others within `in`. */
static bool shrink(struct product *p, uint64_t set) {
  const size_t places = (size_t)p->automaton->states * p->word->length;
  bool changed = false;
  memset(p->seen, 0, places);
  spread(p, set);
  for (size_t i = 0; i < places; i++) {
    changed |= p->in[i] != p->seen[i];
    p->in[i] = p->in[i] && p->seen[i];
  }
  return changed;
}

/* Removes places without a predecessor, until each has one. */
static bool trim(struct product *p) {
  const unsigned length = p->word->length;
  const size_t places = (size_t)p->automaton->states * length;
  bool removed = false;
  for (bool changed = true; changed;) {
    changed = false;
    memset(p->seen, 0, places);
    for (size_t e = 0; e < p->automaton->edge_count; e++)
      for (unsigned i = 0; i < length; i++)
        for (size_t k = 0; k < p->automaton->edges[e].cube_count; k++)
          if (cube_has(p->automaton->edges[e].cubes[k], p->word->valuations[i]) &&
              p->in[(size_t)p->automaton->edges[e].from * length + i])
            p->seen[(size_t)p->automaton->edges[e].to * length + after(p->word, i)] = true;
    for (size_t i = 0; i < places; i++)
      if (p->in[i] && !p->seen[i])
        p->in[i] = false, changed = removed = true;
  }
  return removed;
}

bool automaton_accepts(const struct automaton *automaton, const struct word *word) {
  const size_t places = (size_t)automaton->states * word->length;
  struct product p = {automaton, word, malloc(places), calloc(places, 1)};
  memset(p.in, 1, places);
  p.seen[(size_t)automaton->initial * word->length] = true;
  spread(&p, 0);
  memcpy(p.in, p.seen, places);
  for (bool changed = true; changed;) {
    changed = trim(&p);
    for (uint32_t set = 0; set < automaton->sets; set++)
      changed |= shrink(&p, UINT64_C(1) << set);
  }
  const bool accepts = memchr(p.in, 1, places) != NULL;
  free(p.in);
  free(p.seen);
  return accepts;
}
