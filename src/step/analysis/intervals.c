#include "step/analysis/intervals.h"

#include "model/bit_intervals.h"
#include "model/transitions/successor_bound.h"

#include <assert.h>

__extension__ typedef __int128 int128; /* holds every result of an operation on 64-bit operands */

static const struct value_interval nothing = {1, 0};
static const struct value_interval truth_values = {0, 1};

static struct value_interval point_range(int64_t value) { return (struct value_interval){value, value}; }

static void note_unfollowed(const struct model *model, const struct statement *statements, size_t count,
                            bool *untracked) {
  for (size_t i = 0; i < count; i++) {
    const struct statement *statement = &statements[i];
    note_unfollowed(model, statement->then, statement_inner_count(statement), untracked);
    if (statement->op != ST_ASSIGN)
      continue;
    const struct variable *variable = &model->variables[statement->id];
    if (variable->count > INTERVALS_MAX_SPAN && !range_is_point(intervals_reach(variable, statement->index)))
      untracked[statement->id] = true;
  }
}

void intervals_init(struct intervals *self, const struct model *model, struct arena *arena) {
  size_t slots = (size_t)model->value_count + MAX_TEMPS + MAX_SELECTS;
  bool *untracked = arena_array(arena, model->variable_count, sizeof *untracked);
  for (size_t t = 0; t < model->transition_count; t++)
    note_unfollowed(model, model->transitions[t].statements, model->transitions[t].statement_count, untracked);
  *self = (struct intervals){.model = model, .arena = arena, .untracked = untracked, .limit = UINT64_MAX};
  bool *frozen = arena_array(arena, slots, sizeof *frozen);
  for (size_t v = 0; v < model->variable_count; v++)
    for (uint32_t i = 0; i < model->variables[v].count; i++)
      frozen[model->variables[v].first + i] = untracked[v];
  self->frozen = frozen;
  self->slots = arena_array(arena, slots, sizeof *self->slots);
  self->stamps = arena_array(arena, slots, sizeof *self->stamps);
  for (size_t i = 0; i < slots; i++)
    self->slots[i] = nothing;
}

uint32_t intervals_temp(const struct intervals *self, uint32_t id) { return self->model->value_count + id; }

uint32_t intervals_select(const struct intervals *self, uint32_t id) {
  return self->model->value_count + MAX_TEMPS + id;
}

/* ---- changes --------------------------------------------------------------------------------- */

void intervals_undo(struct intervals *self, size_t mark) {
  while (self->change_count > mark) {
    const struct intervals_change *change = &self->changes[--self->change_count];
    self->slots[change->slot] = change->range;
  }
}

static bool same_range(struct value_interval a, struct value_interval b) { return a.lo == b.lo && a.hi == b.hi; }

void intervals_set(struct intervals *self, uint32_t slot, struct value_interval range) {
  if (self->frozen[slot] || same_range(self->slots[slot], range))
    return;
  *ARENA_PUSH(self->arena, self->changes, self->change_count, self->change_cap) =
      (struct intervals_change){slot, self->slots[slot]};
  self->slots[slot] = range;
}

bool intervals_narrow(struct intervals *self, uint32_t slot, struct value_interval range) {
  struct value_interval before = self->slots[slot], after = range_meet(before, range);
  if (range_is_empty(after))
    return false;
  intervals_set(self, slot, after);
  const bool settles = !range_is_point(before) && range_is_point(after) && !self->frozen[slot];
  return !settles || !self->on_point || self->on_point(self, slot);
}

/* Moves the changes since the mark to other_branch and undoes them. Returns their start there. */
static size_t set_branch_aside(struct intervals *self, size_t mark) {
  size_t first = self->aside_count;
  for (size_t i = mark; i < self->change_count; i++) {
    uint32_t slot = self->changes[i].slot;
    *ARENA_PUSH(self->arena, self->aside, self->aside_count, self->aside_cap) =
        (struct intervals_change){slot, self->slots[slot]};
  }
  intervals_undo(self, mark);
  return first;
}

/* A slot that only the current branch changed may also have its range at the mark. */
static void join_unchanged(struct intervals *self, size_t mark, size_t aside) {
  self->stamp++;
  for (size_t i = aside; i < self->aside_count; i++)
    self->stamps[self->aside[i].slot] = self->stamp;
  for (size_t i = mark, end = self->change_count; i < end; i++) {
    struct intervals_change change = self->changes[i];
    if (self->stamps[change.slot] == self->stamp)
      continue;
    self->stamps[change.slot] = self->stamp;
    intervals_set(self, change.slot, range_join(self->slots[change.slot], change.range));
  }
}

/* Joins the branch set aside with the current one; each flag: the branch is possible. */
static bool join_branches(struct intervals *self, size_t mark, size_t aside, bool first, bool second) {
  if (!second)
    intervals_undo(self, mark);
  if (first && second)
    join_unchanged(self, mark, aside);
  for (size_t i = aside; first && i < self->aside_count; i++) {
    const struct intervals_change *change = &self->aside[i];
    intervals_set(self, change->slot, second ? range_join(change->range, self->slots[change->slot]) : change->range);
  }
  self->aside_count = aside;
  return first || second;
}

/* ---- expressions ----------------------------------------------------------------------------- */

struct value_interval intervals_reach(const struct variable *variable, const struct expr *index) {
  struct value_interval all = {0, (int64_t)variable->count - 1};
  return index ? range_meet(all, (struct value_interval){index->lo, index->hi}) : point_range(0);
}

/* Elements that `index` (NULL: 0) of the variable accesses in the current slots. */
static struct value_interval index_range(struct intervals *self, const struct variable *variable,
                                         const struct expr *index) {
  if (!index)
    return point_range(0);
  return range_meet(intervals_eval(self, index), (struct value_interval){0, (int64_t)variable->count - 1});
}

static struct value_interval read_elements(struct intervals *self, const struct expr *e) {
  const struct variable *variable = &self->model->variables[e->id];
  struct value_interval at = index_range(self, variable, e->a), all = nothing;
  if (range_size(at) > INTERVALS_MAX_SPAN)
    return (struct value_interval){variable->lo, variable->hi};
  for (int64_t i = at.lo; i <= at.hi; i++)
    all = range_join(all, self->slots[variable->first + i]);
  return all;
}

static struct value_interval clipped(int128 lo, int128 hi, const struct expr *e) {
  if (lo > e->hi || hi < e->lo)
    return nothing;
  return (struct value_interval){lo > e->lo ? (int64_t)lo : e->lo, hi < e->hi ? (int64_t)hi : e->hi};
}

static struct value_interval extremes_of(const int128 *values, int count, const struct expr *e) {
  int128 lo = values[0], hi = values[0];
  for (int i = 1; i < count; i++) {
    lo = values[i] < lo ? values[i] : lo;
    hi = values[i] > hi ? values[i] : hi;
  }
  return clipped(lo, hi, e);
}

static struct value_interval product_result(struct value_interval a, struct value_interval b, const struct expr *e) {
  const int128 values[] = {(int128)a.lo * b.lo, (int128)a.lo * b.hi, (int128)a.hi * b.lo, (int128)a.hi * b.hi};
  return extremes_of(values, 4, e);
}

static struct value_interval quotient_of_sign(struct value_interval a, struct value_interval b, const struct expr *e) {
  if (range_is_empty(b))
    return nothing;
  const int128 values[] = {(int128)a.lo / b.lo, (int128)a.lo / b.hi, (int128)a.hi / b.lo, (int128)a.hi / b.hi};
  return extremes_of(values, 4, e);
}

/* A division by 0 has no value. */
static struct value_interval quotient(struct value_interval a, struct value_interval b, const struct expr *e) {
  return range_join(quotient_of_sign(a, range_meet(b, (struct value_interval){INT64_MIN, -1}), e),
                    quotient_of_sign(a, range_meet(b, (struct value_interval){1, INT64_MAX}), e));
}

static struct value_interval remainder_result(struct value_interval a, struct value_interval b, const struct expr *e) {
  int128 most = (int128)b.hi > -(int128)b.lo ? (int128)b.hi : -(int128)b.lo; /* |divisor| */
  int128 least = b.lo > 0 ? (int128)b.lo : b.hi < 0 ? -(int128)b.hi : 1;
  if (most == 0)
    return nothing;
  if (a.lo > -least && a.hi < least)
    return clipped(a.lo, a.hi, e);
  if (range_is_point(b) && (int128)a.lo / b.lo == (int128)a.hi / b.lo && (a.lo >= 0 || a.hi <= 0))
    return clipped((int128)a.lo % b.lo, (int128)a.hi % b.lo, e);
  int128 below = a.lo < 0 ? -(int128)a.lo : 0, above = a.hi > 0 ? (int128)a.hi : 0;
  return clipped(-(below < most ? below : most - 1), above < most ? above : most - 1, e);
}

static bool range_is_true(struct value_interval r) { return r.lo > 0 || r.hi < 0; }
static bool possible_truth(struct value_interval r) { return r.lo != 0 || r.hi != 0; }

static struct value_interval between(bool lo, bool hi) { return (struct value_interval){lo, hi}; }

static struct value_interval comparison_result(enum expr_op op, struct value_interval a, struct value_interval b) {
  bool same = range_is_point(a) && range_is_point(b) && a.lo == b.lo, disjoint = a.hi < b.lo || b.hi < a.lo;
  switch (op) {
  case EXPR_LT:
    return between(a.hi < b.lo, a.lo < b.hi);
  case EXPR_LE:
    return between(a.hi <= b.lo, a.lo <= b.hi);
  case EXPR_EQ:
    return between(same, !disjoint);
  default:
    assert(op == EXPR_NE);
    return between(disjoint, !same);
  }
}

static struct value_interval bitwise_result(struct value_interval a, struct value_interval b, const struct expr *e) {
  const struct bits_interval i =
      bits_hull(e->op, (struct bits_interval){a.lo, a.hi}, (struct bits_interval){b.lo, b.hi});
  return clipped(i.lo, i.hi, e);
}

/* Shifts by numbers outside 0..63 have no value. */
static struct value_interval shift_result(struct value_interval a, struct value_interval b, const struct expr *e) {
  b = range_meet(b, (struct value_interval){0, SHIFT_MAX});
  if (range_is_empty(b))
    return nothing;
  const int128 least = (int128)1 << b.lo, most = (int128)1 << b.hi;
  if (e->op == EXPR_SHL)
    return extremes_of((const int128[]){a.lo * least, a.lo * most, a.hi * least, a.hi * most}, 4, e);
  const int128 values[] = {bits_value(e->op, a.lo, b.lo), bits_value(e->op, a.lo, b.hi), bits_value(e->op, a.hi, b.lo),
                           bits_value(e->op, a.hi, b.hi)};
  return extremes_of(values, 4, e);
}

static struct value_interval binary_result(struct intervals *self, const struct expr *e) {
  struct value_interval a = intervals_eval(self, e->a), b = intervals_eval(self, e->b);
  if (range_is_empty(a) || range_is_empty(b))
    return nothing;
  switch (e->op) {
  case EXPR_ADD:
    return clipped((int128)a.lo + b.lo, (int128)a.hi + b.hi, e);
  case EXPR_SUB:
    return clipped((int128)a.lo - b.hi, (int128)a.hi - b.lo, e);
  case EXPR_MUL:
    return product_result(a, b, e);
  case EXPR_DIV:
    return quotient(a, b, e);
  case EXPR_MOD:
    return remainder_result(a, b, e);
  case EXPR_MIN:
    return (struct value_interval){a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
  case EXPR_MAX:
    return (struct value_interval){a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
  case EXPR_SHL:
  case EXPR_SHR:
    return shift_result(a, b, e);
  case EXPR_BITAND:
  case EXPR_BITXOR:
  case EXPR_BITOR:
    return bitwise_result(a, b, e);
  default:
    return comparison_result(e->op, a, b);
  }
}

/* AND if `deciding` is false, OR if it is true. */
static struct value_interval short_circuit_result(struct intervals *self, const struct expr *e, bool deciding) {
  struct value_interval a = intervals_eval(self, e->a);
  if (range_is_empty(a))
    return nothing;
  bool can_decide = deciding ? possible_truth(a) : !range_is_true(a),
       must = deciding ? range_is_true(a) : !possible_truth(a);
  struct value_interval b = must ? nothing : intervals_eval(self, e->b);
  if (!range_is_empty(b))
    b = between(range_is_true(b), possible_truth(b));
  return can_decide ? range_join(point_range(deciding), b) : b;
}

/* Joins both branches, each under its condition. */
static struct value_interval conditional_result(struct intervals *self, const struct expr *e) {
  struct value_interval all = nothing;
  for (int which = 0; which < 2; which++) {
    size_t mark = intervals_mark(self);
    if (intervals_assume(self, e->a, which != 0))
      all = range_join(all, intervals_eval(self, which ? e->b : e->c));
    intervals_undo(self, mark);
  }
  return all;
}

static struct value_interval negated(struct value_interval a, const struct expr *e) {
  return range_is_empty(a) ? nothing : clipped(-(int128)a.hi, -(int128)a.lo, e);
}

static struct value_interval committed_result(struct intervals *self) {
  if (!self->model->committed)
    return point_range(0);
  struct value_interval r = intervals_eval(self, self->model->committed);
  return range_is_empty(r) ? truth_values : between(range_is_true(r), possible_truth(r));
}

static struct value_interval complement(struct value_interval a) {
  return range_is_empty(a) ? nothing : (struct value_interval){~a.hi, ~a.lo};
}

static struct value_interval logical_not(struct value_interval a) {
  return range_is_empty(a) ? a : between(!possible_truth(a), !range_is_true(a));
}

static struct value_interval eval_by_operator(struct intervals *self, const struct expr *e) {
  if (self->work++ >= self->limit)
    return (struct value_interval){e->lo, e->hi};
  switch (e->op) {
  case EXPR_CONST:
    return point_range(e->value);
  case EXPR_READ:
    return read_elements(self, e);
  case EXPR_SELECT:
    return self->slots[intervals_select(self, e->id)];
  case EXPR_TEMP:
    return self->slots[intervals_temp(self, e->id)];
  case EXPR_COMMITTED:
    return committed_result(self);
  case EXPR_AUTOMATON:
  case EXPR_ENABLED:
    return (struct value_interval){e->lo, e->hi};
  case EXPR_INDEX:
    return range_meet(intervals_eval(self, e->a), (struct value_interval){0, e->value - 1});
  case EXPR_NEG:
    return negated(intervals_eval(self, e->a), e);
  case EXPR_NOT:
    return logical_not(intervals_eval(self, e->a));
  case EXPR_BITNOT:
    return complement(intervals_eval(self, e->a));
  case EXPR_AND:
    return short_circuit_result(self, e, false);
  case EXPR_OR:
    return short_circuit_result(self, e, true);
  case EXPR_COND:
    return conditional_result(self, e);
  default:
    return binary_result(self, e);
  }
}

struct value_interval intervals_eval(struct intervals *self, const struct expr *e) {
  return range_meet(eval_by_operator(self, e), (struct value_interval){e->lo, e->hi});
}

/* ---- assumptions ----------------------------------------------------------------------------- */

static int64_t clamp(int128 x) { return x < INT64_MIN ? INT64_MIN : x > INT64_MAX ? INT64_MAX : (int64_t)x; }

/* Assumes that the value is in the range. */
static bool narrow_expr(struct intervals *self, const struct expr *e, struct value_interval range) {
  range = range_meet(range, intervals_eval(self, e));
  if (range_is_empty(range))
    return false;
  const bool constant_a = e->a && e->a->op == EXPR_CONST, constant_b = e->b && e->b->op == EXPR_CONST;
  switch (e->op) {
  case EXPR_READ: {
    const struct variable *variable = &self->model->variables[e->id];
    struct value_interval at = index_range(self, variable, e->a);
    return !range_is_point(at) || intervals_narrow(self, variable->first + (uint32_t)at.lo, range);
  }
  case EXPR_SELECT:
    return intervals_narrow(self, intervals_select(self, e->id), range);
  case EXPR_TEMP:
    return intervals_narrow(self, intervals_temp(self, e->id), range);
  case EXPR_INDEX:
    return narrow_expr(self, e->a, range);
  case EXPR_ADD:
  case EXPR_SUB: {
    if (constant_a == constant_b || (e->op == EXPR_SUB && constant_a))
      return true;
    int128 less = constant_a ? e->a->value : e->op == EXPR_SUB ? -(int128)e->b->value : e->b->value;
    return narrow_expr(self, constant_a ? e->b : e->a,
                       (struct value_interval){clamp(range.lo - less), clamp(range.hi - less)});
  }
  default:
    return true;
  }
}

/* Assumes that the value is not `not`, which narrows the range if `not` is one of its ends. */
static bool exclude_value(struct intervals *self, const struct expr *e, int64_t other) {
  struct value_interval range = intervals_eval(self, e);
  if (range_is_empty(range) || (range_is_point(range) && range.lo == other))
    return false;
  if (range.lo == other)
    range.lo++;
  else if (range.hi == other)
    range.hi--;
  else
    return true;
  return narrow_expr(self, e, range);
}

static bool assume_differ(struct intervals *self, const struct expr *x, const struct expr *y) {
  struct value_interval a = intervals_eval(self, x), b = intervals_eval(self, y);
  if (range_is_empty(a) || range_is_empty(b))
    return false;
  if (range_is_point(b))
    return exclude_value(self, x, b.lo);
  return !range_is_point(a) || exclude_value(self, y, a.lo);
}

static bool assume_equal(struct intervals *self, const struct expr *x, const struct expr *y) {
  struct value_interval both = range_meet(intervals_eval(self, x), intervals_eval(self, y));
  return !range_is_empty(both) && narrow_expr(self, x, both) && narrow_expr(self, y, both);
}

/* Assumes x + less <= y. */
static bool assume_order(struct intervals *self, const struct expr *x, const struct expr *y, int less) {
  struct value_interval a = intervals_eval(self, x), b = intervals_eval(self, y);
  if (range_is_empty(a) || range_is_empty(b))
    return false;
  return narrow_expr(self, x, (struct value_interval){a.lo, clamp((int128)b.hi - less)}) &&
         narrow_expr(self, y, (struct value_interval){clamp((int128)a.lo + less), b.hi});
}

static bool assume_value(struct intervals *self, const struct expr *e, bool truth) {
  return truth ? exclude_value(self, e, 0) : narrow_expr(self, e, point_range(0));
}

static bool assume_either(struct intervals *self, const struct expr *e, bool truth) {
  size_t mark = intervals_mark(self);
  bool first = intervals_assume(self, e->a, truth);
  if (first && intervals_mark(self) == mark)
    return true; /* assumptions only narrow: joined with any other branch, these ranges stay as they are */
  size_t aside = set_branch_aside(self, mark);
  bool second = intervals_assume(self, e->b, truth);
  return join_branches(self, mark, aside, first, second);
}

bool intervals_assume(struct intervals *self, const struct expr *e, bool truth) {
  if (self->work++ >= self->limit)
    return true;
  switch (e->op) {
  case EXPR_NOT:
    return intervals_assume(self, e->a, !truth);
  case EXPR_AND:
  case EXPR_OR:
    if (truth != (e->op == EXPR_AND))
      return assume_either(self, e, truth);
    return intervals_assume(self, e->a, truth) && intervals_assume(self, e->b, truth);
  case EXPR_EQ:
  case EXPR_NE:
    return truth == (e->op == EXPR_EQ) ? assume_equal(self, e->a, e->b) : assume_differ(self, e->a, e->b);
  case EXPR_LT:
    return truth ? assume_order(self, e->a, e->b, 1) : assume_order(self, e->b, e->a, 0);
  case EXPR_LE:
    return truth ? assume_order(self, e->a, e->b, 0) : assume_order(self, e->b, e->a, 1);
  case EXPR_COMMITTED:
    return self->model->committed ? intervals_assume(self, self->model->committed, truth) : !truth;
  default:
    return assume_value(self, e, truth);
  }
}

/* ---- statements ------------------------------------------------------------------------------ */

static struct value_interval declared(const struct variable *variable, int64_t element) {
  if (!variable->ranges)
    return (struct value_interval){variable->lo, variable->hi};
  const struct value_range *own = &variable->ranges[element % variable->length];
  return (struct value_interval){own->lo, own->hi};
}

/* Joins the value into an element that is possibly assigned, within the variable's range. */
static void join_assignment(struct intervals *self, const struct variable *variable, int64_t element,
                            struct value_interval value) {
  const uint32_t slot = variable->first + (uint32_t)element;
  value = range_meet(value, declared(variable, element));
  if (!range_is_empty(value))
    intervals_set(self, slot, range_join(self->slots[slot], value));
}

static bool apply_assignment(struct intervals *self, const struct statement *statement) {
  const struct variable *variable = &self->model->variables[statement->id];
  struct value_interval at = index_range(self, variable, statement->index);
  struct value_interval value =
      range_meet(intervals_eval(self, statement->value), (struct value_interval){variable->lo, variable->hi});
  if (!range_is_empty(at) && range_is_point(at))
    value = range_meet(value, declared(variable, at.lo));
  if (range_is_empty(at) || range_is_empty(value))
    return false;
  if (self->untracked[statement->id])
    return true;
  if (range_is_point(at))
    intervals_set(self, variable->first + (uint32_t)at.lo, value);
  else
    for (int64_t i = at.lo; i <= at.hi; i++)
      join_assignment(self, variable, i, value);
  return true;
}

static bool apply_let(struct intervals *self, const struct statement *statement) {
  struct value_interval value = intervals_eval(self, statement->value);
  if (statement->site != NO_SITE) {
    const struct site *site = &self->model->sites[statement->site];
    value = range_meet(value, (struct value_interval){site->lo, site->hi});
  }
  if (range_is_empty(value))
    return false;
  intervals_set(self, intervals_temp(self, statement->id), value);
  return true;
}

static bool apply_if(struct intervals *self, const struct statement *statement) {
  size_t mark = intervals_mark(self);
  bool first =
      intervals_assume(self, statement->value, true) && intervals_run(self, statement->then, statement->then_count);
  size_t aside = set_branch_aside(self, mark);
  bool second = intervals_assume(self, statement->value, false) &&
                intervals_run(self, statement->then + statement->then_count, statement->else_count);
  return join_branches(self, mark, aside, first, second);
}

bool intervals_run(struct intervals *self, const struct statement *statements, size_t count) {
  bool possible = true;
  for (size_t i = 0; i < count && possible; i++) {
    const struct statement *statement = &statements[i];
    self->work++;
    switch (statement->op) {
    case ST_LET:
      possible = apply_let(self, statement);
      break;
    case ST_ASSIGN:
      possible = apply_assignment(self, statement);
      break;
    case ST_ASSERT:
      possible = intervals_assume(self, statement->value, true);
      break;
    case ST_IF:
      possible = apply_if(self, statement);
      break;
    }
  }
  return possible;
}
