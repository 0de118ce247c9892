/* CUDA shim: everything that the kernels need of the machine, for NVRTC, the run-time compiler for GPU code, which has
   no headers. The tests use another shim, which emulates a GPU on the CPU (tests/gpu/device/emulate.h).

   Every collective is warp-wide: all 32 lanes call it. Loads and stores of data that other warps may write concurrently
   are relaxed at GPU scope: an L1 cache never serves them. */
#ifndef KERNEL_MACHINE
#define KERNEL_MACHINE "CUDA"

typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

#define UINT32_C(x) x##u
#define UINT64_C(x) x##ull
#define UINT32_MAX 0xffffffffu
#define UINT64_MAX 0xffffffffffffffffull

#define KERNEL_FN static __device__ __forceinline__
/* Not inlined. The compiler orders these functions by mangled name, which begins with the name's length; another order
   changed size and spills of floe_explore with mailboxes. Compare the machine code after renaming one. */
#define KERNEL_FN_APART static __device__ __noinline__
/* Defines a kernel for blocks of `threads` threads; a multiprocessor must be able to hold at least `least` blocks. */
#define GPU_KERNEL(name, threads, least) extern "C" __global__ void __launch_bounds__(threads, least) name
#define GPU_PARAMETER const __grid_constant__
#define GPU_UNROLL _Pragma("unroll")
#define GPU_ROLLED _Pragma("unroll 1")
#define KERNEL_ROLLED GPU_ROLLED
/* `name` points to the block's single object of this type. */
#define GPU_SHARED(type, name)                                                                                         \
  __shared__ type name##_of_block;                                                                                     \
  type *const name = &name##_of_block

KERNEL_FN uint64_t multiply_high(uint64_t a, uint64_t b) { return __umul64hi(a, b); }
KERNEL_FN unsigned lowest_bit(uint32_t mask) { return (unsigned)__ffs((int)mask) - 1; } /* mask != 0 */
KERNEL_FN unsigned count_bits(uint32_t mask) { return (unsigned)__popc(mask); }

/* ---- thread numbers ---------------------------------------------------------------------------- */

KERNEL_FN unsigned gpu_thread(void) { return threadIdx.x; }
KERNEL_FN unsigned gpu_block(void) { return blockIdx.x; }
KERNEL_FN unsigned gpu_blocks(void) { return gridDim.x; }

/* ---- collectives ------------------------------------------------------------------------------- */

KERNEL_FN uint32_t gpu_shuffle(uint32_t value, unsigned source) { return __shfl_sync(0xffffffffu, value, (int)source); }
KERNEL_FN uint64_t gpu_shuffle64(uint64_t value, unsigned source) {
  return __shfl_sync(0xffffffffu, value, (int)source);
}
KERNEL_FN uint32_t gpu_ballot(bool flag) { return __ballot_sync(0xffffffffu, flag); }
/* Makes writes of lanes to shared memory before the call visible to the warp's lanes after it. */
KERNEL_FN void gpu_sync_warp(void) { __syncwarp(); }
KERNEL_FN void gpu_sync_block(void) { __syncthreads(); }
/* Synchronises some of the block's warps: those whose number modulo `groups`, at most 8, is `group`. */
KERNEL_FN void gpu_sync_warps(unsigned group, unsigned groups) {
  asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "r"(blockDim.x / groups) : "memory");
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* Every load of data that other warps may write concurrently uses one of these functions. They are volatile assembly:
   the compiler performs each load exactly once, in program order relative to the others. */
KERNEL_FN uint32_t gpu_load16(const uint16_t *p) {
  uint16_t value;
  asm volatile("ld.relaxed.gpu.global.u16 %0, [%1];" : "=h"(value) : "l"(__cvta_generic_to_global(p)) : "memory");
  return value;
}

KERNEL_FN uint32_t gpu_load32(const uint32_t *p) {
  uint32_t value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(p)) : "memory");
  return value;
}

/* Loads if `condition`, else returns `value`. No branch: several loads are in flight before the first one is waited
 * for.
 */
KERNEL_FN uint32_t gpu_load32_if(const uint32_t *p, bool condition, uint32_t value) {
  asm volatile("{\n\t.reg .pred p;\n\t"
               "setp.ne.u32 p, %2, 0;\n\t"
               "@p ld.relaxed.gpu.global.u32 %0, [%1];\n\t}"
               : "+r"(value)
               : "l"(__cvta_generic_to_global(p)), "r"((uint32_t)condition)
               : "memory");
  return value;
}

KERNEL_FN uint64_t gpu_load64(const uint64_t *p) {
  uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(p)) : "memory");
  return value;
}

KERNEL_FN void gpu_store32(uint32_t *p, uint32_t value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "r"(value) : "memory");
}

KERNEL_FN void gpu_store64(uint64_t *p, uint64_t value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "l"(value) : "memory");
}

KERNEL_FN uint32_t gpu_load32_acquire(const uint32_t *p) {
  uint32_t value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(p)) : "memory");
  return value;
}

KERNEL_FN void gpu_store32_release(uint32_t *p, uint32_t value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "r"(value) : "memory");
}

/* Acquire-release. Nothing here needs a single total order of all fences, whose cost __threadfence has. */
KERNEL_FN void gpu_fence(void) { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }

/* The same operations at system scope, between devices that reach each other's memory. */
KERNEL_FN uint64_t gpu_load64_system(const uint64_t *p) {
  uint64_t value;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(p)) : "memory");
  return value;
}

KERNEL_FN void gpu_store64_system(uint64_t *p, uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "l"(value) : "memory");
}

KERNEL_FN uint32_t gpu_load32_acquire_system(const uint32_t *p) {
  uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(p)) : "memory");
  return value;
}

KERNEL_FN void gpu_store32_release_system(uint32_t *p, uint32_t value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "r"(value) : "memory");
}

KERNEL_FN uint64_t gpu_load64_acquire_system(const uint64_t *p) {
  uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(p)) : "memory");
  return value;
}
KERNEL_FN void gpu_store64_release_system(uint64_t *p, uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "l"(value) : "memory");
}
KERNEL_FN void gpu_fence_system(void) { asm volatile("fence.acq_rel.sys;" : : : "memory"); }

/* 16 or 8 aligned bytes of a bucket; the other bytes are not loaded. Each element of `element` (4 or 8) bytes is read
   atomically, in any order: a slot must not span two elements. */
struct piece {
  uint32_t word[4];
};

KERNEL_FN void piece_put64(struct piece *piece, unsigned i, uint64_t element) {
  piece->word[2 * i] = (uint32_t)element;
  piece->word[2 * i + 1] = (uint32_t)(element >> 32);
}

KERNEL_FN struct piece gpu_load_piece(const unsigned char *p, unsigned bytes, unsigned element) {
  struct piece piece = {{0, 0, 0, 0}};
  if (element == 8 && bytes == 16) {
    uint64_t first, second;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(first), "=l"(second)
                 : "l"(__cvta_generic_to_global(p)));
    piece_put64(&piece, 0, first);
    piece_put64(&piece, 1, second);
  } else if (element == 8) {
    piece_put64(&piece, 0, gpu_load64((const uint64_t *)p));
  } else if (bytes == 16) {
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(piece.word[0]), "=r"(piece.word[1]), "=r"(piece.word[2]), "=r"(piece.word[3])
                 : "l"(__cvta_generic_to_global(p)));
  } else {
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                 : "=r"(piece.word[0]), "=r"(piece.word[1])
                 : "l"(__cvta_generic_to_global(p)));
  }
  return piece;
}

/* ---- atomics: all relaxed, on global or shared memory ------------------------------------------ */

KERNEL_FN uint32_t gpu_add32(uint32_t *p, uint32_t value) { return atomicAdd(p, value); }
KERNEL_FN uint64_t gpu_add64(uint64_t *p, uint64_t value) { return atomicAdd(p, value); }
KERNEL_FN uint32_t gpu_or32(uint32_t *p, uint32_t value) { return atomicOr(p, value); }
KERNEL_FN uint64_t gpu_or64(uint64_t *p, uint64_t value) { return atomicOr(p, value); }
KERNEL_FN void gpu_min64(uint64_t *p, uint64_t value) { atomicMin(p, value); }
KERNEL_FN void gpu_max64(uint64_t *p, uint64_t value) { atomicMax(p, value); }
KERNEL_FN uint32_t gpu_and32(uint32_t *p, uint32_t value) { return atomicAnd(p, value); }
/* As gpu_load32_if, in global memory: performs the operation if `condition`, else returns `otherwise`. No branch. */
KERNEL_FN uint32_t gpu_or32_if(uint32_t *p, uint32_t value, bool condition, uint32_t otherwise) {
  asm volatile("{\n\t.reg .pred p;\n\t"
               "setp.ne.u32 p, %3, 0;\n\t"
               "@p atom.relaxed.gpu.global.or.b32 %0, [%1], %2;\n\t}"
               : "+r"(otherwise)
               : "l"(__cvta_generic_to_global(p)), "r"(value), "r"((uint32_t)condition)
               : "memory");
  return otherwise;
}
/* Adds 1 in shared memory. */
KERNEL_FN void gpu_count(uint32_t *p) { atomicAdd(p, 1u); }

#include "tables/kernel/packed.h"

/* Slot i of an array of slots of `bits` (16, 21, 32 or 64) bits. A slot is written once, from empty to its final value;
   nothing is published through it (src/tables/kernel/shim.h). A stale value is harmless: a full slot never changes, and
   the compare-and-swap detects a slot that only seems empty. */
KERNEL_FN uint64_t slot_load(const void *slots, uint64_t i, unsigned bits) {
  if (bits == PACKED_BITS)
    return gpu_load64((const uint64_t *)slots + i / PACKED_IN_WORD) >> packed_shift(i) & PACKED_MASK;
  if (bits == 16)
    return gpu_load16((const uint16_t *)slots + i);
  if (bits == 32)
    return gpu_load32((const uint32_t *)slots + i);
  return gpu_load64((const uint64_t *)slots + i);
}

/* Also fails if another slot of the same word is written concurrently; retried at most twice. */
KERNEL_FN uint64_t packed_claim(void *slots, uint64_t i, uint64_t value) {
  uint64_t *const word = (uint64_t *)slots + i / PACKED_IN_WORD;
  const unsigned shift = packed_shift(i);
  uint64_t seen = gpu_load64(word);
  while ((seen >> shift & PACKED_MASK) == 0) {
    const uint64_t before = atomicCAS(word, seen, seen | value << shift);
    if (before == seen)
      return 0;
    seen = before;
  }
  return seen >> shift & PACKED_MASK;
}

KERNEL_FN uint64_t slot_claim(void *slots, uint64_t i, unsigned bits, uint64_t value) {
  if (bits == PACKED_BITS)
    return packed_claim(slots, i, value);
  if (bits == 16)
    return atomicCAS((unsigned short *)slots + i, (unsigned short)0, (unsigned short)value);
  if (bits == 32)
    return atomicCAS((uint32_t *)slots + i, 0u, (uint32_t)value);
  return atomicCAS((unsigned long long *)slots + i, 0ull, (unsigned long long)value);
}

KERNEL_FN uint64_t packed_swap(void *slots, uint64_t i, uint64_t expected, uint64_t value) {
  uint64_t *const word = (uint64_t *)slots + i / PACKED_IN_WORD;
  const unsigned shift = packed_shift(i);
  uint64_t seen = gpu_load64(word);
  while ((seen >> shift & PACKED_MASK) == expected) {
    const uint64_t before = atomicCAS(word, seen, seen ^ (expected ^ value) << shift);
    if (before == seen)
      return expected;
    seen = before;
  }
  return seen >> shift & PACKED_MASK;
}

/* Compare-and-swap: writes `value` if the slot holds `expected`; returns the previous value. */
KERNEL_FN uint64_t slot_swap(void *slots, uint64_t i, unsigned bits, uint64_t expected, uint64_t value) {
  if (bits == PACKED_BITS)
    return packed_swap(slots, i, expected, value);
  if (bits == 16)
    return atomicCAS((unsigned short *)slots + i, (unsigned short)expected, (unsigned short)value);
  if (bits == 32)
    return atomicCAS((uint32_t *)slots + i, (uint32_t)expected, (uint32_t)value);
  return atomicCAS((unsigned long long *)slots + i, (unsigned long long)expected, (unsigned long long)value);
}

KERNEL_FN uint64_t slot_exchange(void *slots, uint64_t i, unsigned bits, uint64_t value) {
  if (bits == 32)
    return atomicExch((uint32_t *)slots + i, (uint32_t)value);
  return atomicExch((unsigned long long *)slots + i, (unsigned long long)value);
}

/* Words of 32 or 64 bits that many threads write; slot_load reads them. */
KERNEL_FN void word_store(void *words, uint64_t i, unsigned bits, uint64_t value) {
  if (bits == 32)
    gpu_store32((uint32_t *)words + i, (uint32_t)value);
  else
    gpu_store64((uint64_t *)words + i, value);
}

KERNEL_FN void word_add(void *words, uint64_t i, unsigned bits, uint64_t value) {
  if (bits == 32)
    atomicAdd((uint32_t *)words + i, (uint32_t)value);
  else
    atomicAdd((unsigned long long *)words + i, (unsigned long long)value);
}

/* Words of 64 bits that publish other memory. */
KERNEL_FN uint64_t word_load_acquire(const uint64_t *words, uint64_t i) {
  uint64_t value;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
               : "=l"(value)
               : "l"(__cvta_generic_to_global(words + i))
               : "memory");
  return value;
}

KERNEL_FN void word_store_release(uint64_t *words, uint64_t i, uint64_t value) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;"
               :
               : "l"(__cvta_generic_to_global(words + i)), "l"(value)
               : "memory");
}

KERNEL_FN uint64_t word_next(uint64_t *word) { return atomicAdd((unsigned long long *)word, 1ull); }

KERNEL_FN void word_max(void *words, uint64_t i, unsigned bits, uint64_t value) {
  if (bits == 32)
    atomicMax((uint32_t *)words + i, (uint32_t)value);
  else
    atomicMax((unsigned long long *)words + i, (unsigned long long)value);
}

/* Slots of 128 bits, aligned to 16 bytes: read and swapped atomically. */
struct slot128 {
  uint64_t low, high;
};

/* Compare-and-swap in a block's shared memory; returns the previous value. */
KERNEL_FN uint64_t block_swap64(uint64_t *p, uint64_t expected, uint64_t value) {
  return atomicCAS((unsigned long long *)p, (unsigned long long)expected, (unsigned long long)value);
}

#if __CUDA_ARCH__ >= 900
#define KERNEL_HAS_SLOT128 1
KERNEL_FN struct slot128 slot128_load(const void *slots, uint64_t i) {
  struct slot128 slot128;
  asm volatile("{\n\t.reg .b128 w;\n\t"
               "ld.relaxed.gpu.global.b128 w, [%2];\n\t"
               "mov.b128 {%0, %1}, w;\n\t}"
               : "=l"(slot128.low), "=l"(slot128.high)
               : "l"(__cvta_generic_to_global((const struct slot128 *)slots + i))
               : "memory");
  return slot128;
}

/* As slot_swap. */
KERNEL_FN struct slot128 slot128_swap(void *slots, uint64_t i, struct slot128 expected, struct slot128 value) {
  struct slot128 seen;
  asm volatile("{\n\t.reg .b128 e, v, s;\n\t"
               "mov.b128 e, {%2, %3};\n\t"
               "mov.b128 v, {%4, %5};\n\t"
               "atom.relaxed.gpu.global.cas.b128 s, [%6], e, v;\n\t"
               "mov.b128 {%0, %1}, s;\n\t}"
               : "=l"(seen.low), "=l"(seen.high)
               : "l"(expected.low), "l"(expected.high), "l"(value.low), "l"(value.high),
                 "l"(__cvta_generic_to_global((struct slot128 *)slots + i))
               : "memory");
  return seen;
}

/* As slot_exchange. */
KERNEL_FN struct slot128 slot128_exchange(void *slots, uint64_t i, struct slot128 value) {
  struct slot128 seen;
  asm volatile("{\n\t.reg .b128 v, s;\n\t"
               "mov.b128 v, {%2, %3};\n\t"
               "atom.relaxed.gpu.global.exch.b128 s, [%4], v;\n\t"
               "mov.b128 {%0, %1}, s;\n\t}"
               : "=l"(seen.low), "=l"(seen.high)
               : "l"(value.low), "l"(value.high), "l"(__cvta_generic_to_global((struct slot128 *)slots + i))
               : "memory");
  return seen;
}

/* As slot128_swap, in a block's shared memory. */
KERNEL_FN struct slot128 block_slot128_swap(struct slot128 *p, struct slot128 expected, struct slot128 value) {
  struct slot128 seen;
  asm volatile("{\n\t.reg .b128 e, v, s;\n\t"
               "mov.b128 e, {%2, %3};\n\t"
               "mov.b128 v, {%4, %5};\n\t"
               "atom.relaxed.cta.shared.cas.b128 s, [%6], e, v;\n\t"
               "mov.b128 {%0, %1}, s;\n\t}"
               : "=l"(seen.low), "=l"(seen.high)
               : "l"(expected.low), "l"(expected.high), "l"(value.low), "l"(value.high),
                 "l"(__cvta_generic_to_shared(p))
               : "memory");
  return seen;
}
#endif

/* ---- time -------------------------------------------------------------------------------------- */

KERNEL_FN uint64_t gpu_nanoseconds(void) {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/* Returns x; the compiler assumes nothing about the result, so it cannot move computations on it to an earlier place.
 */
KERNEL_FN uint64_t gpu_opaque(uint64_t x) {
  asm volatile("" : "+l"(x));
  return x;
}

/* Pause in a loop that polls for another block, after `times` polls. A sleep lasts longer than requested, so a short
   wait does not sleep; in a long wait, sleeping leaves memory bandwidth to the working warps. */
KERNEL_FN void gpu_pause(uint32_t times) {
  if (times >= 100)
    __nanosleep(100);
}

KERNEL_FN void word_pause(uint32_t times) { gpu_pause(times); }

/* Only the host packs keys with the library user's functions: such tables are not supported on GPUs. */
/* User-defined permutations, from the settings. */
#define PERMUTATION_USER_APPLY(p, x) ((uint64_t)(FLOE_PERMUTE((p)->number, (p)->bits, (uint64_t)(x))))
#define PERMUTATION_USER_INVERT(p, x) ((uint64_t)(FLOE_UNPERMUTE((p)->number, (p)->bits, (uint64_t)(x))))

#endif
