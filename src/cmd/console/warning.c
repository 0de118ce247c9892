#include "cmd/console/warning.h"

#include <string.h>

#define MOST_LINES 8

bool is_model_warning(const floe_message *message) {
  return message->severity == FLOE_WARNING && message->file && message->line;
}

/* The end of the quoted name or number that begins at `text`; `text` itself if none begins there. */
static const char *skip_particular(const char *text) {
  const char *end = *text == '\'' ? strchr(text + 1, '\'') : NULL;
  return end ? end + 1 : text + strspn(text, "0123456789");
}

bool is_same_kind(const char *a, const char *b) {
  for (;;) {
    const char *after_a = skip_particular(a), *after_b = skip_particular(b);
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

static bool are_one_kind(const floe_message *a, const floe_message *b) {
  return is_model_warning(a) && is_model_warning(b) && strcmp(a->file, b->file) == 0 &&
         is_same_kind(a->message, b->message);
}

bool is_repeated(const floe_log *log, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (are_one_kind(floe_log_at(log, k), floe_log_at(log, i)))
      return true;
  return false;
}

static void print_line_number(FILE *stream, size_t number, size_t count, unsigned line) {
  fprintf(stream, "%s%u", number == 0 ? "" : number + 1 == count ? " and " : ", ", line);
}

void put_similar_warnings(FILE *stream, const floe_log *log, size_t i) {
  size_t others = 0, shown = 0;
  for (size_t k = i + 1; k < floe_log_count(log); k++)
    others += are_one_kind(floe_log_at(log, i), floe_log_at(log, k));
  if (others == 0)
    return;
  fprintf(stream, "  and %zu more of this kind, in line%s ", others, others > 1 ? "s" : "");
  for (size_t k = i + 1; k < floe_log_count(log) && shown < MOST_LINES; k++)
    if (are_one_kind(floe_log_at(log, i), floe_log_at(log, k)))
      print_line_number(stream, shown++, others, floe_log_at(log, k)->line);
  fputs(others > shown ? ", ...\n" : "\n", stream);
}
