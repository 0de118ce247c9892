/* Notation: how a language writes expressions, elements and values in messages, traces and reports. The model carries
   its notation (model->notation). Texts that a language stores in the model (guards and properties as written, names)
   are in its syntax anyway. */
#ifndef FLOE_MODEL_NOTATION_H
#define FLOE_MODEL_NOTATION_H

#include "model/model.h"

/* From weakest to strongest; those of the default as in doc/language.md. */
enum operator_strength {
  STRENGTH_COND = 1,
  STRENGTH_OR,
  STRENGTH_AND,
  STRENGTH_EQUALITY,
  STRENGTH_ORDER,
  STRENGTH_BITOR,
  STRENGTH_BITXOR,
  STRENGTH_BITAND,
  STRENGTH_SHIFT,
  STRENGTH_SUM,
  STRENGTH_PRODUCT,
  STRENGTH_UNARY,
  STRENGTH_ATOM
};

struct operator_text {
  enum operator_strength strength;
  const char *text; /* of a prefix operator with the blank that follows, if any: "not " */
};

/* Initialiser of [EXPR_OPS]: the default texts, with these strengths of `and`, & and ^. */
#define OPERATOR_TEXTS(strength_of_and, strength_of_bitand, strength_of_bitxor)                                        \
  {                                                                                                                    \
    [EXPR_CONST] = {STRENGTH_ATOM, ""}, [EXPR_READ] = {STRENGTH_ATOM, ""}, [EXPR_SELECT] = {STRENGTH_ATOM, ""},        \
    [EXPR_TEMP] = {STRENGTH_ATOM, ""}, [EXPR_COMMITTED] = {STRENGTH_ATOM, ""}, [EXPR_INDEX] = {STRENGTH_ATOM, ""},     \
    [EXPR_NEG] = {STRENGTH_UNARY, "-"}, [EXPR_NOT] = {STRENGTH_UNARY, "not "}, [EXPR_ADD] = {STRENGTH_SUM, "+"},       \
    [EXPR_SUB] = {STRENGTH_SUM, "-"}, [EXPR_MUL] = {STRENGTH_PRODUCT, "*"}, [EXPR_DIV] = {STRENGTH_PRODUCT, "/"},      \
    [EXPR_MOD] = {STRENGTH_PRODUCT, "%"}, [EXPR_MIN] = {STRENGTH_ATOM, "min"}, [EXPR_MAX] = {STRENGTH_ATOM, "max"},    \
    [EXPR_LT] = {STRENGTH_ORDER, "<"}, [EXPR_LE] = {STRENGTH_ORDER, "<="}, [EXPR_EQ] = {STRENGTH_EQUALITY, "=="},      \
    [EXPR_NE] = {STRENGTH_EQUALITY, "!="}, [EXPR_AND] = {strength_of_and, "and"}, [EXPR_OR] = {STRENGTH_OR, "or"},     \
    [EXPR_COND] = {STRENGTH_COND, "?"}, [EXPR_BITNOT] = {STRENGTH_UNARY, "~"},                                         \
    [EXPR_BITAND] = {strength_of_bitand, "&"}, [EXPR_BITXOR] = {strength_of_bitxor, "^"},                              \
    [EXPR_BITOR] = {STRENGTH_BITOR, "|"}, [EXPR_SHL] = {STRENGTH_SHIFT, "<<"}, [EXPR_SHR] = {STRENGTH_SHIFT, ">>"},    \
    [EXPR_AUTOMATON] = {STRENGTH_ATOM, ""}, [EXPR_ENABLED] = {STRENGTH_ATOM, ""},                                      \
  }

/* Constant; no member is NULL. All texts live as long as the model or the arena, whose guard is active. Those of
   elements and values have no control characters. */
struct notation {
  /* [EXPR_OPS], of default_expr_text; EXPR_AND also joins conditions. Operators without a text: no model has them. */
  const struct operator_text *operators;
  const char *truths[2]; /* "false", "true" */
  const char *member;    /* between the names of a process and its variable: "." */
  /* expr_text_of, element_name, value_text, value_of_text */
  const char *(*expr)(const struct model *model, const struct edge *edge, const struct expr *expr, struct arena *arena);
  const char *(*element)(const struct model *model, uint32_t variable, uint32_t element, struct arena *arena);
  const char *(*value)(const struct model *model, uint32_t variable, int64_t value, struct arena *arena);
  bool (*value_of)(const struct model *model, uint32_t variable, const char *text, int64_t *value);
};

/* That of XML models. Its operations take operators, truth values, names of elements and texts of operands from
   model->notation. So a notation that differs in these alone can share them, and an `expr` of a language can write some
   operators itself and leave the others to default_expr_text. */
extern const struct notation default_notation;
extern const struct operator_text default_operators[EXPR_OPS];
const char *default_expr_text(const struct model *model, const struct edge *edge, const struct expr *expr,
                              struct arena *arena);
const char *default_element_name(const struct model *model, uint32_t variable, uint32_t element, struct arena *arena);
const char *default_value_text(const struct model *model, uint32_t variable, int64_t value, struct arena *arena);
bool default_value_of(const struct model *model, uint32_t variable, const char *text, int64_t *value);

/* The variable's name with the texts of its indices in their places, variable_dimensions(v): "m[0][1]", "x". Channels
   are variables of one dimension or none. */
const char *indexed_name(const struct variable *v, const char *const *indices, struct arena *arena);
/* The name of an element of one instance, without its process; element < v->length: "m[0][1]". */
const char *own_element_name(const struct variable *v, uint32_t element, struct arena *arena);

#endif
