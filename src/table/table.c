/* The host owner of an iceberg table: creation and the concurrent operations. */
#include "core/mem.h"
#include "table/owner.h"

#include <assert.h>
#include <string.h>

static const char *const schemes[] = {"iceberg", NULL};

const char *const *table_schemes(void) { return schemes; }

/* ThreadSanitizer cannot know that wide loads of slots written meanwhile are harmless: portable form only. */
#if defined(__SANITIZE_THREAD__)
#define ONLY_PORTABLE 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ONLY_PORTABLE 1
#endif
#endif

#if defined(__x86_64__) && !defined(ONLY_PORTABLE)
static bool runs_here(const struct iceberg_operations *operations) {
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
              __builtin_cpu_supports("bmi2");
  if (operations == &iceberg_avx512)
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return operations != &iceberg_avx2 || avx2;
}

static const struct iceberg_operations *const forms[] = {&iceberg_avx512, &iceberg_avx2,
                                                         &iceberg_portable};
#else
static bool runs_here(const struct iceberg_operations *operations) { return operations; }
static const struct iceberg_operations *const forms[] = {&iceberg_portable};
#endif

const struct iceberg_operations *iceberg_operations_find(const char *simd) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (runs_here(forms[i]) && (!simd || strcmp(simd, forms[i]->simd) == 0))
      return forms[i];
  return NULL;
}

static const struct iceberg_instance *find_instance(const struct iceberg_operations *operations,
                                                    const struct table_shape *shape) {
  for (size_t i = 0; i < ICEBERG_INSTANCE_COUNT; i++) {
    const struct geometry *g = &operations->instance[i].geometry;
    if (g->slot_bits == shape->slot_bits && g->bucket_slots == shape->bucket_slots &&
        g->second_slot_bits == shape->second_slot_bits &&
        g->second_bucket_slots == shape->second_bucket_slots)
      return &operations->instance[i];
  }
  return NULL;
}

static floe_status make_permutations(const struct table_config *config, struct table *table) {
  const struct permutation_user *user = NULL;
  const char *name = config->permutation;
  if (config->permutation_user) {
    table->user = *config->permutation_user;
    user = &table->user;
    name = "user";
  }
  for (unsigned i = 0; i < 3; i++)
    FLOE_TRY(permutation_make(name, config->key_bits, config->seed, i, user,
                              &table->view.permutation[i]));
  return FLOE_OK;
}

static void place_levels(struct table *table) {
  const struct table_offsets at = table_offsets(&table->shape);
  unsigned char *memory = table->memory;
  table->view.first = memory;
  table->view.second = memory + at.second;
  table->view.third = (uint64_t *)(void *)(memory + at.third);
  table->view.last_key = table->shape.key_bits == 64 ? (uint64_t *)(void *)(memory + at.last_key)
                                                     : NULL;
  table->view.third_buckets = table->shape.third_slots / THIRD_BUCKET_SLOTS;
  table->view.first_quotient = quotient_make(table->shape.buckets);
  table->view.second_quotient = quotient_make(table->shape.second_buckets);
}

static floe_status choose_form(const char *simd, struct table *table) {
  const struct iceberg_operations *operations = iceberg_operations_find(simd);
  if (!operations)
    return FLOE_ERROR_UNSUPPORTED;
  table->simd = operations->simd;
  table->instance = find_instance(operations, &table->shape);
  assert(table->instance);
  return FLOE_OK;
}

static floe_status build(const struct table_config *config, struct table *table) {
  FLOE_TRY(table_plan(config, &table->shape));
  FLOE_TRY(make_permutations(config, table));
  FLOE_TRY(choose_form(config->simd, table));
  table->memory = pages_alloc(table->shape.bytes);
  if (!table->memory)
    return FLOE_ERROR_MEMORY;
  place_levels(table);
  return FLOE_OK;
}

floe_status table_create(const struct table_config *config, struct table **out) {
  struct table *table = mem_alloc(sizeof *table);
  if (!table)
    return FLOE_ERROR_MEMORY;
  floe_status status = build(config, table);
  if (status == FLOE_OK)
    *out = table;
  else
    mem_free(table);
  return status;
}

void table_free(struct table *table) {
  if (!table)
    return;
  pages_free(table->memory, table->shape.bytes);
  mem_free(table);
}

const struct table_shape *table_shape(const struct table *table) { return &table->shape; }
const char *table_simd(const struct table *table) { return table->simd; }

const char *table_best_simd(void) { return iceberg_operations_find(NULL)->simd; }

size_t table_find_or_put(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers) {
  return table->instance->find_or_put(&table->view, keys, n, answers);
}

void table_find(const struct table *table, const uint64_t *keys, size_t n, uint8_t *answers) {
  table->instance->find(&table->view, keys, n, answers);
}
