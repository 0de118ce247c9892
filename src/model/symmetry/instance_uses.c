#include "model/symmetry/instance_uses.h"

#include "base/splitmix64.h"

#include <stdlib.h>

/* ---- indices of elements -------------------------------------------------------------------------- */

uint32_t uses_axes(const struct variable *variable) {
  return 1 + (variable->dimensions ? variable->dimension_count : 1);
}

uint32_t uses_axis_size(const struct variable *variable, uint32_t axis) {
  if (axis == 0)
    return variable->count / variable->length;
  return variable->dimensions ? variable->dimensions[axis - 1].size : variable->length;
}

static bool is_within(const struct expr *e, int64_t lo, int64_t hi) { return lo <= e->lo && e->hi <= hi; }

static bool is_multiple(const struct expr *e, uint32_t stride) {
  if (e->op == EXPR_CONST)
    return e->value % stride == 0;
  return e->op == EXPR_MUL && e->b->op == EXPR_CONST && e->b->value == stride;
}

static struct digit digit_of(const struct expr *e) {
  return e->op == EXPR_CONST ? (struct digit){NULL, e->value} : (struct digit){e, 0};
}

/* index = high * stride + low, as build_offset makes it; 0 <= low < stride. */
static bool split(struct digit index, uint32_t stride, struct digit *high, struct digit *low) {
  const struct expr *e = index.expr;
  if (!e || stride == 1) {
    *high = e ? index : (struct digit){NULL, index.value / stride};
    *low = e ? (struct digit){NULL, 0} : (struct digit){NULL, index.value % stride};
    return true;
  }
  *high = (struct digit){NULL, 0};
  *low = index;
  if (is_within(e, 0, (int64_t)stride - 1))
    return true;
  const struct expr *start = e, *rest = NULL;
  if (e->op == EXPR_ADD) {
    start = is_multiple(e->a, stride) ? e->a : e->b;
    rest = start == e->a ? e->b : e->a;
  }
  if (!is_multiple(start, stride) || (rest && !is_within(rest, 0, (int64_t)stride - 1)))
    return false;
  *high = start->op == EXPR_CONST ? (struct digit){NULL, start->value / stride} : digit_of(start->a);
  *low = rest ? digit_of(rest) : (struct digit){NULL, 0};
  return true;
}

bool uses_split(const struct variable *variable, const struct expr *index, struct digit *digits) {
  const uint32_t axes = uses_axes(variable);
  struct digit rest = index ? digit_of(index) : (struct digit){NULL, 0};
  if (!split(rest, variable->length, &digits[0], &rest))
    return false;
  for (uint32_t axis = axes - 1; axis > 1; axis--)
    if (!split(rest, uses_axis_size(variable, axis), &rest, &digits[axis]))
      return false;
  digits[1] = rest;
  return true;
}

/* ---- classes -------------------------------------------------------------------------------------- */

static uint32_t root_of(const struct instance_uses *uses, uint32_t part) {
  struct part_class *classes = uses->classes;
  while (classes[part].parent != part)
    part = classes[part].parent = classes[classes[part].parent].parent;
  return part;
}

const struct part_class *uses_class(const struct instance_uses *uses, uint32_t part) {
  return &uses->classes[root_of(uses, part)];
}

uint32_t uses_set(const struct instance_uses *uses, uint32_t part) {
  return part == USES_NONE ? USES_NONE : uses_class(uses, part)->set;
}

uint32_t uses_process(const struct instance_uses *uses, size_t process) {
  return uses->axes[uses->model->processes[process].location_variable];
}

static void mark(struct part_class *class, source_at at, const char *why) {
  if (class->plain)
    return;
  class->plain = true;
  class->at = at;
  class->why = why;
}

static uint32_t common_size(uint32_t a, uint32_t b) { return !a || a == b ? b : !b ? a : USES_NONE; }

static void unite(struct instance_uses *uses, uint32_t a, uint32_t b, source_at at, const char *why) {
  if (a == USES_NONE || b == USES_NONE)
    return;
  a = root_of(uses, a);
  b = root_of(uses, b);
  if (a == b)
    return;
  if (a == USES_NUMBER || b == USES_NUMBER) {
    mark(&uses->classes[a == USES_NUMBER ? b : a], at, why);
    return;
  }
  struct part_class *to = &uses->classes[a], *from = &uses->classes[b];
  from->parent = a;
  to->size = common_size(to->size, from->size);
  to->values = to->values < from->values ? to->values : from->values;
  to->set = to->set < from->set ? to->set : from->set;
  if (from->plain)
    mark(to, from->at, from->why);
}

/* ---- parts ---------------------------------------------------------------------------------------- */

/* A constant in the place of a part, in a transition of an instance. */
struct mention {
  uint32_t part, set, instance;
  int64_t value;
};

struct finding {
  struct instance_uses *uses;
  bool many;
  uint32_t count;
  size_t cap;
  size_t t; /* transition */
  struct mention *mentions;
  size_t mention_count, mention_cap;
};

static uint32_t add_part(struct finding *f, uint32_t size, uint32_t values) {
  size_t n = f->count;
  *ARENA_PUSH(f->uses->arena, f->uses->classes, n, f->cap) = (struct part_class){
      .parent = f->count, .set = USES_NONE, .size = size, .values = values, .at = NOWHERE, .why = ""};
  return f->count++;
}

static uint32_t values_of(const struct variable *v) {
  if (v->lo > 0 || v->hi < 0 || v->ranges || v->values)
    return 0;
  return v->hi < INT32_MAX ? (uint32_t)v->hi + 1 : INT32_MAX;
}

static void add_variables(struct finding *f) {
  struct instance_uses *uses = f->uses;
  for (size_t i = 0; i < uses->model->variable_count; i++) {
    const struct variable *v = &uses->model->variables[i];
    uses->values[i] = add_part(f, 0, values_of(v));
    uses->axes[i] = f->count;
    for (uint32_t axis = 0; axis < uses_axes(v); axis++)
      add_part(f, uses_axis_size(v, axis), INT32_MAX);
  }
}

static void add_transition(struct finding *f, const struct transition *t) {
  for (size_t i = 0; i < t->select_count; i++)
    add_part(f, t->selects[i].lo == 0 && t->selects[i].hi < INT32_MAX ? (uint32_t)t->selects[i].hi + 1 : USES_NONE,
             INT32_MAX);
  for (uint32_t i = 0; i < t->temp_count; i++)
    add_part(f, 0, INT32_MAX);
}

static void add_kind(struct instance_uses *uses, size_t i) {
  const struct variable *v = &uses->model->variables[i];
  if (v->kind == VARIABLE_LOCAL || v->kind == VARIABLE_LOCATION)
    unite(uses, uses_process(uses, v->owner), uses->axes[i], v->at, "");
  if (v->kind == VARIABLE_LOCATION)
    unite(uses, uses->values[i], USES_NUMBER, NOWHERE, "");
  if (v->kind == VARIABLE_FIELD)
    unite(uses, uses->axes[i] + 1, USES_NUMBER, v->at, "a buffer has an order");
  for (uint32_t axis = 1; v->ranges && axis < uses_axes(v); axis++)
    unite(uses, uses->axes[i] + axis, USES_NUMBER, v->at, "the elements of this array have different ranges");
  if (v->instances_of)
    unite(uses, uses_process(uses, v->instances_of - 1), uses->values[i], v->at, "");
}

/* Instances of a process are the owners of its locations and variables. */
static void add_processes(struct finding *f) {
  struct instance_uses *uses = f->uses;
  for (size_t i = 0; i < uses->model->variable_count; i++)
    add_kind(uses, i);
  for (size_t i = 0; i < uses->model->process_count; i++)
    uses->classes[root_of(uses, uses_process(uses, i))].set = (uint32_t)i;
}

uint32_t uses_part(const struct instance_uses *uses, size_t t, const struct expr *e) {
  uint32_t part;
  switch (e->op) {
  case EXPR_CONST:
    return USES_NONE;
  case EXPR_READ:
    return uses->values[e->id];
  case EXPR_SELECT:
    return uses->of_transition[t] + e->id;
  case EXPR_TEMP:
    return uses->of_transition[t] + (uint32_t)uses->model->transitions[t].select_count + e->id;
  case EXPR_INDEX:
    return uses_part(uses, t, e->a);
  case EXPR_COND:
    part = uses_part(uses, t, e->b);
    return part == USES_NONE ? uses_part(uses, t, e->c) : part;
  default:
    return USES_NUMBER;
  }
}

/* ---- expressions and statements ------------------------------------------------------------------- */

static void mention(struct finding *f, uint32_t part, int64_t value) {
  const struct transition *t = &f->uses->model->transitions[f->t];
  for (size_t i = 0; i < t->participant_count && part != USES_NONE && part != USES_NUMBER; i++) {
    const struct participant *p = &t->participants[i];
    if (p->process != NO_PROCESS)
      *ARENA_PUSH(f->uses->arena, f->mentions, f->mention_count, f->mention_cap) =
          (struct mention){part, p->process, p->instance, value};
  }
}

static void visit(struct finding *f, const struct expr *e);

/* The value is in the place of `part`. */
static void put(struct finding *f, uint32_t part, const struct expr *e, source_at at, const char *why) {
  visit(f, e);
  if (e->op == EXPR_CONST)
    mention(f, part, e->value);
  else
    unite(f->uses, part, uses_part(f->uses, f->t, e), e->at == NOWHERE ? at : e->at, why);
}

static void put_index(struct finding *f, uint32_t variable, const struct expr *index, source_at at) {
  const struct variable *v = &f->uses->model->variables[variable];
  struct digit digits[USES_MAX_AXES];
  const bool known = uses_axes(v) <= USES_MAX_AXES && uses_split(v, index, digits);
  for (uint32_t axis = 0; axis < uses_axes(v); axis++)
    if (!known)
      unite(f->uses, USES_NUMBER, f->uses->axes[variable] + axis, at, "an index is computed from it");
    else if (digits[axis].expr)
      put(f, f->uses->axes[variable] + axis, digits[axis].expr, at, "it is an index of an array over other numbers");
    else
      mention(f, f->uses->axes[variable] + axis, digits[axis].value);
  if (!known)
    put(f, USES_NUMBER, index, at, "an index is computed from it");
}

static const char *use_of(enum expr_op op) {
  if (op == EXPR_LT || op == EXPR_LE || op == EXPR_MIN || op == EXPR_MAX)
    return "its instances are compared by order";
  return op == EXPR_AND || op == EXPR_OR || op == EXPR_NOT || op == EXPR_COND
             ? "the number of an instance is used as a truth value"
             : "the number of an instance is used in arithmetic";
}

/* Both sides of a comparison, or of a conditional, are of one class. */
static void visit_alike(struct finding *f, const struct expr *e, const struct expr *x, const struct expr *y) {
  static const char why[] = "the number of an instance is compared with another number";
  const uint32_t part = uses_part(f->uses, f->t, x);
  put(f, uses_part(f->uses, f->t, y), x, e->at, why);
  put(f, part, y, e->at, why);
}

static void visit(struct finding *f, const struct expr *e) {
  if (f->uses->steps++ > USES_MAX_STEPS)
    return;
  if (e->op == EXPR_READ)
    put_index(f, e->id, e->a, e->at);
  else if (e->op == EXPR_INDEX)
    visit(f, e->a);
  else if (e->op == EXPR_EQ || e->op == EXPR_NE)
    visit_alike(f, e, e->a, e->b);
  else if (e->op == EXPR_COND) {
    put(f, USES_NUMBER, e->a, e->at, use_of(e->op));
    visit_alike(f, e, e->b, e->c);
  } else
    for (int i = 0; i < 2; i++)
      if (i ? e->b : e->a)
        put(f, USES_NUMBER, i ? e->b : e->a, e->at, use_of(e->op));
}

static void visit_statements(struct finding *f, const struct statement *statements, size_t n) {
  const struct instance_uses *uses = f->uses;
  for (size_t i = 0; i < n; i++) {
    const struct statement *s = &statements[i];
    if (s->op == ST_ASSIGN) {
      put_index(f, s->id, s->index, s->at);
      put(f, uses->values[s->id], s->value, s->at, "it is assigned to a variable with other numbers");
    } else if (s->op == ST_LET)
      put(f, uses->of_transition[f->t] + (uint32_t)uses->model->transitions[f->t].select_count + s->id, s->value, s->at,
          "it is sent with other numbers");
    else
      put(f, USES_NUMBER, s->value, s->at, "the number of an instance is used as a truth value");
    visit_statements(f, s->then, statement_inner_count(s));
  }
}

/* ---- constants ------------------------------------------------------------------------------------ */

static int compare_mentions(const void *a, const void *b) {
  const struct mention *x = a, *y = b;
  if (x->set != y->set)
    return x->set < y->set ? -1 : 1;
  if (x->part != y->part)
    return x->part < y->part ? -1 : 1;
  return x->instance < y->instance ? -1 : x->instance > y->instance;
}

/* The mentions from `first` on with its class and set; returns their end. */
static size_t same_class(const struct finding *f, size_t first) {
  size_t end = first;
  while (end < f->mention_count && f->mentions[end].set == f->mentions[first].set &&
         f->mentions[end].part == f->mentions[first].part)
    end++;
  return end;
}

/* Sum over the mentions of an instance. The values `base` and base + 1 are exchanged; base INT64_MIN: they are not. */
static uint64_t sum_of(const struct mention *mentions, size_t n, uint32_t instance, int64_t base) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    const int64_t value = mentions[i].value;
    const int64_t moved = value == base ? base + 1 : base != INT64_MIN && value == base + 1 ? base : value;
    sum += mentions[i].instance == instance ? splitmix64_mix((uint64_t)moved + 1) : 0;
  }
  return sum;
}

/* The transitions of the process mention its instances in the place of a plain class. */
static void blame(struct part_class *process, const struct part_class *class) {
  if (process->blamed)
    return;
  process->blamed = true;
  process->blamed_at = class->at;
  process->blamed_why = class->why;
}

/* Whether a class is that of instances: transitions of different instances mention different constants in its place. If
   they mention the same, as all of them, exchanging the instances may also leave the constants alone (`many`). The
   numbers may begin with 1: then 0 often stands for no instance. */
static void place_class(struct finding *f, const struct mention *mentions, size_t n) {
  struct instance_uses *uses = f->uses;
  const uint32_t set = mentions->set, instances = uses->model->processes[set].instances;
  struct part_class *class = &uses->classes[root_of(uses, mentions->part)];
  const uint64_t first = sum_of(mentions, n, 0, INT64_MIN), second = sum_of(mentions, n, 1, INT64_MIN);
  if (class->plain && first != second)
    blame(&uses->classes[root_of(uses, uses_process(uses, set))], class);
  if (class->plain || class->set == set || class->base)
    return;
  if (first == second && (!f->many || class->size != instances))
    return;
  if (class->values >= instances && common_size(class->size, instances) == instances &&
      sum_of(mentions, n, 0, 0) == second)
    unite(uses, uses_process(uses, set), mentions->part, NOWHERE, "");
  else if (class->values > instances && !class->size && class->set == USES_NONE &&
           sum_of(mentions, n, 0, 1) == second) {
    class->set = set;
    class->base = 1;
  }
}

static void place_constants(struct finding *f) {
  struct instance_uses *uses = f->uses;
  for (size_t i = 0; i < f->mention_count; i++) {
    f->mentions[i].part = root_of(uses, f->mentions[i].part);
    f->mentions[i].set = uses_set(uses, uses_process(uses, f->mentions[i].set));
  }
  if (f->mention_count)
    qsort(f->mentions, f->mention_count, sizeof *f->mentions, compare_mentions);
  for (size_t first = 0, end; first < f->mention_count; first = end) {
    end = same_class(f, first);
    if (uses->model->processes[f->mentions[first].set].instances > 1)
      place_class(f, f->mentions + first, end - first);
  }
}

/* ---- the classes of a model ----------------------------------------------------------------------- */

/* A set of one instance, or whose instances are used as numbers, is none. */
static void settle_sets(struct instance_uses *uses, uint32_t count) {
  for (uint32_t part = 0; part < count; part++) {
    struct part_class *class = &uses->classes[part];
    if (class->parent != part || class->set == USES_NONE || class->base)
      continue;
    const uint32_t instances = uses->model->processes[class->set].instances;
    if (class->size != instances)
      mark(class, NOWHERE, "its instances are used where another number of values is possible");
    if (class->values < instances)
      mark(class, NOWHERE, "it is assigned to a variable that cannot hold the number of each instance");
  }
  for (uint32_t part = 0; part < count; part++) {
    struct part_class *class = &uses->classes[part];
    if (class->parent != part || class->set == USES_NONE)
      continue;
    const struct part_class *of_set = uses_class(uses, uses_process(uses, class->set));
    const bool none = class->plain || of_set->plain || uses->model->processes[class->set].instances < 2;
    class->set = none ? USES_NONE : of_set->set;
  }
}

struct instance_uses *instance_uses_find(const struct model *model, struct arena *arena, bool many) {
  struct instance_uses *uses = arena_alloc(arena, sizeof *uses);
  struct finding f = {.uses = uses, .many = many};
  uses->model = model;
  uses->arena = arena;
  uses->values = arena_array(arena, model->variable_count + 1, sizeof *uses->values);
  uses->axes = arena_array(arena, model->variable_count + 1, sizeof *uses->axes);
  uses->of_transition = arena_array(arena, model->transition_count + 1, sizeof *uses->of_transition);
  add_part(&f, 0, 0); /* USES_NUMBER */
  uses->classes[USES_NUMBER].plain = true;
  add_variables(&f);
  for (size_t t = 0; t < model->transition_count; t++) {
    uses->of_transition[t] = f.count;
    add_transition(&f, &model->transitions[t]);
  }
  add_processes(&f);
  for (f.t = 0; f.t < model->transition_count; f.t++) {
    const struct transition *t = &model->transitions[f.t];
    for (size_t i = 0; i < t->guard_count; i++)
      put(&f, USES_NUMBER, t->guards[i], NOWHERE, use_of(EXPR_AND));
    visit_statements(&f, t->statements, t->statement_count);
  }
  place_constants(&f);
  settle_sets(uses, f.count);
  return uses->steps > USES_MAX_STEPS ? NULL : uses;
}
