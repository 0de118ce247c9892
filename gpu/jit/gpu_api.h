/* GPU services for the rest of floe: survey, opening and memory budgets; engine_gpu (engine/engine.h) explores on a
   GPU. In a build without CUDA there is no GPU, and the reason reports it. */
#ifndef FLOE_GPU_SEAM_H
#define FLOE_GPU_SEAM_H

#include "core/threads/stop.h"
#include "gpu/driver/driver.h"

/* A GPU of this machine. */
struct gpu_found {
  struct gpu_info info;
  struct reason why_not; /* why it cannot be used; "": it can */
};

struct gpu_survey {
  int driver_version;      /* the newest CUDA that the driver supports, 13000 for 13.0; 0: there is no driver */
  struct reason why_none;  /* why there is no GPU, if count is 0 */
  struct gpu_found *found; /* [count] */
  unsigned count;
  struct gpu_link *links;       /* [count * count] from each device to each other one */
  int nvrtc_major, nvrtc_minor; /* 0: NVRTC is not available */
  struct reason why_no_nvrtc;
};
/* Examines all GPUs, which takes some tenths of a second for each. FLOE_OK also if there is none. */
floe_status gpu_survey_make(struct gpu_survey *out);
void gpu_survey_free(struct gpu_survey *survey);

/* Opens driver and device and makes the device current in this thread. FLOE_ERROR_UNSUPPORTED with a reason as
   gpu_driver_open and gpu_open, or because `stop` (NULL: none) was requested first: then the start of the driver,
   which takes some tenths of a second, is abandoned. */
floe_status gpu_acquire(unsigned number, const struct stop *stop, floe_log *log, struct gpu **out,
                        struct reason *reason);
/* Number of devices that the driver reports; 0 also if there is no driver, or `stop` was requested first. */
unsigned gpu_count_devices(const struct stop *stop);
void gpu_release(struct gpu *gpu);                       /* NULL is allowed */
unsigned gpu_driver_device_count(const struct gpu *gpu); /* of its driver, itself included */
/* Whether all devices of its driver reach each other's memory directly. */
bool gpu_all_linked(const struct gpu *gpu);
int gpu_cuda_version(const struct gpu *gpu); /* gpu_driver_version */
/* "NVIDIA H200 (GPU 0), CUDA 13.0", at most `size` bytes with the final NUL. */
void gpu_title(const struct gpu *gpu, char *out, size_t size);
/* Device memory that a run may use: `bytes`, but at most the free memory; else `share` of the free memory, 0 for the
   default share. */
uint64_t gpu_memory_budget(const struct gpu *gpu, uint64_t bytes, double share);

#endif
