/* The CPU's rank as one of several goes on from a checkpoint: rank 0 reads the file and deals states to their owners, a
   section at a time, each in a phase (engine/comm/exchange.h) with an agreement after it. */
#include "engine/comm/exchange.h"
#include "engine/snapshot/snapshot_group.h"
#include "engine/cpu/cpu_load.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

/* A worker's way through its share. */
struct dealer {
  _Alignas(64) struct checkpoint_block *block; /* NULL: rank 0 reads */
  struct message *packet;                      /* that `states` lie in; NULL: they lie in `block` */
  const uint64_t *states;
  size_t done, n;      /* states [done, n) are still to be dealt */
  uint64_t own[BATCH]; /* keys of this member, to be put */
  size_t own_count;
  uint64_t fresh, checksum; /* of those put; of all that were read */
  bool exhausted;
  floe_status status;
};

struct deal {
  struct cpu_search *search;
  struct dealer *dealers; /* [worker_count] */
  enum checkpoint_section section;
  struct chunks rest, next; /* the lists of this member */
  struct arena arena;       /* of search->origin */
};

/* ---- states -------------------------------------------------------------------------------------- */

static unsigned owner_in(const struct cpu_search *self, const uint64_t *state) {
  return collective_owner(&self->collective, state);
}

/* Of the next states, the first of which is this member's: how many are, `most` at most. */
static size_t count_own(const struct cpu_search *self, const struct dealer *dealer, size_t most) {
  const size_t rest = dealer->n - dealer->done;
  const uint64_t *states = dealer->states + dealer->done * self->state_words;
  size_t n = 1;
  while (n < rest && n < most && owner_in(self, states + n * self->state_words) == self->collective.rank)
    n++;
  return n;
}

/* Keys of n states, or of the first of them, to be put. Returns how many. */
static size_t take_keys(struct deal *deal, unsigned member, const uint64_t *states, size_t n) {
  struct cpu_search *self = deal->search;
  struct dealer *dealer = &deal->dealers[member];
  uint64_t *keys = dealer->own + dealer->own_count;
  size_t taken = n;
  if (self->tree)
    taken = multiword_roots(&self->workers[member], states, n, keys);
  else
    memcpy(keys, states, n * sizeof *states);
  if (taken < n)
    cpu_stop(self, STOP_TREE);
  dealer->own_count += taken;
  return taken;
}

static floe_status take_waiting(struct deal *deal, const uint64_t *states, size_t n) {
  switch (deal->section) {
  case CHECKPOINT_REST:
    return loading_append(deal->search, &deal->rest, states, n);
  case CHECKPOINT_NEXT:
    return loading_append(deal->search, &deal->next, states, n);
  default:
    return loading_keep_unplaced(deal->search, states, n);
  }
}

/* Some of the next states that are all this member's. */
static void take_own(struct deal *deal, unsigned member, const uint64_t *states) {
  struct dealer *dealer = &deal->dealers[member];
  const bool keys = deal->section == CHECKPOINT_KEYS;
  const size_t n = count_own(deal->search, dealer, keys ? BATCH - dealer->own_count : SIZE_MAX);
  if (keys)
    dealer->done += take_keys(deal, member, states, n);
  else if ((dealer->status = take_waiting(deal, states, n)) == FLOE_OK)
    dealer->done += n;
}

/* As many of the next states as a batch has room for, and all between them that are not this member's. */
static void deal_some(struct deal *deal, unsigned member) {
  struct cpu_search *self = deal->search;
  struct dealer *dealer = &deal->dealers[member];
  while (dealer->done < dealer->n && dealer->own_count < BATCH && dealer->status == FLOE_OK && !cpu_stopped(self)) {
    const uint64_t *state = dealer->states + dealer->done * self->state_words;
    const unsigned owner = owner_in(self, state);
    if (owner == self->collective.rank) {
      take_own(deal, member, state);
      continue;
    }
    exchange_send(self->collective.exchange, member, owner, state);
    dealer->done++;
  }
}

/* ---- where they come from ------------------------------------------------------------------------ */

static void drop_letter(struct deal *deal, struct dealer *dealer) {
  if (dealer->packet)
    exchange_ack(deal->search->collective.exchange);
  message_free(dealer->packet);
  dealer->packet = NULL;
}

static bool take_letter(struct deal *deal, struct dealer *dealer) {
  dealer->packet = exchange_take(deal->search->collective.exchange);
  if (!dealer->packet)
    return false;
  dealer->states = (const uint64_t *)packet_of(dealer->packet)->content;
  dealer->n = packet_of(dealer->packet)->number;
  return true;
}

static void read_block(struct deal *deal, unsigned member) {
  struct cpu_search *self = deal->search;
  struct dealer *dealer = &deal->dealers[member];
  struct checkpoint_states read = {.n = 0};
  if (dealer->block)
    dealer->status = checkpoint_next(self->search->task->snapshot.from, dealer->block, &read);
  if (dealer->status != FLOE_OK)
    return;
  dealer->states = read.states;
  dealer->n = read.n;
  if (deal->section == CHECKPOINT_KEYS)
    dealer->checksum += engine_keys_mix(self->search->task->layout, read.states, read.n, self->workers[member].scratch);
  if (read.n > 0)
    return;
  dealer->exhausted = true;
  exchange_worker_done(self->collective.exchange, member);
}

/* False: there is nothing to be done now. */
static bool find_states(struct deal *deal, unsigned member) {
  struct dealer *dealer = &deal->dealers[member];
  drop_letter(deal, dealer);
  dealer->done = dealer->n = 0;
  if (take_letter(deal, dealer))
    return true;
  if (dealer->exhausted || exchange_backpressured(deal->search->collective.exchange))
    return false;
  read_block(deal, member);
  return true;
}

/* ---- a phase ------------------------------------------------------------------------------------- */

static void work(void *data, unsigned member) {
  struct deal *deal = data;
  struct cpu_search *self = deal->search;
  struct dealer *dealer = &deal->dealers[member];
  struct exchange *exchange = self->collective.exchange;
  unsigned rests = 0;
  while (!cpu_stopped(self)) {
    exchange_progress(exchange);
    if (dealer->status != FLOE_OK)
      cpu_stop(self, STOP_MEMORY);
    else if (stop_wanted(&self->search->stop))
      cpu_stop(self, STOP_INTERRUPT);
    else if (exchange_is_stopped(exchange))
      cpu_stop(self, STOP_OTHERS);
    else if (dealer->own_count == BATCH || (dealer->own_count && dealer->done == dealer->n))
      dealer->own_count = loading_put(self, dealer->own, dealer->own_count, &dealer->fresh);
    else if (dealer->done < dealer->n)
      deal_some(deal, member);
    else if (find_states(deal, member))
      rests = 0;
    else if (exchange_is_over(exchange))
      return;
    else
      comm_backoff(self->search->task->group.comm, &rests);
  }
}

static floe_status worst_of(const struct deal *deal) {
  for (unsigned i = 0; i < deal->search->worker_count; i++)
    FLOE_TRY(deal->dealers[i].status);
  return FLOE_OK;
}

/* Waiting states are one thread's to take. FLOE_ERROR_UNSUPPORTED: the run is to end, here or elsewhere. */
static floe_status work_off(struct deal *deal, bool all_workers) {
  struct cpu_search *self = deal->search;
  for (;;) {
    if (all_workers)
      pool_run(self->pool, work, deal);
    else
      work(deal, 0);
    const unsigned why = cpu_stopped(self);
    FLOE_TRY(worst_of(deal));
    if (!why)
      return FLOE_OK;
    if (why & STOP_OTHERS)
      return FLOE_ERROR_UNSUPPORTED;
    FLOE_TRY(loading_handle_stop(self, why));
  }
}

static void end_with(struct cpu_search *self, floe_status status) {
  if (status == FLOE_ERROR_UNSUPPORTED)
    search_look(self->search); /* if that is wanted here */
  else
    search_fail(self->search, status);
}

/* Rank 0: all was read, and is what was written. */
static void end_reading(struct deal *deal) {
  struct search *search = deal->search->search;
  floe_status status = checkpoint_end_reading(search->task->snapshot.from);
  uint64_t checksum = 0;
  for (unsigned i = 0; i < deal->search->worker_count; i++)
    checksum += deal->dealers[i].checksum;
  if (status == FLOE_OK && deal->section == CHECKPOINT_KEYS)
    status = snapshot_check(search, search->origin.states[CHECKPOINT_KEYS], checksum);
  if (status != FLOE_OK)
    search_fail(search, status);
}

static void deal_section(struct deal *deal, enum checkpoint_section section) {
  struct cpu_search *self = deal->search;
  const bool all_workers = section == CHECKPOINT_KEYS;
  const unsigned active = all_workers ? self->worker_count : 1;
  deal->section = section;
  comm_next_epoch(self->search->task->group.comm);
  exchange_begin(self->collective.exchange, active);
  for (unsigned i = 0; i < active; i++)
    deal->dealers[i].exhausted = false;
  if (self->search->task->snapshot.from)
    checkpoint_choose(self->search->task->snapshot.from, 1u << section);
  const floe_status status = work_off(deal, all_workers);
  if (self->search->task->snapshot.from && (status == FLOE_OK || status == FLOE_ERROR_IO))
    end_reading(deal); /* which tells why, too */
  if (status != FLOE_OK) {
    end_with(self, status);
    exchange_discard(self->collective.exchange);
    cpu_collective_stop(self);
  }
  cpu_collective_begin(self);
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static void take_hit(void *user, size_t property, const struct engine_violation *violation) {
  struct cpu_search *self = user;
  struct worker *worker = &self->workers[0];
  hit_keep_least(&worker->violations[property], violation->state, self->state_words, violation->depth, violation->error);
  worker->block.triggered |= UINT64_C(1) << property;
}

/* Sums of the file, and hits that are not final, are rank 0's. */
static floe_status restore(struct cpu_search *self) {
  struct search *search = self->search;
  FLOE_TRY(snapshot_restore(search));
  if (self->collective.rank == 0) {
    loading_take_sums(self);
    snapshot_each_violation(search, take_hit, self);
  } else {
    memset(search->fired, 0, search->origin.search->transition_count * sizeof *search->fired);
  }
  return FLOE_OK;
}

static bool open_dealers(struct deal *deal) {
  struct cpu_search *self = deal->search;
  deal->dealers = pages_alloc(self->worker_count * sizeof *deal->dealers);
  for (unsigned i = 0; deal->dealers && self->search->task->snapshot.from && i < self->worker_count; i++)
    if (!(deal->dealers[i].block = checkpoint_block_create(self->search->task->snapshot.from)))
      return false;
  return deal->dealers;
}

static void close_dealers(struct deal *deal) {
  for (unsigned i = 0; deal->dealers && i < deal->search->worker_count; i++) {
    checkpoint_block_free(deal->dealers[i].block);
    message_free(deal->dealers[i].packet);
  }
  if (deal->dealers)
    pages_free(deal->dealers, deal->search->worker_count * sizeof *deal->dealers);
}

static bool has_all_keys(const struct cpu_search *self) {
  return self->collective.states == self->search->origin.states[CHECKPOINT_KEYS];
}

static void deal_all(struct deal *deal) {
  struct cpu_search *self = deal->search;
  struct search *search = self->search;
  for (enum checkpoint_section i = 0; !search->ended && i < CHECKPOINT_SECTIONS; i++) {
    deal_section(deal, i);
    if (!search->ended && i == CHECKPOINT_KEYS && !has_all_keys(self))
      search_fail(search, self->collective.rank == 0 ? snapshot_check(search, self->collective.states, 0) : FLOE_ERROR_IO);
  }
  if (search->ended)
    return;
  floe_status status = loading_close(&deal->rest);
  if (status == FLOE_OK)
    status = loading_close(&deal->next);
  if (status != FLOE_OK)
    search_fail(search, status);
}

/* All figures are those of the checkpoint, where reading it was interrupted. */
static void forget(struct cpu_search *self) {
  struct search *search = self->search;
  if (!search->ended || search->status != FLOE_OK)
    return;
  search->kept.inexact = true;
  atomic_store_explicit(&self->states, self->collective.rank == 0 ? snapshot_states(search->task) : 0,
                        memory_order_relaxed);
}

void cpu_restore_distributed(struct cpu_search *self) {
  struct search *search = self->search;
  struct deal deal = {.search = self, .rest = {.list = &self->frontier}};
  arena_init(&deal.arena);
  snapshot_group_origin(&self->collective, &deal.arena);
  if (search->status == FLOE_OK && !open_dealers(&deal))
    search_fail(search, FLOE_ERROR_MEMORY);
  if (search->status == FLOE_OK) {
    const floe_status status = restore(self);
    if (status != FLOE_OK)
      search_fail(search, status);
  }
  cpu_collective_begin(self);
  if (!search->ended) {
    deal.next.list = &self->workers[0].closed;
    deal_all(&deal);
  }
  forget(self);
  close_dealers(&deal);
  search->origin.search = NULL; /* its sizes are asked for yet */
  arena_free(&deal.arena);
  self->cleared = self->resumed = true;
}
