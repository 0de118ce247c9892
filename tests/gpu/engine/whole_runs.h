/* Tests of the GPU's engine with the real kernels on the imitated GPU: whole runs, in one memory and in two levels. */
#ifndef FLOE_TEST_WHOLE_RUNS_H
#define FLOE_TEST_WHOLE_RUNS_H

#include <check.h>

void add_whole_runs(TCase *test);

#endif
