#include "frontend/murphi/parse/murphi_parser.h"

#define MAX_CLAUSES 1000 /* of a statement: nested levels; also of the values of a clause */

void mu_parse_aliases(struct mu_parser *p, struct mu_aliases *out) {
  do {
    struct mu_alias alias = {.name = mu_parse_name(p, "the name of an alias")};
    mu_expect(p, MU_COLON);
    alias.value = mu_parse_expression(p);
    if (!p->panic)
      *MU_PUSH(p, out) = alias;
    mu_skip_semicolons(p);
  } while (mu_sees(p, MU_NAME));
}

static void add_clause(struct mu_parser *p, struct mu_statement *s, const struct mu_clause *clause) {
  if (s->clause_count == MAX_CLAUSES || clause->values.n > MAX_CLAUSES)
    MU_SYNTAX_ERROR(p, s->at, "split it", "the statement has more than %d cases", MAX_CLAUSES);
  *ARENA_PUSH(p->arena, s->clauses, s->clause_count, s->clause_cap) = *clause;
}

static void parse_if(struct mu_parser *p, struct mu_statement *s) {
  s->kind = MU_S_IF;
  do {
    struct mu_clause clause = {0};
    mu_advance(p);
    *ARENA_PUSH(p->arena, clause.values.items, clause.values.n, clause.values.cap) = mu_parse_expression(p);
    mu_expect(p, MU_W_THEN);
    mu_parse_statements(p, &clause.body);
    add_clause(p, s, &clause);
  } while (mu_sees(p, MU_W_ELSIF));
  if (mu_accept(p, MU_W_ELSE)) {
    struct mu_clause clause = {0};
    mu_parse_statements(p, &clause.body);
    add_clause(p, s, &clause);
  }
  mu_expect_end(p, MU_W_ENDIF);
}

static void parse_switch(struct mu_parser *p, struct mu_statement *s) {
  s->kind = MU_S_SWITCH;
  mu_advance(p);
  s->value = mu_parse_expression(p);
  mu_skip_semicolons(p);
  while (mu_accept(p, MU_W_CASE)) {
    struct mu_clause clause = {0};
    do {
      const struct mu_expr *e = mu_parse_expression(p);
      *ARENA_PUSH(p->arena, clause.values.items, clause.values.n, clause.values.cap) = e;
    } while (mu_accept(p, MU_COMMA));
    mu_expect(p, MU_COLON);
    mu_parse_statements(p, &clause.body);
    add_clause(p, s, &clause);
  }
  if (mu_accept(p, MU_W_ELSE)) {
    struct mu_clause clause = {0};
    mu_accept(p, MU_COLON);
    mu_parse_statements(p, &clause.body);
    add_clause(p, s, &clause);
  }
  mu_expect_end(p, MU_W_ENDSWITCH);
}

static void parse_loop(struct mu_parser *p, struct mu_statement *s) {
  const bool counts = p->token.kind == MU_W_FOR;
  s->kind = counts ? MU_S_FOR : MU_S_WHILE;
  mu_advance(p);
  if (counts)
    mu_parse_quantifiers(p, &s->quantifiers);
  else
    s->value = mu_parse_expression(p);
  mu_expect(p, MU_W_DO);
  mu_parse_statements(p, &s->body);
  mu_expect_end(p, counts ? MU_W_ENDFOR : MU_W_ENDWHILE);
}

static void parse_alias(struct mu_parser *p, struct mu_statement *s) {
  s->kind = MU_S_ALIAS;
  mu_advance(p);
  mu_parse_aliases(p, &s->aliases);
  mu_expect(p, MU_W_DO);
  mu_parse_statements(p, &s->body);
  mu_expect_end(p, MU_W_ENDALIAS);
}

/* assert E, assert E "text", assert "text" E */
static void parse_claim(struct mu_parser *p, struct mu_statement *s, enum mu_statement_kind kind) {
  s->kind = kind;
  mu_advance(p);
  if (mu_sees(p, MU_STRING))
    s->text = mu_parse_string(p);
  s->value = mu_parse_expression(p);
  if (!s->text && mu_sees(p, MU_STRING))
    s->text = mu_parse_string(p);
}

static void parse_put(struct mu_parser *p, struct mu_statement *s) {
  s->kind = MU_S_PUT;
  mu_advance(p);
  if (mu_sees(p, MU_STRING))
    s->text = mu_parse_string(p);
  else
    s->value = mu_parse_expression(p);
}

static void parse_change(struct mu_parser *p, struct mu_statement *s, enum mu_statement_kind kind) {
  s->kind = kind;
  p->writes = true;
  mu_advance(p);
  s->target = mu_parse_designator(p);
}

static void parse_return(struct mu_parser *p, struct mu_statement *s) {
  s->kind = MU_S_RETURN;
  mu_advance(p);
  const enum mu_token_kind next = p->token.kind;
  const bool ends = next == MU_SEMICOLON || next == MU_W_ELSE || next == MU_W_ELSIF || next == MU_W_CASE ||
                    (MU_W_END <= next && next <= MU_W_ENDWHILE);
  if (!p->panic && !ends)
    s->value = mu_parse_expression(p);
}

static void parse_assignment_or_call(struct mu_parser *p, struct mu_statement *s) {
  const struct mu_token next = mu_lex(p->source, p->token.end);
  p->writes = true;
  if (next.kind == MU_OPEN) {
    s->kind = MU_S_CALL;
    s->value = mu_parse_expression(p);
    if (s->value && s->value->op != MU_E_CALL)
      MU_SYNTAX_ERROR(p, s->at, NULL, "an expression is no statement");
    return;
  }
  s->kind = MU_S_ASSIGN;
  s->target = mu_parse_designator(p);
  if (!mu_accept(p, MU_BECOMES))
    mu_expected(p, "':='", mu_sees(p, MU_EQUALS) ? "an assignment is written with ':='" : NULL);
  s->value = mu_parse_expression(p);
}

static void parse_multiset(struct mu_parser *p, struct mu_statement *s, enum mu_statement_kind kind) {
  s->kind = kind;
  p->writes = true;
  mu_advance(p);
  mu_expect(p, MU_OPEN);
  if (kind == MU_S_REMOVEPRED) {
    s->name = mu_parse_name(p, "the name of an element");
    mu_expect(p, MU_COLON);
    s->target = mu_parse_designator(p);
  } else
    s->value = mu_parse_expression(p);
  mu_expect(p, MU_COMMA);
  if (kind == MU_S_REMOVEPRED)
    s->value = mu_parse_expression(p);
  else
    s->target = mu_parse_designator(p);
  mu_expect(p, MU_CLOSE);
}

static void parse_statement(struct mu_parser *p, struct mu_statement *s) {
  switch (p->token.kind) {
  case MU_W_IF:
    parse_if(p, s);
    break;
  case MU_W_SWITCH:
    parse_switch(p, s);
    break;
  case MU_W_FOR:
  case MU_W_WHILE:
    parse_loop(p, s);
    break;
  case MU_W_ALIAS:
    parse_alias(p, s);
    break;
  case MU_W_CLEAR:
    parse_change(p, s, MU_S_CLEAR);
    break;
  case MU_W_UNDEFINE:
    parse_change(p, s, MU_S_UNDEFINE);
    break;
  case MU_W_MULTISETADD:
    parse_multiset(p, s, MU_S_ADD);
    break;
  case MU_W_MULTISETREMOVE:
    parse_multiset(p, s, MU_S_REMOVE);
    break;
  case MU_W_MULTISETREMOVEPRED:
    parse_multiset(p, s, MU_S_REMOVEPRED);
    break;
  case MU_W_RETURN:
    parse_return(p, s);
    break;
  case MU_W_ERROR:
    s->kind = MU_S_ERROR;
    mu_advance(p);
    s->text = mu_parse_string(p);
    break;
  case MU_W_INVARIANT:
  case MU_W_ASSERT:
    parse_claim(p, s, MU_S_ASSERT);
    break;
  case MU_W_ASSUME:
    parse_claim(p, s, MU_S_ASSUME);
    break;
  case MU_W_COVER:
    parse_claim(p, s, MU_S_COVER);
    break;
  case MU_W_LIVENESS:
    parse_claim(p, s, MU_S_LIVENESS);
    break;
  case MU_W_PUT:
    parse_put(p, s);
    break;
  default:
    parse_assignment_or_call(p, s);
  }
}

static bool ends_statements(const struct mu_parser *p) {
  const enum mu_token_kind kind = p->token.kind;
  return p->panic || kind == MU_END_OF_FILE || kind == MU_W_ELSE || kind == MU_W_ELSIF || kind == MU_W_CASE ||
         (MU_W_END <= kind && kind <= MU_W_ENDWHILE);
}

void mu_parse_statements(struct mu_parser *p, struct mu_statements *out) {
  if (!mu_enter(p))
    return;
  mu_skip_semicolons(p);
  while (!ends_statements(p)) {
    struct mu_statement s = {.at = p->token.begin};
    parse_statement(p, &s);
    if (p->panic)
      break;
    *MU_PUSH(p, out) = s;
    if (!ends_statements(p) && !mu_sees(p, MU_SEMICOLON))
      mu_expected(p, "';'", "statements are separated by ';'");
    mu_skip_semicolons(p);
  }
  mu_leave(p);
}
