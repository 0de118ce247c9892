/* Groups of threads fulfil the contract of engine/comm/group.h, at any size and seed, and when members vanish. */
#include "core/mem.h"
#include "core/threads/thread.h"
#include "engine/comm/group_local.h"
#include "engine/comm/group_nested.h"
#include "tests/engine/comm/group_cases.h"
#include "tests/engine/comm/group_threads.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 5

static void *run_cases(void *data) {
  group_cases_run(data, 1);
  return NULL;
}

START_TEST(test_cases) {
  struct group *groups[MOST];
  pthread_t threads[MOST];
  unsigned size = 2 + (unsigned)_i % (MOST - 1);
  ck_assert(group_threads_make(size, 1 + (uint64_t)_i, groups));
  for (unsigned i = 0; i < size; i++)
    ck_assert(thread_start(&threads[i], run_cases, groups[i]));
  for (unsigned i = 0; i < size; i++)
    pthread_join(threads[i], NULL);
  ck_assert_uint_eq(group_threads_dropped(GROUP_DATA), size * (size - 1));
  ck_assert_uint_le(group_threads_dropped(GROUP_CONTROL), size * (size - 1));
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

/* The transport for the devices of one process. */
START_TEST(test_local) {
  struct group *groups[MOST];
  pthread_t threads[MOST];
  unsigned size = 2 + (unsigned)_i % (MOST - 1);
  ck_assert_int_eq(group_local_make(size, groups), FLOE_OK);
  for (unsigned i = 0; i < size; i++)
    ck_assert(thread_start(&threads[i], run_cases, groups[i]));
  for (unsigned i = 0; i < size; i++)
    pthread_join(threads[i], NULL);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

static const unsigned members_per_process[][MOST] = {{2, 1}, {1, 3}, {2, 2, 1}, {1, 1, 4}, {3, 2}, {1, 2, 1, 2, 1}};
enum { SPLITS = sizeof members_per_process / sizeof *members_per_process };
static int which;
static pthread_barrier_t barrier;

/* Two groups one after the other: unreceived messages of the first do not appear in the second. */
static void *run_process(void *data) {
  struct group *below = data;
  group_cases_run_nested(below, 1, members_per_process[which], 1);
  pthread_barrier_wait(&barrier);
  group_cases_run_nested(below, 2, members_per_process[which], 1);
  below->kind->close(below, false);
  return NULL;
}

/* The transport for processes with several devices each. */
START_TEST(test_nested) {
  struct group *groups[MOST];
  pthread_t threads[MOST];
  unsigned size = 0;
  which = _i % SPLITS;
  while (size < MOST && members_per_process[which][size])
    size++;
  ck_assert(group_threads_make(size, 1 + (uint64_t)_i, groups));
  pthread_barrier_init(&barrier, NULL, size);
  for (unsigned i = 0; i < size; i++)
    ck_assert(thread_start(&threads[i], run_process, groups[i]));
  for (unsigned i = 0; i < size; i++)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

/* A member that fails ends the other members of its process. */
START_TEST(test_nested_lost) {
  static const unsigned counts[] = {2, 1};
  pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
  struct group *below[2], *groups[3];
  struct message *message;
  ck_assert(group_threads_make(2, 1, below));
  ck_assert_int_eq(group_nested_make(below[0], &mutex[0], 1, counts, groups), FLOE_OK);
  ck_assert_int_eq(group_nested_make(below[1], &mutex[1], 1, counts, groups + 2), FLOE_OK);
  group_nested_fail(groups[0]);
  ck_assert_int_eq(groups[1]->kind->receive(groups[1], GROUP_CONTROL, &message), FLOE_ERROR_IO);
  ck_assert_int_eq(groups[1]->kind->send(groups[1], 2, GROUP_CONTROL, message_make(10)), FLOE_ERROR_IO);
  ck_assert_int_eq(groups[2]->kind->receive(groups[2], GROUP_CONTROL, &message), FLOE_OK);
  ck_assert_ptr_null(message);
  for (unsigned i = 0; i < 3; i++)
    groups[i]->kind->close(groups[i], true);
  for (unsigned i = 0; i < 2; i++)
    below[i]->kind->close(below[i], true);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

static floe_status send_one(struct group *from, unsigned to, enum group_channel channel, size_t bytes) {
  struct message *message = message_make(bytes);
  ck_assert_ptr_nonnull(message);
  return from->kind->send(from, to, channel, message);
}

/* Messages of a vanished member end after some that were in flight; messages to it stay in flight, and are dropped. */
START_TEST(test_vanish) {
  struct group *groups[3];
  struct message *message;
  ck_assert(group_threads_make(3, 1 + (uint64_t)_i, groups));
  group_threads_vanish(groups[1], 10);
  for (int i = 0; i < 10; i++)
    ck_assert_int_eq(send_one(groups[1], 0, GROUP_DATA, 8), FLOE_OK);
  ck_assert_int_eq(send_one(groups[1], 0, GROUP_DATA, 8), FLOE_ERROR_IO);
  ck_assert_int_eq(groups[1]->kind->receive(groups[1], GROUP_CONTROL, &message), FLOE_ERROR_IO);
  ck_assert_uint_eq(groups[1]->kind->in_flight(groups[1]), 0);
  ck_assert_int_eq(send_one(groups[0], 1, GROUP_DATA, 8), FLOE_OK);
  ck_assert_int_eq(send_one(groups[2], 0, GROUP_CONTROL, 8), FLOE_OK);
  int seen = 0;
  for (int i = 0; i < 1000; i++) {
    ck_assert_int_eq(groups[0]->kind->receive(groups[0], GROUP_DATA, &message), FLOE_OK);
    seen += message != NULL;
    message_free(message);
    usleep(20);
  }
  ck_assert_int_lt(seen, 10);
  ck_assert_uint_eq(groups[0]->kind->in_flight(groups[0]), 1);
  groups[1]->kind->close(groups[1], false);
  groups[0]->kind->close(groups[0], true);
  groups[2]->kind->close(groups[2], true);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

static void *close_it(void *group) {
  ((struct group *)group)->kind->close(group, false);
  return NULL;
}

/* A member that closes does not wait for one that vanished before (0), or vanishes meanwhile (1). */
START_TEST(test_vanish_before_close) {
  struct group *groups[2];
  struct message *message;
  pthread_t closing;
  ck_assert(group_threads_make(2, 1, groups));
  ck_assert_int_eq(send_one(groups[0], 1, GROUP_CONTROL, 8), FLOE_OK);
  group_threads_vanish(groups[1], 0);
  if (_i == 0)
    ck_assert_int_eq(groups[1]->kind->receive(groups[1], GROUP_DATA, &message), FLOE_ERROR_IO);
  ck_assert_int_eq(pthread_create(&closing, NULL, close_it, groups[0]), 0);
  usleep(10000);
  if (_i == 1)
    ck_assert_int_eq(groups[1]->kind->receive(groups[1], GROUP_DATA, &message), FLOE_ERROR_IO);
  pthread_join(closing, NULL);
  groups[1]->kind->close(groups[1], true);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

START_TEST(test_abort) {
  pid_t child = fork();
  if (child == 0) {
    struct group *groups[2];
    if (group_threads_make(2, 1, groups))
      groups[1]->kind->abort(groups[1], 42);
    _exit(1);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}
END_TEST

/* Messages return to the pool, whichever thread frees them; the pool lives while any is in use. */
START_TEST(test_message_pool) {
  enum { COUNT = 5, BYTES = 100 };
  struct message *taken[COUNT];
  void *memory = mem_alloc(message_pool_bytes(COUNT, BYTES));
  struct message_pool *message_pool = message_pool_new(memory, COUNT, BYTES);
  ck_assert_ptr_nonnull(message_pool);
  ck_assert_ptr_null(message_pool_take(message_pool, BYTES + GROUP_TRAILER_BYTES + 8));
  for (int round = 0; round < 3; round++) {
    for (unsigned i = 0; i < COUNT; i++) {
      taken[i] = message_pool_take(message_pool, BYTES - i);
      ck_assert_ptr_nonnull(taken[i]);
      ck_assert_uint_eq(taken[i]->bytes, BYTES - i);
      memset(taken[i]->content, (int)i, BYTES);
    }
    ck_assert_ptr_null(message_pool_take(message_pool, 1));
    for (unsigned i = 0; i < COUNT; i++)
      for (unsigned k = 0; k < BYTES; k++)
        ck_assert_uint_eq(taken[i]->content[k], i);
    for (unsigned i = 0; i < COUNT; i++) {
      ck_assert(!message_pool_free(message_pool));
      message_free(taken[(i + 2) % COUNT]);
    }
  }
  ck_assert(message_pool_free(message_pool));
  ck_assert(message_pool_free(NULL));
  mem_free(memory);
  ck_assert_uint_eq(mem_live(), 0);
}
END_TEST

int main(void) {
  TCase *tcase = tcase_create("threads");
  tcase_set_timeout(tcase, 120);
  tcase_add_loop_test(tcase, test_cases, 0, at_length() ? 12 : MOST - 1);
  tcase_add_loop_test(tcase, test_local, 0, at_length() ? 12 : MOST - 1);
  tcase_add_loop_test(tcase, test_nested, 0, at_length() ? 2 * SPLITS : SPLITS);
  tcase_add_test(tcase, test_nested_lost);
  tcase_add_loop_test(tcase, test_vanish, 0, 4);
  tcase_add_loop_test(tcase, test_vanish_before_close, 0, 2);
  add_tests(tcase, test_abort, test_message_pool);
  return run_suite("group", CK_FORK_GETENV, tcase);
}
