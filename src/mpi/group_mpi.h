/* Transport between the processes of an MPI job (engine/comm/group.h). Everything that needs an MPI library is in a
   module, which is opened only here. */
#ifndef FLOE_MPI_GROUP_MPI_H
#define FLOE_MPI_GROUP_MPI_H

#include "core/reason.h"
#include "engine/comm/group.h"

/* Rank and size that a launcher (mpirun, mpiexec, srun) passes to its processes in the environment; no MPI library
   is used. size 1: the process is not part of a job. Child processes inherit these variables. */
struct mpi_job {
  unsigned rank, size;
};
struct mpi_job mpi_job(void);
/* Number of these processes on this machine, according to the launcher; 1: unknown. */
unsigned mpi_job_local_size(void);
/* Number of this process among them; 0: unknown. */
unsigned mpi_job_local_rank(void);

/* Largest message in bytes; sending a larger one is FLOE_ERROR_IO. */
#define GROUP_MPI_LARGEST ((size_t)INT32_MAX)

#define GROUP_MPI_NO_MEMORY 4 /* exit code of a job if one of its processes has no memory to start */

/* Opens $FLOE_LIBMPI, else floe_mpi.so (see core/system/module.h), and initialises MPI, once per process; waits for the
   other processes of the job. FLOE_ERROR_UNSUPPORTED with a reason: there is no module, or it was built with a
   different MPI library than the launcher's. If there is no memory after that, the job is aborted. `close` finalises
   MPI, and drops messages that arrive meanwhile; if members are lost it does not finalise MPI, and messages in
   flight are not freed. */
floe_status group_mpi_open(struct group **out, struct reason *reason);
/* "Open MPI v4.1.4, ..."; valid for the lifetime of the process. */
const char *group_mpi_library(const struct group *group);

#endif
