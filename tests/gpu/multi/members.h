/* Members of a group as threads on emulated GPUs; messages are delayed and reordered. Each stands for a process, which
   may have several GPUs. A failure fails the test. */
#ifndef FLOE_TESTS_GPU_MULTI_MEMBERS_H
#define FLOE_TESTS_GPU_MULTI_MEMBERS_H

#include "api/attempts/attempts.h"
#include "engine/comm/comm.h"
#include "engine/peer_links.h"
#include "tests/gpu/engine/engine_pair.h"

#include <stdatomic.h>

#define MOST_MEMBERS 4 /* processes */
#define MOST_HERE 3    /* devices of one */

/* How members reach each other. */
struct member_wiring {
  bool reached;                       /* `links` is used (members_place) */
  struct peer_links links[MOST_HERE]; /* of its devices */
  const unsigned *device_counts;      /* of all members; NULL: one each */
  struct peer_link *published;        /* [MOST_MEMBERS * MOST_HERE] by all members when they are ready */
  pthread_barrier_t *barrier;         /* of all members */
  atomic_uint *ready;
};

struct member {
  const struct pair *pair;
  struct setting setting;
  bool on_cpu;
  unsigned devices; /* otherwise: number of GPUs; each is a member if some process has several (members_nest) */
  bool ahead;       /* all members: the first GPU begins alone (api/attempts/attempts.h) */
  bool all_began;   /* or prepared to */
  atomic_bool interrupt;
  double interrupt_after, timeout; /* seconds after all members are ready, as compilation may take any time; 0: never.
                                      `timeout` only if no process has several GPUs. With `ahead`, interrupt_after
                                      counts from the start */
  struct comm comm;
  floe_log *log;
  struct archive *archive;
  const struct recorder *recorder; /* of the first member; recorded: of all members, there is one */
  bool recorded;
  struct engine_outcome outcome;
  floe_status status;
  double seconds;
  uint64_t left; /* bytes of device memory that were not freed */
  struct fake_counts counts;
  unsigned first; /* number of its first GPU */
  struct member_wiring wiring;
  pthread_t thread, interrupter;
  struct attempts attempts;
};

/* A complete search, with 64 MiB for each GPU; launches stop at random. */
struct setting members_plain(void);
/* `cpus`: mask of the members without GPU. */
void members_make(struct member *members, unsigned size, unsigned cpus, uint64_t seed, const struct pair *pair,
                  const struct setting *setting);
/* Number of GPUs of each member; counts[] must live as long. */
void members_nest(struct member *members, unsigned size, const unsigned *counts);
/* The first `here` members are on one machine, the others on another; GPUs of a machine access each other's memory. */
void members_place(struct member *members, unsigned size, unsigned here);
/* The group sends states from device memory. */
void members_send_from_device(struct member *members, unsigned size);
/* Either all members begin or none, as callers of an engine ensure. */
void members_run(struct member *members, unsigned size);
void members_free(struct member *members, unsigned size);
/* Compares everything that does not depend on the engine; each member must have done a part. */
void members_compare(const struct pair *pair, const struct engine_outcome *alone, const struct member *members,
                     unsigned size);

/* Members and the outcome of one CPU. */
struct scene {
  struct pair pair;
  struct engine_outcome alone;
  unsigned size;
  struct member members[MOST_MEMBERS];
};

struct member_group {
  unsigned size, here;           /* members; the first `here` are on one machine, the others on another */
  unsigned cpus;                 /* mask of the members without GPU */
  const unsigned *device_counts; /* GPUs of each member; NULL: one each */
};
void scene_begin(struct scene *scene, const struct subject *subject, const struct setting *setting,
                 const struct member_group *group);
void scene_end(struct scene *scene);

#endif
