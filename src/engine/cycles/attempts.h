/* Attempts to find an accepting cycle before all states are found, between levels. A cycle of the states expanded so
   far is one of the whole. Each attempt needs at least four times the states of the last one.

   What attempts cost beside the passes at the end: none is made if the levels predict fewer than four times the present
   states. If predictions are right, the last one has at most a quarter of all states, and all of them together at most
   1/4 + 1/16 + ... = a third. If not, all together have at most 1 + 1/4 + ... = 4/3 of them. */
#ifndef FLOE_ENGINE_CYCLES_ATTEMPTS_H
#define FLOE_ENGINE_CYCLES_ATTEMPTS_H

#include <stdbool.h>
#include <stdint.h>

struct sizing_levels;

#define CYCLE_ATTEMPTS_FROM (UINT64_C(1) << 18) /* states: fewer are soon complete */
#define CYCLE_ATTEMPTS_GROWTH 4

/* Whether an attempt is due; `next`: its least number of states, 0: none is ever. Then *next is that of the one after
   it. */
bool cycle_attempt_due(const struct sizing_levels *levels, uint64_t *next);

#endif
