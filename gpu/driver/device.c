/* A device in use: its context, errors and memory. */
#include "gpu/driver/cuda.h"

#include "core/diag.h"
#include "core/mem.h"

#include <assert.h>
#include <string.h>

/* The tables need compare-and-swap on 16 bits, available from compute capability 7.0. */
#define LEAST_ARCH 70

/* ---- errors ---------------------------------------------------------------------------------- */

/* After these errors the context is unusable. */
static bool is_final(CUresult result) {
  switch (result) {
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_UNKNOWN:
    return true;
  default:
    return false;
  }
}

floe_status gpu_result(struct gpu *gpu, CUresult result, const char *name) {
  if (result == CUDA_SUCCESS)
    return FLOE_OK;
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return FLOE_ERROR_MEMORY;
  diag_error(gpu->log, NULL, NOWHERE, NULL, "GPU %u (%s): %s: %s", gpu->info.number, gpu->info.name, name,
             cuda_error_text(gpu->driver, result));
  gpu->broken = is_final(result);
  return FLOE_ERROR_INTERNAL;
}

bool gpu_is_usable(const struct gpu *gpu) { return !gpu->broken; }

/* ---- opening --------------------------------------------------------------------------------- */

floe_status gpu_check_abilities(const struct gpu_info *info, struct reason *reason) {
  if (info->arch < LEAST_ARCH) {
    reason_set(reason, "GPU %u (%s) has compute capability %d.%d; %d.%d is needed", info->number, info->name,
               info->arch / 10, info->arch % 10, LEAST_ARCH / 10, LEAST_ARCH % 10);
    return FLOE_ERROR_UNSUPPORTED;
  }
  if (!info->cooperative) {
    reason_set(reason, "GPU %u (%s) cannot launch cooperative kernels", info->number, info->name);
    return FLOE_ERROR_UNSUPPORTED;
  }
  return FLOE_OK;
}

/* Undoes nothing on failure: gpu_close does. */
static CUresult take(struct gpu *gpu, const char **name) {
  const struct gpu_driver *driver = gpu->driver;
  size_t free, total;
  *name = "cuDevicePrimaryCtxRetain";
  CUresult result = driver->DevicePrimaryCtxRetain(&gpu->context, gpu->device);
  if (result != CUDA_SUCCESS) {
    gpu->context = NULL;
    return result;
  }
  *name = "cuCtxSetCurrent";
  result = driver->CtxSetCurrent(gpu->context);
  if (result != CUDA_SUCCESS)
    return result;
  *name = "cuMemGetInfo";
  result = driver->MemGetInfo(&free, &total);
  if (result != CUDA_SUCCESS)
    return result;
  gpu->info.memory_free = free;
  *name = "cuStreamCreate";
  result = driver->StreamCreate(&gpu->stream, CU_STREAM_NON_BLOCKING);
  if (result != CUDA_SUCCESS)
    gpu->stream = NULL;
  return result;
}

floe_status gpu_open(struct gpu_driver *driver, unsigned number, floe_log *log, struct gpu **out,
                     struct reason *reason) {
  CUdevice device;
  struct gpu_info info;
  const char *name;
  FLOE_TRY(cuda_describe(driver, number, &device, &info, reason));
  FLOE_TRY(gpu_check_abilities(&info, reason));
  struct gpu *gpu = mem_alloc(sizeof *gpu);
  if (!gpu) {
    reason_set(reason, "out of memory");
    return FLOE_ERROR_MEMORY;
  }
  *gpu = (struct gpu){.driver = driver, .device = device, .log = log, .info = info};
  CUresult result = take(gpu, &name);
  if (result == CUDA_SUCCESS) {
    *out = gpu;
    return FLOE_OK;
  }
  reason_set(reason, "GPU %u (%s): %s: %s", number, info.name, name, cuda_error_text(driver, result));
  gpu_close(gpu);
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_retain_context(struct gpu *gpu) {
  CUcontext same;
  if (!gpu->kept)
    FLOE_TRY(GPU_CALL(gpu, DevicePrimaryCtxRetain, &same, gpu->device));
  gpu->kept = true;
  return FLOE_OK;
}

void gpu_close(struct gpu *gpu) {
  if (!gpu)
    return;
  if (gpu->context) {
    gpu->driver->CtxSetCurrent(gpu->context);
    if (gpu->stream)
      gpu->driver->StreamDestroy(gpu->stream);
    if (gpu->beside)
      gpu->driver->StreamDestroy(gpu->beside);
    if (!gpu->kept) /* a library of this thread that ends later releases its objects there */
      gpu->driver->CtxSetCurrent(NULL);
    gpu->driver->DevicePrimaryCtxRelease(gpu->device);
  }
  mem_free(gpu);
}

const struct gpu_info *gpu_information(const struct gpu *gpu) { return &gpu->info; }

floe_status gpu_use(struct gpu *gpu) { return GPU_CALL(gpu, CtxSetCurrent, gpu->context); }

floe_log *gpu_set_log(struct gpu *gpu, floe_log *log) {
  floe_log *before = gpu->log;
  gpu->log = log;
  return before;
}

/* ---- memory ---------------------------------------------------------------------------------- */

floe_status gpu_memory(struct gpu *gpu, uint64_t *free, uint64_t *total) {
  size_t now = 0, all = 0;
  FLOE_TRY(GPU_CALL(gpu, MemGetInfo, &now, &all));
  *free = now;
  *total = all;
  return FLOE_OK;
}

floe_status gpu_alloc(struct gpu *gpu, uint64_t bytes, gpu_address *out) {
  CUdeviceptr address = 0;
  FLOE_TRY(GPU_CALL(gpu, MemAlloc, &address, bytes ? bytes : 1)); /* CUDA refuses 0 */
  *out = address;
  return FLOE_OK;
}

void gpu_free(struct gpu *gpu, gpu_address address) {
  if (address && !gpu->broken)
    gpu_result(gpu, gpu->driver->MemFree(address), "cuMemFree");
}

floe_status gpu_host_alloc(struct gpu *gpu, size_t bytes, void **out) {
  void *p = NULL;
  FLOE_TRY(GPU_CALL(gpu, MemHostAlloc, &p, bytes ? bytes : 1, CU_MEMHOSTALLOC_PORTABLE));
  *out = p;
  return FLOE_OK;
}

void gpu_host_free(struct gpu *gpu, void *p) {
  if (p && !gpu->broken)
    gpu_result(gpu, gpu->driver->MemFreeHost(p), "cuMemFreeHost");
}

/* ---- copies ---------------------------------------------------------------------------------- */

floe_status gpu_upload_start(struct gpu *gpu, gpu_address to, const void *from, size_t bytes) {
  return bytes ? GPU_CALL(gpu, MemcpyHtoDAsync, to, from, bytes, gpu->stream) : FLOE_OK;
}

floe_status gpu_download_start(struct gpu *gpu, void *to, gpu_address from, size_t bytes) {
  return bytes ? GPU_CALL(gpu, MemcpyDtoHAsync, to, from, bytes, gpu->stream) : FLOE_OK;
}

floe_status gpu_upload(struct gpu *gpu, gpu_address to, const void *from, size_t bytes) {
  FLOE_TRY(gpu_upload_start(gpu, to, from, bytes));
  return gpu_wait(gpu);
}

floe_status gpu_download(struct gpu *gpu, void *to, gpu_address from, size_t bytes) {
  FLOE_TRY(gpu_download_start(gpu, to, from, bytes));
  return gpu_wait(gpu);
}

/* Rarely used: created for the first copy. */
static floe_status make_beside(struct gpu *gpu) {
  CUstream beside;
  if (gpu->beside)
    return FLOE_OK;
  FLOE_TRY(GPU_CALL(gpu, StreamCreate, &beside, CU_STREAM_NON_BLOCKING));
  gpu->beside = beside;
  return FLOE_OK;
}

floe_status gpu_download_on_side_stream(struct gpu *gpu, void *to, gpu_address from, size_t bytes) {
  FLOE_TRY(make_beside(gpu));
  return bytes ? GPU_CALL(gpu, MemcpyDtoHAsync, to, from, bytes, gpu->beside) : FLOE_OK;
}

floe_status gpu_copy_on_side_stream(struct gpu *gpu, gpu_address to, gpu_address from, uint64_t bytes) {
  FLOE_TRY(make_beside(gpu));
  return bytes ? GPU_CALL(gpu, MemcpyDtoDAsync, to, from, bytes, gpu->beside) : FLOE_OK;
}

floe_status gpu_wait_for_side_stream(struct gpu *gpu) {
  return gpu->beside ? GPU_CALL(gpu, StreamSynchronize, gpu->beside) : FLOE_OK;
}

floe_status gpu_copy(struct gpu *gpu, gpu_address to, gpu_address from, uint64_t bytes) {
  assert(to + bytes <= from || from + bytes <= to);
  return bytes ? GPU_CALL(gpu, MemcpyDtoDAsync, to, from, bytes, gpu->stream) : FLOE_OK;
}

floe_status gpu_copy_peer(struct gpu *gpu, gpu_address to, struct gpu *other, gpu_address from, uint64_t bytes) {
  return bytes ? GPU_CALL(gpu, MemcpyPeerAsync, to, gpu->context, from, other->context, bytes, gpu->stream) : FLOE_OK;
}

floe_status gpu_peer_open(struct gpu *gpu, struct gpu *other, bool *possible) {
  int can = 0;
  *possible = gpu->device == other->device;
  if (*possible)
    return FLOE_OK;
  FLOE_TRY(GPU_CALL(gpu, DeviceCanAccessPeer, &can, gpu->device, other->device));
  if (!can)
    return FLOE_OK;
  const CUresult result = gpu->driver->CtxEnablePeerAccess(other->context, 0);
  *possible = true;
  return result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ? FLOE_OK : gpu_result(gpu, result, "cuCtxEnablePeerAccess");
}

/* An impossible operation is not an error, unless the context is unusable. */
static floe_status try_to_share(struct gpu *gpu, CUresult result, const char *name, bool *possible) {
  *possible = result == CUDA_SUCCESS;
  return is_final(result) ? gpu_result(gpu, result, name) : FLOE_OK;
}

floe_status gpu_share(struct gpu *gpu, gpu_address memory, unsigned char out[GPU_SHARED_BYTES], bool *possible) {
  CUipcMemHandle shared = {{0}};
  _Static_assert(sizeof shared == GPU_SHARED_BYTES, "of another size than CUDA's");
  FLOE_TRY(gpu->broken ? FLOE_ERROR_INTERNAL : FLOE_OK);
  FLOE_TRY(try_to_share(gpu, gpu->driver->IpcGetMemHandle(&shared, memory), "cuIpcGetMemHandle", possible));
  memcpy(out, &shared, sizeof shared);
  return FLOE_OK;
}

floe_status gpu_shared_open(struct gpu *gpu, const unsigned char shared[GPU_SHARED_BYTES], gpu_address *out,
                            bool *possible) {
  CUipcMemHandle copy;
  CUdeviceptr address = 0;
  memcpy(&copy, shared, sizeof copy);
  FLOE_TRY(gpu->broken ? FLOE_ERROR_INTERNAL : FLOE_OK);
  const CUresult result = gpu->driver->IpcOpenMemHandle(&address, copy, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  FLOE_TRY(try_to_share(gpu, result, "cuIpcOpenMemHandle", possible));
  *out = *possible ? address : 0;
  return FLOE_OK;
}

void gpu_shared_close(struct gpu *gpu, gpu_address address) {
  if (address && !gpu->broken)
    gpu_result(gpu, gpu->driver->IpcCloseMemHandle(address), "cuIpcCloseMemHandle");
}

floe_status gpu_fill(struct gpu *gpu, gpu_address to, unsigned char value, uint64_t bytes) {
  assert(to || !bytes);
  return bytes ? GPU_CALL(gpu, MemsetD8Async, to, value, bytes, gpu->stream) : FLOE_OK;
}

floe_status gpu_is_done(struct gpu *gpu, bool *done) {
  if (gpu->broken)
    return FLOE_ERROR_INTERNAL;
  const CUresult result = gpu->driver->StreamQuery(gpu->stream);
  *done = result != CUDA_ERROR_NOT_READY;
  return *done ? gpu_result(gpu, result, "cuStreamQuery") : FLOE_OK;
}

floe_status gpu_wait(struct gpu *gpu) { return GPU_CALL(gpu, StreamSynchronize, gpu->stream); }
