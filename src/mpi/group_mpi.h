/* The processes of an MPI job as a group (engine/group.h). MPI's library is opened when a run wants it, by a module
   that was compiled with it (mpi/module.h). */
#ifndef FLOE_GROUP_MPI_H
#define FLOE_GROUP_MPI_H

#include "engine/group.h"

/* How many processes the launcher says it started with this one (mpirun and mpiexec of Open MPI and MPICH, Slurm's
   srun with PMI-2 or PMIx); 1: it was started alone, or by something that says nothing. */
unsigned mpi_job_size(void);
/* Of these, on this machine; 1: nobody says. */
unsigned mpi_local_size(void);
/* FLOE_ERROR_UNSUPPORTED, told: there is no module, or it does not load. FLOE_ERROR_IO, told: MPI failed. The group is
   to be closed by its kind. */
floe_status mpi_group_open(floe_log *log, struct group **out);

#endif
