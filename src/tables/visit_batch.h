/* Visiting all keys of a table: ranges of a visitor, and batches of keys for its callback. */
#ifndef FLOE_TABLES_VISIT_BATCH_H
#define FLOE_TABLES_VISIT_BATCH_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum { VISIT_BATCH = 256 };

/* Keys recovered from slots and not yet passed to the callback. */
struct visit_batch {
  void (*visit)(void *user, const uint64_t *keys, size_t n);
  void *user;
  size_t n;
  uint64_t keys[VISIT_BATCH];
  uint64_t slots[VISIT_BATCH]; /* slot numbers of keys added with visit_batch_add_at (tables/kernel/slot_number.h) */
};

static inline void visit_batch_flush(struct visit_batch *batch) {
  if (batch->n)
    batch->visit(batch->user, batch->keys, batch->n);
  batch->n = 0;
}

static inline void visit_batch_add(struct visit_batch *batch, uint64_t key) {
  batch->keys[batch->n++] = key;
  if (batch->n == VISIT_BATCH)
    visit_batch_flush(batch);
}

static inline void visit_batch_add_at(struct visit_batch *batch, uint64_t key, uint64_t slot) {
  batch->slots[batch->n] = slot;
  visit_batch_add(batch, key);
}

struct index_range {
  uint64_t begin, end;
};

/* Part `part` of `parts` of [0, n). */
static inline struct index_range index_range_part(uint64_t n, unsigned part, unsigned parts) {
  struct index_range range = {n / parts * part + n % parts * part / parts,
                              n / parts * (part + 1) + n % parts * (part + 1) / parts};
  assert(range.begin <= range.end && range.end <= n);
  return range;
}

#endif
