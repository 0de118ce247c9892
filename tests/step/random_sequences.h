/* Random models with transient states (doc/design/transient.md), in the toy language of processes. */
#ifndef FLOE_TESTS_STEP_RANDOM_SEQUENCES_H
#define FLOE_TESTS_STEP_RANDOM_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>

/* To be freed. One or two processes, with sequences that choose, end blocked, fail, or have no end. `wide`: states of
   several words. */
char *random_sequences_text(uint64_t seed, bool wide);

#endif
