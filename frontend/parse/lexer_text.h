/* Text that a lexer reads, and what the lexers of DVE, Murphi and Promela have in common. Not <ctype.h>: languages do
   not depend on the locale. */
#ifndef FLOE_FRONTEND_PARSE_LEXER_TEXT_H
#define FLOE_FRONTEND_PARSE_LEXER_TEXT_H

#include "core/diag.h"

#include <stdbool.h>
#include <string.h>

struct text {
  const char *at;
  size_t length;
};

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static inline struct text text_from(const struct source *source, source_at from) {
  const size_t offset = from - source->base;
  return (struct text){source->text + offset, source->length - offset};
}

static inline struct text text_after(struct text text, size_t n) { return (struct text){text.at + n, text.length - n}; }

static inline bool text_starts(struct text text, const char *with) {
  const size_t n = strlen(with);
  return text.length >= n && memcmp(text.at, with, n) == 0;
}

/* Without the end of line. */
static inline size_t text_line_length(struct text text) {
  const char *end = memchr(text.at, '\n', text.length);
  return end ? (size_t)(end - text.at) : text.length;
}

/* Of a comment that begins here and ends with a star and a slash. 0: it has no end. */
static inline size_t text_comment_length(struct text text) {
  for (size_t n = 2; n + 2 <= text.length; n++)
    if (text_starts(text_after(text, n), "*/"))
      return n + 2;
  return 0;
}

#endif
