/* MPI module, compiled with mpicc: see mpi/module.h. */
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
  bool finalises; /* MPI was initialised here */
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
} job;

/* ---- begin and end --------------------------------------------------------------------------- */

static const char *module_init(void) {
  int initialised, level;
  setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0); /* waiting threads sleep (engine/comm/comm.c) */
  if (MPI_Initialized(&initialised) != MPI_SUCCESS)
    return "MPI_Initialized failed";
  if ((initialised ? MPI_Query_thread(&level) : MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level)) !=
      MPI_SUCCESS)
    return "MPI_Init_thread failed";
  job.finalises = !initialised;
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
  if (job.finalises)
    MPI_Finalize();
}

/* MPICH appends many lines about how it was built. */
static const char *module_library(void) {
  int length = 0;
  if (!*job.library && MPI_Get_library_version(job.library, &length) != MPI_SUCCESS)
    return "MPI";
  job.library[strcspn(job.library, "\n")] = 0;
  for (char *at = job.library; *at; at++)
    *at = *at == '\t' ? ' ' : *at;
  return job.library;
}

/* Open MPI and MPICH have the same extension for this, which mpi.h need not declare. It is looked up at run time,
   because a different library may be loaded than the one compiled with. */
static bool module_is_device_aware(void) {
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
                         floe_mpi_request *initialised) {
  MPI_Request request;
  int error = synchronous ? MPI_Issend(content, (int)bytes, MPI_BYTE, (int)to, tag, job.members, &request)
                          : MPI_Isend(content, (int)bytes, MPI_BYTE, (int)to, tag, job.members, &request);
  *initialised = error == MPI_SUCCESS ? pack(request) : 0;
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

static bool module_irecv(void *content, size_t bytes, unsigned from, int tag, floe_mpi_request *initialised) {
  MPI_Request request;
  int error = MPI_Irecv(content, (int)bytes, MPI_BYTE, (int)from, tag, job.members, &request);
  *initialised = error == MPI_SUCCESS ? pack(request) : 0;
  return error == MPI_SUCCESS;
}

static bool module_ibarrier(floe_mpi_request *initialised) {
  MPI_Request request;
  int error = MPI_Ibarrier(job.members, &request);
  *initialised = error == MPI_SUCCESS ? pack(request) : 0;
  return error == MPI_SUCCESS;
}

static bool module_test(floe_mpi_request *initialised, bool *done) {
  MPI_Request request;
  int flag = 0;
  memcpy(&request, initialised, sizeof request);
  int error = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  *initialised = pack(request);
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
      .is_device_aware = module_is_device_aware,
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
