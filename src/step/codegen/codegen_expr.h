/* Expressions in kernel C. */
#ifndef FLOE_CODEGEN_EXPR_H
#define FLOE_CODEGEN_EXPR_H

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
/* Statements that find the errors of `e`, in order of evaluation, and name what is needed again.
   Nothing where it cannot fail. To be called before codegen_expr; codegen_forget ends the use of
   the names. */
void codegen_prepare(struct codegen *gen, const struct expr *e);
void codegen_forget(struct codegen *gen);
/* The expression itself, of type int32_t or int64_t (codegen_is_wide), without errors. */
void codegen_expr(struct codegen *gen, const struct expr *e, enum precedence least);
bool codegen_is_wide(const struct expr *e);
const char *codegen_type(bool wide);
void codegen_number(struct codegen *gen, int64_t value);
/* The name in C of a location of the processes whose locations `variable` holds: at_P_2_critical; its number in place
   of a name that C could not have. */
void codegen_location(struct codegen *gen, uint32_t variable, int64_t location);
/* `name` outside lo..hi is an error at `site`; only what values in possible_lo..possible_hi can
 * violate is tested. */
void codegen_range_check(struct codegen *gen, const char *name, const struct expr *value, int64_t lo, int64_t hi,
                         uint32_t site);
void codegen_failure(struct codegen *gen, uint32_t site);

/* Reading a variable, and the line that writes one up to the value; `index` NULL: element 0. */
void codegen_read(struct codegen *gen, uint32_t variable, const struct expr *index);
void codegen_read_element(struct codegen *gen, uint32_t variable, uint32_t element);
void codegen_write(struct codegen *gen, uint32_t variable, const struct expr *index);

#endif
