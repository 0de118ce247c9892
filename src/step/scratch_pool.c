#include "step/scratch_pool.h"

#include "core/mem.h"

floe_status scratch_pool_create(struct scratch_pool *self, size_t bytes) {
  *self = (struct scratch_pool){.bytes = bytes};
  pthread_mutex_init(&self->lock, NULL);
  pthread_cond_init(&self->given, NULL);
  if (bytes)
    self->unused = pages_alloc(bytes);
  return !bytes || self->unused ? FLOE_OK : FLOE_ERROR_MEMORY;
}

/* The lock is held. */
static void *pop(struct scratch_pool *self) {
  void *area = self->unused;
  if (area)
    self->unused = *(void **)area;
  return area;
}

void *scratch_take_area(struct scratch_pool *self) {
  pthread_mutex_lock(&self->lock);
  void *area = pop(self);
  if (!area)
    area = pages_alloc(self->bytes);
  while (!area) { /* the areas of other threads come back */
    pthread_cond_wait(&self->given, &self->lock);
    area = pop(self);
  }
  pthread_mutex_unlock(&self->lock);
  return area;
}

void scratch_give_area(struct scratch_pool *self, void *area) {
  pthread_mutex_lock(&self->lock);
  *(void **)area = self->unused;
  self->unused = area;
  pthread_cond_signal(&self->given);
  pthread_mutex_unlock(&self->lock);
}

void scratch_pool_free(struct scratch_pool *self) {
  for (void *area; (area = pop(self));)
    pages_free(area, self->bytes);
  pthread_cond_destroy(&self->given);
  pthread_mutex_destroy(&self->lock);
}
