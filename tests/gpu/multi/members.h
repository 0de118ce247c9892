/* Members of a group as threads that hear of each other late and in any order, with devices on the imitated GPU: each
   stands for a process, of which some may have several devices. A failure fails the test. */
#ifndef FLOE_TEST_MEMBERS_H
#define FLOE_TEST_MEMBERS_H

#include "engine/comm/comm.h"
#include "engine/peer_links.h"
#include "tests/gpu/engine/engine_pair.h"

#include <stdatomic.h>

#define MOST_MEMBERS 4 /* processes */
#define MOST_HERE 3    /* devices of one */

struct member {
  const struct pair *pair;
  struct setting setting;
  bool on_cpu;
  unsigned devices; /* else; more than 1 for some: those of all are members (members_nest) */
  bool ahead;       /* of all: the first one begins alone (gpu/multi/first_attempt.h), and is `enough`, or not */
  bool enough, interrupted; /* what it comes to in that */
  atomic_bool interrupt;
  double interrupt_after, timeout; /* seconds from when all are ready, as to compile kernels takes any time; 0: never.
                                      The latter if no process has several devices. With `ahead` the former is from when
                                      the member follows */
  struct comm comm;
  floe_log *log;
  struct archive *archive;
  const struct recorder *recorder; /* of the first one; `recorded`: of all, that it has one */
  bool recorded;
  struct engine_outcome outcome;
  floe_status status;
  double seconds;
  uint64_t left; /* bytes that the devices were not given back */
  struct fake_counts counts;
  bool reached;                       /* by others (members_place) */
  struct peer_links links[MOST_HERE]; /* of its devices */
  unsigned first;                     /* the number of the first of them */
  const unsigned *device_counts;      /* of all; NULL: each has one */
  struct peer_link *said;             /* [MOST_MEMBERS * MOST_HERE] by all, when they are ready */
  pthread_barrier_t *barrier;         /* of all */
  atomic_uint *ready;
  pthread_t thread;
};

/* To the end, with 64 MiB for each; launches stop at random. */
struct setting members_plain(void);
/* `cpus`: a mask of the members that have no device. */
void members_make(struct member *members, unsigned size, unsigned cpus, uint64_t seed, const struct pair *pair,
                  const struct setting *setting);
/* Members have so many devices each; counts[] stays. */
void members_nest(struct member *members, unsigned size, const unsigned *counts);
/* The first `here` are on one machine, all others on another one; devices of a machine reach each other's memory. */
void members_place(struct member *members, unsigned size, unsigned here);
/* Their group takes states from devices' memory. */
void members_take_far(struct member *members, unsigned size);
/* All begin, or none: callers of an engine ensure that. */
void members_run(struct member *members, unsigned size);
void members_free(struct member *members, unsigned size);
/* All that is the same whatever the engine, and that each member had a part of it. */
void members_compare(const struct pair *pair, const struct engine_outcome *alone, const struct member *members,
                     unsigned size);

/* What members are to do, and what one CPU does. */
struct scene {
  struct pair pair;
  struct engine_outcome alone;
  unsigned size;
  struct member members[MOST_MEMBERS];
};

/* The first `here` on one machine, all others on another one. `cpus`: a mask of members without devices; `counts`: of
   devices; NULL: one each. */
void scene_begin(struct scene *scene, const struct subject *subject, const struct setting *setting, unsigned size,
                 unsigned here, unsigned cpus, const unsigned *counts);
void scene_end(struct scene *scene);

#endif
