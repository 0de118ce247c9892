/* The CPU search as a member of a group: adds the states found of the next level to the visiting order's file. */
#include "engine/cpu/cpu_search.h"
#include "engine/distributed/record_distributed.h"

struct recording {
  struct cpu_search *search;
  atomic_bool lost;
};

struct record_lane {
  struct record_writer file;
  struct worker *worker;
};

static void put_found(void *user, const uint64_t *waiting, size_t n) {
  struct record_lane *record_lane = user;
  if (record_lane->worker->multiword)
    multiword_visit(record_lane->worker, waiting, n, record_writer_put, &record_lane->file);
  else
    record_writer_put(&record_lane->file, waiting, n);
}

static void record_found(void *data, unsigned member) {
  struct recording *recording = data;
  struct cpu_search *self = recording->search;
  struct record_lane record_lane = {{&self->collective, member}, &self->workers[member]};
  if (waiting_found(record_lane.worker, put_found, &record_lane) !=
      FLOE_OK) /* relaxed: the end of the phase orders it */
    atomic_store_explicit(&recording->lost, true, memory_order_relaxed);
  record_writer_end(&record_lane.file);
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
