#include "api/trace/printed.h"

#include "model/interpreter/interpreter.h"

#include <inttypes.h>

#define ASCII 0x80

static const char *value_as(const struct printed_part *part, int64_t value, struct arena *arena) {
  switch (part->form) {
  case 'c': /* other bytes are no characters of UTF-8 */
    return value > 0 && value < ASCII ? arena_printf(arena, "%c", (char)value) : "?";
  case 'e':
    return named_value(part->names, value, arena);
  case 'u':
    return arena_printf(arena, "%" PRIu32, (uint32_t)value);
  case 'o':
    return arena_printf(arena, "%" PRIo32, (uint32_t)value);
  case 'x':
    return arena_printf(arena, "%" PRIx32, (uint32_t)value);
  default:
    return arena_printf(arena, "%" PRId64, value);
  }
}

/* "?": the value cannot be evaluated. */
const char *printed_text(const struct model *model, const struct transition *transition, const int64_t *values,
                         struct arena *arena) {
  const char *text = "";
  for (size_t i = 0; i < transition->printed_count; i++) {
    const struct printed_part *part = &transition->printed[i];
    const char *next = part->text;
    int64_t value;
    if (part->value)
      next = interpreter_eval(model, part->value, values, NULL, NULL, &value) == NO_SITE ? value_as(part, value, arena)
                                                                                         : "?";
    text = arena_printf(arena, "%s%s", text, next);
  }
  return text;
}
