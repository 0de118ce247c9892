/* Start states are executed while the model is checked: their values are the initial values of the variables. */
#include "frontend/murphi/murphi_check.h"

#include "model/bit_intervals.h"
#include "model/successor_bound.h"

#include <string.h>

/* An execution of a start state; `failed`: the first error. */
struct execution {
  struct mu_check *check;
  int64_t *values, *selects, *temps;
  uint32_t failed;
  int64_t value; /* that failed */
};

static int64_t evaluate(struct execution *x, const struct expr *e);

static int64_t fail(struct execution *x, uint32_t site, int64_t value) {
  if (x->failed == NO_SITE) {
    x->failed = site;
    x->value = value;
  }
  return 0;
}

static int64_t evaluate_read(struct execution *x, const struct expr *e) {
  const struct variable *v = &x->check->variables[e->id];
  const int64_t element = e->a ? evaluate(x, e->a) : 0;
  return x->failed == NO_SITE ? x->values[v->first + element] : 0;
}

static int64_t evaluate_binary(struct execution *x, const struct expr *e) {
  const int64_t a = evaluate(x, e->a), b = x->failed == NO_SITE ? evaluate(x, e->b) : 0;
  if (x->failed != NO_SITE)
    return 0;
  switch (e->op) {
  case EXPR_ADD:
    return a + b;
  case EXPR_SUB:
    return a - b;
  case EXPR_MUL:
    return a * b;
  case EXPR_DIV:
    return b ? a / b : fail(x, e->site, b);
  case EXPR_MOD:
    return b == 0 ? fail(x, e->site, b) : b == -1 ? 0 : a % b;
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
    return 0 <= b && b <= SHIFT_MAX ? bits_value(e->op, a, b) : fail(x, e->site, b);
  default:
    return bits_value(e->op, a, b);
  }
}

static int64_t evaluate(struct execution *x, const struct expr *e) {
  int64_t a;
  switch (e->op) {
  case EXPR_CONST:
    return e->value;
  case EXPR_READ:
    return evaluate_read(x, e);
  case EXPR_SELECT:
    return x->selects[e->id];
  case EXPR_TEMP:
    return x->temps[e->id];
  case EXPR_INDEX:
    a = evaluate(x, e->a);
    return x->failed != NO_SITE || (0 <= a && a < e->value) ? a : fail(x, e->site, a);
  case EXPR_NEG:
    return -evaluate(x, e->a);
  case EXPR_NOT:
    return !evaluate(x, e->a);
  case EXPR_BITNOT:
    return ~evaluate(x, e->a);
  case EXPR_AND:
    return evaluate(x, e->a) && x->failed == NO_SITE && evaluate(x, e->b);
  case EXPR_OR:
    return evaluate(x, e->a) || (x->failed == NO_SITE && evaluate(x, e->b));
  case EXPR_COND:
    a = evaluate(x, e->a);
    return x->failed != NO_SITE ? 0 : evaluate(x, a ? e->b : e->c);
  default:
    return evaluate_binary(x, e);
  }
}

static void execute(struct execution *x, const struct statement *all, size_t count) {
  for (size_t i = 0; i < count && x->failed == NO_SITE; i++) {
    const struct statement *s = &all[i];
    const int64_t index = s->index ? evaluate(x, s->index) : 0;
    const int64_t value = x->failed == NO_SITE ? evaluate(x, s->value) : 0;
    if (x->failed != NO_SITE)
      return;
    switch (s->op) {
    case ST_LET:
      x->temps[s->id] = value;
      break;
    case ST_ASSIGN:
      x->values[x->check->variables[s->id].first + index] = value;
      break;
    case ST_ASSERT:
      if (!value)
        fail(x, s->site, 0);
      break;
    case ST_IF:
      if (value)
        execute(x, s->then, s->then_count);
      else
        execute(x, s->then + s->then_count, s->else_count);
      break;
    }
  }
}

/* ---- errors -------------------------------------------------------------------------------------- */

static void report(struct mu_check *c, const struct execution *x) {
  const struct site *site = &c->build.sites.items[x->failed];
  const char *const what = site->what;
  switch (site->kind) {
  case SITE_UNDEFINED:
    MU_ERROR(c, site->at, NULL, "error in the start state: '%s' is undefined", what);
    break;
  case SITE_VALUE:
  case SITE_INDEX:
    MU_ERROR(c, site->at, NULL, "error in the start state: %lld for '%s' is outside %lld..%lld",
             (long long)(x->value + site->lo), what, (long long)site->lo, (long long)site->hi);
    break;
  case SITE_DIVISION:
    MU_ERROR(c, site->at, NULL, "error in the start state: division by zero: '%s' is 0", what);
    break;
  default:
    MU_ERROR(c, site->at, NULL, "error in the start state: %s", what);
  }
}

/* ---- all start states ---------------------------------------------------------------------------- */

static void set_initial(struct mu_check *c, const int64_t *values) {
  for (size_t i = 0; i < c->build.model->variable_count; i++) {
    struct variable *v = &c->variables[i];
    int64_t *init = arena_array(c->build.arena, v->count, sizeof *init);
    memcpy(init, values + v->first, v->count * sizeof *init);
    v->init = init;
  }
}

static uint64_t choices_of(const struct mu_firing *start) {
  const struct transition t = {.selects = start->selects, .select_count = start->select_count};
  return transition_choices(&t);
}

static void set_selects(const struct mu_firing *start, uint64_t choice, int64_t *selects) {
  for (size_t i = start->select_count; i-- > 0;) {
    const uint64_t size = (uint64_t)(start->selects[i].hi - start->selects[i].lo) + 1;
    selects[i] = start->selects[i].lo + (int64_t)(choice % size);
    choice /= size;
  }
}

/* Values of a start state; false: an error was reported. */
static bool run(struct mu_check *c, const struct mu_firing *start, uint64_t choice, int64_t *values) {
  struct execution x = {.check = c,
                        .values = values,
                        .selects = arena_array(c->build.arena, start->select_count + 1, sizeof *x.selects),
                        .temps = arena_array(c->build.arena, start->temp_count + 1u, sizeof *x.temps),
                        .failed = NO_SITE};
  set_selects(start, choice, x.selects);
  model_initial_values(c->build.model, values);
  execute(&x, start->body.items, start->body.n);
  if (x.failed == NO_SITE)
    return true;
  report(c, &x);
  return false;
}

/* A variable for the state before the start states, in which all others are undefined. */
static void add_started(struct mu_check *c) {
  static const int64_t no = 0;
  struct model *model = c->build.model;
  for (size_t i = 0; i < model->variable_count; i++)
    c->variables[i].assigned = true;
  c->started = (uint32_t)model->variable_count;
  *ARENA_PUSH(c->build.arena, c->variables, model->variable_count, c->variable_cap) =
      (struct variable){.name = MU_STARTED,
                        .kind = VARIABLE_GLOBAL,
                        .count = 1,
                        .length = 1,
                        .is_bool = true,
                        .assigned = true,
                        .hi = 1,
                        .init = &no,
                        .at = NOWHERE};
  model->variables = c->variables;
  build_places(&c->build);
}

void mu_lower_starts(struct mu_check *c) {
  struct mu_firings starts = {0};
  const size_t count = c->build.model->value_count;
  int64_t *first = NULL;
  uint64_t firings = 0;
  bool differ = false;
  mu_lower_firings(c, true, &starts);
  if (c->build.errors)
    return;
  if (!starts.n) {
    MU_ERROR(c, NOWHERE, "add 'startstate begin ... end'", "the model has no start state");
    return;
  }
  for (size_t i = 0; i < starts.n; i++)
    for (uint64_t choice = 0, choices = choices_of(&starts.items[i]); choice < choices; choice++, firings++) {
      int64_t *values = arena_array(c->build.arena, count + 1, sizeof *values);
      if (!build_spend(&c->build, starts.items[i].item->at, 0, 1 + count) || !run(c, &starts.items[i], choice, values))
        return;
      differ |= first && memcmp(first, values, count * sizeof *values) != 0;
      first = first ? first : values;
    }
  if (differ) {
    c->start_firings = firings;
    add_started(c);
  } else
    set_initial(c, first);
}
