/* Results of the interpreter and the CPU engine for a model: the reference for tests of kernels. */
#ifndef FLOE_TESTS_STEP_EXPLORED_H
#define FLOE_TESTS_STEP_EXPLORED_H

#include "loaded.h"

#include "engine/engine.h"

/* Loads $top_srcdir/MODEL.xml; no definitions: the constants of its first expectation. Fails the test on errors. */
void explored_load(struct loaded *loaded, const char *model, const struct loaded_constant *constants, size_t count);
/* Explores all states with loaded->layout's keys; for engine_outcome_free. */
struct engine_outcome explored(struct loaded *loaded);
/* Compares counts, levels, checksum, firings, witnesses. */
void explored_compare(const struct engine_outcome *cpu, const struct engine_outcome *other, const struct model *model);

#endif
