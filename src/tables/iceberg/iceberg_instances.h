/* The batch operations for every geometry, compiled with the scan form and the target options of the including file,
   which defines ICEBERG_OPERATIONS (name of the table of operations) and SIMD_NAME. */
#include "tables/iceberg/iceberg_batch.h"
#include "tables/iceberg/iceberg_forms.h"

#define DEFINE_INSTANCE(SLOT, BUCKET, SECOND, SECOND_BUCKET)                                                           \
  static size_t find_or_put_##SLOT##_##BUCKET##_##SECOND##_##SECOND_BUCKET(                                            \
      const struct iceberg *table, const uint64_t *keys, size_t n, uint8_t *answers) {                                 \
    const struct geometry g = {SLOT, BUCKET, SECOND, SECOND_BUCKET};                                                   \
    return iceberg_answer_batch(table, keys, n, answers, (struct batch_form){g, true});                                \
  }                                                                                                                    \
  static size_t find_##SLOT##_##BUCKET##_##SECOND##_##SECOND_BUCKET(const struct iceberg *table, const uint64_t *keys, \
                                                                    size_t n, uint8_t *answers) {                      \
    const struct geometry g = {SLOT, BUCKET, SECOND, SECOND_BUCKET};                                                   \
    return iceberg_answer_batch(table, keys, n, answers, (struct batch_form){g, false});                               \
  }                                                                                                                    \
  static size_t placements_##SLOT##_##BUCKET##_##SECOND##_##SECOND_BUCKET(                                             \
      const struct iceberg *table, const uint64_t *keys, size_t n, uint8_t *answers, uint64_t *slots, bool put) {      \
    const struct geometry g = {SLOT, BUCKET, SECOND, SECOND_BUCKET};                                                   \
    return iceberg_placement_batch(table, keys, n, answers, slots, (struct batch_form){g, put});                       \
  }

#define LIST_INSTANCE(SLOT, BUCKET, SECOND, SECOND_BUCKET)                                                             \
  {{SLOT, BUCKET, SECOND, SECOND_BUCKET},                                                                              \
   find_or_put_##SLOT##_##BUCKET##_##SECOND##_##SECOND_BUCKET,                                                         \
   find_##SLOT##_##BUCKET##_##SECOND##_##SECOND_BUCKET,                                                                \
   placements_##SLOT##_##BUCKET##_##SECOND##_##SECOND_BUCKET},

ICEBERG_INSTANCES(DEFINE_INSTANCE)

const struct iceberg_operations ICEBERG_OPERATIONS = {SIMD_NAME, {ICEBERG_INSTANCES(LIST_INSTANCE)}};
