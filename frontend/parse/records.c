#include "frontend/parse/records.h"

#include "core/diag.h"

#include <string.h>

struct expansion {
  const struct syntax_model *model;
  struct arena *arena;
  floe_log *log;
  struct syntax_variable *variables;
  size_t variable_count, variable_cap;
  struct syntax_structure *structures;
  size_t structure_count, structure_cap;
};

#define RECORD_ERROR(x, at, hint, ...) diag_error((x)->log, (x)->model->source, (at), (hint), __VA_ARGS__)

/* ---- declarations ---------------------------------------------------------------------- */

/* The record among the first `n` that is the type of a variable or field; NULL: none. */
static const struct syntax_record *record_of(const struct expansion *x, const struct syntax_variable *v, size_t n) {
  for (size_t i = 0; v->type.name && i < n; i++)
    if (strcmp(x->model->records[i].name, v->type.name) == 0)
      return &x->model->records[i];
  return NULL;
}

/* A field's type is an earlier record. */
static const struct syntax_record *record_of_field(const struct expansion *x, const struct syntax_record *record,
                                                   const struct syntax_variable *field) {
  return record_of(x, field, (size_t)(record - x->model->records));
}

static const struct syntax_variable *find_field(const struct syntax_record *record, const char *name, size_t length) {
  for (size_t i = 0; i < record->field_count; i++)
    if (strncmp(record->fields[i].name, name, length) == 0 && record->fields[i].name[length] == '\0')
      return &record->fields[i];
  return NULL;
}

const char *record_field_hint(const struct syntax_record *record, const char *name, struct arena *arena) {
  const char **names = arena_array(arena, record->field_count, sizeof *names);
  for (size_t i = 0; i < record->field_count; i++)
    names[i] = record->fields[i].name;
  const char *nearest = most_similar_name(name, names, record->field_count);
  return nearest ? arena_printf(arena, "did you mean '%s'?", nearest) : NULL;
}

/* The path of an initial value leads to a field that is no record. */
static void check_initial(const struct expansion *x, const struct syntax_record *record,
                          const struct syntax_initial *initial) {
  const char *name = initial->path;
  while (record) {
    const size_t length = strcspn(name, ".");
    const struct syntax_variable *field = find_field(record, name, length);
    if (!field) {
      const char *wrong = arena_copy(x->arena, name, length);
      RECORD_ERROR(x, initial->at, record_field_hint(record, wrong, x->arena), "record '%s' has no field '%s'",
                   record->name, wrong);
      return;
    }
    const struct syntax_record *inner = record_of_field(x, record, field);
    if (!inner && name[length])
      RECORD_ERROR(x, initial->at, NULL, "field '%s' is no record", field->name);
    if (inner && !name[length])
      RECORD_ERROR(x, initial->at, arena_printf(x->arena, "write %s.%s = ...", initial->path, inner->fields[0].name),
                   "field '%s' is a record: give values to its fields", field->name);
    record = name[length] ? inner : NULL;
    name += length + 1;
  }
}

/* What a variable or field has beside its type. `record`: its type; NULL: none. */
static void check_attributes(const struct expansion *x, const struct syntax_variable *v,
                             const struct syntax_record *record) {
  if (!record && v->initial_count)
    RECORD_ERROR(x, v->initials[0].at, NULL, "'%s' is no record: it has no fields to initialise", v->name);
  if (!record)
    return;
  if (v->has_wrap)
    RECORD_ERROR(x, v->wrap_at, "give it to the fields", "'%s' cannot have 'wrap': it is of type '%s'", v->name,
                 v->type.name);
  if (v->init.n)
    RECORD_ERROR(x, v->init.items[0]->start, "write init=\"field = expression, ...\"",
                 "the initial value of '%s', of type '%s', names no field", v->name, v->type.name);
  for (size_t i = 0; i < v->initial_count; i++)
    check_initial(x, record, &v->initials[i]);
}

static void check_field(const struct expansion *x, struct syntax_record *record, size_t number) {
  const struct syntax_variable *field = &record->fields[number];
  const struct syntax_record *inner = record_of_field(x, record, field);
  const struct syntax_record *later = inner ? NULL : record_of(x, field, x->model->record_count);
  if (find_field(record, field->name, strlen(field->name)) != field)
    RECORD_ERROR(x, field->at, NULL, "record '%s' has a field '%s' already", record->name, field->name);
  if (later)
    RECORD_ERROR(x, field->type.at, "a field can use only earlier records",
                 later == record ? "record '%s' contains itself" : "record '%s' is declared later", later->name);
  else
    check_attributes(x, field, inner);
  if (inner && inner->depth >= record->depth)
    record->depth = inner->depth + 1;
}

static void check_record(const struct expansion *x, struct syntax_record *record) {
  record->depth = 1;
  for (size_t i = 0; i < record->field_count; i++)
    check_field(x, record, i);
  if (record->depth > SYNTAX_MAX_RECORDS)
    RECORD_ERROR(x, record->at, NULL, "records are nested more than %d deep", SYNTAX_MAX_RECORDS);
}

/* ---- initial values --------------------------------------------------------------------- */

/* A variable or field around a field. */
struct level {
  const struct syntax_variable *variable;
  size_t length;     /* of its name within the variable */
  size_t dimensions; /* before its own */
  const struct level *outer;
};

/* The outermost value applies. */
static bool find_initial(const struct level *level, struct syntax_variable *field) {
  if (level->outer && find_initial(level->outer, field))
    return true;
  for (size_t i = 0; i < level->variable->initial_count; i++) {
    const struct syntax_initial *initial = &level->variable->initials[i];
    if (strcmp(initial->path, field->name + level->length + 1) != 0)
      continue;
    field->init = initial->values;
    field->init_of_record = level->outer != NULL;
    field->init_dimensions = field->dimension_count - level->dimensions;
    return true;
  }
  return false;
}

/* ---- expansion -------------------------------------------------------------------------- */

static void append_dimensions(const struct expansion *x, const struct syntax_variable *whole,
                              const struct syntax_variable *field, struct syntax_variable *out) {
  const size_t outer = whole->dimension_count, own = field->dimension_count;
  out->own_dimensions = own;
  out->dimension_count = outer + own;
  out->dimensions = arena_array(x->arena, outer + own, sizeof *out->dimensions);
  for (size_t i = 0; i < outer; i++)
    out->dimensions[i] = whole->dimensions[i];
  for (size_t i = 0; i < own; i++)
    out->dimensions[outer + i] =
        (struct syntax_dimension){.size = field->dimensions[i].size, .of_record = true, .place = strlen(out->name)};
}

/* `whole`: the variable, or the field with the name and dimensions that it has in the variable. */
static void expand(struct expansion *x, const struct syntax_variable *whole, const struct syntax_record *record,
                   const struct level *level, size_t most) {
  const size_t number = x->structure_count;
  const struct syntax_structure structure = {.name = whole->name,
                                             .at = whole->at,
                                             .record = record,
                                             .first = x->variable_count,
                                             .dimensions = whole->dimensions,
                                             .dimension_count = whole->dimension_count};
  *ARENA_PUSH(x->arena, x->structures, x->structure_count, x->structure_cap) = structure;
  for (size_t i = 0; i < record->field_count && x->variable_count <= most; i++) {
    const struct syntax_variable *field = &record->fields[i];
    const struct syntax_record *inner = record_of_field(x, record, field);
    struct syntax_variable made = *field;
    made.name = arena_printf(x->arena, "%s.%s", whole->name, field->name);
    made.at = whole->at;
    made.of_record = made.init_of_record = true;
    append_dimensions(x, whole, field, &made);
    const struct level own = {field, strlen(made.name), whole->dimension_count, level};
    if (inner)
      expand(x, &made, inner, &own, most);
    else {
      find_initial(level, &made);
      *ARENA_PUSH(x->arena, x->variables, x->variable_count, x->variable_cap) = made;
    }
  }
  x->structures[number].count = x->variable_count - x->structures[number].first;
}

static void expand_variable(struct expansion *x, const struct syntax_variable *v) {
  const struct syntax_record *record = record_of(x, v, x->model->record_count);
  const size_t most = x->variable_count + SYNTAX_MAX_FIELDS;
  check_attributes(x, v, record);
  if (!record) {
    *ARENA_PUSH(x->arena, x->variables, x->variable_count, x->variable_cap) = *v;
    return;
  }
  expand(x, v, record, &(struct level){v, strlen(v->name), 0, NULL}, most);
  if (x->variable_count > most)
    RECORD_ERROR(x, v->at, NULL, "'%s' has more than %d fields", v->name, SYNTAX_MAX_FIELDS);
}

static void expand_list(struct expansion *x, const struct syntax_variable *variables, size_t n) {
  x->variables = NULL;
  x->structures = NULL;
  x->variable_count = x->variable_cap = x->structure_count = x->structure_cap = 0;
  for (size_t i = 0; i < n; i++)
    expand_variable(x, &variables[i]);
}

/* ---- messages ----------------------------------------------------------------------------- */

/* The name of a range that may be a record. */
static const struct syntax_record *record_of_range(const struct expansion *x, const struct syntax_range *range) {
  const bool named = range->lo && !range->hi && range->lo->op == SYN_NAME;
  const struct syntax_variable v = {.type = {named ? range->lo->name : NULL, 0}};
  return record_of(x, &v, x->model->record_count);
}

static struct syntax_expr *leaf(const struct expansion *x, enum syntax_op op, source_at at) {
  struct syntax_expr *e = arena_alloc(x->arena, sizeof *e);
  *e = (struct syntax_expr){.op = op, .at = at, .start = at, .end = at, .depth = 1};
  return e;
}

static struct syntax_range range_of_field(const struct expansion *x, const struct syntax_variable *field) {
  struct syntax_range range = {.at = field->type.at};
  if (field->ranges.n)
    return field->ranges.items[0];
  if (!strcmp(field->type.name, "bool"))
    return range;
  const bool is_byte = !strcmp(field->type.name, "byte");
  range.lo = leaf(x, is_byte ? SYN_NUMBER : SYN_NAME, field->type.at);
  range.lo->name = field->type.name;
  if (is_byte) {
    range.hi = leaf(x, SYN_NUMBER, field->type.at);
    range.hi->value = UINT8_MAX;
  }
  return range;
}

static void append_record(const struct expansion *x, const struct syntax_record *record, const char *path, source_at at,
                          struct syntax_ranges *fields, struct syntax_message *message) {
  for (size_t i = 0; i < record->field_count && message->count <= SYNTAX_MAX_FIELDS; i++) {
    const struct syntax_variable *field = &record->fields[i];
    const struct syntax_record *inner = record_of_field(x, record, field);
    const char *name = arena_printf(x->arena, "%s%s%s", path, *path ? "." : "", field->name);
    if (field->dimension_count || field->values.n || field->index_of.name) {
      RECORD_ERROR(x, at, NULL, "a record of type '%s' cannot be in a message: '%s' %s", record->name, name,
                   field->dimension_count ? "is an array"
                   : field->values.n      ? "has a set of values"
                                          : "holds an instance");
    } else if (inner) {
      append_record(x, inner, name, at, fields, message);
    } else {
      *ARENA_PUSH(x->arena, fields->items, fields->n, fields->cap) = range_of_field(x, field);
      *ARENA_PUSH(x->arena, message->paths, message->count, message->cap) = name;
    }
  }
}

static void expand_message(const struct expansion *x, struct syntax_channel *channel) {
  const struct syntax_ranges declared = channel->fields;
  struct syntax_ranges fields = {0};
  struct syntax_message *messages = arena_array(x->arena, declared.n, sizeof *messages);
  bool any = false;
  for (size_t i = 0; i < declared.n; i++) {
    messages[i].record = record_of_range(x, &declared.items[i]);
    any |= messages[i].record != NULL;
    if (messages[i].record)
      append_record(x, messages[i].record, "", declared.items[i].at, &fields, &messages[i]);
    else
      *ARENA_PUSH(x->arena, fields.items, fields.n, fields.cap) = declared.items[i];
    if (messages[i].count > SYNTAX_MAX_FIELDS)
      RECORD_ERROR(x, declared.items[i].at, NULL, "a message of '%s' has more than %d fields", channel->name,
                   SYNTAX_MAX_FIELDS);
  }
  if (!any)
    return;
  channel->fields = fields;
  channel->messages = messages;
  channel->message_count = declared.n;
}

void records_expand(struct syntax_model *model, struct arena *arena, floe_log *log) {
  struct expansion x = {.model = model, .arena = arena, .log = log};
  const size_t before = diag_errors(log);
  for (size_t r = 0; r < model->record_count; r++)
    check_record(&x, &model->records[r]);
  if (diag_errors(log) > before)
    return;
  expand_list(&x, model->variables, model->variable_count);
  model->variables = x.variables;
  model->variable_count = x.variable_count;
  model->structures = x.structures;
  model->structure_count = x.structure_count;
  for (size_t i = 0; i < model->channel_count; i++)
    expand_message(&x, &model->channels[i]);
  for (size_t i = 0; i < model->process_count; i++) {
    struct syntax_process *process = &model->processes[i];
    expand_list(&x, process->variables, process->variable_count);
    process->variables = x.variables;
    process->variable_count = x.variable_count;
    process->structures = x.structures;
    process->structure_count = x.structure_count;
  }
}
