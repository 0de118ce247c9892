/* Kinds of messages: those that differ only in quoted names and numbers. */
#ifndef FLOE_BASE_MESSAGE_KIND_H
#define FLOE_BASE_MESSAGE_KIND_H

#include <stdbool.h>
#include <string.h>

/* The end of the quoted name or number that begins at `text`; `text` itself if none begins there. */
static inline const char *message_skip_particular(const char *text) {
  const char *end = *text == '\'' ? strchr(text + 1, '\'') : NULL;
  return end ? end + 1 : text + strspn(text, "0123456789");
}

static inline bool message_same_kind(const char *a, const char *b) {
  for (;;) {
    const char *after_a = message_skip_particular(a), *after_b = message_skip_particular(b);
    if ((after_a != a) != (after_b != b))
      return false;
    a = after_a;
    b = after_b;
    if (*a != *b)
      return false;
    if (!*a)
      return true;
    a++;
    b++;
  }
}

#endif
