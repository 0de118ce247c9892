/* The variables of the model: globals, the number of processes, then for each process its locations, numbers and
   locals, then the buffers of channels. */
#include "frontend/promela/promela_check.h"

#include <string.h>

/* ---- variables ----------------------------------------------------------------------------------- */

static uint32_t add_variable(struct pr_check *c, struct variable v) {
  const uint32_t number = (uint32_t)c->build.model->variable_count;
  v.length = v.length ? v.length : 1;
  if (c->ranges && v.kind != VARIABLE_LOCATION && v.kind != VARIABLE_LENGTH) {
    v.lo = c->ranges[number].lo;
    v.hi = c->ranges[number].hi;
  }
  *ARENA_PUSH(c->build.arena, c->variables, c->build.model->variable_count, c->variable_cap) = v;
  c->build.model->variables = c->variables;
  return number;
}

/* Of a variable with fields or several indices, whose indices stand within its name. */
static const struct dimension *dimensions_of(struct pr_check *c, const struct pr_leaf *leaf, uint32_t *count) {
  struct dimension *all = arena_array(c->build.arena, leaf->depth + 1, sizeof *all);
  uint32_t n = 0;
  size_t place = 0;
  for (size_t i = 0; i <= leaf->depth; i++) {
    const char *dot = strchr(leaf->name + place, '.');
    place = dot ? (size_t)(dot - leaf->name) : strlen(leaf->name);
    if (leaf->sizes[i])
      all[n++] = (struct dimension){.size = leaf->sizes[i], .place = (uint32_t)place};
    place++;
  }
  *count = n;
  return n > 1 || leaf->depth ? all : NULL;
}

const struct enumeration *pr_enumeration(struct pr_check *c, const struct pr_scalar *s) {
  size_t count = 1;
  for (size_t i = 0; i < c->tree->mtypes.n; i++)
    if (c->tree->mtypes.items[i].subtype.id == s->subtype)
      count += c->tree->mtypes.items[i].values.n;
  const char **values = arena_array(c->build.arena, count, sizeof *values);
  values[0] = "0";
  for (size_t i = 0; i < c->tree->mtypes.n; i++)
    for (size_t k = 0; k < c->tree->mtypes.items[i].values.n; k++) {
      const uint32_t name = c->tree->mtypes.items[i].values.items[k].id;
      const int64_t value = pr_mtype_value(c, name);
      if (c->tree->mtypes.items[i].subtype.id == s->subtype && value < (int64_t)count)
        values[value] = PR_NAME_OF(c, name);
    }
  for (size_t i = 1; i < count; i++)
    if (!values[i]) /* a name that is declared twice */
      values[i] = arena_printf(c->build.arena, "%zu", i);
  struct enumeration *type = arena_alloc(c->build.arena, sizeof *type);
  *type = (struct enumeration){"mtype", values, count};
  return type;
}

static struct variable variable_of(struct pr_check *c, const struct pr_leaf *leaf, uint32_t instances) {
  struct variable v = {.name = leaf->name,
                       .count = leaf->count * instances,
                       .length = leaf->count,
                       .is_bool = false,
                       .assigned = leaf->assigned,
                       .lo = leaf->scalar.lo,
                       .hi = leaf->scalar.hi,
                       .at = leaf->written->name.at};
  v.dimensions = dimensions_of(c, leaf, &v.dimension_count);
  v.is_array = v.dimension_count > 0;
  if (leaf->scalar.type == PR_T_MTYPE)
    v.type = pr_enumeration(c, &leaf->scalar);
  return v;
}

/* ---- initial values ------------------------------------------------------------------------------ */

static int64_t initial_value(const struct pr_context *x, const struct pr_leaf *leaf, uint32_t element) {
  const struct pr_variable *v = leaf->written;
  const struct pr_expr *e = v->value;
  const uint32_t size = leaf->sizes[leaf->depth];
  if (v->values.n)
    e = element % (size ? size : 1) < v->values.n ? v->values.items[element % (size ? size : 1)] : NULL;
  int64_t value = 0;
  if (!e || !pr_constant(x, e, "an initial value", INT32_MIN, INT32_MAX, &value))
    return 0;
  const struct expr *wrapped = pr_wrapped(x->check, e->at, build_const(&x->check->build, value), &leaf->scalar);
  return wrapped && wrapped->op == EXPR_CONST ? wrapped->value : 0;
}

static void set_initial(struct pr_check *c, const struct pr_process *p, uint32_t instance, bool leading,
                        const struct pr_leaf *leaf, int64_t *values) {
  const struct pr_context x = {.check = c, .process = p, .instance = instance};
  const struct pr_variable *v = leaf->written;
  for (uint32_t i = 0; i < leaf->count && build_spend(&c->build, v->name.at, 0, 1); i++) {
    if (v->channel)
      values[i] = leaf->first_queue + (int64_t)instance * leaf->count + i + 1;
    else if (!leading || (p && instance >= p->active && !(v->value && pr_is_literal(&x, v->value)) && !v->values.n))
      values[i] = 0;
    else
      values[i] = initial_value(&x, leaf, i);
  }
}

static void declare_leaf(struct pr_check *c, const struct pr_process *p, bool leading, struct pr_leaf *leaf) {
  const uint32_t instances = p ? p->instances : 1;
  leaf->declared = true;
  leaf->variable = PR_NONE;
  if (leaf->written->channel && !leaf->assigned)
    return;
  if ((uint64_t)leaf->count * instances > BUILD_MAX_VALUES) {
    build_too_large(&c->build, leaf->written->name.at, "its variables have more than 1048576 elements");
    return;
  }
  struct variable v = variable_of(c, leaf, instances);
  int64_t *values = arena_array(c->build.arena, v.count, sizeof *values);
  leaf->declared = false; /* its value may not use itself */
  for (uint32_t i = 0; i < instances; i++)
    set_initial(c, p, i, leading, leaf, values + (size_t)i * leaf->count);
  leaf->declared = true;
  v.init = values;
  v.kind = p ? VARIABLE_LOCAL : VARIABLE_GLOBAL;
  v.owner = p ? p->number : 0;
  leaf->variable = add_variable(c, v);
}

static void declare_symbols(struct pr_check *c, const struct pr_process *p, struct pr_symbols *symbols) {
  for (size_t i = 0; i < symbols->n; i++)
    for (size_t k = 0; k < symbols->items[i].leaf_count; k++)
      declare_leaf(c, p, !p || i < p->leading, &symbols->items[i].leaves[k]);
}

/* ---- processes ----------------------------------------------------------------------------------- */

/* Its label, or line and column; with a number if another location has the same. */
static const char *location_name_of(struct pr_check *c, const struct pr_graph *g, uint32_t location,
                                    const struct location *before) {
  struct arena *arena = c->build.arena;
  const struct pr_location *l = &g->locations[location];
  unsigned line = 0, column = 0;
  source_position(c->tree->source, l->at, &line, &column);
  const char *name = l->labels.n ? PR_NAME_OF(c, l->labels.items[0].id) : arena_printf(arena, "%u:%u", line, column);
  size_t same = 1;
  for (uint32_t i = 0; i < location; i++) {
    const size_t length = strlen(name);
    same += strncmp(before[i].name, name, length) == 0 && (!before[i].name[length] || before[i].name[length] == '#');
  }
  return same > 1 ? arena_printf(arena, "%s#%zu", name, same) : name;
}

static const struct location *locations_of(struct pr_check *c, const struct pr_process *p) {
  const size_t n = p->graph.location_count;
  struct location *all = arena_array(c->build.arena, n + 1, sizeof *all);
  for (uint32_t i = 0; i < n; i++)
    all[i] = (struct location){location_name_of(c, &p->graph, i, all), false, p->graph.locations[i].at, false};
  all[n] = (struct location){"-", false, p->written->at, true};
  return all;
}

static void declare_process(struct pr_check *c, struct pr_process *p) {
  struct arena *arena = c->build.arena;
  int64_t *locations = arena_array(arena, p->instances, sizeof *locations),
          *pids = arena_array(arena, p->instances, sizeof *pids);
  p->number = (uint32_t)c->build.model->process_count++;
  p->absent = (uint32_t)p->graph.location_count;
  for (uint32_t i = 0; i < p->instances; i++) {
    locations[i] = i < p->active ? 0 : p->absent;
    pids[i] = i < p->active ? p->first_pid + i : 0;
  }
  struct process *out = &c->model_processes[p->number];
  *out = (struct process){.name = p->name,
                          .instances = p->instances,
                          .single = p->instances == 1,
                          .locations = locations_of(c, p),
                          .location_count = p->graph.location_count + 1};
  const struct variable common = {.owner = p->number, .count = p->instances, .length = 1, .at = p->written->at};
  struct variable v = common;
  v.name = p->name;
  v.kind = VARIABLE_LOCATION;
  v.assigned = true;
  v.hi = p->absent;
  v.init = locations;
  out->location_variable = p->location_variable = add_variable(c, v);
  v = common;
  v.name = "_pid";
  v.kind = VARIABLE_LOCAL;
  v.assigned = p->runs;
  v.hi = c->alive ? c->alive - 1 : 0;
  v.init = pids;
  p->pid_variable = add_variable(c, v);
  if (c->tree->has_priorities) {
    v.name = "_priority";
    v.assigned = true;
    v.hi = PR_MOST_PRIORITY;
    v.init = pr_initial_priorities(c, p);
    p->priority_variable = add_variable(c, v);
  }
  declare_symbols(c, p, &p->symbols);
}

/* ---- channels ------------------------------------------------------------------------------------ */

static void declare_buffer(struct pr_check *c, uint32_t number) {
  struct arena *arena = c->build.arena;
  struct channel *channel = &c->channels[number];
  const struct pr_queue *q = c->queues;
  while (q->channel != number)
    q++;
  channel->instances_of = q->process == PR_NONE ? 0 : c->processes[q->process].number + 1;
  if (!channel->capacity)
    return;
  struct variable v = {.name = channel->name,
                       .kind = VARIABLE_LENGTH,
                       .owner = number,
                       .count = channel->size,
                       .length = 1,
                       .is_array = channel->is_array,
                       .assigned = true,
                       .hi = channel->capacity,
                       .init = arena_array(arena, channel->size, sizeof(int64_t))};
  channel->length_variable = add_variable(c, v);
  uint32_t *fields = arena_array(arena, q->field_count, sizeof *fields);
  for (uint32_t f = 0; f < q->field_count; f++) {
    v.kind = VARIABLE_FIELD;
    v.field = f;
    v.count = channel->size * channel->capacity;
    v.length = channel->capacity;
    v.lo = q->fields[f].lo;
    v.hi = q->fields[f].hi;
    v.type = q->fields[f].type == PR_T_MTYPE ? pr_enumeration(c, &q->fields[f]) : NULL;
    v.init = arena_array(arena, v.count, sizeof(int64_t));
    fields[f] = add_variable(c, v);
  }
  channel->field_variables = fields;
}

void pr_declare_state(struct pr_check *c) {
  struct model *model = c->build.model;
  model->processes = c->model_processes = arena_array(c->build.arena, c->tree->proctypes.n + 1, sizeof(struct process));
  declare_symbols(c, NULL, &c->globals);
  int64_t *running = arena_alloc(c->build.arena, sizeof *running);
  *running = c->actives;
  c->running = add_variable(c, (struct variable){.name = "_nr_pr",
                                                 .kind = VARIABLE_GLOBAL,
                                                 .count = 1,
                                                 .length = 1,
                                                 .assigned = true,
                                                 .hi = c->alive,
                                                 .init = running,
                                                 .at = NOWHERE});
  if (c->tree->has_last)
    c->last = add_variable(c, (struct variable){.name = "_last",
                                                .kind = VARIABLE_GLOBAL,
                                                .count = 1,
                                                .length = 1,
                                                .assigned = true,
                                                .hi = c->alive ? c->alive - 1 : 0,
                                                .init = arena_array(c->build.arena, 1, sizeof(int64_t)),
                                                .at = NOWHERE});
  if (c->trace)
    add_variable(c, pr_trace_variable(c, (uint32_t)model->variable_count));
  pr_declare_holder(c);
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    if (c->processes[i].instances)
      declare_process(c, &c->processes[i]);
  model->channels = c->channels;
  for (uint32_t i = 0; i < model->channel_count; i++)
    declare_buffer(c, i);
}
