/* GPUs of this host that a search uses (floe_options.devices, gpu_device): opening, memory limit, name. */
#ifndef FLOE_API_DEVICE_GPUS_H
#define FLOE_API_DEVICE_GPUS_H

#include "core/threads/stop.h"
#include "engine/engine.h"
#include "engine/peer_links.h"
#include "gpu/jit/gpu_api.h"

struct gpus {
  struct gpu *gpu[MOST_DEVICES]; /* [count] opened */
  unsigned count;                /* 0: no GPU */
  unsigned sharers;              /* most processes of this machine that use the same GPU, this one included */
  /* The choice of gpu_select: */
  uint64_t expected_states;  /* reason for several GPUs; 0: they were not chosen for a number of states */
  bool one_suffices;         /* one GPU would hold these states; several are faster */
  unsigned max_count;        /* gpu_select_add_others may raise `count` to it; 0: it is not to be called */
  uint64_t others_from;      /* as in struct attempts_others */
  uint64_t requested_memory; /* options->gpu_memory as given */
};

/* Opens the GPUs that the options name; the first becomes current in this thread. In an MPI job: those of this process.
   options->gpu_memory becomes the bytes that the run may use on each. Errors as gpu_acquire. */
floe_status gpus_acquire(floe_options *options, const struct stop *stop, floe_log *log, struct gpus *out,
                         struct reason *reason);
/* Opens one more. */
floe_status gpus_open(struct gpus *gpus, unsigned number, const struct stop *stop, floe_log *log,
                      struct reason *reason);
/* Bytes that the run may use on each: the least of what each allows, so that all become full at about the same time. */
uint64_t gpus_memory_limit(const struct gpus *gpus, const floe_options *options);
/* Closes all but the first `count`. */
void gpus_keep(struct gpus *gpus, unsigned count);
void gpus_release(struct gpus *gpus); /* may be empty; is empty then */
/* The devices, by position in a list of `devices`, of one of `processes` on a machine: consecutive ones, or, with more
   processes than devices, one in turn. */
struct member_range gpus_of_process(unsigned devices, unsigned processes, unsigned process);
/* "2 x NVIDIA H200 (GPUs 0, 1), CUDA 13.0", at most `size` bytes with the final NUL. */
void gpus_title(const struct gpus *gpus, char *out, size_t size);

#endif
