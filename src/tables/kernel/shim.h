/* Everything that kernel C (the common subset of C11 and CUDA C) needs of the machine: qualifiers, atomics with
   explicit memory order, prefetch, and the scan of a bucket. No other kernel text depends on the machine.

   This is the CPU's shim: a "warp" has one lane, so there are no collectives. The scan of a bucket has several
   forms; the file that includes the kernel selects one by setting KERNEL_SCAN to its header (default: portable).
   Another machine includes its shim before this text. That shim defines KERNEL_MACHINE and everything between the
   #ifndef and its end (for CUDA: gpu/kernel/base/machine.h). */
#ifndef FLOE_TABLES_KERNEL_SHIM_H
#define FLOE_TABLES_KERNEL_SHIM_H

#ifndef KERNEL_MACHINE
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define KERNEL_FN static inline __attribute__((always_inline, unused))

/* High half of the 128-bit product. */
KERNEL_FN uint64_t multiply_high(uint64_t a, uint64_t b) { return (uint64_t)(((unsigned __int128)a * b) >> 64); }

KERNEL_FN unsigned lowest_bit(uint32_t mask) { return (unsigned)__builtin_ctz(mask); } /* mask != 0 */
KERNEL_FN unsigned count_bits(uint32_t mask) { return (unsigned)__builtin_popcount(mask); }

/* A benchmark measures without prefetches. */
#ifndef KERNEL_PREFETCH
#define KERNEL_PREFETCH(p) __builtin_prefetch((p), 1, 3)
#endif

/* ---- loads of memory that other threads may write -----------------------------------------------------

   Every load of a table's memory is one of these, a load of a scan form (scan_load), or a load of another machine's
   shim (gpu_load32 ...): one function for each width. A slot must be read at one time, and once. With a plain load
   the compiler may read the slot again for each comparison: a scan may then read it first as empty and later as full
   with its key, pass it, and put the key a second time. So the load is atomic: the compiler must not double or split
   it. Its result is opaque, so that no use of it reads memory again. tests/tables/kernel/scans.sh checks the
   compiled code. */
#define KERNEL_LOAD(name, type, order)                                                                                 \
  typedef type name##_word __attribute__((may_alias));                                                                 \
  KERNEL_FN uint64_t name(const void *p) {                                                                             \
    uint64_t value = __atomic_load_n((const name##_word *)p, order);                                                   \
    __asm__("" : "+r"(value));                                                                                         \
    return value;                                                                                                      \
  }
/* Relaxed order: each caller states why. */
KERNEL_LOAD(shared_load16, uint16_t, __ATOMIC_RELAXED)
KERNEL_LOAD(shared_load32, uint32_t, __ATOMIC_RELAXED)
KERNEL_LOAD(shared_load64, uint64_t, __ATOMIC_RELAXED)
/* Acquire order: later loads in program order stay after it. */
KERNEL_LOAD(shared_load8_acquire, uint8_t, __ATOMIC_ACQUIRE)
KERNEL_LOAD(shared_load64_acquire, uint64_t, __ATOMIC_ACQUIRE)
#undef KERNEL_LOAD

/* ---- slots ------------------------------------------------------------------------------------------ */

#include "tables/kernel/packed.h"

/* Slot i of an array of slots of `bits` (16, 21, 32 or 64) bits. Relaxed order: a slot is written once, from empty
   to its final value, and publishes nothing but that value. No argument of the scheme compares the times of two
   slots. */
KERNEL_FN uint64_t slot_load(const void *slots, uint64_t i, unsigned bits) {
  if (bits == PACKED_BITS)
    return shared_load64((const uint64_t *)slots + i / PACKED_IN_WORD) >> packed_shift(i) & PACKED_MASK;
  if (bits == 16)
    return shared_load16((const uint16_t *)slots + i);
  if (bits == 32)
    return shared_load32((const uint32_t *)slots + i);
  return shared_load64((const uint64_t *)slots + i);
}

/* The compare-and-swap covers the whole word, so it also fails if another slot of the word was written; then it is
   repeated. Slots are written once, so that happens at most twice. */
KERNEL_FN uint64_t packed_claim(void *slots, uint64_t i, uint64_t value) {
  uint64_t *word = (uint64_t *)slots + i / PACKED_IN_WORD;
  uint64_t seen = shared_load64(word);
  while ((seen >> packed_shift(i) & PACKED_MASK) == 0)
    if (__atomic_compare_exchange_n(word, &seen, seen | value << packed_shift(i), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return 0;
  return seen >> packed_shift(i) & PACKED_MASK;
}

/* Writes `value` if the slot is empty (0). Returns the old content: 0 if the value was written. Relaxed order, for
   the same reason; atomicity alone ensures that one thread wins the slot. */
KERNEL_FN uint64_t slot_claim(void *slots, uint64_t i, unsigned bits, uint64_t value) {
  if (bits == PACKED_BITS)
    return packed_claim(slots, i, value);
  if (bits == 16) {
    uint16_t seen = 0;
    __atomic_compare_exchange_n((uint16_t *)slots + i, &seen, (uint16_t)value, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return seen;
  }
  if (bits == 32) {
    uint32_t seen = 0;
    __atomic_compare_exchange_n((uint32_t *)slots + i, &seen, (uint32_t)value, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return seen;
  }
  uint64_t seen = 0;
  __atomic_compare_exchange_n((uint64_t *)slots + i, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return seen;
}

/* Writes `value` if the slot holds `expected`. Returns the old content: `expected` if the value was written. Relaxed
   order: a scheme whose slots change states why that suffices. */
KERNEL_FN uint64_t packed_swap(void *slots, uint64_t i, uint64_t expected, uint64_t value) {
  uint64_t *word = (uint64_t *)slots + i / PACKED_IN_WORD;
  uint64_t seen = shared_load64(word);
  while ((seen >> packed_shift(i) & PACKED_MASK) == expected)
    if (__atomic_compare_exchange_n(word, &seen, seen ^ (expected ^ value) << packed_shift(i), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return expected;
  return seen >> packed_shift(i) & PACKED_MASK;
}

KERNEL_FN uint64_t slot_swap(void *slots, uint64_t i, unsigned bits, uint64_t expected, uint64_t value) {
  if (bits == PACKED_BITS)
    return packed_swap(slots, i, expected, value);
  if (bits == 16) {
    uint16_t seen = (uint16_t)expected;
    __atomic_compare_exchange_n((uint16_t *)slots + i, &seen, (uint16_t)value, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return seen;
  }
  if (bits == 32) {
    uint32_t seen = (uint32_t)expected;
    __atomic_compare_exchange_n((uint32_t *)slots + i, &seen, (uint32_t)value, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return seen;
  }
  __atomic_compare_exchange_n((uint64_t *)slots + i, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

/* Writes `value` into the slot of 32 or 64 bits; returns the old content. Relaxed, as slot_swap. */
KERNEL_FN uint64_t slot_exchange(void *slots, uint64_t i, unsigned bits, uint64_t value) {
  if (bits == 32)
    return __atomic_exchange_n((uint32_t *)slots + i, (uint32_t)value, __ATOMIC_RELAXED);
  return __atomic_exchange_n((uint64_t *)slots + i, value, __ATOMIC_RELAXED);
}

/* Words of 32 or 64 bits that many threads write, in relaxed order; slot_load reads them. */
KERNEL_FN void word_store(void *words, uint64_t i, unsigned bits, uint64_t value) {
  if (bits == 32)
    __atomic_store_n((uint32_t *)words + i, (uint32_t)value, __ATOMIC_RELAXED);
  else
    __atomic_store_n((uint64_t *)words + i, value, __ATOMIC_RELAXED);
}

KERNEL_FN void word_add(void *words, uint64_t i, unsigned bits, uint64_t value) {
  if (bits == 32)
    __atomic_fetch_add((uint32_t *)words + i, (uint32_t)value, __ATOMIC_RELAXED);
  else
    __atomic_fetch_add((uint64_t *)words + i, value, __ATOMIC_RELAXED);
}

/* Words of 64 bits through which other memory is published: all writes before the store are visible after the load
   that returns its value. */
KERNEL_FN uint64_t word_load_acquire(const uint64_t *words, uint64_t i) { return shared_load64_acquire(words + i); }
KERNEL_FN void word_store_release(uint64_t *words, uint64_t i, uint64_t value) {
  __atomic_store_n(words + i, value, __ATOMIC_RELEASE);
}
/* Adds 1; returns the old value. Relaxed. */
KERNEL_FN uint64_t word_next(uint64_t *word) { return __atomic_fetch_add(word, 1, __ATOMIC_RELAXED); }
/* Back-off in a loop that waits for another thread, after `times` reads: that thread may need this processor. */
KERNEL_FN void word_pause(uint32_t times) {
  if (times >= 100)
    sched_yield();
}

/* Keeps the larger value. */
KERNEL_FN void word_max(void *words, uint64_t i, unsigned bits, uint64_t value) {
  uint64_t seen = slot_load(words, i, bits);
  while (seen < value) {
    const uint64_t before = slot_swap(words, i, bits, seen, value);
    if (before == seen)
      return;
    seen = before;
  }
}

/* Slots of 128 bits: two words, swapped together. KERNEL_HAS_SLOT128: the target has the instruction. The first
   x86-64 processors lack cmpxchg16b: the host tests for it (tables/slot128.h). */

struct slot128 {
  uint64_t low, high;
};

/* Slot i, aligned to 16 bytes. Reads both halves until the low one stayed the same: one snapshot if the low half
   never returns to an earlier value. Acquire order keeps the three loads in order. */
KERNEL_FN struct slot128 slot128_load(const void *slots, uint64_t i) {
  const uint64_t *words = (const uint64_t *)slots + 2 * i;
  struct slot128 slot128;
  do {
    slot128.low = shared_load64_acquire(words);
    slot128.high = shared_load64_acquire(words + 1);
  } while (shared_load64(words) != slot128.low);
  return slot128;
}

/* As slot_swap. On x86-64 in assembly: compilers call a library function for it unless the target excludes the first
   processors. */
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16
#define KERNEL_HAS_SLOT128 1
KERNEL_FN unsigned __int128 slot128_whole(struct slot128 slot128) {
  return (unsigned __int128)slot128.high << 64 | slot128.low;
}

KERNEL_FN struct slot128 slot128_swap(void *slots, uint64_t i, struct slot128 expected, struct slot128 value) {
  unsigned __int128 *slot = (unsigned __int128 *)slots + i;
  unsigned __int128 seen = __sync_val_compare_and_swap(slot, slot128_whole(expected), slot128_whole(value));
  return (struct slot128){(uint64_t)seen, (uint64_t)(seen >> 64)};
}
#elif defined(__x86_64__)
#define KERNEL_HAS_SLOT128 1
KERNEL_FN struct slot128 slot128_swap(void *slots, uint64_t i, struct slot128 expected, struct slot128 value) {
  unsigned __int128 *slot = (unsigned __int128 *)slots + i;
  __asm__ volatile("lock cmpxchg16b %0"
                   : "+m"(*slot), "+a"(expected.low), "+d"(expected.high)
                   : "b"(value.low), "c"(value.high)
                   : "memory", "cc");
  return expected;
}
#endif

#ifdef KERNEL_HAS_SLOT128
/* As slot_exchange. The two halves of the first read may be of different times; then the first swap fails and
   returns the content. */
KERNEL_FN struct slot128 slot128_exchange(void *slots, uint64_t i, struct slot128 value) {
  const uint64_t *words = (const uint64_t *)slots + 2 * i;
  struct slot128 expected = {shared_load64(words), shared_load64(words + 1)};
  for (;;) {
    const struct slot128 seen = slot128_swap(slots, i, expected, value);
    if (seen.low == expected.low && seen.high == expected.high)
      return seen;
    expected = seen;
  }
}
#endif
#endif

/* Result of a scan. In both masks bit i stands for slot i. Exception: `match` of packed slots has the order of the
   comparison and is only 0 or not 0. A slot that is in neither mask, and before the match if there is one, was read
   as full and different from the value to find; the schemes rely on nothing else. A bit in `empty` means only "not
   read as full": the slot may be full by now, or (if a form stops early) not have been read. No scan is one snapshot
   of the bucket: vector loads are not atomic as a whole, so a later slot may be read as full and an earlier one as
   empty. */
struct scan {
  uint32_t match, empty;
};

/* struct scan scan_bucket(const void *bucket, unsigned slots, unsigned bits, uint64_t value):
   `slots` (4, 8, 16, 32; packed ones 3, 6, 12, 24) slots of `bits` bits, aligned to the bucket's size (at most 64). */
#ifdef KERNEL_MACHINE
#include "tables/kernel/scan_portable.h"
#else
#ifndef KERNEL_SCAN
#define KERNEL_SCAN "tables/kernel/scan_portable.h"
#endif
#include KERNEL_SCAN
#endif

#endif
