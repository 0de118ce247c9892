#include "frontend/promela/parse/promela_parser.h"

#include <string.h>

#define LONGEST_QUOTE 40
#define MAX_NESTING 250

void pr_set_meaning(struct pr_parser *p, size_t name, enum pr_meaning meaning) {
  if (name >= p->meaning_cap) {
    const size_t cap = 2 * name + 32;
    uint8_t *meanings = arena_alloc(p->arena, cap);
    if (p->meaning_cap)
      memcpy(meanings, p->meanings, p->meaning_cap);
    p->meanings = meanings;
    p->meaning_cap = cap;
  }
  p->meanings[name] |= meaning;
}

void pr_advance(struct pr_parser *p) {
  if (!p->panic && p->tokens[p->next].kind != PR_END)
    p->next++;
}

bool pr_accept(struct pr_parser *p, enum pr_token_kind kind) {
  if (!pr_sees(p, kind))
    return false;
  pr_advance(p);
  return true;
}

void pr_expected(struct pr_parser *p, const char *what, const char *hint) {
  const struct pr_token *t = pr_token(p);
  switch (t->kind) {
  case PR_TOO_LARGE:
    PR_SYNTAX_ERROR(p, t->begin, "integers have 32 bits", "the number is too large");
    break;
  case PR_OPEN_STRING:
    PR_SYNTAX_ERROR(p, t->begin, "end it with '\"' on the same line", "the string has no end");
    break;
  case PR_END:
    PR_SYNTAX_ERROR(p, t->begin, hint, "expected %s, but the file ends", what);
    break;
  default:
    PR_SYNTAX_ERROR(p, t->begin, hint, "expected %s, found '%.*s'", what, LONGEST_QUOTE, t->text);
  }
}

void pr_expect(struct pr_parser *p, enum pr_token_kind kind) {
  if (!pr_accept(p, kind))
    pr_expected(p, arena_printf(p->arena, "'%s'", pr_token_spelling(kind)), NULL);
}

struct pr_name pr_parse_name(struct pr_parser *p, const char *what) {
  struct pr_name name = {0, pr_token(p)->begin};
  if (pr_sees(p, PR_NAME))
    name.id = (uint32_t)name_table_add(&p->model->names, p->arena, pr_token(p)->text);
  else
    pr_expected(p, what, pr_is_word(pr_token(p)->kind) ? "it is a word of the language" : NULL);
  pr_advance(p);
  return name;
}

bool pr_enter(struct pr_parser *p) {
  if (++p->nesting > MAX_NESTING)
    PR_SYNTAX_ERROR(p, pr_token(p)->begin, NULL, "the text is nested more than %d deep", MAX_NESTING);
  return !p->panic;
}

void pr_refuse_c(struct pr_parser *p) {
  const char *hint = pr_sees(p, PR_W_C_CODE)   ? "write it with Promela's statements"
                     : pr_sees(p, PR_W_C_EXPR) ? "write it as an expression of Promela"
                                               : "declare Promela's variables instead";
  PR_SYNTAX_ERROR(p, pr_token(p)->begin, hint, "embedded C ('%s') cannot be checked", pr_token(p)->text);
}
