/* libfloe: explicit-state model checking.
 *
 *   floe_log *log;  floe_model *model;  floe_result *result;
 *   floe_options options;
 *   floe_log_create(&log);
 *   floe_model_load("peterson.xml", log, &model);
 *   floe_model_define(model, "N", "3", log);
 *   floe_options_init(&options);
 *   floe_explore(model, &options, log, &result);
 *   const floe_summary *s = floe_result_summary(result);
 *
 * floe_common.h states the rules for all functions: status values, the log, lifetimes, NULL, threads, versions.
 */
#ifndef FLOE_H
#define FLOE_H

#include "floe_common.h"
#include "floe_model.h"
#include "floe_states.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options ----------------------------------------------------------------------------------- */

typedef struct {
  uint64_t states, transitions, frontier, duplicates;
  uint32_t depth;
  double seconds;
  double rate;       /* states per second since the last report */
  double table_fill; /* 0..1 */
  uint64_t bytes;    /* table, frontier and buffers */
  /* NULL: exploring; else what precedes or follows, "compiling the model", "reconstructing traces": then all numbers
     but seconds are 0 */
  const char *activity;
} floe_progress;

typedef enum {
  FLOE_ORDER_STATES, /* each state once, in the order of discovery */
  FLOE_ORDER_LOOKUPS /* every key looked up in the visited set, duplicates included */
} floe_order_kind;
FLOE_API const char *floe_order_kind_name(floe_order_kind kind);

typedef enum { FLOE_SYMMETRY_OFF, FLOE_SYMMETRY_AUTO, FLOE_SYMMETRY_ON } floe_symmetry;

/* floe_options_init sets the defaults, which come first in the comments. */
typedef struct {
  size_t struct_size; /* set by floe_options_init; lets the struct grow */
  floe_engine engine; /* AUTO */
  unsigned threads;   /* 0: one per core that the process may use */
  /* Table of the visited set. NULL or "auto": a hash table ("iceberg"), or a bitmap of all possible keys where that is
     no larger, from the start or later (floe_model_visited_plan); always a hash table if permutation, slot_bits,
     bucket_slots or initial_slots is set. Else the table: "bitmap", "linear", ... */
  const char *table;
  const char *permutation;       /* NULL: the default of the table */
  unsigned slot_bits;            /* 0: automatic; else 16, 21, 32 or 64 */
  unsigned bucket_slots;         /* 0: automatic; else 8, 16 or 32; with slot_bits 21: 12 or 24 */
  uint64_t initial_slots;        /* 0: automatic */
  uint64_t memory;               /* bytes; 0: 80 % of floe_memory_available() */
  uint32_t max_depth;            /* UINT32_MAX: no bound. States of this depth are not expanded */
  uint64_t max_states;           /* UINT64_MAX: no bound. The search stops at the end of the level that exceeds it */
  double timeout;                /* seconds for the search, without traces and explanations; 0: none */
  bool keep_going;               /* false; true: explore all states even if properties are violated (--continue) */
  bool count_only;               /* false; true: check no property but `errors` */
  bool traces;                   /* true: find a trace for each violated or reachable property */
  const char *const *properties; /* [property_count] ids of properties to check; NULL: all */
  size_t property_count;
  const char *cache_dir; /* NULL: $FLOE_CACHE_DIR, else $XDG_CACHE_HOME/floe, else ~/.cache/floe; "": no cache */
  const char *compiler;  /* NULL: $FLOE_CC, else cc; "": none (interpreter) */
  void (*progress)(const floe_progress *progress, void *user); /* progress reports; NULL: none */
  void *user;                                                  /* argument of `progress` */
  double progress_seconds;                                     /* 1: seconds between two progress reports */
  bool explain_unfired;       /* false; true: a second pass finds why transitions never fired (floe_result_unfired) */
  const char *visited_order;  /* NULL: none; else a file for the keys in the order visited (floe_order_open) */
  floe_order_kind order_kind; /* STATES */
  bool order_compress;        /* false; true: compress that file with zstd, as a name that ends in .zst does, too */
  /* Initial size of the table, in states. Any number is correct; a good one saves memory and time. 0: the number
     expected in the model text for the constants in use, if any. Ignored if initial_slots is set. */
  uint64_t expected_states;
  unsigned gpu_device;     /* 0: number of the GPU, as in floe_devices */
  uint64_t gpu_memory;     /* bytes of GPU memory to use, at most what is free; 0: see gpu_share */
  double gpu_share;        /* fraction of the free GPU memory to use, 0..1; 0: 0.95 */
  const char *checkpoint;  /* NULL: no checkpoints; else the file for floe_resume; the checkpoint before it is kept as
                              FILE.previous. Always written when the search ends by memory, time, floe_interrupt or
                              max_states, and with temporal properties also when it is complete: the search for each of
                              these has a file FILE.ltl.ID. Excludes visited_order */
  double checkpoint_every; /* 600: seconds between two checkpoints; 0: only one at the end */
  floe_encoding encoding;  /* AUTO. A resumed search has the encoding of its file */
  /* GPUs of this host that explore together: "0,1,2,3" or "all", at most 16; gpu_memory and gpu_share apply to each.
     NULL or "": gpu_device alone; but AUTO with gpu_device 0 uses all GPUs for searches that are large, or that do not
     fit on a single GPU, unless visited_order or checkpoint is set. */
  const char *devices;
  /* Seconds for the traces after the search, and again for explain_unfired. 0: as many as the search took, at least
     10. */
  double trace_timeout;
  /* Constraints of fairness of all temporal properties: "none", "weak", "weak Client, strong P[0..2], strong P.label"
     (doc/language.md). NULL: as the model says. */
  const char *fairness;
  bool ignore_finite_runs; /* false; true: temporal properties disregard runs that end in a deadlock, else these repeat
                              its state for ever */
  bool decide_all; /* false; true: a violation does not end the search, but it ends when all selected properties except
                      `errors` are decided. keep_going explores all states in any case */
  bool measures;   /* false; true: find the least and the greatest value of the model's measures
                      (floe_result_measure), on the CPU, once all states are explored */
  /* NULL; else called for a property as soon as its verdict is known, from the thread that called floe_explore, or one
     that this waits for; again if the search restarts on another engine. Properties that the end of the search decides
     are not reported. */
  void (*decided)(const char *property, floe_verdict_value value, void *user);
  /* OFF. AUTO, ON: explore one state of all that differ by a permutation of the values of symmetric types
     (doc/murphi.md: scalarset). ON: FLOE_ERROR_MODEL, logged, if the model cannot be shown to be symmetric;
     FLOE_ERROR_USAGE with options that this does not support (doc/limits.md). AUTO: then all states are explored, and a
     note is logged. The model is checked again: texts of the model from before the call are invalid. */
  floe_symmetry symmetry;
} floe_options;

FLOE_API void floe_options_init(floe_options *options);

/* ---- exploration ------------------------------------------------------------------------------- */

typedef struct floe_result floe_result;

/* Explores the model. FLOE_OK does not mean that properties hold: it is also returned when a property is violated, when
   the run ended early, and when a file for visited_order or checkpoint could not be completed; the result has the
   details. FLOE_ERROR_MODEL, FLOE_ERROR_USAGE (options), FLOE_ERROR_MEMORY (too little to start),
   FLOE_ERROR_UNSUPPORTED (no GPU), FLOE_ERROR_IO, FLOE_ERROR_INTERNAL, FLOE_ERROR_INTERRUPTED: see the log. */
FLOE_API floe_status floe_explore(floe_model *model, const floe_options *options, floe_log *log, floe_result **out);
/* Continues the search of a checkpoint file (floe_options.checkpoint). The model and its constants must be the same;
   engine, table and machine may differ. Result, certificate and traces are those of an uninterrupted run. The file
   determines properties, count_only, keep_going and encoding, and, unless set, fairness, max_depth and max_states. The
   last two count from the initial state; `timeout` and progress count from this call. If the file is damaged,
   FILE.previous is used, and a warning is logged. FLOE_ERROR_IO: no intact file. FLOE_ERROR_USAGE, logged: other model,
   other constants, or options that contradict the file. */
FLOE_API floe_status floe_resume(floe_model *model, const char *file, const floe_options *options, floe_log *log,
                                 floe_result **out);
/* Loads the model of a checkpoint file, with its constants, from path `model`; NULL: from the path recorded in the
 *file. count_only (may be NULL) is the option of the recorded run. Errors as floe_model_load and floe_resume. */
FLOE_API floe_status floe_resume_model(const char *file, const char *model, const floe_load_options *options,
                                       floe_log *log, floe_model **out, bool *count_only);
FLOE_API void floe_result_free(floe_result *result);

/* Ends the running operation (reading a model, exploring) soon, with undecided results; if none is running, ends the
   next one as soon as it starts. An exploration has two phases: an interrupt during the search ends the search, and
   violations that it found still get their traces. An interrupt during the traces and explanations, or a second one
   during the search, ends these: the verdicts are complete, further traces are missing. Async-signal-safe. A program
   that uses a GPU should not call it in a handler of SIGINT or SIGTERM: while NVRTC compiles, for 0.1 s, it installs
   handlers of its own, which end the process. Block these signals in all threads instead, and receive them in one
   thread with sigwait. */
FLOE_API void floe_interrupt(void);
/* True while some exploration finds traces or explanations. Any thread may call it. */
FLOE_API bool floe_traces_running(void);

/* ---- several processes (MPI) -------------------------------------------------------------------

   In an MPI job rank 0 uses the library as in a single process, and floe_explore explores with all processes: each owns
   the states whose hash belongs to it, in its own memory, on its own CPU threads or GPUs. The other ranks call only
   floe_mpi_worker. One exploration at a time. */

/* Number of processes that the launcher reports (mpirun or mpiexec of Open MPI and MPICH, Slurm's srun with PMI-2 or
   PMIx); 1: not started by a launcher. */
FLOE_API unsigned floe_mpi_job_size(void);
/* Joins the job. Without other processes: *count is 1, *rank 0, and MPI is not opened. FLOE_ERROR_UNSUPPORTED: floe's
   MPI module is missing. FLOE_ERROR_IO: MPI failed. */
FLOE_API floe_status floe_mpi_init(floe_log *log, unsigned *rank, unsigned *count);
/* Explores with rank 0, until rank 0 calls floe_mpi_finalize; *code is the exit code of that call. For every other
   rank, after floe_mpi_init. Uses threads, memory, compiler, cache_dir, engine and the GPU options of `options` (NULL:
   defaults). FLOE_ERROR_USAGE: this is rank 0, or no job. If this process cannot continue, it aborts the job, with exit
   code 4 where the launcher passes that on. */
FLOE_API floe_status floe_mpi_worker(const floe_options *options, int *code);
/* In rank 0: ends the other processes, with this exit code, and MPI. No effect without a job. exit() does the same,
   with code 4. May be called from any thread; aborts the job if another thread explores. */
FLOE_API void floe_mpi_finalize(int code);

/* ---- results ----------------------------------------------------------------------------------- */

typedef enum {
  FLOE_END_COMPLETE,  /* all reachable states were explored */
  FLOE_END_DECIDED,   /* a property was violated, or all selected properties were decided */
  FLOE_END_DEPTH,     /* max_depth */
  FLOE_END_STATES,    /* max_states */
  FLOE_END_MEMORY,    /* out of memory */
  FLOE_END_TIMEOUT,   /* timeout */
  FLOE_END_INTERRUPT, /* floe_interrupt */
  FLOE_END_DISK       /* queued states in a temporary file could not be read back; the log has the reason */
} floe_end;
FLOE_API const char *floe_end_name(floe_end end);

/* Parts of explore_seconds on the CPU: the sum of all but `waiting`. On a GPU all are 0. Seconds. */
typedef struct {
  double together; /* all threads expand a level */
  double clearing; /* all threads have the system clear the pages of a table */
  double moving;   /* all threads move keys to a larger table */
  double alone;    /* one thread expands small levels */
  double growing;  /* one thread allocates larger tables and moves few keys */
  double between;  /* one thread starts the run, starts and ends levels */
  double waiting;  /* thread-seconds within together, clearing and moving in which a thread waited for others */
} floe_phases;

typedef struct {
  floe_end end;
  bool complete;             /* all reachable states were explored; see firing_failed */
  const char *engine;        /* that explored: "cpu", "gpu" or "interpreter" */
  const char *engine_detail; /* for people: threads, SIMD, compiler; GPU, blocks */
  const char *table;         /* "iceberg"; the table at the end, if it changed */
  const char *table_detail;  /* for people: slot widths, bucket sizes, slots */
  unsigned threads, key_bits, slot_bits, bucket_slots;
  uint64_t states, transitions, deadlocks;
  uint32_t levels;         /* including level 0 */
  uint32_t complete_depth; /* all states up to this depth were explored and checked */
  bool any_complete;       /* false: not even level 0 was, and complete_depth has no meaning */
  uint32_t max_out_degree;
  uint64_t growths; /* rehashes of the table */
  double parse_seconds, compile_seconds, explore_seconds, trace_seconds, total_seconds;
  uint64_t peak_bytes;     /* peak resident set of the whole process */
  uint64_t table_bytes;    /* at the end */
  uint64_t frontier_bytes; /* at the peak */
  double table_fill;       /* at the end, 0..1 */
  const char *certificate; /* one line (doc/semantics.md) */
  double start_seconds;    /* opening a GPU and allocating its memory, and an attempt on the CPU before */
  uint64_t spilled_states; /* moved from the GPU's memory to the host's for a while */
  const char *simd;        /* instructions of the table's scan: "avx512", "avx2", "portable"; "" on a GPU */
  /* A firing failed, first at level firing_failed_depth. Its successors were not explored: `complete` and all numbers
     refer to the explored states; depths greater than firing_failed_depth + 1 are the least within these
     (doc/semantics.md, "After a failing firing"). */
  bool firing_failed;
  uint32_t firing_failed_depth;
  bool visited_order_failed; /* its file could not be completed and was removed; the log has the reason */
  floe_phases phases;
  uint64_t disk_bytes;       /* of queued states written to a temporary file for lack of memory */
  uint64_t checkpoints;      /* written by this run */
  double checkpoint_seconds; /* part of explore_seconds in which checkpoints stopped the exploration */
  uint64_t checkpoint_bytes; /* of the last checkpoint */
  bool checkpoint_failed;    /* the last one could not be written (the log has the reason); an earlier one may exist */
  floe_encoding encoding;    /* of the keys: FIELDS or INDEX */
  uint64_t tree_bytes;    /* of the tables of trees, for states of several words, at the end; 0: states of one word */
  uint64_t tree_contents; /* entries of all tree tables */
  unsigned root_bits;     /* of a root, at the end; 0: states of one word */
  uint64_t resumed_states, resumed_transitions; /* of the checkpoint that the run resumed, included in `states` and
                                                   `transitions`; 0: none */
  double resume_seconds;                        /* part of explore_seconds for restoring them */
  /* Symmetric types, one state of whose permutations was explored: "node (3), value (2)"; all numbers are of these
     states. "": no symmetry reduction. */
  const char *symmetry;
  bool reduced; /* floe_model_reduce or floe_model_simplify has changed something: all numbers are of the reduced model
                 */
  /* By floe_model_simplify: transitions that are merged with one before them, transitions that reset dead variables,
     and how many variables of instances these are. */
  uint32_t merged_transitions, reset_transitions, reset_variables;
} floe_summary;

/* The verdicts and figures in the form of the tool of floe_model_tool. FLOE_ERROR_UNSUPPORTED: there is none.
   FLOE_ERROR_IO: the stream has an error. */
FLOE_API floe_status floe_result_write_tool(const floe_result *result, const floe_model *model, FILE *stream);
FLOE_API const floe_summary *floe_result_summary(const floe_result *result);
FLOE_API uint64_t floe_result_level_states(const floe_result *result, uint32_t level);
FLOE_API uint64_t floe_result_fired(const floe_result *result, size_t i); /* firings of floe_model_transition(i) */

/* Part of one member of the group that explored: a process of an MPI job, or one of several GPUs. */
typedef struct floe_member {
  uint64_t states, transitions; /* owned states, and fired transitions */
  uint64_t table_bytes, threads;
  uint64_t messages, sent; /* messages to other members, and states in them */
  double waiting_seconds;  /* idle time: waiting for other members */
} floe_member;
/* 0: explored by one process, on its threads or on one GPU. */
FLOE_API size_t floe_result_members(const floe_result *result);
FLOE_API floe_member floe_result_member(const floe_result *result, size_t i);

/* Numbers of the summary as a list, for generic output: those of --json, in its order. Later versions may add some. */
typedef struct {
  const char *name;        /* as in --json: "states", "seconds.explore" */
  const char *unit;        /* "states", "seconds", "bytes"; "": none */
  const char *description; /* "": see the name */
  bool exact; /* a property of the explored states, equal for all engines, tables and thread counts; false: a cost */
  bool is_integer; /* `count` is valid */
  uint64_t count;
  double real; /* always valid */
} floe_statistic;
FLOE_API size_t floe_result_statistics(const floe_result *result);
FLOE_API floe_statistic floe_result_statistic(const floe_result *result, size_t i);

/* Why a verdict is FLOE_UNDECIDED: the first reason that applies. */
typedef enum {
  FLOE_UNDECIDED_NONE,       /* it is decided */
  FLOE_UNDECIDED_EVALUATION, /* evaluating the property failed in some state */
  FLOE_UNDECIDED_END,        /* the run ended before all states were checked: floe_summary.end */
  FLOE_UNDECIDED_STEP,   /* a firing failed (floe_summary.firing_failed), and the explored states do not decide it */
  FLOE_UNDECIDED_PRODUCT /* of a temporal property: the search of the model's product with the automaton of the property
                            ended early (memory, time, interrupt); RECOVERABLE: the passes over the states did */
} floe_undecided;
FLOE_API const char *floe_undecided_name(floe_undecided why); /* "", "evaluation", "end", "step", "product" */

/* A part of a temporal property that decides nothing: found in the search, not a guess. */
typedef enum {
  FLOE_VACUOUS_ANTECEDENT, /* the property holds, and the left side of an implication or of `leadsto` is never true */
  FLOE_VACUOUS_FAIRNESS    /* no transition of a constraint of fairness is ever enabled */
} floe_vacuous_part;
FLOE_API const char *floe_vacuous_part_name(floe_vacuous_part part); /* "antecedent", "fairness" */
typedef struct {
  floe_vacuous_part part;
  const char *text; /* the left side, the constraint: "x == 3", "weak Client[0].grant" */
} floe_vacuous;

typedef struct {
  floe_property property;
  floe_verdict_value value;
  bool satisfied;          /* HOLDS or IS_REACHABLE */
  int64_t depth;           /* level of the state; ERRORS: of that in which a step or an evaluation fails; LTL:
                              steps of the trace; -1: none */
  const floe_trace *trace; /* NULL: none */
  const char *cause;       /* of `errors`: what failed, and where, for people; else "" */
  floe_undecided undecided;
  const char *fairness;        /* LTL: the constraints that runs must satisfy, as a list; "": none */
  const char *holds_fairness;  /* LTL, violated: a list with which it holds; "": none was found */
  const floe_vacuous *vacuous; /* [vacuous_count] LTL, decided */
  size_t vacuous_count;
} floe_verdict;
/* Verdicts on the checked properties, in the model's order. */
FLOE_API size_t floe_result_verdicts(const floe_result *result);
FLOE_API floe_verdict floe_result_verdict(const floe_result *result, size_t i);

/* ---- measures (floe_options.measures) ----------------------------------------------------------- */

/* A sum of variables that the model asks for: the tokens in some places of a Petri net. */
typedef struct {
  const char *id, *text;
  size_t terms;            /* of the sum */
  bool known;              /* all states were explored, or `greatest` is a proved bound; false: both are 0 */
  int64_t least, greatest; /* value in a reachable state; least: in those explored before max_states */
} floe_measure;
FLOE_API size_t floe_result_measures(const floe_result *result);
FLOE_API floe_measure floe_result_measure(const floe_result *result, size_t i);

/* ---- transitions that never fired (floe_options.explain_unfired) -------------------------------- */

/* A condition for firing a transition, with the number of expanded states in which it was true. */
typedef struct {
  const char *text; /* "at wait", "turn == self", "another instance can receive c[i]" */
  uint64_t states;  /* in which it is true for some instance and some selection values (doc/traces.md) */
  bool met;         /* true in the nearest state */
} floe_unfired_condition;
/* The nearest state: that in which most conditions are true at once, for the same instances and selection values. */
typedef struct {
  size_t transition;        /* index of floe_model_transition */
  uint64_t states;          /* examined */
  size_t conditions;        /* 0: a select has no values, or too many to examine */
  size_t met;               /* conditions that are true in the nearest state */
  const char *participants; /* instances and selection values there: "P[1]", "S[0] with R[1] {i=2}" */
  uint32_t depth;           /* of the nearest state */
  size_t values;            /* variables of the nearest state */
} floe_unfired;
FLOE_API size_t floe_result_unfired_transitions(const floe_result *result);
FLOE_API floe_unfired floe_result_unfired(const floe_result *result, size_t i);
FLOE_API floe_unfired_condition floe_result_unfired_condition(const floe_result *result, size_t i, size_t condition);
/* Value of a variable in the nearest state, in `after`. */
FLOE_API floe_change floe_result_unfired_value(const floe_result *result, size_t i, size_t value);

/* ---- files of the visited order ---------------------------------------------------------------- */

/* File written by an exploration with floe_options.visited_order (format: doc/order.md). It appears under its name when
   the exploration has ended; after an early end it has the keys up to then. With one thread the order is breadth first:
   states of a level in the order of discovery, successors of a state in the order of transitions and choices. */
typedef struct floe_order floe_order;
typedef struct {
  floe_order_kind kind;
  unsigned key_bits;
  unsigned key_words; /* 64-bit words of a key in floe_order_read */
  unsigned key_bytes; /* bytes of a key in the file */
  uint64_t count;     /* keys */
  unsigned threads;
  bool canonical; /* written by one thread: breadth-first order */
  bool complete; /* has all reachable states (if steps of the model fail: all that other steps reach); else see `end` */
  floe_end end;
  bool compressed;
  const char *model;  /* name */
  const char *digest; /* floe_model_digest */
  const char *writer; /* floe_version of the writer */
  size_t constants;   /* number of constants, see floe_order_constant */
} floe_order_info;

/* `path` and `log` must outlive the order. FLOE_ERROR_IO, logged: the file cannot be read, or is not an intact order
 * file. */
FLOE_API floe_status floe_order_open(const char *path, floe_log *log, floe_order **out);
FLOE_API void floe_order_close(floe_order *order);
FLOE_API const floe_order_info *floe_order_information(const floe_order *order);
FLOE_API floe_constant floe_order_constant(const floe_order *order, size_t i); /* `given` is always false */
/* Reads the next keys, at most `most`, each of key_words words: `keys` has room for most * key_words. *count is 0 after
   the last key. The call that reads the last key verifies the rest of the file: FLOE_ERROR_IO, with undefined `keys`,
   if the checksum is wrong. */
FLOE_API floe_status floe_order_read(floe_order *order, uint64_t *keys, size_t most, size_t *count);

/* ---- checkpoints ------------------------------------------------------------------------------- */

/* File of a paused search, which floe_resume continues (format: doc/checkpoint.md). */
typedef struct floe_checkpoint floe_checkpoint;
typedef struct {
  const char *model;  /* name */
  const char *file;   /* path of the model text, as given to the run; "": unknown */
  const char *digest; /* "sha256:" and hexadecimal digits, of the ground model: variables, transitions, properties */
  const char *writer; /* floe_version of the writer */
  size_t constants;   /* number of constants, see floe_checkpoint_constant */
  size_t options;     /* number of options, see floe_checkpoint_option */
  unsigned key_bits;
  unsigned key_words; /* 64-bit words of a state */
  int64_t written;    /* time of writing, in seconds since 1970 */
  double seconds;     /* of exploration so far */
  uint64_t states, transitions;
  uint32_t levels;          /* found so far, see floe_checkpoint_level */
  uint32_t complete_levels; /* fully expanded */
  uint64_t frontier;        /* states not yet expanded */
  size_t violations;        /* properties violated or reached so far */
  uint64_t bytes;           /* of the file */
} floe_checkpoint_info;

/* Reads everything but the states. `log` must outlive the checkpoint. FLOE_ERROR_IO, logged: the file cannot be read,
   is not a checkpoint, or is damaged. FLOE_ERROR_UNSUPPORTED, logged: unknown version of the format. */
FLOE_API floe_status floe_checkpoint_open(const char *path, floe_log *log, floe_checkpoint **out);
FLOE_API void floe_checkpoint_close(floe_checkpoint *checkpoint);
FLOE_API const floe_checkpoint_info *floe_checkpoint_information(const floe_checkpoint *checkpoint);
FLOE_API floe_constant floe_checkpoint_constant(const floe_checkpoint *checkpoint, size_t i);
/* "name=value": an option of the run that wrote it; "": i is past the end. */
FLOE_API const char *floe_checkpoint_option(const floe_checkpoint *checkpoint, size_t i);
FLOE_API uint64_t floe_checkpoint_level(const floe_checkpoint *checkpoint, size_t i); /* its number of states */

typedef struct {
  const char *name; /* NULL: i is past the end */
  uint64_t states, blocks;
  uint64_t bytes; /* in the file */
} floe_checkpoint_section;
/* Sections of the file that contain states: keys (all states found), rest (to be expanded in the current level), next
   (of the next level), pending (to be looked up). */
FLOE_API floe_checkpoint_section floe_checkpoint_section_at(const floe_checkpoint *checkpoint, size_t i);

/* Reads all states and verifies every checksum, on `threads` threads; 0: one per core. FLOE_ERROR_IO, logged with its
   place: the file is damaged or cannot be read. */
FLOE_API floe_status floe_checkpoint_verify(floe_checkpoint *checkpoint, unsigned threads);

/* ---- state graphs ------------------------------------------------------------------------------ */

/* All states of a model in memory, numbered breadth first from 0, the initial state. States may have any width. While
   the graph exists, the model must not be freed, and its constants must not change. */
typedef struct floe_graph floe_graph;
typedef enum {
  FLOE_GRAPH_AUT, /* Aldebaran: "des (0, transitions, states)", then (from, "action", to). Labels are printable ASCII: a
                     quote, a percent sign and every byte of another character are %XX, as in URLs */
  FLOE_GRAPH_DOT, /* Graphviz: the values of a state are its tooltip. The initial state is filled, a deadlock has a
                     double line, a state that violates properties is red and names them */
  FLOE_GRAPH_DOT_STATES /* the same with the number and the values of a state as its label */
} floe_graph_format;

/* Explores on the CPU. Uses the options engine, threads, compiler, cache_dir, max_states, memory and timeout; none of
   them changes a complete graph. FLOE_OK also when max_states, memory, timeout or floe_interrupt ended it: see
   floe_graph_end. Firings that fail are not in the graph: the log has a warning then. */
FLOE_API floe_status floe_graph_create(floe_model *model, const floe_options *options, floe_log *log, floe_graph **out);
FLOE_API void floe_graph_free(floe_graph *graph);
FLOE_API floe_end floe_graph_end(const floe_graph *graph); /* FLOE_END_COMPLETE: the graph is complete */
FLOE_API uint64_t floe_graph_states(const floe_graph *graph);
FLOE_API uint64_t floe_graph_transitions(const floe_graph *graph); /* counted as in floe_summary */
/* FLOE_ERROR_USAGE: the graph is not complete. FLOE_ERROR_IO: the stream has an error. */
FLOE_API floe_status floe_graph_write(floe_graph *graph, floe_graph_format format, FILE *stream);
/* live[i], for each floe_model_transition_group: the group can fire again from every state. Takes 32 bytes per state
   more. FLOE_ERROR_USAGE: the graph is not complete. FLOE_ERROR_INTERRUPTED: also after the timeout of its options. */
FLOE_API floe_status floe_graph_live(floe_graph *graph, bool *live);

/* ---- automata of temporal properties ----------------------------------------------------------- */

typedef enum {
  FLOE_AUTOMATON_HOA, /* Hanoi Omega-Automata format, version 1; atomic propositions are expressions of the model */
  FLOE_AUTOMATON_DOT  /* Graphviz */
} floe_automaton_format;

/* Writes the generalised Buchi automaton that accepts the runs that violate property i of a checked model, as the
   search uses it. FLOE_ERROR_USAGE: the property is not temporal. FLOE_ERROR_UNSUPPORTED: the automaton is too large.
   FLOE_ERROR_IO: the stream has an error. */
FLOE_API floe_status floe_automaton_write(const floe_model *model, size_t i, floe_automaton_format format, FILE *stream,
                                          floe_log *log);

#ifdef __cplusplus
}
#endif

#endif
