/* The CPU's rank as one of several processes: what its workers found of the next level goes to the file of their
   order. */
#include "engine/cpu/cpu_search.h"
#include "engine/distributed/record_distributed.h"

struct recording {
  struct rank *rank;
  atomic_bool lost;
};

struct lane {
  struct record_lane file;
  struct worker *worker;
};

static void put_found(void *user, const uint64_t *waiting, size_t n) {
  struct lane *lane = user;
  if (lane->worker->names)
    wide_visit(lane->worker, waiting, n, record_lane_put, &lane->file);
  else
    record_lane_put(&lane->file, waiting, n);
}

static void record_found(void *data, unsigned member) {
  struct recording *recording = data;
  struct rank *rank = recording->rank;
  struct lane lane = {{&rank->together, member}, &rank->workers[member]};
  if (waiting_found(lane.worker, put_found, &lane) != FLOE_OK) /* relaxed: the end of the crew's work orders it */
    atomic_store_explicit(&recording->lost, true, memory_order_relaxed);
  record_lane_end(&lane.file);
}

void rank_record(struct rank *rank) {
  struct recording recording = {.rank = rank};
  if (!record_group_is_wanted(&rank->together))
    return;
  const enum phase before = phases_enter(&rank->phases, PHASE_BETWEEN);
  record_group_begin(&rank->together, rank->worker_count);
  crew_run(rank->crew, record_found, &recording);
  record_group_end(&rank->together, rank->worker_count,
                   atomic_load_explicit(&recording.lost, memory_order_relaxed) ? FLOE_ERROR_IO : FLOE_OK);
  phases_enter(&rank->phases, before);
}
