/* A model explored by the CPU's engine and by the GPU's, on a device that is the host: made up (fake_kernels.c) or
   imitated (emulated_kernels.c). A failure fails the test. */
#ifndef FLOE_TEST_ENGINE_PAIR_H
#define FLOE_TEST_ENGINE_PAIR_H

#include "engine/engine.h"
#include "tests/gpu/device/fake_device.h"
#include "tests/step/loaded.h"

#define MEBIBYTE (UINT64_C(1) << 20)
#define MOST_CONSTANTS 4
#define MOST_WORDS 64 /* of a state */

struct subject {
  const char *model; /* in models/, or with its path */
  struct definition constants[MOST_CONSTANTS];
};

struct setting {
  floe_options options;
  struct fake_settings device;
  const char *test_settings;
  struct archive *archive;
  const struct recorder *recorder;
  const char *end_is_memory; /* allowed: why */
  bool two_levels;
  bool interrupted;   /* once it is prepared */
  double late;        /* s that have passed then */
  const char *folder; /* for temporary files; NULL: as it is */
};

struct pair {
  struct loaded loaded;
  struct stepper *stepper;
  uint64_t initial[MOST_WORDS];
  floe_log *log;
};

extern atomic_bool pair_interrupt; /* ends a run that is on its way */

struct setting pair_plain(void); /* iceberg, 64 MiB here and there, to the first violation */
void pair_open(struct pair *pair, const struct subject *subject);
void pair_close(struct pair *pair);
struct engine_task pair_task(const struct pair *pair, const struct setting *setting); /* without devices */
struct engine_outcome pair_on_cpu(struct pair *pair, const struct setting *setting);
/* `counts` of events on the device; NULL: not needed. */
floe_status pair_try_gpu(struct pair *pair, const struct setting *setting, struct engine_outcome *out,
                         struct fake_counts *counts);
struct engine_outcome pair_on_gpu(struct pair *pair, const struct setting *setting, struct fake_counts *counts);
/* All that is the same whatever the engine. */
void pair_compare(const struct pair *pair, const struct engine_outcome *cpu, const struct engine_outcome *gpu);
/* The same states in each level, in any order; of one word. */
void pair_compare_archives(const struct archive *a, const struct archive *b);
/* The sum of a number that devices tell of themselves (FLOE_GPU_TEST=tell=1). */
uint64_t pair_told(const floe_log *log, const char *name);
/* Runs both and compares. *kept (NULL: not needed) has the device's figures, and none of its arrays. */
struct fake_counts pair_same(const struct subject *subject, const struct setting *setting, struct engine_outcome *kept);

#endif
