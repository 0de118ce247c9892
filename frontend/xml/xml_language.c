#define _GNU_SOURCE /* memmem */
#include "frontend/xml/xml_language.h"

#include "frontend/check/check_expression.h"
#include "frontend/check/checker.h"
#include "frontend/xml/reader.h"
#include "frontend/xml/xml_write.h"

#include <string.h>

static const char *const endings[] = {".xml", NULL};

/* The root element is sought here. */
#define HEAD ((size_t)4096)

/* A tag, after an optional byte order mark, and soon that of a model. */
static bool recognise(const char *text, size_t length) {
  static const char mark[] = "\xef\xbb\xbf", blanks[] = " \t\r\n";
  size_t i = length >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0 ? strlen(mark) : 0;
  while (i < length && memchr(blanks, text[i], strlen(blanks)))
    i++;
  return i < length && text[i] == '<' && memmem(text + i, length - i < HEAD ? length - i : HEAD, "<model", 6);
}

static const char *const *constant_names(const struct syntax_model *syntax, struct arena *arena) {
  const char **names = arena_array(arena, syntax->constant_count, sizeof *names);
  for (size_t i = 0; i < syntax->constant_count; i++)
    names[i] = syntax->constants[i].name;
  return names;
}

static floe_status language_parse(const struct source *source, struct includer *includer, struct arena *arena,
                                  floe_log *log, const struct outline **out) {
  struct syntax_model *syntax;
  FLOE_TRY(syntax_read(source, includer, arena, log, &syntax));
  struct outline *outline = arena_alloc(arena, sizeof *outline);
  *outline = (struct outline){
      .name = syntax->name,
      .description = syntax->description ? syntax->description : "",
      .constants = constant_names(syntax, arena),
      .constant_count = syntax->constant_count,
      .expectations = syntax->expects,
      .expectation_count = syntax->expect_count,
      .tree = syntax,
  };
  *out = outline;
  return FLOE_OK;
}

static floe_status language_check(const struct outline *outline, const struct definition *definitions,
                                  size_t definition_count, struct arena *arena, floe_log *log,
                                  const struct model **out) {
  return model_check(outline->tree, definitions, definition_count, arena, log, out);
}

const struct language xml_language = {
    .name = "xml",
    .description = "floe's own language: processes, channels and properties in XML",
    .endings = endings,
    .recognise = recognise,
    .parse = language_parse,
    .check = language_check,
    .expression = expression_check,
    .write = xml_write,
};
