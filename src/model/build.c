/* An operand that can fail is dropped only if short-circuit evaluation would skip it. */
#include "model/build.h"

#include "model/bit_intervals.h"

#include <assert.h>
#include <string.h>

__extension__ typedef __int128 int128; /* holds every result of an operation on 64-bit operands */

#define SMALL_LO (-16)
#define SMALL_HI 1023

struct interval128 {
  int128 lo, hi;
};

void build_too_large(struct builder *b, source_at at, const char *what) {
  if (!b->stop)
    BUILD_ERROR(b, at, NULL, "the model is too large: %s", what);
  b->stop = true;
}

struct expr constant_expression(int64_t value) {
  return (struct expr){.op = EXPR_CONST,
                       .depth = 1,
                       .at = NOWHERE,
                       .size = 1,
                       .lo = value,
                       .hi = value,
                       .value = value,
                       .site = NO_SITE};
}

void build_start(struct builder *b) {
  struct expr *small = arena_array(b->arena, SMALL_HI - SMALL_LO + 1, sizeof *small);
  for (int64_t v = SMALL_LO; v <= SMALL_HI; v++)
    small[v - SMALL_LO] = constant_expression(v);
  b->small = small;
}

void build_places(struct builder *b) {
  uint64_t first = 0;
  for (size_t i = 0; i < b->model->variable_count; i++) {
    struct variable *v = &b->model->variables[i];
    v->first = (uint32_t)first;
    first += v->count;
    if (first > BUILD_MAX_VALUES) {
      build_too_large(b, v->at, "its variables have more than 1048576 elements");
      return;
    }
  }
  b->model->value_count = (uint32_t)first;
}

static struct interval initial_values(const struct variable *v) {
  struct interval i = {v->hi, v->lo};
  for (uint32_t k = 0; v->init && k < v->count; k++) {
    i.lo = v->init[k] < i.lo ? v->init[k] : i.lo;
    i.hi = v->init[k] > i.hi ? v->init[k] : i.hi;
  }
  return i;
}

void build_settle(struct builder *b) {
  b->initial = arena_array(b->arena, b->model->variable_count, sizeof *b->initial);
  for (size_t i = 0; i < b->model->variable_count; i++)
    b->initial[i] = initial_values(&b->model->variables[i]);
}

void build_finish(struct builder *b) {
  b->model->sites = b->sites.items;
  b->model->site_count = b->sites.n;
}

bool build_spend(struct builder *b, source_at at, size_t nodes, size_t steps) {
  b->nodes += nodes;
  b->steps += steps;
  if (b->nodes > BUILD_MAX_NODES || b->steps > BUILD_MAX_STEPS)
    build_too_large(b, at, "its expressions exceed the limit after quantifiers and instances are expanded");
  return !b->stop;
}

bool is_constant_false(const struct expr *e) { return e->op == EXPR_CONST && e->value == 0; }
bool is_constant_true(const struct expr *e) { return e->op == EXPR_CONST && e->value != 0; }
bool within(const struct expr *e, int64_t lo, int64_t hi) { return lo <= e->lo && e->hi <= hi; }

/* Decided by the interval, so also for an expression that can fail. */
static bool is_surely_true(const struct expr *e) { return e->lo > 0 || e->hi < 0; }
static bool is_possibly_true(const struct expr *e) { return e->lo != 0 || e->hi != 0; }

const struct expr *build_const(struct builder *b, int64_t value) {
  if (SMALL_LO <= value && value <= SMALL_HI)
    return &b->small[value - SMALL_LO];
  if (!build_spend(b, b->here, 1, 0))
    return NULL;
  struct expr *e = arena_alloc(b->arena, sizeof *e);
  *e = constant_expression(value);
  return e;
}

static void measure(struct expr *e) {
  const struct expr *parts[] = {e->a, e->b, e->c};
  uint64_t size = 1;
  unsigned depth = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    size += parts[i] ? parts[i]->size : 0;
    depth = parts[i] && parts[i]->depth > depth ? parts[i]->depth : depth;
  }
  e->size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
  e->depth = depth < UINT16_MAX ? (uint16_t)(depth + 1) : UINT16_MAX;
}

static const struct expr *node(struct builder *b, const struct expr *draft) {
  bool can_fail = draft->site != NO_SITE || (draft->a && draft->a->can_fail) || (draft->b && draft->b->can_fail) ||
                  (draft->c && draft->c->can_fail);
  if (!can_fail && draft->lo == draft->hi)
    return build_const(b, draft->lo);
  if (!build_spend(b, draft->at, 1, 0))
    return NULL;
  struct expr *e = arena_alloc(b->arena, sizeof *e);
  *e = *draft;
  if (b->used_at)
    e->at = *b->used_at;
  e->can_fail = can_fail;
  measure(e);
  return e;
}

/* ---- leaves -------------------------------------------------------------------------- */

static const struct expr *fold_read(struct builder *b, source_at at, uint32_t variable, const struct expr *index) {
  const struct variable *v = &b->model->variables[variable];
  if (!index || index->op == EXPR_CONST)
    return build_const(b, v->init[index ? index->value : 0]);
  return node(b, &(struct expr){.op = EXPR_READ,
                                .at = at,
                                .id = variable,
                                .a = index,
                                .site = NO_SITE,
                                .lo = b->initial[variable].lo,
                                .hi = b->initial[variable].hi});
}

const struct expr *build_read(struct builder *b, source_at at, uint32_t variable, const struct expr *index) {
  const struct variable *v = &b->model->variables[variable];
  if (index && index->op == EXPR_CONST && index->value == 0)
    index = NULL;
  if (b->initial && !v->assigned && v->init)
    return fold_read(b, at, variable, index);
  struct expr read = {.op = EXPR_READ, .at = at, .id = variable, .a = index, .site = NO_SITE, .lo = v->lo, .hi = v->hi};
  if (v->ranges && (!index || index->op == EXPR_CONST)) {
    read.lo = v->ranges[index ? index->value % v->length : 0].lo;
    read.hi = v->ranges[index ? index->value % v->length : 0].hi;
  }
  return node(b, &read);
}

static const struct expr *new_leaf(struct builder *b, enum expr_op op, source_at at, uint32_t id, int64_t lo,
                                   int64_t hi) {
  return node(b, &(struct expr){.op = op, .at = at, .id = id, .lo = lo, .hi = hi, .site = NO_SITE});
}

const struct expr *build_select(struct builder *b, source_at at, uint32_t id, int64_t lo, int64_t hi) {
  return new_leaf(b, EXPR_SELECT, at, id, lo, hi);
}

const struct expr *build_temp(struct builder *b, source_at at, uint32_t id, int64_t lo, int64_t hi) {
  return new_leaf(b, EXPR_TEMP, at, id, lo, hi);
}

const struct expr *build_automaton(struct builder *b, uint32_t id, const struct expr *permitted) {
  return new_leaf(b, EXPR_AUTOMATON, NOWHERE, id, permitted->lo, permitted->hi);
}

const struct expr *build_enabled(struct builder *b, source_at at, uint32_t id) {
  return new_leaf(b, EXPR_ENABLED, at, id, 0, 1);
}

const struct expr *build_committed(struct builder *b) { return new_leaf(b, EXPR_COMMITTED, NOWHERE, 0, 0, 1); }

static const struct expr *checked_from_zero(struct builder *b, source_at at, const struct expr *x, int64_t last,
                                            uint32_t site) {
  struct expr draft = {.op = EXPR_INDEX, .at = at, .value = last + 1, .a = x, .hi = last, .site = site};
  if (x->lo <= last && x->hi >= 0) {
    draft.lo = x->lo > 0 ? x->lo : 0;
    draft.hi = x->hi < last ? x->hi : last;
  }
  return node(b, &draft);
}

const struct expr *build_bounded(struct builder *b, enum site_kind kind, source_at at, const struct expr *x, int64_t lo,
                                 int64_t hi, const char *what) {
  if (!x || within(x, lo, hi))
    return x;
  if (b->dead)
    return build_const(b, lo);
  const struct expr *first = build_const(b, lo), *from_zero = build_binary(b, EXPR_SUB, at, x, first);
  if (!from_zero)
    return NULL;
  return build_binary(b, EXPR_ADD, at,
                      checked_from_zero(b, at, from_zero, hi - lo, build_site(b, kind, at, what, lo, hi)), first);
}

const struct expr *build_index(struct builder *b, source_at at, const struct expr *x, uint32_t bound,
                               const char *what) {
  return build_bounded(b, SITE_INDEX, at, x, 0, (int64_t)bound - 1, what);
}

/* ---- operators ----------------------------------------------------------------------- */

const struct expr *build_truth(struct builder *b, const struct expr *x) {
  if (!x || within(x, 0, 1))
    return x;
  return build_binary(b, EXPR_NE, x->at, x, build_const(b, 0));
}

const struct expr *build_not(struct builder *b, source_at at, const struct expr *x) {
  if (!x)
    return NULL;
  if (x->op == EXPR_NOT)
    return build_truth(b, x->a);
  if (x->op == EXPR_EQ || x->op == EXPR_NE)
    return build_binary(b, x->op == EXPR_EQ ? EXPR_NE : EXPR_EQ, x->at, x->a, x->b);
  if ((x->op == EXPR_LT || x->op == EXPR_LE) && !(x->a->can_fail && x->b->can_fail))
    return build_binary(b, x->op == EXPR_LT ? EXPR_LE : EXPR_LT, x->at, x->b, x->a);
  return node(
      b, &(struct expr){
             .op = EXPR_NOT, .at = at, .a = x, .lo = !is_possibly_true(x), .hi = !is_surely_true(x), .site = NO_SITE});
}

static struct interval128 bits_hull_of(int128 p, int128 q, int128 r, int128 s) {
  struct interval128 i = {p, p};
  int128 all[] = {q, r, s};
  for (int k = 0; k < 3; k++) {
    i.lo = all[k] < i.lo ? all[k] : i.lo;
    i.hi = all[k] > i.hi ? all[k] : i.hi;
  }
  return i;
}

static bool disjoint(const struct expr *x, const struct expr *y) { return x->hi < y->lo || y->hi < x->lo; }

static bool is_same_constant(const struct expr *x, const struct expr *y) {
  return x->lo == x->hi && y->lo == y->hi && x->lo == y->lo;
}

static struct interval128 bitwise_interval(enum expr_op op, const struct expr *x, const struct expr *y) {
  const struct bits_interval i =
      bits_hull(op, (struct bits_interval){x->lo, x->hi}, (struct bits_interval){y->lo, y->hi});
  return (struct interval128){i.lo, i.hi};
}

static struct interval128 binary_interval(enum expr_op op, const struct expr *x, const struct expr *y) {
  int128 al = x->lo, ah = x->hi, bl = y->lo, bh = y->hi;
  switch (op) {
  case EXPR_ADD:
    return (struct interval128){al + bl, ah + bh};
  case EXPR_SUB:
    return (struct interval128){al - bh, ah - bl};
  case EXPR_MUL:
    return bits_hull_of(al * bl, al * bh, ah * bl, ah * bh);
  case EXPR_MIN:
    return (struct interval128){al < bl ? al : bl, ah < bh ? ah : bh};
  case EXPR_MAX:
    return (struct interval128){al > bl ? al : bl, ah > bh ? ah : bh};
  case EXPR_LT:
    return (struct interval128){ah < bl, al < bh};
  case EXPR_LE:
    return (struct interval128){ah <= bl, al <= bh};
  case EXPR_EQ:
    return (struct interval128){is_same_constant(x, y), !disjoint(x, y)};
  case EXPR_NE:
    return (struct interval128){disjoint(x, y), !is_same_constant(x, y)};
  case EXPR_AND:
    return (struct interval128){is_surely_true(x) && is_surely_true(y), is_possibly_true(x) && is_possibly_true(y)};
  case EXPR_OR:
    return (struct interval128){is_surely_true(x) || is_surely_true(y), is_possibly_true(x) || is_possibly_true(y)};
  default:
    return bitwise_interval(op, x, y);
  }
}

/* The result if one operand alone decides it, or NULL. */
static const struct expr *neutral(struct builder *b, enum expr_op op, const struct expr *x, const struct expr *y) {
  bool left = x->op == EXPR_CONST, right = y->op == EXPR_CONST;
  switch (op) {
  case EXPR_ADD:
    return left && x->value == 0 ? y : right && y->value == 0 ? x : NULL;
  case EXPR_SUB:
    return right && y->value == 0 ? x : NULL;
  case EXPR_MUL:
    return left && x->value == 1 ? y : right && y->value == 1 ? x : NULL;
  case EXPR_BITXOR:
  case EXPR_BITOR:
    return left && x->value == 0 ? y : right && y->value == 0 ? x : NULL;
  case EXPR_BITAND:
    return left && x->value == -1 ? y : right && y->value == -1 ? x : NULL;
  case EXPR_AND:
    if (!x->can_fail && !is_possibly_true(x))
      return build_const(b, 0);
    return !x->can_fail && is_surely_true(x)   ? build_truth(b, y)
           : !y->can_fail && is_surely_true(y) ? build_truth(b, x)
                                               : NULL;
  case EXPR_OR:
    if (!x->can_fail && is_surely_true(x))
      return build_const(b, 1);
    return !x->can_fail && !is_possibly_true(x)   ? build_truth(b, y)
           : !y->can_fail && !is_possibly_true(y) ? build_truth(b, x)
                                                  : NULL;
  default:
    return NULL;
  }
}

/* The node, or an error if its values may leave 64 bits. */
static const struct expr *fitting(struct builder *b, struct expr *draft, struct interval128 i) {
  if (i.lo < INT64_MIN || i.hi > INT64_MAX) {
    if (b->dead)
      return build_const(b, 0);
    BUILD_ERROR(b, draft->at, NULL, "this expression may overflow 64 bits");
    return NULL;
  }
  draft->lo = (int64_t)i.lo;
  draft->hi = (int64_t)i.hi;
  return node(b, draft);
}

const struct expr *build_negative(struct builder *b, source_at at, const struct expr *x) {
  if (!x)
    return NULL;
  struct expr draft = {.op = EXPR_NEG, .at = at, .a = x, .site = NO_SITE};
  return fitting(b, &draft, (struct interval128){-(int128)x->hi, -(int128)x->lo});
}

const struct expr *build_binary(struct builder *b, enum expr_op op, source_at at, const struct expr *x,
                                const struct expr *y) {
  if (!x || !y)
    return NULL;
  const struct expr *simple = neutral(b, op, x, y);
  if (simple)
    return simple;
  struct expr draft = {.op = op, .at = at, .a = x, .b = y, .site = NO_SITE};
  return fitting(b, &draft, binary_interval(op, x, y));
}

/* x > y becomes y < x, unless both can fail: then the left operand must be evaluated first. */
const struct expr *build_reversed(struct builder *b, enum expr_op op, source_at at, const struct expr *x,
                                  const struct expr *y) {
  if (!x || !y)
    return NULL;
  if (!x->can_fail || !y->can_fail)
    return build_binary(b, op, at, y, x);
  enum expr_op opposite = op == EXPR_LT ? EXPR_LE : EXPR_LT;
  return build_not(b, at, build_binary(b, opposite, at, x, y));
}

/* Truncated quotients of x by the divisors lo..hi, all of one sign, added to `i`. */
static void add_quotients(struct interval128 *i, const struct expr *x, int128 lo, int128 hi) {
  if (lo > hi)
    return;
  struct interval128 q = bits_hull_of(x->lo / lo, x->lo / hi, x->hi / lo, x->hi / hi);
  i->lo = q.lo < i->lo ? q.lo : i->lo;
  i->hi = q.hi > i->hi ? q.hi : i->hi;
}

static struct interval128 quotient_interval(const struct expr *x, const struct expr *y) {
  struct interval128 i = {(int128)INT64_MAX + 2, -(int128)INT64_MAX - 3};
  add_quotients(&i, x, y->lo, y->hi < -1 ? y->hi : -1);
  add_quotients(&i, x, y->lo > 1 ? y->lo : 1, y->hi);
  return i;
}

static struct interval128 remainder_interval(const struct expr *x, const struct expr *y) {
  int128 largest = y->hi > -(int128)y->lo ? y->hi : -(int128)y->lo; /* |divisor| */
  int128 below = x->lo < 0 ? -(int128)x->lo : 0, above = x->hi > 0 ? x->hi : 0;
  below = below < largest - 1 ? below : largest - 1;
  above = above < largest - 1 ? above : largest - 1;
  struct interval128 i = {-below, above};
  if (x->lo == x->hi && y->lo == y->hi)
    i.lo = i.hi = (int128)x->lo % y->lo;
  if (x->lo == INT64_MIN && y->lo <= -1 && y->hi >= -1)
    i.hi = (int128)INT64_MAX + 1; /* INT64_MIN % -1 is undefined in C, because the quotient overflows */
  return i;
}

bool build_divides_by_zero(const struct builder *b, const struct expr *divisor) {
  return divisor && divisor->lo <= 0 && divisor->hi >= 0 && !b->dead;
}

const struct expr *build_division(struct builder *b, enum expr_op op, source_at at, const struct expr *x,
                                  const struct expr *y, const char *what) {
  if (!x || !y)
    return NULL;
  bool never = y->lo == 0 && y->hi == 0; /* the expression always fails */
  if (never && b->dead)
    return build_const(b, 0);
  struct expr draft = {.op = op, .at = at, .a = x, .b = y, .site = NO_SITE};
  if (build_divides_by_zero(b, y))
    draft.site = build_site(b, SITE_DIVISION, at, what, 0, 0);
  if (never)
    return node(b, &draft);
  return fitting(b, &draft, op == EXPR_DIV ? quotient_interval(x, y) : remainder_interval(x, y));
}

/* ---- bits ---------------------------------------------------------------------------- */

const struct expr *build_bitnot(struct builder *b, source_at at, const struct expr *x) {
  if (!x)
    return NULL;
  return x->op == EXPR_BITNOT
             ? x->a
             : node(b,
                    &(struct expr){.op = EXPR_BITNOT, .at = at, .a = x, .lo = ~x->hi, .hi = ~x->lo, .site = NO_SITE});
}

bool build_shifts_outside(const struct builder *b, const struct expr *by) {
  return by && !within(by, 0, SHIFT_MAX) && !b->dead;
}

static struct interval128 shift_interval(enum expr_op op, const struct expr *x, int64_t lo, int64_t hi) {
  if (op == EXPR_SHL)
    return bits_hull_of((int128)x->lo * ((int128)1 << lo), (int128)x->lo * ((int128)1 << hi),
                        (int128)x->hi * ((int128)1 << lo), (int128)x->hi * ((int128)1 << hi));
  return bits_hull_of(bits_value(op, x->lo, lo), bits_value(op, x->lo, hi), bits_value(op, x->hi, lo),
                      bits_value(op, x->hi, hi));
}

const struct expr *build_shift(struct builder *b, enum expr_op op, source_at at, const struct expr *x,
                               const struct expr *y, const char *what) {
  assert(is_shift(op));
  if (!x || !y)
    return NULL;
  int64_t lo = y->lo > 0 ? y->lo : 0, hi = y->hi < SHIFT_MAX ? y->hi : SHIFT_MAX;
  if (lo > hi && b->dead)
    return build_const(b, 0);
  struct expr draft = {.op = op, .at = at, .a = x, .b = y, .site = NO_SITE};
  if (build_shifts_outside(b, y))
    draft.site = build_site(b, SITE_SHIFT, at, what, 0, SHIFT_MAX);
  if (lo > hi) /* it has no value at all */
    return node(b, &draft);
  if (y->op == EXPR_CONST && y->value == 0)
    return x;
  return fitting(b, &draft, shift_interval(op, x, lo, hi));
}

/* C remainders are truncated: if x may be below lo, a second remainder is taken. */
const struct expr *build_wrapped(struct builder *b, source_at at, const struct expr *x, int64_t lo, int64_t hi) {
  if (!x || within(x, lo, hi))
    return x;
  assert(lo <= hi && (int128)hi - lo < INT64_MAX);
  const struct expr *size = build_const(b, hi - lo + 1), *first = build_const(b, lo);
  const struct expr *rest = build_division(b, EXPR_MOD, at, build_binary(b, EXPR_SUB, at, x, first), size, NULL);
  if (rest && rest->lo < 0)
    rest = build_division(b, EXPR_MOD, at, build_binary(b, EXPR_ADD, at, rest, size), size, NULL);
  return build_binary(b, EXPR_ADD, at, rest, first);
}

const struct expr *build_cond(struct builder *b, source_at at, const struct expr *x, const struct expr *y,
                              const struct expr *z) {
  if (!x || !y || !z)
    return NULL;
  if (!x->can_fail && (is_surely_true(x) || !is_possibly_true(x)))
    return is_surely_true(x) ? y : z;
  return node(b, &(struct expr){.op = EXPR_COND,
                                .at = at,
                                .a = x,
                                .b = y,
                                .c = z,
                                .lo = y->lo < z->lo ? y->lo : z->lo,
                                .hi = y->hi > z->hi ? y->hi : z->hi,
                                .site = NO_SITE});
}

/* A balanced tree keeps the depth of a long quantifier small; the order of evaluation is kept. */
const struct expr *build_all(struct builder *b, enum expr_op op, source_at at, const struct expr *const *items,
                             size_t n) {
  if (n == 1)
    return items[0];
  size_t half = n / 2;
  const struct expr *left = build_all(b, op, at, items, half);
  return build_binary(b, op, at, left, build_all(b, op, at, items + half, n - half));
}

const struct expr *build_offset(struct builder *b, source_at at, const struct expr *instance, uint32_t length,
                                const struct expr *index) {
  if (!instance)
    return NULL;
  const struct expr *start = build_binary(b, EXPR_MUL, at, instance, build_const(b, (int64_t)length));
  return index ? build_binary(b, EXPR_ADD, at, start, index) : start;
}

const struct expr *build_narrowed(struct builder *b, const struct expr *e, int64_t lo, int64_t hi) {
  if (!e)
    return NULL;
  struct expr draft = *e;
  draft.lo = e->lo > lo ? e->lo : lo;
  draft.hi = e->hi < hi ? e->hi : hi;
  return draft.lo <= draft.hi ? node(b, &draft) : e;
}

/* `x`, whose operands and result can no longer fail, if `holds`; else some value that it can have. */
static const struct expr *total_if(struct builder *b, const struct expr *holds, const struct expr *x) {
  return build_cond(b, x->at, holds, node(b, x), build_const(b, x->lo));
}

const struct expr *build_total(struct builder *b, const struct expr *x) {
  if (!x || !x->can_fail)
    return x;
  struct expr draft = *x;
  draft.a = build_total(b, x->a);
  draft.b = build_total(b, x->b);
  draft.c = build_total(b, x->c);
  draft.site = NO_SITE;
  if (b->stop)
    return NULL;
  const struct expr *zero = build_const(b, 0);
  if (x->site == NO_SITE)
    return node(b, &draft);
  switch (x->op) {
  case EXPR_INDEX:
    return build_binary(b, EXPR_MIN, x->at, build_binary(b, EXPR_MAX, x->at, draft.a, zero),
                        build_const(b, x->value - 1));
  case EXPR_DIV:
  case EXPR_MOD:
    return total_if(b, build_binary(b, EXPR_NE, x->at, draft.b, zero), &draft);
  default: /* EXPR_SHL, EXPR_SHR */
    return total_if(b,
                    build_binary(b, EXPR_AND, x->at, build_binary(b, EXPR_LE, x->at, zero, draft.b),
                                 build_binary(b, EXPR_LE, x->at, draft.b, build_const(b, SHIFT_MAX))),
                    &draft);
  }
}

const struct expr *build_placed(struct builder *b, source_at at, const struct expr *x) {
  if (!x || x->op == EXPR_CONST)
    return x;
  struct expr draft = *x;
  draft.at = at;
  return node(b, &draft);
}

/* ---- sites --------------------------------------------------------------------------- */

static size_t site_hash(const struct site *site) {
  uint64_t hash = site->at * 0x9e3779b97f4a7c15u + (uint64_t)site->kind;
  hash = (hash ^ (uint64_t)site->lo) * 0xff51afd7ed558ccdu;
  hash = (hash ^ (uint64_t)site->hi) * 0xc4ceb9fe1a85ec53u;
  return (size_t)(hash ^ hash >> 32);
}

/* One place may have several messages. */
static bool is_same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static uint32_t *site_slot(const struct site_table *table, const struct site *site) {
  size_t i = site_hash(site) & (table->slot_count - 1);
  for (; table->slots[i]; i = (i + 1) & (table->slot_count - 1)) {
    const struct site *other = &table->items[table->slots[i] - 1];
    if (other->at == site->at && other->kind == site->kind && other->lo == site->lo && other->hi == site->hi &&
        (site->kind != SITE_ERROR || is_same_text(other->what, site->what)))
      break;
  }
  return &table->slots[i];
}

/* Sites are shared by the instances of a process. */
uint32_t build_site(struct builder *b, enum site_kind kind, source_at at, const char *what, int64_t lo, int64_t hi) {
  struct site_table *table = &b->sites;
  if (2 * (table->n + 1) > table->slot_count) {
    table->slot_count = table->slot_count ? 2 * table->slot_count : 64;
    table->slots = arena_array(b->arena, table->slot_count, sizeof *table->slots);
    for (size_t i = 0; i < table->n; i++)
      *site_slot(table, &table->items[i]) = (uint32_t)i + 1;
  }
  struct site site = {.kind = kind, .at = at, .what = what, .lo = lo, .hi = hi};
  uint32_t *slot = site_slot(table, &site);
  if (!*slot) {
    *ARENA_PUSH(b->arena, table->items, table->n, table->cap) = site;
    *slot = (uint32_t)table->n;
  }
  return *slot - 1;
}

uint32_t build_range_site(struct builder *b, const struct expr *value, source_at at, const char *what, int64_t lo,
                          int64_t hi) {
  return within(value, lo, hi) ? NO_SITE : build_site(b, SITE_RANGE, at, what, lo, hi);
}

void build_site_guessed(struct builder *b, uint32_t site) {
  if (site != NO_SITE)
    b->sites.items[site].guessed = true;
}

void build_site_proved(struct builder *b, uint32_t site) {
  if (site != NO_SITE)
    b->sites.items[site].proved = true;
}

uint32_t build_assign_site(struct builder *b, const struct expr *value, source_at at, const struct variable *v) {
  const uint32_t site = build_range_site(b, value, at, v->name, v->lo, v->hi);
  if (v->guessed)
    build_site_guessed(b, site);
  return site;
}

static const char *names_text(struct builder *b, const struct enumeration *type) {
  const char *text = arena_printf(b->arena, "0..%zu (", type->count - 1);
  for (size_t i = 0; i < type->count; i++)
    text = arena_printf(b->arena, "%s%s%s", text, i ? ", " : "", type->values[i]);
  return arena_printf(b->arena, "%s)", text);
}

void build_site_names(struct builder *b, uint32_t site, const struct enumeration *type) {
  if (site != NO_SITE && type && !b->sites.items[site].set)
    b->sites.items[site].set = names_text(b, type);
}
