/* Saves a checkpoint while all workers are at rest. In a group all members are at rest; rank 0 writes the file, and
   the others send it their states. */
#include "engine/comm/exchange.h"
#include "engine/cpu/cpu_search.h"
#include "engine/snapshot/snapshot_group.h"
#include "engine/snapshot/snapshot_writer.h"

#include <assert.h>
#include <string.h>

#define PART_SLOTS ((uint64_t)1 << 18) /* slots of the set per ticket */

struct save {
  struct cpu_search *search;
  struct checkpoint_writer *writer; /* NULL: rank 0 writes */
  unsigned parts;                   /* of the visited set */
  atomic_uint ticket;
  enum checkpoint_section frontier; /* the section that the frontier's level belongs to */
  atomic_bool failed;
};

/* A worker's output. */
struct section_writer {
  struct save *save;
  struct snapshot_writer file;
};

static struct worker *worker_of(const struct section_writer *out) {
  return &out->save->search->workers[out->file.number];
}

/* ---- states -------------------------------------------------------------------------------------- */

static void put_states(void *user, const uint64_t *states, size_t n) {
  struct section_writer *out = user;
  snapshot_writer_put(&out->file, states, n);
}

/* The file contains multiword states in full, because another run has other roots. */
static void put_frontier(void *user, const uint64_t *waiting, size_t n) {
  const struct section_writer *out = user;
  struct worker *worker = worker_of(out);
  if (worker->multiword)
    multiword_visit(worker, waiting, n, put_states, user);
  else
    put_states(user, waiting, n);
}

/* ---- the visited set ----------------------------------------------------------------------------- */

/* Relaxed: tickets must only differ. */
static void save_keys(struct section_writer *out) {
  struct save *save = out->save;
  unsigned part;
  snapshot_writer_section(&out->file, CHECKPOINT_KEYS);
  while ((part = atomic_fetch_add_explicit(&save->ticket, 1, memory_order_relaxed)) < save->parts)
    visited_each(save->search->visited.set, part, save->parts, put_frontier, out);
}

/* ---- states of the frontier ---------------------------------------------------------------------- */

/* If states on disk cannot be read, the file would lack them and is discarded. */
static void note_failure(struct save *save, floe_status status) {
  if (status != FLOE_OK)
    atomic_store_explicit(&save->failed, true, memory_order_relaxed);
}

static void save_frontier(struct section_writer *out) {
  struct save *save = out->save;
  snapshot_writer_section(&out->file, save->frontier);
  note_failure(save,
               (save->search->frontier.assigned ? waiting_rest : waiting_level)(worker_of(out), put_frontier, out));
}

static void save_found(struct section_writer *out) {
  snapshot_writer_section(&out->file, CHECKPOINT_NEXT);
  note_failure(out->save, waiting_found(worker_of(out), put_frontier, out));
}

/* The message's states from `first` on. */
static void save_message(struct section_writer *out, struct message *message, size_t first) {
  const struct packet *packet = packet_of(message);
  put_states(out, (const uint64_t *)packet->content + first * out->save->search->state_words, packet->number - first);
}

static void save_pending(struct section_writer *out) {
  const struct cpu_search *self = out->save->search;
  struct worker *worker = worker_of(out);
  snapshot_writer_section(&out->file, CHECKPOINT_PENDING);
  put_frontier(out, worker->successors.keys + worker->successors.put,
               worker->successors.count - worker->successors.put);
  if (worker->multiword)
    multiword_pending(worker, put_states, out);
  if (worker->received.message)
    save_message(out, worker->received.message, worker->received.next);
  if (out->file.number > 0)
    return;
  put_frontier(out, self->restored.pending + self->restored.put, self->restored.count - self->restored.put);
  for (struct message *packet = self->group.deferred; packet; packet = packet->next)
    save_message(out, packet, 0);
}

static void save_states(void *data, unsigned number) {
  struct save *save = data;
  struct collective *collective = &save->search->collective;
  struct section_writer out = {.save = save,
                               .file = {.collective = collective, .file = save->writer, .number = number}};
  save_keys(&out);
  save_frontier(&out);
  save_found(&out);
  save_pending(&out);
  if (!collective->exchange)
    return;
  snapshot_writer_flush(&out.file);
  if (!save->writer)
    exchange_worker_done(collective->exchange, number);
  snapshot_writer_await(&out.file);
}

/* ---- sums ---------------------------------------------------------------------------------------- */

static void add_worker(struct cpu_search *self, const struct worker *worker, struct snapshot *snapshot) {
  struct checkpoint_search *sums = &snapshot->sums;
  const struct step_block *block = &worker->block;
  for (size_t t = 0; t < sums->transition_count; t++)
    snapshot->fired[t] += block->fired[t];
  sums->deadlocks += block->deadlocks;
  sums->checksum += worker->checksum;
  sums->failed |= block->failed;
  if (block->max_out_degree > sums->max_out_degree)
    sums->max_out_degree = block->max_out_degree;
  if (block->firing_failed && !sums->firing_failed) {
    sums->firing_failed = true;
    sums->firing_failed_depth = search_depth(&self->search);
  }
  for (size_t i = 0; i < sums->property_count; i++)
    if (worker->violations[i].violation && (block->triggered & search_pending_properties(&self->search)) >> i & 1)
      snapshot_add_violation(snapshot, i, &worker->violations[i], self->state_words);
}

/* ---- saving -------------------------------------------------------------------------------------- */

/* In a group rank 0 decides. */
static bool begin_saving(struct cpu_search *self, struct snapshot *snapshot) {
  struct search *search = &self->search;
  const struct checkpoint_order order = snapshot_order(&self->visited.config, &self->visited.set->shape);
  const bool due = !search->ended || snapshot_is_last(search);
  self->group.checkpoint_due = false;
  if (!self->collective.exchange)
    return due && snapshot_begin(search, self->worker_count, &order, snapshot);
  return snapshot_group_begin(&self->collective, due, self->worker_count, &order, snapshot);
}

static void begin_save_phase(struct cpu_search *self, const struct save *save) {
  if (!self->collective.exchange)
    return;
  comm_next_epoch(self->search.task->group.comm);
  exchange_begin(self->collective.exchange, save->writer ? 0 : self->worker_count);
}

static void end_saving(struct cpu_search *self, struct snapshot *snapshot, bool failed) {
  if (self->collective.exchange)
    snapshot_group_end(&self->collective, snapshot, failed ? FLOE_ERROR_IO : FLOE_OK);
  else if (failed)
    snapshot_give_up(&self->search, snapshot, FLOE_ERROR_IO);
  else
    snapshot_end(&self->search, snapshot);
}

void cpu_save(struct cpu_search *self) {
  struct search *search = &self->search;
  const bool closed = search->levels.complete == search->levels.count;
  enum phase before = phases_enter(&self->phases, PHASE_BETWEEN);
  struct snapshot snapshot;
  if (begin_saving(self, &snapshot)) {
    struct save save = {.search = self,
                        .writer = snapshot.writer,
                        .parts = (unsigned)(self->visited.set->shape.slots / PART_SLOTS) + 1,
                        .frontier = closed ? CHECKPOINT_NEXT : CHECKPOINT_REST};
    begin_save_phase(self, &save);
    pool_run(self->pool, save_states, &save);
    for (unsigned i = 0; i < self->worker_count; i++)
      add_worker(self, &self->workers[i], &snapshot);
    snapshot.sums.transitions = cpu_transitions(self);
    end_saving(self, &snapshot, atomic_load_explicit(&save.failed, memory_order_relaxed));
  }
  phases_enter(&self->phases, before);
}
