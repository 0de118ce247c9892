/* Test transport between threads of one process: messages arrive late, at random, ordered only per pair of members
   and channel. Messages without a payload are passed by pointer. */
#ifndef FLOE_TEST_GROUP_THREADS_H
#define FLOE_TEST_GROUP_THREADS_H

#include "engine/comm/group.h"

/* Members 0 to size - 1. One thread at a time uses and closes each. The group is freed with its last member. False:
   no memory. `abort` ends the process with the code. A `close` that waits for longer than a minute, because a member
   does not receive, reports it and aborts. A member that closes receives and drops all messages. */
bool group_threads_make(unsigned size, uint64_t seed, struct group *out[]);

/* After `calls` more calls the member vanishes: its calls fail with FLOE_ERROR_IO, some of its sent messages are
   lost, and messages to it stay in flight until their sender closes. Its thread must close it. */
void group_threads_vanish(struct group *member, uint64_t calls);

/* Messages on a channel that arrived at closing members since the last group was made. */
size_t group_threads_dropped(enum group_channel channel);

#endif
