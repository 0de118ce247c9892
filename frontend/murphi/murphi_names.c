/* Names, scopes and texts. */
#include "frontend/murphi/murphi_check.h"
#include "frontend/murphi/parse/murphi_lexer.h"
#include "frontend/parse/source_text.h"

#include <strings.h>

void mu_declare(struct mu_check *c, struct mu_symbol symbol) {
  size_t *meaning = &c->meaning[symbol.name.id];
  if (*meaning > c->scope) {
    MU_ERROR(c, symbol.name.at, NULL, "'%s' is declared twice", mu_name_text(c, symbol.name));
    return;
  }
  symbol.hidden = *meaning;
  *ARENA_PUSH(c->build.arena, c->symbols, c->symbol_count, c->symbol_cap) = symbol;
  *meaning = c->symbol_count;
}

const struct mu_symbol *mu_find(const struct mu_check *c, struct mu_name name) {
  const size_t meaning = c->meaning[name.id];
  return meaning ? &c->symbols[meaning - 1] : NULL;
}

static bool is_number_type(const char *name) {
  return strcasecmp(name, "integer") == 0 || strcasecmp(name, "int") == 0 || strcasecmp(name, "byte") == 0;
}

static const char *suggestion(struct mu_check *c, const char *name, const char *const *names, size_t count) {
  const char *similar = most_similar_name(name, names, count);
  if (similar)
    return arena_printf(c->build.arena, "did you mean '%s'?", similar);
  return is_number_type(name) ? "the type of a number is a range, such as 0..255" : NULL;
}

const struct mu_symbol *mu_resolve(struct mu_check *c, struct mu_name name) {
  const struct mu_symbol *found = mu_find(c, name);
  if (found)
    return found;
  const char **all = arena_array(c->build.arena, c->symbol_count + 1, sizeof *all);
  size_t count = 0;
  for (size_t i = 0; i < c->symbol_count; i++)
    if (mu_find(c, c->symbols[i].name) == &c->symbols[i])
      all[count++] = mu_name_text(c, c->symbols[i].name);
  MU_ERROR(c, name.at, suggestion(c, mu_name_text(c, name), all, count), "'%s' is not declared before its use",
           mu_name_text(c, name));
  return NULL;
}

bool mu_is_undefined(const struct mu_check *c, const struct mu_expr *e) {
  if (e->op != MU_E_NAME)
    return false;
  const struct mu_symbol *symbol = mu_find(c, e->name);
  return symbol ? symbol->undefined : strcasecmp(mu_name_text(c, e->name), "undefined") == 0;
}

struct mu_scope mu_open_scope(struct mu_check *c) {
  const struct mu_scope scope = {c->scope, c->symbol_count};
  c->scope = c->symbol_count;
  return scope;
}

void mu_close_scope(struct mu_check *c, struct mu_scope scope) {
  while (c->symbol_count > scope.symbols) {
    const struct mu_symbol *last = &c->symbols[--c->symbol_count];
    c->meaning[last->name.id] = last->hidden;
  }
  c->scope = scope.scope;
}

struct mu_hidden mu_hide(struct mu_check *c, size_t level) {
  const struct mu_hidden hidden = {level, c->symbol_count};
  for (size_t i = c->symbol_count; i-- > level;)
    c->meaning[c->symbols[i].name.id] = c->symbols[i].hidden;
  return hidden;
}

void mu_unhide(struct mu_check *c, struct mu_hidden hidden) {
  for (size_t i = hidden.level; i < hidden.count; i++)
    c->meaning[c->symbols[i].name.id] = i + 1;
}

const char *mu_text(struct mu_check *c, source_at start, source_at end) {
  return source_text(c->build.source, start, end, mu_skip, c->build.arena);
}

const char *mu_expr_text(struct mu_check *c, const struct mu_expr *e) { return mu_text(c, e->start, e->end); }
