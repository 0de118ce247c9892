#include "gpu/engine/device_arcs.h"

#include "core/mem.h"
#include "step/arcs/arc_table.h"

#include <string.h>

/* NVRTC takes a second or more for so many transitions. */
#define LEAST_TRANSITIONS 400

/* One block of memory: the arrays one after the other, each at a multiple of 8 bytes. */
struct packing {
  unsigned char *host; /* NULL: only sizes */
  gpu_address device;
  uint64_t bytes;
};

/* Device address of the copy. */
static gpu_address add(struct packing *packing, const void *array, uint64_t bytes) {
  const uint64_t at = packing->bytes;
  if (packing->host && bytes)
    memcpy(packing->host + at, array, bytes);
  packing->bytes += (bytes + 7) / 8 * 8;
  return packing->device + at;
}

static struct arc_table pack(struct packing *packing, const struct arcs *arcs) {
  const struct arc_table *from = &arcs->table;
  struct arc_table to = {.transitions = from->transitions};
  to.rows = ON_DEVICE(struct arc_row, add(packing, from->rows, (from->transitions + UINT64_C(1)) * sizeof *from->rows));
  to.tests = ON_DEVICE(struct arc_test, add(packing, from->tests, arcs->tests * sizeof *from->tests));
  to.ranges = ON_DEVICE(struct arc_range, add(packing, from->ranges, arcs->ranges * sizeof *from->ranges));
  to.updates = ON_DEVICE(struct arc_update, add(packing, from->updates, arcs->updates * sizeof *from->updates));
  return to;
}

static floe_status upload(struct gpu_search *self, const struct arcs *arcs) {
  struct packing packing = {0};
  pack(&packing, arcs);
  const uint64_t bytes = packing.bytes;
  unsigned char *const host = mem_alloc(bytes);
  if (!host)
    return FLOE_ERROR_MEMORY;
  floe_status status = gpu_search_take(self, bytes, &self->arcs.memory);
  if (status == FLOE_OK) {
    packing = (struct packing){.host = host, .device = self->arcs.memory};
    self->arcs.table = pack(&packing, arcs);
    status = gpu_upload(self->gpu, self->arcs.memory, host, bytes);
  }
  mem_free(host);
  return status;
}

floe_status device_arcs_make(struct gpu_search *self) {
  const struct engine_task *task = self->search.task;
  const uint64_t least = self->test_settings.arcs ? self->test_settings.arcs : LEAST_TRANSITIONS;
  const struct arcs *arcs;
  if (task->model->transition_count < least || task->model->automaton)
    return FLOE_ERROR_UNSUPPORTED;
  FLOE_TRY(arc_table_make(task->model, task->layout, &self->build.arena, &arcs));
  return upload(self, arcs);
}
