#include "cmd/progress.h"

#include "cmd/quantity.h"

#include <inttypes.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LONGEST = 400, USUAL_COLUMNS = 80 };

static bool line_open; /* the terminal shows a progress line */

static size_t format_progress(const floe_progress *progress, char line[LONGEST]) {
  char bytes[QUANTITY];
  int n = progress->activity ? snprintf(line, LONGEST, "%.1f s  %s", progress->seconds, progress->activity)
                             : snprintf(line, LONGEST,
                                        "%.1f s  depth %" PRIu32 "  states %" PRIu64 " (%.0f/s)  transitions %" PRIu64
                                        "  frontier %" PRIu64 "  duplicates %" PRIu64 "  table %.1f%%  memory %s",
                                        progress->seconds, progress->depth, progress->states, progress->rate,
                                        progress->transitions, progress->frontier, progress->duplicates,
                                        100 * progress->table_fill, byte_text(progress->bytes, bytes));
  return n < LONGEST ? (size_t)n : LONGEST - 1;
}

/* One column less than the terminal has: writing the last column would move to the next line. */
static size_t columns(void) {
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
    return size.ws_col - 1u;
  return USUAL_COLUMNS - 1;
}

/* On a terminal the line is cut to its width; a longer one would scroll instead of being overwritten. */
static void print_progress(const floe_progress *progress, void *user) {
  const bool *rewrite = user;
  char line[LONGEST];
  size_t length = format_progress(progress, line), most = *rewrite ? columns() : length;
  fprintf(stderr, "%s%.*s%s", *rewrite ? "\r" : "", (int)(length < most ? length : most), line,
          *rewrite ? "\033[K" : "\n");
  fflush(stderr);
  line_open = *rewrite;
}

void progress_begin(const struct options *options, floe_options *settings) {
  static bool terminal;
  terminal = isatty(STDERR_FILENO);
  double seconds = GIVEN(options, progress) ? options->progress : terminal && !options->quiet;
  if (seconds <= 0)
    return;
  settings->progress = print_progress;
  settings->progress_seconds = seconds;
  settings->user = &terminal;
}

void progress_end(void) {
  if (line_open)
    fputs("\r\033[K", stderr);
  line_open = false;
}
