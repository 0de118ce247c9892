/* Many random simulations; only aggregate results are reported. */
#ifndef FLOE_CMD_SIMULATE_RANDOM_RUNS_H
#define FLOE_CMD_SIMULATE_RANDOM_RUNS_H

#include "cmd/console/options.h"
#include "floe.h"

/* Simulates options->runs times, at most `steps` steps each; run k (from 0) equals `simulate --seed=SEED+k`. Prints
   statistics that do not depend on the number of threads. Returns the exit code. */
int random_runs_simulate(floe_model *model, const struct options *options, uint64_t seed, uint64_t steps);

#endif
