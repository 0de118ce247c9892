/* A crew of threads that work in phases: everybody runs the same function, then all meet.
   The caller is member 0, so a crew of one has no thread of its own and no cost. */
#ifndef FLOE_CREW_H
#define FLOE_CREW_H

#include "core/status.h"

struct thread_pool;

/* Fewer threads than asked for when the system gives no more: pool_size tells. */
floe_status pool_create(unsigned threads, struct thread_pool **out);
void pool_free(struct thread_pool *pool); /* NULL is allowed */
unsigned pool_size(const struct thread_pool *pool);

/* Runs work(user, member) for every member 0..pool_size-1 at once; returns when all are done. What
   was written before is seen by all members, and what they wrote by the caller afterwards. */
void pool_run(struct thread_pool *pool, void (*work)(void *user, unsigned member), void *user);

/* Seconds of all members together, over all phases so far, in which they did not work: not yet awake, or waiting for
   the last one. */
double pool_idle_seconds(const struct thread_pool *pool);

#endif
