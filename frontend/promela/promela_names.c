/* Names: variables by scope, constants of mtype, proctypes. */
#include "frontend/promela/promela_check.h"

#include <string.h>

static const struct pr_symbol *symbol_of(const struct pr_symbols *all, const struct pr_variable *written) {
  for (size_t i = 0; i < all->n; i++)
    if (all->items[i].written == written)
      return &all->items[i];
  return NULL;
}

static const struct pr_symbol *symbol_named(const struct pr_symbols *all, uint32_t name) {
  for (size_t i = 0; i < all->n; i++)
    if (all->items[i].written->name.id == name)
      return &all->items[i];
  return NULL;
}

const struct pr_symbol *pr_find(const struct pr_context *x, uint32_t name, const struct pr_process **owner) {
  const struct pr_variable *const written = x->process ? pr_declared(x->scope, name) : NULL;
  const struct pr_symbol *found = written ? symbol_of(&x->process->symbols, written) : NULL;
  *owner = x->process;
  if (!found && x->process) {
    /* Declarations of inner blocks are not visible here. */
    const size_t visible = x->scope ? x->process->written->parameters.n : x->process->symbols.n;
    const struct pr_symbols symbols = {x->process->symbols.items, visible, visible};
    found = symbol_named(&symbols, name);
  }
  if (found)
    return found;
  *owner = NULL;
  return symbol_named(&x->check->globals, name);
}

static bool is_same_kind(const struct pr_mtype *a, const struct pr_mtype *b) { return a->subtype.id == b->subtype.id; }

/* The values of the first declaration are n..1, those of the next one follow. */
int64_t pr_mtype_value(const struct pr_check *c, uint32_t name) {
  const struct pr_mtype *all = c->tree->mtypes.items;
  for (size_t i = 0; i < c->tree->mtypes.n; i++)
    for (size_t k = 0; k < all[i].values.n; k++) {
      if (all[i].values.items[k].id != name)
        continue;
      size_t before = 0;
      for (size_t j = 0; j < i; j++)
        before += is_same_kind(&all[j], &all[i]) ? all[j].values.n : 0;
      return (int64_t)(before + all[i].values.n - k);
    }
  return 0;
}

uint32_t pr_mtype_kind(const struct pr_check *c, uint32_t name) {
  const struct pr_mtype *all = c->tree->mtypes.items;
  for (size_t i = 0; i < c->tree->mtypes.n; i++)
    for (size_t k = 0; k < all[i].values.n; k++)
      if (all[i].values.items[k].id == name)
        return all[i].subtype.id;
  return PR_NO_NAME;
}

struct pr_process *pr_find_process(struct pr_check *c, const struct pr_name *name) {
  for (size_t i = 0; i < c->tree->proctypes.n; i++)
    if (!c->tree->proctypes.items[i].is_init && c->tree->proctypes.items[i].name.id == name->id)
      return &c->processes[i];
  PR_ERROR(c, name->at, NULL, "there is no proctype '%s'", PR_NAME_OF(c, name->id));
  return NULL;
}

const char *pr_suggestion(const struct pr_context *x, uint32_t name) {
  const struct pr_check *c = x->check;
  struct arena *arena = x->check->build.arena;
  const char **names = NULL;
  size_t n = 0, cap = 0;
  for (size_t i = 0; i < c->globals.n; i++)
    *ARENA_PUSH(arena, names, n, cap) = PR_NAME_OF(c, c->globals.items[i].written->name.id);
  for (size_t i = 0; x->process && i < x->process->symbols.n; i++)
    *ARENA_PUSH(arena, names, n, cap) = PR_NAME_OF(c, x->process->symbols.items[i].written->name.id);
  for (size_t i = 0; i < c->tree->mtypes.n; i++)
    for (size_t k = 0; k < c->tree->mtypes.items[i].values.n; k++)
      *ARENA_PUSH(arena, names, n, cap) = PR_NAME_OF(c, c->tree->mtypes.items[i].values.items[k].id);
  const char *similar = most_similar_name(PR_NAME_OF(c, name), names, n);
  if (similar && strcmp(similar, PR_NAME_OF(c, name)) == 0)
    return "it is declared within other braces";
  return similar ? arena_printf(arena, "did you mean '%s'?", similar)
                 : arena_printf(arena, "-D %s=NUMBER defines a macro", PR_NAME_OF(c, name));
}
