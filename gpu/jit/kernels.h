/* Kernels on a device: text is generated on demand, compiled or taken from the cache, and loaded; each kernel has the
   grid size that fills the device. For explorations, table operations and benchmarks. */
#ifndef FLOE_GPU_KERNELS_H
#define FLOE_GPU_KERNELS_H

#include "core/arena.h"
#include "gpu/jit/build.h"

/* Generator of a kernel text. */
struct gpu_text {
  const char *name;                                          /* of struct gpu_source, as are the last three */
  const char *(*write)(const void *of, struct arena *arena); /* called with the arena's guard active; the arena is
                                                                freed with the text */
  const void *of;
  const struct stop *stop;
  const char *hint;
  bool cached_only;
};

/* Errors and `binary` as gpu_build. FLOE_ERROR_MEMORY, not logged: the text takes too much memory. */
floe_status gpu_text_load(struct gpu *gpu, const struct gpu_text *text, const char *cache_dir, floe_log *log,
                          struct gpu_module **out, struct gpu_binary *binary);

struct gpu_kernel {
  struct gpu_function *function; /* NULL: there is none */
  unsigned blocks;               /* of GPU_BLOCK threads: as many as are resident at once */
  bool cooperative;              /* its blocks wait for each other */
};

/* FLOE_ERROR_INTERNAL, logged: no such kernel in the module. FLOE_ERROR_UNSUPPORTED, logged with `hint` (NULL: none):
   the device has no room for a block of it. */
floe_status gpu_kernel_find(struct gpu *gpu, struct gpu_module *module, const char *name, floe_log *log,
                            const char *hint, struct gpu_kernel *out);

/* In the stream: starts the kernel for `threads` threads, on at most the blocks that fill the device; 0: no launch.
   `arguments` as for gpu_start. */
floe_status gpu_kernel_start(struct gpu *gpu, const struct gpu_kernel *kernel, uint64_t threads, void **arguments);

#endif
