/* UTF-8 for messages and for checking a model file's encoding. */
#ifndef FLOE_BASE_UTF8_H
#define FLOE_BASE_UTF8_H

#include <stddef.h>

/* Length in bytes (1..4) of the character at text[0], 0 if the bytes are not well-formed UTF-8 (overlong forms,
   surrogates and values above U+10FFFF are not). `left` bytes may be read, at least one. */
size_t utf8_length(const char *text, size_t left);

/* Bytes of the character at text[0]; an invalid byte counts as one. */
size_t utf8_step(const char *text, size_t left);

/* Bytes of the control character at text[0]: below U+0020, U+007F, and U+0080 to U+009F, which terminals interpret
   as well. 0: it is not one. */
size_t utf8_control(const char *text);

/* Copies at most `characters` characters to `out`, which has 4 bytes for each. Control characters except tab and
   newline, and invalid UTF-8, become '?'. Returns the number of bytes written; no NUL. */
size_t utf8_printable(char *out, const char *text, size_t length, size_t characters);

/* A path or other text of the user in one line of a message: as above, but tab and newline become '?' too, and the
   text is truncated. Returns the text in `out`. */
struct utf8_shown {
  char text[4100];
};
const char *utf8_show(const char *text, struct utf8_shown *out);

#endif
