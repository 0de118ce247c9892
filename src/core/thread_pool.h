/* A crew of threads that work in phases: everybody runs the same function, then all meet.
   The caller is member 0, so a crew of one has no thread of its own and no cost. */
#ifndef FLOE_CREW_H
#define FLOE_CREW_H

#include "core/status.h"

struct crew;

/* Fewer threads than asked for when the system gives no more: crew_size tells. */
floe_status crew_create(unsigned threads, struct crew **out);
void crew_free(struct crew *crew); /* NULL is allowed */
unsigned crew_size(const struct crew *crew);

/* Runs work(user, member) for every member 0..crew_size-1 at once; returns when all are done. What
   was written before is seen by all members, and what they wrote by the caller afterwards. */
void crew_run(struct crew *crew, void (*work)(void *user, unsigned member), void *user);

/* Seconds of all members together, over all phases so far, in which they did not work: not yet awake, or waiting for
   the last one. */
double crew_waited(const struct crew *crew);

#endif
