/* Ground model: the checked model with names resolved, constants folded, processes instantiated, and channels and
   synchronisation lowered to plain variables and statements. "Ground": every transition belongs to fixed instances. The
   interpreter executes it and the code generator translates it.

   State: an array of integers, one for each element of each variable (struct variable), in order: element i of variable
   v is values[v->first + i]. */
#ifndef FLOE_MODEL_MODEL_H
#define FLOE_MODEL_MODEL_H

#include "core/arena.h"
#include "core/diag.h"
#include "floe.h"

#include <string.h>

/* Checkpoints store these numbers: append new operators at the end. */
/* clang-format off: several operators share a comment */
enum expr_op {
  EXPR_CONST,     /* value */
  EXPR_READ,      /* element `a` (NULL: element 0) of variable `id`; a is always within bounds */
  EXPR_SELECT,    /* value of select `id` of the transition */
  EXPR_TEMP,      /* temporary `id` of the transition, set by an earlier LET */
  EXPR_COMMITTED, /* 1 if some instance is at a committed location */
  EXPR_INDEX,     /* a, checked: an error at `site` unless 0 <= a < value */
  EXPR_NEG,
  EXPR_NOT,
  EXPR_ADD,
  EXPR_SUB,
  EXPR_MUL,
  EXPR_DIV,
  EXPR_MOD, /* an error at `site` if b is 0 (site NO_SITE: b is never 0) */
  EXPR_MIN,
  EXPR_MAX,
  EXPR_LT,
  EXPR_LE,
  EXPR_EQ,
  EXPR_NE, /* (> and >= swap their operands) */
  EXPR_AND,
  EXPR_OR,   /* b is evaluated only if a does not decide; value 0 or 1 */
  EXPR_COND, /* a ? b : c, only one of b and c is evaluated */
  EXPR_BITNOT,
  EXPR_BITAND,
  EXPR_BITXOR,
  EXPR_BITOR,     /* all three on two's complement */
  EXPR_SHL,       /* a * 2^b, without the bits that leave 64 bits */
  EXPR_SHR,       /* a / 2^b, rounded down; both: an error at `site` unless 0 <= b <= 63 (site NO_SITE: b is) */
  EXPR_AUTOMATON, /* value of model->automaton->permitted[id] */
  EXPR_ENABLED    /* 1 if a transition of model->enabled[id] fires in the state, with or without an error */
};
/* clang-format on */
#define EXPR_OPS (EXPR_ENABLED + 1)

#define NO_SITE UINT32_MAX

/* Operands are evaluated from left to right: a, then b. Every value fits in int64_t without overflow. */
struct expr {
  enum expr_op op;
  bool can_fail;  /* the expression or an operand has a site */
  uint16_t depth; /* of the tree, a leaf 1; UINT16_MAX: or more. Set by build.c */
  source_at at;
  uint32_t size;  /* operators and leaves of the tree; UINT32_MAX: or more. Set by build.c */
  int64_t lo, hi; /* every value that it can take lies in lo..hi (errors aside) */
  int64_t value;  /* EXPR_CONST: the value; EXPR_INDEX: the bound */
  uint32_t id;    /* EXPR_READ, EXPR_SELECT, EXPR_TEMP, EXPR_AUTOMATON, EXPR_ENABLED */
  uint32_t site;  /* EXPR_INDEX, EXPR_DIV, EXPR_MOD, EXPR_SHL, EXPR_SHR: number of the error site, or NO_SITE */
  const struct expr *a, *b, *c;
};

/* Stored in checkpoints, as above. Of an EXPR_INDEX: SITE_INDEX, SITE_UNDEFINED, SITE_VALUE, SITE_ERROR. */
enum site_kind {
  SITE_INDEX,
  SITE_DIVISION,
  SITE_RANGE,
  SITE_ASSERT,
  SITE_SHIFT,
  SITE_UNDEFINED, /* the value is the one that stands for "undefined" */
  SITE_VALUE,     /* a value outside its type, before it is stored */
  SITE_ERROR      /* an error of its own; `what` is the message */
};
/* A place in the model that can raise an error. */
struct site {
  enum site_kind kind;
  source_at at;
  const char *what; /* for messages: variable or expression as written */
  int64_t lo, hi;  /* SITE_RANGE: the declared range; SITE_SHIFT: 0..63; of an EXPR_INDEX: the range of the value, which
                      is `lo` more than the operand */
  const char *set; /* SITE_RANGE: the declared values as text; NULL: lo..hi */
  bool guessed; /* SITE_RANGE, SITE_ASSERT: an error shows that a guess is wrong (guess.h): the range is too small, or
                   the claim is false */
  bool proved;  /* SITE_RANGE: an analysis has proved that no reachable state has an error here */
};

enum variable_kind {
  VARIABLE_GLOBAL,
  VARIABLE_LOCAL,    /* all instances: element instance * length + i */
  VARIABLE_LOCATION, /* element = instance; value = number of the location in its template */
  VARIABLE_LENGTH,   /* of a buffered channel: element = channel element; number of messages */
  VARIABLE_FIELD,    /* of a buffered channel: element = channel element * capacity + position; positions from `length`
                        on hold init[0], so that equal contents are equal states */
  VARIABLE_TABLE /* never assigned: a lookup table for a variable with a value set: its values by position, or data for
                    finding positions; owner: that variable. These are the last variables of the model */
};

/* Names for the values 0..count - 1. */
struct enumeration {
  const char *name;
  const char *const *values;
  size_t count;
};

struct value_range {
  int64_t lo, hi;
};

/* The values that a variable may have; a state stores the position of the value. */
struct value_set {
  const int64_t *values; /* ascending */
  uint32_t count;
  const char *text; /* "0..10, 255" */
};

/* Of an array: elements are numbered row by row, the last index fastest. */
struct dimension {
  uint32_t size;
  uint32_t place; /* of the index in the name of an element: characters of the variable's name before it */
  int64_t first;  /* name of the first index */
  const struct enumeration *names; /* of the indices from 0 on, instead of numbers; NULL: none */
};

struct variable {
  const char *name; /* "turn"; local "x"; location and channel: name of the process, the channel */
  enum variable_kind kind;
  uint32_t owner;  /* process (LOCAL, LOCATION), channel (LENGTH, FIELD) or variable (TABLE) */
  uint32_t field;  /* VARIABLE_FIELD: number of the field */
  uint32_t count;  /* elements in all */
  uint32_t length; /* elements of one instance or channel element (1: a scalar) */
  bool is_array;   /* declared with size */
  bool is_bool;
  uint32_t dimension_count;
  const struct dimension *dimensions; /* of `length` elements; NULL: one, with its index behind the name */
  const struct enumeration *type;     /* names of its values; NULL: none */
  const struct value_range *ranges;   /* of each of the `length` elements, all within lo..hi; NULL: each has lo..hi */
  const struct value_set *values; /* the stored value is a position in the set: lo is 0, hi the last; NULL: the value
                                     itself */
  bool assigned;                  /* false: constant, always the initial value, needs no bits */
  bool guessed;                   /* lo..hi may be too small (guess.h) */
  uint32_t instances_of;          /* its values from 0 on are declared to be instances: number of the process + 1 */
  bool undefined;                 /* Murphi: hi is not a value of the type, but stands for "undefined" */
  int64_t lo, hi;
  const int64_t *init; /* count values */
  uint32_t first;      /* index of element 0 in a state's value array */
  source_at at;
};

/* Number of indices that name an element. */
static inline uint32_t variable_dimensions(const struct variable *v) {
  return v->dimensions ? v->dimension_count : v->is_array;
}

enum statement_op {
  ST_LET,    /* temporary `id` = value; range-checked with lo, hi if site != NO_SITE */
  ST_ASSIGN, /* element `index` (NULL: 0) of variable `id` = value; range-checked if site != NO_SITE. The index is
                evaluated before the value */
  ST_ASSERT, /* an error at `site` if value is 0 */
  ST_IF      /* if value is not 0: then[0..then_count), else the else_count statements after them */
};
/* One iteration of an unrolled loop: value of its variable, and the iteration of the enclosing loop. */
struct loop_iteration {
  const char *name;
  int64_t value;
  const struct loop_iteration *outer; /* NULL: none */
};
struct statement {
  enum statement_op op;
  source_at at;
  uint32_t id, site;
  const struct expr *index, *value;
  const struct loop_iteration *iteration; /* NULL: in no loop */
  const struct expr *displayed;           /* the value for messages, if `value` is a position; NULL: value */
  const struct statement *then;           /* ST_IF: both branches, one after the other */
  size_t then_count, else_count;
};

/* Number of statements in both branches. */
static inline size_t statement_inner_count(const struct statement *statement) {
  return statement->then_count + statement->else_count;
}

struct select {
  const char *name;               /* as written; "" for a choice that lowering added (broadcast receivers) */
  int64_t lo, hi;                 /* lo <= hi */
  const struct enumeration *type; /* its values have names; NULL: they have not */
};

/* Fairness of every instance of a process, or of an edge of it: temporal/fairness.h. */
enum fair { FAIR_NONE, FAIR_WEAK, FAIR_STRONG };

#define NO_PROCESS UINT32_MAX

/* An instance that takes part in a transition; without a process (NO_PROCESS) the transition itself, instance 0. */
struct participant {
  uint32_t process, instance;
  uint32_t edge;                   /* index into model->edges */
  const struct expr *participates; /* NULL: always; else an EXPR_TEMP with the answer (broadcast receivers) */
};

/* The instance is at this location: the first test of every transition. */
struct location_test {
  uint32_t variable, element; /* a VARIABLE_LOCATION */
  uint32_t location;
};

/* What a transition involves besides instances of processes: a place of a Petri net, a node. For traces alone. */
struct object {
  const char *kind, *name;  /* kind: one word */
  const struct expr *index; /* over the selects and the state before the step; NULL: none */
  source_at at;             /* of its declaration; NOWHERE: none */
};

/* A message that no channel keeps: of a handshake or a broadcast. Its expressions are of the transition, with reads in
   the state before the step; evaluating them after the step has fired cannot fail. */
struct sent_field {
  const struct expr *value;
  const struct enumeration *type; /* names of its values; NULL: none */
  bool is_bool;
};
struct sent_message {
  const struct expr *element; /* of the channel of the initiator's edge */
  const struct sent_field *fields;
  size_t field_count;
};

/* A part of what a step prints: text, or a value of the state before the step. */
struct printed_part {
  const char *text;         /* if `value` is NULL */
  const struct expr *value; /* over the variables of the state */
  char form;                /* of the value, as in C: d, u, o, x, c; e: a name of `names` */
  const struct enumeration *names;
};

/* A ground transition. A choice gives values to the selects, the first one varying slowest. For each choice, the
   transition fires if all tests and then, in order, all guards hold in the state. Statements run in sequence on a copy
   of the state: READ in a statement sees the effects of earlier statements. LETs that must read the state before the
   step come first. Changes of location come last. */
struct transition {
  const struct location_test *tests;
  size_t test_count;
  const struct select *selects;
  size_t select_count;
  const struct expr *const *guards;
  size_t guard_count;
  const struct statement *statements;
  size_t statement_count;
  size_t undo_count; /* of model.stuttering: whether the firing changes the state is decided before these last ones */
  uint32_t temp_count;
  const struct participant *participants; /* [0] is the initiator (the sender) */
  size_t participant_count;
  const struct sent_message *message; /* for people; NULL: none, or its channel keeps it */
  const struct printed_part *printed; /* for people: what the step prints */
  size_t printed_count;
  uint32_t initiator;                /* index into model->initiators */
  const struct expr *const *implied; /* true in every state in which the transition fires, as the language has proved.
                                        For analyses: no step evaluates them */
  size_t implied_count;
  const struct object *objects; /* for people */
  size_t object_count;
  bool otherwise; /* it fires only if no other transition fires in the state, with or without an error. At most the last
                     transition; its initiator has no other */
};

/* The transitions of one initiator, which are consecutive. The code generator makes one function for each initiator.
   The bound on the successors of a state counts only the location with the most choices. A language without processes
   makes one or several such groups, as it likes: small functions compile faster. */
struct initiator_transitions {
  size_t first, end;          /* transitions first..end - 1, at least one */
  uint32_t process, instance; /* the initiator; NO_PROCESS, 0: transitions without a process, which are not `located` */
  bool located; /* the first test of each is the initiator's location; false: no transition has that test */
};

/* True for a transition that exists only to evaluate its tests, which can fail: its last guard is the constant 0. */
static inline bool never_fires(const struct transition *transition) {
  size_t n = transition->guard_count;
  return n > 0 && transition->guards[n - 1]->op == EXPR_CONST && transition->guards[n - 1]->value == 0;
}

/* A part of the source on one line. Ground expressions made from it have places within start..end - 1. */
struct source_excerpt {
  const char *text;
  source_at start, end;
};

/* Conditions of a transition as written, for one instance. Constants and ranges remove none of them. Expressions read
   values of selects as EXPR_SELECT and fields of a received message as EXPR_TEMP, by number. NULL: valid only because
   no step evaluates it. */
struct edge_instance {
  const struct select *selects; /* [edge->select_count]; lo > hi: there are no values */
  const struct expr **guards;   /* [edge->guard_count]; not used for `else` */
  const struct expr *element;   /* of the channel; NULL also if a member of `fields` is not valid */
  const struct expr **fields;   /* [field_count] values sent, or of `==`; NULL: any value is received */
};

/* A transition as written in the source. `*` and lists in `from` make several ground transitions of one edge.
   One without a process has a name, its label; it leaves location 0 of a process that does not exist (process.h), and
   uses no channel. */
struct edge {
  uint32_t process;              /* or NO_PROCESS */
  const char *label, *from, *to; /* from: as written; label: "" if there is none */
  bool lists_locations;          /* `from` lists more than one location */
  enum fair fair;
  const struct source_excerpt *guards; /* the conjuncts of its guard, in their order in the source */
  size_t guard_count;
  const char *channel;     /* of its synchronisation, as written; NULL: none */
  bool sends;              /* on the channel; false: it receives */
  uint32_t channel_number; /* index into model->channels, if `channel` is not NULL */
  const char *const
      *bound; /* names bound to the fields of the received message, NULL for fields without a name; NULL: no names */
  const uint32_t *locations; /* that it leaves */
  size_t location_count, select_count;
  bool otherwise;                        /* its guard is `else` */
  bool is_statement;                     /* its one conjunct says that the statement `label` is executable */
  bool matches;                          /* it receives, and some field has `==` */
  bool *reads_message;                   /* [guard_count] the conjunct reads a bound name */
  const struct edge_instance *instances; /* of its process; without a process one */
  source_at at;
};

/* Consecutive edges of one transition of the source, of which a language made several, or none. */
struct edge_group {
  const char *name;
  size_t first, count; /* edges first..first + count - 1 */
};

struct location {
  const char *name;
  bool committed;
  source_at at;
  bool absent; /* of instances that do not exist, or no longer */
};

struct process {
  const char *name;
  uint32_t instances;
  bool single;    /* declared without `instances`: shown as P, not P[0] */
  bool symmetric; /* declared so: its instances can be exchanged */
  source_at at;
  enum fair fair;
  uint32_t location_variable;
  const struct location *locations;
  size_t location_count;
};

struct channel {
  const char *name;
  uint32_t size; /* elements */
  uint32_t
      instances_of; /* its elements are divided among the instances of a process: its number + 1; 0: they are not */
  bool is_array, broadcast;
  uint32_t capacity;
  uint32_t length_variable;        /* capacity > 0 */
  const uint32_t *field_variables; /* capacity > 0 */
  size_t field_count;
};

/* Transitions in which certain processes take part (model/transition_set.h). */
struct transition_set {
  uint32_t process, instance; /* process NO_PROCESS: any; then instance is 0 */
  uint32_t edge;              /* by which it takes part; NO_EDGE: any */
  const char *label;          /* of this edge, or its name; NULL: any */
};
#define NO_EDGE UINT32_MAX

/* A set whose transitions an expression tests (EXPR_ENABLED). */
struct enabled {
  struct transition_set set;
  const struct transition *const *transitions; /* [count] in their order; of a product: those of its model */
  size_t count;
};

struct formula;
struct formulas;

struct automaton;

#define TEMPORAL_MAX_ANTECEDENTS 32

/* The left side of an implication or of `leadsto` that is a condition on a state or on the step. */
struct antecedent {
  const struct expr *holds;           /* NULL: `taken` */
  const struct transition_set *taken; /* the step is a transition of this set */
  const char *text;
};

/* A formula of linear temporal logic (logic/formula.h) over Boolean expressions and steps, or an automaton. */
struct temporal {
  struct formulas *formulas;                 /* the set of `formula`; not for several threads at once */
  const struct formula *formula;             /* NULL: `violating` */
  const struct automaton *violating;         /* accepts the runs that violate the property (logic/automaton.h) */
  const struct expr *const *atoms;           /* [atom_count] atom i: over the state; NULL: about the step */
  const struct transition_set *const *taken; /* [atom_count] the step is a transition of this set; NULL: atoms[i] */
  const char *const *atom_texts;             /* [atom_count] as written, on one line */
  size_t atom_count;                         /* at most LOGIC_MAX_ATOMS */
  const char *fairness;                 /* a list, valid for the model (temporal/fairness.h); NULL: as the model says */
  const struct antecedent *antecedents; /* [antecedent_count] different ones; a property may hold because one is never
                                           true */
  size_t antecedent_count;
};

struct property {
  const char *id, *description;
  floe_property_kind kind;
  const struct expr *expr;         /* DEADLOCK: the `unless` expression or NULL; ERRORS: NULL; LTL: evaluates all atoms
                                      that can fail, its value is not used; NULL: none can */
  const char *text;                /* the expression as written, on one line; "" for built-in properties */
  source_at at;                    /* NOWHERE: built in */
  const struct temporal *temporal; /* LTL; NULL: other kinds */
};

struct constant {
  const char *name;
  int64_t value;
  bool given, guessed; /* by the user; by floe (guess.h) */
};

/* A result that the model's author expects for some constants. */
struct expected_constant {
  const char *name, *value; /* as written: a decimal integer, true or false */
  source_at at;
};
struct expected_verdict {
  const char *property;
  source_at at;
  floe_verdict_value value;
  int64_t depth; /* -1: not stated */
};
struct expectation {
  source_at at;
  const struct expected_constant *constants; /* constants not listed have their default */
  size_t constant_count;
  int64_t states, transitions, levels, deadlocks; /* -1: not stated */
  const struct expected_verdict *verdicts;
  size_t verdict_count;
};

struct notation;  /* model/notation.h */
struct tool_view; /* model/tool.h */
struct symmetry;  /* model/symmetry/symmetry.h */

#define PERMITTED_BITS 62 /* of a mask of edges */

/* An automaton that reads the states of a run: each step of the model takes one of its edges
   (model/temporal/product.h). A run is accepting if it takes edges of each acceptance set infinitely often. */
struct model_automaton {
  uint32_t variable; /* the state of the automaton */
  uint32_t degree;   /* most edges of a state, at least 1; above 1: values of the last select of each transition */
  const struct expr *const *permitted; /* [permitted_count] bit i: the model's state permits edge i of the automaton's
                                          state, or edge PERMITTED_BITS + i, ..., for some of the transitions. Cannot
                                          fail */
  uint32_t permitted_count;
  uint64_t sets;             /* mask of the acceptance sets */
  const uint64_t *accepting; /* [states * degree] acceptance sets of edge i of state s, at s * degree + i */
  const bool *candidates;    /* [states] it lies on a cycle that may be accepting */
  bool weak;                 /* each cycle of candidates takes edges of each set */
  /* Of the runs only those matter that satisfy these constraints of fairness (temporal/fairness.h). Bits above `sets`.
   */
  const uint64_t *fairness;        /* [transition_count] mask of the constraints that the transition belongs to */
  uint64_t weak_fair, strong_fair; /* disjoint masks; constraints in neither do not matter */
  /* Constraints under which a violated property may hold: those of the instances of each process. 0 processes: none. */
  const uint64_t *instance_constraints; /* [fair_processes] masks */
  uint32_t fair_processes;
  const struct transient *transient; /* of the factor, whose transient states are states of the product; NULL: none */
};

/* A sum of elements, whose least and greatest values in all reachable states can be asked for (floe_options.measures).
 */
struct measure {
  const char *id, *text;
  const uint32_t *elements; /* [count] indices in a state's value array */
  size_t count;
};

/* Ranges that no analysis proved depend on a constant (guess.h): after an error the model is checked again with its
   next value. None exceeds `last`. */
struct guess {
  const char *constant, *next, *last;
  bool claim;                /* it is about guessed sites of assertions; false: of ranges */
  const struct guess *other; /* of the other kind; NULL: none */
};

/* Variables with one element, 0 or 1, of which at most one is 1 in each reachable state. They share the bits of a state
   (step/layout/field.h), which change once in a firing: so a transition assigns a constant to each of them at most
   once, not in a branch, and only if that changes it. Later statements do not read it. */
struct exclusive_set {
  const uint32_t *variables; /* [count] ascending; at least two */
  size_t count;
  bool one; /* exactly one is 1 */
};

#define NO_INITIATOR UINT32_MAX

/* What may fire in the transient states in which the holder has one value. */
struct holder {
  uint32_t initiator; /* index into model->initiators: its transitions alone; NO_INITIATOR: none */
  bool first_only;    /* of its firings only the first one in canonical order */
  uint32_t blocked;   /* site of the error if nothing fires; NO_SITE: the state is not transient then (below) */
};

/* A sequence of firings is one step of the model. A state is transient if the variable `holder` is not 0: it is no
   state of the results, but is expanded at once (doc/design/transient.md). Each firing out of it extends the sequence.
   If nothing fires there, the holder becomes 0, which ends the sequence. Each sequence is a step of its own, even if
   several lead to the same state. If a firing within it fails, the step fails. */
struct transient {
  uint32_t variable;            /* the holder: a global scalar, 0 in the initial state, with the range 0..n */
  const struct holder *holders; /* [n] of value v: holders[v - 1] */
  uint32_t exceeded;            /* site of the error if the sequences of one state exceed a limit
                                   (model/transitions/successor_bound.h) */
};

struct model {
  const char *name, *description;
  const struct notation *notation; /* of expressions, elements and values; never NULL */
  const struct tool_view *tool;    /* of another tool that reads the model; NULL: none */
  const struct source *source;
  const struct constant *constants;
  size_t constant_count;
  struct variable *variables;
  size_t variable_count;
  uint32_t value_count; /* elements of all variables: length of a value array */
  const struct process *processes;
  size_t process_count;
  const struct channel *channels;
  size_t channel_count;
  const struct edge *edges;
  size_t edge_count;
  const struct edge_group *edge_groups; /* in order, together all edges; NULL: each edge is one by itself */
  size_t edge_group_count;
  const struct transition *transitions; /* ordered by initiator: process, instance, edge */
  size_t transition_count;
  const struct initiator_transitions *initiators; /* together all transitions, in order */
  size_t initiator_count;
  const struct property *properties; /* properties of the model, then deadlock if checked, then errors */
  size_t property_count;
  const struct expectation *expectations;
  size_t expectation_count;
  const struct site *sites;
  size_t site_count;
  const struct expr *committed; /* 1 if some instance is at a committed location; NULL: the model has no committed
                                   location */
  const struct enabled *enabled;
  size_t enabled_count;
  const struct model_automaton *automaton; /* NULL: none */
  const struct guess *guess;               /* a list; NULL: none, or no larger range is possible */
  const struct measure *measures;
  size_t measure_count;
  const struct exclusive_set *exclusive; /* disjoint */
  size_t exclusive_count;
  const struct transient *transient; /* NULL: no state is transient */
  /* 0: the initial state is a state of the model. Else it only precedes the start states of the model, of which there
     may be several: all its firings, this many, lead to one. Results count neither it nor them, and depths are those
     from a start state. */
  uint64_t start_firings;
  bool stuttering; /* a state whose firings all lead back to it is a deadlock, too */
  /* One state of each orbit is explored; NULL: all states. Only language.check_symmetric sets it. */
  const struct symmetry *symmetry;
};

/* Level of the first states that results count. */
static inline uint32_t model_first_level(const struct model *model) { return model->start_firings > 0; }

/* What may fire in a state; NULL: all transitions, because it is not transient. */
static inline const struct holder *model_holder(const struct model *model, const int64_t *values) {
  const struct transient *transient = model->transient;
  const int64_t value = transient ? values[model->variables[transient->variable].first] : 0;
  return value ? &transient->holders[value - 1] : NULL;
}

#define MODEL_MAX_PROPERTIES 62

/* Its expression is evaluated in every state. */
static inline bool property_is_evaluated(const struct property *property) {
  return property->expr && property->kind != FLOE_DEADLOCK;
}

/* values[model->value_count] of the initial state. */
static inline void model_initial_values(const struct model *model, int64_t *values) {
  for (size_t v = 0; v < model->variable_count; v++)
    memcpy(values + model->variables[v].first, model->variables[v].init, model->variables[v].count * sizeof *values);
}

/* The part of the model that violates an invariant of this header, NULL if it is sound. Models from a language are
   asserted to be sound. */
const char *model_flaw(const struct model *model);

/* Text of a value of an enumeration; `type` NULL: a number. */
const char *named_value(const struct enumeration *type, int64_t value, struct arena *arena);
/* The following are in the notation of the model. Text of an expression over the ground model: `flag[1] == 0`. */
const char *expr_text(const struct model *model, const struct expr *expr, struct arena *arena);
/* The same in a condition of this transition (edge->instances); fields of the message have their bound names. */
const char *expr_text_of(const struct model *model, const struct edge *edge, const struct expr *expr,
                         struct arena *arena);
/* Name of an element: "flag[1]", "P[0].x", "P[0]", "c[1]". */
const char *element_name(const struct model *model, uint32_t variable, uint32_t element, struct arena *arena);
/* Text of a value of the variable: "3", "true", a location's name, a name of an enumeration. */
const char *value_text(const struct model *model, uint32_t variable, int64_t value, struct arena *arena);
/* The inverse of value_text; false: no value has this text. The value may be one that the variable cannot have. */
bool value_of_text(const struct model *model, uint32_t variable, const char *text, int64_t *value);

#endif
