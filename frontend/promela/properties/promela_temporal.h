/* Temporal properties: formulas (ltl), claims (never), labels that begin with "accept" or "progress". */
#ifndef FLOE_FRONTEND_PROMELA_TEMPORAL_H
#define FLOE_FRONTEND_PROMELA_TEMPORAL_H

#include "frontend/promela/promela_check.h"

/* The conditions of one property. */
struct pr_atoms {
  struct pr_check *check;
  const struct expr **holds;           /* [LOGIC_MAX_ATOMS] NULL: `taken` */
  const struct transition_set **taken; /* [LOGIC_MAX_ATOMS] */
  const char **texts;
  size_t count;
  bool full; /* there are more, logged */
};

struct pr_atoms pr_atoms_create(struct pr_check *c);
/* Number of the atom; LOGIC_MAX_ATOMS: there are too many, logged. */
uint32_t pr_add_atom(struct pr_atoms *atoms, source_at at, const struct expr *holds, const char *text);
/* The lowered condition of a formula or claim, 0 or 1; NULL: an error is logged. */
const struct expr *pr_lower_condition(struct pr_check *c, const struct pr_expr *e);
/* The atom that holds within atomic sequences; LOGIC_MAX_ATOMS: the model has none. Runs have their inner states, which
   formulas and claims do not see. */
uint32_t pr_inside_atom(struct pr_atoms *atoms);
/* A property of kind ltl: `temporal` has its formula or automaton, and gets the atoms. */
struct property pr_temporal_property(const struct pr_atoms *atoms, struct temporal *temporal, const char *id,
                                     const char *text, source_at at);

/* promela_claim.c: false: errors are logged. */
bool pr_make_claim(struct pr_check *c, const struct pr_proctype *claim, const char *id, struct property *out);

/* promela_temporal.c: most properties that the next function makes. */
size_t pr_temporal_count(const struct pr_check *c);
/* Appends them to the model's. */
void pr_make_temporal(struct pr_check *c, struct property *properties);

#endif
