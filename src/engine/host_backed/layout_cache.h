/* Layouts of many tables alike, each planned once: planning a table of a compact scheme takes a tenth of a millisecond
   and more (tables/iceberg/iceberg_overflow.c), and partitions all grow through the same sizes. Thread-safe. */
#ifndef FLOE_PLANS_H
#define FLOE_PLANS_H

#include "tables/table.h"

#include <pthread.h>

enum { PLANS = 32 }; /* kept; the oldest goes */

struct plan {
  uint64_t slots, multiple_of;
  floe_status status;
  struct table_shape shape;
};

struct layout_cache {
  pthread_mutex_t mutex;
  unsigned made; /* so far */
  struct plan plan[PLANS];
};

void layout_cache_init(struct layout_cache *layouts);
void layout_cache_free(struct layout_cache *layouts);
/* As table_plan, for configurations that differ in slots and multiple_of alone. */
floe_status layout_cache_plan(struct layout_cache *layouts, const struct table_config *config, struct table_shape *out);

#endif
