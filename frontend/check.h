/* The check: from the syntax tree to the ground model in these steps, a pair of files each. Here is what they share:
   what is known of the model so far.

     check_names      name tables, declarations, suggestions
     check_expr       syntax -> ground expressions (model/build.h); what must be constant, ranges
     check_operators  operators of two operands, and what is always wrong in them
     check_quantify   quantifiers, written out
     check_constants  constants, sizes, parameters
     check_variables  variables, channels, locations, initial values
     check_fields     names that a receive binds to fields of the message
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

#include "frontend/syntax.h"
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
  SYMBOL_LOCATION = 32
};
/* What an expression may name. */
#define SYMBOL_VALUES (SYMBOL_CONSTANT | SYMBOL_VARIABLE | SYMBOL_PARAMETER)

struct symbol {
  const char *name;
  enum symbol_kind kind;
  uint32_t id; /* constant, variable of the model, channel, process, parameter, location */
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
  size_t parameters_evaluated; /* so far: later ones cannot be named yet */
  struct edge_info *edges;
  struct move *moves; /* instances * transition_count */
};

struct channel_info {
  struct interval *fields;
  bool *is_bool;
  struct move **receivers; /* of all instances, in order */
  size_t receiver_count, receiver_cap;
  bool sent, received;
};

struct check {
  const struct syntax_model *syntax;
  struct builder build;
  const struct definition *definitions;
  size_t definition_count;
  struct symbols globals;
  struct constant *constants;
  bool *constant_known;
  size_t constants_evaluated; /* so far: later ones cannot be named yet */
  size_t constants_read;      /* times that one was named */
  size_t fields_read;         /* times that a bound field of a message was */
  bool *variable_read;
  bool *warned; /* by place in the source; NULL: nowhere so far */
  struct process *processes;
  struct template *templates;
  struct channel *channels;
  struct channel_info *channel_infos;
  struct edge *edges;
  struct transition *transitions;
  struct transition_group *groups;
  size_t transition_cap, group_cap;
  struct draft *draft;
  const struct expr *not_committed; /* NULL: no committed location */
};

#define CHECK_ERROR(c, ...) BUILD_ERROR(&(c)->build, __VA_ARGS__)
#define CHECK_WARN(c, ...) BUILD_WARN(&(c)->build, __VA_ARGS__)

/* A name bound by a quantifier or select, or `index`. */
struct binding {
  const char *name;
  const struct expr *value;
  const struct binding *outer;
};

/* Where an expression stands. */
struct scope {
  struct check *check;
  const struct template *process; /* NULL: outside of processes */
  uint32_t instance;
  const struct binding *bindings;
  bool constant;                /* only constants may be read */
  const struct edge_info *edge; /* the transition, where fields of its message are bound; else NULL */
  bool within_step;             /* they are read within the step, else before */
};

#endif
