#include "frontend/lower/check_effect.h"

#include "frontend/expr/check_assign.h"
#include "frontend/expr/check_names.h"
#include "frontend/parse/source_text.h"

static void append_statement(struct check *c, struct statements *out, const struct statement *statement) {
  *ARENA_PUSH(c->build.arena, out->items, out->n, out->cap) = *statement;
}

static bool append_assignment(struct scope *s, source_at at, const struct place *place, const struct expr *value,
                              struct statements *out) {
  struct statement statement = assignment(s->check, at, place, value);
  statement.iteration = s->iteration;
  append_statement(s->check, out, &statement);
  return statement.value != NULL;
}

/* ---- whole records --------------------------------------------------------------------------- */

static bool reads_fields(const struct expr *e, const struct record_place *record) {
  if (!e)
    return false;
  if (e->op == EXPR_READ && record->first <= e->id && e->id - record->first < record->structure->count)
    return true;
  return reads_fields(e->a, record) || reads_fields(e->b, record) || reads_fields(e->c, record);
}

/* Each field is assigned by itself, so that what selects the record must not change meanwhile. */
static bool index_is_stable(struct check *c, const struct record_place *target, const struct record_place *value) {
  if (!reads_fields(target->index, target) && !reads_fields(value->index, target) &&
      !reads_fields(value->instance, target))
    return true;
  CHECK_ERROR(c, target->at, "assign the fields one by one",
              "an index in this assignment of a record reads a field that the assignment changes");
  return false;
}

static bool assign_fields(struct scope *s, const struct syntax_statement *syntax, const struct record_place *target,
                          const struct record_place *value, struct statements *out) {
  struct check *c = s->check;
  for (size_t f = 0; f < target->structure->count; f++)
    for (uint32_t k = 0; k < record_elements(c, target, f); k++) {
      struct place place;
      const struct expr *read = record_read(c, value, f, k);
      if (!read || !record_place_of(c, target, f, k, &place) || !build_spend(&c->build, syntax->at, 1, 0) ||
          !append_assignment(s, syntax->at, &place, read, out))
        return false;
    }
  return true;
}

static bool assign_record(struct scope *s, const struct syntax_statement *syntax, struct statements *out) {
  struct check *c = s->check;
  struct record_place target, value;
  if (!place_is_record(s, syntax->value)) {
    CHECK_ERROR(c, syntax->value->start, NULL, "a record can be assigned only a record");
    return false;
  }
  if (!place_record(s, syntax->target, true, &target) || !place_record(s, syntax->value, false, &value) ||
      !records_match(c, syntax->at, &target, &value) || !index_is_stable(c, &target, &value))
    return false;
  return c->build.dead || assign_fields(s, syntax, &target, &value, out);
}

/* ---- assignments and assertions -------------------------------------------------------------- */

static bool lower_assignment(struct scope *s, const struct syntax_statement *syntax, struct statements *out) {
  struct check *c = s->check;
  if (place_is_record(s, syntax->target))
    return assign_record(s, syntax, out);
  struct place place = {0};
  bool ok = place_target(s, syntax->target, &place);
  const struct expr *value = lower(s, syntax->value);
  if (!ok || !value || !build_spend(&c->build, syntax->at, 1, 0))
    return false;
  if (c->build.dead)
    return true;
  return append_assignment(s, syntax->at, &place, value, out);
}

static bool lower_assertion(struct scope *s, const struct syntax_statement *syntax, struct statements *out) {
  struct check *c = s->check;
  const struct expr *value = lower(s, syntax->value);
  if (!value || !build_spend(&c->build, syntax->at, 1, 0))
    return false;
  if (c->build.dead || is_constant_true(value))
    return true;
  const struct expr *truth = build_truth(&c->build, value);
  const char *what = source_excerpt_short(c->build.source, syntax->value, c->build.arena);
  append_statement(c, out,
                   &(struct statement){.op = ST_ASSERT,
                                       .at = syntax->at,
                                       .iteration = s->iteration,
                                       .value = truth,
                                       .site = build_site(&c->build, SITE_ASSERT, syntax->at, what, 0, 0)});
  return truth != NULL;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool lower_iteration(struct scope *s, const struct syntax_statement *syntax, int64_t value,
                            struct statements *out) {
  struct binding binding = {
      .name = syntax->name.name, .value = build_const(&s->check->build, value), .outer = s->bindings};
  if (!binding.value || !build_spend(&s->check->build, syntax->at, 0, 1))
    return false;
  struct loop_iteration *iteration = arena_alloc(s->check->build.arena, sizeof *iteration);
  *iteration = (struct loop_iteration){syntax->name.name, value, s->iteration};
  s->bindings = &binding;
  s->iteration = iteration;
  bool ok = effect_lower(s, syntax->body, syntax->body_count, out);
  s->bindings = binding.outer;
  s->iteration = iteration->outer;
  return ok;
}

/* Checks the body of a loop that never runs. */
static bool lower_unreached_iteration(struct scope *s, const struct syntax_statement *syntax, int64_t value) {
  struct statements none = {0};
  s->check->build.dead++;
  bool ok = lower_iteration(s, syntax, value, &none);
  s->check->build.dead--;
  return ok;
}

static bool lower_loop(struct scope *s, const struct syntax_statement *syntax, struct statements *out) {
  struct check *c = s->check;
  int64_t lo, hi;
  scope_warn_hidden(s, syntax->name.name, syntax->name.at);
  if (!constant_range(s, &syntax->range, &lo, &hi)) {
    lower_unreached_iteration(s, syntax, 0);
    return false;
  }
  if (lo > hi || c->build.dead)
    return lower_unreached_iteration(s, syntax, lo);
  if ((uint64_t)hi - (uint64_t)lo >= BUILD_MAX_STEPS) {
    build_too_large(&c->build, syntax->at, "this loop has too many iterations");
    return false;
  }
  bool ok = true;
  for (int64_t i = lo; ok; i++) {
    ok = lower_iteration(s, syntax, i, out);
    if (i == hi)
      break;
  }
  return ok;
}

/* ---- branches -------------------------------------------------------------------------------- */

static bool lower_branch(struct scope *s, const struct syntax_statement *syntax, struct statements *out) {
  struct check *c = s->check;
  struct statements both = {0}, decided = {0};
  const struct expr *value = lower(s, syntax->value);
  const bool always = value && is_constant_true(value), never = value && is_constant_false(value);
  const bool known = always || never;
  c->build.dead += never;
  bool ok = effect_lower(s, syntax->body, syntax->body_count, known ? &decided : &both);
  c->build.dead -= never;
  const size_t then_count = both.n;
  c->build.dead += always;
  ok &= effect_lower(s, syntax->otherwise, syntax->otherwise_count, known ? &decided : &both);
  c->build.dead -= always;
  if (!ok || !value || !build_spend(&c->build, syntax->at, 1, 0))
    return false;
  for (size_t i = 0; i < decided.n; i++)
    append_statement(c, out, &decided.items[i]);
  if (known || c->build.dead || (!both.n && !value->can_fail))
    return true;
  append_statement(c, out,
                   &(struct statement){.op = ST_IF,
                                       .at = syntax->at,
                                       .iteration = s->iteration,
                                       .site = NO_SITE,
                                       .value = value,
                                       .then = both.items,
                                       .then_count = then_count,
                                       .else_count = both.n - then_count});
  return true;
}

static bool lower_statement(struct scope *s, const struct syntax_statement *syntax, struct statements *out) {
  switch (syntax->kind) {
  case STATEMENT_ASSIGN:
    return lower_assignment(s, syntax, out);
  case STATEMENT_ASSERT:
    return lower_assertion(s, syntax, out);
  case STATEMENT_FOR:
    return lower_loop(s, syntax, out);
  case STATEMENT_IF:
    return lower_branch(s, syntax, out);
  case STATEMENT_LOCAL:
  case STATEMENT_RETURN:
    break; /* only in functions */
  }
  return false;
}

bool effect_lower(struct scope *s, const struct syntax_statement *list, size_t n, struct statements *out) {
  bool ok = true;
  for (size_t i = 0; i < n && !s->check->build.stop; i++)
    ok &= lower_statement(s, &list[i], out);
  return ok && !s->check->build.stop;
}
