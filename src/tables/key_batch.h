/* Batches on the CPU: blocks of keys whose cache misses overlap. */
#ifndef FLOE_TABLES_KEY_BATCH_H
#define FLOE_TABLES_KEY_BATCH_H

#include "tables/kernel/permutation.h"

#include <stddef.h>

enum { KEY_BLOCK = 32, LINE = 64, STRIDE = 8 };

/* Applies a permutation to n keys. Works on whole strides, so that every form is a loop of constant length that
   vectorises: both arrays have room for a multiple of STRIDE keys. Out of line, so that the form is selected once a
   block. */
__attribute__((noinline, unused)) static void permute_block(const struct permutation *given,
                                                            const uint64_t *__restrict__ keys,
                                                            uint64_t *__restrict__ out, unsigned n) {
  const struct permutation p = *given;
  for (unsigned at = 0; at < n; at += STRIDE, keys += STRIDE, out += STRIDE)
    switch (p.kind) {
    case PERMUTATION_FEISTEL1:
      for (unsigned i = 0; i < STRIDE; i++)
        out[i] = feistel_low(&p, 0, keys[i]);
      break;
    case PERMUTATION_FEISTEL:
      for (unsigned i = 0; i < STRIDE; i++)
        out[i] = feistel_apply(&p, keys[i]);
      break;
    case PERMUTATION_MIX:
      for (unsigned i = 0; i < STRIDE; i++)
        out[i] = mix_apply(&p, keys[i]);
      break;
    default:
      for (unsigned i = 0; i < STRIDE && at + i < n; i++)
        out[i] = PERMUTATION_USER_APPLY(given, keys[i]);
    }
}

#endif
