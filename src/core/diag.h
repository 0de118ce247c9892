/* Diagnostics: what is wrong where in the model, collected in a floe_log (floe_common.h), never printed here. */
#ifndef FLOE_DIAG_H
#define FLOE_DIAG_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

/* A place in a source text: byte offset from the start of the file. NOWHERE has no line. */
typedef uint32_t source_at;
#define NOWHERE UINT32_MAX

/* A text with positions: `at[i]` is the place of byte text[i] in the file, at[length] that of its end. */
struct located_text {
  const char *text; /* NUL-terminated, entities decoded */
  size_t length;
  const source_at *at; /* length + 1 entries */
};

struct source {
  const char *name; /* as the user wrote it, for messages */
  const char *text;
  size_t length;
};

/* Adds an error, warning or note at `at` of `source` (NULL, NOWHERE: without a line). `hint` may be NULL. The same
   message at the same place is kept once. After 20 errors further ones are counted only, and so is one for which there
   is no memory; after 100 warnings further ones are dropped. `format` and all strings are copied. */
void diag_error(floe_log *log, const struct source *source, source_at at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void diag_warning(floe_log *log, const struct source *source, source_at at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void diag_note(floe_log *log, const struct source *source, source_at at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Tells that memory has ended: FLOE_ERROR_MEMORY. */
floe_status no_memory(floe_log *log);
/* Adds what `from` has, without places and excerpts; where what failed was given up and something else did, errors are
   warnings, without their hints, which are to do that (diag_pass_on_as_warnings). */
void diag_pass_on(const floe_log *from, floe_log *to);
void diag_pass_on_as_warnings(const floe_log *from, floe_log *to);
size_t diag_errors(const floe_log *log); /* errors so far */

/* Line and column (both from 1; columns count characters, not bytes). */
void source_position(const struct source *source, source_at at, unsigned *line, unsigned *column);

/* The candidate nearest to `name` (the same but for capitals, else an edit distance of at most a third of its length,
   at least 1), or NULL. */
const char *nearest_name(const char *name, const char *const *candidates, size_t count);

#endif
