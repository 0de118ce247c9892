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
 * Functions return a status and set their outputs only when it is FLOE_OK. What is wrong is told in
 * the log. The library never prints and never exits. Objects are not to be shared between threads
 * without locking, except floe_interrupt, which any thread or signal handler may call, and hash
 * tables, which say what they allow. Strings that are returned belong to the object asked and live
 * as long as it does.
 *
 * Arguments that make no sense do no harm: NULL where an object, a text, an array or an output is
 * needed, an index past the end, a number that is none of its enum, a model that was not checked
 * where it has to be. A function with a status returns FLOE_ERROR_USAGE then, and what is NULL is
 * told. Any other one returns nothing: 0, false, an empty text ("unknown" as the name of what there
 * is not) or a struct in which all is 0, pointers NULL; void ones do nothing, or set outputs to
 * NULL. NULL is allowed for a log (nothing is told), for options (the defaults), for what is freed,
 * and where it is said. An object that was freed before cannot be told from a sound one.
 */
#ifndef FLOE_H
#define FLOE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FLOE_API __attribute__((visibility("default")))
#else
#define FLOE_API
#endif

typedef enum {
  FLOE_OK = 0,
  FLOE_ERROR_MODEL,       /* the model (or a constant given) is wrong; the log says where */
  FLOE_ERROR_USAGE,       /* an argument makes no sense */
  FLOE_ERROR_IO,          /* a file cannot be read or written */
  FLOE_ERROR_MEMORY,      /* out of memory where going on is impossible */
  FLOE_ERROR_UNSUPPORTED, /* known, but not to be had here: no compiler, no GPU, model too wide */
  FLOE_ERROR_INTERNAL,    /* floe itself is wrong, for example a trace that does not replay */
  FLOE_ERROR_INTERRUPTED  /* floe_interrupt came before there was anything to tell */
} floe_status;

FLOE_API const char *floe_version(void);
FLOE_API const char *floe_status_name(floe_status status);

/* ---- messages ---------------------------------------------------------------------------------- */

typedef struct floe_log floe_log;
typedef enum { FLOE_NOTE, FLOE_WARNING, FLOE_ERROR } floe_severity;
typedef struct {
  floe_severity severity;
  const char *file;      /* NULL: not about a file */
  unsigned line, column; /* from 1; 0: unknown. Columns count characters */
  const char *message;
  const char *hint;    /* NULL: none */
  const char *excerpt; /* the source line without its end, NULL: none */
} floe_message;

FLOE_API floe_status floe_log_create(floe_log **out);
FLOE_API void floe_log_free(floe_log *log);
FLOE_API size_t floe_log_count(const floe_log *log);
FLOE_API const floe_message *floe_log_at(const floe_log *log, size_t i);
FLOE_API size_t floe_log_errors(const floe_log *log);
FLOE_API size_t floe_log_dropped(const floe_log *log); /* errors counted but not kept */
FLOE_API void floe_log_clear(floe_log *log);

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
  int64_t low, high;
} floe_layout_entry;
/* Works for models wider than 64 bits too (bits > 64), which cannot be explored yet. */
FLOE_API floe_status floe_model_layout_bits(floe_model *model, floe_log *log, uint32_t *bits, uint32_t *words);
FLOE_API size_t floe_model_layout_entries(const floe_model *model);
FLOE_API floe_layout_entry floe_model_layout_entry(const floe_model *model, size_t i);
/* Product of the ranges of all variables, an upper bound of the number of states (may be +inf). */
FLOE_API double floe_model_state_bound(const floe_model *model);

typedef struct {
  const char *table;
  unsigned slot_bits;     /* primary level */
  uint64_t slots;         /* of all levels */
  uint64_t states;        /* that fit at the fill at which the table would have to grow */
  double bytes_per_state; /* table bytes over `states` */
} floe_table_plan;
/* The i-th table layout that can hold the model's keys in `bytes` of memory; FLOE_ERROR_USAGE past the end. */
FLOE_API floe_status floe_model_table_plan(const floe_model *model, size_t i, uint64_t bytes, floe_table_plan *out);
/* Memory this process may use, in bytes: machine, cgroup and ulimit respected. */
FLOE_API uint64_t floe_memory_available(void);

/* The generated code of the model, as C text. */
FLOE_API floe_status floe_model_code(floe_model *model, floe_log *log, const char **text);

/* ---- devices ----------------------------------------------------------------------------------- */

/* What there is to explore on. Asking takes some tenths of a second for each GPU. */
typedef struct floe_devices floe_devices;
typedef struct {
  const char *name; /* "" where the system does not tell */
  unsigned cores;   /* that this process may use */
  const char *simd; /* of the tables' scans, the best that it has: "avx512", "avx2", "portable" */
  uint64_t memory;  /* floe_memory_available() */
} floe_cpu;
typedef struct {
  unsigned number;                       /* for floe_options.gpu_device */
  const char *name;                      /* "NVIDIA H200" */
  const char *bus;                       /* PCI address, "" where it is not told */
  unsigned compute_major, compute_minor; /* compute capability */
  uint64_t memory, memory_free;          /* bytes; free 0: unknown */
  unsigned multiprocessors, clock_mhz;   /* clock 0: unknown */
  const char *why_not;                   /* why it cannot be used; "": it can */
} floe_gpu;

/* FLOE_OK also where there is no GPU. */
FLOE_API floe_status floe_devices_create(floe_devices **out);
FLOE_API void floe_devices_free(floe_devices *devices);
FLOE_API floe_cpu floe_devices_cpu(const floe_devices *devices);
FLOE_API size_t floe_devices_gpus(const floe_devices *devices);
FLOE_API floe_gpu floe_devices_gpu(const floe_devices *devices, size_t i);
FLOE_API const char *floe_devices_no_gpu(const floe_devices *devices); /* why there is none; "": there is one */
/* "13.0": the newest CUDA that the driver knows; "" without a driver. */
FLOE_API const char *floe_devices_driver(const floe_devices *devices);
/* "13.0": NVRTC, which makes the kernels; "" where it is not to be had, for the reason that floe_devices_no_nvrtc has:
   then only models whose kernels are in the cache can be explored on a GPU. */
FLOE_API const char *floe_devices_nvrtc(const floe_devices *devices);
FLOE_API const char *floe_devices_no_nvrtc(const floe_devices *devices);

/* ---- exploration ------------------------------------------------------------------------------- */

typedef enum { FLOE_ENGINE_AUTO, FLOE_ENGINE_CPU, FLOE_ENGINE_GPU, FLOE_ENGINE_INTERPRETER } floe_engine;

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
  size_t struct_size;            /* set by floe_options_init: lets the struct grow */
  floe_engine engine;            /* AUTO */
  unsigned threads;              /* 0: one per core that the process may use */
  const char *table;             /* "iceberg" */
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
  bool why_never;             /* false; true: a second pass finds out why transitions never fired (floe_result_never) */
  const char *visited_order;  /* file for the keys visited, see floe_order_open; NULL: none */
  floe_order_kind order_kind; /* STATES */
  bool order_compress;        /* by zstd; a name that ends in .zst asks for it as well */
  /* The table is made for so many states at once; any number is right, a good one saves memory and time. 0: the number
     that the model expects for the constants in use, if it says so. Not used where initial_slots is given. */
  uint64_t expected_states;
  unsigned gpu_device; /* 0: number of the GPU, as in floe_devices */
  uint64_t gpu_memory; /* bytes of that GPU's memory; more than is free is as much as is free; 0: by gpu_share */
  double gpu_share;    /* part of what is free there, 0..1; 0: 0.95 */
} floe_options;

FLOE_API void floe_options_init(floe_options *options);

typedef struct floe_result floe_result;

/* Explores the model. FLOE_OK also when a property is violated or the run ended early: the result
   says; and when the file for the order was begun and could not be finished. */
FLOE_API floe_status floe_explore(floe_model *model, const floe_options *options, floe_log *log, floe_result **out);
FLOE_API void floe_result_free(floe_result *result);

/* Makes what is running (reading a model, exploring it) end soon, as undecided; when nothing is, the next as soon as it
   starts. Async-signal-safe. A program that uses a GPU should not call it in a handler of SIGINT or SIGTERM: NVRTC puts
   handlers of its own in their place for 0.1 s while it compiles, which end the process. Such signals are best blocked
   in all threads, and taken by one thread with sigwait. */
FLOE_API void floe_interrupt(void);

/* Calls into other libraries that cannot be ended (the start of a GPU's driver, its compiler), and that an exploration
   left behind because it was interrupted or did not need them any more: how many are still running. They clean up after
   themselves. exit() waits for them, some seconds at most; _exit() does not. */
FLOE_API unsigned floe_left_behind(void);

typedef enum {
  FLOE_END_COMPLETE, /* every reachable state was explored */
  FLOE_END_DECIDED,  /* stopped: a violation, or all selected properties decided */
  FLOE_END_DEPTH,    /* max_depth */
  FLOE_END_STATES,   /* max_states */
  FLOE_END_MEMORY,
  FLOE_END_TIMEOUT,
  FLOE_END_INTERRUPT
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
  const char *table;         /* "iceberg" */
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
} floe_summary;

FLOE_API const floe_summary *floe_result_summary(const floe_result *result);
FLOE_API uint64_t floe_result_level_states(const floe_result *result, uint32_t level);
/* Firings of the i-th transition of the model (floe_model_transition). */
FLOE_API uint64_t floe_result_fired(const floe_result *result, size_t i);

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
FLOE_API floe_step floe_trace_step(const floe_trace *trace, size_t step);
FLOE_API floe_change floe_trace_change(const floe_trace *trace, size_t step, size_t i);
/* The parts of the property in the last state: "count(...) <= 1" = "2" and so on. */
FLOE_API size_t floe_trace_parts(const floe_trace *trace);
FLOE_API void floe_trace_part(const floe_trace *trace, size_t i, const char **text, const char **value);

/* Why transitions never fired (options.why_never): for each of them the conditions that it waits for, counted over the
   states that were expanded, and the state in which most of them are true at once. */
typedef struct {
  const char *text; /* "at wait", "turn == self", "another instance can receive c[i]" */
  uint64_t states;  /* in which it is true for some instance and choice */
  bool met;         /* in the nearest state */
} floe_condition;
typedef struct {
  size_t transition; /* floe_model_transition */
  uint64_t states;   /* looked at */
  size_t conditions; /* 0: it cannot fire for these constants; its guard is false, or nobody is there to synchronise */
  size_t met;        /* most conditions that are true at once for one instance and choice */
  const char *who;   /* these: "P[1]", "S[0] with R[1] {i=2}" */
  uint32_t depth;    /* of the nearest state in which that is so */
  size_t values;     /* of that state */
} floe_never;
FLOE_API size_t floe_result_nevers(const floe_result *result);
FLOE_API floe_never floe_result_never(const floe_result *result, size_t i);
FLOE_API floe_condition floe_result_condition(const floe_result *result, size_t i, size_t condition);
FLOE_API floe_change floe_result_never_value(const floe_result *result, size_t i, size_t value);

/* ---- measuring tables -------------------------------------------------------------------------- */

/* Operations of the hash tables on many keys, measured: doc/bench.md. Every measurement checks its own result. */
typedef struct floe_bench floe_bench;

typedef enum {
  FLOE_BENCH_PUT, /* keys that are all different and not in the table */
  FLOE_BENCH_FIND,
  FLOE_BENCH_FIND_OR_PUT,
  FLOE_BENCH_DELETE,
  FLOE_BENCH_GET, /* of maps: find, and the value */
  FLOE_BENCH_ADD  /* of maps: put, or combine the value with the present one */
} floe_bench_operation;
FLOE_API const char *floe_bench_operation_name(floe_bench_operation operation); /* "find-or-put" */
FLOE_API const char *floe_bench_table(size_t i);       /* name of the i-th scheme; NULL after the last */
FLOE_API const char *floe_bench_permutation(size_t i); /* "mix"; as floe_bench_table */
/* The settings that the tables of a scheme have. */
typedef struct {
  bool bucket_slots;     /* buckets of several sizes */
  bool second_slot_bits; /* a second level */
  bool hashes;           /* several numbers of hash functions */
  unsigned slot_bits[8]; /* the widths of slots; 0 after the last */
} floe_bench_traits;
FLOE_API floe_bench_traits floe_bench_table_traits(const char *table); /* all 0: there is no such scheme */

typedef struct {
  size_t struct_size; /* set by floe_bench_options_init */
  floe_engine engine; /* AUTO: the GPU where there is one that can be used, else the CPU; not INTERPRETER */
  unsigned threads;   /* of the CPU; 0: one per core that the process may use */
  unsigned gpu_device;
  const char *cache_dir; /* of compiled kernels; as in floe_options */
} floe_bench_options;
FLOE_API void floe_bench_options_init(floe_bench_options *options);

/* One at a time. floe_interrupt ends the measurement now running and all that follow. FLOE_ERROR_UNSUPPORTED: the GPU
   that is asked for is not to be had. `log` outlives it. */
FLOE_API floe_status floe_bench_create(const floe_bench_options *options, floe_log *log, floe_bench **out);
FLOE_API void floe_bench_free(floe_bench *bench);
FLOE_API floe_engine floe_bench_engine(const floe_bench *bench);  /* CPU or GPU */
FLOE_API const char *floe_bench_machine(const floe_bench *bench); /* "2 threads, avx512" */

/* The keys of an order file (below), for cases with `from_file`. `numbered`: each is replaced by its number in the
   order of first appearance, which is as narrow as can be. Keys of several words are only to be had so. FLOE_ERROR_IO,
   FLOE_ERROR_USAGE, told. */
typedef struct {
  uint64_t count, distinct;
  unsigned key_bits;
} floe_bench_keys;
FLOE_API floe_status floe_bench_load(floe_bench *bench, const char *path, bool numbered, floe_bench_keys *out);

/* One measurement. Zero (as floe_bench_case_init leaves it) stands for a default. */
typedef struct {
  size_t struct_size;
  const char *table;       /* "iceberg" */
  const char *permutation; /* the table's default */
  floe_bench_operation operation;
  uint64_t slots;    /* 2^22, on a GPU 2^27. Of iceberg's primary level; an eighth as many secondary ones come on top */
  unsigned key_bits; /* as many as slots of 16 bits hold in buckets of 32, as in the paper */
  unsigned slot_bits, second_slot_bits, bucket_slots, value_bits, hashes; /* chosen by the table */
  const char *reduction; /* of ADD: "replace", "sum", "min", "max"; "replace" */
  double before;         /* part of the slots that is filled before the operation, 0..1 */
  double after;          /* PUT, FIND_OR_PUT, ADD: part that is filled afterwards. Others have `before` alone */
  double positive;       /* FIND, GET, DELETE: part of the keys that is in the table, 0..1 */
  uint64_t keys;         /* FIND, GET, DELETE: half the number of slots. FIND_OR_PUT, ADD: the number of slots. PUT
                            has as many as come on top */
  unsigned times;        /* FIND_OR_PUT, ADD: keys that come on top, each so often, and no others (instead of `keys`) */
  double zipf;           /* FIND_OR_PUT, ADD, with before = 0: numbers drawn with this exponent from as many as fill
                            the table to `after`. FIND, GET: those that are there are drawn from all that are */
  bool from_file;        /* the first `part` of the keys loaded; fill factors and `positive` say nothing then. FIND and
                            GET look all of them up, of which each was put once, PUT and DELETE have each once */
  double part;           /* 0..1; 1 */
  bool host_memory;      /* of a GPU: the table lies in the host's memory */
  unsigned repetitions;  /* 5, after one that warms up. That and the last one are looked at more closely */
  uint64_t seed;         /* of keys and permutations */
} floe_bench_case;
FLOE_API void floe_bench_case_init(floe_bench_case *what);

typedef enum {
  FLOE_BENCH_MEASURED,
  FLOE_BENCH_REFUSED, /* the table has no such operation or form, or it has no room: `why` */
  FLOE_BENCH_FULL,    /* keys found no place, above a fill factor that every table reaches. Figures are those of the
                         attempt */
  FLOE_BENCH_WRONG,   /* the table gave a wrong result: `why`. There are no figures */
  FLOE_BENCH_INTERRUPTED
} floe_bench_verdict;
FLOE_API const char *floe_bench_verdict_name(floe_bench_verdict verdict); /* "measured" */

typedef struct {
  floe_bench_verdict verdict;
  char why[200]; /* "" where there is nothing to say */
  unsigned key_bits, slot_bits, second_slot_bits, bucket_slots, value_bits;
  uint64_t slots;            /* those that fill factors count: of all levels but iceberg's third */
  uint64_t bytes;            /* of the table */
  uint64_t keys;             /* of one repetition */
  uint64_t found, put, full; /* answers of the last repetition */
  double before, after;      /* fill factors that came of it */
  unsigned repetitions;
  double rate, rate_least, rate_most; /* keys a second: median of the repetitions, and both ends */
  double ceiling;                     /* keys a second that the memory allows, see doc/bench.md; 0: unknown */
  uint64_t third;                     /* iceberg: keys in the third level; of tables that are looked at */
  double probe_mean;                  /* linear, robin-hood: slots between a key's home and its place; -1: unknown */
  uint64_t probe_most;
} floe_bench_result;

/* FLOE_OK also when it is refused, full, wrong or interrupted. Other errors are told in the log. */
FLOE_API floe_status floe_bench_run(floe_bench *bench, const floe_bench_case *what, floe_bench_result *out);

/* How far a table of iceberg fills before the first key comes to the third level, with keys put one after the other:
   the median of the repetitions is out->after. Of `what` table, slots, widths, permutation, repetitions and seed count.
   On the host, whatever the engine. Errors as floe_bench_run. */
FLOE_API floe_status floe_bench_overflow(floe_bench *bench, const floe_bench_case *what, floe_bench_result *out);

/* Accesses a second that the memory allows at random places of so many bytes, by all threads. */
typedef struct {
  uint64_t bytes;
  double read;                   /* of 64 bytes */
  double swap16, swap32, swap64; /* compare-and-swap of a word of so many bits */
} floe_bench_ceilings;
FLOE_API floe_status floe_bench_limits(floe_bench *bench, uint64_t bytes, floe_bench_ceilings *out);

/* ---- hash tables ------------------------------------------------------------------------------- */

/* The tables that explorations keep their states in, and others, for keys of one's own: sets, and
   maps from keys of 1 to 64 bits to values of 32 or 64, in the host's memory or on a GPU.
   doc/tables.md: which table for what, which operations it has, and what may go on at the same
   time. doc/examples/table.c is a program.

   Of these functions those that say so may be called by any number of threads at once for the same
   table. All others want it for themselves. What a call has to tell goes to the log that the table
   was made with, which nobody else may use while several threads work on the table. */
typedef struct floe_hash_table floe_hash_table;

FLOE_API const char *floe_hash_scheme(size_t i);      /* name of the i-th scheme; NULL after the last */
FLOE_API const char *floe_hash_permutation(size_t i); /* name of the i-th family of permutations; NULL after the last */

typedef enum {
  FLOE_HASH_FIND,
  FLOE_HASH_FIND_OR_PUT, /* the answer tells whether the key was there. A key that was keeps its value */
  FLOE_HASH_PUT,         /* keys that are all different and not in the table */
  FLOE_HASH_DELETE,
  FLOE_HASH_GET, /* of maps: find, and the value */
  FLOE_HASH_ADD  /* of maps: put, or combine the value with the present one (reduction) */
} floe_hash_operation;
FLOE_API const char *floe_hash_operation_name(floe_hash_operation operation); /* "find-or-put" */

typedef enum {
  FLOE_HASH_FOUND, /* the key is, or was, in the table */
  FLOE_HASH_NEW,   /* the key was put */
  FLOE_HASH_NONE   /* FIND, GET, DELETE: it is not there. Others: a key has no place, see floe_hash_run */
} floe_hash_answer;

/* What a key's value becomes when it is added again. Sums are modulo 2^value_bits. */
typedef enum {
  FLOE_HASH_REPLACE,
  FLOE_HASH_SUM,
  FLOE_HASH_MIN,
  FLOE_HASH_MAX,
  FLOE_HASH_OWN /* floe_hash_options.reduce */
} floe_hash_reduction;

/* Permutations of one's own: for each `number` (0 to 2, of a cuckoo table those below `hashes`) a
   bijection of the keys of `bits` bits and its inverse. Called by many threads at once. Good ones
   spread keys that are alike. */
typedef struct {
  uint64_t (*apply)(void *data, unsigned number, unsigned bits, uint64_t key);
  uint64_t (*invert)(void *data, unsigned number, unsigned bits, uint64_t key);
  void *data;
  /* The same for a GPU, as C expressions of type uint64_t over `key`, `number` and `bits`; NULL
     where there is none. */
  const char *apply_text, *invert_text;
} floe_hash_own_permutation;

/* Set by floe_hash_options_init to the defaults named here. The texts need not outlive the call
   that takes them. */
typedef struct {
  size_t struct_size;            /* set by floe_hash_options_init */
  const char *scheme;            /* "iceberg"; also "linear", "cuckoo", "robin-hood" */
  unsigned key_bits;             /* 64: keys are below 2^key_bits. Compact tables take less memory for narrower keys */
  uint64_t slots;                /* 65536, of all levels together; rounded up to whole buckets */
  unsigned slot_bits;            /* 0: chosen, the least memory; else the only width of the (first level's) slots */
  unsigned second_slot_bits;     /* iceberg, second level: likewise */
  unsigned bucket_slots;         /* 0: chosen; else slots of a bucket */
  unsigned value_bits;           /* 0: a set; 32, 64: a map with values of so many bits. Linear: 2^64 - 1 is no value */
  bool deletes;                  /* iceberg: keys can be deleted; costs a value of each slot */
  unsigned hashes;               /* cuckoo: buckets that a key may be in, 2 to 8; 0: 3 */
  unsigned probes;               /* robin-hood: slots that a key may be in, from its home on; 0: 4096 */
  floe_hash_reduction reduction; /* REPLACE */
  uint64_t (*reduce)(void *data, uint64_t present, uint64_t added); /* OWN: called by many threads at once, and more
                                                                       often than its result is used */
  void *reduce_data;
  const char *reduce_text; /* OWN, on a GPU, instead: a C expression of `present` and `added`, "present | added" */
  const char *permutation; /* NULL: the scheme's default; a name of floe_hash_permutation */
  const floe_hash_own_permutation *own_permutation; /* NULL: none; else instead of `permutation` */
  uint64_t seed;                                    /* 0: chooses among the permutations of a family */
  bool trusted;        /* false; true: keys and values are not looked at before they are used. One that is too wide then
                          does harm */
  floe_engine engine;  /* CPU. GPU; AUTO: the GPU where there is one that can be used, else the CPU */
  unsigned threads;    /* CPU: of clearing and resizing; 0: one per core that the process may use */
  unsigned gpu_device; /* 0: number of the GPU, as in floe_devices */
  bool host_memory;    /* GPU: false; true: the table lies in the host's memory, for those larger than the device's */
  const char *cache_dir; /* GPU: of compiled kernels; as in floe_options */
} floe_hash_options;
FLOE_API void floe_hash_options_init(floe_hash_options *options);

typedef struct {
  const char *scheme;  /* "iceberg" */
  floe_engine engine;  /* CPU or GPU */
  const char *machine; /* "avx512": the form of the CPU's instructions; the GPU's name. "": it is planned only */
  unsigned key_bits, value_bits, slot_bits, bucket_slots;
  unsigned second_slot_bits, second_bucket_slots; /* 0: there is no second level */
  unsigned hashes;                                /* cuckoo; 0: another scheme */
  bool deletes;                                   /* floe_hash_options.deletes */
  uint64_t slots;                                 /* of all levels */
  uint64_t bytes;                                 /* of the table */
  double fill; /* part of the slots up to which the table is fast and keys find a place; then resize */
} floe_hash_info;

/* What floe_hash_create would make; takes no memory and starts no GPU (AUTO is planned as the
   CPU's). FLOE_ERROR_USAGE, told with a hint: there is no such table. */
FLOE_API floe_status floe_hash_plan(const floe_hash_options *options, floe_log *log, floe_hash_info *out);
/* An empty table. `log` outlives it. FLOE_ERROR_USAGE: there is no such table. FLOE_ERROR_MEMORY:
   no memory for it. FLOE_ERROR_UNSUPPORTED: the GPU that is asked for is not to be had, or the
   processor lacks what the table needs. All are told. On a GPU kernels are compiled where they are
   not in the cache, which takes seconds. */
FLOE_API floe_status floe_hash_create(const floe_hash_options *options, floe_log *log, floe_hash_table **out);
FLOE_API void floe_hash_free(floe_hash_table *table); /* NULL is allowed */
FLOE_API floe_hash_info floe_hash_information(const floe_hash_table *table);
/* Why this table has no such operation: a phrase, "its keys have no values". NULL: it has it. */
FLOE_API const char *floe_hash_cannot(const floe_hash_table *table, floe_hash_operation operation);

/* The operation on n keys, by any number of threads at once; answers[i] (enum floe_hash_answer) is
   that of keys[i]. `values`: n of them for GET (written), ADD, PUT and FIND_OR_PUT (read) of a map,
   else not looked at; NULL: the values that are put or added are 0, those that are got are not wanted. No key is lost:
   where one that was to be put is answered by NONE, keys[i], and values[i], become the key that has no place now, which
   need not be the one that was given, and all others are in the table. The caller resizes the table and puts it again,
   or keeps it elsewhere. *full: the number of NONE; NULL is allowed. On a CPU prefetches are issued for many keys at
   once: calls with 32 keys and more are best. On a GPU the arrays are copied, a piece after the other, and calls of
   several threads take turns. FLOE_ERROR_USAGE, told, and nothing is done: the table has no such operation, or a key or
   value is too wide. Other errors come from GPUs: part of the keys may have been worked on then. */
FLOE_API floe_status floe_hash_run(floe_hash_table *table, floe_hash_operation operation, uint64_t *keys,
                                   uint64_t *values, size_t n, uint8_t *answers, size_t *full);
/* The same for a table on a GPU, with arrays in that device's memory: addresses as CUDA's driver
   API (cuMemAlloc) and runtime API (cudaMalloc) have them in the device's primary context, or of
   page-locked memory of the host. What was written to them must be there (cudaDeviceSynchronize);
   the answers are, when this returns. Keys and values are trusted. `values`: 0 for NULL. Who does
   not count NONE has the answers. FLOE_ERROR_USAGE also for a table on the CPU. */
FLOE_API floe_status floe_hash_run_on_device(floe_hash_table *table, floe_hash_operation operation, uint64_t keys,
                                             uint64_t values, uint64_t n, uint64_t answers);

/* find-or-put of a cuckoo table, which has it for whole arrays: the keys are sorted, looked up, and
   those that are absent are put. Wants the table for itself. answers[i] is that of the keys[i] that
   comes back, since the keys, with their values, may come back in another order; of equal keys at
   most one is answered by NEW or NONE. Otherwise as floe_hash_run.
   FLOE_ERROR_USAGE also for another table, and on a GPU for one with values. FLOE_ERROR_UNSUPPORTED:
   a GPU sorts only in a floe that was built with nvcc. FLOE_ERROR_MEMORY: nothing was done, or, on a
   GPU, not all. All are told. */
FLOE_API floe_status floe_hash_find_or_put_sorted(floe_hash_table *table, uint64_t *keys, uint64_t *values, size_t n,
                                                  uint8_t *answers, size_t *full);

/* The table is empty again, with permutations by another seed. */
FLOE_API floe_status floe_hash_clear(floe_hash_table *table, uint64_t seed);
/* All keys, with their values, move into a table of so many slots that takes this one's place; what
   deleted keys have left is gone. More slots are for keys to come, fewer give memory back; both
   tables are in memory meanwhile. FLOE_ERROR_USAGE, told: there is no such table, or not every key
   has a place in it. FLOE_ERROR_MEMORY, told. After any error the table is as it was. */
FLOE_API floe_status floe_hash_resize(floe_hash_table *table, uint64_t slots);

/* Keys in the table. */
FLOE_API floe_status floe_hash_count(floe_hash_table *table, uint64_t *count);

enum { FLOE_HASH_DISTANCES = 65 };
typedef struct {
  uint64_t slots, used; /* of all levels; used: by keys */
  uint64_t deleted;     /* slots that deleted keys have left, of no use until a resize (iceberg) */
  uint64_t level_slots[3], level_used[3];
  uint64_t load_histogram[33]; /* buckets of the first level by number of used slots; of robin-hood, slots */
  bool has_distances;          /* linear, robin-hood: slots between a key's home and its place; else all 0 */
  double distance_mean;
  uint64_t distance_most;
  uint64_t distances[FLOE_HASH_DISTANCES]; /* [0]: keys at home; [i]: 2^(i - 1) up to 2^i - 1 slots away; robin-hood's
                                              [15] has all beyond too */
} floe_hash_stats;
/* Looks at every slot. On a GPU this function, floe_hash_count, floe_hash_each and floe_hash_check
   work on a copy in the host's memory that they make: FLOE_ERROR_MEMORY, told, where there is no
   room for it. */
FLOE_API floe_status floe_hash_statistics(floe_hash_table *table, floe_hash_stats *out);

/* Calls `visit` with every key of the part-th of so many parts of the table, and its value
   (`values` NULL: it is a set), some hundred at a time; each key once over all parts. `visit` must
   not change the table. Several threads may visit a table on the CPU, a part each, while nobody
   changes it. FLOE_ERROR_USAGE: part is not below parts. */
FLOE_API floe_status floe_hash_each(floe_hash_table *table, unsigned part, unsigned parts,
                                    void (*visit)(void *user, const uint64_t *keys, const uint64_t *values, size_t n),
                                    void *user);
/* Number of keys that are where the scheme does not allow them, or there twice: 0 for every table
   that is sound. Takes longer than floe_hash_statistics. */
FLOE_API floe_status floe_hash_check(floe_hash_table *table, uint64_t *wrong);

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

/* ---- state graphs ------------------------------------------------------------------------------ */

/* All states of a model in memory, numbered breadth first from 0, the initial one. States may be of
   any width. The model must not be given other constants, and not be freed, as long as the graph
   lives. */
typedef struct floe_graph floe_graph;
typedef enum {
  FLOE_GRAPH_AUT, /* Aldebaran: "des (0, transitions, states)", then (from, "action", to) */
  FLOE_GRAPH_DOT  /* Graphviz */
} floe_graph_format;

/* By the reference interpreter; of the options max_states, memory and timeout count. FLOE_OK also when one of
   them, or floe_interrupt, came first. Firings that fail are not in the graph: the log has a warning then. */
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
typedef struct floe_walk floe_walk;

/* At the initial state. */
FLOE_API floe_status floe_walk_create(floe_model *model, floe_log *log, floe_walk **out);
FLOE_API void floe_walk_free(floe_walk *walk);

/* Steps from the initial state to this one. */
FLOE_API size_t floe_walk_steps(const floe_walk *walk);
/* Every variable in this state, as floe_trace_initial_value has them. */
FLOE_API floe_status floe_walk_state(floe_walk *walk, const floe_change **values, size_t *count);
/* Number of firings in this state, failing ones included: 0 is a deadlock. */
FLOE_API floe_status floe_walk_firings(floe_walk *walk, size_t *count);
/* The i-th of them, in the model's order: what it would do. FLOE_ERROR_USAGE: there is none. */
FLOE_API floe_status floe_walk_firing(floe_walk *walk, size_t i, floe_step *step);
/* Does it fail? Cheaper than to ask for the whole step. */
FLOE_API floe_status floe_walk_fails(floe_walk *walk, size_t i, bool *fails);
/* Takes it. FLOE_ERROR_MODEL: it fails (the cause of the step says why); the walk stays. */
FLOE_API floe_status floe_walk_fire(floe_walk *walk, size_t i);
/* The step that led to this state. FLOE_ERROR_USAGE: this is the initial state. */
FLOE_API floe_status floe_walk_last(floe_walk *walk, floe_step *step);
/* Takes the last step back. FLOE_ERROR_USAGE: this is the initial state. */
FLOE_API floe_status floe_walk_undo(floe_walk *walk);

/* What this state means for the i-th property (floe_model_property). */
typedef struct {
  bool triggered;    /* INVARIANT, NEVER: violated; REACHABLE: reached; DEADLOCK: one that is not excused; ERRORS: a
                        firing fails, or a property cannot be evaluated */
  const char *cause; /* of ERRORS: the first error of the state, in words with the place; else "" */
} floe_observation;
FLOE_API floe_status floe_walk_property(floe_walk *walk, size_t i, floe_observation *out);

#ifdef __cplusplus
}
#endif

#endif
