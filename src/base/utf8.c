#include "base/utf8.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/* The second byte has a smaller range after some first bytes: Unicode standard, table 3-7. */
static bool second_fits(unsigned char first, unsigned char second) {
  switch (first) {
  case 0xE0:
    return second >= 0xA0 && second <= 0xBF;
  case 0xED:
    return second >= 0x80 && second <= 0x9F;
  case 0xF0:
    return second >= 0x90 && second <= 0xBF;
  case 0xF4:
    return second >= 0x80 && second <= 0x8F;
  default:
    return continues(second);
  }
}

size_t utf8_length(const char *text, size_t left) {
  assert(left > 0);
  const unsigned char *byte = (const unsigned char *)text;
  if (byte[0] < 0x80)
    return 1;
  if (byte[0] < 0xC2 || byte[0] > 0xF4)
    return 0;
  size_t length = byte[0] < 0xE0 ? 2 : byte[0] < 0xF0 ? 3 : 4;
  if (left < length || !second_fits(byte[0], byte[1]))
    return 0;
  for (size_t i = 2; i < length; i++)
    if (!continues(byte[i]))
      return 0;
  return length;
}

size_t utf8_step(const char *text, size_t left) {
  size_t length = utf8_length(text, left);
  return length ? length : 1;
}

size_t utf8_control(const char *text) {
  const unsigned char first = (unsigned char)text[0], second = first == 0xC2 ? (unsigned char)text[1] : 0;
  if (second >= 0x80 && second < 0xA0)
    return 2;
  return first < ' ' || first == 0x7F ? 1 : 0;
}

static bool is_printable(const char *text, size_t length) {
  return length > 0 && (*text == '\t' || *text == '\n' || !utf8_control(text));
}

size_t utf8_printable(char *out, const char *text, size_t length, size_t characters) {
  size_t bytes = 0;
  for (size_t i = 0; i < length && characters > 0; characters--) {
    size_t size = utf8_length(text + i, length - i);
    if (is_printable(text + i, size)) {
      memcpy(out + bytes, text + i, size);
      bytes += size;
    } else {
      out[bytes++] = '?';
    }
    i += size ? size : 1;
  }
  return bytes;
}

const char *utf8_show(const char *text, struct utf8_shown *out) {
  const size_t most = (sizeof out->text - 1) / 4;
  size_t length = utf8_printable(out->text, text, strlen(text), most);
  out->text[length] = '\0';
  for (char *at = out->text; *at; at++)
    if (*at == '\t' || *at == '\n')
      *at = '?';
  return out->text;
}
