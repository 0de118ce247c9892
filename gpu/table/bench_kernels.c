/* Kernels that generate keys, count answers and measure memory performance. */
#include "gpu/table/tables.h"

#include "core/mem.h"
#include "gpu/jit/kernel_text.h"
#include "gpu/jit/kernels.h"

#include "gpu/kernel/base/control.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTS = 4, REPEATS = 5 };

/* clang-format off */
#define KERNELS(X)                                                \
  X(keys_make) X(keys_distinct) X(values_make)                    \
  X(values_check) X(answers_count)                                \
  X(ceiling_read32) X(ceiling_read64) X(ceiling_read128)          \
  X(ceiling_swap16) X(ceiling_swap32) X(ceiling_swap64)           \
  X(ceiling_read64_swap16) X(ceiling_read64_swap32)
/* clang-format on */
#define NUMBER(name) KERNEL_##name,
enum kernel { KERNELS(NUMBER) KERNEL_COUNT };
#define NAME(name) "floe_" #name,
static const char *const names[] = {KERNELS(NAME)};

struct gpu_bench_kernels {
  struct gpu *gpu;
  floe_log *log;
  struct gpu_module *module;
  struct gpu_kernel kernels[KERNEL_COUNT];
  gpu_address counts; /* COUNTS words */
};

/* ---- owning ---------------------------------------------------------------------------------- */

static const char *write_text(const void *of, struct arena *arena) {
  (void)of;
  return gpu_bench_kernels_text(arena);
}

static floe_status find_kernels(struct gpu_bench_kernels *tools) {
  for (unsigned i = 0; i < KERNEL_COUNT; i++)
    FLOE_TRY(gpu_kernel_find(tools->gpu, tools->module, names[i], tools->log, NULL, &tools->kernels[i]));
  return FLOE_OK;
}

static floe_status fill_in(struct gpu_bench_kernels *tools, const char *cache_dir) {
  const struct gpu_text text = {.name = "tools.cu", .write = write_text};
  FLOE_TRY(gpu_text_load(tools->gpu, &text, cache_dir, tools->log, &tools->module, NULL));
  FLOE_TRY(find_kernels(tools));
  return gpu_alloc(tools->gpu, COUNTS * sizeof(uint64_t), &tools->counts);
}

floe_status gpu_bench_kernels_create(struct gpu *gpu, const char *cache_dir, floe_log *log,
                                     struct gpu_bench_kernels **out) {
  struct gpu_bench_kernels *tools = mem_alloc(sizeof *tools);
  if (!tools)
    return FLOE_ERROR_MEMORY;
  tools->gpu = gpu;
  tools->log = log;
  floe_status status = fill_in(tools, cache_dir);
  if (status == FLOE_OK)
    *out = tools;
  else
    gpu_bench_kernels_free(tools);
  return status;
}

void gpu_bench_kernels_free(struct gpu_bench_kernels *tools) {
  if (!tools)
    return;
  gpu_free(tools->gpu, tools->counts);
  gpu_module_free(tools->module);
  mem_free(tools);
}

/* ---- launches -------------------------------------------------------------------------------- */

static floe_status start(struct gpu_bench_kernels *tools, enum kernel kernel, uint64_t threads, void **arguments) {
  return gpu_kernel_start(tools->gpu, &tools->kernels[kernel], threads, arguments);
}

static floe_status clear_counts(struct gpu_bench_kernels *tools) {
  return gpu_fill(tools->gpu, tools->counts, 0, COUNTS * sizeof(uint64_t));
}

static floe_status take_counts(struct gpu_bench_kernels *tools, uint64_t counts[COUNTS]) {
  return gpu_download(tools->gpu, counts, tools->counts, COUNTS * sizeof(uint64_t));
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* As in gpu/kernel/table/bench_keys.h. */
struct key_parameters {
  uint64_t first, count, others, other_first, other_count, seed;
  double zipf, zipf_span, zipf_power;
  uint32_t key_bits, order_bits;
};

static struct key_parameters wanted_of(const struct gpu_keys *what, uint64_t n) {
  assert(what->key_bits >= 1 && what->key_bits <= 64);
  struct key_parameters wanted = {.first = what->first,
                                  .count = what->count,
                                  .others = what->others,
                                  .other_first = what->other_first,
                                  .other_count = what->other_count,
                                  .seed = what->seed,
                                  .zipf = what->zipf,
                                  .key_bits = what->key_bits,
                                  .order_bits = 1};
  while (wanted.order_bits < 64 && (n - 1) >> wanted.order_bits)
    wanted.order_bits++;
  const double end = (double)what->count + 1;
  if (fabs(what->zipf - 1) < 1e-9) {
    wanted.zipf_span = log(end);
  } else {
    wanted.zipf_span = pow(end, 1 - what->zipf) - 1;
    wanted.zipf_power = 1 / (1 - what->zipf);
  }
  return wanted;
}

floe_status gpu_keys_make(struct gpu_bench_kernels *tools, const struct gpu_keys *what, gpu_address keys, uint64_t n) {
  assert(what->count || n <= what->others);
  struct key_parameters wanted = wanted_of(what, n);
  void *arguments[] = {&wanted, &keys, &n};
  return start(tools, KERNEL_keys_make, n, arguments);
}

static floe_status mark_distinct(struct gpu_bench_kernels *tools, struct key_parameters *wanted, gpu_address keys,
                                 uint64_t n, gpu_address seen, uint64_t *distinct) {
  uint64_t counts[COUNTS];
  void *arguments[] = {wanted, &keys, &n, &seen, &tools->counts};
  FLOE_TRY(clear_counts(tools));
  FLOE_TRY(start(tools, KERNEL_keys_distinct, n, arguments));
  FLOE_TRY(take_counts(tools, counts));
  *distinct = counts[0];
  return FLOE_OK;
}

floe_status gpu_keys_distinct(struct gpu_bench_kernels *tools, const struct gpu_keys *what, gpu_address keys,
                              uint64_t n, uint64_t *distinct) {
  struct key_parameters wanted = wanted_of(what, n);
  const uint64_t bytes = (what->count / 32 + 1) * sizeof(uint32_t);
  gpu_address seen;
  FLOE_TRY(gpu_alloc(tools->gpu, bytes, &seen));
  floe_status status = gpu_fill(tools->gpu, seen, 0, bytes);
  if (status == FLOE_OK)
    status = mark_distinct(tools, &wanted, keys, n, seen, distinct);
  gpu_free(tools->gpu, seen);
  return status;
}

/* ---- values and answers ---------------------------------------------------------------------- */

floe_status gpu_values_make(struct gpu_bench_kernels *tools, unsigned value_bits, uint64_t constant, gpu_address keys,
                            uint64_t n, gpu_address values) {
  uint32_t bits = value_bits;
  void *arguments[] = {&bits, &constant, &keys, &n, &values};
  return start(tools, KERNEL_values_make, n, arguments);
}

floe_status gpu_values_check(struct gpu_bench_kernels *tools, const struct gpu_checked_values *checked, uint64_t *wrong,
                             uint64_t *sum) {
  struct gpu_checked_values of = *checked;
  uint32_t bits = of.value_bits;
  uint64_t counts[COUNTS];
  void *arguments[] = {&bits, &of.keys, &of.values, &of.answers, &of.n, &tools->counts};
  FLOE_TRY(clear_counts(tools));
  FLOE_TRY(start(tools, KERNEL_values_check, of.n, arguments));
  FLOE_TRY(take_counts(tools, counts));
  *wrong = counts[0];
  *sum = counts[1];
  return FLOE_OK;
}

floe_status gpu_answers_count(struct gpu_bench_kernels *tools, gpu_address answers, uint64_t n,
                              struct gpu_answers *out) {
  uint64_t counts[COUNTS];
  void *arguments[] = {&answers, &n, &tools->counts};
  FLOE_TRY(clear_counts(tools));
  FLOE_TRY(start(tools, KERNEL_answers_count, n, arguments));
  FLOE_TRY(take_counts(tools, counts));
  *out = (struct gpu_answers){
      .found = counts[TABLE_FOUND], .put = counts[TABLE_PUT], .full = counts[TABLE_FULL], .others = counts[3]};
  return FLOE_OK;
}

/* ---- ceilings -------------------------------------------------------------------------------- */

/* A kind of memory access. */
struct access {
  unsigned which; /* CEILING_ */
  enum kernel kernel;
  unsigned lanes, at_once; /* lanes of an access; accesses of its lanes per iteration */
  unsigned written;        /* bits that a first access changes; 0: reads only */
};

static const struct access accesses[] = {
    {CEILING_READ32, KERNEL_ceiling_read32, 2, 4, 0},
    {CEILING_READ64, KERNEL_ceiling_read64, 4, 4, 0},
    {CEILING_READ128, KERNEL_ceiling_read128, 8, 4, 0},
    {CEILING_SWAP16, KERNEL_ceiling_swap16, 1, 4, 16},
    {CEILING_SWAP32, KERNEL_ceiling_swap32, 1, 4, 32},
    {CEILING_SWAP64, KERNEL_ceiling_swap64, 1, 4, 64},
    {CEILING_READ64_SWAP16, KERNEL_ceiling_read64_swap16, 1, 1, 16},
    {CEILING_READ64_SWAP32, KERNEL_ceiling_read64_swap32, 1, 1, 32},
};
enum { ACCESSES = sizeof accesses / sizeof *accesses };
#define MOST_ACCESSES (UINT64_C(1) << 28) /* of a launch */
#define MOST_ON_HOST (UINT64_C(1) << 24)  /* the same through the bus */
#define MOST_COPIED (UINT64_C(4) << 30)

struct measuring {
  struct gpu_bench_kernels *tools;
  struct gpu_region memory; /* the footprint */
  uint64_t most;            /* accesses of a launch */
  unsigned wanted;          /* CEILING_ */
  struct gpu_event *begin, *end;
};

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Limits the accesses to what the footprint has room for: for writing accesses, half as many as there are words, so
   that most find their word empty. */
static uint64_t turns_of(const struct measuring *m, const struct access *access, uint64_t threads) {
  const uint64_t room = access->written ? m->memory.bytes / (access->written / 8) / 2 : m->memory.bytes / 4;
  const uint64_t wanted = room < m->most ? room : m->most;
  const uint64_t a_turn = threads / access->lanes * access->at_once;
  return wanted / a_turn + 1;
}

static floe_status launch_accesses(const struct measuring *m, const struct access *access, uint64_t seed,
                                   uint64_t *count, double *seconds) {
  const uint64_t threads = (uint64_t)m->tools->kernels[access->kernel].blocks * GPU_BLOCK;
  gpu_address memory = m->memory.at;
  uint64_t footprint = m->memory.bytes, turns = turns_of(m, access, threads);
  void *arguments[] = {&memory, &footprint, &turns, &seed};
  if (access->written)
    FLOE_TRY(gpu_fill(m->tools->gpu, memory, 0, footprint));
  FLOE_TRY(gpu_event_record(m->tools->gpu, m->begin));
  FLOE_TRY(start(m->tools, access->kernel, threads, arguments));
  FLOE_TRY(gpu_event_record(m->tools->gpu, m->end));
  *count = threads / access->lanes * access->at_once * turns;
  return gpu_event_seconds(m->tools->gpu, m->begin, m->end, seconds);
}

/* The first launch is not measured. */
static floe_status measure_access(const struct measuring *m, const struct access *access, double *rate) {
  double rates[REPEATS + 1];
  for (unsigned i = 0; i <= REPEATS; i++) {
    uint64_t count;
    double seconds;
    FLOE_TRY(launch_accesses(m, access, i, &count, &seconds));
    rates[i] = (double)count / seconds / 1e9;
  }
  qsort(rates + 1, REPEATS, sizeof *rates, by_size);
  *rate = rates[1 + REPEATS / 2];
  return FLOE_OK;
}

static floe_status measure_copy(const struct measuring *m, double *rate) {
  double rates[REPEATS + 1];
  const uint64_t half = m->memory.bytes / 2, bytes = half < MOST_COPIED ? half : MOST_COPIED;
  for (unsigned i = 0; i <= REPEATS; i++) {
    double seconds;
    FLOE_TRY(gpu_event_record(m->tools->gpu, m->begin));
    FLOE_TRY(gpu_copy(m->tools->gpu, m->memory.at + half, m->memory.at, bytes));
    FLOE_TRY(gpu_event_record(m->tools->gpu, m->end));
    FLOE_TRY(gpu_event_seconds(m->tools->gpu, m->begin, m->end, &seconds));
    rates[i] = 2.0 * (double)bytes / seconds / 1e9;
  }
  qsort(rates + 1, REPEATS, sizeof *rates, by_size);
  *rate = rates[1 + REPEATS / 2];
  return FLOE_OK;
}

static floe_status measure_wanted(const struct measuring *m, struct ceilings *out) {
  double *const rates[ACCESSES] = {&out->read32, &out->read64, &out->read128,       &out->swap16,
                                   &out->swap32, &out->swap64, &out->read64_swap16, &out->read64_swap32};
  FLOE_TRY(gpu_fill(m->tools->gpu, m->memory.at, 0, m->memory.bytes));
  for (unsigned i = 0; i < ACCESSES; i++)
    if (m->wanted & accesses[i].which)
      FLOE_TRY(measure_access(m, &accesses[i], rates[i]));
  return m->wanted & CEILING_COPY ? measure_copy(m, &out->copy) : FLOE_OK;
}

static floe_status measure_with_events(struct measuring *m, struct ceilings *out) {
  FLOE_TRY(gpu_event_create(m->tools->gpu, &m->begin));
  FLOE_TRY(gpu_event_create(m->tools->gpu, &m->end));
  return measure_wanted(m, out);
}

floe_status gpu_ceilings(struct gpu_bench_kernels *tools, enum gpu_table_place place, uint64_t footprint,
                         unsigned wanted, struct ceilings *out) {
  struct measuring m = {
      .tools = tools, .most = place == GPU_TABLE_ON_HOST ? MOST_ON_HOST : MOST_ACCESSES, .wanted = wanted};
  struct ceilings made = {.footprint = footprint};
  assert(footprint && footprint % (64 << 10) == 0);
  FLOE_TRY(gpu_region_take(tools->gpu, place, NULL, footprint, &m.memory));
  floe_status status = measure_with_events(&m, &made);
  gpu_event_free(tools->gpu, m.begin);
  gpu_event_free(tools->gpu, m.end);
  gpu_region_give(tools->gpu, &m.memory);
  if (status == FLOE_OK)
    *out = made;
  return status;
}
