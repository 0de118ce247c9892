/* Measuring tables on a GPU: the machine of src/bench. */
#ifndef FLOE_BENCH_GPU_H
#define FLOE_BENCH_GPU_H

#include "bench/machine.h"
#include "core/reason.h"

/* FLOE_ERROR_UNSUPPORTED with a reason: there is no such GPU, or no NVRTC. cache_dir: of compiled kernels, as in
   floe_options. Other errors are told in `log`. */
floe_status bench_gpu_open(unsigned number, const char *cache_dir, floe_log *log, const struct bench_machine **machine,
                           struct bench_engine **out, struct reason *reason);

#endif
