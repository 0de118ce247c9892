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
 * What holds for all functions stands in floe_common.h.
 */
#ifndef FLOE_H
#define FLOE_H

#include "floe_common.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- models ------------------------------------------------------------------------------------ */

typedef struct floe_model floe_model;

/* Reads and parses a model file; "-" is standard input. Constants are not evaluated yet. floe_interrupt ends the
   reading: FLOE_ERROR_INTERRUPTED, told. */
FLOE_API floe_status floe_model_load(const char *path, floe_log *log, floe_model **out);
/* The same from memory; `name` stands for the file in messages. The text is copied. */
FLOE_API floe_status floe_model_parse(const char *name, const char *text, size_t length, floe_log *log,
                                      floe_model **out);
FLOE_API void floe_model_free(floe_model *model);

/* Sets a constant; `value` is a decimal integer, `true` or `false`. Undoes an earlier check. */
FLOE_API floe_status floe_model_define(floe_model *model, const char *name, const char *value, floe_log *log);
FLOE_API void floe_model_undefine_all(floe_model *model);
/* Checks the model for the constants set, makes its layout. Implied by all calls below that need it. */
FLOE_API floe_status floe_model_check(floe_model *model, floe_log *log);

FLOE_API const char *floe_model_name(const floe_model *model);
FLOE_API const char *floe_model_file(const floe_model *model);
/* The file's bytes as read, `length` of them and a NUL. */
FLOE_API const char *floe_model_text(const floe_model *model, size_t *length);
FLOE_API const char *floe_model_description(const floe_model *model); /* "" where there is none */
/* "sha256:" and the SHA-256 of the model's text in hexadecimal: the same text has the same digest. */
FLOE_API const char *floe_model_digest(const floe_model *model);

typedef struct {
  const char *name;
  int64_t value;
  bool given; /* by floe_model_define, not by the model */
} floe_constant;
/* After floe_model_check. */
FLOE_API size_t floe_model_constants(const floe_model *model);
FLOE_API floe_constant floe_model_constant(const floe_model *model, size_t i);

typedef enum {
  FLOE_INVARIANT,
  FLOE_NEVER,
  FLOE_REACHABLE,
  FLOE_DEADLOCK, /* built in, id "deadlock" */
  FLOE_ERRORS    /* built in, id "errors" */
} floe_property_kind;
FLOE_API const char *floe_property_kind_name(floe_property_kind kind);
typedef struct {
  const char *id;
  floe_property_kind kind;
  const char *description; /* "" where there is none */
  unsigned line;           /* 0: built in */
  const char *text;        /* its expression as written, "" where it is built in */
} floe_property;
/* After floe_model_check: the model's own in order, then deadlock (if checked), then errors. */
FLOE_API size_t floe_model_properties(const floe_model *model);
FLOE_API floe_property floe_model_property(const floe_model *model, size_t i);

/* A model's transitions as written (not instantiated). After floe_model_check. */
typedef struct {
  const char *process, *label, *from, *to; /* label: "" where there is none */
  unsigned line;
} floe_transition;
FLOE_API size_t floe_model_transitions(const floe_model *model);
FLOE_API floe_transition floe_model_transition(const floe_model *model, size_t i);

/* Expected results, as written in the model; available without a check. */
typedef enum { FLOE_HOLDS, FLOE_VIOLATED, FLOE_IS_REACHABLE, FLOE_UNREACHABLE, FLOE_UNDECIDED } floe_verdict_value;
FLOE_API const char *floe_verdict_name(floe_verdict_value value);
/* The verdict on a property of this kind where a state was found that it is about: VIOLATED or IS_REACHABLE. UNDECIDED:
   there is no such kind. */
FLOE_API floe_verdict_value floe_property_kind_found(floe_property_kind kind);
typedef struct {
  const char *property;
  floe_verdict_value value;
  int64_t depth; /* -1: not stated */
} floe_expected_verdict;
typedef struct {
  size_t constants;                               /* how many definitions, see floe_model_expected_constant */
  int64_t states, transitions, levels, deadlocks; /* -1: not stated */
  size_t verdicts;
  unsigned line;
} floe_expectation;
FLOE_API size_t floe_model_expectations(const floe_model *model);
FLOE_API floe_expectation floe_model_expectation(const floe_model *model, size_t i);
FLOE_API void floe_model_expected_constant(const floe_model *model, size_t i, size_t j, const char **name,
                                           const char **value);
FLOE_API floe_expected_verdict floe_model_expected_verdict(const floe_model *model, size_t i, size_t j);

/* ---- plan: the state layout -------------------------------------------------------------------- */

typedef struct {
  const char *name;
  uint32_t elements, bits_each, bits; /* bits = elements * bits_each */
  uint32_t word, shift;               /* of element 0 */
  uint32_t per_word;                  /* element i is in word + i / per_word, at bit shift + i % per_word * bits_each */
  int64_t low, high;
  const char *values; /* "0..10, 255": of those between low and high only these, stored by position; "": all of them */
} floe_layout_entry;
/* States of more than one word are explored by rank, or as roots of a tree (doc/design.md, "States of any width"). */
FLOE_API floe_status floe_model_layout_bits(floe_model *model, floe_log *log, uint32_t *bits, uint32_t *words);
FLOE_API size_t floe_model_layout_entries(const floe_model *model);
FLOE_API floe_layout_entry floe_model_layout_entry(const floe_model *model, size_t i);
/* Product of the ranges of all variables, an upper bound of the number of states (may be +inf). */
FLOE_API double floe_model_state_bound(const floe_model *model);

/* What the visited set has of a state. Which it is changes no count, verdict or certificate; a witness may be another
   of the same depth. */
typedef enum {
  FLOE_ENCODING_AUTO,   /* FIELDS, but RANK where keys of fields would be wider than 64 bits, or as many states as are
                           expected would not fit in memory with them, or a bitmap of all ranks takes the place of a
                           hash table for these */
  FLOE_ENCODING_FIELDS, /* bit fields, one for each variable (floe_model_layout_entry) */
  FLOE_ENCODING_INDEX    /* its rank (floe_model_index_key_plan) */
} floe_encoding;
FLOE_API const char *floe_encoding_name(floe_encoding encoding); /* "auto", "fields", "rank" */

typedef struct {
  const char *table;
  unsigned slot_bits;     /* primary level */
  uint64_t slots;         /* of all levels */
  uint64_t states;        /* that fit at the fill at which the table would have to grow */
  double bytes_per_state; /* table bytes over `states` */
} floe_table_plan;
/* The i-th table layout that can hold the model's keys in `bytes` of memory; FLOE_ERROR_USAGE past the end. */
FLOE_API floe_status floe_model_table_plan(const floe_model *model, size_t i, uint64_t bytes, floe_table_plan *out);
/* The visited set that a search on the CPU has where no table is named (floe_options.table), and why. */
typedef struct {
  const char *table;      /* that it begins with: "bitmap", a bit for each key that the model's states can have, or a
                             hash table */
  uint64_t bytes;         /* of that one; a hash table grows */
  uint64_t bitmap_bytes;  /* of a bitmap; 0: there are too many keys for one */
  bool becomes_bitmap;    /* a bitmap takes its place when it is to grow to a table that is no smaller */
  floe_encoding encoding; /* of the keys: FIELDS or RANK (after floe_model_index_key_plan alone) */
  const char *why;        /* for people, a phrase */
  const char *why_keys;   /* the same, of the encoding */
} floe_visited_plan;
/* In `memory` bytes, with so many states expected; 0: as the model says. The plan's strings stay. FLOE_ERROR_USAGE:
   keys are wider than 64 bits. */
FLOE_API floe_status floe_model_visited_plan(const floe_model *model, uint64_t memory, uint64_t expected_states,
                                             floe_visited_plan *out);
/* What a visited set in two levels holds (--table=working-set, and what a GPU goes on with when its memory is full):
   about so many states in the GPU's table, and all others in the host's memory, in tables of a part of them each. */
typedef struct {
  unsigned shards, slot_bits; /* tables of the host; their first level */
  uint64_t host_states, gpu_states;
  double bytes_per_state; /* of the host's memory over `host_states` */
} floe_host_backed_plan;
/* FLOE_ERROR_USAGE: keys are wider than 64 bits. FLOE_ERROR_MEMORY: `memory` is too small for any such tables. */
FLOE_API floe_status floe_model_host_backed_plan(const floe_model *model, uint64_t memory, uint64_t gpu_memory,
                                                floe_host_backed_plan *out);
/* Keys by rank: a state's number among all that the model allows by what is certain of all reachable ones: ranges (of a
   variable, by a process's location, by a channel's length), and variables that others determine. */
typedef struct {
  uint64_t keys;     /* ranks are below it */
  unsigned bits;     /* of the greatest */
  double exact_bits; /* the logarithm of `keys`: the sum of what the variables cost */
} floe_index_key_plan;
/* FLOE_ERROR_UNSUPPORTED, without a message: more than 2^63 ranks, the model has none. FLOE_ERROR_INTERRUPTED. Where
   states are wider than 64 bits, floe_model_table_plan and floe_model_host_backed_plan are of ranks from now on. */
FLOE_API floe_status floe_model_index_key_plan(floe_model *model, floe_log *log, floe_index_key_plan *out);
typedef struct {
  double bits;                   /* of a key that this variable costs; shares where ranges depend on one another */
  uint32_t constant, dependent; /* elements that have one value, and those that others determine: they cost nothing */
} floe_index_key_entry;
/* Of the variable of floe_model_layout_entry(model, i), after floe_model_index_key_plan; else zeros. */
FLOE_API floe_index_key_entry floe_model_index_key_entry(const floe_model *model, size_t i);
/* The generated code of the model for keys of fields, as C text. */
FLOE_API floe_status floe_model_code(floe_model *model, floe_log *log, const char **text);

/* ---- exploration ------------------------------------------------------------------------------- */

typedef struct {
  uint64_t states, transitions, frontier, duplicates;
  uint32_t depth;
  double seconds;
  double rate;       /* states per second since the last report */
  double table_fill; /* 0..1 */
  uint64_t bytes;    /* table, frontier and buffers */
  const char *phase; /* NULL: states are being explored; else what comes before, "compiling the model": the figures but
                        seconds are 0 then */
} floe_progress;

typedef enum {
  FLOE_ORDER_STATES, /* each state once, in the order of discovery */
  FLOE_ORDER_LOOKUPS /* every key that was looked up in the visited set, duplicates included */
} floe_order_kind;
FLOE_API const char *floe_order_kind_name(floe_order_kind kind);

/* Set by floe_options_init to the defaults named here. */
typedef struct {
  size_t struct_size; /* set by floe_options_init: lets the struct grow */
  floe_engine engine; /* AUTO */
  unsigned threads;   /* 0: one per core that the process may use */
  /* NULL, or "auto": chosen, a hash table ("iceberg"), or a bitmap of all keys that there can be where that is no
     larger, from the beginning or once it is (floe_model_visited_plan); but options of hash tables (permutation, slots,
     buckets) keep it one. "bitmap", "linear" and so on: that one */
  const char *table;
  const char *permutation;       /* NULL: the table's default */
  unsigned slot_bits;            /* 0: chosen; else 16, 21, 32 or 64 */
  unsigned bucket_slots;         /* 0: chosen; else 8, 16 or 32; with slots of 21 bits 12 or 24 */
  uint64_t initial_slots;        /* 0: chosen */
  uint64_t memory;               /* bytes; 0: 80 % of floe_memory_available() */
  uint32_t max_depth;            /* UINT32_MAX: no bound; states of this depth are not expanded */
  uint64_t max_states;           /* UINT64_MAX: no bound; stops at the end of the level that passes it */
  double timeout;                /* seconds; 0: none */
  bool go_on;                    /* --continue: explore everything whatever is violated */
  bool count_only;               /* check no property but `errors` */
  bool traces;                   /* true: find a trace for each violated or reachable property */
  const char *const *properties; /* ids to check; NULL: all */
  size_t property_count;
  const char *cache_dir; /* NULL: $FLOE_CACHE_DIR, else $XDG_CACHE_HOME/floe, else ~/.cache/floe; "": none */
  const char *compiler;  /* NULL: $FLOE_CC, else cc; "": none (interpreter) */
  void (*progress)(const floe_progress *progress, void *user); /* NULL: none */
  void *user;
  double progress_seconds;    /* 1 */
  bool why_never;             /* false; true: a second pass finds out why transitions never fired (floe_result_unfired) */
  const char *visited_order;  /* file for the keys visited, see floe_order_open; NULL: none */
  floe_order_kind order_kind; /* STATES */
  bool order_compress;        /* by zstd; a name that ends in .zst asks for it as well */
  /* The table is made for so many states at once; any number is right, a good one saves memory and time. 0: the number
     that the model expects for the constants in use, if it says so. Not used where initial_slots is given. */
  uint64_t expected_states;
  unsigned gpu_device;     /* 0: number of the GPU, as in floe_devices */
  uint64_t gpu_memory;     /* bytes of that GPU's memory; more than is free is as much as is free; 0: by gpu_share */
  double gpu_share;        /* part of what is free there, 0..1; 0: 0.95 */
  const char *checkpoint;  /* file that the search is written to, for floe_resume; what was there before stays as
                              FILE.previous. Always when it ends by memory, time, floe_interrupt or max_states; NULL:
                              never. Not with visited_order */
  double checkpoint_every; /* 600: seconds between two; 0: none but that at the end */
  floe_encoding encoding;  /* AUTO; of a search that goes on that of its file */
  const char *devices;     /* several GPUs of this host that explore together: "0,1,2,3", or "all", at most 16; NULL or
                              "": gpu_device alone, or, with AUTO, where that is 0, all for searches that are known, or turn
                              out, to be large, or that one would not hold; not with visited_order or checkpoint. gpu_memory
                              and gpu_share are of each */
} floe_options;

FLOE_API void floe_options_init(floe_options *options);

typedef struct floe_result floe_result;

/* Explores the model. FLOE_OK also when a property is violated or the run ended early: the result
   says; and when the file for the order was begun and could not be finished. */
FLOE_API floe_status floe_explore(floe_model *model, const floe_options *options, floe_log *log, floe_result **out);
/* Goes on with the search that was written to `file` (floe_options.checkpoint), of this model with the same constants,
   on any engine, table and machine, and ends as a run without a break would have: result, certificate, traces.
   properties, count_only, go_on and the encoding of keys are those of the file. max_depth and max_states are, too,
   unless they are set; they count from the initial state, `timeout` and `progress` from this call. Where the file is
   damaged FILE.previous is taken, and a warning says so. FLOE_ERROR_IO: there is no sound file; FLOE_ERROR_USAGE: it is
   of another model, other constants, or the options contradict it; the log says which. */
FLOE_API floe_status floe_resume(floe_model *model, const char *file, const floe_options *options, floe_log *log,
                                 floe_result **out);
/* The model of that search, with its constants: from the path `model`, NULL: from that which the search had it from.
 *count_only, NULL is allowed: of the file. Errors as of floe_model_load and floe_resume. */
FLOE_API floe_status floe_resume_model(const char *file, const char *model, floe_log *log, floe_model **out,
                                       bool *count_only);
FLOE_API void floe_result_free(floe_result *result);

/* ---- several processes --------------------------------------------------------------------------

   Of an MPI job, rank 0 uses the library as ever, and floe_explore explores with all of them: every rank has the states
   whose hash is its, on its own CPU's threads and in its own memory. The others call floe_mpi_worker and nothing
   else. One exploration at a time. */

/* As many processes as the launcher says it started with this one: mpirun or mpiexec of Open MPI and MPICH, Slurm's
   srun with PMI-2 or PMIx; 1: it was started alone. */
FLOE_API unsigned floe_mpi_started(void);
/* Joins the others. *count is 1, *rank 0, and nothing is opened, where no launcher says that there are others.
   FLOE_ERROR_UNSUPPORTED: there are, and floe's module for MPI is missing. FLOE_ERROR_IO: MPI failed. */
FLOE_API floe_status floe_mpi_init(floe_log *log, unsigned *rank, unsigned *count);
/* In every rank but 0, once joined: explores with rank 0 until that leaves; *code is what it left with. Of the options
   (NULL: defaults) threads, memory, compiler and cache_dir are heeded. FLOE_ERROR_USAGE: this is no such rank;
   where it cannot go on with the others the job is aborted, with exit code 4 where the launcher hands that on. */
FLOE_API floe_status floe_mpi_worker(const floe_options *options, int *code);
/* In rank 0: the others end, with this exit code, and MPI. Nothing where there are none. exit() does it as well, with
   code 4. From any thread; while another one explores the job is aborted. */
FLOE_API void floe_mpi_finalize(int code);

/* What a rank had of the exploration, or each of several devices. */
typedef struct floe_index_key {
  uint64_t states, transitions; /* that it has; that it fired */
  uint64_t table_bytes, threads;
  uint64_t messages, sent; /* of states, to other ranks, and states in them */
  double waiting_seconds;  /* with nothing to do but to wait for other ranks */
} floe_index_key;
FLOE_API size_t floe_result_ranks(const floe_result *result); /* 0: one process explored, on its
                                                                      threads or on one device */
FLOE_API floe_index_key floe_result_rank(const floe_result *result, size_t i);

/* Makes what is running (reading a model, exploring it) end soon, as undecided; when nothing is, the next as soon as it
   starts. Async-signal-safe. A program that uses a GPU should not call it in a handler of SIGINT or SIGTERM: NVRTC puts
   handlers of its own in their place for 0.1 s while it compiles, which end the process. Such signals are best blocked
   in all threads, and taken by one thread with sigwait. */
FLOE_API void floe_interrupt(void);

typedef enum {
  FLOE_END_COMPLETE, /* every reachable state was explored */
  FLOE_END_DECIDED,  /* stopped: a violation, or all selected properties decided */
  FLOE_END_DEPTH,    /* max_depth */
  FLOE_END_STATES,   /* max_states */
  FLOE_END_MEMORY,
  FLOE_END_TIMEOUT,
  FLOE_END_INTERRUPT,
  FLOE_END_DISK /* states that waited in a temporary file cannot be read back: the log says why */
} floe_end;
FLOE_API const char *floe_end_name(floe_end end);

/* On the CPU, where explore_seconds went: the sum of all but `waiting`. All 0 on a GPU. */
typedef struct {
  double together; /* all threads expand a level */
  double clearing; /* all threads have the system clear the pages of a table */
  double moving;   /* all threads move keys to a larger table */
  double alone;    /* one thread expands small levels */
  double growing;  /* one thread makes larger tables, moves few keys */
  double between;  /* one thread begins the run, begins and closes levels */
  double waiting;  /* thread-seconds in these three in which a thread waited for the others */
} floe_phases;

typedef struct {
  floe_end end;
  bool complete;             /* every reachable state explored; but see `cut` */
  const char *engine;        /* "cpu", "gpu", "interpreter": what explored */
  const char *engine_detail; /* for people: threads, SIMD, compiler; GPU, blocks */
  const char *table;         /* "iceberg"; what it was at the end, where it changed */
  const char *table_detail;  /* for people: slot widths, bucket sizes, slots */
  unsigned threads, key_bits, slot_bits, bucket_slots;
  uint64_t states, transitions, deadlocks;
  uint32_t levels;         /* levels found, level 0 counted */
  uint32_t complete_depth; /* every state up to this depth was explored and checked */
  bool any_complete;       /* false: not even level 0 was */
  uint32_t max_out_degree;
  uint64_t growths; /* times the table was rehashed */
  double parse_seconds, compile_seconds, explore_seconds, trace_seconds, total_seconds;
  uint64_t peak_bytes;     /* of the whole process (peak resident set) */
  uint64_t table_bytes;    /* at the end */
  uint64_t frontier_bytes; /* at its peak */
  double table_fill;
  const char *certificate; /* one line, see doc/semantics.md */
  double start_seconds;    /* taking a GPU and its memory, and what was tried on the CPU before */
  uint64_t spilled_states; /* that left the GPU's memory for the host's for a while */
  const char *simd;        /* of the table's scan: "avx512", "avx2", "portable"; "" on a GPU */
  /* A firing failed, first at level cut_depth. What would follow it is not explored: `complete` and all numbers are of
     the states explored, depths above cut_depth + 1 the least in them (doc/semantics.md, "After a failing firing"). */
  bool cut;
  uint32_t cut_depth;
  bool order_lost; /* visited_order could not be written to the end (the log says why): there is no
                      such file */
  floe_phases phases;
  uint64_t disk_bytes;       /* written to a temporary file: states that wait, for which memory was short */
  uint64_t checkpoints;      /* written by this run */
  double checkpoint_seconds; /* that nothing was explored for them; a part of explore_seconds */
  uint64_t checkpoint_bytes; /* of the last one */
  bool checkpoint_lost;      /* the last one could not be written (the log says why); an earlier one may be there */
  floe_encoding encoding;    /* of the keys: FIELDS or RANK */
  uint64_t tree_bytes;       /* at the end, of the tables that give states of several words their roots, which are what
                                the table has; 0: states are of one word */
  uint64_t tree_contents;    /* of all of these tables */
  unsigned root_bits;        /* in the table, at the end; 0: states are of one word */
} floe_summary;

FLOE_API const floe_summary *floe_result_summary(const floe_result *result);
FLOE_API uint64_t floe_result_level_states(const floe_result *result, uint32_t level);
/* Firings of the i-th transition of the model (floe_model_transition). */
FLOE_API uint64_t floe_result_fired(const floe_result *result, size_t i);

/* The figures of the summary one after the other, for who shows or keeps them without knowing each: those of floe
   --json, in its order. A later library may have more. */
typedef struct {
  const char *name;        /* "states", "seconds.explore": as --json calls it */
  const char *unit;        /* "states", "seconds", "bytes"; "" where there is none */
  const char *description; /* "" where the name says it */
  bool exact;     /* of what was explored, equal for every engine, table, number of threads; else what that took */
  bool whole;     /* it is a whole number */
  uint64_t count; /* it, where it is whole */
  double real;    /* it, in any case */
} floe_statistic;
FLOE_API size_t floe_result_statistics(const floe_result *result);
FLOE_API floe_statistic floe_result_statistic(const floe_result *result, size_t i);

/* Why a verdict is FLOE_UNDECIDED: the first of these that is true. */
typedef enum {
  FLOE_UNDECIDED_NOT,        /* it is decided */
  FLOE_UNDECIDED_EVALUATION, /* the property's evaluation failed in some state */
  FLOE_UNDECIDED_END,        /* the run ended before every state was looked at: floe_summary.end */
  FLOE_UNDECIDED_STEP        /* a firing failed (floe_summary.cut); nothing was found in the states explored */
} floe_undecided;
FLOE_API const char *floe_undecided_name(floe_undecided why); /* "", "evaluation", "end", "step" */

/* Verdicts of the properties checked, in the model's order. */
typedef struct floe_trace floe_trace;
typedef struct {
  floe_property property;
  floe_verdict_value value;
  bool wanted;             /* the verdict is what the property asks for (undecided: false) */
  int64_t depth;           /* of the violation or witness; -1: none */
  const floe_trace *trace; /* NULL: none */
  const char *cause;       /* for `errors`: what went wrong, in words with the place; else "" */
  floe_undecided undecided;
} floe_verdict;
FLOE_API size_t floe_result_verdicts(const floe_result *result);
FLOE_API floe_verdict floe_result_verdict(const floe_result *result, size_t i);

/* A trace: states 0..steps and the step between each two. For `errors` the last step has no state after it. */
typedef struct {
  const char *name;   /* "turn", "flag[1]", "P[0]" (its location), "P[0].x", "c" (a channel's content) */
  const char *before; /* "" in the first state */
  const char *after;
} floe_change;
typedef struct {
  const char *name;
  int64_t value;
  const char *text; /* the value as people write it: its name where it is of an enumeration */
} floe_select;
typedef struct {
  const char *name;    /* "P[0]" */
  const char *process; /* "P" */
  uint32_t instance;
  const char *label;     /* "" where there is none */
  const char *from, *to; /* locations */
  unsigned line;         /* of its transition in the model */
} floe_participant;
typedef struct {
  const char *action;  /* "P[0] enter", "S[0] send -> R[0] get", with select values "P[1] take {i=2}" */
  const char *process; /* initiating instance, "P[0]" */
  const char *label;
  unsigned line; /* of the initiator's transition in the model */
  size_t changes;
  const floe_change *change_list; /* [changes] */
  size_t selects;
  const floe_select *select_list; /* [selects], those that the model names */
  size_t participants;
  const floe_participant *participant_list; /* [participants], the initiator first */
  const char *cause;                        /* "": the step leads to a state; else why it fails, as of a verdict */
} floe_step;
FLOE_API size_t floe_trace_steps(const floe_trace *trace);
FLOE_API size_t floe_trace_initial(const floe_trace *trace); /* number of variables in state 0 */
FLOE_API floe_change floe_trace_initial_value(const floe_trace *trace, size_t i);
/* The same of the last state; of a violation of `errors` that in which the last step fails. */
FLOE_API floe_change floe_trace_last_value(const floe_trace *trace, size_t i);
FLOE_API floe_step floe_trace_step(const floe_trace *trace, size_t step);
FLOE_API floe_change floe_trace_change(const floe_trace *trace, size_t step, size_t i);
/* The parts of the property in the last state: "count(...) <= 1" = "2" and so on. */
FLOE_API size_t floe_trace_parts(const floe_trace *trace);
FLOE_API void floe_trace_part(const floe_trace *trace, size_t i, const char **text, const char **value);

/* What keeps a transition from firing. */
typedef enum {
  FLOE_OBSTACLE_GUARD,     /* a part of its guard is false */
  FLOE_OBSTACLE_PARTNER,   /* nobody is at the other end of its channel */
  FLOE_OBSTACLE_FULL,      /* its channel is full */
  FLOE_OBSTACLE_EMPTY,     /* its channel is empty */
  FLOE_OBSTACLE_MESSAGE,   /* the message is not one that is taken */
  FLOE_OBSTACLE_COMMITTED, /* an instance is at a committed location, whose steps come first */
  FLOE_OBSTACLE_CONSTANTS  /* it cannot fire for these constants; its guard is false, or nobody is there to synchronise
                              with */
} floe_obstacle_kind;
FLOE_API const char *floe_obstacle_kind_name(floe_obstacle_kind kind); /* "guard", "partner" and so on */
typedef struct {
  floe_obstacle_kind kind;
  const char *text; /* GUARD: that part as written, "fork[self] == 0"; else in words, "c[1] is full" */
  size_t values;
  const floe_change *value_list; /* [values], GUARD: what it reads in that state; `before` is "" */
} floe_obstacle;
/* In the last state of a trace of `deadlock`: for each instance the transitions that lead from where it is, each with
   what keeps it from firing. Where there are several ways to fire it the nearest is told. */
typedef struct {
  const char *process;  /* "P[0]" */
  const char *location; /* at which it is */
  const char *label;    /* "" where there is none */
  const char *to;       /* "": no transition leads from there, and it waits for nothing */
  unsigned line;        /* of the transition in the model; 0: there is none */
  size_t selects;
  const floe_select *select_list; /* [selects], of the nearest way */
  size_t obstacles;
  const floe_obstacle *obstacle_list; /* [obstacles] */
} floe_wait;
FLOE_API size_t floe_trace_blocked_count(const floe_trace *trace); /* 0: it is of another property */
FLOE_API floe_wait floe_trace_wait(const floe_trace *trace, size_t i);
FLOE_API bool floe_trace_blocked_incomplete(const floe_trace *trace); /* there was no time to find what all of them wait for */

/* Why transitions never fired (options.why_never): for each of them the conditions that it waits for, counted over the
   states that were expanded, and the state in which most of them are true at once. */
typedef struct {
  const char *text; /* "at wait", "turn == self", "another instance can receive c[i]" */
  uint64_t states;  /* in which it is true for some instance and choice */
  bool met;         /* in the nearest state */
} floe_unfired_condition;
typedef struct {
  size_t transition; /* floe_model_transition */
  uint64_t states;   /* looked at */
  size_t conditions; /* 0: it cannot fire for these constants; its guard is false, or nobody is there to synchronise */
  size_t met;        /* most conditions that are true at once for one instance and choice */
  const char *who;   /* these: "P[1]", "S[0] with R[1] {i=2}" */
  uint32_t depth;    /* of the nearest state in which that is so */
  size_t values;     /* of that state */
} floe_unfired;
FLOE_API size_t floe_result_unfired_count(const floe_result *result);
FLOE_API floe_unfired floe_result_unfired(const floe_result *result, size_t i);
FLOE_API floe_unfired_condition floe_result_unfired_condition(const floe_result *result, size_t i, size_t condition);
FLOE_API floe_change floe_result_unfired_value(const floe_result *result, size_t i, size_t value);

/* ---- order files ------------------------------------------------------------------------------- */

/* What an exploration with `visited_order` set wrote (format: doc/order.md). The file gets its name when
   the exploration has ended; one that ended early leaves the keys up to there. With one thread the
   order is the breadth-first order: states of a level in the order of their discovery, successors of
   a state in the order of transitions and choices. */
typedef struct floe_order floe_order;
typedef struct {
  floe_order_kind kind;
  unsigned key_bits;
  unsigned key_words; /* of 64 bits, that a key takes in floe_order_read */
  unsigned key_bytes; /* that a key takes in the file */
  uint64_t count;     /* keys */
  unsigned threads;
  bool canonical; /* one thread: the order is that of breadth-first search */
  bool complete;  /* every reachable state was explored (of a model whose steps fail: every one reached by other steps);
                     else `end` says what came first */
  floe_end end;
  bool compressed;
  const char *model;  /* its name */
  const char *digest; /* as floe_model_digest */
  const char *writer; /* floe_version of the floe that wrote it */
  size_t constants;   /* see floe_order_constant */
} floe_order_info;

/* FLOE_ERROR_IO: it cannot be read or is no sound order file; the log says why, and outlives the
   order, as `path` does. */
FLOE_API floe_status floe_order_open(const char *path, floe_log *log, floe_order **out);
FLOE_API void floe_order_close(floe_order *order);
FLOE_API const floe_order_info *floe_order_information(const floe_order *order);
FLOE_API floe_constant floe_order_constant(const floe_order *order, size_t i); /* never `given` */
/* Reads the next keys, up to `most`, of key_words words each; *count is 0 after the last one. With
   the last one what follows in the file is checked: FLOE_ERROR_IO, with `keys` undefined, when the
   checksum is another. */
FLOE_API floe_status floe_order_read(floe_order *order, uint64_t *keys, size_t most, size_t *count);

/* ---- checkpoints ------------------------------------------------------------------------------- */

/* The file of a search at rest, from which another run goes on (format: doc/checkpoint.md). */
typedef struct floe_checkpoint floe_checkpoint;
typedef struct {
  const char *model;  /* its name */
  const char *file;   /* path of its text, as the run was given it; "": not known */
  const char *digest; /* "sha256:" and hexadecimal digits, of the ground model: variables, transitions, properties */
  const char *writer; /* floe_version of the floe that wrote it */
  size_t constants;   /* see floe_checkpoint_constant */
  size_t options;     /* see floe_checkpoint_option */
  unsigned key_bits;
  unsigned key_words; /* of 64 bits, that a state takes */
  int64_t written;    /* seconds since 1970 */
  double seconds;     /* explored so far */
  uint64_t states, transitions;
  uint32_t levels;          /* found so far, see floe_checkpoint_level */
  uint32_t complete_levels; /* expanded in full */
  uint64_t frontier;        /* states found that are not expanded yet */
  size_t hits;              /* properties triggered so far */
  uint64_t bytes;           /* of the file */
} floe_checkpoint_info;

/* Reads all but the states. FLOE_ERROR_IO: it cannot be read, is no checkpoint or is damaged; FLOE_ERROR_UNSUPPORTED:
   this floe does not know its version of the format. The log says it, and outlives the checkpoint. */
FLOE_API floe_status floe_checkpoint_open(const char *path, floe_log *log, floe_checkpoint **out);
FLOE_API void floe_checkpoint_close(floe_checkpoint *checkpoint);
FLOE_API const floe_checkpoint_info *floe_checkpoint_information(const floe_checkpoint *checkpoint);
FLOE_API floe_constant floe_checkpoint_constant(const floe_checkpoint *checkpoint, size_t i);
/* "--name=value", of the run that wrote it; "": there are not so many. */
FLOE_API const char *floe_checkpoint_option(const floe_checkpoint *checkpoint, size_t i);
FLOE_API uint64_t floe_checkpoint_level(const floe_checkpoint *checkpoint, size_t i); /* its states */

typedef struct {
  const char *name; /* NULL: there are not so many sections */
  uint64_t states, blocks;
  uint64_t bytes; /* that it takes in the file */
} floe_checkpoint_section;
/* The parts of the file that have states: keys (all found), rest (to be expanded in the level in work), next (of the
   next level), pending (to be looked up). */
FLOE_API floe_checkpoint_section floe_checkpoint_section_at(const floe_checkpoint *checkpoint, size_t i);

/* Reads all states and looks at every checksum, on so many threads (0: one a core). FLOE_ERROR_IO: it is damaged, or
   cannot be read; the log says where. */
FLOE_API floe_status floe_checkpoint_verify(floe_checkpoint *checkpoint, unsigned threads);

/* ---- state graphs ------------------------------------------------------------------------------ */

/* All states of a model in memory, numbered breadth first from 0, the initial one. States may be of
   any width. The model must not be given other constants, and not be freed, as long as the graph
   lives. */
typedef struct floe_graph floe_graph;
typedef enum {
  FLOE_GRAPH_AUT, /* Aldebaran: "des (0, transitions, states)", then (from, "action", to) */
  FLOE_GRAPH_DOT  /* Graphviz */
} floe_graph_format;

/* On all cores; of the options engine (a GPU is not used), threads, compiler, cache_dir, max_states, memory and timeout
   count, and none changes the graph. FLOE_OK also when one of the last three, or floe_interrupt, came first. Firings
   that fail are not in the graph: the log has a warning then. */
FLOE_API floe_status floe_graph_create(floe_model *model, const floe_options *options, floe_log *log, floe_graph **out);
FLOE_API void floe_graph_free(floe_graph *graph);
FLOE_API floe_end floe_graph_end(const floe_graph *graph); /* FLOE_END_COMPLETE: it is whole */
FLOE_API uint64_t floe_graph_states(const floe_graph *graph);
FLOE_API uint64_t floe_graph_transitions(const floe_graph *graph); /* as an exploration counts them */
/* FLOE_ERROR_USAGE: it is not whole. FLOE_ERROR_IO: the stream has an error. */
FLOE_API floe_status floe_graph_write(floe_graph *graph, floe_graph_format format, FILE *stream);

/* ---- walks ------------------------------------------------------------------------------------- */

/* One way through the states of a model, step by step, by the reference interpreter. States may be of
   any width. The model must not be given other constants, and not be freed, while it is walked. Texts that a walk
   hands out, and lists of them, live until it moves (fire, undo) or is freed. FLOE_ERROR_MEMORY, of any of
   these functions, leaves the walk where it is. */
typedef struct floe_simulator floe_simulator;

/* At the initial state. */
FLOE_API floe_status floe_simulator_create(floe_model *model, floe_log *log, floe_simulator **out);
FLOE_API void floe_simulator_free(floe_simulator *simulator);

/* Steps from the initial state to this one. */
FLOE_API size_t floe_simulator_depth(const floe_simulator *simulator);
/* Every variable in this state, as floe_trace_initial_value has them. */
FLOE_API floe_status floe_simulator_state(floe_simulator *simulator, const floe_change **values, size_t *count);
/* Number of firings in this state, failing ones included: 0 is a deadlock. */
FLOE_API floe_status floe_simulator_enabled(floe_simulator *simulator, size_t *count);
/* The i-th of them, in the model's order: what it would do. FLOE_ERROR_USAGE: there is none. */
FLOE_API floe_status floe_simulator_step(floe_simulator *simulator, size_t i, floe_step *step);
/* Does it fail? Cheaper than to ask for the whole step. */
FLOE_API floe_status floe_simulator_step_fails(floe_simulator *simulator, size_t i, bool *fails);
/* Takes it. FLOE_ERROR_MODEL: it fails (the cause of the step says why); the walk stays. */
FLOE_API floe_status floe_simulator_fire(floe_simulator *simulator, size_t i);
/* The step that led to this state. FLOE_ERROR_USAGE: this is the initial state, or the step is forgotten. */
FLOE_API floe_status floe_simulator_last_step(floe_simulator *simulator, floe_step *step);
/* Takes the last step back. FLOE_ERROR_USAGE: this is the initial state, or the step is forgotten. */
FLOE_API floe_status floe_simulator_undo(floe_simulator *simulator);
/* Back at the initial state. */
FLOE_API void floe_simulator_restart(floe_simulator *simulator);
/* Keeps this state and nothing of the steps that led to it, but for their number: a walk takes some bytes and its
   packed state for each step, and so a long one that never goes back need not. */
FLOE_API void floe_simulator_forget(floe_simulator *simulator);

/* Adds 1 to fired[i] for every transition of the model (floe_model_transition) that the step which led to this state
   fires, as floe_result_fired counts. FLOE_ERROR_USAGE: this is the initial state, or the step is forgotten. */
FLOE_API floe_status floe_simulator_count(const floe_simulator *simulator, uint64_t *fired);
/* Of this state: equal states of a model have equal ones, in any walk; others differ but for the chance of 64 bits. */
FLOE_API uint64_t floe_simulator_hash(const floe_simulator *simulator);

/* What this state means for the i-th property (floe_model_property). */
typedef struct {
  bool triggered;    /* INVARIANT, NEVER: violated; REACHABLE: reached; DEADLOCK: one that is not excused; ERRORS: a
                        firing fails, or a property cannot be evaluated */
  const char *cause; /* of ERRORS: the first error of the state, in words with the place; else "" */
} floe_property_value;
FLOE_API floe_status floe_simulator_property(floe_simulator *simulator, size_t i, floe_property_value *out);
/* What each instance waits for in the present state, where nothing is enabled: a trace of no steps, for
   floe_trace_blocked_count, until the walk moves. It may take so many seconds (0: any time), then floe_trace_blocked_incomplete.
   FLOE_ERROR_USAGE: something is enabled. */
FLOE_API floe_status floe_simulator_blocked(floe_simulator *simulator, double seconds, const floe_trace **out);

#ifdef __cplusplus
}
#endif

#endif
