#include "engine/host_backed/layout_cache.h"

void plans_init(struct plans *plans) {
  pthread_mutex_init(&plans->mutex, NULL);
  plans->made = 0;
}

void plans_free(struct plans *plans) { pthread_mutex_destroy(&plans->mutex); }

static const struct plan *find(const struct plans *plans, const struct table_config *config) {
  for (unsigned i = 0; i < plans->made && i < PLANS; i++)
    if (plans->plan[i].slots == config->slots && plans->plan[i].multiple_of == config->multiple_of)
      return &plans->plan[i];
  return NULL;
}

static const struct plan *make(struct plans *plans, const struct table_config *config) {
  struct plan *plan = &plans->plan[plans->made++ % PLANS];
  plan->slots = config->slots;
  plan->multiple_of = config->multiple_of;
  plan->status = table_plan(config, &plan->shape);
  return plan;
}

/* Others who want the same layout wait while it is planned. */
floe_status plans_plan(struct plans *plans, const struct table_config *config, struct table_shape *out) {
  pthread_mutex_lock(&plans->mutex);
  const struct plan *plan = find(plans, config);
  if (!plan)
    plan = make(plans, config);
  const floe_status status = plan->status;
  *out = plan->shape;
  pthread_mutex_unlock(&plans->mutex);
  return status;
}
