/* A sign of life to all other members of a group, every few seconds, while this one is at work on something that takes
   long and has nothing to say: they would take it for lost (post_is_lost). It listens, too. */
#ifndef FLOE_BEAT_H
#define FLOE_BEAT_H

#include "engine/comm/comm.h"

struct beat;

/* `asked` is set when one of them sends a LETTER_STOP; NULL: that is for others to take. NULL: there is no memory, or
   no thread, and no sign. */
struct beat *beat_begin(struct post *post, atomic_bool *asked);
void beat_end(struct beat *beat); /* NULL is allowed */

#endif
