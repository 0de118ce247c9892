/* The system's C compiler, run as a child process. */
#ifndef FLOE_STEP_COMPILE_COMPILER_H
#define FLOE_STEP_COMPILE_COMPILER_H

#include "core/reason.h"
#include "core/status.h"
#include "core/system/digest.h"
#include "core/threads/stop.h"

#include <limits.h>

#define COMPILER_MAX_WORDS 32

/* A command such as "cc" or "clang-14 --target=x86_64-linux-gnu": words are separated by blanks. */
struct compiler {
  char command[512]; /* the words, each ended by NUL */
  const char *words[COMPILER_MAX_WORDS];
  size_t word_count;
  char path[PATH_MAX]; /* the program found */
};

/* FLOE_ERROR_UNSUPPORTED with a reason if there is no such program. */
floe_status compiler_find(const char *command, struct compiler *out, struct reason *reason);

/* Adds to `hash` everything that a compiled file depends on: the program (path, size, modification time), its command
   words, and the processor, because code is compiled for the machine that runs it. */
void compiler_identify(const struct compiler *compiler, struct digest *hash);

struct compiler_task {
  const char *source, *object;
  const char *folder;      /* for the compiler's temporary files; NULL: the default of $TMPDIR */
  double seconds;          /* time limit */
  const struct stop *stop; /* NULL: only the time limit ends it */
};

/* Compiles the source into the shared object. `flags` ends with NULL; the command's words follow them and so take
   precedence. FLOE_ERROR_UNSUPPORTED with a reason if the compiler fails, produces no file, exceeds the time limit or
   is stopped. In the last two cases it is killed with the processes it started, and *cut_short is true. */
floe_status compiler_run(const struct compiler *compiler, const char *const *flags, const struct compiler_task *task,
                         bool *cut_short, struct reason *reason);

#endif
