#include "emulated_gpu_api.h"

#include "fake_device.h"
#include "gpu/jit/gpu_api.h"

#include <check.h>
#include <stdio.h>

uint64_t emulated_memory = UINT64_C(1) << 24;

bool gpu_driver_may_exist(void) { return true; }

floe_status gpu_acquire(unsigned number, const struct stop *stop, floe_log *log, struct gpu **out,
                        struct reason *reason) {
  (void)number, (void)stop, (void)log, (void)reason;
  const struct fake_settings settings = {.memory = emulated_memory,
                                         .host_memory = 1 << 24,
                                         .multiprocessors = 1,
                                         .seed = 23,
                                         .stop_percent = 10,
                                         .cache_empty = true};
  *out = fake_open(&settings);
  return FLOE_OK;
}

void gpu_release(struct gpu *gpu) {
  if (gpu)
    ck_assert_uint_eq(fake_close(gpu), 0); /* all memory has been freed */
}

floe_status gpu_use(struct gpu *gpu) {
  ck_assert_ptr_nonnull(gpu);
  return FLOE_OK;
}

void gpu_title(const struct gpu *gpu, char *out, size_t size) {
  (void)gpu;
  snprintf(out, size, "emulated GPU");
}

unsigned gpu_driver_device_count(const struct gpu *gpu) {
  (void)gpu;
  return 1;
}

unsigned gpu_count_devices(const struct stop *stop) {
  (void)stop;
  return 1;
}

bool gpu_all_linked(const struct gpu *gpu) {
  (void)gpu;
  return true;
}

int gpu_cuda_version(const struct gpu *gpu) {
  (void)gpu;
  return 13000;
}

floe_status gpu_survey_make(struct gpu_survey *out) {
  *out = (struct gpu_survey){0};
  return FLOE_OK;
}

void gpu_survey_free(struct gpu_survey *survey) { (void)survey; }
