/* Random Petri nets of state machines: sets of places with at most one token. */
#ifndef FLOE_TESTS_STEP_RANDOM_MACHINES_H
#define FLOE_TESTS_STEP_RANDOM_MACHINES_H

#include <stddef.h>
#include <stdint.h>

/* A PNML file, to be freed. Transitions move the tokens of one to three machines; some remove a token for ever. Test,
   inhibitor and reset arcs of the machines' places, and counters without a bound. Every
   third net is large and has its machines as units. */
char *random_machines_text(uint64_t seed, size_t *length);

#endif
