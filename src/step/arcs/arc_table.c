#include "step/arcs/arc_table.h"

/* Constants and ranges beyond are rare, and sums of a few smaller ones do not overflow. */
#define LARGEST ((int64_t)1 << 60)
#define UNBOUNDED ((int64_t)1 << 62)

/* An element of a variable, plus a constant; variable NULL: the constant alone. */
struct linear {
  const struct variable *variable;
  uint32_t element;
  int64_t constant;
};

/* The element is in lo..hi. */
struct condition {
  struct linear of;
  int64_t lo, hi;
};

/* What the statements so far do to an element. */
struct change {
  struct linear of;
  bool assigned; /* `amount` is its value; false: is added */
  int64_t amount;
};

/* The rows so far, and what is known of the current transition. */
struct table_job {
  const struct model *model;
  const struct layout *layout;
  struct arena *arena;
  struct arcs *arcs;
  struct arc_row *rows;
  struct arc_test *tests;
  struct arc_range *ranges;
  struct arc_update *updates;
  size_t test_count, test_cap, range_count, range_cap, update_count, update_cap;

  struct condition *conditions;
  struct change *changes;
  size_t condition_count, condition_cap, change_count, change_cap;
  uint32_t *condition_of, *change_of; /* [model->value_count] number of the element's own, plus 1; 0: none */
  uint32_t *test_of, *update_of;      /* [layout->words] the same of a word, counted from the row's first */
  bool impossible;                    /* a guard is false in every state */
  bool other_form;
};

/* ---- expressions ------------------------------------------------------------------------------ */

static bool is_small(int64_t value) { return -LARGEST < value && value < LARGEST; }

static bool linear_read(const struct model *model, const struct expr *e, struct linear *out) {
  if (e->a && e->a->op != EXPR_CONST)
    return false;
  *out = (struct linear){.variable = &model->variables[e->id], .element = e->a ? (uint32_t)e->a->value : 0};
  return is_small(out->variable->lo) && is_small(out->variable->hi);
}

/* False: another form. */
static bool linear_of(const struct model *model, const struct expr *e, struct linear *out) {
  struct linear a, b;
  if (e->op == EXPR_CONST) {
    *out = (struct linear){.constant = e->value};
    return is_small(e->value);
  }
  if (e->op == EXPR_READ)
    return linear_read(model, e, out);
  if ((e->op != EXPR_ADD && e->op != EXPR_SUB) || !linear_of(model, e->a, &a) || !linear_of(model, e->b, &b))
    return false;
  if (b.variable && (a.variable || e->op == EXPR_SUB))
    return false;
  *out = b.variable ? b : a;
  out->constant = e->op == EXPR_ADD ? a.constant + b.constant : a.constant - b.constant;
  return is_small(out->constant);
}

static uint32_t value_of_element(struct linear of) { return of.variable->first + of.element; }

struct position {
  uint32_t word, shift, width;
  const struct field *field;
};

static struct position position_of(const struct table_job *job, struct linear of) {
  const struct field *f = &job->layout->fields[of.variable - job->model->variables];
  return (struct position){field_word(f, of.element), field_shift(f, of.element), f->width, f};
}

/* A range in which no value is. */
static struct arc_range never(uint32_t site) { return (struct arc_range){.least = 1, .site = site}; }

static uint64_t mask_of(struct position at) { return ((uint64_t)1 << at.width) - 1; }

/* The element is in least..greatest, counted from its lowest value. Of a shared field, 0 is all codes but one: the
   subtraction of the next one wraps for all others. */
static struct arc_range range_at(struct position at, uint64_t least, uint64_t greatest, uint32_t site) {
  const bool other = at.field->shared && greatest == 0, same = at.field->shared && least == 1;
  const uint64_t first = other ? (uint64_t)at.field->code + 1 : same ? at.field->code : least;
  const uint64_t span = other ? UINT64_MAX - 1 : same ? 0 : greatest - least;
  return (struct arc_range){mask_of(at), first, span, at.word, at.shift, site, 0};
}

/* ---- guards ----------------------------------------------------------------------------------- */

/* Values that the element has in a state. */
static struct value_range range_of(struct linear of) {
  const struct variable *v = of.variable;
  return v->assigned ? (struct value_range){v->lo, v->hi}
                     : (struct value_range){v->init[of.element], v->init[of.element]};
}

/* The sum is in lo..hi. */
static void require(struct table_job *job, struct linear of, int64_t lo, int64_t hi) {
  lo -= of.constant;
  hi -= of.constant;
  if (!of.variable) {
    job->impossible |= lo > 0 || hi < 0;
    return;
  }
  uint32_t *const number = &job->condition_of[value_of_element(of)];
  if (!*number) {
    const struct value_range range = range_of(of);
    *ARENA_PUSH(job->arena, job->conditions, job->condition_count, job->condition_cap) =
        (struct condition){of, range.lo, range.hi};
    *number = (uint32_t)job->condition_count;
  }
  struct condition *const condition = &job->conditions[*number - 1];
  condition->lo = lo > condition->lo ? lo : condition->lo;
  condition->hi = hi < condition->hi ? hi : condition->hi;
}

/* Only a least or greatest value can be excluded. */
static void require_other(struct table_job *job, struct linear of, int64_t value) {
  const struct value_range range = of.variable ? range_of(of) : (struct value_range){0, 0};
  const int64_t excluded = value - of.constant;
  if (excluded == range.lo)
    require(job, of, value + 1, UNBOUNDED);
  else if (excluded == range.hi)
    require(job, of, -UNBOUNDED, value - 1);
  else
    job->other_form |= range.lo < excluded && excluded < range.hi;
}

/* `of` compared with a constant. `reversed`: the constant is the left side. */
static void require_comparison(struct table_job *job, enum expr_op op, struct linear of, int64_t value, bool reversed) {
  const int64_t strict = op == EXPR_LT;
  if (op == EXPR_EQ)
    require(job, of, value, value);
  else if (op == EXPR_NE)
    require_other(job, of, value);
  else if (reversed)
    require(job, of, value + strict, UNBOUNDED);
  else
    require(job, of, -UNBOUNDED, value - strict);
}

static enum expr_op opposite_of(enum expr_op op) {
  return op == EXPR_LT ? EXPR_LE : op == EXPR_LE ? EXPR_LT : op == EXPR_EQ ? EXPR_NE : EXPR_EQ;
}

static bool is_comparison(enum expr_op op) { return op == EXPR_LT || op == EXPR_LE || op == EXPR_EQ || op == EXPR_NE; }

/* a op b; not `truth`: the opposite, with the sides of an order swapped. */
static void add_comparison(struct table_job *job, const struct expr *e, bool truth) {
  struct linear a, b;
  const bool order = e->op == EXPR_LT || e->op == EXPR_LE;
  const bool known = linear_of(job->model, e->a, &a) && linear_of(job->model, e->b, &b);
  job->other_form |= !known || (a.variable && b.variable);
  if (job->other_form)
    return;
  const bool swapped = !a.variable;
  require_comparison(job, truth ? e->op : opposite_of(e->op), swapped ? b : a, swapped ? a.constant : b.constant,
                     order && swapped == truth);
}

static void add_guard(struct table_job *job, const struct expr *e) {
  bool truth = true;
  struct linear of;
  for (; e->op == EXPR_NOT; e = e->a)
    truth = !truth;
  if (e->op == EXPR_AND && truth) {
    add_guard(job, e->a);
    add_guard(job, e->b);
  } else if (is_comparison(e->op))
    add_comparison(job, e, truth);
  else if (linear_of(job->model, e, &of))
    require_comparison(job, truth ? EXPR_NE : EXPR_EQ, of, 0, false);
  else
    job->other_form = true;
}

/* ---- statements ------------------------------------------------------------------------------- */

/* The element has a value in lo..hi before the step, else the firing fails. */
static void add_check(struct table_job *job, struct linear of, int64_t lo, int64_t hi, uint32_t site) {
  const uint32_t number = job->condition_of[value_of_element(of)];
  struct value_range before = range_of(of);
  const struct position at = position_of(job, of);
  if (number)
    before = (struct value_range){job->conditions[number - 1].lo, job->conditions[number - 1].hi};
  if (lo <= before.lo && before.hi <= hi)
    return;
  lo = lo > of.variable->lo ? lo : of.variable->lo;
  hi = hi < of.variable->hi ? hi : of.variable->hi;
  struct arc_range check = never(site);
  if (lo <= hi && at.width)
    check = range_at(at, (uint64_t)(lo - of.variable->lo), (uint64_t)(hi - of.variable->lo), site);
  *ARENA_PUSH(job->arena, job->ranges, job->range_count, job->range_cap) = check;
}

static void check_change(struct table_job *job, const struct change *change, uint32_t site) {
  const struct variable *v = change->of.variable;
  if (!change->assigned)
    add_check(job, change->of, v->lo - change->amount, v->hi - change->amount, site);
  else if (change->amount < v->lo || v->hi < change->amount)
    add_check(job, change->of, UNBOUNDED, -UNBOUNDED, site);
}

static struct change *change_of(struct table_job *job, struct linear of) {
  uint32_t *const number = &job->change_of[value_of_element(of)];
  if (!*number) {
    *ARENA_PUSH(job->arena, job->changes, job->change_count, job->change_cap) = (struct change){.of = of};
    *number = (uint32_t)job->change_count;
  }
  return &job->changes[*number - 1];
}

/* The set whose variables are all 0 if `e` holds: a conjunction of them in their order. NULL: another form. */
static const struct exclusive_set *set_of_zeros(const struct table_job *job, const struct linear *zeros, size_t count) {
  for (size_t i = 0; i < job->model->exclusive_count; i++) {
    const struct exclusive_set *set = &job->model->exclusive[i];
    size_t k = 0;
    while (k < count && k < set->count && zeros[k].variable == &job->model->variables[set->variables[k]])
      k++;
    if (k == count && k == set->count && !set->one)
      return set;
  }
  return NULL;
}

/* Elements of which `e` states that they are 0, appended. */
static void list_zeros(struct table_job *job, const struct expr *e, struct linear **list, size_t *count, size_t *cap) {
  struct linear a, b;
  if (e->op == EXPR_AND) {
    list_zeros(job, e->a, list, count, cap);
    list_zeros(job, e->b, list, count, cap);
    return;
  }
  job->other_form |= e->op != EXPR_EQ || !linear_of(job->model, e->a, &a) || !linear_of(job->model, e->b, &b);
  if (job->other_form)
    return;
  const struct linear of = a.variable ? a : b;
  job->other_form |= !of.variable || (a.variable && b.variable) || a.constant || b.constant;
  if (!job->other_form)
    *ARENA_PUSH(job->arena, *list, *count, *cap) = of;
}

/* A statement that fails unless elements are 0, before all changes. */
static void add_assertion(struct table_job *job, const struct statement *statement) {
  struct linear *zeros = NULL;
  size_t count = 0, cap = 0;
  job->other_form |= job->change_count > 0;
  if (statement->value->op == EXPR_CONST) {
    if (!statement->value->value)
      *ARENA_PUSH(job->arena, job->ranges, job->range_count, job->range_cap) = never(statement->site);
    return;
  }
  list_zeros(job, statement->value, &zeros, &count, &cap);
  if (job->other_form)
    return;
  if (set_of_zeros(job, zeros, count)) {
    const struct position at = position_of(job, zeros[0]);
    const struct arc_range check = {mask_of(at), 0, 0, at.word, at.shift, statement->site, 0};
    *ARENA_PUSH(job->arena, job->ranges, job->range_count, job->range_cap) = check;
    return;
  }
  for (size_t i = 0; i < count; i++)
    add_check(job, zeros[i], 0, 0, statement->site);
}

static void add_statement(struct table_job *job, const struct statement *statement) {
  if (statement->op == ST_ASSERT) {
    add_assertion(job, statement);
    return;
  }
  struct linear value = {0};
  const struct expr *index = statement->index;
  const bool known = statement->op == ST_ASSIGN && (!index || index->op == EXPR_CONST) &&
                     linear_of(job->model, statement->value, &value);
  const struct linear of = {.variable = &job->model->variables[statement->id],
                            .element = index ? (uint32_t)index->value : 0};
  job->other_form |= !known || !is_small(of.variable->lo) || !is_small(of.variable->hi) ||
                     (value.variable && (value.variable != of.variable || value.element != of.element));
  if (job->other_form)
    return;
  struct change *const change = change_of(job, of);
  change->assigned |= !value.variable;
  change->amount = value.variable ? change->amount + value.constant : value.constant;
  job->other_form |= !is_small(change->amount);
  if (statement->site != NO_SITE)
    check_change(job, change, statement->site);
}

/* ---- fields ----------------------------------------------------------------------------------- */

static void add_test(struct table_job *job, uint32_t word, uint64_t mask, uint64_t value) {
  const uint32_t first = job->rows[job->arcs->table.transitions].test;
  if (!job->test_of[word]) {
    *ARENA_PUSH(job->arena, job->tests, job->test_count, job->test_cap) = (struct arc_test){.word = word};
    job->test_of[word] = (uint32_t)job->test_count - first;
  }
  struct arc_test *const test = &job->tests[first + job->test_of[word] - 1];
  job->impossible |= ((test->value ^ value) & test->mask & mask) != 0; /* two codes of one field */
  test->mask |= mask;
  test->value |= value;
}

/* Number of lower bits that a test of the others ignores, if it accepts exactly lo..hi of 0..top; -1: there is none. */
static int ignored_bits(uint64_t lo, uint64_t hi, uint64_t top, uint32_t width) {
  for (uint32_t bits = 0; bits < width; bits++) {
    const uint64_t below = ((uint64_t)1 << bits) - 1;
    if (!(lo & below) && (lo + below == hi || (hi == top && lo + below > hi)))
      return (int)bits;
  }
  return -1;
}

static void add_condition(struct table_job *job, const struct condition *condition) {
  const struct value_range range = range_of(condition->of);
  const struct position at = position_of(job, condition->of);
  if (condition->lo > condition->hi)
    job->impossible = true;
  if (job->impossible || (condition->lo == range.lo && condition->hi == range.hi))
    return;
  const uint64_t lo = (uint64_t)(condition->lo - range.lo), hi = (uint64_t)(condition->hi - range.lo);
  const uint64_t mask = mask_of(at);
  const int ignored = at.field->shared ? -1 : ignored_bits(lo, hi, (uint64_t)(range.hi - range.lo), at.width);
  if (at.field->shared && lo == 1)
    add_test(job, at.word, mask << at.shift, (uint64_t)at.field->code << at.shift);
  else if (ignored >= 0)
    add_test(job, at.word, (mask >> ignored << ignored) << at.shift, lo << at.shift);
  else
    *ARENA_PUSH(job->arena, job->ranges, job->range_count, job->range_cap) = range_at(at, lo, hi, NO_SITE);
}

static void add_update(struct table_job *job, const struct change *change) {
  const struct position at = position_of(job, change->of);
  if (!at.width || (!change->assigned && !change->amount))
    return;
  const bool shared = at.field->shared; /* its constants are changes */
  const uint32_t first = job->rows[job->arcs->table.transitions].update;
  if (!job->update_of[at.word]) {
    *ARENA_PUSH(job->arena, job->updates, job->update_count, job->update_cap) =
        (struct arc_update){.keep = UINT64_MAX, .word = at.word};
    job->update_of[at.word] = (uint32_t)job->update_count - first;
  }
  struct arc_update *const update = &job->updates[first + job->update_of[at.word] - 1];
  if (shared)
    update->add += (change->amount ? at.field->code : -(uint64_t)at.field->code) << at.shift;
  else if (change->assigned)
    update->keep &= ~(mask_of(at) << at.shift);
  /* A negative amount borrows from the bits above, which the true sum gives back. */
  if (!shared)
    update->add += (uint64_t)(change->assigned ? change->amount - change->of.variable->lo : change->amount) << at.shift;
}

/* ---- transitions ------------------------------------------------------------------------------ */

static void forget_transition(struct table_job *job) {
  const struct arc_row *row = &job->rows[job->arcs->table.transitions];
  for (size_t i = 0; i < job->condition_count; i++)
    job->condition_of[value_of_element(job->conditions[i].of)] = 0;
  for (size_t i = 0; i < job->change_count; i++)
    job->change_of[value_of_element(job->changes[i].of)] = 0;
  for (size_t i = row->test; i < job->test_count; i++)
    job->test_of[job->tests[i].word] = 0;
  for (size_t i = row->update; i < job->update_count; i++)
    job->update_of[job->updates[i].word] = 0;
  job->condition_count = job->change_count = 0;
  job->impossible = false;
}

/* The step of the automaton is no part of the table: in a product the first guard, the last select and the statement
   that sets the automaton's state. */
static bool is_about_automaton(const struct table_job *job, const struct statement *statement) {
  const struct model_automaton *automaton = job->model->automaton;
  return automaton && statement->op == ST_ASSIGN && statement->id == automaton->variable;
}

static void add_transition(struct table_job *job, const struct transition *t) {
  struct arc_row *const row = &job->rows[job->arcs->table.transitions];
  const struct model_automaton *automaton = job->model->automaton;
  *row = (struct arc_row){(uint32_t)job->test_count, (uint32_t)job->range_count, 0, (uint32_t)job->update_count};
  job->other_form |=
      t->select_count > (automaton && automaton->degree > 1) || t->temp_count || (t->otherwise && !automaton);
  for (size_t i = 0; i < t->test_count; i++)
    require(job,
            (struct linear){.variable = &job->model->variables[t->tests[i].variable], .element = t->tests[i].element},
            t->tests[i].location, t->tests[i].location);
  for (size_t i = automaton ? 1 : 0; i < t->guard_count && !job->other_form; i++)
    add_guard(job, t->guards[i]);
  for (size_t i = 0; i < job->condition_count; i++)
    add_condition(job, &job->conditions[i]);
  if (job->impossible)
    *ARENA_PUSH(job->arena, job->ranges, job->range_count, job->range_cap) = never(NO_SITE);
  row->check = (uint32_t)job->range_count;
  for (size_t i = 0; i < t->statement_count && !job->other_form && !job->impossible; i++)
    if (!is_about_automaton(job, &t->statements[i]))
      add_statement(job, &t->statements[i]);
  for (size_t i = 0; i < job->change_count; i++)
    add_update(job, &job->changes[i]);
  forget_transition(job);
  job->arcs->table.transitions++;
}

static void make(void *data) {
  struct table_job *const job = data;
  const struct model *model = job->model;
  job->arcs = arena_alloc(job->arena, sizeof *job->arcs);
  job->rows = arena_array(job->arena, model->transition_count + 1, sizeof *job->rows);
  job->condition_of = arena_array(job->arena, model->value_count + 1, sizeof *job->condition_of);
  job->change_of = arena_array(job->arena, model->value_count + 1, sizeof *job->change_of);
  job->test_of = arena_array(job->arena, job->layout->words, sizeof *job->test_of);
  job->update_of = arena_array(job->arena, job->layout->words, sizeof *job->update_of);
  for (size_t t = 0; t < model->transition_count && !job->other_form; t++)
    add_transition(job, &model->transitions[t]);
  struct arcs *const arcs = job->arcs;
  arcs->tests = (uint32_t)job->test_count;
  arcs->ranges = (uint32_t)job->range_count;
  arcs->updates = (uint32_t)job->update_count;
  job->rows[arcs->table.transitions] = (struct arc_row){arcs->tests, arcs->ranges, arcs->ranges, arcs->updates};
  arcs->table = (struct arc_table){job->rows, job->tests, job->ranges, job->updates, arcs->table.transitions};
}

floe_status arc_table_make(const struct model *model, const struct layout *layout, struct arena *arena,
                           const struct arcs **out) {
  struct table_job job = {.model = model, .layout = layout, .arena = arena};
  if (layout->encoding || model->stuttering || model->transient)
    return FLOE_ERROR_UNSUPPORTED;
  if (arena_guard(arena, make, &job))
    return FLOE_ERROR_MEMORY;
  *out = job.arcs;
  return job.other_form ? FLOE_ERROR_UNSUPPORTED : FLOE_OK;
}
