/* Facts about all reachable states for tests: learned from those states, without a proof, so that keys by rank have
   every shape that they can have. */
#ifndef FLOE_TEST_LEARNED_FACTS_H
#define FLOE_TEST_LEARNED_FACTS_H

#include "loaded.h"
#include "step/analysis/invariants.h"

enum learning {
  LEARN_DECLARED, /* the ranges as declared */
  LEARN_CASES,    /* declared ranges, and cases by locations and lengths with these ranges: true of all states */
  LEARN_RANGES,   /* the least ranges */
  LEARN_PROVED,   /* what the program itself proves */
  LEARN_ALL,      /* the least ranges, of cases too, and elements that others determine */
  LEARNINGS
};

/* From loaded->arena, by the layout of fields. NULL: there are more than `most` reachable states. */
struct invariants *learn_facts(struct loaded *loaded, enum learning learning, size_t most);
/* Keys by rank on these facts: loaded->layout. False: there would be too many. */
bool rank_keys(struct loaded *loaded, struct invariants *invariants);

#endif
