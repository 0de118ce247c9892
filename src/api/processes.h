/* The processes of an MPI job (floe_mpi_init) as the library uses them. */
#ifndef FLOE_API_PROCESSES_H
#define FLOE_API_PROCESSES_H

#include "core/system/digest.h"
#include "engine/comm/comm.h"

/* Communicator of this process, from floe_mpi_init to floe_mpi_finalize or the end of floe_mpi_worker; NULL: no job. */
struct comm *processes_comm(void);
/* Number of processes of the job on this machine. They share its memory and, unless bound, its processors. */
unsigned processes_local_size(void);
/* Number of this process among them, from 0. */
unsigned processes_local_rank(void);
/* Identifier of this machine, until it restarts. */
void processes_machine(unsigned char out[DIGEST_BYTES]);
#define PROCESSES_LOST 4 /* exit code of a job in which a process cannot continue */
/* Leaves the job. `lost`: another process does not respond any more. */
void processes_leave(bool lost);

#endif
