/* State of one GPU during a search: device memory, kernels, queue and counters, shared by the units of gpu/engine,
   gpu/explore, gpu/snapshot and gpu/multi. Each unit that works on it has a header of its own; here are the operations
   that all of them use. */
#ifndef FLOE_GPU_ENGINE_GPU_SEARCH_H
#define FLOE_GPU_ENGINE_GPU_SEARCH_H

#include "core/arena.h"
#include "core/threads/thread_pool.h"
#include "engine/distributed/collective.h"
#include "engine/search.h"
#include "gpu/engine/device_tree.h"
#include "gpu/engine/queue_segments.h"
#include "gpu/engine/test_settings.h"
#include "gpu/jit/kernels.h"
#include "gpu/table/device_table.h"
#include "tables/kernel/iceberg.h"

#include "gpu/kernel/base/control.h"
#include "gpu/kernel/base/sequence_stacks.h"

/* Ring positions start far from 0, because a segment that returns from the host gets positions below those in use. */
#define FIRST_POSITION (UINT64_C(1) << 62)

/* Resident blocks per multiprocessor, assumed while the kernel is not compiled yet. */
#define GPU_MOST_RESIDENT 4

#define ON_DEVICE(type, address) ((type *)(uintptr_t)(address))

struct gpu_member;
struct gpu_search;
struct host_backed_set;

/* ---- kernels (search_kernels.h) ------------------------------------------------------------------ */

/* Tables that a module is compiled for. */
struct table_kind {
  const struct table_scheme *scheme;
  struct geometry geometry;
};

struct search_kernels {
  struct table_kind kind; /* of the tables that the kernels work on */
  struct table_kind from; /* rehash: of the table that it reads */
  struct gpu_module *module;
  size_t bytes;     /* of the module's code */
  unsigned spilled; /* bytes that floe_explore spills, as far as kernels_improve may reduce them; else 0 */
  /* A module has the kernels of one line: */
  struct gpu_kernel explore, insert, receive, tree_roots, tree_put; /* receive: in a group; tree_*: multiword states */
  struct gpu_kernel rehash;
  struct gpu_kernel export_keys, import_keys;
  struct gpu_kernel candidates, expand, start, remove, keep, keys; /* of passes for accepting cycles */
};

/* Generated text and compilation of the kernels. */
struct kernel_build {
  struct arena arena;     /* of the text */
  const char *model_text; /* generated code of the model; NULL: not generated yet */
  bool arcs;              /* it has no transitions: they are in `arcs` of the search (device_arcs.h) */
  const char *key_text;   /* with index keys: the part of it that decodes keys */
  bool from_cache;        /* no module had to be compiled */
  double seconds;
  double seconds_before; /* part of `seconds` before the exploration */
};

/* Grid of floe_explore. */
struct explore_grid {
  unsigned blocks;
  uint32_t max_successors; /* of a state, and further keys that a lane may hold (member_extra_keys) */
  uint32_t ticket_batches; /* batches of 32 states that a warp fetches with one ticket */
  uint64_t slack;          /* states that the grid may still find after one warp has seen a limit (gpu_slack): buffers
                              and queue keep room for them */
};

/* ---- device memory ------------------------------------------------------------------------------- */

/* The visited set in device memory (visited_growth.h). */
struct visited_set {
  struct device_table table;
  struct search_kernels rehash; /* floe_rehash; module NULL: no table has grown */
  bool host_backed_first;       /* `table` is only planned: the search starts with the host-backed set */
  bool final;                   /* the table does not grow any more */
  uint64_t growths;
  uint64_t refused; /* keys that found no place, counted each time */
  double grow_seconds;
};

/* Arrays that kernels read and write. */
struct search_buffers {
  gpu_address control;         /* struct gpu_control */
  gpu_address fired;           /* firings of each transition */
  gpu_address level_states;    /* [level_capacity] sizes of the levels that a launch closed */
  gpu_address log;             /* [log_capacity] keys that were looked up; 0: not logged */
  gpu_address pending, source; /* [put_room] keys without a place; keys to insert. Exchanged to retry pending keys */
  uint64_t level_capacity, log_capacity;
  uint64_t put_room; /* grid.slack or more */
};

/* Of a model with transient states (sequence_stacks.h). */
struct search_sequences {
  gpu_address memory; /* of the stacks; 0: none */
  struct gpu_sequences view;
};

/* Transitions of a model as a table in device memory (device_arcs.h). */
struct device_arcs {
  gpu_address memory;     /* 0: none */
  struct arc_table table; /* device addresses */
};

/* The queue of states (queue.h): a ring in device memory; segments on the host when that is full. */
struct state_queue {
  gpu_address ring;
  uint64_t ring_words;
  bool moved;                 /* states were moved to another ring or to the host; older ones may be lost */
  unsigned ring_replacements; /* by a larger ring in the same memory */
  bool ring_is_largest; /* a replacement failed, as the host had no room for the states meanwhile: no further one */
  struct queue_segments level, next; /* states of the current level and of the next one */
  struct spill_store spill;
  uint64_t spilled;    /* states that went to the host */
  uint64_t peak_bytes; /* of ring and segments */
  uint64_t downloaded; /* position: new states before it were downloaded (state_download.h) */
};

/* States on the host for which the visited set or the queue had no room; a checkpoint saves them. */
struct state_list {
  uint64_t *states; /* states [first, count) */
  uint64_t first, count;
  floe_status status; /* FLOE_ERROR_MEMORY: the list is incomplete */
};

/* ---- transfers ----------------------------------------------------------------------------------- */

/* New states on their way to an archive or a recorder (state_download.h). */
struct state_download {
  bool states;          /* new states are downloaded; false: lookups (the log), or nothing */
  bool log;             /* lookups are downloaded */
  uint64_t most;        /* states found in levels that one launch may close: they are still in the queue then */
  uint64_t *buffers[2]; /* page-locked */
  uint64_t *states_of;  /* multiword states: [RECORDER_MOST_AT_ONCE], from their roots */
  uint64_t *waiting;    /* the buffer with states not delivered yet */
  uint64_t waiting_count;
  uint64_t delivered;   /* states */
  uint64_t level_start; /* number of the first state of the last level begun in the archive */
  uint32_t levels;      /* begun in the archive */
};

/* Keys of the visited set on their way to a checkpoint and back (gpu/snapshot/key_transfer.h). */
struct key_transfer {
  uint64_t room; /* keys in a buffer, a multiple of GPU_STRIP; 0: no checkpoints */
  gpu_address keys[2], counts[2];
  uint64_t *host_keys[2];   /* page-locked */
  uint32_t *host_counts[2]; /* page-locked, [room / GPU_STRIP] */
  struct thread_pool *pool;
  struct search_kernels kernels; /* module NULL: not compiled yet */
};

/* ---- group --------------------------------------------------------------------------------------- */

/* Operations of gpu/multi that units below it call. */
struct gpu_group_hooks {
  /* Adds outboxes and mailboxes to the arguments of a kernel. */
  void (*describe)(const struct gpu_search *self, struct gpu_space *space);
  /* Conditions under which kernels leave the end of a level to the hosts; the rest of gpu_search_set_stops is done. */
  void (*set_stops)(struct gpu_search *self);
  /* Works on messages while a launch runs, until it ends. */
  floe_status (*while_running)(struct gpu_search *self);
  /* The last launch closed `levels` levels. */
  void (*levels_closed)(struct gpu_search *self, uint32_t levels);
};

/* The group that this GPU is a member of. Members are linkable if their GPUs may be able to access each other's memory:
   those of a process or a machine, GPU_MOST_LINKED at most. Linked members send keys through mailboxes
   (gpu/multi/mailbox.h). */
struct gpu_group {
  struct collective collective;
  const struct gpu_group_hooks *hooks; /* NULL: no group */
  unsigned linkable;                   /* number of linkable members, this one included; 0: no others */
  bool has_unlinkable;                 /* some members are linkable, others are not */
  bool linked;                         /* the linkable members have opened each other's mailboxes, if there are any */
  unsigned sharers;                    /* members of this process on this GPU, for tests; 1 or more */
};

/* ---- cycles -------------------------------------------------------------------------------------- */

/* Attempts to find an accepting cycle before all states are found (gpu/cycles/device_attempts.h). */
struct cycle_attempts {
  uint64_t next;                 /* least states of the next one; 0: there is none */
  uint64_t look_at;              /* more states than these: it may be due */
  struct search_kernels kernels; /* of the passes; module NULL: not compiled yet */
  struct outcome_cycles found;   /* by the last one */
};

/* ---- the search ---------------------------------------------------------------------------------- */

struct launch_statistics {
  uint64_t launches;
  double kernel_seconds; /* waiting for floe_explore */
  double memory_seconds; /* allocating and clearing memory */
};

struct gpu_search {
  struct search search; /* first: the engine's handle */
  struct gpu *gpu;
  struct gpu_test_settings test_settings;
  struct gpu_budget budget; /* of device memory */

  struct kernel_build build;
  struct search_kernels kernels;
  struct explore_grid grid;

  struct gpu_control control; /* the device's copy, between launches */
  struct search_buffers buffers;
  struct device_arcs arcs;
  struct search_sequences sequences;
  struct visited_set visited;
  struct host_backed_set *host_backed; /* gpu/explore/host_backed_set.h; NULL: `visited` holds all keys */
  struct gpu_tree tree; /* multiword states; "state" and "key" then mean roots, except in violations and downloads */
  struct state_queue queue;

  struct state_list restored_pending; /* pending in a checkpoint, or refused at the end of the search */
  struct state_list queue_overflow;   /* of the next level: in the set, but not in the queue, which had no room */

  struct state_download download;
  struct key_transfer transfer;
  struct cycle_attempts attempts;
  struct gpu_group group;
  struct gpu_member *member; /* gpu/multi/gpu_member.h; NULL: no group */
  struct launch_statistics statistics;
};

static inline uint64_t gpu_search_states(const struct gpu_search *self) {
  return self->control.level.states_before + (self->control.next_end - self->control.level.next);
}

static inline bool gpu_search_in_group(const struct gpu_search *self) { return self->search.task->group.comm != NULL; }
/* Kernels send keys to some members through mailboxes. */
static inline bool gpu_search_has_mailboxes(const struct gpu_search *self) {
  return self->group.linked && self->group.linkable > 0;
}

/* Device memory within the budget; FLOE_ERROR_MEMORY is not logged. */
floe_status gpu_search_take(struct gpu_search *self, uint64_t bytes, gpu_address *out);
void gpu_search_give(struct gpu_search *self, uint64_t bytes, gpu_address *address);
/* The control block to and from the device, around a launch. */
floe_status gpu_search_upload(struct gpu_search *self);
floe_status gpu_search_download(struct gpu_search *self);
/* Arguments of a kernel. */
struct gpu_space gpu_search_space(const struct gpu_search *self);

#endif
