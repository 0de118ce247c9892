/* The set of all partitions: making it, its figures, all of its keys. */
#include "engine/host_backed/shards.h"
#include "engine/host_backed/shards_state.h"

#include "core/mem.h"
#include "engine/sizing.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define USUAL_BITS 8
#define FIRST_SLOTS ((uint64_t)1 << 10) /* of each table: a page or two */
#define CHANCE 5                        /* standard deviations of the number of keys in a partition */
#define LEAST_BYTES 2.2                 /* a key in tables with slots of 16 bits */
#define RESERVE 0.95                    /* part of the budget that tables for a known number of keys may take */

/* ---- making and freeing ---------------------------------------------------------------------- */

/* A partition is for keys of at least USUAL_BITS bits. */
static unsigned usual_bits(unsigned key_bits) {
  if (key_bits <= USUAL_BITS)
    return 0;
  return key_bits < 2 * USUAL_BITS ? key_bits - USUAL_BITS : USUAL_BITS;
}

/* The registry's own words, which stay. */
static floe_status name_of_permutation(const char *name, const char **out) {
  *out = NULL;
  for (const char *const *known = permutation_names(); name && *known; known++)
    if (strcmp(*known, name) == 0)
      *out = *known;
  return name && !*out ? FLOE_ERROR_USAGE : FLOE_OK;
}

/* Tables for the keys expected would be as large as a bit for each key that there can be, which needs no search. */
static bool bits_are_less(const struct shards_config *config) {
  const double bytes = ldexp(1, (int)config->key_bits) / 8;
  return bytes <= LEAST_BYTES * (double)config->expected && config->budget &&
         bytes <= RESERVE * (double)budget_left(config->budget);
}

/* NULL: the default one. */
static const char *choose_scheme(const struct shards_config *config) {
  const struct table_config keys = {.key_bits = config->key_bits};
  struct table_config bitmap;
  struct table_shape shape;
  const bool bits = !config->scheme && bits_are_less(config) && sizing_bitmap_plan(&keys, &bitmap, &shape);
  return bits ? bitmap.scheme : config->scheme;
}

static floe_status configure(const struct shards_config *config, struct shards *set) {
  if (config->key_bits < 1 || config->key_bits > 64)
    return FLOE_ERROR_USAGE;
  const char *scheme = table_scheme_name(choose_scheme(config));
  if (!scheme)
    return FLOE_ERROR_USAGE;
  const unsigned bits = config->bits ? config->bits : usual_bits(config->key_bits);
  if (bits >= config->key_bits || bits > SHARD_MOST_BITS)
    return FLOE_ERROR_USAGE;
  set->rule = (struct shard_rule){config->key_bits, bits};
  set->config = (struct table_config){.scheme = scheme, .key_bits = shard_rest_bits(set->rule), .packed = true};
  FLOE_TRY(name_of_permutation(config->permutation, &set->config.permutation));
  if (table_cannot(&set->config, TABLE_FIND_OR_PUT) || !table_traits(scheme)->sets)
    return FLOE_ERROR_USAGE;
  set->count = 1u << bits;
  set->threads = 1;
  set->fill = table_fill(scheme);
  set->given = config->expected > 0;
  set->any = !config->scheme && !config->permutation;
  set->budget = config->budget;
  return FLOE_OK;
}

/* Bytes that each table may take of so many. */
static uint64_t table_bytes(const struct shards *set, uint64_t bytes) {
  return (uint64_t)(RESERVE * (double)bytes / set->count);
}

/* Of the widths that hold the rests the one with the most slots. */
static floe_status largest(const struct shards *set, uint64_t bytes, struct table_shape *out) {
  const unsigned *widths = table_traits(set->config.scheme)->slot_bits;
  struct table_config wanted = set->config, config;
  struct table_shape shape;
  out->slots = 0;
  for (size_t i = 0; widths[i]; i++) {
    wanted.slot_bits = widths[i];
    if (sizing_largest(&wanted, bytes, &config, &shape) && shape.slots > out->slots)
      *out = shape;
  }
  return out->slots ? FLOE_OK : FLOE_ERROR_MEMORY;
}

floe_status shards_plan(const struct shards_config *config, uint64_t bytes, struct shards_plan *out) {
  struct shards set = {.threads = 1};
  struct shards_plan plan;
  FLOE_TRY(configure(config, &set));
  FLOE_TRY(largest(&set, table_bytes(&set, bytes), &plan.shape));
  const double all = ldexp(1, (int)set.config.key_bits), keys = set.fill * (double)plan.shape.slots;
  plan.shards = set.count;
  plan.keys = (uint64_t)fmin(keys, all) * set.count;
  plan.bytes = plan.shape.bytes * set.count;
  *out = plan;
  return FLOE_OK;
}

/* Slots for the keys that a partition gets of so many. */
static uint64_t first_slots(const struct shards *set, uint64_t expected) {
  const double keys = (double)expected / set->count;
  const double all = ldexp(1, (int)set->config.key_bits);
  const uint64_t slots = sizing_slots_for(keys + CHANCE * sqrt(keys), all, set->fill, SIZING_MOST_SLOTS);
  return slots > FIRST_SLOTS ? slots : FIRST_SLOTS;
}

/* Tables for the keys expected where the budget has room for them, else smaller ones, which grow as far as it goes. */
static floe_status first_table(struct shards *set, uint64_t expected, struct table_config *config) {
  const uint64_t most = table_bytes(set, budget_left(set->budget));
  struct table_config wanted = set->config;
  struct table_shape shape;
  if (!expected)
    wanted.multiple_of = 64; /* so that halves of the number of buckets are whole again and again */
  if (!sizing_find_layout(sizing_plan_usual, &wanted, first_slots(set, expected), config, &shape))
    return FLOE_ERROR_USAGE;
  while (shape.bytes > most && config->slots > SIZING_LEAST_SLOTS) {
    const double fitting = 0.97 * (double)config->slots * (double)most / (double)shape.bytes;
    const double half = (double)config->slots / 2;
    if (!sizing_plan_usual(&wanted, (uint64_t)fmax(half, fitting), config, &shape))
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
    pthread_mutex_init(&set->shard[i].owned, NULL);
  return set;
}

floe_status shards_create(const struct shards_config *config, struct shards **out) {
  struct shards configured = {.threads = 1};
  FLOE_TRY(configure(config, &configured));
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
    pthread_mutex_destroy(&set->shard[i].owned);
  }
  layout_cache_free(&set->layouts);
  pages_free(set->shard, set->count * sizeof *set->shard);
  mem_free(set);
}

/* ---- figures --------------------------------------------------------------------------------- */

struct shard_rule shards_rule(const struct shards *set) {
  return set->rule;
}
uint64_t shards_keys(const struct shards *set) { return shards_total(&set->keys); }
uint64_t shards_bytes(const struct shards *set) { return shards_total(&set->bytes); }
uint64_t shards_slots(const struct shards *set) { return shards_total(&set->slots); }
uint64_t shards_growths(const struct shards *set) { return shards_total(&set->growths); }

/* ---- all keys -------------------------------------------------------------------------------- */

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

/* A part is a row of partitions, or of pieces of them where there are more parts than partitions. */
void shards_each(const struct shards *set, unsigned part, unsigned parts,
                 void (*visit)(void *user, const uint64_t *keys, size_t n), void *user) {
  assert(part < parts);
  struct visit each = {.rule = set->rule, .visit = visit, .user = user};
  const unsigned pieces = (parts - 1) / set->count + 1;
  const uint64_t all = (uint64_t)set->count * pieces;
  for (uint64_t i = all * part / parts; i < all * (part + 1) / parts; i++) {
    each.shard = (uint32_t)(i / pieces);
    table_each(set->shard[each.shard].table, (unsigned)(i % pieces), pieces, visit_rests, &each);
  }
}

/* ---- putting keys ---------------------------------------------------------------------------- */

/* Rests sorted by partition; where[i]: the end of the i-th partition's. */
struct sorted {
  uint64_t rests[SHARD_CHUNK];
  uint16_t end[1u << SHARD_MOST_BITS];
};

static void sort_piece(struct shard_rule rule, const uint64_t *keys, size_t n, struct sorted *out) {
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
    out->end[i] = (uint16_t)before; /* its begin, which moves to its end */
    before += here;
  }
  for (size_t i = 0; i < n; i++)
    out->rests[out->end[shard[i]]++] = rests[i];
}

static size_t put_owned(struct shards *set, struct shard *shard, const uint64_t *rests, size_t n) {
  uint8_t answers[SHARD_CHUNK];
  pthread_mutex_lock(&shard->owned);
  shard_may_grow(set, shard);
  const size_t full = shard_put(set, shard, rests, n, answers);
  pthread_mutex_unlock(&shard->owned);
  return full;
}

static bool put_piece(struct shards *set, const uint64_t *keys, size_t n) {
  struct sorted sorted;
  size_t full = 0;
  sort_piece(set->rule, keys, n, &sorted);
  for (unsigned i = 0, begin = 0; i < set->count; begin = sorted.end[i++])
    if (begin < sorted.end[i])
      full += put_owned(set, &set->shard[i], sorted.rests + begin, sorted.end[i] - begin);
  return full == 0;
}

bool shards_put(struct shards *set, const uint64_t *keys, size_t n) {
  bool all = true;
  for (size_t at = 0; at < n; at += SHARD_CHUNK)
    all &= put_piece(set, keys + at, n - at < SHARD_CHUNK ? n - at : SHARD_CHUNK);
  return all;
}
