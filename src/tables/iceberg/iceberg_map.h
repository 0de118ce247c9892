/* Operations of an iceberg table that need the slots of the keys: deletion, values. */
#ifndef FLOE_TABLES_ICEBERG_ICEBERG_MAP_H
#define FLOE_TABLES_ICEBERG_ICEBERG_MAP_H

#include "tables/host_table.h"

/* As table_run, for every operation except TABLE_FIND. */
size_t map_run(struct table *table, enum table_operation operation, const uint64_t *keys, uint64_t *values, size_t n,
               uint8_t *answers);

/* As table_find_or_put_slots. */
size_t map_find_or_put_slots(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers, uint64_t *slots);

/* For moving keys: the value of a slot; and the first value of a key just put in another table. */
uint64_t map_value(const struct table *table, uint64_t slot);
void map_first(struct table *table, uint64_t slot, uint64_t value);

/* slots[i]: slot number of keys[i], below table_shape(table)->slots; UINT64_MAX: absent. Returns the number of
   absent keys. Concurrent like table_find. */
size_t iceberg_find_slots(const struct table *table, const uint64_t *keys, size_t n, uint64_t *slots);

#endif
