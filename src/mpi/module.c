/* The module that is compiled with mpicc: see mpi/module.h. */
#define _GNU_SOURCE /* setenv, RTLD_DEFAULT */
#include "mpi/module.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(MPI_Request) <= sizeof(floe_mpi_request), "a request is a pointer or a number");

static struct {
  MPI_Comm members;
  int rank, size;
  bool mine; /* MPI was begun here */
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
} job;

/* ---- begin and end --------------------------------------------------------------------------- */

static const char *module_init(void) {
  int begun, level;
  setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0); /* who waits here sleeps (engine/comm/comm.c) */
  if (MPI_Initialized(&begun) != MPI_SUCCESS)
    return "MPI_Initialized failed";
  if ((begun ? MPI_Query_thread(&level) : MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level)) != MPI_SUCCESS)
    return "MPI_Init_thread failed";
  job.mine = !begun;
  if (level < MPI_THREAD_SERIALIZED)
    return "the library was built without MPI_THREAD_SERIALIZED";
  if (MPI_Comm_dup(MPI_COMM_WORLD, &job.members) != MPI_SUCCESS)
    return "MPI_Comm_dup failed";
  MPI_Comm_set_errhandler(job.members, MPI_ERRORS_RETURN);
  MPI_Comm_rank(job.members, &job.rank);
  MPI_Comm_size(job.members, &job.size);
  return NULL;
}

static unsigned module_rank(void) { return (unsigned)job.rank; }
static unsigned module_size(void) { return (unsigned)job.size; }

static void module_abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

static void module_finalize(void) {
  MPI_Comm_free(&job.members);
  if (job.mine)
    MPI_Finalize();
}

/* MPICH tells how it was built, in many lines. */
static const char *module_library(void) {
  int length = 0;
  if (!*job.library && MPI_Get_library_version(job.library, &length) != MPI_SUCCESS)
    return "MPI";
  job.library[strcspn(job.library, "\n")] = 0;
  for (char *at = job.library; *at; at++)
    *at = *at == '\t' ? ' ' : *at;
  return job.library;
}

/* Open MPI and MPICH have the same function for it, as an extension that mpi.h need not tell of; where a library that
   can do it takes the place of the one that this was compiled with, it has it, too. */
static bool module_takes_devices(void) {
  int (*query)(void);
  *(void **)&query = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
  return query && query() == 1;
}

/* ---- messages -------------------------------------------------------------------------------- */

static floe_mpi_request pack(MPI_Request request) {
  floe_mpi_request packed = 0;
  memcpy(&packed, &request, sizeof request);
  return packed;
}

static bool module_isend(const void *content, size_t bytes, unsigned to, int tag, bool synchronous,
                         floe_mpi_request *begun) {
  MPI_Request request;
  int error = synchronous ? MPI_Issend(content, (int)bytes, MPI_BYTE, (int)to, tag, job.members, &request)
                          : MPI_Isend(content, (int)bytes, MPI_BYTE, (int)to, tag, job.members, &request);
  *begun = error == MPI_SUCCESS ? pack(request) : 0;
  return error == MPI_SUCCESS;
}

static bool module_probe(int tag, bool *there, unsigned *from, size_t *bytes) {
  MPI_Status status;
  int flag = 0, count = 0;
  if (MPI_Iprobe(MPI_ANY_SOURCE, tag, job.members, &flag, &status) != MPI_SUCCESS)
    return false;
  *there = flag;
  if (!flag)
    return true;
  *from = (unsigned)status.MPI_SOURCE;
  bool known = MPI_Get_count(&status, MPI_BYTE, &count) == MPI_SUCCESS;
  *bytes = (size_t)count;
  return known;
}

static bool module_irecv(void *content, size_t bytes, unsigned from, int tag, floe_mpi_request *begun) {
  MPI_Request request;
  int error = MPI_Irecv(content, (int)bytes, MPI_BYTE, (int)from, tag, job.members, &request);
  *begun = error == MPI_SUCCESS ? pack(request) : 0;
  return error == MPI_SUCCESS;
}

static bool module_ibarrier(floe_mpi_request *begun) {
  MPI_Request request;
  int error = MPI_Ibarrier(job.members, &request);
  *begun = error == MPI_SUCCESS ? pack(request) : 0;
  return error == MPI_SUCCESS;
}

static bool module_test(floe_mpi_request *begun, bool *done) {
  MPI_Request request;
  int flag = 0;
  memcpy(&request, begun, sizeof request);
  int error = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  *begun = pack(request);
  *done = flag;
  return error == MPI_SUCCESS;
}

__attribute__((visibility("default"))) const struct floe_mpi *floe_mpi_module(void);

const struct floe_mpi *floe_mpi_module(void) {
  static const struct floe_mpi module = {
      .version = FLOE_MPI_VERSION,
      .init = module_init,
      .rank = module_rank,
      .size = module_size,
      .is_device_aware = module_takes_devices,
      .isend = module_isend,
      .probe = module_probe,
      .irecv = module_irecv,
      .ibarrier = module_ibarrier,
      .test = module_test,
      .abort = module_abort,
      .finalize = module_finalize,
      .library = module_library,
  };
  return &module;
}
