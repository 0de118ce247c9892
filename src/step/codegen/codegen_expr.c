/* Expressions in kernel C. Those that cannot fail become C expressions as they are. Those that can
   are preceded by statements that test for the errors in the order of evaluation; no expression
   changes the state, so that the value can be computed after all tests. */
#include "step/codegen/codegen_expr.h"

#include "model/bit_intervals.h"
#include "model/structural_equality.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { LONGEST_PLAIN = 80 }; /* letters of a location's name that is part of a name in C */

bool codegen_is_wide(const struct expr *e) { return e->lo < INT32_MIN || e->hi > INT32_MAX; }

const char *codegen_type(bool wide) { return wide ? "int64_t" : "int32_t"; }

void codegen_number(struct codegen *gen, int64_t value) {
  if (value == INT64_MIN)
    codegen_add(gen, "(-9223372036854775807LL - 1)");
  else if (value < INT32_MIN || value > INT32_MAX)
    codegen_add(gen, value < 0 ? "(-%" PRIu64 "LL)" : "%" PRIu64 "LL", (uint64_t)(value < 0 ? -value : value));
  else if (value == INT32_MIN)
    codegen_add(gen, "(-2147483647 - 1)");
  else
    codegen_add(gen, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
}

/* Can it be a part of a name in C? */
static bool is_plain(const char *name) {
  static const char packets[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  const size_t length = strspn(name, packets);
  return length > 0 && length <= LONGEST_PLAIN && !name[length] && strspn(name, "0123456789") == 0;
}

void codegen_location(struct codegen *gen, uint32_t variable, int64_t location) {
  const struct process *process = &gen->model->processes[gen->model->variables[variable].owner];
  assert(gen->model->variables[variable].kind == VARIABLE_LOCATION && (uint64_t)location < process->location_count);
  const char *const name = process->locations[location].name;
  if (is_plain(name))
    codegen_add(gen, "at_%s_%s", gen->accessors[variable], name);
  else
    codegen_add(gen, "at_%s_%" PRId64, gen->accessors[variable], location);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static unsigned name(struct codegen *gen, const struct expr *e) {
  struct named_expr *named = ARENA_PUSH(gen->text.arena, gen->named, gen->named_count, gen->named_capacity);
  *named = (struct named_expr){e, gen->next_name};
  return gen->next_name++;
}

static const struct named_expr *find_name(const struct codegen *gen, const struct expr *e) {
  for (size_t i = gen->named_count; i-- > 0;)
    if (gen->named[i].expr == e)
      return &gen->named[i];
  return NULL;
}

void codegen_forget(struct codegen *gen) { gen->named_count = 0; }

void codegen_failure(struct codegen *gen, uint32_t site) {
  codegen_add(gen, " { %s%" PRIu32 "); %s; }", gen->fail, site, gen->jump);
}

void codegen_range_check(struct codegen *gen, const char *value_name, const struct expr *value, int64_t lo, int64_t hi,
                         uint32_t site) {
  if (lo <= value->lo && value->hi <= hi)
    return;
  codegen_line(gen, "if (");
  if (value->lo < lo) {
    codegen_add(gen, "%s < ", value_name);
    codegen_number(gen, lo);
  }
  if (value->lo < lo && hi < value->hi)
    codegen_add(gen, " || ");
  if (hi < value->hi) {
    codegen_add(gen, "%s > ", value_name);
    codegen_number(gen, hi);
  }
  codegen_add(gen, ")");
  codegen_failure(gen, site);
}

static void define_name(struct codegen *gen, const struct expr *e, unsigned *number) {
  codegen_line(gen, "const %s x%u = ", codegen_type(codegen_is_wide(e)), gen->next_name);
  codegen_expr(gen, e, PREC_COND);
  codegen_add(gen, ";");
  *number = name(gen, e);
}

/* Of an operand that is prepared. */
static void check_operand(struct codegen *gen, const struct expr *operand, int64_t most, uint32_t site) {
  unsigned number;
  char x[16];
  if (site == NO_SITE)
    return;
  define_name(gen, operand, &number);
  snprintf(x, sizeof x, "x%u", number);
  codegen_range_check(gen, x, operand, 0, most, site);
}

static void prepare_index(struct codegen *gen, const struct expr *e) {
  codegen_prepare(gen, e->a);
  check_operand(gen, e->a, e->value - 1, e->site);
}

static void prepare_division(struct codegen *gen, const struct expr *e) {
  codegen_prepare(gen, e->a);
  codegen_prepare(gen, e->b);
  if (e->site == NO_SITE)
    return;
  unsigned number;
  define_name(gen, e->b, &number);
  codegen_line(gen, "if (x%u == 0)", number);
  codegen_failure(gen, e->site);
}

static void prepare_shift(struct codegen *gen, const struct expr *e) {
  codegen_prepare(gen, e->a);
  codegen_prepare(gen, e->b);
  check_operand(gen, e->b, SHIFT_MAX, e->site);
}

/* x<number> = e, computed in the block that is open; names made in it end with it. */
static void close_branch(struct codegen *gen, const struct expr *e, unsigned number, bool truth, size_t named_before) {
  codegen_line(gen, "x%u = ", number);
  codegen_expr(gen, e, truth ? PREC_LESS : PREC_COND);
  codegen_add(gen, truth ? " != 0;" : ";");
  gen->named_count = named_before;
  codegen_close(gen, "");
}

static void prepare_decided(struct codegen *gen, const struct expr *e) {
  codegen_prepare(gen, e->a);
  if (!e->b->can_fail)
    return;
  unsigned number = gen->next_name++;
  size_t named_before = gen->named_count;
  codegen_line(gen, "int32_t x%u = ", number);
  codegen_expr(gen, e->a, PREC_LESS);
  codegen_add(gen, " != 0;");
  codegen_line(gen, e->op == EXPR_AND ? "if (x%u)" : "if (!x%u)", number);
  codegen_open(gen);
  codegen_prepare(gen, e->b);
  close_branch(gen, e->b, number, true, named_before);
  *ARENA_PUSH(gen->text.arena, gen->named, gen->named_count, gen->named_capacity) = (struct named_expr){e, number};
}

static void prepare_conditional(struct codegen *gen, const struct expr *e) {
  codegen_prepare(gen, e->a);
  if (!e->b->can_fail && !e->c->can_fail)
    return;
  unsigned number = gen->next_name++;
  size_t named_before = gen->named_count;
  codegen_line(gen, "%s x%u;", codegen_type(codegen_is_wide(e)), number);
  codegen_line(gen, "if (");
  codegen_expr(gen, e->a, PREC_COND);
  codegen_add(gen, ")");
  codegen_open(gen);
  codegen_prepare(gen, e->b);
  close_branch(gen, e->b, number, false, named_before);
  codegen_add(gen, " else");
  codegen_open(gen);
  codegen_prepare(gen, e->c);
  close_branch(gen, e->c, number, false, named_before);
  *ARENA_PUSH(gen->text.arena, gen->named, gen->named_count, gen->named_capacity) = (struct named_expr){e, number};
}

void codegen_prepare(struct codegen *gen, const struct expr *e) {
  if (!e || !e->can_fail)
    return;
  switch (e->op) {
  case EXPR_INDEX:
    prepare_index(gen, e);
    break;
  case EXPR_DIV:
  case EXPR_MOD:
    prepare_division(gen, e);
    break;
  case EXPR_SHL:
  case EXPR_SHR:
    prepare_shift(gen, e);
    break;
  case EXPR_AND:
  case EXPR_OR:
    prepare_decided(gen, e);
    break;
  case EXPR_COND:
    prepare_conditional(gen, e);
    break;
  default:
    codegen_prepare(gen, e->a);
    codegen_prepare(gen, e->b);
  }
}

/* ---- variables ----------------------------------------------------------------------------------- */

static void read_stored(struct codegen *gen, uint32_t variable) {
  codegen_add(gen, "get_%s(%s", gen->accessors[variable], gen->written && gen->written[variable] ? "t" : "s");
}

/* A variable that takes no bits has its initial value for ever. */
static void read_constant(struct codegen *gen, uint32_t variable, const struct expr *index) {
  const struct variable *declared = &gen->model->variables[variable];
  if (declared->lo == declared->hi)
    codegen_number(gen, declared->lo);
  else if (declared->count == 1 || !index || index->op == EXPR_CONST)
    codegen_number(gen, declared->init[index && declared->count > 1 ? index->value : 0]);
  else {
    codegen_add(gen, "constant_%s[", gen->accessors[variable]);
    codegen_expr(gen, index, PREC_COND);
    codegen_add(gen, "]");
  }
}

static void element_argument(struct codegen *gen, uint32_t variable, const struct expr *index) {
  if (gen->model->variables[variable].count == 1)
    return;
  codegen_add(gen, ", ");
  if (index)
    codegen_expr(gen, index, PREC_COND);
  else
    codegen_add(gen, "0");
}

void codegen_read(struct codegen *gen, uint32_t variable, const struct expr *index) {
  if (!codegen_is_stored(gen, variable)) {
    read_constant(gen, variable, index);
    return;
  }
  read_stored(gen, variable);
  element_argument(gen, variable, index);
  codegen_add(gen, ")");
}

void codegen_read_element(struct codegen *gen, uint32_t variable, uint32_t element) {
  struct expr index = {.op = EXPR_CONST, .lo = element, .hi = element, .value = element};
  codegen_read(gen, variable, &index);
}

void codegen_write(struct codegen *gen, uint32_t variable, const struct expr *index) {
  codegen_line(gen, "set_%s(t", gen->accessors[variable]);
  element_argument(gen, variable, index);
  codegen_add(gen, ", ");
}

/* ---- values ---------------------------------------------------------------------------------- */

static void open_paren(struct codegen *gen, enum precedence own, enum precedence least) {
  if (own < least)
    codegen_add(gen, "(");
}

static void close_paren(struct codegen *gen, enum precedence own, enum precedence least) {
  if (own < least)
    codegen_add(gen, ")");
}

/* The variable whose location `e` reads; NULL: it is no such thing. */
static const struct variable *location_read(const struct codegen *gen, const struct expr *e) {
  const struct variable *variable = e->op == EXPR_READ ? &gen->model->variables[e->id] : NULL;
  return variable && variable->kind == VARIABLE_LOCATION && codegen_is_stored(gen, e->id) ? variable : NULL;
}

/* A location that an instance's is compared with has its name there. */
static void operand(struct codegen *gen, const struct expr *e, const struct expr *other, enum precedence least) {
  if (e->op == EXPR_CONST && location_read(gen, other) && e->value >= 0 && e->value <= location_read(gen, other)->hi)
    codegen_location(gen, other->id, e->value);
  else
    codegen_expr(gen, e, least);
}

static void infix(struct codegen *gen, const struct expr *e, const char *op, enum precedence own, enum precedence left,
                  enum precedence right, enum precedence least) {
  open_paren(gen, own, least);
  operand(gen, e->a, e->b, left);
  codegen_add(gen, " %s ", op);
  operand(gen, e->b, e->a, right);
  close_paren(gen, own, least);
}

/* Arithmetic takes place in int64_t as soon as an operand or the result needs it. */
static void arithmetic(struct codegen *gen, const struct expr *e, const char *op, enum precedence own,
                       enum precedence least) {
  bool wide_operand = codegen_is_wide(e->a) || (e->b && codegen_is_wide(e->b));
  bool narrow = wide_operand && !codegen_is_wide(e);
  bool widen = codegen_is_wide(e) && !wide_operand;
  if (narrow) {
    codegen_add(gen, "(int32_t)");
    least = PREC_PRIMARY;
  }
  open_paren(gen, own, least);
  if (!e->b)
    codegen_add(gen, "%s", op);
  if (widen)
    codegen_add(gen, "(int64_t)");
  codegen_expr(gen, e->a, widen || !e->b ? PREC_UNARY + (e->b == NULL) : own);
  if (e->b) {
    codegen_add(gen, " %s ", op);
    codegen_expr(gen, e->b, own + 1);
  }
  close_paren(gen, own, least);
}

/* A call f32(a, b) or f64(a, b). */
static void call(struct codegen *gen, const struct expr *e, const char *function, bool wide) {
  codegen_add(gen, "%s%s%s(", wide && !codegen_is_wide(e) ? "(int32_t)" : "", function, wide ? "64" : "32");
  codegen_expr(gen, e->a, PREC_COND);
  codegen_add(gen, ", ");
  codegen_expr(gen, e->b, PREC_COND);
  codegen_add(gen, ")");
}

/* The remainder of what is less than twice the divisor needs no division; that of the least number
   by -1 is no defined operation in C. */
static void remainder_of(struct codegen *gen, const struct expr *e, enum precedence least) {
  const struct expr *a = e->a, *b = e->b;
  bool simple = b->op == EXPR_CONST && a->lo >= 0 && !codegen_is_wide(a) && !codegen_is_wide(b);
  if (simple && a->hi < b->value)
    codegen_expr(gen, a, least);
  else if (simple && a->hi < 2 * b->value) {
    codegen_add(gen, "floe_wrap(");
    codegen_expr(gen, a, PREC_COND);
    codegen_add(gen, ", %" PRId64 ")", b->value);
  } else if (a->lo <= INT32_MIN && b->lo <= -1 && b->hi >= -1)
    call(gen, e, "floe_mod", true);
  else
    arithmetic(gen, e, "%", PREC_MUL, least);
}

static void extreme(struct codegen *gen, const struct expr *e, const char *function) {
  call(gen, e, function, codegen_is_wide(e->a) || codegen_is_wide(e->b));
}

/* In brackets beside any operator: C's compilers warn of most mixtures. */
static void bitwise(struct codegen *gen, const struct expr *e, const char *op, enum precedence least) {
  bool narrow = !codegen_is_wide(e) && (codegen_is_wide(e->a) || codegen_is_wide(e->b));
  if (narrow) {
    codegen_add(gen, "(int32_t)");
    least = PREC_PRIMARY;
  }
  open_paren(gen, PREC_COND, least);
  codegen_expr(gen, e->a, PREC_UNARY);
  codegen_add(gen, " %s ", op);
  codegen_expr(gen, e->b, PREC_UNARY);
  close_paren(gen, PREC_COND, least);
}

static void shift(struct codegen *gen, const struct expr *e) {
  const struct expr *a = e->a, *b = e->b;
  bool narrow = !codegen_is_wide(a) && !codegen_is_wide(e) && b->lo >= 0 && b->hi <= 31;
  call(gen, e, e->op == EXPR_SHL ? "floe_shl" : "floe_shr", !narrow);
}

static void conditional(struct codegen *gen, const struct expr *e, enum precedence least) {
  open_paren(gen, PREC_COND, least);
  codegen_expr(gen, e->a, PREC_OR);
  codegen_add(gen, " ? ");
  codegen_expr(gen, e->b, PREC_OR);
  codegen_add(gen, " : ");
  codegen_expr(gen, e->c, PREC_COND);
  close_paren(gen, PREC_COND, least);
}

static void temporary(struct codegen *gen, const struct expr *e) {
  bool narrow = gen->temps[e->id].wide && !codegen_is_wide(e);
  codegen_add(gen, "%stemp%" PRIu32, narrow ? "(int32_t)" : "", e->id);
}

/* Operators that stand between their operands. Both sides of && may be chains of && (so for ||): it
   is associative, also in what it evaluates. */
static const struct {
  const char *text;
  enum precedence own, operands;
  bool arithmetic;
} infixes[EXPR_OPS] = {
    [EXPR_ADD] = {"+", PREC_ADD, 0, true},           [EXPR_SUB] = {"-", PREC_ADD, 0, true},
    [EXPR_MUL] = {"*", PREC_MUL, 0, true},           [EXPR_DIV] = {"/", PREC_MUL, 0, true},
    [EXPR_NEG] = {"-", PREC_UNARY, 0, true},         [EXPR_LT] = {"<", PREC_LESS, PREC_ADD, false},
    [EXPR_LE] = {"<=", PREC_LESS, PREC_ADD, false},  [EXPR_EQ] = {"==", PREC_EQUAL, PREC_ADD, false},
    [EXPR_NE] = {"!=", PREC_EQUAL, PREC_ADD, false}, [EXPR_AND] = {"&&", PREC_AND, PREC_AND, false},
    [EXPR_BITNOT] = {"~", PREC_UNARY, 0, true},
};

static void leaf(struct codegen *gen, const struct expr *e) {
  switch (e->op) {
  case EXPR_CONST:
    codegen_number(gen, e->value);
    break;
  case EXPR_READ:
    codegen_read(gen, e->id, e->a);
    break;
  case EXPR_SELECT:
    codegen_add(gen, "select%" PRIu32, e->id);
    break;
  case EXPR_TEMP:
    temporary(gen, e);
    break;
  default:
    assert(e->op == EXPR_COMMITTED);
    codegen_add(gen, "committed");
  }
}

static void negation(struct codegen *gen, const struct expr *e, enum precedence least) {
  open_paren(gen, PREC_UNARY, least);
  codegen_add(gen, "!");
  codegen_expr(gen, e->a, PREC_PRIMARY);
  close_paren(gen, PREC_UNARY, least);
}

/* || with operands of && in brackets, as compilers like to see them. */
static void disjunction(struct codegen *gen, const struct expr *e, enum precedence least) {
  infix(gen, e, "||", PREC_OR, e->a->op == EXPR_OR ? PREC_OR : PREC_EQUAL, e->b->op == EXPR_OR ? PREC_OR : PREC_EQUAL,
        least);
}

static bool is_truth(const struct expr *e) { return e->lo >= 0 && e->hi <= 1; }

/* The last operand of a chain of "and" or "or" that stands before the right operand of e. */
static const struct expr *operand_before(const struct expr *e) {
  const struct expr *left = e->a;
  while (left->op == e->op)
    left = left->b;
  return left;
}

/* "x and x", as quantifiers over pairs make it: its right operand says nothing new. */
static bool is_repeated(const struct expr *e) {
  return (e->op == EXPR_AND || e->op == EXPR_OR) && !e->b->can_fail && is_truth(e->a) &&
         same_expr(operand_before(e), e->b);
}

static void operation(struct codegen *gen, const struct expr *e, enum precedence least) {
  switch (e->op) {
  case EXPR_INDEX:
    codegen_expr(gen, e->a, least);
    break;
  case EXPR_NOT:
    negation(gen, e, least);
    break;
  case EXPR_MOD:
    remainder_of(gen, e, least);
    break;
  case EXPR_MIN:
  case EXPR_MAX:
    extreme(gen, e, e->op == EXPR_MIN ? "floe_min" : "floe_max");
    break;
  case EXPR_SHL:
  case EXPR_SHR:
    shift(gen, e);
    break;
  case EXPR_BITAND:
  case EXPR_BITXOR:
  case EXPR_BITOR:
    bitwise(gen, e, e->op == EXPR_BITAND ? "&" : e->op == EXPR_BITXOR ? "^" : "|", least);
    break;
  case EXPR_OR:
    disjunction(gen, e, least);
    break;
  case EXPR_COND:
    conditional(gen, e, least);
    break;
  default:
    if (!infixes[e->op].text)
      leaf(gen, e);
    else if (infixes[e->op].arithmetic)
      arithmetic(gen, e, infixes[e->op].text, infixes[e->op].own, least);
    else
      infix(gen, e, infixes[e->op].text, infixes[e->op].own, infixes[e->op].operands, infixes[e->op].operands, least);
  }
}

void codegen_expr(struct codegen *gen, const struct expr *e, enum precedence least) {
  const struct named_expr *named = gen->named_count ? find_name(gen, e) : NULL;
  if (named)
    codegen_add(gen, "x%u", named->number);
  else if (is_repeated(e))
    codegen_expr(gen, e->a, least);
  else
    operation(gen, e, least);
}
