#include "engine/cpu/work_ranges.h"

#include "core/mem.h"

#include <assert.h>

#define LEAST_RANGE 8 /* tickets: a smaller range would be done at once, and cost every thread a check */

struct range {
  _Alignas(64) atomic_size_t next; /* on a cache line of its own: mostly one thread's */
  size_t end;
};

floe_status ranges_create(unsigned drawers, struct ranges *out) {
  struct range *range = pages_alloc(drawers * sizeof *range); /* pages: aligned for the cache lines */
  if (!range)
    return FLOE_ERROR_MEMORY;
  *out = (struct ranges){.range = range, .drawers = drawers};
  return FLOE_OK;
}

void ranges_free(struct ranges *ranges) {
  pages_free(ranges->range, ranges->drawers * sizeof *ranges->range);
  *ranges = (struct ranges){0};
}

/* Relaxed here and below: tickets must only differ, and the thread pool's phase publishes the ranges. */
void ranges_deal(struct ranges *ranges, size_t tickets) {
  size_t most = tickets / LEAST_RANGE + 1;
  ranges->count = most < ranges->drawers ? (unsigned)most : ranges->drawers;
  for (unsigned i = 0; i < ranges->count; i++) {
    struct range *range = &ranges->range[i];
    atomic_store_explicit(&range->next, tickets * i / ranges->count, memory_order_relaxed);
    range->end = tickets * (i + 1) / ranges->count;
  }
}

struct drawer ranges_drawer(const struct ranges *ranges, unsigned number) {
  assert(number < ranges->drawers);
  return (struct drawer){.home = (unsigned)((size_t)number * ranges->count / ranges->drawers)};
}

/* The load first avoids writes to a finished range by every thread that tries it. */
static bool draw_from(struct range *range, size_t *ticket) {
  if (atomic_load_explicit(&range->next, memory_order_relaxed) >= range->end)
    return false;
  *ticket = atomic_fetch_add_explicit(&range->next, 1, memory_order_relaxed);
  return *ticket < range->end;
}

bool ranges_draw(struct ranges *ranges, struct drawer *drawer, size_t *ticket) {
  for (; drawer->tried < ranges->count; drawer->tried++)
    if (draw_from(&ranges->range[(drawer->home + drawer->tried) % ranges->count], ticket))
      return true;
  return false;
}

/* Draws after the last ticket leave `next` past the end. */
void ranges_left(const struct ranges *ranges, unsigned i, size_t *first, size_t *end) {
  assert(i < ranges->count);
  struct range *range = &ranges->range[i];
  const size_t next = atomic_load_explicit(&range->next, memory_order_relaxed);
  *end = range->end;
  *first = next < range->end ? next : range->end;
}
