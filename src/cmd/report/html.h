/* HTML text. Texts from a model or a command line are escaped. */
#ifndef FLOE_CMD_REPORT_HTML_H
#define FLOE_CMD_REPORT_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Begins an element that scrolls, also by the keyboard. */
#define HTML_SCROLL(class, label)                                                                                      \
  "<div class=\"scroll " class "\" tabindex=\"0\" role=\"group\" aria-label=\"" label "\">"

/* Writes the text with <, >, & and quotes as entities; invalid UTF-8 and control characters that HTML does not allow
   become U+FFFD. Valid in elements and in quoted attributes. */
void html_put(FILE *stream, const char *text, size_t length);
void html_text(FILE *stream, const char *text);
/* At most `most` bytes of the text, then an ellipsis. */
void html_cut(FILE *stream, const char *text, size_t most);

/* A JSON text for a script element: no `<` ends the element or begins a comment. */
void html_json(FILE *stream, const char *text, size_t length);

/* 1234567 as "1 234 567" with narrow no-break spaces. */
void html_number(FILE *stream, uint64_t number);

/* States per level as an SVG bar chart; a bar stands for several levels if there are too many. */
void html_chart(FILE *stream, const uint64_t *levels, size_t count);

#endif
