/* Writer of JSON texts in UTF-8. Members of objects have a name, elements of arrays and the text itself have NULL. */
#ifndef FLOE_API_STATES_JSON_H
#define FLOE_API_STATES_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
  FILE *stream;
  bool comma; /* before the next member or element */
};

void json_open(struct json *json, const char *name, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);
/* If the text is not UTF-8, '?' replaces its bytes above 0x7f. */
void json_text(struct json *json, const char *name, const char *text);
void json_text_start(struct json *json, const char *name, const char *text, size_t length); /* its first bytes */
void json_integer(struct json *json, const char *name, int64_t value);
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);
/* Value of a variable as text: a number, a truth value or a string. */
void json_value(struct json *json, const char *name, const char *text);

#endif
