/* For the files of this folder that visit all keys of a table: the part of one visitor, keys on their way to it. */
#ifndef FLOE_TABLE_VISIT_H
#define FLOE_TABLE_VISIT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum { BATCH = 256 };

/* Keys recovered so far and not yet handed on. */
struct batch {
  void (*visit)(void *user, const uint64_t *keys, size_t n);
  void *user;
  size_t n;
  uint64_t keys[BATCH];
  uint64_t slots[BATCH]; /* of keys that were added with them: their numbers (tables/kernel/slot_number.h) */
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

struct range {
  uint64_t begin, end;
};

/* Part `part` of `parts` of [0, n). */
static inline struct range part_of(uint64_t n, unsigned part, unsigned parts) {
  struct range range = {n / parts * part + n % parts * part / parts,
                        n / parts * (part + 1) + n % parts * (part + 1) / parts};
  assert(range.begin <= range.end && range.end <= n);
  return range;
}

#endif
