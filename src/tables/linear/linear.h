/* The scheme "linear": linear probing, a set or a map that is not compact (tables/kernel/linear.h).

   Sets (value_bits 0) of keys of any width, in slots of 64 bits, or of 32 for keys of at most 32 bits; slot_bits 0
   lets the scheme choose. They can hold a visited set. Maps with value_bits 32 (keys of at most 32 bits) and 64
   (keys of any width). A value of 64 bits must not be 2^64 - 1: an operation that would store it, given or as the
   result of a reduction, answers RESERVED and changes nothing. There are no buckets: a configuration with bucket_slots
   has no layout. Any number of slots is possible, rounded up to a multiple of LINEAR_WINDOW, and at most twice the
   number of keys.

   Operations of sets: FIND, FIND_OR_PUT, PUT_NEW and, if slots are wider than keys, DELETE; a key that is put again
   after its deletion takes another slot. Maps have all operations: FIND_OR_PUT and PUT_NEW keep a present value, ADD
   combines, a deleted key keeps its slot and reuses it when it is added. table_rehash drops deleted keys. All may
   run concurrently in any number of threads, also on the same keys:

   - Operations on the same key are linearizable, in any mix: some order of them, with each between its call and its
     answer, explains all answers and values. Of equal keys put into a set, or into a map without deletions, exactly
     one gets PUT. GET never returns a value that was not given to that key.
   - The table does not order operations on different keys; a caller that needs an order must synchronise the calls.
     Keys of one call are processed one after the other, in order.

   If a key to put gets FULL, the answer is final for this table: it stays FULL. */
#ifndef FLOE_TABLES_LINEAR_LINEAR_H
#define FLOE_TABLES_LINEAR_LINEAR_H

#include "tables/host_table.h"
#include "tables/kernel/linear.h"

/* At this fill find-or-put of a new key passes 8.5 slots in the mean, which is one or two cache lines. */
#define LINEAR_FILL 0.75

/* linear_content.c, as the functions of struct table_scheme */
void linear_stats(const struct table *table, struct table_stats *out);
void linear_each(const struct table *table, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
uint64_t linear_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);
uint64_t linear_check(const struct table *table);
void linear_distances(const struct table *table, struct table_distances *out);

/* Arrays of an operation on n keys; `values` as in table_run. */
struct linear_arrays {
  const uint64_t *keys;
  uint64_t *values;
  size_t n;
  uint8_t *answers;
};

/* The compiled forms. */
struct linear_operations {
  const char *simd;
  size_t (*run)(const struct linear *view, enum table_operation operation, struct linear_form form,
                const struct linear_arrays *arrays);
};
extern const struct linear_operations linear_portable;
#ifdef __x86_64__
extern const struct linear_operations linear_avx2, linear_avx512;
#endif

/* The scheme's state of a table. */
struct linear_state {
  struct linear view;
  const struct linear_operations *operations;
};
static inline const struct linear_state *linear_of(const struct table *table) { return (const void *)table->state; }

struct linear_form linear_form_of(const struct table *table);

#endif
