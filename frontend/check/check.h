/* The check: from the syntax tree to the ground model in these steps, a pair of files each. Here is what they share:
   what is known of the model so far.

     check_dedup       what was told and is not told again
     check_names      name tables, declarations, suggestions
     check_enumerations  names for values, and the names that are ranges
     check_values     sets of values: positions and tables
     check_expr       syntax -> ground expressions (model/build.h); what must be constant, ranges
     check_operators  operators of two operands, and what is always wrong in them
     check_quantify   quantifiers, written out
     check_define     defines, put in where they are used
     check_assign     the statements that assign
     check_constants  constants, sizes, parameters
     check_types      the values of variables
     check_variables  variables, channels, locations, initial values
     check_fields     names that a receive binds to fields of the message
     check_effect     statements: loops written out, branches
     check_part       one transition of one instance: guards, effects, synchronisation
     check_draft      a ground transition in the making
     check_buffers    sends and receives of buffered channels
     check_pairs      handshakes
     check_broadcast  broadcasts
     check_else       guard="else"
     check_lower      all ground transitions
     check_properties properties, expected results
     check_warnings   what is legal but odd
     checker          the order of work

   A step includes the headers of steps above it only. A function that meets an error logs it and returns NULL or false;
   callers go on as far as that makes sense, so that one run finds many errors. */
#ifndef FLOE_CHECK_H
#define FLOE_CHECK_H

#include "frontend/parse/syntax.h"
#include "model/build.h"
#include "model/language.h"

/* Further limits beside those of model/build.h. */
#define CHECK_MAX_INSTANCES 4096
#define CHECK_MAX_SIZE 65536 /* elements of an array or channel, capacity */
#define CHECK_MAX_TRANSITIONS (1000000 / MODEL_SCALE)
#define CHECK_MAX_CHOICES (1u << 20) /* of one ground transition */

#define NONE UINT32_MAX

enum symbol_kind {
  SYMBOL_CONSTANT = 1,
  SYMBOL_VARIABLE = 2,
  SYMBOL_CHANNEL = 4,
  SYMBOL_PROCESS = 8,
  SYMBOL_PARAMETER = 16,
  SYMBOL_LOCATION = 32,
  SYMBOL_ENUMERATION = 64,
  SYMBOL_MEMBER = 128, /* of an enumeration */
  SYMBOL_DEFINE = 256
};
/* What an expression may name. */
#define SYMBOL_VALUES (SYMBOL_CONSTANT | SYMBOL_VARIABLE | SYMBOL_PARAMETER | SYMBOL_MEMBER | SYMBOL_DEFINE)

struct symbol {
  const char *name;
  enum symbol_kind kind;
  uint32_t id; /* constant, variable of the model, channel, process, parameter, location, define; a member's value */
  source_at at;
};

/* A name table: symbols in the order of declaration, found by hash. */
struct symbols {
  struct symbol *items;
  size_t n, cap;
  uint32_t *slots; /* number of the symbol + 1; 0: free */
  size_t slot_count;
};

/* What a receive calls a field of the message. */
struct bound_field {
  const char *name;              /* NULL: none */
  const struct binding *binding; /* where expressions are lowered that see it */
  bool tested;                   /* something reads it before the step, in some instance: the guard, `== e` */
  bool used;                     /* within the step: an index of a target, the effect */
};

/* A transition as written, with its names resolved. */
struct edge_info {
  const struct syntax_transition *syntax;
  uint32_t number; /* in model->edges */
  uint32_t *from;
  size_t from_count;
  uint32_t to;                  /* NONE: stays */
  uint32_t channel;             /* NONE: no synchronisation */
  bool bad;                     /* its names are wrong */
  struct bound_field *bound;    /* a field each; NULL: its receive binds none */
  bool guard_true, guard_false; /* whatever constants are given, in some instance */
  bool guard_varies;            /* otherwise */
};

/* A define, of the model or of a process. */
struct define {
  const struct syntax_define *syntax;
  const struct template *process; /* NULL: of the model */
  uint32_t number;                /* among those of the model or of the process */
  bool used;
};

/* A process as written. */
struct template {
  const struct syntax_process *syntax;
  uint32_t id;
  struct process *process;
  struct symbols names;
  uint32_t initial;
  uint32_t *variables; /* of the model, for each local one */
  int64_t *parameters; /* instances * parameter_count */
  bool *parameter_known;
  bool varies;            /* the number of its instances is computed from constants */
  bool *parameter_varies; /* likewise */
  struct define *defines;
  size_t parameters_evaluated; /* so far: later ones cannot be named yet */
  struct edge_info *edges;
  struct move *moves; /* instances * transition_count */
};

struct channel_info {
  struct interval *fields;
  bool *is_bool;
  const struct enumeration **types;
  struct move **receivers; /* of all instances, in order */
  size_t receiver_count, receiver_cap;
  bool sent, received;
  bool varies; /* its capacity is computed from constants */
};

/* What is known of a variable beside the model. */
struct variable_info {
  bool wraps;                 /* what is assigned is taken modulo the size of its range */
  uint32_t values, positions; /* of one that has a set: its tables; positions NONE: by comparisons */
  uint32_t lows, highs;       /* of one whose elements have ranges of their own: their tables */
};

struct check {
  const struct syntax_model *syntax;
  struct builder build;
  const struct definition *definitions;
  size_t definition_count;
  struct symbols globals;
  struct constant *constants;
  bool *constant_known;
  struct enumeration *enumerations;
  size_t constants_evaluated; /* so far: later ones cannot be named yet */
  size_t constants_read;      /* times that one was named */
  struct define *defines;
  unsigned expanded;  /* operators around the expression in work that stand in defines and their arguments */
  size_t fields_read; /* times that a bound field of a message was */
  bool *variable_read;
  struct variable_info *variable_infos;
  bool *warned;          /* by place in the source; NULL: nowhere so far */
  bool *variable_varies; /* its range, size or initial value is computed from constants */
  const char **told;     /* of mistakes (check_dedup.h) */
  size_t told_count, told_cap;
  struct process *processes;
  struct template *templates;
  struct channel *channels;
  struct channel_info *channel_infos;
  struct edge *edges;
  struct transition *transitions;
  struct transition_group *groups;
  size_t transition_cap, group_cap;
  struct transition_builder *builder;
  const struct expr *not_committed; /* NULL: no committed location */
};

#define CHECK_ERROR(c, ...) BUILD_ERROR(&(c)->build, __VA_ARGS__)
#define CHECK_WARN(c, ...) BUILD_WARN(&(c)->build, __VA_ARGS__)

/* A name bound by a quantifier, a loop or select, or `index`. */
struct binding {
  const char *name;
  const struct expr *value;
  const struct binding *outer;
};

/* What stands for a parameter of a define. */
struct argument {
  const struct syntax_expr *expr;
  const struct scope *home; /* where it stands */
  bool read;
};

/* Where an expression stands. */
struct scope {
  struct check *check;
  const struct template *process; /* NULL: outside of processes */
  uint32_t instance;
  const struct binding *bindings;
  const struct define *define;    /* in whose expression; NULL: in none. It may use those before it */
  struct argument *arguments;     /* of its parameters; NULL: it is only checked */
  bool in_process;                /* `process` is not NULL, or was not where the define was used */
  bool constant;                  /* only constants may be read */
  const struct edge_info *edge;   /* the transition, where fields of its message are bound; else NULL */
  const struct loop_round *round; /* in work; NULL: in no loop */
  bool within_step;               /* they are read within the step, else before */
};

#endif
