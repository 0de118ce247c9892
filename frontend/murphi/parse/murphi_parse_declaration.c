/* Types, and declarations of constants, types and variables. */
#include "frontend/murphi/parse/murphi_parser.h"

static struct mu_type_tree *type_node(struct mu_parser *p, enum mu_type_form form) {
  struct mu_type_tree *t = arena_alloc(p->arena, sizeof *t);
  *t = (struct mu_type_tree){.form = form, .at = p->token.begin};
  return t;
}

static void parse_typed_names(struct mu_parser *p, enum mu_declaration_kind kind, const char *what,
                              struct mu_declarations *out) {
  struct mu_declaration d = {.kind = kind};
  mu_parse_names(p, what, &d.names);
  mu_expect(p, MU_COLON);
  d.type = mu_parse_type(p);
  if (!p->panic)
    *MU_PUSH(p, out) = d;
}

static const struct mu_type_tree *parse_record(struct mu_parser *p) {
  struct mu_type_tree *t = type_node(p, MU_TYPE_RECORD);
  struct mu_declarations *fields = arena_alloc(p->arena, sizeof *fields);
  mu_advance(p);
  mu_skip_semicolons(p);
  while (mu_sees(p, MU_NAME)) {
    parse_typed_names(p, MU_DECLARE_VAR, "the name of a field", fields);
    mu_skip_semicolons(p);
  }
  mu_expect_end(p, MU_W_ENDRECORD);
  t->fields = fields;
  return t;
}

static const struct mu_type_tree *parse_array(struct mu_parser *p) {
  struct mu_type_tree *t = type_node(p, MU_TYPE_ARRAY);
  mu_advance(p);
  mu_expect(p, MU_OPEN_INDEX);
  t->index = mu_parse_type(p);
  mu_expect(p, MU_CLOSE_INDEX);
  mu_expect(p, MU_W_OF);
  t->element = mu_parse_type(p);
  return t;
}

static const struct mu_type_tree *parse_enum(struct mu_parser *p) {
  struct mu_type_tree *t = type_node(p, MU_TYPE_ENUM);
  mu_advance(p);
  mu_expect(p, MU_OPEN_SET);
  do {
    const struct mu_name name = mu_parse_name(p, "the name of a value");
    if (!p->panic)
      *MU_PUSH(p, &t->names) = name;
  } while (mu_accept(p, MU_COMMA) && !mu_sees(p, MU_CLOSE_SET));
  mu_expect(p, MU_CLOSE_SET);
  return t;
}

static const struct mu_type_tree *parse_scalarset(struct mu_parser *p) {
  struct mu_type_tree *t = type_node(p, MU_TYPE_SCALARSET);
  mu_advance(p);
  mu_expect(p, MU_OPEN);
  t->lo = mu_parse_expression(p);
  mu_expect(p, MU_CLOSE);
  return t;
}

static const struct mu_type_tree *parse_union(struct mu_parser *p) {
  struct mu_type_tree *t = type_node(p, MU_TYPE_UNION);
  mu_advance(p);
  mu_expect(p, MU_OPEN_SET);
  do {
    const struct mu_type_tree *member = mu_parse_type(p);
    if (!p->panic)
      *ARENA_PUSH(p->arena, t->members, t->member_count, t->member_cap) = member;
  } while (mu_accept(p, MU_COMMA) && !mu_sees(p, MU_CLOSE_SET));
  mu_expect(p, MU_CLOSE_SET);
  return t;
}

static const struct mu_type_tree *parse_multiset(struct mu_parser *p) {
  struct mu_type_tree *t = type_node(p, MU_TYPE_MULTISET);
  mu_advance(p);
  mu_expect(p, MU_OPEN_INDEX);
  t->lo = mu_parse_expression(p);
  mu_expect(p, MU_CLOSE_INDEX);
  mu_expect(p, MU_W_OF);
  t->element = mu_parse_type(p);
  return t;
}

/* A name that no `..` follows is a type; else the lower bound of a range begins here. */
static const struct mu_type_tree *parse_name_or_range(struct mu_parser *p) {
  struct mu_type_tree *t = type_node(p, MU_TYPE_RANGE);
  t->lo = mu_parse_expression(p);
  if (mu_accept(p, MU_DOTS)) {
    t->hi = mu_parse_expression(p);
    return t;
  }
  if (!t->lo)
    return NULL;
  if (t->lo->op != MU_E_NAME) {
    mu_expected(p, "'..'", "a range is written as LOW..HIGH");
    return NULL;
  }
  t->form = MU_TYPE_NAME;
  t->name = t->lo->name;
  return t;
}

static const struct mu_type_tree *parse_boolean(struct mu_parser *p) {
  const struct mu_type_tree *t = type_node(p, MU_TYPE_BOOLEAN);
  mu_advance(p);
  return t;
}

const struct mu_type_tree *mu_parse_type(struct mu_parser *p) {
  const struct mu_type_tree *t = NULL;
  if (!mu_enter(p))
    return NULL;
  switch (p->token.kind) {
  case MU_W_BOOLEAN:
    t = parse_boolean(p);
    break;
  case MU_W_RECORD:
    t = parse_record(p);
    break;
  case MU_W_ARRAY:
    t = parse_array(p);
    break;
  case MU_W_ENUM:
    t = parse_enum(p);
    break;
  case MU_W_SCALARSET:
    t = parse_scalarset(p);
    break;
  case MU_W_UNION:
    t = parse_union(p);
    p->extended = true;
    break;
  case MU_W_MULTISET:
    t = parse_multiset(p);
    p->extended = true;
    break;
  case MU_W_REAL:
    MU_SYNTAX_ERROR(p, p->token.begin, "use integers, for example hundredths",
                    "floe does not read 'real': rounding would decide how many states there are");
    break;
  default:
    t = parse_name_or_range(p);
  }
  mu_leave(p);
  return p->panic ? NULL : t;
}

/* ---- declarations -------------------------------------------------------------------------------- */

bool mu_declaration_follows(const struct mu_parser *p) {
  return mu_sees(p, MU_W_CONST) || mu_sees(p, MU_W_TYPE) || mu_sees(p, MU_W_VAR);
}

static void parse_definition(struct mu_parser *p, enum mu_declaration_kind kind, struct mu_declarations *out) {
  struct mu_declaration d = {.kind = kind};
  mu_parse_names(p, kind == MU_DECLARE_CONST ? "the name of a constant" : "the name of a type", &d.names);
  mu_expect(p, MU_COLON);
  if (kind == MU_DECLARE_CONST)
    d.value = mu_parse_expression(p);
  else
    d.type = mu_parse_type(p);
  if (!p->panic)
    *MU_PUSH(p, out) = d;
}

void mu_parse_declarations(struct mu_parser *p, struct mu_declarations *out) {
  while (mu_declaration_follows(p)) {
    const enum mu_declaration_kind kind = p->token.kind == MU_W_CONST  ? MU_DECLARE_CONST
                                          : p->token.kind == MU_W_TYPE ? MU_DECLARE_TYPE
                                                                       : MU_DECLARE_VAR;
    mu_advance(p);
    mu_skip_semicolons(p);
    while (mu_sees(p, MU_NAME) && !mu_sees_include(p)) {
      if (kind == MU_DECLARE_VAR)
        parse_typed_names(p, kind, "the name of a variable", out);
      else
        parse_definition(p, kind, out);
      mu_skip_semicolons(p);
    }
  }
}

void mu_parse_parameters(struct mu_parser *p, struct mu_declarations *out) {
  mu_expect(p, MU_OPEN);
  while (mu_sees(p, MU_NAME) || mu_sees(p, MU_W_VAR)) {
    const bool by_reference = mu_accept(p, MU_W_VAR);
    const size_t before = out->n;
    parse_typed_names(p, MU_DECLARE_VAR, "the name of a parameter", out);
    if (out->n > before)
      out->items[before].by_reference = by_reference;
    if (!mu_accept(p, MU_SEMICOLON)) /* optional, as in Rumur */
      mu_accept(p, MU_COMMA);
  }
  mu_expect(p, MU_CLOSE);
}
