#include "engine/comm/allgather.h"

#include "core/mem.h"

#include <assert.h>
#include <string.h>

static size_t padded(size_t bytes) { return (bytes + 7) / 8 * 8; }

static floe_status status_of(struct comm *comm) {
  const floe_status status = comm_status(comm);
  return status == FLOE_OK ? FLOE_ERROR_IO : status; /* a member that does not answer is lost */
}

/* ---- rank 0 -------------------------------------------------------------------------------------- */

/* mine[0], this member's own, stays NULL. */
static floe_status receive_contributions(struct comm *comm, struct message **mine, const struct stop *stop) {
  for (unsigned i = 1; i < comm->group->size; i++) {
    struct message *message = comm_receive(comm, MSG_CONTRIBUTION, stop);
    if (!message)
      return status_of(comm);
    assert(message->from != 0 && !mine[message->from]);
    mine[message->from] = message;
  }
  return FLOE_OK;
}

static unsigned char *append_buffer(unsigned char *at, const void *content, size_t bytes) {
  const uint64_t length = bytes;
  memcpy(at, &length, sizeof length);
  memcpy(at + sizeof length, content, bytes);
  return at + sizeof length + padded(bytes);
}

static struct message *concatenate(struct comm *comm, struct message *const *mine, const void *own, size_t bytes) {
  size_t total = sizeof(uint64_t) + padded(bytes);
  for (unsigned i = 1; i < comm->group->size; i++)
    total += sizeof(uint64_t) + padded(packet_bytes(mine[i]));
  struct message *all = packet_new(MSG_GATHERED, comm->group->size, total);
  if (!all)
    return NULL;
  unsigned char *at = append_buffer(packet_of(all)->content, own, bytes);
  for (unsigned i = 1; i < comm->group->size; i++)
    at = append_buffer(at, packet_of(mine[i])->content, packet_bytes(mine[i]));
  return all;
}

static floe_status gather_as_root(struct comm *comm, const void *own, size_t bytes, bool to_all,
                                  const struct stop *stop, struct message **out) {
  struct message **mine = mem_array(comm->group->size, sizeof(struct message *));
  floe_status status = mine ? receive_contributions(comm, mine, stop) : FLOE_ERROR_MEMORY;
  struct message *all = status == FLOE_OK ? concatenate(comm, mine, own, bytes) : NULL;
  for (unsigned i = 0; mine && i < comm->group->size; i++)
    message_free(mine[i]);
  mem_free(mine);
  FLOE_TRY(status);
  if (!all)
    return FLOE_ERROR_MEMORY;
  if (to_all)
    comm_send_all(comm, MSG_GATHERED, comm->group->size, packet_of(all)->content, packet_bytes(all));
  *out = all;
  return FLOE_OK;
}

/* ---- other members ------------------------------------------------------------------------------- */

static void send_contribution(struct comm *comm, const void *own, size_t bytes) {
  struct message *message = packet_new(MSG_CONTRIBUTION, 0, bytes);
  if (message && bytes > 0)
    memcpy(packet_of(message)->content, own, bytes);
  comm_send(comm, 0, message);
}

/* ---- public interface ---------------------------------------------------------------------------- */

static floe_status split_buffers(struct message *all, unsigned size, struct all_gathered *out) {
  const unsigned char *at = packet_of(all)->content;
  out->message = all;
  out->by = mem_array(size, sizeof *out->by);
  if (!out->by)
    return FLOE_ERROR_MEMORY;
  for (unsigned i = 0; i < size; i++) {
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    out->by[i] = (struct gathered){at + sizeof bytes, (size_t)bytes};
    at += sizeof bytes + padded((size_t)bytes);
  }
  return FLOE_OK;
}

static floe_status exchange_buffers(struct comm *comm, const void *mine, size_t bytes, bool to_all,
                                    const struct stop *stop, struct message **all) {
  if (comm->group->rank == 0)
    return gather_as_root(comm, mine, bytes, to_all, stop, all);
  send_contribution(comm, mine, bytes);
  if (to_all)
    *all = comm_receive(comm, MSG_GATHERED, stop);
  return to_all && !*all ? status_of(comm) : comm_status(comm);
}

/* A member that fails here lacks the result that the others have: its comm becomes unusable. */
static floe_status gather(struct comm *comm, const void *mine, size_t bytes, bool to_all, const struct stop *stop,
                          struct all_gathered *out) {
  struct message *all = NULL;
  *out = (struct all_gathered){NULL, NULL};
  comm_next_epoch(comm);
  floe_status status = exchange_buffers(comm, mine, bytes, to_all, stop, &all);
  if (status == FLOE_OK && all)
    status = split_buffers(all, comm->group->size, out);
  else
    message_free(all);
  if (status != FLOE_OK) {
    comm_fail(comm, status);
    gathered_free(out);
  }
  return status;
}

floe_status allgather(struct comm *comm, const void *mine, size_t bytes, const struct stop *stop,
                      struct all_gathered *out) {
  return gather(comm, mine, bytes, true, stop, out);
}

floe_status gather_to_root(struct comm *comm, const void *mine, size_t bytes, const struct stop *stop,
                           struct all_gathered *out) {
  return gather(comm, mine, bytes, false, stop, out);
}

void gathered_free(struct all_gathered *gathered) {
  message_free(gathered->message);
  mem_free(gathered->by);
  *gathered = (struct all_gathered){NULL, NULL};
}
