/* A note on texts that are probably written in another language than the one that their file name selects. */
#ifndef FLOE_API_LANGUAGE_NOTE_H
#define FLOE_API_LANGUAGE_NOTE_H

#include "model/language.h"

/* `language` refused the text: `log` has its errors. Adds a note if the first error is at the first word of the text
   and the text begins like one in another language, or if neither name nor text shows a language. Memory from `arena`,
   whose guard is active. */
void language_note(const struct language *language, const struct source *source, struct arena *arena, floe_log *log);

#endif
