/* libfloe_mpi.so: MPI behind one symbol. Compiled by mpicc; it knows nothing else of floe. */
#include "mpi/module.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm ours;

static int begin(int *rank, int *size) {
  int provided = MPI_THREAD_SINGLE, was = 0;
  MPI_Initialized(&was);
  if (!was && MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
    return 1;
  if (was && MPI_Query_thread(&provided) != MPI_SUCCESS)
    return 1;
  if (provided < MPI_THREAD_SERIALIZED || MPI_Comm_dup(MPI_COMM_WORLD, &ours) != MPI_SUCCESS)
    return 1;
  MPI_Comm_set_errhandler(ours, MPI_ERRORS_RETURN);
  return MPI_Comm_rank(ours, rank) != MPI_SUCCESS || MPI_Comm_size(ours, size) != MPI_SUCCESS;
}

static int send(const void *bytes, int count, int to, int tag, int synchronous, void **request) {
  MPI_Request *made = malloc(sizeof *made);
  if (!made)
    return 1;
  const int failed = (synchronous ? MPI_Issend : MPI_Isend)(bytes, count, MPI_BYTE, to, tag, ours, made);
  if (failed == MPI_SUCCESS)
    *request = made;
  else
    free(made);
  return failed != MPI_SUCCESS;
}

static int test(void *request, int *done) {
  if (MPI_Test(request, done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return 1;
  if (*done)
    free(request);
  return 0;
}

static int probe(int tag, int *there, int *from, int *count) {
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, tag, ours, there, &status) != MPI_SUCCESS)
    return 1;
  if (!*there)
    return 0;
  *from = status.MPI_SOURCE;
  return MPI_Get_count(&status, MPI_BYTE, count) != MPI_SUCCESS;
}

static int receive(void *bytes, int count, int from, int tag) {
  return MPI_Recv(bytes, count, MPI_BYTE, from, tag, ours, MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

static void abort_all(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

static int end(void) { return MPI_Comm_free(&ours) != MPI_SUCCESS || MPI_Finalize() != MPI_SUCCESS; }

static const char *library(void) {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  if (MPI_Get_library_version(text, &length) != MPI_SUCCESS)
    return "MPI";
  text[strcspn(text, "\n,")] = '\0';
  return text;
}

static const struct floe_mpi functions = {.version = FLOE_MPI_VERSION,
                                          .begin = begin,
                                          .send = send,
                                          .test = test,
                                          .probe = probe,
                                          .receive = receive,
                                          .abort = abort_all,
                                          .end = end,
                                          .library = library};

__attribute__((visibility("default"))) floe_mpi_module floe_mpi_module_get;
const struct floe_mpi *floe_mpi_module_get(void) { return &functions; }
