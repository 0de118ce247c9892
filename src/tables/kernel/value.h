/* Values of a table whose keys stay where they are: an array beside the slots, a word of 32 or 64 bits for each.

   A key has its slot before its value is written, so that another thread may find the key and be the first to add to
   it. Therefore a word of zeros is "nothing yet" and neutral: whoever won the slot and whoever found the key do the
   same, one atomic operation, and their order is of no importance. Words hold
     replace, sum, max   the value
     min                 its complement: the least value is the largest word
   (A user's reduction has no neutral word known: src/tables/iceberg/iceberg_map.c.) Sums are modulo 2^bits. Of values that
   replace each other at the same time any may be the last.

   All in relaxed order: a value stands for itself alone, and who reads it before those who add are done gets what has
   been added until then. */
#ifndef FLOE_KERNEL_VALUE_H
#define FLOE_KERNEL_VALUE_H

#include "tables/kernel/shim.h"

/* As enum table_reduction. */
enum value_reduction { VALUE_REPLACE, VALUE_SUM, VALUE_MIN, VALUE_MAX, VALUE_USER };

/* From a value to its word and back. */
KERNEL_FN uint64_t value_word(uint64_t value, unsigned bits, unsigned reduction) {
  return (reduction == VALUE_MIN ? ~value : value) & UINT64_MAX >> (64 - bits);
}

KERNEL_FN uint64_t value_get(const void *values, uint64_t slot, unsigned bits, unsigned reduction) {
  return value_word(slot_load(values, slot, bits), bits, reduction);
}

/* The value is added to what is there, or is the first one. Not for VALUE_USER. */
KERNEL_FN void value_add(void *values, uint64_t slot, unsigned bits, unsigned reduction, uint64_t value) {
  const uint64_t word = value_word(value, bits, reduction);
  if (reduction == VALUE_SUM)
    word_add(values, slot, bits, word);
  else if (reduction == VALUE_REPLACE)
    word_store(values, slot, bits, word);
  else
    word_max(values, slot, bits, word);
}

#endif
