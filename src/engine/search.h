/* A breadth-first search as a whole, whoever does the work: the levels found, what the properties came to, the end,
   reports. The work is that of its ranks (engine/cpu/cpu_search.h: a crew of threads; gpu/engine/gpu_search.h: a
   device), each with memory of its own. One thread writes here, between two phases of the ranks' work; within one they
   only read. */
#ifndef FLOE_SEARCH_H
#define FLOE_SEARCH_H

#include "checkpoint/checkpoint.h"
#include "core/stop.h"
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
  uint64_t *fired; /* [transition_count] firings; engines add to it at the end */

  bool ended, cancelled, must_escalate;
  floe_end end;
  floe_status status; /* the error that ended the search: there is no outcome then */

  struct search_origin origin;
  double begun; /* time of search_begin */
  struct search_reports reports;
  struct search_checkpoints checkpoints;
};

/* What `task` refers to must live as long. FLOE_ERROR_UNSUPPORTED: states of more than one word. search_close is
   called after an error, too. */
floe_status search_open(const struct engine_task *task, floe_log *log, struct search *out);
void search_close(struct search *search);
/* The exploration's clock starts, after what had to be prepared. */
void search_begin(struct search *search);

/* ---- the end ------------------------------------------------------------------------------------- */

void search_finish(struct search *search, floe_end end);
void search_fail(struct search *search, floe_status status); /* the first error counts */
/* States that waited on disk are lost: it ends, and no other run can go on from here. */
void search_fail_disk(struct search *search);
/* A state without a key was met (step_block.broken): FLOE_ERROR_INTERNAL, told. */
void search_report_unreachable(struct search *search);
/* Ends it where interrupt, timeout or its caller want that; true: they do. */
bool search_check_stop(struct search *search);

/* ---- levels -------------------------------------------------------------------------------------- */

/* Of the level in work. */
static inline uint32_t search_depth(const struct search *search) { return search->levels.count - 1; }
/* The level in work is at the depth bound: its states are evaluated, not expanded. */
bool search_at_bound(const struct search *search);
/* Properties still to be evaluated, and those that are hit but may still fail: none once `errors` is hit, and none
   whose evaluation cannot fail. */
uint64_t search_pending_properties(const struct search *search);
uint64_t search_errors_only(const struct search *search);

/* Room for the sizes of `more` levels; false: no memory. */
bool search_make_room(struct search *search, size_t more);
/* The first level, of the initial state; false: no memory. */
bool search_first_level(struct search *search);
/* The level in work is expanded in full. */
void search_level_done(struct search *search);
/* After it: the level that it led to, of `next` states, is the one in work. `states`: all there are now. Ends the
   search where that is all, or enough. */
void search_next_level(struct search *search, uint64_t next, uint64_t states);
/* Both after `count` levels whose sizes are at level_states + levels already; `empty`: the last one led to no new
   state. The caller looks at what triggered, then calls search_decide. */
void search_add_levels(struct search *search, uint32_t count, bool empty);
void search_decide(struct search *search, bool empty, uint64_t states);
/* After either, with task->devices.may_escalate: the level in work has `large` states or more, and is not just the last
   large one of a search that is nearly done. True: the search has ended for that. */
bool search_check_escalation(struct search *search, uint64_t large, uint64_t states);
/* The level at the depth bound is evaluated: ends the search. */
void search_decide_at_bound(struct search *search);

/* ---- properties ---------------------------------------------------------------------------------- */

/* A rank's witness of a property, found at `depth`; the least state of the ranks' stays. Of properties hit in earlier
   levels there is none: they are not in search_pending_properties. */
void search_add_violation(struct search *search, size_t property, const uint64_t *state, uint32_t depth,
                          struct step_error error);
/* After the hits of a level, of all ranks, are added: `triggered` is their mask. */
void search_note_violations(struct search *search, uint64_t triggered);
/* `firing_failed`: some firing failed so far, first at `depth`. */
void search_note_failures(struct search *search, uint64_t failed, bool firing_failed, uint32_t depth);

/* Memory for the hits of a rank: [property_count], none hit; NULL: none left. */
struct engine_violation *violations_make(const struct engine_task *task);
void violations_free(struct engine_violation *violations, size_t count); /* NULL is allowed */
/* The hit becomes that of `state` where there was none or one of a greater state. */
void violation_keep_least(struct engine_violation *violation, const uint64_t *state, uint32_t words, uint32_t depth,
                          struct step_error error);

/* ---- what is told -------------------------------------------------------------------------------- */

/* Somebody wants reports, and the next one is due. */
bool search_report_due(const struct search *search, double now);
/* `figures` has states, transitions, frontier, depth, bytes and table_fill; the others are the search's. */
void search_report(struct search *search, floe_progress figures, double now);

/* Moves what was found to *out, where the ranks have left states, transitions, deadlocks, max_out_degree, checksum and
   their figures of time and memory, and in search->fired what fired. */
void search_conclude(struct search *search, struct engine_outcome *out);

#endif
