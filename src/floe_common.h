/* Common part of the headers of libfloe: versions, status, messages, available hardware. Programs include floe.h
   (model checking) or floe_tables.h (hash tables), or both; each includes this one.

   Functions return a status and set their outputs only if it is FLOE_OK. Errors are described in the log. The
   library never prints and never exits. Objects must not be shared between threads without locking, except
   where documented: hash tables; checked models, states and expressions in functions that only read them
   (floe_states.h). Any thread or signal handler may call floe_interrupt.
   Returned strings belong to their object and live as long as it does.

   Invalid arguments are harmless: NULL for an object, text, array or output, an index past the end, a number that is
   not in its enum, a model that was not checked. A function with a status then returns FLOE_ERROR_USAGE and logs
   which argument is NULL. Any other function returns 0, false, an empty text ("unknown" as the name of a nonexistent
   thing) or a struct of zeros and NULL pointers; void functions do nothing, or set outputs to NULL. NULL is allowed
   for a log (nothing is logged), for options (the defaults), for what is freed, and where documented. A freed object
   cannot be detected.

   A program built for an earlier version of these headers runs with a later library of the same soname: structs that
   begin with struct_size and structs returned by pointer only grow at their ends, enums get new values at their ends
   (a switch should have a default), everything else keeps its form (doc/design/public-api.md). */
#ifndef FLOE_COMMON_H
#define FLOE_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FLOE_API __attribute__((visibility("default")))
#else
#define FLOE_API
#endif

/* ---- versions ---------------------------------------------------------------------------------- */

/* Of these headers. #if FLOE_VERSION >= FLOE_VERSION_OF(0, 2, 0) asks for what came with 0.2.0. */
#define FLOE_VERSION_MAJOR 0
#define FLOE_VERSION_MINOR 1
#define FLOE_VERSION_PATCH 0
#define FLOE_VERSION_OF(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define FLOE_VERSION FLOE_VERSION_OF(FLOE_VERSION_MAJOR, FLOE_VERSION_MINOR, FLOE_VERSION_PATCH)

/* Of the library that runs: "0.1.0", and the FLOE_VERSION that it was built with. */
FLOE_API const char *floe_version(void);
FLOE_API unsigned floe_version_number(void);

/* ---- status ------------------------------------------------------------------------------------ */

typedef enum {
  FLOE_OK = 0,
  FLOE_ERROR_MODEL,       /* the model (or a given constant) is wrong; the log has the place */
  FLOE_ERROR_USAGE,       /* an argument is invalid */
  FLOE_ERROR_IO,          /* a file cannot be read or written */
  FLOE_ERROR_MEMORY,      /* out of memory */
  FLOE_ERROR_UNSUPPORTED, /* known, but unavailable here: no compiler, no GPU, model too wide */
  FLOE_ERROR_INTERNAL,    /* an internal error of floe, for example a trace that does not replay */
  FLOE_ERROR_INTERRUPTED  /* floe_interrupt was called before there was a result */
} floe_status;

FLOE_API const char *floe_status_name(floe_status status);

/* ---- messages ---------------------------------------------------------------------------------- */

typedef struct floe_log floe_log;
typedef enum { FLOE_NOTE, FLOE_WARNING, FLOE_ERROR } floe_severity;
typedef struct {
  floe_severity severity;
  const char *file;      /* NULL: not about a file */
  unsigned line, column; /* from 1; 0: unknown. Columns count characters */
  const char *message;
  const char *hint;    /* NULL: none */
  const char *excerpt; /* the source line without its end, NULL: none */
} floe_message;

FLOE_API floe_status floe_log_create(floe_log **out);
FLOE_API void floe_log_free(floe_log *log);
FLOE_API size_t floe_log_count(const floe_log *log);
FLOE_API const floe_message *floe_log_at(const floe_log *log, size_t i);
FLOE_API size_t floe_log_errors(const floe_log *log);
FLOE_API size_t floe_log_dropped(const floe_log *log); /* errors counted but not kept */
/* Number of warnings that are not kept and differ from warning i only in quoted names and numbers; 0 if an earlier one
   is as similar. */
FLOE_API size_t floe_log_similar(const floe_log *log, size_t i);
FLOE_API void floe_log_clear(floe_log *log);

/* ---- what there is to run on -------------------------------------------------------------------- */

/* INTERPRETER: of explorations only. */
typedef enum { FLOE_ENGINE_AUTO, FLOE_ENGINE_CPU, FLOE_ENGINE_GPU, FLOE_ENGINE_INTERPRETER } floe_engine;

/* Memory this process may use, in bytes: machine, cgroup and ulimit respected. */
FLOE_API uint64_t floe_memory_available(void);

/* Available hardware. The query takes some tenths of a second for each GPU. */
typedef struct floe_devices floe_devices;
typedef struct {
  const char *name; /* "" if the system does not report it */
  unsigned cores;   /* that this process may use */
  const char *simd; /* instruction set of the tables' scans, the best available: "avx512", "avx2", "portable" */
  uint64_t memory;  /* floe_memory_available() */
} floe_cpu;
typedef struct {
  unsigned number;                       /* for floe_options.gpu_device */
  const char *name;                      /* "NVIDIA H200" */
  const char *bus;                       /* PCI address, "" if unknown */
  unsigned compute_major, compute_minor; /* compute capability */
  uint64_t memory, memory_free;          /* bytes; free 0: unknown */
  unsigned multiprocessors, clock_mhz;   /* clock 0: unknown */
  const char *why_not;                   /* why it cannot be used; "": it can */
} floe_gpu;
/* Path from one GPU to the memory of another, by which states travel between GPUs that explore together. */
typedef struct {
  bool direct;   /* peer access; false: through the host's memory */
  bool atomics;  /* peer access with atomic operations, as over NVLink */
  unsigned rank; /* the driver's rank of this host's links, 1 for the fastest; 0: not direct, or unknown */
} floe_link;

/* FLOE_OK also without GPUs. */
FLOE_API floe_status floe_devices_create(floe_devices **out);
FLOE_API void floe_devices_free(floe_devices *devices);
FLOE_API floe_cpu floe_devices_cpu(const floe_devices *devices);
FLOE_API size_t floe_devices_gpus(const floe_devices *devices);
FLOE_API floe_gpu floe_devices_gpu(const floe_devices *devices, size_t i);
/* From the i-th GPU to the memory of the k-th, another one. */
FLOE_API floe_link floe_devices_link(const floe_devices *devices, size_t i, size_t k);
FLOE_API const char *floe_devices_no_gpu(const floe_devices *devices); /* why there is none; "": there is one */
/* "13.0": the newest CUDA version that the driver supports; "" without a driver. */
FLOE_API const char *floe_devices_driver(const floe_devices *devices);
/* "13.0": version of NVRTC, which compiles the kernels; "" if it is unavailable, for the reason in
   floe_devices_no_nvrtc: then only models whose kernels are in the cache can be explored on a GPU. */
FLOE_API const char *floe_devices_nvrtc(const floe_devices *devices);
FLOE_API const char *floe_devices_no_nvrtc(const floe_devices *devices);

/* Number of abandoned calls that are still running: calls into other libraries that cannot be interrupted (start of
   a GPU's driver, its compiler) and whose result an interrupted or finished exploration does not need. They clean up
   after themselves. exit() waits for them, some seconds at most; _exit() does not. */
FLOE_API unsigned floe_abandoned_calls(void);

#ifdef __cplusplus
}
#endif

#endif
