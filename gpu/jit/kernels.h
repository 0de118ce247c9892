/* Kernels on a device: their text is written when it is wanted, compiled or taken from the cache, and loaded; each
   kernel comes with the grid that fills the device. What an exploration, tables' operations and tools have of them. */
#ifndef FLOE_GPU_KERNELS_H
#define FLOE_GPU_KERNELS_H

#include "core/arena.h"
#include "gpu/jit/build.h"

/* A text of kernels that is yet to be written. */
struct gpu_text {
  const char *name;                                          /* of struct gpu_source, as `stop` and `hint` are */
  const char *(*write)(const void *of, struct arena *arena); /* the arena's guard is active; it goes with the text */
  const void *of;
  const struct stop *stop;
  const char *hint;
};

/* Errors and `binary` as gpu_build. FLOE_ERROR_MEMORY, not told: the text takes too much. */
floe_status gpu_text_load(struct gpu *gpu, const struct gpu_text *text, const char *cache_dir, floe_log *log,
                          struct gpu_module **out, struct gpu_binary *binary);

struct gpu_kernel {
  struct gpu_function *function; /* NULL: there is none */
  unsigned blocks;               /* of GPU_BLOCK threads: as many as are resident at once */
};

/* FLOE_ERROR_INTERNAL, told: no such kernel in the module. FLOE_ERROR_UNSUPPORTED, told in `log` with `hint` (NULL:
   none): the device has no room for a block of it. */
floe_status gpu_kernel_find(struct gpu *gpu, struct gpu_module *module, const char *name, floe_log *log,
                            const char *hint, struct gpu_kernel *out);

/* In the stream: for that many threads, which are no more than fill the device; 0: nothing happens. `arguments` as for
   gpu_start. */
floe_status gpu_kernel_start(struct gpu *gpu, const struct gpu_kernel *kernel, uint64_t threads, void **arguments);

#endif
