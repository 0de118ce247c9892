/* GPU interface (gpu/jit/gpu_api.h) with one emulated GPU, for tests of the public API. */
#ifndef FLOE_TEST_EMULATED_GPU_API_H
#define FLOE_TEST_EMULATED_GPU_API_H

#include <stdint.h>

extern uint64_t emulated_memory; /* of the device */

#endif
