#include "frontend/check/check_variables.h"

#include "frontend/check/check_constants.h"
#include "frontend/check/check_types.h"
#include "frontend/expr/check_enumerations.h"
#include "frontend/expr/check_expr.h"
#include "frontend/expr/check_values.h"
#include "model/notation.h"

#include <string.h>

static struct variable *variable_at(struct check *c, uint32_t number) { return &c->build.model->variables[number]; }

/* ---- numbering ----------------------------------------------------------------------- */

static size_t count_sets(const struct syntax_variable *variables, size_t n) {
  size_t sets = 0;
  for (size_t i = 0; i < n; i++)
    sets += variables[i].values.n > 0 || variables[i].ranges.n > 1;
  return sets;
}

/* Numbers all variables before any evaluation: global ones, then for each process its location and local ones, then
   buffers, then tables of values. */
void variables_declare(struct check *c) {
  const struct syntax_model *m = c->syntax;
  size_t n = m->variable_count, fields = 0, tables = count_sets(m->variables, m->variable_count);
  for (size_t i = 0; i < m->process_count; i++) {
    const struct syntax_process *p = &m->processes[i];
    struct template *process = &c->templates[i];
    c->processes[i].location_variable = (uint32_t)n++;
    tables += count_sets(p->variables, p->variable_count);
    process->variables = arena_array(c->build.arena, p->variable_count, sizeof *process->variables);
    for (size_t k = 0; k < p->variable_count; k++)
      process->variables[k] = (uint32_t)n++;
  }
  for (size_t i = 0; i < m->channel_count; i++)
    fields += 1 + m->channels[i].fields.n;
  fields += VALUES_TABLES * tables;
  c->build.model->variables = arena_array(c->build.arena, n + fields, sizeof *c->build.model->variables);
  c->build.model->variable_count = n;
  c->variable_infos = arena_array(c->build.arena, n + fields, sizeof *c->variable_infos);
  c->variable_read = arena_array(c->build.arena, n + fields, sizeof *c->variable_read);
  c->variable_varies = arena_array(c->build.arena, n + fields, sizeof *c->variable_varies);
}

/* ---- ranges and sizes ---------------------------------------------------------------- */

/* Values and elements of a variable. */
struct shape {
  struct value_type type;
  struct dimension dimensions[SYNTAX_MAX_DIMENSIONS];
  int64_t length;
};

static bool too_many_elements(struct check *c, const struct syntax_variable *syntax) {
  CHECK_ERROR(c, syntax->dimensions[0].size->start, NULL, "'%s' has more than %d elements", syntax->name,
              CHECK_MAX_SIZE);
  return false;
}

/* The scope of what is written in a record: names are those of the model. */
static struct scope declaration_scope(const struct scope *s, bool of_record) {
  struct scope scope = *s;
  if (of_record)
    scope.process = NULL;
  return scope;
}

static bool array_shape(const struct scope *s, const struct syntax_variable *syntax, struct shape *shape) {
  bool ok = syntax->dimension_count <= SYNTAX_MAX_DIMENSIONS;
  if (!ok)
    CHECK_ERROR(s->check, syntax->dimensions[SYNTAX_MAX_DIMENSIONS].size->start, NULL,
                "'%s' has more than %d dimensions", syntax->name, SYNTAX_MAX_DIMENSIONS);
  for (size_t i = 0; ok && i < syntax->dimension_count; i++) {
    int64_t size = 1;
    const struct scope scope = declaration_scope(s, syntax->dimensions[i].of_record);
    ok &= constant_within(&scope, syntax->dimensions[i].size, "the size of an array", 1, CHECK_MAX_SIZE, &size);
    shape->dimensions[i] = (struct dimension){.size = (uint32_t)size, .place = (uint32_t)syntax->dimensions[i].place};
    shape->length *= shape->length > CHECK_MAX_SIZE ? 1 : size;
  }
  return ok && (shape->length <= CHECK_MAX_SIZE || too_many_elements(s->check, syntax));
}

/* Elements for which `init`, or a list of ranges, has values. */
static size_t last_elements(const struct dimension *dimensions, size_t n, size_t last) {
  size_t count = 1;
  for (size_t i = n - last; i < n; i++)
    count *= dimensions[i].size;
  return count;
}

/* A field in an array of records has its ranges in each of them. */
static bool element_ranges(const struct scope *s, const struct syntax_variable *syntax, struct shape *shape) {
  struct value_type *type = &shape->type;
  const size_t n = last_elements(shape->dimensions, syntax->dimension_count, syntax->own_dimensions);
  if (type->range_count != n) {
    CHECK_ERROR(s->check, syntax->ranges.items[0].at, NULL, "'%s' has %zu element%s and %zu ranges", syntax->name, n,
                n == 1 ? "" : "s", type->range_count);
    return false;
  }
  struct value_range *all = arena_array(s->check->build.arena, (size_t)shape->length, sizeof *all);
  for (size_t i = 0; i < (size_t)shape->length; i++)
    all[i] = type->ranges[i % n];
  type->ranges = all;
  type->range_count = (size_t)shape->length;
  return true;
}

static bool variable_shape(const struct scope *s, const struct syntax_variable *syntax, struct shape *shape) {
  *shape = (struct shape){.length = 1};
  const struct scope scope = declaration_scope(s, syntax->of_record);
  const bool ok = types_variable(&scope, syntax, &shape->type);
  if (!array_shape(s, syntax, shape))
    return false;
  return ok && (!shape->type.ranges || element_ranges(s, syntax, shape));
}

static bool shapes_same(const struct shape *a, const struct shape *b) {
  return types_same(&a->type, &b->type) && memcmp(a->dimensions, b->dimensions, sizeof a->dimensions) == 0;
}

/* Of a plain array, the model has no dimensions. */
static void set_dimensions(struct check *c, struct variable *v, const struct syntax_variable *syntax,
                           const struct shape *shape) {
  const size_t n = syntax->dimension_count;
  v->is_array = n > 0;
  if (n == 0 || (n == 1 && v->name[shape->dimensions[0].place] == '\0'))
    return;
  struct dimension *dimensions = arena_array(c->build.arena, n, sizeof *dimensions);
  memcpy(dimensions, shape->dimensions, n * sizeof *dimensions);
  v->dimensions = dimensions;
  v->dimension_count = (uint32_t)n;
}

static void set_shape(struct check *c, struct variable *v, const struct syntax_variable *syntax,
                      const struct shape *shape, uint32_t instances) {
  const struct value_type *type = &shape->type;
  v->lo = type->range.lo;
  v->hi = type->range.hi;
  v->length = (uint32_t)shape->length;
  v->count = v->length * instances; /* at most 65536 * 4096 */
  set_dimensions(c, v, syntax, shape);
  v->is_bool = type->is_bool;
  v->instances_of = type->instances_of;
  v->type = type->names;
  v->values = type->values;
  v->ranges = type->ranges;
  c->variable_infos[v - c->build.model->variables].wraps = type->wraps;
}

static void name_variable(struct variable *v, const struct syntax_variable *syntax, enum variable_kind kind,
                          uint32_t owner) {
  v->name = syntax->name;
  v->at = syntax->at;
  v->kind = kind;
  v->owner = owner;
}

/* Records whether a variable's attributes depend on constants: some were read since `before`. */
static void note_constants(struct check *c, uint32_t number, size_t before) {
  c->variable_varies[number] |= c->constants.read != before;
}

void globals_shape(struct check *c) {
  struct scope s = {.check = c, .constant = true};
  for (size_t i = 0; i < c->syntax->variable_count; i++) {
    const struct syntax_variable *syntax = &c->syntax->variables[i];
    struct variable *v = variable_at(c, (uint32_t)i);
    struct shape shape;
    size_t constants = c->constants.read;
    name_variable(v, syntax, VARIABLE_GLOBAL, 0);
    if (variable_shape(&s, syntax, &shape))
      set_shape(c, v, syntax, &shape, 1);
    note_constants(c, (uint32_t)i, constants);
  }
}

/* All instances share one variable of the model, so range and size must not depend on the instance. */
static void local_shape(struct check *c, const struct template *process, const struct syntax_variable *syntax,
                        struct variable *v) {
  struct shape first = {.length = 1}, shape;
  uint32_t instances = process->process->instances;
  name_variable(v, syntax, VARIABLE_LOCAL, process->id);
  for (uint32_t i = 0; i < instances; i++) {
    struct scope s = {.check = c, .process = process, .instance = i, .constant = true};
    if (!variable_shape(&s, syntax, &shape))
      return;
    if (i == 0) {
      first = shape;
    } else if (!shapes_same(&first, &shape)) {
      CHECK_ERROR(c, syntax->at, NULL, "range and size of '%s' must be the same in every instance of process '%s'",
                  syntax->name, process->process->name);
      return;
    }
  }
  if (instances)
    set_shape(c, v, syntax, &first, instances);
}

void locals_shape(struct check *c, struct template *process) {
  for (size_t i = 0; i < process->syntax->variable_count; i++) {
    size_t constants = c->constants.read;
    local_shape(c, process, &process->syntax->variables[i], variable_at(c, process->variables[i]));
    note_constants(c, process->variables[i], constants);
  }
}

/* ---- locations ----------------------------------------------------------------------- */

static void find_initial(struct check *c, struct template *process) {
  const struct syntax_process *syntax = process->syntax;
  process->initial = NONE;
  for (size_t i = 0; i < syntax->location_count; i++) {
    const struct syntax_location *location = &syntax->locations[i];
    if (!location->initial)
      continue;
    if (process->initial == NONE)
      process->initial = (uint32_t)i;
    else
      CHECK_ERROR(c, location->at, NULL, "process '%s' has a second initial location '%s'", syntax->name,
                  location->name);
  }
  if (process->initial == NONE) {
    CHECK_ERROR(c, syntax->at, "mark one with initial=\"true\"", "process '%s' has no initial location", syntax->name);
    process->initial = 0;
  }
}

static bool has_moves(const struct syntax_process *process) {
  for (size_t i = 0; i < process->transition_count; i++)
    if (process->transitions[i].to.name)
      return true;
  return false;
}

void locations_declare(struct check *c, struct template *process) {
  const struct syntax_process *syntax = process->syntax;
  struct location *locations = arena_array(c->build.arena, syntax->location_count, sizeof *locations);
  for (size_t i = 0; i < syntax->location_count; i++)
    locations[i] = (struct location){
        .name = syntax->locations[i].name, .committed = syntax->locations[i].committed, .at = syntax->locations[i].at};
  process->process->locations = locations;
  process->process->location_count = syntax->location_count;
  find_initial(c, process);
  *variable_at(c, process->process->location_variable) =
      (struct variable){.name = syntax->name,
                        .kind = VARIABLE_LOCATION,
                        .owner = process->id,
                        .count = process->process->instances,
                        .length = 1,
                        .assigned = has_moves(syntax),
                        .hi = syntax->location_count ? (int64_t)syntax->location_count - 1 : 0,
                        .at = syntax->at};
}

/* ---- channels ------------------------------------------------------------------------ */

static uint32_t add_buffer(struct check *c, const struct channel *channel, uint32_t number,
                           const struct variable *draft) {
  uint32_t id = (uint32_t)c->build.model->variable_count++;
  struct variable *v = variable_at(c, id);
  *v = *draft;
  v->name = channel->name;
  v->owner = number;
  v->length = v->kind == VARIABLE_FIELD ? channel->capacity : 1;
  v->count = v->length * channel->size;
  v->is_array = channel->is_array;
  v->assigned = true;
  v->at = c->syntax->channels[number].at;
  return id;
}

static void add_buffers(struct check *c, uint32_t number) {
  struct channel *channel = &c->channels[number];
  const struct channel_info *info = &c->channel_infos[number];
  uint32_t *fields = arena_array(c->build.arena, channel->field_count, sizeof *fields);
  if ((uint64_t)channel->size * channel->capacity > BUILD_MAX_VALUES) {
    CHECK_ERROR(c, c->syntax->channels[number].at, NULL, "channel '%s' is too large", channel->name);
    return;
  }
  channel->length_variable =
      add_buffer(c, channel, number, &(struct variable){.kind = VARIABLE_LENGTH, .hi = channel->capacity});
  for (size_t f = 0; f < channel->field_count; f++)
    fields[f] = add_buffer(c, channel, number,
                           &(struct variable){.kind = VARIABLE_FIELD,
                                              .field = (uint32_t)f,
                                              .is_bool = info->is_bool[f],
                                              .type = info->types[f],
                                              .lo = info->fields[f].lo,
                                              .hi = info->fields[f].hi});
  channel->field_variables = fields;
}

static bool channel_fields(struct check *c, const struct syntax_channel *syntax, struct channel_info *info) {
  struct scope s = {.check = c, .constant = true};
  bool ok = true;
  info->fields = arena_array(c->build.arena, syntax->fields.n, sizeof *info->fields);
  info->is_bool = arena_array(c->build.arena, syntax->fields.n, sizeof *info->is_bool);
  info->types = arena_array(c->build.arena, syntax->fields.n, sizeof *info->types);
  for (size_t f = 0; f < syntax->fields.n; f++) {
    ok &= types_range(&s, &syntax->fields.items[f], "channel", syntax->name, &info->fields[f]);
    info->is_bool[f] = !syntax->fields.items[f].lo;
    info->types[f] = range_names(&s, &syntax->fields.items[f]);
  }
  return ok;
}

void channels_declare(struct check *c) {
  struct scope s = {.check = c, .constant = true};
  for (size_t i = 0; i < c->syntax->channel_count; i++) {
    const struct syntax_channel *syntax = &c->syntax->channels[i];
    struct channel *channel = &c->channels[i];
    int64_t size = 1, capacity = 0;
    channel->name = syntax->name;
    channel->is_array = syntax->size != NULL;
    channel->broadcast = syntax->broadcast;
    channel->field_count = syntax->fields.n;
    size_t constants = c->constants.read;
    bool ok = channel_fields(c, syntax, &c->channel_infos[i]);
    c->compose.channels[i].fields = c->channel_infos[i].fields;
    c->compose.channels[i].types = c->channel_infos[i].types;
    c->compose.channels[i].is_bool = c->channel_infos[i].is_bool;
    if (syntax->size)
      ok &= constant_within(&s, syntax->size, "the size of an array", 1, CHECK_MAX_SIZE, &size);
    if (syntax->capacity)
      ok &= constant_within(&s, syntax->capacity, "the capacity of a channel", 0, CHECK_MAX_SIZE, &capacity);
    c->channel_infos[i].varies = c->constants.read != constants;
    if (ok && channel->broadcast && capacity) {
      CHECK_ERROR(c, syntax->at, NULL, "broadcast channel '%s' cannot have a buffer", syntax->name);
      ok = false;
    }
    if (!ok)
      continue;
    channel->size = (uint32_t)size;
    channel->capacity = (uint32_t)capacity;
    if (capacity)
      add_buffers(c, (uint32_t)i);
  }
}

/* ---- initial values ------------------------------------------------------------------ */

static bool wrapped_value(struct check *c, const struct syntax_expr *e, const struct variable *v, int64_t *value) {
  const struct expr *wrapped = build_wrapped(&c->build, e->at, build_const(&c->build, *value), v->lo, v->hi);
  if (wrapped)
    *value = wrapped->value;
  return wrapped != NULL;
}

/* The stored form of a value: its position if there is a set. */
static bool store_initial(const struct variable *v, uint32_t element, int64_t *value) {
  const struct value_range range = v->ranges ? v->ranges[element] : (struct value_range){v->lo, v->hi};
  if (v->values)
    *value = values_find(v->values, *value);
  return range.lo <= *value && *value <= range.hi;
}

static const char *values_told(struct check *c, const struct variable *v, uint32_t element) {
  const struct value_range range = v->ranges ? v->ranges[element] : (struct value_range){v->lo, v->hi};
  return v->values ? arena_printf(c->build.arena, "values %s", v->values->text)
                   : arena_printf(c->build.arena, "range %lld..%lld", (long long)range.lo, (long long)range.hi);
}

static const char *name_told(struct check *c, const struct variable *v, uint32_t element) {
  return v->ranges ? own_element_name(v, element, c->build.arena) : v->name;
}

static bool default_value(struct check *c, const struct syntax_variable *syntax, const struct variable *v,
                          uint32_t element, int64_t *value) {
  *value = v->instances_of ? -1 : 0;
  if (store_initial(v, element, value))
    return true;
  CHECK_ERROR(c, syntax->at, "give init", "variable '%s' needs an initial value: its %s %s not hold 0",
              name_told(c, v, element), values_told(c, v, element), v->values ? "do" : "does");
  return false;
}

/* Number of elements to which `init` gives values. */
static uint32_t init_elements(const struct syntax_variable *syntax, const struct variable *v) {
  if (v->dimensions)
    return (uint32_t)last_elements(v->dimensions, v->dimension_count, syntax->init_dimensions);
  return syntax->init_dimensions ? v->length : 1;
}

static bool initial_value(struct check *c, const struct scope *s, const struct syntax_variable *syntax,
                          const struct variable *v, uint32_t element, int64_t *value) {
  if (!syntax->init.n)
    return default_value(c, syntax, v, element, value);
  const uint32_t number = element % init_elements(syntax, v);
  struct binding index = {"index", build_const(&c->build, number), NULL};
  struct scope inner = declaration_scope(s, syntax->init_of_record);
  const struct syntax_expr *e = syntax->init.items[syntax->init.n > 1 ? number : 0];
  inner.bindings = &index;
  if (!index.value || !constant_eval(&inner, e, value))
    return false;
  if (c->variable_infos[v - c->build.model->variables].wraps)
    return wrapped_value(c, e, v, value);
  int64_t given = *value;
  if (store_initial(v, element, value))
    return true;
  CHECK_ERROR(c, e->start, NULL, "the initial value %lld of '%s' is outside its %s", (long long)given,
              name_told(c, v, element), values_told(c, v, element));
  return false;
}

static void initialise(struct check *c, const struct template *process, const struct syntax_variable *syntax,
                       struct variable *v) {
  if (!v->count || c->build.stop)
    return;
  const uint32_t elements = init_elements(syntax, v);
  if (syntax->init.n > 1 && syntax->init.n != elements) {
    CHECK_ERROR(c, syntax->at, NULL, "'%s' has %u elements and %zu initial values", syntax->name, elements,
                syntax->init.n);
    return;
  }
  int64_t *init = arena_array(c->build.arena, v->count, sizeof *init);
  size_t constants = c->constants.read;
  for (uint32_t k = 0; k < v->count; k++) {
    struct scope s = {.check = c, .process = process, .instance = k / v->length, .constant = true};
    if (!initial_value(c, &s, syntax, v, k % v->length, &init[k]))
      return;
  }
  note_constants(c, (uint32_t)(v - c->build.model->variables), constants);
  v->init = init;
}

static void fill_initial(struct check *c, struct variable *v, int64_t value) {
  int64_t *init = arena_array(c->build.arena, v->count, sizeof *init);
  for (uint32_t k = 0; k < v->count; k++)
    init[k] = value;
  v->init = init;
}

void variables_initialise(struct check *c) {
  const struct syntax_model *m = c->syntax;
  for (size_t i = 0; i < m->variable_count; i++)
    initialise(c, NULL, &m->variables[i], variable_at(c, (uint32_t)i));
  for (size_t i = 0; i < m->process_count; i++) {
    const struct template *process = &c->templates[i];
    fill_initial(c, variable_at(c, process->process->location_variable), process->initial);
    for (size_t k = 0; k < process->syntax->variable_count; k++)
      initialise(c, process, &process->syntax->variables[k], variable_at(c, process->variables[k]));
  }
  for (size_t i = 0; i < c->build.model->variable_count; i++) {
    struct variable *v = variable_at(c, (uint32_t)i);
    if (v->kind == VARIABLE_LENGTH || v->kind == VARIABLE_FIELD)
      fill_initial(c, v, v->lo);
  }
  build_settle(&c->build);
}
