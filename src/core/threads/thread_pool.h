/* Thread pool that works in phases: all threads run the same function, then meet at a barrier. The caller is thread
   0, so that a pool of one has no thread and no overhead. */
#ifndef FLOE_CORE_THREADS_THREAD_POOL_H
#define FLOE_CORE_THREADS_THREAD_POOL_H

#include "core/status.h"

struct thread_pool;

/* Fewer threads than requested if the system refuses more: see pool_size. */
floe_status pool_create(unsigned threads, struct thread_pool **out);
void pool_free(struct thread_pool *pool); /* NULL is allowed */
unsigned pool_size(const struct thread_pool *pool);

/* Runs work(user, thread) for every thread 0..pool_size-1 concurrently; returns when all have finished. The threads see
   everything written before, and the caller sees what they wrote. */
void pool_run(struct thread_pool *pool, void (*work)(void *user, unsigned thread), void *user);

/* Idle seconds of all threads in all phases: waking up, or waiting for the last thread. */
double pool_idle_seconds(const struct thread_pool *pool);

#endif
