/* Keys of an iceberg table, recovered from its slots. */
#ifndef FLOE_TABLES_ICEBERG_ICEBERG_CONTENT_H
#define FLOE_TABLES_ICEBERG_ICEBERG_CONTENT_H

#include "tables/iceberg/iceberg.h"
#include "tables/visit_batch.h"

/* The key of a slot of primary bucket `bucket`. */
static inline uint64_t first_key(const struct iceberg *view, uint64_t bucket, uint64_t slot) {
  uint64_t p = quotient_join(view->first_quotient, bucket, first_remainder(slot));
  return permutation_invert(&view->permutation[0], p);
}

/* Content of a deleted key's slot; 0, an empty slot, in a table without deletion. */
static inline uint64_t dead_slot(const struct table *table, unsigned bits) {
  return iceberg_of(table)->view.deletes ? slot_tombstone(bits) : 0;
}

/* All keys; the caller flushes the batch. */
void all_each(const struct table *table, unsigned part, unsigned parts, struct visit_batch *batch);
/* The keys of levels 2 and 3. */
void later_each(const struct table *table, unsigned part, unsigned parts, struct visit_batch *batch);

#endif
