#include "engine/distributed/record_distributed.h"

#include "engine/comm/heartbeat.h"
#include "engine/visited/visited.h"

#include <string.h>

/* States of a level that may take the disk so long that nobody is to take rank 0 for lost. */
#define LARGE_LEVEL (UINT64_C(1) << 20)

static struct comm *comm_of(const struct collective *t) { return t->search->task->group.comm; }
static const struct recorder *recorder_of(const struct collective *t) { return t->search->task->recorder; }

bool record_distributed_is_due(const struct collective *t) {
  const struct search *search = t->search;
  const bool lost = search->ended && search->end == FLOE_END_DISK;
  return search->task->group.records && search->status == FLOE_OK && !lost;
}

/* ---- rank 0 -------------------------------------------------------------------------------------- */

static void record(const struct collective *t, unsigned number, const uint64_t *states, size_t n) {
  uint8_t answers[RECORDER_MOST_AT_ONCE];
  const struct recorder *recorder = recorder_of(t);
  void *lane = recorder->lane(recorder->user, number);
  memset(answers, VISITED_NEW, sizeof answers);
  for (size_t some; n > 0; n -= some, states += some * t->words) {
    some = n < RECORDER_MOST_AT_ONCE ? n : RECORDER_MOST_AT_ONCE;
    recorder->record(lane, states, answers, some);
  }
}

static void settle(const struct collective *t, unsigned workers) {
  const struct recorder *recorder = recorder_of(t);
  for (unsigned i = 0; i < workers; i++)
    recorder->settle(recorder->lane(recorder->user, i));
}

void record_distributed_initial(struct collective *t) {
  if (t->rank > 0)
    return;
  record(t, 0, t->search->task->initial, 1);
  settle(t, 1);
}

/* ---- a phase ------------------------------------------------------------------------------------- */

void record_distributed_begin(struct collective *t, unsigned workers) {
  comm_next_epoch(comm_of(t));
  exchange_begin(t->exchange, t->rank == 0 ? 0 : workers);
  if (t->rank == 0 && t->next > LARGE_LEVEL)
    t->heartbeat = heartbeat_begin(comm_of(t), NULL);
}

/* Of a letter that has come to rank 0. False: none has. */
static bool record_letter(void *user) {
  const struct record_writer *lane = user;
  struct collective *t = lane->collective;
  struct message *packet = t->rank == 0 ? exchange_take(t->exchange) : NULL;
  if (!packet)
    return false;
  record(t, lane->number, (const uint64_t *)packet_of(packet)->content, packet_of(packet)->number);
  message_free(packet);
  exchange_ack(t->exchange);
  return true;
}

static bool has_room(struct exchange *exchange) { return !exchange_backpressured(exchange); }

void record_writer_put(void *user, const uint64_t *states, size_t n) {
  const struct record_writer *lane = user;
  const struct collective *t = lane->collective;
  const size_t most = t->words < EXCHANGE_PACKET_WORDS ? EXCHANGE_PACKET_WORDS / t->words : 1;
  if (t->rank == 0) {
    record(t, lane->number, states, n);
    return;
  }
  for (size_t some; n > 0 && !exchange_is_stopped(t->exchange); n -= some, states += some * t->words) {
    some = n < most ? n : most;
    exchange_send_all(t->exchange, lane->number, 0, states, some);
    collective_drain(lane->collective, has_room, record_letter, user);
  }
}

void record_writer_end(struct record_writer *lane) {
  if (lane->collective->rank > 0)
    exchange_worker_done(lane->collective->exchange, lane->number);
  collective_drain(lane->collective, exchange_is_over, record_letter, lane);
}

/* The agreement also ends the phase: nobody begins another one before. What the members found and fired is as they said
   after the level. */
void record_distributed_end(struct collective *t, unsigned workers, floe_status status) {
  const struct member_stats mine = {.states = t->states - t->others,
                                    .transitions = t->transitions - t->others_fired,
                                    .next = t->rank == 0 ? t->next : 0,
                                    .rest = true};
  heartbeat_end(t->heartbeat);
  t->heartbeat = NULL;
  if (t->rank == 0)
    settle(t, workers);
  if (status == FLOE_ERROR_IO)
    search_lose_states(t->search);
  else if (status != FLOE_OK)
    search_fail(t->search, status);
  collective_reduce(t, &mine, NULL, NULL);
}
