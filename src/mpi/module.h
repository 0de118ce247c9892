/* What libfloe_mpi.so has: the few functions of MPI that floe needs, behind one symbol, so that neither library nor
   command is linked with MPI, and each MPI library has a module that was compiled with its own mpi.h. */
#ifndef FLOE_MPI_MODULE_H
#define FLOE_MPI_MODULE_H

#define FLOE_MPI_VERSION 1
#define FLOE_MPI_SYMBOL "floe_mpi_module_get"
#define FLOE_MPI_MOST_BYTES 0x7fffffff /* of a message */

/* 0: done; else something failed, and MPI is of no use any more. One thread at a time calls. */
struct floe_mpi {
  int version; /* FLOE_MPI_VERSION */
  /* Starts MPI, with a communicator of floe's own. */
  int (*begin)(int *rank, int *size);
  /* Begins to send. `synchronous`: it is done only when the receiver has begun to take it. *request: for `test`. */
  int (*send)(const void *bytes, int count, int to, int tag, int synchronous, void **request);
  int (*test)(void *request, int *done); /* done: the request is gone */
  int (*probe)(int tag, int *there, int *from, int *count);
  int (*receive)(void *bytes, int count, int from, int tag);
  void (*abort)(int code);
  int (*end)(void);
  const char *(*library)(void); /* its name and version */
};

typedef const struct floe_mpi *floe_mpi_module(void);

#endif
