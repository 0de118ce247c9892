#include "core/text_buffer.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define FIRST_CAPACITY ((size_t)4096)

static void reserve_bytes(struct text_buffer *text, size_t length) {
  size_t capacity = text->capacity ? text->capacity : FIRST_CAPACITY;
  while (capacity <= text->length + length)
    capacity *= 2;
  if (capacity == text->capacity)
    return;
  char *bytes = arena_alloc(text->arena, capacity);
  if (text->length)
    memcpy(bytes, text->bytes, text->length);
  text->bytes = bytes;
  text->capacity = capacity;
}

void text_buffer_vprintf(struct text_buffer *text, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  size_t room = text->capacity - text->length;
  int length = vsnprintf(room ? text->bytes + text->length : NULL, room, format, args);
  assert(length >= 0);
  if ((size_t)length >= room) {
    reserve_bytes(text, (size_t)length);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
  }
  va_end(again);
  text->length += (size_t)length;
  assert(text->length < text->capacity && !text->bytes[text->length]);
}

void text_buffer_printf(struct text_buffer *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  text_buffer_vprintf(text, format, args);
  va_end(args);
}
