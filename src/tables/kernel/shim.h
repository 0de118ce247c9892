/* What kernel C (the common subset of C11 and CUDA C) needs of the machine: qualifiers, atomics with explicit
   memory order, prefetch, and the scan of a bucket. Nothing else in the kernel text depends on the machine.

   This is the CPU's shim: a "warp" has one lane, so there are no collectives. The scan of a bucket comes in several
   forms; the file that includes the kernel picks one by setting KERNEL_SCAN to its header (default: portable).
   Another machine's shim stands in front of this text, defines KERNEL_MACHINE and all that is between the #ifndef and
   its end (for CUDA: gpu/kernel/base/machine.h). */
#ifndef FLOE_KERNEL_SHIM_H
#define FLOE_KERNEL_SHIM_H

#ifndef KERNEL_MACHINE
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define KERNEL_FN static inline __attribute__((always_inline, unused))

/* High half of the 128-bit product. */
KERNEL_FN uint64_t multiply_high(uint64_t a, uint64_t b) { return (uint64_t)(((unsigned __int128)a * b) >> 64); }

KERNEL_FN unsigned lowest_bit(uint32_t mask) { return (unsigned)__builtin_ctz(mask); } /* mask != 0 */
KERNEL_FN unsigned count_bits(uint32_t mask) { return (unsigned)__builtin_popcount(mask); }

/* (A benchmark measures without.) */
#ifndef KERNEL_PREFETCH
#define KERNEL_PREFETCH(p) __builtin_prefetch((p), 1, 3)
#endif

/* ---- loads of what other threads may write ----------------------------------------------------------

   Every load of a table's memory is one of these, or of those of a scan form (scan_load), or for another machine of its
   shim (gpu_load32 ...): one function for each width. A slot must be read at one time, and once: a compiler that may
   read it again for each comparison (as they may where the load is a plain one) lets a scan see the slot empty at first
   and full with its key after that, pass it, and put the key a second time. So the load is atomic, which it may not
   double or split, and what it gave is opaque, so that no use of it is a read of memory. tests/tables/kernel/scans.sh reads
   what compilers make of it. */
#define KERNEL_LOAD(name, type, order)                                                                                 \
  typedef type name##_word __attribute__((may_alias));                                                                 \
  KERNEL_FN uint64_t name(const void *p) {                                                                             \
    uint64_t value = __atomic_load_n((const name##_word *)p, order);                                                   \
    __asm__("" : "+r"(value));                                                                                         \
    return value;                                                                                                      \
  }
/* Relaxed order: who says so says why. */
KERNEL_LOAD(shared_load16, uint16_t, __ATOMIC_RELAXED)
KERNEL_LOAD(shared_load32, uint32_t, __ATOMIC_RELAXED)
KERNEL_LOAD(shared_load64, uint64_t, __ATOMIC_RELAXED)
/* Acquire order: loads after it in the text are after it. */
KERNEL_LOAD(shared_load8_acquire, uint8_t, __ATOMIC_ACQUIRE)
KERNEL_LOAD(shared_load64_acquire, uint64_t, __ATOMIC_ACQUIRE)
#undef KERNEL_LOAD

/* ---- slots ------------------------------------------------------------------------------------------ */

#include "tables/kernel/packed.h"

/* Slot i of an array of slots of `bits` (16, 21, 32 or 64) bits.
   Relaxed order: a slot is written once, from empty to its final value, and that value is the whole message: no
   other memory is published through it, and no argument of the scheme compares the times of two slots. */
KERNEL_FN uint64_t slot_load(const void *slots, uint64_t i, unsigned bits) {
  if (bits == PACKED_BITS)
    return shared_load64((const uint64_t *)slots + i / PACKED_IN_WORD) >> packed_shift(i) & PACKED_MASK;
  if (bits == 16)
    return shared_load16((const uint16_t *)slots + i);
  if (bits == 32)
    return shared_load32((const uint32_t *)slots + i);
  return shared_load64((const uint64_t *)slots + i);
}

/* The compare-and-swap is on the whole word, so it also fails when another slot of the word was written: then it is
   tried again. Slots are written once, so that happens at most twice. */
KERNEL_FN uint64_t packed_claim(void *slots, uint64_t i, uint64_t value) {
  uint64_t *word = (uint64_t *)slots + i / PACKED_IN_WORD;
  uint64_t seen = shared_load64(word);
  while ((seen >> packed_shift(i) & PACKED_MASK) == 0)
    if (__atomic_compare_exchange_n(word, &seen, seen | value << packed_shift(i), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return 0;
  return seen >> packed_shift(i) & PACKED_MASK;
}

/* Writes `value` into the slot when it is empty (0). Returns what the slot held before: 0 when the value is in now.
   Relaxed order, for the same reason; that a slot is won once follows from the atomicity alone. */
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

/* Writes `value` into the slot when it holds `expected`. Returns what it held before: `expected` when the value is in
   now. Relaxed order: a scheme whose slots change says why that is enough. */
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

/* Writes `value` into the slot of 32 or 64 bits; returns what it held before. Relaxed, as slot_swap. */
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

/* Words of 64 bits through which other memory is published: what was written before the store is there after the load
   that gives its value. */
KERNEL_FN uint64_t word_load_acquire(const uint64_t *words, uint64_t i) { return shared_load64_acquire(words + i); }
KERNEL_FN void word_store_release(uint64_t *words, uint64_t i, uint64_t value) {
  __atomic_store_n(words + i, value, __ATOMIC_RELEASE);
}
/* Adds 1; returns what it was. Relaxed. */
KERNEL_FN uint64_t word_next(uint64_t *word) { return __atomic_fetch_add(word, 1, __ATOMIC_RELAXED); }
/* In a loop that waits for another thread, which looked `times` times already: that one may want this processor. */
KERNEL_FN void word_pause(uint32_t times) {
  if (times >= 100)
    sched_yield();
}

/* The larger one stays. */
KERNEL_FN void word_max(void *words, uint64_t i, unsigned bits, uint64_t value) {
  uint64_t seen = slot_load(words, i, bits);
  while (seen < value) {
    const uint64_t before = slot_swap(words, i, bits, seen, value);
    if (before == seen)
      return;
    seen = before;
  }
}

/* Slots of 128 bits: two words, swapped together. KERNEL_HAS_WIDE: the machine can, but for the first processors with
   x86-64, which have no cmpxchg16b: the host asks. */

struct wide {
  uint64_t low, high;
};

/* Slot i, 16 bytes aligned. Half by half, until the low one did not change meanwhile: one snapshot where the low half
   never comes back to a value that it had before. Acquire order keeps the three loads in theirs. */
KERNEL_FN struct wide multiword_load(const void *slots, uint64_t i) {
  const uint64_t *words = (const uint64_t *)slots + 2 * i;
  struct wide wide;
  do {
    wide.low = shared_load64_acquire(words);
    wide.high = shared_load64_acquire(words + 1);
  } while (shared_load64(words) != wide.low);
  return wide;
}

/* As slot_swap. On x86-64 in words of its own: compilers make a call of a library of it, unless they are told that the
   processor is not of the first. */
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_16
#define KERNEL_HAS_WIDE 1
KERNEL_FN unsigned __int128 multiword_whole(struct wide wide) { return (unsigned __int128)wide.high << 64 | wide.low; }

KERNEL_FN struct wide wide_swap(void *slots, uint64_t i, struct wide expected, struct wide value) {
  unsigned __int128 *slot = (unsigned __int128 *)slots + i;
  unsigned __int128 seen = __sync_val_compare_and_swap(slot, multiword_whole(expected), multiword_whole(value));
  return (struct wide){(uint64_t)seen, (uint64_t)(seen >> 64)};
}
#elif defined(__x86_64__)
#define KERNEL_HAS_WIDE 1
KERNEL_FN struct wide wide_swap(void *slots, uint64_t i, struct wide expected, struct wide value) {
  unsigned __int128 *slot = (unsigned __int128 *)slots + i;
  __asm__ volatile("lock cmpxchg16b %0"
                   : "+m"(*slot), "+a"(expected.low), "+d"(expected.high)
                   : "b"(value.low), "c"(value.high)
                   : "memory", "cc");
  return expected;
}
#endif

#ifdef KERNEL_HAS_WIDE
/* As slot_exchange. The two halves need not be of one time: then the first swap fails, and tells. */
KERNEL_FN struct wide multiword_exchange(void *slots, uint64_t i, struct wide value) {
  const uint64_t *words = (const uint64_t *)slots + 2 * i;
  struct wide expected = {shared_load64(words), shared_load64(words + 1)};
  for (;;) {
    const struct wide seen = wide_swap(slots, i, expected, value);
    if (seen.low == expected.low && seen.high == expected.high)
      return seen;
    expected = seen;
  }
}
#endif
#endif

/* What a scan saw. In both masks bit i stands for slot i, but in `match` of packed slots, which come in the order of
   the compare: there it is 0 or not. A slot that is in neither mask, and before the match where there is one, was seen
   full and different from the value wanted; that is the only thing the schemes rely on. A bit in `empty` says no more
   than "not seen full": the slot may be full by now, or (where a form stops early) not have been looked at. No scan is
   one snapshot of the bucket: wide loads are not atomic as a whole, so a later slot may be seen full while an earlier
   one was seen empty. */
struct scan {
  uint32_t match, empty;
};

/* struct scan scan_bucket(const void *bucket, unsigned slots, unsigned bits, uint64_t wanted):
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
