/* One shard: its table, growth, and insertion with growth. */
#include "engine/host_backed/shards_state.h"

#include "engine/sizing.h"
#include "tables/scheme.h"

#include <assert.h>

/* ---- tables ---------------------------------------------------------------------------------- */

/* The table's memory is taken from the budget until free_table. */
static floe_status make_table(struct shards *set, const struct table_config *config, const struct table_shape *shape,
                              struct table **out) {
  if (!budget_take(set->budget, shape->bytes))
    return FLOE_ERROR_MEMORY;
  floe_status status = table_create_as(config, shape, out);
  if (status != FLOE_OK) {
    budget_give(set->budget, shape->bytes);
    return status;
  }
  assert(table_shape(*out)->bytes == shape->bytes);
  shards_add(&set->bytes, shape->bytes);
  shards_add(&set->slots, shape->slots);
  return FLOE_OK;
}

static void free_table(struct shards *set, struct table *table) {
  const struct table_shape shape = *table_shape(table);
  table_free(table);
  shards_add(&set->bytes, -shape.bytes);
  shards_add(&set->slots, -shape.slots);
  budget_give(set->budget, shape.bytes);
}

void shard_may_grow(const struct shards *set, struct shard *shard) {
  const struct table_shape *shape = table_shape(shard->table);
  shard->grow_at = sizing_holds_all(shape) ? UINT64_MAX : sizing_grow_at(shape, set->fill, set->sized);
}

static void set_table(const struct shards *set, struct shard *shard, struct table *table) {
  shard->table = table;
  shard_may_grow(set, shard);
}

floe_status shard_first(struct shards *set, struct shard *shard, const struct table_config *config) {
  struct table_shape shape;
  struct table *table;
  FLOE_TRY(layout_cache_plan(&set->layouts, config, &shape));
  FLOE_TRY(make_table(set, config, &shape, &table));
  set_table(set, shard, table);
  return FLOE_OK;
}

void shard_clear(struct shards *set, struct shard *shard) {
  if (shard->table)
    free_table(set, shard->table);
  shard->table = NULL;
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* Memory for each shard's table: an equal share of the memory that shards have and may have, less the old tables
   that exist while tables grow, one per thread. */
static uint64_t shard_memory(struct shards *set, const struct table_shape *present) {
  const uint64_t at_once = set->threads < set->count ? set->threads : set->count;
  const uint64_t all = budget_left(set->budget) + shards_total(&set->bytes), beside = at_once * present->bytes;
  return all > beside ? (all - beside) / set->count : 0;
}

static bool plan_fits(struct shards *set, const struct table_config *config, const struct table_shape *present,
                      uint64_t most_bytes, struct table_shape *shape) {
  return layout_cache_plan(&set->layouts, config, shape) == FLOE_OK && shape->bytes <= most_bytes &&
         (sizing_is_larger(present->slots, shape->slots) || sizing_holds_all(shape));
}

/* As the visited set of a search grows (engine/cpu/visited_growth.c): with 3/2, 2, 5/2 ... times the buckets keys
   move in streams. */
static uint64_t unit_of(uint64_t buckets) { return buckets % 2 ? buckets : buckets / 2; }

static struct table *make_larger(struct shards *set, const struct table_shape *present, uint64_t slots,
                                 uint64_t most_bytes) {
  struct table_config config = set->config;
  struct table_shape shape;
  struct table *table = NULL;
  config.slots = slots;
  config.multiple_of = unit_of(present->buckets);
  if (!plan_fits(set, &config, present, most_bytes, &shape)) {
    config.multiple_of = 0;
    if (!plan_fits(set, &config, present, most_bytes, &shape))
      return NULL;
  }
  return make_table(set, &config, &shape, &table) == FLOE_OK ? table : NULL;
}

struct key_move {
  struct table *to;
  size_t full; /* keys that did not fit */
};

static void put_moved_keys(void *user, const uint64_t *keys, size_t n) {
  struct key_move *key_move = user;
  uint8_t answers[SHARD_CHUNK];
  for (size_t at = 0, some; at < n; at += some) {
    some = n - at < SHARD_CHUNK ? n - at : SHARD_CHUNK;
    key_move->full += table_find_or_put(key_move->to, keys + at, some, answers);
  }
}

/* Also moves between tables of different schemes. False: some keys did not fit. */
static bool move_keys(const struct table *from, struct table *to) {
  struct key_move key_move = {.to = to};
  if (!table_cannot_move(from, to))
    return table_rehash(from, to, 0, 1) == 0;
  table_each(from, 0, 1, put_moved_keys, &key_move);
  return key_move.full == 0;
}

/* False: some key did not fit in the larger table (or there is none); the present one keeps all keys. */
static bool move_to(struct shards *set, struct shard *shard, struct table *larger) {
  if (!larger)
    return false;
  if (!move_keys(shard->table, larger)) {
    free_table(set, larger);
    return false;
  }
  free_table(set, shard->table);
  set_table(set, shard, larger);
  shards_add(&set->growths, 1);
  return true;
}

/* A bitmap instead of a hash table of `larger` bytes. */
static struct table *make_bitmap(struct shards *set, const struct table_shape *present, uint64_t larger,
                                 uint64_t most_bytes) {
  const struct table_config keys = {.key_bits = present->key_bits};
  struct table_config config;
  struct table_shape shape;
  struct table *table = NULL;
  if (!set->may_use_bitmap || !sizing_bitmap_plan(&keys, &config, &shape) ||
      !sizing_bitmap_instead(shape.bytes, larger, most_bytes))
    return NULL;
  return make_table(set, &config, &shape, &table) == FLOE_OK ? table : NULL;
}

static bool grow_shard(struct shards *set, struct shard *shard) {
  const struct table_shape present = *table_shape(shard->table);
  const uint64_t most_bytes = shard_memory(set, &present);
  const struct sizing_growth growth = {.slots = present.slots,
                                       .bytes = present.bytes,
                                       .small = sizing_small(present.key_bits) / set->count,
                                       .limit = most_bytes,
                                       .left = most_bytes};
  double step;
  if (sizing_holds_all(&present) || (double)most_bytes < SIZING_LEAST_STEP * (double)present.bytes)
    return false;
  step = sizing_step(&sizing_partitions, &growth, 0);
  if (step > 0 && move_to(set, shard, make_bitmap(set, &present, (uint64_t)(step * (double)present.bytes), most_bytes)))
    return true;
  for (unsigned i = 0; (step = sizing_step(&sizing_partitions, &growth, i)) > 0; i++)
    if (move_to(set, shard, make_larger(set, &present, (uint64_t)(step * (double)present.slots), most_bytes)))
      return true;
  return false;
}

/* After a failure growth is not tried again before the next batch. */
static bool grow_if_it_can(struct shards *set, struct shard *shard) {
  if (shard->grow_at == UINT64_MAX)
    return false;
  if (grow_shard(set, shard))
    return true;
  shard->grow_at = UINT64_MAX;
  return false;
}

/* ---- insertion ------------------------------------------------------------------------------- */

/* Retries the keys that did not fit, in their order. Returns the number that still do not. */
static size_t put_refused(struct shard *shard, const uint64_t *rests, size_t n, uint8_t *answers) {
  uint64_t again[SHARD_CHUNK] = {0};
  uint8_t answers_again[SHARD_CHUNK];
  uint16_t where[SHARD_CHUNK];
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    again[count] = rests[i];
    where[count] = (uint16_t)i;
    count += answers[i] == TABLE_FULL;
  }
  const size_t full = table_find_or_put(shard->table, again, count, answers_again);
  for (size_t i = 0; i < count; i++)
    answers[where[i]] = answers_again[i];
  return full;
}

static uint64_t count_new(const uint8_t *answers, size_t n) {
  uint64_t count = 0;
  for (size_t i = 0; i < n; i++)
    count += answers[i] == TABLE_PUT;
  return count;
}

size_t shard_put(struct shards *set, struct shard *shard, const uint64_t *rests, size_t n, uint8_t *answers) {
  assert(n <= SHARD_CHUNK);
  size_t full = table_find_or_put(shard->table, rests, n, answers);
  while (full && grow_if_it_can(set, shard))
    full = put_refused(shard, rests, n, answers);
  const uint64_t put = count_new(answers, n);
  shard->keys += put;
  shards_add(&set->keys, put);
  if (shard->keys >= shard->grow_at)
    grow_if_it_can(set, shard);
  return full;
}
