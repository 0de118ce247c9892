/* What a mistyped word was meant to be. */
#ifndef FLOE_CMD_SUGGEST_H
#define FLOE_CMD_SUGGEST_H

#include <stddef.h>

/* The candidate nearest to the first `length` bytes of `word`: at most a third of them wrong, at
   least one is allowed. NULL: none is near. */
const char *nearest(const char *word, size_t length, const char *const *candidates, size_t count);

#endif
