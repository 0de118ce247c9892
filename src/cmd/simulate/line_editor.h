/* Lines of a dialogue: edited, with history and completion, where a person types them. */
#ifndef FLOE_CMD_LINE_H
#define FLOE_CMD_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* What TAB may make of a line. */
struct line_offers;

/* Offers lines for one that is typed as far as `typed`: those of them that begin so are kept, so that more may be
   offered. */
typedef void line_completer(void *user, const char *typed, struct line_offers *offers);
void line_offer(struct line_offers *offers, const char *line);
/* The same of all files whose path begins with `path`, which is what stands behind `before` in the line. */
void line_offer_files(struct line_offers *offers, const char *before, const char *path);

/* The next line of standard input, without its end; `size` bytes at `line`. False: there are no more. Where standard
   input and output are a terminal with a cursor, it is edited by a library that configure chose and that is installed:
   arrows, history of this run, TAB. Else it is read as it comes; what is not from a terminal is shown, so that the
   output reads as the dialogue that it was. */
bool line_read(const char *prompt, line_completer *complete, void *user, char *line, size_t size);

#endif
