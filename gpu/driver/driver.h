/* Wrapper of CUDA's driver library: nothing else in the tree calls CUDA (NVRTC: gpu/jit/nvrtc.h). The library is
   opened at run time; building floe needs none of CUDA's headers (gpu/driver/cuda.def).

   A struct gpu is one device with its primary context and one stream. Operations marked "in the stream" are
   asynchronous and execute in order. A struct gpu belongs to one thread at a time (gpu_use).

   Errors: the functions on a struct gpu log the first CUDA error to the log given to gpu_open, with the name of
   CUDA's function and its text, and return FLOE_ERROR_INTERNAL. After an error that leaves the context unusable (such
   as a fault in a kernel) every call fails without logging; freeing stays allowed. FLOE_ERROR_MEMORY, out of memory,
   is not logged, because the caller may retry with less. */
#ifndef FLOE_GPU_DRIVER_H
#define FLOE_GPU_DRIVER_H

#include "core/reason.h"
#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

struct gpu_driver;   /* the opened library */
struct gpu;          /* a device in use */
struct gpu_module;   /* machine code loaded on it */
struct gpu_function; /* a kernel of a module; lives as long as that */
struct gpu_event;    /* a point in the stream */

typedef uint64_t gpu_address; /* in the device's memory; 0: none. Kernels take it as a pointer */

/* ---- the library and its devices ---------------------------------------------------------------- */

/* Whether a driver library is installed. Takes negligible time; does not start CUDA. */
bool gpu_driver_may_exist(void);
/* Opens $FLOE_LIBCUDA, else libcuda.so.1, and starts CUDA. FLOE_ERROR_UNSUPPORTED with a reason: there is no driver
   library, it lacks a function (the driver is too old), or CUDA does not start. It is not an error if there is no
   device. */
floe_status gpu_driver_open(struct gpu_driver **out, struct reason *reason);
void gpu_driver_close(struct gpu_driver *driver); /* after all its devices; NULL is allowed */
/* The newest CUDA version that the driver supports: 12080 for 12.8. */
int gpu_driver_version(const struct gpu_driver *driver);
unsigned gpu_driver_devices(const struct gpu_driver *driver);

struct gpu_info {
  unsigned number; /* of the device, from 0, in CUDA's order (CUDA_VISIBLE_DEVICES) */
  char name[256];
  char bus[32];                         /* PCI address, "0000:18:00.0" */
  int arch;                             /* compute capability: 90 for 9.0 */
  uint64_t memory, memory_free;         /* bytes; memory_free 0: unknown */
  unsigned multiprocessors;             /* SMs */
  unsigned clock_mhz, memory_clock_mhz; /* 0: unknown */
  unsigned memory_bus_bits;             /* 0: unknown */
  uint64_t l2_bytes;
  unsigned threads_per_multiprocessor, threads_per_block;
  uint64_t shared_per_multiprocessor; /* bytes of shared memory */
  uint64_t shared_per_block;          /* most that a block may have (opt-in, gpu_function_shared) */
  bool cooperative;                   /* can launch a grid whose blocks are all resident */
};
/* FLOE_ERROR_UNSUPPORTED with a reason: there is no such device, or it does not respond. If no context is open, opens
   one temporarily for memory_free, which is 0 without a context. */
floe_status gpu_driver_describe(const struct gpu_driver *driver, unsigned number, struct gpu_info *out,
                                struct reason *reason);

/* Access path from one device to the memory of another. */
struct gpu_link {
  bool direct;   /* the device reaches it directly (gpu_peer_open); else copies go through the host's memory */
  bool atomics;  /* direct, and with atomic operations there */
  unsigned rank; /* the driver's ranking of a machine's links, 1 for the fastest; 0: not direct, or not reported */
};
/* For two different existing devices. Capabilities that the driver does not report are false. */
struct gpu_link gpu_driver_link(const struct gpu_driver *driver, unsigned from, unsigned to);

/* ---- a device ------------------------------------------------------------------------------------ */

/* FLOE_ERROR_UNSUPPORTED with a reason: there is no such device, it does not support cooperative launches, or it is
   not available now (another process uses it exclusively). Later errors are logged to `log`. Makes the device current
   in this thread. */
floe_status gpu_open(struct gpu_driver *driver, unsigned number, floe_log *log, struct gpu **out,
                     struct reason *reason);
/* Keeps the context, current, until the process ends, for libraries that hold objects in it. */
floe_status gpu_retain_context(struct gpu *gpu);
void gpu_close(struct gpu *gpu); /* NULL is allowed. Free modules, memory and events before */
const struct gpu_info *gpu_information(const struct gpu *gpu); /* memory_free: when it was opened */
/* Makes the device current in the calling thread; required once in each thread that uses it. */
floe_status gpu_use(struct gpu *gpu);
/* Sets the log for later errors: only one thread may use a device's log at a time. Returns the previous log. */
floe_log *gpu_set_log(struct gpu *gpu, floe_log *log);
/* False after an error that leaves the context unusable. */
bool gpu_is_usable(const struct gpu *gpu);

/* ---- memory -------------------------------------------------------------------------------------- */

floe_status gpu_memory(struct gpu *gpu, uint64_t *free, uint64_t *total); /* bytes, at present */
/* Aligned to at least 256 bytes, content undefined. FLOE_ERROR_MEMORY: not available (not logged). */
floe_status gpu_alloc(struct gpu *gpu, uint64_t bytes, gpu_address *out);
void gpu_free(struct gpu *gpu, gpu_address address); /* waits for the stream; 0 is allowed */
/* Page-locked host memory, which the device copies from and to at full speed; content undefined. FLOE_ERROR_MEMORY:
   not available (not logged). */
floe_status gpu_host_alloc(struct gpu *gpu, size_t bytes, void **out);
void gpu_host_free(struct gpu *gpu, void *p); /* NULL is allowed */

/* Return when the copy is complete; any host memory. */
floe_status gpu_upload(struct gpu *gpu, gpu_address to, const void *from, size_t bytes);
floe_status gpu_download(struct gpu *gpu, void *to, gpu_address from, size_t bytes);
/* In the stream. The host's memory must be from gpu_host_alloc and must not change until a gpu_wait. */
floe_status gpu_upload_start(struct gpu *gpu, gpu_address to, const void *from, size_t bytes);
floe_status gpu_download_start(struct gpu *gpu, void *to, gpu_address from, size_t bytes);
/* The same in the side stream, concurrently with kernels of the main stream; the memory must not change until a
   gpu_wait_for_side_stream. */
floe_status gpu_download_on_side_stream(struct gpu *gpu, void *to, gpu_address from, size_t bytes);
floe_status gpu_copy_on_side_stream(struct gpu *gpu, gpu_address to, gpu_address from, uint64_t bytes);
floe_status gpu_wait_for_side_stream(struct gpu *gpu);
/* In the stream: from device to device, not overlapping. */
floe_status gpu_copy(struct gpu *gpu, gpu_address to, gpu_address from, uint64_t bytes);
/* In the stream of `gpu`: copies from another device's memory; directly if gpu_peer_open succeeded, else the driver
   copies through the host's memory. */
floe_status gpu_copy_peer(struct gpu *gpu, gpu_address to, struct gpu *other, gpu_address from, uint64_t bytes);
/* Gives `gpu` direct access to the memory of `other`, if the machine allows it; *possible: whether it does. */
floe_status gpu_peer_open(struct gpu *gpu, struct gpu *other, bool *possible);
/* Handle by which another process of this machine finds a device's memory. */
#define GPU_SHARED_BYTES 64
/* Makes the memory that gpu_alloc returned at this address accessible to other processes; *possible: whether the
   system allows it. They must close it before it is freed. */
floe_status gpu_share(struct gpu *gpu, gpu_address memory, unsigned char out[GPU_SHARED_BYTES], bool *possible);
/* Maps another process's memory on the device, until gpu_shared_close; *possible: whether the device reaches it
   directly. */
floe_status gpu_shared_open(struct gpu *gpu, const unsigned char shared[GPU_SHARED_BYTES], gpu_address *out,
                            bool *possible);
void gpu_shared_close(struct gpu *gpu, gpu_address address); /* waits for the stream; 0 is allowed */
/* In the stream: every byte becomes `value`. */
floe_status gpu_fill(struct gpu *gpu, gpu_address to, unsigned char value, uint64_t bytes);

/* ---- kernels ------------------------------------------------------------------------------------- */

/* `cubin`: machine code for this device's architecture (gpu/jit/build.h). FLOE_ERROR_MEMORY: not logged. */
floe_status gpu_module_load(struct gpu *gpu, const void *cubin, struct gpu_module **out);
void gpu_module_free(struct gpu_module *module); /* NULL is allowed */
/* FLOE_ERROR_INTERNAL, logged: no such kernel (extern "C" name) in the module. */
floe_status gpu_function_find(struct gpu_module *module, const char *name, struct gpu_function **out);
/* The module's variable `name` in the device's memory; `bytes` may be NULL. */
floe_status gpu_global_find(struct gpu_module *module, const char *name, gpu_address *out, size_t *bytes);

struct gpu_function_info {
  unsigned registers;         /* per thread */
  unsigned local_bytes;       /* per thread: spilled registers and arrays */
  unsigned shared_bytes;      /* per block, static */
  unsigned threads_per_block; /* most */
};
floe_status gpu_function_describe(struct gpu *gpu, struct gpu_function *function, struct gpu_function_info *out);
/* Allows launches with up to `bytes` of dynamic shared memory per block (at most gpu_info.shared_per_block less the
   static part), and makes the multiprocessors prefer shared memory to cache as far as needed. If more than 48 KiB are
   needed, call it before gpu_occupancy. */
floe_status gpu_function_shared(struct gpu *gpu, struct gpu_function *function, size_t bytes);
/* Blocks that are resident at once on a multiprocessor: multiplied by gpu_info.multiprocessors, the most that a
   cooperative launch may have. 0: none fits. */
floe_status gpu_occupancy(struct gpu *gpu, struct gpu_function *function, unsigned threads, size_t shared_bytes,
                          unsigned *blocks);

struct gpu_launch {
  unsigned blocks, threads; /* of the grid, of a block: one dimension */
  size_t shared_bytes;      /* dynamic, per block */
  bool cooperative;         /* all blocks resident at once, or the launch fails */
};
/* In the stream. arguments[i] points to the i-th parameter's value (copied before this returns). */
floe_status gpu_start(struct gpu *gpu, struct gpu_function *function, const struct gpu_launch *launch,
                      void **arguments);
/* Waits until the stream is idle; logs a fault in a kernel. */
floe_status gpu_wait(struct gpu *gpu);
/* Whether the stream is idle. */
floe_status gpu_is_done(struct gpu *gpu, bool *done);

/* ---- time ---------------------------------------------------------------------------------------- */

floe_status gpu_event_create(struct gpu *gpu, struct gpu_event **out);
void gpu_event_free(struct gpu *gpu, struct gpu_event *event);          /* NULL is allowed */
floe_status gpu_event_record(struct gpu *gpu, struct gpu_event *event); /* in the stream */
floe_status gpu_event_wait(struct gpu *gpu, struct gpu_event *event);   /* until all work before it in the stream is
                                                                           done */
/* Waits for `to`; device time between the two, with a resolution of about 1 us. */
floe_status gpu_event_seconds(struct gpu *gpu, struct gpu_event *from, struct gpu_event *to, double *seconds);

#endif
