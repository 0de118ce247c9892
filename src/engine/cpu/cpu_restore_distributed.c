/* Distributed restore, CPU member: rank 0 reads the file and scatters each section to the owners, in a phase
   (engine/comm/exchange.h) with a collective decision after it. */
#include "engine/comm/exchange.h"
#include "engine/cpu/cpu_load.h"
#include "engine/snapshot/snapshot_group.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

/* A worker's position in its input. */
struct scatter_reader {
  _Alignas(64) struct checkpoint_block *block; /* NULL: rank 0 reads the file */
  struct message *packet;                      /* contains `states`; NULL: `block` does */
  const uint64_t *states;
  size_t done, n;      /* states [done, n) are not processed yet */
  uint64_t own[BATCH]; /* keys that this member owns, to be inserted */
  size_t own_count;
  uint64_t fresh, checksum; /* of those inserted; of all that were read */
  bool exhausted;
  floe_status status;
};

struct scatter {
  struct cpu_search *search;
  struct scatter_reader *readers; /* [worker_count] */
  enum checkpoint_section section;
  struct chunks rest, next; /* of this member */
  struct arena arena;       /* of search->origin */
};

/* ---- states -------------------------------------------------------------------------------------- */

static unsigned owner_in(const struct cpu_search *self, const uint64_t *state) {
  return collective_owner(&self->collective, state);
}

/* Number of consecutive states, from the next one, that this member owns; at most `most`. It owns the next one. */
static size_t count_own(const struct cpu_search *self, const struct scatter_reader *reader, size_t most) {
  const size_t rest = reader->n - reader->done;
  const uint64_t *states = reader->states + reader->done * self->state_words;
  size_t n = 1;
  while (n < rest && n < most && owner_in(self, states + n * self->state_words) == self->collective.rank)
    n++;
  return n;
}

/* Appends the keys of n states to the reader's own keys, or of the first of them. Returns how many. */
static size_t take_own_keys(struct scatter *scatter, unsigned number, const uint64_t *states, size_t n) {
  struct cpu_search *self = scatter->search;
  struct scatter_reader *reader = &scatter->readers[number];
  uint64_t *keys = reader->own + reader->own_count;
  size_t taken = n;
  if (self->multiword.tree)
    taken = multiword_roots(&self->workers[number], states, n, keys);
  else
    memcpy(keys, states, n * sizeof *states);
  if (taken < n)
    cpu_stop(self, STOP_TREE);
  reader->own_count += taken;
  return taken;
}

static floe_status take_waiting(struct scatter *scatter, const uint64_t *states, size_t n) {
  switch (scatter->section) {
  case CHECKPOINT_REST:
    return restore_append(scatter->search, &scatter->rest, states, n);
  case CHECKPOINT_NEXT:
    return restore_append(scatter->search, &scatter->next, states, n);
  default:
    return restore_append_pending(scatter->search, states, n);
  }
}

/* Takes consecutive states that this member owns. */
static void take_own(struct scatter *scatter, unsigned number, const uint64_t *states) {
  struct scatter_reader *reader = &scatter->readers[number];
  const bool keys = scatter->section == CHECKPOINT_KEYS;
  const size_t n = count_own(scatter->search, reader, keys ? BATCH - reader->own_count : SIZE_MAX);
  if (keys)
    reader->done += take_own_keys(scatter, number, states, n);
  else if ((reader->status = take_waiting(scatter, states, n)) == FLOE_OK)
    reader->done += n;
}

/* Scatters the next states until the own batch is full. */
static void scatter_some(struct scatter *scatter, unsigned number) {
  struct cpu_search *self = scatter->search;
  struct scatter_reader *reader = &scatter->readers[number];
  while (reader->done < reader->n && reader->own_count < BATCH && reader->status == FLOE_OK && !cpu_stopped(self)) {
    const uint64_t *state = reader->states + reader->done * self->state_words;
    const unsigned owner = owner_in(self, state);
    if (owner == self->collective.rank) {
      take_own(scatter, number, state);
      continue;
    }
    exchange_send(self->collective.exchange, number, owner, state);
    reader->done++;
  }
}

/* ---- sources ------------------------------------------------------------------------------------- */

static void free_message(struct scatter *scatter, struct scatter_reader *reader) {
  if (reader->packet)
    exchange_ack(scatter->search->collective.exchange);
  message_free(reader->packet);
  reader->packet = NULL;
}

static bool take_message(struct scatter *scatter, struct scatter_reader *reader) {
  reader->packet = exchange_take(scatter->search->collective.exchange);
  if (!reader->packet)
    return false;
  reader->states = (const uint64_t *)packet_of(reader->packet)->content;
  reader->n = packet_of(reader->packet)->number;
  return true;
}

static void read_block(struct scatter *scatter, unsigned number) {
  struct cpu_search *self = scatter->search;
  struct scatter_reader *reader = &scatter->readers[number];
  struct checkpoint_states read = {.n = 0};
  if (reader->block)
    reader->status = checkpoint_next(self->search.task->snapshot.from, reader->block, &read);
  if (reader->status != FLOE_OK)
    return;
  reader->states = read.states;
  reader->n = read.n;
  if (scatter->section == CHECKPOINT_KEYS)
    reader->checksum += engine_keys_mix(self->search.task->layout, read.states, read.n, self->workers[number].scratch);
  if (read.n > 0)
    return;
  reader->exhausted = true;
  exchange_worker_done(self->collective.exchange, number);
}

/* False: there is nothing to do now. */
static bool find_states(struct scatter *scatter, unsigned number) {
  struct scatter_reader *reader = &scatter->readers[number];
  free_message(scatter, reader);
  reader->done = reader->n = 0;
  if (take_message(scatter, reader))
    return true;
  if (reader->exhausted || exchange_backpressured(scatter->search->collective.exchange))
    return false;
  read_block(scatter, number);
  return true;
}

/* ---- a phase ------------------------------------------------------------------------------------- */

static void restore_work(void *data, unsigned number) {
  struct scatter *scatter = data;
  struct cpu_search *self = scatter->search;
  struct scatter_reader *reader = &scatter->readers[number];
  struct exchange *exchange = self->collective.exchange;
  unsigned idle_rounds = 0;
  while (!cpu_stopped(self)) {
    exchange_progress(exchange);
    if (reader->status != FLOE_OK)
      cpu_stop(self, STOP_MEMORY);
    else if (stop_requested(&self->search.stop))
      cpu_stop(self, STOP_INTERRUPT);
    else if (exchange_is_stopped(exchange))
      cpu_stop(self, STOP_GROUP);
    else if (reader->own_count == BATCH || (reader->own_count && reader->done == reader->n))
      reader->own_count = restore_put_keys(self, reader->own, reader->own_count, &reader->fresh);
    else if (reader->done < reader->n)
      scatter_some(scatter, number);
    else if (find_states(scatter, number))
      idle_rounds = 0;
    else if (exchange_is_over(exchange))
      return;
    else
      comm_backoff(self->search.task->group.comm, &idle_rounds);
  }
}

static floe_status worst_of(const struct scatter *scatter) {
  for (unsigned i = 0; i < scatter->search->worker_count; i++)
    FLOE_TRY(scatter->readers[i].status);
  return FLOE_OK;
}

/* States of the frontier are taken by one thread. FLOE_ERROR_UNSUPPORTED: the run must end, here or in another
   member. */
static floe_status run_restore_work(struct scatter *scatter, bool all_workers) {
  struct cpu_search *self = scatter->search;
  for (;;) {
    if (all_workers)
      pool_run(self->pool, restore_work, scatter);
    else
      restore_work(scatter, 0);
    const unsigned why = cpu_stopped(self);
    FLOE_TRY(worst_of(scatter));
    if (!why)
      return FLOE_OK;
    if (why & STOP_GROUP)
      return FLOE_ERROR_UNSUPPORTED;
    FLOE_TRY(restore_handle_stop(self, why));
  }
}

static void end_search_with(struct cpu_search *self, floe_status status) {
  if (status == FLOE_ERROR_UNSUPPORTED)
    search_check_stop(&self->search); /* if this member must end */
  else
    search_fail(&self->search, status);
}

/* Rank 0: checks that the section was read completely and is intact. */
static void end_reading(struct scatter *scatter) {
  struct search *search = &scatter->search->search;
  floe_status status = checkpoint_end_reading(search->task->snapshot.from);
  uint64_t checksum = 0;
  for (unsigned i = 0; i < scatter->search->worker_count; i++)
    checksum += scatter->readers[i].checksum;
  if (status == FLOE_OK && scatter->section == CHECKPOINT_KEYS)
    status = snapshot_check(search, search->origin.states[CHECKPOINT_KEYS], checksum);
  if (status != FLOE_OK)
    search_fail(search, status);
}

static void scatter_section(struct scatter *scatter, enum checkpoint_section section) {
  struct cpu_search *self = scatter->search;
  const bool all_workers = section == CHECKPOINT_KEYS;
  const unsigned active = all_workers ? self->worker_count : 1;
  scatter->section = section;
  comm_next_epoch(self->search.task->group.comm);
  exchange_begin(self->collective.exchange, active);
  for (unsigned i = 0; i < active; i++)
    scatter->readers[i].exhausted = false;
  if (self->search.task->snapshot.from)
    checkpoint_choose(self->search.task->snapshot.from, 1u << section);
  const floe_status status = run_restore_work(scatter, all_workers);
  if (self->search.task->snapshot.from && (status == FLOE_OK || status == FLOE_ERROR_IO))
    end_reading(scatter); /* also logs the cause */
  if (status != FLOE_OK) {
    end_search_with(self, status);
    exchange_discard(self->collective.exchange);
    cpu_collective_stop(self);
  }
  cpu_collective_begin(self);
}

/* ---- restoring ----------------------------------------------------------------------------------- */

/* Rank 0 keeps the sums of the file, and the violations of the level being expanded. */
static floe_status restore(struct cpu_search *self) {
  struct search *search = &self->search;
  FLOE_TRY(snapshot_restore(search));
  if (self->collective.rank == 0)
    restore_take_sums(self);
  else
    memset(search->fired, 0, search->origin.search->transition_count * sizeof *search->fired);
  return FLOE_OK;
}

static bool open_scatter_readers(struct scatter *scatter) {
  struct cpu_search *self = scatter->search;
  scatter->readers = pages_alloc(self->worker_count * sizeof *scatter->readers);
  for (unsigned i = 0; scatter->readers && self->search.task->snapshot.from && i < self->worker_count; i++)
    if (!(scatter->readers[i].block = checkpoint_block_create(self->search.task->snapshot.from)))
      return false;
  return scatter->readers;
}

static void close_scatter_readers(struct scatter *scatter) {
  for (unsigned i = 0; scatter->readers && i < scatter->search->worker_count; i++) {
    checkpoint_block_free(scatter->readers[i].block);
    message_free(scatter->readers[i].packet);
  }
  if (scatter->readers)
    pages_free(scatter->readers, scatter->search->worker_count * sizeof *scatter->readers);
}

static bool has_all_keys(const struct cpu_search *self) {
  return self->collective.states == self->search.origin.states[CHECKPOINT_KEYS];
}

static void scatter_all(struct scatter *scatter) {
  struct cpu_search *self = scatter->search;
  struct search *search = &self->search;
  for (enum checkpoint_section i = 0; !search->ended && i < CHECKPOINT_SECTIONS; i++) {
    scatter_section(scatter, i);
    if (!search->ended && i == CHECKPOINT_KEYS && !has_all_keys(self))
      search_fail(search,
                  self->collective.rank == 0 ? snapshot_check(search, self->collective.states, 0) : FLOE_ERROR_IO);
  }
  if (search->ended)
    return;
  floe_status status = restore_close_list(&scatter->rest);
  if (status == FLOE_OK)
    status = restore_close_list(&scatter->next);
  if (status != FLOE_OK)
    search_fail(search, status);
}

/* If reading was interrupted, all figures are those of the checkpoint. */
static void reset_to_checkpoint(struct cpu_search *self) {
  struct search *search = &self->search;
  if (!search->ended || search->status != FLOE_OK)
    return;
  search->checkpoints.inexact = true;
  atomic_store_explicit(&self->states, self->collective.rank == 0 ? snapshot_states(search->task) : 0,
                        memory_order_relaxed);
}

void cpu_restore_distributed(struct cpu_search *self) {
  struct search *search = &self->search;
  struct scatter scatter = {.search = self, .rest = {.list = &self->frontier.level}};
  arena_init(&scatter.arena);
  snapshot_group_origin(&self->collective, &scatter.arena);
  if (search->status == FLOE_OK && !open_scatter_readers(&scatter))
    search_fail(search, FLOE_ERROR_MEMORY);
  if (search->status == FLOE_OK) {
    const floe_status status = restore(self);
    if (status != FLOE_OK)
      search_fail(search, status);
  }
  cpu_collective_begin(self);
  if (!search->ended) {
    scatter.next.list = &self->workers[0].closed;
    scatter_all(&scatter);
  }
  reset_to_checkpoint(self);
  close_scatter_readers(&scatter);
  search->origin.search = NULL; /* its memory is freed; origin.states stay in use */
  arena_free(&scatter.arena);
  self->visited.prefaulted = self->restored.partial_level = true;
}
