/* What a key adds to the checksum, which is that of the state in fields. In modules of a model whose keys are ranks
   FLOE_INDEX_KEYS is set, and the state comes of the model's code, which stands behind this text (state_checksum.h). */
#ifndef FLOE_GPU_RANKED_H
#define FLOE_GPU_RANKED_H

#include "tables/kernel/shim.h"

#include "step/kernel/checksum.h"

#ifdef FLOE_INDEX_KEYS
KERNEL_FN uint64_t state_mix(uint64_t key);
#else
KERNEL_FN uint64_t state_mix(uint64_t key) { return checksum_word(0, key); }
#endif

#endif
