/* GPU emulator on the CPU: included before the kernels' text, it replaces gpu/kernel/base/machine.h. Each thread of the
 * grid is a fiber of one host thread, with a stack of its own. Fibers switch at collectives, where lanes wait for each
 * other, and at random at atomics and at loads of data that others write; a wide load of a bucket is split into loads
 * at different times. A seed determines the schedule. Checked: all lanes of a warp reach the same collective; no thread
 * waits forever; shared memory starts with arbitrary content. Not emulated: memory that is not sequentially consistent.
 */
#ifndef FLOE_TEST_EMULATE_H
#define FLOE_TEST_EMULATE_H

#include <math.h>
#include <sched.h>

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

/* The emulator itself is optimized, whatever the kernels are compiled with. (clang has no such pragma.) */
#pragma GCC push_options
#pragma GCC optimize("O2")
#define KERNEL_MACHINE "emulation"
/* Not always inline, unlike CUDA: compiles in a third of the time. */
#define KERNEL_FN static inline __attribute__((unused))
#define KERNEL_FN_APART static __attribute__((noinline, unused))
#include "../../../src/base/splitmix64.h"
#define KERNEL_HIDDEN __attribute__((visibility("hidden")))
#define GPU_KERNEL(name, threads, least) KERNEL_HIDDEN void name
#define GPU_PARAMETER const
#define GPU_UNROLL
#define GPU_ROLLED
#define GPU_SHARED(type, name) type *const name = emulate_shared(sizeof(type))
/* Permutations of the user, from the settings. */
#define PERMUTATION_USER_APPLY(p, x) ((uint64_t)(FLOE_PERMUTE((p)->number, (p)->bits, (uint64_t)(x))))
#define PERMUTATION_USER_INVERT(p, x) ((uint64_t)(FLOE_UNPERMUTE((p)->number, (p)->bits, (uint64_t)(x))))

enum {
  EMULATE_LANES = 32,
  EMULATE_STACK =
      (128 << 10) + 37 * 64, /* not a power of two: otherwise the tops of all stacks share a few cache lines */
  EMULATE_SHARED = 48 << 10, /* most that a block gets in CUDA by default */
  EMULATE_MOST_TURNS = 1 << 30,
  EMULATE_SLOWER = 20,
  EMULATE_PAUSES = 64 /* switches before a short sleep */
};

/* ---- threads and scheduling ------------------------------------------------------------------------ */

/* A point where threads wait for each other. */
struct meeting {
  uint32_t arrived, members, generation;
  const char *what; /* collective that the first thread reached */
  uint64_t values[2][EMULATE_LANES];
  uint32_t said[2]; /* [lane], like values */
};

/* The compiler's built-in jumps where they work: AddressSanitizer does much work at each longjmp, for a stack that
 * these fibers do not use. */
#ifdef __x86_64__
typedef void *emulate_place[5];
#define EMULATE_MARK(place) __builtin_setjmp(place)
#define EMULATE_JUMP(place) __builtin_longjmp(place, 1)
#else
typedef jmp_buf emulate_place;
#define EMULATE_MARK(place) _setjmp(place)
#define EMULATE_JUMP(place) _longjmp(place, 1)
#endif

struct emulate_thread {
  emulate_place here;
  ucontext_t start;
  unsigned block, thread;
  struct meeting *waits; /* NULL: runnable */
  size_t ready_at;       /* its index among the runnable threads */
  bool begun;            /* its stack holds a point to continue from */
};

struct emulate_block {
  struct meeting all, steps[8], *warps;
  void *shared;
};

static struct {
  struct emulate_thread *threads, *now;
  struct emulate_block *blocks;
  unsigned block_count, block_size;
  size_t thread_count, running;  /* running: not finished */
  struct emulate_thread **ready; /* runnable threads */
  size_t ready_count;
  uint64_t random, turns, pauses, rested; /* rested: nanoseconds slept */
  unsigned yield_percent;
  emulate_place over;
  void (*kernel)(void);
} emulate;

static inline __attribute__((noreturn)) void emulate_fail(const char *what) {
  fprintf(stderr, "emulated GPU: %s (block %u, thread %u, turn %llu)\n", what, emulate.now ? emulate.now->block : 0,
          emulate.now ? emulate.now->thread : 0, (unsigned long long)emulate.turns);
  abort();
}

static inline uint64_t emulate_random(void) { return splitmix64_next(&emulate.random); }

/* A random number below n, without a division: this takes much of the time of the emulator. */
static inline size_t emulate_chance(size_t n) { return (size_t)(((unsigned __int128)emulate_random() * n) >> 64); }

/* A function of its own, as setjmp and longjmp built-ins must not be in one function. */
static __attribute__((noinline, noreturn)) void emulate_go_on(struct emulate_thread *thread) {
  EMULATE_JUMP(thread->here);
}

/* Switches to another runnable thread. */
static __attribute__((noinline, unused)) void emulate_switch(void) {
  if (emulate.ready_count == 0)
    emulate_fail("all threads wait");
  if (++emulate.turns > EMULATE_MOST_TURNS)
    emulate_fail("does not come to an end");
  struct emulate_thread *next = emulate.ready[emulate_chance(emulate.ready_count)];
  if (next == emulate.now)
    return;
  if (emulate.now && EMULATE_MARK(emulate.now->here))
    return;
  emulate.now = next;
  if (!next->begun) {
    next->begun = true;
    setcontext(&next->start);
  }
  emulate_go_on(next);
}

static inline void emulate_perhaps_switch(void) {
  if (emulate_chance(100) < emulate.yield_percent)
    emulate_switch();
}

static inline void emulate_ready(struct emulate_thread *thread) {
  thread->ready_at = emulate.ready_count;
  emulate.ready[emulate.ready_count++] = thread;
}

static inline void emulate_not_ready(struct emulate_thread *thread) {
  struct emulate_thread *last = emulate.ready[--emulate.ready_count];
  emulate.ready[thread->ready_at] = last;
  last->ready_at = thread->ready_at;
}

static inline size_t emulate_number(const struct emulate_thread *thread) { return (size_t)(thread - emulate.threads); }

/* Barrier of warps at a distance `apart`, from that of thread `first` on. Returns the generation that has ended. */
static __attribute__((noinline, unused)) uint32_t emulate_meet(struct meeting *meeting, size_t first, size_t apart,
                                                               const char *what) {
  const uint32_t generation = meeting->generation;
  if (meeting->arrived == 0)
    meeting->what = what;
  else if (meeting->what != what && strcmp(meeting->what, what) != 0)
    emulate_fail("threads that should be together are at different collectives");
  if (++meeting->arrived < meeting->members) {
    emulate.now->waits = meeting;
    emulate_not_ready(emulate.now);
    emulate_switch();
    return generation;
  }
  meeting->arrived = 0;
  meeting->generation++;
  for (size_t member = 0; member < meeting->members; member++) {
    const size_t i = first + member / EMULATE_LANES * EMULATE_LANES * apart + member % EMULATE_LANES;
    if (&emulate.threads[i] != emulate.now) {
      if (emulate.threads[i].waits != meeting)
        emulate_fail("a thread is missing at a collective");
      emulate.threads[i].waits = NULL;
      emulate_ready(&emulate.threads[i]);
    }
  }
  emulate_switch();
  return generation;
}

/* ---- the machine ----------------------------------------------------------------------------------- */

KERNEL_FN unsigned gpu_thread(void) { return emulate.now->thread; }
KERNEL_FN unsigned gpu_block(void) { return emulate.now->block; }
KERNEL_FN unsigned gpu_blocks(void) { return emulate.block_count; }

static inline void *emulate_shared(size_t bytes) {
  if (bytes > EMULATE_SHARED)
    emulate_fail("too much shared memory");
  return emulate.blocks[emulate.now->block].shared;
}

KERNEL_FN uint64_t multiply_high(uint64_t a, uint64_t b) { return (uint64_t)(((unsigned __int128)a * b) >> 64); }
KERNEL_FN unsigned lowest_bit(uint32_t mask) {
  if (mask == 0)
    emulate_fail("lowest bit of nothing");
  return (unsigned)__builtin_ctz(mask);
}
KERNEL_FN unsigned count_bits(uint32_t mask) { return (unsigned)__builtin_popcount(mask); }

static inline struct meeting *emulate_warp(void) {
  return &emulate.blocks[emulate.now->block].warps[emulate.now->thread / EMULATE_LANES];
}

static inline uint64_t *emulate_exchange(uint64_t value, const char *what) {
  struct meeting *warp = emulate_warp();
  const unsigned lane = emulate.now->thread % EMULATE_LANES;
  warp->values[warp->generation & 1][lane] = value;
  return warp->values[emulate_meet(warp, emulate_number(emulate.now) - lane, 1, what) & 1];
}

KERNEL_FN uint64_t gpu_shuffle64(uint64_t value, unsigned source) {
  if (source >= EMULATE_LANES)
    emulate_fail("shuffle from no lane");
  return emulate_exchange(value, "shuffle")[source];
}
KERNEL_FN uint32_t gpu_shuffle(uint32_t value, unsigned source) { return (uint32_t)gpu_shuffle64(value, source); }
KERNEL_FN uint32_t gpu_ballot(bool said) {
  struct meeting *warp = emulate_warp();
  const uint32_t generation = warp->generation & 1, bit = UINT32_C(1) << emulate.now->thread % EMULATE_LANES;
  warp->said[generation] = said ? warp->said[generation] | bit : warp->said[generation] & ~bit;
  emulate_exchange(0, "ballot");
  return warp->said[generation];
}
KERNEL_FN void gpu_sync_warp(void) { emulate_exchange(0, "sync_warp"); }
KERNEL_FN void gpu_sync_block(void) {
  emulate_meet(&emulate.blocks[emulate.now->block].all, (size_t)emulate.now->block * emulate.block_size, 1,
               "sync_block");
}
KERNEL_FN void gpu_sync_warps(unsigned group, unsigned groups) {
  struct meeting *meeting = &emulate.blocks[emulate.now->block].steps[group];
  if (group != emulate.now->thread / EMULATE_LANES % groups)
    emulate_fail("a warp is in another group");
  meeting->members = emulate.block_size / groups;
  emulate_meet(meeting, (size_t)emulate.now->block * emulate.block_size + (size_t)group * EMULATE_LANES, groups,
               "sync_warps");
}

#define EMULATE_LOAD(name, type)                                                                                       \
  KERNEL_FN type name(const type *p) {                                                                                 \
    emulate_perhaps_switch();                                                                                          \
    return *(const volatile type *)p;                                                                                  \
  }
EMULATE_LOAD(gpu_load32, uint32_t)
EMULATE_LOAD(gpu_load64, uint64_t)
EMULATE_LOAD(gpu_load32_acquire, uint32_t)

#define EMULATE_STORE(name, type)                                                                                      \
  KERNEL_FN void name(type *p, type value) {                                                                           \
    emulate_perhaps_switch();                                                                                          \
    *(volatile type *)p = value;                                                                                       \
  }
EMULATE_STORE(gpu_store32, uint32_t)
EMULATE_STORE(gpu_store64, uint64_t)
EMULATE_STORE(gpu_store32_release, uint32_t)

KERNEL_FN void gpu_fence(void) {}

#define FLOE_MAILBOX_POLLS 2
#define FLOE_MAILBOX_CROWDED 2
/* Other devices run in other host threads. */
KERNEL_FN uint64_t gpu_load64_system(const uint64_t *p) {
  emulate_perhaps_switch();
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
/* A link that loses one store: its number is $EMULATE_LOST. */
static bool emulate_loses(void) {
  static long stores;
  const char *lost = getenv("EMULATE_LOST");
  return lost && __atomic_fetch_add(&stores, 1, __ATOMIC_RELAXED) == atol(lost);
}
KERNEL_FN void gpu_store64_system(uint64_t *p, uint64_t value) {
  emulate_perhaps_switch();
  if (emulate_loses())
    return;
  __atomic_store_n(p, value, __ATOMIC_RELAXED);
}
KERNEL_FN uint32_t gpu_load32_acquire_system(const uint32_t *p) {
  emulate_perhaps_switch();
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
/* Delays a device, at one in $EMULATE_LATE of its progress reports, while others continue. */
static void emulate_is_late(void) {
  const struct timespec while_others_go_on = {0, 2000000};
  const char *late = getenv("EMULATE_LATE");
  if (late && emulate_chance((size_t)atol(late)) == 0)
    nanosleep(&while_others_go_on, NULL);
}
KERNEL_FN void gpu_store32_release_system(uint32_t *p, uint32_t value) {
  emulate_perhaps_switch();
  emulate_is_late();
  __atomic_store_n(p, value, __ATOMIC_RELEASE);
}
KERNEL_FN uint64_t gpu_load64_acquire_system(const uint64_t *p) {
  emulate_perhaps_switch();
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
KERNEL_FN void gpu_store64_release_system(uint64_t *p, uint64_t value) {
  emulate_perhaps_switch();
  emulate_is_late();
  __atomic_store_n(p, value, __ATOMIC_RELEASE);
}
KERNEL_FN void gpu_fence_system(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

struct piece {
  uint32_t word[4];
};

KERNEL_FN struct piece gpu_load_piece(const unsigned char *p, unsigned bytes, unsigned element) {
  struct piece piece = {{0, 0, 0, 0}};
  const unsigned elements = bytes / element, first = (unsigned)emulate_random();
  if ((uintptr_t)p % bytes)
    emulate_fail("a piece of a bucket is not aligned");
  for (unsigned i = 0; i < elements; i++) {
    const unsigned at = (first + i) % elements; /* in any order */
    emulate_perhaps_switch();
    memcpy((char *)&piece + at * element, p + at * element, element);
  }
  return piece;
}

#define EMULATE_ATOMIC(name, type, expression)                                                                         \
  KERNEL_FN type name(type *p, type value) {                                                                           \
    emulate_perhaps_switch();                                                                                          \
    const type old = *(volatile type *)p;                                                                              \
    *(volatile type *)p = (expression);                                                                                \
    return old;                                                                                                        \
  }
EMULATE_ATOMIC(gpu_add32, uint32_t, old + value)
EMULATE_ATOMIC(gpu_add64, uint64_t, old + value)
EMULATE_ATOMIC(gpu_or32, uint32_t, old | value)
EMULATE_ATOMIC(gpu_or64, uint64_t, old | value)
EMULATE_ATOMIC(gpu_min64, uint64_t, value < old ? value : old)
EMULATE_ATOMIC(gpu_max64, uint64_t, value > old ? value : old)

EMULATE_ATOMIC(gpu_and32, uint32_t, old &value)

KERNEL_FN uint32_t gpu_load32_if(const uint32_t *p, bool wanted, uint32_t value) {
  return wanted ? gpu_load32(p) : value;
}
KERNEL_FN uint32_t gpu_or32_if(uint32_t *p, uint32_t value, bool wanted, uint32_t otherwise) {
  return wanted ? gpu_or32(p, value) : otherwise;
}

KERNEL_FN void gpu_count(uint32_t *p) { ++*p; }

/* ---- slots: as on CUDA, with the compare-and-swap of each width -------------------------------------- */

#include "../../../src/tables/kernel/packed.h"

KERNEL_FN uint64_t slot_load(const void *slots, uint64_t i, unsigned bits) {
  emulate_perhaps_switch();
  if (bits == PACKED_BITS)
    return ((const volatile uint64_t *)slots)[i / PACKED_IN_WORD] >> packed_shift(i) & PACKED_MASK;
  if (bits == 16)
    return ((const volatile uint16_t *)slots)[i];
  if (bits == 32)
    return ((const volatile uint32_t *)slots)[i];
  return ((const volatile uint64_t *)slots)[i];
}

KERNEL_FN uint64_t slot_claim(void *slots, uint64_t i, unsigned bits, uint64_t value) {
  const uint64_t seen = slot_load(slots, i, bits);
  if (seen)
    return seen;
  if (value == 0 || (bits < 64 && value >> bits))
    emulate_fail("a slot does not hold the value");
  if (bits == PACKED_BITS)
    ((uint64_t *)slots)[i / PACKED_IN_WORD] |= value << packed_shift(i);
  else if (bits == 16)
    ((uint16_t *)slots)[i] = (uint16_t)value;
  else if (bits == 32)
    ((uint32_t *)slots)[i] = (uint32_t)value;
  else
    ((uint64_t *)slots)[i] = value;
  return 0;
}

KERNEL_FN uint64_t slot_swap(void *slots, uint64_t i, unsigned bits, uint64_t expected, uint64_t value) {
  const uint64_t seen = slot_load(slots, i, bits);
  if (bits < 64 && (value >> bits || expected >> bits))
    emulate_fail("a slot does not hold the value");
  if (seen != expected)
    return seen;
  if (bits == PACKED_BITS)
    ((uint64_t *)slots)[i / PACKED_IN_WORD] ^= (expected ^ value) << packed_shift(i);
  else if (bits == 16)
    ((uint16_t *)slots)[i] = (uint16_t)value;
  else if (bits == 32)
    ((uint32_t *)slots)[i] = (uint32_t)value;
  else
    ((uint64_t *)slots)[i] = value;
  return seen;
}

/* ---- words of 32 or 64 bits that many threads write --------------------------------------------------- */

KERNEL_FN void word_store(void *words, uint64_t i, unsigned bits, uint64_t value) {
  emulate_perhaps_switch();
  if (bits == 32)
    ((volatile uint32_t *)words)[i] = (uint32_t)value;
  else
    ((volatile uint64_t *)words)[i] = value;
}

KERNEL_FN void word_add(void *words, uint64_t i, unsigned bits, uint64_t value) {
  emulate_perhaps_switch();
  if (bits == 32)
    ((uint32_t *)words)[i] += (uint32_t)value;
  else
    ((uint64_t *)words)[i] += value;
}

KERNEL_FN void word_max(void *words, uint64_t i, unsigned bits, uint64_t value) {
  const uint64_t seen = slot_load(words, i, bits);
  if (seen >= value)
    return;
  if (bits == 32)
    ((uint32_t *)words)[i] = (uint32_t)value;
  else
    ((uint64_t *)words)[i] = value;
}

KERNEL_FN uint64_t slot_exchange(void *slots, uint64_t i, unsigned bits, uint64_t value) {
  const uint64_t seen = slot_load(slots, i, bits);
  if (bits < 64 && value >> bits)
    emulate_fail("a slot does not hold the value");
  if (bits == 32)
    ((uint32_t *)slots)[i] = (uint32_t)value;
  else
    ((uint64_t *)slots)[i] = value;
  return seen;
}

/* ---- slots of 128 bits, as GPUs have them from compute capability 9.0 on ------------------------------ */

#define KERNEL_HAS_SLOT128 1
struct slot128 {
  uint64_t low, high;
};

KERNEL_FN struct slot128 slot128_load(const void *slots, uint64_t i) {
  emulate_perhaps_switch();
  if ((uintptr_t)slots % sizeof(struct slot128))
    emulate_fail("a slot of 128 bits is not aligned");
  return ((const volatile struct slot128 *)slots)[i];
}

KERNEL_FN struct slot128 slot128_swap(void *slots, uint64_t i, struct slot128 expected, struct slot128 value) {
  const struct slot128 seen = slot128_load(slots, i);
  if (seen.low == expected.low && seen.high == expected.high)
    ((volatile struct slot128 *)slots)[i] = value;
  return seen;
}

KERNEL_FN struct slot128 slot128_exchange(void *slots, uint64_t i, struct slot128 value) {
  const struct slot128 seen = slot128_load(slots, i);
  ((volatile struct slot128 *)slots)[i] = value;
  return seen;
}

/* ---- shared memory that a block's threads swap ---------------------------------------------------------- */

KERNEL_FN uint64_t block_swap64(uint64_t *p, uint64_t expected, uint64_t value) {
  return slot_swap(p, 0, 64, expected, value);
}
KERNEL_FN struct slot128 block_slot128_swap(struct slot128 *p, struct slot128 expected, struct slot128 value) {
  return slot128_swap(p, 0, expected, value);
}

/* Time is the number of switches. While waiting for another device it is the clock, scaled to the speed of the emulated
 * device: on a loaded machine each sleep may take milliseconds for one switch. */
KERNEL_FN uint64_t gpu_nanoseconds(void) { return emulate.turns + emulate.rested / EMULATE_SLOWER; }
KERNEL_FN uint64_t gpu_opaque(uint64_t x) { return x; }

static inline uint64_t emulate_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A thread that sleeps briefly runs again before threads that never sleep: on a loaded machine a yield takes longer. */
static __attribute__((noinline)) void emulate_rest(void) {
  const uint64_t before = emulate_clock();
  const struct timespec moment = {.tv_nsec = 2000};
  nanosleep(&moment, NULL);
  emulate.rested += emulate_clock() - before;
}

/* The kernel may wait for another device. Mostly it waits for a thread of this one, which a sleep would delay. */
KERNEL_FN void gpu_pause(uint32_t times) {
  if (times >= 100 && ++emulate.pauses % EMULATE_PAUSES == 0)
    emulate_rest();
  emulate_switch();
}

/* ---- words through which other memory is published: memory is sequentially consistent here ---------------- */

KERNEL_FN uint64_t word_load_acquire(const uint64_t *words, uint64_t i) { return gpu_load64(words + i); }
KERNEL_FN void word_store_release(uint64_t *words, uint64_t i, uint64_t value) { gpu_store64(words + i, value); }
KERNEL_FN uint64_t word_next(uint64_t *word) { return gpu_add64(word, 1); }
KERNEL_FN void word_pause(uint32_t times) { gpu_pause(times); }

#pragma GCC pop_options

#endif
