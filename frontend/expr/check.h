/* Checker: translates the syntax tree into the ground model in steps, one pair of files each, in the folders expr,
   lower and check. This header declares the state that they share.

     check_dedup         suppresses repeated diagnostics
     check_names         name tables, declarations, suggestions
     check_enumerations  enumerations, and names used as ranges
     check_values        value sets: positions and tables
     check_fields        names that a receive binds to fields of the message
     check_place         variables, elements, fields of records, variables of processes
     check_expr          syntax -> ground expressions (model/build.h); constants, ranges
     check_operators     binary operators and their errors
     check_quantify      unrolling of quantifiers
     check_define        expansion of defines
     check_function      evaluation of functions: unrolled loops, branches as conditional expressions
     check_firings       enabled(X), taken(X): sets of transitions
     check_assign        assignment statements
     check_message       records in messages
     check_effect        statements: unrolled loops, branches
     check_else          guard="else"
     lowered_part        one transition of one instance, lowered for model/compose/
     check_conditions    conditions of transitions as written, for explanations
     check_constants     constants, sizes, parameters
     check_types         value types of variables
     check_variables     variables, channels, locations, initial values
     check_properties    properties, expected results
     check_expression    single expressions over the state, for display
     check_warnings      warnings about legal but unlikely constructs
     checker             order of the steps

   Folders include only folders before them. A function that finds an error logs it and returns NULL or false; callers
   continue as far as possible, so that one run reports many errors. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_H
#define FLOE_FRONTEND_EXPR_CHECK_H

#include "core/name_table.h"
#include "frontend/parse/syntax.h"
#include "model/compose/declarations.h"
#include "model/language.h"

/* Limits besides those of model/build.h. */
#define CHECK_MAX_INSTANCES 4096
#define CHECK_MAX_SIZE 65536 /* elements of an array or channel; capacity */

#define NONE COMPOSE_NONE

struct scope;

enum symbol_kind {
  SYMBOL_CONSTANT = 1,
  SYMBOL_VARIABLE = 2,
  SYMBOL_CHANNEL = 4,
  SYMBOL_PROCESS = 8,
  SYMBOL_PARAMETER = 16,
  SYMBOL_LOCATION = 32,
  SYMBOL_ENUMERATION = 64,
  SYMBOL_MEMBER = 128, /* of an enumeration */
  SYMBOL_DEFINE = 256,
  SYMBOL_RECORD = 512,
  SYMBOL_STRUCTURE = 1024, /* a variable of a record type, or a field with one */
  SYMBOL_FUNCTION = 2048
};
/* Symbols that an expression may use. */
#define SYMBOL_VALUES                                                                                                  \
  (SYMBOL_CONSTANT | SYMBOL_VARIABLE | SYMBOL_PARAMETER | SYMBOL_MEMBER | SYMBOL_DEFINE | SYMBOL_FUNCTION |            \
   SYMBOL_STRUCTURE)

struct symbol {
  const char *name;
  enum symbol_kind kind;
  uint32_t id; /* number of the constant, variable of the model, channel, process, parameter, location, define,
                  function, record or structure; a member's value */
  source_at at;
};

/* Symbols in the order of declaration. */
struct symbols {
  struct symbol *items;
  size_t n, cap;
  struct name_table names;
};

/* Name that a receive binds to a field of the message. */
struct bound_field {
  const char *name;              /* NULL: none */
  const struct binding *binding; /* set while expressions in its scope are lowered */
  bool tested;                   /* read before the step, in some instance: by the guard, by `== e` */
  bool used;                     /* read within the step: by an index of a target, by the effect */
};

/* A transition as written, with names resolved. */
struct edge_info {
  const struct syntax_transition *syntax;
  struct compose_edge *edge;
  bool bad;                     /* it has errors in names */
  struct bound_field *bound;    /* [field]; NULL: its receive binds none */
  bool guard_true, guard_false; /* in some instance, for all values of constants */
  bool guard_varies;            /* in some instance, depending on constants */
};

/* A define or function, of the model or of a process. */
struct define {
  const struct syntax_define *syntax;
  const struct template *process; /* NULL: the model */
  uint32_t number;                /* among the defines of the model or the process */
  bool used;
  bool bad; /* a function with errors, which were reported */
};

/* A process as written. */
struct template {
  const struct syntax_process *syntax;
  uint32_t id;
  struct process *process;
  struct symbols names;
  uint32_t initial;
  uint32_t *variables; /* [local variable] number in the model */
  int64_t *parameters; /* instances * parameter_count */
  bool *parameter_known;
  bool varies;            /* the number of its instances is computed from constants */
  bool *parameter_varies; /* [parameter] likewise */
  struct define *defines;
  size_t parameters_evaluated; /* so far; an expression cannot use later ones */
  struct edge_info *edges;
  struct compose_process *composed; /* its edges are in the same order */
};

struct channel_info {
  struct interval *fields;
  bool *is_bool;
  const struct enumeration **types;
  bool sent, received;
  bool varies; /* its capacity is computed from constants */
};

/* Attributes of a variable besides those in the model. */
struct variable_info {
  bool wraps;                 /* assigned values wrap modulo the size of its range */
  uint32_t values, positions; /* tables of its value set; positions NONE: positions are found by comparisons */
  uint32_t lows, highs;       /* tables of the ranges of its elements */
};

struct check_constants {
  struct constant *items;
  bool *known;      /* [constant] its value is known */
  size_t evaluated; /* so far; an expression cannot use later ones */
  size_t read;      /* number of uses of constants so far */
};

/* Errors already reported (check_dedup.h). */
struct check_reported {
  const char **items;
  size_t count, cap;
};

typedef const struct expr *lower_fn(struct scope *s, const struct syntax_expr *e);

struct check {
  const struct syntax_model *syntax;
  lower_fn *lower; /* of check_expr.h, for the files that it includes */
  struct builder build;
  const struct definition *definitions;
  size_t definition_count;
  struct symbols globals;
  struct check_constants constants;
  struct enumeration *enumerations;
  struct define *defines;
  unsigned expanded;  /* operators around the current expression that stand in defines and their arguments */
  size_t fields_read; /* number of uses of bound fields so far */
  bool *variable_read;
  struct variable_info *variable_infos;
  bool *warned;          /* [place in the source] a warning was logged; NULL: nowhere so far */
  bool *variable_varies; /* [variable] its range, size or initial value is computed from constants */
  struct check_reported reported;
  struct process *processes;
  struct template *templates;
  struct channel *channels;
  struct channel_info *channel_infos;
  struct edge *edges;
  struct compose compose;
  struct enabled *enabled; /* sets of all enabled(X) */
  size_t enabled_count, enabled_cap;
  floe_status claims; /* FLOE_ERROR_MODEL: a process that is declared symmetric is not */
};

#define CHECK_ERROR(c, ...) BUILD_ERROR(&(c)->build, __VA_ARGS__)
#define CHECK_WARN(c, ...) BUILD_WARN(&(c)->build, __VA_ARGS__)

/* A name bound by a quantifier, a loop or select, or `index`. */
struct binding {
  const char *name;
  const struct expr *value;
  const struct binding *outer;
};

/* The argument for a parameter of a define. */
struct argument {
  const struct syntax_expr *expr;
  const struct scope *home; /* the scope of the use */
  bool read;
};

/* Scope of an expression. */
struct scope {
  struct check *check;
  const struct template *process; /* NULL: outside processes */
  uint32_t instance;
  const struct binding *bindings;
  const struct define *define;  /* the define whose expression this is; NULL: none. It may use earlier defines */
  struct argument *arguments;   /* for its parameters; NULL: the define is only checked */
  bool in_function;             /* `bindings` are variables of a function */
  bool in_process;              /* inside a process, or the define was used inside one */
  bool constant;                /* only constants may be used */
  const struct edge_info *edge; /* the transition whose message fields are bound; NULL: none */
  const struct loop_iteration *iteration; /* current iteration; NULL: in no loop */
  bool within_step;                       /* fields are read within the step; false: before it */
};

#endif
