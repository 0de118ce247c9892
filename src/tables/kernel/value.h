/* Values of a stable table: an array beside the slots, with a word of 32 or 64 bits for each slot.

   A key has its slot before its value is written, so another thread may find the key and be the first to add to it.
   Therefore a word of zeros means "no value yet" and is neutral for the reduction. The thread that put the key and
   the threads that found it do the same atomic operation, in any order. Words hold

       replace, sum, max   the value
       min                 its complement: the least value is the largest word

   (A user's reduction has no known neutral word: src/tables/iceberg/iceberg_map.c.) Sums are modulo 2^bits. If
   several threads replace a value at the same time, any of their values may be the last.

   Relaxed order everywhere: a value publishes nothing but itself. A thread that reads it before all additions are
   done gets a partial result. */
#ifndef FLOE_TABLES_KERNEL_VALUE_H
#define FLOE_TABLES_KERNEL_VALUE_H

#include "tables/kernel/shim.h"

/* As enum table_reduction. */
enum value_reduction { VALUE_REPLACE, VALUE_SUM, VALUE_MIN, VALUE_MAX, VALUE_USER };

/* Converts a value to its word, and back. */
KERNEL_FN uint64_t value_word(uint64_t value, unsigned bits, unsigned reduction) {
  return (reduction == VALUE_MIN ? ~value : value) & UINT64_MAX >> (64 - bits);
}

KERNEL_FN uint64_t value_get(const void *values, uint64_t slot, unsigned bits, unsigned reduction) {
  return value_word(slot_load(values, slot, bits), bits, reduction);
}

/* Adds the value to the present one, or writes the first one. Not for VALUE_USER. */
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
