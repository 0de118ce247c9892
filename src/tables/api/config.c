#include "tables/api/config.h"

#include "core/defaults.h"
#include "core/diag.h"
#include "tables/simd.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define MOST_SLOTS (UINT64_C(1) << 44) /* that are tried to find out how many are needed */

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

/* ---- what makes no sense for any table ------------------------------------------------------- */

static floe_status refuse(floe_log *log, const char *hint, const char *what) {
  diag_error(log, NULL, NOWHERE, hint, "%s", what);
  return FLOE_ERROR_USAGE;
}

static floe_status check_numbers(const floe_hash_options *options, floe_log *log) {
  const unsigned values = options->value_bits;
  if (options->key_bits < 1 || options->key_bits > 64) {
    diag_error(log, NULL, NOWHERE, "1 to 64 are possible", "keys of %u bits", options->key_bits);
    return FLOE_ERROR_USAGE;
  }
  if (values != 0 && values != 32 && values != 64) {
    diag_error(log, NULL, NOWHERE, "32 and 64 are possible, and 0 for a set", "values of %u bits", values);
    return FLOE_ERROR_USAGE;
  }
  return FLOE_OK;
}

/* On a GPU the text alone will do. */
static floe_status check_reduction(const floe_hash_options *options, floe_log *log) {
  if ((unsigned)options->reduction > FLOE_HASH_OWN)
    return refuse(log, "FLOE_HASH_REPLACE, SUM, MIN, MAX and OWN", "there is no such reduction");
  if (options->reduction != FLOE_HASH_OWN || options->reduce)
    return FLOE_OK;
  if (options->engine == FLOE_ENGINE_GPU && options->reduce_text)
    return FLOE_OK;
  return refuse(log, "floe_hash_options.reduce", "a reduction of one's own needs its function");
}

static uint64_t sample(uint64_t i) { return i * UINT64_C(0x9e3779b97f4a7c15) >> 1 ^ i << 60; }

/* Some keys there and back: a wrong inverse would lose keys silently, a result that is too wide do
   harm. */
static bool is_sound(const floe_hash_own_permutation *own, unsigned number, unsigned bits, uint64_t *key) {
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
    return refuse(log, "floe_hash_own_permutation.apply and .invert",
                  "a permutation of one's own needs its function and the inverse");
  for (unsigned i = 0; i < numbers; i++)
    if (!is_sound(own, i, options->key_bits, &key)) {
      diag_error(log, NULL, NOWHERE, "`apply` maps the keys one to one to numbers of as many bits, and `invert` back",
                 "number %u of the permutations is none: key %" PRIu64 " does not come back", i, key);
      return FLOE_ERROR_USAGE;
    }
  return FLOE_OK;
}

static floe_status check(const floe_hash_options *options, struct arena *arena, floe_log *log) {
  if ((unsigned)options->engine > FLOE_ENGINE_GPU)
    return refuse(log, "FLOE_ENGINE_CPU, _GPU and _AUTO", "hash tables have no such engine");
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

static const char *keep(struct arena *arena, const char *text) {
  return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

/* A table on a GPU that has the text alone: nothing reduces on the host. */
static uint64_t not_here(void *data, uint64_t present, uint64_t added) {
  (void)data, (void)added;
  return present;
}

floe_status hash_config_make(const floe_hash_options *options, struct arena *arena, floe_log *log,
                             struct hash_config *out) {
  FLOE_TRY(check(options, arena, log));
  const floe_hash_own_permutation *own = options->own_permutation;
  out->table = (struct table_config){.scheme = keep(arena, options->scheme ? options->scheme : table_schemes()[0]),
                                     .permutation = keep(arena, own ? NULL : options->permutation),
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
                                     .reduce = options->reduce ? options->reduce : not_here,
                                     .reduce_data = options->reduce_data,
                                     .reduce_text = keep(arena, options->reduce_text),
                                     .permutation_user = own ? &out->own : NULL};
  if (own)
    out->own = (struct permutation_user){.apply = own->apply,
                                         .invert = own->invert,
                                         .data = own->data,
                                         .apply_text = keep(arena, own->apply_text),
                                         .invert_text = keep(arena, own->invert_text)};
  out->cache_dir = keep(arena, defaults_cache(options->cache_dir, arena));
  out->workset = (struct hash_workset){0};
  return is_workset(options) ? hash_workset_make(options, arena, log, &out->workset) : FLOE_OK;
}

/* ---- why there is no such table -------------------------------------------------------------- */

static bool fits(const struct table_config *config) {
  struct table_shape shape;
  return table_plan(config, &shape) == FLOE_OK;
}

/* The phrase that every operation is refused with. */
static const char *cannot_anything(const struct table_config *config) {
  for (unsigned i = 0; i < TABLE_OPERATIONS; i++)
    if (!table_cannot(config, i))
      return NULL;
  return table_cannot(config, TABLE_PUT_NEW);
}

/* The least of 2, 4, 8 .. times as many slots with which there is such a table; 0: no number helps. */
static uint64_t enough_slots(const struct table_config *config) {
  struct table_config other = *config;
  for (other.slots = config->slots ? config->slots : 1; other.slots < MOST_SLOTS; other.slots *= 2)
    if (fits(&other))
      return other.slots;
  return 0;
}

/* What is told about the one setting without which there would be such a table. */
static const struct demand {
  size_t offset;              /* of an unsigned of struct table_config, where 0 is a choice */
  const char *before, *after; /* the words around the number */
} demands[] = {
    {offsetof(struct table_config, slot_bits), "slots of ", " bits"},
    {offsetof(struct table_config, second_slot_bits), "slots of ", " bits in the second level"},
    {offsetof(struct table_config, bucket_slots), "buckets of ", " slots"},
    {offsetof(struct table_config, hashes), "", " hashes"},
    {offsetof(struct table_config, value_bits), "values of ", " bits"},
};
enum { DEMANDS = sizeof demands / sizeof *demands };

static unsigned *demanded(struct table_config *config, const struct demand *demand) {
  return (unsigned *)(void *)((char *)config + demand->offset);
}

static bool name_demand(const struct table_config *config, char *out, size_t size) {
  for (unsigned i = 0; i < DEMANDS; i++) {
    struct table_config other = *config;
    unsigned *value = demanded(&other, &demands[i]), wanted = *value;
    *value = 0;
    if (!wanted || !fits(&other))
      continue;
    snprintf(out, size, "%s%u%s", demands[i].before, wanted, demands[i].after);
    return true;
  }
  return false;
}

static void tell_layout(const struct table_config *config, floe_log *log) {
  const char *layouts = table_traits(config->scheme)->layouts, *why = cannot_anything(config);
  const uint64_t slots = enough_slots(config);
  char words[80], hint[80];
  if (why) {
    diag_error(log, NULL, NOWHERE, layouts, "no such %s table: %s", config->scheme, why);
  } else if (slots) {
    snprintf(hint, sizeof hint, "%" PRIu64 " slots will do, or wider ones", slots);
    diag_error(log, NULL, NOWHERE, hint, "keys of %u bits do not fit %" PRIu64 " slots of the width that is asked for",
               config->key_bits, config->slots);
  } else if (name_demand(config, words, sizeof words)) {
    diag_error(log, NULL, NOWHERE, layouts, "no such %s table has %s", config->scheme, words);
  } else {
    diag_error(log, NULL, NOWHERE, layouts, "there is no such %s table", config->scheme);
  }
}

static floe_status plan_table(const struct table_config *config, floe_log *log, struct table_shape *out) {
  floe_status status = table_plan(config, out);
  switch (status) {
  case FLOE_ERROR_USAGE:
    tell_layout(config, log);
    break;
  case FLOE_ERROR_MEMORY:
    diag_error(log, NULL, NOWHERE, NULL, "no memory has room for %" PRIu64 " slots", config->slots);
    break;
  case FLOE_ERROR_UNSUPPORTED:
    diag_error(log, NULL, NOWHERE, NULL, "no such %s table: %s", config->scheme, table_cannot(config, TABLE_PUT_NEW));
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
