/* The beginning of a process whose single instance does the same in every run, as far as that is known from its own
   variables: most processes that run others do so there, in a loop over numbers. */
#include "frontend/promela/promela_check.h"

#define MAX_STEPS 20000
#define MAX_ELEMENTS 4096

struct cell {
  const struct pr_symbol *symbol;
  int64_t *values; /* [count] */
  uint32_t count;
};

struct prefix {
  struct pr_context context;
  struct cell *cells;
  size_t cell_count, cell_cap;
};

struct known {
  bool is;
  int64_t value;
};
static const struct known unknown = {false, 0};
static struct known known(int64_t value) { return (struct known){true, (int32_t)value}; }

/* ---- variables ----------------------------------------------------------------------------------- */

static bool assigns(struct pr_check *c, const struct pr_process *p, const struct pr_symbol *symbol) {
  for (size_t i = 0; i < p->graph.step_count; i++) {
    const struct pr_step *step = &p->graph.steps[i];
    const struct pr_context x = {.check = c, .process = p, .scope = step->scope};
    if (step->statement && pr_assigns(&x, step->statement, symbol))
      return true;
  }
  return false;
}

/* No other process assigns the variable. */
static bool is_own(const struct prefix *f, const struct pr_process *owner, const struct pr_symbol *symbol) {
  struct pr_check *c = f->context.check;
  for (size_t i = 0; !owner && i < c->tree->proctypes.n; i++)
    if (&c->processes[i] != f->context.process && assigns(c, &c->processes[i], symbol))
      return false;
  return true;
}

static struct known evaluate(struct prefix *f, const struct pr_expr *e);

static int64_t wrapped(const struct pr_scalar *s, int64_t value) {
  const int64_t size = s->hi - s->lo + 1, rest = (value - s->lo) % size;
  return s->lo + (rest < 0 ? rest + size : rest);
}

/* False: some value is not known. */
static bool set_initial(struct prefix *f, const struct cell *cell, const struct pr_process *owner) {
  const struct pr_variable *v = cell->symbol->written;
  const bool starts = !owner || cell->symbol < owner->symbols.items + owner->leading;
  if (!starts)
    return true;
  for (uint32_t i = 0; i < cell->count; i++) {
    const struct pr_expr *e = v->values.n ? (i < v->values.n ? v->values.items[i] : NULL) : v->value;
    if (e && !pr_is_literal(&f->context, e))
      return false;
    const struct known value = e ? evaluate(f, e) : known(0);
    if (!value.is)
      return false;
    cell->values[i] = wrapped(&cell->symbol->leaves[0].scalar, value.value);
  }
  return true;
}

/* Of a number or an array of numbers; NULL: its values are not known. */
static struct cell *cell_of(struct prefix *f, const struct pr_expr *name) {
  const struct pr_process *owner;
  const struct pr_symbol *symbol = pr_find(&f->context, name->name.id, &owner);
  for (size_t i = 0; i < f->cell_count; i++)
    if (f->cells[i].symbol == symbol)
      return f->cells[i].values ? &f->cells[i] : NULL;
  if (!symbol || symbol->leaf_count != 1 || symbol->leaves[0].depth || symbol->leaves[0].scalar.type == PR_T_CHAN ||
      symbol->leaves[0].count > MAX_ELEMENTS)
    return NULL;
  struct arena *arena = f->context.check->build.arena;
  struct cell *cell = ARENA_PUSH(arena, f->cells, f->cell_count, f->cell_cap);
  *cell = (struct cell){.symbol = symbol, .count = symbol->leaves[0].count};
  if (!is_own(f, owner, symbol))
    return NULL;
  cell->values = arena_array(arena, cell->count, sizeof *cell->values);
  if (!set_initial(f, cell, owner))
    cell->values = NULL;
  return cell->values ? cell : NULL;
}

static int64_t *place_of(struct prefix *f, const struct pr_expr *e) {
  const struct pr_expr *name = e->op == PR_E_INDEX ? e->a : e;
  if (name->op != PR_E_NAME)
    return NULL;
  const struct known index = e->op == PR_E_INDEX ? evaluate(f, e->b) : known(0);
  struct cell *cell = cell_of(f, name);
  return cell && index.is && index.value >= 0 && index.value < cell->count ? &cell->values[index.value] : NULL;
}

/* ---- expressions --------------------------------------------------------------------------------- */

static struct known binary(enum pr_op op, int64_t a, int64_t b) {
  switch (op) {
  case PR_E_ADD:
    return known(a + b);
  case PR_E_SUB:
    return known(a - b);
  case PR_E_MUL:
    return known(a * b);
  case PR_E_DIV:
    return b ? known(a / b) : unknown;
  case PR_E_MOD:
    return b ? known(a % b) : unknown;
  case PR_E_SHL:
    return b >= 0 && b < 31 ? known(a * ((int64_t)1 << b)) : unknown;
  case PR_E_SHR:
    return a >= 0 && b >= 0 && b < 31 ? known(a >> b) : unknown;
  case PR_E_BITAND:
    return known(a & b);
  case PR_E_BITOR:
    return known(a | b);
  case PR_E_BITXOR:
    return known(a ^ b);
  case PR_E_EQ:
    return known(a == b);
  case PR_E_NE:
    return known(a != b);
  case PR_E_LT:
    return known(a < b);
  case PR_E_LE:
    return known(a <= b);
  case PR_E_GT:
    return known(a > b);
  case PR_E_GE:
    return known(a >= b);
  case PR_E_AND:
    return known(a && b);
  case PR_E_OR:
    return known(a || b);
  default:
    return unknown;
  }
}

static struct known evaluate(struct prefix *f, const struct pr_expr *e) {
  const struct pr_check *c = f->context.check;
  const struct pr_process *owner;
  const int64_t *place;
  struct known a;
  switch (e->op) {
  case PR_E_NUMBER:
    return known(e->constant ? c->constants[e->constant - 1].value : e->value);
  case PR_E_NAME:
    if (!pr_find(&f->context, e->name.id, &owner)) {
      const int64_t value = pr_mtype_value(c, e->name.id);
      return value ? known(value) : unknown;
    } /* falls through */
  case PR_E_INDEX:
    place = place_of(f, e);
    return place ? known(*place) : unknown;
  case PR_E_NEG:
  case PR_E_NOT:
    a = evaluate(f, e->a);
    return a.is ? known(e->op == PR_E_NEG ? -a.value : !a.value) : unknown;
  case PR_E_BITNOT:
    a = evaluate(f, e->a);
    return a.is ? known(~a.value) : unknown;
  case PR_E_COND:
    a = evaluate(f, e->a);
    return a.is ? evaluate(f, a.value ? e->b : e->c) : unknown;
  default:
    if (e->op < PR_E_ADD || e->op > PR_E_GE)
      return unknown;
    a = evaluate(f, e->a);
    const struct known b = evaluate(f, e->b);
    return a.is && b.is ? binary(e->op, a.value, b.value) : unknown;
  }
}

/* ---- steps --------------------------------------------------------------------------------------- */

static struct known is_enabled(struct prefix *f, const struct pr_step *step) {
  if (step->kind != PR_STEP_STATEMENT)
    return step->kind == PR_STEP_END ? unknown : known(1);
  switch (step->statement->kind) {
  case PR_S_EXPRESSION:
    return pr_run_of(step->statement) ? known(1) : evaluate(f, step->statement->value);
  case PR_S_ASSIGN:
  case PR_S_INCREMENT:
  case PR_S_DECREMENT:
  case PR_S_ASSERT:
  case PR_S_PRINT:
    return known(1);
  default:
    return unknown;
  }
}

/* The only step of the location that is enabled; NULL: that is not known. */
static const struct pr_step *next_step(struct prefix *f, uint32_t location) {
  const struct pr_process *p = f->context.process;
  const struct pr_location *l = &p->graph.locations[location];
  const struct pr_step *only = NULL;
  for (size_t i = l->first; i < l->first + l->count; i++) {
    const struct pr_step *step = &p->graph.steps[i];
    f->context.scope = step->scope;
    if (step->escape)
      return NULL;
    if (step->kind == PR_STEP_ELSE && only)
      continue;
    const struct known enabled = is_enabled(f, step);
    if (!enabled.is || (enabled.value && only))
      return NULL;
    only = enabled.value ? step : only;
  }
  return only;
}

/* What is assigned is no longer known if the value is not. */
static void execute(struct prefix *f, const struct pr_step *step) {
  const struct pr_statement *s = step->statement;
  f->context.scope = step->scope;
  if (!s || !s->target || step->kind != PR_STEP_STATEMENT)
    return;
  const struct pr_expr *name = s->target;
  while (name->op != PR_E_NAME)
    name = name->a;
  struct cell *cell = cell_of(f, name);
  if (!cell)
    return;
  int64_t *place = place_of(f, s->target);
  const struct known value = !place                      ? unknown
                             : s->kind == PR_S_ASSIGN    ? evaluate(f, s->value)
                             : s->kind == PR_S_INCREMENT ? known(*place + 1)
                                                         : known(*place - 1);
  if (place && value.is)
    *place = wrapped(&cell->symbol->leaves[0].scalar, value.value);
  else
    cell_of(f, name)->values = NULL; /* `cell` may have moved */
}

uint32_t pr_run_prefix(struct pr_check *c, const struct pr_process *p,
                       void (*found)(void *user, const struct pr_expr *run), void *user) {
  struct prefix f = {.context = {.check = c, .process = p}};
  uint32_t location = 0;
  for (size_t i = 0; i < MAX_STEPS; i++) {
    const struct pr_step *step = next_step(&f, location);
    if (!step)
      break;
    if (pr_run_of(step->statement))
      found(user, pr_run_of(step->statement));
    execute(&f, step);
    location = step->to;
  }
  return location;
}
