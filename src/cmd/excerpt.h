/* A source line with a caret under one of its characters. */
#ifndef FLOE_CMD_EXCERPT_H
#define FLOE_CMD_EXCERPT_H

#include <stdio.h>

/* `line` is UTF-8 (bytes that are not are shown as '?'), `column` counts characters from 1. A line
   that is too wide for a terminal is cut to the part around the column. */
void put_excerpt(FILE *stream, const char *line, unsigned column);

#endif
