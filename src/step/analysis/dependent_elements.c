#include "step/analysis/dependent_elements.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 int128; /* holds sums of two products of 64-bit numbers */

#define MAX_WORK 30000000u /* row entries combined, all eliminations together */

/* A column of the matrix: the value of an element, or the indicator that it has the value `of`. The columns of an
   element are neighbours, the value first. The two least values have no indicator: they follow from the value and the
   constant. */
struct column {
  uint32_t element;
  bool indicates;
  int64_t of;
};

struct entry {
  uint32_t column;
  int64_t value;
};

/* Entries in ascending order of columns, none of them 0. */
struct row {
  struct entry *entries;
  uint32_t count;
};

struct weighed_element {
  double weight;
  uint32_t element;
};

struct dependent_list {
  struct dependent_element *items;
  size_t count, cap;
};

struct constraint_list {
  struct linear_constraint *items;
  size_t count, cap;
};

struct elimination {
  const struct model *model;
  const struct ranges *ranges;
  const struct element_changes *changes;
  const double *weights;
  const struct stop *stop;
  struct arena *arena;
  struct weighed_element *order;
  uint32_t order_count;
  struct column *columns;
  uint32_t column_count;
  uint32_t *first_column; /* [element] NO_NUMBER: none */
  bool *by_value_only;    /* [element] has no indicator columns */
  struct row *basis;      /* [leading column] no entries: none */
  struct row scratch, other;
  int64_t *initial;             /* [element] initial value */
  bool *is_dependent, *is_term; /* [element] is dependent; is a term of a dependent element */
  struct dependent_list found;
  struct constraint_list constraints;
  double gain;
  uint64_t work;
  bool failed; /* too much work, or a number is too large */
};

/* ---- columns --------------------------------------------------------------------------------- */

/* The lightest first: elimination makes a column dependent if the columns before it generate it. */
static int compare_weights(const void *a, const void *b) {
  const struct weighed_element *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight < y->weight ? -1 : 1;
  return x->element < y->element ? -1 : x->element > y->element;
}

static bool is_by_value(const struct elimination *m, uint32_t element) {
  return m->changes->tracked_by_value[element] && !m->by_value_only[element] && range_size(m->ranges->all[element]) > 2;
}

static uint64_t columns_of(const struct elimination *m, uint32_t element) {
  return is_by_value(m, element) ? range_size(m->ranges->all[element]) - 1 : 1;
}

static void make_order(struct elimination *m, enum dependent_choice by) {
  const uint32_t n = m->model->value_count;
  m->order = arena_array(m->arena, n, sizeof *m->order);
  for (uint32_t e = 0; e < n; e++)
    if (m->changes->tracked[e])
      m->order[m->order_count++] =
          (struct weighed_element){m->weights[e] / (by == HEAVIEST_FIRST ? 1 : (double)columns_of(m, e)), e};
  if (m->order_count)
    qsort(m->order, m->order_count, sizeof *m->order, compare_weights);
}

static void make_columns(struct elimination *m) {
  size_t count = 0;
  for (uint32_t i = 0; i < m->order_count; i++)
    count += columns_of(m, m->order[i].element);
  m->columns = arena_array(m->arena, count, sizeof *m->columns);
  m->column_count = 0;
  m->work = 0;
  for (uint32_t i = 0; i < m->order_count; i++) {
    const uint32_t element = m->order[i].element;
    const struct value_interval range = m->ranges->all[element];
    m->first_column[element] = m->column_count;
    m->columns[m->column_count++] = (struct column){element, false, 0};
    for (int64_t of = range.lo + 2; is_by_value(m, element) && of <= range.hi; of++)
      m->columns[m->column_count++] = (struct column){element, true, of};
  }
  m->basis = arena_array(m->arena, count, sizeof *m->basis);
  m->scratch.entries = arena_array(m->arena, count, sizeof *m->scratch.entries);
  m->other.entries = arena_array(m->arena, count, sizeof *m->other.entries);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static uint64_t absolute(int64_t x) { return x < 0 ? -(uint64_t)x : (uint64_t)x; }

static uint64_t gcd(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static void divide_by_gcd(struct row *row) {
  uint64_t divisor = 0;
  for (uint32_t i = 0; i < row->count && divisor != 1; i++)
    divisor = gcd(divisor, absolute(row->entries[i].value));
  for (uint32_t i = 0; i < row->count && divisor > 1; i++)
    row->entries[i].value /= (int64_t)divisor;
}

/* Adds the entry x * factor + y * other to `out`. Sums stay below 2^62, so that later ones fit. */
static bool add_entry(struct row *out, uint32_t column, int64_t x, int64_t factor, int64_t y, int64_t other) {
  int128 sum = (int128)x * factor + (int128)y * other;
  if (sum > INT64_MAX / 2 || sum < -(INT64_MAX / 2))
    return false;
  if (sum != 0)
    out->entries[out->count++] = (struct entry){column, (int64_t)sum};
  return true;
}

/* scratch = a multiple of scratch plus a multiple of `with`, such that the leading column of `with` becomes 0. */
static void eliminate(struct elimination *m, uint32_t at, const struct row *with) {
  const struct row *row = &m->scratch;
  const int64_t lead = with->entries[0].value, value = row->entries[at].value;
  const int64_t divisor = (int64_t)gcd(absolute(lead), absolute(value));
  const int64_t factor = lead / divisor, other = -(value / divisor);
  uint32_t i = 0, k = 0;
  m->other.count = 0;
  while (!m->failed && (i < row->count || k < with->count)) {
    const uint32_t left = i < row->count ? row->entries[i].column : UINT32_MAX;
    const uint32_t right = k < with->count ? with->entries[k].column : UINT32_MAX;
    const uint32_t column = left < right ? left : right;
    const int64_t x = left == column ? row->entries[i++].value : 0, y = right == column ? with->entries[k++].value : 0;
    m->failed = !add_entry(&m->other, column, x, factor, y, other);
  }
  m->work += row->count + with->count;
  m->failed = m->failed || m->work > MAX_WORK;
  struct row swapped = m->scratch;
  m->scratch = m->other;
  m->other = swapped;
  divide_by_gcd(&m->scratch);
}

static struct row copy_scratch(struct elimination *m) {
  struct row row = {arena_array(m->arena, m->scratch.count, sizeof *row.entries), m->scratch.count};
  memcpy(row.entries, m->scratch.entries, row.count * sizeof *row.entries);
  return row;
}

static void insert(struct elimination *m) {
  divide_by_gcd(&m->scratch);
  while (!m->failed && m->scratch.count) {
    struct row *place = &m->basis[m->scratch.entries[0].column];
    if (!place->count) {
      *place = copy_scratch(m);
      return;
    }
    eliminate(m, 0, place);
  }
}

static int by_column(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  return x->column < y->column ? -1 : x->column > y->column;
}

static void add_indicator(struct elimination *m, const struct element_change *change, int64_t value, int64_t sign) {
  const struct value_interval range = m->ranges->all[change->element];
  if (value >= range.lo + 2 && value <= range.hi)
    m->scratch.entries[m->scratch.count++] =
        (struct entry){m->first_column[change->element] + (uint32_t)(value - range.lo - 1), sign};
}

static void add_firing(struct elimination *m, size_t first, size_t end) {
  m->scratch.count = 0;
  for (size_t i = first; i < end; i++) {
    const struct element_change *change = &m->changes->items[i];
    if (!m->changes->tracked[change->element])
      continue;
    if (change->difference > INT64_MAX / 2 || change->difference < -(INT64_MAX / 2))
      m->failed = true;
    m->scratch.entries[m->scratch.count++] = (struct entry){m->first_column[change->element], change->difference};
    if (is_by_value(m, change->element)) {
      add_indicator(m, change, change->to, 1);
      add_indicator(m, change, change->from, -1);
    }
  }
  if (m->scratch.count)
    qsort(m->scratch.entries, m->scratch.count, sizeof *m->scratch.entries, by_column);
  insert(m);
}

/* Reduced form: no row contains the leading column of another one. */
static void reduce_rows(struct elimination *m) {
  for (uint32_t column = m->column_count; column-- > 0 && !m->failed;) {
    struct row *row = &m->basis[column];
    bool changed = false;
    if (!row->count)
      continue;
    memcpy(m->scratch.entries, row->entries, row->count * sizeof *row->entries);
    m->scratch.count = row->count;
    for (uint32_t i = 1; i < m->scratch.count && !m->failed;) {
      const struct row *with = &m->basis[m->scratch.entries[i].column];
      if (with->count) {
        eliminate(m, i, with);
        changed = true;
      } else
        i++;
    }
    if (changed)
      *row = copy_scratch(m);
    m->failed = m->failed || stop_requested(m->stop);
  }
}

static void eliminate_all(struct elimination *m) {
  size_t first = 0;
  make_columns(m);
  for (size_t i = 0; i < m->changes->firing_count && !m->failed; first = m->changes->ends[i++]) {
    add_firing(m, first, m->changes->ends[i]);
    m->failed = m->failed || (i % 256 == 0 && stop_requested(m->stop));
  }
  reduce_rows(m);
}

/* ---- equations ------------------------------------------------------------------------------- */

/* Value of the element = constant + the sum of coefficient * column. */
struct equation {
  struct entry *terms;
  size_t n, cap;
  bool whole; /* every coefficient is an integer */
};

/* The equation of each column that leads no row. */
static struct equation *make_equations(struct elimination *m) {
  struct equation *equations = arena_array(m->arena, m->column_count, sizeof *equations);
  for (uint32_t column = 0; column < m->column_count; column++)
    equations[column].whole = true;
  for (uint32_t column = 0; column < m->column_count; column++) {
    const struct row *row = &m->basis[column];
    for (uint32_t i = 1; i < row->count; i++) {
      struct equation *equation = &equations[row->entries[i].column];
      const int64_t value = row->entries[i].value, lead = row->entries[0].value;
      equation->whole = equation->whole && value % lead == 0;
      *ARENA_PUSH(m->arena, equation->terms, equation->n, equation->cap) = (struct entry){column, value / lead};
    }
  }
  return equations;
}

static bool is_candidate(const struct elimination *m, uint32_t element) {
  const uint32_t column = m->first_column[element];
  return m->weights[element] > 0 && column != NO_NUMBER && !m->basis[column].count;
}

static int64_t of_term(const struct elimination *m, const struct linear_term *term, int64_t value) {
  return term->table ? term->table[value - m->ranges->all[term->element].lo] : term->coefficient * value;
}

/* Only numbers are used for which no sum of some thousand products with values can overflow. */
static bool is_small(int64_t x) { return -INT32_MAX <= x && x <= INT32_MAX; }

/* Makes one term of the neighbouring entries of an element; false: a number is too large. */
static bool make_term(struct elimination *m, const struct entry *entries, size_t n, struct linear_term *term) {
  const uint32_t element = m->columns[entries[0].column].element;
  const struct value_interval range = m->ranges->all[element];
  const bool with_value = !m->columns[entries[0].column].indicates;
  const int64_t coefficient = with_value ? entries[0].value : 0;
  *term = (struct linear_term){.element = element, .coefficient = coefficient};
  if (!is_small(coefficient) || !is_small(range.lo) || !is_small(range.hi))
    return false;
  if (n == 1 && with_value)
    return true;
  int64_t *table = arena_array(m->arena, range_size(range), sizeof *table);
  for (int64_t value = range.lo; value <= range.hi; value++)
    table[value - range.lo] = coefficient * value;
  for (size_t i = with_value; i < n; i++) {
    if (!is_small(entries[i].value))
      return false;
    table[m->columns[entries[i].column].of - range.lo] += entries[i].value;
  }
  term->table = table;
  return true;
}

static bool make_dependent(struct elimination *m, uint32_t element, const struct equation *equation,
                           struct dependent_element *out) {
  struct linear_term *terms = arena_array(m->arena, equation->n, sizeof *terms);
  uint32_t count = 0;
  int64_t constant = m->initial[element];
  for (size_t i = 0, end; i < equation->n; i = end) {
    const uint32_t of = m->columns[equation->terms[i].column].element;
    for (end = i + 1; end < equation->n && m->columns[equation->terms[end].column].element == of;)
      end++;
    if (m->is_dependent[of] || !make_term(m, &equation->terms[i], end - i, &terms[count]))
      return false;
    constant -= of_term(m, &terms[count++], m->initial[of]);
  }
  *out = (struct dependent_element){element, constant, terms, count};
  return true;
}

/* ---- constraints ------------------------------------------------------------------------------ */

#define MAX_TERMS 64

/* The equation of a column that leads no row, as a sum that is constant. */
static void add_constraint(struct elimination *m, uint32_t column, const struct equation *equation) {
  struct entry *entries = arena_array(m->arena, equation->n + 1, sizeof *entries);
  struct linear_term *terms = arena_array(m->arena, equation->n + 1, sizeof *terms);
  struct linear_constraint constraint = {.terms = terms};
  entries[0] = (struct entry){column, -1};
  if (equation->n)
    memcpy(entries + 1, equation->terms, equation->n * sizeof *entries);
  qsort(entries, equation->n + 1, sizeof *entries, by_column);
  for (size_t i = 0, end; i <= equation->n; i = end) {
    const uint32_t of = m->columns[entries[i].column].element;
    for (end = i + 1; end <= equation->n && m->columns[entries[end].column].element == of;)
      end++;
    struct linear_term *term = &terms[constraint.term_count++];
    if (!make_term(m, &entries[i], end - i, term))
      return;
    constraint.constant += of_term(m, term, m->initial[of]);
  }
  *ARENA_PUSH(m->arena, m->constraints.items, m->constraints.count, m->constraints.cap) = constraint;
}

static void make_constraints(struct elimination *m) {
  const struct equation *equations = make_equations(m);
  for (uint32_t column = 0; column < m->column_count; column++)
    if (!m->basis[column].count && equations[column].whole && equations[column].n < MAX_TERMS)
      add_constraint(m, column, &equations[column]);
}

/* ---- choice ---------------------------------------------------------------------------------- */

/* Chooses dependent elements, the heaviest first. A term of one is never dependent itself. */
static void choose_dependent(struct elimination *m) {
  struct equation *equations = make_equations(m);
  for (uint32_t i = m->order_count; i-- > 0;) {
    const uint32_t element = m->order[i].element;
    struct dependent_element dependent;
    if (!is_candidate(m, element) || m->is_term[element] || !equations[m->first_column[element]].whole ||
        !make_dependent(m, element, &equations[m->first_column[element]], &dependent))
      continue;
    m->is_dependent[element] = true;
    m->gain += m->weights[element];
    for (uint32_t k = 0; k < dependent.term_count; k++)
      m->is_term[dependent.terms[k].element] = true;
    *ARENA_PUSH(m->arena, m->found.items, m->found.count, m->found.cap) = dependent;
  }
}

/* ---- the whole -------------------------------------------------------------------------------- */

static void elimination_init(struct elimination *m, enum dependent_choice by) {
  const uint32_t n = m->model->value_count;
  m->first_column = arena_array(m->arena, n, sizeof *m->first_column);
  m->by_value_only = arena_array(m->arena, n, sizeof *m->by_value_only);
  m->is_dependent = arena_array(m->arena, n, sizeof *m->is_dependent);
  m->is_term = arena_array(m->arena, n, sizeof *m->is_term);
  m->initial = arena_array(m->arena, n, sizeof *m->initial);
  for (uint32_t e = 0; e < n; e++)
    m->first_column[e] = NO_NUMBER;
  model_initial_values(m->model, m->initial);
  make_order(m, by);
}

/* The equation of one element cannot use indicators of a dependent element, so a second elimination leaves these
   columns out. */
struct linear_invariants dependent_elements_find(const struct linear_problem *problem, enum dependent_choice order) {
  struct elimination m = {.model = problem->model,
                          .ranges = problem->ranges,
                          .changes = problem->changes,
                          .weights = problem->weights,
                          .stop = problem->stop,
                          .arena = problem->arena};
  elimination_init(&m, order);
  eliminate_all(&m);
  if (!m.failed)
    make_constraints(&m);
  bool again = false;
  for (uint32_t i = 0; i < m.order_count && !m.failed; i++) {
    const uint32_t element = m.order[i].element;
    m.by_value_only[element] = is_candidate(&m, element);
    again = again || m.by_value_only[element];
  }
  if (again && !m.failed)
    eliminate_all(&m);
  if (m.failed)
    return (struct linear_invariants){0};
  choose_dependent(&m);
  return (struct linear_invariants){
      m.found.items, (uint32_t)m.found.count, m.gain, {m.constraints.items, m.constraints.count}};
}
