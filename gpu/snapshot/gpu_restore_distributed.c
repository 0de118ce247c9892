#include "gpu/snapshot/gpu_restore_distributed.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot_group.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/queue.h"
#include "gpu/snapshot/gpu_restore.h"
#include "gpu/snapshot/key_transfer.h"

#include <stdatomic.h>
#include <string.h>

/* Unexpanded states moved together. */
#define AT_ONCE 4096

/* A thread's source of states: blocks of the file, or received packets. */
struct reader {
  _Alignas(64) struct checkpoint_block *block; /* NULL: not rank 0 */
  struct message *packet;                      /* source of `states`; NULL: `block` is */
  const uint64_t *states;
  uint64_t done, n;  /* states [done, n) are not assigned yet */
  uint64_t checksum; /* of all states read */
  uint64_t *scratch; /* of key_state */
  unsigned calls;    /* of fill_own_states */
  bool exhausted;
  floe_status status;
};

struct scatter {
  struct gpu_search *self;
  struct reader *readers; /* [threads of the pool] */
  enum checkpoint_section section;
  atomic_uint full;   /* number of the last call of fill_own_states that returned a full buffer */
  struct arena arena; /* of search->origin */
};

static struct exchange *exchange_of(const struct scatter *scatter) { return scatter->self->group.collective.exchange; }
static struct comm *comm_of(const struct scatter *scatter) { return scatter->self->search.task->group.comm; }
static unsigned count_readers(const struct scatter *scatter) { return pool_size(scatter->self->transfer.pool); }

/* ---- sources ---------------------------------------------------------------------------------- */

static void drop_packet(struct scatter *scatter, struct reader *reader) {
  if (reader->packet)
    exchange_ack(exchange_of(scatter));
  message_free(reader->packet);
  reader->packet = NULL;
  reader->done = reader->n = 0;
}

static bool take_packet(struct scatter *scatter, struct reader *reader) {
  reader->packet = exchange_take(exchange_of(scatter));
  if (!reader->packet)
    return false;
  reader->states = (const uint64_t *)packet_of(reader->packet)->content;
  reader->n = packet_of(reader->packet)->number;
  return true;
}

static void read_block(struct scatter *scatter, unsigned thread) {
  struct reader *reader = &scatter->readers[thread];
  const struct engine_task *task = scatter->self->search.task;
  struct checkpoint_states read = {.n = 0};
  if (reader->block)
    reader->status = checkpoint_next(task->snapshot.from, reader->block, &read);
  if (reader->status != FLOE_OK)
    return;
  reader->states = read.states;
  reader->n = read.n;
  if (scatter->section == CHECKPOINT_KEYS)
    reader->checksum += engine_keys_mix(task->layout, read.states, read.n, reader->scratch);
  if (read.n > 0)
    return;
  reader->exhausted = true;
  exchange_worker_done(exchange_of(scatter), thread);
}

/* False: no states are available now. */
static bool find_states(struct scatter *scatter, unsigned thread) {
  struct reader *reader = &scatter->readers[thread];
  drop_packet(scatter, reader);
  if (take_packet(scatter, reader))
    return true;
  if (reader->exhausted || exchange_backpressured(exchange_of(scatter)))
    return false;
  read_block(scatter, thread);
  return true;
}

/* ---- owners --------------------------------------------------------------------------------------- */

/* Copies this member's states to [to, to + room), until that is full, and sends the others to their owners. Returns the
   number copied. */
static uint64_t take_own_states(struct scatter *scatter, unsigned thread, uint64_t *to, uint64_t room) {
  const struct collective *collective = &scatter->self->group.collective;
  struct reader *reader = &scatter->readers[thread];
  uint64_t n = 0;
  for (; reader->done < reader->n && n < room; reader->done++) {
    const uint64_t *state = &reader->states[reader->done];
    const unsigned owner = collective_owner(collective, state);
    if (owner == collective->rank)
      to[n++] = *state;
    else
      exchange_send(collective->exchange, thread, owner, state);
  }
  return n;
}

static bool must_stop(const struct scatter *scatter, const struct reader *reader) {
  return reader->status != FLOE_OK || stop_requested(&scatter->self->search.stop) ||
         exchange_is_stopped(exchange_of(scatter));
}

/* Another thread has returned from this call with a full buffer and may have states left: the others must return, too.
   Relaxed: a flag without data. */
static bool others_have_left(const struct scatter *scatter, const struct reader *reader) {
  return atomic_load_explicit(&scatter->full, memory_order_relaxed) == reader->calls;
}

/* Callback of transfer_load: fills [to, to + room) with this member's states. All threads return 0 when the phase is
   over or must stop. */
static uint64_t fill_own_states(void *user, unsigned thread, uint64_t *to, uint64_t room) {
  struct scatter *scatter = user;
  struct reader *reader = &scatter->readers[thread];
  unsigned rests = 0;
  uint64_t n = 0;
  reader->calls++;
  while (n < room && !must_stop(scatter, reader)) {
    exchange_progress(exchange_of(scatter));
    if (reader->done < reader->n)
      n += take_own_states(scatter, thread, to + n, room - n);
    else if (find_states(scatter, thread))
      rests = 0;
    else if (exchange_is_over(exchange_of(scatter)) || others_have_left(scatter, reader))
      return n;
    else
      comm_backoff(comm_of(scatter), &rests);
  }
  if (n == room)
    atomic_store_explicit(&scatter->full, reader->calls, memory_order_relaxed);
  return n;
}

/* ---- a phase ------------------------------------------------------------------------------------- */

static floe_status add_pending(struct gpu_search *self, const uint64_t *states, uint64_t n) {
  uint64_t *list = mem_resize(self->restored_pending.states, (self->restored_pending.count + n) * sizeof *list);
  if (!list)
    return FLOE_ERROR_MEMORY;
  memcpy(list + self->restored_pending.count, states, n * sizeof *states);
  self->restored_pending.states = list;
  self->restored_pending.count += n;
  return FLOE_OK;
}

/* By the first thread alone. */
static floe_status restore_queue(struct scatter *scatter) {
  struct gpu_search *self = scatter->self;
  uint64_t states[AT_ONCE], n;
  while ((n = fill_own_states(scatter, 0, states, AT_ONCE)) > 0)
    FLOE_TRY(scatter->section == CHECKPOINT_PENDING ? add_pending(self, states, n)
                                                    : queue_add(self, scatter->section == CHECKPOINT_NEXT, states, n));
  return FLOE_OK;
}

/* FLOE_ERROR_UNSUPPORTED: the search was stopped, here or elsewhere. */
static floe_status run_phase(struct scatter *scatter) {
  FLOE_TRY(scatter->section == CHECKPOINT_KEYS ? transfer_load(scatter->self, fill_own_states, scatter)
                                               : restore_queue(scatter));
  for (unsigned i = 0; i < count_readers(scatter); i++)
    FLOE_TRY(scatter->readers[i].status);
  return exchange_is_over(exchange_of(scatter)) ? FLOE_OK : FLOE_ERROR_UNSUPPORTED;
}

/* Stops the phase: receives and drops all packets in transit. */
static void stop_phase(struct scatter *scatter) {
  struct exchange *exchange = exchange_of(scatter);
  unsigned rests = 0;
  double since = 0;
  for (unsigned i = 0; i < count_readers(scatter); i++)
    drop_packet(scatter, &scatter->readers[i]);
  exchange_discard(exchange);
  exchange_stop(exchange);
  for (exchange_progress(exchange); !exchange_is_over(exchange); exchange_progress(exchange)) {
    if (comm_timed_out(comm_of(scatter), &scatter->self->search.stop, &since) ||
        comm_status(comm_of(scatter)) != FLOE_OK)
      return;
    comm_backoff(comm_of(scatter), &rests);
  }
}

/* Rank 0: checks that the section was read in full and matches its checksum. */
static void end_reading(struct scatter *scatter) {
  struct search *search = &scatter->self->search;
  floe_status status = checkpoint_end_reading(search->task->snapshot.from);
  uint64_t checksum = 0;
  for (unsigned i = 0; i < count_readers(scatter); i++)
    checksum += scatter->readers[i].checksum;
  if (status == FLOE_OK && scatter->section == CHECKPOINT_KEYS)
    status = snapshot_check(search, search->origin.states[CHECKPOINT_KEYS], checksum);
  if (status != FLOE_OK)
    search_fail(search, status);
}

static void end_search(struct search *search, floe_status status) {
  if (status == FLOE_ERROR_UNSUPPORTED)
    search_check_stop(search); /* ends it if it was stopped here */
  else
    search_fail(search, status);
}

static void synchronise(struct gpu_search *self) {
  const struct member_stats mine = {.states = gpu_search_states(self)};
  collective_begin(&self->group.collective, &mine);
}

static void scatter_section(struct scatter *scatter, enum checkpoint_section section) {
  struct gpu_search *self = scatter->self;
  const unsigned active = section == CHECKPOINT_KEYS ? count_readers(scatter) : 1;
  scatter->section = section;
  comm_next_epoch(comm_of(scatter));
  exchange_begin(exchange_of(scatter), active);
  for (unsigned i = 0; i < active; i++)
    scatter->readers[i].exhausted = false;
  if (self->search.task->snapshot.from)
    checkpoint_choose(self->search.task->snapshot.from, 1u << section);
  const floe_status status = run_phase(scatter);
  if (self->search.task->snapshot.from && (status == FLOE_OK || status == FLOE_ERROR_IO))
    end_reading(scatter); /* which also logs the reason */
  if (status != FLOE_OK) {
    end_search(&self->search, status);
    stop_phase(scatter);
  }
  synchronise(self);
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static void restore_violation(void *user, size_t property, const struct engine_violation *violation) {
  struct gpu_control *control = user;
  control->level.triggered |= UINT64_C(1) << property;
  control->results.witness[property] = *violation->state;
}

/* Rank 0 takes over the sums of the file, and violations that are not final. */
static floe_status restore_sums(struct gpu_search *self) {
  FLOE_TRY(snapshot_restore(&self->search));
  self->control.level.depth = search_depth(&self->search);
  if (self->group.collective.rank > 0)
    return FLOE_OK;
  snapshot_each_violation(&self->search, restore_violation, &self->control);
  return gpu_restore_sums(self);
}

static floe_status open_readers(struct scatter *scatter) {
  const struct engine_task *task = scatter->self->search.task;
  const size_t scratch = key_scratch(task->layout) + 8; /* cache lines of its own */
  scatter->readers = pages_alloc(count_readers(scatter) * sizeof *scatter->readers);
  if (!scatter->readers)
    return FLOE_ERROR_MEMORY;
  for (unsigned i = 0; i < count_readers(scatter); i++) {
    struct reader *reader = &scatter->readers[i];
    reader->scratch = mem_array(scratch, sizeof *reader->scratch);
    reader->block = task->snapshot.from ? checkpoint_block_create(task->snapshot.from) : NULL;
    if (!reader->scratch || (task->snapshot.from && !reader->block))
      return FLOE_ERROR_MEMORY;
  }
  return FLOE_OK;
}

static void close_readers(struct scatter *scatter) {
  for (unsigned i = 0; scatter->readers && i < count_readers(scatter); i++) {
    checkpoint_block_free(scatter->readers[i].block);
    message_free(scatter->readers[i].packet);
    mem_free(scatter->readers[i].scratch);
  }
  if (scatter->readers)
    pages_free(scatter->readers, count_readers(scatter) * sizeof *scatter->readers);
}

static void scatter_all(struct scatter *scatter) {
  struct search *search = &scatter->self->search;
  const struct collective *collective = &scatter->self->group.collective;
  for (enum checkpoint_section i = 0; !search->ended && i < CHECKPOINT_SECTIONS; i++) {
    scatter_section(scatter, i);
    if (!search->ended && i == CHECKPOINT_KEYS && collective->states != search->origin.states[CHECKPOINT_KEYS])
      search_fail(search, collective->rank == 0 ? snapshot_check(search, collective->states, 0) : FLOE_ERROR_IO);
  }
}

/* If reading was interrupted, the search has the figures of the checkpoint. */
static void use_checkpoint_figures(struct gpu_search *self) {
  struct search *search = &self->search;
  if (!search->ended || search->status != FLOE_OK)
    return;
  search->checkpoints.inexact = true;
  self->control.level.states_before = self->group.collective.rank == 0 ? snapshot_states(search->task) : 0;
}

void gpu_restore_distributed(struct gpu_search *self) {
  struct search *search = &self->search;
  struct scatter scatter = {.self = self};
  arena_init(&scatter.arena);
  snapshot_group_origin(&self->group.collective, &scatter.arena);
  floe_status status = search->status;
  if (status == FLOE_OK)
    status = open_readers(&scatter);
  if (status == FLOE_OK)
    status = restore_sums(self);
  if (status != FLOE_OK)
    search_fail(search, status);
  synchronise(self);
  if (!search->ended)
    scatter_all(&scatter);
  use_checkpoint_figures(self);
  close_readers(&scatter);
  search->origin.search = NULL; /* its sizes are still needed */
  arena_free(&scatter.arena);
}
