/* Ground expressions: every node knows the interval of its values; what can only have one value is
   folded to it. An operand that can fail is never dropped unless short circuit would skip it. */
#include "frontend/check.h"

__extension__ typedef __int128 wide; /* holds every result on 64 bits operands */

#define SMALL_LO (-16)
#define SMALL_HI 1023

struct wide_interval {
  wide lo, hi;
};

void build_start(struct check *c) {
  struct expr *small = arena_array(c->arena, SMALL_HI - SMALL_LO + 1, sizeof *small);
  for (int64_t v = SMALL_LO; v <= SMALL_HI; v++)
    small[v - SMALL_LO] = (struct expr){.op = EXPR_CONST, .at = NOWHERE, .lo = v, .hi = v, .value = v, .site = NO_SITE};
  c->small = small;
}

void check_too_large(struct check *c, source_at at, const char *what) {
  if (!c->stop)
    CHECK_ERROR(c, at, NULL, "the model is too large: %s", what);
  c->stop = true;
}

bool check_spend(struct check *c, source_at at, size_t nodes, size_t steps) {
  c->nodes += nodes;
  c->steps += steps;
  if (c->nodes > CHECK_MAX_NODES || c->steps > CHECK_MAX_STEPS)
    check_too_large(c, at, "its expressions, with quantifiers and instances written out, pass the limit");
  return !c->stop;
}

bool never_true(const struct expr *e) { return e->op == EXPR_CONST && e->value == 0; }
bool always_true(const struct expr *e) { return e->op == EXPR_CONST && e->value != 0; }
bool within(const struct expr *e, int64_t lo, int64_t hi) { return lo <= e->lo && e->hi <= hi; }

/* By interval: also of an expression that can fail. */
static bool surely(const struct expr *e) { return e->lo > 0 || e->hi < 0; }
static bool maybe(const struct expr *e) { return e->lo != 0 || e->hi != 0; }

const struct expr *build_const(struct check *c, int64_t value) {
  if (SMALL_LO <= value && value <= SMALL_HI)
    return &c->small[value - SMALL_LO];
  if (!check_spend(c, c->here, 1, 0))
    return NULL;
  struct expr *e = arena_alloc(c->arena, sizeof *e);
  *e = (struct expr){.op = EXPR_CONST, .at = NOWHERE, .lo = value, .hi = value, .value = value, .site = NO_SITE};
  return e;
}

static const struct expr *node(struct check *c, const struct expr *draft) {
  bool can_fail = draft->site != NO_SITE || (draft->a && draft->a->can_fail) || (draft->b && draft->b->can_fail) ||
                  (draft->c && draft->c->can_fail);
  if (!can_fail && draft->lo == draft->hi)
    return build_const(c, draft->lo);
  if (!check_spend(c, draft->at, 1, 0))
    return NULL;
  struct expr *e = arena_alloc(c->arena, sizeof *e);
  *e = *draft;
  e->can_fail = can_fail;
  return e;
}

/* ---- leaves -------------------------------------------------------------------------- */

static const struct expr *read_constant(struct check *c, source_at at, uint32_t variable, const struct expr *index) {
  const struct variable *v = &c->model->variables[variable];
  if (!index || index->op == EXPR_CONST)
    return build_const(c, v->init[index ? index->value : 0]);
  return node(c, &(struct expr){.op = EXPR_READ,
                                .at = at,
                                .id = variable,
                                .a = index,
                                .site = NO_SITE,
                                .lo = c->initial[variable].lo,
                                .hi = c->initial[variable].hi});
}

const struct expr *build_read(struct check *c, source_at at, uint32_t variable, const struct expr *index) {
  const struct variable *v = &c->model->variables[variable];
  if (index && index->op == EXPR_CONST && index->value == 0)
    index = NULL;
  if (!v->assigned && v->init)
    return read_constant(c, at, variable, index);
  return node(c, &(struct expr){
                     .op = EXPR_READ, .at = at, .id = variable, .a = index, .site = NO_SITE, .lo = v->lo, .hi = v->hi});
}

static const struct expr *leaf(struct check *c, enum expr_op op, source_at at, uint32_t id, int64_t lo, int64_t hi) {
  return node(c, &(struct expr){.op = op, .at = at, .id = id, .lo = lo, .hi = hi, .site = NO_SITE});
}

const struct expr *build_select(struct check *c, source_at at, uint32_t id, int64_t lo, int64_t hi) {
  return leaf(c, EXPR_SELECT, at, id, lo, hi);
}

const struct expr *build_temp(struct check *c, source_at at, uint32_t id, int64_t lo, int64_t hi) {
  return leaf(c, EXPR_TEMP, at, id, lo, hi);
}

const struct expr *build_committed(struct check *c) { return leaf(c, EXPR_COMMITTED, NOWHERE, 0, 0, 1); }

const struct expr *build_index(struct check *c, source_at at, const struct expr *a, uint32_t bound, const char *what) {
  if (!a)
    return NULL;
  int64_t last = (int64_t)bound - 1;
  if (within(a, 0, last))
    return a;
  if (c->dead)
    return build_const(c, 0);
  struct expr draft = {.op = EXPR_INDEX, .at = at, .value = bound, .a = a, .lo = 0, .hi = last};
  draft.site = build_site(c, SITE_INDEX, at, what, 0, last);
  if (a->lo <= last && a->hi >= 0) {
    draft.lo = a->lo > 0 ? a->lo : 0;
    draft.hi = a->hi < last ? a->hi : last;
  }
  return node(c, &draft);
}

/* ---- operators ----------------------------------------------------------------------- */

const struct expr *build_truth(struct check *c, const struct expr *a) {
  if (!a || within(a, 0, 1))
    return a;
  return build_binary(c, EXPR_NE, a->at, a, build_const(c, 0));
}

const struct expr *build_not(struct check *c, source_at at, const struct expr *a) {
  if (!a)
    return NULL;
  if (a->op == EXPR_NOT)
    return build_truth(c, a->a);
  if (a->op == EXPR_EQ || a->op == EXPR_NE)
    return build_binary(c, a->op == EXPR_EQ ? EXPR_NE : EXPR_EQ, a->at, a->a, a->b);
  if ((a->op == EXPR_LT || a->op == EXPR_LE) && !(a->a->can_fail && a->b->can_fail))
    return build_binary(c, a->op == EXPR_LT ? EXPR_LE : EXPR_LT, a->at, a->b, a->a);
  return node(c, &(struct expr){.op = EXPR_NOT, .at = at, .a = a, .lo = !maybe(a), .hi = !surely(a), .site = NO_SITE});
}

static struct wide_interval hull(wide p, wide q, wide r, wide s) {
  struct wide_interval i = {p, p};
  wide all[] = {q, r, s};
  for (int k = 0; k < 3; k++) {
    i.lo = all[k] < i.lo ? all[k] : i.lo;
    i.hi = all[k] > i.hi ? all[k] : i.hi;
  }
  return i;
}

static bool disjoint(const struct expr *a, const struct expr *b) { return a->hi < b->lo || b->hi < a->lo; }

static bool same_value(const struct expr *a, const struct expr *b) {
  return a->lo == a->hi && b->lo == b->hi && a->lo == b->lo;
}

static struct wide_interval binary_interval(enum expr_op op, const struct expr *a, const struct expr *b) {
  wide al = a->lo, ah = a->hi, bl = b->lo, bh = b->hi;
  switch (op) {
  case EXPR_ADD:
    return (struct wide_interval){al + bl, ah + bh};
  case EXPR_SUB:
    return (struct wide_interval){al - bh, ah - bl};
  case EXPR_MUL:
    return hull(al * bl, al * bh, ah * bl, ah * bh);
  case EXPR_MIN:
    return (struct wide_interval){al < bl ? al : bl, ah < bh ? ah : bh};
  case EXPR_MAX:
    return (struct wide_interval){al > bl ? al : bl, ah > bh ? ah : bh};
  case EXPR_LT:
    return (struct wide_interval){ah < bl, al < bh};
  case EXPR_LE:
    return (struct wide_interval){ah <= bl, al <= bh};
  case EXPR_EQ:
    return (struct wide_interval){same_value(a, b), !disjoint(a, b)};
  case EXPR_NE:
    return (struct wide_interval){disjoint(a, b), !same_value(a, b)};
  case EXPR_AND:
    return (struct wide_interval){surely(a) && surely(b), maybe(a) && maybe(b)};
  default: /* EXPR_OR */
    return (struct wide_interval){surely(a) || surely(b), maybe(a) || maybe(b)};
  }
}

/* The result where one operand alone decides it, or NULL. */
static const struct expr *neutral(struct check *c, enum expr_op op, const struct expr *a, const struct expr *b) {
  bool left = a->op == EXPR_CONST, right = b->op == EXPR_CONST;
  switch (op) {
  case EXPR_ADD:
    return left && a->value == 0 ? b : right && b->value == 0 ? a : NULL;
  case EXPR_SUB:
    return right && b->value == 0 ? a : NULL;
  case EXPR_MUL:
    return left && a->value == 1 ? b : right && b->value == 1 ? a : NULL;
  case EXPR_AND:
    if (!a->can_fail && !maybe(a))
      return build_const(c, 0);
    return !a->can_fail && surely(a) ? build_truth(c, b) : !b->can_fail && surely(b) ? build_truth(c, a) : NULL;
  case EXPR_OR:
    if (!a->can_fail && surely(a))
      return build_const(c, 1);
    return !a->can_fail && !maybe(a) ? build_truth(c, b) : !b->can_fail && !maybe(b) ? build_truth(c, a) : NULL;
  default:
    return NULL;
  }
}

/* The node, unless its values may leave 64 bits. */
static const struct expr *fitting(struct check *c, struct expr *draft, struct wide_interval i) {
  if (i.lo < INT64_MIN || i.hi > INT64_MAX) {
    if (c->dead)
      return build_const(c, 0);
    CHECK_ERROR(c, draft->at, NULL, "this expression may overflow 64 bits");
    return NULL;
  }
  draft->lo = (int64_t)i.lo;
  draft->hi = (int64_t)i.hi;
  return node(c, draft);
}

const struct expr *build_negative(struct check *c, source_at at, const struct expr *a) {
  if (!a)
    return NULL;
  struct expr draft = {.op = EXPR_NEG, .at = at, .a = a, .site = NO_SITE};
  return fitting(c, &draft, (struct wide_interval){-(wide)a->hi, -(wide)a->lo});
}

const struct expr *build_binary(struct check *c, enum expr_op op, source_at at, const struct expr *a,
                                const struct expr *b) {
  if (!a || !b)
    return NULL;
  const struct expr *simple = neutral(c, op, a, b);
  if (simple)
    return simple;
  struct expr draft = {.op = op, .at = at, .a = a, .b = b, .site = NO_SITE};
  return fitting(c, &draft, binary_interval(op, a, b));
}

/* Truncated quotients of a by the divisors lo..hi, all of one sign, added to `i`. */
static void add_quotients(struct wide_interval *i, const struct expr *a, wide lo, wide hi) {
  if (lo > hi)
    return;
  struct wide_interval q = hull(a->lo / lo, a->lo / hi, a->hi / lo, a->hi / hi);
  i->lo = q.lo < i->lo ? q.lo : i->lo;
  i->hi = q.hi > i->hi ? q.hi : i->hi;
}

static struct wide_interval quotient_interval(const struct expr *a, const struct expr *b) {
  struct wide_interval i = {(wide)INT64_MAX + 2, -(wide)INT64_MAX - 3};
  add_quotients(&i, a, b->lo, b->hi < -1 ? b->hi : -1);
  add_quotients(&i, a, b->lo > 1 ? b->lo : 1, b->hi);
  return i;
}

static struct wide_interval remainder_interval(const struct expr *a, const struct expr *b) {
  wide largest = b->hi > -(wide)b->lo ? b->hi : -(wide)b->lo; /* |divisor| */
  wide below = a->lo < 0 ? -(wide)a->lo : 0, above = a->hi > 0 ? a->hi : 0;
  below = below < largest - 1 ? below : largest - 1;
  above = above < largest - 1 ? above : largest - 1;
  struct wide_interval i = {-below, above};
  if (a->lo == a->hi && b->lo == b->hi)
    i.lo = i.hi = (wide)a->lo % b->lo;
  if (a->lo == INT64_MIN && b->lo <= -1 && b->hi >= -1)
    i.hi = (wide)INT64_MAX + 1; /* C leaves INT64_MIN % -1 undefined, as the quotient overflows */
  return i;
}

const struct expr *build_division(struct check *c, enum expr_op op, const struct syntax_expr *e, const struct expr *a,
                                  const struct expr *b) {
  if (!a || !b)
    return NULL;
  if (b->lo == 0 && b->hi == 0) {
    if (c->dead)
      return build_const(c, 0);
    CHECK_ERROR(c, e->at, NULL, "division by zero");
    return NULL;
  }
  struct expr draft = {.op = op, .at = e->at, .a = a, .b = b, .site = NO_SITE};
  if (b->lo <= 0 && b->hi >= 0 && !c->dead)
    draft.site = build_site(c, SITE_DIVISION, e->at, written_short(c->source, e->b, c->arena), 0, 0);
  return fitting(c, &draft, op == EXPR_DIV ? quotient_interval(a, b) : remainder_interval(a, b));
}

const struct expr *build_cond(struct check *c, source_at at, const struct expr *a, const struct expr *b,
                              const struct expr *d) {
  if (!a || !b || !d)
    return NULL;
  if (!a->can_fail && (surely(a) || !maybe(a)))
    return surely(a) ? b : d;
  return node(c, &(struct expr){.op = EXPR_COND,
                                .at = at,
                                .a = a,
                                .b = b,
                                .c = d,
                                .lo = b->lo < d->lo ? b->lo : d->lo,
                                .hi = b->hi > d->hi ? b->hi : d->hi,
                                .site = NO_SITE});
}

/* Balanced, so that the depth of a long quantifier stays small; the order of evaluation is kept. */
const struct expr *build_all(struct check *c, enum expr_op op, source_at at, const struct expr *const *items,
                             size_t n) {
  if (n == 1)
    return items[0];
  size_t half = n / 2;
  const struct expr *left = build_all(c, op, at, items, half);
  return build_binary(c, op, at, left, build_all(c, op, at, items + half, n - half));
}

const struct expr *build_offset(struct check *c, source_at at, const struct expr *instance, uint32_t length,
                                const struct expr *index) {
  if (!instance)
    return NULL;
  const struct expr *start = build_binary(c, EXPR_MUL, at, instance, build_const(c, (int64_t)length));
  return index ? build_binary(c, EXPR_ADD, at, start, index) : start;
}

const struct expr *build_narrowed(struct check *c, const struct expr *e, int64_t lo, int64_t hi) {
  if (!e)
    return NULL;
  struct expr draft = *e;
  draft.lo = e->lo > lo ? e->lo : lo;
  draft.hi = e->hi < hi ? e->hi : hi;
  return draft.lo <= draft.hi ? node(c, &draft) : e;
}

/* ---- sites --------------------------------------------------------------------------- */

static size_t site_hash(const struct site *site) {
  uint64_t hash = site->at * 0x9e3779b97f4a7c15u + (uint64_t)site->kind;
  hash = (hash ^ (uint64_t)site->lo) * 0xff51afd7ed558ccdu;
  hash = (hash ^ (uint64_t)site->hi) * 0xc4ceb9fe1a85ec53u;
  return (size_t)(hash ^ hash >> 32);
}

static uint32_t *site_slot(const struct site_table *table, const struct site *site) {
  size_t i = site_hash(site) & (table->slot_count - 1);
  for (; table->slots[i]; i = (i + 1) & (table->slot_count - 1)) {
    const struct site *other = &table->items[table->slots[i] - 1];
    if (other->at == site->at && other->kind == site->kind && other->lo == site->lo && other->hi == site->hi)
      break;
  }
  return &table->slots[i];
}

/* The instances of a process share the sites of its text. */
uint32_t build_site(struct check *c, enum site_kind kind, source_at at, const char *what, int64_t lo, int64_t hi) {
  struct site_table *table = &c->sites;
  if (2 * (table->n + 1) > table->slot_count) {
    table->slot_count = table->slot_count ? 2 * table->slot_count : 64;
    table->slots = arena_array(c->arena, table->slot_count, sizeof *table->slots);
    for (size_t i = 0; i < table->n; i++)
      *site_slot(table, &table->items[i]) = (uint32_t)i + 1;
  }
  struct site site = {.kind = kind, .at = at, .what = what, .lo = lo, .hi = hi};
  uint32_t *slot = site_slot(table, &site);
  if (!*slot) {
    *ARENA_PUSH(c->arena, table->items, table->n, table->cap) = site;
    *slot = (uint32_t)table->n;
  }
  return *slot - 1;
}
