/* Internal interface of CUDA's driver library, for the files that implement gpu/driver/driver.h. */
#ifndef FLOE_GPU_CUDA_H
#define FLOE_GPU_CUDA_H

#include "gpu/driver/driver.h"

/* The types of cuda.h, which is not needed: handles are pointers to the driver's own objects. */
typedef int CUresult, CUdevice, CUdevice_attribute, CUdevice_P2PAttribute, CUfunction_attribute;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUevent_st *CUevent;
typedef struct CUipcMemHandle_st {
  char reserved[64];
} CUipcMemHandle;

enum cuda_value {
#define CUDA_VALUE(name, value) name = value,
#include "gpu/driver/cuda.def"
};

struct gpu_driver {
  void *library;
  int version;
  unsigned devices;
#define CUDA_FUNCTION(member, name, parameters) CUresult(*member) parameters;
#include "gpu/driver/cuda.def"
};

struct gpu {
  struct gpu_driver *driver;
  CUdevice device;
  CUcontext context;
  CUstream stream, beside; /* beside: the side stream, for copies while kernels run; created on first use, NULL
                              before */
  floe_log *log;
  struct gpu_info info;
  bool broken; /* every call would fail */
  bool kept;   /* its context is not released */
};

struct gpu_module {
  struct gpu *gpu;
  CUmodule module;
  struct loaded *shared; /* NULL: not shared with other users */
};

/* Why this build of floe uses no GPU: it was built without CUDA (gpu/driver/without_cuda.c). NULL: it uses GPUs
   (gpu/driver/with_cuda.c). */
extern const char *const cuda_left_out;

/* gpu_driver_describe without memory_free. */
floe_status cuda_describe(const struct gpu_driver *driver, unsigned number, CUdevice *device, struct gpu_info *out,
                          struct reason *reason);
/* The reason why there is no device of this number. */
void cuda_reason_no_device(const struct gpu_driver *driver, unsigned number, struct reason *reason);
/* FLOE_ERROR_UNSUPPORTED with a reason: the device lacks a required capability. */
floe_status gpu_check_abilities(const struct gpu_info *info, struct reason *reason);
/* gpu_module_load without logging: *why is CUDA's error text. `key`: of DIGEST_HEX characters, equal for equal code,
   which is then loaded once for all concurrent users of a device: several copies would evict each other from its
   instruction caches. NULL: not shared. */
floe_status gpu_module_try(struct gpu *gpu, const void *cubin, const char *key, struct gpu_module **out,
                           const char **why);

/* CUDA's text for an error. */
const char *cuda_error_text(const struct gpu_driver *driver, CUresult result);

/* Status for the result of CUDA's function `name`: FLOE_OK, FLOE_ERROR_MEMORY (not logged) or FLOE_ERROR_INTERNAL. */
floe_status gpu_result(struct gpu *gpu, CUresult result, const char *name);
/* Calls a driver function and returns its status, unless the context is unusable. */
#define GPU_CALL(gpu, member, ...)                                                                                     \
  ((gpu)->broken ? FLOE_ERROR_INTERNAL : gpu_result((gpu), (gpu)->driver->member(__VA_ARGS__), "cu" #member))

#endif
