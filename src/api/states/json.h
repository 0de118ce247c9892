/* Writer of JSON texts in UTF-8. Members of objects have a name, elements of arrays and the text itself have NULL.
   A static library must not define names of jansson, such as json_integer. */
#ifndef FLOE_API_STATES_JSON_H
#define FLOE_API_STATES_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
  FILE *stream;
  bool comma; /* before the next member or element */
};

void json_put_start(struct json *json, const char *name, char bracket); /* '{' or '[' */
void json_put_end(struct json *json, char bracket);
/* If the text is not UTF-8, '?' replaces its bytes above 0x7f. */
void json_put_text(struct json *json, const char *name, const char *text);
void json_put_text_part(struct json *json, const char *name, const char *text, size_t length); /* its first bytes */
void json_put_integer(struct json *json, const char *name, int64_t value);
void json_put_bool(struct json *json, const char *name, bool value);
void json_put_null(struct json *json, const char *name);
/* Value of a variable as text: a number, a truth value or a string. */
void json_put_value(struct json *json, const char *name, const char *text);

#endif
