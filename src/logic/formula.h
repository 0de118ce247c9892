/* Formulas of linear temporal logic (LTL) in negation normal form: literals over numbered atoms, conjunction,
   disjunction, next, until, release. Equal formulas of a set are one object. The constructors simplify, so the result
   may have another operator; it is satisfied by the same words.

   Simplifications: Somenzi and Bloem, "Efficient Buchi automata from LTL formulae", CAV 2000, section 3; pure eventual
   and universal formulas: Etessami and Holzmann, "Optimizing Buchi automata", CONCUR 2000, section 2. */
#ifndef FLOE_LOGIC_FORMULA_H
#define FLOE_LOGIC_FORMULA_H

#include "logic/automaton.h"

#include <stdbool.h>
#include <stdint.h>

enum formula_op {
  FORMULA_FALSE,
  FORMULA_TRUE,
  FORMULA_ATOM,
  FORMULA_NOT_ATOM,
  FORMULA_AND,    /* args[0..count - 1], at least two, ordered by number */
  FORMULA_OR,     /* the same */
  FORMULA_NEXT,   /* args[0] */
  FORMULA_UNTIL,  /* args[0] until args[1]: args[1] holds at some time, and args[0] at all times before */
  FORMULA_RELEASE /* args[0] releases args[1]: args[1] holds up to and with the first time of args[0], for ever if
                     there is none */
};

struct formula {
  enum formula_op op;
  uint32_t number; /* in the order of creation */
  uint32_t atom;   /* FORMULA_ATOM, FORMULA_NOT_ATOM: below LOGIC_MAX_ATOMS */
  uint32_t count;  /* of args */
  bool eventual;   /* a word with a suffix that satisfies it satisfies it */
  bool universal;  /* all suffixes of a word that satisfies it satisfy it */
  const struct formula *const *args;
  const struct formula *next_in_bucket, *negation; /* private */
};

/* All formulas of a set are in its arena, whose guard must be active in each call. Not for several threads at once. */
struct formulas;
struct formulas *formulas_create(struct arena *arena);
struct arena *formulas_arena(struct formulas *set);

const struct formula *formula_constant(struct formulas *set, bool value);
const struct formula *formula_atom(struct formulas *set, uint32_t atom);
const struct formula *formula_not(struct formulas *set, const struct formula *f);
const struct formula *formula_and(struct formulas *set, const struct formula *f, const struct formula *g);
const struct formula *formula_or(struct formulas *set, const struct formula *f, const struct formula *g);
const struct formula *formula_next(struct formulas *set, const struct formula *f);
const struct formula *formula_until(struct formulas *set, const struct formula *f, const struct formula *g);
const struct formula *formula_release(struct formulas *set, const struct formula *f, const struct formula *g);
/* The same formula in another set. */
const struct formula *formula_copy(struct formulas *to, const struct formula *f);
/* The conjunction of the conjuncts of both, without simplification. */
const struct formula *formula_conjunction(struct formulas *set, const struct formula *f, const struct formula *g);
/* f until g, or f for ever. */
const struct formula *formula_weak_until(struct formulas *set, const struct formula *f, const struct formula *g);
const struct formula *formula_eventually(struct formulas *set, const struct formula *f);
const struct formula *formula_always(struct formulas *set, const struct formula *f);

/* True only if each word that satisfies f satisfies g; false does not exclude it. */
bool formula_entails(struct formulas *set, const struct formula *f, const struct formula *g);

/* "(p0 U !p1) & X(G p2)"; names: of the atoms, NULL: p0, p1, ... */
char *formula_text(const struct formula *f, const char *const *names, struct arena *arena);

#endif
