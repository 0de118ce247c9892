/* Fake CUDA driver library, for tests of gpu/driver/driver.h and of messages. The words in $FAKE_CUDA set its
   behaviour. Device memory is host memory; kernels do nothing.

     none        CUDA finds no device             mismatch   CUDA does not start
     two         there are two devices            busy       no context is available
     pascal      compute capability 6.1           simple     no cooperative launch
     older       the driver knows CUDA 12.4       small      4 MiB of memory
     refuse      modules are not loaded           fault      a kernel faults
     cubin       modules have to be of ELF        exclusive  device 0 does not answer
     four        there are four devices           apart      0 and 1 have no access to each other's memory
     mixed       0 and 1, 2 and 3 have faster     mute       links report only whether access exists
                 links than others                unshared   no memory is shared between processes

   With FAKE_OLD defined it lacks a function, as an old driver does. Names and numbers are those of CUDA's documented
   interface; no CUDA header is needed. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  DEVICE_UNAVAILABLE = 46,
  NO_DEVICE = 100,
  INVALID_IMAGE = 200,
  NOT_FOUND = 500,
  NOT_READY = 600,
  ILLEGAL_ADDRESS = 700,
  NO_PEER_ACCESS = 217,
  NOT_SUPPORTED = 801,
  SYSTEM_DRIVER_MISMATCH = 803
};
enum {
  THREADS_PER_BLOCK = 1,
  CLOCK_RATE = 13,
  MULTIPROCESSORS = 16,
  MEMORY_CLOCK = 36,
  BUS_WIDTH = 37,
  L2_BYTES = 38,
  THREADS_PER_MULTIPROCESSOR = 39,
  MAJOR = 75,
  MINOR = 76,
  SHARED_PER_MULTIPROCESSOR = 81,
  COOPERATIVE = 95,
  SHARED_PER_BLOCK = 97
};
enum { PERFORMANCE_RANK = 1, NATIVE_ATOMICS = 3 };

static size_t used;
static bool faulted;

static bool is(const char *word) {
  const char *words = getenv("FAKE_CUDA");
  const char *at = words ? strstr(words, word) : NULL;
  return at && (at == words || at[-1] == ' ') && strchr(" ", at[strlen(word)]);
}

static size_t memory(void) { return (size_t)(is("small") ? 4 : 1024) << 20; }

int cuInit(unsigned flags) {
  (void)flags;
  return is("none") ? NO_DEVICE : is("mismatch") ? SYSTEM_DRIVER_MISMATCH : SUCCESS;
}

int cuGetErrorString(int error, const char **out) {
  switch (error) {
  case OUT_OF_MEMORY:
    *out = "out of memory";
    return SUCCESS;
  case DEVICE_UNAVAILABLE:
    *out = "CUDA-capable device(s) is/are busy or unavailable";
    return SUCCESS;
  case INVALID_IMAGE:
    *out = "device kernel image is invalid";
    return SUCCESS;
  case NOT_FOUND:
    *out = "named symbol not found";
    return SUCCESS;
  case ILLEGAL_ADDRESS:
    *out = "an illegal memory access was encountered";
    return SUCCESS;
  case SYSTEM_DRIVER_MISMATCH:
    *out = "system has unsupported display driver / cuda driver combination";
    return SUCCESS;
  }
  return INVALID_VALUE;
}

int cuDriverGetVersion(int *version) {
  *version = is("older") ? 12040 : 13000;
  return SUCCESS;
}

int cuDeviceGetCount(int *count) {
  *count = is("four") ? 4 : is("two") ? 2 : 1;
  return SUCCESS;
}

int cuDeviceGet(int *device, int number) {
  *device = number;
  return is("exclusive") && number == 0 ? DEVICE_UNAVAILABLE : SUCCESS;
}

int cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, (size_t)size, "Imaginary %c", 'A' + device);
  return SUCCESS;
}

int cuDeviceGetAttribute(int *value, int which, int device) {
  (void)device;
  switch (which) {
  case THREADS_PER_BLOCK:
    *value = 1024;
    return SUCCESS;
  case CLOCK_RATE:
    *value = 1500000;
    return SUCCESS;
  case MULTIPROCESSORS:
    *value = 4;
    return SUCCESS;
  case MEMORY_CLOCK:
    *value = 2000000;
    return SUCCESS;
  case BUS_WIDTH:
    *value = 512;
    return SUCCESS;
  case L2_BYTES:
    *value = 1 << 20;
    return SUCCESS;
  case THREADS_PER_MULTIPROCESSOR:
    *value = 2048;
    return SUCCESS;
  case MAJOR:
    *value = is("pascal") ? 6 : 9;
    return SUCCESS;
  case MINOR:
    *value = is("pascal") ? 1 : 0;
    return SUCCESS;
  case SHARED_PER_MULTIPROCESSOR:
  case SHARED_PER_BLOCK:
    *value = 200 << 10;
    return SUCCESS;
  case COOPERATIVE:
    *value = !is("simple");
    return SUCCESS;
  }
  return INVALID_VALUE;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = memory();
  return SUCCESS;
}

int cuDeviceGetPCIBusId(char *out, int size, int device) {
  snprintf(out, (size_t)size, "0000:%02x:00.0", 0x18 + device);
  return SUCCESS;
}

/* ---- contexts, streams, events --------------------------------------------------------------- */

static int context, stream, event;
static void *current;

int cuDevicePrimaryCtxRetain(void **out, int device) {
  (void)device;
  *out = &context;
  return is("busy") ? DEVICE_UNAVAILABLE : SUCCESS;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  return SUCCESS;
}
int cuCtxGetCurrent(void **out) {
  *out = current;
  return SUCCESS;
}
int cuCtxSetCurrent(void *which) {
  current = which;
  return SUCCESS;
}
int cuStreamCreate(void **out, unsigned flags) {
  (void)flags;
  *out = &stream;
  return current == &context ? SUCCESS : INVALID_VALUE;
}
int cuStreamDestroy_v2(void *which) { return which == &stream ? SUCCESS : INVALID_VALUE; }
int cuStreamQuery(void *which) {
  static bool asked; /* a stream is finished at the second query */
  asked = !asked;
  return which != &stream ? INVALID_VALUE : faulted ? ILLEGAL_ADDRESS : asked ? NOT_READY : SUCCESS;
}
int cuStreamSynchronize(void *which) { return which != &stream ? INVALID_VALUE : faulted ? ILLEGAL_ADDRESS : SUCCESS; }
int cuEventCreate(void **out, unsigned flags) {
  (void)flags;
  *out = &event;
  return SUCCESS;
}
int cuEventDestroy_v2(void *which) { return which == &event ? SUCCESS : INVALID_VALUE; }
int cuEventRecord(void *which, void *where) { return which == &event && where == &stream ? SUCCESS : INVALID_VALUE; }
int cuEventSynchronize(void *which) { return which == &event ? SUCCESS : INVALID_VALUE; }
int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  *milliseconds = 250;
  return from == &event && to == &event ? SUCCESS : INVALID_VALUE;
}

/* ---- memory ---------------------------------------------------------------------------------- */

struct block {
  size_t bytes;
  char pad[248];
};

static int take(void **out, size_t bytes) {
  if (bytes == 0)
    return INVALID_VALUE;
  if (bytes > memory() - used)
    return OUT_OF_MEMORY;
  /* Mapped, not allocated: device memory ends with its context and does not count as a leak. */
  struct block *block = mmap(NULL, sizeof *block + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED)
    return OUT_OF_MEMORY;
  memset(block, 0xa5, sizeof *block + bytes);
  block->bytes = bytes;
  used += bytes;
  *out = block + 1;
  return SUCCESS;
}

static int give(void *p) {
  struct block *block = (struct block *)p - 1;
  used -= block->bytes;
  munmap(block, sizeof *block + block->bytes);
  return SUCCESS;
}

int cuMemGetInfo_v2(size_t *unused, size_t *total) {
  *total = memory();
  *unused = memory() - used;
  return current ? SUCCESS : INVALID_VALUE;
}
int cuMemAlloc_v2(unsigned long long *out, size_t bytes) {
  void *p = NULL;
  int result = take(&p, bytes);
  *out = (unsigned long long)(size_t)p;
  return result;
}
int cuMemFree_v2(unsigned long long address) { return give((void *)(size_t)address); }
int cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
  (void)flags;
  return take(out, bytes);
}
int cuMemFreeHost(void *p) { return give(p); }

static int copy(void *to, const void *from, size_t bytes, const void *where) {
  if (where != &stream || faulted)
    return faulted ? ILLEGAL_ADDRESS : INVALID_VALUE;
  memcpy(to, from, bytes);
  return SUCCESS;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes, void *where) {
  return copy((void *)(size_t)to, from, bytes, where);
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *where) {
  return copy(to, (const void *)(size_t)from, bytes, where);
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void *where) {
  return copy((void *)(size_t)to, (const void *)(size_t)from, bytes, where);
}
int cuMemcpyPeerAsync(unsigned long long to, void *to_context, unsigned long long from, void *from_context,
                      size_t bytes, void *where) {
  (void)to_context, (void)from_context;
  return copy((void *)(size_t)to, (const void *)(size_t)from, bytes, where);
}
int cuCtxEnablePeerAccess(void *peer, unsigned flags) {
  (void)peer;
  return flags ? INVALID_VALUE : SUCCESS;
}
int cuDeviceCanAccessPeer(int *can, int device, int other) {
  *can = device != other && !(is("apart") && device < 2 && other < 2);
  return SUCCESS;
}
int cuDeviceGetP2PAttribute(int *value, int which, int device, int other) {
  const bool slow = is("mixed") && device / 2 != other / 2;
  *value = which == PERFORMANCE_RANK ? slow : which == NATIVE_ATOMICS ? !slow : 0;
  return is("mute") || device == other ? INVALID_VALUE : SUCCESS;
}
struct handle {
  unsigned long long memory;
  char rest[56];
};
int cuIpcGetMemHandle(struct handle *out, unsigned long long memory) {
  *out = (struct handle){.memory = memory};
  return is("unshared") ? NOT_SUPPORTED : SUCCESS;
}
int cuIpcOpenMemHandle_v2(unsigned long long *out, struct handle handle, unsigned flags) {
  *out = handle.memory;
  return flags != 1 ? INVALID_VALUE : is("apart") ? NO_PEER_ACCESS : faulted ? ILLEGAL_ADDRESS : SUCCESS;
}
int cuIpcCloseMemHandle(unsigned long long memory) { return memory ? SUCCESS : INVALID_VALUE; }
int cuMemsetD8Async(unsigned long long to, unsigned char value, size_t bytes, void *where) {
  if (where != &stream || faulted)
    return faulted ? ILLEGAL_ADDRESS : INVALID_VALUE;
  memset((void *)(size_t)to, value, bytes);
  return SUCCESS;
}

/* ---- modules and kernels --------------------------------------------------------------------- */

static int module, function;
static unsigned long long global = 42;

int cuModuleLoadData(void **out, const void *image) {
  *out = &module;
  return is("refuse") || (is("cubin") && memcmp(image, "\177ELF", 4) != 0) ? INVALID_IMAGE : SUCCESS;
}
int cuModuleUnload(void *which) { return which == &module ? SUCCESS : INVALID_VALUE; }
int cuModuleGetFunction(void **out, void *from, const char *name) {
  *out = &function;
  return from == &module && strcmp(name, "missing") != 0 ? SUCCESS : NOT_FOUND;
}
int cuModuleGetGlobal_v2(unsigned long long *out, size_t *bytes, void *from, const char *name) {
  *out = (unsigned long long)(size_t)&global;
  *bytes = sizeof global;
  return from == &module && strcmp(name, "missing") != 0 ? SUCCESS : NOT_FOUND;
}
int cuFuncGetAttribute(int *value, int which, void *of) {
  static const int values[] = {1024, 128, 0, 16, 40}; /* threads, shared, constant, local, registers */
  if (of != &function || which < 0 || which > 4)
    return INVALID_VALUE;
  *value = values[which];
  return SUCCESS;
}
int cuFuncSetAttribute(void *of, int which, int value) {
  return of == &function && which >= 8 && value <= 200 << 10 ? SUCCESS : INVALID_VALUE;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *of, int threads, size_t shared) {
  *blocks = shared > 200 << 10 ? 0 : 2048 / threads;
  return of == &function ? SUCCESS : INVALID_VALUE;
}

static int launch(const void *which, const void *where) {
  if (which != &function || where != &stream)
    return INVALID_VALUE;
  faulted = faulted || is("fault");
  return SUCCESS;
}
int cuLaunchKernel(void *which, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz,
                   unsigned shared, void *where, void **arguments, void **extra) {
  (void)x, (void)y, (void)z, (void)tx, (void)ty, (void)tz, (void)shared, (void)arguments;
  return extra ? INVALID_VALUE : launch(which, where);
}
#ifndef FAKE_OLD
int cuLaunchCooperativeKernel(void *which, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz,
                              unsigned shared, void *where, void **arguments) {
  (void)x, (void)y, (void)z, (void)tx, (void)ty, (void)tz, (void)shared, (void)arguments;
  return launch(which, where);
}
#endif
