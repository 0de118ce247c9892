#include "api/states/json.h"

#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_utf8(const char *text, const char *end) {
  size_t length = 1;
  for (; text < end && length > 0; text += length)
    length = utf8_length(text, (size_t)(end - text));
  return length > 0;
}

static void put_string(FILE *stream, const char *text, size_t length) {
  const char *end = text + length;
  const bool valid = is_utf8(text, end);
  putc('"', stream);
  for (; text < end; text++) {
    const unsigned char byte = (unsigned char)*text;
    if (byte < 0x20)
      fprintf(stream, "\\u%04x", byte);
    else if (byte >= 0x80 && !valid)
      putc('?', stream);
    else
      fprintf(stream, byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
  }
  putc('"', stream);
}

/* What precedes a member or element. */
static void put_start(struct json *json, const char *name) {
  if (json->comma)
    fputs(", ", json->stream);
  json->comma = true;
  if (!name)
    return;
  put_string(json->stream, name, strlen(name));
  fputs(": ", json->stream);
}

void json_put_start(struct json *json, const char *name, char bracket) {
  put_start(json, name);
  putc(bracket, json->stream);
  json->comma = false;
}

void json_put_end(struct json *json, char bracket) {
  putc(bracket, json->stream);
  json->comma = true;
}

void json_put_text_part(struct json *json, const char *name, const char *text, size_t length) {
  put_start(json, name);
  put_string(json->stream, text, length);
}

void json_put_text(struct json *json, const char *name, const char *text) {
  json_put_text_part(json, name, text, strlen(text));
}

void json_put_integer(struct json *json, const char *name, int64_t value) {
  put_start(json, name);
  fprintf(json->stream, "%" PRId64, value);
}

void json_put_bool(struct json *json, const char *name, bool value) {
  put_start(json, name);
  fputs(value ? "true" : "false", json->stream);
}

void json_put_null(struct json *json, const char *name) {
  put_start(json, name);
  fputs("null", json->stream);
}

void json_put_value(struct json *json, const char *name, const char *text) {
  char *end;
  errno = 0;
  const int64_t number = strtoll(text, &end, 10);
  if (*text && *end == 0 && errno == 0)
    json_put_integer(json, name, number);
  else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
    json_put_bool(json, name, text[0] == 't');
  else
    json_put_text(json, name, text);
}
