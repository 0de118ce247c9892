/* Fake device in host memory: the functions of gpu/driver/driver.h and gpu/jit/build.h that the engine uses, with the
 * kernels of gpu/kernel/base/control.h rewritten for one thread. They follow the contract exactly and use its freedom
 * at random: they stop wherever allowed, exceed limits as far as `slack` allows, and refuse keys. */
#ifndef FLOE_TEST_FAKE_DEVICE_H
#define FLOE_TEST_FAKE_DEVICE_H

#include "gpu/driver/driver.h"
#include "step/stepper.h"

#include <stdatomic.h>

struct fake_settings {
  const struct stepper *stepper; /* of the explored model */
  const struct model *model;
  uint64_t memory;          /* of the device */
  unsigned multiprocessors; /* of 2 blocks each */
  uint64_t seed;
  unsigned stop_percent;  /* chance, before each round, that the time slice is over */
  unsigned full_percent;  /* chance that a new key is refused in a round that may refuse */
  size_t host_memory;     /* page-locked, at most */
  long fail_launch;       /* the n-th launch fails; 0: none */
  uint64_t stop_build;    /* the n-th build sets *interrupt, and is stopped; 0: none */
  atomic_bool *interrupt; /* of the search */
  bool cache_empty;       /* kernels of `cached_only` are missing; else they are cached */
  bool apart;             /* devices with this setting have no access to each other's memory */
};

struct gpu *fake_open(const struct fake_settings *settings);
/* Device and page-locked bytes that were not freed. */
uint64_t fake_close(struct gpu *gpu);

struct fake_counts {
  uint64_t explores, inserts, rehashes, builds, refused, wrapped; /* wrapped: states written past the ring's end */
  uint64_t beside_copies;                                         /* copies on the side stream, within its memory */
  uint64_t peer_copies, staged; /* copies from other devices; staged: those without access */
};
struct fake_counts fake_counts(const struct gpu *gpu);

#endif
