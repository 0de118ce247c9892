/* The compact iceberg table: what it has beyond the seam (tables/table.h), and its parts.

   It is stable: a key keeps its slot until it is deleted, so that a slot's number names its key and its value.

   Operations go on at the same time, in any number of threads and on the same keys: find, find-or-put, put, delete, get
   and add; every answer is that of a moment during its call (tables/kernel/slot_number.h). Of those that delete one key that
   was put once, one gets FOUND. TABLE_PUT_NEW is find-or-put. Besides:
   - A batch is not one operation: its keys are worked on one by one, not in their order.
   - A value is written after its key is put. Meanwhile GET of the key says 0 (replace, sum, max), or the largest value
     (min); with a user's reduction it waits. What is added to a key while it is deleted goes with it, or, where the
     key is put again meanwhile, not. Values that replace each other at the same time: any is the last.
   - FIND_OR_PUT and PUT_NEW of a map give values to the keys that they put; those found keep theirs.
   - A deleted key leaves a slot that is of no use until the keys move to another table: a table in which keys come and
   go becomes full. table_stats tells the number. */
#ifndef FLOE_TABLE_ICEBERG_H
#define FLOE_TABLE_ICEBERG_H

#include "tables/iceberg/iceberg_map.h"
#include "tables/iceberg/iceberg_shape.h"
#include "tables/iceberg/iceberg_state.h"

/* The functions of the seam that have files of their own: */
void iceberg_stats(const struct table *table, struct table_stats *out);
void iceberg_each(const struct table *table, unsigned part, unsigned parts,
                  void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
uint64_t iceberg_key_at(const struct table *table, uint64_t slot);
uint64_t iceberg_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);
uint64_t iceberg_check(const struct table *table);
floe_status iceberg_first_overflow(const struct table_config *config, uint64_t seed, struct table_overflow *out);

#endif
