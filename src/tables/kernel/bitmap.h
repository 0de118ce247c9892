/* A set of keys as one bit for each key that there can be: bit k % 32 of word k / 32 is 1 where the key of number k is
   in it, which is key k, or of a member's share the k-th (local_index.h). There is no hash and no place that could be
   missing: the answer FULL is never given.

   A key's bit changes once, from 0 to 1, by an atomic or, and of all who set it exactly one sees that it was 0: that
   one put the key. A bit that is seen to be 1 stays 1, so that a plain look may come first: it saves the atomic for
   keys that are known, which most are. Relaxed order everywhere: a key's answer depends on its own bit alone, and no
   other memory is published through it. */
#ifndef FLOE_KERNEL_BITMAP_H
#define FLOE_KERNEL_BITMAP_H

#include "tables/kernel/local_index.h"

/* enum table_answer (tables/table.h), for text that has no other headers. */
enum bitmap_answer { BITMAP_FOUND, BITMAP_PUT, BITMAP_FULL };

enum { BITMAP_WORD_BITS = 32 };

/* The table as kernels see it, passed by value; the memory is the host's, zero when the table is empty. */
struct bitmap {
  uint32_t *words;
  uint64_t keys;            /* all numbers are below it; words have room for a multiple of 512 */
  struct local_index shares; /* without members: all keys are there */
  uint32_t member;          /* else those of this one */
};

#endif
