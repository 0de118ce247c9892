/* Syntax tree of a Promela model, after its preprocessor. Names are numbers of a table. */
#ifndef FLOE_FRONTEND_PROMELA_TREE_H
#define FLOE_FRONTEND_PROMELA_TREE_H

#include "core/diag.h"
#include "core/name_table.h"
#include "frontend/promela/parse/promela_preprocess.h"

#include <stdbool.h>

struct pr_name {
  uint32_t id; /* in the model's table */
  source_at at;
};
struct pr_names {
  struct pr_name *items;
  size_t n, cap;
};

/* ---- expressions --------------------------------------------------------------------------------- */

enum pr_op {
  PR_E_NUMBER, /* also true, false, skip */
  PR_E_NAME,   /* a variable, a constant of mtype, _pid, _nr_pr, _last, _ */
  PR_E_INDEX,  /* a[b] */
  PR_E_FIELD,  /* a.name */
  PR_E_NEG,
  PR_E_NOT,
  PR_E_BITNOT,
  PR_E_ADD,
  PR_E_SUB,
  PR_E_MUL,
  PR_E_DIV,
  PR_E_MOD,
  PR_E_SHL,
  PR_E_SHR,
  PR_E_BITAND,
  PR_E_BITOR,
  PR_E_BITXOR,
  PR_E_AND,
  PR_E_OR,
  PR_E_EQ,
  PR_E_NE,
  PR_E_LT,
  PR_E_LE,
  PR_E_GT,
  PR_E_GE,
  PR_E_COND, /* (a -> b : c) */
  PR_E_RUN,  /* run name(arguments) priority b */
  PR_E_LEN,  /* of the channel a; also the next four */
  PR_E_FULL,
  PR_E_EMPTY,
  PR_E_NFULL,
  PR_E_NEMPTY,
  PR_E_POLL,        /* a?[arguments] */
  PR_E_RANDOM_POLL, /* a??[arguments] */
  PR_E_EVAL,        /* eval(a), as an argument of a receive statement */
  PR_E_TIMEOUT,
  PR_E_NONPROGRESS,     /* np_ */
  PR_E_REMOTE_LABEL,    /* name[a]@label, name@label: a NULL */
  PR_E_REMOTE_VARIABLE, /* name[a]:label */
  PR_E_ENABLED,         /* enabled(a); also the next two */
  PR_E_PC_VALUE,
  PR_E_GET_PRIORITY,
  PR_E_SET_PRIORITY, /* set_priority(a, b) */
  /* of formulas of linear temporal logic */
  PR_E_ALWAYS,
  PR_E_EVENTUALLY,
  PR_E_NEXT,
  PR_E_UNTIL,
  PR_E_WEAK_UNTIL,
  PR_E_RELEASE,
  PR_E_IMPLIES,
  PR_E_EQUIVALENT
};

struct pr_exprs {
  const struct pr_expr **items;
  size_t n, cap;
};
struct pr_expr {
  enum pr_op op;
  source_at at;       /* of the operator or name */
  size_t first, last; /* its tokens, for its text: `last` is behind them */
  unsigned depth;     /* 1: no operands */
  bool temporal;      /* it has operators of temporal logic */
  int64_t value;
  uint32_t constant; /* PR_E_NUMBER: the macro with this number plus 1; 0: none */
  struct pr_name name, label;
  const struct pr_expr *a, *b, *c;
  struct pr_exprs arguments;
};

/* ---- declarations -------------------------------------------------------------------------------- */

enum pr_type {
  PR_T_BIT, /* also bool */
  PR_T_BYTE,
  PR_T_PID,
  PR_T_SHORT,
  PR_T_INT,
  PR_T_UNSIGNED, /* of `bits` */
  PR_T_MTYPE,    /* `type_name`: mtype:name; id NO_NAME: mtype */
  PR_T_CHAN,
  PR_T_RECORD /* `type_name` */
};
#define PR_NO_NAME UINT32_MAX

struct pr_message_field {
  enum pr_type type;
  struct pr_name type_name;
};
struct pr_channel { /* [capacity] of { items } */
  const struct pr_expr *capacity;
  struct pr_message_field *items;
  size_t n, cap;
};
struct pr_variable {
  struct pr_name name;
  enum pr_type type;
  struct pr_name type_name;
  const struct pr_expr *bits;
  const struct pr_expr *size;  /* of an array; NULL: none */
  const struct pr_expr *value; /* initial; NULL: 0 */
  struct pr_exprs values;      /* = { ... }: of an array */
  const struct pr_channel *channel;
  bool hidden;
};
struct pr_variables {
  struct pr_variable *items;
  size_t n, cap;
};

/* ---- statements ---------------------------------------------------------------------------------- */

enum pr_statement_kind {
  PR_S_EXPRESSION, /* value; also run, skip, timeout */
  PR_S_ASSIGN,     /* target = value */
  PR_S_INCREMENT,
  PR_S_DECREMENT,
  PR_S_SEND,    /* target ! arguments; sorted: !! */
  PR_S_RECEIVE, /* target ? arguments; random: ??; keeps: <arguments> */
  PR_S_ASSERT,
  PR_S_PRINT, /* arguments */
  PR_S_ELSE,
  PR_S_GOTO, /* label */
  PR_S_BREAK,
  PR_S_DECLARE, /* variables */
  PR_S_BLOCK,   /* body */
  PR_S_ATOMIC,
  PR_S_D_STEP,
  PR_S_IF, /* options */
  PR_S_DO,
  PR_S_FOR,       /* target from `from` to `to`: body */
  PR_S_FOR_EACH,  /* target in the array or channel `value`: body */
  PR_S_SELECT,    /* target from `from` to `to` */
  PR_S_UNLESS,    /* body, escape */
  PR_S_EXCLUSIVE, /* xr, xs: arguments */
};

struct pr_statements {
  struct pr_statement *items;
  size_t n, cap;
};
struct pr_statement {
  enum pr_statement_kind kind;
  source_at at;
  size_t first, last; /* its tokens */
  /* Spin's numbers (spin/promela_numbers.c): of its element, or the first one of a loop over a range; of the increment
     of such a loop. */
  uint32_t number, last_number;
  struct pr_names labels;
  const struct pr_expr *target, *value, *from, *to;
  struct pr_exprs arguments;
  bool made;                           /* PR_S_BLOCK: the text has none here */
  bool sorted, random, keeps, inlined; /* inlined: PR_S_BLOCK of the call of an inline */
  bool in_inline;                      /* PR_S_SELECT: it is in the text of an inline */
  const char *text;                    /* PR_S_PRINT: of printf, with its quotation marks; NULL: printm */
  struct pr_name label;
  struct pr_variables variables;
  struct pr_statements body, escape;
  struct pr_statements *options;
  size_t option_count, option_cap;
};

/* ---- the model ----------------------------------------------------------------------------------- */

struct pr_proctype {
  struct pr_name name;
  source_at at;
  bool is_init, is_active;
  const struct pr_expr *instances; /* active [instances]; NULL: 1 */
  const struct pr_expr *priority, *provided;
  struct pr_variables parameters;
  struct pr_statements body;
  source_at end;                     /* of its closing brace */
  uint32_t first_number, end_number; /* Spin's numbers of its first statement and its end */
};
struct pr_typedef {
  struct pr_name name;
  struct pr_variables fields;
};
struct pr_mtype {         /* mtype = { values } */
  struct pr_name subtype; /* id PR_NO_NAME: none */
  struct pr_names values;
};
struct pr_observed { /* P@label in an expression */
  uint32_t proctype, label;
};
struct pr_formula {
  struct pr_name name; /* id PR_NO_NAME: none */
  const struct pr_expr *expr;
};

struct pr_model {
  const struct source *source;
  const struct pr_tokens *tokens;
  struct name_table names;
  const struct pr_text *text;   /* of `tokens` */
  const char *unnumbered;       /* the construct for which numbers of statements are not Spin's; NULL: none */
  struct name_table undeclared; /* names that nothing declares: macros that -D must define */
  struct name_table structural; /* macros whose values decide which steps there are */
  bool has_priorities;          /* it has one of priority, _priority, get_priority, set_priority */
  bool has_enabled;             /* it has enabled(p) */
  bool has_last;                /* it has _last */
  struct pr_variables globals;
  struct {
    struct pr_proctype *items;
    size_t n, cap;
  } proctypes, claims;       /* in the order of the text; claims: never */
  struct pr_proctype *trace; /* NULL: none */
  bool negated;              /* it is a notrace */
  struct {
    struct pr_typedef *items;
    size_t n, cap;
  } typedefs;
  struct {
    struct pr_mtype *items;
    size_t n, cap;
  } mtypes;
  struct {
    struct pr_formula *items;
    size_t n, cap;
  } formulas;
  struct {
    struct pr_observed *items;
    size_t n, cap;
  } observed;
};

#endif
