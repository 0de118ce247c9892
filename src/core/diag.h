/* Diagnostics: errors, warnings and notes about the model with their places, collected in a floe_log
   (floe_common.h). Nothing is printed here. */
#ifndef FLOE_CORE_DIAG_H
#define FLOE_CORE_DIAG_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

/* Position in the sources of a model: the `base` of a source plus a byte offset in its text. NOWHERE has no line. */
typedef uint32_t source_at;
#define NOWHERE UINT32_MAX

/* Text with positions: `at[i]` is the position of byte text[i] in the file, at[length] that of its end. */
struct located_text {
  const char *text; /* NUL-terminated, entities decoded */
  size_t length;
  const source_at *at; /* length + 1 entries */
};

/* A file. The model's own file and those that it includes are a list in the order of their positions, which no two
   share; `at` of any of them, with the first one, gives file, line and column. */
struct source {
  const char *name; /* as the user wrote it */
  const char *text;
  size_t length;
  source_at base;            /* position of text[0]; 0: the model's own file */
  const struct source *next; /* NULL: none */
};

/* The source of the list that holds the position; its end belongs to it. */
const struct source *source_find(const struct source *first, source_at at);
/* The first position after all sources of the list. */
source_at source_end(const struct source *first);
/* Name of the included file that holds the position; "": the model's own file does, or NOWHERE. */
const char *source_included_file(const struct source *first, source_at at);

/* Adds an error, warning or note at `at` of the list `source` (NULL, NOWHERE: without a line). `hint` may be NULL. A
   repeated message at the same position is kept once. After 20 errors further errors are only counted, and so is one
   for which there is no memory; after 100 warnings further ones are counted with the first one of their kind, of which
   at least one is kept for each of 100 kinds. `format` and all strings are copied. */
void diag_error(floe_log *log, const struct source *source, source_at at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void diag_warning(floe_log *log, const struct source *source, source_at at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void diag_note(floe_log *log, const struct source *source, source_at at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Logs that memory is exhausted: FLOE_ERROR_MEMORY. */
floe_status no_memory(floe_log *log);
/* Copies the messages of `from`, without positions and excerpts. diag_pass_on_as_warnings: for a failed attempt that
   was replaced by another; errors become warnings without hints. */
void diag_pass_on(const floe_log *from, floe_log *to);
void diag_pass_on_as_warnings(const floe_log *from, floe_log *to);
size_t diag_errors(const floe_log *log); /* number of errors */

/* Line and column (both from 1; columns count characters, not bytes). */
void source_position(const struct source *source, source_at at, unsigned *line, unsigned *column);

/* The candidate most similar to `name`: equal except for case, or with an edit distance of at most a third of its
   length, at least 1. NULL: none. */
const char *most_similar_name(const char *name, const char *const *candidates, size_t count);

#endif
