/* What the memory allows: kernels that do nothing but go to random places of a footprint. Addresses come from a
   generator in registers, many accesses of a thread are on their way at once, and what is read is folded into one word
   so that nothing is left out. Any grid of blocks of GPU_BLOCK threads; each does `turns` turns of CEILING_AT_ONCE
   accesses for each access's lanes. */
#ifndef FLOE_GPU_CEILINGS_H
#define FLOE_GPU_CEILINGS_H

#include "gpu/kernel/table/bench_keys.h"

enum { CEILING_AT_ONCE = 4, CEILING_PIECE = 16 };

/* A linear generator, whose upper bits choose a place. */
KERNEL_FN uint64_t next_place(uint64_t *state, uint64_t places) {
  *state = *state * UINT64_C(0xd1342543de82ef95) + UINT64_C(0xaf251af3b0f025b5);
  return multiply_high(*state, places);
}

/* Never true, but no compiler knows. */
KERNEL_FN void keep(uint64_t *memory, uint64_t folded) {
  if (folded == UINT64_C(0x6b9e5d3c71f08a42))
    memory[0] = folded;
}

KERNEL_FN uint64_t fold(struct piece piece) {
  return ((uint64_t)(piece.word[0] ^ piece.word[1]) << 32) + (piece.word[2] ^ piece.word[3]);
}

/* Reads of `bytes`, each by bytes / 16 lanes that have the same generator. */
KERNEL_FN void read_places(unsigned char *memory, uint64_t footprint, uint64_t turns, uint64_t seed, unsigned bytes) {
  const unsigned lanes = bytes / CEILING_PIECE;
  const unsigned char *const own = memory + gpu_thread() % lanes * CEILING_PIECE;
  uint64_t state = scatter_hash(seed + thread_number() / lanes), folded = 0;
  GPU_ROLLED
  for (uint64_t turn = 0; turn < turns; turn++) {
    struct piece pieces[CEILING_AT_ONCE];
    GPU_UNROLL
    for (unsigned i = 0; i < CEILING_AT_ONCE; i++)
      pieces[i] = gpu_load_piece(own + next_place(&state, footprint / bytes) * bytes, CEILING_PIECE, 4);
    GPU_UNROLL
    for (unsigned i = 0; i < CEILING_AT_ONCE; i++)
      folded += fold(pieces[i]);
  }
  keep((uint64_t *)memory, folded);
}

/* Compare-and-swap of words of `bits`, one a lane. The memory is zero at first and words are more than accesses, so
   that most of them write. */
KERNEL_FN void swap_places(unsigned char *memory, uint64_t footprint, uint64_t turns, uint64_t seed, unsigned bits) {
  uint64_t state = scatter_hash(seed + thread_number()), folded = 0;
  GPU_ROLLED
  for (uint64_t turn = 0; turn < turns; turn++) {
    uint64_t seen[CEILING_AT_ONCE];
    GPU_UNROLL
    for (unsigned i = 0; i < CEILING_AT_ONCE; i++)
      seen[i] = slot_claim(memory, next_place(&state, footprint / (bits / 8)), bits, 1);
    GPU_UNROLL
    for (unsigned i = 0; i < CEILING_AT_ONCE; i++)
      folded += seen[i];
  }
  keep((uint64_t *)memory, folded);
}

/* Buckets of 64 bytes read as a table does it, by 4 lanes for the bucket of each; then every lane does a
   compare-and-swap of a word of its own bucket. One access a lane and turn. */
KERNEL_FN void read_and_swap(unsigned char *memory, uint64_t footprint, uint64_t turns, uint64_t seed, unsigned bits) {
  enum { BUCKET = 64, LANES = BUCKET / CEILING_PIECE };
  const unsigned lane = gpu_thread() % GPU_WARP, member = lane % LANES;
  uint64_t state = scatter_hash(seed + thread_number()), folded = 0;
  GPU_ROLLED
  for (uint64_t turn = 0; turn < turns; turn++) {
    const uint64_t mine = next_place(&state, footprint / BUCKET);
    struct piece pieces[LANES];
    uint64_t seen = 0;
    GPU_UNROLL
    for (unsigned i = 0; i < LANES; i++)
      pieces[i] = gpu_load_piece(memory + gpu_shuffle64(mine, lane - member + i) * BUCKET + member * CEILING_PIECE,
                                 CEILING_PIECE, 4);
    GPU_UNROLL
    for (unsigned i = 0; i < LANES; i++)
      seen += fold(pieces[i]);
    /* The word depends on what was read, as in a table: at first all is zero. */
    const unsigned word = (unsigned)(scatter_hash(state) + (seen >> 63)) % (BUCKET * 8 / bits);
    folded += seen + slot_claim(memory + mine * BUCKET, word, bits, 1);
    gpu_sync_warp();
  }
  keep((uint64_t *)memory, folded);
}

#define CEILING_KERNEL(name, function, width)                                                                          \
  GPU_KERNEL(floe_ceiling_##name, GPU_BLOCK, 8)                                                                        \
  (unsigned char *memory, uint64_t footprint, uint64_t turns, uint64_t seed) {                                         \
    function(memory, footprint, turns, seed, width);                                                                   \
  }
CEILING_KERNEL(read32, read_places, 32)
CEILING_KERNEL(read64, read_places, 64)
CEILING_KERNEL(read128, read_places, 128)
CEILING_KERNEL(swap16, swap_places, 16)
CEILING_KERNEL(swap32, swap_places, 32)
CEILING_KERNEL(swap64, swap_places, 64)
CEILING_KERNEL(read64_swap16, read_and_swap, 16)
CEILING_KERNEL(read64_swap32, read_and_swap, 32)

#endif
