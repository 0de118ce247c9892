/* The exploration engine that runs on a GPU (doc/gpu.md). */
#ifndef FLOE_ENGINE_GPU_H
#define FLOE_ENGINE_GPU_H

#include "engine/engine.h"

/* As engine_cpu_run, with the same outcome but for figures of time and memory, on task->gpu, which must be current in
   this thread and whose log should be `log`. task->stepper finds out what went wrong in a violating state, and checks
   that it violates: the interpreter is good enough. options->memory limits what of the host's memory the frontier
   may take when it has to leave the device. With task->order the file's lane 0 is used; the order is not canonical.
   FLOE_ERROR_USAGE: there is no table as the options want it. FLOE_ERROR_UNSUPPORTED, told in `log`: NVRTC is missing or
   too old, or the kernels do not fit the device.
   FLOE_ERROR_INTERNAL, told: CUDA failed, or device and stepper disagree about a state. FLOE_ERROR_MEMORY, not told:
   too little to start. */
floe_status engine_gpu_run(const struct engine_task *task, floe_log *log,
                           struct engine_outcome *out);

#endif
