/* Growing text in an arena. */
#ifndef FLOE_CORE_TEXT_BUFFER_H
#define FLOE_CORE_TEXT_BUFFER_H

#include "core/arena.h"

struct text_buffer {
  struct arena *arena;
  char *bytes; /* NUL-terminated once anything was added */
  size_t length, capacity;
};

/* An ARENA_GUARD must be active. */
void text_buffer_printf(struct text_buffer *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_buffer_vprintf(struct text_buffer *text, const char *format, va_list args);

#endif
