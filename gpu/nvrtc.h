/* NVRTC, the run-time compiler of CUDA C, opened with dlopen: no toolkit is needed to build or start floe. */
#ifndef FLOE_NVRTC_H
#define FLOE_NVRTC_H

#include "core/arena.h"
#include "core/status.h"

struct nvrtc; /* the opened library */

/* Opens libnvrtc from the loader's path, $CUDA_HOME/lib64 or where configure found the toolkit.
   FLOE_ERROR_UNSUPPORTED with *why (static text) where there is none or it lacks a function. */
floe_status nvrtc_open(struct nvrtc **out, const char **why);
void nvrtc_close(struct nvrtc *nvrtc);
void nvrtc_version(const struct nvrtc *nvrtc, int *major, int *minor);
/* Whether it can make machine code for compute capability `arch` (90 for sm_90). */
bool nvrtc_supports(const struct nvrtc *nvrtc, int arch);

/* Compiles `text` to machine code (cubin) for `arch`. *log: the compiler's messages, with the resource report of
   ptxas (registers, spills); set on failure too. Both live in `arena`, whose guard must be active.
   FLOE_ERROR_INTERNAL: the text does not compile. */
floe_status nvrtc_compile(const struct nvrtc *nvrtc, const char *name, const char *text, int arch,
                          struct arena *arena, const void **cubin, size_t *size, const char **log);

#endif
