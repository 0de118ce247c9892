#include "api/language_note.h"

#include "api/languages.h"
#include "core/arena.h"

#include <ctype.h>
#include <string.h>

/* ---- the beginning of a text ------------------------------------------------------------------ */

static const struct comment {
  const char *begin, *end;
} comments[] = {{"/*", "*/"}, {"//", "\n"}, {"--", "\n"}, {"<!--", "-->"}, {"<?", "?>"}};

/* The position behind the comment of any language that begins here; `at`: there is none. */
static size_t after_comment(const struct source *source, size_t at) {
  for (size_t i = 0; i < sizeof comments / sizeof *comments; i++) {
    const size_t begin = strlen(comments[i].begin), end = strlen(comments[i].end);
    if (source->length - at < begin || memcmp(source->text + at, comments[i].begin, begin) != 0)
      continue;
    for (at += begin; at + end <= source->length; at++)
      if (memcmp(source->text + at, comments[i].end, end) == 0)
        return at + end;
    return source->length;
  }
  return at;
}

static size_t after_blanks(const struct source *source, size_t at) {
  while (at < source->length && isspace((unsigned char)source->text[at]))
    at++;
  return at;
}

static size_t first_word(const struct source *source) {
  size_t at = 0, before;
  do {
    before = at;
    at = after_comment(source, after_blanks(source, at));
  } while (at > before);
  return at;
}

static size_t first_word_end(const struct source *source) {
  size_t at = first_word(source);
  while (at < source->length && !isspace((unsigned char)source->text[at]))
    at++;
  return at;
}

static const floe_message *first_error(const floe_log *log) {
  for (size_t i = 0; i < floe_log_count(log); i++)
    if (floe_log_at(log, i)->severity == FLOE_ERROR)
      return floe_log_at(log, i);
  return NULL;
}

/* The first error is at the first word, or before it. */
static bool fails_at_beginning(const struct source *source, const floe_log *log) {
  const floe_message *error = first_error(log);
  unsigned line, column;
  source_position(source, source->base + (source_at)first_word_end(source), &line, &column);
  return error && error->line && (error->line < line || (error->line == line && error->column < column));
}

/* ---- languages --------------------------------------------------------------------------------- */

static const char *list_endings(const struct language *language, const char *text, struct arena *arena) {
  for (const char *const *e = language->endings; *e; e++)
    text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "", *e);
  return text;
}

static const char *all_endings(struct arena *arena) {
  const char *text = "";
  for (const struct language *const *l = languages; *l; l++)
    text = list_endings(*l, text, arena);
  return text;
}

static const struct language *recognised(const struct source *source) {
  for (const struct language *const *l = languages; *l; l++)
    if ((*l)->recognise(source->text, source->length))
      return *l;
  return NULL;
}

void language_note(const struct language *language, const struct source *source, struct arena *arena, floe_log *log) {
  if (source->length == 0 || language->recognise(source->text, source->length) || !fails_at_beginning(source, log))
    return;
  const struct language *other = recognised(source);
  if (!language_has_ending(language, source->name))
    diag_note(log, NULL, NOWHERE, arena_printf(arena, "file names end in %s", all_endings(arena)),
              "read in the language '%s', because neither the file's name nor its text shows another", language->name);
  else if (other)
    diag_note(log, NULL, NOWHERE,
              arena_printf(arena, "file names of that language end in %s", list_endings(other, "", arena)),
              "read in the language '%s' by the file's name, but the text begins as in '%s'", language->name,
              other->name);
}
