/* The CPU search as a member of a group: adds the states found of the next level to the visiting order's file. */
#include "engine/cpu/cpu_search.h"
#include "engine/distributed/record_distributed.h"

struct recording {
  struct cpu_search *search;
  atomic_bool lost;
};

struct worker_output {
  struct record_writer file;
  struct worker *worker;
};

static void put_found(void *user, const uint64_t *waiting, size_t n) {
  struct worker_output *out = user;
  if (out->worker->multiword)
    multiword_visit(out->worker, waiting, n, record_writer_put, &out->file);
  else
    record_writer_put(&out->file, waiting, n);
}

static void record_found(void *data, unsigned number) {
  struct recording *recording = data;
  struct cpu_search *self = recording->search;
  struct worker_output out = {{&self->collective, number}, &self->workers[number]};
  if (waiting_found(out.worker, put_found, &out) != FLOE_OK) /* relaxed: the end of the phase orders it */
    atomic_store_explicit(&recording->lost, true, memory_order_relaxed);
  record_writer_end(&out.file);
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
