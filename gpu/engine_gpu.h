/* The exploration engine that runs on a GPU (doc/gpu.md). */
#ifndef FLOE_ENGINE_GPU_H
#define FLOE_ENGINE_GPU_H

#include "engine/engine.h"

struct gpu_run;

/* What comes before an exploration: kernels and memory, on task->gpu, which must be current in this thread and whose
   log should be `log`. task and what it refers to must live until the run is dropped; another thread may go on with it.
   task->stepper finds out what went wrong in a violating state, and checks that it violates: the interpreter is good
   enough. options->memory limits what of the host's memory the frontier may take when it has to leave the device. With
   task->order the file's lane 0 is used; the order is not canonical. What engine_stop says ends it:
   FLOE_ERROR_UNSUPPORTED, not told. FLOE_ERROR_USAGE: there is no table as the options want it. FLOE_ERROR_UNSUPPORTED,
   told in `log`: NVRTC is missing or too old, or the kernels do not fit the device. FLOE_ERROR_INTERNAL, told: CUDA
   failed, or device and stepper disagree about a state. FLOE_ERROR_MEMORY, not told: too little to start. */
floe_status engine_gpu_prepare(const struct engine_task *task, floe_log *log, struct gpu_run **out);

/* As engine_cpu_run, with the same outcome but for figures of time and memory. Once for each run; errors as above. */
floe_status engine_gpu_explore(struct gpu_run *run, struct engine_outcome *out);
void engine_gpu_drop(struct gpu_run *run); /* NULL is allowed */

#endif
