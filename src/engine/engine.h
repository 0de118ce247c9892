/* Interface of the exploration engines: each is a constant struct of operations, listed in engine.c. */
#ifndef FLOE_ENGINE_ENGINE_H
#define FLOE_ENGINE_ENGINE_H

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
struct path;
struct path_target;

/* Conditions that end a run early. */
struct task_limits {
  atomic_bool *interrupt;       /* interrupt flag */
  const atomic_bool *cancelled; /* the result is no longer needed; NULL: the run cannot be cancelled */
  double started;               /* clock at the start of the whole command; options->timeout counts from it */
  void (*waiting)(void *user);  /* callback of engine_stop (core/threads/stop.h) while a thread waits; NULL: none */
  void *user;
};

/* GPUs of a run. */
struct task_devices {
  struct gpu *const *gpus; /* [count] opened (gpu/driver/driver.h); the first is current in this thread */
  unsigned count;
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

/* Paths to violations. */
struct task_paths {
  /* An engine that still has all levels when the search has ended with a violation finds paths itself. It calls this
     first, once: the stop conditions of finding them. NULL: no paths are requested. */
  struct stop (*begin)(void *user);
  void (*abandon)(
      void *user); /* after that, if another run continues the search (api/attempts/attempts.h); NULL: none */
  void *user;
  /* A second pass: paths to these instead of the violations found (engine/path.h), in the levels 0..max_depth. The
     engine provides memory for that many states if it can. */
  const struct path_target *targets; /* [count]; NULL: none */
  unsigned count;
  uint64_t states; /* of these levels */
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
  bool same_table;           /* options->initial_slots is the size of the table with which a search of these states had
                                room in options->memory (CPU) */
  uint64_t first_tree_slots; /* multiword states: initial size of a tree table (tests); 0: default */
  struct archive *archive;   /* keeps every level up to the depth bound; NULL: none */
  const struct recorder *recorder; /* records lookups or the visiting order; NULL: none. In a group: rank 0 only */
  struct task_limits limits;
  struct task_paths paths;
  struct task_devices devices;
  struct task_group group;
  struct task_snapshot snapshot;
  bool measures;          /* evaluates model->measures in all states once they are found. engine_cpu, without a group */
  uint64_t passes;        /* mask of properties that passes over all states decide once these are found
                             (engine/cycles/closed_set.h). engine_cpu, without a group */
  bool cycles;            /* finds an accepting cycle of model->automaton once all states are found. engine_cpu and
                             engine_gpu, without a group */
  uint64_t first_attempt; /* with cycles: seeks one between levels, too, from so many states on; the search ends with
                             FLOE_END_DECIDED if there is one (engine/cycles/attempts.h). 0: only at the end */
  bool only_existence; /* with cycles: the outcome has no cycle, nor fairness under which there is none. engine_cpu */
};

/* First violation or witness of a property: the least depth, and the least key of that depth. */
struct engine_violation {
  bool violation;
  uint32_t depth;
  uint64_t *state; /* [layout->key_words] its key */
  struct step_error error;
};

/* Statistics of one member of a group. */
struct engine_member {
  uint64_t states, transitions;        /* states it found, transitions it fired */
  uint64_t table_bytes, packets, sent; /* packets: messages of states sent; sent: states in them */
  double waited;                       /* idle time in seconds */
  uint64_t threads;
};

/* Attempts of a search (api/attempts/attempts.h), which sets all but must_escalate. */
struct outcome_attempts {
  bool must_escalate;    /* task->devices.may_escalate ended the run; `end` is FLOE_END_INTERRUPT */
  bool first_sufficed;   /* a single GPU explored everything */
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

/* Of task->cycles. */
struct outcome_cycles {
  /* FLOE_ERROR_MEMORY, FLOE_ERROR_INTERRUPTED, other errors of a GPU: not decided. FLOE_ERROR_UNSUPPORTED: the same, as
     this engine cannot with its visited set. FLOE_OK, if the search is complete or decided: */
  floe_status status;
  bool exists;                           /* an accepting cycle; true if the search is decided */
  uint64_t candidates, passes, expanded; /* engine/cycles/cycles.h */
  double seconds;
  struct path *cycle; /* from its first state back to it, with edges; NULL: none */
  /* With fairness of the instances of these processes too (a mask, minimal), weak or else strong, none exists. 0: not
     so, or not known, as always if the search is not complete. */
  uint64_t fair_processes;
  bool fair_strong;
};

/* Of a measure, over all states. */
struct measured {
  int64_t least, greatest;
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
  uint64_t passes_ended;  /* mask of properties of task->passes that are not decided: no memory, or stopped */
  bool firing_failed;     /* the firing of some transition failed, first at this depth: */
  uint32_t firing_failed_depth;
  struct engine_violation *violations; /* [property_count] */
  size_t property_count;
  struct path *paths; /* [path_count] in the order of outcome_path_targets (engine/path.h), or of the task's targets;
                         NULL: not found */
  unsigned path_count;
  double paths_seconds;   /* of finding them; not in statistics.explore_seconds */
  bool checkpoint_failed; /* the last checkpoint could not be written */
  unsigned threads;       /* that worked */
  struct run_statistics statistics;
  struct outcome_table table;
  struct outcome_cpu cpu;
  struct outcome_gpu gpu;
  struct outcome_group group;
  struct outcome_cycles cycles;
  struct measured *measured; /* [model->measure_count] of the states found; NULL: the search ended early, but for
                                max_states, or no memory */
};

struct search; /* a search in progress: engine/search.h */

/* All engines have the same outcome for a task, except for figures of time and memory and the part of an unfinished
   level. An early end is not an error: see out->end. */
struct engine {
  const char *name; /* "cpu": as in the summary */
  /* Number of GPUs that it explores on, opened by the caller: from 1 to this, task->devices.count. 0: none. */
  unsigned most_devices;
  /* Prepares what takes long (kernels and memory of a device), once for each run; another thread may continue with
     the result. task and all that it refers to must live until `drop`. FLOE_ERROR_UNSUPPORTED: floe was built
     without this engine. Further errors are the engine's, which documents which of them it logs; *out is set on
     success only. */
  floe_status (*prepare)(const struct engine_task *task, floe_log *log, struct search **out);
  /* Explores breadth first; called once for each search. FLOE_ERROR_INTERNAL, logged: a state has no key
     (step/layout/index_key.h), or an internal error of the engine. FLOE_ERROR_USAGE, logged: no table fits the
     options. FLOE_ERROR_MEMORY, not logged: too little memory to start. *out is set on success only, for
     engine_outcome_free. */
  floe_status (*explore)(struct search *search, struct engine_outcome *out);
  /* Frees everything but the devices; called after prepare or explore, with any result. NULL is allowed. */
  void (*drop)(struct search *search);
};

extern const struct engine engine_cpu; /* on options->threads threads */
/* On one GPU (doc/gpu.md), whose log should be that of prepare. task->stepper re-executes a violating state to
   confirm the violation and find its cause; the interpreter suffices. options->memory limits the host memory for a
   frontier that does not fit the GPU. task->recorder receives all states through context 0, in no canonical order.
   Errors of prepare, and of explore when a table grows: FLOE_ERROR_UNSUPPORTED, not logged: engine_stop ended it.
   Logged: FLOE_ERROR_USAGE: no table fits the options; FLOE_ERROR_UNSUPPORTED: NVRTC is missing or too old, the
   kernels do not fit the device, or floe was built without CUDA; FLOE_ERROR_INTERNAL: CUDA failed, or device and
   stepper disagree about a state. FLOE_ERROR_MEMORY, not logged: too little memory to start. */
extern const struct engine engine_gpu;
/* On several GPUs (gpu/multi/device_team.c), in a group only with task->group.member_counts. Not with a recorder of
   lookups, or with task->devices.host_backed.
   Checkpoints require states of one word, as for engine_gpu in a group. Each GPU has its own recorder context, and
   all states of a level are recorded before those of the next. Errors as engine_gpu. */
#define MOST_DEVICES 16
extern const struct engine engine_gpus;
/* The engine that explores on this number of GPUs; NULL: none. */
const struct engine *engine_for(unsigned devices);
/* Prepare, explore and drop. */
floe_status engine_run(const struct engine *engine, const struct engine_task *task, floe_log *log,
                       struct engine_outcome *out);
/* Runs that ended at a memory limit, a timeout, an interrupt or because states were lost. */
bool engine_ended_early(floe_end end);
/* Stop conditions of the run, for phases outside the exploration itself. */
struct stop engine_stop(const struct engine_task *task);

/* Contribution of a state in fields to `checksum`. */
static inline uint64_t engine_state_mix(const uint64_t *state, uint32_t words) {
  uint64_t mix = 0;
  for (uint32_t i = 0; i < words; i++)
    mix = checksum_word(mix, state[i]);
  return mix;
}

/* Sum of the contributions of n keys to `checksum`, independent of the encoding of the keys; `scratch` as for
   key_state. */
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

/* Order of keys; the least is a property's witness. */
static inline bool words_less(const uint64_t *a, const uint64_t *b, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    if (a[i] != b[i])
      return a[i] < b[i];
  return false;
}

static inline bool words_equal(const uint64_t *a, const uint64_t *b, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    if (a[i] != b[i])
      return false;
  return true;
}

void engine_outcome_free(struct engine_outcome *outcome); /* search.c */

#endif
