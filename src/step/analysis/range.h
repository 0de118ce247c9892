/* Intervals of 64-bit integers. */
#ifndef FLOE_STEP_ANALYSIS_RANGE_H
#define FLOE_STEP_ANALYSIS_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct value_interval {
  int64_t lo, hi; /* lo > hi: no value */
};

static inline bool range_is_empty(struct value_interval r) { return r.lo > r.hi; }
static inline bool range_is_point(struct value_interval r) { return r.lo == r.hi; }
static inline struct value_interval range_meet(struct value_interval a, struct value_interval b) {
  return (struct value_interval){a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}
static inline struct value_interval range_join(struct value_interval a, struct value_interval b) {
  if (range_is_empty(a) || range_is_empty(b))
    return range_is_empty(a) ? b : a;
  return (struct value_interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}
static inline bool range_within(struct value_interval a, struct value_interval b) {
  return range_is_empty(a) || (b.lo <= a.lo && a.hi <= b.hi);
}
/* Number of values; UINT64_MAX for 2^64. */
static inline uint64_t range_size(struct value_interval r) {
  if (range_is_empty(r))
    return 0;
  uint64_t less = (uint64_t)r.hi - (uint64_t)r.lo;
  return less == UINT64_MAX ? less : less + 1;
}

#endif
