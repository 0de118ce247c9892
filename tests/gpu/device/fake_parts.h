/* What the parts of a made-up device share: memory and copies (fake_device.c), and kernels: written
   again for one thread (fake_kernels.c), or the real text on the imitated GPU (emulated_kernels.c).
 */
#ifndef FLOE_TEST_FAKE_PARTS_H
#define FLOE_TEST_FAKE_PARTS_H

#include "fake_device.h"

#define FAKE_PEERS 16
#define FAKE_BESIDE 64

struct gpu {
  struct fake_settings settings;
  struct gpu_info info;
  struct fake_counts counts;
  uint64_t random, used, host_used, host_peak;
  long launches;
  bool broken;
  const struct gpu *opened[FAKE_PEERS]; /* whose memory it has access to */
  unsigned opened_count;
  struct fake_copy {
    void *to;
    uint64_t from;
    size_t bytes;
  } beside[FAKE_BESIDE]; /* begun, and done when it is waited for */
  unsigned beside_count;
};

unsigned fake_chance(struct gpu *gpu); /* 0..99 */
/* The address is not in the memory of another device without access to it. */
bool fake_may_touch(const struct gpu *gpu, uint64_t address);
/* To be called by each launch: false where it is to fail. */
bool fake_launches(struct gpu *gpu);

#endif
