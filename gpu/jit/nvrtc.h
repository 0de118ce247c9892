/* NVRTC, the run-time compiler of CUDA C, opened with dlopen, with declarations of its own (gpu/jit/nvrtc.def).
   gpu/jit/build.h is what to use for kernels: it keeps what was compiled. */
#ifndef FLOE_NVRTC_H
#define FLOE_NVRTC_H

#include "core/arena.h"
#include "core/reason.h"
#include "core/status.h"

struct nvrtc; /* the opened library */

/* Opens $FLOE_LIBNVRTC, else libnvrtc from the loader's path, from lib64 or lib of $CUDA_HOME, or of where configure
   found the toolkit: the newest whose machine code a driver for CUDA `most` (13000 for 13.0; 0: any) can load, which is
   any of its major version. FLOE_ERROR_UNSUPPORTED with a reason: there is none, it lacks a function, or is too new for
   the driver. */
floe_status nvrtc_open(int most, struct nvrtc **out, struct reason *reason);
void nvrtc_close(struct nvrtc *nvrtc); /* NULL is allowed */
void nvrtc_version(const struct nvrtc *nvrtc, int *major, int *minor);
/* Path of the library's file; "" where the system does not tell. */
const char *nvrtc_path(const struct nvrtc *nvrtc);
/* The architecture to compile for where code is to run on compute capability `arch` (90 for 9.0): itself, else the
   newest that NVRTC knows of the same major version, which runs there as well; 0: NVRTC is too old, or too new, for it.
 */
int nvrtc_target(const struct nvrtc *nvrtc, int arch);

/* What is compiled. Beside `options` stand --gpu-architecture, --std=c++17, -default-device and ptxas' -v. */
struct nvrtc_source {
  const char *name, *text;
  const char *const *options;
  size_t option_count;
};
/* Compiles to machine code (cubin) for `target`, of nvrtc_target. *log: the compiler's messages, with the resource
   report of ptxas (registers, spills); set on failure too. Both live in `arena`, whose guard must be active.
   FLOE_ERROR_INTERNAL: the text does not compile. */
floe_status nvrtc_compile(const struct nvrtc *nvrtc, const struct nvrtc_source *source, int target, struct arena *arena,
                          const void **cubin, size_t *size, const char **log);

#endif
