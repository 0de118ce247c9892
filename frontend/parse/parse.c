#include "frontend/parse/parse.h"

#include "frontend/parse/parser.h"

#include <string.h>

#define PUSH(p, list, count, cap) ARENA_PUSH((p)->input->arena, list, count, cap)

struct syntax_expr *parse_expression(const struct parser_input *input) {
  struct parser p;
  parser_init(&p, input);
  struct syntax_expr *expr = parser_expression(&p);
  return parser_finish(&p, "an operator or the end") == FLOE_OK ? expr : NULL;
}

struct syntax_expr *parse_temporal(const struct parser_input *input, int kind) {
  struct parser p;
  parser_init(&p, input);
  p.temporal = true;
  struct syntax_expr *expr = parser_expression(&p);
  if (parser_finish(&p, "an operator or the end") != FLOE_OK)
    return NULL;
  if (kind == SYNTAX_KIND_EVENTUALLY)
    return parser_prefixed(&p, SYN_EVENTUALLY, expr->start, expr);
  if (kind == SYNTAX_KIND_LEADSTO && expr->op != SYN_LEADSTO)
    parser_fail(&p, expr->start, "write 'P leadsto Q': whenever P holds, Q holds then or later",
                "a property of kind 'leadsto' has the operator 'leadsto'");
  return p.failed ? NULL : expr;
}

/* The word, if it is the whole text; else NULL. */
static struct syntax_expr *word_alone(const struct parser_input *input, const char *word) {
  static const char blanks[] = " \t\r\n";
  const struct located_text *text = &input->text;
  size_t begin = strspn(text->text, blanks), length = strlen(word), end = begin + length;
  if (strncmp(text->text + begin, word, length) != 0 || end + strspn(text->text + end, blanks) != text->length)
    return NULL;
  struct syntax_expr *expr = arena_alloc(input->arena, sizeof *expr);
  *expr = (struct syntax_expr){.op = SYN_NAME, .name = word, .depth = 1};
  expr->at = expr->start = text->at[begin];
  expr->end = text->at[end];
  return expr;
}

void parse_guard(const struct parser_input *input, struct syntax_transition *out) {
  out->guard = word_alone(input, "else");
  out->otherwise = out->guard != NULL;
  if (!out->otherwise)
    out->guard = parse_expression(input);
}

floe_status parse_expressions(const struct parser_input *input, struct syntax_exprs *out) {
  struct parser p;
  parser_init(&p, input);
  do {
    struct syntax_expr *expr = parser_expression(&p);
    *PUSH(&p, out->items, out->n, out->cap) = expr;
  } while (parser_accept(&p, TOKEN_COMMA));
  return parser_finish(&p, "an operator, ',' or the end");
}

/* NAME or NAME.NAME... before '='. */
static bool initial_follows(const struct parser *p) {
  const struct located_text *text = &p->input->text;
  struct token token = p->token;
  while (token_is_name(token.kind)) {
    token = lex(text, token.end);
    if (token.kind != TOKEN_DOT)
      return token.kind == TOKEN_ASSIGN;
    token = lex(text, token.end);
  }
  return false;
}

/* After initial_follows. */
static struct syntax_initial initial_path(struct parser *p) {
  struct syntax_initial initial = {.at = parser_at(p)};
  initial.path = parser_name(p).name;
  while (parser_accept(p, TOKEN_DOT))
    initial.path = arena_printf(p->input->arena, "%s.%s", initial.path, parser_name(p).name);
  parser_expect(p, TOKEN_ASSIGN);
  return initial;
}

floe_status parse_initial(const struct parser_input *input, struct syntax_variable *out) {
  struct parser p;
  struct syntax_exprs *values = &out->init;
  parser_init(&p, input);
  do {
    if (initial_follows(&p)) {
      const struct syntax_initial initial = initial_path(&p);
      *PUSH(&p, out->initials, out->initial_count, out->initial_cap) = initial;
      values = &out->initials[out->initial_count - 1].values;
    }
    struct syntax_expr *expr = parser_expression(&p);
    *PUSH(&p, values->items, values->n, values->cap) = expr;
  } while (parser_accept(&p, TOKEN_COMMA));
  return parser_finish(&p, "an operator, ',' or the end");
}

static floe_status name_list(const struct parser_input *input, struct syntax_name **items, size_t *n, size_t *cap) {
  struct parser p;
  parser_init(&p, input);
  do {
    struct syntax_name name = parser_name(&p);
    *PUSH(&p, *items, *n, *cap) = name;
  } while (parser_accept(&p, TOKEN_COMMA));
  return parser_finish(&p, "',' or the end");
}

floe_status parse_names(const struct parser_input *input, struct syntax_enumeration *out) {
  return name_list(input, &out->values, &out->value_count, &out->value_cap);
}

floe_status parse_parameters(const struct parser_input *input, struct syntax_define *out) {
  return name_list(input, &out->parameters, &out->parameter_count, &out->parameter_cap);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static struct syntax_range whole_range(struct parser *p) {
  if (p->token.kind == TOKEN_BOOL)
    parser_fail(p, parser_at(p), "write type=\"bool\" instead of the range", "expected lo..hi, found 'bool'");
  return parser_range(p, false);
}

floe_status parse_range(const struct parser_input *input, struct syntax_range *out) {
  struct parser p;
  parser_init(&p, input);
  *out = whole_range(&p);
  return parser_finish(&p, "an operator or the end");
}

/* A comma-separated list; `behind`: what may follow an item. */
static floe_status range_list(const struct parser_input *input, struct syntax_range (*item)(struct parser *p),
                              const char *behind, struct syntax_ranges *out) {
  struct parser p;
  parser_init(&p, input);
  do {
    struct syntax_range range = item(&p);
    *PUSH(&p, out->items, out->n, out->cap) = range;
  } while (parser_accept(&p, TOKEN_COMMA));
  return parser_finish(&p, behind);
}

floe_status parse_element_ranges(const struct parser_input *input, struct syntax_ranges *out) {
  return range_list(input, whole_range, "an operator, ',' or the end", out);
}

static struct syntax_range value_or_range(struct parser *p) {
  struct syntax_range range = {.at = parser_at(p)};
  range.lo = parser_expression(p);
  if (parser_accept(p, TOKEN_DOTS))
    range.hi = parser_expression(p);
  return range;
}

floe_status parse_values(const struct parser_input *input, struct syntax_ranges *out) {
  return range_list(input, value_or_range, "'..', ',' or the end", out);
}

static struct syntax_range field_range(struct parser *p) {
  struct syntax_range boolean = {.at = parser_at(p)};
  return parser_accept(p, TOKEN_BOOL) ? boolean : parser_range(p, true);
}

floe_status parse_fields(const struct parser_input *input, struct syntax_ranges *out) {
  return range_list(input, field_range, "an operator, ',' or the end", out);
}

floe_status parse_selects(const struct parser_input *input, struct syntax_transition *out) {
  struct parser p;
  parser_init(&p, input);
  do {
    struct syntax_name name = parser_name(&p);
    parser_expect(&p, TOKEN_IN);
    struct syntax_select select = {name.name, name.at, parser_range(&p, true)};
    *PUSH(&p, out->selects, out->select_count, out->select_cap) = select;
  } while (parser_accept(&p, TOKEN_COMMA));
  return parser_finish(&p, "an operator, ',' or the end");
}

/* ---- synchronisation ------------------------------------------------------------------------- */

static struct syntax_argument sent_value(struct parser *p) {
  source_at at = parser_at(p);
  return (struct syntax_argument){ARGUMENT_VALUE, at, parser_expression(p)};
}

static struct syntax_argument received(struct parser *p) {
  source_at at = parser_at(p);
  if (parser_accept(p, TOKEN_DROP))
    return (struct syntax_argument){ARGUMENT_DROP, at, NULL};
  if (parser_accept(p, TOKEN_EQ))
    return (struct syntax_argument){ARGUMENT_MATCH, at, parser_expression(p)};
  if (!token_is_name(p->token.kind))
    parser_expected(p, "a variable, '== expression' or '_'");
  return (struct syntax_argument){ARGUMENT_VALUE, at, parser_target(p)};
}

static void arguments(struct parser *p, struct syntax_sync *sync) {
  do {
    struct syntax_argument argument = sync->send ? sent_value(p) : received(p);
    *PUSH(p, sync->arguments, sync->n, sync->cap) = argument;
  } while (parser_accept(p, TOKEN_COMMA));
  parser_expect(p, TOKEN_CLOSE);
}

floe_status parse_sync(const struct parser_input *input, bool send, struct syntax_transition *out) {
  struct parser p;
  struct syntax_sync *sync = arena_alloc(input->arena, sizeof *sync);
  parser_init(&p, input);
  sync->send = send;
  sync->channel = parser_channel(&p);
  sync->brackets = parser_accept(&p, TOKEN_OPEN);
  if (sync->brackets && !parser_accept(&p, TOKEN_CLOSE))
    arguments(&p, sync);
  out->sync = sync;
  return parser_finish(&p, "the end");
}

/* ---- definitions ----------------------------------------------------------------------------- */

/* A value in the form of -D: a decimal integer, true or false. */
static const char *definition_value(struct parser *p) {
  size_t begin = p->token.begin;
  bool word = p->token.kind == TOKEN_TRUE || p->token.kind == TOKEN_FALSE;
  if (!word)
    parser_accept(p, TOKEN_MINUS);
  if (!word && p->token.kind != TOKEN_NUMBER)
    parser_expected(p, "an integer, 'true' or 'false'");
  bool negative = p->token.begin != begin;
  const char *text = p->input->text.text + p->token.begin;
  const char *value =
      arena_printf(p->input->arena, "%s%.*s", negative ? "-" : "", (int)(p->token.end - p->token.begin), text);
  parser_advance(p);
  return value;
}

floe_status parse_definitions(const struct parser_input *input, struct syntax_definitions *out) {
  struct parser p;
  parser_init(&p, input);
  do {
    struct syntax_name name = parser_name(&p);
    parser_expect(&p, TOKEN_ASSIGN);
    struct expected_constant definition = {name.name, definition_value(&p), name.at};
    *PUSH(&p, out->items, out->n, out->cap) = definition;
  } while (parser_accept(&p, TOKEN_COMMA));
  return parser_finish(&p, "',' or the end");
}
