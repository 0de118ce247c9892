/* UTF-8, as much of it as messages and the check of a model file's encoding need. */
#ifndef FLOE_UTF8_H
#define FLOE_UTF8_H

#include <stddef.h>

/* Length in bytes (1..4) of the character at text[0], 0 when the bytes are no well-formed UTF-8
   (overlong forms, surrogates and values above U+10FFFF are not). `left` bytes may be read, at
   least one. */
size_t utf8_length(const char *text, size_t left);

/* Bytes of the character at text[0]; a byte that belongs to no character counts as one. */
size_t utf8_step(const char *text, size_t left);

/* Bytes of the control character at text[0]: those below U+0020, U+007F, and U+0080 to U+009F, which terminals heed as
   well. 0: it is none. */
size_t utf8_control(const char *text);

/* Copies at most `characters` characters to `out`, which has room for 4 bytes of each. What a
   terminal could take for a command (all controls but tab and newline) and what is no UTF-8 becomes
   '?'. Returns the number of bytes written, no NUL. */
size_t utf8_printable(char *out, const char *text, size_t length, size_t characters);

/* A path, or another text of the user's, as it may stand in a line of a message: as above, but tab
   and newline become '?' too, and what is too long is cut. Returns the text in `out`. */
struct utf8_shown {
  char text[4100];
};
const char *utf8_show(const char *text, struct utf8_shown *out);

#endif
