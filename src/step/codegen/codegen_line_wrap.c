/* Where a line is broken: after an operator or a comma (in a comment at any space), beyond the first third of what
   fits, as far outside of brackets as can be there, and as late as can be among those. What follows is indented by the
   brackets that are open. */
#include "step/codegen/codegen_line_wrap.h"

#include <stdbool.h>
#include <string.h>

enum { COMMENT_INDENT = 3, BRACKET_INDENT = 2, MOST_BRACKETS = 10 };

struct line {
  const char *at, *end; /* what is still to be written */
  const char *first;    /* of it: no space */
  size_t indent;        /* of the line as it was */
  bool comment, directive;
};

static bool can_break(const struct line *line, const char *p) {
  return *p == ' ' && (line->comment || strchr(",;?:&|+", p[-1]) != NULL);
}

static int step_of(char c) { return (c == '(') - (c == ')'); }

/* The space to break at so that at most `most` characters stand before it; NULL: there is none. */
static const char *find_break(const struct line *line, size_t most) {
  const char *found = NULL, *enough = line->at + most / 3;
  int depth = 0, least = 0;
  for (const char *p = line->first; p < line->end && p <= line->at + most; p++) {
    depth += step_of(*p);
    if (!can_break(line, p) || (!line->comment && found && found > enough && depth > least))
      continue;
    found = p;
    least = depth;
  }
  return found;
}

static struct line first_of(const char *at, const char *end) {
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
  open = open < 1 ? 1 : open > MOST_BRACKETS ? MOST_BRACKETS : open;
  return line->indent + BRACKET_INDENT + BRACKET_INDENT * (size_t)open;
}

static void wrap(struct text *to, struct line line) {
  const size_t columns = CODEGEN_COLUMNS - (line.directive ? 2 : 0);
  size_t most = columns;
  int open = 0;
  for (const char *here; (size_t)(line.end - line.at) > most && (here = find_break(&line, most));) {
    for (const char *p = line.first; p < here; p++)
      open += step_of(*p);
    text_add(to, "%.*s%s\n%*s", (int)(here - line.at), line.at, line.directive ? " \\" : "",
             (int)indent_of(&line, open), "");
    line.at = line.first = here + 1;
    most = columns - indent_of(&line, open);
  }
  text_add(to, "%.*s", (int)(line.end - line.at), line.at);
}

void codegen_wrap(struct text *to, const char *source) {
  while (*source) {
    const char *end = source + strcspn(source, "\n");
    wrap(to, first_of(source, end));
    if (*end)
      text_add(to, "\n");
    source = *end ? end + 1 : end;
  }
}
