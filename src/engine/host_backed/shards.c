/* The sharded set as a whole: creation, statistics, iteration over all keys. */
#include "engine/host_backed/shards.h"
#include "engine/host_backed/shards_state.h"

#include "core/mem.h"
#include "engine/sizing.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define DEFAULT_SHARD_BITS 8
#define FIRST_SLOTS ((uint64_t)1 << 10) /* of each table: a page or two */
#define DEVIATIONS 5                    /* standard deviations of the number of keys in a shard */
#define LEAST_BYTES_PER_KEY 2.2         /* bytes per key in tables with slots of 16 bits */
#define USABLE_BUDGET 0.95              /* fraction of the budget that tables for a known number of keys may use */

/* ---- creation -------------------------------------------------------------------------------- */

/* Rests have at least USUAL_BITS bits. */
static unsigned default_bits(unsigned key_bits) {
  if (key_bits <= DEFAULT_SHARD_BITS)
    return 0;
  return key_bits < 2 * DEFAULT_SHARD_BITS ? key_bits - DEFAULT_SHARD_BITS : DEFAULT_SHARD_BITS;
}

/* Returns the registry's string, which has static lifetime. */
static floe_status find_permutation(const char *name, const char **out) {
  *out = NULL;
  for (const char *const *known = permutation_names(); name && *known; known++)
    if (strcmp(*known, name) == 0)
      *out = *known;
  return name && !*out ? FLOE_ERROR_USAGE : FLOE_OK;
}

/* Tables for the expected keys would be as large as one bit for each possible key, which needs no probing. */
static bool bitmap_is_smaller(const struct shards_config *config) {
  const double bytes = ldexp(1, (int)config->key_bits) / 8;
  return bytes <= LEAST_BYTES_PER_KEY * (double)config->expected && config->budget &&
         bytes <= USABLE_BUDGET * (double)budget_left(config->budget);
}

/* NULL: the default scheme. */
static const char *choose_scheme(const struct shards_config *config) {
  const struct table_config keys = {.key_bits = config->key_bits};
  struct table_config bitmap;
  struct table_shape shape;
  const bool bits = !config->scheme && bitmap_is_smaller(config) && sizing_bitmap_plan(&keys, &bitmap, &shape);
  return bits ? bitmap.scheme : config->scheme;
}

static floe_status init_config(const struct shards_config *config, struct shards *set) {
  if (config->key_bits < 1 || config->key_bits > 64)
    return FLOE_ERROR_USAGE;
  const char *scheme = table_scheme_name(choose_scheme(config));
  if (!scheme)
    return FLOE_ERROR_USAGE;
  const unsigned bits = config->bits ? config->bits : default_bits(config->key_bits);
  if (bits >= config->key_bits || bits > SHARD_MOST_BITS)
    return FLOE_ERROR_USAGE;
  set->rule = (struct shard_rule){config->key_bits, bits};
  set->config = (struct table_config){.scheme = scheme, .key_bits = shard_rest_bits(set->rule), .packed = true};
  FLOE_TRY(find_permutation(config->permutation, &set->config.permutation));
  if (table_cannot(&set->config, TABLE_FIND_OR_PUT) || !table_traits(scheme)->sets)
    return FLOE_ERROR_USAGE;
  set->count = 1u << bits;
  set->threads = 1;
  set->fill = table_fill(scheme);
  set->sized = config->expected > 0;
  set->may_use_bitmap = !config->scheme && !config->permutation;
  set->budget = config->budget;
  return FLOE_OK;
}

/* Bytes available to each table. */
static uint64_t table_bytes(const struct shards *set, uint64_t bytes) {
  return (uint64_t)(USABLE_BUDGET * (double)bytes / set->count);
}

/* Of the slot widths that hold the rests the one with the most slots. */
static floe_status plan_largest(const struct shards *set, uint64_t bytes, struct table_shape *out) {
  const unsigned *widths = table_traits(set->config.scheme)->slot_bits;
  struct table_config base = set->config, config;
  struct table_shape shape;
  out->slots = 0;
  for (size_t i = 0; widths[i]; i++) {
    base.slot_bits = widths[i];
    if (sizing_largest(&base, bytes, &config, &shape) && shape.slots > out->slots)
      *out = shape;
  }
  return out->slots ? FLOE_OK : FLOE_ERROR_MEMORY;
}

floe_status shards_plan(const struct shards_config *config, uint64_t bytes, struct shards_plan *out) {
  struct shards set = {.threads = 1};
  struct shards_plan plan;
  FLOE_TRY(init_config(config, &set));
  FLOE_TRY(plan_largest(&set, table_bytes(&set, bytes), &plan.shape));
  const double all = ldexp(1, (int)set.config.key_bits), keys = set.fill * (double)plan.shape.slots;
  plan.shards = set.count;
  plan.keys = (uint64_t)fmin(keys, all) * set.count;
  plan.bytes = plan.shape.bytes * set.count;
  *out = plan;
  return FLOE_OK;
}

/* Slots of a table for its part of the expected keys. */
static uint64_t first_slots(const struct shards *set, uint64_t expected) {
  const double keys = (double)expected / set->count;
  const double all = ldexp(1, (int)set->config.key_bits);
  const uint64_t slots = sizing_slots_for(keys + DEVIATIONS * sqrt(keys), all, set->fill, SIZING_MOST_SLOTS);
  return slots > FIRST_SLOTS ? slots : FIRST_SLOTS;
}

/* Tables for the expected keys if the budget permits, otherwise smaller ones, which grow as far as it permits. */
static floe_status first_table(struct shards *set, uint64_t expected, struct table_config *config) {
  const uint64_t most = table_bytes(set, budget_left(set->budget));
  struct table_config base = set->config;
  struct table_shape shape;
  if (!expected)
    base.multiple_of = 64; /* so that the number of buckets can be halved repeatedly */
  if (!sizing_find_layout(sizing_plan_usual, &base, first_slots(set, expected), config, &shape))
    return FLOE_ERROR_USAGE;
  while (shape.bytes > most && config->slots > SIZING_LEAST_SLOTS) {
    const double fitting = 0.97 * (double)config->slots * (double)most / (double)shape.bytes;
    const double half = (double)config->slots / 2;
    if (!sizing_plan_usual(&base, (uint64_t)fmax(half, fitting), config, &shape))
      break;
  }
  return FLOE_OK;
}

static floe_status first_tables(struct shards *set, uint64_t expected) {
  struct table_config config;
  FLOE_TRY(first_table(set, expected, &config));
  for (unsigned i = 0; i < set->count; i++)
    FLOE_TRY(shard_first(set, &set->shard[i], &config));
  return FLOE_OK;
}

static struct shards *alloc_set(const struct shards *configured) {
  struct shards *set = mem_alloc(sizeof *set);
  const size_t bytes = configured->count * sizeof *set->shard;
  if (!set)
    return NULL;
  *set = *configured;
  set->shard = pages_alloc(bytes); /* pages: aligned for the cache lines */
  if (!set->shard) {
    mem_free(set);
    return NULL;
  }
  layout_cache_init(&set->layouts);
  for (unsigned i = 0; i < set->count; i++)
    pthread_mutex_init(&set->shard[i].mutex, NULL);
  return set;
}

floe_status shards_create(const struct shards_config *config, struct shards **out) {
  struct shards configured = {.threads = 1};
  FLOE_TRY(init_config(config, &configured));
  struct shards *set = alloc_set(&configured);
  if (!set)
    return FLOE_ERROR_MEMORY;
  floe_status status = first_tables(set, config->expected);
  if (status == FLOE_OK)
    *out = set;
  else
    shards_free(set);
  return status;
}

void shards_free(struct shards *set) {
  if (!set)
    return;
  for (unsigned i = 0; i < set->count; i++) {
    shard_clear(set, &set->shard[i]);
    pthread_mutex_destroy(&set->shard[i].mutex);
  }
  layout_cache_free(&set->layouts);
  pages_free(set->shard, set->count * sizeof *set->shard);
  mem_free(set);
}

/* ---- statistics ------------------------------------------------------------------------------ */

struct shard_rule shards_rule(const struct shards *set) {
  return set->rule;
}
uint64_t shards_keys(const struct shards *set) { return shards_total(&set->keys); }
uint64_t shards_bytes(const struct shards *set) { return shards_total(&set->bytes); }
uint64_t shards_slots(const struct shards *set) { return shards_total(&set->slots); }
uint64_t shards_growths(const struct shards *set) { return shards_total(&set->growths); }

/* ---- iteration ------------------------------------------------------------------------------- */

struct visit {
  struct shard_rule rule;
  uint32_t shard;
  void (*visit)(void *user, const uint64_t *keys, size_t n);
  void *user;
};

static void visit_rests(void *user, const uint64_t *rests, size_t n) {
  const struct visit *visit = user;
  uint64_t keys[SHARD_CHUNK];
  for (size_t at = 0, now; at < n; at += now) {
    now = n - at < SHARD_CHUNK ? n - at : SHARD_CHUNK;
    for (size_t i = 0; i < now; i++)
      keys[i] = shard_key(visit->rule, visit->shard, rests[at + i]);
    visit->visit(visit->user, keys, now);
  }
}

/* A part is a range of shards, or of slices of them if there are more parts than shards. */
void shards_each(const struct shards *set, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  assert(part < parts);
  struct visit each = {.rule = set->rule, .visit = visit, .user = user};
  const unsigned slices = (parts - 1) / set->count + 1;
  const uint64_t all = (uint64_t)set->count * slices;
  for (uint64_t i = all * part / parts; i < all * (part + 1) / parts; i++) {
    each.shard = (uint32_t)(i / slices);
    table_each(set->shard[each.shard].table, (unsigned)(i % slices), slices, visit_rests, &each);
  }
}

/* ---- insertion ------------------------------------------------------------------------------- */

/* Rests sorted by shard; end[i]: end of the rests of shard i. */
struct sorted {
  uint64_t rests[SHARD_CHUNK];
  uint16_t end[1u << SHARD_MOST_BITS];
};

static void sort_chunk(struct shard_rule rule, const uint64_t *keys, size_t n, struct sorted *out) {
  uint64_t rests[SHARD_CHUNK];
  uint16_t shard[SHARD_CHUNK];
  const unsigned count = 1u << rule.bits;
  memset(out->end, 0, count * sizeof *out->end);
  for (size_t i = 0; i < n; i++) {
    shard[i] = (uint16_t)shard_of(rule, keys[i], &rests[i]);
    out->end[shard[i]]++;
  }
  for (unsigned i = 0, before = 0; i < count; i++) {
    const unsigned here = out->end[i];
    out->end[i] = (uint16_t)before; /* first the begin of the shard's rests, which moves to their end */
    before += here;
  }
  for (size_t i = 0; i < n; i++)
    out->rests[out->end[shard[i]]++] = rests[i];
}

static size_t put_locked(struct shards *set, struct shard *shard, const uint64_t *rests, size_t n) {
  uint8_t answers[SHARD_CHUNK];
  pthread_mutex_lock(&shard->mutex);
  shard_may_grow(set, shard);
  const size_t full = shard_put(set, shard, rests, n, answers);
  pthread_mutex_unlock(&shard->mutex);
  return full;
}

static bool put_chunk(struct shards *set, const uint64_t *keys, size_t n) {
  struct sorted sorted;
  size_t full = 0;
  sort_chunk(set->rule, keys, n, &sorted);
  for (unsigned i = 0, begin = 0; i < set->count; begin = sorted.end[i++])
    if (begin < sorted.end[i])
      full += put_locked(set, &set->shard[i], sorted.rests + begin, sorted.end[i] - begin);
  return full == 0;
}

bool shards_put(struct shards *set, const uint64_t *keys, size_t n) {
  bool all = true;
  for (size_t at = 0; at < n; at += SHARD_CHUNK)
    all &= put_chunk(set, keys + at, n - at < SHARD_CHUNK ? n - at : SHARD_CHUNK);
  return all;
}
