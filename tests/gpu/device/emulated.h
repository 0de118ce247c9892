/* The kernels' text compiled for the imitated GPU (emulate.h): modules and launches. */
#ifndef FLOE_TEST_EMULATED_H
#define FLOE_TEST_EMULATED_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

struct emulated;

/* Compiles a text of gpu_kernel_text with the system's C compiler; one that was compiled before is not compiled again.
   nor one that is in the folder FLOE_TEST_KERNELS, which keeps them. NULL, with the reason printed: that fails.
   Modules live until emulated_forget. Any number of threads may build at once; each of several devices, which
   launch at once, has a number of its own. */
const struct emulated *emulated_build(const char *text, unsigned device);
void emulated_forget(void);

struct emulated_grid {
  unsigned blocks;
  uint64_t seed;          /* of the schedule */
  unsigned yield_percent; /* how often threads change where they need not */
};
/* Runs a kernel with blocks of GPU_BLOCK threads to its end; arguments as for gpu_start. */
void emulated_launch(const struct emulated *module, const char *kernel, const struct emulated_grid *grid,
                     const void *const *arguments);
bool emulated_has(const struct emulated *module, const char *kernel);
/* True where there is a C compiler; else the reason is printed. */
bool emulated_possible(void);

#endif
