/* Translation of LTL formulas to automata. */
#ifndef FLOE_LOGIC_TRANSLATE_H
#define FLOE_LOGIC_TRANSLATE_H

#include "logic/automaton.h"
#include "logic/formula.h"

#define TRANSLATE_MAX_STATES 20000
#define TRANSLATE_MAX_TERMS 200000 /* of one state */

/* The automaton that accepts the words that satisfy the formula, reduced, by linear forms: Couvreur, "On-the-fly
   verification of linear temporal logic", FM 1999. Deviations: sets of cubes instead of decision diagrams;
   promises are shared by `until` formulas of the same right side. Returns NULL if the
   automaton would have more than TRANSLATE_MAX_STATES states, a state more than TRANSLATE_MAX_TERMS terms, or the
   formula more than AUTOMATON_MAX_SETS promises. The guard of the formulas' arena must be active. */
struct automaton *translate(struct formulas *set, const struct formula *formula);

#endif
