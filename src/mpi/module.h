/* What floe has of an MPI library, whichever that is: libraries of different makers have the same functions, but not
   the same types, so that all that is compiled with one's mpi.h is in a module of its own, mpi/module.c. It knows
   nothing else of floe, and this header nothing of MPI. */
#ifndef FLOE_MPI_MODULE_H
#define FLOE_MPI_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of this header; the first field of the struct of all versions. */
#define FLOE_MPI_VERSION 2

/* Something begun that `test` finishes. */
typedef uint64_t floe_mpi_request;

/* One thread at a time may call them. Messages go within a communicator of their own. Numbers of bytes are at most
   INT_MAX. `bool`: false where the library tells of an error. `begun` and contents stay where they are until `test`
   has said that it is done. */
struct floe_mpi {
  unsigned version;
  /* First of all. NULL, or what went wrong. */
  const char *(*init)(void);
  unsigned (*rank)(void);
  unsigned (*size)(void);
  /* synchronous: it is done when the receiver has begun to receive it, and not before. */
  bool (*isend)(const void *content, size_t bytes, unsigned to, int tag, bool synchronous, floe_mpi_request *begun);
  /* Contents of messages may be in memory of NVIDIA's devices. After init. */
  bool (*is_device_aware)(void);
  /* Is there a message that was not received? From whom, of how many bytes. */
  bool (*probe)(int tag, bool *there, unsigned *from, size_t *bytes);
  /* The next one of that sender and tag. */
  bool (*irecv)(void *content, size_t bytes, unsigned from, int tag, floe_mpi_request *begun);
  /* Done when all members have begun it. */
  bool (*ibarrier)(floe_mpi_request *begun);
  /* Where done, the request is no more. */
  bool (*test)(floe_mpi_request *begun, bool *done);
  void (*abort)(int code); /* of all members, as the launcher can; does not return */
  void (*finalize)(void);  /* last of all, by all members */
  /* "Open MPI v4.1.4, ...": one line; also before init. */
  const char *(*library)(void);
};

#define FLOE_MPI_SYMBOL "floe_mpi_module"
typedef const struct floe_mpi *floe_mpi_module_function(void);

#endif
