#include "api/processes.h"

#include "core/diag.h"
#include "core/threads/interruptible.h"
#include "core/usage.h"
#include "floe.h"
#include "mpi/group_mpi.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct comm comm;
static atomic_bool joined;
static pthread_mutex_t leaving = PTHREAD_MUTEX_INITIALIZER;

struct comm *processes_comm(void) {
  return joined ? &comm : NULL;
}

unsigned processes_local_size(void) { return mpi_job_local_size(); }

unsigned processes_local_rank(void) { return mpi_job_local_rank(); }

/* Linux has a random number per start; the host name is for systems where it cannot be read. */
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
  comm_close(&comm, lost);
  joined = false;
}

unsigned floe_mpi_job_size(void) { return mpi_job().size; }

/* Ends the other processes, which wait for a command; aborts the job if a search runs in another thread, as they take
   part in it. */
static void end_job(int code) {
  const uint32_t command = COMMAND_LEAVE;
  if (comm.status != FLOE_OK || interruptible_any())
    comm.group->kind->abort(comm.group, code ? code : PROCESSES_LOST);
  comm_next_epoch(&comm);
  comm_send_all(&comm, MSG_COMMAND, (uint64_t)code, &command, sizeof command);
  processes_leave(comm.status != FLOE_OK);
}

/* Later explorations are those of a single process: one that begins after the check for running ones sees `joined`
   false (sequentially consistent, as is interruptible_begin). A second thread returns when the first one has finished.
 */
void floe_mpi_finalize(int code) {
  pthread_mutex_lock(&leaving);
  if (atomic_exchange(&joined, false))
    end_job(code);
  pthread_mutex_unlock(&leaving);
}

static void leave_at_exit(void) { floe_mpi_finalize(PROCESSES_LOST); }

floe_status floe_mpi_init(floe_log *log, unsigned *rank, unsigned *count) {
  struct group *group;
  struct reason reason;
  REQUIRE(log, rank);
  REQUIRE(log, count);
  *rank = 0;
  *count = 1;
  if (joined || mpi_job().size == 1)
    return FLOE_OK;
  floe_status status = group_mpi_open(&group, &reason);
  if (status != FLOE_OK) {
    diag_error(log, NULL, NOWHERE, "run floe without mpirun or srun to explore in a single process", "%s", reason.text);
    return status;
  }
  *rank = group->rank;
  *count = group->size;
  comm_open(group, &comm);
  joined = true;
  if (*rank == 0)
    atexit(leave_at_exit);
  return FLOE_OK;
}
