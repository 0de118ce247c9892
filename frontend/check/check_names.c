#include "frontend/check/check_names.h"

#include "frontend/check/check_dedup.h"
#include "frontend/parse/other_language_hints.h"

#include <string.h>

static size_t name_hash(const char *name) {
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (; *name; name++)
    hash = (hash ^ (unsigned char)*name) * 1099511628211u;
  return (size_t)(hash ^ hash >> 32);
}

static uint32_t *find_slot(const struct symbols *symbols, const char *name) {
  size_t i = name_hash(name) & (symbols->slot_count - 1);
  while (symbols->slots[i] && strcmp(symbols->items[symbols->slots[i] - 1].name, name) != 0)
    i = (i + 1) & (symbols->slot_count - 1);
  return &symbols->slots[i];
}

const struct symbol *names_find(const struct symbols *symbols, const char *name) {
  if (!symbols->slot_count)
    return NULL;
  uint32_t slot = *find_slot(symbols, name);
  return slot ? &symbols->items[slot - 1] : NULL;
}

static void add_symbol(struct check *c, struct symbols *symbols, const struct symbol *symbol) {
  if (2 * (symbols->n + 1) > symbols->slot_count) {
    symbols->slot_count = symbols->slot_count ? 2 * symbols->slot_count : 16;
    symbols->slots = arena_array(c->build.arena, symbols->slot_count, sizeof *symbols->slots);
    for (size_t i = 0; i < symbols->n; i++)
      *find_slot(symbols, symbols->items[i].name) = (uint32_t)i + 1;
  }
  *ARENA_PUSH(c->build.arena, symbols->items, symbols->n, symbols->cap) = *symbol;
  *find_slot(symbols, symbol->name) = (uint32_t)symbols->n;
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
  case SYMBOL_ENUMERATION:
    return "an enumeration";
  case SYMBOL_MEMBER:
    return "a value of an enumeration";
  }
  return "";
}

unsigned source_line(const struct check *c, source_at at) {
  unsigned line = 0, column = 0;
  source_position(c->build.source, at, &line, &column);
  return line;
}

bool first_warning(struct check *c, source_at at) {
  const size_t length = c->build.source->length;
  if (!c->warned)
    c->warned = arena_array(c->build.arena, length + 1, sizeof *c->warned);
  const size_t place = at < length ? at : length;
  const bool first = !c->warned[place];
  c->warned[place] = true;
  return first;
}

static bool taken(struct check *c, const struct symbols *symbols, const char *name, source_at at) {
  const struct symbol *other = names_find(symbols, name);
  if (!other)
    return false;
  CHECK_ERROR(c, at, NULL, "'%s' is already the name of %s (line %u)", name, symbol_kind_name(other->kind),
              source_line(c, other->at));
  return true;
}

static void warn_hidden(struct check *c, const struct symbol *hidden, source_at at) {
  if (!first_warning(c, at))
    return;
  CHECK_WARN(c, at, NULL, "'%s' hides %s of the same name (line %u)", hidden->name, symbol_kind_name(hidden->kind),
             source_line(c, hidden->at));
}

static bool declare(struct check *c, struct symbols *symbols, const struct template *process, const char *name,
                    source_at at, enum symbol_kind kind, size_t id) {
  if (taken(c, symbols, name, at)) {
    mark_invalid(c, symbols == &c->globals ? NULL : process, name);
    return false;
  }
  const struct symbol *hidden = kind == SYMBOL_LOCATION ? NULL : names_find(&c->globals, name);
  if (hidden && symbols != &c->globals)
    warn_hidden(c, hidden, at);
  add_symbol(c, symbols, &(struct symbol){name, kind, (uint32_t)id, at});
  return true;
}

static bool declare_enumeration(struct check *c, size_t number) {
  const struct syntax_enumeration *e = &c->syntax->enumerations[number];
  bool ok = strcmp(e->name, "byte") != 0;
  if (!ok)
    CHECK_ERROR(c, e->at, "choose another name", "'%s' is a type already", e->name);
  ok &= declare(c, &c->globals, NULL, e->name, e->at, SYMBOL_ENUMERATION, number);
  for (size_t i = 0; i < e->value_count; i++)
    ok &= declare(c, &c->globals, NULL, e->values[i].name, e->values[i].at, SYMBOL_MEMBER, i);
  return ok;
}

bool names_declare_globals(struct check *c) {
  const struct syntax_model *m = c->syntax;
  bool ok = true;
  for (size_t i = 0; i < m->constant_count; i++)
    ok &= declare(c, &c->globals, NULL, m->constants[i].name, m->constants[i].at, SYMBOL_CONSTANT, i);
  for (size_t i = 0; i < m->enumeration_count; i++)
    ok &= declare_enumeration(c, i);
  for (size_t i = 0; i < m->variable_count; i++)
    ok &= declare(c, &c->globals, NULL, m->variables[i].name, m->variables[i].at, SYMBOL_VARIABLE, i);
  for (size_t i = 0; i < m->define_count; i++)
    ok &= declare(c, &c->globals, NULL, m->defines[i].name, m->defines[i].at, SYMBOL_DEFINE, i);
  for (size_t i = 0; i < m->channel_count; i++)
    ok &= declare(c, &c->globals, NULL, m->channels[i].name, m->channels[i].at, SYMBOL_CHANNEL, i);
  for (size_t i = 0; i < m->process_count; i++)
    ok &= declare(c, &c->globals, NULL, m->processes[i].name, m->processes[i].at, SYMBOL_PROCESS, i);
  return ok;
}

/* Variables get numbers of the model: the caller has set process->variables. */
void names_declare_locals(struct check *c, struct template *process) {
  const struct syntax_process *p = process->syntax;
  for (size_t i = 0; i < p->parameter_count; i++)
    declare(c, &process->names, process, p->parameters[i].name, p->parameters[i].at, SYMBOL_PARAMETER, i);
  for (size_t i = 0; i < p->variable_count; i++)
    declare(c, &process->names, process, p->variables[i].name, p->variables[i].at, SYMBOL_VARIABLE,
            process->variables[i]);
  for (size_t i = 0; i < p->define_count; i++)
    declare(c, &process->names, process, p->defines[i].name, p->defines[i].at, SYMBOL_DEFINE, i);
  for (size_t i = 0; i < p->location_count; i++)
    declare(c, &process->names, process, p->locations[i].name, p->locations[i].at, SYMBOL_LOCATION, i);
}

/* A location is no value: something global of the same name stays in sight. */
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
      CHECK_WARN(c, at, NULL, "'%s' hides another name chosen or quantified here", name);
  } else if (hidden && hidden->kind != SYMBOL_LOCATION)
    warn_hidden(c, hidden, at);
}

const char *suggestion_text(struct check *c, const char *nearest) {
  return nearest ? arena_printf(c->build.arena, "did you mean '%s'?", nearest) : NULL;
}

/* Messages beyond these are not kept, and looking for a name among many takes time. */
#define MOST_SUGGESTIONS 20

struct candidates {
  const char **items;
  size_t n, cap;
};

static void add_candidates(struct check *c, struct candidates *list, const struct symbols *symbols, unsigned kinds) {
  for (size_t i = 0; i < symbols->n; i++)
    if (symbols->items[i].kind & kinds)
      *ARENA_PUSH(c->build.arena, list->items, list->n, list->cap) = symbols->items[i].name;
}

const char *scope_suggestion(const struct scope *s, const char *name, unsigned kinds) {
  struct check *c = s->check;
  struct candidates list = {0};
  if (c->build.errors > MOST_SUGGESTIONS)
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
    add_candidates(c, &list, &s->process->names, kinds);
  add_candidates(c, &list, &c->globals, kinds);
  const char *word = kinds & SYMBOL_VALUES ? foreign_word(c->build.arena, name) : NULL;
  if (word)
    return word;
  const char *nearest = nearest_name(name, list.items, list.n);
  return nearest && strcmp(nearest, name) ? suggestion_text(c, nearest) : NULL; /* itself, hidden by another one */
}
