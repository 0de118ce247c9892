/* Memory for the sequences of firings through transient states (struct transient in model.h): equal areas, one for each
   thread that expands states at a time. Thread-safe. */
#ifndef FLOE_STEP_SCRATCH_POOL_H
#define FLOE_STEP_SCRATCH_POOL_H

#include "floe_common.h"

#include <pthread.h>
#include <stddef.h>

struct scratch_pool {
  size_t bytes; /* of an area; 0: the model needs none, and takes get NULL */
  void *unused; /* areas, each beginning with a pointer to the next one */
  pthread_mutex_t lock;
  pthread_cond_t given;
};

/* FLOE_ERROR_MEMORY: not even one area; scratch_pool_free is valid all the same. */
floe_status scratch_pool_create(struct scratch_pool *self, size_t bytes);
/* An area of a pool that has some. Waits if there is no memory for another one. */
void *scratch_take_area(struct scratch_pool *self);
void scratch_give_area(struct scratch_pool *self, void *area);
/* In the loops of all models, most of which need no area. */
static inline void *scratch_take(struct scratch_pool *self) { return self->bytes ? scratch_take_area(self) : NULL; }
static inline void scratch_give(struct scratch_pool *self, void *area) {
  if (area)
    scratch_give_area(self, area);
}
void scratch_pool_free(struct scratch_pool *self);

#endif
