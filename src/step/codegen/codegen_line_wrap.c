/* Break positions: after an operator or comma (in a comment at any space), after the first third of the line, as far
   outside of brackets as possible, and as late as possible among those. The rest is indented by the open brackets. */
#include "step/codegen/codegen_line_wrap.h"

#include <stdbool.h>
#include <string.h>

enum { COMMENT_INDENT = 3, BRACKET_INDENT = 2, MAX_BRACKETS = 10 };

struct line {
  const char *at, *end; /* text still to be written */
  const char *first;    /* its first character that is no space */
  size_t indent;        /* of the original line */
  bool comment, directive;
};

static bool can_break(const struct line *line, const char *p) {
  return *p == ' ' && (line->comment || strchr(",;?:&|+", p[-1]) != NULL);
}

static int step_of(char c) { return (c == '(') - (c == ')'); }

/* The space to break at, with at most `max` characters before it; NULL: none. */
static const char *find_break(const struct line *line, size_t max) {
  const char *found = NULL, *earliest = line->at + max / 3;
  int depth = 0, least = 0;
  for (const char *p = line->first; p < line->end && p <= line->at + max; p++) {
    depth += step_of(*p);
    if (!can_break(line, p) || (!line->comment && found && found > earliest && depth > least))
      continue;
    found = p;
    least = depth;
  }
  return found;
}

static struct line line_of(const char *at, const char *end) {
  struct line line = {.at = at, .end = end, .first = at};
  while (line.first < end && *line.first == ' ')
    line.first++;
  line.indent = (size_t)(line.first - at);
  line.comment = end - line.first > 2 && memcmp(line.first, "/*", 2) == 0;
  line.directive = *line.first == '#';
  return line;
}

static size_t indent_of(const struct line *line, int open) {
  if (line->comment)
    return line->indent + COMMENT_INDENT;
  open = open < 1 ? 1 : open > MAX_BRACKETS ? MAX_BRACKETS : open;
  return line->indent + BRACKET_INDENT + BRACKET_INDENT * (size_t)open;
}

static void wrap_line(struct text_buffer *to, struct line line) {
  const size_t columns = CODEGEN_COLUMNS - (line.directive ? 2 : 0);
  size_t max = columns;
  int open = 0;
  for (const char *here; (size_t)(line.end - line.at) > max && (here = find_break(&line, max));) {
    for (const char *p = line.first; p < here; p++)
      open += step_of(*p);
    text_buffer_printf(to, "%.*s%s\n%*s", (int)(here - line.at), line.at, line.directive ? " \\" : "",
                       (int)indent_of(&line, open), "");
    line.at = line.first = here + 1;
    max = columns - indent_of(&line, open);
  }
  text_buffer_printf(to, "%.*s", (int)(line.end - line.at), line.at);
}

void codegen_wrap(struct text_buffer *to, const char *source) {
  while (*source) {
    const char *end = source + strcspn(source, "\n");
    wrap_line(to, line_of(source, end));
    if (*end)
      text_buffer_printf(to, "\n");
    source = *end ? end + 1 : end;
  }
}
