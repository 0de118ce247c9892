/* Modules, kernels and their timing on a device. */
#include "gpu/driver/cuda.h"

#include "core/diag.h"
#include "core/mem.h"
#include "core/system/digest.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

/* Available to a block without opt-in. */
#define USUAL_SHARED 49152

/* ---- modules --------------------------------------------------------------------------------- */

/* Modules loaded in a device's primary context. */
struct loaded {
  struct loaded *next;
  CUcontext context;
  CUmodule module;
  unsigned users;
  char key[DIGEST_HEX];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects the following */
static struct loaded *all_loaded;

static struct loaded *find_loaded(const struct gpu *gpu, const char *key) {
  struct loaded *loaded = all_loaded;
  while (loaded && (loaded->context != gpu->context || strcmp(loaded->key, key) != 0))
    loaded = loaded->next;
  return loaded;
}

/* The mutex is held. NULL: out of memory. */
static struct loaded *add_loaded(const struct gpu *gpu, const char *key, CUmodule module) {
  struct loaded *loaded = mem_alloc(sizeof *loaded);
  if (!loaded)
    return NULL;
  *loaded = (struct loaded){.next = all_loaded, .context = gpu->context, .module = module};
  memcpy(loaded->key, key, strlen(key) + 1);
  all_loaded = loaded;
  return loaded;
}

/* The mutex is held. */
static CUresult load(struct gpu *gpu, const void *cubin, const char *key, struct gpu_module *module) {
  struct loaded *loaded = key ? find_loaded(gpu, key) : NULL;
  if (!loaded) {
    const CUresult result = gpu->driver->ModuleLoadData(&module->module, cubin);
    if (result != CUDA_SUCCESS)
      return result;
    loaded = key ? add_loaded(gpu, key, module->module) : NULL;
  }
  if (loaded) {
    loaded->users++;
    module->module = loaded->module;
  }
  module->shared = loaded;
  return CUDA_SUCCESS;
}

floe_status gpu_module_try(struct gpu *gpu, const void *cubin, const char *key, struct gpu_module **out,
                           const char **why) {
  if (gpu->broken)
    return FLOE_ERROR_INTERNAL;
  struct gpu_module *module = mem_alloc(sizeof *module);
  if (!module)
    return FLOE_ERROR_MEMORY;
  module->gpu = gpu;
  pthread_mutex_lock(&mutex);
  CUresult result = load(gpu, cubin, key, module);
  pthread_mutex_unlock(&mutex);
  if (result == CUDA_SUCCESS) {
    *out = module;
    return FLOE_OK;
  }
  mem_free(module);
  *why = cuda_error_text(gpu->driver, result);
  return result == CUDA_ERROR_OUT_OF_MEMORY ? FLOE_ERROR_MEMORY : FLOE_ERROR_INTERNAL;
}

/* The mutex is held. True: it has no other user. */
static bool leave(struct loaded *shared) {
  if (!shared)
    return true;
  if (--shared->users > 0)
    return false;
  struct loaded **at = &all_loaded;
  while (*at != shared)
    at = &(*at)->next;
  *at = shared->next;
  mem_free(shared);
  return true;
}

floe_status gpu_module_load(struct gpu *gpu, const void *cubin, struct gpu_module **out) {
  const char *why = NULL;
  floe_status status = gpu_module_try(gpu, cubin, NULL, out, &why);
  if (status == FLOE_ERROR_INTERNAL && why)
    diag_error(gpu->log, NULL, NOWHERE, NULL, "GPU %u (%s): cuModuleLoadData: %s", gpu->info.number, gpu->info.name,
               why);
  return status;
}

void gpu_module_free(struct gpu_module *module) {
  if (!module)
    return;
  pthread_mutex_lock(&mutex);
  if (leave(module->shared) && !module->gpu->broken)
    gpu_result(module->gpu, module->gpu->driver->ModuleUnload(module->module), "cuModuleUnload");
  pthread_mutex_unlock(&mutex);
  mem_free(module);
}

static floe_status not_found(const struct gpu *gpu, CUresult result, const char *kind, const char *name) {
  diag_error(gpu->log, NULL, NOWHERE, NULL, "GPU %u (%s): no %s '%s' in the module: %s", gpu->info.number,
             gpu->info.name, kind, name, cuda_error_text(gpu->driver, result));
  return FLOE_ERROR_INTERNAL;
}

floe_status gpu_function_find(struct gpu_module *module, const char *name, struct gpu_function **out) {
  CUfunction function;
  struct gpu *gpu = module->gpu;
  if (gpu->broken)
    return FLOE_ERROR_INTERNAL;
  CUresult result = gpu->driver->ModuleGetFunction(&function, module->module, name);
  if (result != CUDA_SUCCESS)
    return not_found(gpu, result, "kernel", name);
  *out = (struct gpu_function *)function;
  return FLOE_OK;
}

floe_status gpu_global_find(struct gpu_module *module, const char *name, gpu_address *out, size_t *bytes) {
  CUdeviceptr address;
  size_t size;
  struct gpu *gpu = module->gpu;
  if (gpu->broken)
    return FLOE_ERROR_INTERNAL;
  CUresult result = gpu->driver->ModuleGetGlobal(&address, &size, module->module, name);
  if (result != CUDA_SUCCESS)
    return not_found(gpu, result, "variable", name);
  *out = address;
  if (bytes)
    *bytes = size;
  return FLOE_OK;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static CUfunction handle(struct gpu_function *function) { return (CUfunction)function; }

floe_status gpu_function_describe(struct gpu *gpu, struct gpu_function *function, struct gpu_function_info *out) {
  static const CUfunction_attribute which[] = {CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                                               CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                               CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK};
  int value[4] = {0};
  for (int i = 0; i < 4; i++)
    FLOE_TRY(GPU_CALL(gpu, FuncGetAttribute, &value[i], which[i], handle(function)));
  *out = (struct gpu_function_info){.registers = (unsigned)value[0],
                                    .local_bytes = (unsigned)value[1],
                                    .shared_bytes = (unsigned)value[2],
                                    .threads_per_block = (unsigned)value[3]};
  return FLOE_OK;
}

floe_status gpu_function_shared(struct gpu *gpu, struct gpu_function *function, size_t bytes) {
  if (bytes <= USUAL_SHARED)
    return FLOE_OK;
  if (bytes > INT_MAX)
    return gpu_result(gpu, CUDA_ERROR_INVALID_VALUE, "cuFuncSetAttribute");
  FLOE_TRY(
      GPU_CALL(gpu, FuncSetAttribute, handle(function), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes));
  return GPU_CALL(gpu, FuncSetAttribute, handle(function), CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                  CU_SHAREDMEM_CARVEOUT_MAX_SHARED);
}

floe_status gpu_occupancy(struct gpu *gpu, struct gpu_function *function, unsigned threads, size_t shared_bytes,
                          unsigned *blocks) {
  int resident = 0;
  FLOE_TRY(GPU_CALL(gpu, OccupancyMaxActiveBlocksPerMultiprocessor, &resident, handle(function), (int)threads,
                    shared_bytes));
  *blocks = resident < 0 ? 0 : (unsigned)resident;
  return FLOE_OK;
}

floe_status gpu_start(struct gpu *gpu, struct gpu_function *function, const struct gpu_launch *launch,
                      void **arguments) {
  unsigned shared = (unsigned)launch->shared_bytes;
  assert(function && launch->blocks && launch->threads && launch->threads <= gpu->info.threads_per_block);
  if (launch->cooperative)
    return GPU_CALL(gpu, LaunchCooperativeKernel, handle(function), launch->blocks, 1, 1, launch->threads, 1, 1, shared,
                    gpu->stream, arguments);
  return GPU_CALL(gpu, LaunchKernel, handle(function), launch->blocks, 1, 1, launch->threads, 1, 1, shared, gpu->stream,
                  arguments, NULL);
}

/* ---- time ------------------------------------------------------------------------------------ */

floe_status gpu_event_create(struct gpu *gpu, struct gpu_event **out) {
  CUevent event = NULL;
  FLOE_TRY(GPU_CALL(gpu, EventCreate, &event, CU_EVENT_DEFAULT));
  *out = (struct gpu_event *)event;
  return FLOE_OK;
}

void gpu_event_free(struct gpu *gpu, struct gpu_event *event) {
  if (event && !gpu->broken)
    gpu_result(gpu, gpu->driver->EventDestroy((CUevent)event), "cuEventDestroy");
}

floe_status gpu_event_record(struct gpu *gpu, struct gpu_event *event) {
  return GPU_CALL(gpu, EventRecord, (CUevent)event, gpu->stream);
}

floe_status gpu_event_wait(struct gpu *gpu, struct gpu_event *event) {
  return GPU_CALL(gpu, EventSynchronize, (CUevent)event);
}

floe_status gpu_event_seconds(struct gpu *gpu, struct gpu_event *from, struct gpu_event *to, double *seconds) {
  float milliseconds = 0;
  FLOE_TRY(GPU_CALL(gpu, EventSynchronize, (CUevent)to));
  FLOE_TRY(GPU_CALL(gpu, EventElapsedTime, &milliseconds, (CUevent)from, (CUevent)to));
  *seconds = milliseconds / 1e3;
  return FLOE_OK;
}
