#include "cmd/console/message.h"

#include "base/utf8.h"
#include "cmd/console/excerpt.h"
#include "cmd/console/exit_code.h"
#include "cmd/console/warning.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const severity_names[] = {"note", "warning", "error"};
static const char *const severity_colours[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};

bool use_colour(FILE *stream) {
  const char *no_colour = getenv("NO_COLOR");
  const char *terminal = getenv("TERM");
  return (!no_colour || !*no_colour) && isatty(fileno(stream)) && terminal && strcmp(terminal, "dumb") != 0;
}

static void put_severity(floe_severity severity) {
  bool colour = use_colour(stderr);
  fprintf(stderr, "%s%s:%s ", colour ? severity_colours[severity] : "", severity_names[severity],
          colour ? "\033[0m" : "");
}

const char *printable(const char *text) {
  static struct utf8_shown buffers[5];
  static unsigned next_buffer;
  const char *clean = utf8_show(text, &buffers[next_buffer % 5]);
  if (strcmp(clean, text) == 0)
    return text;
  next_buffer++;
  return clean;
}

static size_t plain_length(const char *text) {
  size_t length = 0;
  while (text[length] >= ' ' && text[length] < 0x7F)
    length++;
  return length;
}

size_t put_printable(FILE *stream, const char *text) {
  size_t written = 0;
  while (*text) {
    size_t length = plain_length(text);
    fwrite(text, 1, length, stream);
    text += length;
    written += length;
    if (!*text)
      break;
    char one[4];
    const size_t left = strnlen(text, sizeof one), size = utf8_control(text) ? 0 : utf8_length(text, left);
    if (size)
      fwrite(text, 1, size, stream);
    else
      fputc('?', stream);
    written += size ? size : 1;
    text += utf8_step(text, left);
  }
  return written;
}

static void put_hint(const char *hint) {
  if (hint)
    fprintf(stderr, "  %s\n", printable(hint));
}

void print_error(const char *hint, const char *format, ...) {
  char text[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fputs("floe: ", stderr);
  put_severity(FLOE_ERROR);
  fprintf(stderr, "%s\n", printable(text));
  put_hint(hint);
}

static void put_place(const floe_message *message) {
  if (!message->file)
    fputs("floe: ", stderr);
  else if (!message->line)
    fprintf(stderr, "%s: ", printable(message->file));
  else
    fprintf(stderr, "%s:%u:%u: ", printable(message->file), message->line, message->column);
}

static bool is_blank(const char *line) { return !line || !line[strspn(line, " \t\r")]; }

static void put_message(const floe_message *message) {
  put_place(message);
  put_severity(message->severity);
  fprintf(stderr, "%s\n", message->message);
  if (message->column && !is_blank(message->excerpt))
    put_excerpt(stderr, message->excerpt, message->column);
  put_hint(message->hint);
}

static bool no_model_warnings;

void suppress_model_warnings(void) { no_model_warnings = true; }

static void put_messages(const floe_log *log) {
  for (size_t i = 0; i < floe_log_count(log); i++) {
    const floe_message *message = floe_log_at(log, i);
    if (is_model_warning(message) && (no_model_warnings || is_repeated(log, i)))
      continue;
    put_message(message);
    put_similar_warnings(stderr, log, i);
  }
}

void print_log(floe_log *log) {
  put_messages(log);
  size_t errors = floe_log_errors(log), dropped = floe_log_dropped(log);
  if (dropped && dropped == errors) { /* no memory even for the first one */
    put_severity(FLOE_ERROR);
    fprintf(stderr, "out of memory\n");
  } else if (dropped)
    fprintf(stderr, "%zu errors, of which %zu are not shown\n", errors, dropped);
  else if (errors > 1)
    fprintf(stderr, "%zu errors\n", errors);
  floe_log_clear(log);
}

int print_failure(floe_status status, floe_log *log) {
  bool logged = floe_log_errors(log) > 0;
  print_log(log);
  if (!logged)
    print_error(NULL, "%s", floe_status_name(status));
  switch (status) {
  case FLOE_OK:
  case FLOE_ERROR_INTERNAL:
    break;
  case FLOE_ERROR_MEMORY:
  case FLOE_ERROR_INTERRUPTED:
    return EXIT_UNDECIDED;
  case FLOE_ERROR_MODEL:
  case FLOE_ERROR_USAGE:
  case FLOE_ERROR_IO:
  case FLOE_ERROR_UNSUPPORTED:
    return EXIT_USAGE;
  }
  return EXIT_INTERNAL;
}
