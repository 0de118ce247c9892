/* GPU emulator on the CPU: included before the kernels' text, it replaces gpu/kernel/base/machine.h. Each thread of the
 * grid is a fiber of one host thread, with a stack of its own. Fibers switch at collectives, where lanes wait for each
 * other, and at random at atomics and at loads of data that others write; a wide load of a bucket is split into loads
 * at different times. A seed determines the schedule. Checked: all lanes of a warp reach the same collective; no thread
 * waits forever; shared memory starts with arbitrary content. Not emulated: memory that is not sequentially consistent.
 * emulate.c has the functions, compiled once: kernel texts are compiled at run time and call those of the test program.
 */
#ifndef FLOE_TEST_EMULATE_H
#define FLOE_TEST_EMULATE_H

#include <math.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_MACHINE "emulation"
/* Not always inline, unlike CUDA: compiles in a third of the time. */
#define KERNEL_FN static inline __attribute__((unused))
#define KERNEL_FN_APART static __attribute__((noinline, unused))
#define KERNEL_HIDDEN __attribute__((visibility("hidden")))
#define GPU_KERNEL(name, threads, least) KERNEL_HIDDEN void name
#define GPU_PARAMETER const
#define GPU_UNROLL
#define GPU_ROLLED
#define GPU_SHARED(type, name) type *const name = emulate_shared(sizeof(type))
/* Permutations of the user, from the settings. */
#define PERMUTATION_USER_APPLY(p, x) ((uint64_t)(FLOE_PERMUTE((p)->number, (p)->bits, (uint64_t)(x))))
#define PERMUTATION_USER_INVERT(p, x) ((uint64_t)(FLOE_UNPERMUTE((p)->number, (p)->bits, (uint64_t)(x))))
#define FLOE_MAILBOX_POLLS 2
#define FLOE_MAILBOX_CROWDED 2

#pragma GCC visibility push(default)

/* Argument i of the launch. */
const void *emulate_argument(unsigned i);
/* Memory of the block. */
void *emulate_shared(size_t bytes);

/* ---- the machine: as gpu/kernel/base/machine.h ------------------------------------------------------- */

#include "../../../src/tables/kernel/packed.h"

struct piece {
  uint32_t word[4];
};

/* Slots of 128 bits, as GPUs have them from compute capability 9.0 on. */
#define KERNEL_HAS_SLOT128 1
struct slot128 {
  uint64_t low, high;
};

KERNEL_FN uint64_t multiply_high(uint64_t a, uint64_t b) { return (uint64_t)(((unsigned __int128)a * b) >> 64); }
KERNEL_FN unsigned count_bits(uint32_t mask) { return (unsigned)__builtin_popcount(mask); }
KERNEL_FN void gpu_fence(void) {}
KERNEL_FN void gpu_count(uint32_t *p) { ++*p; }
KERNEL_FN uint64_t gpu_opaque(uint64_t x) { return x; }
unsigned lowest_bit(uint32_t mask);

unsigned gpu_thread(void);
unsigned gpu_block(void);
unsigned gpu_blocks(void);

uint64_t gpu_shuffle64(uint64_t value, unsigned source);
uint32_t gpu_shuffle(uint32_t value, unsigned source);
uint32_t gpu_ballot(bool flag);
void gpu_sync_warp(void);
void gpu_sync_block(void);
void gpu_sync_warps(unsigned group, unsigned groups);

uint32_t gpu_load32(const uint32_t *p);
uint64_t gpu_load64(const uint64_t *p);
uint32_t gpu_load32_acquire(const uint32_t *p);
uint32_t gpu_load32_if(const uint32_t *p, bool condition, uint32_t value);
void gpu_store32(uint32_t *p, uint32_t value);
void gpu_store64(uint64_t *p, uint64_t value);
void gpu_store32_release(uint32_t *p, uint32_t value);
struct piece gpu_load_piece(const unsigned char *p, unsigned bytes, unsigned element);

uint32_t gpu_add32(uint32_t *p, uint32_t value);
uint64_t gpu_add64(uint64_t *p, uint64_t value);
uint32_t gpu_or32(uint32_t *p, uint32_t value);
uint64_t gpu_or64(uint64_t *p, uint64_t value);
uint64_t gpu_min64(uint64_t *p, uint64_t value);
uint64_t gpu_max64(uint64_t *p, uint64_t value);
uint32_t gpu_and32(uint32_t *p, uint32_t value);
uint32_t gpu_or32_if(uint32_t *p, uint32_t value, bool condition, uint32_t otherwise);

uint64_t gpu_load64_system(const uint64_t *p);
uint32_t gpu_load32_acquire_system(const uint32_t *p);
uint64_t gpu_load64_acquire_system(const uint64_t *p);
void gpu_store64_system(uint64_t *p, uint64_t value);
void gpu_store32_release_system(uint32_t *p, uint32_t value);
void gpu_store64_release_system(uint64_t *p, uint64_t value);
void gpu_fence_system(void);

uint64_t slot_load(const void *slots, uint64_t i, unsigned bits);
uint64_t slot_claim(void *slots, uint64_t i, unsigned bits, uint64_t value);
uint64_t slot_swap(void *slots, uint64_t i, unsigned bits, uint64_t expected, uint64_t value);
uint64_t slot_exchange(void *slots, uint64_t i, unsigned bits, uint64_t value);
struct slot128 slot128_load(const void *slots, uint64_t i);
struct slot128 slot128_swap(void *slots, uint64_t i, struct slot128 expected, struct slot128 value);
struct slot128 slot128_exchange(void *slots, uint64_t i, struct slot128 value);
uint64_t block_swap64(uint64_t *p, uint64_t expected, uint64_t value);
struct slot128 block_slot128_swap(struct slot128 *p, struct slot128 expected, struct slot128 value);

void word_store(void *words, uint64_t i, unsigned bits, uint64_t value);
void word_add(void *words, uint64_t i, unsigned bits, uint64_t value);
void word_max(void *words, uint64_t i, unsigned bits, uint64_t value);
uint64_t word_load_acquire(const uint64_t *words, uint64_t i);
void word_store_release(uint64_t *words, uint64_t i, uint64_t value);
uint64_t word_next(uint64_t *word);
void word_pause(uint32_t times);

uint64_t gpu_nanoseconds(void);
void gpu_pause(uint32_t times);

#pragma GCC visibility pop

#endif
