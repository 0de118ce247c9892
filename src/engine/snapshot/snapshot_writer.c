#include "engine/snapshot/snapshot_writer.h"

#include <string.h>

/* A letter's content: its section, then states. */
#define HEAD_WORDS 1

static struct exchange *exchange_of(const struct snapshot_writer *lane) { return lane->collective->exchange; }
static struct comm *comm_of(const struct snapshot_writer *lane) { return lane->collective->search->task->group.comm; }

/* ---- waiting ------------------------------------------------------------------------------------- */

/* Rank 0 puts what the others send. */
static bool put_letter(void *user) {
  struct snapshot_writer *lane = user;
  struct message *message = lane->writer ? exchange_take(exchange_of(lane)) : NULL;
  if (!message)
    return false;
  const struct packet *packet = packet_of(message);
  const uint64_t *words = (const uint64_t *)packet->content;
  checkpoint_put(lane->writer, lane->number, (enum checkpoint_section)words[0], words + HEAD_WORDS, packet->number);
  message_free(message);
  exchange_ack(exchange_of(lane));
  return true;
}

static bool has_room(struct exchange *exchange) { return !exchange_backpressured(exchange); }

void snapshot_writer_await(struct snapshot_writer *lane) {
  collective_drain(lane->collective, exchange_is_over, put_letter, lane);
}

/* ---- states -------------------------------------------------------------------------------------- */

void snapshot_writer_flush(struct snapshot_writer *lane) {
  if (!lane->draft)
    return;
  lane->draft->bytes = sizeof(struct packet) +
                       (HEAD_WORDS + packet_of(lane->draft)->number * lane->collective->words) * sizeof(uint64_t);
  if (exchange_is_stopped(exchange_of(lane)))
    message_free(lane->draft); /* the group is lost */
  else
    exchange_send_packet(exchange_of(lane), 0, lane->draft);
  lane->draft = NULL;
  collective_drain(lane->collective, has_room, put_letter, lane);
}

void snapshot_writer_section(struct snapshot_writer *lane, enum checkpoint_section section) {
  if (section != lane->section)
    snapshot_writer_flush(lane);
  lane->section = section;
}

static bool begin_draft(struct snapshot_writer *lane, size_t states) {
  const uint64_t section = lane->section;
  lane->draft = packet_new(MSG_STATES, 0, (HEAD_WORDS + states * lane->collective->words) * sizeof(uint64_t));
  if (lane->draft)
    memcpy(packet_of(lane->draft)->content, &section, sizeof section);
  else
    comm_fail(comm_of(lane), FLOE_ERROR_MEMORY);
  return lane->draft;
}

static void send_states(struct snapshot_writer *lane, const uint64_t *states, size_t n) {
  const uint32_t words = lane->collective->words;
  const size_t most = words < EXCHANGE_PACKET_WORDS ? EXCHANGE_PACKET_WORDS / words : 1;
  for (size_t some; n > 0; n -= some, states += some * words) {
    if (!lane->draft && !begin_draft(lane, most))
      return;
    struct packet *packet = packet_of(lane->draft);
    some = n < most - packet->number ? n : most - packet->number;
    memcpy((uint64_t *)packet->content + HEAD_WORDS + packet->number * words, states, some * words * sizeof *states);
    packet->number += some;
    if (packet->number == most)
      snapshot_writer_flush(lane);
  }
}

void snapshot_writer_put(void *to, const uint64_t *states, size_t n) {
  struct snapshot_writer *lane = to;
  if (lane->writer)
    checkpoint_put(lane->writer, lane->number, lane->section, states, n);
  else
    send_states(lane, states, n);
}
