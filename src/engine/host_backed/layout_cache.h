/* Cache of table layouts for many similar tables: planning a table of a compact scheme takes a tenth of a
   millisecond and more (tables/iceberg/iceberg_overflow.c), and all shards grow through the same sizes. Thread-safe. */
#ifndef FLOE_ENGINE_HOST_BACKED_LAYOUT_CACHE_H
#define FLOE_ENGINE_HOST_BACKED_LAYOUT_CACHE_H

#include "tables/table.h"

#include <pthread.h>

enum { CACHED_LAYOUTS = 32 }; /* cached; the oldest is replaced */

struct cached_layout {
  uint64_t slots, multiple_of;
  floe_status status;
  struct table_shape shape;
};

struct layout_cache {
  pthread_mutex_t mutex;
  unsigned made; /* number planned so far */
  struct cached_layout layout[CACHED_LAYOUTS];
};

void layout_cache_init(struct layout_cache *layouts);
void layout_cache_free(struct layout_cache *layouts);
/* As table_plan, for configurations that differ only in slots and multiple_of. */
floe_status layout_cache_plan(struct layout_cache *layouts, const struct table_config *config, struct table_shape *out);

#endif
