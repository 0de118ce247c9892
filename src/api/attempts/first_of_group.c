#include "api/attempts/first_of_group.h"

#include "core/mem.h"

#define RESTARTS UINT64_MAX /* number of a MSG_GATHERED; else its `end` */

floe_status first_of_group_list(unsigned members, struct engine_outcome *out) {
  out->group.members = mem_array(members, sizeof *out->group.members);
  if (!out->group.members) {
    engine_outcome_free(out);
    return FLOE_ERROR_MEMORY;
  }
  out->group.count = members;
  out->group.members[0] = (struct engine_member){.states = out->states,
                                                 .transitions = out->transitions,
                                                 .table_bytes = out->table.shape.bytes,
                                                 .threads = out->threads};
  return FLOE_OK;
}

void first_of_group_announce(struct comm *comm, bool restarts, floe_end end) {
  comm_send_all(comm, MSG_GATHERED, restarts ? RESTARTS : (uint64_t)end, NULL, 0);
}

floe_status first_of_group_follow(struct comm *comm, const struct stop *stop, struct engine_outcome *out) {
  const double begun = clock_seconds();
  struct message *message;
  unsigned rests = 0;
  double since = 0;
  bool told = false;
  while (!(message = comm_poll(comm, MSG_GATHERED)) && comm_status(comm) == FLOE_OK &&
         !comm_timed_out(comm, stop, &since)) {
    if (!told && stop_is_set(stop->interrupt)) {
      comm_send(comm, 0, packet_new(MSG_STOP, 0, 0));
      told = true;
    }
    stop_call_waiting(stop);
    comm_backoff(comm, &rests);
  }
  comm->idle_seconds += clock_seconds() - begun;
  const uint64_t number = message ? packet_of(message)->number : FLOE_END_COMPLETE;
  message_free(message);
  out->attempts.must_escalate = number == RESTARTS;
  out->end = number == RESTARTS ? FLOE_END_INTERRUPT : (floe_end)number;
  return comm_status(comm);
}
