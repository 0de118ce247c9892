/* Finds processes whose instances can be exchanged, and proves it upon the ground model, for any language: two
   permutations that generate all of them map the transitions to themselves (doc/design/symmetry.md). The proof is not
   about the initial state and the properties: symmetry.h. */
#ifndef FLOE_MODEL_SYMMETRY_FIND_SYMMETRY_H
#define FLOE_MODEL_SYMMETRY_FIND_SYMMETRY_H

#include "model/symmetry/symmetry.h"

/* *out NULL: no process is symmetric; the log (may be NULL) then has an error for each process of several instances.
   FLOE_ERROR_MEMORY: *out is not set. In the guard of `arena`. */
floe_status symmetry_find(const struct model *model, struct arena *arena, floe_log *log, const struct symmetry **out);
/* FLOE_ERROR_MODEL: a process that is declared symmetric (process.symmetric) is not; the log has the errors. */
floe_status symmetry_check_claims(const struct model *model, struct arena *arena, floe_log *log);

#endif
