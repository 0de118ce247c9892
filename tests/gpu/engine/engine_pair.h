/* A model explored by the CPU engine and by the GPU engine, on a fake device with simple kernels (fake_kernels.c) or
 * emulated ones (emulated_kernels.c). A failure fails the test. */
#ifndef FLOE_TEST_ENGINE_PAIR_H
#define FLOE_TEST_ENGINE_PAIR_H

#include "engine/engine.h"
#include "tests/gpu/device/fake_device.h"
#include "tests/step/loaded.h"

#define MEBIBYTE (UINT64_C(1) << 20)
#define MOST_CONSTANTS 4
#define MOST_WORDS 64 /* of a state */

struct subject {
  const char *model; /* name in models/, or path */
  struct loaded_constant constants[MOST_CONSTANTS];
};

struct setting {
  floe_options options;
  struct fake_settings device;
  const char *test_settings;
  struct archive *archive;
  const struct recorder *recorder;
  const char *end_is_memory; /* the run may end for lack of memory; the reason */
  bool host_backed;
  bool paths;                     /* paths to violations are requested */
  const struct task_paths *again; /* a second pass for these paths; NULL: a first pass */
  bool interrupted;               /* the run is interrupted after prepare */
  double late;                    /* seconds of the time limit already used then */
  const char *folder;             /* for temporary files; NULL: default */
};

struct pair {
  struct loaded loaded;
  struct stepper *stepper;
  uint64_t initial[MOST_WORDS];
  floe_log *log;
};

extern atomic_bool pair_interrupt; /* interrupts the running search */

struct setting pair_plain(void); /* iceberg, 64 MiB of device and of host memory, to the first violation */
void pair_open(struct pair *pair, const struct subject *subject);
void pair_close(struct pair *pair);
struct engine_task pair_task(const struct pair *pair, const struct setting *setting); /* on the CPU */
struct engine_outcome pair_on_cpu(struct pair *pair, const struct setting *setting);
/* `counts` of events on the device; NULL: not needed. */
floe_status pair_try_gpu(struct pair *pair, const struct setting *setting, struct engine_outcome *out,
                         struct fake_counts *counts);
struct engine_outcome pair_on_gpu(struct pair *pair, const struct setting *setting, struct fake_counts *counts);
/* Compares everything that does not depend on the engine. */
void pair_compare(const struct pair *pair, const struct engine_outcome *cpu, const struct engine_outcome *gpu);
/* The same paths to all violations, found by both engines; adds missing edges to those of the GPU. */
void pair_compare_paths(const struct pair *pair, const struct engine_outcome *cpu, struct engine_outcome *gpu);
/* The same states in each level, in any order; of one word. */
void pair_compare_archives(const struct archive *a, const struct archive *b);
/* The sum of a counter in the log notes of all devices (FLOE_GPU_TEST=tell=1). */
uint64_t pair_counter(const floe_log *log, const char *name);
/* Runs both and compares. *kept (NULL: not needed): the outcome of the device, without its arrays. */
struct fake_counts pair_same(const struct subject *subject, const struct setting *setting, struct engine_outcome *kept);

#endif
