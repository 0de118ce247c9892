/* What the interpreter and the CPU's engine find in a model: the truth for tests of kernels. */
#ifndef FLOE_TEST_EXPLORED_H
#define FLOE_TEST_EXPLORED_H

#include "loaded.h"

#include "engine/engine.h"

/* From $top_srcdir/MODEL.xml; no definitions: its first expectation's constants. The test fails where it cannot be. */
void explored_load(struct loaded *loaded, const char *model, const struct definition *definitions, size_t count);
/* All states of loaded->layout's keys, for engine_outcome_free. */
struct engine_outcome explored(struct loaded *loaded);
/* Counts, levels, checksum, firings, witnesses. */
void explored_compare(const struct engine_outcome *cpu, const struct engine_outcome *other, const struct model *model);

#endif
