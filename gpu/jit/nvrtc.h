/* NVRTC, the run-time compiler of CUDA C, opened with dlopen, with its own declarations (gpu/jit/nvrtc.def). Kernels
   use gpu/jit/build.h, which caches compiled code. */
#ifndef FLOE_NVRTC_H
#define FLOE_NVRTC_H

#include "core/arena.h"
#include "core/reason.h"
#include "core/status.h"

struct nvrtc; /* the opened library */

/* Opens $FLOE_LIBNVRTC, else libnvrtc from the loader's path, from lib64 or lib of $CUDA_HOME, or of the toolkit that
   configure found: the newest whose machine code a driver for CUDA `most` (13000 for 13.0; 0: any) can load, which is
   any of its major version. FLOE_ERROR_UNSUPPORTED with a reason: there is none, it lacks a function, or it is too
   new for the driver. */
floe_status nvrtc_open(int most, struct nvrtc **out, struct reason *reason);
void nvrtc_close(struct nvrtc *nvrtc); /* NULL is allowed */
void nvrtc_version(const struct nvrtc *nvrtc, int *major, int *minor);
/* Path of the library's file; "" if the system does not report it. */
const char *nvrtc_path(const struct nvrtc *nvrtc);
/* The target architecture for code that runs on compute capability `arch` (90 for 9.0): `arch` itself, else the
   newest that NVRTC supports of the same major version, which runs there as well; 0: NVRTC is too old, or too new,
   for it. */
int nvrtc_target(const struct nvrtc *nvrtc, int arch);

/* Input of a compilation. --gpu-architecture, --std=c++17, -default-device and ptxas' -v are added to `options`. */
struct nvrtc_source {
  const char *name, *text;
  const char *const *options;
  size_t option_count;
};
/* Result of a compilation; lives in the arena. */
struct nvrtc_result {
  const void *cubin; /* machine code */
  size_t size;
  const char
      *log; /* the compiler's messages, with ptxas' report of resources (registers, spills); set on failure too */
};
/* Compiles to machine code for `target`, of nvrtc_target. The arena's guard must be active. FLOE_ERROR_INTERNAL: the
   text does not compile; out->log has the messages. */
floe_status nvrtc_compile(const struct nvrtc *nvrtc, const struct nvrtc_source *source, int target, struct arena *arena,
                          struct nvrtc_result *out);

#endif
