#include "frontend/murphi/parse/murphi_parser.h"

#include <string.h>

#define LONGEST_QUOTE 40
#define MAX_NESTING 250

void mu_advance(struct mu_parser *p) {
  if (p->panic || p->token.kind == MU_END_OF_FILE)
    return;
  p->last_end = p->token.end;
  p->token = mu_lex(p->source, p->token.end);
  if (p->token.leading_zero && p->leading_zero == NOWHERE)
    p->leading_zero = p->token.begin;
}

bool mu_accept(struct mu_parser *p, enum mu_token_kind kind) {
  if (!mu_sees(p, kind))
    return false;
  mu_advance(p);
  return true;
}

static const char *token_text(const struct mu_parser *p, int *shown) {
  const size_t length = p->token.end - p->token.begin;
  *shown = length < LONGEST_QUOTE ? (int)length : LONGEST_QUOTE;
  return p->source->text + (p->token.begin - p->source->base);
}

void mu_expected(struct mu_parser *p, const char *what, const char *hint) {
  int shown;
  const char *text = token_text(p, &shown);
  switch (p->token.kind) {
  case MU_TOO_LARGE:
    MU_SYNTAX_ERROR(p, p->token.begin, "integers have 64 bits", "the number is larger than 9223372036854775807");
    break;
  case MU_OPEN_COMMENT:
    MU_SYNTAX_ERROR(p, p->token.begin, "end it with '*/'", "the comment has no end");
    break;
  case MU_OPEN_STRING:
    MU_SYNTAX_ERROR(p, p->token.begin, "end it with '\"' on the same line", "the string has no end");
    break;
  case MU_END_OF_FILE:
    MU_SYNTAX_ERROR(p, p->token.begin, hint, "expected %s, but the file ends", what);
    break;
  default:
    MU_SYNTAX_ERROR(p, p->token.begin, hint, "expected %s, found '%.*s'", what, shown, text);
  }
}

void mu_expect(struct mu_parser *p, enum mu_token_kind kind) {
  if (!mu_accept(p, kind))
    mu_expected(p, arena_printf(p->arena, "'%s'", mu_token_spelling(kind)), NULL);
}

void mu_expect_end(struct mu_parser *p, enum mu_token_kind word) {
  if (mu_accept(p, MU_W_END) || mu_accept(p, word))
    return;
  mu_expected(p, arena_printf(p->arena, "';', 'end' or '%s'", mu_token_spelling(word)),
              "statements are separated by ';', and each construct ends with 'end' or its own word");
}

struct mu_name mu_parse_name(struct mu_parser *p, const char *what) {
  struct mu_name name = {0, p->token.begin};
  if (mu_sees(p, MU_NAME)) {
    const char *text = p->source->text + (p->token.begin - p->source->base);
    const size_t length = p->token.end - p->token.begin;
    name.id = (uint32_t)name_table_add(p->names, p->arena, arena_copy(p->arena, text, length));
  } else
    mu_expected(p, what, mu_is_word(p->token.kind) ? "it is a word of the language" : NULL);
  mu_advance(p);
  return name;
}

void mu_parse_names(struct mu_parser *p, const char *what, struct mu_names *out) {
  do {
    const struct mu_name name = mu_parse_name(p, what);
    if (!p->panic)
      *MU_PUSH(p, out) = name;
  } while (mu_accept(p, MU_COMMA));
}

const char *mu_parse_string(struct mu_parser *p) {
  const struct mu_token *t = &p->token;
  if (!mu_sees(p, MU_STRING)) {
    mu_expected(p, "a text in quotation marks", NULL);
    return "";
  }
  const char *from = p->source->text + (t->begin - p->source->base) + t->quote;
  char *text = arena_copy(p->arena, from, t->end - t->begin - 2 * t->quote);
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      *c = ' ';
  mu_advance(p);
  return text;
}

void mu_skip_semicolons(struct mu_parser *p) {
  while (mu_accept(p, MU_SEMICOLON))
    ;
}

bool mu_enter(struct mu_parser *p) {
  if (++p->nesting > MAX_NESTING)
    MU_SYNTAX_ERROR(p, p->token.begin, NULL, "the text is nested more than %d deep", MAX_NESTING);
  return !p->panic;
}
