/* Measuring tables on a GPU: a bench_device. */
#ifndef FLOE_BENCH_GPU_H
#define FLOE_BENCH_GPU_H

#include "bench/device/device.h"
#include "core/reason.h"

/* FLOE_ERROR_UNSUPPORTED with a reason: no such GPU, or no NVRTC. cache_dir: directory of compiled kernels, as in
   floe_options. Other errors are logged in `log`. */
floe_status bench_gpu_open(unsigned number, const char *cache_dir, floe_log *log, const struct bench_device **device,
                           struct bench_engine **out, struct reason *reason);

#endif
