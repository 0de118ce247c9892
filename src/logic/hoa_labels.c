#include "logic/hoa_labels.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_CUBES 4096
#define MAX_DEPTH 1000

/* ---- tokens --------------------------------------------------------------------------------------- */

void hoa_error(struct hoa_reader *r, const char *hint, const char *format, ...) {
  if (r->failed)
    return;
  va_list args;
  char message[200];
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  diag_error(r->log, r->source, r->token_at, hint, "%s", message);
  r->failed = true;
  r->kind = HOA_END_OF_FILE;
}

static bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static char byte_at(const struct hoa_reader *r, size_t at) {
  return at < r->source->length ? r->source->text[at] : '\0';
}

static void skip_blanks(struct hoa_reader *r) {
  for (;;) {
    const char c = byte_at(r, r->at);
    if (c == '/' && byte_at(r, r->at + 1) == '*') {
      const size_t begin = r->at;
      for (r->at += 2; r->at < r->source->length && !(byte_at(r, r->at) == '*' && byte_at(r, r->at + 1) == '/');)
        r->at++;
      r->token_at = r->source->base + (source_at)begin;
      if (r->at >= r->source->length)
        hoa_error(r, NULL, "comment without an end");
      r->at += 2;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
      r->at++;
    else
      return;
  }
}

static void read_quoted(struct hoa_reader *r) {
  const size_t begin = ++r->at;
  while (r->at < r->source->length && byte_at(r, r->at) != '"')
    r->at += byte_at(r, r->at) == '\\' ? 2 : 1;
  if (r->at >= r->source->length) {
    hoa_error(r, NULL, "text without a closing quotation mark");
    return;
  }
  char *text = arena_copy(r->arena, r->source->text + begin, r->at++ - begin), *end = text;
  for (const char *c = text; *c; c++) {
    c += *c == '\\' && c[1] != '\0';
    *end++ = *c;
  }
  *end = '\0';
  r->token = text;
  r->kind = HOA_STRING;
}

void hoa_next(struct hoa_reader *r) {
  if (r->failed)
    return;
  skip_blanks(r);
  if (r->failed)
    return;
  const size_t begin = r->at;
  r->token_at = r->source->base + (source_at)begin;
  r->token = "the end of the file";
  r->kind = HOA_END_OF_FILE;
  if (begin >= r->source->length)
    return;
  const char c = byte_at(r, begin);
  if (c == '"') {
    read_quoted(r);
    return;
  }
  r->kind = is_digit(c) ? HOA_NUMBER : c == '@' ? HOA_ALIAS : HOA_WORD;
  r->at++;
  if (r->kind == HOA_NUMBER)
    while (is_digit(byte_at(r, r->at)))
      r->at++;
  else if (is_name_byte(c) || c == '@')
    while (is_name_byte(byte_at(r, r->at)))
      r->at++;
  if (r->kind == HOA_WORD && is_name_byte(c) && byte_at(r, r->at) == ':') {
    r->at++;
    r->kind = HOA_HEADER;
  }
  r->token = arena_copy(r->arena, r->source->text + begin, r->at - begin);
}

void hoa_reader_open(struct hoa_reader *r, const struct source *source, struct arena *arena, floe_log *log) {
  *r = (struct hoa_reader){.source = source, .arena = arena, .log = log, .token = ""};
  hoa_next(r);
}

bool hoa_is(const struct hoa_reader *r, const char *token) {
  return (r->kind == HOA_WORD || r->kind == HOA_HEADER) && strcmp(r->token, token) == 0;
}

bool hoa_take(struct hoa_reader *r, const char *token) {
  const bool is = hoa_is(r, token);
  if (is)
    hoa_next(r);
  return is;
}

void hoa_expect(struct hoa_reader *r, const char *token, const char *hint) {
  if (!hoa_take(r, token))
    hoa_error(r, hint, "expected \"%s\", found %s%s%s", token, r->kind == HOA_END_OF_FILE ? "" : "\"", r->token,
              r->kind == HOA_END_OF_FILE ? "" : "\"");
}

uint32_t hoa_number(struct hoa_reader *r, uint32_t most) {
  uint64_t value = 0;
  if (r->kind != HOA_NUMBER) {
    hoa_error(r, NULL, "expected a number, found \"%s\"", r->token);
    return 0;
  }
  for (const char *c = r->token; *c && value <= most; c++)
    value = value * 10 + (uint64_t)(*c - '0');
  if (value > most) {
    hoa_error(r, NULL, "number above %u", most);
    return 0;
  }
  hoa_next(r);
  return (uint32_t)value;
}

const char *hoa_string(struct hoa_reader *r) {
  if (r->kind != HOA_STRING) {
    hoa_error(r, NULL, "expected a text in quotation marks, found \"%s\"", r->token);
    return "";
  }
  const char *text = r->token;
  hoa_next(r);
  return text;
}

/* ---- labels: a set of cubes for an expression or its negation ------------------------------------- */

struct label {
  struct cube *items;
  size_t n, cap;
};

static void add(struct hoa_reader *r, struct label *label, struct cube cube) {
  if (cube_is_empty(cube) || r->failed)
    return;
  if (label->n >= MAX_CUBES)
    hoa_error(r, "divide it among several edges", "label with more than %d conjunctions", MAX_CUBES);
  *ARENA_PUSH(r->arena, label->items, label->n, label->cap) = cube;
}

static struct label either(struct hoa_reader *r, struct label a, struct label b) {
  for (size_t i = 0; i < b.n; i++)
    add(r, &a, b.items[i]);
  return a;
}

static struct label both(struct hoa_reader *r, struct label a, struct label b) {
  struct label result = {NULL, 0, 0};
  for (size_t i = 0; i < a.n; i++)
    for (size_t k = 0; k < b.n && !r->failed; k++)
      add(r, &result, cube_both(a.items[i], b.items[k]));
  return result;
}

/* The valuations of no cube. */
static struct label inverted(struct hoa_reader *r, const struct cube *cubes, size_t count) {
  struct label result = {NULL, 0, 0};
  add(r, &result, (struct cube){0, 0});
  for (size_t i = 0; i < count; i++) {
    struct label other = {NULL, 0, 0};
    for (uint64_t open = cubes[i].positive | cubes[i].negative; open; open &= open - 1) {
      const uint64_t atom = open & (~open + 1);
      add(r, &other, (struct cube){cubes[i].negative & atom, cubes[i].positive & atom});
    }
    result = both(r, result, other);
  }
  return result;
}

static struct label alternatives(struct hoa_reader *r, const struct hoa_labels *labels, bool negated, unsigned depth);

static struct label alias(struct hoa_reader *r, const struct hoa_labels *labels, bool negated) {
  struct label result = {NULL, 0, 0};
  for (size_t i = 0; i < labels->alias_count; i++)
    if (strcmp(labels->aliases[i].name, r->token) == 0) {
      const struct hoa_alias *found = &labels->aliases[i];
      hoa_next(r);
      if (negated)
        return inverted(r, found->cubes, found->cube_count);
      for (size_t k = 0; k < found->cube_count; k++)
        add(r, &result, found->cubes[k]);
      return result;
    }
  hoa_error(r, "aliases are defined in the header, before their use", "unknown alias %s", r->token);
  return result;
}

static struct label primary(struct hoa_reader *r, const struct hoa_labels *labels, bool negated, unsigned depth) {
  struct label result = {NULL, 0, 0};
  if (depth > MAX_DEPTH)
    hoa_error(r, NULL, "label nested more than %d levels deep", MAX_DEPTH);
  else if (hoa_take(r, "!"))
    return primary(r, labels, !negated, depth + 1);
  else if (hoa_take(r, "(")) {
    result = alternatives(r, labels, negated, depth + 1);
    hoa_expect(r, ")", NULL);
  } else if (r->kind == HOA_ALIAS)
    return alias(r, labels, negated);
  else if (hoa_is(r, "t") || hoa_is(r, "f")) {
    if (hoa_is(r, "t") != negated)
      add(r, &result, (struct cube){0, 0});
    hoa_next(r);
  } else if (labels->atom_count == 0)
    hoa_error(r, NULL, "expected t or f, found \"%s\": there are no atomic propositions", r->token);
  else {
    const uint64_t atom = UINT64_C(1) << hoa_number(r, labels->atom_count - 1);
    add(r, &result, negated ? (struct cube){0, atom} : (struct cube){atom, 0});
  }
  return result;
}

static struct label conjunction(struct hoa_reader *r, const struct hoa_labels *labels, bool negated, unsigned depth) {
  struct label result = primary(r, labels, negated, depth);
  while (hoa_take(r, "&")) {
    const struct label other = primary(r, labels, negated, depth);
    result = negated ? either(r, result, other) : both(r, result, other);
  }
  return result;
}

static struct label alternatives(struct hoa_reader *r, const struct hoa_labels *labels, bool negated, unsigned depth) {
  struct label result = conjunction(r, labels, negated, depth);
  while (hoa_take(r, "|")) {
    const struct label other = conjunction(r, labels, negated, depth);
    result = negated ? both(r, result, other) : either(r, result, other);
  }
  return result;
}

const struct cube *hoa_read_label(struct hoa_reader *r, struct hoa_labels *labels, size_t *count) {
  hoa_expect(r, "[", NULL);
  const struct label label = alternatives(r, labels, false, 0);
  hoa_expect(r, "]", NULL);
  *count = label.n;
  return label.items;
}

void hoa_read_alias(struct hoa_reader *r, struct hoa_labels *labels) {
  struct hoa_alias alias = {.name = r->token};
  if (r->kind != HOA_ALIAS)
    hoa_error(r, "names of aliases begin with @", "expected an alias, found \"%s\"", r->token);
  hoa_next(r);
  const struct label label = alternatives(r, labels, false, 0);
  alias.cubes = label.items;
  alias.cube_count = label.n;
  *ARENA_PUSH(r->arena, labels->aliases, labels->alias_count, labels->alias_cap) = alias;
}
