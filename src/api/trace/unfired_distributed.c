/* Why transitions never fired, of processes that have a part of the states each: rank 0 says which ones did not, all
   make the same goals of them and look at their part, and rank 0 adds up what each has counted. Who has to stop stops
   all: rank 0 listens until all are done, as it may be done first. */
#include "api/trace/unfired.h"

#include "core/mem.h"
#include "engine/comm/allgather.h"
#include "floe.h"

#include <assert.h>
#include <string.h>

struct question {
  uint32_t task, count; /* COMMAND_COUNT_UNFIRED */
  uint32_t edges[];     /* transitions that never fired */
};

/* Then, for each goal, a struct counted and its state. */
struct answer {
  uint32_t status, interrupted; /* floe_status, else than FLOE_OK: nothing follows; a wish to end came there */
  uint64_t looked;
};

struct counted {
  uint64_t states[UNFIRED_MOST_CONDITIONS];
  uint64_t mask, candidate;
  uint32_t any, met, depth, choice;
};

/* ---- what is said ---------------------------------------------------------------------------- */

static size_t goal_bytes(const struct unfired_look *look) {
  return sizeof(struct counted) + look->layout->key_words * sizeof(uint64_t);
}

static void write_tally(const struct unfired_look *look, const struct unfired_tally *tally, unsigned char *at) {
  struct counted counted = {.mask = tally->mask,
                            .candidate = tally->candidate,
                            .any = tally->any,
                            .met = tally->met,
                            .depth = tally->depth,
                            .choice = tally->choice};
  memcpy(counted.states, tally->states, sizeof counted.states);
  memcpy(at, &counted, sizeof counted);
  memcpy(at + sizeof counted, tally->state, look->layout->key_words * sizeof(uint64_t));
}

static void add_counted(const struct unfired_look *look, const struct unfired_goal *goal, const unsigned char *at,
                        uint64_t *state, struct unfired_tally *sum) {
  struct counted counted;
  memcpy(&counted, at, sizeof counted);
  memcpy(state, at + sizeof counted, look->layout->key_words * sizeof *state);
  struct unfired_tally tally = {.any = counted.any,
                              .met = counted.met,
                              .mask = counted.mask,
                              .depth = counted.depth,
                              .choice = counted.choice,
                              .candidate = (size_t)counted.candidate,
                              .state = state};
  memcpy(tally.states, counted.states, sizeof tally.states);
  unfired_add(&tally, goal, look->layout->key_words, sum);
}

/* This member's part is done: rank 0 is told what it has come to. */
static floe_status tell(const struct unfired_look *look, size_t count, const struct unfired_tally *tallies,
                        const struct answer *answer, struct all_gathered *all) {
  const size_t bytes = sizeof *answer + count * goal_bytes(look);
  unsigned char *content = answer->status == FLOE_OK ? mem_alloc(bytes) : NULL;
  const struct answer none = {.status = answer->status == FLOE_OK ? FLOE_ERROR_MEMORY : answer->status};
  if (!content)
    return gather_to_root(look->comm, &none, sizeof none, &look->stop, all);
  memcpy(content, answer, sizeof *answer);
  for (size_t i = 0; i < count; i++)
    write_tally(look, &tallies[i], content + sizeof *answer + i * goal_bytes(look));
  const floe_status status = gather_to_root(look->comm, content, bytes, &look->stop, all);
  mem_free(content);
  return status;
}

/* The others hear of it by rank 0. */
static void tell_stop(const struct unfired_look *look) {
  if (look->comm->group->rank == 0)
    comm_send_all(look->comm, MSG_STOP, 0, NULL, 0);
  else
    comm_send(look->comm, 0, packet_new(MSG_STOP, 0, 0));
}

static uint64_t states_here(const struct unfired_look *look) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < archive_levels(look->archive); i++)
    all += archive_states(look->archive, i);
  return all;
}

static struct answer count_part(const struct unfired_look *look, const struct unfired_goal *goals, size_t count,
                                struct unfired_tally *tallies) {
  struct answer answer = {.looked = 0};
  answer.status = (uint32_t)unfired_count(look, goals, count, tallies, &answer.looked);
  answer.interrupted = stop_is_set(look->stop.interrupt);
  if (answer.looked < states_here(look))
    tell_stop(look);
  return answer;
}

/* ---- rank 0 ---------------------------------------------------------------------------------- */

/* Until each other member says that it looks at no more states; hands on a wish to end, unless all know of one. */
static void wait_for_others(const struct unfired_look *look, bool told) {
  struct comm *comm = look->comm;
  unsigned done = 0, rests = 0;
  double since = 0;
  while (done + 1 < comm->group->size && comm_status(comm) == FLOE_OK && !comm_timed_out(comm, &look->stop, &since)) {
    struct message *sent = comm_poll(comm, MSG_SENT_COUNT), *stop = comm_poll(comm, MSG_STOP);
    if (!told && (stop || stop_requested(&look->stop))) {
      tell_stop(look);
      told = true;
    }
    done += sent != NULL;
    if (!sent)
      comm_backoff(comm, &rests);
    message_free(sent);
    message_free(stop);
  }
}

static floe_status ask(const struct unfired_look *look, const struct unfired_goal *goals, size_t count) {
  const size_t bytes = sizeof(struct question) + count * sizeof(uint32_t);
  struct question *question = mem_alloc(bytes);
  if (!question)
    return FLOE_ERROR_MEMORY;
  *question = (struct question){.task = COMMAND_COUNT_UNFIRED, .count = (uint32_t)count};
  for (size_t i = 0; i < count; i++)
    question->edges[i] = goals[i].edge;
  comm_next_epoch(look->comm);
  comm_send_all(look->comm, MSG_COMMAND, 0, question, bytes);
  mem_free(question);
  return FLOE_OK;
}

static floe_status add_up(const struct unfired_look *look, const struct unfired_goal *goals, size_t count,
                          const struct all_gathered *all, struct unfired_tally *tallies, uint64_t *looked) {
  floe_status status = FLOE_OK;
  uint64_t *state = mem_array(look->layout->key_words, sizeof *state);
  if (!state)
    return FLOE_ERROR_MEMORY;
  for (unsigned rank = 1; rank < look->comm->group->size && status == FLOE_OK; rank++) {
    struct answer answer;
    memcpy(&answer, all->by[rank].content, sizeof answer);
    status = (floe_status)answer.status;
    if (answer.interrupted)
      floe_interrupt(); /* what this exploration has yet to do ends as well */
    *looked += answer.looked;
    for (size_t i = 0; i < count && status == FLOE_OK; i++)
      add_counted(look, &goals[i], all->by[rank].content + sizeof answer + i * goal_bytes(look), state, &tallies[i]);
  }
  mem_free(state);
  return status;
}

floe_status unfired_count_together(const struct unfired_look *look, const struct unfired_goal *goals, size_t count,
                                 struct unfired_tally *tallies, uint64_t *looked) {
  struct all_gathered all = {NULL, NULL};
  if (!look->comm)
    return unfired_count(look, goals, count, tallies, looked);
  FLOE_TRY(ask(look, goals, count));
  const struct answer own = count_part(look, goals, count, tallies);
  *looked = own.looked;
  wait_for_others(look, own.looked < states_here(look));
  FLOE_TRY(tell(look, count, tallies, &own, &all));
  floe_status status = (floe_status)own.status;
  if (status == FLOE_OK)
    status = add_up(look, goals, count, &all, tallies, looked);
  gathered_free(&all);
  return status;
}

/* ---- the others ------------------------------------------------------------------------------ */

struct answering {
  const struct unfired_look *look;
  const struct question *question;
  struct arena arena;
  struct unfired_goal *goals;
  struct unfired_tally *tallies;
  size_t count;
};

static void make_goals(void *data) {
  struct answering *answering = data;
  const struct unfired_look *look = answering->look;
  uint64_t *fired = arena_array(&answering->arena, look->model->edge_count, sizeof *fired);
  for (size_t i = 0; i < look->model->edge_count; i++)
    fired[i] = 1;
  for (uint32_t i = 0; i < answering->question->count; i++)
    fired[answering->question->edges[i]] = 0;
  answering->goals = unfired_goals(look->model, fired, &answering->arena, &answering->count);
  assert(answering->count == answering->question->count);
  answering->tallies = unfired_tallies(answering->count, look->layout->key_words, &answering->arena);
}

floe_status unfired_answer(const struct unfired_look *look, const void *content, size_t bytes, bool *interrupted) {
  struct answering answering = {.look = look, .question = content};
  struct answer answer = {.status = FLOE_ERROR_MEMORY};
  struct all_gathered all = {NULL, NULL};
  assert(bytes == sizeof *answering.question + answering.question->count * sizeof(uint32_t));
  (void)bytes;
  arena_init(&answering.arena);
  if (arena_guard(&answering.arena, make_goals, &answering) == 0)
    answer = count_part(look, answering.goals, answering.count, answering.tallies);
  *interrupted = answer.interrupted;
  comm_send(look->comm, 0, packet_new(MSG_SENT_COUNT, 0, 0)); /* nothing more is looked at */
  const floe_status status = tell(look, answering.count, answering.tallies, &answer, &all);
  gathered_free(&all);
  arena_free(&answering.arena);
  return status;
}
