/* Common part of fake devices: memory and copies (fake_device.c), and kernels, either rewritten for one thread
 * (fake_kernels.c) or emulated (emulated_kernels.c). */
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
  const struct gpu *opened[FAKE_PEERS]; /* devices whose memory it can access */
  unsigned opened_count;
  struct fake_copy {
    void *to;
    uint64_t from;
    size_t bytes;
  } beside[FAKE_BESIDE]; /* copies begun; done when waited for */
  unsigned beside_count;
};

unsigned fake_chance(struct gpu *gpu); /* 0..99 */
/* The device can access the address. */
bool fake_may_touch(const struct gpu *gpu, uint64_t address);
/* Called by each launch; false: the launch must fail. */
bool fake_launches(struct gpu *gpu);

#endif
