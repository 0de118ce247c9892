/* The threads, collectives and memory accesses of the GPU emulator (emulate.h): one copy for all kernel texts of the
 * program. A launch runs in one host thread; its state is local to that thread. */
#include "base/splitmix64.h"

#include "emulate.h"
#include "emulated.h"

#include "gpu/kernel/base/control.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

/* Optimized even in a build without optimization, where the compiler does not inline by itself. (clang has no such
 * pragma.) */
#pragma GCC optimize("O2")
#define HOT static inline __attribute__((always_inline))

enum {
  EMULATE_LANES = 32,
  EMULATE_STACK =
      (128 << 10) + 37 * 64, /* not a power of two: otherwise the tops of all stacks share a few cache lines */
  EMULATE_SHARED = 48 << 10, /* most that a block gets in CUDA by default */
  EMULATE_MOST_TURNS = 1 << 30,
  EMULATE_SLOWER = 20,
  EMULATE_PAUSES = 32 /* switches before a short sleep */
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

static __thread struct {
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
  const void *const *arguments;
} emulate;

HOT __attribute__((noreturn)) void emulate_fail(const char *what) {
  fprintf(stderr, "emulated GPU: %s (block %u, thread %u, turn %llu)\n", what, emulate.now ? emulate.now->block : 0,
          emulate.now ? emulate.now->thread : 0, (unsigned long long)emulate.turns);
  abort();
}

HOT uint64_t emulate_random(void) { return splitmix64_next(&emulate.random); }

/* A random number below n, without a division: this takes much of the time of the emulator. */
HOT size_t emulate_chance(size_t n) { return (size_t)(((unsigned __int128)emulate_random() * n) >> 64); }

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

HOT void emulate_perhaps_switch(void) {
  if (emulate_chance(100) < emulate.yield_percent)
    emulate_switch();
}

HOT void emulate_ready(struct emulate_thread *thread) {
  thread->ready_at = emulate.ready_count;
  emulate.ready[emulate.ready_count++] = thread;
}

HOT void emulate_not_ready(struct emulate_thread *thread) {
  struct emulate_thread *last = emulate.ready[--emulate.ready_count];
  emulate.ready[thread->ready_at] = last;
  last->ready_at = thread->ready_at;
}

HOT size_t emulate_number(const struct emulate_thread *thread) { return (size_t)(thread - emulate.threads); }

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

unsigned gpu_thread(void) { return emulate.now->thread; }
unsigned gpu_block(void) { return emulate.now->block; }
unsigned gpu_blocks(void) { return emulate.block_count; }

void *emulate_shared(size_t bytes) {
  if (bytes > EMULATE_SHARED)
    emulate_fail("too much shared memory");
  return emulate.blocks[emulate.now->block].shared;
}

unsigned lowest_bit(uint32_t mask) {
  if (mask == 0)
    emulate_fail("lowest bit of nothing");
  return (unsigned)__builtin_ctz(mask);
}

HOT struct meeting *emulate_warp(void) {
  return &emulate.blocks[emulate.now->block].warps[emulate.now->thread / EMULATE_LANES];
}

HOT uint64_t *emulate_exchange(uint64_t value, const char *what) {
  struct meeting *warp = emulate_warp();
  const unsigned lane = emulate.now->thread % EMULATE_LANES;
  warp->values[warp->generation & 1][lane] = value;
  return warp->values[emulate_meet(warp, emulate_number(emulate.now) - lane, 1, what) & 1];
}

uint64_t gpu_shuffle64(uint64_t value, unsigned source) {
  if (source >= EMULATE_LANES)
    emulate_fail("shuffle from no lane");
  return emulate_exchange(value, "shuffle")[source];
}
uint32_t gpu_shuffle(uint32_t value, unsigned source) { return (uint32_t)gpu_shuffle64(value, source); }
uint32_t gpu_ballot(bool said) {
  struct meeting *warp = emulate_warp();
  const uint32_t generation = warp->generation & 1, bit = UINT32_C(1) << emulate.now->thread % EMULATE_LANES;
  warp->said[generation] = said ? warp->said[generation] | bit : warp->said[generation] & ~bit;
  emulate_exchange(0, "ballot");
  return warp->said[generation];
}
void gpu_sync_warp(void) { emulate_exchange(0, "sync_warp"); }
void gpu_sync_block(void) {
  emulate_meet(&emulate.blocks[emulate.now->block].all, (size_t)emulate.now->block * emulate.block_size, 1,
               "sync_block");
}
void gpu_sync_warps(unsigned group, unsigned groups) {
  struct meeting *meeting = &emulate.blocks[emulate.now->block].steps[group];
  if (group != emulate.now->thread / EMULATE_LANES % groups)
    emulate_fail("a warp is in another group");
  meeting->members = emulate.block_size / groups;
  emulate_meet(meeting, (size_t)emulate.now->block * emulate.block_size + (size_t)group * EMULATE_LANES, groups,
               "sync_warps");
}

#define EMULATE_LOAD(name, type)                                                                                       \
  type name(const type *p) {                                                                                           \
    emulate_perhaps_switch();                                                                                          \
    return *(const volatile type *)p;                                                                                  \
  }
EMULATE_LOAD(gpu_load32, uint32_t)
EMULATE_LOAD(gpu_load64, uint64_t)
EMULATE_LOAD(gpu_load32_acquire, uint32_t)

#define EMULATE_STORE(name, type)                                                                                      \
  void name(type *p, type value) {                                                                                     \
    emulate_perhaps_switch();                                                                                          \
    *(volatile type *)p = value;                                                                                       \
  }
EMULATE_STORE(gpu_store32, uint32_t)
EMULATE_STORE(gpu_store64, uint64_t)
EMULATE_STORE(gpu_store32_release, uint32_t)

/* Other devices run in other host threads. */
uint64_t gpu_load64_system(const uint64_t *p) {
  emulate_perhaps_switch();
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static struct emulated_links emulate_links;

void emulated_break_links(struct emulated_links links) { emulate_links = links; }

static bool emulate_loses(void) {
  return emulate_links.loses && __atomic_fetch_sub(&emulate_links.lost, 1, __ATOMIC_RELAXED) == 0;
}
void gpu_store64_system(uint64_t *p, uint64_t value) {
  emulate_perhaps_switch();
  if (emulate_loses())
    return;
  __atomic_store_n(p, value, __ATOMIC_RELAXED);
}
uint32_t gpu_load32_acquire_system(const uint32_t *p) {
  emulate_perhaps_switch();
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
static void emulate_is_late(unsigned chance, long milliseconds) {
  const struct timespec while_others_go_on = {0, milliseconds * 1000000};
  if (chance && emulate_chance(chance) == 0)
    nanosleep(&while_others_go_on, NULL);
}
void gpu_store32_release_system(uint32_t *p, uint32_t value) {
  emulate_perhaps_switch();
  emulate_is_late(emulate_links.late, 2);
  __atomic_store_n(p, value, __ATOMIC_RELEASE);
}
uint64_t gpu_load64_acquire_system(const uint64_t *p) {
  emulate_perhaps_switch();
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
void gpu_store64_release_system(uint64_t *p, uint64_t value) {
  emulate_perhaps_switch();
  emulate_is_late(emulate_links.results_late, 40);
  emulate_is_late(emulate_links.late, 2);
  __atomic_store_n(p, value, __ATOMIC_RELEASE);
}
void gpu_fence_system(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

struct piece gpu_load_piece(const unsigned char *p, unsigned bytes, unsigned element) {
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
  type name(type *p, type value) {                                                                                     \
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

uint32_t gpu_load32_if(const uint32_t *p, bool wanted, uint32_t value) { return wanted ? gpu_load32(p) : value; }
uint32_t gpu_or32_if(uint32_t *p, uint32_t value, bool wanted, uint32_t otherwise) {
  return wanted ? gpu_or32(p, value) : otherwise;
}

/* ---- slots: as on CUDA, with the compare-and-swap of each width -------------------------------------- */

uint64_t slot_load(const void *slots, uint64_t i, unsigned bits) {
  emulate_perhaps_switch();
  if (bits == PACKED_BITS)
    return ((const volatile uint64_t *)slots)[i / PACKED_IN_WORD] >> packed_shift(i) & PACKED_MASK;
  if (bits == 16)
    return ((const volatile uint16_t *)slots)[i];
  if (bits == 32)
    return ((const volatile uint32_t *)slots)[i];
  return ((const volatile uint64_t *)slots)[i];
}

uint64_t slot_claim(void *slots, uint64_t i, unsigned bits, uint64_t value) {
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

uint64_t slot_swap(void *slots, uint64_t i, unsigned bits, uint64_t expected, uint64_t value) {
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

void word_store(void *words, uint64_t i, unsigned bits, uint64_t value) {
  emulate_perhaps_switch();
  if (bits == 32)
    ((volatile uint32_t *)words)[i] = (uint32_t)value;
  else
    ((volatile uint64_t *)words)[i] = value;
}

void word_add(void *words, uint64_t i, unsigned bits, uint64_t value) {
  emulate_perhaps_switch();
  if (bits == 32)
    ((uint32_t *)words)[i] += (uint32_t)value;
  else
    ((uint64_t *)words)[i] += value;
}

void word_max(void *words, uint64_t i, unsigned bits, uint64_t value) {
  const uint64_t seen = slot_load(words, i, bits);
  if (seen >= value)
    return;
  if (bits == 32)
    ((uint32_t *)words)[i] = (uint32_t)value;
  else
    ((uint64_t *)words)[i] = value;
}

uint64_t slot_exchange(void *slots, uint64_t i, unsigned bits, uint64_t value) {
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

struct slot128 slot128_load(const void *slots, uint64_t i) {
  emulate_perhaps_switch();
  if ((uintptr_t)slots % sizeof(struct slot128))
    emulate_fail("a slot of 128 bits is not aligned");
  return ((const volatile struct slot128 *)slots)[i];
}

struct slot128 slot128_swap(void *slots, uint64_t i, struct slot128 expected, struct slot128 value) {
  const struct slot128 seen = slot128_load(slots, i);
  if (seen.low == expected.low && seen.high == expected.high)
    ((volatile struct slot128 *)slots)[i] = value;
  return seen;
}

struct slot128 slot128_exchange(void *slots, uint64_t i, struct slot128 value) {
  const struct slot128 seen = slot128_load(slots, i);
  ((volatile struct slot128 *)slots)[i] = value;
  return seen;
}

/* ---- shared memory that a block's threads swap ---------------------------------------------------------- */

uint64_t block_swap64(uint64_t *p, uint64_t expected, uint64_t value) { return slot_swap(p, 0, 64, expected, value); }
struct slot128 block_slot128_swap(struct slot128 *p, struct slot128 expected, struct slot128 value) {
  return slot128_swap(p, 0, expected, value);
}

/* Time is the number of switches. While waiting for another device it is the clock, scaled to the speed of the emulated
 * device: on a loaded machine each sleep may take milliseconds for one switch. */
uint64_t gpu_nanoseconds(void) { return emulate.turns + emulate.rested / EMULATE_SLOWER; }

HOT uint64_t emulate_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A thread that sleeps briefly runs again before threads that never sleep: on a loaded machine a yield takes longer. */
static __attribute__((noinline)) void emulate_rest(void) {
  const uint64_t before = emulate_clock();
  const struct timespec moment = {.tv_nsec = 20000};
  nanosleep(&moment, NULL);
  emulate.rested += emulate_clock() - before;
}

/* The kernel may wait for another device. Mostly it waits for a thread of this one, which a sleep would delay. */
void gpu_pause(uint32_t times) {
  if (times >= 20 && ++emulate.pauses % EMULATE_PAUSES == 0)
    emulate_rest();
  emulate_switch();
}

/* ---- words through which other memory is published: memory is sequentially consistent here ---------------- */

uint64_t word_load_acquire(const uint64_t *words, uint64_t i) { return gpu_load64(words + i); }
void word_store_release(uint64_t *words, uint64_t i, uint64_t value) { gpu_store64(words + i, value); }
uint64_t word_next(uint64_t *word) { return gpu_add64(word, 1); }
void word_pause(uint32_t times) { gpu_pause(times); }

/* A function of its own, as emulate_switch. */
static __attribute__((noinline, noreturn)) void emulate_over(void) { EMULATE_JUMP(emulate.over); }

static __attribute__((noinline)) void emulate_end(void) {
  if (!EMULATE_MARK(emulate.now->here))
    emulate_over();
}

/* The base of each fiber's stack. A finished fiber waits here for the next launch. */
static void emulate_body(void) {
  for (;;) {
    emulate.kernel();
    emulate_not_ready(emulate.now);
    if (--emulate.running == 0)
      emulate_end();
    else
      emulate_switch();
  }
}

static void *emulate_take(size_t n, size_t size) {
  void *p = calloc(n, size);
  if (!p)
    emulate_fail("no memory");
  return p;
}

/* The fibers of this host thread with their stacks, kept from launch to launch: most launches are short. */
static __thread struct fibers {
  struct emulate_thread *threads;
  unsigned char *stacks;
  size_t count;
} fibers;

static pthread_key_t fibers_end; /* frees them at the end of the host thread */

static void fibers_free(void *of_thread) {
  const struct fibers *of = of_thread;
  free(of->threads);
  munmap(of->stacks, of->count * EMULATE_STACK);
}

static void fibers_key_create(void) {
  if (pthread_key_create(&fibers_end, fibers_free) != 0)
    emulate_fail("no key for fibers");
}

static void fibers_create(size_t count) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fibers_key_create);
  if (fibers.count > 0)
    fibers_free(&fibers);
  fibers.count = count;
  fibers.threads = emulate_take(count, sizeof *fibers.threads);
  fibers.stacks =
      mmap(NULL, count * EMULATE_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fibers.stacks == MAP_FAILED || pthread_setspecific(fibers_end, &fibers) != 0)
    emulate_fail("no memory for stacks");
  for (size_t i = 0; i < count; i++) {
    struct emulate_thread *thread = &fibers.threads[i];
    getcontext(&thread->start);
    thread->start.uc_stack.ss_sp = fibers.stacks + i * EMULATE_STACK;
    thread->start.uc_stack.ss_size = EMULATE_STACK;
    makecontext(&thread->start, emulate_body, 0);
  }
}

static void emulate_prepare(void) {
  const unsigned warps = emulate.block_size / EMULATE_LANES;
  for (unsigned b = 0; b < emulate.block_count; b++) {
    struct emulate_block *block = &emulate.blocks[b];
    block->all.members = emulate.block_size;
    block->warps = emulate_take(warps, sizeof *block->warps);
    for (unsigned w = 0; w < warps; w++)
      block->warps[w].members = EMULATE_LANES;
    block->shared = emulate_take(1, EMULATE_SHARED);
    memset(block->shared, 0xa5, EMULATE_SHARED);
  }
  for (size_t i = 0; i < emulate.thread_count; i++) {
    struct emulate_thread *thread = &emulate.threads[i];
    thread->block = (unsigned)(i / emulate.block_size);
    thread->thread = (unsigned)(i % emulate.block_size);
    thread->waits = NULL;
    emulate_ready(thread);
  }
}

static void emulate_clean_up(void) {
  for (unsigned b = 0; b < emulate.block_count; b++) {
    free(emulate.blocks[b].warps);
    free(emulate.blocks[b].shared);
  }
  free(emulate.blocks);
  free(emulate.ready);
}

const void *emulate_argument(unsigned i) { return emulate.arguments[i]; }

void emulate_launch(void (*kernel)(void), const struct emulated_grid *grid, const void *const *arguments) {
  memset(&emulate, 0, sizeof emulate);
  emulate.kernel = kernel;
  emulate.arguments = arguments;
  emulate.block_count = grid->blocks;
  emulate.block_size = GPU_BLOCK;
  emulate.thread_count = (size_t)grid->blocks * GPU_BLOCK;
  emulate.random = grid->seed;
  emulate.yield_percent = grid->yield_percent;
  emulate.running = emulate.thread_count;
  if (emulate.thread_count > fibers.count)
    fibers_create(emulate.thread_count);
  emulate.threads = fibers.threads;
  emulate.ready = emulate_take(emulate.thread_count, sizeof *emulate.ready);
  emulate.blocks = emulate_take(emulate.block_count, sizeof *emulate.blocks);
  emulate_prepare();
  if (!EMULATE_MARK(emulate.over))
    emulate_switch();
  emulate_clean_up();
}
