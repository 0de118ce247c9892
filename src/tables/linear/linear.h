/* The scheme "linear": linear probing, a set or a map that is not compact (tables/kernel/linear.h).

   Sets (value_bits 0) of keys of any width, in slots of 64 bits, or of 32 for keys of at most 32 bits; slot_bits 0
   chooses. They explore. Maps with value_bits 32 (keys of at most 32 bits) and 64 (keys of any width); a value of 64
   bits is not 2^64 - 1, as a programming error when it is given, while a reduction that comes to it is kept as
   2^64 - 2. There are no buckets: a configuration with bucket_slots has no layout. Any number of slots is possible,
   rounded up to LINEAR_WINDOW of them, and never more than twice as many as there are keys.

   Operations: sets FIND, FIND_OR_PUT, PUT_NEW and, where slots are wider than keys, DELETE, after which a key that is
   put again takes another slot; maps all of them: FIND_OR_PUT and PUT_NEW leave a present value alone, ADD combines, a
   deleted key keeps its slot and has it again when it is added. table_rehash leaves deleted keys out.
   All may go on at the same time in any number of threads, also on the same keys:
   - operations on the same key are linearizable, in any mix: there is an order of them, in which each takes place
     between its call and its answer, that explains all answers and values. Of equal keys put into a set or a map in
     which nobody deletes, exactly one gets PUT. GET never sees a value that was not given to that key;
   - operations on different keys are not ordered by the table: who wants to see one done when another one is has to
     order the calls by other means. Keys of one call are worked on one after the other, in order.
   FULL to a key that was to be put is final for this table: it stays FULL. */
#ifndef FLOE_TABLE_LINEAR_H
#define FLOE_TABLE_LINEAR_H

#include "tables/kernel/linear.h"
#include "tables/host_table.h"

/* Where find-or-put of a new key passes 8.5 slots in the mean, which is one or two cache lines. */
#define LINEAR_FILL 0.75

/* linear_content.c, as the functions of the seam */
void linear_stats(const struct table *table, struct table_stats *out);
void linear_each(const struct table *table, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
uint64_t linear_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);
uint64_t linear_check(const struct table *table);
void linear_distances(const struct table *table, struct table_distances *out);

/* The compiled forms; `values` as in table_run. */
struct linear_operations {
  const char *simd;
  size_t (*run)(const struct linear *view, enum table_operation operation, struct linear_form form,
                const uint64_t *keys, uint64_t *values, size_t n, uint8_t *answers);
};
extern const struct linear_operations linear_portable;
#ifdef __x86_64__
extern const struct linear_operations linear_avx2, linear_avx512;
#endif

/* What a table has of its own. */
struct linear_state {
  struct linear view;
  const struct linear_operations *operations;
};
static inline const struct linear_state *linear_of(const struct table *table) { return (const void *)table->state; }

struct linear_form linear_form_of(const struct table *table);

#endif
