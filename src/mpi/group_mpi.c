#define _GNU_SOURCE
#include "mpi/group_mpi.h"

#include "core/diag.h"
#include "core/mem.h"
#include "mpi/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NAME "libfloe_mpi.so"

/* A message that is being sent. */
struct sending {
  struct sending *next;
  struct message *message;
  void *request;
  enum group_lane lane;
};

struct mpi_group {
  struct group base;
  const struct floe_mpi *mpi;
  struct sending *first, **last; /* by age */
  size_t data;                   /* of them, of the lane DATA */
};

static struct mpi_group *of(struct group *group) { return (struct mpi_group *)group; }

/* ---- the job ------------------------------------------------------------------------------------- */

static unsigned long number_of(const char *name) {
  const char *text = getenv(name);
  return text && *text ? strtoul(text, NULL, 10) : 0;
}

/* srun tells a process of its step by PMI; a batch script, which Slurm starts once, has SLURM_NTASKS, too, and none. */
unsigned mpi_job_size(void) {
  unsigned long size = number_of("OMPI_COMM_WORLD_SIZE");
  if (!size)
    size = number_of("PMI_SIZE");
  if (!size && (getenv("PMIX_RANK") || getenv("PMI_RANK")))
    size = number_of("SLURM_STEP_NUM_TASKS");
  return size > 1 && size < INT_MAX ? (unsigned)size : 1;
}

/* Slurm's is a list such as "4(x2),1": the first number is near enough. */
unsigned mpi_local_size(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"};
  if (mpi_job_size() == 1)
    return 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const unsigned long size = number_of(names[i]);
    if (size > 0)
      return size < mpi_job_size() ? (unsigned)size : mpi_job_size();
  }
  return 1;
}

/* ---- messages ------------------------------------------------------------------------------------ */

/* Old ones first; what is done leaves. */
static floe_status get_on(struct mpi_group *group) {
  for (struct sending **at = &group->first; *at;) {
    struct sending *sending = *at;
    int done = 0;
    if (group->mpi->test(sending->request, &done) != 0)
      return FLOE_ERROR_IO;
    if (!done) {
      at = &sending->next;
      continue;
    }
    *at = sending->next;
    group->data -= sending->lane == GROUP_DATA;
    message_free(sending->message);
    mem_free(sending);
  }
  group->last = &group->first;
  while (*group->last)
    group->last = &(*group->last)->next;
  return FLOE_OK;
}

static floe_status send_message(struct group *base, unsigned to, enum group_lane lane, struct message *message) {
  struct mpi_group *group = of(base);
  struct sending *sending = mem_alloc(sizeof *sending);
  if (!sending || message->bytes > FLOE_MPI_MOST_BYTES) {
    mem_free(sending);
    message_free(message);
    return FLOE_ERROR_MEMORY;
  }
  *sending = (struct sending){.message = message, .lane = lane};
  if (group->mpi->send(message->content, (int)message->bytes, (int)to, lane, lane == GROUP_DATA, &sending->request)) {
    mem_free(sending);
    message_free(message);
    return FLOE_ERROR_IO;
  }
  *group->last = sending;
  group->last = &sending->next;
  group->data += lane == GROUP_DATA;
  return FLOE_OK;
}

static floe_status receive_message(struct group *base, enum group_lane lane, struct message **out) {
  struct mpi_group *group = of(base);
  int there = 0, from = 0, count = 0;
  *out = NULL;
  FLOE_TRY(get_on(group));
  if (group->mpi->probe(lane, &there, &from, &count) != 0)
    return FLOE_ERROR_IO;
  if (!there)
    return FLOE_OK;
  struct message *message = message_make((size_t)count);
  if (!message)
    return FLOE_ERROR_MEMORY;
  message->from = (unsigned)from;
  if (group->mpi->receive(message->content, count, from, lane) != 0) {
    message_free(message);
    return FLOE_ERROR_IO;
  }
  *out = message;
  return FLOE_OK;
}

static size_t under_way(struct group *base) {
  struct mpi_group *group = of(base);
  get_on(group); /* an error comes back with the next message */
  return group->data;
}

static void abort_group(struct group *base, int code) { of(base)->mpi->abort(code); }

static void close_group(struct group *base, bool lost) {
  struct mpi_group *group = of(base);
  const struct timespec pause = {.tv_nsec = 100000};
  while (!lost && group->first && get_on(group) == FLOE_OK)
    nanosleep(&pause, NULL);
  if (!lost)
    group->mpi->end();
  while (group->first) {
    struct sending *sending = group->first;
    group->first = sending->next;
    if (!lost) /* else MPI may read it still */
      message_free(sending->message);
    mem_free(sending);
  }
  mem_free(group);
}

static const struct group_kind kind = {.name = "mpi",
                                       .send = send_message,
                                       .receive = receive_message,
                                       .under_way = under_way,
                                       .abort = abort_group,
                                       .close = close_group};

/* ---- opening ------------------------------------------------------------------------------------- */

static bool program_folder(char *out, size_t size) {
  const ssize_t length = readlink("/proc/self/exe", out, size - 1);
  if (length <= 0)
    return false;
  out[length] = '\0';
  char *slash = strrchr(out, '/');
  if (slash)
    *slash = '\0';
  return slash != NULL;
}

/* Beside the program (also the one that libtool put into .libs), where it is built, and where it is installed. It stays:
   MPI's library does not bear being closed; and RTLD_GLOBAL, as Open MPI opens modules of its own that look for it. */
static void *open_module(char *why, size_t size) {
  static const char *const places[] = {"/src/mpi", "/../src/mpi", "/../../../src/mpi"};
  char folder[PATH_MAX], path[PATH_MAX + 64];
  void *library = NULL;
  *why = '\0';
  if (program_folder(folder, sizeof folder))
    for (size_t i = 0; !library && i < sizeof places / sizeof *places; i++) {
      snprintf(path, sizeof path, "%s%s/" NAME, folder, places[i]);
      if (access(path, F_OK) == 0)
        library = dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    }
  if (!library)
    library = dlopen(FLOE_PKGLIBDIR "/" NAME, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  if (!library)
    snprintf(why, size, "%s", dlerror());
  return library;
}

/* MPI's libraries put handlers of their own in the place of floe's. */
static floe_status begin(struct mpi_group *group) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  struct sigaction before[sizeof signals / sizeof *signals];
  int rank, size;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], NULL, &before[i]);
  const int failed = group->mpi->begin(&rank, &size);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &before[i], NULL);
  if (failed)
    return FLOE_ERROR_IO;
  group->base = (struct group){.kind = &kind, .rank = (unsigned)rank, .size = (unsigned)size};
  group->last = &group->first;
  return FLOE_OK;
}

floe_status mpi_group_open(floe_log *log, struct group **out) {
  char why[500];
  floe_mpi_module *get = NULL;
  void *library = open_module(why, sizeof why);
  if (library)
    *(void **)&get = dlsym(library, FLOE_MPI_SYMBOL);
  if (!get || get()->version != FLOE_MPI_VERSION) {
    diag_error(log, NULL, NOWHERE, "floe is to be configured where mpicc is found; without mpirun it runs alone",
               "this is one of several MPI processes, and floe's module for MPI does not load: %s",
               library ? "it is of another version" : why);
    return FLOE_ERROR_UNSUPPORTED;
  }
  struct mpi_group *group = mem_alloc(sizeof *group);
  if (!group)
    return FLOE_ERROR_MEMORY;
  group->mpi = get();
  if (begin(group) == FLOE_OK) {
    *out = &group->base;
    return FLOE_OK;
  }
  mem_free(group);
  diag_error(log, NULL, NOWHERE, NULL, "MPI does not start");
  return FLOE_ERROR_IO;
}
