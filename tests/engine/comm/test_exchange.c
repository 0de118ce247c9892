/* An exchange phase between members in one thread, step by step: memory when no member inserts received states, and
   delivery of all states afterwards. */
#include "core/mem.h"
#include "engine/comm/exchange.h"
#include "engine/comm/group_local.h"
#include "tests/suite.h"

#include <stdlib.h>

#define MOST_MEMBERS 5
#define MOST_WORKERS 3
#define PACKET_WORDS 256
#define WORDS 2
#define PER_LETTER (PACKET_WORDS / WORDS)

struct member {
  struct comm comm;
  struct exchange *exchange;
  struct message *putting[MOST_WORKERS];
  uint64_t sent, received; /* states */
};

static struct member members[MOST_MEMBERS];
static unsigned size, workers;

static void begin(const struct exchange_plan *plan) {
  struct group *groups[MOST_MEMBERS];
  ck_assert_int_eq(group_local_make(size, groups), FLOE_OK);
  for (unsigned i = 0; i < size; i++) {
    members[i] = (struct member){.sent = 0};
    comm_open(groups[i], &members[i].comm);
    ck_assert_int_eq(exchange_create(&members[i].comm, plan, &members[i].exchange), FLOE_OK);
    exchange_begin(members[i].exchange, workers);
  }
}

static void end(void) {
  for (unsigned i = 0; i < size; i++)
    exchange_free(members[i].exchange);
  for (unsigned i = 0; i < size; i++)
    comm_close(&members[i].comm, false);
  ck_assert_uint_eq(mem_live(), 0);
}

/* Each worker sends one packet's worth: all have checked for back-pressure before one sends. */
static bool send_some(unsigned from) {
  static const uint64_t states[PER_LETTER * WORDS] = {0};
  struct member *member = &members[from];
  if (exchange_backpressured(member->exchange))
    return false;
  for (unsigned i = 0; i < workers; i++) {
    const unsigned to = (from + 1 + (unsigned)(member->sent / PER_LETTER) % (size - 1)) % size;
    exchange_send_all(member->exchange, i, to, states, PER_LETTER);
    member->sent += PER_LETTER;
  }
  return true;
}

/* Each worker has begun a packet for each other member. */
static void begin_packets(unsigned from) {
  static const uint64_t state[WORDS] = {0};
  for (unsigned i = 0; i < workers * size; i++)
    if (i % size != from) {
      exchange_send(members[from].exchange, i / size, i % size, state);
      members[from].sent++;
    }
}

/* Each worker holds one packet without inserting it. */
static void receive_packets(struct member *member) {
  for (unsigned i = 0; i < workers; i++)
    if (!member->putting[i])
      member->putting[i] = exchange_take(member->exchange);
}

static void send_while_possible(void) {
  for (bool any = true; any;) {
    any = false;
    for (unsigned i = 0; i < size; i++)
      any = send_some(i) || any;
    for (unsigned i = 0; i < size; i++)
      exchange_progress(members[i].exchange);
    for (unsigned i = 0; i < size; i++)
      receive_packets(&members[i]);
  }
}

static void insert(struct member *member, struct message *packet) {
  ck_assert_uint_eq(packet_bytes(packet), packet_of(packet)->number * WORDS * sizeof(uint64_t));
  member->received += packet_of(packet)->number;
  message_free(packet);
  exchange_ack(member->exchange);
}

static void insert_all(struct member *member) {
  for (unsigned i = 0; i < workers; i++)
    if (member->putting[i])
      insert(member, member->putting[i]);
  for (struct message *packet; (packet = exchange_take(member->exchange));)
    insert(member, packet);
  for (unsigned i = 0; i < workers; i++)
    member->putting[i] = NULL;
  exchange_progress(member->exchange);
}

static void finish(void) {
  bool over = false;
  for (unsigned i = 0; i < size; i++)
    for (unsigned k = 0; k < workers; k++)
      exchange_worker_done(members[i].exchange, k);
  for (unsigned rounds = 0; !over; rounds++) {
    ck_assert_uint_lt(rounds, 1000);
    over = true;
    for (unsigned i = 0; i < size; i++)
      insert_all(&members[i]);
    for (unsigned i = 0; i < size; i++)
      over = exchange_is_over(members[i].exchange) && over;
  }
}

static const struct { unsigned size, workers; } shapes[] = {{2, 1}, {2, 3}, {5, 1}, {5, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* All queues are full. */
START_TEST(queued_memory_is_within_the_plan) {
  size = shapes[_i].size;
  workers = shapes[_i].workers;
  const struct exchange_plan plan = {workers, WORDS, PACKET_WORDS, EXCHANGE_QUEUED_PACKETS};
  const uint64_t planned = exchange_bytes(size, &plan) * size;
  begin(&plan);
  const uint64_t before = mem_live();
  send_while_possible();
  for (unsigned i = 0; i < size; i++)
    begin_packets(i);
  const uint64_t waiting = mem_live() - before;
  ck_assert_msg(waiting <= planned, "%llu bytes, not %llu", (unsigned long long)waiting, (unsigned long long)planned);
  ck_assert_uint_gt(waiting, planned * 2 / 3); /* it was nearly the worst case */
  finish();
  uint64_t sent = 0, received = 0;
  for (unsigned i = 0; i < size; i++) {
    sent += members[i].sent;
    received += members[i].received;
  }
  ck_assert_uint_eq(received, sent);
  end();
}
END_TEST

int main(void) {
  TCase *tcase = tcase_create("memory");
  tcase_add_loop_test(tcase, queued_memory_is_within_the_plan, 0, SHAPES);
  return run_suite("exchange", CK_FORK_GETENV, tcase);
}
