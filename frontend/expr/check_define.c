#include "frontend/expr/check_define.h"

#include "frontend/expr/check_fields.h"
#include "frontend/expr/check_names.h"
#include "frontend/parse/other_language_hints.h"

#include <string.h>

static struct define *declare_defines(struct check *c, const struct syntax_define *defines, size_t n,
                                      const struct template *process) {
  struct define *all = arena_array(c->build.arena, n, sizeof *all);
  for (size_t i = 0; i < n; i++)
    all[i] = (struct define){&defines[i], process, (uint32_t)i, false, false};
  return all;
}

void defines_declare(struct check *c) {
  c->defines = declare_defines(c, c->syntax->defines, c->syntax->define_count, NULL);
  for (size_t i = 0; i < c->syntax->process_count; i++) {
    struct template *process = &c->templates[i];
    process->defines = declare_defines(c, process->syntax->defines, process->syntax->define_count, process);
  }
}

/* ---- use ------------------------------------------------------------------------------------- */

/* The nesting of expanded defines is limited like that of one expression. */
static const struct expr *expand(struct scope *s, const struct syntax_expr *e, source_at at) {
  struct check *c = s->check;
  if (c->expanded + e->depth > SYNTAX_MAX_DEPTH) {
    CHECK_ERROR(c, at, NULL, "the expression is too long after expansion of its defines: more than %d operators deep",
                SYNTAX_MAX_DEPTH);
    return NULL;
  }
  c->expanded += e->depth;
  const struct expr *result = c->lower(s, e);
  c->expanded -= e->depth;
  return result;
}

bool define_has_argument(const struct scope *s, const char *name) {
  for (const struct binding *b = s->bindings; b; b = b->outer)
    if (strcmp(b->name, name) == 0)
      return false;
  return s->arguments && scope_parameter(s, name) != NONE;
}

const struct expr *define_argument(struct scope *s, const struct syntax_expr *e) {
  struct argument *argument = &s->arguments[scope_parameter(s, e->name)];
  struct scope home = *argument->home;
  home.constant |= s->constant;
  argument->read = true;
  return expand(&home, argument->expr, argument->expr->at);
}

static struct define *find_define(const struct scope *s, const struct syntax_expr *e) {
  struct check *c = s->check;
  const struct symbol *symbol = scope_binding(s, e->name) ? NULL : scope_find(s, e->name);
  if (symbol && (symbol->kind & (SYMBOL_DEFINE | SYMBOL_FUNCTION))) {
    const bool local = s->process && names_find(&s->process->names, e->name) == symbol;
    return &(local ? s->process->defines : c->defines)[symbol->id];
  }
  if (symbol || scope_binding(s, e->name))
    CHECK_ERROR(c, e->at, NULL, "'%s' is %s, not a define", e->name,
                symbol ? symbol_kind_name(symbol->kind) : bound_kind(s, e->name));
  else
    CHECK_ERROR(c, e->at,
                other_language_call_hint(e->name) ? other_language_call_hint(e->name)
                                                  : scope_suggestion(s, e->name, SYMBOL_DEFINE | SYMBOL_FUNCTION),
                "unknown define '%s'", e->name);
  return NULL;
}

static const char *kind_of(const struct define *define) { return define->syntax->is_function ? "function" : "define"; }

static bool may_use(const struct scope *s, const struct define *define, const struct syntax_expr *e) {
  struct check *c = s->check;
  const size_t parameters = define->syntax->parameter_count;
  const char *kind = kind_of(define);
  if (s->define && s->define->process == define->process && define->number >= s->define->number) {
    const char *hint = arena_printf(c->build.arena, "a %s can use only earlier defines%s", kind_of(s->define),
                                    s->define->syntax->is_function ? " and functions" : "");
    CHECK_ERROR(c, e->at, hint,
                define == s->define ? "%s '%s' uses itself" : "%s '%s' is declared later and cannot be used here", kind,
                e->name);
    return false;
  }
  if (e->arguments.n == parameters)
    return true;
  if (!parameters)
    CHECK_ERROR(c, e->at, NULL, "%s '%s' has no parameters: write it without brackets", kind, e->name);
  else if (!e->arguments.n)
    CHECK_ERROR(c, e->at, NULL, "%s '%s' needs %zu argument%s", kind, e->name, parameters, parameters == 1 ? "" : "s");
  else
    CHECK_ERROR(c, e->at, NULL, "%s '%s' has %zu parameter%s, here %zu %s given", kind, e->name, parameters,
                parameters == 1 ? "" : "s", e->arguments.n, e->arguments.n == 1 ? "is" : "are");
  return false;
}

/* Checks names in arguments of parameters that the define does not use. */
static bool unread_arguments(struct scope *s, const struct argument *arguments, const struct syntax_expr *e) {
  bool ok = true;
  s->check->build.dead++;
  for (size_t i = 0; i < e->arguments.n; i++)
    if (!arguments[i].read)
      ok &= expand(s, arguments[i].expr, e->at) != NULL;
  s->check->build.dead--;
  return ok;
}

static struct argument *bind(const struct scope *s, const struct syntax_expr *e) {
  struct argument *all = arena_array(s->check->build.arena, e->arguments.n, sizeof *all);
  for (size_t i = 0; i < e->arguments.n; i++)
    all[i] = (struct argument){e->arguments.items[i], s, false};
  return all;
}

const struct expr *define_use(struct scope *s, const struct syntax_expr *e) {
  struct check *c = s->check;
  struct define *define = find_define(s, e);
  if (!define || !may_use(s, define, e) || define->bad || (!define->syntax->expr && !define->syntax->is_function))
    return NULL;
  define->used = true;
  if (define->syntax->is_function)
    return function_call(s, e, define);
  const source_at *before = c->build.used_at;
  struct argument *arguments = bind(s, e);
  struct scope body = {.check = c,
                       .process = define->process,
                       .instance = s->instance,
                       .in_process = s->process || s->in_process,
                       .constant = s->constant,
                       .define = define,
                       .arguments = arguments};
  if (!before)
    c->build.used_at = &e->at;
  const struct expr *result = expand(&body, define->syntax->expr, e->at);
  if (!unread_arguments(s, arguments, e))
    result = NULL;
  c->build.used_at = before;
  return result;
}

/* ---- checks of unused defines ----------------------------------------------------------------- */

static bool parameters_differ(struct check *c, const struct syntax_define *define) {
  for (size_t i = 0; i < define->parameter_count; i++)
    for (size_t k = 0; k < i; k++)
      if (strcmp(define->parameters[i].name, define->parameters[k].name) == 0) {
        CHECK_ERROR(c, define->parameters[i].at, NULL, "%s '%s' has a parameter '%s' already",
                    define->is_function ? "function" : "define", define->name, define->parameters[i].name);
        return false;
      }
  return true;
}

static void check_define(struct check *c, struct define *define) {
  const struct scope home = {.check = c, .process = define->process};
  if ((!define->syntax->expr && !define->syntax->is_function) ||
      (define->process && !define->process->process->instances) || !parameters_differ(c, define->syntax))
    return;
  for (size_t i = 0; i < define->syntax->parameter_count; i++)
    scope_warn_hidden(&home, define->syntax->parameters[i].name, define->syntax->parameters[i].at);
  if (define->syntax->is_function) {
    function_check(c, define);
    return;
  }
  struct scope body = {.check = c, .process = define->process, .define = define};
  c->build.dead++;
  expand(&body, define->syntax->expr, define->syntax->at);
  c->build.dead--;
}

void defines_check(struct check *c) {
  for (size_t i = 0; i < c->syntax->define_count; i++)
    check_define(c, &c->defines[i]);
  for (size_t p = 0; p < c->syntax->process_count; p++)
    for (size_t i = 0; i < c->templates[p].syntax->define_count; i++)
      check_define(c, &c->templates[p].defines[i]);
}
