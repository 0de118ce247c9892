/* Ground expressions in the making: every node knows the interval of its values, what can only have one value is folded
   to it, and what can fail has a site. Free of any language's syntax, for the checks of all of them (language.h).

   A function that meets an error logs it and returns NULL; one that is given a NULL operand returns NULL. So an
   expression is built without a look at each step, and one run finds many errors. */
#ifndef FLOE_BUILD_H
#define FLOE_BUILD_H

#include "model/model.h"

/* Limits that keep a small file from becoming a model without bounds. The fuzz harness divides them. */
#ifndef MODEL_SCALE
#define MODEL_SCALE 1
#endif
#define BUILD_MAX_NODES (4000000 / MODEL_SCALE)     /* ground expressions and statements */
#define BUILD_MAX_VALUES ((1u << 20) / MODEL_SCALE) /* elements of all variables */
#define BUILD_MAX_STEPS (10000000 / MODEL_SCALE)    /* expressions visited, quantifiers unrolled */

struct interval {
  int64_t lo, hi;
};

struct site_table {
  struct site *items;
  size_t n, cap;
  uint32_t *slots; /* number + 1, found by hash */
  size_t slot_count;
};

/* The caller sets the first four; build_start the rest. */
struct builder {
  struct arena *arena; /* its guard is active */
  floe_log *log;       /* may be NULL */
  const struct source *source;
  struct model *model;      /* whose variables are read */
  const struct expr *small; /* constants SMALL_LO.. shared by all expressions */
  struct interval *initial; /* of each variable's initial values; NULL: build_settle was not called yet */
  struct site_table sites;
  source_at here;           /* of the expression in work, for what has no place of its own */
  const source_at *used_at; /* where what is being built is put in from elsewhere: the place of its expressions, not of
                               their errors; NULL: each has its own */
  size_t nodes, steps;
  unsigned dead; /* > 0: inside an operand that is never evaluated: its value does not matter */
  bool stop;     /* a limit was passed: give up */
  size_t errors;
};

/* Counted here as well: the log keeps a message only once, also over several checks. */
#define BUILD_ERROR(b, at, hint, ...) ((b)->errors++, diag_error((b)->log, (b)->source, (at), (hint), __VA_ARGS__))
#define BUILD_WARN(b, at, hint, ...) diag_warning((b)->log, (b)->source, (at), (hint), __VA_ARGS__)

void build_start(struct builder *b);
/* All variables are declared: they get their places in the state, one after the other. */
void build_places(struct builder *b);
/* All variables have their initial values, and it is known which of them are assigned: from here on reads of the others
   become constants. */
void build_settle(struct builder *b);
/* The model gets the sites. */
void build_finish(struct builder *b);

/* False (and an error once) when the limits are passed. */
bool build_spend(struct builder *b, source_at at, size_t nodes, size_t steps);
void build_too_large(struct builder *b, source_at at, const char *what);

const struct expr *build_const(struct builder *b, int64_t value);
const struct expr *build_read(struct builder *b, source_at at, uint32_t variable, const struct expr *index);
const struct expr *build_select(struct builder *b, source_at at, uint32_t id, int64_t lo, int64_t hi);
const struct expr *build_temp(struct builder *b, source_at at, uint32_t id, int64_t lo, int64_t hi);
const struct expr *build_committed(struct builder *b);
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
/* EXPR_DIV or EXPR_MOD. Where build_divides_by_zero(b, y), `what` is the divisor as written; else it may be NULL. */
const struct expr *build_division(struct builder *b, enum expr_op op, source_at at, const struct expr *x,
                                  const struct expr *y, const char *what);
bool build_divides_by_zero(const struct builder *b, const struct expr *divisor); /* in some state, perhaps */
const struct expr *build_bitnot(struct builder *b, source_at at, const struct expr *x);
/* EXPR_SHL or EXPR_SHR. Where build_shifts_outside(b, y), `what` is y as written; else it may be NULL. */
const struct expr *build_shift(struct builder *b, enum expr_op op, source_at at, const struct expr *x,
                               const struct expr *y, const char *what);
bool build_shifts_outside(const struct builder *b, const struct expr *by); /* 0..63, in some state, perhaps */
const struct expr *build_cond(struct builder *b, source_at at, const struct expr *x, const struct expr *y,
                              const struct expr *z);
/* items[0] op items[1] op ... as a balanced tree; n > 0. */
const struct expr *build_all(struct builder *b, enum expr_op op, source_at at, const struct expr *const *items,
                             size_t n);
/* `index` + instance * length: the place of an element in its variable. */
const struct expr *build_offset(struct builder *b, source_at at, const struct expr *instance, uint32_t length,
                                const struct expr *index);
/* x, or what is left of it in lo..hi when as many values as that has are added or taken away again and again: the value
   of an assignment that wraps round, as of bytes, where a site (build_range_site) makes one that is checked. hi - lo is
   below INT64_MAX. */
const struct expr *build_wrapped(struct builder *b, source_at at, const struct expr *x, int64_t lo, int64_t hi);
/* The same expression, with its place at `at` (a constant has none). */
const struct expr *build_placed(struct builder *b, source_at at, const struct expr *x);
/* The same expression, known to lie in lo..hi where it is evaluated. */
const struct expr *build_narrowed(struct builder *b, const struct expr *x, int64_t lo, int64_t hi);

uint32_t build_site(struct builder *b, enum site_kind kind, source_at at, const char *what, int64_t lo, int64_t hi);
/* A site for values that may leave lo..hi, or NO_SITE. */
uint32_t build_range_site(struct builder *b, const struct expr *value, source_at at, const char *what, int64_t lo,
                          int64_t hi);

bool unfired_true(const struct expr *x);  /* a constant, false */
bool always_true(const struct expr *x); /* a constant, true */
bool within(const struct expr *x, int64_t lo, int64_t hi);

#endif
