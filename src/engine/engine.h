/* The exploration engines behind one seam: each is a constant struct of operations, listed in engine.c. */
#ifndef FLOE_ENGINE_H
#define FLOE_ENGINE_H

#include "engine/phases.h"
#include "engine/statistics.h"
#include "engine/visit_recorder.h"
#include "step/stepper.h"
#include "tables/table.h"

#include <stdatomic.h>

#include "tables/kernel/shim.h"

#include "step/kernel/checksum.h"

struct checkpoint_policy;
struct checkpoint_reader;
struct peer_links;
struct comm;

/* Conditions that end a run early. */
struct task_limits {
  atomic_bool *interrupt;       /* interrupt flag */
  const atomic_bool *cancelled; /* the result is no longer needed; NULL: the run cannot be cancelled */
  double started;               /* clock at the start of the whole command; options->timeout counts from it */
  void (*waiting)(void *user);  /* callback of engine_stop (core/stop.h) while a thread waits; NULL: none */
  void *user;
};

/* GPUs of a run. */
struct task_devices {
  struct gpu *const *gpus; /* [count] opened (gpu/driver/driver.h); the first is current in this thread */
  unsigned count;
  const struct engine_others *others; /* of engine_gpus: GPUs not opened yet; NULL: none. Not with snapshot.from */
  bool may_escalate;      /* a single GPU stops at a large level if much work remains, or when its memory is full: more
                             GPUs will take over (engine_outcome.must_escalate) */
  uint64_t escalate_from; /* least number of states found before that; 0: none */
  bool host_backed; /* starts with the host-backed visited set, which a run otherwise starts when the GPU's memory is
                       full */
};

/* The group of processes or GPUs that share the search. All members have the same values, links apart. */
struct task_group {
  struct comm *comm;        /* engine/comm/comm.h; NULL: no group. Not with a recorder of lookups */
  struct gpu_peers *peers;  /* all members are GPUs of this process (gpu/engine/peer_devices.h); NULL: they are not */
  struct peer_links *links; /* [devices.count] the members whose memory each GPU can access (engine/peer_links.h); NULL:
                               none */
  const unsigned *member_counts; /* number of members of each process; this process's GPUs form a nested group
                                    (engine/comm/group_nested.h). NULL: one member per process */
  const uint64_t *owner_mask;    /* [layout->key_words] key bits that determine the owner of a state
                                    (engine/distributed/state_owner.h); NULL: all bits */
  bool records;                  /* rank 0 has a recorder; no peers. Every member takes part */
  bool saves;                    /* rank 0 has a checkpoint policy. Every member takes part */
  uint64_t restored_states; /* states of the checkpoint in rank 0's snapshot.from; 0: the search starts at the initial
                               state */
};

/* Checkpoints. In a group only rank 0 has them. */
struct task_snapshot {
  const struct checkpoint_policy
      *policy;                    /* engine/snapshot/checkpoint_policy.h; NULL: no checkpoints. Not with a recorder */
  struct checkpoint_reader *from; /* checkpoint to restore; NULL: start at the initial state. Not with a recorder or an
                                     archive */
};

/* Input of a run of an engine. */
struct engine_task {
  const struct model *model;
  const struct layout *layout;
  const uint64_t *initial; /* [layout->key_words] key of the initial state */
  struct stepper *stepper;
  const floe_options *options; /* resolved: 0 means "default" for the table's options only */
  uint64_t property_mask;      /* properties to check */
  bool any_table;            /* the user chose no table: options->table may be replaced by a bitmap (engine/sizing.h) */
  uint64_t first_tree_slots; /* multiword states: initial size of a tree table (tests); 0: default */
  struct archive *archive;   /* keeps every level up to the depth bound; NULL: none */
  const struct recorder *recorder; /* records lookups or the visiting order; NULL: none. In a group: rank 0 only */
  struct task_limits limits;
  struct task_devices devices;
  struct task_group group;
  struct task_snapshot snapshot;
};

/* Devices beside the first one, which a search that becomes large, or needs more memory, has as well. */
struct engine_others {
  uint64_t from; /* states from which on they pay; UINT64_MAX: for their memory alone */
  /* Opens them behind the first one in task->devices, and has options->gpu_memory say what the run may use of each.
     Returns how many are open then; those that are not to be had are left out. */
  unsigned (*open)(void *user);
  void *user;
};

/* First violation (least depth; of the states of that depth the least key) of a property. */
struct engine_violation {
  bool violation;
  uint32_t depth;
  uint64_t *state; /* its key, layout->key_words */
  struct step_error error;
};

/* What a member of a group had of a search. */
struct engine_member {
  uint64_t states, transitions;        /* that it found, that it fired */
  uint64_t table_bytes, packets, sent; /* letters of states that it sent, and states in them */
  double waited;                       /* seconds in which it had nothing to do but wait for others */
  uint64_t threads;
};

/* Attempts of a search with several GPUs (gpu/multi/engine_gpus.c). */
struct outcome_attempts {
  bool must_escalate;    /* task->devices.may_escalate ended the run; `end` is FLOE_END_INTERRUPT */
  bool first_sufficed;   /* the first GPU explored everything (gpu/multi/first_attempt.h) */
  uint64_t first_states; /* states that the first GPU had found when the search restarted on all; 0: it did not */
  uint64_t full_states;  /* states that all GPUs had found when their memory was full and the search restarted on the
                            first GPU with the host's memory; 0: it did not */
};

/* The visited set at the end. */
struct outcome_table {
  const char *scheme; /* NULL: options->table */
  struct table_shape shape;
  const char *simd;
};

/* Time of a search on the CPU. */
struct outcome_cpu {
  double phases[PHASE_COUNT]; /* the parts of statistics.explore_seconds */
  double idle_seconds;        /* thread-seconds in which threads waited for other threads */
};

/* Figures of a search on a GPU. statistics.explore_seconds excludes build_seconds and memory_seconds. */
struct outcome_gpu {
  bool host_backed;     /* the visited set was host-backed, from the start or later */
  uint64_t host_states; /* states on the host, and their bytes */
  uint64_t host_bytes;
  double build_seconds;  /* kernels compiled or read from the cache, and loaded */
  double memory_seconds; /* first table, queue and buffers allocated and cleared */
  bool built_from_cache; /* NVRTC was not needed */
  unsigned blocks;       /* of the grid, 256 threads each; 0: no GPU */
  uint64_t launches;     /* of the exploration kernel */
};

/* The group of the search, on its rank 0. */
struct outcome_group {
  struct engine_member *members; /* [count]; NULL: no group, or not rank 0 */
  unsigned count;
};

/* If the search ends within a level (memory, time, interrupt), that level's successors are counted in `states`,
   `transitions`, `fired`, `deadlocks` and `checksum`, but not in level_states, which is always exact. */
struct engine_outcome {
  floe_end end;
  bool cancelled; /* task->limits.cancelled ended the run; `end` is FLOE_END_INTERRUPT */
  struct outcome_attempts attempts;
#define COUNT(type, name, json, unit, description) type name;
#include "engine/statistics.def"
  uint32_t complete_depth;
  bool any_complete;
  uint64_t *level_states; /* [levels] */
  uint64_t *fired;        /* [transition_count] ground transitions */
  uint64_t checksum;      /* sum over states of a mix of their words in fields, modulo 2^64 */
  uint64_t failed;        /* mask of properties without violation whose evaluation failed in some state; may contain
                             others */
  bool firing_failed;     /* the firing of some transition failed, first at this depth: */
  uint32_t firing_failed_depth;
  struct engine_violation *violations; /* [property_count] */
  size_t property_count;
  bool checkpoint_failed; /* the last checkpoint could not be written */
  unsigned threads;       /* that worked */
  struct run_statistics statistics;
  struct outcome_table table;
  struct outcome_cpu cpu;
  struct outcome_gpu gpu;
  struct outcome_group group;
};

struct search; /* an exploration on its way: engine/search.h */

/* Whatever the engine, the outcome of a task is the same but for figures of time and memory, and for what was found of
   a level within which it ended. Early ends are no errors: out->end tells. */
struct engine {
  const char *name; /* "cpu": as the summary has it */
  /* Devices that it explores on, opened by the caller: from 1 to this, task->device_count. 0: it looks at none. */
  unsigned most_devices;
  /* Makes ready what takes long (kernels and memory of a device), once for each run; another thread may go on with
     what comes of it. task and what it refers to must live until that is dropped. FLOE_ERROR_UNSUPPORTED: keys of
     more than one word, or there is no such engine here. Further errors are the engine's, which says of each whether
     it is told in `log`; *out is set on success only. */
  floe_status (*prepare)(const struct engine_task *task, floe_log *log, struct search **out);
  /* Explores breadth first; once for each search. FLOE_ERROR_INTERNAL, told: a state has no key
     (step/layout/index_key.h), or what the engine says of itself. FLOE_ERROR_USAGE, told: there is no table as the
     options want it. FLOE_ERROR_MEMORY, not told: too little to start. *out is set on success only, for
     engine_outcome_free. */
  floe_status (*explore)(struct search *search, struct engine_outcome *out);
  /* Frees everything but the devices; after prepare or explore, whatever came of it. NULL is allowed. */
  void (*drop)(struct search *search);
};

extern const struct engine engine_cpu; /* on all threads of task->options */
/* On a device (doc/gpu.md), whose log should be that of prepare. task->stepper finds out what went wrong in a violating
   state, and checks that it violates: the interpreter is good enough. options->memory limits what of the host's memory
   the frontier may take when it has to leave the device. With task->recorder its lane 0 is used; the order is not
   canonical. Errors of prepare, and of explore where a table grows: FLOE_ERROR_UNSUPPORTED, not told: engine_stop ended
   it. Told: FLOE_ERROR_USAGE: there is no table as the options want it; FLOE_ERROR_UNSUPPORTED: NVRTC is missing or too
   old, the kernels do not fit the device, or floe was built without CUDA; FLOE_ERROR_INTERNAL: CUDA failed, or device
   and stepper disagree about a state. FLOE_ERROR_MEMORY, not told: too little to start. */
extern const struct engine engine_gpu;
/* On several devices, of which the first one begins alone (gpu/multi/engine_gpus.c): task->devices, or task->devices[0]
   and task->others. Not with a recorder of lookups, in a group, or with task->two_levels; with checkpoints states are
   of one word, as they are for engine_gpu in a group. Of a recorder each device uses a lane of its own, and all of one
   level comes before what the next one has. Errors as engine_gpu. */
#define MOST_DEVICES 16
extern const struct engine engine_gpus;
/* That which explores on so many devices (0: on none); NULL: there is none. */
const struct engine *engine_for(unsigned devices);
/* All three operations. */
floe_status engine_run(const struct engine *engine, const struct engine_task *task, floe_log *log,
                       struct engine_outcome *out);
/* A run with that end was cut short: by memory, time, an interrupt, states that were lost. */
bool engine_is_cut(floe_end end);
/* What ends the run, for phases that are not the exploration itself: interrupt, timeout, needless. */
struct stop engine_stop(const struct engine_task *task);

/* Contribution of a state in fields to `checksum`. */
static inline uint64_t engine_state_mix(const uint64_t *state, uint32_t words) {
  uint64_t mix = 0;
  for (uint32_t i = 0; i < words; i++)
    mix = checksum_word(mix, state[i]);
  return mix;
}

/* The sum of the contributions of n keys to `checksum`, which is the same whatever encoding the keys have; `scratch` as
   for key_state. */
static inline uint64_t engine_keys_mix(const struct layout *layout, const uint64_t *keys, size_t n, uint64_t *scratch) {
  uint64_t sum = 0;
  if (!layout->encoding)
    for (size_t i = 0; i < n; i++)
      sum += engine_state_mix(keys + i * layout->words, layout->words);
  else
    for (size_t i = 0; i < n; i++)
      sum += engine_state_mix(key_state(layout, keys + i, scratch), layout->words);
  return sum;
}

/* The order of keys of which the least is a property's witness. */
static inline bool words_less(const uint64_t *a, const uint64_t *b, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    if (a[i] != b[i])
      return a[i] < b[i];
  return false;
}

void engine_outcome_free(struct engine_outcome *outcome); /* search.c */

#endif
