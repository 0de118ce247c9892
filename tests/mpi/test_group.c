/* One member of a group of MPI processes, started by tests/mpi/group.sh. test_group WORD [NUMBER]:
     job            prints rank and size from the launcher: RANK SIZE
     open           begins and ends
     cases SCALE    the cases of tests/engine/comm/group_cases.c, also of members in threads of each process
     signals        handlers are what they were before MPI was begun
     abort CODE     the last member aborts with the code, the others wait for messages
     lost           members end as where others are lost, with messages under way: exit code 2
     die            the last member is killed, the others wait for messages
   Exit code 3: no group; the reason is printed. */
#include "core/mem.h"
#include "mpi/group_mpi.h"
#include "tests/engine/comm/group_cases.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_line(const char *text) {
  printf("%s\n", text);
  fflush(stdout);
}

static int open_group(struct group **out) {
  struct reason reason = {{0}};
  if (group_mpi_open(out, &reason) == FLOE_OK)
    return 0;
  print_line(reason.text);
  return 3;
}

static int end(struct group *group) {
  group->kind->close(group, false);
  if (mem_live() != 0)
    print_line("memory is left");
  return mem_live() != 0;
}

static int run_cases(struct group *group, unsigned scale) {
  unsigned rank = group->rank, size = group->size;
  if (rank == 0)
    print_line(group_mpi_library(group));
  static uint64_t memory[1024]; /* some messages are received there */
  static const unsigned counts[] = {2, 1, 3, 1, 2};
  group->message_pool = message_pool_new(memory, 3, 64);
  struct message_pool *message_pool = group->message_pool;
  if (!message_pool || message_pool_bytes(3, 64) > sizeof memory)
    return 1;
  struct group *duplicate = group->kind->duplicate(group);
  if (!duplicate || duplicate != group->kind->duplicate(group) || duplicate->rank != rank || duplicate->size != size)
    return 1;
  group_cases_run_nested(duplicate, 1, counts, scale);
  group_cases_run(group, scale);
  if (!message_pool_free(message_pool) || mem_live() != 0)
    return 1;
  printf("member %u of %u passed\n", rank, size);
  return 0;
}

static void handler(int number) { (void)number; }

/* An own handler for a signal that libraries often catch, the default for another. */
static int check_signals(void) {
  struct group *group;
  struct sigaction before[NSIG], after;
  int changed = 0;
  signal(SIGSEGV, handler);
  signal(SIGTERM, handler);
  for (int i = 1; i < NSIG; i++)
    sigaction(i, NULL, &before[i]);
  int code = open_group(&group);
  for (int i = 1; i < NSIG && code == 0; i++)
    if (sigaction(i, NULL, &after) == 0 && after.sa_handler != before[i].sa_handler) {
      printf("signal %d is changed\n", i);
      changed++;
    }
  return code ? code : changed + end(group);
}

/* Waits for a message that never comes. */
static int wait_forever(struct group *group) {
  struct message *message = NULL;
  print_line("waits");
  while (group->kind->receive(group, GROUP_CONTROL, &message) == FLOE_OK && !message)
    usleep(1000);
  group->kind->close(group, true);
  return 1;
}

/* The others may or may not have begun to wait: both must work. */
static int end_badly(struct group *group, int code) {
  usleep(300000);
  if (code)
    group->kind->abort(group, code);
  raise(SIGKILL);
  return 1;
}

static int leave(struct group *group) {
  struct message *message = message_make(1 << 20);
  if (message && group->kind->send(group, (group->rank + 1) % group->size, GROUP_DATA, message) == FLOE_OK)
    group->kind->close(group, true);
  return 2;
}

int main(int count, char **words) {
  struct group *group;
  const char *word = count > 1 ? words[1] : "";
  int number = count > 2 ? atoi(words[2]) : 0;
  if (strcmp(word, "job") == 0) {
    printf("%u %u\n", mpi_job().rank, mpi_job().size);
    return 0;
  }
  if (strcmp(word, "signals") == 0)
    return check_signals();
  int code = open_group(&group);
  if (code)
    return code;
  if (strcmp(word, "cases") == 0)
    return run_cases(group, (unsigned)number);
  if (strcmp(word, "abort") == 0 || strcmp(word, "die") == 0)
    return group->rank + 1 == group->size ? end_badly(group, number) : wait_forever(group);
  return strcmp(word, "lost") == 0 ? leave(group) : end(group);
}
