/* The GPU's rank as one of several goes on from a checkpoint: rank 0 reads the file and deals states to their owners, a
   section at a time, each in a phase with an agreement after it, as CPUs do (engine/cpu/cpu_restore_distributed.c), which may be among
   the members. The host's threads sort states out; the device puts keys. States are of one word. */
#include "gpu/engine/gpu_search.h"

#include "base/numbers.h"
#include "core/mem.h"
#include "engine/snapshot/snapshot_group.h"

#include <stdatomic.h>
#include <string.h>

/* States that wait, handed on together. */
#define AT_ONCE 4096

/* A thread's way through its share. */
struct dealer {
  _Alignas(64) struct checkpoint_block *block; /* NULL: rank 0 reads */
  struct message *packet;                      /* that `states` lie in; NULL: they lie in `block` */
  const uint64_t *states;
  uint64_t done, n;  /* states [done, n) are still to be dealt */
  uint64_t checksum; /* of all that were read */
  uint64_t *scratch; /* of key_state */
  unsigned calls;    /* of gather */
  bool exhausted;
  floe_status status;
};

struct deal {
  struct gpu_search *search;
  struct dealer *dealers; /* [members of the crew] */
  enum checkpoint_section section;
  atomic_uint full;   /* the last of the crew's calls of gather that some dealer left with all that he had room for */
  struct arena arena; /* of search->origin */
};

static struct exchange *exchange_of(const struct deal *deal) { return deal->search->member.collective.exchange; }
static struct comm *comm_of(const struct deal *deal) { return deal->search->search->task->group.comm; }
static unsigned count_dealers(const struct deal *deal) { return pool_size(deal->search->content.pool); }

/* ---- where they come from ------------------------------------------------------------------------ */

static void drop_letter(struct deal *deal, struct dealer *dealer) {
  if (dealer->packet)
    exchange_ack(exchange_of(deal));
  message_free(dealer->packet);
  dealer->packet = NULL;
  dealer->done = dealer->n = 0;
}

static bool take_letter(struct deal *deal, struct dealer *dealer) {
  dealer->packet = exchange_take(exchange_of(deal));
  if (!dealer->packet)
    return false;
  dealer->states = (const uint64_t *)packet_of(dealer->packet)->content;
  dealer->n = packet_of(dealer->packet)->number;
  return true;
}

static void read_block(struct deal *deal, unsigned member) {
  struct dealer *dealer = &deal->dealers[member];
  const struct engine_task *task = deal->search->search->task;
  struct checkpoint_states read = {.n = 0};
  if (dealer->block)
    dealer->status = checkpoint_next(task->snapshot.from, dealer->block, &read);
  if (dealer->status != FLOE_OK)
    return;
  dealer->states = read.states;
  dealer->n = read.n;
  if (deal->section == CHECKPOINT_KEYS)
    dealer->checksum += engine_keys_mix(task->layout, read.states, read.n, dealer->scratch);
  if (read.n > 0)
    return;
  dealer->exhausted = true;
  exchange_worker_done(exchange_of(deal), member);
}

/* False: there is nothing to be done now. */
static bool find_states(struct deal *deal, unsigned member) {
  struct dealer *dealer = &deal->dealers[member];
  drop_letter(deal, dealer);
  if (take_letter(deal, dealer))
    return true;
  if (dealer->exhausted || exchange_backpressured(exchange_of(deal)))
    return false;
  read_block(deal, member);
  return true;
}

/* ---- where they go ------------------------------------------------------------------------------- */

/* Of the next states those that are this member's to [to, to + room), until that is full; the others are sent. Returns
   how many were taken. */
static uint64_t sort_out(struct deal *deal, unsigned member, uint64_t *to, uint64_t room) {
  const struct collective *collective = &deal->search->member.collective;
  struct dealer *dealer = &deal->dealers[member];
  uint64_t n = 0;
  for (; dealer->done < dealer->n && n < room; dealer->done++) {
    const uint64_t *state = &dealer->states[dealer->done];
    const unsigned owner = collective_owner(collective, state);
    if (owner == collective->rank)
      to[n++] = *state;
    else
      exchange_send(collective->exchange, member, owner, state);
  }
  return n;
}

static bool is_to_stop(const struct deal *deal, const struct dealer *dealer) {
  return dealer->status != FLOE_OK || stop_requested(&deal->search->search->stop) || exchange_is_stopped(exchange_of(deal));
}

/* Nobody is to wait for what another dealer, who has left this call, has yet to deal. Relaxed: a flag without data. */
static bool others_have_left(const struct deal *deal, const struct dealer *dealer) {
  return atomic_load_explicit(&deal->full, memory_order_relaxed) == dealer->calls;
}

/* As content_load wants it: fills [to, to + room) with this member's states. 0 for all dealers: the phase is over, or
   is to stop. */
static uint64_t gather(void *user, unsigned member, uint64_t *to, uint64_t room) {
  struct deal *deal = user;
  struct dealer *dealer = &deal->dealers[member];
  unsigned rests = 0;
  uint64_t n = 0;
  dealer->calls++;
  while (n < room && !is_to_stop(deal, dealer)) {
    exchange_progress(exchange_of(deal));
    if (dealer->done < dealer->n)
      n += sort_out(deal, member, to + n, room - n);
    else if (find_states(deal, member))
      rests = 0;
    else if (exchange_is_over(exchange_of(deal)) || others_have_left(deal, dealer))
      return n;
    else
      comm_backoff(comm_of(deal), &rests);
  }
  if (n == room)
    atomic_store_explicit(&deal->full, dealer->calls, memory_order_relaxed);
  return n;
}

/* ---- a phase ------------------------------------------------------------------------------------- */

static floe_status add_unplaced(struct gpu_search *self, const uint64_t *states, uint64_t n) {
  uint64_t *list = mem_resize(self->unplaced.states, (self->unplaced.count + n) * sizeof *list);
  if (!list)
    return FLOE_ERROR_MEMORY;
  memcpy(list + self->unplaced.count, states, n * sizeof *states);
  self->unplaced.states = list;
  self->unplaced.count += n;
  return FLOE_OK;
}

/* By the first dealer alone. */
static floe_status take_waiting(struct deal *deal) {
  struct gpu_search *self = deal->search;
  uint64_t states[AT_ONCE], n;
  while ((n = gather(deal, 0, states, AT_ONCE)) > 0)
    FLOE_TRY(deal->section == CHECKPOINT_PENDING ? add_unplaced(self, states, n)
                                                 : queue_add(self, deal->section == CHECKPOINT_NEXT, states, n));
  return FLOE_OK;
}

/* FLOE_ERROR_UNSUPPORTED: the run is to end, here or elsewhere. */
static floe_status work_off(struct deal *deal) {
  FLOE_TRY(deal->section == CHECKPOINT_KEYS ? content_load(deal->search, gather, deal) : take_waiting(deal));
  for (unsigned i = 0; i < count_dealers(deal); i++)
    FLOE_TRY(deal->dealers[i].status);
  return exchange_is_over(exchange_of(deal)) ? FLOE_OK : FLOE_ERROR_UNSUPPORTED;
}

/* Nobody deals any more: what is under way comes, and is nobody's. */
static void stop(struct deal *deal) {
  struct exchange *exchange = exchange_of(deal);
  unsigned rests = 0;
  double since = 0;
  for (unsigned i = 0; i < count_dealers(deal); i++)
    drop_letter(deal, &deal->dealers[i]);
  exchange_discard(exchange);
  exchange_stop(exchange);
  for (exchange_progress(exchange); !exchange_is_over(exchange); exchange_progress(exchange)) {
    if (comm_timed_out(comm_of(deal), &deal->search->search->stop, &since) || comm_status(comm_of(deal)) != FLOE_OK)
      return;
    comm_backoff(comm_of(deal), &rests);
  }
}

/* Rank 0: all was read, and is what was written. */
static void end_reading(struct deal *deal) {
  struct search *search = deal->search->search;
  floe_status status = checkpoint_end_reading(search->task->snapshot.from);
  uint64_t checksum = 0;
  for (unsigned i = 0; i < count_dealers(deal); i++)
    checksum += deal->dealers[i].checksum;
  if (status == FLOE_OK && deal->section == CHECKPOINT_KEYS)
    status = snapshot_check(search, search->origin.states[CHECKPOINT_KEYS], checksum);
  if (status != FLOE_OK)
    search_fail(search, status);
}

static void end_with(struct search *search, floe_status status) {
  if (status == FLOE_ERROR_UNSUPPORTED)
    search_check_stop(search); /* if that is wanted here */
  else
    search_fail(search, status);
}

static void agree_to_go_on(struct gpu_search *self) {
  const struct member_stats mine = {.states = gpu_search_states(self)};
  collective_begin(&self->member.collective, &mine);
}

static void deal_section(struct deal *deal, enum checkpoint_section section) {
  struct gpu_search *self = deal->search;
  const unsigned active = section == CHECKPOINT_KEYS ? count_dealers(deal) : 1;
  deal->section = section;
  comm_next_epoch(comm_of(deal));
  exchange_begin(exchange_of(deal), active);
  for (unsigned i = 0; i < active; i++)
    deal->dealers[i].exhausted = false;
  if (self->search->task->snapshot.from)
    checkpoint_choose(self->search->task->snapshot.from, 1u << section);
  const floe_status status = work_off(deal);
  if (self->search->task->snapshot.from && (status == FLOE_OK || status == FLOE_ERROR_IO))
    end_reading(deal); /* which tells why, too */
  if (status != FLOE_OK) {
    end_with(self->search, status);
    stop(deal);
  }
  agree_to_go_on(self);
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static void take_hit(void *user, size_t property, const struct engine_violation *violation) {
  struct gpu_control *control = user;
  control->level.triggered |= UINT64_C(1) << property;
  control->results.witness[property] = *violation->state;
}

/* Sums of the file, and hits that are not final, are rank 0's. */
static floe_status restore(struct gpu_search *self) {
  FLOE_TRY(snapshot_restore(self->search));
  self->control.level.depth = search_depth(self->search);
  if (self->member.collective.rank > 0)
    return FLOE_OK;
  snapshot_each_violation(self->search, take_hit, &self->control);
  return resume_sums(self);
}

static floe_status open_dealers(struct deal *deal) {
  const struct engine_task *task = deal->search->search->task;
  const size_t scratch = key_scratch(task->layout) + 8; /* cache lines of its own */
  deal->dealers = pages_alloc(count_dealers(deal) * sizeof *deal->dealers);
  if (!deal->dealers)
    return FLOE_ERROR_MEMORY;
  for (unsigned i = 0; i < count_dealers(deal); i++) {
    struct dealer *dealer = &deal->dealers[i];
    dealer->scratch = mem_array(scratch, sizeof *dealer->scratch);
    dealer->block = task->snapshot.from ? checkpoint_block_create(task->snapshot.from) : NULL;
    if (!dealer->scratch || (task->snapshot.from && !dealer->block))
      return FLOE_ERROR_MEMORY;
  }
  return FLOE_OK;
}

static void close_dealers(struct deal *deal) {
  for (unsigned i = 0; deal->dealers && i < count_dealers(deal); i++) {
    checkpoint_block_free(deal->dealers[i].block);
    message_free(deal->dealers[i].packet);
    mem_free(deal->dealers[i].scratch);
  }
  if (deal->dealers)
    pages_free(deal->dealers, count_dealers(deal) * sizeof *deal->dealers);
}

static void deal_all(struct deal *deal) {
  struct search *search = deal->search->search;
  const struct collective *collective = &deal->search->member.collective;
  for (enum checkpoint_section i = 0; !search->ended && i < CHECKPOINT_SECTIONS; i++) {
    deal_section(deal, i);
    if (!search->ended && i == CHECKPOINT_KEYS && collective->states != search->origin.states[CHECKPOINT_KEYS])
      search_fail(search, collective->rank == 0 ? snapshot_check(search, collective->states, 0) : FLOE_ERROR_IO);
  }
}

/* All figures are those of the checkpoint, where reading it was interrupted. */
static void forget(struct gpu_search *self) {
  struct search *search = self->search;
  if (!search->ended || search->status != FLOE_OK)
    return;
  search->checkpoints.inexact = true;
  self->control.level.states_before = self->member.collective.rank == 0 ? snapshot_states(search->task) : 0;
}

void gpu_restore_distributed(struct gpu_search *self) {
  struct search *search = self->search;
  struct deal deal = {.search = self};
  arena_init(&deal.arena);
  snapshot_group_origin(&self->member.collective, &deal.arena);
  floe_status status = search->status;
  if (status == FLOE_OK)
    status = open_dealers(&deal);
  if (status == FLOE_OK)
    status = restore(self);
  if (status != FLOE_OK)
    search_fail(search, status);
  agree_to_go_on(self);
  if (!search->ended)
    deal_all(&deal);
  forget(self);
  close_dealers(&deal);
  search->origin.search = NULL; /* its sizes are asked for yet */
  arena_free(&deal.arena);
}
