#include "reference_semantics.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct actor;
struct name {
  const char *name;
  int64_t value;
  const struct name *outer;
  const struct syntax_expr *argument; /* argument of a define, instead of a value; NULL: none */
  const struct actor *home;           /* the actor of its scope */
};

struct run {
  const struct syntax_model *syntax;
  const struct model *model;
  const int64_t *before; /* the state before the step */
  int64_t *now;          /* values that expressions read */
  const struct constant *constants;
  struct reference_step *out;
  jmp_buf failed; /* an error of the model */
};

/* An instance with its bound names. */
struct actor {
  uint32_t process, instance;
  const struct name *names;
};

#define NOBODY UINT32_MAX
#define MAX_ACTIONS 64
#define MAX_SELECT_COUNT 4
#define MAX_FIELDS 8

/* ---- lookup ---------------------------------------------------------------------- */

static uint32_t variable_of(const struct run *r, const char *name, uint32_t process) {
  for (uint32_t pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < r->model->variable_count; i++) {
      const struct variable *v = &r->model->variables[i];
      bool fits = pass == 0 ? v->kind == VARIABLE_LOCAL && v->owner == process : v->kind == VARIABLE_GLOBAL;
      if (fits && strcmp(v->name, name) == 0)
        return i;
    }
  return NOBODY;
}

static uint32_t process_of(const struct run *r, const char *name) {
  for (uint32_t i = 0; i < r->model->process_count; i++)
    if (strcmp(r->model->processes[i].name, name) == 0)
      return i;
  return NOBODY;
}

static uint32_t channel_of(const struct run *r, const struct syntax_expr *e) {
  const char *name = e->op == SYN_INDEX ? e->a->name : e->name;
  for (uint32_t i = 0; i < r->model->channel_count; i++)
    if (strcmp(r->model->channels[i].name, name) == 0)
      return i;
  return NOBODY;
}

static uint32_t location_of(const struct run *r, uint32_t process, const char *name) {
  const struct process *p = &r->model->processes[process];
  for (uint32_t i = 0; i < p->location_count; i++)
    if (strcmp(p->locations[i].name, name) == 0)
      return i;
  return NOBODY;
}

static int64_t *location_value(const struct run *r, int64_t *values, struct actor w) {
  uint32_t v = r->model->processes[w.process].location_variable;
  return &values[r->model->variables[v].first + w.instance];
}

static _Noreturn void fail(struct run *r) { longjmp(r->failed, 1); }

static uint32_t bounded(struct run *r, int64_t index, int64_t bound) {
  if (index < 0 || index >= bound)
    fail(r);
  return (uint32_t)index;
}

/* ---- expressions --------------------------------------------------------------------- */

static int64_t eval(struct run *r, struct actor w, const struct syntax_expr *e);

static int64_t *element(struct run *r, struct actor w, uint32_t variable, const struct actor *owner,
                        const struct syntax_expr *index) {
  const struct variable *v = &r->model->variables[variable];
  uint32_t own = index ? bounded(r, eval(r, w, index), v->length) : 0;
  return &r->now[v->first + (v->kind == VARIABLE_LOCAL ? owner->instance * v->length : 0) + own];
}

static const struct syntax_define *find_define(const struct run *r, struct actor w, const char *name, bool *local) {
  const struct syntax_process *p = w.process == NOBODY ? NULL : &r->syntax->processes[w.process];
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
  struct actor inside = {local ? w.process : NOBODY, w.instance, NULL};
  if (define->parameter_count > MOST)
    abort();
  for (size_t i = 0; i < define->parameter_count; i++) {
    names[i] = (struct name){
        .name = define->parameters[i].name, .outer = inside.names, .argument = arguments->items[i], .home = &w};
    inside.names = &names[i];
  }
  return eval(r, inside, define->expr);
}

static int64_t name_value(struct run *r, struct actor w, const char *name) {
  for (const struct name *n = w.names; n; n = n->outer)
    if (strcmp(n->name, name) == 0)
      return n->argument ? eval(r, *n->home, n->argument) : n->value;
  if (strcmp(name, "self") == 0)
    return w.instance;
  for (size_t i = 0; i < r->model->constant_count; i++)
    if (strcmp(r->model->constants[i].name, name) == 0)
      return r->model->constants[i].value;
  const struct syntax_process *p = w.process == NOBODY ? NULL : &r->syntax->processes[w.process];
  for (size_t i = 0; p && i < p->parameter_count; i++)
    if (strcmp(p->parameters[i].name, name) == 0) {
      const struct syntax_exprs *value = &p->parameters[i].value;
      return eval(r, w, value->items[value->n > 1 ? w.instance : 0]);
    }
  if (find_define(r, w, name, &(bool){false}))
    return define_value(r, w, name, NULL);
  return *element(r, w, variable_of(r, name, w.process), &w, NULL);
}

static int64_t field_value(struct run *r, struct actor w, const struct syntax_expr *e,
                           const struct syntax_expr *index) {
  struct actor owner = {process_of(r, e->a->op == SYN_INDEX ? e->a->a->name : e->a->name), 0, NULL};
  if (e->a->op == SYN_INDEX)
    owner.instance = bounded(r, eval(r, w, e->a->b), r->model->processes[owner.process].instances);
  uint32_t location = location_of(r, owner.process, e->name);
  if (location != NOBODY)
    return *location_value(r, r->now, owner) == location;
  return *element(r, w, variable_of(r, e->name, owner.process), &owner, index);
}

static uint32_t channel_element(struct run *r, struct actor w, const struct syntax_expr *e) {
  const struct channel *c = &r->model->channels[channel_of(r, e)];
  return e->op == SYN_INDEX ? bounded(r, eval(r, w, e->b), c->size) : 0;
}

static int64_t *length_of(struct run *r, uint32_t channel, uint32_t element_number) {
  uint32_t v = r->model->channels[channel].length_variable;
  return &r->now[r->model->variables[v].first + element_number];
}

static void range_of(struct run *r, struct actor w, const struct syntax_range *range, int64_t *lo, int64_t *hi) {
  *lo = range->hi ? eval(r, w, range->lo) : 0;
  *hi = range->hi ? eval(r, w, range->hi) : (int64_t)r->model->processes[process_of(r, range->lo->name)].instances - 1;
}

static int64_t quantified(struct run *r, struct actor w, const struct syntax_expr *e) {
  int64_t lo, hi, result = e->op == SYN_ALL;
  range_of(r, w, &e->range, &lo, &hi);
  for (int64_t i = lo; i <= hi; i++) {
    struct name bound = {.name = e->name, .value = i, .outer = w.names};
    int64_t body = eval(r, (struct actor){w.process, w.instance, &bound}, e->a);
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
  int64_t a = eval(r, w, e->a), b = eval(r, w, e->b);
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
      fail(r);
    return e->op == SYN_DIV ? a / b : a % b;
  case SYN_SHL:
  case SYN_SHR:
    if (b < 0 || b > 63)
      fail(r);
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
  uint32_t channel = channel_of(r, e->a);
  int64_t length = *length_of(r, channel, channel_element(r, w, e->a));
  return e->op == SYN_LEN     ? length
         : e->op == SYN_EMPTY ? length == 0
                              : length == (int64_t)r->model->channels[channel].capacity;
}

static int64_t eval(struct run *r, struct actor w, const struct syntax_expr *e) {
  switch (e->op) {
  case SYN_NUMBER:
    return e->value;
  case SYN_NAME:
    return name_value(r, w, e->name);
  case SYN_INDEX:
    if (e->a->op == SYN_FIELD)
      return field_value(r, w, e->a, e->b);
    return *element(r, w, variable_of(r, e->a->name, w.process), &w, e->b);
  case SYN_FIELD:
    return field_value(r, w, e, NULL);
  case SYN_NEG:
    return -eval(r, w, e->a);
  case SYN_NOT:
    return !eval(r, w, e->a);
  case SYN_BITNOT:
    return -eval(r, w, e->a) - 1;
  case SYN_AND:
    return eval(r, w, e->a) && eval(r, w, e->b);
  case SYN_OR:
    return eval(r, w, e->a) || eval(r, w, e->b);
  case SYN_IMPLIES:
    return !eval(r, w, e->a) || eval(r, w, e->b);
  case SYN_COND:
    return eval(r, w, e->a) ? eval(r, w, e->b) : eval(r, w, e->c);
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

/* ---- actions: transitions of instances whose location and guard allow them
 * ----------------------- */

struct action {
  struct actor actor; /* names: the selects */
  const struct syntax_transition *t;
  uint32_t from;
  struct name names[MAX_SELECT_COUNT];
};

struct actions {
  struct action *items;
  size_t n;
};

static bool leaves(const struct run *r, const struct action *a) {
  const char *from = r->model->processes[a->actor.process].locations[a->from].name;
  if (strcmp(a->t->from[0].name, "*") == 0)
    return true;
  for (size_t i = 0; i < a->t->from_count; i++)
    if (strcmp(a->t->from[i].name, from) == 0)
      return true;
  return false;
}

/* ---- fields that a receive binds to names ----------------------------------------------------- */

static bool is_select(const struct syntax_transition *t, const char *name) {
  for (size_t i = 0; i < t->select_count; i++)
    if (strcmp(t->selects[i].name, name) == 0)
      return true;
  return false;
}

static const char *bound_name(const struct run *r, const struct action *a, size_t f) {
  const struct syntax_sync *sync = a->t->sync;
  if (!sync || sync->send || sync->arguments[f].kind != ARGUMENT_VALUE || sync->arguments[f].expr->op != SYN_NAME)
    return NULL;
  const char *name = sync->arguments[f].expr->name;
  return is_select(a->t, name) || variable_of(r, name, a->actor.process) != NOBODY ? NULL : name;
}

static bool mentions(const struct syntax_expr *e, const char *name) {
  for (size_t i = 0; e && i < e->arguments.n; i++)
    if (mentions(e->arguments.items[i], name))
      return true;
  return e && ((e->op == SYN_NAME && strcmp(e->name, name) == 0) || mentions(e->a, name) || mentions(e->b, name) ||
               mentions(e->c, name));
}

/* True if the guard can be tested only once the message is known. */
static bool waits_for_message(const struct run *r, const struct action *a) {
  for (size_t f = 0; a->t->sync && f < a->t->sync->n; f++) {
    const char *name = bound_name(r, a, f);
    if (name && mentions(a->t->guard, name))
      return true;
  }
  return false;
}

/* The actor with the names of the first n fields bound; `names` has room for them. */
static struct actor actor_with_fields(const struct run *r, const struct action *a, const int64_t *fields, size_t n,
                                      struct name *names) {
  struct actor w = a->actor;
  for (size_t f = 0; f < n; f++) {
    const char *name = bound_name(r, a, f);
    if (!name)
      continue;
    names[f] = (struct name){.name = name, .value = fields[f], .outer = w.names};
    w.names = &names[f];
  }
  return w;
}

/* ---- choices ----------------------------------------------------------------------------------- */

/* Chooses values for selects i.. and adds the actions whose guard holds. */
static void add_choices(struct run *r, struct actions *out, const struct action *draft, size_t i) {
  if (i == draft->t->select_count) {
    struct action *a = &out->items[out->n];
    *a = *draft;
    for (size_t k = 0; k < i; k++)
      a->names[k].outer = k ? &a->names[k - 1] : NULL;
    a->actor.names = i ? &a->names[i - 1] : NULL;
    if (!a->t->guard || a->t->otherwise || waits_for_message(r, a) || eval(r, a->actor, a->t->guard))
      out->n++;
    return;
  }
  int64_t lo, hi;
  range_of(r, draft->actor, &draft->t->selects[i].range, &lo, &hi);
  for (int64_t value = lo; value <= hi; value++) {
    struct action next = *draft;
    next.names[i] = (struct name){.name = draft->t->selects[i].name, .value = value};
    add_choices(r, out, &next, i + 1);
  }
}

/* Finds the edges with guard="else", or all others. */
static void find_actions(struct run *r, struct actions *out, bool otherwise) {
  for (uint32_t p = 0; p < r->model->process_count; p++)
    for (uint32_t i = 0; i < r->model->processes[p].instances; i++)
      for (size_t t = 0; t < r->syntax->processes[p].transition_count; t++) {
        struct action a = {.actor = {p, i, NULL}, .t = &r->syntax->processes[p].transitions[t]};
        a.from = (uint32_t)*location_value(r, r->now, a.actor);
        if (a.t->otherwise == otherwise && leaves(r, &a))
          add_choices(r, out, &a, 0);
      }
}

static bool committed(const struct run *r, const struct action *a) {
  return r->model->processes[a->actor.process].locations[a->from].committed;
}

static bool someone_committed(const struct run *r) {
  for (uint32_t p = 0; p < r->model->process_count; p++)
    for (uint32_t i = 0; i < r->model->processes[p].instances; i++) {
      struct actor w = {p, i, NULL};
      if (r->model->processes[p].locations[*location_value(r, (int64_t *)r->before, w)].committed)
        return true;
    }
  return false;
}

/* ---- firing -------------------------------------------------------------------------- */

static void assign(struct run *r, struct actor w, const struct syntax_expr *target, const struct syntax_expr *value,
                   const int64_t *given) {
  const struct syntax_expr *name = target->op == SYN_INDEX ? target->a : target;
  uint32_t variable = variable_of(r, name->name, w.process);
  const struct variable *v = &r->model->variables[variable];
  int64_t *place = element(r, w, variable, &w, target->op == SYN_INDEX ? target->b : NULL);
  int64_t result = given ? *given : eval(r, w, value);
  if (result < v->lo || result > v->hi)
    fail(r);
  *place = result;
}

static void statements(struct run *r, struct actor w, const struct syntax_statement *list, size_t n);

static void loop(struct run *r, struct actor w, const struct syntax_statement *s) {
  int64_t lo, hi;
  range_of(r, w, &s->range, &lo, &hi);
  for (int64_t i = lo; i <= hi; i++) {
    struct name bound = {.name = s->name.name, .value = i, .outer = w.names};
    statements(r, (struct actor){w.process, w.instance, &bound}, s->body, s->body_count);
  }
}

static void statements(struct run *r, struct actor w, const struct syntax_statement *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const struct syntax_statement *s = &list[i];
    if (s->kind == STATEMENT_ASSIGN)
      assign(r, w, s->target, s->value, NULL);
    else if (s->kind == STATEMENT_FOR)
      loop(r, w, s);
    else if (s->kind == STATEMENT_IF && eval(r, w, s->value))
      statements(r, w, s->body, s->body_count);
    else if (s->kind == STATEMENT_IF)
      statements(r, w, s->otherwise, s->otherwise_count);
    else if (!eval(r, w, s->value))
      fail(r);
  }
}

static void effects(struct run *r, const struct action *a, const int64_t *fields) {
  struct name names[MAX_FIELDS];
  const struct actor w = actor_with_fields(r, a, fields, a->t->sync ? a->t->sync->n : 0, names);
  statements(r, w, a->t->effects, a->t->effect_count);
}

static void take_fields(struct run *r, const struct action *a, const int64_t *fields) {
  for (size_t f = 0; f < a->t->sync->n; f++)
    if (a->t->sync->arguments[f].kind == ARGUMENT_VALUE && !bound_name(r, a, f)) {
      struct name names[MAX_FIELDS];
      assign(r, actor_with_fields(r, a, fields, f, names), a->t->sync->arguments[f].expr, NULL, &fields[f]);
    }
}

static void move(struct run *r, const struct action *a) {
  if (a->t->to.name)
    *location_value(r, r->now, a->actor) = location_of(r, a->actor.process, a->t->to.name);
}

static bool fields_match(struct run *r, const struct action *a, const int64_t *fields) {
  struct name names[MAX_FIELDS];
  for (size_t f = 0; f < a->t->sync->n; f++)
    if (a->t->sync->arguments[f].kind == ARGUMENT_MATCH &&
        eval(r, actor_with_fields(r, a, fields, f, names), a->t->sync->arguments[f].expr) != fields[f])
      return false;
  return !waits_for_message(r, a) || eval(r, actor_with_fields(r, a, fields, a->t->sync->n, names), a->t->guard);
}

static void values_sent(struct run *r, const struct action *a, int64_t *fields) {
  for (size_t f = 0; f < a->t->sync->n; f++)
    fields[f] = eval(r, a->actor, a->t->sync->arguments[f].expr);
}

static void check_sent(struct run *r, uint32_t channel, size_t n, const int64_t *fields) {
  for (size_t f = 0; f < n; f++) {
    const struct syntax_range *range = &r->syntax->channels[channel].fields[f];
    struct actor nobody = {NOBODY, 0, NULL};
    int64_t lo = range->lo ? eval(r, nobody, range->lo) : 0;
    int64_t hi = range->lo ? eval(r, nobody, range->hi) : 1;
    if (fields[f] < lo || fields[f] > hi)
      fail(r);
  }
}

static int64_t *buffer_place(struct run *r, uint32_t channel, size_t field, uint32_t number, int64_t position) {
  const struct channel *c = &r->model->channels[channel];
  const struct variable *v = &r->model->variables[c->field_variables[field]];
  return &r->now[v->first + number * c->capacity + (uint32_t)position];
}

static void append(struct run *r, const struct action *a, const int64_t *fields) {
  uint32_t channel = channel_of(r, a->t->sync->channel);
  uint32_t number = channel_element(r, a->actor, a->t->sync->channel);
  int64_t *length = length_of(r, channel, number);
  for (size_t f = 0; f < a->t->sync->n; f++)
    *buffer_place(r, channel, f, number, *length) = fields[f];
  ++*length;
}

static void remove_first(struct run *r, const struct action *a) {
  uint32_t channel = channel_of(r, a->t->sync->channel);
  uint32_t number = channel_element(r, a->actor, a->t->sync->channel);
  int64_t *length = length_of(r, channel, number);
  for (size_t f = 0; f < a->t->sync->n; f++) {
    for (int64_t i = 0; i + 1 < *length; i++)
      *buffer_place(r, channel, f, number, i) = *buffer_place(r, channel, f, number, i + 1);
    uint32_t v = r->model->channels[channel].field_variables[f];
    *buffer_place(r, channel, f, number, *length - 1) = r->model->variables[v].lo;
  }
  --*length;
}

/* One firing: participants in order, the initiator first. */
static void fire(struct run *r, const struct action *const *all, size_t n) {
  bool some_committed = someone_committed(r), leaves_committed = false;
  for (size_t i = 0; i < n; i++)
    leaves_committed |= committed(r, all[i]);
  if (some_committed && !leaves_committed)
    return;
  size_t width = r->out->width;
  memcpy(r->now, r->before, width * sizeof *r->now);
  jmp_buf outer;
  memcpy(&outer, &r->failed, sizeof outer);
  if (setjmp(r->failed)) {
    r->out->failures++;
  } else {
    const struct syntax_sync *sync = all[0]->t->sync;
    int64_t fields[MAX_FIELDS] = {0};
    uint32_t channel = sync ? channel_of(r, sync->channel) : 0;
    bool buffered = sync && r->model->channels[channel].capacity;
    if (sync && sync->send) {
      values_sent(r, all[0], fields);
      check_sent(r, channel, sync->n, fields);
    }
    if (buffered && sync->send) {
      append(r, all[0], fields);
    } else if (buffered) {
      uint32_t number = channel_element(r, all[0]->actor, sync->channel);
      for (size_t f = 0; f < sync->n; f++)
        fields[f] = *buffer_place(r, channel, f, number, 0);
      remove_first(r, all[0]);
      take_fields(r, all[0], fields);
    }
    for (size_t i = 1; i < n; i++)
      take_fields(r, all[i], fields);
    for (size_t i = 0; i < n; i++)
      effects(r, all[i], fields);
    for (size_t i = 0; i < n; i++)
      move(r, all[i]);
    if (r->out->count == r->out->cap) {
      r->out->cap = r->out->cap ? 2 * r->out->cap : 16;
      r->out->successors = realloc(r->out->successors, r->out->cap * width * sizeof(int64_t));
    }
    memcpy(r->out->successors + r->out->count++ * width, r->now, width * sizeof(int64_t));
  }
  memcpy(&r->failed, &outer, sizeof outer);
  memcpy(r->now, r->before, width * sizeof *r->now);
}

/* ---- combinations ---------------------------------------------------------------- */

static bool same_instance(const struct action *a, const struct action *b) {
  return a->actor.process == b->actor.process && a->actor.instance == b->actor.instance;
}

static bool can_receive(struct run *r, const struct action *sender, const struct action *a, const int64_t *fields) {
  uint32_t channel = channel_of(r, sender->t->sync->channel);
  return a->t->sync && !a->t->sync->send && !same_instance(sender, a) &&
         channel_of(r, a->t->sync->channel) == channel &&
         channel_element(r, a->actor, a->t->sync->channel) ==
             channel_element(r, sender->actor, sender->t->sync->channel) &&
         fields_match(r, a, fields);
}

/* Fires every combination of one receiver for each instance from `from` on that has receivers. */
static void combine(struct run *r, const struct actions *all, const int64_t *fields, size_t from,
                    const struct action **team, size_t n) {
  if (from == all->n) {
    fire(r, team, n);
    return;
  }
  size_t end = from;
  bool some = false;
  while (end < all->n && same_instance(&all->items[from], &all->items[end]))
    end++;
  for (size_t i = from; i < end; i++)
    if (can_receive(r, team[0], &all->items[i], fields)) {
      some = true;
      team[n] = &all->items[i];
      combine(r, all, fields, end, team, n + 1);
    }
  if (!some)
    combine(r, all, fields, end, team, n);
}

static bool buffer_allows(struct run *r, const struct action *a) {
  const struct syntax_sync *sync = a->t->sync;
  uint32_t channel = channel_of(r, sync->channel), number = channel_element(r, a->actor, sync->channel);
  int64_t length = *length_of(r, channel, number), fields[MAX_FIELDS];
  for (size_t f = 0; f < sync->n; f++)
    fields[f] = *buffer_place(r, channel, f, number, 0);
  return sync->send ? length < (int64_t)r->model->channels[channel].capacity : length > 0 && fields_match(r, a, fields);
}

static void fire_sync(struct run *r, const struct actions *all, const struct action *a) {
  const struct syntax_sync *sync = a->t->sync;
  const struct channel *c = &r->model->channels[channel_of(r, sync->channel)];
  const struct action *team[MAX_ACTIONS] = {a};
  int64_t fields[MAX_FIELDS];
  if (c->capacity) {
    if (buffer_allows(r, a))
      fire(r, team, 1);
    return;
  }
  if (!sync->send)
    return;
  values_sent(r, a, fields);
  if (c->broadcast) {
    combine(r, all, fields, 0, team, 1);
    return;
  }
  for (size_t i = 0; i < all->n; i++)
    if (can_receive(r, a, &all->items[i], fields)) {
      team[1] = &all->items[i];
      fire(r, team, 2);
    }
}

/* True if no other edge of the instance is enabled (`else` beside edges that need other instances is an error). */
static bool nothing_else(struct run *r, const struct actions *all, const struct action *a) {
  for (size_t i = 0; i < all->n; i++) {
    const struct action *other = &all->items[i];
    if (!same_instance(a, other))
      continue;
    const struct syntax_sync *sync = other->t->sync;
    if (!sync || !r->model->channels[channel_of(r, sync->channel)].capacity || buffer_allows(r, other))
      return false;
  }
  return true;
}

void reference_expand(const struct syntax_model *syntax, const struct model *model, const int64_t *values,
                      struct reference_step *out) {
  size_t width = model->value_count;
  struct run r = {.syntax = syntax, .model = model, .before = values, .out = out};
  struct actions all = {calloc(1024, sizeof *all.items), 0}, rest = {calloc(1024, sizeof *rest.items), 0};
  r.now = malloc(width * sizeof *r.now);
  memcpy(r.now, values, width * sizeof *r.now);
  out->width = width;
  if (setjmp(r.failed)) {
    out->failures++; /* failures in guards are not compared */
  } else {
    find_actions(&r, &all, false);
    find_actions(&r, &rest, true);
    for (size_t i = 0; i < all.n; i++) {
      const struct action *team[1] = {&all.items[i]};
      if (all.items[i].t->sync)
        fire_sync(&r, &all, &all.items[i]);
      else
        fire(&r, team, 1);
    }
    for (size_t i = 0; i < rest.n; i++) {
      const struct action *team[1] = {&rest.items[i]};
      if (nothing_else(&r, &all, team[0]))
        fire(&r, team, 1);
    }
  }
  free(r.now);
  free(all.items);
  free(rest.items);
}

bool reference_eval(const struct syntax_model *syntax, const struct model *model, const int64_t *values,
                    const struct syntax_expr *e, int64_t *value) {
  struct run r = {.syntax = syntax, .model = model, .before = values, .now = (int64_t *)values};
  if (setjmp(r.failed))
    return false;
  *value = eval(&r, (struct actor){NOBODY, 0, NULL}, e);
  return true;
}
