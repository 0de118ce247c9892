/* Text that grows in an arena. */
#ifndef FLOE_TEXT_H
#define FLOE_TEXT_H

#include "core/arena.h"

struct text {
  struct arena *arena;
  char *bytes; /* NUL-terminated once anything was added */
  size_t length, capacity;
};

/* An ARENA_GUARD must be active. */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_list(struct text *text, const char *format, va_list args);

#endif
