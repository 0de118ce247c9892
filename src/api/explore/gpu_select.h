/* The GPUs that an exploration is to use: one, or several of this host (floe_options.devices). */
#ifndef FLOE_GPUS_H
#define FLOE_GPUS_H

#include "core/stop.h"
#include "engine/engine.h"
#include "engine/peer_links.h"
#include "gpu/jit/gpu_api.h"

struct gpus {
  struct gpu *gpu[MOST_DEVICES]; /* [count] opened */
  unsigned count;                /* 0: none is */
  unsigned sharers;              /* processes of this machine that have the same ones, at most, this one included */
  uint64_t expected;             /* states, for which several were chosen; 0: they were not */
  bool one_holds;                /* these: several are faster */
  unsigned most;                 /* that one may come to, by gpus_open_others; 0: it does not */
  uint64_t others_from;          /* as in struct engine_others */
  uint64_t memory_wanted;        /* options->gpu_memory as it was given */
};

/* Several are named. FLOE_ERROR_USAGE, told: `devices` is no list of them. */
floe_status gpus_check(const floe_options *options, floe_log *log);
bool gpus_are_several(const floe_options *options);
/* How many `devices` lists; of all that there are no more than can be used; 0: none. */
unsigned gpus_named(const floe_options *options, const struct stop *stop);
/* Opens them; the first is current in this thread. options->gpu_memory becomes what the run may use of each. Errors as
   gpu_acquire. */
floe_status gpus_acquire(floe_options *options, const struct stop *stop, floe_log *log, struct gpus *out,
                         struct reason *reason);
/* The same where nobody said how many there are to be: one, or all that can be used where they are better for the task
   (gpu/engine/sizing_policy.h, policy_devices), or one, and all once they are (policy_others_from). task->options may be
   `options`, which stays as long as *out. */
floe_status gpus_choose(floe_options *options, const struct engine_task *task, const struct stop *stop, floe_log *log,
                        struct gpus *out, struct reason *reason);
/* The others after one. Returns how many are open then, with options->gpu_memory for each. */
unsigned gpus_open_others(struct gpus *gpus, floe_options *options, const struct stop *stop, floe_log *log);
void gpus_keep_first(struct gpus *gpus);
/* Of the devices that are named for a machine those of one of its processes: some next to each other, or one in turn
   where there are more processes. */
struct member_range gpus_part(unsigned devices, unsigned processes, unsigned process);
void gpus_release(struct gpus *gpus); /* none is allowed, and there is none then */
/* "2 x NVIDIA H200 (GPUs 0, 1), CUDA 13.0", at most `size` bytes with the final NUL. */
void gpus_title(const struct gpus *gpus, char *out, size_t size);

#endif
