/* A table's keys recovered from its slots, for the files of this folder. */
#ifndef FLOE_CONTENT_H
#define FLOE_CONTENT_H

#include "table/owner.h"

enum { BATCH = 256 };

/* Keys recovered so far and not yet handed on. */
struct batch {
  void (*visit)(void *user, const uint64_t *keys, size_t n);
  void *user;
  size_t n;
  uint64_t keys[BATCH];
  uint64_t slots[BATCH]; /* of keys that were added with them: their numbers (table/kernel/seat.h) */
};

static inline void batch_flush(struct batch *batch) {
  if (batch->n)
    batch->visit(batch->user, batch->keys, batch->n);
  batch->n = 0;
}

static inline void batch_add(struct batch *batch, uint64_t key) {
  batch->keys[batch->n++] = key;
  if (batch->n == BATCH)
    batch_flush(batch);
}

static inline void batch_add_at(struct batch *batch, uint64_t key, uint64_t slot) {
  batch->slots[batch->n] = slot;
  batch_add(batch, key);
}

/* The key of a slot of primary bucket `bucket`. */
static inline uint64_t first_key(const struct iceberg *view, uint64_t bucket, uint64_t slot) {
  uint64_t p = quotient_join(view->first_quotient, bucket, first_remainder(slot));
  return permutation_invert(&view->permutation[0], p);
}

struct range {
  uint64_t begin, end;
};

/* Part `part` of `parts` of [0, n). */
static inline struct range part_of(uint64_t n, unsigned part, unsigned parts) {
  struct range range = {n / parts * part + n % parts * part / parts,
                        n / parts * (part + 1) + n % parts * (part + 1) / parts};
  return range;
}

/* What a slot holds where a deleted key was; 0, an empty slot, in a table without deletion. */
static inline uint64_t dead_slot(const struct table *table, unsigned bits) {
  return table->view.deletes ? slot_tombstone(bits) : 0;
}

/* All keys, without the last call of the visitor. */
void all_each(const struct table *table, unsigned part, unsigned parts, struct batch *batch);
/* The keys of levels 2 and 3. */
void later_each(const struct table *table, unsigned part, unsigned parts, struct batch *batch);

#endif
