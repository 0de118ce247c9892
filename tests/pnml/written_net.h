/* Models of nets and formulas that a test writes. */
#ifndef FLOE_TESTS_PNML_WRITTEN_NET_H
#define FLOE_TESTS_PNML_WRITTEN_NET_H

#include "floe.h"

#include <stdint.h>
#include <stdio.h>

typedef void write_text(FILE *f, uint64_t *seed);

/* A number below n. */
unsigned below(uint64_t *seed, unsigned n);

/* Writes a net and a file of its formulas, loads both and removes them. A model that cannot be loaded fails the test.
 */
floe_model *load_written(write_text *net, write_text *formulas, uint64_t seed);

#endif
