/* Additional entry point for models with index keys, compiled after kernel/expand.h and kernel/checksum.h. The
   checksum is that of the states in fields, whatever keys they have. */

FLOE_EXPORT uint64_t floe_code_mix(const uint64_t *keys, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    const floe_state s = floe_decode(keys[i]);
    uint64_t mix = 0;
    for (int w = 0; w < FLOE_WORDS; w++)
      mix = checksum_word(mix, s.w[w]);
    sum += mix;
  }
  return sum;
}
