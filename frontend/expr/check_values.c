#include "frontend/expr/check_values.h"

#include <string.h>

#define SMALL_TABLE 1024 /* elements; the interpreter's states contain the table */
#define MAX_RUNS 64      /* runs of consecutive values, to find a position by comparisons */

static uint64_t hull_size(const struct value_set *set) {
  return (uint64_t)(set->values[set->count - 1] - set->values[0]) + 1;
}

static uint32_t run_end(const struct value_set *set, uint32_t start) {
  uint32_t end = start + 1;
  while (end < set->count && set->values[end] == set->values[end - 1] + 1)
    end++;
  return end;
}

static uint32_t count_runs(const struct value_set *set) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < set->count; i = run_end(set, i))
    n++;
  return n;
}

static bool is_tabled(const struct value_set *set) {
  return hull_size(set) <= SMALL_TABLE || count_runs(set) > MAX_RUNS;
}

bool values_fit(const struct value_set *set) { return !is_tabled(set) || hull_size(set) <= VALUES_MAX; }

/* Number of values below `value`. */
static uint32_t count_below(const struct value_set *set, int64_t value) {
  uint32_t lo = 0, hi = set->count;
  while (lo < hi) {
    uint32_t middle = lo + (hi - lo) / 2;
    if (set->values[middle] < value)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo;
}

int64_t values_find(const struct value_set *set, int64_t value) {
  uint32_t at = count_below(set, value);
  return at < set->count && set->values[at] == value ? (int64_t)at : -1;
}

/* ---- tables -------------------------------------------------------------------------- */

static uint32_t add_value_table(struct check *c, uint32_t of, const int64_t *values, uint32_t count, int64_t lo,
                                int64_t hi) {
  struct model *model = c->build.model;
  uint32_t id = (uint32_t)model->variable_count++;
  model->variables[id] = (struct variable){.name = model->variables[of].name,
                                           .kind = VARIABLE_TABLE,
                                           .owner = of,
                                           .count = count,
                                           .length = count,
                                           .is_array = true,
                                           .lo = lo,
                                           .hi = hi,
                                           .init = values,
                                           .at = model->variables[of].at};
  c->variable_read[id] = true;
  return id;
}

/* Table of positions, from one below the set to one above it. */
static uint32_t add_positions(struct check *c, uint32_t of, const struct value_set *set) {
  uint32_t count = (uint32_t)hull_size(set) + 2;
  int64_t *positions = arena_array(c->build.arena, count, sizeof *positions);
  for (uint32_t i = 0; i < count; i++)
    positions[i] = -1;
  for (uint32_t i = 0; i < set->count; i++)
    positions[set->values[i] - set->values[0] + 1] = i;
  return add_value_table(c, of, positions, count, -1, (int64_t)set->count - 1);
}

static void add_bounds(struct check *c, uint32_t of) {
  const struct variable *v = &c->build.model->variables[of];
  int64_t *lows = arena_array(c->build.arena, v->count, sizeof *lows);
  int64_t *highs = arena_array(c->build.arena, v->count, sizeof *highs);
  for (uint32_t i = 0; i < v->count; i++) {
    lows[i] = v->ranges[i % v->length].lo;
    highs[i] = v->ranges[i % v->length].hi;
  }
  c->variable_infos[of].lows = add_value_table(c, of, lows, v->count, v->lo, v->hi);
  c->variable_infos[of].highs = add_value_table(c, of, highs, v->count, v->lo, v->hi);
}

static void add_set(struct check *c, uint32_t of, const struct value_set *set) {
  c->variable_infos[of].values =
      add_value_table(c, of, set->values, set->count, set->values[0], set->values[set->count - 1]);
  c->variable_infos[of].positions = is_tabled(set) ? add_positions(c, of, set) : NONE;
}

void values_tables(struct check *c) {
  const size_t n = c->build.model->variable_count;
  for (uint32_t v = 0; v < n; v++) {
    if (c->build.model->variables[v].values)
      add_set(c, v, c->build.model->variables[v].values);
    if (c->build.model->variables[v].ranges)
      add_bounds(c, v);
  }
}

/* ---- reads --------------------------------------------------------------------------- */

const struct expr *values_read(struct check *c, source_at at, uint32_t variable, const struct expr *index) {
  const struct expr *read = build_read(&c->build, at, variable, index);
  if (!read || !c->build.model->variables[variable].values)
    return read;
  return build_read(&c->build, at, c->variable_infos[variable].values, read);
}

/* ---- assignments --------------------------------------------------------------------- */

struct lookup {
  struct check *c;
  source_at at;
  const struct value_set *set;
  const struct expr *value;
};

static const struct expr *lookup_constant(const struct lookup *l, int64_t value) {
  return build_const(&l->c->build, value);
}

static const struct expr *build_lookup_operation(const struct lookup *l, enum expr_op op, const struct expr *a,
                                                 const struct expr *b) {
  return build_binary(&l->c->build, op, l->at, a, b);
}

/* Values outside the set's bounds read the table's first or last element. */
static const struct expr *from_table(const struct lookup *l, uint32_t table) {
  const int64_t below = l->set->values[0] - 1, above = l->set->values[l->set->count - 1] + 1;
  const struct expr *value = l->value;
  if (value->lo < below)
    value = build_lookup_operation(l, EXPR_MAX, value, lookup_constant(l, below));
  if (value && value->hi > above)
    value = build_lookup_operation(l, EXPR_MIN, value, lookup_constant(l, above));
  return build_read(&l->c->build, l->at, table, build_lookup_operation(l, EXPR_SUB, value, lookup_constant(l, below)));
}

/* Position within a run. The value occurs as rarely as possible, because its expression may be long. It is known to be
   at least the run's first value, except for the first run. */
static const struct expr *in_run(const struct lookup *l, uint32_t start, uint32_t end) {
  const int64_t lo = l->set->values[start], hi = l->set->values[end - 1];
  struct builder *b = &l->c->build;
  if (lo == hi)
    return build_cond(b, l->at, build_lookup_operation(l, EXPR_EQ, l->value, lookup_constant(l, lo)),
                      lookup_constant(l, start), lookup_constant(l, -1));
  const struct expr *found = build_lookup_operation(l, EXPR_LE, l->value, lookup_constant(l, hi));
  if (start == 0)
    found = build_lookup_operation(l, EXPR_AND, build_lookup_operation(l, EXPR_LE, lookup_constant(l, lo), l->value),
                                   found);
  const struct expr *position =
      build_lookup_operation(l, EXPR_SUB, build_narrowed(b, l->value, lo, hi), lookup_constant(l, lo - start));
  return build_cond(b, l->at, found, position, lookup_constant(l, -1));
}

/* Position by comparisons, among the runs that start at starts[first..end). */
static const struct expr *from_runs(const struct lookup *l, const uint32_t *starts, uint32_t first, uint32_t end) {
  if (end - first == 1)
    return in_run(l, starts[first], run_end(l->set, starts[first]));
  const uint32_t middle = first + (end - first) / 2;
  const struct expr *below =
      build_lookup_operation(l, EXPR_LT, l->value, lookup_constant(l, l->set->values[starts[middle]]));
  return build_cond(&l->c->build, l->at, below, from_runs(l, starts, first, middle), from_runs(l, starts, middle, end));
}

/* The value of another variable with the same set: the same position. */
static const struct expr *same_position(const struct lookup *l) {
  const struct model *model = l->c->build.model;
  if (l->value->op != EXPR_READ || model->variables[l->value->id].kind != VARIABLE_TABLE || !l->value->a)
    return NULL;
  const uint32_t owner = model->variables[l->value->id].owner;
  const struct value_set *set = model->variables[owner].values;
  if (!set || l->value->id != l->c->variable_infos[owner].values)
    return NULL;
  if (set->count != l->set->count || memcmp(set->values, l->set->values, set->count * sizeof *set->values) != 0)
    return NULL;
  return l->value->a;
}

const struct expr *values_position(struct check *c, source_at at, uint32_t variable, const struct expr *value) {
  const struct value_set *set = c->build.model->variables[variable].values;
  const struct lookup l = {c, at, set, value};
  const struct expr *same = same_position(&l);
  uint32_t starts[MAX_RUNS], n = 0;
  if (same)
    return same;
  if (c->variable_infos[variable].positions != NONE)
    value = from_table(&l, c->variable_infos[variable].positions);
  else {
    for (uint32_t i = 0; i < set->count; i = run_end(set, i))
      starts[n++] = i;
    value = from_runs(&l, starts, 0, n);
  }
  const uint32_t first = count_below(set, l.value->lo);
  const uint32_t last = l.value->hi == INT64_MAX ? set->count : count_below(set, l.value->hi + 1);
  const bool whole = (uint64_t)l.value->hi - (uint64_t)l.value->lo < last - first;
  if (first < last)
    value = build_narrowed(&c->build, value, whole ? (int64_t)first : -1, (int64_t)last - 1);
  return value;
}

/* ---- ranges of elements -------------------------------------------------------------- */

struct value_range values_range(const struct variable *v, const struct expr *index) {
  struct value_range all = {v->lo, v->hi};
  if (!v->ranges || (index && index->op != EXPR_CONST))
    return all;
  return v->ranges[index ? index->value % v->length : 0];
}

const struct expr *values_in_range(struct check *c, source_at at, const struct variable *v, const struct expr *index,
                                   const struct expr *value) {
  struct builder *b = &c->build;
  const struct variable_info *info = &c->variable_infos[v - b->model->variables];
  const struct expr *lo = build_read(b, at, info->lows, index), *hi = build_read(b, at, info->highs, index);
  const struct expr *above = build_binary(b, EXPR_LE, at, lo, value), *below = build_binary(b, EXPR_LE, at, value, hi);
  return build_cond(b, at, build_binary(b, EXPR_AND, at, above, below), build_narrowed(b, value, v->lo, v->hi),
                    build_const(b, v->hi + 1));
}
