/* From kernel text to a module on a device: NVRTC, or the cache of what it made before. */
#ifndef FLOE_GPU_BUILD_H
#define FLOE_GPU_BUILD_H

#include "core/stop.h"
#include "gpu/driver/driver.h"

/* What is compiled. All of it but `hint` and `stop` is part of the cache's key. */
struct gpu_source {
  const char *name;         /* for the compiler's messages, "peterson.cu" */
  const char *const *texts; /* compiled one after the other as one text */
  size_t text_count;
  const char *const *options; /* beside --gpu-architecture, -std=c++17, -default-device and -lineinfo; NULL for none:
                                 "-DNAME=VALUE", "--maxrregcount=64" */
  size_t option_count;
  const struct stop *stop; /* ends compiling, which is then left behind; NULL: nothing does */
  const char *hint;        /* what to do when it does not compile; NULL: it is floe's own, and is to be reported */
};

/* Machine code for one architecture. */
struct gpu_binary {
  void *bytes;
  size_t size;
  char *report;   /* what ptxas tells of registers, spills and shared memory, kernel by kernel, kept with the cached
                     code; also the compiler's warnings */
  bool cached;    /* NVRTC was not needed, and not opened */
  double seconds; /* that getting it took */
};

/* `arch` is a compute capability (90 for 9.0); needs no GPU. `cache_dir` as in floe_options: "" or NULL for none; one
   that cannot be used is told by a warning, once, and compiling goes on without.
   FLOE_ERROR_UNSUPPORTED with *reason: NVRTC is not found, or too old for `arch`, or source->stop came first.
   FLOE_ERROR_INTERNAL, told in `log` with the compiler's messages: the text does not compile. */
floe_status gpu_compile(const struct gpu_source *source, int arch, const char *cache_dir, floe_log *log,
                        struct gpu_binary *out, struct reason *reason);
void gpu_binary_free(struct gpu_binary *binary);

/* Compiles for the device and loads. `binary` (its bytes are freed, the rest is for gpu_binary_free) may be NULL.
   FLOE_ERROR_UNSUPPORTED is told in `log` as well, unless source->stop came first. FLOE_ERROR_MEMORY: told. */
floe_status gpu_build(struct gpu *gpu, const struct gpu_source *source, const char *cache_dir, floe_log *log,
                      struct gpu_module **out, struct gpu_binary *binary);

#endif
