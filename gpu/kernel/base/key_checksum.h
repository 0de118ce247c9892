/* Checksum contribution of a key: that of the state in fields. In modules of a model with index keys FLOE_INDEX_KEYS is
   defined, and the model's code, which follows this text (state_checksum.h), decodes the state. */
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
