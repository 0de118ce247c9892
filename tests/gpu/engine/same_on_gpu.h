/* Searches of models with transient states on an emulated GPU, compared with those of the interpreter. */
#ifndef FLOE_TEST_SAME_ON_GPU_H
#define FLOE_TEST_SAME_ON_GPU_H

#include "floe.h"

#include <stdbool.h>

struct gpu_search_options {
  floe_engine engine;
  const char *devices, *table, *fairness; /* as in floe_options */
};

floe_status explore_with(floe_model *model, const struct gpu_search_options *how, floe_log *log, floe_result **result);
/* Summaries, verdicts with the lengths of traces, and firings of each transition. */
void same_results(const floe_model *model, const floe_result *a, const floe_result *b);
/* False: the GPU cannot follow all sequences. */
bool same_on_gpu(floe_model *model, const struct gpu_search_options *how);

#endif
