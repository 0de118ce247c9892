#include "frontend/expr/check_names.h"

#include "frontend/expr/check_dedup.h"
#include "frontend/parse/lexer.h"
#include "frontend/parse/other_language_hints.h"

#include <string.h>

const struct symbol *names_find(const struct symbols *symbols, const char *name) {
  const size_t place = name_table_find(&symbols->names, name);
  return place == NAME_ABSENT ? NULL : &symbols->items[place];
}

static void add_symbol(struct check *c, struct symbols *symbols, const struct symbol *symbol) {
  name_table_add(&symbols->names, c->build.arena, symbol->name);
  *ARENA_PUSH(c->build.arena, symbols->items, symbols->n, symbols->cap) = *symbol;
}

const char *symbol_kind_name(enum symbol_kind kind) {
  switch (kind) {
  case SYMBOL_CONSTANT:
    return "a constant";
  case SYMBOL_VARIABLE:
    return "a variable";
  case SYMBOL_CHANNEL:
    return "a channel";
  case SYMBOL_PROCESS:
    return "a process";
  case SYMBOL_PARAMETER:
    return "a parameter";
  case SYMBOL_LOCATION:
    return "a location";
  case SYMBOL_DEFINE:
    return "a define";
  case SYMBOL_FUNCTION:
    return "a function";
  case SYMBOL_ENUMERATION:
    return "an enumeration";
  case SYMBOL_MEMBER:
    return "a value of an enumeration";
  case SYMBOL_RECORD:
    return "a record type";
  case SYMBOL_STRUCTURE:
    return "a record";
  }
  return "";
}

const char *source_line(const struct check *c, source_at here, source_at at) {
  const struct source *source = source_find(c->build.source, at);
  unsigned line, column;
  source_position(source, at, &line, &column);
  if (source == source_find(c->build.source, here))
    return arena_printf(c->build.arena, "line %u", line);
  return arena_printf(c->build.arena, "line %u of %s", line, source->name);
}

bool first_warning(struct check *c, source_at at) {
  const source_at end = source_end(c->build.source);
  if (!c->warned)
    c->warned = arena_array(c->build.arena, end, sizeof *c->warned);
  const source_at place = at < end ? at : end - 1;
  const bool first = !c->warned[place];
  c->warned[place] = true;
  return first;
}

static bool is_taken(struct check *c, const struct symbols *symbols, const char *name, source_at at) {
  const struct symbol *other = names_find(symbols, name);
  if (!other)
    return false;
  CHECK_ERROR(c, at, NULL, "'%s' is already the name of %s (%s)", name, symbol_kind_name(other->kind),
              source_line(c, at, other->at));
  return true;
}

static void warn_hidden(struct check *c, const struct symbol *hidden, source_at at) {
  if (!first_warning(c, at))
    return;
  CHECK_WARN(c, at, NULL, "'%s' hides %s of the same name (%s)", hidden->name, symbol_kind_name(hidden->kind),
             source_line(c, at, hidden->at));
}

static bool declare_symbol(struct check *c, struct symbols *symbols, const struct template *process,
                           const struct symbol *symbol) {
  if (is_taken(c, symbols, symbol->name, symbol->at)) {
    mark_invalid(c, symbols == &c->globals ? NULL : process, symbol->name);
    return false;
  }
  const struct symbol *hidden = symbol->kind == SYMBOL_LOCATION ? NULL : names_find(&c->globals, symbol->name);
  if (hidden && symbols != &c->globals)
    warn_hidden(c, hidden, symbol->at);
  add_symbol(c, symbols, symbol);
  return true;
}

/* Names with dots are fields: their variable is declared before, or refused. */
static bool declare_part(struct check *c, struct symbols *symbols, const struct template *process,
                         const struct symbol *symbol) {
  if (!strchr(symbol->name, '.'))
    return declare_symbol(c, symbols, process, symbol);
  if (!names_find(symbols, symbol->name))
    add_symbol(c, symbols, symbol);
  return true;
}

/* `numbers`: of the variables in the model; NULL: their places in the list. */
static bool declare_variables(struct check *c, struct symbols *symbols, const struct template *process,
                              const struct syntax_variable *variables, size_t n, const uint32_t *numbers) {
  bool ok = true;
  for (size_t i = 0; i < n; i++)
    ok &= declare_part(
        c, symbols, process,
        &(struct symbol){variables[i].name, SYMBOL_VARIABLE, numbers ? numbers[i] : (uint32_t)i, variables[i].at});
  return ok;
}

static bool declare_structures(struct check *c, struct symbols *symbols, const struct template *process,
                               const struct syntax_structure *structures, size_t n) {
  bool ok = true;
  for (size_t i = 0; i < n; i++)
    ok &= declare_part(c, symbols, process,
                       &(struct symbol){structures[i].name, SYMBOL_STRUCTURE, (uint32_t)i, structures[i].at});
  return ok;
}

/* Without parameters a define is never called, so the name of a function does not hide it. */
static bool declare_define(struct check *c, struct symbols *symbols, const struct template *process,
                           const struct syntax_define *define, size_t number) {
  const struct symbol symbol = {define->name, define->is_function ? SYMBOL_FUNCTION : SYMBOL_DEFINE, (uint32_t)number,
                                define->at};
  if (!define->parameter_count || !is_function(define->name))
    return declare_symbol(c, symbols, process, &symbol);
  CHECK_ERROR(c, define->at, "choose another name", "'%s' is a built-in function already: it would hide this %s",
              define->name, define->is_function ? "function" : "define");
  mark_invalid(c, process, define->name);
  return false;
}

static bool type_is_new(struct check *c, const char *name, source_at at) {
  if (strcmp(name, "byte") != 0)
    return true;
  CHECK_ERROR(c, at, "choose another name", "'%s' is a type already", name);
  return false;
}

static bool declare_record(struct check *c, size_t number) {
  const struct syntax_record *r = &c->syntax->records[number];
  const bool ok = type_is_new(c, r->name, r->at);
  return declare_symbol(c, &c->globals, NULL, &(struct symbol){r->name, SYMBOL_RECORD, (uint32_t)number, r->at}) && ok;
}

static bool declare_enumeration(struct check *c, size_t number) {
  const struct syntax_enumeration *e = &c->syntax->enumerations[number];
  bool ok = type_is_new(c, e->name, e->at);
  ok &= declare_symbol(c, &c->globals, NULL, &(struct symbol){e->name, SYMBOL_ENUMERATION, (uint32_t)number, e->at});
  for (size_t i = 0; i < e->value_count; i++)
    ok &= declare_symbol(c, &c->globals, NULL,
                         &(struct symbol){e->values[i].name, SYMBOL_MEMBER, (uint32_t)i, e->values[i].at});
  return ok;
}

bool names_declare_globals(struct check *c) {
  const struct syntax_model *m = c->syntax;
  bool ok = true;
  for (size_t i = 0; i < m->constant_count; i++)
    ok &= declare_symbol(c, &c->globals, NULL,
                         &(struct symbol){m->constants[i].name, SYMBOL_CONSTANT, (uint32_t)i, m->constants[i].at});
  for (size_t i = 0; i < m->enumeration_count; i++)
    ok &= declare_enumeration(c, i);
  for (size_t i = 0; i < m->record_count; i++)
    ok &= declare_record(c, i);
  ok &= declare_structures(c, &c->globals, NULL, m->structures, m->structure_count);
  ok &= declare_variables(c, &c->globals, NULL, m->variables, m->variable_count, NULL);
  for (size_t i = 0; i < m->define_count; i++)
    ok &= declare_define(c, &c->globals, NULL, &m->defines[i], i);
  for (size_t i = 0; i < m->channel_count; i++)
    ok &= declare_symbol(c, &c->globals, NULL,
                         &(struct symbol){m->channels[i].name, SYMBOL_CHANNEL, (uint32_t)i, m->channels[i].at});
  for (size_t i = 0; i < m->process_count; i++)
    ok &= declare_symbol(c, &c->globals, NULL,
                         &(struct symbol){m->processes[i].name, SYMBOL_PROCESS, (uint32_t)i, m->processes[i].at});
  return ok;
}

/* Symbols of variables hold numbers in the model: the caller has set process->variables. */
void names_declare_locals(struct check *c, struct template *process) {
  const struct syntax_process *p = process->syntax;
  for (size_t i = 0; i < p->parameter_count; i++)
    declare_symbol(c, &process->names, process,
                   &(struct symbol){p->parameters[i].name, SYMBOL_PARAMETER, (uint32_t)i, p->parameters[i].at});
  declare_structures(c, &process->names, process, p->structures, p->structure_count);
  declare_variables(c, &process->names, process, p->variables, p->variable_count, process->variables);
  for (size_t i = 0; i < p->define_count; i++)
    declare_define(c, &process->names, process, &p->defines[i], i);
  for (size_t i = 0; i < p->location_count; i++)
    declare_symbol(c, &process->names, process,
                   &(struct symbol){p->locations[i].name, SYMBOL_LOCATION, (uint32_t)i, p->locations[i].at});
}

/* A location is not a value, so a global of the same name stays visible. */
const struct symbol *scope_find(const struct scope *s, const char *name) {
  const struct symbol *local = s->process ? names_find(&s->process->names, name) : NULL;
  const struct symbol *global = names_find(&s->check->globals, name);
  return local && (local->kind != SYMBOL_LOCATION || !global) ? local : global;
}

uint32_t scope_parameter(const struct scope *s, const char *name) {
  const struct syntax_define *define = s->define ? s->define->syntax : NULL;
  for (size_t i = 0; define && i < define->parameter_count; i++)
    if (strcmp(define->parameters[i].name, name) == 0)
      return (uint32_t)i;
  return NONE;
}

const struct expr *scope_binding(const struct scope *s, const char *name) {
  for (const struct binding *b = s->bindings; b; b = b->outer)
    if (strcmp(b->name, name) == 0)
      return b->value;
  return scope_parameter(s, name) != NONE ? build_const(&s->check->build, 0) : NULL;
}

void scope_warn_hidden(const struct scope *s, const char *name, source_at at) {
  struct check *c = s->check;
  const struct symbol *hidden = scope_find(s, name);
  if (scope_binding(s, name)) {
    if (first_warning(c, at))
      CHECK_WARN(c, at, NULL, "'%s' hides another name bound by a select or quantifier here", name);
  } else if (hidden && hidden->kind != SYMBOL_LOCATION)
    warn_hidden(c, hidden, at);
}

const char *suggestion_text(struct check *c, const char *nearest) {
  return nearest ? arena_printf(c->build.arena, "did you mean '%s'?", nearest) : NULL;
}

/* The log keeps no more messages, and searching many names takes time. */
#define MAX_SUGGESTIONS 20

struct candidates {
  const char **items;
  size_t n, cap;
};

static void add_name_candidates(struct check *c, struct candidates *list, const struct symbols *symbols,
                                unsigned kinds) {
  for (size_t i = 0; i < symbols->n; i++)
    if (symbols->items[i].kind & kinds)
      *ARENA_PUSH(c->build.arena, list->items, list->n, list->cap) = symbols->items[i].name;
}

const char *scope_suggestion(const struct scope *s, const char *name, unsigned kinds) {
  struct check *c = s->check;
  struct candidates list = {0};
  if (c->build.errors > MAX_SUGGESTIONS)
    return NULL;
  if (kinds & SYMBOL_VALUES) {
    for (const struct binding *b = s->bindings; b; b = b->outer)
      *ARENA_PUSH(c->build.arena, list.items, list.n, list.cap) = b->name;
    for (size_t i = 0; s->define && i < s->define->syntax->parameter_count; i++)
      *ARENA_PUSH(c->build.arena, list.items, list.n, list.cap) = s->define->syntax->parameters[i].name;
    if (s->process)
      *ARENA_PUSH(c->build.arena, list.items, list.n, list.cap) = "self";
  }
  if (s->process)
    add_name_candidates(c, &list, &s->process->names, kinds);
  add_name_candidates(c, &list, &c->globals, kinds);
  const char *word = kinds & SYMBOL_VALUES ? reserved_word_hint(c->build.arena, name) : NULL;
  if (word)
    return word;
  const char *nearest = most_similar_name(name, list.items, list.n);
  return nearest && strcmp(nearest, name) ? suggestion_text(c, nearest) : NULL; /* the name itself, hidden by another
                                                                                   one */
}
