/* The CPU's rank at rest: all workers stand still, and what they hold goes into a checkpoint. */
#include "engine/moment.h"
#include "engine/rank.h"

#include <string.h>

#define PART_SLOTS ((uint64_t)1 << 18) /* of the set, that a worker hands out before it takes a new ticket */

struct keep {
  struct rank *rank;
  struct checkpoint_writer *writer;
  unsigned parts; /* of the visited set */
  atomic_uint ticket;
  enum checkpoint_section frontier; /* what the states of rank->frontier are */
  atomic_bool failed;
};

/* A worker's way in. */
struct lane {
  struct keep *keep;
  unsigned number;
  enum checkpoint_section section;
};

static void put_states(void *user, const uint64_t *states, size_t n) {
  const struct lane *lane = user;
  checkpoint_put(lane->keep->writer, lane->number, lane->section, states, n);
}

/* What waits: the file has states of several words in full, as another run has other roots. */
static void put_waiting(void *user, const uint64_t *waiting, size_t n) {
  const struct lane *lane = user;
  struct worker *worker = &lane->keep->rank->workers[lane->number];
  if (worker->names)
    wide_visit(worker, waiting, n, put_states, user);
  else
    put_states(user, waiting, n);
}

/* ---- the visited set ----------------------------------------------------------------------------- */

/* Relaxed: tickets only have to differ. */
static void keep_keys(struct keep *keep, unsigned member) {
  struct lane lane = {keep, member, CHECKPOINT_KEYS};
  unsigned part;
  while ((part = atomic_fetch_add_explicit(&keep->ticket, 1, memory_order_relaxed)) < keep->parts)
    visited_each(keep->rank->visited, part, keep->parts, put_waiting, &lane);
}

/* ---- states that wait ---------------------------------------------------------------------------- */

/* States on disk that cannot be read are not in the file, which then is not to be. */
static void note(struct keep *keep, floe_status status) {
  if (status != FLOE_OK)
    atomic_store_explicit(&keep->failed, true, memory_order_relaxed);
}

static void keep_frontier(struct keep *keep, unsigned member) {
  struct lane lane = {keep, member, keep->frontier};
  struct worker *worker = &keep->rank->workers[member];
  note(keep, (keep->rank->dealt ? waiting_rest : waiting_level)(worker, put_waiting, &lane));
}

static void keep_found(struct keep *keep, unsigned member) {
  struct lane lane = {keep, member, CHECKPOINT_NEXT};
  note(keep, waiting_found(&keep->rank->workers[member], put_waiting, &lane));
}

static void keep_pending(struct keep *keep, unsigned member) {
  const struct rank *rank = keep->rank;
  struct worker *worker = &rank->workers[member];
  struct lane lane = {keep, member, CHECKPOINT_PENDING};
  put_waiting(&lane, worker->keys + worker->put, worker->key_count - worker->put);
  if (worker->names)
    wide_unnamed(worker, put_states, &lane);
  if (member == 0)
    put_waiting(&lane, rank->unplaced.states + rank->unplaced.put, rank->unplaced.count - rank->unplaced.put);
}

static void keep_states(void *data, unsigned member) {
  struct keep *keep = data;
  keep_keys(keep, member);
  keep_frontier(keep, member);
  keep_found(keep, member);
  keep_pending(keep, member);
}

/* ---- sums ---------------------------------------------------------------------------------------- */

static void add_worker(struct rank *rank, const struct worker *worker, struct moment *moment) {
  struct checkpoint_search *sums = &moment->sums;
  const struct step_block *block = &worker->block;
  for (size_t t = 0; t < sums->transition_count; t++)
    moment->fired[t] += block->fired[t];
  sums->deadlocks += block->deadlocks;
  sums->checksum += worker->checksum;
  sums->failed |= block->failed;
  if (block->max_out_degree > sums->max_out_degree)
    sums->max_out_degree = block->max_out_degree;
  if (block->cut && !sums->cut) {
    sums->cut = true;
    sums->cut_depth = search_depth(rank->search);
  }
  for (size_t i = 0; i < sums->property_count; i++)
    if (worker->hits[i].hit && (block->triggered & search_wanted(rank->search)) >> i & 1)
      moment_add_hit(moment, i, &worker->hits[i], rank->state_words);
}

/* ---- the whole ----------------------------------------------------------------------------------- */

void rank_keep(struct rank *rank) {
  struct search *search = rank->search;
  const struct checkpoint_order order = moment_order(&rank->config, &rank->visited->shape);
  const bool closed = search->complete == search->levels;
  enum phase before = phases_enter(&rank->phases, PHASE_BETWEEN);
  struct moment moment;
  if (moment_begin(search, rank->worker_count, &order, &moment)) {
    struct keep keep = {.rank = rank,
                        .writer = moment.writer,
                        .parts = (unsigned)(rank->visited->shape.slots / PART_SLOTS) + 1,
                        .frontier = closed ? CHECKPOINT_NEXT : CHECKPOINT_REST};
    crew_run(rank->crew, keep_states, &keep);
    for (unsigned i = 0; i < rank->worker_count; i++)
      add_worker(rank, &rank->workers[i], &moment);
    moment.sums.transitions = rank_transitions(rank);
    if (atomic_load_explicit(&keep.failed, memory_order_relaxed))
      moment_give_up(search, &moment, FLOE_ERROR_IO);
    else
      moment_end(search, &moment);
  }
  phases_enter(&rank->phases, before);
}
