/* Many random walks, which are counted and not told. */
#ifndef FLOE_CMD_RUNS_H
#define FLOE_CMD_RUNS_H

#include "cmd/options.h"
#include "floe.h"

/* Walks options->runs times, run k (from 0) as `simulate --seed=SEED+k` does, and tells what was met: the same whatever
   the number of threads. The exit code. */
int runs_simulate(floe_model *model, const struct options *options, uint64_t seed, uint64_t steps);

#endif
