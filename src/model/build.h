/* Builder of ground expressions, independent of the input language (language.h). Each node carries an interval of its
   values. An expression with a single possible value is folded to a constant; an operation that can fail gets a site.

   A function that finds an error logs it and returns NULL; a NULL operand makes the result NULL. So callers build an
   expression without checking each step, and one run reports many errors. */
#ifndef FLOE_MODEL_BUILD_H
#define FLOE_MODEL_BUILD_H

#include "model/model.h"

/* Limits on the size of a model, so that a small file cannot expand without bound. The fuzz harness divides them. */
#ifndef MODEL_SCALE
#define MODEL_SCALE 1
#endif
#define BUILD_MAX_NODES (4000000 / MODEL_SCALE)     /* ground expressions and statements */
#define BUILD_MAX_VALUES ((1u << 20) / MODEL_SCALE) /* elements of all variables */
#define BUILD_MAX_STEPS (10000000 / MODEL_SCALE)    /* expressions visited, quantifiers unrolled */

struct interval {
  int64_t lo, hi;
};

/* An element of a variable, to be read or assigned. */
struct place {
  uint32_t variable;
  const struct expr *index; /* index into the whole variable, checked; NULL: element 0 */
};

struct statements {
  struct statement *items;
  size_t n, cap;
};

struct site_table {
  struct site *items;
  size_t n, cap;
  uint32_t *slots; /* number + 1, found by hash */
  size_t slot_count;
};

/* The caller sets the first four members, build_start the others. */
struct builder {
  struct arena *arena; /* its guard is active */
  floe_log *log;       /* may be NULL */
  const struct source *source;
  struct model *model;      /* whose variables are read */
  const struct expr *small; /* constants SMALL_LO.. shared by all expressions */
  struct interval *initial; /* of each variable's initial values; NULL: build_settle was not called yet */
  struct site_table sites;
  source_at here;           /* of the current expression, for nodes without a place of their own */
  const source_at *used_at; /* while a definition is expanded: the place of its expressions, but not of their errors;
                               NULL: each expression has its own place */
  size_t nodes, steps;
  unsigned dead; /* > 0: inside an operand that is never evaluated */
  bool stop;     /* a limit was exceeded: building ends */
  size_t errors;
};

/* Errors are counted here, because the log drops repeated messages, also across checks. */
#define BUILD_ERROR(b, at, hint, ...) ((b)->errors++, diag_error((b)->log, (b)->source, (at), (hint), __VA_ARGS__))
#define BUILD_WARN(b, at, hint, ...) diag_warning((b)->log, (b)->source, (at), (hint), __VA_ARGS__)

void build_start(struct builder *b);
/* Call when all variables are declared: assigns their positions in the state, in order. */
void build_places(struct builder *b);
/* Call when all initial values and the set of assigned variables are known: later reads of other variables become
   constants. */
void build_settle(struct builder *b);
/* Moves the sites to the model. */
void build_finish(struct builder *b);

/* False, with one error in the log, when a limit is exceeded. */
bool build_spend(struct builder *b, source_at at, size_t nodes, size_t steps);
void build_too_large(struct builder *b, source_at at, const char *what);

struct expr constant_expression(int64_t value); /* at no place of the source */
const struct expr *build_const(struct builder *b, int64_t value);
const struct expr *build_read(struct builder *b, source_at at, uint32_t variable, const struct expr *index);
const struct expr *build_select(struct builder *b, source_at at, uint32_t id, int64_t lo, int64_t hi);
const struct expr *build_temp(struct builder *b, source_at at, uint32_t id, int64_t lo, int64_t hi);
const struct expr *build_committed(struct builder *b);
const struct expr *build_automaton(struct builder *b, uint32_t id, const struct expr *permitted); /* EXPR_AUTOMATON */
const struct expr *build_enabled(struct builder *b, source_at at, uint32_t id);                   /* EXPR_ENABLED */
/* `x` checked to be in lo..hi, with an error of this kind (of an EXPR_INDEX) otherwise; `what` as in struct site. */
const struct expr *build_bounded(struct builder *b, enum site_kind kind, source_at at, const struct expr *x, int64_t lo,
                                 int64_t hi, const char *what);
/* `x` checked to be in 0..bound-1. */
const struct expr *build_index(struct builder *b, source_at at, const struct expr *x, uint32_t bound, const char *what);
const struct expr *build_truth(struct builder *b, const struct expr *x);
const struct expr *build_not(struct builder *b, source_at at, const struct expr *x);
const struct expr *build_negative(struct builder *b, source_at at, const struct expr *x);
const struct expr *build_binary(struct builder *b, enum expr_op op, source_at at, const struct expr *x,
                                const struct expr *y);
/* x > y for EXPR_LT, x >= y for EXPR_LE. */
const struct expr *build_reversed(struct builder *b, enum expr_op op, source_at at, const struct expr *x,
                                  const struct expr *y);
/* EXPR_DIV or EXPR_MOD. `what`: the divisor as written; required if build_divides_by_zero(b, y), else may be NULL. */
const struct expr *build_division(struct builder *b, enum expr_op op, source_at at, const struct expr *x,
                                  const struct expr *y, const char *what);
bool build_divides_by_zero(const struct builder *b, const struct expr *divisor); /* possibly, in some state */
const struct expr *build_bitnot(struct builder *b, source_at at, const struct expr *x);
/* EXPR_SHL or EXPR_SHR. `what`: y as written; required if build_shifts_outside(b, y), else may be NULL. */
const struct expr *build_shift(struct builder *b, enum expr_op op, source_at at, const struct expr *x,
                               const struct expr *y, const char *what);
bool build_shifts_outside(const struct builder *b, const struct expr *by); /* of 0..63; possibly, in some state */
const struct expr *build_cond(struct builder *b, source_at at, const struct expr *x, const struct expr *y,
                              const struct expr *z);
/* items[0] op items[1] op ... as a balanced tree; n > 0. */
const struct expr *build_all(struct builder *b, enum expr_op op, source_at at, const struct expr *const *items,
                             size_t n);
/* `index` + instance * length: the place of an element in its variable. */
const struct expr *build_offset(struct builder *b, source_at at, const struct expr *instance, uint32_t length,
                                const struct expr *index);
/* x modulo the size of lo..hi, as a value in lo..hi: the value of a wrapping assignment, for example of bytes.
   build_range_site is the checked counterpart. hi - lo is below INT64_MAX. */
const struct expr *build_wrapped(struct builder *b, source_at at, const struct expr *x, int64_t lo, int64_t hi);
/* The same expression with its source place at `at` (a constant has none). */
const struct expr *build_placed(struct builder *b, source_at at, const struct expr *x);
/* An expression that cannot fail, with the value of `x` where `x` does not fail. */
const struct expr *build_total(struct builder *b, const struct expr *x);
/* The same expression with its interval narrowed to lo..hi. */
const struct expr *build_narrowed(struct builder *b, const struct expr *x, int64_t lo, int64_t hi);

uint32_t build_site(struct builder *b, enum site_kind kind, source_at at, const char *what, int64_t lo, int64_t hi);
/* A site for an assignment of `value`, or NO_SITE if `value` is always in lo..hi. */
uint32_t build_range_site(struct builder *b, const struct expr *value, source_at at, const char *what, int64_t lo,
                          int64_t hi);
/* The same for an assignment to this variable. */
uint32_t build_assign_site(struct builder *b, const struct expr *value, source_at at, const struct variable *v);
/* An error at the site (NO_SITE: none) shows that a guess is too small (guess.h). */
void build_site_guessed(struct builder *b, uint32_t site);
/* No reachable state has an error at the site (NO_SITE: none): the range is derived, and the value wraps to its type.
 */
void build_site_proved(struct builder *b, uint32_t site);
/* Errors at the site (NO_SITE: none) list the names of the enumeration (NULL: none). */
void build_site_names(struct builder *b, uint32_t site, const struct enumeration *type);

bool is_constant_false(const struct expr *x); /* a constant 0 */
bool is_constant_true(const struct expr *x);  /* a constant other than 0 */
bool within(const struct expr *x, int64_t lo, int64_t hi);

#endif
