/* Syntax tree of a DVE file. All memory is from the arena of the parse. */
#ifndef FLOE_FRONTEND_DVE_TREE_H
#define FLOE_FRONTEND_DVE_TREE_H

#include "core/arena.h"
#include "core/diag.h"

#include <stdbool.h>

struct dve_name {
  const char *text; /* NULL: absent */
  source_at at;
};

enum dve_op {
  DVE_NUMBER,
  DVE_NAME,  /* name, or process->name; with `a` an element of an array */
  DVE_STATE, /* process.name: the process is in this state */
  DVE_NEG,
  DVE_NOT,
  DVE_BITNOT,
  DVE_IMPLY,
  DVE_OR,
  DVE_AND,
  DVE_BITOR,
  DVE_BITXOR,
  DVE_BITAND,
  DVE_EQ,
  DVE_NE,
  DVE_LT,
  DVE_LE,
  DVE_GT,
  DVE_GE,
  DVE_SHL,
  DVE_SHR,
  DVE_ADD,
  DVE_SUB,
  DVE_MUL,
  DVE_DIV,
  DVE_MOD
};

struct dve_expr {
  enum dve_op op;
  source_at at;            /* of the operator or the name */
  source_at start, end;    /* of the text, with brackets around it */
  unsigned depth;          /* a leaf: 1 */
  int64_t value;           /* DVE_NUMBER */
  struct dve_name process; /* absent: the name is looked up in the scope */
  struct dve_name name;
  const struct dve_expr *a, *b; /* DVE_NAME: a is the index, NULL without one */
};

struct dve_exprs {
  const struct dve_expr **items;
  size_t n, cap;
};

struct dve_names {
  struct dve_name *items;
  size_t n, cap;
};

struct dve_variable {
  struct dve_name name;
  bool is_constant, is_int;
  const struct dve_expr *size; /* NULL: not an array */
  bool listed;                 /* the initial values are in braces */
  struct dve_exprs initial;
};

struct dve_variables {
  struct dve_variable *items;
  size_t n, cap;
};

struct dve_channel {
  struct dve_name name;
  bool typed;
  const bool *is_int; /* [field_count] of each field of a message; typed channels only */
  size_t field_count;
  const struct dve_expr *capacity; /* NULL: none is written */
};

struct dve_channels {
  struct dve_channel *items;
  size_t n, cap;
};

struct dve_sync {
  struct dve_name process; /* absent: the channel is looked up in the scope */
  struct dve_name channel;
  source_at at; /* of `!` or `?` */
  source_at start, end;
  bool sends;
  struct dve_exprs values; /* sent, or variables that receive */
};

struct dve_effect {
  const struct dve_expr *target, *value;
  source_at at; /* of `=` */
};

struct dve_transition {
  struct dve_name from, to;
  struct dve_exprs guards;     /* all must hold */
  const struct dve_sync *sync; /* NULL: none */
  struct dve_effect *effects;
  size_t effect_count, effect_cap;
  source_at at;
};

struct dve_transitions {
  struct dve_transition *items;
  size_t n, cap;
};

struct dve_assertion {
  struct dve_name state;
  const struct dve_expr *expr;
};

/* Sets of accepting states: one after `accept`, several after `accept genbuchi`. */
struct dve_acceptance {
  struct dve_names *sets;
  size_t n, cap;
  source_at at; /* NOWHERE: there is no `accept` */
};

struct dve_process {
  struct dve_name name;
  struct dve_variables variables;
  struct dve_channels channels;
  struct dve_names states, committed;
  struct dve_name initial;
  struct dve_acceptance acceptance;
  struct dve_assertion *assertions;
  size_t assertion_count, assertion_cap;
  struct dve_transitions transitions;
};

struct dve_system {
  const struct source *source;
  struct dve_variables variables;
  struct dve_channels channels;
  struct dve_process *processes;
  size_t process_count, process_cap;
  bool synchronous;
  struct dve_name property; /* the property process; absent: none */
  source_at at;             /* of `system` */
};

#endif
