/* How far apart two words are, for suggestions. What is near enough is for who suggests. */
#ifndef FLOE_EDIT_DISTANCE_H
#define FLOE_EDIT_DISTANCE_H

#include <stddef.h>

#define EDIT_LONGEST 64 /* letters of a word */

/* Edits (insert, delete, replace, swap two neighbours) that turn a, m letters, into b, n letters; both of at most
   EDIT_LONGEST. Optimal string alignment: no letter is edited twice. */
size_t edit_distance(const char *a, size_t m, const char *b, size_t n);

#endif
