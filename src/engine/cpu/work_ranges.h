/* Work distribution for a level: its tickets are divided into ranges, one per thread. Neighbours in a level have
   common successors, and the thread that expands both drops the duplicates with its own filter (duplicate_filter.h).
   Therefore each thread draws the tickets of its own range in order, and then those of other ranges. */
#ifndef FLOE_ENGINE_CPU_WORK_RANGES_H
#define FLOE_ENGINE_CPU_WORK_RANGES_H

#include "core/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct range;
struct ranges {
  struct range *range; /* [drawers] */
  unsigned count;      /* in use */
  unsigned drawers;
};

/* A thread's position. */
struct drawer {
  unsigned home;  /* range from which it draws first */
  unsigned tried; /* number of finished ranges from `home` on */
};

floe_status ranges_create(unsigned drawers, struct ranges *out);
void ranges_free(struct ranges *ranges); /* zeros are allowed */

/* Divides tickets 0 .. tickets - 1 into ranges; no thread may draw. */
void ranges_deal(struct ranges *ranges, size_t tickets);
/* Before a drawer's first draw after ranges_deal; `number` is below `drawers`. */
struct drawer ranges_drawer(const struct ranges *ranges, unsigned number);
/* False: none left. Thread-safe; each ticket is drawn once. */
bool ranges_draw(struct ranges *ranges, struct drawer *drawer, size_t *ticket);
/* While no thread draws: the tickets [*first, *end) of range i, below `count`, are undrawn. */
void ranges_left(const struct ranges *ranges, unsigned i, size_t *first, size_t *end);

#endif
