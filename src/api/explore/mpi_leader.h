/* Search by all processes of an MPI job, as process 0 runs it: it sends a search command, and all processes parse the
   same model and explore the states that they own. api/worker is the counterpart in the other processes. */
#ifndef FLOE_API_EXPLORE_MPI_LEADER_H
#define FLOE_API_EXPLORE_MPI_LEADER_H

#include "api/attempts/attempts.h"
#include "api/explore/exploration.h"

/* FLOE_ERROR_USAGE, logged: an option is not supported by several processes. */
floe_status mpi_leader_check(const struct exploration *e);
/* attempts_run by all processes: on GPUs if attempts->task has some, else on CPUs. Errors of another process are logged
   with its rank. */
floe_status mpi_leader_run(struct exploration *e, struct attempts *attempts, struct engine_outcome *out);

#endif
