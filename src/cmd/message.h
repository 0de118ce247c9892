/* Messages on standard error. */
#ifndef FLOE_CMD_MESSAGE_H
#define FLOE_CMD_MESSAGE_H

#include "floe_common.h"

#include <stdio.h>

/* "floe: error: ..." and, unless it is NULL, the hint on a line of its own. */
void complain(const char *hint, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* All messages of the log: file:line:column, source line, caret, hint; of the warnings about a model only the first of
   each kind, with the lines of the others; then the number of errors, where there is more than one. Empties it. */
void print_log(floe_log *log);
void leave_out_model_warnings(void); /* from now on */

/* The exit code for a status other than FLOE_OK. Says what it is when `log` holds no error that
 * does. */
int explain(floe_status status, floe_log *log);

/* What comes from the user (paths, values, texts of files) as it may stand in a line on a terminal,
   without control characters: `text` itself where it has none, else a copy, which four further
   calls leave alone. */
const char *printable(const char *text);

/* Writes a text of a model, or of another file, as it may stand in a line on a terminal: the same of any length, in
   parts that are not cut. All texts that are not floe's own go through one of both. Returns the bytes written. */
size_t put_printable(FILE *stream, const char *text);

/* True where escape sequences are welcome: a terminal, NO_COLOR not set. */
bool colourful(FILE *stream);

#endif
