/* Built without CUDA's headers: there is no GPU, and nothing of the other files here. */
#include "gpu/engine_gpu.h"
#include "gpu/seam.h"

#include "core/diag.h"

#include <assert.h>

#define WHY "this floe was built without CUDA"

floe_status gpu_survey_make(struct gpu_survey *out) {
  *out = (struct gpu_survey){0};
  reason_set(&out->why_none, WHY);
  reason_set(&out->why_no_nvrtc, WHY);
  return FLOE_OK;
}

void gpu_survey_free(struct gpu_survey *survey) { (void)survey; }

bool gpu_may_be_there(void) { return false; }

floe_status gpu_acquire(unsigned number, floe_log *log, struct gpu **out, struct reason *reason) {
  (void)number, (void)log, (void)out;
  reason_set(reason, WHY);
  return FLOE_ERROR_UNSUPPORTED;
}

/* No struct gpu exists: what takes one is never called with one. */
void gpu_release(struct gpu *gpu) {
  (void)gpu;
  assert(!gpu);
}

void gpu_title(const struct gpu *gpu, char *out, size_t size) {
  (void)gpu;
  snprintf(out, size, "no GPU");
}

uint64_t gpu_memory_allowed(const struct gpu *gpu, uint64_t bytes, double share) {
  (void)gpu, (void)share;
  return bytes;
}

floe_status engine_gpu_run(const struct engine_task *task, floe_log *log,
                           struct engine_outcome *out) {
  (void)task, (void)out;
  diag_error(log, NULL, NOWHERE, "--engine=cpu explores on all cores", WHY);
  return FLOE_ERROR_UNSUPPORTED;
}
