/* Syntax tree of a model: names not resolved, constants not evaluated. All of it lives in one arena. */
#ifndef FLOE_FRONTEND_PARSE_SYNTAX_H
#define FLOE_FRONTEND_PARSE_SYNTAX_H

#include "core/arena.h"
#include "core/diag.h"
#include "model/model.h"

/* clang-format off: several operators share a comment */
enum syntax_op {
  SYN_NUMBER, /* value */
  SYN_NAME,   /* name: constant, variable, parameter, select or quantifier name, self, index */
  SYN_INDEX,  /* a = array, process or channel (NAME, FIELD or INDEX), b = index */
  SYN_FIELD,  /* a = process or record (NAME, INDEX or FIELD), name = location, variable or field */
  SYN_NEG,
  SYN_NOT,
  SYN_BITNOT, /* a */
  SYN_ADD,
  SYN_SUB,
  SYN_MUL,
  SYN_DIV,
  SYN_MOD,
  SYN_SHL,
  SYN_SHR,
  SYN_BITAND,
  SYN_BITXOR,
  SYN_BITOR, /* a, b */
  SYN_LT,
  SYN_LE,
  SYN_GT,
  SYN_GE,
  SYN_EQ,
  SYN_NE, /* a, b */
  SYN_AND,
  SYN_OR,
  SYN_IMPLIES, /* a, b */
  SYN_COND,    /* a ? b : c */
  SYN_MIN,
  SYN_MAX, /* of two: a, b */
  SYN_ALL,
  SYN_EXISTS,
  SYN_COUNT,
  SYN_SUM,
  SYN_MIN_OF,
  SYN_MAX_OF, /* name in range : a */
  SYN_LEN,
  SYN_EMPTY,
  SYN_FULL,    /* a = channel (NAME or INDEX of NAME) */
  SYN_CALL,    /* of the define `name`, with arguments */
  SYN_ENABLED, /* a = what fires: process, instance or label (NAME, INDEX, FIELD); only in temporal properties */
  /* Temporal operators, only in temporal properties: */
  SYN_TAKEN, /* a, as SYN_ENABLED */
  SYN_ALWAYS,
  SYN_EVENTUALLY,
  SYN_NEXT, /* a */
  SYN_UNTIL,
  SYN_WEAK_UNTIL,
  SYN_RELEASE,
  SYN_LEADSTO /* a, b */
};
/* clang-format on */

/* lo..hi; or the name of a process or an enumeration (then hi is NULL and lo a SYN_NAME); or bool (lo and hi are NULL).
 */
struct syntax_range {
  struct syntax_expr *lo, *hi;
  source_at at;
};

struct syntax_exprs { /* a list */
  struct syntax_expr **items;
  size_t n, cap;
};

struct syntax_expr {
  enum syntax_op op;
  source_at at;         /* of the operator or name: the place of errors */
  source_at start, end; /* extent in the file, for excerpts */
  int64_t value;        /* SYN_NUMBER */
  const char *name;     /* SYN_NAME, SYN_FIELD, SYN_CALL, quantifiers */
  source_at name_at;    /* of `name` for SYN_FIELD and quantifiers */
  bool temporal;        /* it is or has a temporal operator */
  unsigned depth;       /* of the tree, a leaf 1; at most SYNTAX_MAX_DEPTH, so that recursion over it is safe */
  struct syntax_expr *a, *b, *c;
  struct syntax_range range; /* quantifiers */
  struct syntax_exprs arguments;
};

#define SYNTAX_MAX_DEPTH 1000

struct syntax_name {
  const char *name;
  source_at at;
};

struct syntax_ranges { /* a list; hi NULL: a single value, if allowed there */
  struct syntax_range *items;
  size_t n, cap;
};

struct syntax_constant {
  const char *name;
  source_at at;
  struct syntax_expr *value; /* NULL: must be given */
  bool has_range;
  struct syntax_range range;
};

struct syntax_enumeration {
  const char *name;
  source_at at;
  struct syntax_name *values;
  size_t value_count, value_cap;
};

/* Of an array. The elements of variable "a.pos" are a[i].pos[j]: its dimensions have the places 1 and 5. */
struct syntax_dimension {
  struct syntax_expr *size;
  bool of_record; /* declared in a record: names are those of the model */
  size_t place;   /* of the index in the name of an element: characters of the variable's name before it */
};

/* At most this many indices name an element. */
#define SYNTAX_MAX_DIMENSIONS 8

struct syntax_variable {
  const char *name;
  source_at at;
  struct syntax_name type;     /* name NULL: it has a range, values or `index_of` */
  struct syntax_name index_of; /* -1 or the number of an instance of this process; name NULL: another type */
  struct syntax_ranges values; /* n == 0: it has a range or a type */
  struct syntax_ranges ranges; /* one for all elements, or one for each */
  bool has_wrap, wrap;
  source_at wrap_at;
  struct syntax_dimension *dimensions; /* n == 0: not an array */
  size_t dimension_count;
  size_t own_dimensions;           /* the last ones, of the field itself; of a variable all */
  struct syntax_exprs init;        /* n == 0: default */
  struct syntax_initial *initials; /* of its fields, if it has a record type */
  size_t initial_count, initial_cap;
  bool of_record;         /* a field of a record variable: names in its type are those of the model */
  bool init_of_record;    /* likewise those in `init` */
  size_t init_dimensions; /* `init` gives values to the elements of the last dimensions, the same ones for all others */
};

/* FIELD = EXPRESSION, ... */
struct syntax_initial {
  const char *path; /* "pos.x" */
  source_at at;
  struct syntax_exprs values;
};

struct syntax_record {
  const char *name;
  source_at at;
  struct syntax_variable *fields;
  size_t field_count, field_cap;
  unsigned depth; /* of records within it, itself included; at most SYNTAX_MAX_RECORDS */
};

#define SYNTAX_MAX_RECORDS 64

/* A variable of a record type, or a field of it with a record type. In its place the list of variables has one for each
   field that is no record. */
struct syntax_structure {
  const char *name; /* "a", "a.pos" */
  source_at at;
  const struct syntax_record *record;
  size_t first, count; /* its variables */
  const struct syntax_dimension *dimensions;
  size_t dimension_count;
};

#define SYNTAX_MAX_FIELDS 1000 /* of one variable */

/* A field of a message as declared. */
struct syntax_message {
  const struct syntax_record *record; /* NULL: a range */
  const char **paths;                 /* of its fields: "at.x" */
  size_t count, cap;
};

struct syntax_channel {
  const char *name;
  source_at at;
  struct syntax_expr *size, *capacity; /* NULL: not an array; handshake */
  bool broadcast;
  struct syntax_ranges fields; /* lo NULL: bool; instead of a record its fields */
  struct syntax_message *messages;
  size_t message_count; /* 0: no field is a record */
};

struct syntax_parameter {
  const char *name;
  source_at at;
  struct syntax_exprs value; /* one, or one per instance */
};

struct syntax_location {
  const char *name;
  source_at at;
  bool initial, committed;
};

struct syntax_select {
  const char *name;
  source_at at;
  struct syntax_range range;
};

enum argument_kind { ARGUMENT_VALUE, ARGUMENT_MATCH, ARGUMENT_DROP };
struct syntax_argument {
  enum argument_kind kind;
  source_at at;
  struct syntax_expr *expr; /* sent value; or target of the field (NAME, INDEX, FIELD); or value it must equal; DROP:
                               NULL */
};
struct syntax_sync {
  bool send;
  struct syntax_expr *channel; /* NAME or INDEX of NAME */
  struct syntax_argument *arguments;
  size_t n, cap;
  bool brackets; /* written with (...), even if empty */
};

/* A name for an expression, with parameters or without; or a function. */
struct syntax_define {
  const char *name;
  source_at at;
  struct syntax_name *parameters;
  size_t parameter_count, parameter_cap;
  struct syntax_expr *expr; /* NULL: a function, or an error was reported */
  bool is_function;
  struct syntax_statement *body; /* of a function; every path through it ends with RETURN */
  size_t body_count;
};

enum statement_kind {
  STATEMENT_ASSIGN,
  STATEMENT_ASSERT,
  STATEMENT_FOR,
  STATEMENT_IF,
  STATEMENT_LOCAL, /* of a function: var NAME = value */
  STATEMENT_RETURN /* likewise: return value */
};
struct syntax_statement {
  enum statement_kind kind;
  source_at at;
  struct syntax_expr *target;                /* ASSIGN: NAME, INDEX or FIELD */
  struct syntax_expr *value;                 /* `x += e` is stored as x = x + e; ASSERT, IF: the condition */
  struct syntax_name name;                   /* FOR, LOCAL */
  struct syntax_range range;                 /* FOR */
  struct syntax_statement *body, *otherwise; /* FOR, IF; IF */
  size_t body_count, body_cap, otherwise_count, otherwise_cap;
  bool returns, always_returns; /* it contains RETURN; every path through it ends there */
};

struct syntax_transition {
  source_at at;             /* of the element */
  struct syntax_name *from; /* locations; a single "*" for all */
  size_t from_count, from_cap;
  struct syntax_name to; /* name NULL: stays */
  const char *label;     /* "" where there is none */
  enum fair fair;
  struct syntax_select *selects;
  size_t select_count, select_cap;
  struct syntax_expr *guard; /* NULL: true */
  bool otherwise;            /* guard="else": `guard` is only the word and its place */
  struct syntax_sync *sync;  /* NULL: none */
  struct syntax_statement *effects;
  size_t effect_count, effect_cap;
};

struct syntax_process {
  const char *name, *description;
  source_at at;
  struct syntax_expr *instances; /* NULL: one; P.x may be written for P[0].x */
  enum fair fair;
  bool symmetric; /* claimed: its instances can be exchanged */
  struct syntax_parameter *parameters;
  size_t parameter_count, parameter_cap;
  struct syntax_define *defines;
  size_t define_count, define_cap;
  struct syntax_variable *variables;
  size_t variable_count, variable_cap;
  struct syntax_structure *structures;
  size_t structure_count;
  struct syntax_location *locations;
  size_t location_count, location_cap;
  struct syntax_transition *transitions;
  size_t transition_count, transition_cap;
};

/* Kinds of properties in models that are forms of FLOE_LTL. */
enum { SYNTAX_KIND_EVENTUALLY = 1000, SYNTAX_KIND_LEADSTO };

/* The automaton of the runs that violate a property, and its atomic propositions. */
struct syntax_automaton {
  const char *file;
  const struct automaton *automaton;
  struct syntax_expr *const *atoms; /* [atom_count] of parse_temporal */
  const char *const *texts;         /* [atom_count] */
  size_t atom_count;
};

struct syntax_property {
  const char *id, *description;
  source_at at;
  floe_property_kind kind;
  struct syntax_expr *expr;                 /* NULL: wrong, or `automaton` */
  const struct syntax_automaton *automaton; /* NULL: none */
  const struct located_text *fairness;      /* NULL: none */
};

struct syntax_definitions { /* a list */
  struct expected_constant *items;
  size_t n, cap;
};

/* The element `deadlock`. */
struct syntax_deadlock {
  bool present, check; /* check is true by default */
  source_at at;
  struct syntax_expr *unless; /* NULL: none */
};

struct syntax_capacities {
  size_t constants, enumerations, records, variables, defines, channels, processes, properties, expects;
};

struct syntax_model {
  const struct source *source; /* texts of the files, for messages */
  const char *name, *description;
  source_at at;
  struct syntax_constant *constants;
  size_t constant_count;
  struct syntax_enumeration *enumerations;
  size_t enumeration_count;
  struct syntax_record *records;
  size_t record_count;
  struct syntax_variable *variables;
  size_t variable_count;
  struct syntax_structure *structures;
  size_t structure_count;
  struct syntax_define *defines;
  size_t define_count;
  struct syntax_channel *channels;
  size_t channel_count;
  struct syntax_process *processes;
  size_t process_count;
  struct syntax_property *properties;
  size_t property_count;
  struct syntax_deadlock deadlock;
  struct expectation *expects;
  size_t expect_count;
  struct syntax_capacities cap; /* of the lists above, while they are read */
};

/* Input of a parser: a text with its place in the source. */
struct parser_input {
  const struct source *source;
  struct located_text text;
  struct arena *arena;
  floe_log *log;
};

#endif
