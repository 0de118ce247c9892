#include "cmd/progress.h"

#include "cmd/quantity.h"

#include <inttypes.h>
#include <unistd.h>

static bool line_open; /* on the terminal */

static void put_progress(const floe_progress *progress, void *user) {
  const bool *rewrite = user;
  char bytes[QUANTITY];
  fprintf(stderr,
          "%s%.1f s  depth %" PRIu32 "  states %" PRIu64 " (%.0f/s)  transitions %" PRIu64
          "  frontier %" PRIu64 "  duplicates %" PRIu64 "  table %.1f%%  memory %s%s",
          *rewrite ? "\r" : "", progress->seconds, progress->depth, progress->states,
          progress->rate, progress->transitions, progress->frontier, progress->duplicates,
          100 * progress->table_fill, byte_text(progress->bytes, bytes),
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
  settings->progress = put_progress;
  settings->progress_seconds = seconds;
  settings->user = &terminal;
}

void progress_end(void) {
  if (line_open)
    fputs("\r\033[K", stderr);
  line_open = false;
}
