#include "cmd/console/warning.h"

#include "base/message_kind.h"

#include <string.h>

#define MOST_LINES 8

bool is_model_warning(const floe_message *message) {
  return message->severity == FLOE_WARNING && message->file && message->line;
}

static bool are_one_kind(const floe_message *a, const floe_message *b) {
  return is_model_warning(a) && is_model_warning(b) && strcmp(a->file, b->file) == 0 &&
         message_same_kind(a->message, b->message);
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
  size_t others = floe_log_similar(log, i), shown = 0;
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
