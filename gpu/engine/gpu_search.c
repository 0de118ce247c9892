#include "gpu/engine/gpu_search.h"

floe_status gpu_search_take(struct gpu_search *self, uint64_t bytes, gpu_address *out) {
  return gpu_budget_take(self->gpu, &self->budget, bytes, out);
}

void gpu_search_give(struct gpu_search *self, uint64_t bytes, gpu_address *address) {
  gpu_budget_give(self->gpu, &self->budget, bytes, address);
}

floe_status gpu_search_upload(struct gpu_search *self) {
  return gpu_upload(self->gpu, self->buffers.control, &self->control, sizeof self->control);
}

floe_status gpu_search_download(struct gpu_search *self) {
  return gpu_download(self->gpu, &self->control, self->buffers.control, sizeof self->control);
}

struct gpu_space gpu_search_space(const struct gpu_search *self) {
  struct gpu_space space = {.control = ON_DEVICE(struct gpu_control, self->buffers.control),
                            .ring = ON_DEVICE(uint64_t, self->queue.ring),
                            .ring_mask = self->queue.ring_words - 1,
                            .pending = ON_DEVICE(uint64_t, self->buffers.pending),
                            .fired = ON_DEVICE(uint64_t, self->buffers.fired),
                            .level_states = ON_DEVICE(uint64_t, self->buffers.level_states),
                            .level_capacity = self->buffers.level_capacity,
                            .log = ON_DEVICE(uint64_t, self->buffers.log),
                            .log_capacity = self->buffers.log_capacity,
                            .arcs = self->arcs.table,
                            .ticket_batches = self->grid.ticket_batches};
  device_tree_describe(&self->tree, &space);
  if (self->group.hooks)
    self->group.hooks->describe(self, &space);
  return space;
}
