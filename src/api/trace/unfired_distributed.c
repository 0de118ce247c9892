/* Transitions that never fired, in a group whose members archive a part of the states each. Rank 0 sends the
   transitions; all members derive the same goals and evaluate their part; rank 0 adds up the counts. A member that must
   stop stops all: rank 0 receives stop requests until all members are done, as it may be done first. */
#include "api/trace/unfired.h"

#include "core/mem.h"
#include "core/threads/interruptible.h"
#include "engine/comm/allgather.h"
#include "floe.h"

#include <assert.h>
#include <string.h>

struct count_command {
  uint32_t command; /* COMMAND_COUNT_UNFIRED */
  uint32_t count;
  uint32_t edges[]; /* [count] transitions that never fired */
};

/* Followed by, for each goal, a struct packed_tally and its state. */
struct count_reply {
  uint32_t status;      /* floe_status; an error: nothing follows */
  uint32_t interrupted; /* an interrupt was requested there */
  uint64_t looked;
};

struct packed_tally {
  uint64_t states[CONDITIONS_MOST];
  uint64_t mask, candidate, choice;
  uint32_t any, met, depth;
};

/* ---- messages -------------------------------------------------------------------------------- */

static size_t goal_bytes(const struct unfired_search *search) {
  return sizeof(struct packed_tally) + search->layout->key_words * sizeof(uint64_t);
}

static void write_tally(const struct unfired_search *search, const struct unfired_tally *tally, unsigned char *at) {
  struct packed_tally packed = {.mask = tally->mask,
                                .candidate = tally->candidate,
                                .any = tally->any,
                                .met = tally->met,
                                .depth = tally->depth,
                                .choice = tally->choice};
  memcpy(packed.states, tally->states, sizeof packed.states);
  memcpy(at, &packed, sizeof packed);
  memcpy(at + sizeof packed, tally->state, search->layout->key_words * sizeof(uint64_t));
}

static void add_counted(const struct unfired_search *search, const struct conditions *goal, const unsigned char *at,
                        uint64_t *state, struct unfired_tally *sum) {
  struct packed_tally packed;
  memcpy(&packed, at, sizeof packed);
  memcpy(state, at + sizeof packed, search->layout->key_words * sizeof *state);
  struct unfired_tally tally = {.any = packed.any,
                                .met = packed.met,
                                .mask = packed.mask,
                                .depth = packed.depth,
                                .choice = packed.choice,
                                .candidate = packed.candidate,
                                .state = state};
  memcpy(tally.states, packed.states, sizeof tally.states);
  unfired_add(&tally, goal, search->layout->key_words, sum);
}

/* Sends this member's counts to rank 0, which receives those of all. */
static floe_status gather_tallies(const struct unfired_search *search, size_t count,
                                  const struct unfired_tally *tallies, const struct count_reply *reply,
                                  struct all_gathered *all) {
  const size_t bytes = sizeof *reply + count * goal_bytes(search);
  unsigned char *content = reply->status == FLOE_OK ? mem_alloc(bytes) : NULL;
  const struct count_reply none = {.status = reply->status == FLOE_OK ? FLOE_ERROR_MEMORY : reply->status};
  if (!content)
    return gather_to_root(search->comm, &none, sizeof none, &search->stop, all);
  memcpy(content, reply, sizeof *reply);
  for (size_t i = 0; i < count; i++)
    write_tally(search, &tallies[i], content + sizeof *reply + i * goal_bytes(search));
  const floe_status status = gather_to_root(search->comm, content, bytes, &search->stop, all);
  mem_free(content);
  return status;
}

/* Stops all members, through rank 0. */
static void send_stop(const struct unfired_search *search) {
  if (search->comm->group->rank == 0)
    comm_send_all(search->comm, MSG_STOP, 0, NULL, 0);
  else
    comm_send(search->comm, 0, packet_new(MSG_STOP, 0, 0));
}

static uint64_t states_here(const struct unfired_search *search) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < archive_levels(search->archive); i++)
    all += archive_states(search->archive, i);
  return all;
}

static struct count_reply count_part(const struct unfired_search *search, const struct conditions *goals, size_t count,
                                     struct unfired_tally *tallies) {
  struct count_reply reply = {.looked = 0};
  reply.status = (uint32_t)unfired_count(search, goals, count, tallies, &reply.looked);
  reply.interrupted = stop_is_set(search->stop.interrupt);
  if (reply.looked < states_here(search))
    send_stop(search);
  return reply;
}

/* ---- rank 0 ---------------------------------------------------------------------------------- */

/* Waits until every other member has finished evaluating; forwards a stop request, unless `stop_sent`. */
static void await_members(const struct unfired_search *search, bool stop_sent) {
  struct comm *comm = search->comm;
  unsigned done = 0, rests = 0;
  double since = 0;
  while (done + 1 < comm->group->size && comm_status(comm) == FLOE_OK && !comm_timed_out(comm, &search->stop, &since)) {
    struct message *sent = comm_poll(comm, MSG_SENT_COUNT), *stop = comm_poll(comm, MSG_STOP);
    if (!stop_sent && (stop || stop_requested(&search->stop))) {
      send_stop(search);
      stop_sent = true;
    }
    done += sent != NULL;
    if (!sent)
      comm_backoff(comm, &rests);
    message_free(sent);
    message_free(stop);
  }
}

static floe_status send_command(const struct unfired_search *search, const struct conditions *goals, size_t count) {
  const size_t bytes = sizeof(struct count_command) + count * sizeof(uint32_t);
  struct count_command *command = mem_alloc(bytes);
  if (!command)
    return FLOE_ERROR_MEMORY;
  *command = (struct count_command){.command = COMMAND_COUNT_UNFIRED, .count = (uint32_t)count};
  for (size_t i = 0; i < count; i++)
    command->edges[i] = goals[i].edge;
  comm_next_epoch(search->comm);
  comm_send_all(search->comm, MSG_COMMAND, 0, command, bytes);
  mem_free(command);
  return FLOE_OK;
}

static floe_status sum_tallies(const struct unfired_search *search, const struct conditions *goals, size_t count,
                               const struct all_gathered *all, struct unfired_tally *tallies, uint64_t *looked) {
  floe_status status = FLOE_OK;
  uint64_t *state = mem_array(search->layout->key_words, sizeof *state);
  if (!state)
    return FLOE_ERROR_MEMORY;
  for (unsigned rank = 1; rank < search->comm->group->size && status == FLOE_OK; rank++) {
    struct count_reply reply;
    memcpy(&reply, all->by[rank].content, sizeof reply);
    status = (floe_status)reply.status;
    if (reply.interrupted)
      atomic_store(traces_interrupt_flag(), true); /* ends the rest of this exploration, too */
    *looked += reply.looked;
    for (size_t i = 0; i < count && status == FLOE_OK; i++)
      add_counted(search, &goals[i], all->by[rank].content + sizeof reply + i * goal_bytes(search), state, &tallies[i]);
  }
  mem_free(state);
  return status;
}

floe_status unfired_count_distributed(const struct unfired_search *search, const struct conditions *goals, size_t count,
                                      struct unfired_tally *tallies, uint64_t *looked) {
  struct all_gathered all = {NULL, NULL};
  if (!search->comm)
    return unfired_count(search, goals, count, tallies, looked);
  FLOE_TRY(send_command(search, goals, count));
  const struct count_reply own = count_part(search, goals, count, tallies);
  *looked = own.looked;
  await_members(search, own.looked < states_here(search));
  FLOE_TRY(gather_tallies(search, count, tallies, &own, &all));
  floe_status status = (floe_status)own.status;
  if (status == FLOE_OK)
    status = sum_tallies(search, goals, count, &all, tallies, looked);
  gathered_free(&all);
  return status;
}

/* ---- other ranks ----------------------------------------------------------------------------- */

struct worker_count {
  const struct unfired_search *search;
  const struct count_command *command;
  struct arena arena;
  struct conditions *goals;
  struct unfired_tally *tallies;
  size_t count;
};

static void make_goals(void *data) {
  struct worker_count *work = data;
  const struct unfired_search *search = work->search;
  uint64_t *fired = arena_array(&work->arena, search->model->edge_count, sizeof *fired);
  for (size_t i = 0; i < search->model->edge_count; i++)
    fired[i] = 1;
  for (uint32_t i = 0; i < work->command->count; i++)
    fired[work->command->edges[i]] = 0;
  work->goals = unfired_goals(search->model, fired, &work->arena, &work->count);
  assert(work->count == work->command->count);
  work->tallies = unfired_tallies(work->count, search->layout->key_words, &work->arena);
}

floe_status unfired_answer(const struct unfired_search *search, const void *content, size_t bytes, bool *interrupted) {
  struct worker_count work = {.search = search, .command = content};
  struct count_reply reply = {.status = FLOE_ERROR_MEMORY};
  struct all_gathered all = {NULL, NULL};
  assert(bytes == sizeof *work.command + work.command->count * sizeof(uint32_t));
  (void)bytes;
  arena_init(&work.arena);
  if (arena_guard(&work.arena, make_goals, &work) == 0)
    reply = count_part(search, work.goals, work.count, work.tallies);
  *interrupted = reply.interrupted;
  comm_send(search->comm, 0, packet_new(MSG_SENT_COUNT, 0, 0)); /* evaluating is finished */
  const floe_status status = gather_tallies(search, work.count, work.tallies, &reply, &all);
  gathered_free(&all);
  arena_free(&work.arena);
  return status;
}
