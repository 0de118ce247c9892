/* The code generator's own seams: one text in the common subset of C11 and CUDA C.
     codegen.c            the text as a whole: settings, properties, successors
     codegen_group.c      functions for each initiator: which firings stand where
     codegen_merge.c      which ground transitions share one text
     codegen_state.c      accessors of the packed state
     codegen_expr.c       expressions
     codegen_transition.c firings
   The text uses types and macros of kernel/shim.h; what a successor or an error does is up to the
   file that includes it (kernel/expand.h), through FLOE_SINK, FLOE_BEGIN, FLOE_END, FLOE_EMIT and
   FLOE_FAIL. */
#ifndef FLOE_CODEGEN_H
#define FLOE_CODEGEN_H

#include "core/lines.h"
#include "core/stop.h"
#include "model/model.h"
#include "step/layout.h"
#include "step/text.h"

/* An expression whose value is in the local variable x<number> already. */
struct named_expr {
  const struct expr *expr;
  unsigned number;
};

/* A temporary of a transition. */
struct temp_use {
  bool wide;   /* int64_t */
  bool read;   /* what nobody reads (who takes part, for traces) is not computed */
  bool nested; /* set in a conditional statement, so declared before */
};

struct codegen {
  const struct model *model;
  const struct layout *layout;
  const struct stop *stop;
  bool stopped;              /* it was: what is written from then on is of no use */
  struct source_lines lines; /* of the model's source, where it has one */
  struct text text;
  unsigned indent;
  const char *const *accessors; /* one per variable: the part of the names that get_ and set_ share */
  /* Of the firing or property that is being written: */
  const char *fail;       /* what an error does, up to its site's number: "FLOE_FAIL(3, choice, " */
  const char *jump;       /* what leaves it then: "break", "continue", "return 0" */
  bool *written;          /* [variable_count] changed so far: to be read from the successor `t`, not from the
                             state `s` */
  struct temp_use *temps; /* [temp_count] */
  struct named_expr *named;
  size_t named_count, named_capacity;
  unsigned next_name;
};

/* Starts a line, indented. */
void codegen_line(struct codegen *gen, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds to the line. */
#define codegen_add(gen, ...) text_add(&(gen)->text, __VA_ARGS__)
void codegen_open(struct codegen *gen);                    /* " {" and indents */
void codegen_close(struct codegen *gen, const char *tail); /* "}" and `tail` */

/* codegen_state.c */
void codegen_make_accessors(struct codegen *gen);
void codegen_state(struct codegen *gen);
/* Reading a variable, and the line that writes one up to the value; `index` NULL: element 0. */
void codegen_read(struct codegen *gen, uint32_t variable, const struct expr *index);
void codegen_read_element(struct codegen *gen, uint32_t variable, uint32_t element);
void codegen_write(struct codegen *gen, uint32_t variable, const struct expr *index);

/* codegen_expr.c */
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
/* `name` outside lo..hi is an error at `site`; only what values in possible_lo..possible_hi can
 * violate is tested. */
void codegen_range_check(struct codegen *gen, const char *name, const struct expr *value, int64_t lo, int64_t hi,
                         uint32_t site);
void codegen_failure(struct codegen *gen, uint32_t site);

/* Ground transitions with one text. */
struct codegen_body {
  const uint32_t *members; /* their numbers, in ascending order of the location that tells them apart */
  size_t count;
  size_t varying; /* where count > 1: the number of the test of that location */
};

/* codegen_merge.c: of the `most` transitions from `run` on, the number of those that the first one's text
   serves: at most one of them is enabled in a state. Where it is more than 1, they differ in test *varying, and in that
   one that is where the others go does not go there. */
size_t codegen_alike(const struct transition *run, size_t most, size_t *varying);

/* codegen_transition.c: the firings of one body. `located`: where the initiator is, is known. */
void codegen_firings(struct codegen *gen, const struct codegen_body *body, bool located);

/* codegen_group.c: the transitions of a group. `located`: all test their initiator's location, and it has several. */
void codegen_group(struct codegen *gen, const struct transition_group *group, bool located);

#endif
