#include "frontend/promela/promela_notation.h"

static const struct operator_text operators[EXPR_OPS] = {
    [EXPR_CONST] = {STRENGTH_ATOM, ""},     [EXPR_READ] = {STRENGTH_ATOM, ""},
    [EXPR_SELECT] = {STRENGTH_ATOM, ""},    [EXPR_TEMP] = {STRENGTH_ATOM, ""},
    [EXPR_COMMITTED] = {STRENGTH_ATOM, ""}, [EXPR_INDEX] = {STRENGTH_ATOM, ""},
    [EXPR_NEG] = {STRENGTH_UNARY, "-"},     [EXPR_NOT] = {STRENGTH_UNARY, "!"},
    [EXPR_ADD] = {STRENGTH_SUM, "+"},       [EXPR_SUB] = {STRENGTH_SUM, "-"},
    [EXPR_MUL] = {STRENGTH_PRODUCT, "*"},   [EXPR_DIV] = {STRENGTH_PRODUCT, "/"},
    [EXPR_MOD] = {STRENGTH_PRODUCT, "%"},   [EXPR_MIN] = {STRENGTH_ATOM, "min"},
    [EXPR_MAX] = {STRENGTH_ATOM, "max"},    [EXPR_LT] = {STRENGTH_ORDER, "<"},
    [EXPR_LE] = {STRENGTH_ORDER, "<="},     [EXPR_EQ] = {STRENGTH_EQUALITY, "=="},
    [EXPR_NE] = {STRENGTH_EQUALITY, "!="},  [EXPR_AND] = {STRENGTH_AND, "&&"},
    [EXPR_OR] = {STRENGTH_OR, "||"},        [EXPR_COND] = {STRENGTH_COND, "?"},
    [EXPR_BITNOT] = {STRENGTH_UNARY, "~"},  [EXPR_BITAND] = {STRENGTH_BITAND, "&"},
    [EXPR_BITXOR] = {STRENGTH_BITXOR, "^"}, [EXPR_BITOR] = {STRENGTH_BITOR, "|"},
    [EXPR_SHL] = {STRENGTH_SHIFT, "<<"},    [EXPR_SHR] = {STRENGTH_SHIFT, ">>"},
    [EXPR_AUTOMATON] = {STRENGTH_ATOM, ""}, [EXPR_ENABLED] = {STRENGTH_ATOM, ""},
};

const struct notation promela_notation = {
    .operators = operators,
    .truths = {"0", "1"},
    .member = ".",
    .expr = default_expr_text,
    .element = default_element_name,
    .value = default_value_text,
    .value_of = default_value_of,
};
