#define _GNU_SOURCE
#include "config.h"

#include "gpu/jit/nvrtc.h"

#include "core/mem.h"
#include "gpu/driver/cuda.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* The types of nvrtc.h, which is not needed. */
typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;
enum { NVRTC_SUCCESS };

struct nvrtc {
  void *library;
  char path[PATH_MAX];
#define NVRTC_FUNCTION(result, name, parameters) result(*name) parameters;
#include "gpu/jit/nvrtc.def"
};

/* ---- opening --------------------------------------------------------------------------------- */

/* The name of a missing function; NULL: none is missing. */
static const char *find_functions(struct nvrtc *nvrtc) {
#define NVRTC_FUNCTION(result, name, parameters)                                                                       \
  *(void **)&nvrtc->name = dlsym(nvrtc->library, #name);                                                               \
  if (!nvrtc->name)                                                                                                    \
    return #name;
#include "gpu/jit/nvrtc.def"
  return NULL;
}

static void find_path(struct nvrtc *nvrtc) {
  Dl_info info;
  char *path = dladdr(*(void **)&nvrtc->nvrtcVersion, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
  snprintf(nvrtc->path, sizeof nvrtc->path, "%s", path ? path : "");
  free(path);
}

static bool is_usable(struct nvrtc *nvrtc, int most, struct reason *reason) {
  int major, minor;
  const char *missing = find_functions(nvrtc);
  if (missing) {
    reason_set(reason, "NVRTC is too old: it has no %s", missing);
    return false;
  }
  nvrtc_version(nvrtc, &major, &minor);
  if (most && major > most / 1000) {
    reason_set(reason, "NVRTC %d.%d is too new for the driver, which supports CUDA up to %d.%d", major, minor,
               most / 1000, most % 1000 / 10);
    return false;
  }
  find_path(nvrtc);
  return true;
}

/* Keeps the more specific reason, of a library that exists. */
static bool try_library(struct nvrtc *nvrtc, const char *path, int most, struct reason *reason) {
  /* The library stays loaded: its own allocations live as long as the process. */
  nvrtc->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!nvrtc->library)
    return false;
  if (is_usable(nvrtc, most, reason))
    return true;
  dlclose(nvrtc->library);
  return false;
}

/* Toolkits install it in lib64, or in lib where several systems share a folder. */
static bool search_library(struct nvrtc *nvrtc, int most, struct reason *reason) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  const char *home = getenv("CUDA_HOME");
  const struct {
    const char *home, *folder;
  } places[] = {{"", ""}, {home, "/lib64/"}, {home, "/lib/"}, {FLOE_CUDA_HOME, "/lib64/"}, {FLOE_CUDA_HOME, "/lib/"}};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
      char path[PATH_MAX];
      if (places[i].home &&
          snprintf(path, sizeof path, "%s%s%s", places[i].home, places[i].folder, names[n]) < (int)sizeof path &&
          try_library(nvrtc, path, most, reason))
        return true;
    }
  return false;
}

floe_status nvrtc_open(int most, struct nvrtc **out, struct reason *reason) {
  const char *wish = getenv("FLOE_LIBNVRTC");
  if (cuda_left_out) {
    reason_set(reason, "%s", cuda_left_out);
    return FLOE_ERROR_UNSUPPORTED;
  }
  struct nvrtc *nvrtc = mem_alloc(sizeof *nvrtc);
  if (!nvrtc)
    return FLOE_ERROR_MEMORY;
  reason_set(reason, "NVRTC (%s) is not found", wish && *wish ? wish : "libnvrtc.so");
  bool found = wish && *wish ? try_library(nvrtc, wish, most, reason) : search_library(nvrtc, most, reason);
  if (!found) {
    mem_free(nvrtc);
    return FLOE_ERROR_UNSUPPORTED;
  }
  *out = nvrtc;
  return FLOE_OK;
}

/* The library stays loaded: it holds memory of its own until the process ends. */
void nvrtc_close(struct nvrtc *nvrtc) { mem_free(nvrtc); }

void nvrtc_version(const struct nvrtc *nvrtc, int *major, int *minor) {
  *major = *minor = 0;
  nvrtc->nvrtcVersion(major, minor);
}

const char *nvrtc_path(const struct nvrtc *nvrtc) { return nvrtc->path; }

int nvrtc_target(const struct nvrtc *nvrtc, int arch) {
  int known[256], count = 0, best = 0;
  if (nvrtc->nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count > 256 ||
      nvrtc->nvrtcGetSupportedArchs(known) != NVRTC_SUCCESS)
    return 0;
  for (int i = 0; i < count; i++)
    if (known[i] <= arch && known[i] / 10 == arch / 10 && known[i] > best)
      best = known[i];
  return best;
}

/* ---- compiling ------------------------------------------------------------------------------- */

static const char *program_log(const struct nvrtc *nvrtc, nvrtcProgram program, struct arena *arena) {
  size_t size = 0;
  if (nvrtc->nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size == 0)
    return "";
  char *text = arena_alloc(arena, size + 1);
  return nvrtc->nvrtcGetProgramLog(program, text) == NVRTC_SUCCESS ? text : "";
}

static floe_status take_cubin(const struct nvrtc *nvrtc, nvrtcProgram program, struct arena *arena,
                              struct nvrtc_result *out) {
  size_t bytes = 0;
  if (nvrtc->nvrtcGetCUBINSize(program, &bytes) != NVRTC_SUCCESS || bytes == 0)
    return FLOE_ERROR_INTERNAL;
  char *code = arena_alloc(arena, bytes);
  if (nvrtc->nvrtcGetCUBIN(program, code) != NVRTC_SUCCESS)
    return FLOE_ERROR_INTERNAL;
  out->cubin = code;
  out->size = bytes;
  return FLOE_OK;
}

static const char **options_of(const struct nvrtc_source *source, int target, struct arena *arena, int *count) {
  const char *common[] = {arena_printf(arena, "--gpu-architecture=sm_%d", target), "--std=c++17", "-default-device",
                          "--ptxas-options=-v"};
  size_t n = sizeof common / sizeof *common;
  const char **options = arena_array(arena, n + source->option_count, sizeof *options);
  for (size_t i = 0; i < n; i++)
    options[i] = common[i];
  for (size_t i = 0; i < source->option_count; i++)
    options[n + i] = source->options[i];
  *count = (int)(n + source->option_count);
  return options;
}

/* A failed allocation in the arena jumps out and leaks the program in NVRTC; the run ends anyway. */
floe_status nvrtc_compile(const struct nvrtc *nvrtc, const struct nvrtc_source *source, int target, struct arena *arena,
                          struct nvrtc_result *out) {
  nvrtcProgram program;
  int count;
  const char **options = options_of(source, target, arena, &count);
  nvrtcResult result = nvrtc->nvrtcCreateProgram(&program, source->text, source->name, 0, NULL, NULL);
  if (result != NVRTC_SUCCESS) {
    out->log = nvrtc->nvrtcGetErrorString(result);
    return FLOE_ERROR_INTERNAL;
  }
  result = nvrtc->nvrtcCompileProgram(program, count, options);
  out->log = program_log(nvrtc, program, arena);
  if (result != NVRTC_SUCCESS && !*out->log)
    out->log = nvrtc->nvrtcGetErrorString(result);
  floe_status status = result == NVRTC_SUCCESS ? take_cubin(nvrtc, program, arena, out) : FLOE_ERROR_INTERNAL;
  nvrtc->nvrtcDestroyProgram(&program);
  return status;
}
