/* Public functions of a bench on the CPU or a GPU. */
#include "bench/measure/bench.h"

#include "bench/device/gpu.h"
#include "bench/queries/query_map.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/system/defaults.h"
#include "core/threads/interruptible.h"
#include "core/usage.h"
#include "tables/permutation.h"
#include "tables/simd.h"

#include <string.h>

void floe_bench_options_init(floe_bench_options *options) {
  if (options)
    *options = (floe_bench_options){.struct_size = sizeof *options};
}

void floe_bench_case_init(floe_bench_case *what) {
  if (what)
    *what = (floe_bench_case){.struct_size = sizeof *what};
}

/* ---- creating -------------------------------------------------------------------------------- */

static floe_status open_cpu(const floe_bench_options *options, floe_bench *bench) {
  bench->device = &bench_cpu;
  return bench_cpu_open(options->threads ? options->threads : defaults_threads(), &bench->engine);
}

struct opening {
  const floe_bench_options *options;
  floe_bench *bench;
  struct arena arena;
  struct reason *reason;
  floe_status status;
};

/* Kernels are cached in the directory that explorations use. */
static void open_gpu_guarded(void *data) {
  struct opening *o = data;
  floe_bench *bench = o->bench;
  o->status = bench_gpu_open(o->options->gpu_device, defaults_cache(o->options->cache_dir, &o->arena), bench->log,
                             &bench->device, &bench->engine, o->reason);
}

static floe_status open_gpu(const floe_bench_options *options, floe_bench *bench) {
  struct reason reason;
  struct opening opening = {.options = options, .bench = bench, .reason = &reason};
  arena_init(&opening.arena);
  floe_status status =
      arena_guard(&opening.arena, open_gpu_guarded, &opening) == 0 ? opening.status : FLOE_ERROR_MEMORY;
  arena_free(&opening.arena);
  if (status == FLOE_ERROR_UNSUPPORTED && options->engine == FLOE_ENGINE_GPU)
    diag_error(bench->log, NULL, NOWHERE, "use --engine=cpu to measure on all cores", "%s", reason.text);
  return status;
}

static floe_status open_device(const floe_bench_options *options, floe_bench *bench) {
  if ((unsigned)options->engine > FLOE_ENGINE_INTERPRETER) {
    diag_error(bench->log, NULL, NOWHERE, "use --engine=cpu or gpu", "floe bench has no such engine");
    return FLOE_ERROR_USAGE;
  }
  switch (options->engine) {
  case FLOE_ENGINE_CPU:
    return open_cpu(options, bench);
  case FLOE_ENGINE_GPU:
    return open_gpu(options, bench);
  case FLOE_ENGINE_INTERPRETER:
    diag_error(bench->log, NULL, NOWHERE, "use --engine=cpu or gpu", "floe bench cannot use the interpreter");
    return FLOE_ERROR_USAGE;
  case FLOE_ENGINE_AUTO:
    break;
  }
  floe_status status = open_gpu(options, bench);
  return status == FLOE_ERROR_UNSUPPORTED ? open_cpu(options, bench) : status;
}

floe_status floe_bench_create(const floe_bench_options *options, floe_log *log, floe_bench **out) {
  floe_bench_options all;
  REQUIRE(log, out);
  floe_bench_options_init(&all);
  if (options)
    memcpy(&all, options, options->struct_size < sizeof all ? options->struct_size : sizeof all);
  floe_bench *bench = mem_alloc(sizeof *bench);
  if (!bench)
    return FLOE_ERROR_MEMORY;
  bench->how = all;
  bench->log = log;
  bench->interrupted = interrupt_requested;
  floe_status status = simd_check(log);
  if (status == FLOE_OK)
    status = open_device(&all, bench);
  if (status != FLOE_OK) {
    mem_free(bench);
    return status;
  }
  interruptible_begin();
  bench->device->describe(bench->engine, bench->title, sizeof bench->title);
  *out = bench;
  return FLOE_OK;
}

void floe_bench_free(floe_bench *bench) {
  if (!bench)
    return;
  interruptible_end();
  query_map_free(bench->map);
  bench->device->release(bench->engine);
  bench_keys_free(&bench->keys);
  mem_free(bench);
}

floe_engine floe_bench_engine(const floe_bench *bench) {
  return !bench || bench->device == &bench_cpu ? FLOE_ENGINE_CPU : FLOE_ENGINE_GPU;
}

const char *floe_bench_machine(const floe_bench *bench) { return bench ? bench->title : ""; }

/* ---- measuring ------------------------------------------------------------------------------- */

floe_status floe_bench_load(floe_bench *bench, const char *path, bool numbered, floe_bench_keys *out) {
  REQUIRE(NULL, bench);
  REQUIRE(bench->log, path);
  REQUIRE(bench->log, out);
  bench_keys_free(&bench->keys);
  FLOE_TRY(bench_keys_load(path, numbered, bench->log, &bench->keys));
  *out = (floe_bench_keys){bench->keys.count, bench->keys.distinct, bench->keys.key_bits};
  return FLOE_OK;
}

/* NULL: the table's default. */
static floe_status check_permutation(const floe_bench *bench, const char *name) {
  const char *const *names = permutation_names();
  while (name && *names && strcmp(*names, name) != 0)
    names++;
  if (!name || *names)
    return FLOE_OK;
  diag_error(bench->log, NULL, NOWHERE, NULL, "there is no permutation '%s'", name);
  return FLOE_ERROR_USAGE;
}

floe_status bench_copy_case(const floe_bench *bench, const floe_bench_case *what, floe_bench_case *out) {
  REQUIRE(NULL, bench);
  REQUIRE(bench->log, what);
  floe_bench_case_init(out);
  memcpy(out, what, what->struct_size < sizeof *out ? what->struct_size : sizeof *out);
  if ((unsigned)out->operation >= FLOE_BENCH_OPERATIONS) {
    diag_error(bench->log, NULL, NOWHERE, NULL, "there is no such operation");
    return FLOE_ERROR_USAGE;
  }
  return check_permutation(bench, out->permutation);
}

floe_status floe_bench_run(floe_bench *bench, const floe_bench_case *what, floe_bench_result *out) {
  floe_bench_case all;
  FLOE_TRY(bench_copy_case(bench, what, &all));
  REQUIRE(bench->log, out);
  case_complete(bench, &all);
  return bench_measure(bench, &all, out);
}
