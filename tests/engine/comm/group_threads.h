/* A group whose members are threads of one process, for tests: messages come late, at random, and in any order but that
   of one pair and lane. What a member is given by `receive` is what another one sent, with no copy. */
#ifndef FLOE_TEST_GROUP_THREADS_H
#define FLOE_TEST_GROUP_THREADS_H

#include "engine/comm/group.h"

/* Members 0 to size - 1, each to be used, and closed, by one thread at a time. The group is freed with its last member.
   False: no memory. `abort` ends the process with the code. A `close` that waits for longer than a minute, since
   somebody does not take what was sent, says so and aborts. A member that closes takes all that comes and drops it. */
bool group_threads_make(unsigned size, uint64_t seed, struct group *out[]);

/* From its call `calls` on (0: the next) the member is gone: its calls fail with FLOE_ERROR_IO, some of what it has
   sent is lost, and what is sent to it stays under way until its sender closes. Its thread has to close it. */
void group_threads_vanish(struct group *member, uint64_t calls);

/* Messages of a lane that came to members that were closing, since the last group was made: nobody has seen them. */
size_t group_threads_dropped(enum group_channel channel);

#endif
