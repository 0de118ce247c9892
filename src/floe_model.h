/* Models, a part of floe.h, which includes this header: reading, checking, properties, expected results, layout and
   memory of states. floe_common.h states the rules for all functions. */
#ifndef FLOE_MODEL_H
#define FLOE_MODEL_H

#include "floe_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- models ------------------------------------------------------------------------------------ */

typedef struct floe_model floe_model;

/* Reads and parses a model file; "-" is standard input. Constants get their values later, in floe_model_check.
   FLOE_ERROR_MODEL: syntax error. FLOE_ERROR_IO: the file cannot be read. FLOE_ERROR_INTERRUPTED, logged:
   floe_interrupt was called during the reading. */
FLOE_API floe_status floe_model_load(const char *path, floe_log *log, floe_model **out);
/* Parses `length` bytes at `text`, which are copied; messages use `name` as file name. Errors as floe_model_load. */
FLOE_API floe_status floe_model_parse(const char *name, const char *text, size_t length, floe_log *log,
                                      floe_model **out);
/* Which states are deadlocks: they violate the property `deadlock`. */
typedef enum {
  FLOE_DEADLOCKS_OF_LANGUAGE, /* Murphi: stuttering; others: stuck, if the model does not disable the check */
  FLOE_DEADLOCKS_OFF,         /* the property is removed */
  FLOE_DEADLOCKS_STUCK,       /* no transition is enabled */
  FLOE_DEADLOCKS_STUTTERING   /* no transition leads to another state */
} floe_deadlocks;

/* Files that a model includes (doc/language.md, "Includes"). floe_model_load and floe_model_parse use the defaults. */
typedef struct {
  size_t struct_size; /* set by floe_load_options_init; lets the struct grow */
  bool no_includes;   /* false; true: an include is an error, for models that are not trusted */
  /* Included files are in this folder or below. NULL: the folder of the model file; none for standard input and
     floe_model_parse, whose models then include no files. Paths in their text are relative to this folder. */
  const char *include_folder;
  /* NULL; else a file of properties for a model whose language keeps them apart from the model (PNML). */
  const char *properties;
  floe_deadlocks deadlocks; /* FLOE_DEADLOCKS_OF_LANGUAGE; else the constant `deadlock-mode` has this value */
} floe_load_options;
FLOE_API void floe_load_options_init(floe_load_options *options);
FLOE_API floe_status floe_model_load_with(const char *path, const floe_load_options *options, floe_log *log,
                                          floe_model **out);
FLOE_API floe_status floe_model_parse_with(const char *name, const char *text, size_t length,
                                           const floe_load_options *options, floe_log *log, floe_model **out);
FLOE_API void floe_model_free(floe_model *model);

/* Sets a constant; `value` is a decimal integer of 64 bits, `true` or `false`. The model must be checked again.
   FLOE_ERROR_MODEL: no such constant, or no such value. */
FLOE_API floe_status floe_model_define(floe_model *model, const char *name, const char *value, floe_log *log);
/* Gives all constants the values of the model text again. The model must be checked again. */
FLOE_API void floe_model_undefine_all(floe_model *model);
/* Checks the model with its constants, instantiates it, and makes the layout of its states. Functions below that need a
   checked model and take a log check it themselves. FLOE_ERROR_MODEL: the log has the errors. */
FLOE_API floe_status floe_model_check(floe_model *model, floe_log *log);
/* Some languages guess ranges of variables. A search that exceeds the guess starts again with a larger one; single
   steps cannot. This sets the largest guess, so that no step fails because of it, and checks the model. Call it before
   states are made for floe_expand, or a simulator. No effect if the model has no guess. */
FLOE_API floe_status floe_model_widen(floe_model *model, floe_log *log);
/* Replaces the model by one with fewer states, for the properties of these ids (NULL: all, with "deadlock"): these have
   the same verdicts, and measures of a file of properties the same greatest values. Unless nothing can be removed, the
   model has no other properties afterwards, and counts and errors of steps may differ (floe_summary.reduced). Traces
   are runs of the model as read, which are often not the shortest ones; floe_explore refuses other options that need
   real steps (doc/pnml.md, "Reductions"). Called again, it starts from the model as read. The model must be checked
   again. A note in the log describes what was removed. FLOE_ERROR_UNSUPPORTED, not logged: the language has no
   reductions. FLOE_ERROR_USAGE: constants are defined. */
FLOE_API floe_status floe_model_reduce(floe_model *model, const char *const *properties, size_t count, floe_log *log);
/* Replaces the model by one with fewer states and the same verdicts for the properties of these ids and `errors` (NULL:
   all properties); others are left out. FLOE_SIMPLIFY_MERGE: steps that only their own process can notice are executed
   together with the step before them. FLOE_SIMPLIFY_DEAD: variables of processes are reset where no step reads them
   before it assigns them. `passes` 0: the model as read. The model must be checked again; notes in the log say why a
   pass does not apply. Traces are runs of the model as read (doc/promela.md, "Reductions"). Called again, it starts
   from the model as read. */
#define FLOE_SIMPLIFY_MERGE 1u
#define FLOE_SIMPLIFY_DEAD 2u
FLOE_API floe_status floe_model_simplify(floe_model *model, unsigned passes, const char *const *properties,
                                         size_t count, floe_log *log);

/* Languages that models can be written in: the i-th, NULL: there are no more. */
FLOE_API const char *floe_written_language(size_t i);
/* The one of files with this name, by its ending; NULL: none. */
FLOE_API const char *floe_written_language_of(const char *file);
/* The model as a text of this language, with the same states and steps, which lives until constants change. Properties
   that the language cannot express are left out, with a warning in the log. Constants that floe would guess
   (doc/pnml.md, "Bounds") get their largest value. FLOE_ERROR_MODEL: the language cannot express the model, the log has
   the reasons. FLOE_ERROR_USAGE: no such language. */
FLOE_API floe_status floe_model_write(floe_model *model, const char *language, floe_log *log, const char **text);

/* Another tool for models of this language, in whose form results and traces can be written: "spin". "": there is
   none, or the model is not checked. */
FLOE_API const char *floe_model_tool(const floe_model *model);

FLOE_API const char *floe_model_name(const floe_model *model);
FLOE_API const char *floe_model_file(const floe_model *model);
/* The text of the model's own file as read, *length bytes and a final NUL. */
FLOE_API const char *floe_model_text(const floe_model *model, size_t *length);
/* The included files, in the order of inclusion: name as in messages, text and its length, as floe_model_text. */
FLOE_API size_t floe_model_includes(const floe_model *model);
FLOE_API const char *floe_model_included_file(const floe_model *model, size_t i);
FLOE_API const char *floe_model_included_text(const floe_model *model, size_t i, size_t *length);
FLOE_API const char *floe_model_description(const floe_model *model); /* "": none */
FLOE_API const char *floe_model_digest(const floe_model *model); /* "sha256:" and hexadecimal digits, of all texts */

typedef struct {
  const char *name;
  int64_t value; /* of a Boolean: 0 or 1 */
  bool given;    /* set by floe_model_define; false: value of the model text */
  bool guessed;  /* a guess of floe_explore or floe_model_widen; false: what exceeds it is an error of the model */
} floe_constant;
/* Constants of a checked model, in the order of the text. */
FLOE_API size_t floe_model_constants(const floe_model *model);
FLOE_API floe_constant floe_model_constant(const floe_model *model, size_t i);

typedef enum {
  FLOE_INVARIANT,  /* true in every reachable state */
  FLOE_NEVER,      /* true in no reachable state */
  FLOE_REACHABLE,  /* true in some reachable state */
  FLOE_DEADLOCK,   /* built in, id "deadlock" */
  FLOE_ERRORS,     /* built in, id "errors": no evaluation and no firing fails */
  FLOE_LTL,        /* a formula of linear temporal logic, true of every run */
  FLOE_RECOVERABLE /* from every reachable state a state can be reached in which it is true */
} floe_property_kind;
FLOE_API const char *floe_property_kind_name(floe_property_kind kind);
typedef struct {
  const char *id;
  floe_property_kind kind;
  const char *description; /* "": none */
  unsigned line;           /* in the model text; 0: built in */
  const char *text;        /* its expression as written; "": built in */
  const char *file;        /* included file that holds the line; "": the model's own file */
} floe_property;
/* Of a checked model: those of the text in their order, then deadlock (if checked), then errors. */
FLOE_API size_t floe_model_properties(const floe_model *model);
FLOE_API floe_property floe_model_property(const floe_model *model, size_t i);

/* Ids of a checked model's measures (floe_result_measure). */
FLOE_API size_t floe_model_measures(const floe_model *model);
FLOE_API const char *floe_model_measure(const floe_model *model, size_t i); /* "": none */

/* Of a checked model: 1 if the first step of each run leads to one of several start states. Depths in results are those
   from a start state. Else 0. */
FLOE_API size_t floe_model_start_steps(const floe_model *model);

/* A transition as written, before instantiation. */
typedef struct {
  /* label "": none. A transition without a process has its name as label; the others are "". */
  const char *process, *label, *from, *to;
  unsigned line;
  const char *file; /* included file that holds the line; "": the model's own file */
} floe_transition;
/* Transitions of a checked model, in the order of the text. */
FLOE_API size_t floe_model_transitions(const floe_model *model);
FLOE_API floe_transition floe_model_transition(const floe_model *model, size_t i);
/* Consecutive transitions that one of the source stands for: a transition of a coloured Petri net is one for each
   choice of colours, and none if its condition permits no choice. In other languages each transition is a group. */
typedef struct {
  const char *name;
  size_t first, count; /* transitions first..first + count - 1 */
} floe_transition_group;
FLOE_API size_t floe_model_transition_groups(const floe_model *model);
FLOE_API floe_transition_group floe_model_transition_group(const floe_model *model, size_t i);

/* ---- expected results -------------------------------------------------------------------------- */

typedef enum { FLOE_HOLDS, FLOE_VIOLATED, FLOE_IS_REACHABLE, FLOE_UNREACHABLE, FLOE_UNDECIDED } floe_verdict_value;
FLOE_API const char *floe_verdict_name(floe_verdict_value value);
/* Verdict on a property of this kind once a violating or reaching state was found: VIOLATED or IS_REACHABLE. UNDECIDED:
   no such kind. */
FLOE_API floe_verdict_value floe_verdict_when_found(floe_property_kind kind);
typedef struct {
  const char *property;
  floe_verdict_value value;
  int64_t depth; /* -1: not stated */
} floe_expected_verdict;
typedef struct {
  size_t constants;                               /* number of constants, see floe_model_expected_constant */
  int64_t states, transitions, levels, deadlocks; /* -1: not stated */
  size_t verdicts;                                /* number of verdicts, see floe_model_expected_verdict */
  unsigned line;
} floe_expectation;
/* Expected results as written in the model text; the model need not be checked. */
FLOE_API size_t floe_model_expectations(const floe_model *model);
FLOE_API floe_expectation floe_model_expectation(const floe_model *model, size_t i);
/* Name and value of constant j for which expectation i holds. */
FLOE_API void floe_model_expected_constant(const floe_model *model, size_t i, size_t j, const char **name,
                                           const char **value);
FLOE_API floe_expected_verdict floe_model_expected_verdict(const floe_model *model, size_t i, size_t j);

/* ---- layout and memory of states --------------------------------------------------------------- */

/* Bit fields of a variable, without symmetry reduction, which moves them within words. Element i is in word
   (word + i / per_word), at bit (shift + i % per_word * bits_each). Variables of which at most one is 1 share a field,
   which has the number of this one: places of a Petri net. */
typedef struct {
  const char *name;
  uint32_t elements, bits_each, bits; /* bits = elements * bits_each; 0: those of an earlier variable */
  uint32_t word, shift;               /* of element 0 */
  uint32_t per_word;                  /* elements in a word */
  int64_t low, high;                  /* least and greatest value */
  const char *values; /* "0..10, 255": the only values between low and high, stored by position; "": all values */
} floe_layout_entry;
/* Size of a state: *bits used, in *words of 64 bits. States of more than one word are explored as index keys, or as
   roots of trees. */
FLOE_API floe_status floe_model_layout_bits(floe_model *model, floe_log *log, uint32_t *bits, uint32_t *words);
/* Variables of a checked model. */
FLOE_API size_t floe_model_layout_entries(const floe_model *model);
FLOE_API floe_layout_entry floe_model_layout_entry(const floe_model *model, size_t i);
/* Product of the ranges of all variables of a checked model: an upper bound of the number of states; may be +inf. */
FLOE_API double floe_model_state_bound(const floe_model *model);

/* Key of a state in the visited set. The choice changes no count, verdict or certificate; a witness may be a different
   state of the same depth. */
typedef enum {
  FLOE_ENCODING_AUTO,   /* FIELDS; but INDEX if keys of fields would be wider than 64 bits, if the expected states would
                           not fit in memory with fields, or if a bitmap of all index keys replaces a hash table */
  FLOE_ENCODING_FIELDS, /* bit fields, one per variable (floe_model_layout_entry) */
  FLOE_ENCODING_INDEX   /* index key: the state's number (floe_model_index_key_plan) */
} floe_encoding;
FLOE_API const char *floe_encoding_name(floe_encoding encoding); /* "auto", "fields", "rank" */

typedef struct {
  const char *table;
  unsigned slot_bits;     /* of the first level */
  uint64_t slots;         /* of all levels */
  uint64_t states;        /* capacity: states at the fill at which the table would have to grow */
  double bytes_per_state; /* bytes of the table / states */
} floe_table_plan;
/* The i-th kind of table that can hold the keys of a checked model in `bytes` of memory. FLOE_ERROR_USAGE: i is past
   the end, or keys are wider than 64 bits. */
FLOE_API floe_status floe_model_table_plan(const floe_model *model, size_t i, uint64_t bytes, floe_table_plan *out);
/* Visited set of a search on the CPU with floe_options.table "auto". */
typedef struct {
  const char *table;           /* initial table: "bitmap" (a bit per possible key) or a hash table */
  uint64_t bytes;              /* of the initial table; a hash table grows */
  uint64_t bitmap_bytes;       /* of a bitmap; 0: too many keys for one */
  bool becomes_bitmap;         /* a bitmap replaces the hash table once that would grow to at least the same size */
  floe_encoding encoding;      /* of the keys: FIELDS or INDEX; INDEX only after floe_model_index_key_plan */
  const char *reason;          /* of the choice of table: a phrase for people */
  const char *encoding_reason; /* of the choice of encoding: a phrase for people */
} floe_visited_plan;
/* Plan for `memory` bytes and `expected_states`; 0: the number in the model text. The strings are static.
   FLOE_ERROR_USAGE: the keys are roots of a tree. */
FLOE_API floe_status floe_model_visited_plan(const floe_model *model, uint64_t memory, uint64_t expected_states,
                                             floe_visited_plan *out);
/* Capacity of the host-backed visited set (--table=host-backed; a GPU also continues with it when its memory is full):
   gpu_states in the GPU's table, all others in the host's memory, divided among `shards` tables. */
typedef struct {
  unsigned shards, slot_bits; /* tables on the host; slot width of their first level */
  uint64_t host_states, gpu_states;
  double bytes_per_state; /* bytes of host memory / host_states */
} floe_host_backed_plan;
/* `memory`, `gpu_memory`: bytes. FLOE_ERROR_USAGE: keys are wider than 64 bits. FLOE_ERROR_MEMORY: `memory` is too
   small for any such tables. */
FLOE_API floe_status floe_model_host_backed_plan(const floe_model *model, uint64_t memory, uint64_t gpu_memory,
                                                 floe_host_backed_plan *out);
/* A temporal property on the CPU: its product of the model and an automaton, explored after the model, and the passes
   over the product's states. Memory of the frontier comes on top. */
typedef struct {
  const char *id;
  uint32_t automaton_states;
  uint32_t conditions;        /* acceptance sets of the automaton and constraints of fairness */
  uint32_t strong_conditions; /* constraints of strong fairness among them */
  uint32_t key_bits, words;   /* of a state of the product, as fields, in words of 64 bits */
  double state_bound;         /* upper bound of its states; may be +inf */
  uint64_t states;            /* of the product that fit in the memory; 0: none, or keys are roots of a tree */
  double table_bytes;         /* for each of them: of the table */
  double pass_bytes;          /* of the sets and counters of the passes */
  double queue_bytes;         /* of the queue of the passes, for each state that may lie on a violating run's loop; all
                                 may, in `states` */
} floe_temporal_plan;
/* Plan for property i of the model and `memory` bytes, with the fairness that the model states. FLOE_ERROR_USAGE: it is
   not temporal. FLOE_ERROR_UNSUPPORTED: it cannot be decided, as floe_explore will say. `id` is the model's. */
FLOE_API floe_status floe_model_temporal_plan(floe_model *model, floe_log *log, size_t i, uint64_t memory,
                                              floe_temporal_plan *out);
/* Symmetry reduction (floe_options.symmetry). */
typedef struct {
  char sets[200];     /* "node (3), value (2)", perhaps cut; "": none is possible */
  double factor;      /* permutations: at most so many times fewer states */
  uint32_t instances; /* that are sorted for each successor, */
  uint32_t elements;  /* by so many elements of its state */
} floe_symmetry_plan;
/* Checks the model with symmetry, then again without; properties do not count. Pointers into the model end. */
FLOE_API floe_status floe_model_symmetry_plan(floe_model *model, floe_log *log, floe_symmetry_plan *out);
/* Index keys: a state's number among all states that satisfy the proved invariants: ranges (of a variable, per location
   of a process, per length of a channel) and variables that are functions of others. */
typedef struct {
  uint64_t keys;     /* index keys are less than this */
  unsigned bits;     /* of the greatest key */
  double exact_bits; /* log2(keys): the sum of floe_index_key_entry.bits */
} floe_index_key_plan;
/* Derives the index keys. FLOE_ERROR_UNSUPPORTED, not logged: the model has more than 2^63 of them.
   FLOE_ERROR_INTERRUPTED. If states are wider than 64 bits, floe_model_table_plan and floe_model_host_backed_plan use
   index keys afterwards. */
FLOE_API floe_status floe_model_index_key_plan(floe_model *model, floe_log *log, floe_index_key_plan *out);
typedef struct {
  double bits;                  /* of the key due to this variable; fractional where ranges depend on one another */
  uint32_t constant, dependent; /* elements with a single value, and elements determined by others: they add no bits */
} floe_index_key_entry;
/* For the variable of floe_model_layout_entry(model, i), after floe_model_index_key_plan; else zeros. */
FLOE_API floe_index_key_entry floe_model_index_key_entry(const floe_model *model, size_t i);
/* Generated C code of the next-state function for keys of fields. *text lives until constants change. */
FLOE_API floe_status floe_model_generated_code(floe_model *model, floe_log *log, const char **text);

#ifdef __cplusplus
}
#endif

#endif
