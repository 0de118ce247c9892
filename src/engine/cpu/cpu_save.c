/* The CPU's rank at rest: all workers stand still, and what they hold goes into a checkpoint. Of a group all members
   are at rest, and rank 0 writes the one file: what the others have comes to it in letters. */
#include "engine/comm/exchange.h"
#include "engine/snapshot/snapshot_group.h"
#include "engine/snapshot/snapshot_writer.h"
#include "engine/cpu/cpu_search.h"

#include <assert.h>
#include <string.h>

#define PART_SLOTS ((uint64_t)1 << 18) /* of the set, that a worker hands out before it takes a new ticket */

struct keep {
  struct cpu_search *search;
  struct checkpoint_writer *writer; /* NULL: rank 0 has it */
  unsigned parts;                   /* of the visited set */
  atomic_uint ticket;
  enum checkpoint_section frontier; /* what the states of rank->frontier are */
  atomic_bool failed;
};

/* A worker's way in. */
struct lane {
  struct keep *keep;
  struct snapshot_writer file;
};

static struct worker *worker_of(const struct lane *lane) { return &lane->keep->search->workers[lane->file.number]; }

/* ---- states -------------------------------------------------------------------------------------- */

static void put_states(void *user, const uint64_t *states, size_t n) {
  struct lane *lane = user;
  snapshot_writer_put(&lane->file, states, n);
}

/* What waits: the file has states of several words in full, as another run has other roots. */
static void put_waiting(void *user, const uint64_t *waiting, size_t n) {
  const struct lane *lane = user;
  struct worker *worker = worker_of(lane);
  if (worker->names)
    multiword_visit(worker, waiting, n, put_states, user);
  else
    put_states(user, waiting, n);
}

/* ---- the visited set ----------------------------------------------------------------------------- */

/* Relaxed: tickets only have to differ. */
static void keep_keys(struct lane *lane) {
  struct keep *keep = lane->keep;
  unsigned part;
  snapshot_writer_section(&lane->file, CHECKPOINT_KEYS);
  while ((part = atomic_fetch_add_explicit(&keep->ticket, 1, memory_order_relaxed)) < keep->parts)
    visited_each(keep->search->visited, part, keep->parts, put_waiting, lane);
}

/* ---- states that wait ---------------------------------------------------------------------------- */

/* States on disk that cannot be read are not in the file, which then is not to be. */
static void note(struct keep *keep, floe_status status) {
  if (status != FLOE_OK)
    atomic_store_explicit(&keep->failed, true, memory_order_relaxed);
}

static void keep_frontier(struct lane *lane) {
  struct keep *keep = lane->keep;
  snapshot_writer_section(&lane->file, keep->frontier);
  note(keep, (keep->search->dealt ? waiting_rest : waiting_level)(worker_of(lane), put_waiting, lane));
}

static void keep_found(struct lane *lane) {
  snapshot_writer_section(&lane->file, CHECKPOINT_NEXT);
  note(lane->keep, waiting_found(worker_of(lane), put_waiting, lane));
}

/* Of a letter those from `first` on. */
static void keep_letter(struct lane *lane, struct message *message, size_t first) {
  const struct packet *packet = packet_of(message);
  put_states(lane, (const uint64_t *)packet->content + first * lane->keep->search->state_words, packet->number - first);
}

static void keep_pending(struct lane *lane) {
  const struct cpu_search *self = lane->keep->search;
  struct worker *worker = worker_of(lane);
  snapshot_writer_section(&lane->file, CHECKPOINT_PENDING);
  put_waiting(lane, worker->keys + worker->put, worker->key_count - worker->put);
  if (worker->names)
    multiword_unnamed(worker, put_states, lane);
  if (worker->packet)
    keep_letter(lane, worker->packet, worker->letter_next);
  if (lane->file.number > 0)
    return;
  put_waiting(lane, self->unplaced.states + self->unplaced.put, self->unplaced.count - self->unplaced.put);
  for (struct message *packet = self->aside; packet; packet = packet->next)
    keep_letter(lane, packet, 0);
}

static void keep_states(void *data, unsigned member) {
  struct keep *keep = data;
  struct collective *collective = &keep->search->collective;
  struct lane lane = {.keep = keep, .file = {.collective = collective, .writer = keep->writer, .number = member}};
  keep_keys(&lane);
  keep_frontier(&lane);
  keep_found(&lane);
  keep_pending(&lane);
  if (!collective->exchange)
    return;
  snapshot_writer_flush(&lane.file);
  if (!keep->writer)
    exchange_worker_done(collective->exchange, member);
  snapshot_writer_await(&lane.file);
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
  if (block->cut && !sums->cut) {
    sums->cut = true;
    sums->cut_depth = search_depth(self->search);
  }
  for (size_t i = 0; i < sums->property_count; i++)
    if (worker->violations[i].violation && (block->triggered & search_wanted(self->search)) >> i & 1)
      snapshot_add_violation(snapshot, i, &worker->violations[i], self->state_words);
}

/* ---- the whole ----------------------------------------------------------------------------------- */

/* Of a group rank 0 decides. */
static bool begin(struct cpu_search *self, struct snapshot *snapshot) {
  struct search *search = self->search;
  const struct checkpoint_order order = snapshot_order(&self->config, &self->visited->shape);
  const bool wanted = !search->ended || snapshot_is_last(search);
  self->keep_due = false;
  if (!self->collective.exchange)
    return wanted && snapshot_begin(search, self->worker_count, &order, snapshot);
  return snapshot_group_begin(&self->collective, wanted, self->worker_count, &order, snapshot);
}

static void begin_phase(struct cpu_search *self, const struct keep *keep) {
  if (!self->collective.exchange)
    return;
  comm_next_epoch(self->search->task->group.comm);
  exchange_begin(self->collective.exchange, keep->writer ? 0 : self->worker_count);
}

static void end(struct cpu_search *self, struct snapshot *snapshot, bool failed) {
  if (self->collective.exchange)
    snapshot_group_end(&self->collective, snapshot, failed ? FLOE_ERROR_IO : FLOE_OK);
  else if (failed)
    snapshot_give_up(self->search, snapshot, FLOE_ERROR_IO);
  else
    snapshot_end(self->search, snapshot);
}

void cpu_save(struct cpu_search *self) {
  struct search *search = self->search;
  const bool closed = search->complete == search->levels;
  enum phase before = phases_enter(&self->phases, PHASE_BETWEEN);
  struct snapshot snapshot;
  if (begin(self, &snapshot)) {
    struct keep keep = {.search = self,
                        .writer = snapshot.writer,
                        .parts = (unsigned)(self->visited->shape.slots / PART_SLOTS) + 1,
                        .frontier = closed ? CHECKPOINT_NEXT : CHECKPOINT_REST};
    begin_phase(self, &keep);
    pool_run(self->pool, keep_states, &keep);
    for (unsigned i = 0; i < self->worker_count; i++)
      add_worker(self, &self->workers[i], &snapshot);
    snapshot.sums.transitions = cpu_transitions(self);
    end(self, &snapshot, atomic_load_explicit(&keep.failed, memory_order_relaxed));
  }
  phases_enter(&self->phases, before);
}
