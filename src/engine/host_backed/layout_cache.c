#include "engine/host_backed/layout_cache.h"

void layout_cache_init(struct layout_cache *layouts) {
  pthread_mutex_init(&layouts->mutex, NULL);
  layouts->made = 0;
}

void layout_cache_free(struct layout_cache *layouts) { pthread_mutex_destroy(&layouts->mutex); }

static const struct cached_layout *find_layout(const struct layout_cache *layouts, const struct table_config *config) {
  for (unsigned i = 0; i < layouts->made && i < CACHED_LAYOUTS; i++)
    if (layouts->layout[i].slots == config->slots && layouts->layout[i].multiple_of == config->multiple_of)
      return &layouts->layout[i];
  return NULL;
}

static const struct cached_layout *plan_layout(struct layout_cache *layouts, const struct table_config *config) {
  struct cached_layout *layout = &layouts->layout[layouts->made++ % CACHED_LAYOUTS];
  layout->slots = config->slots;
  layout->multiple_of = config->multiple_of;
  layout->status = table_plan(config, &layout->shape);
  return layout;
}

/* Threads that need the same layout wait while it is planned. */
floe_status layout_cache_plan(struct layout_cache *layouts, const struct table_config *config,
                              struct table_shape *out) {
  pthread_mutex_lock(&layouts->mutex);
  const struct cached_layout *layout = find_layout(layouts, config);
  if (!layout)
    layout = plan_layout(layouts, config);
  const floe_status status = layout->status;
  *out = layout->shape;
  pthread_mutex_unlock(&layouts->mutex);
  return status;
}
