#define _GNU_SOURCE /* memmem */
#include "frontend/xml/xml_guard.h"

#include "base/utf8.h"
#include "frontend/xml/xml_position.h"

#include <string.h>
#include <strings.h>

struct guard {
  const struct source *source;
  enum xml_names names;
  floe_log *log;
};

/* ---- bytes and encoding ---------------------------------------------------------------------- */

static bool starts_with(const struct source *source, const char *bytes, size_t length) {
  return source->length >= length && !memcmp(source->text, bytes, length);
}

static void check_size(const struct guard *g) {
  size_t blanks = 0;
  while (blanks < g->source->length && strchr(" \t\r\n", g->source->text[blanks]))
    blanks++;
  if (g->source->length > XML_MAX_BYTES)
    diag_error(g->log, g->source, 0, NULL, "the file is larger than %zu MiB", XML_MAX_BYTES >> 20);
  else if (blanks == g->source->length)
    diag_error(g->log, g->source, 0, NULL, "the file is empty");
}

static void check_byte_order_mark(const struct guard *g) {
  if (starts_with(g->source, "\xFF\xFE", 2) || starts_with(g->source, "\xFE\xFF", 2) ||
      starts_with(g->source, "\0\0\xFE\xFF", 4))
    diag_error(g->log, g->source, 0, "save the file as UTF-8", "the file is encoded in UTF-16 or UTF-32");
}

static void check_utf8(const struct guard *g) {
  const char *text = g->source->text;
  size_t length = g->source->length;
  for (size_t i = 0, step; i < length; i += step) {
    step = utf8_length(text + i, length - i);
    if (text[i] == '\0') {
      diag_error(g->log, g->source, (source_at)i, NULL, "the file holds a NUL byte");
      return;
    }
    if (step == 0) {
      diag_error(g->log, g->source, (source_at)i, "save the file as UTF-8", "the byte 0x%02X is not UTF-8 here",
                 (unsigned char)text[i]);
      return;
    }
  }
}

/* The value of `encoding` in the XML declaration that begins at `at`; false when there is none. */
static bool find_encoding(const struct source *source, size_t at, source_at *begin, size_t *length) {
  const char *start = source->text + at;
  size_t left = source->length - at;
  if (left < 6 || memcmp(start, "<?xml", 5) || !strchr(" \t\r\n", start[5]))
    return false;
  const char *end = memmem(start, left, "?>", 2);
  const char *name = end ? memmem(start, (size_t)(end - start), "encoding", 8) : NULL;
  if (!name)
    return false;
  const char *quote = name + 8 + strspn(name + 8, "= \t\r\n");
  const char *close = quote < end ? memchr(quote + 1, *quote, (size_t)(end - quote - 1)) : NULL;
  if (!close)
    return false;
  *begin = (source_at)(quote + 1 - source->text);
  *length = (size_t)(close - quote - 1);
  return true;
}

/* The bytes of ASCII are the same in the encodings of these names. */
static bool extends_ascii(const char *name, size_t length) {
  return (length > 9 && !strncasecmp(name, "ISO-8859-", 9)) || (length > 8 && !strncasecmp(name, "windows-", 8));
}

static bool is_ascii(const struct source *source) {
  size_t i = 0;
  while (i < source->length && (unsigned char)source->text[i] < 0x80)
    i++;
  return i == source->length;
}

static void check_encoding(const struct guard *g) {
  source_at begin;
  size_t length;
  bool mark = starts_with(g->source, "\xEF\xBB\xBF", 3);
  if (!find_encoding(g->source, mark ? 3 : 0, &begin, &length))
    return;
  const char *name = g->source->text + begin;
  bool utf8 = length == 5 && !strncasecmp(name, "UTF-8", 5);
  bool ascii = length == 8 && !strncasecmp(name, "US-ASCII", 8);
  if (g->names == XML_NAMESPACES && extends_ascii(name, length) && is_ascii(g->source))
    return;
  if (!utf8 && !ascii)
    diag_error(g->log, g->source, begin, "save the file as UTF-8", "the encoding '%.*s' is not supported",
               length < 40 ? (int)length : 40, name);
}

/* ---- structure ------------------------------------------------------------------------------- */

struct counts {
  unsigned depth, attributes;
};

static void check_name(const struct guard *g, source_at begin, source_at end) {
  const char *name = g->source->text + begin;
  size_t length = end - begin;
  if (g->names == XML_NAMESPACES)
    return;
  if (memchr(name, ':', length) || (length == 5 && !memcmp(name, "xmlns", 5)))
    diag_error(g->log, g->source, begin, NULL, "a model has no XML namespaces: '%.*s'", length < 60 ? (int)length : 60,
               name);
}

static unsigned most_depth(const struct guard *g) {
  return g->names == XML_NAMESPACES ? XML_MOST_DEPTH : XML_MAX_DEPTH;
}

static void check_token(const struct guard *g, const struct xml_token *token, struct counts *n) {
  switch (token->kind) {
  case XML_TOKEN_START:
    n->attributes = 0;
    if (++n->depth > most_depth(g))
      diag_error(g->log, g->source, token->begin, NULL, "elements are nested more than %u deep", most_depth(g));
    check_name(g, token->begin, token->end);
    return;
  case XML_TOKEN_ATTRIBUTE:
    if (++n->attributes > XML_MAX_ATTRIBUTES)
      diag_error(g->log, g->source, token->name, NULL, "an element has more than %d attributes", XML_MAX_ATTRIBUTES);
    check_name(g, token->name, token->name_end);
    break;
  case XML_TOKEN_CLOSE:
    n->depth -= n->depth > 0;
    return;
  case XML_TOKEN_DOCTYPE:
    diag_error(g->log, g->source, token->begin, NULL, "a document type declaration is not allowed");
    return;
  default:
    break;
  }
  if (token->end - token->begin > XML_MAX_VALUE)
    diag_error(g->log, g->source, token->begin, NULL, "an attribute or text is longer than %u bytes", XML_MAX_VALUE);
}

static void check_structure(const struct guard *g) {
  struct xml_scanner scanner;
  struct xml_token token;
  struct counts counts = {0, 0};
  size_t before = diag_errors(g->log);
  xml_scanner_init(&scanner, g->source);
  do {
    token = xml_scan(&scanner);
    check_token(g, &token, &counts);
  } while (token.kind != XML_TOKEN_FINISH && token.kind != XML_TOKEN_BROKEN && diag_errors(g->log) == before);
}

floe_status xml_guard(const struct source *source, enum xml_names names, floe_log *log) {
  static void (*const checks[])(const struct guard *) = {check_size, check_byte_order_mark, check_utf8, check_encoding,
                                                         check_structure};
  struct guard guard = {source, names, log};
  size_t before = diag_errors(log);
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    checks[i](&guard);
    if (diag_errors(log) > before)
      return FLOE_ERROR_MODEL;
  }
  return FLOE_OK;
}
