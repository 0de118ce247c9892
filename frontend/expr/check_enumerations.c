#include "frontend/expr/check_enumerations.h"

#include "frontend/expr/check_dedup.h"
#include "frontend/expr/check_fields.h"
#include "frontend/expr/check_names.h"

#include <assert.h>

void enumerations_declare(struct check *c) {
  const struct syntax_model *m = c->syntax;
  c->enumerations = arena_array(c->build.arena, m->enumeration_count, sizeof *c->enumerations);
  for (size_t i = 0; i < m->enumeration_count; i++) {
    const struct syntax_enumeration *syntax = &m->enumerations[i];
    const char **values = arena_array(c->build.arena, syntax->value_count, sizeof *values);
    for (size_t k = 0; k < syntax->value_count; k++)
      values[k] = syntax->values[k].name;
    c->enumerations[i] = (struct enumeration){syntax->name, values, syntax->value_count};
  }
}

/* ---- named ranges -------------------------------------------------------------------- */

static const struct symbol *find_range(const struct scope *s, const char *name, source_at at) {
  const bool bound = scope_binding(s, name) != NULL;
  const struct symbol *symbol = scope_find(s, name);
  if (!bound && symbol && (symbol->kind == SYMBOL_PROCESS || symbol->kind == SYMBOL_ENUMERATION))
    return symbol;
  if (is_invalid(s->check, s->process, name) || (!symbol && !bound && already_reported(s->check, "", name)))
    return NULL;
  const char *hint = scope_suggestion(s, name, SYMBOL_PROCESS | SYMBOL_ENUMERATION);
  if (bound)
    CHECK_ERROR(s->check, at, NULL, "'%s' is %s, not a process or an enumeration", name, bound_kind(s, name));
  else if (symbol)
    CHECK_ERROR(s->check, at, hint, "'%s' is %s, not a process or an enumeration", name,
                symbol_kind_name(symbol->kind));
  else
    CHECK_ERROR(s->check, at, hint, "unknown process or enumeration '%s'", name);
  return NULL;
}

bool named_range(const struct scope *s, const struct syntax_range *range, int64_t *lo, int64_t *hi) {
  const struct symbol *symbol = find_range(s, range->lo->name, range->lo->at);
  if (!symbol)
    return false;
  if (symbol->kind == SYMBOL_PROCESS)
    s->check->constants.read += s->check->templates[symbol->id].varies;
  *lo = 0;
  *hi = symbol->kind == SYMBOL_PROCESS ? (int64_t)s->check->processes[symbol->id].instances - 1
                                       : (int64_t)s->check->enumerations[symbol->id].count - 1;
  if (*hi < 0 && s->check->build.errors == 0) /* otherwise an error in its declaration was reported */
    CHECK_ERROR(s->check, range->lo->at, NULL, "the number of instances of '%s' cannot be used here", symbol->name);
  return *hi >= 0;
}

const struct enumeration *range_names(const struct scope *s, const struct syntax_range *range) {
  const struct symbol *symbol =
      range->lo && !range->hi && !scope_binding(s, range->lo->name) ? scope_find(s, range->lo->name) : NULL;
  return symbol && symbol->kind == SYMBOL_ENUMERATION ? &s->check->enumerations[symbol->id] : NULL;
}

/* ---- constants ----------------------------------------------------------------------- */

bool constant_eval(const struct scope *s, const struct syntax_expr *e, int64_t *value) {
  struct scope inner = *s;
  inner.constant = true;
  const struct expr *result = s->check->lower(&inner, e);
  if (!result)
    return false;
  assert(result->op == EXPR_CONST);
  *value = result->value;
  return true;
}

bool constant_range(const struct scope *s, const struct syntax_range *range, int64_t *lo, int64_t *hi) {
  *lo = 0;
  *hi = 1;
  if (!range->lo) /* bool */
    return true;
  if (range->hi) {
    bool ok = constant_eval(s, range->lo, lo);
    return constant_eval(s, range->hi, hi) && ok;
  }
  return named_range(s, range, lo, hi);
}
