/* Lists of names for messages, the most similar first. */
#ifndef FLOE_CORE_SIMILAR_NAMES_H
#define FLOE_CORE_SIMILAR_NAMES_H

#include <stddef.h>

/* Sorts `names` by similarity to `name`, the most similar first; stable. */
void sort_by_similarity(const char *name, const char **names, size_t count);

/* "'a', 'b' and 'c'", or with more than `most` names "'a', 'b' and 7 more", truncated to the room. */
void similar_names_list(char *out, size_t room, const char *const *names, size_t count, size_t most);

#endif
