#include "engine/host_backed/layout_cache.h"

void layout_cache_init(struct layout_cache *layouts) {
  pthread_mutex_init(&layouts->mutex, NULL);
  layouts->made = 0;
}

void layout_cache_free(struct layout_cache *layouts) { pthread_mutex_destroy(&layouts->mutex); }

static const struct plan *find(const struct layout_cache *layouts, const struct table_config *config) {
  for (unsigned i = 0; i < layouts->made && i < PLANS; i++)
    if (layouts->plan[i].slots == config->slots && layouts->plan[i].multiple_of == config->multiple_of)
      return &layouts->plan[i];
  return NULL;
}

static const struct plan *make(struct layout_cache *layouts, const struct table_config *config) {
  struct plan *plan = &layouts->plan[layouts->made++ % PLANS];
  plan->slots = config->slots;
  plan->multiple_of = config->multiple_of;
  plan->status = table_plan(config, &plan->shape);
  return plan;
}

/* Others who want the same layout wait while it is planned. */
floe_status layout_cache_plan(struct layout_cache *layouts, const struct table_config *config,
                              struct table_shape *out) {
  pthread_mutex_lock(&layouts->mutex);
  const struct plan *plan = find(layouts, config);
  if (!plan)
    plan = make(layouts, config);
  const floe_status status = plan->status;
  *out = plan->shape;
  pthread_mutex_unlock(&layouts->mutex);
  return status;
}
