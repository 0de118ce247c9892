/* Message throughput of an MPI job without any other work: mpirun -n R message_rate [MESSAGES [WORDS]]. Each member
   sends so many messages (2000) of so many words (65536) to each other member, from buffers that are reused, and
   acknowledges those received. Rank 0 prints the rate out of each member, in GB/s: the upper bound for processes
   with GPUs without mailboxes (doc/results/devices.md). */
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/comm/allgather.h"
#include "engine/comm/exchange.h"
#include "mpi/group_mpi.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define STOCK 128
#define REPETITIONS 3

static struct comm comm;
static struct message_pool *message_pool;
static uint64_t packets = 2000, words = 65536;

static bool write_one(struct exchange *exchange, uint64_t number) {
  const unsigned others = comm.group->size - 1, rank = comm.group->rank;
  struct message *message = exchange_backpressured(exchange)
                                ? NULL
                                : message_pool_take(message_pool, sizeof(struct packet) + words * sizeof(uint64_t));
  if (!message)
    return false;
  *packet_of(message) = (struct packet){.kind = MSG_STATES, .number = words};
  exchange_send_packet(exchange, (rank + 1 + (unsigned)(number % others)) % comm.group->size, message);
  return true;
}

static void take_all(struct exchange *exchange) {
  for (struct message *message; (message = exchange_take(exchange));) {
    message_free(message);
    exchange_ack(exchange);
  }
}

/* Elapsed seconds. */
static double run(struct exchange *exchange) {
  const uint64_t all = packets * (comm.group->size - 1);
  const double begun = clock_seconds();
  uint64_t sent = 0;
  exchange_begin(exchange, 1);
  while (!exchange_is_over(exchange)) {
    const bool any = sent < all && write_one(exchange, sent);
    sent += any;
    if (any && sent == all)
      exchange_worker_done(exchange, 0);
    take_all(exchange);
    exchange_progress(exchange);
    if (!any)
      sched_yield();
  }
  return clock_seconds() - begun;
}

int main(int argc, char **argv) {
  struct group *group;
  struct exchange *exchange;
  struct reason reason;
  struct all_gathered all;
  if (argc > 1)
    packets = strtoull(argv[1], NULL, 10);
  if (argc > 2)
    words = strtoull(argv[2], NULL, 10);
  if (packets == 0 || words == 0 || group_mpi_open(&group, &reason) != FLOE_OK || group->size < 2)
    return 2;
  const size_t bytes = sizeof(struct packet) + words * sizeof(uint64_t);
  void *memory = mem_alloc(message_pool_bytes(STOCK, bytes));
  const struct exchange_plan plan = {1, 1, words, STOCK / 2 / group->size};
  comm_open(group, &comm);
  if (!memory || !(message_pool = message_pool_new(memory, STOCK, bytes)) ||
      exchange_create(&comm, &plan, &exchange) != FLOE_OK)
    return 2;
  group->message_pool = message_pool;
  for (unsigned i = 0; i < REPETITIONS; i++) {
    if (allgather(&comm, &i, sizeof i, NULL, &all) != FLOE_OK)
      return 2;
    gathered_free(&all);
    comm_next_epoch(&comm);
    const double seconds = run(exchange);
    if (group->rank == 0)
      printf("%u members, messages of %zu bytes: %.2f GB/s out of each\n", group->size, bytes,
             1e-9 * (double)(packets * (group->size - 1) * bytes) / seconds);
  }
  exchange_free(exchange);
  comm_close(&comm, false);
  message_pool_free(message_pool);
  mem_free(memory);
  return 0;
}
