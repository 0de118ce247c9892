#include "frontend/promela/parse/promela_parser.h"

static bool is_typedef(const struct pr_parser *p, const struct pr_token *t) {
  return t->kind == PR_NAME && pr_means(p, name_table_find(&p->model->names, t->text), PR_IS_TYPEDEF);
}

bool pr_declaration_follows(const struct pr_parser *p) {
  switch (p->panic ? PR_END : pr_token(p)->kind) {
  case PR_W_BIT:
  case PR_W_BOOL:
  case PR_W_BYTE:
  case PR_W_PID:
  case PR_W_SHORT:
  case PR_W_INT:
  case PR_W_UNSIGNED:
  case PR_W_MTYPE:
  case PR_W_CHAN:
  case PR_W_HIDDEN:
  case PR_W_SHOW:
  case PR_W_LOCAL:
    return true;
  default:
    return pr_sees_next(p, PR_NAME) && is_typedef(p, pr_token(p));
  }
}

struct type {
  enum pr_type type;
  struct pr_name name;
};

static struct type parse_type(struct pr_parser *p) {
  static const struct {
    enum pr_token_kind word;
    enum pr_type type;
  } types[] = {{PR_W_BIT, PR_T_BIT},           {PR_W_BOOL, PR_T_BIT},    {PR_W_BYTE, PR_T_BYTE},
               {PR_W_PID, PR_T_PID},           {PR_W_SHORT, PR_T_SHORT}, {PR_W_INT, PR_T_INT},
               {PR_W_UNSIGNED, PR_T_UNSIGNED}, {PR_W_MTYPE, PR_T_MTYPE}, {PR_W_CHAN, PR_T_CHAN}};
  struct type out = {PR_T_RECORD, pr_no_name(pr_token(p)->begin)};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (pr_sees(p, types[i].word)) {
      out.type = types[i].type;
      pr_advance(p);
      if (out.type == PR_T_MTYPE && pr_accept(p, PR_COLON))
        out.name = pr_parse_name(p, "the name of a kind of mtype");
      return out;
    }
  if (!p->panic && !is_typedef(p, pr_token(p)))
    pr_expected(p, "a type", NULL);
  out.name = pr_parse_name(p, "a type");
  return out;
}

static const struct pr_channel *parse_channel(struct pr_parser *p) {
  struct pr_channel *c = arena_alloc(p->arena, sizeof *c);
  pr_advance(p);
  c->capacity = pr_parse_expression(p);
  pr_expect(p, PR_CLOSE_INDEX);
  pr_expect(p, PR_W_OF);
  pr_expect(p, PR_OPEN_BLOCK);
  do {
    const struct type type = parse_type(p);
    *PR_PUSH(p, c) = (struct pr_message_field){type.type, type.name};
  } while (pr_accept(p, PR_COMMA));
  pr_expect(p, PR_CLOSE_BLOCK);
  return c;
}

static void parse_initial(struct pr_parser *p, struct pr_variable *v) {
  if (v->type == PR_T_CHAN && pr_sees(p, PR_OPEN_INDEX))
    v->channel = parse_channel(p);
  else if (pr_accept(p, PR_OPEN_BLOCK))
    pr_parse_arguments(p, PR_CLOSE_BLOCK, &v->values);
  else
    v->value = pr_parse_expression(p);
}

void pr_parse_variables(struct pr_parser *p, bool initial, struct pr_variables *out) {
  bool hidden = false;
  for (; pr_sees(p, PR_W_HIDDEN) || pr_sees(p, PR_W_SHOW) || pr_sees(p, PR_W_LOCAL); pr_advance(p))
    hidden |= pr_sees(p, PR_W_HIDDEN);
  const struct type type = parse_type(p);
  do {
    struct pr_variable v = {.type = type.type, .type_name = type.name, .hidden = hidden};
    v.name = pr_parse_name(p, "the name of a variable");
    if (v.type == PR_T_UNSIGNED && pr_accept(p, PR_COLON))
      v.bits = pr_parse_expression(p);
    if (pr_accept(p, PR_OPEN_INDEX)) {
      v.size = pr_parse_expression(p);
      pr_expect(p, PR_CLOSE_INDEX);
    }
    if (initial && pr_accept(p, PR_ASSIGN))
      parse_initial(p, &v);
    if (!p->panic)
      *PR_PUSH(p, out) = v;
  } while (pr_sees(p, PR_COMMA) && (initial || pr_sees_next(p, PR_NAME)) && pr_accept(p, PR_COMMA));
}

/* mtype = { a, b }, mtype:name = { a, b }; the values may have blanks between them only. */
void pr_parse_mtype(struct pr_parser *p) {
  struct pr_mtype m = {.subtype = pr_no_name(pr_token(p)->begin)};
  pr_advance(p);
  if (pr_accept(p, PR_COLON))
    m.subtype = pr_parse_name(p, "the name of a kind of mtype");
  pr_accept(p, PR_ASSIGN);
  pr_expect(p, PR_OPEN_BLOCK);
  do {
    const struct pr_name name = pr_parse_name(p, "the name of a value");
    *PR_PUSH(p, &m.values) = name;
    pr_accept(p, PR_COMMA);
  } while (pr_sees(p, PR_NAME));
  pr_expect(p, PR_CLOSE_BLOCK);
  *PR_PUSH(p, &p->model->mtypes) = m;
}

void pr_parse_typedef(struct pr_parser *p) {
  struct pr_typedef t = {0};
  pr_advance(p);
  t.name = pr_parse_name(p, "the name of a type");
  pr_expect(p, PR_OPEN_BLOCK);
  while (!p->panic && !pr_accept(p, PR_CLOSE_BLOCK)) {
    pr_parse_variables(p, true, &t.fields);
    if (!pr_sees(p, PR_CLOSE_BLOCK))
      pr_expect(p, PR_SEMICOLON);
    while (pr_accept(p, PR_SEMICOLON))
      ;
  }
  pr_set_meaning(p, t.name.id, PR_IS_TYPEDEF);
  *PR_PUSH(p, &p->model->typedefs) = t;
}
