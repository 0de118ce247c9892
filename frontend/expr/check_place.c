#include "frontend/expr/check_place.h"

#include "frontend/expr/check_dedup.h"
#include "frontend/expr/check_fields.h"
#include "frontend/expr/check_names.h"
#include "frontend/expr/check_values.h"
#include "frontend/parse/records.h"
#include "frontend/parse/source_text.h"

#include <string.h>

#define OWN_VARIABLES_ONLY "an effect assigns global variables and those of its own instance; write only the name"

/* ---- names --------------------------------------------------------------------------- */

static bool is_location(const struct scope *s, const char *name) {
  const struct symbol *symbol = s->process ? names_find(&s->process->names, name) : NULL;
  return symbol && symbol->kind == SYMBOL_LOCATION;
}

/* Hint for a name that is declared in a process. */
static const char *name_elsewhere(const struct scope *s, const char *name) {
  struct check *c = s->check;
  for (size_t i = 0; i < c->syntax->process_count; i++) {
    const struct symbol *symbol = names_find(&c->templates[i].names, name);
    if (symbol && symbol->kind != SYMBOL_PARAMETER && !s->constant)
      return arena_printf(c->build.arena, "write %s%s.%s", c->processes[i].name, c->processes[i].single ? "" : "[...]",
                          name);
  }
  return scope_suggestion(s, name, SYMBOL_VALUES);
}

void unknown_name(const struct scope *s, const char *name, source_at at) {
  struct check *c = s->check;
  if (is_invalid(c, s->process, name))
    return;
  if (is_location(s, name))
    CHECK_ERROR(c, at,
                arena_printf(c->build.arena, "write %s%s.%s", s->process->process->name,
                             s->process->process->single ? "" : "[self]", name),
                "'%s' is a location, not a value", name);
  else if (strcmp(name, "self") == 0)
    CHECK_ERROR(c, at, NULL, "'self' can be used only inside a process");
  else if (strcmp(name, "else") == 0)
    CHECK_ERROR(c, at, NULL, "'else' can be used only as a whole guard");
  else if (strcmp(name, "index") == 0)
    CHECK_ERROR(c, at, NULL, "'index' can be used only in an initial value");
  else if (!already_reported(c, "", name))
    CHECK_ERROR(c, at, name_elsewhere(s, name), "unknown name '%s'", name);
}

const struct symbol *find_process(const struct scope *s, const char *name, source_at at) {
  const bool bound = scope_binding(s, name) != NULL;
  const struct symbol *symbol = scope_find(s, name);
  if (symbol && symbol->kind == SYMBOL_PROCESS && !bound)
    return symbol;
  if (is_invalid(s->check, s->process, name) || (!symbol && already_reported(s->check, "", name)))
    return NULL;
  const char *hint = scope_suggestion(s, name, SYMBOL_PROCESS);
  if (bound)
    CHECK_ERROR(s->check, at, NULL, "'%s' is %s, not a process", name, bound_kind(s, name));
  else if (symbol)
    CHECK_ERROR(s->check, at, hint, "'%s' is %s, not a process", name, symbol_kind_name(symbol->kind));
  else
    CHECK_ERROR(s->check, at, hint, "unknown process '%s'", name);
  return NULL;
}

/* ---- elements of arrays ---------------------------------------------------------------- */

/* In a property, a constant index out of bounds is an error when the model is checked; in a process, guards may exclude
   it, in a function branches. */
static bool element_exists(const struct scope *s, const struct expr *index, uint32_t bound, const char *name,
                           source_at at) {
  struct check *c = s->check;
  if (!index || s->process || s->in_process || s->in_function || index->op != EXPR_CONST ||
      within(index, 0, (int64_t)bound - 1) || c->build.dead)
    return index != NULL;
  CHECK_ERROR(c, at, NULL, "there is no %s[%lld]: its indices are 0..%u", name, (long long)index->value, bound - 1);
  return false;
}

/* A variable, a record or a location, as written. */
struct path {
  const struct template *owner; /* of the symbol; NULL: the model */
  const struct expr *instance;  /* as written; NULL: the own one */
  const struct symbol *symbol;
  source_at at; /* of the last name */
  const struct syntax_expr *indices[SYNTAX_MAX_DIMENSIONS];
  size_t index_count;
};

/* Where the indices of an element stand in its name. */
struct pattern {
  const char *name;
  size_t places[SYNTAX_MAX_DIMENSIONS], n;
};

static struct pattern variable_pattern(const struct variable *v) {
  struct pattern p = {.name = v->name, .places = {strlen(v->name)}, .n = variable_dimensions(v)};
  for (size_t i = 0; v->dimensions && i < p.n; i++)
    p.places[i] = v->dimensions[i].place;
  return p;
}

static struct pattern structure_pattern(const struct syntax_structure *structure) {
  struct pattern p = {.name = structure->name, .n = structure->dimension_count};
  for (size_t i = 0; i < p.n && i < SYNTAX_MAX_DIMENSIONS; i++)
    p.places[i] = structure->dimensions[i].place;
  return p;
}

/* "m[...][...]" */
static const char *pattern_text(struct check *c, const struct pattern *p) {
  const char *text = "";
  size_t done = 0;
  for (size_t i = 0; i < p->n && i < SYNTAX_MAX_DIMENSIONS; done = p->places[i++])
    text = arena_printf(c->build.arena, "%s%.*s[...]", text, (int)(p->places[i] - done), p->name + done);
  return arena_printf(c->build.arena, "%s%s", text, p->name + done);
}

static bool indices_fit(const struct scope *s, const struct pattern *p, const struct path *path) {
  struct check *c = s->check;
  const size_t given = path->index_count;
  if (given == p->n)
    return true;
  if (is_invalid(c, s->process, p->name) || (!p->n && already_reported(c, "size of ", p->name)))
    return false;
  const char *hint = p->n ? arena_printf(c->build.arena, "write %s", pattern_text(c, p)) : NULL;
  if (!p->n)
    CHECK_ERROR(c, path->at, NULL, "'%s' is not an array", p->name);
  else if (!given)
    CHECK_ERROR(c, path->at, hint, "array '%s' needs %s", p->name,
                p->n == 1 ? "an index" : arena_printf(c->build.arena, "%zu indices", p->n));
  else
    CHECK_ERROR(c, path->at, hint, "array '%s' has %zu dimension%s, here %zu %s given", p->name, p->n,
                p->n == 1 ? "" : "s", given, given == 1 ? "index is" : "indices are");
  return false;
}

/* Each index is checked by itself. `e` is INDEX. */
static const struct expr *dimension_index(struct scope *s, const struct syntax_expr *e, const struct variable *v,
                                          uint32_t size) {
  struct check *c = s->check;
  const struct expr *index = s->check->lower(s, e->b);
  if (!index || within(index, 0, (int64_t)size - 1))
    return index;
  const char *what = v->dimensions ? source_excerpt_short(c->build.source, e->a, c->build.arena) : v->name;
  if (!element_exists(s, index, size, what, e->b->at))
    return NULL;
  return build_index(&c->build, e->b->at, index, size, what);
}

/* Number of the element, row by row, for the indices of the path: those of the first dimensions of `v`. NULL in *out
   for no index. */
static bool row_index(struct scope *s, const struct variable *v, const struct path *path, const struct expr **out) {
  struct check *c = s->check;
  *out = NULL;
  for (size_t i = 0; i < path->index_count; i++) {
    const struct syntax_expr *e = path->indices[i];
    const uint32_t size = v->dimensions ? v->dimensions[i].size : v->length;
    const struct expr *index = dimension_index(s, e, v, size);
    if (!index)
      return false;
    *out = i ? build_offset(&c->build, e->at, *out, size, index) : index;
    if (!*out)
      return false;
  }
  return true;
}

/* Checks indices, although an error in the declaration of their array was reported. */
static void lower_indices(struct scope *s, const struct path *path) {
  for (size_t i = 0; i < path->index_count; i++)
    s->check->lower(s, path->indices[i]->b);
}

/* ---- paths ----------------------------------------------------------------------------- */

static const struct syntax_expr *root_of(const struct syntax_expr *e) {
  while (e->op == SYN_INDEX || e->op == SYN_FIELD)
    e = e->a;
  return e;
}

/* The variable itself. `indexed`: an index follows. */
static bool start_path(const struct scope *s, const struct syntax_expr *name, bool indexed, struct path *path) {
  struct check *c = s->check;
  const struct symbol *symbol = scope_find(s, name->name);
  *path = (struct path){.symbol = symbol, .at = name->at};
  if (!scope_binding(s, name->name) && symbol && (symbol->kind & (SYMBOL_VARIABLE | SYMBOL_STRUCTURE))) {
    path->owner = s->process && names_find(&s->process->names, name->name) == symbol ? s->process : NULL;
    return true;
  }
  if (symbol && is_invalid(c, s->process, name->name))
    return false;
  if (!symbol && !scope_binding(s, name->name))
    unknown_name(s, name->name, name->at);
  else
    CHECK_ERROR(c, name->at, NULL, "'%s' is %s, not %s", name->name,
                symbol ? symbol_kind_name(symbol->kind) : bound_kind(s, name->name),
                indexed ? "an array" : "a variable");
  return false;
}

const struct template *place_instance(struct scope *s, const struct syntax_expr *e, const struct expr **instance) {
  struct check *c = s->check;
  const struct syntax_expr *name = root_of(e);
  const struct symbol *symbol = find_process(s, name->name, name->at);
  if (!symbol)
    return NULL;
  const struct process *process = &c->processes[symbol->id];
  if (e->op == SYN_INDEX && e->a->op == SYN_INDEX) {
    CHECK_ERROR(c, e->b->start, arena_printf(c->build.arena, "write %s[...]", process->name),
                "an instance of process '%s' has one index", process->name);
    return NULL;
  }
  if (e->op == SYN_INDEX) {
    *instance = s->check->lower(s, e->b);
    if (!process->instances)
      return NULL;
    c->constants.read += c->templates[symbol->id].varies;
    if (!element_exists(s, *instance, process->instances, process->name, e->b->at))
      return NULL;
    *instance = build_index(&c->build, e->b->at, *instance, process->instances, process->name);
    return *instance ? &c->templates[symbol->id] : NULL;
  }
  if (!process->single) {
    CHECK_ERROR(c, name->at, arena_printf(c->build.arena, "write %s[...]", process->name),
                "process '%s' has several instances", process->name);
    return NULL;
  }
  *instance = build_const(&c->build, 0);
  return &c->templates[symbol->id];
}

static const struct symbol *member(struct scope *s, const struct template *process, const struct syntax_expr *e) {
  struct check *c = s->check;
  const struct symbol *symbol = names_find(&process->names, e->name);
  struct scope inside = {.check = c, .process = process};
  if (is_invalid(c, process, e->name) || (!symbol && already_reported(c, process->process->name, e->name)))
    return NULL;
  if (!symbol)
    CHECK_ERROR(c, e->name_at, scope_suggestion(&inside, e->name, SYMBOL_LOCATION | SYMBOL_VARIABLE),
                "process '%s' has no location or variable '%s'", process->process->name, e->name);
  else if (symbol->kind == SYMBOL_PARAMETER)
    CHECK_ERROR(c, e->name_at, NULL, "parameter '%s' can be used only inside process '%s'", e->name,
                process->process->name);
  else if (symbol->kind & (SYMBOL_DEFINE | SYMBOL_FUNCTION))
    CHECK_ERROR(c, e->name_at, "define it in the model, with a parameter",
                "%s '%s' can be used only inside process '%s'", symbol->kind == SYMBOL_DEFINE ? "define" : "function",
                e->name, process->process->name);
  else
    return symbol;
  return NULL;
}

static bool find_path(struct scope *s, const struct syntax_expr *e, bool indexed, struct path *path);

/* P[e].x: a variable or location of a process. */
static bool find_member(struct scope *s, const struct syntax_expr *e, struct path *path) {
  struct check *c = s->check;
  *path = (struct path){.at = e->name_at};
  if (s->constant) {
    CHECK_ERROR(c, e->at, NULL, "the state of a process is not constant: a constant is needed here");
    return false;
  }
  path->owner = place_instance(s, e->a, &path->instance);
  path->symbol = path->owner ? member(s, path->owner, e) : NULL;
  return path->symbol != NULL;
}

static const struct syntax_structure *structure_of(const struct check *c, const struct path *path) {
  const struct syntax_structure *all = path->owner ? path->owner->syntax->structures : c->syntax->structures;
  return path->symbol->kind == SYMBOL_STRUCTURE ? &all[path->symbol->id] : NULL;
}

/* x.f, a[e].f: a field of a record. */
static bool find_field(struct scope *s, const struct syntax_expr *e, struct path *path) {
  struct check *c = s->check;
  if (!find_path(s, e->a, false, path))
    return false;
  const struct syntax_structure *structure = structure_of(c, path);
  if (!structure) {
    CHECK_ERROR(c, e->name_at, NULL, "'%s' is %s, not a record", path->symbol->name,
                symbol_kind_name(path->symbol->kind));
    return false;
  }
  const struct pattern pattern = structure_pattern(structure);
  if (!indices_fit(s, &pattern, path))
    return false;
  const char *name = arena_printf(c->build.arena, "%s.%s", path->symbol->name, e->name);
  path->symbol = names_find(path->owner ? &path->owner->names : &c->globals, name);
  path->at = e->name_at;
  if (!path->symbol && !already_reported(c, structure->record->name, e->name))
    CHECK_ERROR(c, e->name_at, record_field_hint(structure->record, e->name, c->build.arena),
                "record '%s' has no field '%s'", structure->record->name, e->name);
  return path->symbol != NULL;
}

/* P or P[e], or what is taken for it; not a record. */
static bool is_process(const struct scope *s, const struct syntax_expr *e) {
  while (e->op == SYN_INDEX)
    e = e->a;
  if (e->op != SYN_NAME)
    return false;
  const struct symbol *symbol = scope_find(s, e->name);
  return !symbol || symbol->kind != SYMBOL_STRUCTURE || scope_binding(s, e->name);
}

static bool find_element(struct scope *s, const struct syntax_expr *e, struct path *path) {
  struct check *c = s->check;
  if (!find_path(s, e->a, true, path))
    return false;
  if (path->symbol->kind == SYMBOL_LOCATION) {
    CHECK_ERROR(c, path->at, NULL, "'%s' is a location, not an array", path->symbol->name);
    return false;
  }
  if (path->index_count == SYNTAX_MAX_DIMENSIONS) {
    CHECK_ERROR(c, e->b->start, NULL, "an element has at most %d indices", SYNTAX_MAX_DIMENSIONS);
    return false;
  }
  path->indices[path->index_count++] = e;
  return true;
}

static bool find_path(struct scope *s, const struct syntax_expr *e, bool indexed, struct path *path) {
  if (e->op == SYN_INDEX)
    return find_element(s, e, path);
  if (e->op != SYN_FIELD)
    return start_path(s, e, indexed, path);
  return is_process(s, e->a) ? find_member(s, e, path) : find_field(s, e, path);
}

/* ---- reads and targets ------------------------------------------------------------------ */

static bool is_variable(const struct scope *s, const struct path *path) {
  struct check *c = s->check;
  const struct syntax_structure *structure = structure_of(c, path);
  if (structure)
    CHECK_ERROR(c, path->at, arena_printf(c->build.arena, "name a field: .%s", structure->record->fields[0].name),
                "'%s' is a record, not a value", structure->name);
  return !structure;
}

static bool path_place(struct scope *s, source_at at, const struct path *path, struct place *place) {
  struct check *c = s->check;
  if (!is_variable(s, path))
    return false;
  const struct variable *v = &c->build.model->variables[path->symbol->id];
  const struct pattern pattern = variable_pattern(v);
  place->variable = path->symbol->id;
  if (!v->count) { /* an error in its declaration was reported */
    lower_indices(s, path);
    return false;
  }
  if (!indices_fit(s, &pattern, path) || !row_index(s, v, path, &place->index))
    return false;
  if (v->kind == VARIABLE_LOCAL)
    place->index = build_offset(&c->build, at, path->instance ? path->instance : build_const(&c->build, s->instance),
                                v->length, place->index);
  return !c->build.stop && (place->index || v->kind != VARIABLE_LOCAL);
}

static const struct expr *location_test(struct scope *s, source_at at, const struct path *path) {
  struct builder *b = &s->check->build;
  const struct expr *here = build_read(b, at, path->owner->process->location_variable, path->instance);
  return build_binary(b, EXPR_EQ, at, here, build_const(b, path->symbol->id));
}

const struct expr *place_read(struct scope *s, const struct syntax_expr *e) {
  struct check *c = s->check;
  struct place place;
  struct path path;
  const struct syntax_expr *root = root_of(e);
  const struct symbol *symbol = scope_find(s, root->name);
  if (s->constant && symbol && (symbol->kind & (SYMBOL_VARIABLE | SYMBOL_STRUCTURE))) {
    CHECK_ERROR(c, root->at, NULL, "'%s' is a variable: a constant is needed here", root->name);
    return NULL;
  }
  if (!find_path(s, e, false, &path))
    return NULL;
  if (path.symbol->kind == SYMBOL_LOCATION)
    return location_test(s, e->at, &path);
  if (!path_place(s, e->at, &path, &place))
    return NULL;
  c->variable_read[path.symbol->id] = true;
  c->constants.read += c->variable_varies[path.symbol->id];
  return values_read(c, e->at, place.variable, place.index);
}

static bool is_assignable(struct scope *s, const struct syntax_expr *e) {
  const struct syntax_expr *name = root_of(e);
  const struct symbol *symbol = scope_find(s, name->name);
  const bool bound = scope_binding(s, name->name) != NULL;
  if (!bound && (!symbol || symbol->kind & (SYMBOL_VARIABLE | SYMBOL_STRUCTURE)))
    return true;
  if (bound || !is_invalid(s->check, s->process, name->name))
    CHECK_ERROR(s->check, name->at, e != name && !bound && symbol->kind == SYMBOL_PROCESS ? OWN_VARIABLES_ONLY : NULL,
                "'%s' is %s and cannot be assigned", name->name,
                bound ? bound_kind(s, name->name) : symbol_kind_name(symbol->kind));
  return false;
}

bool place_target(struct scope *s, const struct syntax_expr *e, struct place *place) {
  struct path path;
  return is_assignable(s, e) && find_path(s, e, false, &path) && path_place(s, e->at, &path, place);
}

/* ---- names of records ---------------------------------------------------------------------------- */

/* The variable or record that a place names, whatever its indices; NULL: none. Reports nothing. */
static const struct symbol *named_symbol(const struct scope *s, const struct syntax_expr *e,
                                         const struct template **owner) {
  struct check *c = s->check;
  if (e->op == SYN_INDEX)
    return named_symbol(s, e->a, owner);
  if (e->op == SYN_NAME) {
    const struct symbol *symbol = scope_binding(s, e->name) ? NULL : scope_find(s, e->name);
    *owner = s->process && names_find(&s->process->names, e->name) == symbol ? s->process : NULL;
    return symbol;
  }
  if (e->op != SYN_FIELD)
    return NULL;
  const struct symbol *whole = named_symbol(s, e->a, owner);
  if (whole && whole->kind == SYMBOL_PROCESS) {
    *owner = &c->templates[whole->id];
    return names_find(&(*owner)->names, e->name);
  }
  if (!whole || whole->kind != SYMBOL_STRUCTURE)
    return NULL;
  return names_find(*owner ? &(*owner)->names : &c->globals,
                    arena_printf(c->build.arena, "%s.%s", whole->name, e->name));
}

const struct syntax_structure *place_structure(const struct scope *s, const struct syntax_expr *e) {
  const struct template *owner;
  const struct symbol *symbol = s->check->syntax->record_count ? named_symbol(s, e, &owner) : NULL;
  if (!symbol || symbol->kind != SYMBOL_STRUCTURE)
    return NULL;
  return owner ? &owner->syntax->structures[symbol->id] : &s->check->syntax->structures[symbol->id];
}

void place_mark_assigned(struct check *c, const struct template *process, const struct syntax_expr *target) {
  const struct scope s = {.check = c, .process = process};
  const struct template *owner;
  const struct symbol *symbol = named_symbol(&s, target, &owner);
  const struct syntax_structure *structure = place_structure(&s, target);
  if (symbol && symbol->kind == SYMBOL_VARIABLE)
    c->build.model->variables[symbol->id].assigned = true;
  if (!structure)
    return;
  for (size_t i = structure->first; i < structure->first + structure->count; i++)
    c->build.model->variables[owner ? owner->variables[i] : (uint32_t)i].assigned = true;
}

bool place_is_record(const struct scope *s, const struct syntax_expr *e) { return place_structure(s, e) != NULL; }

/* ---- whole records ---------------------------------------------------------------------- */

/* False: an error in a declaration was reported. */
static bool fields_are_valid(const struct variable *first, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!first[i].count)
      return false;
  return true;
}

bool place_record(struct scope *s, const struct syntax_expr *e, bool target, struct record_place *out) {
  struct check *c = s->check;
  struct path path;
  const struct syntax_expr *root = root_of(e);
  if (s->constant) {
    CHECK_ERROR(c, root->at, NULL, "'%s' is a record: a constant is needed here", root->name);
    return false;
  }
  if ((target && !is_assignable(s, e)) || !find_path(s, e, false, &path))
    return false;
  const struct syntax_structure *structure = structure_of(c, &path);
  if (!structure) {
    CHECK_ERROR(c, path.at, NULL, "'%s' is %s, not a record", path.symbol->name, symbol_kind_name(path.symbol->kind));
    return false;
  }
  const struct pattern pattern = structure_pattern(structure);
  const struct variable *first =
      &c->build.model->variables[path.owner ? path.owner->variables[structure->first] : (uint32_t)structure->first];
  *out = (struct record_place){.structure = structure,
                               .first = (uint32_t)(first - c->build.model->variables),
                               .at = e->at,
                               .instance = path.instance ? path.instance : build_const(&c->build, s->instance)};
  return fields_are_valid(first, structure->count) && indices_fit(s, &pattern, &path) &&
         row_index(s, first, &path, &out->index);
}

uint32_t record_elements(const struct check *c, const struct record_place *record, size_t field) {
  const struct variable *v = &c->build.model->variables[record->first + field];
  uint32_t records = 1;
  for (size_t i = 0; i < record->structure->dimension_count; i++)
    records *= v->dimensions ? v->dimensions[i].size : v->length;
  return v->length / records;
}

bool record_place_of(struct check *c, const struct record_place *record, size_t field, uint32_t element,
                     struct place *out) {
  struct builder *b = &c->build;
  const struct variable *v = &b->model->variables[record->first + field];
  const struct expr *own = v->is_array ? build_const(b, element) : NULL;
  if (record->index)
    own = build_offset(b, record->at, record->index, record_elements(c, record, field), own);
  if (v->kind == VARIABLE_LOCAL)
    own = build_offset(b, record->at, record->instance, v->length, own);
  *out = (struct place){record->first + (uint32_t)field, own};
  return !b->stop && v->count;
}

const struct expr *record_read(struct check *c, const struct record_place *record, size_t field, uint32_t element) {
  struct place place;
  if (!record_place_of(c, record, field, element, &place))
    return NULL;
  c->variable_read[place.variable] = true;
  c->constants.read += c->variable_varies[place.variable];
  return values_read(c, record->at, place.variable, place.index);
}

bool records_match(struct check *c, source_at at, const struct record_place *a, const struct record_place *b) {
  if (a->structure->record == b->structure->record)
    return true;
  CHECK_ERROR(c, at, NULL, "'%s' is a record of type '%s', '%s' one of type '%s'", a->structure->name,
              a->structure->record->name, b->structure->name, b->structure->record->name);
  return false;
}

struct equalities {
  const struct expr **items;
  size_t n, cap;
};

static bool compare_fields(struct check *c, const struct syntax_expr *e, const struct record_place *a,
                           const struct record_place *b, struct equalities *out) {
  for (size_t f = 0; f < a->structure->count; f++)
    for (uint32_t k = 0; k < record_elements(c, a, f); k++) {
      const struct expr *left = record_read(c, a, f, k);
      const struct expr *equal = build_binary(&c->build, EXPR_EQ, e->at, left, record_read(c, b, f, k));
      if (!equal)
        return false;
      *ARENA_PUSH(c->build.arena, out->items, out->n, out->cap) = equal;
    }
  return true;
}

const struct expr *record_compare(struct scope *s, const struct syntax_expr *e) {
  struct check *c = s->check;
  struct record_place a, b;
  struct equalities all = {0};
  if (!place_is_record(s, e->a) || !place_is_record(s, e->b)) {
    CHECK_ERROR(c, e->at, NULL, "a record can be compared only with a record");
    return NULL;
  }
  if (!place_record(s, e->a, false, &a) || !place_record(s, e->b, false, &b) || !records_match(c, e->at, &a, &b) ||
      !compare_fields(c, e, &a, &b, &all))
    return NULL;
  const struct expr *equal = build_all(&c->build, EXPR_AND, e->at, all.items, all.n);
  return e->op == SYN_EQ ? equal : build_not(&c->build, e->at, equal);
}
