/* Kernel text compiled for the emulated GPU (emulate.h): modules and launches. */
#ifndef FLOE_TEST_EMULATED_H
#define FLOE_TEST_EMULATED_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

struct emulated;

/* Compiles a text of gpu_kernel_text with the system's C compiler, unless this process or the folder FLOE_TEST_KERNELS
 * has it already. NULL, with the reason printed: compilation failed. Modules live until emulated_forget. Any number of
 * threads may build and launch at once. */
const struct emulated *emulated_build(const char *text);
void emulated_forget(void);

struct emulated_grid {
  unsigned blocks;
  uint64_t seed;          /* of the schedule */
  unsigned yield_percent; /* frequency of switches that are not necessary */
};
/* Runs a kernel with blocks of GPU_BLOCK threads to its end; arguments as for gpu_start. */
void emulated_launch(const struct emulated *module, const char *kernel, const struct emulated_grid *grid,
                     const void *const *arguments);
bool emulated_has(const struct emulated *module, const char *kernel);
/* Faults of the links between devices, of all launches from now on. */
struct emulated_links {
  unsigned late;         /* one in `late` progress reports delays its device while others continue; 0: none */
  unsigned results_late; /* one in so many stores of a level's result delays its device for long; 0: none */
  bool loses;            /* one store to another device is lost, after `lost` others */
  unsigned lost;
};
void emulated_break_links(struct emulated_links links);

/* Runs a kernel in the calling thread (emulate.c). */
void emulate_launch(void (*kernel)(void), const struct emulated_grid *grid, const void *const *arguments);

/* True: there is a C compiler. False: the reason is printed. */
bool emulated_possible(void);

#endif
