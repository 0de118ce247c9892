/* Memory budget of a run: table, frontier and buffers reserve memory before they allocate it. */
#ifndef FLOE_ENGINE_BUDGET_H
#define FLOE_ENGINE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct budget {
  uint64_t limit;
  _Atomic uint64_t used;
};

/* Relaxed throughout: the counter guards no other data. */
static inline uint64_t budget_used(struct budget *budget) {
  return atomic_load_explicit(&budget->used, memory_order_relaxed);
}

static inline uint64_t budget_left(struct budget *budget) {
  uint64_t used = budget_used(budget);
  return used < budget->limit ? budget->limit - used : 0;
}

static inline void budget_give(struct budget *budget, uint64_t bytes) {
  atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
}

/* False: the limit would be exceeded; nothing is reserved. */
static inline bool budget_take(struct budget *budget, uint64_t bytes) {
  uint64_t before = atomic_fetch_add_explicit(&budget->used, bytes, memory_order_relaxed);
  if (before <= budget->limit && bytes <= budget->limit - before)
    return true;
  budget_give(budget, bytes);
  return false;
}

#endif
