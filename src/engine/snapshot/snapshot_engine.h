/* Saves and restores a search of any engine, alone or as a member of a group; a search alone is a group of one. The
   engine converts its keys to states and back; everything else is done here.

   In a group rank 0 writes and reads the file. Saving: the other members send their states to rank 0, in one phase
   (engine/comm/exchange.h). Restoring: rank 0 sends each state to its owner, in one phase for each section. */
#ifndef FLOE_ENGINE_SNAPSHOT_SNAPSHOT_ENGINE_H
#define FLOE_ENGINE_SNAPSHOT_SNAPSHOT_ENGINE_H

#include "core/threads/thread_pool.h"
#include "engine/distributed/collective.h"
#include "engine/snapshot/snapshot.h"
#include "engine/snapshot/snapshot_writer.h"

struct snapshot_source;

/* Operations of an engine. `user`: of struct snapshot_engine. */
struct snapshot_operations {
  /* ---- saving: writers[thread of the pool] -------- */
  floe_status (*write_visited)(void *user, struct snapshot_writer *writers);
  floe_status (*write_waiting)(void *user, struct snapshot_writer *writers);
  /* Adds sums and violations that are not in the struct search. */
  floe_status (*add_sums)(void *user, struct snapshot *snapshot);

  /* ---- restoring; a put_ function with a source inserts all states that snapshot_take returns -------- */
  /* Multiword states, before put_visited, from all states found or pending. NULL: not needed. */
  floe_status (*put_multiword)(void *user, struct snapshot_source *source);
  floe_status (*put_visited)(void *user, struct snapshot_source *source);
  /* States of the frontier, and pending ones (snapshot_section). NULL: put_waiting. */
  floe_status (*load_waiting)(void *user, struct snapshot_source *source);
  /* The same by one thread: n states of a section. NULL: load_waiting. */
  floe_status (*put_waiting)(void *user, enum checkpoint_section section, const uint64_t *states, size_t n);
  /* After all states. */
  floe_status (*put_sums)(void *user, const struct checkpoint_search *sums);
  void (*put_violation)(void *user, size_t property, const struct engine_violation *violation);
  /* Number of states inserted. Setting it: to what an interrupted restore reports. */
  uint64_t (*count_states)(void *user);
  void (*set_states)(void *user, uint64_t states);
};

struct snapshot_engine {
  struct search *search;
  struct collective *collective;
  struct thread_pool *pool; /* its threads write states, and insert visited ones */
  const struct snapshot_operations *operations;
  void *user;
};

/* The engine's keys are in this order in the file. Called while the search is paused, by all members of a group; rank 0
   decides whether a checkpoint is written. Errors are logged, and the search continues unless the group is lost. */
void snapshot_save(const struct snapshot_engine *engine, const struct checkpoint_order *order);

/* Restores task->snapshot.from, before any state is inserted; called by all members of a group. The search may have
   ended afterwards: with an error, or interrupted, with the figures of the checkpoint. */
void snapshot_restore(const struct snapshot_engine *engine);

/* Copies the thread's next states to `to`, at most `most`; returns their number. They are of one section. In a group
   they are those that this member owns; those of other members are sent. 0: no states are left, the search must stop,
   or another thread has called snapshot_pause and there are none now. */
size_t snapshot_take(struct snapshot_source *source, unsigned thread, uint64_t *to, size_t most);
/* Section of the states that the thread took last. */
enum checkpoint_section snapshot_section(const struct snapshot_source *source, unsigned thread);
/* The calling thread takes no more states for now, and may have left some: other threads do not wait for them. */
void snapshot_pause(struct snapshot_source *source);
/* Ends the pause, while no thread takes states. */
void snapshot_continue(struct snapshot_source *source);

#endif
