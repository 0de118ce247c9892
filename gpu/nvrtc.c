#include "config.h"

#include "gpu/nvrtc.h"

#include "core/mem.h"

#include <dlfcn.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>

/* The functions used, by their names in the library. */
#define NVRTC_FUNCTIONS(X)                                                                         \
  X(nvrtcVersion)                                                                                  \
  X(nvrtcGetNumSupportedArchs)                                                                     \
  X(nvrtcGetSupportedArchs)                                                                        \
  X(nvrtcCreateProgram)                                                                            \
  X(nvrtcDestroyProgram)                                                                           \
  X(nvrtcCompileProgram)                                                                           \
  X(nvrtcGetCUBINSize)                                                                             \
  X(nvrtcGetCUBIN)                                                                                 \
  X(nvrtcGetProgramLogSize)                                                                        \
  X(nvrtcGetProgramLog)                                                                            \
  X(nvrtcGetErrorString)

struct nvrtc {
  void *library;
#define MEMBER(name) __typeof__(name) *name;
  NVRTC_FUNCTIONS(MEMBER)
#undef MEMBER
};

static void *open_library(void) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  const char *homes[] = {NULL, getenv("CUDA_HOME"), FLOE_CUDA_HOME};
  for (size_t h = 0; h < sizeof homes / sizeof *homes; h++)
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
      char path[4096];
      if (h > 0 && !homes[h])
        continue;
      int length = h == 0 ? snprintf(path, sizeof path, "%s", names[n])
                          : snprintf(path, sizeof path, "%s/lib64/%s", homes[h], names[n]);
      void *library = length < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
      if (library)
        return library;
    }
  return NULL;
}

static bool find_functions(struct nvrtc *nvrtc) {
#define FIND(name)                                                                                 \
  *(void **)&nvrtc->name = dlsym(nvrtc->library, #name);                                           \
  if (!nvrtc->name)                                                                                \
    return false;
  NVRTC_FUNCTIONS(FIND)
#undef FIND
  return true;
}

floe_status nvrtc_open(struct nvrtc **out, const char **why) {
  struct nvrtc *nvrtc = mem_alloc(sizeof *nvrtc);
  if (!nvrtc)
    return FLOE_ERROR_MEMORY;
  nvrtc->library = open_library();
  if (!nvrtc->library) {
    *why = "NVRTC (libnvrtc.so) not found";
    goto no_library;
  }
  if (!find_functions(nvrtc)) {
    *why = "NVRTC is too old: a function is missing";
    goto too_old;
  }
  *out = nvrtc;
  return FLOE_OK;
too_old:
  dlclose(nvrtc->library);
no_library:
  mem_free(nvrtc);
  return FLOE_ERROR_UNSUPPORTED;
}

/* The library stays loaded: it holds memory of its own to the end of the process. */
void nvrtc_close(struct nvrtc *nvrtc) { mem_free(nvrtc); }

void nvrtc_version(const struct nvrtc *nvrtc, int *major, int *minor) {
  *major = *minor = 0;
  nvrtc->nvrtcVersion(major, minor);
}

bool nvrtc_supports(const struct nvrtc *nvrtc, int arch) {
  int known[256], count = 0;
  if (nvrtc->nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count > 256 ||
      nvrtc->nvrtcGetSupportedArchs(known) != NVRTC_SUCCESS)
    return false;
  for (int i = 0; i < count; i++)
    if (known[i] == arch)
      return true;
  return false;
}

static const char *program_log(const struct nvrtc *nvrtc, nvrtcProgram program,
                               struct arena *arena) {
  size_t size = 0;
  if (nvrtc->nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size == 0)
    return "";
  char *text = arena_alloc(arena, size + 1);
  return nvrtc->nvrtcGetProgramLog(program, text) == NVRTC_SUCCESS ? text : "";
}

static floe_status take_cubin(const struct nvrtc *nvrtc, nvrtcProgram program, struct arena *arena,
                              const void **cubin, size_t *size) {
  size_t bytes = 0;
  if (nvrtc->nvrtcGetCUBINSize(program, &bytes) != NVRTC_SUCCESS || bytes == 0)
    return FLOE_ERROR_INTERNAL;
  char *code = arena_alloc(arena, bytes);
  if (nvrtc->nvrtcGetCUBIN(program, code) != NVRTC_SUCCESS)
    return FLOE_ERROR_INTERNAL;
  *cubin = code;
  *size = bytes;
  return FLOE_OK;
}

/* A failed allocation in the arena jumps out and leaves the program to NVRTC: a leak in a run that ends anyway. */
floe_status nvrtc_compile(const struct nvrtc *nvrtc, const char *name, const char *text, int arch,
                          struct arena *arena, const void **cubin, size_t *size, const char **log) {
  nvrtcProgram program;
  nvrtcResult result = nvrtc->nvrtcCreateProgram(&program, text, name, 0, NULL, NULL);
  if (result != NVRTC_SUCCESS) {
    *log = nvrtc->nvrtcGetErrorString(result);
    return FLOE_ERROR_INTERNAL;
  }
  const char *options[] = {arena_printf(arena, "--gpu-architecture=sm_%d", arch), "--std=c++17",
                           "--ptxas-options=-v", "-default-device"};
  result = nvrtc->nvrtcCompileProgram(program, sizeof options / sizeof *options, options);
  *log = program_log(nvrtc, program, arena);
  floe_status status = result == NVRTC_SUCCESS
                           ? take_cubin(nvrtc, program, arena, cubin, size)
                           : FLOE_ERROR_INTERNAL;
  nvrtc->nvrtcDestroyProgram(&program);
  return status;
}
