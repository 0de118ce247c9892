/* Message loop of a process other than 0 of an MPI job: executes the commands of process 0 until one ends the job. */
#include "api/processes.h"
#include "api/trace/unfired.h"
#include "api/worker/worker_search.h"
#include "core/threads/interruptible.h"
#include "core/usage.h"
#include "engine/trace/witness_group.h"

#include <string.h>

static floe_status count_unfired(struct worker *worker, const struct packet *packet, size_t bytes, bool *interrupted) {
  const struct unfired_search search = {.model = worker->model->model,
                                        .layout = worker->layout,
                                        .archive = worker->archive,
                                        .threads = worker->options.threads,
                                        .stop = worker->stop,
                                        .comm = processes_comm()};
  return unfired_answer(&search, packet->content, bytes, interrupted);
}

static floe_status find_predecessors(struct worker *worker, const struct packet *packet, size_t bytes,
                                     bool *interrupted) {
  const struct path_search search = {.levels = archive_source(worker->archive),
                                     .stepper = worker->stepper,
                                     .pool = worker->pool,
                                     .transition_count = worker->model->model->transition_count,
                                     .stop = worker->stop,
                                     .comm = processes_comm(),
                                     .interrupt = traces_interrupt_flag()};
  return paths_serve(&search, packet->content, bytes, interrupted);
}

static floe_status execute(struct worker *worker, uint32_t command, const struct packet *packet, size_t bytes) {
  if (command == COMMAND_EXPLORE_STATES)
    return worker_explore(worker, (const struct search_command *)packet->content);
  bool interrupted = false;
  const floe_status status = command == COMMAND_COUNT_UNFIRED ? count_unfired(worker, packet, bytes, &interrupted)
                                                              : find_predecessors(worker, packet, bytes, &interrupted);
  if (interrupted)
    interrupt_clear();
  return status;
}

static floe_status run_commands(struct worker *worker, struct comm *comm, int *code) {
  floe_status status = FLOE_OK;
  for (bool leaving = false; status == FLOE_OK && !leaving;) {
    comm_next_epoch(comm);
    struct message *message = comm_receive(comm, MSG_COMMAND, NULL);
    if (!message)
      return comm->status;
    const struct packet *packet = packet_of(message);
    uint32_t command = COMMAND_LEAVE;
    if (packet_bytes(message) >= sizeof command)
      memcpy(&command, packet->content, sizeof command);
    leaving = command == COMMAND_LEAVE;
    if (leaving)
      *code = (int)packet->number;
    else
      status = execute(worker, command, packet, packet_bytes(message));
    message_free(message);
  }
  return status;
}

/* An interrupt that arrives here ends the search that all processes run, or the next one. It is cleared once all
   processes have seen it, so that it does not end later searches. */
floe_status floe_mpi_worker(const floe_options *options, int *code) {
  struct comm *comm = processes_comm();
  struct worker worker = {.given = NULL};
  floe_options own;
  REQUIRE(NULL, code);
  if (!comm || comm->group->rank == 0)
    return FLOE_ERROR_USAGE;
  floe_options_init(&own);
  if (options)
    memcpy(&own, options, options->struct_size < sizeof own ? options->struct_size : sizeof own);
  worker.given = &own;
  *code = 0;
  const floe_status status = run_commands(&worker, comm, code);
  interrupt_clear(); /* no search runs in this process any more */
  worker_set_phase(&worker, false);
  worker_clear(&worker);
  if (status != FLOE_OK) /* the other processes would wait for this one */
    comm->group->kind->abort(comm->group, PROCESSES_LOST);
  processes_leave(status != FLOE_OK);
  return status;
}
