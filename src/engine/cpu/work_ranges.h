/* The tickets of a level, dealt out in ranges. Neighbours in a level lead to the same states, and who expands both
   drops what it has met lately by itself (duplicate_filter.h): so each thread draws the tickets of a range of its own in order,
   and from the others' when that is done. */
#ifndef FLOE_RANGES_H
#define FLOE_RANGES_H

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

/* A thread's way through them. */
struct drawer {
  unsigned home;  /* the range that it draws from first */
  unsigned tried; /* ranges from there on that are done */
};

floe_status ranges_create(unsigned drawers, struct ranges *out);
void ranges_free(struct ranges *ranges); /* zeros are allowed */

/* Deals out tickets 0 .. tickets - 1, as long as nobody draws. */
void ranges_deal(struct ranges *ranges, size_t tickets);
/* For a drawer's first draw after ranges_deal; `number` is below `drawers`. */
struct drawer ranges_drawer(const struct ranges *ranges, unsigned number);
/* False: there are no more. Any number of drawers at once; each ticket is drawn once. */
bool ranges_draw(struct ranges *ranges, struct drawer *drawer, size_t *ticket);
/* While nobody draws: the tickets [*first, *end) of range i, below `count`, are still to be drawn. */
void ranges_left(const struct ranges *ranges, unsigned i, size_t *first, size_t *end);

#endif
