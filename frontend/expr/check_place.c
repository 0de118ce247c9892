#include "frontend/expr/check_place.h"

#include "frontend/expr/check_dedup.h"
#include "frontend/expr/check_fields.h"
#include "frontend/expr/check_names.h"
#include "frontend/expr/check_values.h"
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
    CHECK_ERROR(s->check, at, NULL, "'%s' is a chosen value, not a process", name);
  else if (symbol)
    CHECK_ERROR(s->check, at, hint, "'%s' is %s, not a process", name, symbol_kind_name(symbol->kind));
  else
    CHECK_ERROR(s->check, at, hint, "unknown process '%s'", name);
  return NULL;
}

/* ---- elements of arrays ---------------------------------------------------------------- */

/* In a property, a constant index out of bounds is an error when the model is checked; in a process, guards may exclude
   it. */
static bool element_exists(const struct scope *s, const struct expr *index, uint32_t bound, const char *name,
                           source_at at) {
  struct check *c = s->check;
  if (!index || s->process || s->in_process || index->op != EXPR_CONST || within(index, 0, (int64_t)bound - 1) ||
      c->build.dead)
    return index != NULL;
  CHECK_ERROR(c, at, NULL, "there is no %s[%lld]: its indices are 0..%u", name, (long long)index->value, bound - 1);
  return false;
}

/* A variable or a part of it, as written. */
struct path {
  const struct template *owner; /* of the variable; NULL: the model */
  const struct expr *instance;  /* as written; NULL: the own one */
  const struct symbol *symbol;
  source_at at; /* of the last name */
  const struct syntax_expr *indices[SYNTAX_MAX_DIMENSIONS];
  size_t index_count;
};

/* "m[...][...]" */
static const char *pattern(struct check *c, const struct variable *v) {
  const char *text = v->dimensions ? "" : arena_printf(c->build.arena, "%s[...]", v->name);
  size_t done = 0;
  for (size_t i = 0; v->dimensions && i < v->dimension_count; i++) {
    const size_t place = v->dimensions[i].place;
    text = arena_printf(c->build.arena, "%s%.*s[...]", text, (int)(place - done), v->name + done);
    done = place;
  }
  return v->dimensions ? arena_printf(c->build.arena, "%s%s", text, v->name + done) : text;
}

static bool indices_fit(const struct scope *s, const struct variable *v, const struct path *path) {
  struct check *c = s->check;
  const size_t given = path->index_count, needed = variable_dimensions(v);
  if (given == needed)
    return true;
  if (is_invalid(c, s->process, v->name) || (!v->is_array && already_reported(c, "size of ", v->name)))
    return false;
  if (!v->is_array)
    CHECK_ERROR(c, path->at, NULL, "'%s' is not an array", v->name);
  else if (!given)
    CHECK_ERROR(c, path->at, arena_printf(c->build.arena, "write %s", pattern(c, v)), "array '%s' needs %s", v->name,
                needed == 1 ? "an index" : arena_printf(c->build.arena, "%zu indices", needed));
  else
    CHECK_ERROR(c, path->at, arena_printf(c->build.arena, "write %s", pattern(c, v)),
                "array '%s' has %zu dimension%s, here %zu %s given", v->name, needed, needed == 1 ? "" : "s", given,
                given == 1 ? "index is" : "indices are");
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

/* The index of an element within its array, row by row; NULL in *out for a scalar. */
static bool array_index(struct scope *s, const struct variable *v, const struct path *path, const struct expr **out) {
  struct check *c = s->check;
  *out = NULL;
  if (!v->count) { /* an error in its declaration was reported */
    for (size_t i = 0; i < path->index_count; i++)
      c->lower(s, path->indices[i]->b);
    return false;
  }
  if (!indices_fit(s, v, path))
    return false;
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

/* ---- paths ----------------------------------------------------------------------------- */

static const struct syntax_expr *root_of(const struct syntax_expr *e) {
  while (e->op == SYN_INDEX || e->op == SYN_FIELD)
    e = e->a;
  return e;
}

static const char *bound_kind(const struct scope *s, const char *name) {
  return fields_have(s, name) ? "a field of the message" : "a chosen value";
}

/* The variable itself. `indexed`: an index follows. */
static bool start_path(const struct scope *s, const struct syntax_expr *name, bool indexed, struct path *path) {
  struct check *c = s->check;
  const struct symbol *symbol = scope_find(s, name->name);
  *path = (struct path){.symbol = symbol, .at = name->at};
  if (!scope_binding(s, name->name) && symbol && symbol->kind == SYMBOL_VARIABLE) {
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

/* Process and instance of P or P[e]. */
static const struct template *instance_of(struct scope *s, const struct syntax_expr *e, const struct expr **instance) {
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
  else if (symbol->kind == SYMBOL_DEFINE)
    CHECK_ERROR(c, e->name_at, "define it in the model, with a parameter",
                "define '%s' can be used only inside process '%s'", e->name, process->process->name);
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
  path->owner = instance_of(s, e->a, &path->instance);
  path->symbol = path->owner ? member(s, path->owner, e) : NULL;
  return path->symbol != NULL;
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
  return e->op == SYN_FIELD ? find_member(s, e, path) : start_path(s, e, indexed, path);
}

/* ---- reads and targets ------------------------------------------------------------------ */

static bool path_place(struct scope *s, source_at at, const struct path *path, struct place *place) {
  struct check *c = s->check;
  const struct variable *v = &c->build.model->variables[path->symbol->id];
  place->variable = path->symbol->id;
  if (!array_index(s, v, path, &place->index))
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
  if (s->constant && symbol && symbol->kind == SYMBOL_VARIABLE) {
    CHECK_ERROR(c, root->at, NULL, "'%s' is a variable: a constant is needed here", root->name);
    return NULL;
  }
  if (!find_path(s, e, false, &path))
    return NULL;
  if (path.symbol->kind == SYMBOL_LOCATION)
    return location_test(s, e->at, &path);
  c->variable_read[path.symbol->id] = true;
  c->constants.read += c->variable_varies[path.symbol->id];
  if (!path_place(s, e->at, &path, &place))
    return NULL;
  return values_read(c, e->at, place.variable, place.index);
}

static bool is_assignable(struct scope *s, const struct syntax_expr *e) {
  const struct syntax_expr *name = root_of(e);
  const struct symbol *symbol = scope_find(s, name->name);
  const bool bound = scope_binding(s, name->name) != NULL;
  if (!bound && (!symbol || symbol->kind == SYMBOL_VARIABLE))
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

void place_mark_assigned(struct check *c, const struct template *process, const struct syntax_expr *target) {
  struct scope s = {.check = c, .process = process};
  const struct symbol *symbol = scope_find(&s, root_of(target)->name);
  if (symbol && symbol->kind == SYMBOL_VARIABLE)
    c->build.model->variables[symbol->id].assigned = true;
}
