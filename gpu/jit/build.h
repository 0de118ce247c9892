/* Builds a module on a device from kernel text, with NVRTC or from the cache of compiled code. */
#ifndef FLOE_GPU_BUILD_H
#define FLOE_GPU_BUILD_H

#include "core/threads/stop.h"
#include "gpu/driver/driver.h"

/* Input of a compilation. The fields up to `option_count` are part of the cache key. */
struct gpu_source {
  const char *name;         /* for the compiler's messages, "peterson.cu" */
  const char *const *texts; /* compiled as one text, one after the other */
  size_t text_count;
  const char *const *options; /* beside --gpu-architecture, -std=c++17, -default-device and -lineinfo; NULL for none:
                                 "-DNAME=VALUE", "--maxrregcount=64" */
  size_t option_count;
  const struct stop *stop; /* interrupts the compilation, whose call is then abandoned; NULL: cannot be interrupted */
  const char *hint;        /* remedy to report if the text does not compile; NULL: the text is floe's own, and the
                              error is to be reported */
  bool cached_only;        /* FLOE_ERROR_UNSUPPORTED, not logged, instead of a compilation */
};

/* Machine code for one architecture. */
struct gpu_binary {
  void *bytes;
  size_t size;
  char *report;   /* ptxas' report of registers, spills and shared memory for each kernel, kept with the cached code;
                     also the compiler's warnings */
  bool cached;    /* from the cache; NVRTC was not opened */
  double seconds; /* time to compile or load */
};

/* `arch` is a compute capability (90 for 9.0); needs no GPU. `cache_dir` as in floe_options: "" or NULL for none; an
   unusable one causes one warning, and compilation continues without it.
   FLOE_ERROR_UNSUPPORTED with *reason: NVRTC is not found, is too old for `arch`, or source->stop was requested
   first.
   FLOE_ERROR_INTERNAL, logged with the compiler's messages: the text does not compile. */
floe_status gpu_compile(const struct gpu_source *source, int arch, const char *cache_dir, floe_log *log,
                        struct gpu_binary *out, struct reason *reason);
void gpu_binary_free(struct gpu_binary *binary);

/* Compiles for the device and loads. `binary` may be NULL; its bytes are freed, the rest is for gpu_binary_free.
   FLOE_ERROR_UNSUPPORTED is also logged, unless source->stop was requested first. FLOE_ERROR_MEMORY: logged. */
floe_status gpu_build(struct gpu *gpu, const struct gpu_source *source, const char *cache_dir, floe_log *log,
                      struct gpu_module **out, struct gpu_binary *binary);

#endif
