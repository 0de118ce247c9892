/* The system's C compiler, run as a child process. */
#ifndef FLOE_COMPILER_H
#define FLOE_COMPILER_H

#include "core/digest.h"
#include "core/reason.h"
#include "core/status.h"
#include "core/stop.h"

#include <limits.h>

#define COMPILER_MAX_WORDS 32

/* A command such as "cc" or "clang-14 --target=x86_64-linux-gnu": words are separated by blanks. */
struct compiler {
  char command[512]; /* the words, each ended by NUL */
  const char *words[COMPILER_MAX_WORDS];
  size_t word_count;
  char path[PATH_MAX]; /* the program found */
};

/* FLOE_ERROR_UNSUPPORTED with a reason where there is no such program. */
floe_status compiler_find(const char *command, struct compiler *out, struct reason *reason);

/* Adds to `hash` what a compiled file depends on: the program (path, size, time of change), its
   words, and, for code that is compiled for the machine it runs on, the processor. */
void compiler_identify(const struct compiler *compiler, struct digest *hash);

struct compiler_task {
  const char *source, *object;
  const char *folder;      /* for the compiler's own temporary files; NULL: where $TMPDIR says */
  double seconds;          /* that it may take */
  const struct stop *stop; /* NULL: nothing else ends it */
};

/* Compiles the source into the shared object. `flags` ends with NULL; the words of the command
   follow them, so that theirs prevail. FLOE_ERROR_UNSUPPORTED with a reason when it fails, leaves
   no file, takes too long or is stopped; in the last two cases it is killed, together with the
   processes it started, and *cut_short is true. */
floe_status compiler_run(const struct compiler *compiler, const char *const *flags, const struct compiler_task *task,
                         bool *cut_short, struct reason *reason);

#endif
