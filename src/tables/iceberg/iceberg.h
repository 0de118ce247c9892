/* Compact iceberg hashing on the host: parts of the scheme, and its rules of use.

   It is stable: a key keeps its slot until it is deleted, so a slot number identifies the key and its value.

   Find, find-or-put, put, delete, get and add may run concurrently, in any number of threads and on the same keys;
   every answer is true at some time during its call (tables/kernel/slot_number.h). If several threads delete a key
   that was put once, exactly one gets FOUND. TABLE_PUT_NEW is find-or-put. Also:

   - A batch is not one atomic operation: its keys are processed one by one, not in their order.
   - A value is written after its key is put. Until then GET of the key returns 0 (replace, sum, max), or the largest
     value (min); with a user's reduction it waits. A value added to a key during its deletion is lost with it, or,
     if the key is put again meanwhile, kept. If several threads replace a value at the same time, any of their
     values may be the last.
   - FIND_OR_PUT and PUT_NEW of a map give values to the keys that they put; found keys keep theirs.
   - A deleted key leaves a slot that is unusable until the keys move to another table, so a table with many puts and
     deletions becomes full. table_stats counts these slots. */
#ifndef FLOE_TABLES_ICEBERG_ICEBERG_H
#define FLOE_TABLES_ICEBERG_ICEBERG_H

#include "tables/iceberg/iceberg_map.h"
#include "tables/iceberg/iceberg_shape.h"
#include "tables/iceberg/iceberg_state.h"

/* Functions of struct table_scheme that have files of their own: */
void iceberg_stats(const struct table *table, struct table_stats *out);
void iceberg_each(const struct table *table, unsigned part, unsigned parts,
                  void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
uint64_t iceberg_key_at(const struct table *table, uint64_t slot);
uint64_t iceberg_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);
uint64_t iceberg_check(const struct table *table);
floe_status iceberg_first_overflow(const struct table_config *config, uint64_t seed, struct table_overflow *out);

#endif
