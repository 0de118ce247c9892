/* Keys of test_table_gpu, generated on the device: this text follows that of a table's kernels, whose FLOE_KEY_BITS
   and machine it uses. */

/* A bijection of the numbers of FLOE_KEY_BITS bits. */
KERNEL_FN uint64_t scattered(uint64_t x) {
  const uint64_t mask = UINT64_MAX >> (64 - FLOE_KEY_BITS);
  const unsigned shift = (FLOE_KEY_BITS + 1) / 2;
  x = (x * UINT64_C(0x9e3779b97f4a7c15)) & mask;
  x ^= x >> shift;
  x = (x * UINT64_C(0xd6e8feb86659fd93)) & mask;
  return x ^ x >> shift;
}

/* n keys: each of the numbers first, first + 1, ... `times` times, scattered, in the order of a step through them:
   `step` and n are coprime, and n * step < 2^64. */
GPU_KERNEL(floe_table_keys, GPU_BLOCK, 1)
(uint64_t *keys, uint64_t n, uint64_t first, uint64_t times, uint64_t step) {
  const uint64_t threads = (uint64_t)gpu_blocks() * GPU_BLOCK;
  for (uint64_t i = (uint64_t)gpu_block() * GPU_BLOCK + gpu_thread(); i < n; i += threads)
    keys[i] = scattered(first + i * step % n / times);
}
