#include "frontend/promela/parse/promela_parser.h"

#include <string.h>

static void parse_sequence(struct pr_parser *p, struct pr_statements *out);

void pr_parse_body(struct pr_parser *p, struct pr_statements *out) {
  pr_expect(p, PR_OPEN_BLOCK);
  parse_sequence(p, out);
  pr_expect(p, PR_CLOSE_BLOCK);
}

static void parse_block(struct pr_parser *p, struct pr_statement *s, enum pr_statement_kind kind) {
  s->kind = kind;
  if (kind != PR_S_BLOCK)
    pr_advance(p);
  s->inlined = pr_token(p)->inlined;
  p->inlines += s->inlined;
  pr_parse_body(p, &s->body);
  p->inlines -= s->inlined;
}

static void parse_options(struct pr_parser *p, struct pr_statement *s, enum pr_statement_kind kind) {
  s->kind = kind;
  pr_advance(p);
  if (!pr_sees(p, PR_OPTION))
    pr_expected(p, "'::'", NULL);
  while (pr_accept(p, PR_OPTION)) {
    struct pr_statements option = {0};
    parse_sequence(p, &option);
    *ARENA_PUSH(p->arena, s->options, s->option_count, s->option_cap) = option;
  }
  pr_expect(p, kind == PR_S_IF ? PR_W_FI : PR_W_OD);
}

/* A variable for `for (v in channel)`, whose name no other has. */
static void declare_counter(struct pr_parser *p, struct pr_statement *s) {
  struct pr_variable v = {.type = PR_T_BYTE, .name = {.at = s->at}, .type_name = pr_no_name(s->at)};
  v.name.id = (uint32_t)name_table_add(&p->model->names, p->arena, arena_printf(p->arena, "for@%zu", p->next));
  *PR_PUSH(p, &s->variables) = v;
}

/* `in` is a name elsewhere. */
static bool accept_in(struct pr_parser *p) {
  const bool in = pr_sees(p, PR_NAME) && strcmp(pr_token(p)->text, "in") == 0;
  if (in)
    pr_advance(p);
  return in;
}

/* Which steps there are depends on the value if it is that of a macro. */
static void mark_structural(struct pr_parser *p, const struct pr_expr *e) {
  if (e && e->op == PR_E_NUMBER && e->constant)
    name_table_add(&p->model->structural, p->arena, p->model->text->constants.names[e->constant - 1]);
}

/* for (v : a .. b) { }, for (v in a) { }, select (v : a .. b) */
static void parse_range(struct pr_parser *p, struct pr_statement *s, enum pr_statement_kind kind) {
  s->kind = kind;
  pr_advance(p);
  pr_expect(p, PR_OPEN);
  s->target = pr_parse_variable(p);
  if (kind == PR_S_FOR && accept_in(p)) {
    s->kind = PR_S_FOR_EACH;
    s->value = pr_parse_variable(p);
    declare_counter(p, s);
  } else {
    pr_expect(p, PR_COLON);
    s->from = pr_parse_expression(p);
    pr_expect(p, PR_DOTS);
    s->to = pr_parse_expression(p);
  }
  if (kind == PR_S_SELECT) {
    s->in_inline = p->inlines > 0;
    mark_structural(p, s->from);
    mark_structural(p, s->to);
  }
  pr_expect(p, PR_CLOSE);
  if (kind == PR_S_FOR)
    pr_parse_body(p, &s->body);
}

static void parse_print(struct pr_parser *p, struct pr_statement *s) {
  const bool is_printf = pr_sees(p, PR_W_PRINTF);
  s->kind = PR_S_PRINT;
  pr_advance(p);
  pr_expect(p, PR_OPEN);
  if (is_printf) {
    s->text = pr_token(p)->text;
    if (!pr_accept(p, PR_STRING))
      pr_expected(p, "a text in quotation marks", NULL);
    if (!pr_accept(p, PR_COMMA)) {
      pr_expect(p, PR_CLOSE);
      return;
    }
  }
  pr_parse_arguments(p, PR_CLOSE, &s->arguments);
}

void pr_parse_exclusive(struct pr_parser *p, struct pr_statement *s) {
  s->kind = PR_S_EXCLUSIVE;
  s->at = pr_token(p)->begin;
  pr_advance(p);
  do {
    const struct pr_expr *e = pr_parse_variable(p);
    *PR_PUSH(p, &s->arguments) = e;
  } while (pr_accept(p, PR_COMMA));
}

static void parse_send(struct pr_parser *p, struct pr_statement *s) {
  s->kind = PR_S_SEND;
  s->sorted = pr_sees(p, PR_SORTED_SEND);
  pr_advance(p);
  pr_parse_message(p, &s->arguments);
}

static void parse_receive(struct pr_parser *p, struct pr_statement *s) {
  s->kind = PR_S_RECEIVE;
  s->random = pr_sees(p, PR_RANDOM_RECEIVE);
  pr_advance(p);
  s->keeps = pr_accept(p, PR_LT);
  pr_parse_pattern(p, &s->arguments);
  if (s->keeps)
    pr_expect(p, PR_GT);
}

/* v = e, v++, v--, q!e, q?v, or an expression. */
static void parse_simple(struct pr_parser *p, struct pr_statement *s) {
  const size_t first = p->next;
  s->value = pr_parse_expression(p);
  if (!s->value)
    return;
  const enum pr_token_kind kind = pr_token(p)->kind;
  const bool is_variable = s->value->op == PR_E_NAME || s->value->op == PR_E_INDEX || s->value->op == PR_E_FIELD;
  s->kind = PR_S_EXPRESSION;
  mark_structural(p, s->value); /* 1 is `skip` */
  if (!is_variable || s->value->first != first || p->tokens[first].kind != PR_NAME)
    return;
  s->target = s->value;
  if (kind == PR_ASSIGN) {
    s->kind = PR_S_ASSIGN;
    pr_advance(p);
    s->value = pr_parse_expression(p);
  } else if (kind == PR_INCREMENT || kind == PR_DECREMENT) {
    s->kind = kind == PR_INCREMENT ? PR_S_INCREMENT : PR_S_DECREMENT;
    pr_advance(p);
  } else if (kind == PR_NOT || kind == PR_SORTED_SEND)
    parse_send(p, s);
  else if (kind == PR_QUESTION || kind == PR_RANDOM_RECEIVE)
    parse_receive(p, s);
  else
    s->target = NULL;
}

/* break, goto L, else, assert(e): a word and what follows it. */
static void parse_word(struct pr_parser *p, struct pr_statement *s, enum pr_statement_kind kind) {
  s->kind = kind;
  pr_advance(p);
  if (kind == PR_S_GOTO)
    s->label = pr_parse_name(p, "the name of a label");
  else if (kind == PR_S_ASSERT)
    s->value = pr_parse_expression(p);
}

static void parse_unlabelled(struct pr_parser *p, struct pr_statement *s) {
  if (pr_declaration_follows(p)) {
    s->kind = PR_S_DECLARE;
    pr_parse_variables(p, true, &s->variables);
    return;
  }
  switch (pr_token(p)->kind) {
  case PR_OPEN_BLOCK:
    parse_block(p, s, PR_S_BLOCK);
    break;
  case PR_W_ATOMIC:
    parse_block(p, s, PR_S_ATOMIC);
    break;
  case PR_W_D_STEP:
    parse_block(p, s, PR_S_D_STEP);
    break;
  case PR_W_IF:
    parse_options(p, s, PR_S_IF);
    break;
  case PR_W_DO:
    parse_options(p, s, PR_S_DO);
    break;
  case PR_W_FOR:
    parse_range(p, s, PR_S_FOR);
    break;
  case PR_W_SELECT:
    parse_range(p, s, PR_S_SELECT);
    break;
  case PR_W_BREAK:
    parse_word(p, s, PR_S_BREAK);
    break;
  case PR_W_GOTO:
    parse_word(p, s, PR_S_GOTO);
    break;
  case PR_W_ELSE:
    parse_word(p, s, PR_S_ELSE);
    break;
  case PR_W_ASSERT:
    parse_word(p, s, PR_S_ASSERT);
    break;
  case PR_W_PRINTF:
  case PR_W_PRINTM:
    parse_print(p, s);
    break;
  case PR_W_XR:
  case PR_W_XS:
    pr_parse_exclusive(p, s);
    break;
  case PR_W_C_CODE:
  case PR_W_C_DECL:
  case PR_W_C_STATE:
  case PR_W_C_TRACK:
    pr_refuse_c(p);
    break;
  default:
    parse_simple(p, s);
  }
}

static bool ends(const struct pr_parser *p) {
  const enum pr_token_kind kind = p->panic ? PR_END : pr_token(p)->kind;
  return kind == PR_END || kind == PR_CLOSE_BLOCK || kind == PR_OPTION || kind == PR_W_FI || kind == PR_W_OD;
}

/* The end of a line separates statements, too, as in Spin. */
static bool accept_separators(struct pr_parser *p) {
  bool any = false;
  while (pr_accept(p, PR_SEMICOLON) || pr_accept(p, PR_ARROW))
    any = true;
  return any;
}

/* A label without a statement stands before `skip`. */
static void parse_skip(struct pr_parser *p, struct pr_statement *s) {
  struct pr_expr *one = arena_alloc(p->arena, sizeof *one);
  *one = (struct pr_expr){.op = PR_E_NUMBER, .at = s->at, .first = s->first, .last = p->next, .depth = 1, .value = 1};
  s->kind = PR_S_EXPRESSION;
  s->value = one;
}

/* As in Spin `P:x` is a variable of a process if P is a proctype above. */
static bool label_follows(const struct pr_parser *p) {
  if (!pr_sees(p, PR_NAME) || !pr_sees_next(p, PR_COLON))
    return false;
  const size_t name = name_table_find(&p->model->names, pr_token(p)->text);
  return name == NAME_ABSENT || !pr_means(p, name, PR_IS_PROCTYPE_ABOVE) || pr_token(p)[2].kind != PR_NAME;
}

static struct pr_statement parse_statement(struct pr_parser *p) {
  struct pr_statement s = {.at = pr_token(p)->begin, .first = p->next};
  while (label_follows(p)) {
    const struct pr_name label = pr_parse_name(p, "the name of a label");
    *PR_PUSH(p, &s.labels) = label;
    pr_advance(p);
  }
  if (s.labels.n && (ends(p) || pr_sees(p, PR_SEMICOLON)))
    parse_skip(p, &s);
  else {
    s.at = pr_token(p)->begin;
    s.first = p->next;
    parse_unlabelled(p, &s);
  }
  s.last = p->next;
  return s;
}

/* body unless escape */
static struct pr_statement parse_unless(struct pr_parser *p) {
  const struct pr_statement s = parse_statement(p);
  if (!pr_accept(p, PR_W_UNLESS))
    return s;
  struct pr_statement whole = {.kind = PR_S_UNLESS, .at = s.at, .first = s.first};
  struct pr_statement *body = PR_PUSH(p, &whole.body);
  *body = s;
  body->made = s.kind == PR_S_BLOCK;
  struct pr_statement escape = parse_statement(p);
  escape.made = escape.kind == PR_S_BLOCK;
  *PR_PUSH(p, &whole.escape) = escape;
  whole.last = p->next;
  if (pr_sees(p, PR_W_UNLESS))
    pr_expected(p, "';' or '->'", "write the inner 'unless' in braces");
  return whole;
}

static void parse_sequence(struct pr_parser *p, struct pr_statements *out) {
  if (!pr_enter(p))
    return;
  accept_separators(p);
  if (ends(p))
    pr_expected(p, "a statement", "write skip");
  while (!ends(p)) {
    const struct pr_statement s = parse_unless(p);
    if (p->panic)
      break;
    *PR_PUSH(p, out) = s;
    const enum pr_token_kind before = p->tokens[p->next - 1].kind;
    const bool closed = before == PR_CLOSE_BLOCK || before == PR_W_FI || before == PR_W_OD || before == PR_W_ELSE;
    if (!accept_separators(p) && !closed && !pr_token(p)->new_line && !ends(p))
      pr_expected(p, "';' or '->'", "statements are separated by ';' or '->'");
  }
  pr_leave(p);
}
