/* An iceberg table's keys recovered from its slots, for its files. */
#ifndef FLOE_TABLE_ICEBERG_CONTENT_H
#define FLOE_TABLE_ICEBERG_CONTENT_H

#include "tables/iceberg/iceberg.h"
#include "tables/visit_batch.h"

/* The key of a slot of primary bucket `bucket`. */
static inline uint64_t first_key(const struct iceberg *view, uint64_t bucket, uint64_t slot) {
  uint64_t p = quotient_join(view->first_quotient, bucket, first_remainder(slot));
  return permutation_invert(&view->permutation[0], p);
}

/* What a slot holds where a deleted key was; 0, an empty slot, in a table without deletion. */
static inline uint64_t dead_slot(const struct table *table, unsigned bits) {
  return iceberg_of(table)->view.deletes ? slot_tombstone(bits) : 0;
}

/* All keys, without the last call of the visitor. */
void all_each(const struct table *table, unsigned part, unsigned parts, struct batch *batch);
/* The keys of levels 2 and 3. */
void later_each(const struct table *table, unsigned part, unsigned parts, struct batch *batch);

#endif
