#define _GNU_SOURCE
#include "config.h"

#include "gpu/sort.h"

#include "core/mem.h"
#include "gpu/cuda.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "libfloe_sort.so"

/* gpu/sort.cu */
typedef int device_sort(uint64_t *keys, uint64_t *alternate, uint64_t n, unsigned bits, void *temporary,
                        size_t *temporary_bytes, void *stream);

struct gpu_sort {
  void *library;
  device_sort *sort;
  struct reason why; /* of a file that is there: why it is not the module */
};

/* ---- opening -------------------------------------------------------------------------------------- */

/* The first file that is there tells why it is of no use; the loader's words name it. */
static void keep_error(struct gpu_sort *sort, const char *path) {
  const char *words = dlerror();
  if (words && !*sort->why.text && access(path, F_OK) == 0)
    reason_set(&sort->why, "%s", words);
}

/* It stays loaded: CUDA's runtime in it holds memory of its own to the end of the process. */
static bool try_module(struct gpu_sort *sort, const char *path) {
  sort->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (sort->library)
    *(void **)&sort->sort = dlsym(sort->library, "floe_device_sort");
  if (sort->sort)
    return true;
  keep_error(sort, path);
  if (sort->library)
    dlclose(sort->library);
  return false;
}

/* The folder of the program, with no slash at its end. False: the system does not tell. */
static bool program_folder(char *out, size_t size) {
  ssize_t length = readlink("/proc/self/exe", out, size - 1);
  if (length <= 0)
    return false;
  out[length] = 0;
  char *slash = strrchr(out, '/');
  if (!slash)
    return false;
  *slash = 0;
  return true;
}

static bool search_module(struct gpu_sort *sort) {
  static const char *const places[] = {"", "/gpu", "/../gpu"};
  char folder[PATH_MAX], path[PATH_MAX + sizeof "/../gpu/" NAME];
  if (program_folder(folder, sizeof folder))
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
      snprintf(path, sizeof path, "%s%s/" NAME, folder, places[i]);
      if (try_module(sort, path))
        return true;
    }
  return try_module(sort, FLOE_PKGLIBDIR "/" NAME);
}

static void explain(const struct gpu_sort *sort, const char *name, struct reason *reason) {
  if (*sort->why.text)
    reason_set(reason, "the module that sorts on GPUs cannot be opened: %s", sort->why.text);
  else
    reason_set(reason,
               "the module that sorts on GPUs (%s) is not found; it is built where "
               "configure finds nvcc",
               name);
}

floe_status gpu_sort_open(struct gpu_sort **out, struct reason *reason) {
  const char *wish = getenv("FLOE_LIBSORT");
  struct gpu_sort *sort = mem_alloc(sizeof *sort);
  if (!sort)
    return FLOE_ERROR_MEMORY;
  bool found = wish && *wish ? try_module(sort, wish) : search_module(sort);
  if (!found) {
    explain(sort, wish && *wish ? wish : NAME, reason);
    mem_free(sort);
    return FLOE_ERROR_UNSUPPORTED;
  }
  *out = sort;
  return FLOE_OK;
}

void gpu_sort_close(struct gpu_sort *sort) { mem_free(sort); }

/* ---- sorting -------------------------------------------------------------------------------------- */

/* CUDA's runtime has the driver's error numbers. */
static floe_status sort_call(const struct gpu_sort *sort, struct gpu *gpu, gpu_address keys, gpu_address alternate,
                             uint64_t n, unsigned bits, gpu_address room, size_t *bytes) {
  if (!gpu_sound(gpu))
    return FLOE_ERROR_INTERNAL;
  int error = sort->sort((uint64_t *)(uintptr_t)keys, (uint64_t *)(uintptr_t)alternate, n, bits,
                         (void *)(uintptr_t)room, bytes, gpu->stream);
  return gpu_result(gpu, (CUresult)error, "cub::DeviceRadixSort");
}

floe_status gpu_sort_room(const struct gpu_sort *sort, struct gpu *gpu, uint64_t n, unsigned bits, uint64_t *bytes) {
  size_t wanted = 0;
  FLOE_TRY(sort_call(sort, gpu, 0, 0, n, bits, 0, &wanted));
  *bytes = wanted ? wanted : 1;
  return FLOE_OK;
}

floe_status gpu_sort_keys(const struct gpu_sort *sort, struct gpu *gpu, gpu_address keys, gpu_address alternate,
                          uint64_t n, unsigned bits, gpu_address room, uint64_t bytes) {
  size_t given = (size_t)bytes;
  return n ? sort_call(sort, gpu, keys, alternate, n, bits, room, &given) : FLOE_OK;
}
