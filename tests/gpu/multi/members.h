/* Carriers of a search: one process with several GPUs, or a group of processes with GPUs or CPUs. Processes are
   threads; messages between them are delayed and reordered. A failure fails the test. */
#ifndef FLOE_TESTS_GPU_MULTI_MEMBERS_H
#define FLOE_TESTS_GPU_MULTI_MEMBERS_H

#include "api/attempts/attempts.h"
#include "engine/comm/comm.h"
#include "engine/peer_links.h"
#include "tests/gpu/engine/engine_pair.h"

#include <stdatomic.h>

#define MOST_PROCESSES 5
#define MOST_GPUS 10 /* of one process */
#define ALL_CPUS 0xff

/* How members are made, and what they reach. Each GPU is a member, and each process without GPU. */
struct carrier {
  unsigned processes;            /* 1: no group of processes */
  unsigned gpus[MOST_PROCESSES]; /* of each process; gpus[0] == 0: one each */
  unsigned cpus;                 /* mask of the processes without GPU, if gpus[0] == 0 */
  unsigned here;      /* the first `here` processes are on one machine, the others on another; GPUs of a machine access
                         each other's memory. 0: only those of the same process do */
  unsigned apart;     /* mask of the members without access to others' memory */
  bool first_alone;   /* a group: rank 0's first GPU begins alone (api/attempts/attempts.h) */
  bool sends_devices; /* the group sends states from device memory */
};

/* What happens to one member. */
struct fault {
  unsigned member;                 /* its number */
  unsigned fail_launch;            /* the launch that fails; 0: none */
  uint64_t memory;                 /* of its GPU; 0: as the others */
  uint64_t host_memory;            /* of its process; 0: as the others */
  double interrupt_after, timeout; /* seconds after all are ready, as compilation may take any time; 0: never. With
                                      first_alone, interrupt_after counts from the start */
  unsigned looks;                  /* progress reports before the interrupt; 0: none */
  uint64_t calls;                  /* calls of its group before it vanishes; 0: never */
};

struct meeting;

/* A process. */
struct member {
  const struct pair *pair;
  floe_options options;
  struct engine_task task; /* tests may add to it before members_run */
  struct fault fault;      /* if it has that member */
  double timeout;
  atomic_bool interrupt;
  struct comm comm;
  floe_log *log;
  unsigned first, count; /* its members */
  struct gpu *gpus[MOST_GPUS];
  struct peer_links links[MOST_GPUS];
  struct meeting *meeting;
  pthread_t thread, interrupter;
  struct attempts attempts;
  /* Results. */
  bool all_began; /* or prepared to */
  struct engine_outcome outcome;
  floe_status status;
  double seconds;
  struct fake_counts counts; /* of all its GPUs */
};

unsigned carrier_members(const struct carrier *carrier);
bool carrier_is_group(const struct carrier *carrier);

/* A complete search, with 64 MiB for each GPU; launches stop at random. Several GPUs begin together after 20 states. */
struct setting members_plain(void);
/* `fault`: NULL: none. carrier->gpus must live as long. */
void members_make(struct member *members, const struct carrier *carrier, const struct pair *pair,
                  const struct setting *setting, const struct fault *fault);
/* Either all members begin or none, as callers of an engine ensure. Device memory must be free afterwards. */
void members_run(struct member *members, unsigned processes);
void members_free(struct member *members, unsigned processes);
/* The sum of a counter of pair_counter. */
uint64_t members_counter(const struct member *members, unsigned processes, const char *name);

/* A search on a carrier, and the outcome of one CPU. */
struct scene {
  struct pair pair;
  struct carrier carrier;
  struct setting setting;
  struct engine_outcome alone; /* after scene_compare */
  struct member members[MOST_PROCESSES];
};

void scene_begin(struct scene *scene, const struct subject *subject, const struct setting *setting,
                 const struct carrier *carrier, const struct fault *fault);
void scene_run(struct scene *scene);
/* Explores on one CPU, and compares all that does not depend on the engine. `together`: each member has done a part;
   else the first has done all. */
void scene_compare(struct scene *scene, bool together);
void scene_end(struct scene *scene);

#endif
