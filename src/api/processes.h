/* The processes that this one explores with, if any: floe_mpi_init. */
#ifndef FLOE_PROCESSES_H
#define FLOE_PROCESSES_H

#include "core/digest.h"
#include "engine/comm/comm.h"

/* Of this process, from floe_mpi_init to floe_mpi_finalize or the end of floe_mpi_worker; NULL: it is alone. */
struct comm *processes_comm(void);
/* Of the job those that share this machine, and so its memory and, where they are bound to none, its processors. */
unsigned processes_local_size(void);
/* This one's number among them, from 0. */
unsigned processes_local_rank(void);
/* The same for all processes of this machine, while it runs, and for no others. */
void processes_machine(unsigned char out[DIGEST_BYTES]);
#define PROCESSES_LOST 4 /* exit code of a job that ends as one of its processes cannot go on */
/* The end of it; `lost`: some other one is not there any more. */
void processes_leave(bool lost);

#endif
