#include "api/processes.h"

#include "core/diag.h"
#include "core/interruptible.h"
#include "core/usage.h"
#include "floe.h"
#include "mpi/group_mpi.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct post post;
static atomic_bool joined;
static pthread_mutex_t leaving = PTHREAD_MUTEX_INITIALIZER;

struct post *processes_post(void) {
  return joined ? &post : NULL;
}

unsigned processes_here(void) { return mpi_job_here(); }

unsigned processes_number_here(void) { return mpi_job_number_here(); }

/* Linux makes a number at random when it starts; the name is for systems that keep it to themselves. */
void processes_machine(unsigned char out[DIGEST_BYTES]) {
  char text[256] = "";
  struct digest digest;
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
  if (!file || !fgets(text, sizeof text, file))
    gethostname(text, sizeof text - 1);
  if (file)
    fclose(file);
  digest_init(&digest);
  digest_add_string(&digest, text);
  digest_finish(&digest, out);
}

void processes_leave(bool lost) {
  post_close(&post, lost);
  joined = false;
}

unsigned floe_ranks_started(void) { return mpi_job().size; }

/* The others wait for a task, and no launcher has to end them. While a search runs in another thread they are in it. */
static void leave(int code) {
  const uint32_t task = TASK_LEAVE;
  if (post.status != FLOE_OK || running_any())
    post.group->kind->abort(post.group, code ? code : PROCESSES_LOST);
  post_next(&post);
  post_send_all(&post, LETTER_TASK, (uint64_t)code, &task, sizeof task);
  processes_leave(post.status != FLOE_OK);
}

/* From then on explorations are of this process alone: what begins after the look at what runs sees that (sequentially
   consistent, as is running_begin). A second thread returns when the first one has left. */
void floe_ranks_leave(int code) {
  pthread_mutex_lock(&leaving);
  if (atomic_exchange(&joined, false))
    leave(code);
  pthread_mutex_unlock(&leaving);
}

static void leave_at_exit(void) { floe_ranks_leave(PROCESSES_LOST); }

floe_status floe_ranks_join(floe_log *log, unsigned *rank, unsigned *count) {
  struct group *group;
  struct reason reason;
  WANT(log, rank);
  WANT(log, count);
  *rank = 0;
  *count = 1;
  if (joined || mpi_job().size == 1)
    return FLOE_OK;
  floe_status status = group_mpi_open(&group, &reason);
  if (status != FLOE_OK) {
    diag_error(log, NULL, NOWHERE, "without mpirun or srun floe explores in one process", "%s", reason.text);
    return status;
  }
  *rank = group->rank;
  *count = group->size;
  post_open(group, &post);
  joined = true;
  if (*rank == 0)
    atexit(leave_at_exit);
  return FLOE_OK;
}
