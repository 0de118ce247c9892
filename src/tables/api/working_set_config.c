#include "tables/api/working_set_config.h"

#include "core/diag.h"
#include "core/system/defaults.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum { USUAL_BATCH = 1 << 15, MOST_BATCH = 1 << 20, USUAL_SHARE = 8 };
#define MOST_SLOTS (UINT64_C(1) << 40)

/* ---- options ----------------------------------------------------------------------------------------- */

static floe_status report_usage_error(floe_log *log, const char *hint, const char *what) {
  diag_error(log, NULL, NOWHERE, hint, "%s", what);
  return FLOE_ERROR_USAGE;
}

static floe_status check_values(const floe_hash_options *options, floe_log *log) {
  if (options->value_bits != 64)
    return report_usage_error(log, "set floe_hash_options.value_bits to 64",
                              "a working-set table is a map to values of 64 bits");
  if (options->reduction != FLOE_HASH_REPLACE)
    return report_usage_error(log, "use FLOE_HASH_REPLACE",
                              "a working-set table has no reductions: a new value replaces the present one");
  return FLOE_OK;
}

/* Options of other schemes, which would be ignored silently. */
static floe_status check_others(const floe_hash_options *options, floe_log *log) {
  if (options->permutation || options->own_permutation)
    return report_usage_error(log, "set floe_hash_options.seed to change its hash functions",
                              "a working-set table has no permutations");
  if (options->slot_bits || options->second_slot_bits || options->bucket_slots || options->hashes || options->probes)
    return report_usage_error(log, "set these options to 0: there is one layout",
                              "a working-set table has no options for slots, buckets or hashes");
  if (options->host_memory)
    return report_usage_error(log, "use FLOE_ENGINE_CPU for both levels in the host's memory",
                              "a working-set table on a GPU has its recent level in the device's memory");
  return FLOE_OK;
}

static floe_status check_batch(const floe_hash_options *options, floe_log *log) {
  if (options->batch <= MOST_BATCH)
    return FLOE_OK;
  diag_error(log, NULL, NOWHERE, "use at most 2^20 operations, or 0",
             "batches of %" PRIu64 " operations are not possible", options->batch);
  return FLOE_ERROR_USAGE;
}

static floe_status check_variant(const floe_hash_options *options, struct arena *arena, floe_log *log) {
  enum { MOST = 8 };
  const char *names[MOST + 1] = {NULL};
  for (size_t i = 0; workset_variant_at(i); i++) {
    assert(i < MOST);
    names[i] = workset_variant_at(i)->name;
  }
  return options->variant ? defaults_check_name(log, arena, "variant", options->variant, names) : FLOE_OK;
}

floe_status hash_workset_make(const floe_hash_options *options, struct arena *arena, floe_log *log,
                              struct hash_workset *out) {
  FLOE_TRY(check_values(options, log));
  FLOE_TRY(check_others(options, log));
  FLOE_TRY(check_batch(options, log));
  FLOE_TRY(check_variant(options, arena, log));
  *out = (struct hash_workset){.variant = workset_variant_find(options->variant),
                               .recent = options->recent_slots,
                               .batch = options->batch ? (size_t)options->batch : USUAL_BATCH,
                               .timed = options->timed};
  assert(out->variant);
  return FLOE_OK;
}

/* ---- the table ----------------------------------------------------------------------------------- */

uint64_t hash_workset_recent(const struct hash_workset *workset, uint64_t slots) {
  if (workset->recent)
    return workset->recent;
  const uint64_t share = slots / USUAL_SHARE;
  return share < 1 ? 1 : share > WORKSET_MOST_RECENT ? WORKSET_MOST_RECENT : share;
}

struct workset_config hash_workset_levels(const struct hash_workset *workset, const struct table_config *config,
                                          unsigned threads) {
  const uint64_t slots = config->slots > 2 ? config->slots : 2;
  const uint64_t recent = hash_workset_recent(workset, slots);
  return (struct workset_config){.variant = workset->variant,
                                 .recent_level = &recent_level_list,
                                 .recent = recent,
                                 .rest = slots - recent,
                                 .batch = workset->batch,
                                 .timed = workset->timed,
                                 .threads = threads,
                                 .seed = config->seed};
}

floe_status hash_workset_plan(const struct hash_workset *workset, const struct table_config *config, floe_log *log,
                              struct table_shape *out) {
  const uint64_t slots = config->slots > 2 ? config->slots : 2, recent = hash_workset_recent(workset, slots);
  char what[120];
  if (slots > MOST_SLOTS) {
    snprintf(what, sizeof what, "no memory has room for %" PRIu64 " slots", slots);
    report_usage_error(log, NULL, what);
    return FLOE_ERROR_MEMORY;
  }
  if (recent >= slots || recent > WORKSET_MOST_RECENT) {
    snprintf(what, sizeof what, "a recent level of %" PRIu64 " slots is not possible in a table of %" PRIu64, recent,
             slots);
    return report_usage_error(
        log, "set floe_hash_options.recent_slots below the number of all slots, and to at most 2^31", what);
  }
  const struct workset_config levels = hash_workset_levels(workset, config, 1);
  *out = (struct table_shape){.key_bits = config->key_bits,
                              .value_bits = 64,
                              .slot_bits = 128,
                              .second_slot_bits = 128,
                              .bucket_slots = 1,
                              .second_bucket_slots = 1,
                              .buckets = recent,
                              .second_buckets = slots - recent,
                              .slots = slots,
                              .bytes = workset_bytes(&levels)};
  return FLOE_OK;
}

const char *hash_workset_cannot(enum table_operation operation) {
  return operation == TABLE_FIND_OR_PUT ? "a put replaces the value, and its answer reports whether the key was present"
                                        : NULL;
}
