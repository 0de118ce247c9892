#include "cmd/report/html.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* Length of the UTF-8 sequence at `text`; 0: invalid, as are surrogates, overlong forms, U+FFFE and U+FFFF. */
static size_t sequence(const unsigned char *text, size_t left) {
  unsigned char first = text[0];
  size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 0 || length > left || first > 0xF4)
    return 0;
  for (size_t i = 1; i < length; i++)
    if ((text[i] & 0xC0) != 0x80)
      return 0;
  if ((first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] > 0x9F) ||
      (first == 0xEF && text[1] == 0xBF && text[2] > 0xBD) || (first == 0xF0 && text[1] < 0x90) ||
      (first == 0xF4 && text[1] > 0x8F))
    return 0;
  return length;
}

static const char *entity(unsigned char character) {
  switch (character) {
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '&':
    return "&amp;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

static bool is_control(const char *text) { return *text != '\n' && *text != '\t' && utf8_control(text); }

void html_put(FILE *stream, const char *text, size_t length) {
  for (size_t i = 0; i < length;) {
    size_t n = sequence((const unsigned char *)text + i, length - i);
    const char *instead = n == 0 || is_control(text + i) ? "\xEF\xBF\xBD"
                          : n == 1                       ? entity((unsigned char)text[i])
                                                         : NULL;
    if (instead)
      fputs(instead, stream);
    else
      fwrite(text + i, 1, n, stream);
    i += n ? n : 1;
  }
}

void html_text(FILE *stream, const char *text) { html_put(stream, text, strlen(text)); }

void html_cut(FILE *stream, const char *text, size_t most) {
  size_t length = strlen(text), cut = most;
  if (length <= most) {
    html_put(stream, text, length);
    return;
  }
  while (cut > 0 && ((unsigned char)text[cut] & 0xC0) == 0x80)
    cut--; /* back to the start of a character */
  html_put(stream, text, cut);
  fputs("…", stream);
}

void html_json(FILE *stream, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (text[i] == '<')
      fputs("\\u003c", stream);
    else
      fputc(text[i], stream);
}

void html_number(FILE *stream, uint64_t number) {
  char digits[32];
  int n = snprintf(digits, sizeof digits, "%" PRIu64, number);
  for (int i = 0; i < n; i++) {
    if (i > 0 && (n - i) % 3 == 0)
      fputs("\xE2\x80\xAF", stream);
    fputc(digits[i], stream);
  }
}
