/* Processors and GPUs of this host (floe_devices). */
#include "core/mem.h"
#include "core/system/defaults.h"
#include "core/usage.h"
#include "engine/engine.h"
#include "gpu/jit/gpu_api.h"
#include "tables/simd.h"

#include <stdio.h>
#include <string.h>

#define VERSION 24

struct floe_devices {
  struct gpu_survey survey;
  char cpu[256], driver[VERSION], nvrtc[VERSION];
};

/* The first "model name" of /proc/cpuinfo. */
static void read_cpu_name(char *out, size_t size) {
  char line[512];
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file && fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (!colon || strncmp(line, "model name", strlen("model name")) != 0)
      continue;
    colon += 1 + strspn(colon + 1, " \t");
    snprintf(out, size, "%.*s", (int)strcspn(colon, "\n"), colon);
    break;
  }
  if (file)
    fclose(file);
}

floe_status floe_devices_create(floe_devices **out) {
  REQUIRE(NULL, out);
  floe_devices *devices = mem_alloc(sizeof *devices);
  if (!devices)
    return FLOE_ERROR_MEMORY;
  floe_status status = gpu_survey_make(&devices->survey);
  if (status != FLOE_OK) {
    mem_free(devices);
    return status;
  }
  const struct gpu_survey *survey = &devices->survey;
  read_cpu_name(devices->cpu, sizeof devices->cpu);
  if (survey->driver_version)
    snprintf(devices->driver, VERSION, "%d.%d", survey->driver_version / 1000, survey->driver_version % 1000 / 10);
  if (survey->nvrtc_major)
    snprintf(devices->nvrtc, VERSION, "%d.%d", survey->nvrtc_major, survey->nvrtc_minor);
  *out = devices;
  return FLOE_OK;
}

void floe_devices_free(floe_devices *devices) {
  if (devices)
    gpu_survey_free(&devices->survey);
  mem_free(devices);
}

floe_cpu floe_devices_cpu(const floe_devices *devices) {
  return (floe_cpu){.name = devices ? devices->cpu : "",
                    .cores = defaults_threads(),
                    .simd = simd_forms()[0],
                    .memory = floe_memory_available()};
}

size_t floe_devices_gpus(const floe_devices *devices) { return devices ? devices->survey.count : 0; }

floe_gpu floe_devices_gpu(const floe_devices *devices, size_t i) {
  if (i >= floe_devices_gpus(devices))
    return (floe_gpu){0};
  const struct gpu_found *found = &devices->survey.found[i];
  const struct gpu_info *info = &found->info;
  return (floe_gpu){.number = info->number,
                    .name = info->name,
                    .bus = info->bus,
                    .compute_major = (unsigned)info->arch / 10,
                    .compute_minor = (unsigned)info->arch % 10,
                    .memory = info->memory,
                    .memory_free = info->memory_free,
                    .multiprocessors = info->multiprocessors,
                    .clock_mhz = info->clock_mhz,
                    .why_not = found->why_not.text};
}

floe_link floe_devices_link(const floe_devices *devices, size_t i, size_t k) {
  const size_t count = floe_devices_gpus(devices);
  if (i >= count || k >= count || i == k)
    return (floe_link){0};
  const struct gpu_link *link = &devices->survey.links[i * count + k];
  return (floe_link){.direct = link->direct, .atomics = link->atomics, .rank = link->rank};
}

const char *floe_devices_no_gpu(const floe_devices *devices) { return devices ? devices->survey.why_none.text : ""; }

const char *floe_devices_driver(const floe_devices *devices) { return devices ? devices->driver : ""; }

const char *floe_devices_nvrtc(const floe_devices *devices) { return devices ? devices->nvrtc : ""; }

const char *floe_devices_no_nvrtc(const floe_devices *devices) {
  return !devices || devices->survey.nvrtc_major ? "" : devices->survey.why_no_nvrtc.text;
}
