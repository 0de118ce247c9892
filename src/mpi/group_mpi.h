/* A group of the processes of an MPI job. What needs an MPI library is a module, opened here and nowhere else. */
#ifndef FLOE_GROUP_MPI_H
#define FLOE_GROUP_MPI_H

#include "core/reason.h"
#include "engine/comm/group.h"

/* What a launcher (mpirun, mpiexec, srun) has told the process it started, by its environment: no MPI library is asked.
   size 1: it was not started as one of several. Processes that one of them starts inherit what it was told. */
struct mpi_job {
  unsigned rank, size;
};
struct mpi_job mpi_job(void);
/* Of these processes, so many are on this machine, as the launcher tells; 1: it does not. */
unsigned mpi_job_local_size(void);
/* This one's number among them; 0: the launcher does not tell. */
unsigned mpi_job_local_rank(void);

/* Messages are of at most so many bytes: larger ones are FLOE_ERROR_IO when they are sent. */
#define GROUP_MPI_LARGEST ((size_t)INT32_MAX)

#define GROUP_MPI_NO_MEMORY 4 /* exit code of a job of which one process has none to begin with */

/* Opens $FLOE_LIBMPI, else floe_mpi.so (see core/module.h), and begins MPI, once in a process; waits for the other
   processes of the job. FLOE_ERROR_UNSUPPORTED with a reason: there is no module, or it was built with another MPI
   library than the launcher's. The job is aborted where there is no memory then. `close` ends MPI, and takes and drops
   what comes meanwhile; where members are lost MPI is left as it is, and messages under way are not freed. */
floe_status group_mpi_open(struct group **out, struct reason *reason);
/* "Open MPI v4.1.4, ..."; as long as the process lives. */
const char *group_mpi_library(const struct group *group);

#endif
