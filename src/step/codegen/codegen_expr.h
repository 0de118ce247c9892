/* Generated code for expressions. */
#ifndef FLOE_STEP_CODEGEN_CODEGEN_EXPR_H
#define FLOE_STEP_CODEGEN_CODEGEN_EXPR_H

#include "step/codegen/codegen_writer.h"

enum precedence {
  PREC_COND = 1,
  PREC_OR,
  PREC_AND,
  PREC_EQUAL,
  PREC_LESS,
  PREC_ADD,
  PREC_MUL,
  PREC_UNARY,
  PREC_PRIMARY
};
/* Writes statements that test `e` for errors, in order of evaluation, and store subexpressions that are used again in
   local variables. Nothing if `e` cannot fail. Call before codegen_expr; codegen_drop_locals ends the use of the
   locals. */
void codegen_error_tests(struct codegen *gen, const struct expr *e);
void codegen_drop_locals(struct codegen *gen);
/* Writes the expression, of type int32_t or int64_t (codegen_is_64bit), without error tests. */
void codegen_expr(struct codegen *gen, const struct expr *e, enum precedence least);
bool codegen_is_64bit(const struct expr *e);
/* The mask of edges that the automaton permits is a value that all transitions share, together with `committed`: there
   is one mask. Else it is a local variable permitted<i> of the functions of initiators. */
static inline bool codegen_shares_permitted(const struct model *model) {
  return model->automaton && model->automaton->permitted_count == 1;
}
/* Type of the values that all transitions share. */
static inline const char *codegen_shared_type(const struct model *model) {
  return codegen_shares_permitted(model) ? "int64_t" : "int32_t";
}
const char *codegen_type(bool is_64bit);
void codegen_number(struct codegen *gen, int64_t value);
/* Writes the C name of a location of the processes whose locations `variable` holds: at_P_2_critical; with the
   location's number if its name is no part of a C identifier. */
void codegen_location(struct codegen *gen, uint32_t variable, int64_t location);
/* Writes the test that `local` outside lo..hi is an error at `site`; only bounds that `value` can violate are
   tested. */
void codegen_range_check(struct codegen *gen, struct codegen_local local, const struct expr *value, int64_t lo,
                         int64_t hi, uint32_t site);
void codegen_failure(struct codegen *gen, uint32_t site);

/* Write a read of a variable, and the beginning of an assignment up to the value; `index` NULL: element 0. */
void codegen_read(struct codegen *gen, uint32_t variable, const struct expr *index);
void codegen_read_element(struct codegen *gen, uint32_t variable, uint32_t element);
void codegen_write(struct codegen *gen, uint32_t variable, const struct expr *index);

#endif
