#include "frontend/check_types.h"

#include "frontend/check_expr.h"
#include "frontend/check_names.h"

#include <string.h>

bool types_range(const struct scope *s, const struct syntax_range *range, const char *what, const char *name,
                 struct interval *out) {
  struct check *c = s->check;
  if (!constant_range(s, range, &out->lo, &out->hi))
    return false;
  if (out->lo > out->hi) {
    CHECK_ERROR(c, range->at, NULL, "the range %lld..%lld of %s '%s' is empty", (long long)out->lo, (long long)out->hi,
                what, name);
    return false;
  }
  if (out->lo < INT32_MIN || out->hi > INT32_MAX) {
    CHECK_ERROR(c, range->at, NULL, "the range of %s '%s' must be within %d..%d", what, name, INT32_MIN, INT32_MAX);
    return false;
  }
  return true;
}

static void unknown_type(const struct scope *s, const struct syntax_name *type) {
  struct check *c = s->check;
  static const char *const built_in[] = {"bool", "byte"};
  const size_t built_in_count = sizeof built_in / sizeof *built_in;
  const struct symbol *symbol = scope_find(s, type->name);
  const char **names = arena_array(c->build.arena, built_in_count + c->syntax->enumeration_count, sizeof *names);
  size_t n = 0;
  for (size_t i = 0; i < built_in_count; i++)
    names[n++] = built_in[i];
  for (size_t i = 0; i < c->syntax->enumeration_count; i++)
    names[n++] = c->enumerations[i].name;
  const char *hint = suggestion_text(c, nearest_name(type->name, names, n));
  if (symbol)
    CHECK_ERROR(c, type->at, hint, "'%s' is %s, not a type", type->name, symbol_kind_name(symbol->kind));
  else
    CHECK_ERROR(c, type->at, hint, "unknown type '%s'", type->name);
}

static bool is_byte(const struct syntax_variable *syntax) {
  return syntax->type.name && strcmp(syntax->type.name, "byte") == 0;
}

/* A type is global: nothing local hides it. */
static bool named_type(const struct scope *s, const struct syntax_variable *syntax, struct value_type *out) {
  const struct symbol *symbol = names_find(&s->check->globals, syntax->type.name);
  out->is_bool = strcmp(syntax->type.name, "bool") == 0;
  out->range = (struct interval){0, is_byte(syntax) ? UINT8_MAX : 1};
  if (out->is_bool || is_byte(syntax))
    return true;
  if (!symbol || symbol->kind != SYMBOL_ENUMERATION) {
    unknown_type(s, &syntax->type);
    return false;
  }
  out->names = &s->check->enumerations[symbol->id];
  out->range.hi = (int64_t)out->names->count - 1;
  return true;
}

static bool wraps(const struct scope *s, const struct syntax_variable *syntax, const struct value_type *type) {
  if (syntax->wrap && (type->is_bool || type->names)) {
    CHECK_ERROR(s->check, syntax->wrap_at, "give a range", "'%s' cannot wrap round: it is of type '%s'", syntax->name,
                syntax->type.name);
    return false;
  }
  return syntax->has_wrap ? syntax->wrap : is_byte(syntax);
}

bool types_variable(const struct scope *s, const struct syntax_variable *syntax, struct value_type *out) {
  *out = (struct value_type){.range = {0, 0}};
  bool ok = syntax->type.name ? named_type(s, syntax, out)
                              : types_range(s, &syntax->range, "variable", syntax->name, &out->range);
  out->wraps = ok && wraps(s, syntax, out);
  return ok;
}
