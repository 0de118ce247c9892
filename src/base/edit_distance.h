/* Edit distance of two words, for suggestions. The caller decides which distance is small enough. */
#ifndef FLOE_BASE_EDIT_DISTANCE_H
#define FLOE_BASE_EDIT_DISTANCE_H

#include <stddef.h>

#define EDIT_LONGEST 64 /* longest word */

/* Number of edits (insert, delete, replace, swap two neighbours) that turn a (m characters) into b (n characters); both
   of at most EDIT_LONGEST. Optimal string alignment: no character is edited twice. */
size_t edit_distance(const char *a, size_t m, const char *b, size_t n);

#endif
