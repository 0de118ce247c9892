/* What all headers of libfloe share: versions, status, messages, what there is to run on. Programs include floe.h
 * (model checking) or floe_tables.h (hash tables), or both; each includes this one.
 *
 * Functions return a status and set their outputs only when it is FLOE_OK. What is wrong is told in
 * the log. The library never prints and never exits. Objects are not to be shared between threads
 * without locking, except floe_interrupt, which any thread or signal handler may call, and hash
 * tables, which say what they allow. Strings that are returned belong to the object asked and live
 * as long as it does.
 *
 * Arguments that make no sense do no harm: NULL where an object, a text, an array or an output is
 * needed, an index past the end, a number that is none of its enum, a model that was not checked
 * where it has to be. A function with a status returns FLOE_ERROR_USAGE then, and what is NULL is
 * told. Any other one returns nothing: 0, false, an empty text ("unknown" as the name of what there
 * is not) or a struct in which all is 0, pointers NULL; void ones do nothing, or set outputs to
 * NULL. NULL is allowed for a log (nothing is told), for options (the defaults), for what is freed,
 * and where it is said. An object that was freed before cannot be told from a sound one.
 *
 * A program that was built for an earlier version of these headers runs with a later library of the same soname:
 * structs that begin with struct_size and those that the library hands out by pointer only grow at their ends, enums
 * get new values at theirs (so that a switch should have a default), everything else keeps its form (doc/design.md,
 * "The public interface").
 */
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
  FLOE_ERROR_MODEL,       /* the model (or a constant given) is wrong; the log says where */
  FLOE_ERROR_USAGE,       /* an argument makes no sense */
  FLOE_ERROR_IO,          /* a file cannot be read or written */
  FLOE_ERROR_MEMORY,      /* out of memory where going on is impossible */
  FLOE_ERROR_UNSUPPORTED, /* known, but not to be had here: no compiler, no GPU, model too wide */
  FLOE_ERROR_INTERNAL,    /* floe itself is wrong, for example a trace that does not replay */
  FLOE_ERROR_INTERRUPTED  /* floe_interrupt came before there was anything to tell */
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
FLOE_API void floe_log_clear(floe_log *log);

/* ---- what there is to run on -------------------------------------------------------------------- */

/* INTERPRETER: of explorations only. */
typedef enum { FLOE_ENGINE_AUTO, FLOE_ENGINE_CPU, FLOE_ENGINE_GPU, FLOE_ENGINE_INTERPRETER } floe_engine;

/* Memory this process may use, in bytes: machine, cgroup and ulimit respected. */
FLOE_API uint64_t floe_memory_available(void);

/* What there is to explore on. Asking takes some tenths of a second for each GPU. */
typedef struct floe_devices floe_devices;
typedef struct {
  const char *name; /* "" where the system does not tell */
  unsigned cores;   /* that this process may use */
  const char *simd; /* of the tables' scans, the best that it has: "avx512", "avx2", "portable" */
  uint64_t memory;  /* floe_memory_available() */
} floe_cpu;
typedef struct {
  unsigned number;                       /* for floe_options.gpu_device */
  const char *name;                      /* "NVIDIA H200" */
  const char *bus;                       /* PCI address, "" where it is not told */
  unsigned compute_major, compute_minor; /* compute capability */
  uint64_t memory, memory_free;          /* bytes; free 0: unknown */
  unsigned multiprocessors, clock_mhz;   /* clock 0: unknown */
  const char *why_not;                   /* why it cannot be used; "": it can */
} floe_gpu;
/* The way from one GPU to the memory of another, by which states go between GPUs that explore together. */
typedef struct {
  bool direct;   /* straight there; false: through the host's memory */
  bool atomics;  /* direct, and with atomic operations there, as over NVLink */
  unsigned rank; /* the driver's order of this host's links, 1 for the fastest; 0: not direct, or not told */
} floe_link;

/* FLOE_OK also where there is no GPU. */
FLOE_API floe_status floe_devices_create(floe_devices **out);
FLOE_API void floe_devices_free(floe_devices *devices);
FLOE_API floe_cpu floe_devices_cpu(const floe_devices *devices);
FLOE_API size_t floe_devices_gpus(const floe_devices *devices);
FLOE_API floe_gpu floe_devices_gpu(const floe_devices *devices, size_t i);
/* From the i-th GPU to the memory of the k-th, a different one. */
FLOE_API floe_link floe_devices_link(const floe_devices *devices, size_t i, size_t k);
FLOE_API const char *floe_devices_no_gpu(const floe_devices *devices); /* why there is none; "": there is one */
/* "13.0": the newest CUDA that the driver knows; "" without a driver. */
FLOE_API const char *floe_devices_driver(const floe_devices *devices);
/* "13.0": NVRTC, which makes the kernels; "" where it is not to be had, for the reason that floe_devices_no_nvrtc has:
   then only models whose kernels are in the cache can be explored on a GPU. */
FLOE_API const char *floe_devices_nvrtc(const floe_devices *devices);
FLOE_API const char *floe_devices_no_nvrtc(const floe_devices *devices);

/* Calls into other libraries that cannot be ended (the start of a GPU's driver, its compiler), and that an exploration
   left behind because it was interrupted or did not need them any more: how many are still running. They clean up after
   themselves. exit() waits for them, some seconds at most; _exit() does not. */
FLOE_API unsigned floe_abandoned_calls(void);

#ifdef __cplusplus
}
#endif

#endif
