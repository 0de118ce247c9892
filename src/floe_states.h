/* States, steps, traces, expansion and simulation, a part of floe.h, which includes this header. floe_common.h states
   the rules for all functions. */
#ifndef FLOE_STATES_H
#define FLOE_STATES_H

#include "floe_common.h"
#include "floe_model.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- steps ------------------------------------------------------------------------------------- */

typedef struct {
  const char *name;   /* "turn", "flag[1]", "P[0]" (its location), "P[0].x", "c" (contents of a channel) */
  const char *before; /* value; "" in the first state */
  const char *after;
} floe_change;
typedef struct {
  const char *name;
  int64_t value;
  const char *text; /* value as written; the name of a value of an enumeration */
} floe_select;
/* An instance of a process. In models without processes the transition itself, then the objects that it involves: only
   `name`, `kind`, `line` and `file` say something; the transition also has its name as `label`. */
typedef struct {
  const char *name;    /* "P[0]", "t17", "p1" */
  const char *process; /* "P"; "": none */
  uint32_t instance;
  const char *label;     /* "": none */
  const char *from, *to; /* locations; "": none */
  unsigned line;         /* of its transition in the model text; of the declaration of an object, 0: none */
  const char *file;      /* included file that holds the line; "": the model's own file */
  const char *kind;      /* "": an instance; "transition"; else of an object, in a word: "place" */
} floe_participant;
typedef struct {
  const char *action; /* "P[0] enter", "S[0] send -> R[0] get"; with select values: "P[1] take {i=2}"; without a process
                         "t17", "Send {src=1, dst=2}" */
  const char *process; /* initiating instance, "P[0]"; "": none */
  const char *label;   /* without a process the name of the transition */
  unsigned line;       /* of the initiator's transition in the model text; 0: it is not in the text */
  size_t changes;
  const floe_change *change_list; /* [changes] */
  size_t selects;
  const floe_select *select_list; /* [selects] values of the selections with names */
  size_t participants;
  const floe_participant *participant_list; /* [participants], the initiator first, objects last */
  const char *cause;                        /* why the step fails, as in floe_verdict; "": it leads to a state */
  const char *file;                         /* included file that holds the line; "": the model's own file */
  /* Of a handshake or a broadcast; a channel with a capacity shows its messages in change_list. */
  const char *channel; /* "c", "c[1]"; "": none, or the step fails */
  const char *message; /* its contents: "2", "2, true"; "": none */
} floe_step;
/* ---- traces ------------------------------------------------------------------------------------------ */

typedef struct floe_trace floe_trace;
/* A trace has states 0..steps, and step i between states i and i + 1. In a trace of `errors` the last step fails and
   has no state after it. */
FLOE_API size_t floe_trace_steps(const floe_trace *trace);
/* A trace of a temporal property is an infinite run: after the last state it continues as after this state, for ever.
   If this is the last state itself, the run stays there. FLOE_NO_LOOP: any other trace. */
FLOE_API size_t floe_trace_loop(const floe_trace *trace);
#define FLOE_NO_LOOP ((size_t)-1)
/* How such a run satisfies a constraint of fairness, or that it does not. */
typedef enum {
  FLOE_FAIR_TAKEN,    /* by the step from state `at`, which is repeated */
  FLOE_FAIR_DISABLED, /* weak: it is not enabled in state `at`, which is repeated */
  FLOE_FAIR_NEVER,    /* it is enabled in none of the repeated states */
  FLOE_FAIR_VIOLATED  /* an enabled constraint whose steps are not repeated */
} floe_fair_reason;
typedef struct {
  const char *name; /* "Client[0]", "Server[1].grant", "grant" */
  bool strong;
  bool required; /* of the property; false: an instance without a constraint, regarded as a weak one */
  floe_fair_reason reason;
  size_t at; /* TAKEN, DISABLED */
} floe_fair;
/* Constraints of the property, then the instances without one. */
FLOE_API size_t floe_trace_constraints(const floe_trace *trace);
FLOE_API floe_fair floe_trace_constraint(const floe_trace *trace, size_t i);
FLOE_API size_t floe_trace_variables(const floe_trace *trace); /* of a state */
FLOE_API floe_change floe_trace_initial_value(const floe_trace *trace, size_t i);
/* Value of variable i in the last state; for `errors`, the state in which the last step fails. */
FLOE_API floe_change floe_trace_last_value(const floe_trace *trace, size_t i);
FLOE_API floe_step floe_trace_step(const floe_trace *trace, size_t step);
/* What the step prints (printf of Promela), with its line ends; "": nothing. */
FLOE_API const char *floe_trace_printed(const floe_trace *trace, size_t step);
FLOE_API floe_change floe_trace_change(const floe_trace *trace, size_t step, size_t i); /* change_list[i] */
/* In the form of the tool of floe_model_tool. FLOE_ERROR_UNSUPPORTED: there is none. FLOE_ERROR_IO. */
FLOE_API floe_status floe_trace_write_tool(const floe_trace *trace, FILE *stream);
/* A file by which this tool executes the trace. FLOE_ERROR_UNSUPPORTED: floe_trace_unplayable has the reason. */
FLOE_API floe_status floe_trace_write_trail(const floe_trace *trace, FILE *stream);
FLOE_API const char *floe_trace_unplayable(const floe_trace *trace); /* "": it can be written */
/* Subexpressions of the property, with their values in the last state: "count(...) <= 1", "2". */
FLOE_API size_t floe_trace_subexpressions(const floe_trace *trace);
FLOE_API void floe_trace_subexpression(const floe_trace *trace, size_t i, const char **text, const char **value);

/* Why a transition is blocked. */
typedef enum {
  FLOE_OBSTACLE_GUARD,     /* a part of its guard is false */
  FLOE_OBSTACLE_PARTNER,   /* no partner at the other end of its channel */
  FLOE_OBSTACLE_FULL,      /* its channel is full */
  FLOE_OBSTACLE_EMPTY,     /* its channel is empty */
  FLOE_OBSTACLE_MESSAGE,   /* no message matches */
  FLOE_OBSTACLE_COMMITTED, /* an instance is at a committed location, whose steps have priority */
  FLOE_OBSTACLE_CONSTANTS, /* a select has no values, or too many to examine */
  FLOE_OBSTACLE_NO_CHANGE, /* it is enabled, but leads back to the state (floe_load_options.deadlocks) */
  FLOE_OBSTACLE_STATEMENT  /* its statement is not executable */
} floe_obstacle_kind;
FLOE_API const char *floe_obstacle_kind_name(floe_obstacle_kind kind); /* "guard", "partner", ... */
typedef struct {
  floe_obstacle_kind kind;
  const char *text; /* GUARD: the part as written, "fork[self] == 0"; else a phrase, "c[1] is full" */
  size_t values;
  const floe_change *value_list; /* [values] GUARD: operands that it reads, with values in `after`; `before` is "" */
} floe_obstacle;
/* A transition from the location of an instance (or one without a process) in a deadlock, with the obstacles of the
   selection values that come nearest to firing (doc/traces.md, "Explanations"). */
typedef struct {
  const char *process;  /* "P[0]"; "": the transition belongs to no process */
  const char *location; /* of that instance; "": no process */
  const char *label;    /* "": none */
  const char *to;       /* "": no process; with label "": no transition leaves the location, and there is no obstacle */
  unsigned line;        /* of the transition in the model text; 0: none */
  size_t selects;
  const floe_select *select_list; /* [selects] */
  size_t obstacles;
  const floe_obstacle *obstacle_list; /* [obstacles] */
  const char *file;                   /* included file that holds the line; "": the model's own file */
} floe_blocked_transition;
/* Blocked transitions of all instances in the last state of a trace of `deadlock`; 0: a trace of another property. */
FLOE_API size_t floe_trace_blocked_transitions(const floe_trace *trace);
FLOE_API floe_blocked_transition floe_trace_blocked_transition(const floe_trace *trace, size_t i);
FLOE_API bool floe_trace_blocked_incomplete(const floe_trace *trace); /* the time limit came before all were found */

/* ---- states ------------------------------------------------------------------------------------ */

/* A state of a model: the values of all its variables, packed and immutable. It may outlive its model. Functions with a
   model accept only states made from it since its last check: else FLOE_ERROR_USAGE, logged.

   The functions of this section, floe_expand and floe_expression_create only read the model, which must be checked
   (floe_model_check), else FLOE_ERROR_USAGE, logged. Any number of threads may call them at once with the same model,
   states and expressions, each with a log of its own. The caller frees what they return. */
typedef struct floe_state floe_state;

/* FLOE_ERROR_MODEL, logged, from this and the next three functions: a state of the model may have too many steps. */
FLOE_API floe_status floe_state_initial(const floe_model *model, floe_log *log, floe_state **out);
/* The initial state, changed by [count] pairs of `name` and `after`, both in the form that floe_expansion_values
   returns; `before` is not used. The state need not be reachable. FLOE_ERROR_USAGE, logged: no such variable, or a
   value that it cannot have. */
FLOE_API floe_status floe_state_from_values(const floe_model *model, const floe_change *values, size_t count,
                                            floe_log *log, floe_state **out);
/* State i of a trace of this model with these constants, in the order of floe_trace_steps. FLOE_ERROR_USAGE, logged: i
   is past the end, or the trace does not fit the model. */
FLOE_API floe_status floe_state_of_trace(const floe_model *model, const floe_trace *trace, size_t i, floe_log *log,
                                         floe_state **out);
/* The state of a text of floe_state_text, which may come from an untrusted source. FLOE_ERROR_USAGE, logged: it is not
   the text of a state of this model. */
FLOE_API floe_status floe_state_parse(const floe_model *model, const char *text, floe_log *log, floe_state **out);

/* Text of a state, for links and files: hexadecimal digits, the same for equal states. It has a meaning only together
   with the model text and the constants. Writes at most `size` bytes, with a final NUL if size > 0; returns the length
   of the whole text. */
FLOE_API size_t floe_state_text(const floe_state *state, char *text, size_t size);
FLOE_API floe_status floe_state_copy(const floe_state *state, floe_state **out);
FLOE_API void floe_state_free(floe_state *state);
FLOE_API bool floe_state_equal(const floe_state *a, const floe_state *b); /* the same text */
FLOE_API uint64_t floe_state_hash(const floe_state *state);               /* the same for equal states */

/* ---- expansion --------------------------------------------------------------------------------- */

/* A state and what follows from it: its enabled steps with their successors, and, computed when asked for, its values,
   properties, blocked transitions and expressions. Executed by the reference interpreter; states may have any width.

   An expansion is for one thread at a time. It owns what its functions return. While it exists, the model must not be
   freed, and its constants must not change. FLOE_ERROR_MEMORY, from any function, leaves it as it is. */
typedef struct floe_expansion floe_expansion;

FLOE_API floe_status floe_expand(const floe_model *model, const floe_state *state, floe_log *log, floe_expansion **out);
FLOE_API void floe_expansion_free(floe_expansion *expansion);
FLOE_API const floe_state *floe_expansion_state(const floe_expansion *expansion); /* the expanded state */
/* Values of all variables that can change, [*count], as in floe_trace_initial_value. */
FLOE_API floe_status floe_expansion_values(floe_expansion *expansion, const floe_change **values, size_t *count);

/* Number of enabled steps, including failing ones, in the model's order; 0: a deadlock. Several steps may lead to the
   same state. */
FLOE_API size_t floe_expansion_steps(const floe_expansion *expansion);
FLOE_API bool floe_expansion_step_fails(const floe_expansion *expansion, size_t i); /* it has no successor */
/* A sequence of steps is one step of the model, as results count them, and the state is within one: only the steps
   that continue it are enabled, and no property applies but `errors` of these steps. */
FLOE_API bool floe_expansion_is_transient(const floe_expansion *expansion);
/* Describes step i. FLOE_ERROR_USAGE: i is past the end. */
FLOE_API floe_status floe_expansion_step(floe_expansion *expansion, size_t i, floe_step *step);
/* What step i prints, as floe_trace_printed. FLOE_ERROR_USAGE: i is past the end. */
FLOE_API floe_status floe_expansion_printed(floe_expansion *expansion, size_t i, const char **text);
/* The state after step i; floe_state_copy keeps it for longer than the expansion. FLOE_ERROR_MODEL: the step fails (see
   its cause). FLOE_ERROR_USAGE: i is past the end. */
FLOE_API floe_status floe_expansion_successor(floe_expansion *expansion, size_t i, const floe_state **out);
/* Adds 1 to fired[t] for every transition t of the model (floe_model_transition; `fired` has an element for each) that
   takes part in step i, as floe_result_fired counts. FLOE_ERROR_USAGE: i is past the end. */
FLOE_API floe_status floe_expansion_count_fired(const floe_expansion *expansion, size_t i, uint64_t *fired);

typedef struct {
  bool triggered; /* INVARIANT, NEVER: violated; REACHABLE: reached; DEADLOCK: a deadlock that is not excused; ERRORS: a
                     step fails, or evaluating a property fails; LTL: never (floe_run_satisfies) */
  const char *cause; /* ERRORS: the first error of the state, and its place, for people; else "" */
} floe_property_value;
/* Evaluates the i-th property (floe_model_property) in the state. */
FLOE_API floe_status floe_expansion_property(floe_expansion *expansion, size_t i, floe_property_value *out);
/* Whether an infinite run satisfies the i-th property, which is temporal: the run of the states 0..count - 1, then
   again of those from `loop` on, for ever. firings[k]: the number of the step that leads on from state k, among the
   steps of its expansion; FLOE_NO_FIRING: the run stays. May be NULL if the property has no taken(...). That it is a
   run of the model is not checked. FLOE_ERROR_USAGE, logged: no such property, state or step, or a condition of the
   property cannot be evaluated. */
FLOE_API floe_status floe_run_satisfies(const floe_model *model, size_t i, const floe_state *const *states,
                                        size_t count, size_t loop, const size_t *firings, floe_log *log, bool *out);
#define FLOE_NO_FIRING ((size_t)-1)
typedef struct floe_fairness floe_fairness;
/* How such a run satisfies the constraints of `list`, written as in floe_options.fairness, then those of the instances
   without one; NULL: the constraints of the i-th property. `firings` are needed. Errors as floe_run_satisfies;
   FLOE_ERROR_USAGE also if the list is wrong, logged. */
FLOE_API floe_status floe_run_fairness(const floe_model *model, size_t i, const char *list,
                                       const floe_state *const *states, size_t count, size_t loop,
                                       const size_t *firings, floe_log *log, floe_fairness **out);
FLOE_API size_t floe_fairness_constraints(const floe_fairness *fairness);
FLOE_API floe_fair floe_fairness_constraint(const floe_fairness *fairness, size_t i);
FLOE_API void floe_fairness_free(floe_fairness *fairness);
/* Finds what blocks each transition that leaves the location of an instance and can take part in no step, not even in
   one that fails: *out is a trace without steps, for floe_trace_blocked_transitions. `seconds`: time limit, 0 for none;
   at the limit floe_trace_blocked_incomplete is true. */
FLOE_API floe_status floe_expansion_blocked(floe_expansion *expansion, double seconds, const floe_trace **out);

/* ---- expressions ------------------------------------------------------------------------------- */

/* An expression over the state, in the language of the model: x + 1, P[0].wait and turn == 0. It may outlive the model.
 */
typedef struct floe_expression floe_expression;
/* FLOE_ERROR_MODEL: the log has the errors; their lines and columns are those of `text`, their file is "expression".
   FLOE_ERROR_UNSUPPORTED, logged: the language has no such expressions. */
FLOE_API floe_status floe_expression_create(const floe_model *model, const char *text, floe_log *log,
                                            floe_expression **out);
FLOE_API void floe_expression_free(floe_expression *expression);

typedef struct {
  int64_t value;     /* of a Boolean: 0 or 1 */
  const char *text;  /* "3", "true", a name of an enumeration; "": the evaluation fails */
  const char *cause; /* why the evaluation fails; "": it does not */
} floe_evaluation;
/* Evaluates the expression in the expanded state. FLOE_ERROR_USAGE: it is of another model. */
FLOE_API floe_status floe_expansion_evaluate(floe_expansion *expansion, const floe_expression *expression,
                                             floe_evaluation *out);

/* ---- JSON -------------------------------------------------------------------------------------- */

/* These write one JSON value on one line, in UTF-8. FLOE_ERROR_IO: the stream has an error. */

/* An object: {"x": 1, "P[0]": "wait"}. */
FLOE_API floe_status floe_values_write_json(const floe_change *values, size_t count, FILE *stream);
/* An element of "steps" in doc/trace.schema.json. */
FLOE_API floe_status floe_step_write_json(const floe_step *step, FILE *stream);
/* The blocked transitions of a trace: an array, "waiting" in doc/result.schema.json. */
FLOE_API floe_status floe_blocked_write_json(const floe_trace *trace, FILE *stream);
/* An object with "state" (floe_state_text), "values" and "steps"; each step also has "successor", the text of a state,
   or null if it fails. FLOE_ERROR_MEMORY: the output is incomplete. */
FLOE_API floe_status floe_expansion_write_json(floe_expansion *expansion, FILE *stream);

/* ---- simulator --------------------------------------------------------------------------------- */

/* A current state, and the states on the path to it. While the simulator exists, the model must not be freed, and its
   constants must not change. FLOE_ERROR_MEMORY, from any of these functions, leaves the current state as it is. */
typedef struct floe_simulator floe_simulator;

/* Checks the model, if it is not. The current state is the initial one. */
FLOE_API floe_status floe_simulator_create(floe_model *model, floe_log *log, floe_simulator **out);
FLOE_API void floe_simulator_free(floe_simulator *simulator);

FLOE_API size_t floe_simulator_depth(const floe_simulator *simulator); /* steps since the initial state */
/* Expansion of the current state. It belongs to the simulator and lives until the current state changes. */
FLOE_API floe_status floe_simulator_expansion(floe_simulator *simulator, floe_expansion **out);
/* Takes step i of that expansion. FLOE_ERROR_MODEL: the step fails (see its cause). FLOE_ERROR_USAGE: i is past the
   end. Both leave the current state as it is. */
FLOE_API floe_status floe_simulator_fire(floe_simulator *simulator, size_t i);
/* Takes back the last step. FLOE_ERROR_USAGE: this is the initial state, or the step was forgotten. */
FLOE_API floe_status floe_simulator_undo(floe_simulator *simulator);
FLOE_API void floe_simulator_restart(floe_simulator *simulator); /* returns to the initial state */
/* Forgets the states before the current one, but not the number of steps. A state on the path takes the bytes of a
   packed state; a long simulation that never goes back can save them. */
FLOE_API void floe_simulator_forget(floe_simulator *simulator);

#ifdef __cplusplus
}
#endif

#endif
