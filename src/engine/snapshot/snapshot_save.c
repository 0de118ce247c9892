#include "checkpoint/fields.h"
#include "core/arena.h"
#include "core/diag.h"
#include "core/mem.h"
#include "engine/comm/allgather.h"
#include "engine/comm/heartbeat.h"
#include "engine/snapshot/snapshot_engine.h"

static bool in_group(const struct collective *t) { return t->search->task->group.comm != NULL; }
static struct comm *comm_of(const struct collective *t) { return t->search->task->group.comm; }

/* ---- begin --------------------------------------------------------------------------------------- */

/* Exchanges statuses: returns the first that is not FLOE_OK; *rank: the member that has it. */
static floe_status exchange_status(struct collective *t, floe_status mine, unsigned *rank) {
  const uint32_t word = mine;
  struct all_gathered all;
  floe_status status = allgather(comm_of(t), &word, sizeof word, &t->search->stop, &all);
  if (status != FLOE_OK) {
    collective_fail(t, status);
    return FLOE_ERROR_IO;
  }
  for (*rank = 0; *rank < t->size && status == FLOE_OK; ++*rank)
    status = (floe_status) * (const uint32_t *)all.by[*rank].content;
  --*rank;
  gathered_free(&all);
  return status;
}

/* Either all members of a group have a snapshot then, or none. Rank 0 sends heartbeats until end_snapshot. */
static bool begin_snapshot(const struct snapshot_engine *engine, const struct checkpoint_order *order,
                           struct snapshot *out) {
  struct collective *t = engine->collective;
  const bool due = t->rank > 0 || !engine->search->ended || snapshot_is_last(engine->search);
  const bool begun = due && snapshot_begin(engine->search, pool_size(engine->pool), t->rank > 0 ? NULL : order, out);
  unsigned rank;
  if (!in_group(t))
    return begun;
  const floe_status status = exchange_status(t, begun ? FLOE_OK : FLOE_ERROR_MEMORY, &rank);
  if (status != FLOE_OK && begun)
    snapshot_end(engine->search, out, status);
  if (status == FLOE_OK && t->rank == 0)
    t->heartbeat = heartbeat_begin(comm_of(t), NULL);
  return status == FLOE_OK;
}

/* ---- states -------------------------------------------------------------------------------------- */

static void begin_phase(const struct snapshot_engine *engine, const struct snapshot *snapshot) {
  struct collective *t = engine->collective;
  for (unsigned i = 0; i < pool_size(engine->pool); i++)
    snapshot->writers[i] = (struct snapshot_writer){.collective = t, .file = snapshot->writer, .number = i};
  if (!in_group(t))
    return;
  comm_next_epoch(comm_of(t));
  exchange_begin(t->exchange, t->rank > 0);
}

static void await_writer(void *data, unsigned thread) {
  struct snapshot_writer *writers = data;
  snapshot_writer_await(&writers[thread]);
}

/* Also after an error: the other members wait for the end of the phase. */
static void end_phase(const struct snapshot_engine *engine, const struct snapshot *snapshot) {
  struct collective *t = engine->collective;
  if (!in_group(t))
    return;
  for (unsigned i = 0; i < pool_size(engine->pool); i++)
    snapshot_writer_flush(&snapshot->writers[i]);
  if (t->rank > 0)
    exchange_worker_done(t->exchange, 0);
  pool_run(engine->pool, await_writer, snapshot->writers);
}

static floe_status write_states(const struct snapshot_engine *engine, struct snapshot *snapshot) {
  const struct snapshot_operations *operations = engine->operations;
  FLOE_TRY(operations->write_visited(engine->user, snapshot->writers));
  FLOE_TRY(operations->write_waiting(engine->user, snapshot->writers));
  return operations->add_sums(engine->user, snapshot);
}

/* ---- end ----------------------------------------------------------------------------------------- */

/* Violations of other members are allocated in the arena. */
static floe_status add_parts(struct collective *t, const struct all_gathered *all, struct snapshot *snapshot,
                             struct arena *arena) {
  for (unsigned i = 1; i < t->size; i++) {
    struct checkpoint_search part;
    FLOE_TRY(search_decode_guarded(all->by[i].content, all->by[i].bytes, t->words, arena, &part));
    snapshot_add_part(snapshot, &part, t->words);
  }
  return FLOE_OK;
}

static void write_file(struct collective *t, const struct all_gathered *all, struct snapshot *snapshot) {
  struct arena arena;
  arena_init(&arena);
  snapshot_end(t->search, snapshot, add_parts(t, all, snapshot, &arena));
  arena_free(&arena);
}

/* All members have succeeded. */
static void gather_sums(struct collective *t, struct snapshot *snapshot, const struct byte_buffer *sums) {
  struct all_gathered all;
  const floe_status status = gather_to_root(comm_of(t), sums->bytes, sums->n, &t->search->stop, &all);
  if (status != FLOE_OK) {
    snapshot_end(t->search, snapshot, FLOE_ERROR_IO);
    collective_fail(t, status);
    return;
  }
  if (t->rank == 0)
    write_file(t, &all, snapshot);
  else
    snapshot_end(t->search, snapshot, FLOE_OK);
  gathered_free(&all);
}

static void log_failure(struct collective *t, floe_status status, unsigned rank) {
  if (status == FLOE_ERROR_IO)
    diag_warning(t->search->log, NULL, NOWHERE, NULL, "no checkpoint: rank %u cannot read waiting states from its disk",
                 rank);
  else
    diag_warning(t->search->log, NULL, NOWHERE, NULL, "no checkpoint: rank %u failed: %s", rank,
                 floe_status_name(status));
}

/* Exchanging the status ends the phase in which states went to rank 0: no member begins another one before. */
static void end_in_group(struct collective *t, struct snapshot *snapshot, floe_status status) {
  struct byte_buffer sums = {0};
  unsigned rank = 0;
  search_encode(&snapshot->sums, t->words, &sums);
  if (status == FLOE_OK && sums.failed)
    status = FLOE_ERROR_MEMORY;
  status = exchange_status(t, status, &rank);
  if (status == FLOE_OK) {
    gather_sums(t, snapshot, &sums);
  } else {
    if (t->rank == 0 && status != FLOE_ERROR_MEMORY && t->search->status == FLOE_OK)
      log_failure(t, status, rank);
    snapshot_end(t->search, snapshot, status);
  }
  mem_free(sums.bytes);
  heartbeat_end(t->heartbeat);
  t->heartbeat = NULL;
}

/* ---- saving -------------------------------------------------------------------------------------- */

void snapshot_save(const struct snapshot_engine *engine, const struct checkpoint_order *order) {
  struct snapshot snapshot;
  if (!begin_snapshot(engine, order, &snapshot))
    return;
  begin_phase(engine, &snapshot);
  const floe_status status = write_states(engine, &snapshot);
  end_phase(engine, &snapshot);
  if (in_group(engine->collective))
    end_in_group(engine->collective, &snapshot, status);
  else
    snapshot_end(engine->search, &snapshot, status);
}
