/* A search at rest, on its way into a checkpoint and out of one: what is the same for every engine. At rest means that
   no rank expands or looks up; then every state found is in a set of visited states, every transition counted led to
   such a state or to one that is pending, and the states of the level in work are expanded or still to be. That may be
   so within a level.

   The search's own part (levels, hits, failures) is put and taken here. A rank adds its sums to a struct snapshot,
   hands out its states (checkpoint_put) and takes back any that another rank, of any engine, handed out. Hits of the
   level in work are provisional: a search that goes on may still find a lesser state there. */
#ifndef FLOE_MOMENT_H
#define FLOE_MOMENT_H

#include "checkpoint/checkpoint.h"
#include "engine/search.h"
#include "engine/snapshot/checkpoint_policy.h"

/* Between snapshot_begin and snapshot_end all states are handed to `writer`. */
struct snapshot {
  struct checkpoint_writer *writer; /* NULL: of a member of a group that is not rank 0 */
  struct checkpoint_search sums; /* transitions, deadlocks, checksum, max_out_degree, failed and cut are the ranks' to
                                    add to; zeros at first but for failed and cut */
  uint64_t *fired;               /* [transition_count], the same */
  uint64_t triggered;            /* mask of the properties that have a hit */
  struct checkpoint_violation *violations; /* [property_count] */
  floe_log *log;                           /* of the file: what it says is no error of the search */
  double begun;
};

/* ---- keeping ------------------------------------------------------------------------------------- */

/* In which the keys of such a table come: by bucket where it has buckets; in a linear one homes are in proportion to
   the permuted key; in a bitmap they ascend. */
struct checkpoint_order snapshot_order(const struct table_config *config, const struct table_shape *shape);
/* It is time for one; `now`: of clock_seconds. */
bool snapshot_is_due(const struct search *search, double now);
/* The run has ended, in a way that another one can go on from, and there is something that is not kept yet. */
bool snapshot_is_last(const struct search *search);
/* Lanes as for checkpoint_create; `order`: of the states in KEYS. False, told in the log: there can be none now. */
bool snapshot_begin(struct search *search, unsigned lanes, const struct checkpoint_order *order, struct snapshot *out);
/* The same with no file, for sums that another member of the group writes; snapshot_leave. False: no memory. */
bool snapshot_begin_part(struct search *search, struct snapshot *out);
void snapshot_leave(struct search *search, struct snapshot *snapshot);
/* Another member's sums and hits. What they refer to must live until snapshot_end. */
void snapshot_add_part(struct snapshot *snapshot, const struct checkpoint_search *part, uint32_t words);
/* A hit of the level in work; the least state of the ranks' stays, and must live until snapshot_end. */
void snapshot_add_violation(struct snapshot *snapshot, size_t property, const struct engine_violation *violation,
                            uint32_t words);
/* The file is written; what keeps it from being is told in the log as a warning, and the search may go on. */
void snapshot_end(struct search *search, struct snapshot *snapshot);

/* No file is written: the rank failed with this status, which it told or not. The search may go on all the same. */
void snapshot_give_up(struct search *search, struct snapshot *snapshot, floe_status status);

/* ---- going on ------------------------------------------------------------------------------------ */

/* Of task->snapshot.from; of a group the same for all members. 0: the search begins. */
uint64_t snapshot_states(const struct engine_task *task);
/* The search is where search->origin was, which is that of task->snapshot.from where there is one: levels, final hits, failures;
   search->fired has its firings. The last level is in work, even if nothing of it is left to be expanded.
   FLOE_ERROR_IO, told: the file contradicts itself. FLOE_ERROR_MEMORY. */
floe_status snapshot_restore(struct search *search);
/* Provisional hits, for the rank that goes on: calls `take` with each. */
void snapshot_each_violation(const struct search *search,
                             void (*take)(void *user, size_t property, const struct engine_violation *), void *user);
/* After all keys of the file were put by the ranks, `fresh` of them for the first time, with `checksum` the sum of
   engine_state_mix. FLOE_ERROR_IO, told: that is not what was written. */
floe_status snapshot_check(const struct search *search, uint64_t fresh, uint64_t checksum);
/* Once all is restored: ends a search that stood between levels where it would have ended there. */
void snapshot_decide(struct search *search);

#endif
