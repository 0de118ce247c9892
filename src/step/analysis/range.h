/* Intervals of integers. */
#ifndef FLOE_RANGE_H
#define FLOE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct invariants_range {
  int64_t lo, hi; /* lo > hi: no value */
};

static inline bool range_is_empty(struct invariants_range r) { return r.lo > r.hi; }
static inline bool range_is_point(struct invariants_range r) { return r.lo == r.hi; }
static inline struct invariants_range range_meet(struct invariants_range a, struct invariants_range b) {
  return (struct invariants_range){a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}
static inline struct invariants_range range_join(struct invariants_range a, struct invariants_range b) {
  if (range_is_empty(a) || range_is_empty(b))
    return range_is_empty(a) ? b : a;
  return (struct invariants_range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}
static inline bool range_within(struct invariants_range a, struct invariants_range b) {
  return range_is_empty(a) || (b.lo <= a.lo && a.hi <= b.hi);
}
/* Number of values; UINT64_MAX where that is 2^64. */
static inline uint64_t range_size(struct invariants_range r) {
  if (range_is_empty(r))
    return 0;
  uint64_t less = (uint64_t)r.hi - (uint64_t)r.lo;
  return less == UINT64_MAX ? less : less + 1;
}

#endif
