/* Tables of names. */
#include "frontend/dve/dve_check.h"

#include <string.h>

const struct dve_symbol *dve_find(const struct dve_table *table, const char *name) {
  const size_t place = name_table_find(&table->names, name);
  return place == NAME_ABSENT ? NULL : &table->items[place];
}

static const char *kind_text(enum dve_symbol_kind kind) {
  static const char *const all[] = {[DVE_CONSTANT] = "constant",
                                    [DVE_VARIABLE] = "variable",
                                    [DVE_CHANNEL] = "channel",
                                    [DVE_PROCESS] = "process",
                                    [DVE_LOCATION] = "state"};
  return all[kind];
}

void dve_declare(struct dve_check *c, struct dve_table *table, struct dve_symbol symbol) {
  const struct dve_symbol *other = dve_find(table, symbol.name);
  if (other) {
    unsigned line, column;
    source_position(c->build.source, other->at, &line, &column);
    CHECK_ERROR(c, symbol.at, NULL, "there is already a %s '%s' (line %u)", kind_text(other->kind), symbol.name, line);
    return;
  }
  name_table_add(&table->names, c->build.arena, symbol.name);
  *ARENA_PUSH(c->build.arena, table->items, table->n, table->cap) = symbol;
}

static const struct dve_symbol *find_of(const struct dve_table *table, const char *name, unsigned kinds) {
  const struct dve_symbol *symbol = dve_find(table, name);
  return symbol && (1u << symbol->kind & kinds) ? symbol : NULL;
}

const struct dve_symbol *dve_find_in_scope(const struct dve_check *c, const struct dve_process_info *process,
                                           const char *name, unsigned kinds) {
  const struct dve_symbol *local = process ? find_of(&process->names, name, kinds) : NULL;
  return local ? local : find_of(&c->names, name, kinds);
}

/* ---- suggestions --------------------------------------------------------------------------------- */

struct candidates {
  const char **names;
  size_t n, cap;
};

static void add_candidates(struct dve_check *c, const struct dve_table *table, unsigned kinds, struct candidates *out) {
  for (size_t i = 0; i < table->n; i++)
    if (1u << table->items[i].kind & kinds)
      *ARENA_PUSH(c->build.arena, out->names, out->n, out->cap) = table->items[i].name;
}

static const char *suggestion(struct dve_check *c, const char *name, const struct candidates *candidates) {
  const char *similar = candidates->n ? most_similar_name(name, candidates->names, candidates->n) : NULL;
  return similar ? arena_printf(c->build.arena, "did you mean '%s'?", similar) : NULL;
}

const char *dve_suggestion(struct dve_check *c, const struct dve_process_info *process, const char *name,
                           unsigned kinds) {
  struct candidates candidates = {0};
  if (process)
    add_candidates(c, &process->names, kinds, &candidates);
  add_candidates(c, &c->names, kinds, &candidates);
  return suggestion(c, name, &candidates);
}

/* ---- processes and states ------------------------------------------------------------------------ */

const struct dve_process_info *dve_find_process(struct dve_check *c, const struct dve_name *name) {
  const struct dve_symbol *symbol = find_of(&c->names, name->text, 1u << DVE_PROCESS);
  if (symbol)
    return &c->infos[symbol->id];
  CHECK_ERROR(c, name->at, dve_suggestion(c, NULL, name->text, 1u << DVE_PROCESS), "there is no process '%s'",
              name->text);
  return NULL;
}

uint32_t dve_find_state(struct dve_check *c, const struct dve_process_info *process, const struct dve_name *name) {
  const struct dve_symbol *symbol = dve_find(&process->states, name->text);
  if (symbol)
    return symbol->id;
  struct candidates candidates = {0};
  add_candidates(c, &process->states, 1u << DVE_LOCATION, &candidates);
  CHECK_ERROR(c, name->at, suggestion(c, name->text, &candidates), "process '%s' has no state '%s'",
              process->written->name.text, name->text);
  return COMPOSE_NONE;
}
