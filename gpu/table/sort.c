#include "gpu/table/sort.h"

#include "core/mem.h"
#include "core/system/module.h"
#include "gpu/driver/cuda.h"

#include <dlfcn.h>

/* gpu/table/sort.cu */
typedef int device_sort(uint64_t *keys, uint64_t *alternate, uint64_t n, unsigned bits, void *temporary,
                        size_t *temporary_bytes, void *stream);

struct gpu_sort {
  device_sort *sort;
};

/* ---- opening -------------------------------------------------------------------------------------- */

/* The module stays loaded: CUDA's runtime in it holds memory of its own until the process ends. */
static const struct module_place place = {
    .file = "libfloe_sort.so",
    .variable = "FLOE_LIBSORT",
    .built = "gpu",
    .installed = FLOE_PKGLIBDIR,
    .symbol = "floe_device_sort",
    .flags = RTLD_LOCAL,
};

static void explain_missing_module(const struct reason *why, struct reason *reason) {
  if (*why->text)
    reason_set(reason, "the module that sorts on GPUs cannot be opened: %s", why->text);
  else
    reason_set(reason,
               "the module that sorts on GPUs (%s) is not found; it is built where "
               "configure finds nvcc",
               module_file_name(&place));
}

floe_status gpu_sort_open(struct gpu_sort **out, struct reason *reason) {
  struct reason why;
  struct gpu_sort *sort = mem_alloc(sizeof *sort);
  if (!sort)
    return FLOE_ERROR_MEMORY;
  *(void **)&sort->sort = module_open(&place, &why);
  if (!sort->sort) {
    explain_missing_module(&why, reason);
    mem_free(sort);
    return FLOE_ERROR_UNSUPPORTED;
  }
  *out = sort;
  return FLOE_OK;
}

void gpu_sort_close(struct gpu_sort *sort) { mem_free(sort); }

/* ---- sorting -------------------------------------------------------------------------------------- */

/* CUDA's runtime uses the driver's error numbers. */
static floe_status sort_call(const struct gpu_sort *sort, struct gpu *gpu, const struct gpu_sort_job *job,
                             size_t *bytes) {
  if (!gpu_is_usable(gpu))
    return FLOE_ERROR_INTERNAL;
  int error = sort->sort((uint64_t *)(uintptr_t)job->keys, (uint64_t *)(uintptr_t)job->alternate, job->n, job->bits,
                         (void *)(uintptr_t)job->room, bytes, gpu->stream);
  return gpu_result(gpu, (CUresult)error, "cub::DeviceRadixSort");
}

floe_status gpu_sort_room(const struct gpu_sort *sort, struct gpu *gpu, uint64_t n, unsigned bits, uint64_t *bytes) {
  const struct gpu_sort_job query = {.n = n, .bits = bits};
  size_t needed = 0;
  FLOE_TRY(sort_call(sort, gpu, &query, &needed));
  *bytes = needed ? needed : 1;
  return FLOE_OK;
}

floe_status gpu_sort_keys(const struct gpu_sort *sort, struct gpu *gpu, const struct gpu_sort_job *job) {
  size_t given = (size_t)job->bytes;
  return job->n ? sort_call(sort, gpu, job, &given) : FLOE_OK;
}
