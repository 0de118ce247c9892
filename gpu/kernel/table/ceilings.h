/* Upper bounds of memory performance: kernels that only access random places of a footprint. A generator in registers
   computes the addresses, many accesses of a thread are in flight at once, and the values read are folded into one
   word so that no access is optimised away. Any grid of blocks of GPU_BLOCK threads; each thread performs
   `iterations` iterations of CEILING_AT_ONCE accesses for the lanes of each access. */
#ifndef FLOE_GPU_CEILINGS_H
#define FLOE_GPU_CEILINGS_H

#include "gpu/kernel/table/bench_keys.h"

enum { CEILING_AT_ONCE = 4, CEILING_PIECE = 16 };

/* A linear congruential generator, whose upper bits choose a place. */
KERNEL_FN uint64_t next_place(uint64_t *state, uint64_t places) {
  *state = *state * UINT64_C(0xd1342543de82ef95) + UINT64_C(0xaf251af3b0f025b5);
  return multiply_high(*state, places);
}

/* The condition is never true, but the compiler cannot know that. */
KERNEL_FN void keep(uint64_t *memory, uint64_t folded) {
  if (folded == UINT64_C(0x6b9e5d3c71f08a42))
    memory[0] = folded;
}

KERNEL_FN uint64_t fold(struct piece piece) {
  return ((uint64_t)(piece.word[0] ^ piece.word[1]) << 32) + (piece.word[2] ^ piece.word[3]);
}

/* Reads of `bytes`, each by bytes / 16 lanes with the same generator. */
KERNEL_FN void read_places(unsigned char *memory, uint64_t footprint, uint64_t iterations, uint64_t seed,
                           unsigned bytes) {
  const unsigned lanes = bytes / CEILING_PIECE;
  const unsigned char *const own = memory + gpu_thread() % lanes * CEILING_PIECE;
  uint64_t state = scatter_hash(seed + thread_number() / lanes), folded = 0;
  GPU_ROLLED
  for (uint64_t iteration = 0; iteration < iterations; iteration++) {
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

/* Compare-and-swap of words of `bits`, one per lane. The memory is initially zero and has more words than there are
   accesses, so most of them write. */
KERNEL_FN void swap_places(unsigned char *memory, uint64_t footprint, uint64_t iterations, uint64_t seed,
                           unsigned bits) {
  uint64_t state = scatter_hash(seed + thread_number()), folded = 0;
  GPU_ROLLED
  for (uint64_t iteration = 0; iteration < iterations; iteration++) {
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

/* Reads buckets of 64 bytes like a table, with 4 lanes for each bucket; then every lane performs a compare-and-swap
   of a word of its own bucket. One access per lane and iteration. */
KERNEL_FN void read_and_swap(unsigned char *memory, uint64_t footprint, uint64_t iterations, uint64_t seed,
                             unsigned bits) {
  enum { BUCKET = 64, LANES = BUCKET / CEILING_PIECE };
  const unsigned lane = gpu_thread() % GPU_WARP, member = lane % LANES;
  uint64_t state = scatter_hash(seed + thread_number()), folded = 0;
  GPU_ROLLED
  for (uint64_t iteration = 0; iteration < iterations; iteration++) {
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
    /* The word depends on the values read, as in a table; initially all are zero. */
    const unsigned word = (unsigned)(scatter_hash(state) + (seen >> 63)) % (BUCKET * 8 / bits);
    folded += seen + slot_claim(memory + mine * BUCKET, word, bits, 1);
    gpu_sync_warp();
  }
  keep((uint64_t *)memory, folded);
}

#define CEILING_KERNEL(name, function, width)                                                                          \
  GPU_KERNEL(floe_ceiling_##name, GPU_BLOCK, 8)                                                                        \
  (unsigned char *memory, uint64_t footprint, uint64_t iterations, uint64_t seed) {                                    \
    function(memory, footprint, iterations, seed, width);                                                              \
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
