#include "engine/snapshot/snapshot_writer.h"

#include <string.h>

/* Content of a packet: the section, then states. */
#define HEAD_WORDS 1

static struct exchange *exchange_of(const struct snapshot_writer *writer) { return writer->collective->exchange; }
static struct comm *comm_of(const struct snapshot_writer *writer) {
  return writer->collective->search->task->group.comm;
}

/* ---- waiting ------------------------------------------------------------------------------------- */

/* Rank 0 writes the states that other members send. False: no packet has arrived. */
static bool write_packet(void *user) {
  struct snapshot_writer *writer = user;
  struct message *message = writer->file ? exchange_take(exchange_of(writer)) : NULL;
  if (!message)
    return false;
  const struct packet *received = packet_of(message);
  const uint64_t *words = (const uint64_t *)received->content;
  checkpoint_put(writer->file, writer->number, (enum checkpoint_section)words[0], words + HEAD_WORDS, received->number);
  message_free(message);
  exchange_ack(exchange_of(writer));
  return true;
}

static bool has_room(struct exchange *exchange) { return !exchange_backpressured(exchange); }

void snapshot_writer_await(struct snapshot_writer *writer) {
  collective_drain(writer->collective, exchange_is_over, write_packet, writer);
}

/* ---- states -------------------------------------------------------------------------------------- */

void snapshot_writer_flush(struct snapshot_writer *writer) {
  if (!writer->packet)
    return;
  writer->packet->bytes =
      sizeof(struct packet) +
      (HEAD_WORDS + packet_of(writer->packet)->number * writer->collective->words) * sizeof(uint64_t);
  if (exchange_is_stopped(exchange_of(writer)))
    message_free(writer->packet); /* the group is lost */
  else
    exchange_send_packet(exchange_of(writer), 0, writer->packet);
  writer->packet = NULL;
  collective_drain(writer->collective, has_room, write_packet, writer);
}

void snapshot_writer_section(struct snapshot_writer *writer, enum checkpoint_section section) {
  if (section != writer->section)
    snapshot_writer_flush(writer);
  writer->section = section;
}

static bool begin_packet(struct snapshot_writer *writer, size_t states) {
  const uint64_t section = writer->section;
  writer->packet = packet_new(MSG_STATES, 0, (HEAD_WORDS + states * writer->collective->words) * sizeof(uint64_t));
  if (writer->packet)
    memcpy(packet_of(writer->packet)->content, &section, sizeof section);
  else
    comm_fail(comm_of(writer), FLOE_ERROR_MEMORY);
  return writer->packet;
}

static void send_states(struct snapshot_writer *writer, const uint64_t *states, size_t n) {
  const uint32_t words = writer->collective->words;
  const size_t most = words < EXCHANGE_PACKET_WORDS ? EXCHANGE_PACKET_WORDS / words : 1;
  for (size_t some; n > 0; n -= some, states += some * words) {
    if (!writer->packet && !begin_packet(writer, most))
      return;
    struct packet *received = packet_of(writer->packet);
    some = n < most - received->number ? n : most - received->number;
    memcpy((uint64_t *)received->content + HEAD_WORDS + received->number * words, states,
           some * words * sizeof *states);
    received->number += some;
    if (received->number == most)
      snapshot_writer_flush(writer);
  }
}

void snapshot_writer_put(void *to, const uint64_t *states, size_t n) {
  struct snapshot_writer *writer = to;
  if (writer->file)
    checkpoint_put(writer->file, writer->number, writer->section, states, n);
  else
    send_states(writer, states, n);
}
