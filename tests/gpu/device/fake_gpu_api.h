/* gpu/jit/gpu_api.h and the engines on GPUs made up: what explores there is the CPU's engine. A test says how it
   behaves, and looks at what was asked of it. */
#ifndef FLOE_TEST_FAKE_SEAM_H
#define FLOE_TEST_FAKE_SEAM_H

#include "core/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern struct fake_seam {
  bool there, refuses;         /* a driver library; the device is not available */
  bool waits;                  /* preparing takes until it is stopped */
  atomic_bool prepares;        /* it has begun */
  bool brief;                  /* the engine does three levels only */
  floe_status unready, status; /* of preparing, of exploring */
  const char *error;           /* that either tells then */
  uint64_t memory;             /* of each device */
  unsigned busy;               /* number of an unavailable device; 0: none */
  unsigned used;               /* of one whose memory others use for the most part; 0: none */
  unsigned acquired, released, runs, archived, device;
  bool linked;      /* devices reach each other's memory */
  unsigned devices; /* that the engine was given last */
  uint64_t from;    /* states from which on it was to have others; 0: there were none */
  bool outgrown;    /* the search needs them */
  bool two_levels;  /* it needs the host's memory in the end */
  uint64_t gpu_memory;
} fake;

#endif
