/* The driver library: opening it, and enumerating its devices. */
#include "gpu/driver/cuda.h"

#include "core/mem.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libcuda.so.1"

const char *cuda_error_text(const struct gpu_driver *driver, CUresult result) {
  const char *words;
  if (driver->GetErrorString(result, &words) == CUDA_SUCCESS && words)
    return words;
  return "an error that this driver has no words for";
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The name of a missing function; NULL: none is missing. */
static const char *find_functions(struct gpu_driver *driver) {
#define CUDA_FUNCTION(member, name, parameters)                                                                        \
  *(void **)&driver->member = dlsym(driver->library, #name);                                                           \
  if (!driver->member)                                                                                                 \
    return #name;
#include "gpu/driver/cuda.def"
  return NULL;
}

static const char *library_name(void) {
  const char *wish = getenv("FLOE_LIBCUDA");
  return wish && *wish ? wish : LIBRARY;
}

/* The library stays loaded: it will probably be needed next. */
bool gpu_driver_may_exist(void) { return !cuda_left_out && dlopen(library_name(), RTLD_NOW | RTLD_LOCAL) != NULL; }

static floe_status load(struct gpu_driver *driver, struct reason *reason) {
  if (cuda_left_out) {
    reason_set(reason, "%s", cuda_left_out);
    return FLOE_ERROR_UNSUPPORTED;
  }
  driver->library = dlopen(library_name(), RTLD_NOW | RTLD_LOCAL);
  if (!driver->library) {
    reason_set(reason, "no NVIDIA driver is installed (%s)", dlerror());
    return FLOE_ERROR_UNSUPPORTED;
  }
  const char *missing = find_functions(driver);
  if (!missing)
    return FLOE_OK;
  reason_set(reason, "the NVIDIA driver is too old: it has no function %s", missing);
  return FLOE_ERROR_UNSUPPORTED;
}

static floe_status start(struct gpu_driver *driver, struct reason *reason) {
  int devices = 0;
  const char *name = "cuInit";
  CUresult result = driver->Init(0);
  if (result == CUDA_ERROR_NO_DEVICE)
    result = CUDA_SUCCESS;
  else if (result == CUDA_SUCCESS)
    result = driver->DeviceGetCount(&devices), name = "cuDeviceGetCount";
  if (result == CUDA_SUCCESS)
    result = driver->DriverGetVersion(&driver->version), name = "cuDriverGetVersion";
  if (result == CUDA_SUCCESS) {
    driver->devices = devices < 0 ? 0 : (unsigned)devices;
    return FLOE_OK;
  }
  reason_set(reason, "CUDA does not start: %s: %s", name, cuda_error_text(driver, result));
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_driver_open(struct gpu_driver **out, struct reason *reason) {
  struct gpu_driver *driver = mem_alloc(sizeof *driver);
  if (!driver) {
    reason_set(reason, "out of memory");
    return FLOE_ERROR_MEMORY;
  }
  floe_status status = load(driver, reason);
  if (status == FLOE_OK)
    status = start(driver, reason);
  if (status == FLOE_OK)
    *out = driver;
  else
    gpu_driver_close(driver);
  return status;
}

/* The library stays loaded: it holds threads and memory of its own until the process ends. */
void gpu_driver_close(struct gpu_driver *driver) { mem_free(driver); }

int gpu_driver_version(const struct gpu_driver *driver) { return driver->version; }

unsigned gpu_driver_devices(const struct gpu_driver *driver) { return driver->devices; }

/* ---- devices --------------------------------------------------------------------------------- */

static unsigned attribute(const struct gpu_driver *driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  return driver->DeviceGetAttribute(&value, which, device) == CUDA_SUCCESS && value > 0 ? (unsigned)value : 0;
}

/* If CUDA was restricted to some of the devices, that is the probable cause. */
void cuda_reason_no_device(const struct gpu_driver *driver, unsigned number, struct reason *reason) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  char hidden[200] = "";
  if (visible)
    snprintf(hidden, sizeof hidden, " (CUDA_VISIBLE_DEVICES is '%.100s')", visible);
  if (driver->devices == 0)
    reason_set(reason, "CUDA finds no GPU%s", hidden);
  else if (driver->devices == 1)
    reason_set(reason, "there is no GPU %u: the only one is number 0%s", number, hidden);
  else
    reason_set(reason, "there is no GPU %u: they are numbered from 0 to %u%s", number, driver->devices - 1, hidden);
}

static floe_status fail(const struct gpu_driver *driver, CUresult result, const char *name, unsigned number,
                        struct reason *reason) {
  reason_set(reason, "GPU %u: %s: %s", number, name, cuda_error_text(driver, result));
  return FLOE_ERROR_UNSUPPORTED;
}

/* All information except the free memory. */
floe_status cuda_describe(const struct gpu_driver *driver, unsigned number, CUdevice *device, struct gpu_info *out,
                          struct reason *reason) {
  struct gpu_info info = {.number = number};
  size_t memory = 0;
  if (number >= driver->devices) {
    cuda_reason_no_device(driver, number, reason);
    return FLOE_ERROR_UNSUPPORTED;
  }
  CUresult result = driver->DeviceGet(device, (int)number);
  if (result != CUDA_SUCCESS)
    return fail(driver, result, "cuDeviceGet", number, reason);
  result = driver->DeviceTotalMem(&memory, *device);
  if (result != CUDA_SUCCESS)
    return fail(driver, result, "cuDeviceTotalMem", number, reason);
  if (driver->DeviceGetName(info.name, sizeof info.name, *device) != CUDA_SUCCESS)
    strcpy(info.name, "unnamed");
  if (driver->DeviceGetPCIBusId(info.bus, sizeof info.bus, *device) != CUDA_SUCCESS)
    info.bus[0] = '\0';
#define ATTRIBUTE(which) attribute(driver, *device, CU_DEVICE_ATTRIBUTE_##which)
  info.memory = memory;
  info.arch = (int)(10 * ATTRIBUTE(COMPUTE_CAPABILITY_MAJOR) + ATTRIBUTE(COMPUTE_CAPABILITY_MINOR));
  info.multiprocessors = ATTRIBUTE(MULTIPROCESSOR_COUNT);
  info.clock_mhz = ATTRIBUTE(CLOCK_RATE) / 1000; /* kHz */
  info.memory_clock_mhz = ATTRIBUTE(MEMORY_CLOCK_RATE) / 1000;
  info.memory_bus_bits = ATTRIBUTE(GLOBAL_MEMORY_BUS_WIDTH);
  info.l2_bytes = ATTRIBUTE(L2_CACHE_SIZE);
  info.threads_per_multiprocessor = ATTRIBUTE(MAX_THREADS_PER_MULTIPROCESSOR);
  info.threads_per_block = ATTRIBUTE(MAX_THREADS_PER_BLOCK);
  info.shared_per_multiprocessor = ATTRIBUTE(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info.shared_per_block = ATTRIBUTE(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info.cooperative = ATTRIBUTE(COOPERATIVE_LAUNCH) != 0;
#undef ATTRIBUTE
  *out = info;
  return FLOE_OK;
}

/* False: the driver does not report it. */
static bool peer_attribute(const struct gpu_driver *driver, CUdevice_P2PAttribute which, CUdevice from, CUdevice to,
                           int *value) {
  return driver->DeviceGetP2PAttribute(value, which, from, to) == CUDA_SUCCESS && *value >= 0;
}

struct gpu_link gpu_driver_link(const struct gpu_driver *driver, unsigned from, unsigned to) {
  struct gpu_link link = {0};
  CUdevice device, other;
  int can = 0, atomics = 0, rank = 0;
  assert(from != to && from < driver->devices && to < driver->devices);
  if (driver->DeviceGet(&device, (int)from) != CUDA_SUCCESS || driver->DeviceGet(&other, (int)to) != CUDA_SUCCESS ||
      driver->DeviceCanAccessPeer(&can, device, other) != CUDA_SUCCESS || !can)
    return link;
  link.direct = true;
  if (peer_attribute(driver, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, device, other, &atomics))
    link.atomics = atomics != 0;
  if (peer_attribute(driver, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, device, other, &rank))
    link.rank = (unsigned)rank + 1; /* the driver counts from 0 */
  return link;
}

/* 0 if the device provides no context. */
static uint64_t memory_free(const struct gpu_driver *driver, CUdevice device) {
  CUcontext before = NULL, context;
  size_t free = 0, total;
  if (driver->DevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS)
    return 0;
  bool had_one = driver->CtxGetCurrent(&before) == CUDA_SUCCESS;
  if (driver->CtxSetCurrent(context) != CUDA_SUCCESS || driver->MemGetInfo(&free, &total) != CUDA_SUCCESS)
    free = 0;
  driver->CtxSetCurrent(had_one ? before : NULL);
  driver->DevicePrimaryCtxRelease(device);
  return free;
}

floe_status gpu_driver_describe(const struct gpu_driver *driver, unsigned number, struct gpu_info *out,
                                struct reason *reason) {
  CUdevice device;
  FLOE_TRY(cuda_describe(driver, number, &device, out, reason));
  out->memory_free = memory_free(driver, device);
  return FLOE_OK;
}
