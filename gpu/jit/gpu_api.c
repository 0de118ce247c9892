#include "gpu/jit/gpu_api.h"

#include "core/mem.h"
#include "core/threads/detached_call.h"
#include "gpu/driver/cuda.h"
#include "gpu/jit/nvrtc.h"

#include <assert.h>
#include <stdio.h>

/* The rest is for the kernels' stacks, modules loaded later, and other users of the device. */
#define USUAL_SHARE 0.95

/* ---- what is there --------------------------------------------------------------------------- */

/* From each device to each other one. */
static floe_status look_at_links(struct gpu_survey *survey, const struct gpu_driver *driver) {
  const unsigned count = survey->count;
  survey->links = mem_array((size_t)count * count, sizeof *survey->links);
  if (!survey->links)
    return FLOE_ERROR_MEMORY;
  for (unsigned i = 0; i < count; i++)
    for (unsigned k = 0; k < count; k++)
      if (i != k)
        survey->links[i * count + k] = gpu_driver_link(driver, i, k);
  return FLOE_OK;
}

static floe_status look_at(struct gpu_survey *survey, const struct gpu_driver *driver) {
  unsigned count = gpu_driver_devices(driver);
  survey->driver_version = gpu_driver_version(driver);
  survey->found = mem_array(count, sizeof *survey->found);
  if (!survey->found)
    return FLOE_ERROR_MEMORY;
  for (unsigned i = 0; i < count; i++) {
    struct gpu_found *found = &survey->found[survey->count++];
    found->info.number = i;
    if (gpu_driver_describe(driver, i, &found->info, &found->why_not) == FLOE_OK)
      gpu_check_abilities(&found->info, &found->why_not);
  }
  if (count == 0)
    cuda_reason_no_device(driver, 0, &survey->why_none);
  return look_at_links(survey, driver);
}

static void look_for_nvrtc(struct gpu_survey *survey) {
  struct nvrtc *nvrtc;
  if (nvrtc_open(survey->driver_version, &nvrtc, &survey->why_no_nvrtc) != FLOE_OK)
    return;
  nvrtc_version(nvrtc, &survey->nvrtc_major, &survey->nvrtc_minor);
  nvrtc_close(nvrtc);
}

floe_status gpu_survey_make(struct gpu_survey *out) {
  struct gpu_survey survey = {0};
  struct gpu_driver *driver;
  floe_status status = gpu_driver_open(&driver, &survey.why_none);
  if (status == FLOE_OK) {
    status = look_at(&survey, driver);
    gpu_driver_close(driver);
  }
  if (status != FLOE_OK && status != FLOE_ERROR_UNSUPPORTED) {
    gpu_survey_free(&survey);
    return status;
  }
  look_for_nvrtc(&survey);
  *out = survey;
  return FLOE_OK;
}

void gpu_survey_free(struct gpu_survey *survey) {
  mem_free(survey->found);
  mem_free(survey->links);
  *survey = (struct gpu_survey){0};
}

/* ---- taking one ------------------------------------------------------------------------------ */

/* Data of the thread that opens a device. The device logs no later errors here: gpu_acquire's caller gives it a log. */
struct opening {
  unsigned number;
  struct gpu *gpu;
  struct reason reason;
  floe_status status;
};

static void open_device(void *data) {
  struct opening *opening = data;
  struct gpu_driver *driver;
  opening->status = gpu_driver_open(&driver, &opening->reason);
  if (opening->status != FLOE_OK)
    return;
  opening->status = gpu_open(driver, opening->number, NULL, &opening->gpu, &opening->reason);
  if (opening->status != FLOE_OK)
    gpu_driver_close(driver);
}

static void drop_opening(void *data) {
  struct opening *opening = data;
  gpu_release(opening->gpu);
  mem_free(opening);
}

static floe_status take_opened(const struct opening *opening, floe_log *log, struct gpu **out, struct reason *reason) {
  if (opening->status != FLOE_OK) {
    *reason = opening->reason;
    return opening->status;
  }
  opening->gpu->log = log;
  floe_status status = gpu_use(opening->gpu);
  if (status == FLOE_OK)
    *out = opening->gpu;
  else
    gpu_release(opening->gpu);
  return status;
}

floe_status gpu_acquire(unsigned number, const struct stop *stop, floe_log *log, struct gpu **out,
                        struct reason *reason) {
  static const struct detached_call call = {open_device, drop_opening};
  struct opening *opening = mem_alloc(sizeof *opening);
  if (!opening) {
    reason_set(reason, "out of memory");
    return FLOE_ERROR_MEMORY;
  }
  opening->number = number;
  if (!detached_call_run(&call, opening, stop)) {
    reason_set(reason, "interrupted");
    return FLOE_ERROR_UNSUPPORTED;
  }
  floe_status status = take_opened(opening, log, out, reason);
  mem_free(opening);
  return status;
}

struct counting {
  unsigned devices;
};

static void count_devices(void *data) {
  struct counting *counting = data;
  struct gpu_driver *driver;
  struct reason reason;
  if (gpu_driver_open(&driver, &reason) != FLOE_OK)
    return;
  counting->devices = gpu_driver_devices(driver);
  gpu_driver_close(driver);
}

unsigned gpu_count_devices(const struct stop *stop) {
  static const struct detached_call call = {count_devices, mem_free};
  struct counting *counting = mem_alloc(sizeof *counting);
  if (!counting || !detached_call_run(&call, counting, stop))
    return 0; /* the abandoned call frees it */
  const unsigned devices = counting->devices;
  mem_free(counting);
  return devices;
}

void gpu_release(struct gpu *gpu) {
  if (!gpu)
    return;
  struct gpu_driver *driver = gpu->driver;
  assert(driver);
  gpu_close(gpu);
  gpu_driver_close(driver);
}

unsigned gpu_driver_device_count(const struct gpu *gpu) { return gpu_driver_devices(gpu->driver); }

bool gpu_all_linked(const struct gpu *gpu) {
  const unsigned count = gpu_driver_devices(gpu->driver);
  for (unsigned from = 0; from < count; from++)
    for (unsigned to = 0; to < count; to++)
      if (from != to && !gpu_driver_link(gpu->driver, from, to).direct)
        return false;
  return true;
}

int gpu_cuda_version(const struct gpu *gpu) { return gpu_driver_version(gpu->driver); }

void gpu_title(const struct gpu *gpu, char *out, size_t size) {
  int version = gpu_driver_version(gpu->driver);
  snprintf(out, size, "%s (GPU %u), CUDA %d.%d", gpu->info.name, gpu->info.number, version / 1000, version % 1000 / 10);
}

uint64_t gpu_memory_budget(const struct gpu *gpu, uint64_t bytes, double share) {
  uint64_t free = gpu->info.memory_free;
  if (bytes)
    return bytes < free ? bytes : free;
  return (uint64_t)((share > 0 ? share : USUAL_SHARE) * (double)free);
}
