/* Lists of names for messages, those first that resemble the one that was written. */
#ifndef FLOE_NEAREST_H
#define FLOE_NEAREST_H

#include <stddef.h>

/* Sorts `names`, nearest to `name` first; equally near ones stay in their order. */
void nearest_first(const char *name, const char **names, size_t count);

/* "'a', 'b' and 'c'", or with more than `most` names "'a', 'b' and 7 more", cut to the room. */
void nearest_list(char *out, size_t room, const char *const *names, size_t count, size_t most);

#endif
