/* Built without CUDA's headers: there is no GPU, and nothing of the other files here. */
#include "gpu/bench.h"
#include "gpu/hash.h"
#include "gpu/seam.h"
#include "gpu/sorted.h"
#include "gpu/tables.h"

#include "core/diag.h"
#include "engine/engine.h"

#include <assert.h>

#define WHY "this floe was built without CUDA"

floe_status gpu_survey_make(struct gpu_survey *out) {
  *out = (struct gpu_survey){0};
  reason_set(&out->why_none, WHY);
  reason_set(&out->why_no_nvrtc, WHY);
  return FLOE_OK;
}

void gpu_survey_free(struct gpu_survey *survey) { (void)survey; }

bool gpu_may_be_there(void) { return false; }

floe_status gpu_acquire(unsigned number, const struct stop *stop, floe_log *log, struct gpu **out,
                        struct reason *reason) {
  (void)stop;
  (void)number, (void)log, (void)out;
  reason_set(reason, WHY);
  return FLOE_ERROR_UNSUPPORTED;
}

/* No struct gpu exists: what takes one is never called with one. */
void gpu_release(struct gpu *gpu) {
  (void)gpu;
  assert(!gpu);
}

floe_status gpu_use(struct gpu *gpu) {
  (void)gpu;
  return FLOE_ERROR_UNSUPPORTED;
}

void gpu_title(const struct gpu *gpu, char *out, size_t size) {
  (void)gpu;
  snprintf(out, size, "no GPU");
}

uint64_t gpu_memory_allowed(const struct gpu *gpu, uint64_t bytes, double share) {
  (void)gpu, (void)share;
  return bytes;
}

static floe_status prepare(const struct engine_task *task, floe_log *log, struct search **out) {
  (void)task, (void)out;
  diag_error(log, NULL, NOWHERE, "--engine=cpu explores on all cores", WHY);
  return FLOE_ERROR_UNSUPPORTED;
}

static floe_status explore(struct search *search, struct engine_outcome *out) {
  (void)search, (void)out;
  return FLOE_ERROR_UNSUPPORTED;
}

static void drop(struct search *search) { (void)search; }

const struct engine engine_gpu = {
    .name = "gpu", .most_devices = 1, .prepare = prepare, .explore = explore, .drop = drop};

/* ---- tables ---------------------------------------------------------------------------------- */

const char *gpu_table_cannot(const struct table_config *config, int arch, enum table_operation operation) {
  (void)config, (void)arch, (void)operation;
  return WHY;
}

floe_status gpu_table_create(struct gpu *gpu, const struct table_config *config, enum gpu_table_place place,
                             const char *cache_dir, floe_log *log, struct gpu_table **out) {
  (void)gpu, (void)config, (void)place, (void)cache_dir, (void)log, (void)out;
  return FLOE_ERROR_UNSUPPORTED;
}

void gpu_table_free(struct gpu_table *table) { (void)table; }

const struct table_shape *gpu_table_shape(const struct gpu_table *table) {
  (void)table;
  return NULL;
}

bool gpu_table_suits(const struct gpu_table *table, const struct table_config *config) {
  (void)table, (void)config;
  return false;
}

floe_status gpu_table_clear(struct gpu_table *table, uint64_t seed) {
  (void)table, (void)seed;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_table_run(struct gpu_table *table, enum table_operation operation, gpu_address keys, gpu_address values,
                          uint64_t n, gpu_address answers) {
  (void)table, (void)operation, (void)keys, (void)values, (void)n, (void)answers;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_table_start(struct gpu_table *table, const char *name, gpu_address keys, gpu_address values, uint64_t n,
                            gpu_address answers) {
  (void)table, (void)name, (void)keys, (void)values, (void)n, (void)answers;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_table_describe(struct gpu_table *table, enum table_operation operation, struct gpu_function_info *out) {
  (void)table, (void)operation, (void)out;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_table_move(struct gpu_table *from, struct gpu_table *to, uint64_t *left) {
  (void)from, (void)to, (void)left;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_table_download(struct gpu_table *table, struct table **out) {
  (void)table, (void)out;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_table_download_into(struct gpu_table *table, void *memory, struct table **out) {
  (void)table, (void)memory, (void)out;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_tools_create(struct gpu *gpu, const char *cache_dir, floe_log *log, struct gpu_tools **out) {
  (void)gpu, (void)cache_dir, (void)log, (void)out;
  return FLOE_ERROR_UNSUPPORTED;
}

void gpu_tools_free(struct gpu_tools *tools) { (void)tools; }

floe_status gpu_keys_make(struct gpu_tools *tools, const struct gpu_keys *what, gpu_address keys, uint64_t n) {
  (void)tools, (void)what, (void)keys, (void)n;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_keys_distinct(struct gpu_tools *tools, const struct gpu_keys *what, gpu_address keys, uint64_t n,
                              uint64_t *distinct) {
  (void)tools, (void)what, (void)keys, (void)n, (void)distinct;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_values_make(struct gpu_tools *tools, unsigned value_bits, uint64_t constant, gpu_address keys,
                            uint64_t n, gpu_address values) {
  (void)tools, (void)value_bits, (void)constant, (void)keys, (void)n, (void)values;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_answers_count(struct gpu_tools *tools, gpu_address answers, uint64_t n, struct gpu_answers *out) {
  (void)tools, (void)answers, (void)n, (void)out;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_values_check(struct gpu_tools *tools, unsigned value_bits, gpu_address keys, gpu_address values,
                             gpu_address answers, uint64_t n, uint64_t *wrong, uint64_t *sum) {
  (void)tools, (void)value_bits, (void)keys, (void)values, (void)answers, (void)n, (void)wrong, (void)sum;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_ceilings(struct gpu_tools *tools, enum gpu_table_place place, uint64_t footprint, unsigned wanted,
                         struct ceilings *out) {
  (void)tools, (void)place, (void)footprint, (void)wanted, (void)out;
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status bench_gpu_open(unsigned number, const char *cache_dir, floe_log *log, const struct bench_machine **machine,
                           struct bench_engine **out, struct reason *reason) {
  (void)number, (void)cache_dir, (void)log, (void)machine, (void)out;
  reason_set(reason, WHY);
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status hash_gpu_open(unsigned number, bool host_memory, const char *cache_dir, floe_log *log,
                          const struct hash_machine **machine, struct hash_engine **out, struct reason *reason) {
  (void)number, (void)host_memory, (void)cache_dir, (void)log, (void)machine, (void)out;
  reason_set(reason, WHY);
  return FLOE_ERROR_UNSUPPORTED;
}

floe_status gpu_sorted_create(struct gpu *gpu, unsigned key_bits, uint64_t most, struct gpu_sorted *out,
                              struct reason *reason) {
  (void)gpu, (void)key_bits, (void)most, (void)out;
  reason_set(reason, WHY);
  return FLOE_ERROR_UNSUPPORTED;
}

void gpu_sorted_free(struct gpu_sorted *sorted) { (void)sorted; }

floe_status gpu_sorted_find_or_put(const struct gpu_sorted *sorted, struct gpu_table *table, gpu_address keys,
                                   uint64_t n, gpu_address answers) {
  (void)sorted, (void)table, (void)keys, (void)n, (void)answers;
  return FLOE_ERROR_UNSUPPORTED;
}
