#include "frontend/check/check_types.h"

#include "frontend/expr/check_expr.h"
#include "frontend/expr/check_names.h"
#include "frontend/expr/check_place.h"
#include "frontend/expr/check_values.h"

#include <stdlib.h>
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
  const char **names = arena_array(
      c->build.arena, built_in_count + c->syntax->enumeration_count + c->syntax->record_count, sizeof *names);
  size_t n = 0;
  for (size_t i = 0; i < built_in_count; i++)
    names[n++] = built_in[i];
  for (size_t i = 0; i < c->syntax->enumeration_count; i++)
    names[n++] = c->enumerations[i].name;
  for (size_t i = 0; i < c->syntax->record_count; i++)
    names[n++] = c->syntax->records[i].name;
  const char *hint = suggestion_text(c, most_similar_name(type->name, names, n));
  if (symbol)
    CHECK_ERROR(c, type->at, hint, "'%s' is %s, not a type", type->name, symbol_kind_name(symbol->kind));
  else
    CHECK_ERROR(c, type->at, hint, "unknown type '%s'", type->name);
}

static bool is_byte(const struct syntax_variable *syntax) {
  return syntax->type.name && strcmp(syntax->type.name, "byte") == 0;
}

/* Types are global: local names do not hide them. */
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

static bool index_type(const struct scope *s, const struct syntax_variable *syntax, struct value_type *out) {
  const struct symbol *symbol = find_process(s, syntax->index_of.name, syntax->index_of.at);
  out->range = (struct interval){-1, -1};
  if (!symbol)
    return false;
  out->instances_of = symbol->id + 1;
  out->range.hi = (int64_t)s->check->processes[symbol->id].instances - 1;
  return true;
}

/* ---- sets of values ------------------------------------------------------------------ */

struct values {
  int64_t *items;
  size_t n, cap;
};

static int compare_values(const void *a, const void *b) {
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static bool append_values(const struct scope *s, const struct syntax_variable *syntax, const struct syntax_range *range,
                          struct values *values) {
  struct check *c = s->check;
  const struct syntax_range single = {range->lo, range->lo, range->at};
  struct interval i;
  if (!types_range(s, range->hi ? range : &single, "variable", syntax->name, &i))
    return false;
  if (i.hi - i.lo >= VALUES_MAX || (int64_t)values->n + i.hi - i.lo >= VALUES_MAX) {
    CHECK_ERROR(c, range->at, "give a range", "the set of '%s' has more than %d values", syntax->name, VALUES_MAX);
    return false;
  }
  for (int64_t v = i.lo; v <= i.hi; v++)
    *ARENA_PUSH(c->build.arena, values->items, values->n, values->cap) = v;
  return true;
}

#define MAX_RUNS_SHOWN 20

static const char *value_set_text(struct check *c, const int64_t *values, size_t n) {
  const char *text = "";
  size_t runs = 0;
  for (size_t i = 0, end; i < n; i = end, runs++) {
    for (end = i + 1; end < n && values[end] == values[end - 1] + 1; end++)
      ;
    const char *comma = i ? ", " : "";
    if (runs == MAX_RUNS_SHOWN && end < n)
      return arena_printf(c->build.arena, "%s, ..., %lld", text, (long long)values[n - 1]);
    text = end == i + 1 ? arena_printf(c->build.arena, "%s%s%lld", text, comma, (long long)values[i])
                        : arena_printf(c->build.arena, "%s%s%lld..%lld", text, comma, (long long)values[i],
                                       (long long)values[end - 1]);
  }
  return text;
}

static bool set_type(const struct scope *s, const struct syntax_variable *syntax, struct value_type *out) {
  struct check *c = s->check;
  struct values values = {0};
  struct value_set *set = arena_alloc(c->build.arena, sizeof *set);
  bool ok = build_spend(&c->build, syntax->at, 0, syntax->values.n);
  for (size_t i = 0; i < syntax->values.n; i++)
    ok = append_values(s, syntax, &syntax->values.items[i], &values) && ok;
  if (!ok)
    return false;
  qsort(values.items, values.n, sizeof *values.items, compare_values);
  size_t n = 0;
  for (size_t i = 0; i < values.n; i++)
    if (!n || values.items[n - 1] != values.items[i])
      values.items[n++] = values.items[i];
  *set = (struct value_set){values.items, (uint32_t)n, value_set_text(c, values.items, n)};
  if (!values_fit(set)) {
    CHECK_ERROR(c, syntax->values.items[0].at, "give a range", "the values of '%s' lie too far apart: %lld..%lld",
                syntax->name, (long long)values.items[0], (long long)values.items[n - 1]);
    return false;
  }
  out->values = set;
  out->range = (struct interval){0, (int64_t)n - 1};
  return true;
}

/* ---- ranges -------------------------------------------------------------------------- */

static bool range_type(const struct scope *s, const struct syntax_variable *syntax, struct value_type *out) {
  const size_t n = syntax->ranges.n;
  struct value_range *ranges = arena_array(s->check->build.arena, n, sizeof *ranges);
  bool ok = n > 0; /* otherwise an error was reported */
  for (size_t i = 0; i < n; i++) {
    struct interval range = {0, 0};
    ok = types_range(s, &syntax->ranges.items[i], "variable", syntax->name, &range) && ok;
    ranges[i] = (struct value_range){range.lo, range.hi};
    out->range.lo = i && out->range.lo < range.lo ? out->range.lo : range.lo;
    out->range.hi = i && out->range.hi > range.hi ? out->range.hi : range.hi;
  }
  if (n > 1) {
    out->ranges = ranges;
    out->range_count = n;
  }
  return ok;
}

static bool wraps(const struct scope *s, const struct syntax_variable *syntax, const struct value_type *type) {
  if (syntax->wrap && type->ranges) {
    CHECK_ERROR(s->check, syntax->wrap_at, "give one range",
                "'%s' cannot wrap round: its elements have ranges of their own", syntax->name);
    return false;
  }
  if (syntax->wrap && type->values) {
    CHECK_ERROR(s->check, syntax->wrap_at, "give a range", "'%s' cannot wrap round: it has a set of values",
                syntax->name);
    return false;
  }
  if (syntax->wrap && type->instances_of) {
    CHECK_ERROR(s->check, syntax->wrap_at, "give a range", "'%s' cannot wrap round: it holds instances", syntax->name);
    return false;
  }
  if (syntax->wrap && (type->is_bool || type->names)) {
    CHECK_ERROR(s->check, syntax->wrap_at, "give a range", "'%s' cannot wrap round: it is of type '%s'", syntax->name,
                syntax->type.name);
    return false;
  }
  return syntax->has_wrap ? syntax->wrap : is_byte(syntax);
}

bool types_same(const struct value_type *a, const struct value_type *b) {
  if (a->range.lo != b->range.lo || a->range.hi != b->range.hi || !a->values != !b->values)
    return false;
  if (a->range_count != b->range_count ||
      (a->range_count && memcmp(a->ranges, b->ranges, a->range_count * sizeof *a->ranges) != 0))
    return false;
  return !a->values || memcmp(a->values->values, b->values->values, a->values->count * sizeof *a->values->values) == 0;
}

bool types_variable(const struct scope *s, const struct syntax_variable *syntax, struct value_type *out) {
  *out = (struct value_type){.range = {0, 0}};
  bool ok = syntax->type.name       ? named_type(s, syntax, out)
            : syntax->index_of.name ? index_type(s, syntax, out)
            : syntax->values.n      ? set_type(s, syntax, out)
                                    : range_type(s, syntax, out);
  out->wraps = ok && wraps(s, syntax, out);
  return ok;
}
