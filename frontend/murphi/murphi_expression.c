/* Values and places of expressions. */
#include "frontend/murphi/murphi_check.h"

struct mu_value mu_failed(void) {
  return (struct mu_value){0};
}

struct mu_value mu_result(const struct mu_type *type, const struct expr *expr) {
  return (struct mu_value){.type = expr ? type : NULL, .expr = expr};
}

const struct expr *mu_bounded(struct mu_check *c, enum site_kind kind, source_at at, const char *what,
                              const struct expr *x, int64_t lo, int64_t hi) {
  const struct expr *bounded = build_bounded(&c->build, kind, at, x, lo, hi, what);
  /* It always fails: one value is enough, so that recursion ends behind it. */
  return x && (x->hi < lo || hi < x->lo) ? build_narrowed(&c->build, bounded, lo, lo) : bounded;
}

static bool may_be_undefined(const struct expr *raw, const struct mu_type *type) {
  return type->kind != MU_INTEGER && raw->hi > type->hi;
}

const struct expr *mu_defined(struct mu_check *c, source_at at, const char *what, const struct expr *raw,
                              const struct mu_type *type) {
  if (!raw || !may_be_undefined(raw, type))
    return raw;
  return mu_bounded(c, SITE_UNDEFINED, at, what, raw, type->lo, type->hi);
}

/* ---- conversions --------------------------------------------------------------------------------- */

static const struct expr *shifted(struct mu_check *c, source_at at, const char *what, const struct expr *value,
                                  const struct mu_type *from, const struct mu_type *to) {
  struct builder *b = &c->build;
  const size_t into = mu_member_of(to, from), out_of = mu_member_of(from, to);
  if (into != SIZE_MAX)
    value = build_binary(b, EXPR_ADD, at, value, build_const(b, to->offsets[into]));
  else if (out_of != SIZE_MAX)
    value = build_binary(b, EXPR_SUB, at, value, build_const(b, from->offsets[out_of]));
  return mu_bounded(c, SITE_VALUE, at, what, value, to->lo, to->hi);
}

const struct expr *mu_converted(struct mu_check *c, source_at at, const char *what, const struct expr *raw,
                                const struct mu_type *from, const struct mu_type *to) {
  struct builder *b = &c->build;
  if (!raw || mu_equivalent(from, to))
    return raw;
  if (!may_be_undefined(raw, from))
    return shifted(c, at, what, raw, from, to);
  const struct expr *undefined = build_binary(b, EXPR_EQ, at, raw, build_const(b, from->hi + 1));
  if (is_constant_true(undefined) && !undefined->can_fail)
    return build_const(b, to->hi + 1);
  raw = mu_freeze(c, raw, at);
  const struct expr *defined = build_narrowed(b, raw, from->lo, from->hi);
  return build_cond(b, at, build_binary(b, EXPR_EQ, at, raw, build_const(b, from->hi + 1)), build_const(b, to->hi + 1),
                    shifted(c, at, what, defined, from, to));
}

/* ---- places -------------------------------------------------------------------------------------- */

bool mu_is_designator(const struct mu_check *c, const struct mu_expr *e) {
  if (e->op == MU_E_FIELD || e->op == MU_E_INDEX)
    return mu_is_designator(c, e->a);
  const struct mu_symbol *symbol = e->op == MU_E_NAME ? mu_find(c, e->name) : NULL;
  return symbol && symbol->kind == MU_SYMBOL_PLACE;
}

/* A record or array, which may be the result of a function. */
static bool whole_of(struct mu_check *c, const struct mu_expr *e, struct mu_place *out) {
  if (mu_is_designator(c, e))
    return mu_designate(c, e, NULL, out);
  const struct mu_value value = mu_value_of(c, e);
  if (value.type && mu_is_scalar(value.type))
    return false;
  *out = value.place;
  return value.type != NULL;
}

static bool field_of(struct mu_check *c, const struct mu_expr *e, struct mu_place *out) {
  struct mu_place whole;
  const size_t errors = c->build.errors;
  if (!whole_of(c, e->a, &whole) || whole.type->kind != MU_RECORD) {
    if (c->build.errors == errors)
      MU_ERROR(c, e->at, NULL, "'%s' is not a record", mu_expr_text(c, e->a));
    return false;
  }
  const char **names = arena_array(c->build.arena, whole.type->field_count + 1, sizeof *names);
  for (size_t i = 0; i < whole.type->field_count; i++) {
    const struct mu_field *field = &whole.type->fields[i];
    names[i] = mu_name_text(c, field->name);
    if (field->name.id == e->name.id) {
      *out = mu_field_place(c, &whole, field);
      return true;
    }
  }
  const char *similar = most_similar_name(mu_name_text(c, e->name), names, whole.type->field_count);
  MU_ERROR(c, e->name.at, similar ? arena_printf(c->build.arena, "did you mean '%s'?", similar) : NULL,
           "the record has no field '%s'", mu_name_text(c, e->name));
  return false;
}

/* The index from 0. */
static const struct expr *index_of(struct mu_check *c, const struct mu_expr *e, const struct mu_type *array,
                                   const char *what) {
  struct builder *b = &c->build;
  const struct mu_type *type, *to = array->index;
  const struct expr *index = mu_scalar(c, e, &type);
  if (!type)
    return NULL;
  if (!mu_compatible(type, to)) {
    MU_ERROR(c, e->at, NULL, "the index is %s; the array is indexed by %s", mu_type_text(c, type), mu_type_text(c, to));
    return NULL;
  }
  if (mu_is_number(to))
    index = mu_bounded(c, SITE_INDEX, e->at, what, index, to->lo, to->hi);
  else
    index = mu_converted(c, e->at, what, index, type, to);
  return build_binary(b, EXPR_SUB, e->at, index, build_const(b, to->lo));
}

static bool element_of(struct mu_check *c, const struct mu_expr *e, struct mu_place *out) {
  struct mu_place whole;
  const size_t errors = c->build.errors;
  if (!whole_of(c, e->a, &whole) || whole.type->kind < MU_ARRAY) {
    if (c->build.errors == errors)
      MU_ERROR(c, e->at, NULL, "'%s' is not an array", mu_expr_text(c, e->a));
    return false;
  }
  if (e->b->calls)
    mu_freeze_place(c, &whole);
  const struct expr *index =
      whole.type->kind == MU_MULTISET ? mu_slot(c, e->b, &whole) : index_of(c, e->b, whole.type, mu_expr_text(c, e->a));
  if (!index)
    return false;
  *out = mu_element_place(c, &whole, index);
  return true;
}

bool mu_designate(struct mu_check *c, const struct mu_expr *e, const char *what, struct mu_place *out) {
  if (e->op == MU_E_FIELD)
    return field_of(c, e, out);
  if (e->op == MU_E_INDEX)
    return element_of(c, e, out);
  const struct mu_symbol *symbol = e->op == MU_E_NAME ? mu_resolve(c, e->name) : NULL;
  if (symbol && symbol->kind == MU_SYMBOL_PLACE) {
    *out = symbol->place;
    return true;
  }
  if (what && (symbol || e->op != MU_E_NAME))
    MU_ERROR(c, e->at, NULL, "'%s' is not a variable: %s", mu_expr_text(c, e), what);
  return false;
}

/* ---- values -------------------------------------------------------------------------------------- */

static struct mu_value value_of_place(struct mu_check *c, const struct mu_expr *e) {
  struct mu_value value = {0};
  if (!mu_designate(c, e, NULL, &value.place))
    return mu_failed();
  value.type = value.place.type;
  if (mu_is_scalar(value.type))
    value.expr = mu_defined(c, e->at, mu_expr_text(c, e), mu_read(c, &value.place, e->at), value.type);
  return mu_is_scalar(value.type) && !value.expr ? mu_failed() : value;
}

static struct mu_value value_of_name(struct mu_check *c, const struct mu_expr *e) {
  const struct mu_symbol *symbol = mu_resolve(c, e->name);
  if (!symbol)
    return mu_failed();
  switch (symbol->kind) {
  case MU_SYMBOL_CONSTANT:
    return mu_result(symbol->type, symbol->value);
  case MU_SYMBOL_VALUE:
    return mu_result(symbol->type, mu_defined(c, e->at, mu_expr_text(c, e), symbol->value, symbol->type));
  case MU_SYMBOL_PLACE:
    return value_of_place(c, e);
  default:
    MU_ERROR(c, e->at, symbol->kind == MU_SYMBOL_FUNCTION ? "write brackets behind it to call it" : NULL,
             "'%s' has no value: it is a %s", mu_name_text(c, e->name),
             symbol->kind == MU_SYMBOL_FUNCTION ? "function" : "type");
    return mu_failed();
  }
}

/* The parameter or variable without an error for an undefined value. */
static struct mu_value isundefined(struct mu_check *c, const struct mu_expr *e) {
  struct builder *b = &c->build;
  const struct mu_symbol *symbol = e->a->op == MU_E_NAME ? mu_resolve(c, e->a->name) : NULL;
  struct mu_place place;
  const struct mu_type *type;
  const struct expr *raw;
  if (symbol && symbol->kind == MU_SYMBOL_VALUE) {
    type = symbol->type;
    raw = symbol->value;
  } else {
    if ((e->a->op == MU_E_NAME && !symbol) || !mu_designate(c, e->a, "isundefined needs one", &place))
      return mu_failed();
    type = place.type;
    raw = mu_is_scalar(type) ? mu_read(c, &place, e->at) : NULL;
  }
  if (!mu_is_scalar(type)) {
    MU_ERROR(c, e->at, "ask for its parts", "isundefined is for scalars, not for records and arrays");
    return mu_failed();
  }
  if (type->kind == MU_INTEGER)
    return mu_result(&c->boolean, build_const(b, 0));
  return mu_result(&c->boolean, build_binary(b, EXPR_EQ, e->at, raw, build_const(b, type->hi + 1)));
}

static struct mu_value ismember(struct mu_check *c, const struct mu_expr *e) {
  struct builder *b = &c->build;
  const struct mu_value value = mu_value_of(c, e->a);
  const struct mu_type *type = mu_type_of(c, e->type, NULL);
  if (!value.type || !type)
    return mu_failed();
  const size_t member = mu_member_of(value.type, type);
  if (value.type == type)
    return mu_result(&c->boolean, build_const(b, 1));
  if (member == SIZE_MAX) {
    MU_ERROR(c, e->at, NULL, "ismember asks for a member of a union: '%s' is %s", mu_expr_text(c, e->a),
             mu_type_text(c, value.type));
    return mu_failed();
  }
  const int64_t first = value.type->offsets[member];
  const struct expr *raw = mu_freeze(c, value.expr, e->at);
  return mu_result(&c->boolean,
                   build_binary(b, EXPR_AND, e->at, build_binary(b, EXPR_LE, e->at, build_const(b, first), raw),
                                build_binary(b, EXPR_LE, e->at, raw, build_const(b, first + type->hi))));
}

struct mu_value mu_value_of(struct mu_check *c, const struct mu_expr *e) {
  if (!build_spend(&c->build, e->at, 0, 1))
    return mu_failed();
  switch (e->op) {
  case MU_E_NUMBER:
    return mu_result(&c->integer, build_const(&c->build, e->value));
  case MU_E_TRUTH:
    return mu_result(&c->boolean, build_const(&c->build, e->value));
  case MU_E_NAME:
    return value_of_name(c, e);
  case MU_E_FIELD:
  case MU_E_INDEX:
    return value_of_place(c, e);
  case MU_E_CALL: {
    const size_t errors = c->build.errors;
    const struct mu_value value = mu_call(c, e);
    if (!value.type && c->build.errors == errors)
      MU_ERROR(c, e->at, NULL, "the procedure '%s' has no value", mu_name_text(c, e->name));
    return value;
  }
  case MU_E_FORALL:
  case MU_E_EXISTS:
    return mu_quantified(c, e);
  case MU_E_ISUNDEFINED:
    return isundefined(c, e);
  case MU_E_ISMEMBER:
    return ismember(c, e);
  case MU_E_COUNT:
    return mu_count(c, e);
  default:
    return mu_operator(c, e);
  }
}

struct mu_value mu_raw_value(struct mu_check *c, const struct mu_expr *e) {
  const struct mu_symbol *symbol = e->op == MU_E_NAME ? mu_find(c, e->name) : NULL;
  struct mu_value value = {0};
  if (symbol && symbol->kind == MU_SYMBOL_VALUE)
    return mu_result(symbol->type, symbol->value);
  if (!mu_is_designator(c, e))
    return mu_value_of(c, e);
  if (!mu_designate(c, e, NULL, &value.place))
    return mu_failed();
  value.type = value.place.type;
  value.expr = mu_is_scalar(value.type) ? mu_read(c, &value.place, e->at) : NULL;
  return value;
}

struct mu_value mu_copied_value(struct mu_check *c, const struct mu_expr *e) {
  return c->file->extended ? mu_raw_value(c, e) : mu_value_of(c, e);
}

struct mu_value mu_compared_value(struct mu_check *c, const struct mu_expr *e) {
  struct mu_value value = mu_copied_value(c, e);
  if (value.type && mu_is_scalar(value.type) && value.type->kind != MU_UNION && value.type->kind != MU_SCALARSET)
    value.expr = mu_defined(c, e->at, mu_expr_text(c, e), value.expr, value.type);
  return value;
}

const struct expr *mu_scalar(struct mu_check *c, const struct mu_expr *e, const struct mu_type **type) {
  const struct mu_value value = mu_value_of(c, e);
  *type = value.type;
  if (!value.type)
    return NULL;
  if (mu_is_scalar(value.type))
    return value.expr;
  MU_ERROR(c, e->at, NULL, "'%s' is %s; a scalar is needed here", mu_expr_text(c, e), mu_type_text(c, value.type));
  *type = NULL;
  return NULL;
}

const struct expr *mu_condition(struct mu_check *c, const struct mu_expr *e) {
  const struct mu_type *type;
  const struct expr *value = mu_scalar(c, e, &type);
  if (!type || type->kind == MU_BOOLEAN)
    return value;
  MU_ERROR(c, e->at, NULL, "'%s' is %s; a truth value is needed here", mu_expr_text(c, e), mu_type_text(c, type));
  return NULL;
}

bool mu_constant(struct mu_check *c, const struct mu_expr *e, const char *what, const struct mu_type **type,
                 int64_t *value) {
  struct mu_block *block = c->block;
  const size_t errors = c->build.errors;
  c->block = NULL;
  const struct expr *result = mu_scalar(c, e, type);
  c->block = block;
  if (result && result->op == EXPR_CONST) {
    *value = result->value;
    return true;
  }
  if (c->build.errors == errors)
    MU_ERROR(c, e->at, NULL, "%s is not a constant", what);
  return false;
}
