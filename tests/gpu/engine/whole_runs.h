/* Tests of the GPU engine with emulated kernels: complete runs, in device memory and with the host-backed set. */
#ifndef FLOE_TEST_WHOLE_RUNS_H
#define FLOE_TEST_WHOLE_RUNS_H

#include <check.h>

void add_whole_runs(TCase *test);

#endif
