/* The CPU's rank as one of several processes: what its workers found of the next level goes to the file of their
   order. */
#include "engine/cpu/cpu_search.h"
#include "engine/distributed/record_distributed.h"

struct recording {
  struct cpu_search *search;
  atomic_bool lost;
};

struct lane {
  struct record_writer file;
  struct worker *worker;
};

static void put_found(void *user, const uint64_t *waiting, size_t n) {
  struct lane *lane = user;
  if (lane->worker->names)
    multiword_visit(lane->worker, waiting, n, record_writer_put, &lane->file);
  else
    record_writer_put(&lane->file, waiting, n);
}

static void record_found(void *data, unsigned member) {
  struct recording *recording = data;
  struct cpu_search *self = recording->search;
  struct lane lane = {{&self->collective, member}, &self->workers[member]};
  if (waiting_found(lane.worker, put_found, &lane) != FLOE_OK) /* relaxed: the end of the crew's work orders it */
    atomic_store_explicit(&recording->lost, true, memory_order_relaxed);
  record_writer_end(&lane.file);
}

void cpu_record(struct cpu_search *self) {
  struct recording recording = {.search = self};
  if (!record_distributed_is_due(&self->collective))
    return;
  const enum phase before = phases_enter(&self->phases, PHASE_BETWEEN);
  record_distributed_begin(&self->collective, self->worker_count);
  pool_run(self->pool, record_found, &recording);
  record_distributed_end(&self->collective, self->worker_count,
                   atomic_load_explicit(&recording.lost, memory_order_relaxed) ? FLOE_ERROR_IO : FLOE_OK);
  phases_enter(&self->phases, before);
}
