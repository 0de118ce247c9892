#include "frontend/parse/source_text.h"

#include <string.h>

/* Decodes the entities that XML predefines; *length is that of the entity. */
static char decode_entity(const char *text, size_t *length) {
  static const struct {
    const char *text;
    char character;
  } all[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    *length = strlen(all[i].text);
    if (strncmp(text, all[i].text, *length) == 0)
      return all[i].character;
  }
  *length = 1;
  return *text;
}

static bool is_space(char ch) { return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r'; }

/* An expression at the end of a CDATA section ends behind the section's end; none ends with '>'. */
static size_t length_without_cdata_end(const struct source *source, const struct syntax_expr *e) {
  static const char end[] = "]]>";
  const size_t length = e->end - e->start;
  const char *text = source->text + (e->start - source->base);
  const bool ends = length > strlen(end) && strncmp(text + length - strlen(end), end, strlen(end)) == 0;
  return ends ? length - strlen(end) : length;
}

/* Reduces white space. An expression begins and ends with characters that are no white space. */
static const char *shortened(const struct source *first, const struct syntax_expr *e, size_t most,
                             struct arena *arena) {
  const struct source *source = source_find(first, e->start);
  const size_t whole = length_without_cdata_end(source, e);
  size_t n = 0, step;
  char *text = arena_alloc(arena, (whole < most ? whole : most) + sizeof "...");
  for (size_t i = e->start; i < e->start + whole; i += step) {
    char ch = decode_entity(source->text + (i - source->base), &step);
    if (n == most) {
      memcpy(text + n, "...", 3);
      break;
    }
    if (!is_space(ch))
      text[n++] = ch;
    else if (n && text[n - 1] != ' ')
      text[n++] = ' ';
  }
  return text;
}

const char *source_excerpt_text(const struct source *source, const struct syntax_expr *e, struct arena *arena) {
  return shortened(source, e, SIZE_MAX, arena);
}

const char *source_excerpt_short(const struct source *source, const struct syntax_expr *e, struct arena *arena) {
  return shortened(source, e, SOURCE_EXCERPT_SHORT, arena);
}

static size_t count_conjuncts(const struct syntax_expr *e) {
  return e->op == SYN_AND ? count_conjuncts(e->a) + count_conjuncts(e->b) : 1;
}

static struct source_excerpt *add_conjuncts(const struct source *source, const struct syntax_expr *e,
                                            struct arena *arena, struct source_excerpt *out) {
  if (e->op == SYN_AND)
    return add_conjuncts(source, e->b, arena, add_conjuncts(source, e->a, arena, out));
  *out = (struct source_excerpt){source_excerpt_text(source, e, arena), e->start, e->end};
  return out + 1;
}

const struct source_excerpt *source_conjuncts(const struct source *source, const struct syntax_expr *e,
                                              struct arena *arena, size_t *count) {
  *count = count_conjuncts(e);
  struct source_excerpt *all = arena_array(arena, *count, sizeof *all);
  add_conjuncts(source, e, arena, all);
  return all;
}

const char *source_text(const struct source *first, source_at start, source_at end,
                        source_at (*skip)(const struct source *source, source_at from), struct arena *arena) {
  const struct source *source = source_find(first, start);
  char *text = arena_alloc(arena, end - start + 1);
  size_t n = 0;
  for (source_at at = start; at < end;) {
    const source_at next = skip(source, at);
    if (next > at && next < end && n)
      text[n++] = ' ';
    if (next == at)
      text[n++] = source->text[at++ - source->base];
    else
      at = next;
  }
  return text;
}
