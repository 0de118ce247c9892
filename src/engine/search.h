/* A breadth-first search: levels, property results, end and reports. Engines do the work (engine/cpu/cpu_search.h: a
   thread pool; gpu/engine/gpu_search.h: a GPU). One thread writes here, between phases of the work; during a phase
   all threads only read. */
#ifndef FLOE_ENGINE_SEARCH_H
#define FLOE_ENGINE_SEARCH_H

#include "checkpoint/checkpoint.h"
#include "core/threads/stop.h"
#include "engine/engine.h"

/* Sizes of the BFS levels. */
struct search_levels {
  uint64_t *states; /* [count], allocated for `cap`: states of each level found; the last one is being expanded */
  size_t cap;
  uint32_t count;
  uint32_t complete; /* number of levels expanded in full: all, or all but the last one */
  uint64_t expanded; /* states in these */
};

/* The checkpoint that the search was restored from. */
struct search_origin {
  const struct checkpoint_search *search; /* set by snapshot_restore; NULL: the search began with the initial state */
  uint64_t states[CHECKPOINT_SECTIONS];
  uint64_t transitions;
  double seconds; /* spent on restoring */
};

/* Progress reports. */
struct search_reports {
  double next, last;    /* times */
  uint64_t last_states; /* states at the last one */
};

/* Checkpoints written by this search. */
struct search_checkpoints {
  double last;           /* time of the last one, or of the start of the search */
  double seconds;        /* spent on them without exploring */
  uint64_t count, bytes; /* number; size of the last one */
  bool lost;             /* the last one could not be written */
  bool inexact;          /* the search lost states: no checkpoint can be written any more */
};

struct search {
  const struct engine_task *task;
  floe_log *log;
  struct stop stop; /* engine_stop of the task */
  struct search_levels levels;

  struct engine_violation *violations; /* [property_count] */
  uint64_t violated;                   /* mask of the properties with a violation or witness */
  uint64_t failed;                     /* mask of properties whose evaluation failed in some state */
  bool firing_failed;                  /* the firing of some transition failed, first at this depth: */
  uint32_t firing_failed_depth;
  bool is_part;    /* a member of a group, not rank 0: the outcome has this member's counts only */
  uint64_t *fired; /* [transition_count] firings; engines add to it at the end */

  bool ended, cancelled, must_escalate;
  floe_end end;
  floe_status status; /* the error that ended the search: there is no outcome then */

  struct search_origin origin;
  double begun; /* time of search_begin */
  struct search_reports reports;
  struct search_checkpoints checkpoints;
};

/* `task` and all that it refers to must live as long as the search. FLOE_ERROR_MEMORY. search_close is called after
   an error, too. */
floe_status search_open(const struct engine_task *task, floe_log *log, struct search *out);
void search_close(struct search *search);
/* Starts the clock of the exploration, after preparation. */
void search_begin(struct search *search);

/* ---- the end ------------------------------------------------------------------------------------- */

void search_finish(struct search *search, floe_end end);
void search_fail(struct search *search, floe_status status); /* the first error counts */
/* States on disk were lost: ends the search, and no checkpoint can be written any more. */
void search_fail_disk(struct search *search);
/* A state without a key was reached (step_block.broken): FLOE_ERROR_INTERNAL, logged. */
void search_report_unreachable(struct search *search);
/* Ends the search on interrupt, timeout or cancellation; true: it has ended. */
bool search_check_stop(struct search *search);

/* ---- levels -------------------------------------------------------------------------------------- */

/* Of the level being expanded. */
static inline uint32_t search_depth(const struct search *search) { return search->levels.count - 1; }
/* True: the level is at the depth bound; its states are evaluated, not expanded. */
bool search_at_bound(const struct search *search);
/* Properties to evaluate: those without violation. search_errors_only: those with a violation whose evaluation can
   still fail; none once `errors` is violated. */
uint64_t search_pending_properties(const struct search *search);
uint64_t search_errors_only(const struct search *search);

/* Allocates the sizes of `more` levels; false: no memory. */
bool search_make_room(struct search *search, size_t more);
/* Adds the level of the initial state; false: no memory. */
bool search_first_level(struct search *search);
/* The level is expanded in full. */
void search_level_done(struct search *search);
/* After it: its successors, `next` states, become the level to expand. `states`: all states found. Ends the search
   if there are none or a bound is reached. */
void search_next_level(struct search *search, uint64_t next, uint64_t states);
/* Both after `count` levels whose sizes are already stored behind levels.count; `empty`: the last one has no new
   successors. The caller gathers violations, then calls search_decide. */
void search_add_levels(struct search *search, uint32_t count, bool empty);
void search_decide(struct search *search, bool empty, uint64_t states);
/* After either, with task->devices.may_escalate: ends the search so that more GPUs take over, if the level has at
   least `large` states and the search is not nearly done. True: it has ended. */
bool search_check_escalation(struct search *search, uint64_t large, uint64_t states);
/* The level at the depth bound is evaluated: ends the search. */
void search_decide_at_bound(struct search *search);

/* ---- properties ---------------------------------------------------------------------------------- */

/* Reports a violating state of a property, found at `depth`; the least of a level is kept. The property must be in
   search_pending_properties. */
void search_add_violation(struct search *search, size_t property, const uint64_t *state, uint32_t depth,
                          struct step_error error);
/* After the violations of a level are added, of all workers and members: `triggered` is their mask. */
void search_note_violations(struct search *search, uint64_t triggered);
/* `firing_failed`: the firing of some transition failed, first at `depth`. */
void search_note_failures(struct search *search, uint64_t failed, bool firing_failed, uint32_t depth);

/* [property_count] without violations; NULL: no memory. */
struct engine_violation *violations_make(const struct engine_task *task);
void violations_free(struct engine_violation *violations, size_t count); /* NULL is allowed */
/* Stores `state` unless a smaller one is stored. */
void violation_keep_least(struct engine_violation *violation, const uint64_t *state, uint32_t words, uint32_t depth,
                          struct step_error error);

/* ---- reports ------------------------------------------------------------------------------------- */

/* The user requested reports, and the next one is due. */
bool search_report_due(const struct search *search, double now);
/* `figures` has states, transitions, frontier, depth, bytes and table_fill; this adds the others. */
void search_report(struct search *search, floe_progress figures, double now);

/* The engine is to find paths now, at the end: they are requested, and no other attempt will continue. */
bool search_wants_paths(const struct search *search);

/* Moves the results to *out, where the engine has set states, transitions, deadlocks, max_out_degree, checksum and
   the figures of time and memory, and search->fired. */
void search_conclude(struct search *search, struct engine_outcome *out);

#endif
