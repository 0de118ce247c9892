/* Syntax tree of a Murphi file. Names are numbers of a table, so that a check finds their meaning by index. */
#ifndef FLOE_FRONTEND_MURPHI_TREE_H
#define FLOE_FRONTEND_MURPHI_TREE_H

#include "core/diag.h"
#include "core/name_table.h"

#include <stdbool.h>

struct mu_name {
  uint32_t id; /* in the file's table */
  source_at at;
};
struct mu_names {
  struct mu_name *items;
  size_t n, cap;
};

/* ---- types and declarations ---------------------------------------------------------------------- */

enum mu_type_form {
  MU_TYPE_NAME,
  MU_TYPE_BOOLEAN,
  MU_TYPE_RANGE,
  MU_TYPE_ENUM,
  MU_TYPE_SCALARSET,
  MU_TYPE_RECORD,
  MU_TYPE_ARRAY,
  MU_TYPE_UNION,
  MU_TYPE_MULTISET
};

struct mu_type_tree {
  enum mu_type_form form;
  source_at at;
  struct mu_name name;                        /* MU_TYPE_NAME */
  struct mu_names names;                      /* MU_TYPE_ENUM */
  const struct mu_expr *lo, *hi;              /* MU_TYPE_RANGE; lo: size of a scalarset or multiset */
  const struct mu_type_tree *index, *element; /* MU_TYPE_ARRAY; element: of a multiset */
  const struct mu_declarations *fields;       /* MU_TYPE_RECORD */
  const struct mu_type_tree **members;        /* MU_TYPE_UNION */
  size_t member_count, member_cap;
};

enum mu_declaration_kind { MU_DECLARE_CONST, MU_DECLARE_TYPE, MU_DECLARE_VAR };
struct mu_declaration {
  enum mu_declaration_kind kind;
  struct mu_names names;
  const struct mu_expr *value;
  const struct mu_type_tree *type;
  bool by_reference; /* a parameter with `var` */
};
struct mu_declarations {
  struct mu_declaration *items;
  size_t n, cap;
};

/* ---- expressions --------------------------------------------------------------------------------- */

enum mu_op {
  MU_E_NUMBER,
  MU_E_TRUTH,
  MU_E_NAME,
  MU_E_FIELD,
  MU_E_INDEX,
  MU_E_CALL,
  MU_E_NEG,
  MU_E_NOT,
  MU_E_BITNOT,
  MU_E_ADD,
  MU_E_SUB,
  MU_E_MUL,
  MU_E_DIV,
  MU_E_MOD,
  MU_E_SHL,
  MU_E_SHR,
  MU_E_BITAND, /* `&` of numbers is this, of truth values MU_E_AND; the check decides */
  MU_E_BITOR,
  MU_E_BITXOR,
  MU_E_AND, /* && */
  MU_E_OR,
  MU_E_IMPLIES,
  MU_E_EQ,
  MU_E_NE,
  MU_E_LT,
  MU_E_LE,
  MU_E_GT,
  MU_E_GE,
  MU_E_COND,
  MU_E_FORALL,
  MU_E_EXISTS,
  MU_E_ISUNDEFINED,
  MU_E_ISMEMBER,
  MU_E_COUNT /* multisetcount(name: a, b) */
};

struct mu_quantifier {
  struct mu_name name;
  const struct mu_type_tree *type;      /* NULL: from `from` to `to` */
  const struct mu_expr *from, *to, *by; /* by NULL: 1 */
};
struct mu_quantifiers {
  struct mu_quantifier *items;
  size_t n, cap;
};

struct mu_exprs {
  const struct mu_expr **items;
  size_t n, cap;
};

struct mu_expr {
  enum mu_op op;
  source_at at, start, end; /* of the operator or name; of the whole text */
  unsigned depth;
  bool calls;    /* it contains a call of a function */
  int64_t value; /* MU_E_NUMBER, MU_E_TRUTH */
  struct mu_name name;
  const struct mu_expr *a, *b, *c;
  struct mu_exprs arguments;
  struct mu_quantifiers quantifiers;
  const struct mu_type_tree *type; /* MU_E_ISMEMBER */
};

/* ---- statements ---------------------------------------------------------------------------------- */

enum mu_statement_kind {
  MU_S_ASSIGN,
  MU_S_IF,     /* clauses; the last one without conditions is `else` */
  MU_S_SWITCH, /* the same with the values of `value` */
  MU_S_FOR,
  MU_S_WHILE,
  MU_S_ALIAS,
  MU_S_CLEAR,
  MU_S_UNDEFINE,
  MU_S_CALL,
  MU_S_RETURN,
  MU_S_ERROR,
  MU_S_ASSERT,
  MU_S_ASSUME,
  MU_S_COVER,
  MU_S_LIVENESS,
  MU_S_PUT,
  MU_S_ADD,       /* multisetadd(value, target) */
  MU_S_REMOVE,    /* multisetremove(value, target) */
  MU_S_REMOVEPRED /* multisetremovepred(name: target, value) */
};

struct mu_statements {
  struct mu_statement *items;
  size_t n, cap;
};
struct mu_clause {
  struct mu_exprs values; /* of `if` one condition; `else`: none */
  struct mu_statements body;
};
struct mu_alias {
  struct mu_name name;
  const struct mu_expr *value;
};
struct mu_aliases {
  struct mu_alias *items;
  size_t n, cap;
};
struct mu_statement {
  enum mu_statement_kind kind;
  source_at at;
  const struct mu_expr *target, *value; /* target: also of clear and undefine */
  const char *text;                     /* of error, assert; NULL: none */
  struct mu_name name;                  /* MU_S_REMOVEPRED */
  struct mu_clause *clauses;
  size_t clause_count, clause_cap;
  struct mu_statements body;
  struct mu_quantifiers quantifiers;
  struct mu_aliases aliases;
};

/* ---- rules and the file -------------------------------------------------------------------------- */

struct mu_function {
  struct mu_name name;
  struct mu_declarations parameters, declarations;
  const struct mu_type_tree *result; /* NULL: a procedure */
  struct mu_statements body;
  bool writes; /* contains an assignment, `clear`, `undefine` or a call statement */
};

enum mu_item_kind {
  MU_I_DECLARATION,
  MU_I_FUNCTION,
  MU_I_RULE,
  MU_I_STARTSTATE,
  MU_I_RULESET,
  MU_I_ALIAS,
  MU_I_CHOOSE,    /* one alias: the name of the slot and the multiset */
  MU_I_INVARIANT, /* also `assert` outside of rules */
  MU_I_ASSUME,
  MU_I_COVER,
  MU_I_LIVENESS
};
struct mu_items {
  struct mu_item *items;
  size_t n, cap;
};
struct mu_item {
  enum mu_item_kind kind;
  source_at at;
  struct mu_declaration declaration;
  const struct mu_function *function;
  const char *name;           /* of a rule or property; NULL: none */
  const struct mu_expr *expr; /* guard (NULL: true), property */
  int64_t priority;           /* of a rule: the smaller, the earlier */
  struct mu_declarations declarations;
  struct mu_statements body;
  struct mu_quantifiers quantifiers;
  struct mu_aliases aliases;
  struct mu_items children;
};

struct mu_file {
  const struct source *source;
  const char *name;
  struct name_table names;
  struct mu_items items;
  bool extended; /* it has unions or multisets, which Rumur does not read */
};

#endif
