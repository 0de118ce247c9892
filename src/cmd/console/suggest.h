/* Finds the word that a mistyped word resembles most. */
#ifndef FLOE_CMD_CONSOLE_SUGGEST_H
#define FLOE_CMD_CONSOLE_SUGGEST_H

#include <stddef.h>

/* The candidate with the smallest edit distance to the first `length` bytes of `word`. The distance is at most a third
   of the length, or 1. NULL: none is that similar. */
const char *nearest_word(const char *word, size_t length, const char *const *candidates, size_t count);

#endif
