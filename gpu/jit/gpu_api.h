/* What the rest of floe asks about GPUs; engine_gpu (engine/engine.h) is what it does with one. Where floe was built
   without CUDA there is none, and the reason says so. */
#ifndef FLOE_GPU_SEAM_H
#define FLOE_GPU_SEAM_H

#include "core/stop.h"
#include "gpu/driver/driver.h"

/* A GPU that is there. */
struct gpu_found {
  struct gpu_info info;
  struct reason why_not; /* it cannot be used; "": it can */
};

struct gpu_survey {
  int driver_version;      /* the newest CUDA that the driver knows, 13000 for 13.0; 0: there is no
                              driver */
  struct reason why_none;  /* why there is no GPU, where count is 0 */
  struct gpu_found *found; /* [count] */
  unsigned count;
  struct gpu_link *links;       /* [count * count] from each device to each other one */
  int nvrtc_major, nvrtc_minor; /* 0: NVRTC is not to be had */
  struct reason why_no_nvrtc;
};
/* Looks at everything: takes some tenths of a second for each GPU. FLOE_OK also when there is none. */
floe_status gpu_survey_make(struct gpu_survey *out);
void gpu_survey_free(struct gpu_survey *survey);

/* Opens driver and device, which is current in this thread then. FLOE_ERROR_UNSUPPORTED with a reason as
   gpu_driver_open and gpu_open, or because `stop` (NULL: nothing) came first: the driver's start, some tenths of a
   second, is left behind. */
floe_status gpu_acquire(unsigned number, const struct stop *stop, floe_log *log, struct gpu **out,
                        struct reason *reason);
/* How many the driver knows; 0 also where there is none, or `stop` came first. */
unsigned gpu_count_devices(const struct stop *stop);
void gpu_release(struct gpu *gpu);                  /* NULL is allowed */
unsigned gpu_driver_device_count(const struct gpu *gpu); /* that its driver knows, itself included */
/* All of these reach each other's memory by themselves. */
bool gpu_all_linked(const struct gpu *gpu);
int gpu_cuda_version(const struct gpu *gpu); /* gpu_driver_version */
/* "NVIDIA H200 (GPU 0), CUDA 13.0", at most `size` bytes with the final NUL. */
void gpu_title(const struct gpu *gpu, char *out, size_t size);
/* What a run may use of the device's memory: `bytes`, but not more than is free, else `share` of
   what is free, where 0 is a usual share. */
uint64_t gpu_memory_budget(const struct gpu *gpu, uint64_t bytes, double share);

#endif
