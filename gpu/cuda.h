/* CUDA's driver library as the files of gpu/driver.h see it. */
#ifndef FLOE_GPU_CUDA_H
#define FLOE_GPU_CUDA_H

#include "gpu/driver.h"

#include <cuda.h>

/* The functions used: member, its name in the library, its parameters. The names have the version
   whose parameters these are, whatever version the headers would choose: each is in every driver
   since CUDA 11.0 at the latest. */
#define CUDA_FUNCTIONS(X)                                                                                              \
  X(Init, "cuInit", (unsigned))                                                                                        \
  X(GetErrorString, "cuGetErrorString", (CUresult, const char **))                                                     \
  X(DriverGetVersion, "cuDriverGetVersion", (int *))                                                                   \
  X(DeviceGetCount, "cuDeviceGetCount", (int *))                                                                       \
  X(DeviceGet, "cuDeviceGet", (CUdevice *, int))                                                                       \
  X(DeviceGetName, "cuDeviceGetName", (char *, int, CUdevice))                                                         \
  X(DeviceGetAttribute, "cuDeviceGetAttribute", (int *, CUdevice_attribute, CUdevice))                                 \
  X(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t *, CUdevice))                                                       \
  X(DeviceGetPCIBusId, "cuDeviceGetPCIBusId", (char *, int, CUdevice))                                                 \
  X(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))                                       \
  X(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice))                                               \
  X(CtxGetCurrent, "cuCtxGetCurrent", (CUcontext *))                                                                   \
  X(CtxSetCurrent, "cuCtxSetCurrent", (CUcontext))                                                                     \
  X(MemGetInfo, "cuMemGetInfo_v2", (size_t *, size_t *))                                                               \
  X(MemAlloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                                                                \
  X(MemFree, "cuMemFree_v2", (CUdeviceptr))                                                                            \
  X(MemHostAlloc, "cuMemHostAlloc", (void **, size_t, unsigned))                                                       \
  X(MemFreeHost, "cuMemFreeHost", (void *))                                                                            \
  X(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void *, size_t, CUstream))                            \
  X(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *, CUdeviceptr, size_t, CUstream))                                  \
  X(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (CUdeviceptr, CUdeviceptr, size_t, CUstream))                             \
  X(MemsetD8Async, "cuMemsetD8Async", (CUdeviceptr, unsigned char, size_t, CUstream))                                  \
  X(StreamCreate, "cuStreamCreate", (CUstream *, unsigned))                                                            \
  X(StreamDestroy, "cuStreamDestroy_v2", (CUstream))                                                                   \
  X(StreamSynchronize, "cuStreamSynchronize", (CUstream))                                                              \
  X(ModuleLoadData, "cuModuleLoadData", (CUmodule *, const void *))                                                    \
  X(ModuleUnload, "cuModuleUnload", (CUmodule))                                                                        \
  X(ModuleGetFunction, "cuModuleGetFunction", (CUfunction *, CUmodule, const char *))                                  \
  X(ModuleGetGlobal, "cuModuleGetGlobal_v2", (CUdeviceptr *, size_t *, CUmodule, const char *))                        \
  X(FuncGetAttribute, "cuFuncGetAttribute", (int *, CUfunction_attribute, CUfunction))                                 \
  X(FuncSetAttribute, "cuFuncSetAttribute", (CUfunction, CUfunction_attribute, int))                                   \
  X(OccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                          \
    (int *, CUfunction, int, size_t))                                                                                  \
  X(LaunchKernel, "cuLaunchKernel",                                                                                    \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **))    \
  X(LaunchCooperativeKernel, "cuLaunchCooperativeKernel",                                                              \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **))             \
  X(EventCreate, "cuEventCreate", (CUevent *, unsigned))                                                               \
  X(EventDestroy, "cuEventDestroy_v2", (CUevent))                                                                      \
  X(EventRecord, "cuEventRecord", (CUevent, CUstream))                                                                 \
  X(EventSynchronize, "cuEventSynchronize", (CUevent))                                                                 \
  X(EventElapsedTime, "cuEventElapsedTime", (float *, CUevent, CUevent))

struct gpu_driver {
  void *library;
  int version;
  unsigned devices;
#define MEMBER(member, name, parameters) CUresult(CUDAAPI *member) parameters;
  CUDA_FUNCTIONS(MEMBER)
#undef MEMBER
};

struct gpu {
  struct gpu_driver *driver;
  CUdevice device;
  CUcontext context;
  CUstream stream;
  floe_log *log;
  struct gpu_info info;
  bool broken; /* every call would fail */
};

struct gpu_module {
  struct gpu *gpu;
  CUmodule module;
};

/* All of gpu_driver_describe but memory_free. */
floe_status cuda_describe(const struct gpu_driver *driver, unsigned number, CUdevice *device, struct gpu_info *out,
                          struct reason *reason);
/* Why there is no device of this number. */
void cuda_refuse_number(const struct gpu_driver *driver, unsigned number, struct reason *reason);
/* FLOE_ERROR_UNSUPPORTED with a reason: the device lacks what floe needs. */
floe_status gpu_check_abilities(const struct gpu_info *info, struct reason *reason);
/* gpu_module_load that tells nothing: *why has CUDA's words. */
floe_status gpu_module_try(struct gpu *gpu, const void *cubin, struct gpu_module **out, const char **why);

/* CUDA's words for an error. */
const char *cuda_words(const struct gpu_driver *driver, CUresult result);

/* What a call of CUDA's function `name` came to: FLOE_OK, FLOE_ERROR_MEMORY (not told) or
 * FLOE_ERROR_INTERNAL. */
floe_status gpu_result(struct gpu *gpu, CUresult result, const char *name);
/* Calls a function of the driver and returns what it came to, unless the context is unusable. */
#define GPU_CALL(gpu, member, ...)                                                                                     \
  ((gpu)->broken ? FLOE_ERROR_INTERNAL : gpu_result((gpu), (gpu)->driver->member(__VA_ARGS__), "cu" #member))

#endif
