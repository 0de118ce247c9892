#include "frontend/dve/parse/dve_parser.h"

#include <string.h>

#define LONGEST_QUOTE 40

void dve_advance(struct dve_parser *p) {
  if (p->panic || p->token.kind == DVE_TOKEN_END)
    return;
  p->blocks += p->token.kind == DVE_TOKEN_OPEN_BLOCK;
  p->blocks -= p->token.kind == DVE_TOKEN_CLOSE_BLOCK && p->blocks;
  p->last_end = p->token.end;
  p->token = dve_lex(p->source, p->token.end);
}

bool dve_accept(struct dve_parser *p, enum dve_token_kind kind) {
  if (!dve_sees(p, kind))
    return false;
  dve_advance(p);
  return true;
}

static void expected_at(struct dve_parser *p, source_at at, const char *what, const char *hint) {
  const size_t length = p->token.end - p->token.begin;
  const char *text = p->source->text + (p->token.begin - p->source->base);
  const int shown = length < LONGEST_QUOTE ? (int)length : LONGEST_QUOTE;
  p->ended |= p->token.kind == DVE_TOKEN_COMMENT;
  if (p->token.kind == DVE_TOKEN_TOO_LARGE)
    DVE_ERROR(p, p->token.begin, "integers have 32 bits", "the number is larger than 2147483647");
  else if (p->token.kind == DVE_TOKEN_COMMENT)
    DVE_ERROR(p, p->token.begin, "end it with '*/'", "the comment has no end");
  else if (p->token.kind == DVE_TOKEN_END)
    DVE_ERROR(p, at, hint, "expected %s, but the file ends", what);
  else
    DVE_ERROR(p, at, hint, "expected %s, found '%.*s'", what, shown, text);
}

void dve_expected(struct dve_parser *p, const char *what, const char *hint) {
  expected_at(p, p->token.begin, what, hint);
}

/* A missing ';' belongs behind the token before, which may be on an earlier line. */
void dve_expect(struct dve_parser *p, enum dve_token_kind kind) {
  if (!dve_accept(p, kind))
    expected_at(p, kind == DVE_TOKEN_SEMICOLON && p->token.kind < DVE_TOKEN_NUMBER ? p->last_end : p->token.begin,
                arena_printf(p->arena, "'%s'", dve_token_spelling(kind)), NULL);
}

/* A reserved word is no name. */
static const char *name_hint(const struct dve_parser *p) {
  const char *spelling = dve_token_spelling(p->token.kind);
  return spelling && 'a' <= spelling[0] && spelling[0] <= 'z' ? "it is a word of the language" : NULL;
}

struct dve_name dve_parse_name(struct dve_parser *p, const char *what) {
  struct dve_name name = {"", p->token.begin};
  if (dve_sees(p, DVE_TOKEN_NAME))
    name.text =
        arena_copy(p->arena, p->source->text + (p->token.begin - p->source->base), p->token.end - p->token.begin);
  else
    dve_expected(p, what, name_hint(p));
  dve_advance(p);
  return name;
}

void dve_parse_names(struct dve_parser *p, const char *what, struct dve_names *out) {
  do {
    const struct dve_name name = dve_parse_name(p, what);
    if (!p->panic)
      *DVE_PUSH(p, out) = name;
  } while (dve_accept(p, DVE_TOKEN_COMMA));
}

static bool is_boundary(const struct dve_parser *p, unsigned blocks) {
  switch (p->token.kind) {
  case DVE_TOKEN_END:
  case DVE_TOKEN_PROCESS:
  case DVE_TOKEN_SYSTEM:
    return true;
  case DVE_TOKEN_COMMA:
  case DVE_TOKEN_SEMICOLON:
  case DVE_TOKEN_CLOSE_BLOCK:
    return p->blocks <= blocks;
  default:
    return false;
  }
}

void dve_recover(struct dve_parser *p, unsigned blocks) {
  if (!p->panic)
    return;
  p->panic = false;
  while (!is_boundary(p, blocks))
    dve_advance(p);
  if (p->token.kind == DVE_TOKEN_PROCESS || p->token.kind == DVE_TOKEN_SYSTEM)
    p->blocks = 0;
}

void dve_end_declaration(struct dve_parser *p, unsigned blocks) {
  if (!p->panic)
    dve_expect(p, DVE_TOKEN_SEMICOLON);
  if (!p->panic)
    return;
  dve_recover(p, blocks);
  while (p->token.kind == DVE_TOKEN_COMMA) { /* the rest of the list */
    dve_advance(p);
    while (!is_boundary(p, blocks))
      dve_advance(p);
  }
  dve_accept(p, DVE_TOKEN_SEMICOLON);
}
