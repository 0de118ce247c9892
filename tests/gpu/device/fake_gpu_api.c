#include "fake_gpu_api.h"

#include "core/diag.h"
#include "core/mem.h"
#include "engine/engine.h"
#include "gpu/jit/gpu_api.h"

#include <check.h>
#include <stdio.h>
#include <unistd.h>

struct fake_seam fake;

struct gpu {
  struct gpu_info info;
  floe_log *log;
};

bool gpu_driver_may_exist(void) { return fake.there; }

floe_status gpu_acquire(unsigned number, const struct stop *stop, floe_log *log, struct gpu **out,
                        struct reason *reason) {
  fake.device = number;
  if (!fake.there || fake.refuses || (fake.busy && number == fake.busy) || stop_requested(stop)) {
    reason_set(reason, "made up: no GPU");
    return FLOE_ERROR_UNSUPPORTED;
  }
  *out = mem_alloc(sizeof **out);
  (*out)->log = log;
  (*out)->info.number = number;
  snprintf((*out)->info.name, sizeof(*out)->info.name, "Imaginary");
  fake.acquired++;
  return FLOE_OK;
}

void gpu_release(struct gpu *gpu) {
  fake.released += gpu != NULL;
  mem_free(gpu);
}

floe_status gpu_use(struct gpu *gpu) {
  ck_assert_ptr_nonnull(gpu);
  return FLOE_OK;
}

void gpu_title(const struct gpu *gpu, char *out, size_t size) {
  (void)gpu;
  snprintf(out, size, "Imaginary");
}

uint64_t gpu_memory_budget(const struct gpu *gpu, uint64_t bytes, double share) {
  const uint64_t free = fake.used && gpu->info.number == fake.used ? fake.memory / 8 : fake.memory;
  return bytes ? bytes < free ? bytes : free : (uint64_t)((double)free * (share > 0 ? share : 1));
}

const struct gpu_info *gpu_information(const struct gpu *gpu) { return &gpu->info; }
unsigned gpu_driver_device_count(const struct gpu *gpu) {
  (void)gpu;
  return 3;
}
unsigned gpu_count_devices(const struct stop *stop) { return fake.there && !stop_requested(stop) ? 3 : 0; }
bool gpu_all_linked(const struct gpu *gpu) {
  (void)gpu;
  return fake.linked;
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

struct search { /* of the fake engine */
  const struct engine_task *task;
  floe_log *log;
};

static floe_status tell_fault(floe_status status, floe_log *log) {
  if (status != FLOE_OK && fake.error)
    diag_error(log, NULL, NOWHERE, "a hint", "%s", fake.error);
  return status;
}

static floe_status prepare(const struct engine_task *task, floe_log *log, struct search **out) {
  const struct stop stop = engine_stop(task);
  fake.devices = task->devices.count;
  if (task->devices.may_escalate)
    fake.from = task->devices.escalate_from;
  for (unsigned i = 0; i < task->devices.count; i++)
    ck_assert_ptr_eq(task->devices.gpus[i]->log, log);
  fake.prepares = true;
  while (fake.waits && !stop_requested(&stop))
    usleep(1000);
  if (stop_requested(&stop))
    return FLOE_ERROR_UNSUPPORTED;
  FLOE_TRY(tell_fault(fake.unready, log));
  *out = mem_alloc(sizeof **out);
  **out = (struct search){task, log};
  return FLOE_OK;
}

static floe_status explore_there(struct search *search, struct engine_outcome *out) {
  const struct engine_task *task = search->task;
  struct engine_task mine = *task;
  if (task->devices.may_escalate && fake.needs_others) {
    *out = (struct engine_outcome){.states = 77, .attempts.must_escalate = true};
    return FLOE_OK;
  }
  if (task->devices.count > 1 && fake.host_backed) {
    *out = (struct engine_outcome){.states = 88, .end = FLOE_END_MEMORY};
    return FLOE_OK;
  }
  mine.paths.begin = NULL; /* this engine finds no paths */
  if (task->paths.targets)
    fake.path_runs++;
  else
    fake.runs++;
  fake.archived += task->archive != NULL;
  fake.gpu_memory = task->options->gpu_memory;
  FLOE_TRY(tell_fault(fake.status, search->log));
  floe_options less = *task->options;
  if (fake.brief || fake.cut) {
    less.max_depth = 2;
    mine.options = &less;
  }
  FLOE_TRY(engine_run(&engine_cpu, &mine, search->log, out));
  if (fake.cut)
    out->end = FLOE_END_INTERRUPT;
  out->gpu.blocks = 2;
  out->threads = 512;
  out->gpu.host_backed = fake.host_backed;
  return FLOE_OK;
}

static void drop(struct search *search) { mem_free(search); }

const struct engine engine_gpu = {
    .name = "gpu", .most_devices = 1, .prepare = prepare, .explore = explore_there, .drop = drop};

const struct engine engine_gpus = {
    .name = "gpu", .most_devices = MOST_DEVICES, .prepare = prepare, .explore = explore_there, .drop = drop};
