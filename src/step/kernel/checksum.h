/* A state's contribution to the checksum of all states: kernel C, for every engine. Follows a shim
   (tables/kernel/shim.h, or its replacement where a model is compiled for the CPU), which defines KERNEL_FN and
   UINT64_C. */
#ifndef FLOE_KERNEL_CHECKSUM_H
#define FLOE_KERNEL_CHECKSUM_H

/* Mixes a word into `mix`, the value for the words before it (0: none). The finaliser of MurmurHash3. */
KERNEL_FN uint64_t checksum_word(uint64_t mix, uint64_t word) {
  mix ^= word + UINT64_C(0x9e3779b97f4a7c15);
  mix = (mix ^ mix >> 33) * UINT64_C(0xff51afd7ed558ccd);
  mix = (mix ^ mix >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
  return mix ^ mix >> 33;
}

#endif
