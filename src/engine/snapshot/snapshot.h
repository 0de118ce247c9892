/* Engine-independent snapshot of a paused search, for saving and restoring checkpoints. Paused means that no thread or
   device expands states or looks them up. Then every state found is in a visited set, every transition counted led to
   such a state or to a pending one, and each state of the current level is either expanded or still to be expanded. A
   search may pause within a level.

   The engine-independent part of a search (levels, violations, failures) is saved and restored here. An engine adds
   its sums to a struct snapshot, saves its states (checkpoint_put), and restores states that any engine saved.
   Violations of the current level are provisional: a resumed search may still find a lesser violating state there. */
#ifndef FLOE_ENGINE_SNAPSHOT_SNAPSHOT_H
#define FLOE_ENGINE_SNAPSHOT_SNAPSHOT_H

#include "checkpoint/checkpoint.h"
#include "engine/search.h"
#include "engine/snapshot/checkpoint_policy.h"

/* Between snapshot_begin and snapshot_end all states are written to `writer`. */
struct snapshot {
  struct checkpoint_writer *writer;        /* NULL: a member of a group other than rank 0 */
  struct checkpoint_search sums;           /* engines add transitions, deadlocks, checksum, max_out_degree, failed and
                                              firing_failed; all but failed and firing_failed are initially 0 */
  uint64_t *fired;                         /* [transition_count], engines add to it */
  struct checkpoint_violation *violations; /* [property_count] */
  floe_log *log;                           /* errors of the file, which are no errors of the search */
  struct snapshot_writer *writers;         /* [contexts] (engine/snapshot/snapshot_writer.h) */
  double begun;
};

/* ---- saving -------------------------------------------------------------------------------------- */

/* Order of the keys of such a table: by bucket if it has buckets; in a linear table home slots are proportional to
   the permuted key; in a bitmap keys ascend. */
struct checkpoint_order snapshot_order(const struct table_config *config, const struct table_shape *shape);
/* The next checkpoint is due at `now` (clock_seconds). */
bool snapshot_is_due(const struct search *search, double now);
/* The run has ended, another run can resume it, and there is unsaved progress; or it is complete, and the policy saves
   that, too. */
bool snapshot_is_last(const struct search *search);
/* This member saves at the end of its run. Alone: snapshot_is_last. In a group all members do so unless one fails; rank
   0 decides whether a file is written. */
bool snapshot_may_be_last(const struct search *search);
/* Creates the file for so many contexts (as for checkpoint_create); `order`: of the states in KEYS; NULL: no file, for
   a member whose sums rank 0 writes. False: failed, and, with a file, logged as a warning. */
bool snapshot_begin(struct search *search, unsigned contexts, const struct checkpoint_order *order,
                    struct snapshot *out);
/* Adds the sums and violations of another member. They must stay valid until snapshot_end. */
void snapshot_add_part(struct snapshot *snapshot, const struct checkpoint_search *part, uint32_t words);
/* Adds a violation of the current level; the least state is kept, and must stay valid until snapshot_end. */
void snapshot_add_violation(struct snapshot *snapshot, size_t property, const struct engine_violation *violation,
                            uint32_t words);
/* Completes the file, or abandons it because a member failed with this status. Failures are logged as warnings, and the
   search may continue. Without a file: frees the snapshot. */
void snapshot_end(struct search *search, struct snapshot *snapshot, floe_status status);

/* ---- restoring ----------------------------------------------------------------------------------- */

/* States of the checkpoint to resume, the same for all members; 0: the search starts from the initial state. */
uint64_t snapshot_states(const struct engine_task *task);
/* Restores levels, final violations and failures from search->origin, which is read from task->snapshot.from if there
   is one; search->fired gets its firings. The last level is the current one, even if none of its states remain to be
   expanded. FLOE_ERROR_IO, logged: the file contradicts itself. FLOE_ERROR_MEMORY. */
floe_status snapshot_restore_search(struct search *search);
/* Calls `take` with each provisional violation. */
void snapshot_each_violation(const struct search *search,
                             void (*take)(void *user, size_t property, const struct engine_violation *), void *user);
/* Checks the restored states: `fresh` keys of the file were inserted for the first time, with `checksum` the sum of
   engine_state_mix. FLOE_ERROR_IO, logged: they differ from those written. */
floe_status snapshot_check(const struct search *search, uint64_t fresh, uint64_t checksum);
/* After restoring: ends a search that was saved between levels if it would have ended there. */
void snapshot_decide(struct search *search);

#endif
