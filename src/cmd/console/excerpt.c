#include "cmd/console/excerpt.h"

#include <stdint.h>

#define MAX_SHOWN 160 /* characters */
#define BEFORE 70     /* characters before the column, if the line is cut */

/* Number of continuation bytes after the first byte of a character; -1: invalid first byte. */
static int following(unsigned char first) {
  if (first < 0x80)
    return 0;
  if (first < 0xc2 || first > 0xf4)
    return -1;
  return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
}

/* Decodes one character and returns the byte after it. An invalid byte decodes to '?'. */
static const char *next_character(const char *text, uint32_t *out) {
  unsigned char first = (unsigned char)*text;
  int more = following(first);
  uint32_t code = more <= 0 ? first : first & (0x3fu >> more);
  *out = '?';
  if (more < 0)
    return text + 1;
  for (int i = 1; i <= more; i++) {
    unsigned char byte = (unsigned char)text[i];
    if ((byte & 0xc0) != 0x80)
      return text + 1;
    code = code << 6 | (byte & 0x3f);
  }
  *out = code;
  return text + more + 1;
}

struct interval {
  uint32_t first, last;
};

/* Characters that occupy two cells of a terminal, and marks that occupy none. */
static const struct interval wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                                       {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
static const struct interval empty[] = {{0x0300, 0x036f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};

static int within(uint32_t code, const struct interval *intervals, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (code >= intervals[i].first && code <= intervals[i].last)
      return 1;
  return 0;
}

static int cells(uint32_t code) {
  if (within(code, empty, sizeof empty / sizeof *empty))
    return 0;
  return within(code, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

/* Control characters could change the terminal: they are printed as '?'. */
static void put_character(FILE *stream, const char *from, const char *to, uint32_t code) {
  if (code == '\t')
    fputc('\t', stream);
  else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code == '?' && *from != '?'))
    fputc('?', stream);
  else
    fwrite(from, 1, (size_t)(to - from), stream);
}

/* Blanks as wide as the character; a tab stays a tab. */
static void put_blank(FILE *stream, uint32_t code) {
  if (code == '\t')
    fputc('\t', stream);
  else
    fprintf(stream, "%*s", cells(code), "");
}

static unsigned characters(const char *line) {
  unsigned n = 0;
  for (uint32_t code; *line; n++)
    line = next_character(line, &code);
  return n;
}

void put_excerpt(FILE *stream, const char *line, unsigned column) {
  uint32_t code;
  unsigned n = characters(line), from = 1;
  if (n > MAX_SHOWN && column > BEFORE)
    from = column - BEFORE;
  for (unsigned i = 1; i < from && *line; i++)
    line = next_character(line, &code);
  const char *lead = from > 1 ? "  ..." : "  ";
  fputs(lead, stream);
  const char *at = line;
  for (unsigned i = 0; i < MAX_SHOWN && *at; i++) {
    const char *next = next_character(at, &code);
    put_character(stream, at, next, code);
    at = next;
  }
  fprintf(stream, "%s\n%*s", *at ? "..." : "", from > 1 ? 5 : 2, "");
  for (unsigned i = from; i < column && *line; i++) {
    line = next_character(line, &code);
    put_blank(stream, code);
  }
  fputs("^\n", stream);
}
