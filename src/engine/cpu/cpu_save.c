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
  struct rank *rank;
  struct checkpoint_writer *writer; /* NULL: rank 0 has it */
  unsigned parts;                   /* of the visited set */
  atomic_uint ticket;
  enum checkpoint_section frontier; /* what the states of rank->frontier are */
  atomic_bool failed;
};

/* A worker's way in. */
struct lane {
  struct keep *keep;
  struct moment_lane file;
};

static struct worker *worker_of(const struct lane *lane) { return &lane->keep->rank->workers[lane->file.number]; }

/* ---- states -------------------------------------------------------------------------------------- */

static void put_states(void *user, const uint64_t *states, size_t n) {
  struct lane *lane = user;
  moment_lane_put(&lane->file, states, n);
}

/* What waits: the file has states of several words in full, as another run has other roots. */
static void put_waiting(void *user, const uint64_t *waiting, size_t n) {
  const struct lane *lane = user;
  struct worker *worker = worker_of(lane);
  if (worker->names)
    wide_visit(worker, waiting, n, put_states, user);
  else
    put_states(user, waiting, n);
}

/* ---- the visited set ----------------------------------------------------------------------------- */

/* Relaxed: tickets only have to differ. */
static void keep_keys(struct lane *lane) {
  struct keep *keep = lane->keep;
  unsigned part;
  moment_lane_section(&lane->file, CHECKPOINT_KEYS);
  while ((part = atomic_fetch_add_explicit(&keep->ticket, 1, memory_order_relaxed)) < keep->parts)
    visited_each(keep->rank->visited, part, keep->parts, put_waiting, lane);
}

/* ---- states that wait ---------------------------------------------------------------------------- */

/* States on disk that cannot be read are not in the file, which then is not to be. */
static void note(struct keep *keep, floe_status status) {
  if (status != FLOE_OK)
    atomic_store_explicit(&keep->failed, true, memory_order_relaxed);
}

static void keep_frontier(struct lane *lane) {
  struct keep *keep = lane->keep;
  moment_lane_section(&lane->file, keep->frontier);
  note(keep, (keep->rank->dealt ? waiting_rest : waiting_level)(worker_of(lane), put_waiting, lane));
}

static void keep_found(struct lane *lane) {
  moment_lane_section(&lane->file, CHECKPOINT_NEXT);
  note(lane->keep, waiting_found(worker_of(lane), put_waiting, lane));
}

/* Of a letter those from `first` on. */
static void keep_letter(struct lane *lane, struct message *message, size_t first) {
  const struct letter *letter = letter_of(message);
  put_states(lane, (const uint64_t *)letter->content + first * lane->keep->rank->state_words, letter->number - first);
}

static void keep_pending(struct lane *lane) {
  const struct rank *rank = lane->keep->rank;
  struct worker *worker = worker_of(lane);
  moment_lane_section(&lane->file, CHECKPOINT_PENDING);
  put_waiting(lane, worker->keys + worker->put, worker->key_count - worker->put);
  if (worker->names)
    wide_unnamed(worker, put_states, lane);
  if (worker->letter)
    keep_letter(lane, worker->letter, worker->letter_next);
  if (lane->file.number > 0)
    return;
  put_waiting(lane, rank->unplaced.states + rank->unplaced.put, rank->unplaced.count - rank->unplaced.put);
  for (struct message *letter = rank->aside; letter; letter = letter->next)
    keep_letter(lane, letter, 0);
}

static void keep_states(void *data, unsigned member) {
  struct keep *keep = data;
  struct together *together = &keep->rank->together;
  struct lane lane = {.keep = keep, .file = {.together = together, .writer = keep->writer, .number = member}};
  keep_keys(&lane);
  keep_frontier(&lane);
  keep_found(&lane);
  keep_pending(&lane);
  if (!together->exchange)
    return;
  moment_lane_flush(&lane.file);
  if (!keep->writer)
    exchange_exhausted(together->exchange, member);
  moment_lane_await(&lane.file);
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

/* Of a group rank 0 decides. */
static bool begin(struct rank *rank, struct moment *moment) {
  struct search *search = rank->search;
  const struct checkpoint_order order = moment_order(&rank->config, &rank->visited->shape);
  const bool wanted = !search->ended || moment_is_last(search);
  rank->keep_due = false;
  if (!rank->together.exchange)
    return wanted && moment_begin(search, rank->worker_count, &order, moment);
  return moment_group_begin(&rank->together, wanted, rank->worker_count, &order, moment);
}

static void begin_phase(struct rank *rank, const struct keep *keep) {
  if (!rank->together.exchange)
    return;
  post_next(rank->search->task->post);
  exchange_begin(rank->together.exchange, keep->writer ? 0 : rank->worker_count);
}

static void end(struct rank *rank, struct moment *moment, bool failed) {
  if (rank->together.exchange)
    moment_group_end(&rank->together, moment, failed ? FLOE_ERROR_IO : FLOE_OK);
  else if (failed)
    moment_give_up(rank->search, moment, FLOE_ERROR_IO);
  else
    moment_end(rank->search, moment);
}

void rank_keep(struct rank *rank) {
  struct search *search = rank->search;
  const bool closed = search->complete == search->levels;
  enum phase before = phases_enter(&rank->phases, PHASE_BETWEEN);
  struct moment moment;
  if (begin(rank, &moment)) {
    struct keep keep = {.rank = rank,
                        .writer = moment.writer,
                        .parts = (unsigned)(rank->visited->shape.slots / PART_SLOTS) + 1,
                        .frontier = closed ? CHECKPOINT_NEXT : CHECKPOINT_REST};
    begin_phase(rank, &keep);
    crew_run(rank->crew, keep_states, &keep);
    for (unsigned i = 0; i < rank->worker_count; i++)
      add_worker(rank, &rank->workers[i], &moment);
    moment.sums.transitions = rank_transitions(rank);
    end(rank, &moment, atomic_load_explicit(&keep.failed, memory_order_relaxed));
  }
  phases_enter(&rank->phases, before);
}
