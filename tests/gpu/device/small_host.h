/* Minimal host program for the kernels on the emulated GPU, as simple as the contract of gpu/kernel/base/control.h
 * allows: kernel tests run models with it and compare with the CPU engine. */
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
  uint64_t slice; /* in thread switches; 0: unlimited */
  bool one_part;  /* the host closes every level */
  bool log;
  uint32_t ticket_batches;
  unsigned small_level; /* largest level of one block alone; 0: default */
  unsigned buffer;      /* configured number of successors that nearly all states have at most; 0: default */
  struct emulated_grid grid;
};

/* Event counts, for tests that require these events. */
struct small_counts {
  unsigned launches, grown, full, queue, time, logs, levels, parts;
};

struct small_outcome {
  struct engine_outcome result; /* result of the kernels */
  struct small_counts counts;
  bool broken;                 /* a successor had no key, which ended the search */
  uint64_t logged, logged_mix; /* keys in the log, sum of their engine_state_mix */
};

/* Explores the whole model, also after violations. False, with the reason printed: the kernels do not compile. */
bool small_host_run(struct loaded *loaded, const struct small_settings *settings, struct small_outcome *out);

void small_host_free(struct small_outcome *outcome);

#endif
