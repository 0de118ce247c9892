#define _GNU_SOURCE /* memmem */
#include "frontend/xml/xml_position.h"

#include <assert.h>
#include <string.h>

void xml_scanner_init(struct xml_scanner *scanner, const struct source *source) {
  assert(source->length < NOWHERE);
  bool mark = source->length >= 3 && memcmp(source->text, "\xEF\xBB\xBF", 3) == 0;
  *scanner = (struct xml_scanner){.source = source, .at = mark ? 3 : 0};
}

/* ---- characters ------------------------------------------------------------------------------ */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool ends_name(char c) { return is_blank(c) || strchr("=/><\"'", c); } /* NUL as well */

static bool at_end(const struct xml_scanner *s) { return s->at == s->source->length; }

static bool looking_at(const struct xml_scanner *s, const char *text) {
  size_t length = strlen(text);
  return s->source->length - s->at >= length && !memcmp(s->source->text + s->at, text, length);
}

static void skip_blanks(struct xml_scanner *s) {
  while (!at_end(s) && is_blank(s->source->text[s->at]))
    s->at++;
}

static void skip_name(struct xml_scanner *s) {
  while (!at_end(s) && !ends_name(s->source->text[s->at]))
    s->at++;
}

/* Skips past the next `text` and returns its place; NOWHERE if there is none. */
static source_at skip_past(struct xml_scanner *s, const char *text) {
  const char *start = s->source->text + s->at;
  const char *found = memmem(start, s->source->length - s->at, text, strlen(text));
  if (!found)
    return NOWHERE;
  source_at place = (source_at)(found - s->source->text);
  s->at = place + (source_at)strlen(text);
  return place;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static struct xml_token make_token(enum xml_token_kind kind, source_at begin, source_at end) {
  return (struct xml_token){.kind = kind, .begin = begin, .end = end};
}

static struct xml_token fail_token(struct xml_scanner *s) {
  source_at at = s->at;
  s->at = (source_at)s->source->length;
  s->in_tag = false;
  return make_token(XML_TOKEN_BROKEN, at, at);
}

static struct xml_token scan_attribute(struct xml_scanner *s) {
  struct xml_token result = {.kind = XML_TOKEN_ATTRIBUTE, .name = s->at};
  skip_name(s);
  result.name_end = s->at;
  skip_blanks(s);
  if (result.name == result.name_end || !looking_at(s, "="))
    return fail_token(s);
  s->at++;
  skip_blanks(s);
  const char *quote = looking_at(s, "\"") ? "\"" : "'";
  if (!looking_at(s, quote))
    return fail_token(s);
  result.begin = ++s->at;
  result.end = skip_past(s, quote);
  return result.end == NOWHERE ? fail_token(s) : result;
}

static struct xml_token scan_empty_tag_end(struct xml_scanner *s) {
  source_at at = s->at;
  s->in_tag = false;
  s->at += 2;
  return make_token(XML_TOKEN_CLOSE, at, at);
}

static struct xml_token scan_start(struct xml_scanner *s) {
  source_at name = ++s->at;
  skip_name(s);
  if (s->at == name)
    return fail_token(s);
  s->in_tag = true;
  return make_token(XML_TOKEN_START, name, s->at);
}

static struct xml_token scan_close(struct xml_scanner *s) {
  source_at at = s->at;
  return skip_past(s, ">") == NOWHERE ? fail_token(s) : make_token(XML_TOKEN_CLOSE, at, at);
}

static struct xml_token scan_cdata(struct xml_scanner *s) {
  source_at begin = s->at += (source_at)strlen("<![CDATA[");
  source_at end = skip_past(s, "]]>");
  return end == NOWHERE ? fail_token(s) : make_token(XML_TOKEN_CDATA, begin, end);
}

static struct xml_token scan_text(struct xml_scanner *s) {
  source_at begin = s->at;
  const char *start = s->source->text + begin;
  const char *tag = memchr(start, '<', s->source->length - begin);
  s->at = tag ? (source_at)(tag - s->source->text) : (source_at)s->source->length;
  return make_token(XML_TOKEN_TEXT, begin, s->at);
}

/* False: an unterminated comment or instruction. */
static bool skip_comments(struct xml_scanner *s) {
  for (;;) {
    bool comment = looking_at(s, "<!--");
    if (!comment && !looking_at(s, "<?"))
      return true;
    s->at += comment ? 4 : 2;
    if (skip_past(s, comment ? "-->" : "?>") == NOWHERE)
      return false;
  }
}

struct xml_token xml_scan(struct xml_scanner *s) {
  if (s->in_tag) {
    skip_blanks(s);
    if (looking_at(s, "/>"))
      return scan_empty_tag_end(s);
    if (!looking_at(s, ">"))
      return scan_attribute(s);
    s->at++;
    s->in_tag = false;
  }
  if (!skip_comments(s))
    return fail_token(s);
  if (at_end(s))
    return make_token(XML_TOKEN_FINISH, s->at, s->at);
  if (!looking_at(s, "<"))
    return scan_text(s);
  if (looking_at(s, "<![CDATA["))
    return scan_cdata(s);
  if (looking_at(s, "<!DOCTYPE"))
    return make_token(XML_TOKEN_DOCTYPE, s->at, s->at);
  if (looking_at(s, "<!"))
    return fail_token(s);
  return looking_at(s, "</") ? scan_close(s) : scan_start(s);
}

/* ---- values ---------------------------------------------------------------------------------- */

static size_t put_utf8(uint32_t c, char *out) {
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  static const unsigned char mark[] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (size_t i = length - 1; i > 0; i--, c >>= 6)
    out[i] = (char)(0x80 | (c & 0x3F));
  out[0] = (char)(mark[length] | c);
  return length;
}

/* "#10", "#x0A" (without '&' and ';'); 0: not a character. */
static uint32_t character_reference(const char *name, size_t length) {
  bool hex = length > 1 && name[1] == 'x';
  uint32_t value = 0;
  for (size_t i = hex ? 2 : 1; i < length; i++) {
    char c = name[i];
    uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                     : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                            : 16;
    if (digit >= (hex ? 16u : 10u) || value > 0x10FFFF)
      return 0;
    value = value * (hex ? 16 : 10) + digit;
  }
  return value <= 0x10FFFF ? value : 0;
}

static uint32_t decode_reference(const char *name, size_t length) {
  static const struct {
    const char *name;
    char value;
  } entities[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
  if (length > 1 && name[0] == '#')
    return character_reference(name, length);
  for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
    if (strlen(entities[i].name) == length && !memcmp(entities[i].name, name, length))
      return (unsigned char)entities[i].value;
  return 0;
}

/* Decodes one character of the value: returns the bytes read, sets the bytes written. An invalid reference is
   copied. */
static size_t decode_one(const char *in, size_t left, enum xml_token_kind kind, char *out, size_t *written) {
  *written = 1;
  if (*in == '&' && kind != XML_TOKEN_CDATA) {
    const char *end = memchr(in, ';', left);
    uint32_t value = end ? decode_reference(in + 1, (size_t)(end - in - 1)) : 0;
    if (value) {
      *written = put_utf8(value, out);
      return (size_t)(end - in + 1);
    }
  }
  bool pair = *in == '\r' && left > 1 && in[1] == '\n';
  *out = *in == '\r' ? '\n' : *in;
  if (kind == XML_TOKEN_ATTRIBUTE && is_blank(*in))
    *out = ' ';
  return pair ? 2 : 1;
}

size_t xml_decoded_length(const struct source *source, const struct xml_token *value) {
  char bytes[4];
  size_t length = 0, written;
  for (source_at i = value->begin; i < value->end; length += written)
    i += (source_at)decode_one(source->text + i, value->end - i, value->kind, bytes, &written);
  return length;
}

void xml_decode(const struct source *source, const struct xml_token *value, source_at base, char *text, source_at *at) {
  size_t length = 0, written;
  for (source_at i = value->begin, read; i < value->end; i += read, length += written) {
    read = (source_at)decode_one(source->text + i, value->end - i, value->kind, text + length, &written);
    for (size_t j = 0; j < written; j++)
      at[length + j] = base + i;
  }
}
