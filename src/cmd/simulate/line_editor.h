/* Reads command lines: on a terminal with editing, history and completion. */
#ifndef FLOE_CMD_SIMULATE_LINE_EDITOR_H
#define FLOE_CMD_SIMULATE_LINE_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

/* The completions that TAB shows. */
struct completions;

/* Adds candidates for the line typed so far; completion_add drops those that do not begin with `typed`. */
typedef void completion_callback(void *user, const char *typed, struct completions *completions);
void completion_add(struct completions *completions, const char *line);
/* Adds all files whose path begins with `path`. `before` is the part of the line before the path. */
void completion_add_files(struct completions *completions, const char *before, const char *path);

/* Reads the next line of standard input, without its end, into `line` of `size` bytes. False: end of input. If standard
   input and output are a terminal with a cursor, a library found by configure and installed at run time edits the line:
   arrows, history of this run, TAB. Otherwise the line is read as it comes, and echoed unless it comes from a terminal,
   so that the output shows the whole session. */
bool line_read(const char *prompt, completion_callback *complete, void *user, char *line, size_t size);

#endif
