/* A set of keys as a bitmap with one bit for each possible key. Bit k % 32 of word k / 32 is 1 if key k is in the
   set. For a member of a group, k is the key's local index (local_index.h). Every key has a place, so the answer
   FULL never occurs.

   A bit changes once, from 0 to 1, by an atomic OR. Of all threads that set it exactly one reads 0 as the old value:
   that thread put the key. A bit that was read as 1 stays 1, so an operation may read the bit first. That saves the
   atomic for known keys, which are the majority. Relaxed order everywhere: the answer depends on the key's own bit
   alone, and no other memory is published through it. */
#ifndef FLOE_TABLES_KERNEL_BITMAP_H
#define FLOE_TABLES_KERNEL_BITMAP_H

#include "tables/kernel/local_index.h"

/* As enum table_answer (tables/table.h), for code that includes no other headers. */
enum bitmap_answer { BITMAP_FOUND, BITMAP_PUT, BITMAP_FULL };

enum { BITMAP_WORD_BITS = 32 };

/* The table as kernels get it, passed by value. The host owns the memory, which is zero when the table is empty. */
struct bitmap {
  uint32_t *words;
  uint64_t keys;                  /* exclusive bound of the bit numbers; words have room for a multiple of 512 bits */
  struct local_index local_index; /* without members: the set has all keys */
  uint32_t member;                /* with members: number of the member that owns the set */
};

#endif
