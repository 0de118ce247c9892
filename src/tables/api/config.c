#include "tables/api/config.h"

#include "core/diag.h"
#include "core/system/defaults.h"
#include "tables/simd.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define MOST_SLOTS (UINT64_C(1) << 44) /* largest number that is tried as a hint */

/* ---- names ----------------------------------------------------------------------------------- */

enum { MOST_SCHEMES = 16 };
static const char *names[MOST_SCHEMES + 1];

static void list_names(void) {
  size_t n = 0;
  for (; table_schemes()[n]; n++) {
    assert(n + 1 < MOST_SCHEMES);
    names[n] = table_schemes()[n];
  }
  names[n] = HASH_WORKSET;
}

const char *const *hash_schemes(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, list_names);
  return names;
}

static bool is_workset(const floe_hash_options *options) {
  return options->scheme && strcmp(options->scheme, HASH_WORKSET) == 0;
}

/* ---- options that are invalid for any table ----------------------------------------------------- */

static floe_status report_usage_error(floe_log *log, const char *hint, const char *what) {
  diag_error(log, NULL, NOWHERE, hint, "%s", what);
  return FLOE_ERROR_USAGE;
}

static floe_status check_numbers(const floe_hash_options *options, floe_log *log) {
  const unsigned values = options->value_bits;
  if (options->key_bits < 1 || options->key_bits > 64) {
    diag_error(log, NULL, NOWHERE, "use 1 to 64", "keys of %u bits are not possible", options->key_bits);
    return FLOE_ERROR_USAGE;
  }
  if (values != 0 && values != 32 && values != 64) {
    diag_error(log, NULL, NOWHERE, "use 32 or 64, or 0 for a set", "values of %u bits are not possible", values);
    return FLOE_ERROR_USAGE;
  }
  return FLOE_OK;
}

/* On a GPU the text alone suffices. */
static floe_status check_reduction(const floe_hash_options *options, floe_log *log) {
  if ((unsigned)options->reduction > FLOE_HASH_OWN)
    return report_usage_error(log, "use FLOE_HASH_REPLACE, SUM, MIN, MAX or OWN", "there is no such reduction");
  if (options->reduction != FLOE_HASH_OWN || options->reduce)
    return FLOE_OK;
  if (options->engine == FLOE_ENGINE_GPU && options->reduce_text)
    return FLOE_OK;
  return report_usage_error(log, "set floe_hash_options.reduce", "a user-defined reduction needs its function");
}

static uint64_t sample(uint64_t i) { return i * UINT64_C(0x9e3779b97f4a7c15) >> 1 ^ i << 60; }

/* Applies the permutation and its inverse to some keys: a wrong inverse would lose keys silently, and a result that
   is too wide would corrupt memory. */
static bool is_bijective(const floe_hash_own_permutation *own, unsigned number, unsigned bits, uint64_t *key) {
  const uint64_t largest = UINT64_MAX >> (64 - bits);
  for (uint64_t i = 0; i < 64; i++) {
    *key = (i < 2 ? largest * i : sample(i)) & largest;
    const uint64_t there = own->apply(own->data, number, bits, *key);
    if (there > largest || own->invert(own->data, number, bits, there) != *key)
      return false;
  }
  return true;
}

static floe_status check_own_permutation(const floe_hash_options *options, floe_log *log) {
  const floe_hash_own_permutation *own = options->own_permutation;
  const unsigned numbers = options->hashes > 3 ? options->hashes : 3;
  uint64_t key;
  if (!own->apply || !own->invert)
    return report_usage_error(log, "set floe_hash_own_permutation.apply and .invert",
                              "a user-defined permutation needs its function and the inverse");
  for (unsigned i = 0; i < numbers; i++)
    if (!is_bijective(own, i, options->key_bits, &key)) {
      diag_error(log, NULL, NOWHERE, "`apply` must be a bijection of the keys of this width, and `invert` its inverse",
                 "user-defined permutation %u is invalid: `invert` does not restore key %" PRIu64, i, key);
      return FLOE_ERROR_USAGE;
    }
  return FLOE_OK;
}

static floe_status check_options(const floe_hash_options *options, struct arena *arena, floe_log *log) {
  if ((unsigned)options->engine > FLOE_ENGINE_GPU)
    return report_usage_error(log, "use FLOE_ENGINE_CPU, _GPU or _AUTO", "hash tables have no such engine");
  if (options->scheme)
    FLOE_TRY(defaults_check_name(log, arena, "table", options->scheme, hash_schemes()));
  if (options->permutation)
    FLOE_TRY(defaults_check_name(log, arena, "permutation", options->permutation, permutation_names()));
  FLOE_TRY(simd_check(log));
  FLOE_TRY(check_numbers(options, log));
  FLOE_TRY(check_reduction(options, log));
  return options->own_permutation ? check_own_permutation(options, log) : FLOE_OK;
}

/* ---- translation ----------------------------------------------------------------------------- */

static_assert((int)FLOE_HASH_REPLACE == TABLE_REPLACE && (int)FLOE_HASH_SUM == TABLE_SUM &&
                  (int)FLOE_HASH_MIN == TABLE_MIN && (int)FLOE_HASH_MAX == TABLE_MAX &&
                  (int)FLOE_HASH_OWN == TABLE_USER_REDUCTION,
              "reductions have the same numbers");

static const char *copy_text(struct arena *arena, const char *text) {
  return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

/* Stub for a table on a GPU with the text alone: no value is reduced on the host. */
static uint64_t reduce_nothing(void *data, uint64_t present, uint64_t added) {
  (void)data, (void)added;
  return present;
}

floe_status hash_config_make(const floe_hash_options *options, struct arena *arena, floe_log *log,
                             struct hash_config *out) {
  FLOE_TRY(check_options(options, arena, log));
  const floe_hash_own_permutation *own = options->own_permutation;
  out->table = (struct table_config){.scheme = copy_text(arena, options->scheme ? options->scheme : table_schemes()[0]),
                                     .permutation = copy_text(arena, own ? NULL : options->permutation),
                                     .key_bits = options->key_bits,
                                     .slots = options->slots,
                                     .slot_bits = options->slot_bits,
                                     .bucket_slots = options->bucket_slots,
                                     .seed = options->seed,
                                     .second_slot_bits = options->second_slot_bits,
                                     .deletes = options->deletes,
                                     .value_bits = options->value_bits,
                                     .hashes = options->hashes,
                                     .probes = options->probes,
                                     .reduction = (enum table_reduction)options->reduction,
                                     .reduce = options->reduce ? options->reduce : reduce_nothing,
                                     .reduce_data = options->reduce_data,
                                     .reduce_text = copy_text(arena, options->reduce_text),
                                     .permutation_user = own ? &out->own : NULL};
  if (own)
    out->own = (struct permutation_user){.apply = own->apply,
                                         .invert = own->invert,
                                         .data = own->data,
                                         .apply_text = copy_text(arena, own->apply_text),
                                         .invert_text = copy_text(arena, own->invert_text)};
  out->cache_dir = copy_text(arena, defaults_cache(options->cache_dir, arena));
  out->workset = (struct hash_workset){0};
  return is_workset(options) ? hash_workset_make(options, arena, log, &out->workset) : FLOE_OK;
}

/* ---- reasons against a table ----------------------------------------------------------------- */

static bool fits(const struct table_config *config) {
  struct table_shape shape;
  return table_plan(config, &shape) == FLOE_OK;
}

/* The reason that holds for every operation, or NULL. */
static const char *cannot_anything(const struct table_config *config) {
  for (unsigned i = 0; i < TABLE_OPERATIONS; i++)
    if (!table_cannot(config, i))
      return NULL;
  return table_cannot(config, TABLE_PUT_NEW);
}

/* The least of 2, 4, 8 .. times as many slots that gives a table; 0: none does. */
static uint64_t enough_slots(const struct table_config *config) {
  struct table_config other = *config;
  for (other.slots = config->slots ? config->slots : 1; other.slots < MOST_SLOTS; other.slots *= 2)
    if (fits(&other))
      return other.slots;
  return 0;
}

/* An option to report if the table would be possible without it. */
static const struct optional_setting {
  size_t offset;              /* offset of an unsigned of struct table_config whose 0 means "chosen" */
  const char *before, *after; /* the words around the number */
} optional_settings[] = {
    {offsetof(struct table_config, slot_bits), "slots of ", " bits"},
    {offsetof(struct table_config, second_slot_bits), "slots of ", " bits in the second level"},
    {offsetof(struct table_config, bucket_slots), "buckets of ", " slots"},
    {offsetof(struct table_config, hashes), "", " hashes"},
    {offsetof(struct table_config, value_bits), "values of ", " bits"},
};
enum { SETTINGS = sizeof optional_settings / sizeof *optional_settings };

static unsigned *setting_value(struct table_config *config, const struct optional_setting *optional_setting) {
  return (unsigned *)(void *)((char *)config + optional_setting->offset);
}

static bool name_unmet_option(const struct table_config *config, char *out, size_t size) {
  for (unsigned i = 0; i < SETTINGS; i++) {
    struct table_config other = *config;
    unsigned *value = setting_value(&other, &optional_settings[i]), wanted = *value;
    *value = 0;
    if (!wanted || !fits(&other))
      continue;
    snprintf(out, size, "%s%u%s", optional_settings[i].before, wanted, optional_settings[i].after);
    return true;
  }
  return false;
}

static void report_layout(const struct table_config *config, floe_log *log) {
  const char *layouts = table_traits(config->scheme)->layouts, *why = cannot_anything(config);
  const uint64_t slots = enough_slots(config);
  char words[80], hint[80];
  if (why) {
    diag_error(log, NULL, NOWHERE, layouts, "no %s table has this configuration: %s", config->scheme, why);
  } else if (slots) {
    snprintf(hint, sizeof hint, "%" PRIu64 " slots suffice; or use wider ones", slots);
    diag_error(log, NULL, NOWHERE, hint, "keys of %u bits do not fit %" PRIu64 " slots of the requested width",
               config->key_bits, config->slots);
  } else if (name_unmet_option(config, words, sizeof words)) {
    diag_error(log, NULL, NOWHERE, layouts, "no %s table of this configuration has %s", config->scheme, words);
  } else {
    diag_error(log, NULL, NOWHERE, layouts, "no %s table has this configuration", config->scheme);
  }
}

static floe_status plan_table(const struct table_config *config, floe_log *log, struct table_shape *out) {
  floe_status status = table_plan(config, out);
  switch (status) {
  case FLOE_ERROR_USAGE:
    report_layout(config, log);
    break;
  case FLOE_ERROR_MEMORY:
    diag_error(log, NULL, NOWHERE, NULL, "no memory has room for %" PRIu64 " slots", config->slots);
    break;
  case FLOE_ERROR_UNSUPPORTED:
    diag_error(log, NULL, NOWHERE, NULL, "no %s table has this configuration: %s", config->scheme,
               table_cannot(config, TABLE_PUT_NEW));
    break;
  default:
    break;
  }
  return status;
}

floe_status hash_config_plan(const struct hash_config *config, floe_log *log, struct table_shape *out) {
  if (config->workset.variant)
    return hash_workset_plan(&config->workset, &config->table, log, out);
  return plan_table(&config->table, log, out);
}
