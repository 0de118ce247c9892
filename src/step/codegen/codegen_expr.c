/* An expression that cannot fail becomes one C expression. One that can fail is preceded by statements that test for
   its errors in the order of evaluation. No expression changes the state, so its value can be computed after all
   tests. */
#include "step/codegen/codegen_expr.h"

#include "model/bit_intervals.h"
#include "model/structural_equality.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_NAME_LENGTH = 80 }; /* of a location's name in a C identifier */

bool codegen_is_64bit(const struct expr *e) { return e->lo < INT32_MIN || e->hi > INT32_MAX; }

const char *codegen_type(bool is_64bit) { return is_64bit ? "int64_t" : "int32_t"; }

void codegen_number(struct codegen *gen, int64_t value) {
  if (value == INT64_MIN)
    codegen_add(gen, "(-9223372036854775807LL - 1)");
  else if (value < INT32_MIN || value > INT32_MAX)
    codegen_add(gen, value < 0 ? "(-%" PRIu64 "LL)" : "%" PRIu64 "LL", (uint64_t)(value < 0 ? -value : value));
  else {
    const size_t begin = gen->text.length;
    if (value == INT32_MIN)
      codegen_add(gen, "(-2147483647 - 1)");
    else
      codegen_add(gen, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
    codegen_hole(gen, HOLE_NUMBER, begin, value);
  }
}

/* True if the name can be part of a C identifier. */
static bool is_c_name_part(const char *name) {
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  const size_t length = strspn(name, allowed);
  return length > 0 && length <= MAX_NAME_LENGTH && !name[length] && strspn(name, "0123456789") == 0;
}

void codegen_location(struct codegen *gen, uint32_t variable, int64_t location) {
  const struct process *process = &gen->model->processes[gen->model->variables[variable].owner];
  assert(gen->model->variables[variable].kind == VARIABLE_LOCATION && (uint64_t)location < process->location_count);
  const char *const name = process->locations[location].name;
  const size_t begin = gen->text.length;
  if (is_c_name_part(name))
    codegen_add(gen, "at_%s_%s", gen->accessors[variable], name);
  else
    codegen_add(gen, "at_%s_%" PRId64, gen->accessors[variable], location);
  codegen_hole(gen, HOLE_NAME, begin, 0);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* The local variable x<number> for a value of `e`. */
static struct codegen_local local_of(const struct expr *e, unsigned number) {
  return (struct codegen_local){'x', codegen_is_64bit(e), number};
}

static void add_computed(struct codegen *gen, const struct expr *e, unsigned number) {
  *ARENA_PUSH(gen->text.arena, gen->computed, gen->computed_count, gen->computed_capacity) =
      (struct computed_expr){e, number};
}

static const struct computed_expr *find_computed(const struct codegen *gen, const struct expr *e) {
  for (size_t i = gen->computed_count; i-- > 0;)
    if (gen->computed[i].expr == e)
      return &gen->computed[i];
  return NULL;
}

void codegen_drop_locals(struct codegen *gen) { gen->computed_count = 0; }

void codegen_failure(struct codegen *gen, uint32_t site) {
  const size_t begin = gen->text.length + 1; /* behind the space */
  codegen_add(gen, " { %s%" PRIu32 "); %s; }", gen->fail, site, gen->jump);
  codegen_hole(gen, HOLE_FAILURE, begin, site);
}

void codegen_range_check(struct codegen *gen, struct codegen_local local, const struct expr *value, int64_t lo,
                         int64_t hi, uint32_t site) {
  if (lo <= value->lo && value->hi <= hi)
    return;
  codegen_line(gen, "if (");
  if (value->lo < lo) {
    codegen_local(gen, local, false);
    codegen_add(gen, " < ");
    codegen_number(gen, lo);
  }
  if (value->lo < lo && hi < value->hi)
    codegen_add(gen, " || ");
  if (hi < value->hi) {
    codegen_local(gen, local, false);
    codegen_add(gen, " > ");
    codegen_number(gen, hi);
  }
  codegen_add(gen, ")");
  codegen_failure(gen, site);
}

static struct codegen_local define_local(struct codegen *gen, const struct expr *e) {
  const struct codegen_local local = local_of(e, gen->next_local++);
  codegen_line(gen, "const %s ", codegen_type(local.is_64bit));
  codegen_local(gen, local, false);
  codegen_add(gen, " = ");
  codegen_expr(gen, e, PREC_COND);
  codegen_add(gen, ";");
  add_computed(gen, e, local.number);
  return local;
}

/* Tests an operand's range after the error tests inside the operand. */
static void check_operand(struct codegen *gen, const struct expr *operand, int64_t max, uint32_t site) {
  if (site != NO_SITE)
    codegen_range_check(gen, define_local(gen, operand), operand, 0, max, site);
}

static void test_index(struct codegen *gen, const struct expr *e) {
  codegen_error_tests(gen, e->a);
  check_operand(gen, e->a, e->value - 1, e->site);
}

static void test_division(struct codegen *gen, const struct expr *e) {
  codegen_error_tests(gen, e->a);
  codegen_error_tests(gen, e->b);
  if (e->site == NO_SITE)
    return;
  const struct codegen_local divisor = define_local(gen, e->b);
  codegen_line(gen, "if (");
  codegen_local(gen, divisor, false);
  codegen_add(gen, " == 0)");
  codegen_failure(gen, e->site);
}

static void test_shift(struct codegen *gen, const struct expr *e) {
  codegen_error_tests(gen, e->a);
  codegen_error_tests(gen, e->b);
  check_operand(gen, e->b, SHIFT_MAX, e->site);
}

/* Writes a block that tests `e` for errors and assigns it to `result`; locals of the block are dropped. */
static void write_branch(struct codegen *gen, const struct expr *e, struct codegen_local result, bool truth) {
  const size_t computed_before = gen->computed_count;
  codegen_open(gen);
  const uint32_t part = codegen_part_begin(gen, NO_PART);
  codegen_error_tests(gen, e);
  codegen_line(gen, "%s", "");
  codegen_local(gen, result, true);
  codegen_add(gen, " = ");
  codegen_expr(gen, e, truth ? PREC_LESS : PREC_COND);
  codegen_add(gen, truth ? " != 0;" : ";");
  codegen_part_end(gen, part);
  gen->computed_count = computed_before;
  codegen_close(gen, "");
}

static void test_short_circuit(struct codegen *gen, const struct expr *e) {
  codegen_error_tests(gen, e->a);
  if (!e->b->can_fail)
    return;
  const struct codegen_local result = {'x', false, gen->next_local++};
  codegen_line(gen, "int32_t ");
  codegen_local(gen, result, false);
  codegen_add(gen, " = ");
  codegen_expr(gen, e->a, PREC_LESS);
  codegen_add(gen, " != 0;");
  codegen_line(gen, e->op == EXPR_AND ? "if (" : "if (!");
  codegen_local(gen, result, false);
  codegen_add(gen, ")");
  write_branch(gen, e->b, result, true);
  add_computed(gen, e, result.number);
}

static void test_conditional(struct codegen *gen, const struct expr *e) {
  codegen_error_tests(gen, e->a);
  if (!e->b->can_fail && !e->c->can_fail)
    return;
  const struct codegen_local result = local_of(e, gen->next_local++);
  codegen_line(gen, "%s ", codegen_type(result.is_64bit));
  codegen_local(gen, result, false);
  codegen_add(gen, ";");
  codegen_line(gen, "if (");
  codegen_expr(gen, e->a, PREC_COND);
  codegen_add(gen, ")");
  write_branch(gen, e->b, result, false);
  codegen_add(gen, " else");
  write_branch(gen, e->c, result, false);
  add_computed(gen, e, result.number);
}

void codegen_error_tests(struct codegen *gen, const struct expr *e) {
  if (!e || !e->can_fail)
    return;
  switch (e->op) {
  case EXPR_INDEX:
    test_index(gen, e);
    break;
  case EXPR_DIV:
  case EXPR_MOD:
    test_division(gen, e);
    break;
  case EXPR_SHL:
  case EXPR_SHR:
    test_shift(gen, e);
    break;
  case EXPR_AND:
  case EXPR_OR:
    test_short_circuit(gen, e);
    break;
  case EXPR_COND:
    test_conditional(gen, e);
    break;
  default:
    codegen_error_tests(gen, e->a);
    codegen_error_tests(gen, e->b);
  }
}

/* ---- variables ----------------------------------------------------------------------------------- */

/* The successor, or the state. */
static void write_state(struct codegen *gen, bool successor) {
  codegen_add(gen, successor ? "t" : "s");
  codegen_hole(gen, HOLE_STATE, gen->text.length - 1, 0);
}

static void write_stored_read(struct codegen *gen, uint32_t variable) {
  codegen_add(gen, "get_%s(", gen->accessors[variable]);
  write_state(gen, gen->written && gen->written[variable]);
}

/* A variable without bits always has its initial value. */
static void write_constant_read(struct codegen *gen, uint32_t variable, const struct expr *index) {
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
    write_constant_read(gen, variable, index);
    return;
  }
  write_stored_read(gen, variable);
  element_argument(gen, variable, index);
  codegen_add(gen, ")");
}

void codegen_read_element(struct codegen *gen, uint32_t variable, uint32_t element) {
  struct expr index = {.op = EXPR_CONST, .lo = element, .hi = element, .value = element};
  codegen_read(gen, variable, &index);
}

void codegen_write(struct codegen *gen, uint32_t variable, const struct expr *index) {
  codegen_line(gen, "set_%s(", gen->accessors[variable]);
  write_state(gen, true);
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

/* The location variable that `e` reads; NULL: it reads none. */
static const struct variable *location_read(const struct codegen *gen, const struct expr *e) {
  const struct variable *variable = e->op == EXPR_READ ? &gen->model->variables[e->id] : NULL;
  return variable && variable->kind == VARIABLE_LOCATION && codegen_is_stored(gen, e->id) ? variable : NULL;
}

/* A constant that is compared with a location is written as the location's name. */
static void write_operand(struct codegen *gen, const struct expr *e, const struct expr *other, enum precedence least) {
  if (e->op == EXPR_CONST && location_read(gen, other) && e->value >= 0 && e->value <= location_read(gen, other)->hi)
    codegen_location(gen, other->id, e->value);
  else
    codegen_expr(gen, e, least);
}

struct infix_operator {
  const char *text;
  enum precedence own, left, right; /* of the operator; required of its operands */
  bool arithmetic;                  /* written by `arithmetic`, which ignores left and right */
};

static void write_infix(struct codegen *gen, const struct expr *e, const struct infix_operator *op,
                        enum precedence least) {
  open_paren(gen, op->own, least);
  write_operand(gen, e->a, e->b, op->left);
  codegen_add(gen, " %s ", op->text);
  write_operand(gen, e->b, e->a, op->right);
  close_paren(gen, op->own, least);
}

/* Arithmetic is done in int64_t if an operand or the result needs it. */
static void write_arithmetic(struct codegen *gen, const struct expr *e, const char *op, enum precedence own,
                             enum precedence least) {
  bool operand_is_64bit = codegen_is_64bit(e->a) || (e->b && codegen_is_64bit(e->b));
  bool narrow = operand_is_64bit && !codegen_is_64bit(e);
  bool widen = codegen_is_64bit(e) && !operand_is_64bit;
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
static void write_call(struct codegen *gen, const struct expr *e, const char *function, bool is_64bit) {
  codegen_add(gen, "%s%s%s(", is_64bit && !codegen_is_64bit(e) ? "(int32_t)" : "", function, is_64bit ? "64" : "32");
  codegen_expr(gen, e->a, PREC_COND);
  codegen_add(gen, ", ");
  codegen_expr(gen, e->b, PREC_COND);
  codegen_add(gen, ")");
}

/* A remainder of a number below twice the divisor needs no division. INT64_MIN % -1 is undefined in C. */
static void write_remainder(struct codegen *gen, const struct expr *e, enum precedence least) {
  const struct expr *a = e->a, *b = e->b;
  bool simple = b->op == EXPR_CONST && a->lo >= 0 && !codegen_is_64bit(a) && !codegen_is_64bit(b);
  if (simple && a->hi < b->value)
    codegen_expr(gen, a, least);
  else if (simple && a->hi < 2 * b->value) {
    codegen_add(gen, "floe_wrap(");
    codegen_expr(gen, a, PREC_COND);
    codegen_add(gen, ", %" PRId64 ")", b->value);
  } else if (a->lo <= INT32_MIN && b->lo <= -1 && b->hi >= -1)
    write_call(gen, e, "floe_mod", true);
  else
    write_arithmetic(gen, e, "%", PREC_MUL, least);
}

static void write_min_max(struct codegen *gen, const struct expr *e, const char *function) {
  write_call(gen, e, function, codegen_is_64bit(e->a) || codegen_is_64bit(e->b));
}

/* Bracketed next to any other operator: C compilers warn about most mixtures. */
static void write_bitwise(struct codegen *gen, const struct expr *e, const char *op, enum precedence least) {
  bool narrow = !codegen_is_64bit(e) && (codegen_is_64bit(e->a) || codegen_is_64bit(e->b));
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

static void write_shift(struct codegen *gen, const struct expr *e) {
  const struct expr *a = e->a, *b = e->b;
  bool narrow = !codegen_is_64bit(a) && !codegen_is_64bit(e) && b->lo >= 0 && b->hi <= 31;
  write_call(gen, e, e->op == EXPR_SHL ? "floe_shl" : "floe_shr", !narrow);
}

static void write_conditional(struct codegen *gen, const struct expr *e, enum precedence least) {
  open_paren(gen, PREC_COND, least);
  codegen_expr(gen, e->a, PREC_OR);
  codegen_add(gen, " ? ");
  codegen_expr(gen, e->b, PREC_OR);
  codegen_add(gen, " : ");
  codegen_expr(gen, e->c, PREC_COND);
  close_paren(gen, PREC_COND, least);
}

static void write_temporary(struct codegen *gen, const struct expr *e) {
  bool narrow = gen->temps[e->id].is_64bit && !codegen_is_64bit(e);
  codegen_add(gen, "%s", narrow ? "(int32_t)" : "");
  codegen_local(gen, (struct codegen_local){'t', gen->temps[e->id].is_64bit, e->id}, false);
}

/* Infix operators. Both operands of && may be chains of && (likewise ||): it is associative, also in what it
   evaluates. */
static const struct infix_operator infixes[EXPR_OPS] = {
    [EXPR_ADD] = {"+", PREC_ADD, 0, 0, true},
    [EXPR_SUB] = {"-", PREC_ADD, 0, 0, true},
    [EXPR_MUL] = {"*", PREC_MUL, 0, 0, true},
    [EXPR_DIV] = {"/", PREC_MUL, 0, 0, true},
    [EXPR_NEG] = {"-", PREC_UNARY, 0, 0, true},
    [EXPR_LT] = {"<", PREC_LESS, PREC_ADD, PREC_ADD, false},
    [EXPR_LE] = {"<=", PREC_LESS, PREC_ADD, PREC_ADD, false},
    [EXPR_EQ] = {"==", PREC_EQUAL, PREC_ADD, PREC_ADD, false},
    [EXPR_NE] = {"!=", PREC_EQUAL, PREC_ADD, PREC_ADD, false},
    [EXPR_AND] = {"&&", PREC_AND, PREC_AND, PREC_AND, false},
    [EXPR_BITNOT] = {"~", PREC_UNARY, 0, 0, true},
};

/* In statements of a transition: `t` is another state. */
static bool anything_written(const struct codegen *gen) {
  for (size_t v = 0; gen->written && v < gen->model->variable_count; v++)
    if (gen->written[v])
      return true;
  return false;
}

static void write_leaf(struct codegen *gen, const struct expr *e) {
  const size_t begin = gen->text.length;
  switch (e->op) {
  case EXPR_CONST:
    codegen_number(gen, e->value);
    break;
  case EXPR_READ:
    codegen_read(gen, e->id, e->a);
    break;
  case EXPR_SELECT:
    codegen_select(gen, e->id, codegen_is_64bit(e));
    break;
  case EXPR_TEMP:
    write_temporary(gen, e);
    break;
  case EXPR_AUTOMATON:
    if (codegen_shares_permitted(gen->model))
      codegen_add(gen, "(committed >> 1)");
    else
      codegen_add(gen, "permitted%" PRIu32, e->id);
    codegen_hole(gen, HOLE_FIXED, begin, 0);
    break;
  case EXPR_ENABLED:
    codegen_add(gen, "floe_enabled_%" PRIu32 "(", e->id);
    write_state(gen, anything_written(gen));
    codegen_add(gen, ")");
    break;
  default:
    assert(e->op == EXPR_COMMITTED);
    codegen_add(gen, codegen_shares_permitted(gen->model) ? "(committed & 1)" : "committed");
    codegen_hole(gen, HOLE_FIXED, begin, 0);
  }
}

static void write_negation(struct codegen *gen, const struct expr *e, enum precedence least) {
  open_paren(gen, PREC_UNARY, least);
  codegen_add(gen, "!");
  codegen_expr(gen, e->a, PREC_PRIMARY);
  close_paren(gen, PREC_UNARY, least);
}

/* Operands of || that contain && are bracketed to avoid compiler warnings. */
static void write_disjunction(struct codegen *gen, const struct expr *e, enum precedence least) {
  const struct infix_operator either = {.text = "||",
                                        .own = PREC_OR,
                                        .left = e->a->op == EXPR_OR ? PREC_OR : PREC_EQUAL,
                                        .right = e->b->op == EXPR_OR ? PREC_OR : PREC_EQUAL};
  write_infix(gen, e, &either, least);
}

static bool is_truth(const struct expr *e) { return e->lo >= 0 && e->hi <= 1; }

/* The last operand before the right operand of e in a chain of "and" or "or". */
static const struct expr *operand_before(const struct expr *e) {
  const struct expr *left = e->a;
  while (left->op == e->op)
    left = left->b;
  return left;
}

/* True for "x and x", which quantifiers over pairs produce: the right operand is redundant. */
static bool is_repeated_operand(const struct expr *e) {
  return (e->op == EXPR_AND || e->op == EXPR_OR) && !e->b->can_fail && is_truth(e->a) &&
         same_expr(operand_before(e), e->b);
}

static void write_operation(struct codegen *gen, const struct expr *e, enum precedence least) {
  switch (e->op) {
  case EXPR_INDEX:
    codegen_expr(gen, e->a, least);
    break;
  case EXPR_NOT:
    write_negation(gen, e, least);
    break;
  case EXPR_MOD:
    write_remainder(gen, e, least);
    break;
  case EXPR_MIN:
  case EXPR_MAX:
    write_min_max(gen, e, e->op == EXPR_MIN ? "floe_min" : "floe_max");
    break;
  case EXPR_SHL:
  case EXPR_SHR:
    write_shift(gen, e);
    break;
  case EXPR_BITAND:
  case EXPR_BITXOR:
  case EXPR_BITOR:
    write_bitwise(gen, e, e->op == EXPR_BITAND ? "&" : e->op == EXPR_BITXOR ? "^" : "|", least);
    break;
  case EXPR_OR:
    write_disjunction(gen, e, least);
    break;
  case EXPR_COND:
    write_conditional(gen, e, least);
    break;
  default:
    if (!infixes[e->op].text)
      write_leaf(gen, e);
    else if (infixes[e->op].arithmetic)
      write_arithmetic(gen, e, infixes[e->op].text, infixes[e->op].own, least);
    else
      write_infix(gen, e, &infixes[e->op], least);
  }
}

void codegen_expr(struct codegen *gen, const struct expr *e, enum precedence least) {
  const struct computed_expr *computed = gen->computed_count ? find_computed(gen, e) : NULL;
  if (computed)
    codegen_local(gen, local_of(e, computed->number), false);
  else if (is_repeated_operand(e))
    codegen_expr(gen, e->a, least);
  else
    write_operation(gen, e, least);
}
