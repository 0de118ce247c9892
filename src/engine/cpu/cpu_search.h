/* State of a breadth-first search on the CPU: a thread pool with a visited set and a frontier. Shared by the files of
   engine/cpu. */
#ifndef FLOE_ENGINE_CPU_CPU_SEARCH_H
#define FLOE_ENGINE_CPU_CPU_SEARCH_H

#include "core/threads/thread_pool.h"
#include "engine/cpu/frontier.h"
#include "engine/cpu/work_ranges.h"
#include "engine/distributed/collective.h"
#include "engine/engine.h"
#include "engine/phases.h"
#include "engine/search.h"
#include "engine/visited/visited.h"
#include "tree/tree.h"

/* Keys per find-or-put call: enough cache misses in flight to hide memory latency, few enough to stay in the
   first-level cache. */
#define BATCH 128
/* Most states that a worker takes from the frontier at a time. */
#define LARGEST_GRAIN 512

/* Reasons why the workers stop before a level is done: bits of cpu_search.stop. */
enum {
  STOP_GROW = 1,   /* the table is nearly full */
  STOP_FULL = 2,   /* the table refused a key */
  STOP_MEMORY = 4, /* no memory for the frontier */
  STOP_TIMEOUT = 8,
  STOP_INTERRUPT = 16,
  STOP_CANCELLED = 32,
  STOP_DISK = 64,        /* states on disk could not be read */
  STOP_CHECKPOINT = 128, /* a checkpoint is due */
  STOP_BROKEN = 256,     /* a state has no key */
  STOP_TREE = 512,       /* a multiword state could not be inserted into the tree */
  STOP_GROUP = 1024      /* other members of the group have stopped */
};

/* Keys of a block's successors. */
struct worker_successors {
  uint64_t *keys;    /* block.successors, or their roots */
  size_t count, put; /* keys [put, count) are not in the table yet */
  size_t converted;  /* successors of the block that have keys */
};

/* A block of frontier states read from disk. */
struct worker_disk {
  struct spool_context *context; /* NULL: nothing has been written to disk */
  uint64_t *states;
  size_t next, end; /* states [next, end) are not in `block` yet */
};

/* States received from another member of the group. */
struct worker_received {
  struct message *message; /* NULL: none */
  size_t next;             /* first state not in successors.keys yet */
};

struct worker {
  _Alignas(64) struct cpu_search *search;
  struct step_block block;         /* states being expanded and their successors */
  struct chunk *source;            /* contains frontier_states; NULL: none */
  const uint64_t *frontier_states; /* block.states as the frontier has them */
  struct worker_successors successors;
  struct multiword_buffers *multiword; /* NULL: states are of one word */
  uint64_t *duplicate_filter;          /* [DUPLICATE_FILTER_SLOTS]; NULL: none */
  uint8_t answers[BATCH];
  struct chunk *chunk;          /* being filled with new states */
  struct frontier closed;       /* filled chunks of the next level, oldest first */
  uint64_t unreported;          /* new states not yet added to cpu_search.states */
  uint64_t most_unreported;     /* its upper bound */
  _Atomic uint64_t transitions; /* fired; only this worker writes it */
  uint64_t checksum;
  uint64_t *scratch;                   /* of key_state */
  void *recorder_context;              /* NULL: nothing is recorded */
  struct engine_violation *violations; /* [property_count], of this level */
  size_t buffer_bytes;                 /* of block.successors */
  unsigned number;
  struct drawer drawer; /* position in the tickets of the level */
  struct worker_disk disk;
  struct worker_received received;
  bool exhausted; /* no more states to expand in this phase */
  bool draining;  /* inserts the keys it holds, and ignores the clock and cpu_search.stop */
};

/* Multiword states: the frontier and the visited set hold roots of a tree. */
struct cpu_multiword {
  struct tree *tree;     /* NULL: states are of one word */
  unsigned root_bits[2]; /* width of a root's two numbers in the set's keys */
  /* Widening the keys failed, and the tree's numbers may exceed root_bits: no state is inserted. */
  bool keys_too_narrow;
};

/* Moving the keys to a larger set. */
struct cpu_move {
  unsigned parts;             /* of the old set; each is moved by one thread */
  atomic_uint ticket;         /* the next part */
  atomic_bool stopped;        /* the run must end: the new set is dropped */
  _Atomic uint64_t misplaced; /* keys that the larger set refused */
};

struct cpu_visited {
  struct visited *set;
  struct table_config config; /* of its table */
  bool size_given;            /* the user chose the size of the first set */
  uint64_t grow_at;           /* number of states from which on it should grow */
  uint64_t growths;
  struct visited *larger; /* while growing */
  struct cpu_move move;
  bool prefaulted;             /* the first table's pages, by all threads */
  atomic_size_t prefault_page; /* ticket of the next page */
};

struct cpu_frontier {
  struct chunk_pool pool;
  struct frontier level; /* being expanded */
  bool assigned;         /* its states are assigned to the workers, which may have expanded some */
  size_t grain;          /* states that a worker takes at a time */
  size_t grains_per_chunk;
  struct ranges ranges; /* tickets of the level, one for each grain */
};

/* Expanded levels, kept for traces while their memory is not needed. */
struct cpu_kept {
  struct frontier *levels; /* [count] levels 0..count - 1. Invalid once the pool has dropped its kept chunks */
  uint32_t count, cap;
  uint64_t states; /* of all levels that were to be kept */
};

/* States of the frontier on disk. */
struct cpu_spill {
  struct spool *spool; /* NULL: too little memory for one */
  size_t most;         /* states in a block */
  pthread_mutex_t mutex;
  bool ready;         /* all workers have their contexts */
  size_t blocks;      /* that each worker is to write */
  atomic_size_t done; /* blocks that all workers have written */
};

/* As a member of a group. */
struct cpu_group {
  bool checkpoint_due;      /* to be saved once the workers of all members are paused */
  bool out_of_space;        /* some worker holds keys that were refused, and the run must end */
  struct message *deferred; /* messages received while out_of_space is set; the checkpoint saves their states */
};

/* From a checkpoint. */
struct cpu_restored {
  uint64_t *pending; /* states that were not in the set yet; [put, count) still are not */
  size_t put, count;
  bool partial_level; /* the frontier has only the unexpanded part of its level */
};

/* Accepting cycles sought between levels. */
struct cpu_attempts {
  uint64_t next_attempt;       /* states; 0: none */
  struct outcome_cycles found; /* if it ended the search */
};

struct cpu_search {
  struct search search; /* first: the engine's handle points to it */
  const struct stepper *stepper;
  uint32_t words;       /* of an element of the frontier and of the set */
  uint32_t state_words; /* of a state that is expanded; more than one: the elements are roots */
  struct cpu_multiword multiword;
  struct budget budget;
  struct thread_pool *pool;
  struct worker *workers;
  unsigned worker_count;
  bool in_order; /* one thread records the keys in the order of the search */
  struct cpu_visited visited;
  struct cpu_frontier frontier;
  struct cpu_kept kept;
  struct cpu_spill spill;
  struct cpu_restored restored;
  struct cpu_attempts cycles;
  struct collective collective; /* decisions with other members of the group */
  struct cpu_group group;
  struct phases phases; /* written between the pool's work, or by a single worker */

  /* Written by all workers, each on a cache line of its own. */
  _Alignas(64) _Atomic uint64_t states;
  _Alignas(64) atomic_uint stop;
};

/* Relaxed: the end of the phase orders everything that the bits stand for. */
static inline void cpu_stop(struct cpu_search *self, unsigned why) {
  atomic_fetch_or_explicit(&self->stop, why, memory_order_relaxed);
}
static inline unsigned cpu_stopped(struct cpu_search *self) {
  return atomic_load_explicit(&self->stop, memory_order_relaxed);
}
/* Exact between phases; slightly less within one. */
static inline uint64_t cpu_states(struct cpu_search *self) {
  return atomic_load_explicit(&self->states, memory_order_relaxed);
}
/* Transitions fired so far; as exact as cpu_states. worker.c. */
uint64_t cpu_transitions(struct cpu_search *self);

/* Callback for states of the frontier or the set. */
typedef void states_visitor(void *user, const uint64_t *states, size_t n);

/* Between phases: handles the reasons that stopped the workers (cpu_search.stop), which may end the search. */
void cpu_handle_stop(struct cpu_search *self, unsigned why); /* engine_cpu.c */
/* Between levels: the workers' newest chunks join their closed ones, and the frontier has room for all of them;
   false: no memory. */
bool cpu_close_chunks(struct cpu_search *self);
/* Assigns the level to the workers. True: all workers should expand it, not one. */
bool cpu_begin_level(struct cpu_search *self);
/* Expands the level until it is done or the workers stop (cpu_search.stop). `all_workers`: the result of
   cpu_begin_level; false: the first worker expands, in the calling thread. */
void cpu_work(struct cpu_search *self, bool all_workers);

/* cpu_collective.c: the search as a member of a group (task->group.comm). */
/* After this member is ready, or has failed to start: all members continue, or none. */
void cpu_collective_begin(struct cpu_search *self);
/* Asks the other members to stop, and receives everything that they have sent. */
void cpu_collective_stop(struct cpu_search *self);
/* Expands the frontier together with the other members until the level is done or some member stops; gathers
   violations and failures. True: the level is done. */
bool cpu_collective_expand(struct cpu_search *self);

/* cpu_record.c: in a group that records the visiting order: adds the states found of the next level to rank 0's
   file. Called after cpu_collective_expand. An error ends the search. */
void cpu_record(struct cpu_search *self);

/* worker.c */
floe_status workers_create(struct cpu_search *self);
void workers_free(struct cpu_search *self);
/* Work of a phase: expands states of the frontier until none are left or cpu_search.stop is set; the next call
   continues. */
void worker_expand(void *self, unsigned number);
/* Inserts n more states, at most a batch, as if the first worker had found them; false: it must pause, as
   worker_expand. */
bool worker_put(struct worker *worker, const uint64_t *states, size_t n);
/* Inserts the keys that the worker holds, and sends those of other members; ignores the clock and cpu_search.stop,
   and expands nothing. False: it must pause, as worker_expand. */
bool worker_flush(struct worker *worker);
/* Inserts the initial state; false: it was refused, or there is no memory. */
bool worker_put_initial(struct worker *worker, const uint64_t *initial);

/* cpu_multiword.c: multiword states. */
/* Creates the tree and each worker's buffers; does nothing for states of one word. */
floe_status multiword_open(struct cpu_search *self);
void multiword_close(struct cpu_search *self);
/* States of n roots, at most a grain; valid until the worker's next call. */
uint64_t *multiword_states(struct worker *worker, const uint64_t *roots, size_t n);
/* The same for at most a batch, in another buffer; multiword_visit: for any number, a batch at a time. */
const uint64_t *multiword_peek(struct worker *worker, const uint64_t *roots, size_t n);
void multiword_visit(struct worker *worker, const uint64_t *roots, size_t n, states_visitor *visit, void *user);
/* To be called before the block's states from `next` on are expanded. */
void multiword_begin_block(struct worker *worker);
/* Appends the roots of all successors of the block to the worker's keys, or of none. False: the tree must grow
   first. */
bool multiword_insert(struct worker *worker);
/* Appends the roots of the successors that this member owns, and sends the others. False: the tree must
   grow first; successors.converted counts those done. */
bool multiword_insert_own(struct worker *worker);
/* Visits the states of the successors that have no roots yet. */
void multiword_pending(struct worker *worker, states_visitor *visit, void *user);
/* Roots of any states; as tree_roots. */
size_t multiword_roots(struct worker *worker, const uint64_t *states, size_t n, uint64_t *roots);
/* Root of a state; the state itself if it has one word. FLOE_ERROR_MEMORY: the tree cannot grow.
   FLOE_ERROR_UNSUPPORTED: the run must end. Called by one thread while no other works. */
floe_status multiword_root(struct worker *worker, const uint64_t *state, uint64_t *root);
/* Larger tree tables, and wider keys of the set if they need them. False: no memory, or the run must end
   (growth_stopped). */
bool multiword_grow(struct cpu_search *self);

/* visited_growth.c */
/* Replaces the set by one whose keys hold root numbers of these widths. */
bool growth_widen(struct cpu_search *self, const unsigned bits[2]);
floe_status growth_first_set(struct cpu_search *self);
/* Replaces the set by a larger one; false: no memory, or the run must end (growth_stopped): the old set is
   unchanged. */
bool growth_grow(struct cpu_search *self);
bool growth_stopped(const struct cpu_search *self);
void growth_free_set(struct cpu_search *self);
/* As growth_grow, but writes waiting states to disk if memory is short. */
bool growth_force(struct cpu_search *self);

/* waiting_states.c: visits states of the frontier without removing them, while no worker expands. Each worker visits
   its own part, in its own thread or one after another. FLOE_ERROR_IO. */
/* The level before it is assigned; in order if there is one worker. */
floe_status waiting_level(struct worker *worker, states_visitor *visit, void *user);
/* The unexpanded states of the level once it is assigned. */
floe_status waiting_rest(struct worker *worker, states_visitor *visit, void *user);
/* The states found so far of the next level. */
floe_status waiting_found(struct worker *worker, states_visitor *visit, void *user);

/* spill.c: states of the frontier on disk. Opened after workers_create; spill_close before workers_free, also after
   an error. */
floe_status spill_open(struct cpu_search *self);
void spill_close(struct cpu_search *self);
/* In a worker: writes closed chunks as one block; false: there are none, or the disk is full. */
bool spill_closed(struct worker *worker);
/* In a worker: reads the block of a part into worker.disk; false: that failed, and cpu_search.stop is set. */
bool spill_fetch(struct worker *worker, struct frontier_part *part);
/* Between phases of a level: takes a chunk for every worker that has none, writing other chunks to disk if
   necessary; false: the disk is full, or every worker had one. */
bool spill_for_chunks(struct cpu_search *self);
/* Between phases of a level: writes all states of the frontier to disk and returns their memory to the budget;
   false: the budget would still have less than `bytes` left, or the disk is full. */
bool spill_all(struct cpu_search *self, uint64_t bytes);
void spill_report_errors(struct cpu_search *self); /* logs the disk error that ended the run, if any */
uint64_t spill_written(struct cpu_search *self);   /* bytes */

/* cpu_paths.c: paths to violations, from levels that are still in memory. */
/* If paths are requested, keeps levels from now on. */
void kept_open(struct cpu_search *self);
/* Before the frontier's level, which is expanded, is replaced. */
void kept_add_level(struct cpu_search *self);
/* Memory that the search may use: what the budget has left, and that of kept chunks. */
uint64_t kept_budget_left(struct cpu_search *self);
/* Reserves memory; if the budget is spent, drops kept chunks. */
bool kept_budget_take(struct cpu_search *self, uint64_t bytes);
/* Sets out->paths for the violations of out, if all levels before them are kept. */
void kept_find_paths(struct cpu_search *self, struct engine_outcome *out);
void kept_free(struct cpu_search *self);

/* page_prefault.c: all threads touch the pages of the first set, before a level that would touch most of them */
void prefault_first_set(struct cpu_search *self);

/* cpu_snapshot.c; called by all members of a group. */
/* Writes a checkpoint while all workers are paused. Errors are logged, and the search continues unless the group is
   lost. */
void cpu_save(struct cpu_search *self);
/* Restores the checkpoint, before anything is inserted. The search may have ended afterwards: with an error, or
   interrupted, with the figures of the checkpoint. */
void cpu_restore(struct cpu_search *self);

/* cpu_cycles.c: accepting cycles (engine_task.cycles). */
/* Between levels: if an attempt is due and finds a cycle of expanded states, the search ends. */
void cpu_attempt_cycles(struct cpu_search *self);
/* Sets out->cycles: of a complete search by the passes over all states, of a decided one to what the attempt found. */
void cpu_conclude_cycles(struct cpu_search *self, struct engine_outcome *out);
void cpu_free_cycles(struct cpu_search *self);
/* Of a complete search: decides the properties of task->passes; sets their violations, and out->passes_ended. */
void cpu_conclude_passes(struct cpu_search *self, struct engine_outcome *out);
/* [model->measure_count], to be freed; NULL: no memory. All states have been found. */
struct measured *cpu_measure(struct cpu_search *self);

/* progress.c: checks the clock for the timeout, checkpoints and reports. */
void cpu_check_clock(struct cpu_search *self);

#endif
