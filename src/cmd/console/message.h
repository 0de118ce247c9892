/* Messages on standard error. */
#ifndef FLOE_CMD_CONSOLE_MESSAGE_H
#define FLOE_CMD_CONSOLE_MESSAGE_H

#include "floe_common.h"

#include <stdio.h>

/* "floe: error: ...", then the hint on its own line (NULL: none). */
void print_error(const char *hint, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints all messages of the log with file:line:column, source line, caret and hint, then the number of errors if
   there are several; empties the log. Of similar model warnings it prints the first, with the lines of the others. */
void print_log(floe_log *log);
void suppress_model_warnings(void); /* from now on */

/* Prints the log and returns the exit code of a status other than FLOE_OK. If the log has no error, prints the name of
   the status. */
int print_failure(floe_status status, floe_log *log);

/* `text` without control characters, for one line on a terminal: for paths, values and texts that come from the user.
   Returns `text` itself if it has none, else a copy that stays valid for four further calls. */
const char *printable(const char *text);

/* Writes a text of a model or another file without control characters, at any length, uncut. All texts that are not
   floe's own go through one of these two functions. Returns the bytes written. */
size_t put_printable(FILE *stream, const char *text);

/* True if escape sequences may be written: a terminal, and NO_COLOR is not set. */
bool use_colour(FILE *stream);

#endif
