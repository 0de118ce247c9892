/* HTML text: what comes from a model or a command line is escaped, whatever it holds. */
#ifndef FLOE_CMD_HTML_H
#define FLOE_CMD_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The text with <, >, &, quotes as entities; bytes that are no UTF-8 and control characters that
   HTML does not have become U+FFFD. Right in elements and in attributes with quotes. */
void html_put(FILE *stream, const char *text, size_t length);
void html_text(FILE *stream, const char *text);
/* No more than so many bytes of it, three dots for the rest. */
void html_cut(FILE *stream, const char *text, size_t most);

/* 1234567 as "1 234 567" with thin spaces that do not break. */
void html_number(FILE *stream, uint64_t number);

/* States per level as an SVG picture: columns, of several levels each where there are too many. */
void html_chart(FILE *stream, const uint64_t *levels, size_t count);

#endif
