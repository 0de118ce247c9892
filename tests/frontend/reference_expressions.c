#include "reference_expressions.h"

#include <stdlib.h>
#include <string.h>

/* ---- lookup ---------------------------------------------------------------------- */

uint32_t reference_variable(const struct run *r, const char *name, uint32_t process) {
  for (uint32_t pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < r->model->variable_count; i++) {
      const struct variable *v = &r->model->variables[i];
      bool fits = pass == 0 ? v->kind == VARIABLE_LOCAL && v->owner == process : v->kind == VARIABLE_GLOBAL;
      if (fits && strcmp(v->name, name) == 0)
        return i;
    }
  return NO_PROCESS;
}

static uint32_t process_of(const struct run *r, const char *name) {
  for (uint32_t i = 0; i < r->model->process_count; i++)
    if (strcmp(r->model->processes[i].name, name) == 0)
      return i;
  return NO_PROCESS;
}

uint32_t reference_channel(const struct run *r, const struct syntax_expr *e) {
  const char *name = e->op == SYN_INDEX ? e->a->name : e->name;
  for (uint32_t i = 0; i < r->model->channel_count; i++)
    if (strcmp(r->model->channels[i].name, name) == 0)
      return i;
  return NO_PROCESS;
}

uint32_t reference_location(const struct run *r, uint32_t process, const char *name) {
  const struct process *p = &r->model->processes[process];
  for (uint32_t i = 0; i < p->location_count; i++)
    if (strcmp(p->locations[i].name, name) == 0)
      return i;
  return NO_PROCESS;
}

int64_t *reference_location_value(const struct run *r, int64_t *values, struct actor w) {
  uint32_t v = r->model->processes[w.process].location_variable;
  return &values[r->model->variables[v].first + w.instance];
}

_Noreturn void reference_fail(struct run *r) { longjmp(r->failed, 1); }

static uint32_t bounded(struct run *r, int64_t index, int64_t bound) {
  if (index < 0 || index >= bound)
    reference_fail(r);
  return (uint32_t)index;
}

/* ---- expressions --------------------------------------------------------------------- */

int64_t *reference_element(struct run *r, struct actor w, uint32_t variable, const struct actor *owner,
                           const struct syntax_expr *index) {
  const struct variable *v = &r->model->variables[variable];
  uint32_t own = index ? bounded(r, reference_value(r, w, index), v->length) : 0;
  return &r->now[v->first + (v->kind == VARIABLE_LOCAL ? owner->instance * v->length : 0) + own];
}

static const struct syntax_define *find_define(const struct run *r, struct actor w, const char *name, bool *local) {
  const struct syntax_process *p = w.process == NO_PROCESS ? NULL : &r->syntax->processes[w.process];
  *local = true;
  for (size_t i = 0; p && i < p->define_count; i++)
    if (strcmp(p->defines[i].name, name) == 0)
      return &p->defines[i];
  *local = false;
  for (size_t i = 0; i < r->syntax->define_count; i++)
    if (strcmp(r->syntax->defines[i].name, name) == 0)
      return &r->syntax->defines[i];
  return NULL;
}

static int64_t define_value(struct run *r, struct actor w, const char *name, const struct syntax_exprs *arguments) {
  enum { MOST = 4 };
  bool local;
  const struct syntax_define *define = find_define(r, w, name, &local);
  struct name names[MOST];
  struct actor inside = {local ? w.process : NO_PROCESS, w.instance, NULL};
  if (define->parameter_count > MOST)
    abort();
  for (size_t i = 0; i < define->parameter_count; i++) {
    names[i] = (struct name){
        .name = define->parameters[i].name, .outer = inside.names, .argument = arguments->items[i], .home = &w};
    inside.names = &names[i];
  }
  return reference_value(r, inside, define->expr);
}

static int64_t name_value(struct run *r, struct actor w, const char *name) {
  for (const struct name *n = w.names; n; n = n->outer)
    if (strcmp(n->name, name) == 0)
      return n->argument ? reference_value(r, *n->home, n->argument) : n->value;
  if (strcmp(name, "self") == 0)
    return w.instance;
  for (size_t i = 0; i < r->model->constant_count; i++)
    if (strcmp(r->model->constants[i].name, name) == 0)
      return r->model->constants[i].value;
  const struct syntax_process *p = w.process == NO_PROCESS ? NULL : &r->syntax->processes[w.process];
  for (size_t i = 0; p && i < p->parameter_count; i++)
    if (strcmp(p->parameters[i].name, name) == 0) {
      const struct syntax_exprs *value = &p->parameters[i].value;
      return reference_value(r, w, value->items[value->n > 1 ? w.instance : 0]);
    }
  if (find_define(r, w, name, &(bool){false}))
    return define_value(r, w, name, NULL);
  return *reference_element(r, w, reference_variable(r, name, w.process), &w, NULL);
}

static int64_t field_value(struct run *r, struct actor w, const struct syntax_expr *e,
                           const struct syntax_expr *index) {
  struct actor owner = {process_of(r, e->a->op == SYN_INDEX ? e->a->a->name : e->a->name), 0, NULL};
  if (e->a->op == SYN_INDEX)
    owner.instance = bounded(r, reference_value(r, w, e->a->b), r->model->processes[owner.process].instances);
  uint32_t location = reference_location(r, owner.process, e->name);
  if (location != NO_PROCESS)
    return *reference_location_value(r, r->now, owner) == location;
  return *reference_element(r, w, reference_variable(r, e->name, owner.process), &owner, index);
}

uint32_t reference_channel_element(struct run *r, struct actor w, const struct syntax_expr *e) {
  const struct channel *c = &r->model->channels[reference_channel(r, e)];
  return e->op == SYN_INDEX ? bounded(r, reference_value(r, w, e->b), c->size) : 0;
}

int64_t *reference_length(struct run *r, uint32_t channel, uint32_t element_number) {
  uint32_t v = r->model->channels[channel].length_variable;
  return &r->now[r->model->variables[v].first + element_number];
}

void reference_range(struct run *r, struct actor w, const struct syntax_range *range, int64_t *lo, int64_t *hi) {
  *lo = range->hi ? reference_value(r, w, range->lo) : 0;
  *hi = range->hi ? reference_value(r, w, range->hi)
                  : (int64_t)r->model->processes[process_of(r, range->lo->name)].instances - 1;
}

static int64_t quantified(struct run *r, struct actor w, const struct syntax_expr *e) {
  int64_t lo, hi, result = e->op == SYN_ALL;
  reference_range(r, w, &e->range, &lo, &hi);
  for (int64_t i = lo; i <= hi; i++) {
    struct name bound = {.name = e->name, .value = i, .outer = w.names};
    int64_t body = reference_value(r, (struct actor){w.process, w.instance, &bound}, e->a);
    switch (e->op) {
    case SYN_ALL:
      if (!body)
        return 0;
      break;
    case SYN_EXISTS:
      if (body)
        return 1;
      break;
    case SYN_COUNT:
      result += body != 0;
      break;
    case SYN_SUM:
      result += body;
      break;
    case SYN_MIN_OF:
      result = i == lo || body < result ? body : result;
      break;
    default:
      result = i == lo || body > result ? body : result;
    }
  }
  return result;
}

static int64_t arithmetic(struct run *r, struct actor w, const struct syntax_expr *e) {
  int64_t a = reference_value(r, w, e->a), b = reference_value(r, w, e->b);
  switch (e->op) {
  case SYN_ADD:
    return a + b;
  case SYN_SUB:
    return a - b;
  case SYN_MUL:
    return a * b;
  case SYN_DIV:
  case SYN_MOD:
    if (!b)
      reference_fail(r);
    return e->op == SYN_DIV ? a / b : a % b;
  case SYN_SHL:
  case SYN_SHR:
    if (b < 0 || b > 63)
      reference_fail(r);
    for (int64_t i = 0; i < b; i++) /* rounded down */
      a = e->op == SYN_SHL ? a * 2 : (a - (a % 2 != 0 && a < 0)) / 2;
    return a;
  case SYN_BITAND:
    return a & b;
  case SYN_BITOR:
    return a | b;
  case SYN_BITXOR:
    return a ^ b;
  case SYN_LT:
    return a < b;
  case SYN_LE:
    return a <= b;
  case SYN_GT:
    return a > b;
  case SYN_GE:
    return a >= b;
  case SYN_EQ:
    return a == b;
  case SYN_NE:
    return a != b;
  case SYN_MIN:
    return a < b ? a : b;
  default:
    return a > b ? a : b;
  }
}

static int64_t buffer_state(struct run *r, struct actor w, const struct syntax_expr *e) {
  uint32_t channel = reference_channel(r, e->a);
  int64_t length = *reference_length(r, channel, reference_channel_element(r, w, e->a));
  return e->op == SYN_LEN     ? length
         : e->op == SYN_EMPTY ? length == 0
                              : length == (int64_t)r->model->channels[channel].capacity;
}

int64_t reference_value(struct run *r, struct actor w, const struct syntax_expr *e) {
  switch (e->op) {
  case SYN_NUMBER:
    return e->value;
  case SYN_NAME:
    return name_value(r, w, e->name);
  case SYN_INDEX:
    if (e->a->op == SYN_FIELD)
      return field_value(r, w, e->a, e->b);
    return *reference_element(r, w, reference_variable(r, e->a->name, w.process), &w, e->b);
  case SYN_FIELD:
    return field_value(r, w, e, NULL);
  case SYN_NEG:
    return -reference_value(r, w, e->a);
  case SYN_NOT:
    return !reference_value(r, w, e->a);
  case SYN_BITNOT:
    return -reference_value(r, w, e->a) - 1;
  case SYN_AND:
    return reference_value(r, w, e->a) && reference_value(r, w, e->b);
  case SYN_OR:
    return reference_value(r, w, e->a) || reference_value(r, w, e->b);
  case SYN_IMPLIES:
    return !reference_value(r, w, e->a) || reference_value(r, w, e->b);
  case SYN_COND:
    return reference_value(r, w, e->a) ? reference_value(r, w, e->b) : reference_value(r, w, e->c);
  case SYN_ALL:
  case SYN_EXISTS:
  case SYN_COUNT:
  case SYN_SUM:
  case SYN_MIN_OF:
  case SYN_MAX_OF:
    return quantified(r, w, e);
  case SYN_LEN:
  case SYN_EMPTY:
  case SYN_FULL:
    return buffer_state(r, w, e);
  case SYN_CALL:
    return define_value(r, w, e->name, &e->arguments);
  default:
    return arithmetic(r, w, e);
  }
}
