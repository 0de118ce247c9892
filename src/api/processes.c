#include "api/processes.h"

#include "core/diag.h"
#include "core/usage.h"
#include "floe.h"
#include "mpi/group_mpi.h"

static struct post post;
static bool joined;

struct post *processes_post(void) {
  return joined ? &post : NULL;
}

unsigned processes_here(void) { return mpi_job_here(); }

unsigned processes_number_here(void) { return mpi_job_number_here(); }

void processes_leave(bool lost) {
  post_close(&post, lost);
  joined = false;
}

unsigned floe_ranks_started(void) { return mpi_job().size; }

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
  return FLOE_OK;
}

void floe_ranks_leave(int code) {
  const uint32_t task = TASK_LEAVE;
  if (!joined)
    return;
  if (post.status != FLOE_OK)
    post.group->kind->abort(post.group, code ? code : PROCESSES_LOST);
  post_next(&post);
  post_send_all(&post, LETTER_TASK, (uint64_t)code, &task, sizeof task);
  processes_leave(post.status != FLOE_OK);
}
