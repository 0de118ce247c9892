/* The rank of the CPU engine: a crew of threads with a visited set and a frontier, at work on a search: what its files
   share. */
#ifndef FLOE_RANK_H
#define FLOE_RANK_H

#include "core/thread_pool.h"
#include "engine/engine.h"
#include "engine/cpu/frontier.h"
#include "engine/phases.h"
#include "engine/cpu/work_ranges.h"
#include "engine/search.h"
#include "engine/distributed/collective.h"
#include "engine/visited/visited.h"
#include "tree/tree.h"

/* Keys per find-or-put call: enough misses in flight to hide memory, few enough to stay in the
 * first cache. */
#define BATCH 128
/* States that a worker takes at a time, at most. */
#define RANK_LARGEST_GRAIN 512

/* Why the workers stop before the level is done: bits of rank->stop. */
enum {
  STOP_GROW = 1,   /* the table is nearly full */
  STOP_FULL = 2,   /* a key found no place */
  STOP_MEMORY = 4, /* the frontier found no memory */
  STOP_TIMEOUT = 8,
  STOP_INTERRUPT = 16,
  STOP_NEEDLESS = 32,
  STOP_DISK = 64,    /* states on disk could not be read */
  STOP_KEEP = 128,   /* a checkpoint is due */
  STOP_BROKEN = 256, /* a state has no key */
  STOP_TREE = 512,   /* a state of several words got no root */
  STOP_OTHERS = 1024 /* others of the group have stopped */
};

struct worker {
  _Alignas(64) struct cpu_search *search;
  struct step_block block; /* the states in work and their successors */
  struct chunk *source;    /* that block.states lie in; NULL: none */
  const uint64_t *taken;   /* block.states as they waited */
  uint64_t *keys;          /* successors as the set has them: block.successors, or their roots */
  size_t key_count, put;   /* keys [put, key_count) are still to be put into the table */
  size_t named;            /* block.produced, or 0: its successors have no roots yet, where they want them */
  struct named *names;     /* what that takes; NULL: states are of one word */
  uint64_t *recent;        /* [RECENT_SLOTS] keys met lately; NULL: none are kept */
  uint8_t answers[BATCH];
  struct chunk *out;            /* being filled with new states */
  struct frontier closed;       /* filled ones of this level, by age */
  uint64_t found;               /* new states not yet added to rank->states */
  uint64_t ahead;               /* how many may wait there */
  _Atomic uint64_t transitions; /* fired; only this worker writes it */
  uint64_t checksum;
  uint64_t *scratch;       /* of key_state */
  void *lane;              /* of the recorder; NULL: nothing is recorded */
  struct engine_violation *violations; /* [property_count], of this level */
  size_t buffer_bytes;     /* of block.successors */
  unsigned number;
  struct drawer drawer;
  struct spool_context *disk;          /* NULL: nothing has gone to disk */
  uint64_t *fetched;                /* a block that was on disk */
  size_t fetched_next, fetched_end; /* its states not yet handed to `block` */
  struct message *packet;           /* states that others sent; NULL: none */
  size_t letter_next;               /* those from here on are to be put */
  bool exhausted;                   /* it has no more states to expand in this phase */
  bool hurried;                     /* it puts what it has, and looks at nothing else */
};

struct cpu_search {
  struct search *search;
  const struct stepper *stepper;
  uint32_t words;        /* of what waits and is put into the set */
  uint32_t state_words;  /* of a state that is expanded; more than one: what waits are roots */
  struct tree *tree;     /* of these; NULL: states are of one word */
  unsigned root_bits[2]; /* of the root's numbers in the set's keys */
  bool narrow;           /* the tables may give numbers of more bits, as widening failed: no state gets a root */
  struct budget budget;
  struct thread_pool *pool;
  struct worker *workers;
  unsigned worker_count;
  bool in_order; /* keys are recorded, by one thread: their order is to be that of the search */

  struct visited *visited;
  struct table_config config; /* of its table */
  bool size_given;            /* the first one's size was the user's wish */
  uint64_t grow_at;           /* states from which on it should grow */
  uint64_t growths;
  struct visited *larger; /* while growing */
  struct {
    unsigned parts;             /* that the present set is moved in */
    atomic_uint ticket;         /* the next one */
    atomic_bool stopped;        /* the run is to end: what was moved is forgotten */
    _Atomic uint64_t misplaced; /* keys that `larger` had no place for */
  } move;

  bool cleared;           /* the first table's pages, by all threads */
  atomic_size_t clearing; /* ticket of the next page */

  struct {
    uint64_t *states; /* of a checkpoint, that were pending there; states [put, count) still are */
    size_t put, count;
  } unplaced;
  bool resumed; /* the level in work is part of one */

  struct chunk_pool chunk_pool;
  struct frontier frontier; /* the level in work */
  bool dealt;               /* it is dealt out to the workers, who may have expanded a part of it */
  size_t grain;             /* states that a worker takes at a time */
  size_t grains_per_chunk;
  struct ranges ranges; /* of its tickets, one for each grain */

  struct {
    struct spool *spool; /* NULL: too little memory for one */
    size_t most;         /* states in a block */
    pthread_mutex_t mutex;
    bool ready;    /* all workers have their lanes */
    size_t blocks; /* that each worker is to write */
    atomic_size_t done;
  } spill;

  struct collective collective; /* with others of a group */
  bool keep_due;            /* of a group: a checkpoint is due once all are at rest */
  bool stuck;               /* some worker holds what found no place, and the run is to end */
  struct message *aside;    /* letters that came then, for the checkpoint */

  struct phases phases; /* between the crew's work, or by the one worker that works alone */

  /* Written by all workers, each on a cache line of its own. */
  _Alignas(64) _Atomic uint64_t states;
  _Alignas(64) atomic_uint stop;
};

/* rank->stop: relaxed, since the end of the phase orders everything that the bits stand for. */
static inline void cpu_stop(struct cpu_search *self, unsigned why) {
  atomic_fetch_or_explicit(&self->stop, why, memory_order_relaxed);
}
static inline unsigned cpu_stopped(struct cpu_search *self) {
  return atomic_load_explicit(&self->stop, memory_order_relaxed);
}
/* Exact between phases; within one a bit less. */
static inline uint64_t cpu_states(struct cpu_search *self) {
  return atomic_load_explicit(&self->states, memory_order_relaxed);
}
uint64_t cpu_transitions(struct cpu_search *self); /* worker.c; the same */

/* Some of the states that wait. */
typedef void states_visitor(void *user, const uint64_t *states, size_t n);

/* Between phases of the crew's work: does what made the workers stop (rank->stop), which may end the search. */
void cpu_handle_stop(struct cpu_search *self, unsigned why); /* engine_cpu.c */
/* The same of levels: the newest chunks of all workers become the next level; false: no memory. */
bool cpu_close_chunks(struct cpu_search *self);
/* How a level is worked at: true: by all workers. */
bool cpu_share_chunks(struct cpu_search *self);
void cpu_work(struct cpu_search *self, bool collective);

/* cpu_restore_distributed.c: the same for all members of a group: each gets the states that it owns from rank 0. The run may have
   ended then, as cpu_restore. */
void cpu_restore_distributed(struct cpu_search *self);

/* cpu_collective.c: a rank that is one of several, of a group (task->post). */
/* After the rank has begun, or failed to: all go on, or none. */
void cpu_collective_begin(struct cpu_search *self);
/* Tells the others that nobody is to work any more, and waits for what they have sent. */
void cpu_collective_stop(struct cpu_search *self);
/* The level in rank->frontier, with all others: as far as they come; hits and failures are gathered. True: all of it.
 */
bool cpu_collective_expand(struct cpu_search *self);

/* cpu_record.c: of a group that records its order: what all have found of the next level is in rank 0's file; after
   cpu_collective_expand. An error ends the search. */
void cpu_record(struct cpu_search *self);

/* worker.c */
floe_status workers_create(struct cpu_search *self);
void workers_free(struct cpu_search *self);
/* Work of a phase: expands states of rank->frontier until there are none left or rank->stop is set;
   the next call goes on where this one stopped. */
void worker_expand(void *rank, unsigned member);
/* Puts n more states, some that a batch takes at most, as if the first worker had found them by transitions; false: it
   has to pause, as worker_expand. */
bool worker_put(struct worker *worker, const uint64_t *states, size_t n);
/* Puts what the worker holds, and sends what is not its own; nothing is looked at, nothing expanded. False: as
   worker_expand. */
bool worker_settle(struct worker *worker);
/* Puts the initial state; false when it found no place or no memory. */
bool worker_begin(struct worker *worker, const uint64_t *initial);

/* cpu_multiword.c: states of several words. */
floe_status multiword_open(struct cpu_search *self); /* the tree, and each worker's part; nothing where states are of one word */
void multiword_close(struct cpu_search *self);
/* n roots, no more than a grain, as states: until the worker's next call. */
uint64_t *wide_states(struct worker *worker, const uint64_t *roots, size_t n);
/* The same, a batch at most, beside them; for any number, a batch at a time. */
const uint64_t *multiword_some(struct worker *worker, const uint64_t *roots, size_t n);
void multiword_visit(struct worker *worker, const uint64_t *roots, size_t n, states_visitor *visit, void *user);
/* Before the block's states from `next` on are expanded. */
void multiword_expanding(struct worker *worker);
/* Roots of the block's successors to the worker's keys, of all or none. False: the tree is to grow first. */
bool multiword_name(struct worker *worker);
/* Roots of those successors that are this member's to the worker's keys; the others are sent. False: as above, and what
   was dealt with is counted in worker->named. */
bool multiword_deal(struct worker *worker);
/* Those successors in full, as long as they have no roots. */
void multiword_unnamed(struct worker *worker, states_visitor *visit, void *user);
/* Of any states: as tree_roots. */
size_t multiword_roots(struct worker *worker, const uint64_t *states, size_t n, uint64_t *roots);
/* Of one state; itself, where states are of one word. FLOE_ERROR_MEMORY: the tree cannot grow. FLOE_ERROR_UNSUPPORTED:
   the run is to end. Nobody else works. */
floe_status multiword_root(struct worker *worker, const uint64_t *state, uint64_t *root);
/* Larger tables; wider keys of the set, where they need them. False: memory does not allow that, or the run is to end
   (growth_stopped). */
bool multiword_grow(struct cpu_search *self);

/* visited_growth.c */
/* The same set with keys for the root's numbers of so many bits. */
bool growth_widen(struct cpu_search *self, const unsigned bits[2]);
floe_status growth_first_set(struct cpu_search *self);
/* A larger set with the same states; false when memory does not allow one, or the run is to end meanwhile
   (growth_stopped): the old one is as it was. */
bool growth_grow(struct cpu_search *self);
bool growth_stopped(const struct cpu_search *self);
void growth_drop_set(struct cpu_search *self);
/* The same, with states put out to disk for it where memory allows none else. */
bool growth_force(struct cpu_search *self);

/* waiting_states.c: states that wait, seen without being taken, while nobody works; in all workers at once, each sees his
   share of them by his own lane. FLOE_ERROR_IO. */
/* Of the level in rank->frontier before it is dealt out, in the order of its parts where there is one worker. */
floe_status waiting_level(struct worker *worker, states_visitor *visit, void *user);
/* Of the level once it is dealt out, those not expanded yet. */
floe_status waiting_rest(struct worker *worker, states_visitor *visit, void *user);
/* Of the next level, what has been found so far. */
floe_status waiting_found(struct worker *worker, states_visitor *visit, void *user);

/* spill.c: states of the frontier on disk. After workers_create; spill_close before workers_free, also after an error.
 */
floe_status spill_open(struct cpu_search *self);
void spill_close(struct cpu_search *self);
/* In a worker: chunks that it has closed become a block; false: there are none, or no room on the disk. */
bool spill_own(struct worker *worker);
/* In a worker: the block of a part becomes what it has fetched; false: that failed, and rank->stop is set. */
bool spill_fetch(struct worker *worker, struct frontier_part *part);
/* Between phases of a level: every worker has a chunk to fill, for which others are put out if need be; false: there is
   no room, or nobody lacked one. */
bool spill_relieve(struct cpu_search *self);
/* Between phases of a level: all that waits goes to disk, and its memory back to the budget; false: then it still would
   have less than `wanted` bytes left, or there is no room. */
bool spill_all(struct cpu_search *self, uint64_t wanted);
void spill_tell(struct cpu_search *self);        /* why the disk ended the run, if it did */
uint64_t spill_written(struct cpu_search *self); /* bytes */

/* page_prefault.c: has all threads clear the pages of a first set, before a level that would touch most of them */
void clear_first_set(struct cpu_search *self);

/* cpu_save.c: writes a checkpoint; all workers stand still, of all members of a group. Errors are told, and the search
   goes on, unless the group is lost. */
void cpu_save(struct cpu_search *self);
/* cpu_restore.c: makes the rank what it was at task->snapshot.from, before anything was put. An interrupted search has ended
   then, with the figures of the checkpoint. */
floe_status cpu_restore(struct cpu_search *self);

/* progress.c: looks at the clock: timeout, checkpoint, report. */
void cpu_watch(struct cpu_search *self);

#endif
