/* A host of the GPU's kernels on the imitated GPU, as simple as the contract of gpu/kernel/base/control.h allows: the
   tests of the kernels run models with it and compare with the CPU engine. */
#ifndef FLOE_TEST_SMALL_HOST_H
#define FLOE_TEST_SMALL_HOST_H

#include "emulated.h"
#include "tests/step/loaded.h"

#include "engine/engine.h"

struct small_settings {
  const char *name;
  const char *scheme; /* of the table; NULL: iceberg */
  uint64_t slots;     /* of the first table */
  unsigned slot_bits, bucket_slots;
  const char *permutation;
  unsigned grow_percent; /* fill at which the table grows; 0: only when a key finds no place */
  uint64_t room;         /* states that the ring holds beside the slack; 0: plenty */
  uint64_t level_capacity;
  uint64_t slice; /* in changes of threads; 0: no end */
  bool one_part;  /* every level is closed by the host */
  bool log;
  uint32_t ticket_batches;
  unsigned small_level; /* largest level of one block alone; 0: as usual */
  unsigned buffer;      /* successors that nearly all states are said to have at most; 0: as usual */
  struct emulated_grid grid;
};

/* Event counts, for tests that require these events. */
struct small_counts {
  unsigned launches, grown, full, queue, time, logs, levels, parts;
};

struct small_outcome {
  struct engine_outcome result; /* what the kernels can know */
  struct small_counts counts;
  bool broken;                 /* a successor had no key: the search ended there */
  uint64_t logged, logged_mix; /* keys in the log, sum of their engine_state_mix */
};

/* Explores the whole model, going on after violations. False, printed: the kernels do not compile. */
bool small_host_run(struct loaded *loaded, const struct small_settings *settings, struct small_outcome *out);

void small_host_free(struct small_outcome *outcome);

#endif
