#include "engine/distributed/record_distributed.h"

#include "engine/comm/heartbeat.h"
#include "engine/visited/visited.h"

#include <string.h>

/* States of a level whose writing may take so long that rank 0 needs a heartbeat. */
#define LARGE_LEVEL (UINT64_C(1) << 20)

static struct comm *comm_of(const struct collective *t) { return t->search->task->group.comm; }
static const struct recorder *recorder_of(const struct collective *t) { return t->search->task->recorder; }

bool record_distributed_is_due(const struct collective *t) {
  const struct search *search = t->search;
  const bool lost = search->ended && search->end == FLOE_END_DISK;
  return search->task->group.records && search->status == FLOE_OK && !lost;
}

/* ---- rank 0 -------------------------------------------------------------------------------------- */

static void record_states(const struct collective *t, unsigned number, const uint64_t *states, size_t n) {
  uint8_t answers[RECORDER_MOST_AT_ONCE];
  const struct recorder *recorder = recorder_of(t);
  void *context = recorder->lane(recorder->user, number);
  memset(answers, VISITED_NEW, sizeof answers);
  for (size_t some; n > 0; n -= some, states += some * t->words) {
    some = n < RECORDER_MOST_AT_ONCE ? n : RECORDER_MOST_AT_ONCE;
    recorder->record(context, states, answers, some);
  }
}

static void flush_contexts(const struct collective *t, unsigned workers) {
  const struct recorder *recorder = recorder_of(t);
  for (unsigned i = 0; i < workers; i++)
    recorder->settle(recorder->lane(recorder->user, i));
}

void record_distributed_initial(struct collective *t) {
  if (t->rank > 0)
    return;
  record_states(t, 0, t->search->task->initial, 1);
  flush_contexts(t, 1);
}

/* ---- a phase ------------------------------------------------------------------------------------- */

void record_distributed_begin(struct collective *t, unsigned workers) {
  comm_next_epoch(comm_of(t));
  exchange_begin(t->exchange, t->rank == 0 ? 0 : workers);
  if (t->rank == 0 && t->next > LARGE_LEVEL)
    t->heartbeat = heartbeat_begin(comm_of(t), NULL);
}

/* Rank 0 records a received packet. False: none has arrived. */
static bool record_packet(void *user) {
  const struct record_writer *writer = user;
  struct collective *t = writer->collective;
  struct message *packet = t->rank == 0 ? exchange_take(t->exchange) : NULL;
  if (!packet)
    return false;
  record_states(t, writer->number, (const uint64_t *)packet_of(packet)->content, packet_of(packet)->number);
  message_free(packet);
  exchange_ack(t->exchange);
  return true;
}

static bool has_room(struct exchange *exchange) { return !exchange_backpressured(exchange); }

void record_writer_put(void *user, const uint64_t *states, size_t n) {
  const struct record_writer *writer = user;
  const struct collective *t = writer->collective;
  const size_t most = t->words < EXCHANGE_PACKET_WORDS ? EXCHANGE_PACKET_WORDS / t->words : 1;
  if (t->rank == 0) {
    record_states(t, writer->number, states, n);
    return;
  }
  for (size_t some; n > 0 && !exchange_is_stopped(t->exchange); n -= some, states += some * t->words) {
    some = n < most ? n : most;
    exchange_send_all(t->exchange, writer->number, 0, states, some);
    collective_drain(writer->collective, has_room, record_packet, user);
  }
}

void record_writer_end(struct record_writer *writer) {
  if (writer->collective->rank > 0)
    exchange_worker_done(writer->collective->exchange, writer->number);
  collective_drain(writer->collective, exchange_is_over, record_packet, writer);
}

/* The collective decision also ends the phase: no member begins another one before. The statistics are those after
   the level. */
void record_distributed_end(struct collective *t, unsigned workers, floe_status status) {
  const struct member_stats mine = {.states = t->states - t->other_states,
                                    .transitions = t->transitions - t->other_transitions,
                                    .next = t->rank == 0 ? t->next : 0,
                                    .unfinished = true};
  heartbeat_end(t->heartbeat);
  t->heartbeat = NULL;
  if (t->rank == 0)
    flush_contexts(t, workers);
  if (status == FLOE_ERROR_IO)
    search_fail_disk(t->search);
  else if (status != FLOE_OK)
    search_fail(t->search, status);
  collective_reduce(t, &mine, NULL, NULL);
}
