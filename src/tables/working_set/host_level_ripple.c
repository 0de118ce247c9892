/* Host level of the paper's CPSS table (section 3.3): a circular array of shards, one for each thread, each with a
   buffer of queries. In rounds with a barrier between them, each thread processes its shard's buffer; queries
   without a result go to the buffer of the next shard. A shard has two halves with a hash function each. A pair goes
   to one of a few slots of the first half. If all are full it replaces the pair in the last one, which goes to the
   second half; the pair displaced there goes to the next shard. A search reads these few slots of both halves, in
   one shard after the other, so an absent key takes as many rounds as there are shards.

   Departures: a buffer is written in a round by one thread, that of the shard before, and read in the next one; the
   paper has one buffer and a compare-and-swap. Pairs that found no slot in many rounds, as in tables nearly full, go
   to chains; the paper would never end. */
#include "tables/working_set/host_level.h"

#include "core/mem.h"
#include "core/threads/thread_pool.h"

#include <assert.h>
#include <string.h>

enum {
  PROBES = 16,
  LAPS = 4, /* times that a pair passes all shards before it leaves the array */
  LEAST_FOR_POOL = 256
};

struct query {
  struct workset_pair pair;
  size_t number; /* index in the batch */
  unsigned hops;
};

struct buffer {
  struct query *queries; /* [batch] */
  size_t n;
};

struct shard {
  struct workset_pair *pairs; /* [2 * half] */
  uint8_t *used;
  struct buffer buffers[2]; /* one read in this round, one filled for the next, alternating */
  _Alignas(64) uint64_t answered;
};

struct host_level {
  struct host_level_config config;
  unsigned shard_count;
  uint64_t half;
  struct shard *shards;
  struct host_level *rest; /* host_level_chains */
  uint64_t count;          /* of all */
};

/* ---- slots --------------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct host_level *level, unsigned number, uint64_t key) {
  return workset_hash(~level->config.seed + number * UINT64_C(0x9e3779b97f4a7c15), key);
}

static unsigned first_shard(const struct host_level *level, uint64_t key) {
  return (unsigned)workset_place(hash_of(level, 2, key), level->shard_count);
}

static uint64_t slot_at(const struct host_level *level, unsigned half, uint64_t key, unsigned probe) {
  return half * level->half + (workset_place(hash_of(level, half, key), level->half) + probe) % level->half;
}

static unsigned probes(const struct host_level *level) { return level->half < PROBES ? (unsigned)level->half : PROBES; }

/* Puts the pair into a free slot of its half; else swaps it with the pair in the last one. */
static bool put_in_half(const struct host_level *level, struct shard *shard, unsigned half, struct workset_pair *pair) {
  uint64_t slot = 0;
  for (unsigned i = 0; i < probes(level); i++) {
    slot = slot_at(level, half, pair->key, i);
    if (shard->used[slot])
      continue;
    shard->pairs[slot] = *pair;
    shard->used[slot] = 1;
    return true;
  }
  const struct workset_pair leaving = shard->pairs[slot];
  shard->pairs[slot] = *pair;
  *pair = leaving;
  return false;
}

/* UINT64_MAX: it is not in the shard. */
static uint64_t find_slot(const struct host_level *level, const struct shard *shard, uint64_t key) {
  for (unsigned i = 0; i < 2 * probes(level); i++) {
    const uint64_t slot = slot_at(level, i % 2, key, i / 2);
    if (shard->used[slot] && shard->pairs[slot].key == key)
      return slot;
  }
  return UINT64_MAX;
}

/* ---- rounds -------------------------------------------------------------------------------------- */

struct work {
  struct host_level *level;
  unsigned turn; /* buffer read in this round */
  bool takes;
  uint8_t *found;
  uint64_t *values;
  struct query *leaving; /* pairs that leave the array; atomic count */
  size_t leaving_count;
};

static void pass_to_next(struct work *work, unsigned member, const struct query *query) {
  struct host_level *level = work->level;
  struct buffer *next = &level->shards[(member + 1) % level->shard_count].buffers[!work->turn];
  assert(next->n < level->config.batch);
  next->queries[next->n] = *query;
  next->queries[next->n++].hops++;
}

static void put_one(struct work *work, unsigned member, struct query *query) {
  struct host_level *level = work->level;
  struct shard *shard = &level->shards[member];
  if (put_in_half(level, shard, 0, &query->pair) || put_in_half(level, shard, 1, &query->pair))
    shard->answered++;
  else if (query->hops < LAPS * level->shard_count)
    pass_to_next(work, member, query);
  else
    work->leaving[__atomic_fetch_add(&work->leaving_count, 1, __ATOMIC_RELAXED)] = *query;
}

static void take_one(struct work *work, unsigned member, struct query *query) {
  struct host_level *level = work->level;
  struct shard *shard = &level->shards[member];
  const uint64_t slot = find_slot(level, shard, query->pair.key);
  if (slot != UINT64_MAX) {
    shard->used[slot] = 0;
    shard->answered++;
    work->found[query->number] = 1;
    work->values[query->number] = shard->pairs[slot].value;
  } else if (query->hops + 1 < level->shard_count) {
    pass_to_next(work, member, query);
  } else {
    work->leaving[__atomic_fetch_add(&work->leaving_count, 1, __ATOMIC_RELAXED)] = *query;
  }
}

static void process_buffer(void *user, unsigned member) {
  struct work *work = user;
  struct buffer *mine = &work->level->shards[member].buffers[work->turn];
  for (size_t i = 0; i < mine->n; i++)
    (work->takes ? take_one : put_one)(work, member, &mine->queries[i]);
  mine->n = 0;
}

static bool has_queries(const struct host_level *level, unsigned turn) {
  for (unsigned i = 0; i < level->shard_count; i++)
    if (level->shards[i].buffers[turn].n)
      return true;
  return false;
}

/* Runs rounds until no shard has queries. Few queries are processed before other threads wake up. */
static void run_rounds(struct work *work, size_t n) {
  struct host_level *level = work->level;
  for (work->turn = 0; has_queries(level, work->turn); work->turn ^= 1)
    if (n < LEAST_FOR_POOL)
      for (unsigned i = 0; i < level->shard_count; i++)
        process_buffer(work, i);
    else
      pool_run(level->config.pool, process_buffer, work);
}

static void enqueue(struct host_level *level, const struct workset_pair *pair, size_t number) {
  struct buffer *buffer = &level->shards[first_shard(level, pair->key)].buffers[0];
  assert(buffer->n < level->config.batch);
  buffer->queries[buffer->n++] = (struct query){*pair, number, 0};
}

static uint64_t sum_answered(struct host_level *level) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < level->shard_count; i++) {
    sum += level->shards[i].answered;
    level->shards[i].answered = 0;
  }
  return sum;
}

/* ---- many keys ----------------------------------------------------------------------------------- */

static struct query *buffer_for_leaving(const struct host_level *level) {
  return level->shards[level->shard_count].buffers[0].queries;
}

static void put_in_ripple(struct host_level *level, const struct workset_pair *pairs, size_t n) {
  struct work work = {.level = level, .leaving = buffer_for_leaving(level)};
  assert(level->count + n <= level->config.capacity);
  for (size_t i = 0; i < n; i++)
    enqueue(level, &pairs[i], i);
  run_rounds(&work, n);
  const uint64_t answered = sum_answered(level);
  assert(answered + work.leaving_count == n);
  (void)answered;
  for (size_t i = 0; i < work.leaving_count; i++)
    host_level_chains.put(level->rest, &work.leaving[i].pair, 1);
  level->count += n;
}

static void take_from_ripple(struct host_level *level, const uint64_t *keys, size_t n, uint8_t *found,
                             uint64_t *values) {
  struct work work = {
      .level = level, .takes = true, .found = found, .values = values, .leaving = buffer_for_leaving(level)};
  for (size_t i = 0; i < n; i++) {
    const struct workset_pair pair = {.key = keys[i]};
    enqueue(level, &pair, i);
  }
  run_rounds(&work, n);
  level->count -= sum_answered(level);
  for (size_t i = 0; i < work.leaving_count; i++) {
    const size_t at = work.leaving[i].number;
    host_level_chains.take(level->rest, &work.leaving[i].pair.key, 1, &found[at], &values[at]);
    level->count -= found[at];
  }
}

/* ---- creating and freeing --------------------------------------------------------------------------- */

static uint64_t half_for(uint64_t capacity, unsigned shard_count) {
  return (capacity + 2 * shard_count - 1) / (2 * shard_count);
}

/* (Pages of the chains are allocated when they are written.) */
static uint64_t bytes_of_ripple(uint64_t capacity) {
  return 2 * half_for(capacity, 1) * (sizeof(struct workset_pair) + 1) + host_level_chains.bytes(capacity);
}

static void free_shard(const struct host_level *level, struct shard *shard) {
  if (shard->pairs)
    pages_free(shard->pairs, 2 * level->half * sizeof *shard->pairs);
  if (shard->used)
    pages_free(shard->used, 2 * level->half);
  mem_free(shard->buffers[0].queries);
  mem_free(shard->buffers[1].queries);
}

static void free_ripple(struct host_level *level) {
  if (!level)
    return;
  for (unsigned i = 0; level->shards && i <= level->shard_count; i++)
    free_shard(level, &level->shards[i]);
  if (level->shards)
    pages_free(level->shards, (level->shard_count + 1) * sizeof *level->shards);
  host_level_chains.free(level->rest);
  mem_free(level);
}

static bool allocate_buffer(const struct host_level *level, struct buffer *buffer) {
  return (buffer->queries = mem_array(level->config.batch, sizeof *buffer->queries)) != NULL;
}

static bool allocate_shard(const struct host_level *level, struct shard *shard) {
  return (shard->pairs = pages_alloc(2 * level->half * sizeof *shard->pairs)) &&
         (shard->used = pages_alloc(2 * level->half)) && allocate_buffer(level, &shard->buffers[0]) &&
         allocate_buffer(level, &shard->buffers[1]);
}

/* One extra shard has only a buffer, for pairs that leave the array. */
static floe_status allocate(struct host_level *level) {
  FLOE_TRY(host_level_chains.create(&level->config, &level->rest));
  level->shards = pages_alloc((level->shard_count + 1) * sizeof *level->shards);
  if (!level->shards)
    return FLOE_ERROR_MEMORY;
  for (unsigned i = 0; i < level->shard_count; i++)
    if (!allocate_shard(level, &level->shards[i]))
      return FLOE_ERROR_MEMORY;
  return allocate_buffer(level, &level->shards[level->shard_count].buffers[0]) ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status create_ripple(const struct host_level_config *config, struct host_level **out) {
  struct host_level *level = mem_alloc(sizeof *level);
  if (!level)
    return FLOE_ERROR_MEMORY;
  level->config = *config;
  level->shard_count = pool_size(config->pool);
  level->half = half_for(config->capacity, level->shard_count);
  floe_status status = allocate(level);
  if (status == FLOE_OK)
    *out = level;
  else
    free_ripple(level);
  return status;
}

static uint64_t count_of_ripple(const struct host_level *level) { return level->count; }

static void clear_ripple(struct host_level *level, uint64_t seed) {
  for (unsigned i = 0; i < level->shard_count; i++)
    memset(level->shards[i].used, 0, 2 * level->half);
  host_level_chains.clear(level->rest, seed);
  level->config.seed = seed;
  level->count = 0;
}

/* ---- inspection ------------------------------------------------------------------------------------- */

static void each_of_ripple(const struct host_level *level, unsigned part, unsigned parts, workset_visit *visit,
                           void *user) {
  for (unsigned i = part; i < level->shard_count; i += parts) {
    const struct shard *shard = &level->shards[i];
    for (uint64_t slot = 0; slot < 2 * level->half; slot++)
      if (shard->used[slot])
        visit(user, &shard->pairs[slot].key, &shard->pairs[slot].value, 1);
  }
  host_level_chains.each(level->rest, part, parts, visit, user);
}

static uint64_t check_shard(const struct host_level *level, const struct shard *shard, uint64_t *n) {
  uint64_t wrong = shard->buffers[0].n + shard->buffers[1].n + shard->answered;
  for (uint64_t slot = 0; slot < 2 * level->half; slot++) {
    if (!shard->used[slot])
      continue;
    ++*n;
    wrong += find_slot(level, shard, shard->pairs[slot].key) != slot;
  }
  return wrong;
}

static uint64_t check_ripple(const struct host_level *level) {
  uint64_t n = host_level_chains.count(level->rest), wrong = host_level_chains.check(level->rest);
  for (unsigned i = 0; i < level->shard_count; i++)
    wrong += check_shard(level, &level->shards[i], &n);
  return wrong + (n != level->count);
}

const struct host_level_kind host_level_ripple = {.create = create_ripple,
                                                  .free = free_ripple,
                                                  .put = put_in_ripple,
                                                  .take = take_from_ripple,
                                                  .count = count_of_ripple,
                                                  .bytes = bytes_of_ripple,
                                                  .clear = clear_ripple,
                                                  .each = each_of_ripple,
                                                  .check = check_ripple};
