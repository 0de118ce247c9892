/* Check of a Promela model: variables, channels, processes and their steps become a ground model. promela_check.c has
   the order. */
#ifndef FLOE_FRONTEND_PROMELA_CHECK_H
#define FLOE_FRONTEND_PROMELA_CHECK_H

#include "frontend/promela/graph/promela_graph.h"
#include "model/build.h"
#include "model/language.h"

#define PR_NONE UINT32_MAX
#define PR_GUESS "most-instances" /* the constant of guesses (model/guess.h): no name of a file has a `-` */
#define PR_MOST_PROCESSES 255     /* as in Spin */
#define PR_MOST_PRIORITY 255      /* as in Spin */

/* ---- declarations -------------------------------------------------------------------------------- */

/* A type of one value. */
struct pr_scalar {
  enum pr_type type;
  int64_t lo, hi;
  uint32_t subtype; /* name of a kind of mtype; PR_NO_NAME: none */
};

/* One value of each element of a variable: the variable itself, or a field of a record. */
struct pr_leaf {
  const char *name;      /* "a", "a.b" */
  const uint32_t *path;  /* [depth] names of fields */
  const uint32_t *sizes; /* [depth + 1] of the variable and each field; 0: no array */
  size_t depth;
  struct pr_scalar scalar;
  uint32_t count; /* elements of an instance */
  bool assigned;
  const struct pr_variable *written; /* of the innermost field */
  bool declared;                     /* `variable` is set */
  bool read;                         /* by some step, formula or claim */
  uint32_t variable;                 /* number in the model; PR_NONE: a chan that is never assigned */
  uint32_t first_queue;              /* number of the channel of element 0 of instance 0, if written->channel */
};

struct pr_symbol {
  const struct pr_variable *written;
  struct pr_leaf *leaves;
  size_t leaf_count, leaf_cap;
};
struct pr_symbols {
  struct pr_symbol *items;
  size_t n, cap;
};

/* A channel: its number plus 1 is its value. */
struct pr_queue {
  uint32_t process, instance; /* process PR_NONE: global */
  uint32_t channel, element;  /* in the model */
  uint32_t capacity;
  const struct pr_scalar *fields;
  size_t field_count;
};

/* A proctype with its instances. */
struct pr_process {
  const struct pr_proctype *written;
  const char *name;
  uint32_t number; /* in the model; PR_NONE: it never runs */
  struct pr_graph graph;
  struct pr_symbols symbols; /* parameters first */
  size_t leading;            /* symbols that have their values when the process is created, the first ones */
  uint32_t active, instances;
  bool runs, guessed;      /* `run` makes instances; their number is a guess */
  uint32_t first_pid;      /* of active instances */
  uint32_t first_instance; /* number of instance 0 among all instances */
  uint32_t priority;       /* of active instances */
  uint32_t location_variable, pid_variable;
  uint32_t priority_variable;        /* if the model has priorities */
  uint32_t absent;                   /* the location of instances that are not alive */
  uint32_t first_edge;               /* of step 0 */
  struct pr_ground *ground;          /* [instance * steps + step]; NULL: not yet lowered */
  bool lowering;                     /* its steps are being lowered */
  const struct expr **executable[2]; /* [instance] some step is, without and with `timeout`; promela_priority.c */
};

/* ---- expressions --------------------------------------------------------------------------------- */

struct pr_check;

/* Where an expression stands. */
struct pr_context {
  struct pr_check *check;
  const struct pr_process *process; /* NULL: none */
  uint32_t instance;
  const struct pr_scope *scope;
  bool constant;      /* variables have their initial values */
  bool timeout;       /* the value of `timeout` */
  bool unread;        /* no step needs the values: variables that are read here only may be left out of the state */
  bool claim;         /* the condition of a claim or formula */
  bool *uses_timeout; /* set if the expression has `timeout`; NULL: not allowed */
  const struct pr_expr *run; /* the `run` that the expression may contain; NULL: none */
  const struct expr *pid;    /* the value of `run` */
};

/* An element of a variable. */
struct pr_reference {
  struct pr_leaf *leaf;
  const struct pr_process *process; /* its owner; NULL: global */
  uint32_t instance;
  const struct expr *index; /* within the instance */
  source_at at;
};
struct pr_references {
  struct pr_reference *items;
  size_t n, cap;
};

/* ---- steps --------------------------------------------------------------------------------------- */

/* What is received: of each field a value that it must have, or where it is stored, or neither. */
struct pr_pattern_item {
  const struct expr *value;   /* NULL: any */
  struct pr_reference target; /* leaf NULL: none */
  source_at at;
};
struct pr_pattern {
  struct pr_pattern_item *items;
  size_t n, cap;
};

/* A way to execute a step of an instance alone. */
struct pr_part {
  const struct expr *guard;
  struct statements effects;
  uint32_t temps; /* of the effects */
};
struct pr_printed_part {
  struct printed_part part;
  const struct pr_expr *from; /* of its value */
};
/* A send or receive on a channel without buffer: half of a rendezvous. */
struct pr_offer {
  uint32_t queue;
  const struct expr *guard;
  const struct expr **values; /* [field] sent; received: must have this value, NULL: any */
};
struct pr_ground {
  const struct pr_step *step;
  struct pr_context context;
  struct pr_part *parts[2]; /* without and with `timeout`; the second only if the step has it */
  size_t part_count[2], part_cap[2];
  bool uses_timeout;
  struct pr_offer *sends, *receives;
  size_t send_count, send_cap, receive_count, receive_cap;
  struct pr_pattern pattern;             /* of a receive */
  const struct pr_printed_part *printed; /* what it prints */
  size_t printed_count;
  const struct expr *provided;
  /* Without and with `timeout`, at its location; not of receives without buffer. */
  const struct expr *enabled[2];
  const struct expr *before[2];     /* a step that Spin tries earlier is enabled */
  const struct expr *preempting[2]; /* a step of an escape around this one is enabled */
};

/* A send or receive; of each field of the message a value. */
struct pr_event {
  uint32_t queue;
  bool sends;
  const struct expr *const *values;
};
/* What a rendezvous does to the trace assertion: its location behind it; it is an error; there are two moves. */
struct pr_trace_change {
  const struct expr *to, *fails, *receive_fails, *ambiguous; /* fails: the send, or the receive behind it */
};

struct pr_check {
  const struct pr_model *tree;
  const struct definition *definitions;
  size_t definition_count;
  const struct value_range *ranges; /* [variable] NULL: those of the types */
  struct builder build;
  struct pr_givens given;     /* by -D: macros that change the text */
  struct constant *constants; /* [tree->text->constants.count] macros whose text is a number */
  struct constant *listed;    /* model->constants */
  int64_t guess;              /* value of PR_GUESS: instances that loops make of a process */
  bool guesses;               /* the number of instances of some process is a guess */
  struct pr_symbols globals;
  struct pr_process *processes; /* [tree->proctypes.n] */
  struct pr_queue *queues;
  size_t queue_count, queue_cap;
  struct channel *channels;
  size_t channel_cap;
  struct variable *variables;
  size_t variable_cap;
  struct process *model_processes;
  struct edge *edges;
  uint32_t running;           /* the variable _nr_pr */
  uint32_t last;              /* the variable _last, if the model has it */
  uint32_t holder;            /* the variable of atomic sequences (promela_atomic.c); PR_NONE: there are none */
  struct pr_trace *trace;     /* NULL: none */
  uint32_t instances;         /* of all processes */
  uint32_t alive;             /* at once, at most */
  uint32_t actives;           /* processes that live in the initial state */
  const struct expr *blocked; /* no step is enabled without `timeout` */
  struct transition *transitions;
  size_t transition_cap;
  struct initiator_transitions *initiators;
  size_t initiator_cap;
};

#define PR_ERROR(c, at, hint, ...) BUILD_ERROR(&(c)->build, at, hint, __VA_ARGS__)
#define PR_NAME_OF(c, id) ((c)->tree->names.names[id])

/* ---- promela_names.c ----------------------------------------------------------------------------- */

/* The variable that a name denotes in a context, with its process (*owner NULL: it is global); NULL: none. */
const struct pr_symbol *pr_find(const struct pr_context *x, uint32_t name, const struct pr_process **owner);
/* The value of a constant of mtype; 0: there is none. `subtype`: of which kind; PR_NO_NAME: any. */
int64_t pr_mtype_value(const struct pr_check *c, uint32_t name);
/* Name of the kind of such a constant; PR_NO_NAME: none. */
uint32_t pr_mtype_kind(const struct pr_check *c, uint32_t name);
/* The process of a proctype; NULL: an error is logged. */
struct pr_process *pr_find_process(struct pr_check *c, const struct pr_name *name);
/* "did you mean 'x'?", NULL: none. */
const char *pr_suggestion(const struct pr_context *x, uint32_t name);

/* ---- promela_reference.c ------------------------------------------------------------------------- */

/* The elements of a variable: one, or those of a record. False: an error is logged. */
bool pr_refer(const struct pr_context *x, const struct pr_expr *e, struct pr_references *out);
/* The element of a variable; false: an error is logged. */
bool pr_refer_one(const struct pr_context *x, const struct pr_expr *e, struct pr_reference *out);
/* The value of an element; NULL: an error is logged. */
const struct expr *pr_read(const struct pr_context *x, const struct pr_reference *r);
/* The assignment of a value to element `place` of a variable of the model: neither NULL, unless an error is logged. */
void pr_store(struct pr_check *c, struct statements *out, source_at at, uint32_t variable, const struct expr *place,
              const struct expr *value);
void pr_set(struct pr_check *c, struct statements *out, source_at at, uint32_t variable, uint32_t element,
            const struct expr *value);
/* The assignment of a value, which wraps. */
void pr_assign(struct pr_check *c, struct statements *out, const struct pr_reference *r, const struct expr *value);
/* Marks the leaves of a variable, of all its elements, as assigned. */
void pr_mark_assigned(const struct pr_context *x, const struct pr_expr *e);

/* ---- promela_expression.c ------------------------------------------------------------------------ */

/* The value, within 32 bits; NULL: an error is logged. */
const struct expr *pr_lower(const struct pr_context *x, const struct pr_expr *e);
/* The value of a constant expression. False: it is none, or outside of lo..hi: an error is logged, about `what` ("the
   size of an array"). */
bool pr_constant(const struct pr_context *x, const struct pr_expr *e, const char *what, int64_t lo, int64_t hi,
                 int64_t *out);
/* The value as a variable of this type has it when it is assigned. */
const struct expr *pr_wrapped(struct pr_check *c, source_at at, const struct expr *value, const struct pr_scalar *s);
/* The expression is a number or a constant of mtype, perhaps with operators. */
bool pr_is_literal(const struct pr_context *x, const struct pr_expr *e);
/* The instance is at the location. */
const struct expr *pr_is_at(struct pr_check *c, const struct pr_process *process, uint32_t instance, uint32_t location);
const struct expr *pr_and(struct pr_check *c, const struct expr *a, const struct expr *b);
const struct expr *pr_or(struct pr_check *c, const struct expr *a, const struct expr *b);
const struct expr *pr_not(struct pr_check *c, const struct expr *a);

/* ---- promela_declare.c --------------------------------------------------------------------------- */

/* Symbols of globals, parameters and locals; processes with their graphs and numbers of instances; channels. */
void pr_declare(struct pr_check *c);
/* A target of an assignment, or an argument of a receive, is a variable: not `_` and no constant. */
bool pr_is_target(const struct pr_context *x, const struct pr_expr *e);
/* The statement assigns elements of the variable. */
bool pr_assigns(const struct pr_context *x, const struct pr_statement *s, const struct pr_symbol *symbol);

/* ---- promela_instances.c ------------------------------------------------------------------------- */

/* How many instances each process has. */
void pr_count_instances(struct pr_check *c);
/* The `run` of a statement: it is the whole statement, or a part of the value of an assignment. NULL: it has none. */
const struct pr_expr *pr_run_of(const struct pr_statement *s);

/* ---- promela_prefix.c ---------------------------------------------------------------------------- */

/* Follows the single instance of a process from its beginning as long as one step is known to be enabled, and reports
   each `run` on the way. Returns the location that it reaches. */
uint32_t pr_run_prefix(struct pr_check *c, const struct pr_process *p,
                       void (*found)(void *user, const struct pr_expr *run), void *user);

/* ---- promela_state.c ----------------------------------------------------------------------------- */

/* The variables of the model with their initial values, and processes with their locations. */
void pr_declare_state(struct pr_check *c);
/* Names of the values of an mtype. */
const struct enumeration *pr_enumeration(struct pr_check *c, const struct pr_scalar *s);

/* ---- promela_channel.c --------------------------------------------------------------------------- */

/* A channel that an expression may denote, and the condition that it does. */
struct pr_candidate {
  uint32_t queue;
  const struct expr *is;
};
struct pr_candidates {
  struct pr_candidate *items;
  size_t n, cap;
  const struct expr *invalid; /* none of them, or one of a process that is not alive */
};
/* Those whose messages have `fields` fields, or (any_fields) any number. False: an error is logged. */
bool pr_candidates(const struct pr_context *x, const struct pr_expr *channel, size_t fields, bool any_fields,
                   struct pr_candidates *out);
/* Number of messages in the channel, and a field of the one at a position. */
const struct expr *pr_length(struct pr_check *c, source_at at, const struct pr_queue *q);
/* Some channel of the model has messages with `fields` fields, or (more) at least so many, as a poll may leave out the
   last ones. False: an error is logged. */
bool pr_has_channel(struct pr_check *c, source_at at, size_t fields, bool more);
/* len, full, empty, nfull, nempty, polls */
const struct expr *pr_lower_channel(const struct pr_context *x, const struct pr_expr *e);
const struct expr *pr_field(struct pr_check *c, source_at at, const struct pr_queue *q, uint32_t field,
                            uint32_t position);
/* The message at the position, which exists, has the values of the pattern. */
const struct expr *pr_matches(struct pr_check *c, source_at at, const struct pr_queue *q,
                              const struct pr_pattern *pattern, uint32_t position);

/* ---- promela_message.c --------------------------------------------------------------------------- */

/* The arguments of a receive or poll. False: an error is logged. */
bool pr_lower_pattern(const struct pr_context *x, const struct pr_exprs *arguments, struct pr_pattern *out);
void pr_lower_send(struct pr_ground *g);
void pr_lower_receive(struct pr_ground *g);
/* Assigns the values received. */
void pr_receive_values(struct pr_ground *g, struct statements *out, const struct expr *const *values);
/* Empties the channel. */
void pr_clear(struct pr_check *c, struct statements *out, const struct pr_queue *q, source_at at);

/* ---- promela_statement.c ------------------------------------------------------------------------- */

/* Sets parts and offers of a step from its `step` and `context`. */
void pr_lower_step(struct pr_ground *g);
struct pr_part *pr_add_part(struct pr_ground *g, const struct expr *guard);
/* Does so for all steps of a process, the first time. */
void pr_lower_process(struct pr_check *c, struct pr_process *p);
/* A part that is an error. */
void pr_add_error(struct pr_ground *g, const struct expr *guard, enum site_kind kind, const char *what);

/* ---- promela_print.c ----------------------------------------------------------------------------- */

/* printf and printm; they have no effect. */
void pr_lower_print(struct pr_ground *g);
/* What the step prints, when it is known which variables are in the state. */
const struct printed_part *pr_printed(struct pr_check *c, const struct pr_ground *g);

/* ---- promela_run.c ------------------------------------------------------------------------------- */

/* `run`, alone (`result` NULL) or within the value of an assignment to `result`. */
void pr_lower_run(struct pr_ground *g, const struct pr_expr *run, const struct pr_reference *result);
/* The end of a process. */
void pr_lower_end(struct pr_ground *g);

/* ---- promela_edges.c ----------------------------------------------------------------------------- */

/* The steps of all processes. */
void pr_make_edges(struct pr_check *c);

/* ---- promela_atomic.c ---------------------------------------------------------------------------- */

/* Declares the variable that names the process in an atomic sequence or d_step, if there are any. */
void pr_declare_holder(struct pr_check *c);
/* No process is in an atomic sequence. */
const struct expr *pr_is_free(struct pr_check *c);
/* The process has begun its d_step, and is not behind it. */
const struct expr *pr_is_in_d_step(const struct pr_ground *g);
/* Sets the holder behind a step of `first`: the process of `last`, which is `first` or the receiver of its rendezvous,
   if that is then in a sequence, else none. */
void pr_hold(struct pr_check *c, struct statements *out, const struct pr_ground *first, const struct pr_ground *last);

/* What may fire in transient states, when all transitions are known. */
void pr_make_transient(struct pr_check *c);

/* ---- promela_enabled.c --------------------------------------------------------------------------- */

/* The instance is alive and has this number. */
const struct expr *pr_has_pid(struct pr_check *c, const struct pr_process *p, uint32_t instance,
                              const struct expr *pid);
/* The value of the instance whose number is e->a, 0 if there is none; NULL: an error is logged. */
const struct expr *pr_of_pid(const struct pr_context *x, const struct pr_expr *e,
                             const struct expr *(*value_of)(struct pr_check *c, const struct pr_process *p,
                                                            uint32_t instance));
/* The instance has an executable step, apart from `provided`; the process is lowered. */
const struct expr *pr_is_executable(struct pr_check *c, const struct pr_process *p, uint32_t instance, bool timeout);
/* enabled(a), pc_value(a); NULL: an error is logged. */
const struct expr *pr_lower_enabled(const struct pr_context *x, const struct pr_expr *e);
const struct expr *pr_lower_pc_value(const struct pr_context *x, const struct pr_expr *e);

/* ---- promela_priority.c -------------------------------------------------------------------------- */

/* Priorities of all instances in the beginning; those of processes that are not alive do not matter. */
const int64_t *pr_initial_priorities(struct pr_check *c, const struct pr_process *p);
/* What an instance has when `run` creates it. */
uint32_t pr_run_priority(struct pr_check *c, const struct pr_expr *run);
/* `_priority`, of a model with priorities */
const struct expr *pr_priority(struct pr_check *c, const struct pr_process *p, uint32_t instance);
/* get_priority(a); NULL: an error is logged. */
const struct expr *pr_lower_get_priority(const struct pr_context *x, const struct pr_expr *e);
/* set_priority(a, b) */
void pr_lower_set_priority(struct pr_ground *g, const struct pr_expr *e);
/* Assigns `_priority`. */
void pr_lower_own_priority(struct pr_ground *g);
/* Finds pr_process.executable, when all steps are known. */
void pr_find_executable(struct pr_check *c);
/* No process of a higher priority has an executable step. */
const struct expr *pr_is_preferred(struct pr_check *c, const struct pr_process *p, uint32_t instance, bool timeout);

/* ---- promela_trace.c ------------------------------------------------------------------------------ */

/* The automaton of `trace` or `notrace`, if the model has one. */
void pr_declare_trace(struct pr_check *c);
/* The variable with its location, which gets this number. */
struct variable pr_trace_variable(struct pr_check *c, uint32_t number);
/* Its steps, when all variables are known. */
void pr_lower_trace(struct pr_check *c);
/* It is at its end or an end label, or there is none. */
const struct expr *pr_trace_may_end(struct pr_check *c);
/* The automaton moves with a step. */
void pr_trace_move(struct pr_check *c, struct statements *out, const struct pr_event *event);
/* The errors of such a step, of which `guard` is true. */
void pr_trace_errors(struct pr_ground *g, const struct expr *guard, const struct pr_event *event);
/* What a rendezvous with these values does, by its send and then by its receive; false: nothing. */
bool pr_trace_rendezvous(struct pr_check *c, uint32_t queue, const struct expr *const *values,
                         struct pr_trace_change *out);
/* Assigns the location. */
void pr_trace_set(struct pr_check *c, struct statements *out, const struct expr *to);
/* The errors of an event that must not be, and of one for which there are two moves. */
const char *pr_trace_failure(const struct pr_check *c);
const char *pr_trace_receive_failure(const struct pr_check *c); /* of the receive of a rendezvous */
/* `cause` begins with one of the two. */
bool pr_is_trace_failure(const char *cause, bool *receives);
const char *pr_trace_ambiguity(void);

/* ---- promela_transitions.c ----------------------------------------------------------------------- */

void pr_make_transitions(struct pr_check *c);
/* They are steps of two instances. */
bool pr_is_other(const struct pr_ground *a, const struct pr_ground *b);
/* The receiver takes the values sent, apart from its location. */
const struct expr *pr_accepts(struct pr_check *c, const struct pr_offer *send, const struct pr_ground *receiver,
                              const struct pr_offer *receive);

/* ---- promela_conditions.c ------------------------------------------------------------------------ */

/* After the transitions. */
void pr_make_conditions(struct pr_check *c);

/* ---- properties/promela_properties.c ------------------------------------------------------------- */

void pr_make_properties(struct pr_check *c);

/* A process may be here at the end of a run: it is at its end, or at an end label. */
bool pr_is_end(const struct pr_model *tree, const struct pr_graph *graph, uint32_t location);

/* A label of the location begins so. */
bool pr_has_label(const struct pr_check *c, const struct pr_location *l, const char *prefix);

/* Some process is at a location with a label that begins so; NULL: there is no such label. */
const struct expr *pr_at_labels(struct pr_check *c, const char *prefix);

/* ---- spin/promela_spin.c ------------------------------------------------------------------------- */

/* Spin's number of a statement within its process, from 1. */
uint32_t pr_state_number(const struct pr_process *p, uint32_t number);

/* What Spin knows of the model, which is complete. `first`: the text without definitions. */
const struct tool_view *pr_spin_view(struct pr_check *c);

/* ---- promela_check.c ----------------------------------------------------------------------------- */

/* The preprocessor has read the text with this macro of -D. */
bool pr_is_given(const struct pr_check *c, const char *name);
floe_status pr_check_within(const struct outline *outline, const struct definition *definitions,
                            size_t definition_count, const struct value_range *ranges, struct arena *arena,
                            const struct model **out);
floe_status pr_check(const struct outline *outline, const struct definition *definitions, size_t definition_count,
                     struct arena *arena, floe_log *log, const struct model **out);

#endif
