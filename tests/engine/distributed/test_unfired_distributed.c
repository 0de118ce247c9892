/* Reasons why transitions never fired, from members with very different numbers of states: an interrupt of one
   member ends the count of all, even if it has finished. */
#include "api/trace/unfired.h"
#include "core/mem.h"
#include "engine/comm/comm.h"
#include "tests/engine/comm/group_threads.h"
#include "tests/step/loaded.h"
#include "tests/suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_MEMBERS 3
#define MANY 1000000 /* states: some minutes */

/* Its last transition never fires, which takes long to count. */
static const char text[] = "<model name=\"slow\">\n"
                           "  <variable name=\"a\" range=\"0..9\"/>\n"
                           "  <process name=\"P\">\n"
                           "    <location name=\"l\" initial=\"true\"/>\n"
                           "    <transition from=\"l\" guard=\"a lt 9\" effect=\"a = a + 1\"/>\n"
                           "    <transition from=\"l\" label=\"never\" select=\"i in 0..63, j in 0..63\"\n"
                           "                guard=\"a * a % 4 == 3 and i + j ge 0\"/>\n"
                           "  </process>\n"
                           "</model>\n";

struct member {
  struct loaded loaded;
  atomic_bool interrupt;
  struct archive *archive;
  struct comm comm;
  struct unfired_search look;
  bool interrupted;
  pthread_t thread;
};

static struct member members[MOST_MEMBERS];

static void begin(unsigned size, uint64_t seed, const size_t *states) {
  struct group *groups[MOST_MEMBERS];
  uint64_t *zeros = mem_array(MANY, sizeof *zeros);
  ck_assert(zeros != NULL && group_threads_make(size, seed, groups));
  for (unsigned i = 0; i < size; i++) {
    struct member *member = &members[i];
    memset(member, 0, sizeof *member);
    ck_assert_msg(loaded_from_text(&member->loaded, "slow", text, sizeof text - 1, NULL, 0), "%s",
                  loaded_message(&member->loaded));
    ck_assert_int_eq(archive_create(1, 64 << 20, member->loaded.log, &member->archive), FLOE_OK);
    ck_assert_int_eq(archive_begin_level(member->archive), FLOE_OK);
    ck_assert_int_eq(archive_add(member->archive, zeros, states[i]), FLOE_OK);
    comm_open(groups[i], &member->comm);
    member->look = (struct unfired_search){.model = member->loaded.model,
                                           .layout = member->loaded.layout,
                                           .archive = member->archive,
                                           .threads = 1,
                                           .stop = {.interrupt = &member->interrupt},
                                           .comm = &member->comm};
  }
  mem_free(zeros);
}

static void *worker_main(void *data) {
  struct member *member = data;
  comm_next_epoch(&member->comm);
  struct message *task = comm_receive(&member->comm, MSG_COMMAND, NULL);
  ck_assert(task != NULL);
  ck_assert_int_eq(unfired_answer(&member->look, packet_of(task)->content, packet_bytes(task), &member->interrupted),
                   FLOE_OK);
  message_free(task);
  comm_close(&member->comm, false);
  return NULL;
}

static void *interrupt_soon(void *data) {
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  atomic_store((atomic_bool *)data, true);
  return NULL;
}

struct host_lookup {
  struct member *member;
  struct arena arena;
  struct conditions *goals;
  struct unfired_tally *tallies;
  size_t count;
};

static void make_goals(void *data) {
  struct host_lookup *host_lookup = data;
  const uint64_t fired[] = {1, 0};
  host_lookup->goals =
      unfired_goals(host_lookup->member->loaded.model, fired, &host_lookup->arena, &host_lookup->count);
  host_lookup->tallies = unfired_tallies(host_lookup->count, 1, &host_lookup->arena);
}

/* Returns the number of counted states. `interrupted`: the member that is interrupted; `size`: none. */
static uint64_t count_unfired(unsigned size, unsigned interrupted) {
  struct host_lookup host_lookup = {.member = &members[0]};
  uint64_t looked = 0;
  pthread_t thread;
  arena_init(&host_lookup.arena);
  ck_assert_int_eq(arena_guard(&host_lookup.arena, make_goals, &host_lookup), 0);
  for (unsigned i = 1; i < size; i++)
    ck_assert_int_eq(pthread_create(&members[i].thread, NULL, worker_main, &members[i]), 0);
  if (interrupted < size)
    ck_assert_int_eq(pthread_create(&thread, NULL, interrupt_soon, &members[interrupted].interrupt), 0);
  ck_assert_int_eq(
      unfired_count_distributed(&members[0].look, host_lookup.goals, host_lookup.count, host_lookup.tallies, &looked),
      FLOE_OK);
  ck_assert_uint_eq(host_lookup.tallies[0].states[0], looked); /* all are at l */
  comm_close(&members[0].comm, false);
  for (unsigned i = 1; i < size; i++)
    pthread_join(members[i].thread, NULL);
  if (interrupted < size)
    pthread_join(thread, NULL);
  arena_free(&host_lookup.arena);
  return looked;
}

static void end(unsigned size) {
  for (unsigned i = 0; i < size; i++) {
    archive_free(members[i].archive);
    loaded_free(&members[i].loaded);
  }
  ck_assert_uint_eq(mem_live(), 0);
}

START_TEST(all_states_are_counted) {
  const size_t states[] = {300, 0, 1000};
  begin(3, (uint64_t)_i, states);
  ck_assert_uint_eq(count_unfired(3, 3), 1300);
  end(3);
}
END_TEST

/* Rank 0 is interrupted, which may have finished, or a member that is counting. */
START_TEST(interrupt_ends_all) {
  static const struct {
    size_t states[MOST_MEMBERS];
    unsigned interrupted;
  } cases[] = {{{MANY, 1, 1}, 0},    {{1, MANY, 1}, 0},       {{1, MANY, MANY}, 0}, {{1, MANY, MANY}, 1},
               {{1, MANY, MANY}, 2}, {{MANY, MANY, MANY}, 0}, {{MANY, 1, MANY}, 2}};
  begin(3, (uint64_t)_i, cases[_i].states);
  ck_assert_uint_lt(count_unfired(3, cases[_i].interrupted), MANY);
  ck_assert_int_eq(members[1].interrupted, cases[_i].interrupted == 1);
  ck_assert_int_eq(members[2].interrupted, cases[_i].interrupted == 2);
  end(3);
}
END_TEST

int main(void) {
  TCase *tcase = tcase_create("together");
  tcase_add_loop_test(tcase, all_states_are_counted, 0, 3);
  tcase_add_loop_test(tcase, interrupt_ends_all, 0, 7);
  tcase_set_timeout(tcase, 30);
  return run_suite("unfired transitions, distributed", CK_FORK_GETENV, tcase);
}
