/* Prints a source line with a caret under one character. */
#ifndef FLOE_CMD_CONSOLE_EXCERPT_H
#define FLOE_CMD_CONSOLE_EXCERPT_H

#include <stdio.h>

/* `line` is UTF-8; invalid bytes are printed as '?'. `column` counts characters from 1. A line wider than a terminal
   is cut to the part around the column. */
void put_excerpt(FILE *stream, const char *line, unsigned column);

#endif
