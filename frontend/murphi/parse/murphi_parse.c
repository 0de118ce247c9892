/* Functions, rules, properties, and the file. */
#include "frontend/murphi/parse/murphi_parser.h"

#include <string.h>

static void parse_items(struct mu_parser *p, struct mu_items *out);

static void parse_function(struct mu_parser *p, struct mu_item *item) {
  struct mu_function *f = arena_alloc(p->arena, sizeof *f);
  item->kind = MU_I_FUNCTION;
  mu_advance(p);
  f->name = mu_parse_name(p, "the name of a function");
  if (mu_sees(p, MU_OPEN))
    mu_parse_parameters(p, &f->parameters);
  if (mu_accept(p, MU_COLON))
    f->result = mu_parse_type(p);
  mu_skip_semicolons(p);
  mu_parse_declarations(p, &f->declarations);
  mu_accept(p, MU_W_BEGIN);
  p->writes = false;
  mu_parse_statements(p, &f->body);
  f->writes = p->writes;
  if (!mu_accept(p, MU_W_ENDPROCEDURE))
    mu_expect_end(p, MU_W_ENDFUNCTION);
  item->function = f;
}

static void parse_body(struct mu_parser *p, struct mu_item *item, enum mu_token_kind end) {
  mu_parse_declarations(p, &item->declarations);
  mu_accept(p, MU_W_BEGIN);
  mu_parse_statements(p, &item->body);
  mu_expect_end(p, end);
}

static void parse_rule(struct mu_parser *p, struct mu_item *item) {
  item->kind = MU_I_RULE;
  mu_advance(p);
  if (mu_sees(p, MU_NUMBER)) {
    item->priority = p->token.value;
    mu_advance(p);
  }
  if (mu_sees(p, MU_STRING))
    item->name = mu_parse_string(p);
  if (!mu_sees(p, MU_W_BEGIN) && !mu_declaration_follows(p) && !mu_sees(p, MU_ARROW)) {
    item->expr = mu_parse_expression(p);
    if (!mu_sees(p, MU_ARROW))
      mu_expected(p, "'==>'", "a rule is written as rule \"name\" GUARD ==> begin STATEMENTS end");
  }
  mu_accept(p, MU_ARROW);
  parse_body(p, item, MU_W_ENDRULE);
}

static void parse_startstate(struct mu_parser *p, struct mu_item *item) {
  item->kind = MU_I_STARTSTATE;
  mu_advance(p);
  if (mu_sees(p, MU_STRING))
    item->name = mu_parse_string(p);
  parse_body(p, item, MU_W_ENDSTARTSTATE);
}

static void parse_ruleset(struct mu_parser *p, struct mu_item *item) {
  item->kind = MU_I_RULESET;
  mu_advance(p);
  mu_parse_quantifiers(p, &item->quantifiers);
  mu_expect(p, MU_W_DO);
  parse_items(p, &item->children);
  mu_expect_end(p, MU_W_ENDRULESET);
}

static void parse_alias_rule(struct mu_parser *p, struct mu_item *item) {
  item->kind = MU_I_ALIAS;
  mu_advance(p);
  mu_parse_aliases(p, &item->aliases);
  mu_expect(p, MU_W_DO);
  parse_items(p, &item->children);
  mu_expect_end(p, MU_W_ENDALIAS);
}

static void parse_property(struct mu_parser *p, struct mu_item *item, enum mu_item_kind kind) {
  item->kind = kind;
  mu_advance(p);
  if (mu_sees(p, MU_STRING))
    item->name = mu_parse_string(p);
  item->expr = mu_parse_expression(p);
  if (!item->name && mu_sees(p, MU_STRING))
    item->name = mu_parse_string(p);
}

static void parse_choose(struct mu_parser *p, struct mu_item *item) {
  item->kind = MU_I_CHOOSE;
  mu_advance(p);
  struct mu_alias choice = {.name = mu_parse_name(p, "the name of an element")};
  mu_expect(p, MU_COLON);
  choice.value = mu_parse_designator(p);
  *MU_PUSH(p, &item->aliases) = choice;
  mu_expect(p, MU_W_DO);
  parse_items(p, &item->children);
  mu_expect_end(p, MU_W_ENDCHOOSE);
}

static void parse_item(struct mu_parser *p, struct mu_items *out) {
  struct mu_item item = {.at = p->token.begin};
  struct mu_declarations declarations = {0};
  switch (p->token.kind) {
  case MU_W_CONST:
  case MU_W_TYPE:
  case MU_W_VAR:
    mu_parse_declarations(p, &declarations);
    item.kind = MU_I_DECLARATION;
    for (size_t i = 0; i < declarations.n; i++) {
      item.declaration = declarations.items[i];
      *MU_PUSH(p, out) = item;
    }
    return;
  case MU_W_FUNCTION:
  case MU_W_PROCEDURE:
    parse_function(p, &item);
    break;
  case MU_W_RULE:
    parse_rule(p, &item);
    break;
  case MU_W_STARTSTATE:
    parse_startstate(p, &item);
    break;
  case MU_W_RULESET:
    parse_ruleset(p, &item);
    break;
  case MU_W_ALIAS:
    parse_alias_rule(p, &item);
    break;
  case MU_W_CHOOSE:
    parse_choose(p, &item);
    break;
  case MU_W_ASSERT:
  case MU_W_INVARIANT:
    parse_property(p, &item, MU_I_INVARIANT);
    break;
  case MU_W_ASSUME:
    parse_property(p, &item, MU_I_ASSUME);
    break;
  case MU_W_COVER:
    parse_property(p, &item, MU_I_COVER);
    break;
  default:
    parse_property(p, &item, MU_I_LIVENESS);
  }
  if (!p->panic)
    *MU_PUSH(p, out) = item;
}

static bool item_follows(const struct mu_parser *p) {
  switch (p->panic ? MU_END_OF_FILE : p->token.kind) {
  case MU_W_CONST:
  case MU_W_TYPE:
  case MU_W_VAR:
  case MU_W_FUNCTION:
  case MU_W_PROCEDURE:
  case MU_W_RULE:
  case MU_W_STARTSTATE:
  case MU_W_RULESET:
  case MU_W_ALIAS:
  case MU_W_CHOOSE:
  case MU_W_ASSERT:
  case MU_W_INVARIANT:
  case MU_W_ASSUME:
  case MU_W_COVER:
  case MU_W_LIVENESS:
    return true;
  default:
    return false;
  }
}

static source_at text_start(const struct source *source) {
  static const char mark[] = "\xef\xbb\xbf";
  const bool marked = source->length >= strlen(mark) && memcmp(source->text, mark, strlen(mark)) == 0;
  return source->base + (marked ? (source_at)strlen(mark) : 0);
}

static void parse_file(struct mu_parser *p, const struct source *source, struct mu_items *out) {
  p->source = source;
  p->token = mu_lex(source, text_start(source));
  parse_items(p, out);
  if (!mu_sees(p, MU_END_OF_FILE))
    mu_expected(p, "a declaration, a rule or a property", NULL);
}

static void parse_include(struct mu_parser *p, struct mu_items *out) {
  const struct source *const source = p->source, *included;
  mu_advance(p);
  const source_at at = p->token.begin;
  const char *const file = mu_parse_string(p);
  if (!p->panic && !*file)
    MU_SYNTAX_ERROR(p, at, "a path relative to the folder of this file", "the text names no file");
  if (p->panic)
    return;
  const struct mu_token next = p->token;
  const floe_status status = p->includer->include(p->includer, file, at, &included);
  if (status != FLOE_OK) {
    p->status = status;
    p->panic = true;
    return;
  }
  parse_file(p, included, out);
  p->source = p->panic ? p->source : source;
  p->token = p->panic ? p->token : next;
}

static void parse_items(struct mu_parser *p, struct mu_items *out) {
  if (!mu_enter(p))
    return;
  mu_skip_semicolons(p);
  while (item_follows(p) || mu_sees_include(p)) {
    if (mu_sees_include(p))
      parse_include(p, out);
    else
      parse_item(p, out);
    mu_skip_semicolons(p);
  }
  mu_leave(p);
}

floe_status mu_parse(const struct source *source, struct includer *includer, struct arena *arena, floe_log *log,
                     const struct mu_file **out) {
  struct mu_file *file = arena_alloc(arena, sizeof *file);
  struct mu_parser p = {
      .includer = includer, .arena = arena, .log = log, .names = &file->names, .leading_zero = NOWHERE};
  file->source = source;
  parse_file(&p, source, &file->items);
  file->extended = p.extended;
  if (p.panic)
    return p.status == FLOE_OK ? FLOE_ERROR_MODEL : p.status;
  if (p.leading_zero != NOWHERE)
    diag_warning(log, source, p.leading_zero, "Rumur reads such numbers as octal",
                 "numbers are decimal, also with a zero in front");
  *out = file;
  return FLOE_OK;
}

const struct mu_expr *mu_parse_property(const struct source *source, struct arena *arena, floe_log *log,
                                        struct name_table *names) {
  struct mu_parser p = {.source = source, .arena = arena, .log = log, .names = names, .leading_zero = NOWHERE};
  p.token = mu_lex(source, source->base);
  const struct mu_expr *e = mu_parse_expression(&p);
  if (!p.panic && p.token.kind != MU_END_OF_FILE)
    mu_expected(&p, "an operator or the end", NULL);
  return p.panic ? NULL : e;
}

/* A section begins the text: `type NAME :`, `rule "...`, `var NAME`. */
bool mu_recognise(const char *text, size_t length) {
  const struct source source = {.name = "", .text = text, .length = length};
  if (length >= NOWHERE)
    return false;
  const struct mu_token first = mu_lex(&source, text_start(&source)), second = mu_lex(&source, first.end),
                        third = mu_lex(&source, second.end);
  switch (first.kind) {
  case MU_W_CONST:
  case MU_W_TYPE:
    return second.kind == MU_NAME && third.kind == MU_COLON;
  case MU_W_VAR:
    return second.kind == MU_NAME && (third.kind == MU_COLON || third.kind == MU_COMMA);
  case MU_W_STARTSTATE:
    return true;
  default:
    return mu_is_include(&source, first);
  }
}
