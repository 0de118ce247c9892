/* Fake GPU interface (gpu/jit/gpu_api.h) and engines, which explore with the CPU engine. Tests set the behaviour and
 * read the recorded requests. */
#ifndef FLOE_TEST_FAKE_SEAM_H
#define FLOE_TEST_FAKE_SEAM_H

#include "core/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern struct fake_seam {
  bool there, refuses;         /* there is a driver library; the device is not available */
  bool waits;                  /* preparing lasts until it is stopped */
  atomic_bool prepares;        /* preparing has begun */
  bool brief;                  /* the engine explores three levels only */
  bool cut;                    /* and these as if it was interrupted */
  floe_status unready, status; /* status of preparing, of exploring */
  const char *error;           /* message of such an error */
  uint64_t memory;             /* of each device */
  unsigned busy;               /* number of an unavailable device; 0: none */
  unsigned used;               /* number of a device whose memory is mostly in use; 0: none */
  unsigned acquired, released, runs, archived, device;
  unsigned path_runs; /* second passes that find paths on the device; not in `runs` */
  bool linked;        /* devices can access each other's memory */
  unsigned devices;   /* number of devices of the last engine */
  uint64_t from;      /* states from which on a single device was to end; 0: any, or it was not */
  bool needs_others;  /* the search needs the other devices */
  bool host_backed;   /* it ends with the host-backed set */
  uint64_t gpu_memory;
} fake;

#endif
