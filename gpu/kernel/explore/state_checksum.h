/* Checksum contribution of an index key. The text follows the part of a model's code that decodes keys. */
#ifndef FLOE_GPU_DECODED_H
#define FLOE_GPU_DECODED_H

#ifdef FLOE_INDEX_KEYS
KERNEL_FN uint64_t state_mix(uint64_t key) {
  const floe_state s = floe_decode(key);
  uint64_t mix = 0;
  GPU_UNROLL
  for (int w = 0; w < (int)FLOE_WORDS; w++)
    mix = checksum_word(mix, s.w[w]);
  return mix;
}
#endif

#endif
