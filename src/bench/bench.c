/* Public functions of a bench on the CPU or a GPU. */
#include "bench/bench.h"

#include "bench/gpu.h"
#include "bench/query_map.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/system/defaults.h"
#include "core/threads/interruptible.h"
#include "core/usage.h"
#include "tables/permutation.h"
#include "tables/simd.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

const char *floe_bench_operation_name(floe_bench_operation operation) {
  static const char *const names[] = {
#define BENCH_OPERATION(operation, word, table, looks, draws) word,
#include "bench/operations.def"
  };
  return (size_t)operation < sizeof names / sizeof *names ? names[operation] : "unknown";
}

const char *floe_bench_verdict_name(floe_bench_verdict verdict) {
  static const char *const names[] = {"measured", "refused", "full", "wrong", "interrupted"};
  return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : "unknown";
}

/* Entry i of a NULL-terminated list. */
static const char *list_entry(const char *const *names, size_t i) {
  for (size_t n = 0; names[n]; n++)
    if (n == i)
      return names[n];
  return NULL;
}

const char *floe_bench_table(size_t i) { return list_entry(table_schemes(), i); }

floe_bench_traits floe_bench_table_traits(const char *table) {
  const struct table_traits *traits = table ? table_traits(table) : NULL;
  if (!traits)
    return (floe_bench_traits){0};
  floe_bench_traits out = {
      .bucket_slots = traits->bucket_slots[0] != 0, .second_slot_bits = traits->second_level, .hashes = traits->hashes};
  static_assert(sizeof out.slot_bits == sizeof traits->slot_bits, "all widths have room");
  memcpy(out.slot_bits, traits->slot_bits, sizeof out.slot_bits);
  return out;
}

const char *floe_bench_permutation(size_t i) { return list_entry(permutation_names(), i); }

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

/* Updates all or nothing, so that rates of a footprint may be measured at different times. */
static floe_status measure_missing_rates(floe_bench *bench, enum bench_place place, uint64_t footprint, unsigned needed,
                                         struct bench_ceilings *ceilings) {
  struct bench_ceilings more = *ceilings;
  FLOE_TRY(bench->device->measure_ceilings(bench->engine, place, footprint, needed, &more));
  *ceilings = more;
  return FLOE_OK;
}

floe_status bench_ceilings_for(floe_bench *bench, enum bench_place place, uint64_t bytes, unsigned needed,
                               const struct bench_ceilings **out) {
  unsigned bits = BENCH_LEAST_BITS;
  bytes = bytes < UINT64_C(1) << bits ? UINT64_C(1) << bits : bytes;
  while (bits < 63 && bytes >> bits > 1)
    bits++;
  uint64_t eighths = bytes >> (bits - 3); /* 8 to 15 */
  struct bench_ceilings *ceilings = &bench->ceilings[place][8 * (bits - BENCH_LEAST_BITS) + (eighths & 7)];
  for (unsigned i = 0; i < BENCH_ACCESSES; i++)
    if (ceilings->rates[i] > 0)
      needed &= ~(1u << i);
  if (needed) {
    uint64_t footprint = ceilings->footprint ? ceilings->footprint : eighths << (bits - 3);
    floe_status status = measure_missing_rates(bench, place, footprint, needed, ceilings);
    if (status == FLOE_ERROR_MEMORY && !ceilings->footprint && footprint > 1 << 24)
      status = measure_missing_rates(bench, place, footprint / 2, needed,
                                     ceilings); /* the table takes a part of the memory */
    FLOE_TRY(status);
  }
  *out = ceilings;
  return FLOE_OK;
}

floe_status floe_bench_limits(floe_bench *bench, uint64_t bytes, floe_bench_ceilings *out) {
  const struct bench_ceilings *found;
  REQUIRE(NULL, bench);
  REQUIRE(bench->log, out);
  FLOE_TRY(bench_ceilings_for(bench, BENCH_AT_HOME, bytes, (1u << BENCH_ACCESSES) - 1, &found));
  *out = (floe_bench_ceilings){found->footprint, found->rates[BENCH_READ], found->rates[BENCH_SWAP_16],
                               found->rates[BENCH_SWAP_32], found->rates[BENCH_SWAP_64]};
  return FLOE_OK;
}
