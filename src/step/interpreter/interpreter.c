/* The reference semantics: an expression or a firing over a plain array of values, written for
   clarity. doc/semantics.md says the same in words. */
#include "step/interpreter/interpreter.h"

#include "model/bit_intervals.h"
#include "model/successor_bound.h"

#include <assert.h>
#include <string.h>

/* What an expression sees. `site` is that of the first error, NO_SITE before. */
struct view {
  const struct model *model;
  const int64_t *values, *selects, *temps;
  uint32_t site;
  const struct statement *statement;   /* in work */
  struct interpreter_failure *failure; /* NULL: nobody asks what failed */
};

static int64_t eval(struct view *view, const struct expr *e);

static bool failed(const struct view *view) { return view->site != NO_SITE; }

/* `e` NULL: it is the check of the statement itself. */
static int64_t fail(struct view *view, uint32_t site, const struct expr *e, int64_t value) {
  assert(site != NO_SITE && !failed(view));
  view->site = site;
  if (view->failure)
    *view->failure = (struct interpreter_failure){view->statement, e, value};
  return 0;
}

static int64_t read(struct view *view, const struct expr *e) {
  const struct variable *variable = &view->model->variables[e->id];
  int64_t element = e->a ? eval(view, e->a) : 0;
  if (failed(view))
    return 0;
  assert(0 <= element && element < variable->count);
  return view->values[variable->first + element];
}

static int64_t index_checked(struct view *view, const struct expr *e) {
  int64_t index = eval(view, e->a);
  if (failed(view))
    return 0;
  return 0 <= index && index < e->value ? index : fail(view, e->site, e, index);
}

static int64_t decided(struct view *view, const struct expr *e, bool deciding) {
  bool left = eval(view, e->a) != 0;
  if (failed(view) || left == deciding)
    return left;
  return eval(view, e->b) != 0;
}

static int64_t conditional(struct view *view, const struct expr *e) {
  bool which = eval(view, e->a) != 0;
  if (failed(view))
    return 0;
  return eval(view, which ? e->b : e->c);
}

static int64_t binary(struct view *view, const struct expr *e) {
  int64_t a = eval(view, e->a);
  if (failed(view))
    return 0;
  int64_t b = eval(view, e->b);
  if (failed(view))
    return 0;
  switch (e->op) {
  case EXPR_ADD:
    return a + b;
  case EXPR_SUB:
    return a - b;
  case EXPR_MUL:
    return a * b;
  case EXPR_DIV:
    return b ? a / b : fail(view, e->site, e, b);
  case EXPR_MOD:
    return b == 0 ? fail(view, e->site, e, b) : b == -1 ? 0 : a % b;
  case EXPR_MIN:
    return a < b ? a : b;
  case EXPR_MAX:
    return a > b ? a : b;
  case EXPR_LT:
    return a < b;
  case EXPR_LE:
    return a <= b;
  case EXPR_EQ:
    return a == b;
  case EXPR_NE:
    return a != b;
  case EXPR_SHL:
  case EXPR_SHR:
    return 0 <= b && b <= SHIFT_MAX ? bits_value(e->op, a, b) : fail(view, e->site, e, b);
  default:
    return bits_value(e->op, a, b);
  }
}

static int64_t eval(struct view *view, const struct expr *e) {
  switch (e->op) {
  case EXPR_CONST:
    return e->value;
  case EXPR_READ:
    return read(view, e);
  case EXPR_SELECT:
    return view->selects[e->id];
  case EXPR_TEMP:
    return view->temps[e->id];
  case EXPR_COMMITTED:
    return view->model->committed && eval(view, view->model->committed) != 0;
  case EXPR_INDEX:
    return index_checked(view, e);
  case EXPR_NEG:
    return -eval(view, e->a);
  case EXPR_NOT:
    return !eval(view, e->a);
  case EXPR_BITNOT:
    return ~eval(view, e->a);
  case EXPR_AND:
    return decided(view, e, false);
  case EXPR_OR:
    return decided(view, e, true);
  case EXPR_COND:
    return conditional(view, e);
  default:
    return binary(view, e);
  }
}

uint32_t interpreter_eval(const struct model *model, const struct expr *expr, const int64_t *values,
                          const int64_t *selects, const int64_t *temps, int64_t *value) {
  struct view view = {.model = model, .values = values, .selects = selects, .temps = temps, .site = NO_SITE};
  int64_t result = eval(&view, expr);
  if (!failed(&view))
    *value = result;
  return view.site;
}

uint32_t interpreter_explain(const struct model *model, const struct expr *expr, const int64_t *values,
                             struct interpreter_failure *failure) {
  struct view view = {.model = model, .values = values, .site = NO_SITE, .failure = failure};
  eval(&view, expr);
  return view.site;
}

bool interpreter_tests_hold(const struct model *model, const struct transition *transition, const int64_t *values) {
  for (size_t i = 0; i < transition->test_count; i++) {
    const struct location_test *test = &transition->tests[i];
    if (values[model->variables[test->variable].first + test->element] != test->location)
      return false;
  }
  return true;
}

/* Mixed radix, the last select varies fastest. */
static void choose(const struct transition *transition, uint32_t choice, int64_t *selects) {
  for (size_t i = transition->select_count; i-- > 0;) {
    const struct select *select = &transition->selects[i];
    uint64_t size = (uint64_t)(select->hi - select->lo) + 1;
    selects[i] = select->lo + (int64_t)(choice % size);
    choice = (uint32_t)(choice / size);
  }
}

/* True with an error's site in the view: the firing fails in its guard. */
static bool guards_hold(struct view *view, const struct transition *transition) {
  for (size_t i = 0; i < transition->guard_count; i++) {
    bool holds = eval(view, transition->guards[i]) != 0;
    if (failed(view))
      return true;
    if (!holds)
      return false;
  }
  return true;
}

static void check_range(struct view *view, uint32_t site, int64_t value, int64_t lo, int64_t hi) {
  if (site != NO_SITE && (value < lo || hi < value))
    fail(view, site, NULL, value);
}

static void assign(struct view *view, const struct statement *statement, int64_t *values) {
  const struct variable *variable = &view->model->variables[statement->id];
  int64_t element = statement->index ? eval(view, statement->index) : 0;
  if (failed(view))
    return;
  int64_t value = eval(view, statement->value);
  if (failed(view))
    return;
  check_range(view, statement->site, value, variable->lo, variable->hi);
  if (!failed(view))
    values[variable->first + element] = value;
}

static void let(struct view *view, const struct statement *statement, int64_t *temps) {
  int64_t value = eval(view, statement->value);
  if (failed(view))
    return;
  if (statement->site != NO_SITE) {
    const struct site *site = &view->model->sites[statement->site];
    check_range(view, statement->site, value, site->lo, site->hi);
  }
  if (!failed(view))
    temps[statement->id] = value;
}

static void run(struct view *view, const struct statement *statements, size_t count, int64_t *values, int64_t *temps);

static void branch(struct view *view, const struct statement *statement, int64_t *values, int64_t *temps) {
  const bool holds = eval(view, statement->value) != 0;
  if (failed(view))
    return;
  if (holds)
    run(view, statement->then, statement->then_count, values, temps);
  else
    run(view, statement->then + statement->then_count, statement->else_count, values, temps);
}

static void run(struct view *view, const struct statement *statements, size_t count, int64_t *values, int64_t *temps) {
  for (size_t i = 0; i < count && !failed(view); i++) {
    const struct statement *statement = &statements[i];
    view->statement = statement;
    switch (statement->op) {
    case ST_LET:
      let(view, statement, temps);
      break;
    case ST_ASSIGN:
      assign(view, statement, values);
      break;
    case ST_ASSERT:
      if (!eval(view, statement->value) && !failed(view))
        fail(view, statement->site, NULL, 0);
      break;
    case ST_IF:
      branch(view, statement, values, temps);
      break;
    }
  }
}

/* One choice of a transition whose tests hold; temps may be NULL. */
static bool try(struct view *view, const struct transition *transition, uint32_t choice, int64_t *after,
                int64_t *temps) {
  int64_t selects[MAX_SELECTS], own_temps[MAX_TEMPS];
  assert(transition->select_count <= MAX_SELECTS && transition->temp_count <= MAX_TEMPS);
  if (!temps)
    temps = own_temps;
  memset(temps, 0, transition->temp_count * sizeof *temps);
  choose(transition, choice, selects);
  view->selects = selects;
  view->temps = temps;
  if (!guards_hold(view, transition))
    return false;
  if (!failed(view)) {
    if (after != view->values)
      memcpy(after, view->values, view->model->value_count * sizeof *after);
    view->values = after;
    run(view, transition->statements, transition->statement_count, after, temps);
  }
  return true;
}

bool interpreter_try(const struct model *model, const struct transition *transition, uint32_t choice,
                     const int64_t *before, int64_t *after, int64_t *temps, uint32_t *site) {
  struct view view = {.model = model, .values = before, .site = NO_SITE};
  bool enabled = try(&view, transition, choice, after, temps);
  if (enabled)
    *site = view.site;
  return enabled;
}

bool interpreter_fire(const struct model *model, uint32_t transition, uint32_t choice, int64_t *values, int64_t *temps,
                      uint32_t *site) {
  const struct transition *ground = &model->transitions[transition];
  return interpreter_tests_hold(model, ground, values) &&
         interpreter_try(model, ground, choice, values, values, temps, site);
}

bool interpreter_explain_firing(const struct model *model, uint32_t transition, uint32_t choice, int64_t *values,
                                int64_t *temps, uint32_t *site, struct interpreter_failure *failure) {
  const struct transition *ground = &model->transitions[transition];
  struct view view = {.model = model, .values = values, .site = NO_SITE, .failure = failure};
  if (!interpreter_tests_hold(model, ground, values) || !try(&view, ground, choice, values, temps))
    return false;
  *site = view.site;
  return true;
}
