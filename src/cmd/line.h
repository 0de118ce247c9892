/* Lines of a dialogue: edited, with history and completion, where a person types them. */
#ifndef FLOE_CMD_LINE_H
#define FLOE_CMD_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* The next line of standard input, without its end; `size` bytes at `line`. False: there are no more. On a terminal it
   is edited by libedit where that is installed: arrows, history of this run, TAB (files after "t ", else `words`, NULL
   at the end). Else, and from a pipe, it is read as it comes; from a pipe it is shown, so that the output reads as the
   dialogue that it was. */
bool line_read(const char *prompt, const char *const *words, char *line, size_t size);

#endif
