/* The reports of all members after a search: rank 0 has the sums, or it reports that a member has vanished. */
#include "core/mem.h"
#include "engine/comm/comm.h"
#include "engine/distributed/collective.h"
#include "tests/engine/comm/group_threads.h"
#include "tests/step/loaded.h"
#include "tests/suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS 3

static const char text[] = "<model name=\"small\">\n"
                           "  <variable name=\"a\" range=\"0..1\"/>\n"
                           "  <process name=\"P\">\n"
                           "    <location name=\"l\" initial=\"true\"/>\n"
                           "    <transition from=\"l\" effect=\"a = 1 - a\"/>\n"
                           "  </process>\n"
                           "</model>\n";

struct member {
  struct loaded loaded;
  struct comm comm;
  floe_options options;
  struct engine_task task;
  struct search search;
  struct collective collective;
  struct engine_outcome out;
  floe_status status;
  pthread_t thread;
};

static struct member members[MEMBERS];

static void begin(uint64_t seed) {
  static const struct exchange_plan plan = {1, 1, EXCHANGE_PACKET_WORDS, EXCHANGE_QUEUED_PACKETS};
  struct group *groups[MEMBERS];
  uint64_t bytes;
  ck_assert(group_threads_make(MEMBERS, seed, groups));
  for (unsigned i = 0; i < MEMBERS; i++) {
    struct member *member = &members[i];
    memset(member, 0, sizeof *member);
    ck_assert_msg(loaded_from_text(&member->loaded, "small", text, sizeof text - 1, NULL, 0), "%s",
                  loaded_message(&member->loaded));
    comm_open(groups[i], &member->comm);
    floe_options_init(&member->options);
    member->task.options = &member->options;
    member->task.model = member->loaded.model;
    member->task.layout = member->loaded.layout;
    member->task.group.comm = &member->comm;
    ck_assert_int_eq(search_open(&member->task, member->loaded.log, &member->search), FLOE_OK);
    collective_join(&member->collective, &member->search);
    ck_assert_int_eq(collective_open(&member->collective, &plan, &bytes), FLOE_OK);
    member->out.states = 10 * i + 1;
  }
}

static void *report(void *data) {
  struct member *member = data;
  member->status = collective_report(&member->collective, &member->out);
  collective_close(&member->collective);
  comm_close(&member->comm, member->status != FLOE_OK);
  return NULL;
}

static void report_all(void) {
  for (unsigned i = 0; i < MEMBERS; i++)
    ck_assert_int_eq(pthread_create(&members[i].thread, NULL, report, &members[i]), 0);
  for (unsigned i = 0; i < MEMBERS; i++)
    pthread_join(members[i].thread, NULL);
}

static void end(void) {
  for (unsigned i = 0; i < MEMBERS; i++) {
    mem_free(members[i].out.group.members);
    search_close(&members[i].search);
    loaded_free(&members[i].loaded);
  }
  ck_assert_uint_eq(mem_live(), 0);
}

START_TEST(rank_0_has_the_sums) {
  begin((uint64_t)_i + 1);
  report_all();
  for (unsigned i = 0; i < MEMBERS; i++)
    ck_assert_int_eq(members[i].status, FLOE_OK);
  ck_assert_uint_eq(members[0].out.states, 1 + 11 + 21);
  ck_assert_uint_eq(members[0].out.group.count, MEMBERS);
  for (unsigned i = 0; i < MEMBERS; i++)
    ck_assert_uint_eq(members[0].out.group.members[i].states, 10 * i + 1);
  end();
}
END_TEST

/* Nothing else ends the wait: the search has neither a timeout nor an interrupt. */
START_TEST(vanished_member_is_noticed) {
  const double patience = comm_timeout;
  begin((uint64_t)_i);
  group_threads_vanish(members[_i].comm.group, 0);
  comm_timeout = 0.1;
  report_all();
  comm_timeout = patience;
  ck_assert_int_eq(members[0].status, FLOE_ERROR_IO);
  ck_assert_int_eq(members[_i].status, FLOE_ERROR_IO);
  ck_assert_str_eq(loaded_message(&members[0].loaded), "the other processes of this run are unreachable");
  ck_assert_uint_eq(members[0].out.states, 1);
  end();
}
END_TEST

int main(void) {
  TCase *all = tcase_create("last reports");
  tcase_add_loop_test(all, rank_0_has_the_sums, 0, 4);
  tcase_add_loop_test(all, vanished_member_is_noticed, 1, MEMBERS);
  return run_suite("last reports", CK_FORK_GETENV, all);
}
