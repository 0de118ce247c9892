/* Interface of the MPI module. Libraries of different makers have the same functions but different types, so
   everything that is compiled with an mpi.h is in a module of its own, mpi/module.c. The module uses nothing else of
   floe, and this header nothing of MPI. */
#ifndef FLOE_MPI_MODULE_H
#define FLOE_MPI_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Version of this header; `version` is the first field in all versions. */
#define FLOE_MPI_VERSION 2

/* A pending operation, completed by `test`. */
typedef uint64_t floe_mpi_request;

/* One thread at a time may call these functions. They use a communicator of their own. Byte counts are at most
   INT_MAX. `bool` results: false if the library returns an error. Contents and requests must stay valid until `test`
   returns done. */
struct floe_mpi {
  unsigned version;
  /* Call first. NULL, or a description of the error. */
  const char *(*init)(void);
  unsigned (*rank)(void);
  unsigned (*size)(void);
  /* synchronous: completes only when the receiver has begun to receive. */
  bool (*isend)(const void *content, size_t bytes, unsigned to, int tag, bool synchronous, floe_mpi_request *begun);
  /* Contents may be in memory of NVIDIA devices. Call after init. */
  bool (*is_device_aware)(void);
  /* *there: a message has not been received yet; with its sender and size. */
  bool (*probe)(int tag, bool *there, unsigned *from, size_t *bytes);
  /* Receives the next message of that sender and tag. */
  bool (*irecv)(void *content, size_t bytes, unsigned from, int tag, floe_mpi_request *begun);
  /* Completes when all members have begun it. */
  bool (*ibarrier)(floe_mpi_request *begun);
  /* After completion the request is invalid. */
  bool (*test)(floe_mpi_request *begun, bool *done);
  void (*abort)(int code); /* ends all members if the launcher can; does not return */
  void (*finalize)(void);  /* call last, in all members */
  /* "Open MPI v4.1.4, ...": one line; allowed before init. */
  const char *(*library)(void);
};

#define FLOE_MPI_SYMBOL "floe_mpi_module"
typedef const struct floe_mpi *floe_mpi_module_function(void);

#endif
