/* Random formulas as trees, evaluated directly on ultimately periodic words; acceptance of such words by automata.
   Shares nothing with the translation. */
#ifndef FLOE_TESTS_LOGIC_WORDS_H
#define FLOE_TESTS_LOGIC_WORDS_H

#include "logic/automaton.h"
#include "logic/formula.h"

enum { WORD_MAX = 10, TREE_MAX = 24 };

/* Valuations 0..length - 1, then again from `loop` on, for ever. */
struct word {
  uint64_t valuations[WORD_MAX];
  unsigned length, loop;
};

enum tree_op {
  TREE_TRUE,
  TREE_ATOM,
  TREE_NOT,
  TREE_AND,
  TREE_OR,
  TREE_NEXT,
  TREE_EVENTUALLY,
  TREE_ALWAYS,
  TREE_UNTIL,
  TREE_WEAK,
  TREE_RELEASE
};

struct tree {
  enum tree_op op;
  unsigned atom, left, right; /* nodes with smaller numbers */
};

/* The formula is the last node. */
struct trees {
  struct tree nodes[TREE_MAX];
  unsigned count;
};

struct trees random_trees(uint64_t *seed, unsigned size, unsigned atoms);
struct word random_word(uint64_t *seed, unsigned atoms);
bool word_satisfies(const struct word *word, const struct trees *trees);
const struct formula *tree_formula(struct formulas *set, const struct trees *trees);
bool automaton_accepts(const struct automaton *automaton, const struct word *word);

#endif
